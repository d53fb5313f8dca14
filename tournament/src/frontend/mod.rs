//! The command lines of fastchess and cutechess-cli, translated into our own plan.
//!
//! A [`Request`] is what such a line asks for, whatever program it was written for: players, games, openings,
//! rules, files and what is printed. [`read`] makes it of words; `Request::plan` makes a
//! [`crate::runner::Plan`] of it, which is played by the same runner as every other; [`console::Console`]
//! prints the lines that scripts wait for. What cannot be had is an error that names the flag and says what
//! to use.

pub mod columns;
mod config;
pub mod console;
mod cutechess;
mod fastchess;
mod numbers;
pub mod reasons;
mod request;
mod tally;
mod words;

use std::env::consts::EXE_SUFFIX;
use std::path::Path;

use client::{is_path, with_exe_suffix};

use crate::adjudicate::Manner;

pub use config::Results;
pub use request::{
    Affinity, BookRequest, ConfigRequest, EpdRequest, Games, Knockout, LogRequest, Output, PgnRequest,
    Request, TableRequest, Terminal,
};
pub use words::FrontendError;

/// What a command line asks for.
#[derive(Debug)]
pub enum Asked {
    /// Games.
    Play(Box<Request>),
    /// The version.
    Version,
    /// The help.
    Help,
    /// The engines of `engines.json`.
    Engines,
    /// The columns that tables can have.
    Columns,
    /// Whether an engine keeps the rules of UCI: its program and arguments.
    Compliance(Vec<String>),
}

/// What the machine gives that a command line does not say.
#[derive(Debug, Clone, Copy)]
pub struct Surroundings {
    /// Hardware threads.
    pub cpus: usize,
    /// A number that is not the same at every start, for a seed that is not given.
    pub chance: u64,
    /// The Unix time in milliseconds, for files that are named by it.
    pub now_ms: u64,
}

/// The path to the file of the current folder that a command of one word names, if there is one.
fn file_here(command: &str) -> Option<String> {
    let path = Path::new(command);
    let file = with_exe_suffix(path, EXE_SUFFIX).filter(|_| !is_path(path))?;
    file.is_file().then(|| format!("./{command}"))
}

/// Reads the words of a command line, without the program's name.
///
/// # Errors
/// A flag that is not known or cannot be had, or a value that does not fit.
pub fn read(manner: Manner, words: &[String], here: Surroundings) -> Result<Asked, FrontendError> {
    match manner {
        Manner::Cutechess => cutechess::read(words, here),
        Manner::Fastchess | Manner::House => fastchess::read(words, here),
    }
}
