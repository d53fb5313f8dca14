//! Runs a program into a recorded fault: it is sent the lines of a [`Kit`] again.
//!
//! A line is sent when the program has given as many answers as it had when the line was sent to it. Where no
//! new answer came between two lines, such as `go` and `stop`, time passed instead, and passes again; so it
//! does where all that came is `readyok` to an `isready` before the `go`, which says nothing of the search.
//! What the program says of its searches is not compared: it may be different each time.

use std::path::Path;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::{Duration, Instant};

use client::{EngineConfig, Failure, FailureKind, Launcher, NoLine, Process, Stream, is_answer};
use crossbeam::channel;
use serde::Serialize;

use super::{Kit, Line, NO_ANSWER, has_answered};
use crate::record::Ending;
use crate::runner::GroupLauncher;

/// How long a program that closed its output is given to end.
const LAST_BREATH: Duration = Duration::from_millis(500);

/// How a kit is replayed.
#[derive(Debug, Clone)]
pub struct Options {
    /// Another program in place of the one that failed.
    pub command: Option<String>,
    /// Searches that ended with a move are limited by the nodes they took, in place of time.
    pub nodes: bool,
    /// How much longer than it took then an answer may take.
    pub patience: Duration,
}

/// What happened at the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Happened {
    /// The process ended.
    Ended(ExitStatus),
    /// It closed its output and lives on.
    Closed,
    /// It gave no answer for so long.
    Silent(Duration),
    /// It gave this answer after so long.
    Said(String, Duration),
}

/// An answer that was another the second time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// Which answer, from 1.
    pub answer: usize,
    /// What it said in the game.
    pub then: String,
    /// What it says now.
    pub now: String,
}

/// What came of a replay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// How it ended.
    pub happened: Happened,
    /// Whether it is the fault that the kit was made for.
    pub same: bool,
    /// Lines that were sent, of so many.
    pub sent: (usize, usize),
    /// Answers that were others this time.
    pub differences: Vec<Difference>,
}

/// Starts the program and sends it everything again. `hear` is given every line that is sent and comes.
///
/// # Errors
/// The program cannot be started.
pub fn replay(kit: &Kit, options: &Options, hear: &mut dyn FnMut(Stream, &str)) -> Result<Outcome, Failure> {
    let start = &kit.start;
    let command = options.command.clone().unwrap_or_else(|| start.program.display().to_string());
    let config = EngineConfig {
        args: start.args.clone(),
        dir: start.folder().map(Path::to_owned),
        ..EngineConfig::new(command)
    };
    let launcher: Arc<dyn Launcher> = Arc::new(GroupLauncher::default());
    let process = Process::start(&config, launcher, channel::never())?;
    let now = Instant::now();
    let mut again = Again { kit, options, process, hear, answers: Vec::new(), asked: now, last_sent: now };
    Ok(again.run())
}

/// A replay in progress.
struct Again<'a> {
    kit: &'a Kit,
    options: &'a Options,
    process: Process,
    hear: &'a mut dyn FnMut(Stream, &str),
    /// What it has answered, and when.
    answers: Vec<(Instant, String)>,
    /// When it was last sent a line that asks for an answer, and not only hurries it.
    asked: Instant,
    /// When the last line was sent.
    last_sent: Instant,
}

/// A line to send.
struct Step {
    /// Milliseconds since the first line.
    ms: u64,
    text: String,
    /// Answers that came before it.
    answers: usize,
    /// Milliseconds since the line before it, where no answer to that came between them.
    pause: Option<u64>,
}

impl Step {
    /// Does it ask for something, and not only for the end of a search? An engine's time runs from the last
    /// such line before its move.
    fn asks(&self) -> bool {
        !matches!(self.text.as_str(), "stop" | "?")
    }
}

/// The lines to send, with what came between them.
fn steps(lines: &[Line], nodes: bool) -> Vec<Step> {
    let (mut steps, mut answers, mut answered) = (Vec::<Step>::new(), 0, false);
    for (index, line) in lines.iter().enumerate() {
        if line.stream != Stream::Sent {
            if line.is_answer() {
                answers += 1;
                answered |= steps.last().is_none_or(|last| !is_in_passing(&line.text, &last.text));
            }
            continue;
        }
        let text = if nodes { by_nodes(line, &lines[index + 1..]) } else { line.text.clone() };
        let before = steps.last().filter(|_| !answered);
        let pause = before.map(|step| line.ms.saturating_sub(step.ms));
        steps.push(Step { ms: line.ms, text, answers, pause });
        answered = false;
    }
    steps
}

/// Is it the answer to an `isready` or `ping` behind which something else was asked already?
fn is_in_passing(answer: &str, last_sent: &str) -> bool {
    let first =
        |text: &str, words: [&str; 2]| text.split_whitespace().next().is_some_and(|w| words.contains(&w));
    first(answer, ["readyok", "pong"]) && !first(last_sent, ["isready", "ping"])
}

/// A search as one of so many nodes as it took, by the last line about it before its move.
fn by_nodes(line: &Line, after: &[Line]) -> String {
    let own = || line.text.clone();
    if !line.text.starts_with("go") || line.text.contains("ponder") {
        return own();
    }
    let output = after.iter().take_while(|line| line.stream != Stream::Sent || line.text == "stop");
    let mut nodes = None;
    for line in output.filter(|line| line.stream == Stream::Output) {
        if line.text.starts_with("bestmove") {
            return nodes.map_or_else(own, |nodes| format!("go nodes {nodes}"));
        }
        let mut words = line.text.split_whitespace().skip_while(|word| *word != "nodes").skip(1);
        nodes = words.next().and_then(|word| word.parse::<u64>().ok()).or(nodes);
    }
    own()
}

impl Again<'_> {
    fn run(&mut self) -> Outcome {
        let steps = steps(&self.kit.lines, self.options.nodes);
        let total = self.kit.lines.iter().filter(|line| line.is_answer()).count();
        for (index, step) in steps.iter().enumerate() {
            let ended = self.wait_for(step.answers, step.ms).or_else(|| {
                let pause = Duration::from_millis(step.pause.filter(|&ms| ms > 0)?);
                self.listen(self.last_sent + pause, usize::MAX)
            });
            if let Some(happened) = ended {
                let same = !matches!(happened, Happened::Silent(_)) && self.is_same(&happened, 0);
                return self.outcome(happened, same, (index, steps.len()));
            }
            (self.hear)(Stream::Sent, &step.text);
            self.last_sent = self.process.send(&step.text);
            if step.asks() {
                self.asked = self.last_sent;
            }
        }
        let begun = steps.iter().rfind(|step| step.asks()).map_or(0, |step| step.ms);
        let happened = self.last_part(total);
        let same = self.is_same(&happened, begun);
        self.outcome(happened, same, (steps.len(), steps.len()))
    }

    fn outcome(&self, happened: Happened, same: bool, sent: (usize, usize)) -> Outcome {
        let then = self.kit.lines.iter().filter(|line| line.is_answer());
        let pairs = then.zip(self.answers.iter().map(|(_, now)| now)).enumerate();
        let differences = pairs.filter(|(_, (then, now))| essence(&then.text) != essence(now));
        let differences = differences.map(|(index, (then, now))| Difference {
            answer: index + 1,
            then: then.text.clone(),
            now: now.clone(),
        });
        Outcome { happened, same, sent, differences: differences.collect() }
    }

    /// Waits until it has given so many answers. Some way in which it ends ends the replay.
    fn wait_for(&mut self, answers: usize, ms: u64) -> Option<Happened> {
        if self.answers.len() >= answers {
            return None;
        }
        let then =
            self.kit.lines.iter().take_while(|line| line.ms < ms).filter(|line| line.stream == Stream::Sent);
        let took = ms - then.last().map_or(ms, |line| line.ms);
        let begun = self.last_sent;
        self.listen(begun + Duration::from_millis(took) + self.options.patience, answers)
            .or_else(|| (self.answers.len() < answers).then(|| Happened::Silent(begun.elapsed())))
    }

    /// What comes after the last line.
    fn last_part(&mut self, total: usize) -> Happened {
        let begun = self.last_sent;
        let waited = Duration::from_millis(self.kit.waited_ms);
        // What came is waited for; of an answer that did not come it is enough that it does not come again.
        let silent = self.kit.reason.contains(NO_ANSWER);
        let until = begun + waited + if silent { Duration::ZERO } else { self.options.patience };
        let wanted = total + usize::from(!has_answered(self.kit.ending, &self.kit.reason));
        if let Some(ended) = self.listen(until, wanted) {
            return ended;
        }
        match self.answers.get(wanted.saturating_sub(1)) {
            Some((at, answer)) => Happened::Said(answer.clone(), at.saturating_duration_since(self.asked)),
            None => Happened::Silent(begun.elapsed()),
        }
    }

    /// Reads what it writes until a time, or until it has given so many answers.
    fn listen(&mut self, until: Instant, answers: usize) -> Option<Happened> {
        while self.answers.len() < answers {
            match self.process.line(Some(until)) {
                Ok((at, line)) => {
                    (self.hear)(Stream::Output, &line);
                    if is_answer(&line) {
                        self.answers.push((at, line));
                    }
                }
                Err(NoLine::Timeout | NoLine::Aborted) => return None,
                Err(NoLine::Closed) => {
                    let status = self.process.wait_for_exit(LAST_BREATH);
                    let errors = self.process.stderr_tail();
                    errors.iter().for_each(|line| (self.hear)(Stream::Error, line));
                    return Some(status.map_or(Happened::Closed, Happened::Ended));
                }
            }
        }
        None
    }

    /// Is it the fault of the game? `begun`: milliseconds at which the last question was asked then.
    fn is_same(&self, happened: &Happened, begun: u64) -> bool {
        let kit = self.kit;
        match happened {
            Happened::Ended(status) => {
                let text = FailureKind::Crash(*status);
                let text = Failure::new(text).to_string().replace(" (core dumped)", "");
                kit.reason.replace(" (core dumped)", "").contains(&text)
            }
            Happened::Closed => kit.ending == Ending::Disconnect,
            Happened::Silent(_) => kit.reason.contains(NO_ANSWER),
            // Then it gave no answer.
            Happened::Said(..) if !has_answered(kit.ending, &kit.reason) => false,
            Happened::Said(line, took) if kit.ending == Ending::TimeForfeit => {
                let answer = kit.lines.iter().rfind(|line| line.is_answer());
                let then = answer.map_or(0, |line| line.ms.saturating_sub(begun));
                let allowed = then.saturating_sub(kit.late_ms.unwrap_or_default());
                !line.is_empty() && took.as_millis() > u128::from(allowed)
            }
            Happened::Said(line, _) => {
                let then = kit.lines.iter().rfind(|line| line.is_answer());
                then.is_some_and(|then| essence(&then.text) == essence(line))
            }
        }
    }
}

/// The part of an answer that matters: the move that it expects in return does not.
fn essence(answer: &str) -> String {
    let words: Vec<&str> = answer.split_whitespace().take_while(|word| *word != "ponder").collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(texts: &[&str]) -> Vec<Line> {
        texts.iter().map(|text| Line::try_from((*text).to_owned()).expect("a line")).collect()
    }

    /// What is sent, after how many answers, and after how long a pause.
    fn plan(texts: &[&str]) -> Vec<(String, usize, Option<u64>)> {
        let steps = steps(&lines(texts), false);
        steps.into_iter().map(|step| (step.text, step.answers, step.pause)).collect()
    }

    /// `readyok` to the `isready` before a `go` says nothing of the search: the `stop` comes as long after the
    /// `go` as it did.
    #[test]
    fn the_time_between_go_and_what_follows_passes_again() {
        for second in ["stop", "ponderhit"] {
            let second_line = format!("1.450 < {second}");
            let said = [
                "0.000 < uci",
                "0.010 > uciok",
                "0.030 < ucinewgame",
                "0.030 < isready",
                "0.040 > readyok",
                "0.140 < isready",
                "0.140 < position startpos",
                "0.150 < go wtime 1000 btime 1000",
                "0.151 > readyok",
                "0.160 > info depth 1 nodes 20",
                &second_line,
                "1.500 > bestmove e2e4",
                "1.700 < isready",
            ];
            let sent = |text: &str, answers, pause| (text.to_owned(), answers, pause);
            assert_eq!(
                plan(&said),
                [
                    sent("uci", 0, None),
                    sent("ucinewgame", 1, None),
                    sent("isready", 1, Some(0)),
                    // Those two were waited for.
                    sent("isready", 2, None),
                    sent("position startpos", 2, Some(0)),
                    sent("go wtime 1000 btime 1000", 2, Some(10)),
                    sent(second, 3, Some(1300)),
                    sent("isready", 4, None),
                ]
            );
        }
        let said =
            ["0.000 < ping 1", "0.001 < usermove e2e4", "0.002 > pong 1", "0.500 < ?", "0.600 > move e7e5"];
        assert_eq!(plan(&said).last(), Some(&("?".to_owned(), 1, Some(499))));
    }

    /// An engine's time begins with the line that sets its clock running.
    #[test]
    fn to_hurry_is_not_to_ask() {
        let asks = |text: &str| {
            let line = format!("0.000 < {text}");
            steps(&lines(&[&line]), false).iter().all(Step::asks)
        };
        assert!(["go infinite", "ponderhit", "usermove e2e4", "go"].into_iter().all(asks));
        assert!(!["stop", "?"].into_iter().any(asks));
    }
}
