//! Conversations with engines: every line that is sent to one and that it writes, with the moment it was
//! complete.
//!
//! The last part of every conversation is kept in memory, so that a game that ends by a forfeit can be looked
//! into; all of it where a log is wanted.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use client::{Listener, Stream, is_answer};
use regex::Regex;

use crate::record::{GameRecord, Said, beginning};

/// Bytes that are kept of a conversation for a game that may end by a forfeit, and of one that is to be
/// logged.
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
    /// When it was complete, or was about to be sent.
    pub at: Instant,
    /// Who wrote it.
    pub stream: Stream,
    /// The line.
    pub text: String,
}

/// What is known of a process beside what was said in a game.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Before {
    /// What was said until it was ready for its first game; nothing if that was this one and its lines have all
    /// of it.
    pub greeting: Vec<Spoken>,
    /// Games that it had played.
    pub games: usize,
    /// Not all of the game was kept: there was too much. What was said beside questions and answers is missing
    /// from the beginning on, and all of the beginning if that is not enough.
    pub cut: bool,
    /// When the lines were taken, after the end of the game.
    pub until: Option<Instant>,
}

/// Keeps the conversation with one process.
pub struct Recorder {
    player: String,
    process: usize,
    live: Option<Arc<Live>>,
    most: usize,
    kept: Mutex<Tail>,
    before: Mutex<Before>,
}

/// The last lines, their texts behind each other in one place: a line costs no allocation.
#[derive(Default)]
struct Tail {
    text: String,
    lines: VecDeque<Mark>,
    cut: bool,
    /// How many of them, the first ones, belong to the greeting.
    greeting: usize,
}

/// A line among the texts.
struct Mark {
    at: Instant,
    stream: Stream,
    bytes: usize,
}

impl Tail {
    fn add(&mut self, at: Instant, stream: Stream, text: &str, most: usize) {
        self.text.push_str(text);
        self.lines.push_back(Mark { at, stream, bytes: text.len() });
        // Some more than that is kept, so that what is left is not moved with every line.
        if self.bytes() > most + most / 4 {
            self.shrink(most);
        }
    }

    fn bytes(&self) -> usize {
        self.text.len() + self.lines.len() * OVERHEAD
    }

    /// Drops lines until there is room: first what answers nothing, since a game can be played again without it.
    fn shrink(&mut self, most: usize) {
        self.cut = true;
        let is_talk = |mark: &Mark, text: &str| match mark.stream {
            Stream::Sent => false,
            Stream::Output => !is_answer(text),
            Stream::Error => true,
        };
        self.drop_oldest(most, is_talk);
        self.drop_oldest(most, |_, _| true);
    }

    /// Drops the oldest lines that can be spared until there is room.
    fn drop_oldest(&mut self, most: usize, can_be_spared: impl Fn(&Mark, &str) -> bool) {
        let mut over = self.bytes().saturating_sub(most);
        if over == 0 {
            return;
        }
        let (text, lines) = (std::mem::take(&mut self.text), std::mem::take(&mut self.lines));
        self.text.reserve(text.len());
        let (mut rest, greeting) = (text.as_str(), self.greeting);
        for (index, mark) in lines.into_iter().enumerate() {
            let (line, more) = rest.split_at(mark.bytes);
            rest = more;
            if over > 0 && can_be_spared(&mark, line) {
                over = over.saturating_sub(mark.bytes + OVERHEAD);
                self.greeting -= usize::from(index < greeting);
                continue;
            }
            self.text.push_str(line);
            self.lines.push_back(mark);
        }
    }

    fn clear(&mut self) {
        self.text.clear();
        self.lines.clear();
        (self.cut, self.greeting) = (false, 0);
    }

    /// The lines in order of time, without the first `skipped`.
    fn spoken(&self, skipped: usize) -> Vec<Spoken> {
        let mut rest = self.text.as_str();
        let line = |mark: &Mark| {
            let (text, more) = rest.split_at(mark.bytes);
            rest = more;
            Spoken { at: mark.at, stream: mark.stream, text: text.to_owned() }
        };
        let mut lines: Vec<Spoken> = self.lines.iter().map(line).collect();
        lines.drain(..skipped.min(lines.len()));
        lines.sort_by_key(|line| line.at);
        lines
    }
}

impl Recorder {
    /// For the next process of a player.
    #[must_use]
    pub fn new(player: &str, process: usize, recording: &Recording) -> Self {
        let whole = recording.all || !recording.patterns.is_empty();
        let most = if whole { KEPT_FOR_LOG } else { KEPT };
        let kept = Mutex::new(Tail::default());
        let before = Mutex::new(Before::default());
        Self { player: player.to_owned(), process, live: recording.live.clone(), most, kept, before }
    }

    /// The process is ready for its first game. What was said so far is kept for all its games.
    pub fn is_ready(&self) {
        let greeting = {
            let mut tail = self.tail();
            tail.greeting = tail.lines.len();
            tail.spoken(0)
        };
        self.before().greeting = greeting;
    }

    /// What was said in a game that is over, in order of time: since the last call.
    #[must_use]
    pub fn take(&self) -> (Vec<Spoken>, Before) {
        let (lines, cut, apart) = {
            let mut tail = self.tail();
            // Of a greeting that is no longer whole no part stays behind the whole one.
            let apart = tail.greeting == 0 || tail.cut;
            let taken = (tail.spoken(if apart { tail.greeting } else { 0 }), tail.cut, apart);
            tail.clear();
            taken
        };
        let mut before = self.before();
        let greeting = if apart { before.greeting.clone() } else { Vec::new() };
        let this = Before { greeting, games: before.games, cut, until: Some(Instant::now()) };
        before.games += 1;
        (lines, this)
    }

    /// Passes over what was said in a game that is over.
    pub fn forget(&self) {
        self.tail().clear();
        self.before().games += 1;
    }

    fn before(&self) -> MutexGuard<'_, Before> {
        self.before.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tail(&self) -> MutexGuard<'_, Tail> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Listener for Recorder {
    fn line(&self, at: Instant, stream: Stream, text: &str) {
        if let Some(live) = &self.live {
            live(&self.player, self.process, &Spoken { at, stream, text: text.to_owned() });
        }
        self.tail().add(at, stream, text, self.most);
    }
}

/// The conversations of a game, White's and Black's.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Conversation {
    /// Their lines, each in order of time.
    pub sides: [Vec<Spoken>; 2],
    /// What was before them.
    pub before: [Before; 2],
}

impl Conversation {
    /// With the two processes that have just played.
    #[must_use]
    pub fn with(white: &Recorder, black: &Recorder) -> Self {
        let ((white, before_white), (black, before_black)) = (white.take(), black.take());
        Self { sides: [white, black], before: [before_white, before_black] }
    }
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
                        last = Some(beginning(&line.text).to_owned());
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
        let both = Conversation { sides: [white, black], ..Conversation::default() };
        assert_eq!(both.text(["A", "B"], None), "0.000 A< go\n0.020 B! oops\n0.030 A> bestmove e2e4\n");
        assert_eq!(both.text(["A", "B"], Some(1)), "0.000 B! oops\n");
    }

    #[test]
    fn only_so_much_is_kept() {
        let recorder = Recorder::new("A", 0, &Recording::default());
        let line = |number: usize| format!("{number:01000}");
        (0..3000).for_each(|number| recorder.line(Instant::now(), Stream::Output, &line(number)));
        recorder.line(Instant::now(), Stream::Output, "the last");
        let (kept, before) = recorder.take();
        assert!((900..1300).contains(&kept.len()), "{}", kept.len());
        assert_eq!(kept.last().map(|line| line.text.as_str()), Some("the last"));
        assert_eq!(kept[kept.len() - 2].text, line(2999));
        assert!(before.cut && kept.iter().rev().skip(1).rev().all(|kept| kept.text.len() == 1000));
        let (rest, before) = recorder.take();
        assert!(rest.is_empty() && !before.cut);
    }

    /// Talk goes before questions and answers do. A greeting that is not whole any more stands before the lines, and
    /// no part of it among them, whichever game it is.
    #[test]
    fn questions_and_answers_are_kept_longest() {
        for (turns, words) in [(10, 1), (40, 10_000)] {
            let recorder = Recorder::new("A", 0, &Recording::default());
            let say = |stream, text: &str| recorder.line(Instant::now(), stream, text);
            let greeting =
                [(Stream::Sent, "uci"), (Stream::Output, "option name X"), (Stream::Output, "uciok")];
            greeting.iter().for_each(|(stream, text)| say(*stream, text));
            recorder.is_ready();
            for game in 0..2 {
                for turn in 0..turns {
                    say(Stream::Sent, &format!("position {turn}{}", " e2e4".repeat(words)));
                    say(Stream::Sent, "go");
                    (0..3000).for_each(|_| say(Stream::Output, &"info depth 1 ".repeat(8)));
                    say(Stream::Output, "bestmove e2e4");
                }
                let (lines, before) = recorder.take();
                let told = |lines: &[Spoken]| -> Vec<(Stream, String)> {
                    lines.iter().map(|line| (line.stream, line.text.clone())).collect()
                };
                let whole: Vec<_> = greeting.map(|(stream, text)| (stream, text.to_owned())).into();
                assert_eq!((told(&before.greeting), before.cut, before.games), (whole, true, game));
                let asked = lines.iter().filter(|line| line.text == "go").count();
                let answered = lines.iter().filter(|line| line.text.starts_with("bestmove")).count();
                let greeted = lines.iter().filter(|line| line.text.starts_with("uci")).count();
                assert_eq!((words > 1, greeted), (asked < turns, 0), "{asked} of {turns}");
                assert!(asked <= answered && answered <= asked + 1 && asked > 0, "{asked} {answered}");
                let bytes: usize = lines.iter().map(|line| line.text.len()).sum();
                assert!(bytes < KEPT + KEPT / 4, "{bytes}");
            }
        }
    }

    /// A process that plays its second game was greeted before the first.
    #[test]
    fn the_greeting_is_kept_for_later_games() {
        let recorder = Recorder::new("A", 0, &Recording::default());
        let say = |text| recorder.line(Instant::now(), Stream::Sent, text);
        say("uci");
        recorder.is_ready();
        say("ucinewgame");
        let texts = |lines: &[Spoken]| lines.iter().map(|line| line.text.clone()).collect::<Vec<_>>();
        let (lines, before) = recorder.take();
        assert_eq!((texts(&lines), before.greeting.len()), (vec!["uci".into(), "ucinewgame".into()], 0));
        say("position startpos");
        let (lines, before) = recorder.take();
        assert_eq!(texts(&lines), ["position startpos"]);
        assert_eq!((texts(&before.greeting), before.games), (vec!["uci".into()], 1));
    }

    /// The line belongs to the move that came after it, whichever side began and however long the opening was.
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
        let conversation = Conversation { sides: [white, black], ..Conversation::default() };
        conversation.annotate(&mut record, &[Regex::new("^info.*string").unwrap()]);
        let lines: Vec<Option<&str>> =
            record.moves.iter().map(|mv| mv.said.as_ref().and_then(|said| said.line.as_deref())).collect();
        assert_eq!(lines, [None, Some("info string b"), Some("info string c"), None]);
    }
}
