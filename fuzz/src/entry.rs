//! What the fuzzers feed, and what a stable test feeds with the committed corpora: bytes in, no panic out.
//!
//! A session gets the bytes as lines, with a brain behind it that answers every search at once, or when it is told to
//! stop. Beside not panicking, a session must end its searches, print whole lines, and own up to one move a search.
#![allow(dead_code, reason = "each fuzz target uses one of these")]

use chess::{Move, Position};
use protocol::brain::{Brain, Chore, Task};
use protocol::option::{OptionSpec, Value};
use protocol::session::{Dialect, Identity, Input, Session};
use std::sync::Arc;
use std::time::{Duration, Instant};
use thinking::report::{Bound, Info, Observer, Verdict};

/// A UCI session.
pub fn uci(data: &[u8]) {
    session(Dialect::Uci, data);
}

/// An xboard session.
pub fn xboard(data: &[u8]) {
    session(Dialect::Xboard, data);
}

/// A position: what is read is written and read back the same, and has the moves it says it has.
pub fn fen(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(position) = Position::from_fen(text) else { return };
    let again = Position::from_fen(&position.shredder_fen()).expect("what was written is read");
    assert_eq!(position.key(), again.key());
    for mv in position.legal_moves() {
        assert_eq!(position.parse_uci(&position.uci(mv)), Ok(mv));
        assert_eq!(position.parse_san(&position.san(mv)), Ok(mv));
    }
}

/// A line of a test suite.
pub fn epd(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    // Refused or read, both are well.
    let _ = text.parse::<chess::epd::Epd>();
}

/// Lines of an engine, as the client that plays against it reads them: thinking in both protocols, and UCI's replies. A
/// score beyond all mates would win or lose games that a tournament adjudicates.
pub fn engine(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let mut info = client::Info::default();
    for line in text.split('\n') {
        info.read_uci(line.strip_prefix("info").unwrap_or(line));
        info.read_xboard(line);
        if let Some(score) = info.score {
            assert!((-100_000..100_000).contains(&score.centipawns()), "{score:?} in {line}");
        }
        // Read or refused, both are well; what is read can be written.
        if let Ok(reply) = line.parse::<protocol::uci::reply::Reply>() {
            let _ = reply.to_string();
        }
        if let Ok(reply) = line.parse::<protocol::xboard::reply::Reply>() {
            let _ = reply.to_string();
        }
    }
}

fn session(dialect: Dialect, data: &[u8]) {
    let identity = Identity { name: "Fuzzed 1".into(), author: "nobody".into(), build: "none".into() };
    let (mut output, mut brain) = (Vec::new(), Quick::default());
    let mut session = Session::new(identity, Some(dialect), &mut output, &mut brain);
    for line in String::from_utf8_lossy(data).split('\n') {
        // Counting leaves may take for ever, which is no fault; files are not a fuzzer's to write.
        let lower = line.to_lowercase();
        if lower.contains("perft") || lower.contains("log") {
            continue;
        }
        if session.input(Input::Line(line.into())).is_break() || session.pump().is_break() {
            break;
        }
    }
    drop(session);
    assert!(brain.waiting.is_none(), "a search was left behind");
    assert!(output.is_empty() || output.ends_with(b"\n"), "a partial line");
    let text = String::from_utf8(output).expect("text");
    let moves =
        text.lines().filter(|line| line.starts_with("move ") || line.starts_with("bestmove ")).count();
    let none = text.lines().filter(|line| line.starts_with("bestmove (none)")).count();
    assert!(moves - none <= brain.searches, "{moves} moves of {} searches", brain.searches);
}

/// A brain that knows its move at once.
#[derive(Default)]
struct Quick {
    searches: usize,
    waiting: Option<(Arc<dyn Observer>, Verdict)>,
}

impl Brain for Quick {
    fn go(&mut self, task: Task, observer: Arc<dyn Observer>) {
        assert!(self.waiting.is_none(), "a search beside another");
        self.searches += 1;
        let best = task.game.position().legal_moves()[0];
        let info = Info {
            depth: 1,
            seldepth: 1,
            multipv: 1,
            score: 1,
            bound: Bound::Exact,
            nodes: 1,
            time: Duration::ZERO,
            hashfull: 0,
            tbhits: 0,
            pv: vec![best],
        };
        observer.info(&info);
        let verdict = Verdict { best: Some(best), info: Some(info), ..Verdict::default() };
        if task.limits.infinite || task.limits.ponder {
            self.waiting = Some((observer, verdict));
        } else {
            observer.verdict(&verdict);
        }
    }

    fn stop(&mut self) {
        self.waiting.take().into_iter().for_each(|(observer, verdict)| observer.verdict(&verdict));
    }

    fn ponderhit(&mut self, _: Instant) {
        self.stop();
    }

    fn nodes(&self) -> u64 {
        1
    }

    fn new_game(&mut self) {}

    fn set_threads(&mut self, _: usize) -> Result<usize, String> {
        Ok(1)
    }

    fn searching_threads(&self, _: bool) -> usize {
        1
    }

    fn set_hash(&mut self, _: usize) -> Result<(), String> {
        Err("no table".into())
    }

    fn clear_hash(&mut self) {}

    fn options(&self) -> Vec<OptionSpec> {
        vec![OptionSpec::combo("Scheme", &["lazy", "ybw"]), OptionSpec::text("SyzygyPath", "")]
    }

    fn set_option(&mut self, _: &str, _: &Value) -> Result<(), String> {
        Ok(())
    }

    fn book(&self, position: &Position) -> Vec<(Move, u32)> {
        position.legal_moves().into_iter().map(|mv| (mv, 1)).collect()
    }

    fn evaluate(&self, _: &Position) -> String {
        "0".into()
    }

    fn bench(&self) -> Chore {
        Box::new(|_| ())
    }
}
