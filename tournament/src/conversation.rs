//! Conversations with engines: every line that is sent to one and that it writes, with the moment it was complete.
//!
//! The last part of every conversation is kept in memory, so that a game that ends by a forfeit can be looked
//! into; all of it where a log is wanted.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use protocol::client::{Listener, Stream};
use regex::Regex;

use crate::record::{GameRecord, Said};

/// Bytes that are kept of a conversation for a game that may end by a forfeit, and of one that is to be logged.
const KEPT: usize = 1 << 20;
const KEPT_FOR_LOG: usize = 64 << 20;
/// What a line takes beside its text.
const OVERHEAD: usize = 48;

/// Hears every line at once: the player's name, the number of its process in this run, and the line.
pub type Live = dyn Fn(&str, usize, &Spoken) + Send + Sync;

/// What is kept of conversations.
#[derive(Default, Clone)]
pub struct Recording {
    /// Report the conversations of all games, and not only of those that end by a forfeit.
    pub all: bool,
    /// Who hears every line at once.
    pub live: Option<Arc<Live>>,
    /// The last line of a search that one of these fits is kept with the move.
    pub patterns: Vec<Regex>,
}

/// A line of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spoken {
    /// When it was complete.
    pub at: Instant,
    /// Who wrote it.
    pub stream: Stream,
    /// The line.
    pub text: String,
}

/// Keeps the conversation with one process.
pub struct Recorder {
    player: String,
    process: usize,
    live: Option<Arc<Live>>,
    most: usize,
    kept: Mutex<Tail>,
}

#[derive(Default)]
struct Tail {
    lines: VecDeque<Spoken>,
    bytes: usize,
}

impl Recorder {
    /// For the next process of a player.
    #[must_use]
    pub fn new(player: &str, process: usize, recording: &Recording) -> Self {
        let whole = recording.all || !recording.patterns.is_empty();
        let most = if whole { KEPT_FOR_LOG } else { KEPT };
        let kept = Mutex::new(Tail::default());
        Self { player: player.to_owned(), process, live: recording.live.clone(), most, kept }
    }

    /// What was said since the last call.
    #[must_use]
    pub fn take(&self) -> Vec<Spoken> {
        let mut tail = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *tail).lines.into()
    }
}

impl Listener for Recorder {
    fn line(&self, at: Instant, stream: Stream, text: &str) {
        let spoken = Spoken { at, stream, text: text.to_owned() };
        if let Some(live) = &self.live {
            live(&self.player, self.process, &spoken);
        }
        let mut tail = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        tail.bytes += spoken.text.len() + OVERHEAD;
        tail.lines.push_back(spoken);
        while tail.bytes > self.most {
            let Some(first) = tail.lines.pop_front() else { break };
            tail.bytes -= first.text.len() + OVERHEAD;
        }
    }
}

/// The conversations of a game, White's and Black's.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Conversation {
    /// Their lines, each in order of time.
    pub sides: [Vec<Spoken>; 2],
}

impl Conversation {
    /// Both as one text in order of time: seconds since the first line, the player, `<` for what it was sent,
    /// `>` for what it wrote and `!` for its standard error. `only`: one side's alone.
    #[must_use]
    pub fn text(&self, names: [&str; 2], only: Option<usize>) -> String {
        let sides = (0..2).filter(|side| only.is_none_or(|only| only == *side));
        let mut lines: Vec<(usize, &Spoken)> =
            sides.flat_map(|side| self.sides[side].iter().map(move |line| (side, line))).collect();
        lines.sort_by_key(|(_, line)| line.at);
        let Some(first) = lines.first().map(|(_, line)| line.at) else { return String::new() };
        let mut text = String::new();
        for (side, line) in lines {
            let mark = match line.stream {
                Stream::Sent => '<',
                Stream::Output => '>',
                Stream::Error => '!',
            };
            let seconds = line.at.saturating_duration_since(first).as_secs_f64();
            // Writing to a text cannot fail.
            let _ = writeln!(text, "{seconds:.3} {}{mark} {}", names[side], line.text);
        }
        text
    }

    /// Keeps with every move of an engine the last line before it that one of the patterns fits.
    pub fn annotate(&self, game: &mut GameRecord, patterns: &[Regex]) {
        if patterns.is_empty() {
            return;
        }
        let white_begins = game.fen.as_deref().and_then(|fen| fen.split(' ').nth(1)) != Some("b");
        for side in 0..2 {
            let first = usize::from((side == 0) != white_begins);
            let own = game.moves.iter_mut().enumerate().filter(|(index, _)| index % 2 == first % 2);
            let mut moves = own.map(|(_, mv)| mv).filter(|mv| mv.ms.is_some());
            let mut last = None;
            for line in &self.sides[side] {
                match line.stream {
                    Stream::Sent if line.text.starts_with("go") => last = None,
                    Stream::Output if line.text.starts_with("bestmove") || line.text.starts_with("move ") => {
                        let Some(mv) = moves.next() else { break };
                        if let Some(line) = last.take() {
                            mv.said.get_or_insert_with(|| Box::new(Said::default())).line = Some(line);
                        }
                    }
                    Stream::Output if patterns.iter().any(|pattern| pattern.is_match(&line.text)) => {
                        last = Some(line.text.clone());
                    }
                    _ => {}
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::journal::tests::game;
    use crate::record::MoveRecord;

    fn spoken(base: Instant, ms: u64, stream: Stream, text: &str) -> Spoken {
        Spoken { at: base + Duration::from_millis(ms), stream, text: text.to_owned() }
    }

    #[test]
    fn a_conversation_is_one_text_in_order_of_time() {
        let base = Instant::now();
        let white =
            vec![spoken(base, 0, Stream::Sent, "go"), spoken(base, 30, Stream::Output, "bestmove e2e4")];
        let black = vec![spoken(base, 20, Stream::Error, "oops")];
        let both = Conversation { sides: [white, black] };
        assert_eq!(both.text(["A", "B"], None), "0.000 A< go\n0.020 B! oops\n0.030 A> bestmove e2e4\n");
        assert_eq!(both.text(["A", "B"], Some(1)), "0.000 B! oops\n");
    }

    #[test]
    fn only_so_much_is_kept() {
        let recorder = Recorder::new("A", 0, &Recording::default());
        let line = "x".repeat(1000);
        (0..3000).for_each(|_| recorder.line(Instant::now(), Stream::Output, &line));
        recorder.line(Instant::now(), Stream::Output, "the last");
        let kept = recorder.take();
        assert!((900..1100).contains(&kept.len()), "{}", kept.len());
        assert_eq!(kept.last().map(|line| line.text.as_str()), Some("the last"));
        assert!(recorder.take().is_empty());
    }

    /// The line belongs to the move that came after it, whoever began and however long the opening was.
    #[test]
    fn lines_that_fit_belong_to_their_move() {
        let base = Instant::now();
        let of_engine =
            |san: &str| MoveRecord { ms: Some(1), ..MoveRecord::of_opening(san.into(), String::new()) };
        let mut record = game(0);
        record.fen = Some("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1".into());
        record.moves = vec![
            MoveRecord::of_opening("e5".into(), String::new()),
            of_engine("Nf3"),
            of_engine("Nc6"),
            of_engine("Bb5"),
        ];
        let output = |ms, text| spoken(base, ms, Stream::Output, text);
        let white = vec![
            output(1, "info string a"),
            output(2, "info string b"),
            output(3, "bestmove g1f3"),
            spoken(base, 4, Stream::Sent, "go nodes 1"),
            output(5, "bestmove f1b5"),
        ];
        let black = vec![output(4, "info string c"), output(4, "info depth 1"), output(5, "bestmove b8c6")];
        let conversation = Conversation { sides: [white, black] };
        conversation.annotate(&mut record, &[Regex::new("^info.*string").unwrap()]);
        let lines: Vec<Option<&str>> =
            record.moves.iter().map(|mv| mv.said.as_ref().and_then(|said| said.line.as_deref())).collect();
        assert_eq!(lines, [None, Some("info string b"), Some("info string c"), None]);
    }
}
