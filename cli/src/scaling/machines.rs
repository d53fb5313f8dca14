//! The options of a simulated cluster.

use ::bench::scaling::plan::{ClockKind, Cluster};
use anyhow::ensure;
use clap::builder::RangedU64ValueParser;
use cluster::simulation::Network;

/// Most threads of all machines together.
const MOST: usize = 1024;
/// Largest numbers that are accepted: ten seconds for latency and message cost, and a bandwidth beyond any.
const SLOWEST_US: u64 = 10_000_000;
const FASTEST_MBIT: u64 = 1_000_000_000;

/// What joins simulated machines (docs/cluster.md).
#[derive(clap::Args)]
#[command(next_help_heading = "Simulated cluster (--clock virtual)")]
pub struct Machines {
    /// Numbers of machines, separated by commas, each with a table and --threads of its own; together at most
    /// 1024 threads [default: 1]
    #[arg(
        long, value_name = "N,M", value_delimiter = ',',
        value_parser = clap::value_parser!(u16).range(1..=1024)
    )]
    machines: Vec<u16>,
    /// Time from machine to machine, in microseconds [default: 50]
    #[arg(
        long, value_name = "US", requires = "machines",
        value_parser = RangedU64ValueParser::<u64>::new().range(..=SLOWEST_US)
    )]
    latency: Option<u64>,
    /// What each machine can send, in megabits a second; 0 for no bound [default: 10000]
    #[arg(
        long, value_name = "MBIT", requires = "machines",
        value_parser = RangedU64ValueParser::<u64>::new().range(..=FASTEST_MBIT)
    )]
    bandwidth: Option<u64>,
    /// What a message costs the talking thread that sends or takes it, in nanoseconds [default: 1000]
    #[arg(
        long, value_name = "NS", requires = "machines",
        value_parser = RangedU64ValueParser::<u64>::new().range(..=1000 * SLOWEST_US)
    )]
    message_cost: Option<u64>,
    /// Machines exchange no table entries, only results of iterations and votes
    #[arg(long, requires = "machines")]
    no_exchange: bool,
}

impl Machines {
    /// The numbers of machines, of which each has so many threads at most.
    ///
    /// # Errors
    /// When they are too many, or the clock is not the virtual one.
    pub fn numbers(&self, clock: ClockKind, threads: usize) -> anyhow::Result<Vec<usize>> {
        let numbers: Vec<usize> = self.machines.iter().copied().map(usize::from).collect();
        let Some(&most) = numbers.iter().max() else { return Ok(vec![1]) };
        ensure!(
            clock == ClockKind::Virtual,
            "--machines are simulated, by --clock virtual; real ones search together under mpirun (docs/cluster.md)"
        );
        ensure!(
            most * threads <= MOST,
            "--machines {most} with --threads {threads}: {} threads together, at most {MOST} are possible",
            most * threads
        );
        Ok(numbers)
    }

    /// Are there searches of several machines?
    pub fn are_several(&self) -> bool {
        self.machines.iter().any(|&machines| machines > 1)
    }

    /// What joins them.
    pub fn cluster(&self) -> Cluster {
        let usual = Network::default();
        let network = Network {
            latency_ns: self.latency.map_or(usual.latency_ns, |us| 1000 * us),
            bandwidth_mbit: self.bandwidth.unwrap_or(usual.bandwidth_mbit),
            message_ns: self.message_cost.unwrap_or(usual.message_ns),
        };
        Cluster { network, exchange: !self.no_exchange }
    }
}

/// The options that give these machines, for the command line of a study.
pub fn command(machines: &[usize], cluster: Cluster) -> String {
    let numbers: Vec<String> = machines.iter().map(usize::to_string).collect();
    let Network { latency_ns, bandwidth_mbit, message_ns } = cluster.network;
    format!(
        " --machines {} --latency {} --bandwidth {bandwidth_mbit} --message-cost {message_ns}{}",
        numbers.join(","),
        latency_ns / 1000,
        if cluster.exchange { "" } else { " --no-exchange" }
    )
}
