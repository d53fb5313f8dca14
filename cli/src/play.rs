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
    let mut brain = PoolBrain::new()?;
    let reason = serve(&identity, dialect, BufReader::new(stdin()), &mut stdout(), &mut brain);
    Ok(match reason {
        ExitReason::Quit | ExitReason::EndOfInput => ExitCode::SUCCESS,
        // Nobody is left to tell.
        ExitReason::OutputClosed(_) => ExitCode::FAILURE,
    })
}
