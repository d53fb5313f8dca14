//! `firstborn lab`: the literature's algorithms on the same trees, listed, run, compared and held to their claims.

use ::lab::enhanced::Contestant;
use ::lab::parallel::Scheme;
use ::lab::report::{self, studies};
use ::lab::study::claims::claims;
use ::lab::study::contest::Threads;
use ::lab::study::figure8::{Settings, figure8};
use ::lab::study::grove::{Grove, Request};
use anyhow::Context;
use clap::Subcommand;
use figures::{Report, html};
use indicatif::ProgressBar;
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// Run the literature's game-tree searches and compare them
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// List the algorithms and the switches
    List(Output),
    /// Run one search, tree by tree
    Run {
        /// What to run: an algorithm, then switches, as in pvs-r+id+trans=8000+hist (see `lab list`)
        contestant: Contestant,
        #[command(flatten)]
        trees: Trees,
        #[command(flatten)]
        output: Output,
    },
    /// Run several searches on the same trees: one row each, the first is the reference
    Compare {
        /// What to run [default: a choice of twelve]
        contestants: Vec<Contestant>,
        #[command(flatten)]
        trees: Trees,
        /// Run one search at a time, for honest CPU times
        #[arg(long)]
        one_thread: bool,
        #[command(flatten)]
        output: Output,
    },
    /// Redraw Marsland's figure 8: searches on Bratko-Kopec in percent of direct alpha-beta
    Figure8(Figure8Args),
    /// Run the historical parallel searches on simulated processors, in virtual time
    Parallel {
        /// What to run: tree-splitting, mandatory-first, pv-splitting, ybw, abdada, lazy [default: all]
        schemes: Vec<Scheme>,
        /// Numbers of processors
        #[arg(long, short = 'P', value_delimiter = ',', default_value = "1,2,4,8,16,32,64", value_name = "N,N", value_parser = clap::value_parser!(u32).range(1..=1024))]
        processors: Vec<u32>,
        #[command(flatten)]
        trees: Trees,
        #[command(flatten)]
        output: Output,
    },
    /// Hold every claim of the founding documents against our own numbers
    Claims {
        /// Small samples: under a minute, numbers not to be quoted
        #[arg(long)]
        quick: bool,
        #[command(flatten)]
        output: Output,
    },
}

#[derive(clap::Args)]
struct Trees {
    /// Tree: chess, connect4, drawn, uniform, random, ordered, ordered:PERCENT, transposing
    #[arg(long, default_value = "chess", value_name = "KIND")]
    tree: String,
    /// Plies to search (synthetic trees are that deep)
    #[arg(long, short, default_value_t = 4, value_name = "PLIES")]
    depth: u32,
    /// Branches at a node of a synthetic tree
    #[arg(long, short, default_value_t = 5, value_name = "N")]
    width: u32,
    /// Trees; for chess the first N Bratko-Kopec positions
    #[arg(long, short = 'n', default_value_t = 24, value_name = "N")]
    count: usize,
    /// Seed of the first tree
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
    /// How well a parent's static value foretells its children's (synthetic trees)
    #[arg(long, default_value_t = 50, value_name = "PERCENT")]
    correlation: u8,
    /// One tree of your own: a FEN, columns as in 4453, or a drawing as in "((5 4) (6 1))"
    #[arg(long, short, value_name = "TEXT")]
    position: Option<String>,
}

#[derive(clap::Args)]
struct Figure8Args {
    /// Shallowest depth
    #[arg(long, default_value_t = 2, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(1..=12))]
    from: u32,
    /// Deepest depth
    #[arg(long, short, default_value_t = 6, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(1..=12))]
    depth: u32,
    /// Positions, from the first of the 24
    #[arg(long, default_value_t = 24, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=24))]
    limit: u32,
    /// Sizes of the transposition table, in entries
    #[arg(long, value_delimiter = ',', default_value = "8000,1000000", value_name = "N,N", value_parser = clap::value_parser!(u32).range(1..=(1 << 27)))]
    tables: Vec<u32>,
    /// Take the static value at the horizon instead of a quiescence search of captures
    #[arg(long)]
    no_quiescence: bool,
    /// Use all processors: node counts are the same, CPU times less honest
    #[arg(long)]
    all_threads: bool,
    #[command(flatten)]
    output: Output,
}

#[derive(clap::Args)]
struct Output {
    /// Print one JSON document instead of tables
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print comma-separated values instead of tables
    #[arg(long)]
    csv: bool,
    /// Also write NAME.json, NAME.csv, NAME.html and its pictures into this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// What `lab compare` runs when nothing is named.
const DEFAULT: [&str; 12] = [
    "alphabeta",
    "aspiration",
    "scout",
    "pvs-r",
    "negascout",
    "alphabeta+id",
    "pvs-r+id+ref",
    "pvs-r+id+killers+hist",
    "pvs-r+id+trans=1000000",
    "pvs-r+id+trans=1000000+killers+hist",
    "mtdf+id+trans=1000000+two+killers+hist",
    "pvs-r+id+trans=1000000+killers+hist+etc",
];

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    match &args.command {
        Command::List(output) => {
            let report = studies::register();
            output.write("list", &names(), &report)?;
        }
        Command::Run { contestant, trees, output } => {
            let request = trees.request();
            let found = Grove::grow(&request)?.solve(&request, contestant)?;
            output.write("run", &found, &studies::solutions(&found))?;
        }
        Command::Compare { contestants, trees, one_thread, output } => {
            let request = trees.request();
            let contestants = match contestants.is_empty() {
                true => DEFAULT.iter().map(|text| text.parse()).collect::<Result<_, _>>()?,
                false => contestants.clone(),
            };
            let threads = if *one_thread { Threads::One } else { Threads::All };
            let table =
                with_progress(|say| Grove::grow(&request)?.compare(&request, &contestants, threads, say))?;
            output.write("compare", &table, &studies::comparison(&table))?;
        }
        Command::Figure8(args) => {
            let figure = with_progress(|say| figure8(&args.settings(), say));
            args.output.write("figure8", &figure, &studies::figure8(&figure))?;
        }
        Command::Parallel { schemes, processors, trees, output } => {
            let request = trees.request();
            let schemes = match schemes.is_empty() {
                true => Scheme::ALL.map(|entry| entry.0).into(),
                false => schemes.clone(),
            };
            let mut processors: Vec<usize> = processors.iter().map(|&count| count as usize).collect();
            processors.sort_unstable();
            processors.dedup();
            let found =
                with_progress(|say| Grove::grow(&request)?.scale(&request, &schemes, &processors, say))?;
            output.write("parallel", &found, &studies::scaling(&found))?;
        }
        Command::Claims { quick, output } => {
            let found = with_progress(|say| claims(*quick, say));
            output.write("claims", &found, &studies::claims(&found))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

impl Trees {
    fn request(&self) -> Request {
        Request {
            tree: self.tree.clone(),
            width: self.width,
            depth: self.depth,
            seed: self.seed,
            count: self.count,
            correlation: self.correlation,
            position: self.position.clone(),
        }
    }
}

impl Figure8Args {
    fn settings(&self) -> Settings {
        Settings {
            from: self.from,
            to: self.depth,
            positions: self.limit as usize,
            tables: self.tables.iter().map(|&entries| entries as usize).collect(),
            quiescence: !self.no_quiescence,
            threads: if self.all_threads { Threads::All } else { Threads::One },
        }
    }
}

#[derive(Serialize)]
struct Names {
    algorithms: Vec<&'static str>,
    switches: Vec<&'static str>,
}

fn names() -> Names {
    Names {
        algorithms: ::lab::algorithms::REGISTER.iter().map(|entry| entry.name).collect(),
        switches: ::lab::enhanced::register::SWITCHES.iter().map(|switch| switch.name).collect(),
    }
}

/// Shows on a terminal's standard error what is being run; hidden where that is no terminal.
fn with_progress<T>(work: impl FnOnce(&mut dyn FnMut(&str)) -> T) -> T {
    let bar = ProgressBar::new_spinner();
    bar.enable_steady_tick(Duration::from_millis(120));
    let result = work(&mut |what| bar.set_message(what.to_owned()));
    bar.finish_and_clear();
    result
}

impl Output {
    fn write<T: Serialize>(&self, study: &str, result: &T, report: &Report) -> anyhow::Result<()> {
        let json = report::json(study, result)?;
        if let Some(folder) = &self.out {
            write_files(folder, study, &json, report)?;
        }
        let text = match (self.json, self.csv) {
            (true, _) => json,
            (_, true) => report.csv(),
            _ => report.text(console_width()),
        };
        match writeln!(std::io::stdout(), "{}", text.trim_end()) {
            // A reader like `head` may leave early.
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
            other => Ok(other?),
        }
    }
}

/// Columns of the terminal if the shell tells, else enough for the widest table but for the claims'.
pub fn console_width() -> u16 {
    let told = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    told.unwrap_or(140).max(60)
}

fn write_files(folder: &Path, study: &str, json: &str, report: &Report) -> anyhow::Result<()> {
    let write = |name: String, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
    };
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    write(format!("{study}.json"), json)?;
    write(format!("{study}.csv"), &report.csv())?;
    write(format!("{study}.html"), &html::page(report, "firstborn lab"))?;
    for (i, chart) in report.charts.iter().enumerate() {
        write(format!("{study}-{}.svg", i + 1), &chart.svg())?;
    }
    Ok(())
}
