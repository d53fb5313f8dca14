//! Transcripts: what a client sends, what the brain is asked, what is answered, in one text and in order.
//!
//! A script's lines beginning with `>` go to the session (behind `>>` the next one comes before the session has
//! heard what its search says to this one) and those with `!` make the scripted brain speak;
//! everything else is what must come of it: `<` for an answer, `=` for a call of the brain. The whole text
//! must come out as written, so that nothing unexpected hides. Nothing here waits. A timed search must count
//! its time from before whatever else its command has the brain do.
#![allow(dead_code, reason = "each test file uses its part")]

use chess::{Game, Move, Position};
use protocol::brain::{Brain, Chore, Task};
use protocol::option::{OptionSpec, Value};
use protocol::session::{Dialect, ExitReason, Identity, Input, Session};
use std::io::Write;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use thinking::report::{Bound, Info, Limits, Observer, Verdict};
use thinking::score::{MATE, Score};

/// What the brain and the output write into, in order.
#[derive(Clone, Default)]
pub struct Transcript(Arc<Mutex<String>>);

impl Transcript {
    fn note(&self, line: &str) {
        let mut text = self.0.lock().unwrap();
        text.push_str(line.trim_end());
        text.push('\n');
    }

    /// Everything so far.
    pub fn text(&self) -> String {
        self.0.lock().unwrap().clone()
    }
}

/// Puts a `<` before every line; the time in `stat01` does not matter.
impl Write for Transcript {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let text = std::str::from_utf8(bytes).expect("the session writes whole lines of text");
        assert!(text.ends_with('\n'), "a partial line: {text:?}");
        for line in text[..text.len() - 1].split('\n') {
            match line.strip_prefix("stat01: ") {
                Some(status) => {
                    let (_, rest) = status.split_once(' ').unwrap();
                    self.note(&format!("< stat01: T {rest}"));
                }
                None => self.note(&format!("< {line}")),
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// The search the scripted brain has been asked for.
struct Running {
    game: Game,
    observer: Arc<dyn Observer>,
    last: Option<Info>,
}

/// The brain's side of a script.
#[derive(Clone, Default)]
pub struct Script {
    transcript: Transcript,
    running: Arc<Mutex<Option<Running>>>,
    times: Arc<Mutex<Times>>,
    /// As many threads as it was last told, 0 before.
    threads: Arc<AtomicUsize>,
    /// One thread searches for a weak player.
    weak: Arc<AtomicBool>,
}

/// When the present command first had the brain do something other than search, and since when a timed search
/// that it began counts its time.
#[derive(Default)]
struct Times {
    called: Option<Instant>,
    since: Option<Instant>,
}

/// A brain that says what the script says, and a verdict when it is told to stop.
pub struct ScriptedBrain(pub Script);

impl Script {
    /// Obeys what follows a `!`: `line DEPTH SCORE MOVES`, `low`/`high` for bounds, `line:N` for rank N,
    /// `root DEPTH MOVE INDEX TOTAL`, `done [MOVE [MOVE]]`, `die`. A score may be `mate N` or `mated N` in
    /// plies as `#N`, `-#N`. `remark TEXT` for people.
    pub fn speak(&self, text: &str) {
        let words: Vec<&str> = text.split_whitespace().collect();
        let (kind, rank) = words[0].split_once(':').unwrap_or((words[0], "1"));
        let mut running = self.running();
        let search = running.as_mut().unwrap_or_else(|| panic!("no search runs: {text}"));
        match kind {
            "line" | "low" | "high" => {
                let (depth, score) = (words[1].parse().unwrap(), read_score(words[2]));
                let pv = moves(search.game.position(), &words[3..]);
                let bound = match kind {
                    "low" => Bound::Upper,
                    "high" => Bound::Lower,
                    _ => Bound::Exact,
                };
                let info = Info {
                    depth,
                    seldepth: depth + 2,
                    multipv: rank.parse().unwrap(),
                    score,
                    bound,
                    nodes: 1000,
                    time: Duration::from_millis(500),
                    hashfull: 7,
                    tbhits: 0,
                    pv,
                };
                search.observer.info(&info);
                search.last = Some(info);
            }
            "root" => {
                let current = moves(search.game.position(), &words[2..3])[0];
                let (index, total) = (words[3].parse().unwrap(), words[4].parse().unwrap());
                search.observer.root_move(words[1].parse().unwrap(), current, index, total);
            }
            "done" => {
                let told = moves(search.game.position(), &words[1..]);
                let mut verdict = search.verdict();
                if !told.is_empty() {
                    verdict.best = Some(told[0]);
                    verdict.ponder = told.get(1).copied();
                }
                let search = running.take().unwrap();
                search.observer.verdict(&verdict);
            }
            "remark" => search.observer.remark(&words[1..].join(" ")),
            "die" => *running = None,
            _ => panic!("the brain cannot {text}"),
        }
    }

    /// The search, even if a failing test left the lock behind.
    fn running(&self) -> MutexGuard<'_, Option<Running>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The times of the present command, even if a failing test left the lock behind.
    fn times(&self) -> MutexGuard<'_, Times> {
        self.times.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The brain is asked for something other than a search.
    fn note_call(&self) {
        self.times().called.get_or_insert_with(Instant::now);
    }

    /// A command has been obeyed: its search counts the time of all that it did before.
    #[track_caller]
    fn check_times(&self, command: &str) {
        let times = std::mem::take(&mut *self.times());
        if let Times { called: Some(called), since: Some(since) } = times {
            assert!(since <= called, "{command}: its search leaves {:?} out", since - called);
        }
    }

    /// Since when the last timed search counts its time.
    pub fn since(&self) -> Option<Instant> {
        self.times().since
    }

    /// Where sessions print to.
    pub fn output(&self) -> Transcript {
        self.transcript.clone()
    }

    /// Does a search run?
    pub fn busy(&self) -> bool {
        self.running().is_some()
    }

    /// Reports a line of one of the legal moves, if a search runs.
    pub fn report_any(&self, which: usize, score: Score) {
        let Some((mv, rank)) = self.running().as_ref().map(|search| {
            let moves = search.game.position().legal_moves();
            (moves[which % moves.len()].to_string(), 1 + which / 100)
        }) else {
            return;
        };
        self.speak(&format!("line:{rank} {} {score} {mv}", which % 30));
    }

    /// The search ends without a word, if one runs.
    pub fn die(&self) {
        *self.running() = None;
    }

    /// Makes a search end as if stopped, if one runs.
    pub fn finish(&self) {
        if let Some(search) = self.running().take() {
            search.observer.verdict(&search.verdict());
        }
    }
}

impl Running {
    /// The last line's move, or the first in the alphabet.
    fn verdict(&self) -> Verdict {
        let first = self.game.position().legal_moves().into_iter().min_by_key(|mv| mv.to_string());
        let best = self.last.as_ref().map(|info| info.pv[0]).or(first);
        let ponder = self.last.as_ref().and_then(|info| info.pv.get(1).copied());
        Verdict { best, ponder, info: self.last.clone(), ..Verdict::default() }
    }
}

/// Moves in coordinates, played one after the other as long as they are legal.
fn moves(position: &Position, words: &[&str]) -> Vec<Move> {
    let mut position = position.clone();
    let mut moves = Vec::new();
    for word in words {
        let mv = position.parse_uci(word).unwrap_or_else(|error| panic!("script: {error}"));
        moves.push(mv);
        position = position.after(mv);
    }
    moves
}

fn read_score(text: &str) -> Score {
    match (text.strip_prefix('#'), text.strip_prefix("-#")) {
        (Some(plies), _) => MATE - plies.parse::<Score>().unwrap(),
        (_, Some(plies)) => plies.parse::<Score>().unwrap() - MATE,
        _ => text.parse().unwrap(),
    }
}

/// Limits as words. A ponder search's clock has run by itself, so it is left out.
fn describe(task: &Task) -> String {
    let Limits {
        depth,
        depth_unknown,
        nodes,
        nodes_once_answered,
        mate,
        movetime,
        clock,
        time_in_nodes,
        clock_of_nodes,
        infinite,
        ponder,
        search_moves,
        overhead,
        exact,
        since,
    } = &task.limits;
    assert!(!depth_unknown, "no client measures schemes");
    assert!(!exact, "no client asks for the comparison of schemes");
    assert!(nodes_once_answered.is_none(), "whether it is weak is the brain's concern");
    assert!(since.is_some(), "time counts from the command on");
    let mut text = String::from("go");
    let mut add = |word: String| {
        text.push(' ');
        text.push_str(&word);
    };
    depth.iter().for_each(|depth| add(format!("depth={depth}")));
    nodes.iter().chain(time_in_nodes).for_each(|nodes| add(format!("nodes={nodes}")));
    if *clock_of_nodes {
        add("of the clock".into());
    }
    mate.iter().for_each(|mate| add(format!("mate={mate}")));
    movetime.iter().for_each(|time| add(format!("movetime={time:?}")));
    for clock in clock.iter().filter(|_| !ponder) {
        add(format!("clock={:?}+{:?}", clock.remaining, clock.increment));
        clock.moves_to_go.iter().for_each(|moves| add(format!("togo={moves}")));
    }
    // 10 ms unless told otherwise, and 5 more where clocks come rounded.
    if ![10, 15].contains(&overhead.as_millis()) {
        add(format!("overhead={overhead:?}"));
    }
    assert!(task.analysis || !infinite, "an endless search is an analysis");
    if *infinite {
        add("infinite".into());
    } else if task.analysis {
        add("analysis".into());
    }
    if *ponder {
        add("ponder".into());
    }
    if task.multipv != 1 {
        add(format!("multipv={}", task.multipv));
    }
    if !search_moves.is_empty() {
        add(format!("searchmoves={}", search_moves.len()));
    }
    let played: Vec<String> = task.game.moves().iter().map(|mv| mv.to_string()).collect();
    if played.is_empty() {
        add(format!("at {}", task.game.position().fen()));
    } else {
        add(format!("after {}", played.join(" ")));
    }
    text
}

impl Brain for ScriptedBrain {
    fn go(&mut self, task: Task, observer: Arc<dyn Observer>) {
        self.0.transcript.note(&format!("= {}", describe(&task)));
        let mut running = self.0.running();
        assert!(running.is_none(), "a search was begun beside another");
        if !task.limits.infinite && !task.limits.ponder {
            self.0.times().since = task.limits.since;
        }
        *running = Some(Running { game: task.game, observer, last: None });
    }

    fn stop(&mut self) {
        self.0.note_call();
        self.0.transcript.note("= stop");
        self.0.finish();
    }

    fn ponderhit(&mut self, at: Instant) {
        self.0.times().since = Some(at);
        self.0.transcript.note("= ponderhit");
    }

    fn nodes(&self) -> u64 {
        4321
    }

    fn new_game(&mut self) {
        self.alone("new game");
    }

    /// It chooses three.
    fn set_threads(&mut self, threads: usize) -> Result<usize, String> {
        self.alone(&format!("threads {threads}"));
        let used = if threads == 0 { 3 } else { threads };
        self.0.threads.store(used, Relaxed);
        Ok(used)
    }

    fn searching_threads(&self, analysis: bool) -> usize {
        let weak = self.0.weak.load(Relaxed) && !analysis;
        if weak { 1 } else { self.0.threads.load(Relaxed).max(1) }
    }

    fn set_hash(&mut self, mib: usize) -> Result<(), String> {
        self.alone(&format!("hash {mib}"));
        if mib > 100_000 { Err("no memory for the table".into()) } else { Ok(()) }
    }

    fn clear_hash(&mut self) {
        self.alone("clear hash");
    }

    fn options(&self) -> Vec<OptionSpec> {
        vec![
            OptionSpec::combo("Scheme", &["lazy", "ybw"]),
            OptionSpec::text("SyzygyPath", ""),
            OptionSpec::check("UCI_LimitStrength", false),
        ]
    }

    fn set_option(&mut self, name: &str, value: &Value) -> Result<(), String> {
        self.alone(&format!("option {name} = {value}"));
        match (name, value) {
            ("UCI_LimitStrength", &Value::Check(on)) => self.0.weak.store(on, Relaxed),
            ("SyzygyPath", Value::Text(path)) if path == "/none" => return Err("no such folder".into()),
            _ => {}
        }
        Ok(())
    }

    fn book(&self, position: &Position) -> Vec<(Move, u32)> {
        // The scripted book knows the start position alone.
        let known = |text, weight| Some((position.parse_uci(text).ok()?, weight));
        let start = *position == Position::startpos();
        if start { [known("d2d4", 1), known("e2e4", 3)].into_iter().flatten().collect() } else { Vec::new() }
    }

    fn evaluate(&self, _: &Position) -> String {
        "Evaluation: 12\nMaterial: 12".into()
    }

    fn bench(&self) -> Chore {
        Box::new(|print| {
            print("position 1".into());
            print("77 nodes 7 nps".into());
        })
    }
}

impl ScriptedBrain {
    /// Calls that must never come while a search runs.
    fn alone(&self, call: &str) {
        self.0.note_call();
        self.0.transcript.note(&format!("= {call}"));
        assert!(self.0.running().is_none(), "{call} beside a search");
    }
}

/// Who the sessions say they are.
pub fn identity() -> Identity {
    Identity { name: "Firstborn 0.1".into(), author: "The authors".into(), build: "rustc 1.95".into() }
}

/// Plays a script; what comes of it must be the script. Returns why the session ended, if it did.
#[track_caller]
pub fn play(dialect: Option<Dialect>, script: &str) -> Option<ExitReason> {
    let script: Vec<&str> = script.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let shared = Script::default();
    let mut brain = ScriptedBrain(shared.clone());
    let mut output = shared.transcript.clone();
    let mut session = Session::new(identity(), dialect, &mut output, &mut brain);
    let mut ended = None;
    for line in &script {
        if line.starts_with(['>', '!']) {
            assert!(ended.is_none(), "the session ended before {line}");
        }
        let burst = line.starts_with(">>");
        let flow = if let Some(sent) = line.strip_prefix(">>").or(line.strip_prefix('>')) {
            shared.transcript.note(line);
            let sent = sent.strip_prefix(' ').unwrap_or(sent);
            let input = if sent == "EOF" { Input::End } else { Input::Line(sent.into()) };
            *shared.times() = Times::default();
            let flow = session.input(input);
            shared.check_times(line);
            flow
        } else if let Some(told) = line.strip_prefix('!') {
            shared.transcript.note(line);
            shared.speak(told);
            ControlFlow::Continue(())
        } else {
            continue;
        };
        let flow = if flow.is_continue() && !burst { session.pump() } else { flow };
        ended = flow.break_value();
    }
    // What happened is the test's concern, not how the session tidies up after it.
    let happened = shared.transcript.text();
    drop(session);
    let expected = script.join("\n") + "\n";
    assert!(happened == expected, "happened:\n{happened}\nexpected:\n{expected}");
    ended
}

/// A script after `xboard` and `protover 2`, whose answers are another test's concern.
#[track_caller]
pub fn xboard(script: &str) -> Option<ExitReason> {
    play(Some(Dialect::Xboard), script)
}

/// A UCI script.
#[track_caller]
pub fn uci(script: &str) -> Option<ExitReason> {
    play(Some(Dialect::Uci), script)
}
