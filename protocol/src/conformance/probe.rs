//! A conversation with the engine under test, in which nothing waits for ever.

use super::Settings;
use client::{Failure, FailureKind, NoLine, Process, StartError};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::process::Command;
use std::time::{Duration, Instant};

/// Why a rule was not kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// The engine broke it.
    Broken(String),
    /// The engine does not offer what it is about.
    NotOffered(String),
    /// There is no engine: the program does not start.
    NoEngine(StartError),
}

/// What was seen of a rule.
pub(super) type Seen = Result<String, Fault>;

/// The rule is broken.
pub(super) fn broken<T>(seen: impl Into<String>) -> Result<T, Fault> {
    Err(Fault::Broken(seen.into()))
}

/// The rule is kept if `kept`; `seen` says what there was either way.
pub(super) fn verdict(kept: bool, seen: impl Into<String>) -> Seen {
    if kept { Ok(seen.into()) } else { broken(seen) }
}

/// An engine at rest may use this share of a processor.
const IDLE_SHARE: f64 = 0.05;
/// How long it is watched.
const WATCHED: Duration = Duration::from_secs(1);
/// Time to leave after `quit` or the end of its input.
const LEAVE: Duration = Duration::from_secs(5);
/// Clock ticks a second in `/proc`; the same on every Linux.
const TICKS: f64 = 100.0;

/// A running engine.
pub(super) struct Probe {
    process: Process,
    patience: Duration,
    heard: Vec<String>,
}

impl Probe {
    /// Starts the engine.
    pub(super) fn start(settings: &Settings) -> Result<Self, Fault> {
        let never = crossbeam::channel::never();
        match Process::start(&settings.config, settings.launcher.clone(), never) {
            Ok(process) => Ok(Probe { process, patience: settings.patience, heard: Vec::new() }),
            Err(Failure { kind: FailureKind::Start(error), .. }) => Err(Fault::NoEngine(error)),
            Err(failure) => broken(failure.to_string()),
        }
    }

    /// Writes one or more lines at once.
    pub(super) fn send(&mut self, text: &str) {
        self.process.send(text);
    }

    /// All it said so far.
    pub(super) fn recent(&self) -> &[String] {
        &self.heard
    }

    /// Every line up to the wanted one, that one included.
    pub(super) fn until(&mut self, what: &str, wanted: impl Fn(&str) -> bool) -> Result<Vec<String>, Fault> {
        self.until_after(Duration::ZERO, what, wanted)
    }

    /// The same for what an engine has been granted this time for: patience begins at its end.
    pub(super) fn until_after(
        &mut self,
        granted: Duration,
        what: &str,
        wanted: impl Fn(&str) -> bool,
    ) -> Result<Vec<String>, Fault> {
        self.until_within(granted + self.patience, what, wanted)
    }

    /// The same with a limit of its own.
    pub(super) fn until_within(
        &mut self,
        limit: Duration,
        what: &str,
        wanted: impl Fn(&str) -> bool,
    ) -> Result<Vec<String>, Fault> {
        let deadline = Instant::now() + limit;
        let mut said = Vec::new();
        loop {
            match self.process.line(Some(deadline)) {
                Ok((_, line)) => {
                    self.heard.push(line.clone());
                    let found = wanted(&line);
                    said.push(line);
                    if found {
                        return Ok(said);
                    }
                }
                Err(NoLine::Timeout) => {
                    let last = said.last().map_or_else(|| "nothing at all".into(), |l| format!("last: {l}"));
                    return broken(format!("no {what} within {:.1} s ({last})", limit.as_secs_f64()));
                }
                Err(_) => return broken(format!("{} while {what} was awaited", self.how_it_ended())),
            }
        }
    }

    /// Everything said in this time.
    pub(super) fn listen(&mut self, time: Duration) -> Result<Vec<String>, Fault> {
        let deadline = Instant::now() + time;
        let mut said = Vec::new();
        loop {
            match self.process.line(Some(deadline)) {
                Ok((_, line)) => {
                    self.heard.push(line.clone());
                    said.push(line);
                }
                Err(NoLine::Timeout) => return Ok(said),
                Err(_) => return broken(self.how_it_ended()),
            }
        }
    }

    fn how_it_ended(&mut self) -> String {
        let mut end = match self.process.wait_for_exit(Duration::from_millis(500)) {
            Some(status) => format!("the engine ended ({status})"),
            None => "the engine closed its output".into(),
        };
        if let Some(words) = self.process.stderr_tail().iter().rfind(|line| !line.is_empty()) {
            end += &format!(", having written `{words}`,");
        }
        end
    }

    /// Says `quit`, or closes the input if `quit` is empty, and expects an orderly end.
    pub(super) fn leave(&mut self, quit: &str) -> Seen {
        if quit.is_empty() {
            self.process.hang_up();
        } else {
            self.send(quit);
        }
        let told = Instant::now();
        loop {
            match self.process.line(Some(told + LEAVE)) {
                Ok(_) => {}
                Err(NoLine::Timeout) => return broken(format!("still running after {} s", LEAVE.as_secs())),
                Err(_) => break,
            }
        }
        match self.process.wait_for_exit(LEAVE) {
            Some(status) if status.code().is_some() => {
                Ok(format!("{status} after {} ms", told.elapsed().as_millis()))
            }
            Some(status) => broken(format!("it died: {status}")),
            None => broken("its output is closed but its process lives on"),
        }
    }

    /// Bytes that mean nothing, the same every time. They hold no line ending followed by a word that ends a
    /// session.
    pub(super) fn noise(&mut self) {
        let mut random = ChaCha8Rng::seed_from_u64(1);
        for _ in 0..64 {
            let line: String = (0..random.random_range(1..1000))
                .map(|_| char::from_u32(random.random_range(1..0x250)).unwrap_or(' '))
                .filter(|&c| c != '\n' && c != '\r')
                .collect();
            self.send(&line);
        }
    }

    /// Does it run processes of its own? `false` where the system does not say.
    fn has_children(&self) -> bool {
        let threads = std::fs::read_dir(format!("/proc/{}/task", self.process.id()));
        threads.into_iter().flatten().flatten().any(|thread| {
            let children = std::fs::read_to_string(thread.path().join("children"));
            children.is_ok_and(|children| !children.trim().is_empty())
        })
    }

    /// Processor time used so far, without that of processes it runs; `None` where the system does not say.
    fn processor_time(&self) -> Option<Duration> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.process.id())).ok()?;
        // Fields after the name in parentheses; user and system time are the 12th and 13th of them.
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        let ticks = |at: usize| fields.get(at)?.parse::<f64>().ok();
        Some(Duration::from_secs_f64((ticks(11)? + ticks(12)?) / TICKS))
    }

    /// An engine with nothing to do uses no processor.
    pub(super) fn rests(&mut self) -> Seen {
        if self.has_children() {
            return Err(Fault::NotOffered("it has processes of its own, whose time is not seen".into()));
        }
        let Some(before) = self.processor_time() else {
            return Err(Fault::NotOffered("this system does not tell processor time".into()));
        };
        self.listen(WATCHED)?;
        let used = self.processor_time().unwrap_or_default().saturating_sub(before);
        let share = used.as_secs_f64() / WATCHED.as_secs_f64();
        verdict(share <= IDLE_SHARE, format!("{:.0} % of a processor while idle", share * 100.0))
    }

    /// Sends a signal by name (`INT`, `TERM`). `false` where that cannot be done.
    pub(super) fn signal(&self, name: &str) -> bool {
        let kill = Command::new("kill").arg(format!("-{name}")).arg(self.process.id().to_string()).status();
        kill.is_ok_and(|status| status.success())
    }

    /// All it said so far, its error stream's last lines included.
    pub(super) fn take_heard(&mut self) -> Vec<String> {
        let mut heard = std::mem::take(&mut self.heard);
        heard.extend(self.process.stderr_tail());
        heard
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::super::scripted::settings;
    use super::*;
    use std::{sync::mpsc, thread};

    /// It needs longer than the patience is, and less than it has been granted.
    #[test]
    fn patience_begins_when_the_granted_time_is_over() {
        let script = "read -r word; i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; echo move";
        let mut probe = Probe::start(&settings(script, Duration::from_nanos(1))).expect("there is a shell");
        probe.send("go");
        let said = probe.until_after(Duration::from_secs(120), "move", |line| line == "move");
        assert_eq!(said, Ok(vec!["move".to_string()]));
    }

    /// Only the shell's own processor time is seen, and the shell waits.
    #[cfg(target_os = "linux")]
    #[test]
    fn an_engine_behind_a_wrapper_is_not_said_to_rest() {
        let engine = "echo ready; while read -r word; do :; done";
        let wrapped = format!("exec 3<&0; ({engine}) <&3 & wait");
        for (script, rests) in [(engine, true), (wrapped.as_str(), false)] {
            let mut probe = Probe::start(&settings(script, LEAVE)).expect("there is a shell");
            probe.until_within(Duration::from_secs(60), "ready", |line| line == "ready").expect("it speaks");
            assert_eq!(probe.has_children(), !rests, "{script}");
            assert_eq!(matches!(probe.rests(), Err(Fault::NotOffered(_))), !rests, "{script}");
        }
    }

    /// It says that it is an engine, and reads nothing after that: more than a pipe holds is sent to it.
    #[test]
    fn an_engine_that_does_not_read_its_input_breaks_the_rule_in_the_end() {
        let settings = settings("read -r word; echo uciok; exec sleep 600", Duration::from_millis(1));
        let (sender, ended) = mpsc::channel();
        thread::spawn(move || {
            let mut probe = Probe::start(&settings)?;
            probe.send("uci");
            probe.until_within(LEAVE, "uciok", |line| line == "uciok")?;
            (0..4).for_each(|_| probe.noise());
            probe.send("isready");
            let seen = probe.until("readyok", |line| line == "readyok").map(|_| String::new());
            // The test may have given up.
            let _ = sender.send(seen.clone());
            seen
        });
        let seen = ended.recv_timeout(Duration::from_secs(120)).expect("it hangs, or has failed");
        assert_eq!(seen, broken("no readyok within 0.0 s (nothing at all)"));
    }
}
