//! How an engine is started and asked to think: the plain data behind an engine line of a tournament.

use std::env::consts::EXE_SUFFIX;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

/// The language an engine speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// The Universal Chess Interface.
    Uci,
    /// The Chess Engine Communication Protocol of xboard, version 2.
    Xboard,
}

impl FromStr for Protocol {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.to_ascii_lowercase().as_str() {
            "uci" => Ok(Self::Uci),
            "xboard" | "cecp" | "winboard" => Ok(Self::Xboard),
            _ => Err(format!("unknown protocol `{text}`: it is uci, xboard or auto")),
        }
    }
}

/// Everything needed to start an engine and make it ready to play.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineConfig {
    /// The program: a name looked up in `PATH`, or a path (a relative one is relative to `dir` only if it
    /// exists there).
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Its working directory; the runner's own if none.
    pub dir: Option<PathBuf>,
    /// The protocol; `None` tries UCI first, then xboard.
    pub protocol: Option<Protocol>,
    /// Whether it has answered a greeting before: one that says nothing has then failed to start, and is not of the
    /// first version of xboard's protocol.
    pub greets: bool,
    /// Options by name, in the order they are sent. A button's value is empty.
    pub options: Vec<(String, String)>,
    /// Search threads: UCI option `Threads`, xboard command `cores`. Sent before `options`, of which one that sets
    /// them holds.
    pub threads: Option<u32>,
    /// Hash size in MiB: UCI option `Hash`, xboard command `memory`. Sent before `options`, as `threads` is.
    pub hash_mb: Option<u32>,
    /// Whether the engine may think on its opponent's time.
    pub ponder: bool,
    /// Lines sent as they are before the greeting (cutechess's `initstr`).
    pub init_lines: Vec<String>,
    /// Whether an option that the engine does not have, or a value that it does not take, is left out instead of an
    /// error ([`crate::Client::left_out`] names them).
    pub lenient: bool,
    /// Whether options are handled as by fastchess: they are sent again before every further game, and a button is
    /// pressed by `true` and by no other value.
    pub fastchess_options: bool,
    /// A file to which the engine's standard error is added.
    pub stderr: Option<PathBuf>,
    /// How long the engine may take to start and say what it is.
    pub start_timeout: Duration,
    /// How long it may take to answer `isready` or `ping`.
    pub ready_timeout: Duration,
    /// How long it may take to leave after `quit` before it is killed.
    pub quit_timeout: Duration,
}

impl EngineConfig {
    /// The defaults for a command: no arguments, protocol to be found out, 10 s to start, 10 s to answer, 5 s to leave.
    #[must_use]
    pub fn new(command: impl Into<String>) -> Self {
        Self {
            command: command.into(),
            args: Vec::new(),
            dir: None,
            protocol: None,
            greets: false,
            options: Vec::new(),
            threads: None,
            hash_mb: None,
            ponder: false,
            init_lines: Vec::new(),
            lenient: false,
            fastchess_options: false,
            stderr: None,
            start_timeout: Duration::from_secs(10),
            ready_timeout: Duration::from_secs(10),
            quit_timeout: Duration::from_secs(5),
        }
    }

    /// The program to run. A relative path with a directory in it is resolved now, against `dir` where it is
    /// there and against the runner's own directory otherwise, because the child changes its directory before
    /// it is looked up. On Windows the name may lack its `.exe`.
    #[must_use]
    pub fn program(&self) -> PathBuf {
        self.program_with(EXE_SUFFIX)
    }

    fn program_with(&self, suffix: &str) -> PathBuf {
        let path = Path::new(&self.command);
        if path.is_absolute() {
            return with_exe_suffix(path, suffix).unwrap_or_else(|| path.to_owned());
        }
        let in_dir = self.dir.as_deref().and_then(|dir| with_exe_suffix(&dir.join(path), suffix));
        if path.components().count() == 1 && !in_dir.as_ref().is_some_and(|file| file.is_file()) {
            return path.to_owned();
        }
        match in_dir.or_else(|| with_exe_suffix(path, suffix)) {
            // Not canonical: that form of a path, `\\?\C:\...`, is one that not all programs of Windows take.
            Some(found) => std::path::absolute(&found).unwrap_or(found),
            None => path.to_owned(),
        }
    }

    /// Threads the engine is told to use: by the last option that sets them, or else by `threads`, since options are
    /// sent behind that; 1 if nothing says so.
    #[must_use]
    pub fn thread_count(&self) -> u32 {
        let from_option = self
            .options
            .iter()
            .filter(|(name, _)| sets_threads(name))
            .filter_map(|(_, value)| value.trim().parse().ok())
            .next_back();
        from_option.or(self.threads).unwrap_or(1).max(1)
    }
}

/// Whether engines have an option of this name, in whatever case, for their number of threads.
#[must_use]
pub fn sets_threads(name: &str) -> bool {
    THREAD_OPTIONS.iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// What a path leads to: itself, or where that is nothing, the file that has the suffix of programs as well.
///
/// `suffix`: [`EXE_SUFFIX`]; empty where programs have none.
#[must_use]
pub fn with_exe_suffix(path: &Path, suffix: &str) -> Option<PathBuf> {
    if path.exists() {
        return Some(path.to_owned());
    }
    let mut name = path.file_name().filter(|_| !suffix.is_empty())?.to_owned();
    name.push(suffix);
    Some(path.with_file_name(name)).filter(|path| path.is_file())
}

/// Names under which engines offer their number of threads.
pub(super) const THREAD_OPTIONS: [&str; 4] = ["Threads", "Number of Threads", "Cores", "Max CPUs"];

/// A time control: `moves` moves in `base`, `increment` after each; or an hourglass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeControl {
    /// Moves until `base` is added again; the whole game if none.
    pub moves: Option<u32>,
    /// Time for them.
    pub base: Duration,
    /// Time added after every move.
    pub increment: Duration,
    /// Whether the time that one side uses is added to the other's clock.
    pub hourglass: bool,
}

/// Reads `[moves/]time[+increment]` or `hgTIME`; time in seconds or as `minutes:seconds`.
impl FromStr for TimeControl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let bad = |what: &str| {
            format!("time control `{text}`: {what}; write [moves/]time[+increment], as in 40/60+0.6")
        };
        if let Some(time) = text.strip_prefix("hg") {
            let glass: Self = time.parse()?;
            if glass.hourglass || glass.moves.is_some() || !glass.increment.is_zero() {
                return Err(bad("an hourglass has neither moves nor an increment"));
            }
            return Ok(Self { hourglass: true, ..glass });
        }
        let (moves, rest) = match text.split_once('/') {
            Some((moves, rest)) => {
                let moves: u32 =
                    moves.trim().parse().map_err(|_| bad("the number of moves is not a number"))?;
                (Some(moves).filter(|&n| n > 0), rest)
            }
            None => (None, text),
        };
        let (base, increment) = rest.split_once('+').unwrap_or((rest, "0"));
        let base = match base.split_once(':') {
            Some((minutes, seconds)) => {
                let minutes: u32 =
                    minutes.trim().parse().map_err(|_| bad("the minutes are not a whole number"))?;
                let seconds = seconds_of(seconds).map(|rest| rest.as_secs_f64() + 60.0 * f64::from(minutes));
                seconds.and_then(seconds_within)
            }
            None => seconds_of(base),
        }
        .ok_or_else(|| bad("the time is not a number of seconds"))?;
        let increment =
            seconds_of(increment).ok_or_else(|| bad("the increment is not a number of seconds"))?;
        if base.is_zero() && increment.is_zero() {
            return Err(bad("no time at all"));
        }
        Ok(Self { moves, base, increment, hourglass: false })
    }
}

/// A non-negative number of seconds below ten years.
pub(crate) fn seconds_of(text: &str) -> Option<Duration> {
    text.trim().parse().ok().and_then(seconds_within)
}

fn seconds_within(seconds: f64) -> Option<Duration> {
    (0.0..3.2e8).contains(&seconds).then(|| Duration::from_secs_f64(seconds))
}

/// The same notation [`FromStr`] reads.
impl std::fmt::Display for TimeControl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.hourglass {
            write!(f, "hg")?;
        }
        if let Some(moves) = self.moves {
            write!(f, "{moves}/")?;
        }
        write!(f, "{}", self.base.as_secs_f64())?;
        if !self.increment.is_zero() {
            write!(f, "+{}", self.increment.as_secs_f64())?;
        }
        Ok(())
    }
}

/// What bounds an engine's thinking. Everything that is set holds together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Limits {
    /// A chess clock.
    pub clock: Option<TimeControl>,
    /// A fixed time for every move.
    pub move_time: Option<Duration>,
    /// A depth in plies.
    pub depth: Option<u32>,
    /// A number of nodes per move.
    pub nodes: Option<u64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_controls_as_people_write_them() {
        let tc = |text: &str| text.parse::<TimeControl>().unwrap();
        assert_eq!(
            tc("40/60+0.6"),
            TimeControl {
                moves: Some(40),
                base: Duration::from_secs(60),
                increment: Duration::from_millis(600),
                hourglass: false
            }
        );
        assert_eq!(tc("1:30+2").base, Duration::from_secs(90));
        assert_eq!(tc("0+5").increment, Duration::from_secs(5), "cutechess #810: no base, only increment");
        assert_eq!(tc("8+0.08").to_string(), "8+0.08");
        assert_eq!((tc("hg1:00").hourglass, tc("hg1:00").to_string()), (true, "hg60".to_owned()));
        for wrong in ["", "x", "40/", "-1", "1:x", "0", "1+nan", "1e99", "hg", "hg40/60", "hg60+1", "hghg60"]
        {
            assert!(wrong.parse::<TimeControl>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_program_may_lack_the_suffix_of_programs() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for name in ["engine.exe", "other", "other.exe", "three.5.exe"] {
            std::fs::write(path(name), "").unwrap();
        }
        let program =
            |command: &Path, suffix| EngineConfig::new(command.to_string_lossy()).program_with(suffix);
        for (asked, found) in [
            ("engine", "engine.exe"),
            ("engine.exe", "engine.exe"),
            ("other", "other"),
            ("three.5", "three.5.exe"),
            ("none", "none"),
        ] {
            assert_eq!(program(&path(asked), ".exe"), path(found), "{asked}");
            assert_eq!(program(&path(asked), ""), path(asked), "{asked}");
        }
        let here = EngineConfig { dir: Some(folder.path().into()), ..EngineConfig::new("engine") };
        assert_eq!(here.program_with(".exe"), path("engine.exe"), "it is in the engine's folder");
        assert_eq!(here.program_with(""), Path::new("engine"), "it is to be looked up in PATH");
    }

    /// The child finds it from its own directory, under the name by which it was asked for: a program may do
    /// another thing when it is called by the name of a link.
    #[test]
    fn a_relative_path_becomes_absolute_and_stays_itself() {
        let program = EngineConfig::new("src/../Cargo.toml").program();
        assert!(program.is_absolute() && program.is_file(), "{program:?}");
        assert!(!program.to_string_lossy().starts_with(r"\\?\"), "{program:?}");
        assert_eq!(EngineConfig::new("no/such").program(), Path::new("no/such"));
    }

    #[test]
    fn threads_come_from_wherever_they_are_set() {
        let mut config = EngineConfig::new("engine");
        assert_eq!(config.thread_count(), 1);
        config.options.push(("threads".into(), "4".into()));
        assert_eq!(config.thread_count(), 4);
        // It is sent before options.
        config.threads = Some(2);
        assert_eq!(config.thread_count(), 4);
        config.options.push(("Max CPUs".into(), " 3 ".into()));
        assert_eq!(config.thread_count(), 3);
        config.options.clear();
        assert_eq!(config.thread_count(), 2);
    }
}
