//! Flags that several commands share.

use crate::provenance::quoted;
use anyhow::{Context, bail, ensure};
use clap::builder::RangedU64ValueParser;
use engine::drivers::Driver;
use nnue::{LoadError, Network};
use smp::pool::Pool;
use smp::schemes::Scheme;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use thinking::report::Limits;

/// The size of a table: at least one mebibyte.
pub fn mebibytes() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(1..)
}

/// Who searches, and with what.
#[derive(clap::Args, Clone, Debug)]
pub struct Resources {
    /// Search threads [default: one for each usable core, see `firstborn topology`]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Size of the transposition table, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 128, value_parser = mebibytes())]
    pub hash: usize,
    /// How the threads search together: serial, lazy, ybw, abdada, pvsplit, rootsplit or hybrid
    #[arg(long, value_name = "NAME", default_value_t = Scheme::default())]
    pub scheme: Scheme,
    /// With which windows the root is searched: pvs (aspiration windows) or mtdf (null windows alone)
    #[arg(long, value_name = "NAME", default_value_t = Driver::default())]
    pub driver: Driver,
    /// Bind the search threads to cache domains, neighbours sharing a cache (see `firstborn topology`)
    #[arg(long)]
    pub bind: bool,
}

impl Resources {
    /// The threads that will search.
    pub fn thread_count(&self) -> usize {
        if self.scheme == Scheme::Serial {
            return 1;
        }
        self.threads.map_or_else(
            || sys::topology::Topology::detect().recommended_threads().threads.max(1),
            usize::from,
        )
    }

    /// A pool as asked for, whose searches evaluate like this.
    pub fn pool(&self, evaluation: &Evaluation) -> anyhow::Result<Pool> {
        let network = evaluation.network()?;
        let mut pool = Pool::new(self.thread_count(), self.hash)?;
        pool.set_network(network);
        pool.scheme = self.scheme;
        pool.driver = self.driver;
        if self.bind {
            pool.bind(sys::ranks::thread_places(self.thread_count()));
        }
        Ok(pool)
    }
}

/// The network of a file, or the program's own.
///
/// # Errors
/// When the file cannot be read or is not a network.
pub fn network(file: Option<&Path>) -> Result<Arc<Network>, LoadError> {
    file.map_or_else(|| Ok(Network::embedded()), |file| Network::load(file).map(Arc::new))
}

/// How positions are evaluated.
#[derive(clap::ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EvalKind {
    /// By a network.
    #[default]
    Network,
    /// By the hand-crafted evaluation.
    Classic,
}

/// Which evaluation searches.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct Evaluation {
    /// Evaluate by a network, or by the hand-crafted evaluation
    #[arg(long, value_name = "network|classic", default_value = "network", hide_possible_values = true)]
    eval: EvalKind,
    /// Evaluate by the network in this file instead of the program's own
    #[arg(long, value_name = "FILE")]
    eval_file: Option<PathBuf>,
}

impl Evaluation {
    /// The network that evaluates, if one does.
    ///
    /// # Errors
    /// When the file is not a network, or is given where none is asked for.
    pub fn network(&self) -> anyhow::Result<Option<Arc<Network>>> {
        match (self.eval, &self.eval_file) {
            (EvalKind::Classic, Some(file)) => {
                bail!("--eval classic uses no network, but --eval-file {} names one", file.display())
            }
            (EvalKind::Classic, None) => Ok(None),
            (EvalKind::Network, file) => Ok(Some(network(file.as_deref())?)),
        }
    }

    /// The file of the network, if one is given.
    pub fn file(&self) -> Option<&Path> {
        self.eval_file.as_deref()
    }

    /// The words of a command line that ask for this evaluation; none for the usual one.
    pub fn words(&self) -> String {
        let eval = if self.eval == EvalKind::Classic { " --eval classic" } else { "" };
        let file = self.file().map(|file| format!(" --eval-file {}", quoted(&file.to_string_lossy())));
        format!("{eval}{}", file.unwrap_or_default())
    }
}

/// When a search ends.
#[derive(clap::Args, Clone, Debug)]
pub struct SearchLimits {
    /// Stop after this many plies
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(1..=245))]
    pub depth: Option<u32>,
    /// Stop after this many nodes
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub nodes: Option<u64>,
    /// Stop after this many milliseconds
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    pub movetime: Option<u64>,
}

impl SearchLimits {
    /// The limits, with `fallback` as the time when none is given.
    pub fn limits(&self, fallback: Duration) -> Limits {
        let unlimited = self.depth.is_none() && self.nodes.is_none() && self.movetime.is_none();
        let time = self.movetime.map(Duration::from_millis);
        Limits {
            depth: self.depth,
            nodes: self.nodes,
            movetime: time.or(unlimited.then_some(fallback)),
            ..Limits::default()
        }
    }
}

/// Reads a text file in whatever encoding, packed (.gz, .zip) or not, naming it on failure.
pub fn read_text(path: &Path) -> anyhow::Result<String> {
    let (_, bytes) =
        ::tournament::openings::unpacked(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(chess::text::decode(&bytes).into_owned())
}

/// A position from words that may or may not have been quoted together; the start position without any. An empty
/// argument, as from a shell variable that is not set, is refused.
pub fn position(words: &[String]) -> anyhow::Result<chess::Position> {
    let fen = words.join(" ");
    if words.is_empty() || fen.trim() == "startpos" {
        return Ok(chess::Position::startpos());
    }
    ensure!(fen.len() < 256, "that is too long for a FEN");
    chess::Position::from_fen(&fen).with_context(|| format!("'{fen}'"))
}

/// The line of a command with these arguments alone, for tests.
#[cfg(test)]
#[derive(clap::Parser)]
pub struct Line<A: clap::Args> {
    #[command(flatten)]
    pub args: A,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Both {
        #[command(flatten)]
        resources: Resources,
        #[command(flatten)]
        evaluation: Evaluation,
    }

    /// Each of the options does what it says, and nothing else.
    #[test]
    fn a_pool_searches_as_the_line_says() {
        let (scheme, driver) = (Scheme::default(), Driver::default());
        for (words, expected) in [
            ("", (scheme, driver, false)),
            ("--scheme ybw", (Scheme::Ybw, driver, false)),
            ("--scheme lazy", (Scheme::Lazy, driver, false)),
            ("--driver mtdf", (scheme, Driver::Mtdf, false)),
            ("--bind", (scheme, driver, true)),
        ] {
            let line = format!("analyze --threads 2 --hash 1 {words}");
            let Both { resources, evaluation } = Both::try_parse_from(line.split_whitespace()).unwrap();
            let pool = resources.pool(&evaluation).unwrap();
            assert_eq!((pool.scheme, pool.driver, !pool.places().is_empty()), expected, "{words}");
            assert_eq!(pool.threads(), 2, "{words}");
        }
    }
}
