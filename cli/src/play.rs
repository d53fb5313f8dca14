//! Playing: a protocol session on standard input and output.

use crate::brain::PoolBrain;
use protocol::session::{Dialect, ExitReason, Identity, run as serve};
use std::io::{BufReader, stdin, stdout};
use std::process::ExitCode;

/// Serves the client on standard input until it quits or goes away.
pub fn run(dialect: Option<Dialect>) -> anyhow::Result<ExitCode> {
    let identity = Identity {
        name: format!("Firstborn {}", env!("CARGO_PKG_VERSION")),
        author: "the Firstborn authors".to_string(),
        build: sys::cpu::Machine::detect().to_string(),
    };
    // xboard reads the engine's error stream as if it were its words; a comment is the one thing it lets pass.
    std::panic::set_hook(Box::new(|panic| {
        eprintln!("# internal error: {}", panic.to_string().replace('\n', " "))
    }));
    let mut brain = PoolBrain::new()?;
    let reason = serve(&identity, dialect, BufReader::new(stdin()), &mut stdout(), &mut brain);
    Ok(match reason {
        ExitReason::Quit | ExitReason::EndOfInput => ExitCode::SUCCESS,
        // Nobody is left to tell.
        ExitReason::OutputClosed(_) => ExitCode::FAILURE,
    })
}
