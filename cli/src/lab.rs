//! `firstborn lab`: the literature's algorithms on the same trees, listed, run, compared and held to their
//! claims.

use crate::folder::{Folder, STOPPED};
use crate::interrupt::{INTERRUPTED, on_interrupt};
use crate::provenance::provenance;
use ::lab::enhanced::Contestant;
use ::lab::parallel::Scheme;
use ::lab::report::{self, studies};
use ::lab::show::{Figure, MAX_PROCESSORS, Searcher, page};
use ::lab::study::claims::{SYSTEMS, claims};
use ::lab::study::contest::Threads;
use ::lab::study::figure8::{Settings, figure8};
use ::lab::study::grove::{Grove, Request};
use ::lab::study::{GivenUp, Watch};
use anyhow::ensure;
use clap::Subcommand;
use figures::{Download, Report, html};
use indicatif::ProgressBar;
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;
use sys::output::Outputs;

/// Run the game-tree searches of the literature and compare them
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
    /// Write a page that shows a search on its tree, step by step
    Show(ShowArgs),
    /// Redraw Marsland's figure 8: searches on Bratko-Kopec in percent of direct alpha-beta
    Figure8(Figure8Args),
    /// Run the historical parallel searches on simulated processors, in virtual time
    Parallel {
        /// Schemes to run: tree-splitting, mandatory-first, pv-splitting, ybw, abdada, lazy [default: all]
        schemes: Vec<Scheme>,
        /// Numbers of processors
        #[arg(
            long, short = 'P', value_delimiter = ',', default_value = "1,2,4,8,16,32,64",
            value_name = "N,N", value_parser = clap::value_parser!(u32).range(1..=1024)
        )]
        processors: Vec<u32>,
        #[command(flatten)]
        trees: Trees,
        #[command(flatten)]
        output: Output,
    },
    /// Test every claim of the literature by measurement
    Claims {
        /// Small samples, under a minute; do not quote the numbers
        #[arg(long)]
        quick: bool,
        /// Only the claims about these systems, by their numbers in the report [default: all]
        #[arg(
            long, value_delimiter = ',', value_name = "N,N",
            value_parser = clap::value_parser!(u32).range(1..=i64::from(SYSTEMS))
        )]
        systems: Vec<u32>,
        #[command(flatten)]
        output: Output,
    },
}

#[derive(clap::Args)]
struct Trees {
    #[command(flatten)]
    kind: Tree,
    /// Trees; for chess the first N of the 24 Bratko-Kopec positions [default: 24]
    #[arg(long, short = 'n', value_name = "N")]
    count: Option<usize>,
}

#[derive(clap::Args)]
struct Tree {
    /// Tree: chess, connect4, drawn, uniform, independent, random, ordered, ordered:PERCENT, reversed,
    /// transposing. A reversed tree needs (2 x width)^plies below 49,000: four plies at width 5
    #[arg(long, default_value = "chess", value_name = "KIND")]
    tree: String,
    /// Plies to search; also the depth of synthetic trees [default: 4; a drawn tree to its leaves]
    #[arg(long, short, value_name = "PLIES")]
    depth: Option<u32>,
    /// Branches at a node of a synthetic tree [default: 5]
    #[arg(long, short, value_name = "N")]
    width: Option<u32>,
    /// Seed of the first synthetic tree, or of connect-four positions [default: 1]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Weight of what is not noise in the static values of synthetic trees, in percent. In ordered and reversed
    /// trees it blurs the nodes above the leaves alone; independent trees have noise only [default: 50]
    #[arg(long, value_name = "PERCENT")]
    correlation: Option<u8>,
    /// One tree of your own: a FEN, columns as in 4453, or a drawing as in "((5 4) (6 1))"
    #[arg(long, short, value_name = "TEXT")]
    position: Option<String>,
}

#[derive(clap::Args)]
struct ShowArgs {
    /// One search or two, side by side: algorithms with switches, or parallel schemes, as in alphabeta,ybw
    #[arg(value_delimiter = ',', value_name = "SEARCH,SEARCH", required_unless_present = "figure")]
    searches: Vec<Searcher>,
    /// Draw a figure of Marsland's review: 2 alpha-beta, 4 the horizon effect, 6 principal variation search
    #[arg(long, value_name = "N", value_parser = ["2", "4", "6"], conflicts_with_all = [
        "searches", "tree", "depth", "width", "seed", "correlation", "position", "processors",
    ])]
    figure: Option<String>,
    /// Processors of parallel schemes
    #[arg(long, short = 'P', default_value_t = 4, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_PROCESSORS)))]
    processors: u32,
    #[command(flatten)]
    tree: Tree,
    /// Write show.html into this folder
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Print one JSON document instead of a table
    #[arg(long)]
    json: bool,
}

#[derive(clap::Args)]
struct Figure8Args {
    /// Shallowest depth
    #[arg(
        long, default_value_t = 2, value_name = "PLIES",
        value_parser = clap::value_parser!(u32).range(1..=12)
    )]
    from: u32,
    /// Deepest depth
    #[arg(
        long, short, default_value_t = 6, value_name = "PLIES",
        value_parser = clap::value_parser!(u32).range(1..=12)
    )]
    depth: u32,
    /// Positions, from the first of the 24
    #[arg(long, default_value_t = 24, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=24))]
    limit: u32,
    /// Sizes of the transposition table, in entries
    #[arg(
        long, value_delimiter = ',', default_value = "8000,1000000", value_name = "N,N",
        value_parser = clap::value_parser!(u32).range(1..=(1 << 27))
    )]
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
    /// Also write NAME.json, NAME.csv, NAME.html and its pictures into this folder; of a study that is stopped,
    /// beside an earlier one, as stopped-NAME
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
        Command::List(output) => Study::begin("list", output)?.end(&names(), &studies::register(), 0, &[]),
        Command::Run { contestant, trees, output } => {
            let mut study = Study::begin("run", output)?;
            let grove = Grove::grow(&trees.request())?;
            let found = study.watch(|watch| grove.solve(contestant, watch))??;
            study.end(&found, &studies::solutions(&found), found.left_out, &found.given_up)
        }
        Command::Compare { contestants, trees, one_thread, output } => {
            let contestants = match contestants.is_empty() {
                true => DEFAULT.iter().map(|text| text.parse()).collect::<Result<_, _>>()?,
                false => contestants.clone(),
            };
            let threads = if *one_thread { Threads::One } else { Threads::All };
            let mut study = Study::begin("compare", output)?;
            let grove = Grove::grow(&trees.request())?;
            let found = study.watch(|watch| grove.compare(&contestants, threads, watch))??;
            study.end(&found, &studies::comparison(&found), found.left_out.len(), &found.given_up)
        }
        Command::Show(args) => show(args),
        Command::Figure8(args) => {
            let settings = args.settings()?;
            let mut study = Study::begin("figure8", &args.output)?;
            let found = study.watch(|watch| figure8(&settings, watch))?;
            study.end(&found, &studies::figure8(&found), found.left_out, &[])
        }
        Command::Parallel { schemes, processors, trees, output } => {
            let schemes = match schemes.is_empty() {
                true => Scheme::ALL.map(|entry| entry.0).into(),
                false => distinct(schemes),
            };
            let mut processors: Vec<usize> = processors.iter().map(|&count| count as usize).collect();
            processors.sort_unstable();
            processors.dedup();
            let mut study = Study::begin("parallel", output)?;
            let grove = Grove::grow(&trees.request())?;
            let found = study.watch(|watch| grove.scale(&schemes, &processors, watch))??;
            study.end(&found, &studies::scaling(&found), found.left_out, &[])
        }
        Command::Claims { quick, systems, output } => {
            let mut study = Study::begin("claims", output)?;
            let found = study.watch(|watch| claims(*quick, systems, watch))?;
            study.end(&found, &studies::claims(&found), found.left_out, &[])
        }
    }
}

/// Each once, in the order of their first mention.
fn distinct(schemes: &[Scheme]) -> Vec<Scheme> {
    let mut kept = Vec::new();
    for scheme in schemes {
        if !kept.contains(scheme) {
            kept.push(*scheme);
        }
    }
    kept
}

impl Trees {
    fn request(&self) -> Request {
        Request { count: self.count, ..self.kind.request() }
    }
}

impl Tree {
    fn request(&self) -> Request {
        Request {
            tree: self.tree.clone(),
            width: self.width,
            depth: self.depth,
            seed: self.seed,
            count: None,
            correlation: self.correlation,
            position: self.position.clone(),
        }
    }
}

/// Records the searches, writes the page, and says what it holds.
fn show(args: &ShowArgs) -> anyhow::Result<ExitCode> {
    let mut folder = Folder::open(&args.out, Outputs::new(), &["show.html"])?;
    let figure = args.figure.as_deref().and_then(Figure::numbered);
    let (searches, request, title) = match figure {
        Some(figure) => (vec![figure.search.parse()?], figure.request(), figure.title.to_owned()),
        None => (args.searches.clone(), args.tree.request().alone(), String::new()),
    };
    let shown = Grove::grow(&request)?.show(&searches, args.processors)?;
    let names: Vec<&str> = shown.searches.iter().map(|search| search.name.as_str()).collect();
    let title = if title.is_empty() { names.join(" and ") } else { title };
    let facts = provenance().lines();
    folder.write("show.html", &page(&shown, &title, &facts)?)?;
    let report = Report { facts, ..studies::shown(&shown) };
    let text = match args.json {
        true => report::json("show", &report.facts, &shown)?,
        false => report.text(crate::terminal::width()),
    };
    print(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// Prints a document; a reader like `head` may leave early.
fn print(text: &str) -> std::io::Result<()> {
    match writeln!(std::io::stdout(), "{}", text.trim_end()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

impl Figure8Args {
    fn settings(&self) -> anyhow::Result<Settings> {
        let Figure8Args { from, depth, .. } = *self;
        ensure!(from <= depth, "--from {from} is deeper than --depth {depth}: there is nothing to search");
        let mut tables: Vec<usize> = self.tables.iter().map(|&entries| entries as usize).collect();
        tables.sort_unstable();
        tables.dedup();
        Ok(Settings {
            from,
            to: depth,
            positions: self.limit as usize,
            tables,
            quiescence: !self.no_quiescence,
            threads: if self.all_threads { Threads::All } else { Threads::One },
        })
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

/// A study from the first search to the last file.
struct Study<'a> {
    name: &'static str,
    output: &'a Output,
    folder: Option<Folder>,
    stop: Arc<AtomicBool>,
}

impl<'a> Study<'a> {
    /// Finds out first whether there is room for what will be found.
    fn begin(name: &'static str, output: &'a Output) -> anyhow::Result<Self> {
        let named = |prefix: &str| ["json", "csv", "html"].map(|kind| format!("{prefix}{name}.{kind}"));
        let files = [named(""), named(STOPPED)].concat();
        let open = |path| Folder::open(path, Outputs::new(), &files);
        let folder = output.out.as_deref().map(open).transpose()?;
        Ok(Self { name, output, folder, stop: Arc::default() })
    }

    /// Runs it. What is being run is shown on a terminal's standard error; Ctrl-C ends it after the searches
    /// at hand, which may take long and is therefore said at once.
    fn watch<T>(&mut self, work: impl FnOnce(&mut Watch<'_>) -> T) -> anyhow::Result<T> {
        let bar = ProgressBar::new_spinner();
        let (stop, shown) = (Arc::clone(&self.stop), bar.clone());
        on_interrupt(move || {
            if stop.swap(true, Relaxed) {
                std::process::exit(i32::from(INTERRUPTED));
            }
            shown.suspend(|| {
                // A closed pipe is no reason to go on.
                let _ = writeln!(
                    std::io::stderr(),
                    "firstborn: stopping when the running searches have ended; Ctrl-C again ends at once, with nothing"
                );
            });
        })?;
        bar.enable_steady_tick(Duration::from_millis(120));
        let mut hear = |what: &str| bar.set_message(what.to_owned());
        let result = work(&mut Watch::new(&mut hear, &self.stop));
        bar.finish_and_clear();
        Ok(result)
    }

    /// Prints it, then writes it. `left_out` is how much a Ctrl-C has cost it: with nothing found it is not written,
    /// and it replaces no earlier one.
    fn end<T: Serialize>(
        mut self,
        result: &T,
        report: &Report,
        left_out: usize,
        given_up: &[GivenUp],
    ) -> anyhow::Result<ExitCode> {
        let report = Report { facts: provenance().lines(), ..report.clone() };
        let json = report::json(self.name, &report.facts, result)?;
        let text = match (self.output.json, self.output.csv) {
            (true, _) => json.clone(),
            (_, true) => report.csv(),
            _ => report.text(crate::terminal::width()),
        };
        print(&text)?;
        let nothing = left_out > 0 && report.data.as_ref().is_some_and(|data| data.rows.is_empty());
        let mut said = String::new();
        match &mut self.folder {
            None => {}
            Some(_) if nothing => said.push_str("; no file is written"),
            Some(folder) if left_out > 0 && folder.has(&format!("{}.json", self.name)) => {
                let name = format!("{STOPPED}{}", self.name);
                write_files(folder, &name, &json, &report)?;
                said = format!("; the earlier {}.json stays, this is in {name}.json", self.name);
            }
            Some(folder) => write_files(folder, self.name, &json, &report)?,
        }
        for one in given_up {
            eprintln!("firstborn: {one}; choose a smaller depth, or mtdf+trans=ENTRIES");
        }
        if left_out > 0 {
            let found = if nothing { "nothing was finished" } else { "what was finished is above" };
            eprintln!("firstborn: stopped; {found}, {left_out} left out{said}");
            return Ok(ExitCode::from(INTERRUPTED));
        }
        Ok(if given_up.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

fn write_files(folder: &mut Folder, study: &str, json: &str, report: &Report) -> anyhow::Result<()> {
    let files = [(format!("{study}.json"), format!("{json}\n")), (format!("{study}.csv"), report.csv())];
    for (name, text) in &files {
        folder.write(name, text)?;
    }
    let downloads = files.map(|(name, text)| Download::new(name, text)).into();
    let report = Report { downloads, ..report.clone() };
    folder.write(&format!("{study}.html"), &html::page(&report, "firstborn lab"))?;
    for (i, picture) in report.pictures().into_iter().enumerate() {
        folder.write(&format!("{study}-{}.svg", i + 1), &picture)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Args as _, Command as Clap};
    use figures::Table;
    use std::fs;

    /// A study that has found so many of three.
    fn ended(out: &std::path::Path, found: usize) -> ExitCode {
        let mut data = Table::new("data", &["found"]);
        (0..found).for_each(|number| data.row([number.to_string()]));
        let report = Report { data: Some(data), ..Report::default() };
        let output = Output { json: true, csv: false, out: Some(out.to_owned()) };
        let study = Study::begin("claims", &output).unwrap();
        study.end(&std::collections::BTreeMap::from([("found", found)]), &report, 3 - found, &[]).unwrap()
    }

    /// A first one that was stopped is kept, and so is each that is whole; of a later one that was stopped what there
    /// is lies beside it.
    #[test]
    fn a_stopped_study_replaces_no_earlier_one() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path();
        let held = |name: &str| -> Option<u64> {
            let document = fs::read_to_string(out.join(name)).ok()?;
            serde_json::from_str::<serde_json::Value>(&document).unwrap()["found"].as_u64()
        };
        let [claims, stopped] = ["claims.json", "stopped-claims.json"];
        for (found, whole, beside) in [
            (0, None, None),
            (1, Some(1), None),
            (0, Some(1), None),
            (3, Some(3), None),
            (2, Some(3), Some(2)),
        ] {
            let status = ended(out, found);
            let wanted = if found == 3 { ExitCode::SUCCESS } else { ExitCode::from(INTERRUPTED) };
            assert_eq!(format!("{status:?}"), format!("{wanted:?}"), "{found}");
            assert_eq!((held(claims), held(stopped)), (whole, beside), "{found}");
        }
        assert!(out.join("stopped-claims.html").exists() && out.join("claims.html").exists());
    }

    /// Of several trees a page shows the first: what counts them is no option of `show`.
    #[test]
    fn show_lists_the_options_of_run_but_for_the_number_of_trees() {
        let line = Args::augment_args(Clap::new("lab"));
        let options = |name: &str| -> Vec<String> {
            let command = line.find_subcommand(name).unwrap();
            command.get_arguments().filter_map(|option| option.get_long()).map(str::to_owned).collect()
        };
        let (run, show) = (options("run"), options("show"));
        let missing: Vec<&String> = run.iter().filter(|option| !show.contains(option)).collect();
        assert_eq!(missing, ["count", "csv"]);
    }
}
