//! Kits: all that is needed to run a program into the fault by which it lost a game.
//!
//! A kit is a file of JSON beside the log of the game. It says how the program was started, under which
//! settings and in which position it failed, and every line that it was sent and wrote, with times.
//! [`replay`] starts the program and sends it the same lines again.

pub mod replay;

use std::path::{Path, PathBuf};
use std::time::Instant;

use chess::{Game, Position};
use client::{Protocol, Stream, is_answer};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::conversation::{Conversation, Spoken};
use crate::identity::path_as_text;
use crate::program::locate;
use crate::record::{Ending, GameRecord, Score};
use crate::spec::Player;

/// The version of the format.
const VERSION: u32 = 1;

/// What is kept of a game that was lost by a fault of a program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Kit {
    /// The version of the format.
    pub firstborn_kit: u32,
    /// The game's number, from 1.
    pub game: usize,
    /// The player that failed.
    pub player: String,
    /// Its opponent.
    pub opponent: String,
    /// Whether it played White.
    pub white: bool,
    /// The result.
    pub result: Score,
    /// How the game ended, in a word.
    pub ending: Ending,
    /// How it ended, in a sentence.
    pub reason: String,
    /// What the player said where that was no move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// Milliseconds by which it overstepped its time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub late_ms: Option<u64>,
    /// How it is started.
    pub start: Start,
    /// Its settings, as in a journal.
    pub settings: Value,
    /// Where the game began; the usual position if none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub begin: Option<String>,
    /// The moves that were played, in coordinates.
    pub moves: Vec<String>,
    /// The position in which it failed.
    pub position: String,
    /// Games that the process had played before this one, which are not in the kit.
    pub earlier_games: usize,
    /// Whether something of the game is missing, because too much was said: from its beginning on what the
    /// program said beside its answers, and the beginning itself where that was not enough.
    pub cut: bool,
    /// Milliseconds from the last line that it was sent to the end of the game.
    pub waited_ms: u64,
    /// The last lines of its standard error.
    pub stderr: Vec<String>,
    /// All that it was sent and wrote: seconds, `<`, `>` or `!`, and the line.
    pub lines: Vec<Line>,
}

/// How a program is started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Start {
    /// The program's file.
    #[serde(serialize_with = "path_as_text")]
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
    /// Its working directory.
    #[serde(serialize_with = "path_as_text")]
    pub dir: PathBuf,
}

/// A line of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Line {
    /// Milliseconds since the first line.
    pub ms: u64,
    /// Who wrote it.
    pub stream: Stream,
    /// The line.
    pub text: String,
}

impl Line {
    /// Is it a line of the program that its client waited for?
    #[must_use]
    pub fn is_answer(&self) -> bool {
        self.stream == Stream::Output && is_answer(&self.text)
    }
}

impl From<Line> for String {
    fn from(line: Line) -> Self {
        let mark = mark_of(line.stream);
        format!("{}.{:03} {mark} {}", line.ms / 1000, line.ms % 1000, line.text)
    }
}

impl TryFrom<String> for Line {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let bad =
            || format!("`{text}` is not a line of a conversation: seconds, `<`, `>` or `!`, and the line");
        let (time, rest) = text.split_once(' ').ok_or_else(bad)?;
        let (seconds, thousandths) = time.split_once('.').filter(|(_, ms)| ms.len() == 3).ok_or_else(bad)?;
        let number = |digits: &str| digits.parse::<u32>().map(u64::from).map_err(|_| bad());
        let (mark, line) = rest.split_once(' ').unwrap_or((rest, ""));
        let stream = [Stream::Sent, Stream::Output, Stream::Error];
        let stream = stream.into_iter().find(|stream| mark_of(*stream) == mark).ok_or_else(bad)?;
        let ms = number(seconds)? * 1000 + number(thousandths)?;
        Ok(Self { ms, stream, text: line.to_owned() })
    }
}

fn mark_of(stream: Stream) -> &'static str {
    match stream {
        Stream::Sent => "<",
        Stream::Output => ">",
        Stream::Error => "!",
    }
}

/// Why a kit cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {why}", path.display())]
pub struct KitError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub why: String,
}

impl Kit {
    /// Of a game that one of its players lost by a fault; `None` for a game without a loser. `names` and
    /// `settings` of White and of Black.
    #[must_use]
    pub fn of(
        game: &GameRecord,
        conversation: &Conversation,
        players: [&Player; 2],
        names: [&str; 2],
        settings: [Value; 2],
    ) -> Option<Self> {
        let side = match game.result {
            Score::White => 1,
            Score::Black => 0,
            Score::Draw => return None,
        };
        let (before, said) = (&conversation.before[side], &conversation.sides[side]);
        let mut lines = Vec::with_capacity(before.greeting.len() + said.len());
        add_lines(&mut lines, &before.greeting);
        if before.cut {
            add_lines(&mut lines, &with_their_questions(said));
        } else {
            add_lines(&mut lines, said);
        }
        let until = before.until.zip(said.iter().rfind(|line| line.stream == Stream::Sent));
        let waited = until.map(|(until, last)| until.saturating_duration_since(last.at).as_millis() as u64);
        let [white, black] = settings;
        Some(Self {
            firstborn_kit: VERSION,
            game: game.id + 1,
            player: names[side].to_owned(),
            opponent: names[1 - side].to_owned(),
            white: side == 0,
            result: game.result,
            ending: game.ending,
            reason: game.reason.clone(),
            answer: game.answer.clone(),
            late_ms: game.late_ms,
            start: Start::of(players[side]),
            settings: if side == 0 { white } else { black },
            begin: game.fen.clone(),
            moves: game.moves.iter().map(|mv| mv.uci.clone()).collect(),
            position: last_position(game),
            earlier_games: before.games,
            cut: before.cut,
            waited_ms: waited.unwrap_or_default(),
            stderr: game.stderr.clone(),
            lines: last_process(
                lines,
                players[side].engine.init_lines.len(),
                has_answered(game.ending, &game.reason),
            ),
        })
    }

    /// Reads a kit.
    ///
    /// # Errors
    /// The file cannot be read, or is no kit.
    pub fn read(path: &Path) -> Result<Self, KitError> {
        let error = |why: String| KitError { path: path.to_owned(), why };
        let text = std::fs::read_to_string(path).map_err(|why| error(why.to_string()))?;
        let value: Value = serde_json::from_str(&text)
            .map_err(|why| error(format!("is not a kit, but no JSON at all: {why}")))?;
        match value.get("firstborn_kit").and_then(Value::as_u64) {
            Some(version) if version == u64::from(VERSION) => {}
            Some(version) => {
                return Err(error(format!("is a kit of format {version}; this program reads {VERSION}")));
            }
            None => return Err(error("is not a kit: it has no `firstborn_kit`".to_owned())),
        }
        serde_json::from_value(value).map_err(|why| error(format!("is a kit with a fault: {why}")))
    }

    /// As it is written into a file.
    ///
    /// # Errors
    /// A path of it is not text, and JSON has no other.
    pub fn text(&self) -> Result<String, serde_json::Error> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }

    /// The protocol that was spoken, by the greeting that was sent.
    #[must_use]
    pub fn protocol(&self) -> Option<Protocol> {
        let mut sent = self.lines.iter().filter(|line| line.stream == Stream::Sent);
        sent.find_map(|line| match line.text.as_str() {
            "uci" => Some(Protocol::Uci),
            "xboard" => Some(Protocol::Xboard),
            _ => None,
        })
    }
}

impl Start {
    /// How a player's program is started, whatever the directory of the one who starts it.
    fn of(player: &Player) -> Self {
        let engine = &player.engine;
        let program = locate(engine).unwrap_or_else(|_| engine.program());
        let absolute = |path: PathBuf| std::path::absolute(&path).unwrap_or(path);
        let dir = engine.dir.clone().unwrap_or_else(|| PathBuf::from("."));
        Self { program: absolute(program), args: engine.args.clone(), dir: absolute(dir) }
    }

    /// Its working directory, if that is still there; without it the program is started in the current folder.
    #[must_use]
    pub fn folder(&self) -> Option<&Path> {
        Some(self.dir.as_path()).filter(|dir| dir.is_dir())
    }
}

/// Adds what was said, its first line at the time of the last one that is there.
fn add_lines(lines: &mut Vec<Line>, said: &[Spoken]) {
    let Some(first) = said.first().map(|line| line.at) else { return };
    let base = lines.last().map_or(0, |line| line.ms);
    let ms = |at: Instant| base + at.saturating_duration_since(first).as_millis() as u64;
    lines.extend(said.iter().map(|line| Line {
        ms: ms(line.at),
        stream: line.stream,
        text: line.text.clone(),
    }));
}

/// What can be asked again where the beginning was not kept. In UCI every search has its position, so a game can be
/// begun at any of them: neither a search that has lost its position nor an answer to what is gone stays. (What
/// xboard engines are sent is short: none of it is ever gone.)
fn with_their_questions(said: &[Spoken]) -> Vec<Spoken> {
    let word = |line: &Spoken| line.text.split_whitespace().next().unwrap_or_default().to_owned();
    let places = |line: &Spoken| line.stream == Stream::Sent && word(line) == "position";
    let mut placed = !said.iter().any(places);
    let (mut pings, mut searches) = (0_usize, 0_usize);
    let answers = |open: &mut usize| {
        let was_open = *open > 0;
        *open -= usize::from(was_open);
        was_open
    };
    let mut stays = |line: &&Spoken| {
        match (line.stream, word(line).as_str()) {
            (Stream::Sent, "position") => placed = true,
            (Stream::Sent, "isready") => pings += 1,
            (Stream::Sent, "go" | "stop" | "ponderhit") if !placed => return false,
            (Stream::Sent, "go") => searches += 1,
            (Stream::Output, "readyok") => return answers(&mut pings),
            (Stream::Output, "bestmove") => return answers(&mut searches),
            _ => {}
        }
        true
    };
    said.iter().filter(|line| stays(line)).cloned().collect()
}

/// The lines of the process that failed. One that was started to find out the protocol, or that hung at its
/// start, was another. It is greeted behind the lines of `initstr=`, of which there are so many. What was sent after an
/// answer that lost the game is left out.
fn last_process(mut lines: Vec<Line>, initial: usize, answered: bool) -> Vec<Line> {
    let greets = |line: &Line| line.stream == Stream::Sent && matches!(line.text.as_str(), "uci" | "xboard");
    if let Some(greeting) = lines.iter().rposition(greets) {
        let sent = (0..greeting).rev().filter(|&at| lines[at].stream == Stream::Sent);
        let start = sent.take(initial).last().unwrap_or(greeting);
        lines.drain(..start);
    }
    if answered {
        let last = lines.iter().rposition(Line::is_answer).unwrap_or(lines.len());
        let mut number = 0..;
        lines.retain(|line| number.next() <= Some(last) || line.stream != Stream::Sent);
    }
    let begin = lines.first().map_or(0, |line| line.ms);
    lines.iter_mut().for_each(|line| line.ms -= begin);
    lines
}

/// What the runner says of a program that does not answer.
pub(crate) const NO_ANSWER: &str = "no answer to";

/// Did the player lose the game by an answer, and not by giving none?
fn has_answered(ending: Ending, reason: &str) -> bool {
    match ending {
        Ending::IllegalMove | Ending::FalseClaim | Ending::RefusedMove => true,
        Ending::TimeForfeit => !reason.contains(NO_ANSWER),
        _ => false,
    }
}

/// The position after the last move.
fn last_position(game: &GameRecord) -> String {
    let start =
        game.fen.as_deref().and_then(|fen| Position::from_fen(fen).ok()).unwrap_or_else(Position::startpos);
    let mut played = Game::new(start);
    for mv in &game.moves {
        let Ok(mv) = played.position().parse_uci(&mv.uci) else { break };
        if played.play(mv).is_err() {
            break;
        }
    }
    played.position().fen()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is left of a game behind a gap can be sent again: nothing waits for an answer to what is gone.
    #[test]
    fn a_gap_leaves_no_answer_without_its_question() {
        let at = Instant::now();
        let said = |texts: &[&str]| -> Vec<Spoken> {
            let line = |text: &&str| {
                let line = Line::try_from(format!("0.000 {text}")).expect("a line");
                Spoken { at, stream: line.stream, text: line.text }
            };
            texts.iter().map(line).collect()
        };
        let whole = ["< isready", "< position startpos", "< go", "> readyok", "> info a", "> bestmove e2e4"];
        assert_eq!(with_their_questions(&said(&whole)), said(&whole));
        let xboard = ["> 1 20 0 30 x", "> move e2e4", "< usermove e7e5", "< go", "> move d2d4"];
        assert_eq!(with_their_questions(&said(&xboard)), said(&xboard));
        // The lines of a turn in which the gap may end, and what stays of them.
        let turn = ["< position startpos", "< go ponder", "> readyok", "< ponderhit", "> bestmove a2a3"];
        for (gone, stays) in [(0, [0, 1, 3, 4].as_slice()), (1, &[]), (2, &[]), (3, &[]), (4, &[])] {
            let kept = [&turn[gone..], &whole].concat();
            let expected = [stays.iter().map(|&at| turn[at]).collect(), whole.to_vec()].concat();
            assert_eq!(with_their_questions(&said(&kept)), said(&expected), "{gone}");
        }
    }

    /// A folder that has gone is none to start a program in, and what is no folder is none either.
    #[test]
    fn a_folder_that_has_gone_is_known_to_be_gone() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("file");
        std::fs::write(&file, "").expect("it can be written");
        let of = |dir: &Path| Start { program: "x".into(), args: Vec::new(), dir: dir.to_owned() };
        assert_eq!(of(folder.path()).folder(), Some(folder.path()));
        for gone in [&file, &folder.path().join("gone")] {
            assert_eq!(of(gone).folder(), None);
        }
    }

    /// The lines of `initstr=` stand before the greeting and belong to the process that it greets.
    #[test]
    fn what_is_sent_before_the_greeting_is_kept() {
        let lines = |texts: &[&str]| -> Vec<Line> {
            texts.iter().map(|text| Line::try_from(format!("0.000 {text}")).expect("a line")).collect()
        };
        let first = ["< setoption name X value 1", "< uci", "> id name A"];
        let second = ["< setoption name X value 1", "! ready", "< uci", "> uciok", "< quit"];
        let both = lines(&[&first[..], &second].concat());
        assert_eq!(last_process(both.clone(), 1, false), lines(&second));
        assert_eq!(last_process(both, 0, false), lines(&second[2..]));
    }
}
