//! Playing: a protocol session on standard input and output.

use crate::brain::{PoolBrain, SimulatedBrain};
use crate::interrupt::{INTERRUPTED, on_signal};
use crate::out::complain;
use anyhow::anyhow;
use protocol::brain::Brain;
use protocol::session::{self, Dialect, ExitReason, Identity};
use std::io::{BufRead, BufReader, Error, ErrorKind, IsTerminal, stdin, stdout};
use std::process::{ExitCode, exit};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use sys::turn::{self, Turn};

/// Play by the UCI protocol on standard input
#[derive(clap::Args)]
pub struct UciArgs {
    /// Search in virtual time with this many simulated threads, to measure in games what they gain. `go nodes N`
    /// gives each thread the time that one alone takes for N nodes (docs/virtual-clock.md)
    #[arg(long, value_name = "THREADS", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub virtual_clock: Option<u16>,
}

/// Serves the client on standard input until it quits or goes away.
pub fn run(dialect: Option<Dialect>) -> anyhow::Result<ExitCode> {
    serve_input(dialect, BufReader::new(stdin()), crate::ranks::led(PoolBrain::new()?))
}

/// Serves a client by UCI.
pub fn run_uci(args: &UciArgs) -> anyhow::Result<ExitCode> {
    let Some(threads) = args.virtual_clock else { return run(Some(Dialect::Uci)) };
    let brain = SimulatedBrain::new(threads.into()).map_err(|error| anyhow!(error))?;
    serve_input(Some(Dialect::Uci), BufReader::new(stdin()), Box::new(brain))
}

/// Obeys lines in UCI, each when the search before it is over.
pub fn obey(lines: &[String]) -> anyhow::Result<ExitCode> {
    let mut brain = crate::ranks::led(PoolBrain::new()?);
    let identity = introduce();
    defy_signals()?;
    Ok(status(session::obey(&identity, lines, &mut stdout(), &mut *brain), Dialect::Uci))
}

fn serve_input(
    dialect: Option<Dialect>,
    input: impl BufRead + Send + 'static,
    mut brain: Box<dyn Brain>,
) -> anyhow::Result<ExitCode> {
    let identity = introduce();
    let deaf = defy_signals()?;
    let mut spoken = |dialect| deaf.store(dialect == Dialect::Xboard, Ordering::Relaxed);
    let reason = session::run(&identity, dialect, input, &mut stdout(), &mut *brain, &mut spoken);
    let spoken = if deaf.load(Ordering::Relaxed) { Dialect::Xboard } else { Dialect::Uci };
    Ok(status(reason, spoken))
}

/// Who this is; from now on the thread talks to a client.
fn introduce() -> Identity {
    // xboard reads the engine's error stream as if it were its words; a comment is the one thing it lets
    // pass.
    std::panic::set_hook(Box::new(|panic| {
        eprintln!("# internal error: {}", panic.to_string().replace('\n', " "))
    }));
    // The session's threads are woken past the search's, which never pause. Only a hint: older systems go
    // without.
    let _ = turn::set_current(Turn::Short);
    Identity {
        name: format!("Firstborn {}", env!("CARGO_PKG_VERSION")),
        author: "the Firstborn authors".to_string(),
        build: crate::provenance::provenance().to_string(),
    }
}

/// The exit status of a session that ended for this reason. A failure of the output is told on standard
/// error.
fn status(reason: ExitReason, spoken: Dialect) -> ExitCode {
    match reason {
        ExitReason::Quit | ExitReason::EndOfInput => ExitCode::SUCCESS,
        ExitReason::OutputClosed(error) => {
            if let Some(text) = complaint(&error, spoken) {
                complain(format_args!("{text}"));
            }
            ExitCode::FAILURE
        }
    }
}

/// What is said of an output that failed: nothing where the client has gone away, since no reader is left to
/// tell.
fn complaint(error: &Error, spoken: Dialect) -> Option<String> {
    if error.kind() == ErrorKind::BrokenPipe {
        return None;
    }
    let mark = if spoken == Dialect::Xboard { "# " } else { "" };
    Some(format!("{mark}firstborn: cannot write to standard output: {error}"))
}

/// SIGINT, SIGTERM and SIGHUP end the program, unless the flag that is returned is set: xboard interrupts engines to
/// make them listen, which ours does anyway, and was told so (`sigint=0 sigterm=0`). Its end is seen by the
/// end of the input. A person at a terminal is always heeded.
fn defy_signals() -> anyhow::Result<Arc<AtomicBool>> {
    let deaf = Arc::new(AtomicBool::new(false));
    let heeds = stdin().is_terminal();
    let flag = Arc::clone(&deaf);
    on_signal(move || {
        if heeds || !flag.load(Ordering::Relaxed) {
            exit(i32::from(INTERRUPTED));
        }
    })?;
    Ok(deaf)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_of_the_output_is_told_unless_the_client_is_gone() {
        let full = || Error::from(ErrorKind::StorageFull);
        let told = complaint(&full(), Dialect::Uci).expect("a sentence");
        assert_eq!(told, format!("firstborn: cannot write to standard output: {}", full()));
        assert_eq!(complaint(&full(), Dialect::Xboard), Some(format!("# {told}")));
        for dialect in [Dialect::Uci, Dialect::Xboard] {
            assert_eq!(complaint(&ErrorKind::BrokenPipe.into(), dialect), None);
        }
    }
}
