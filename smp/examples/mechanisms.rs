//! What is each mechanism of Young Brothers Wait worth?
//! `cargo run --release -p smp --features studies --example mechanisms -- POSITIONS.epd [NODES [SEEDS [TEAM..]]]`
//!
//! The virtual clock runs the same searches with all mechanisms, and with each one switched off. The table is CSV,
//! a line for each search: which mechanism is off, scheme, threads, position, seed, virtual seconds, nodes, and the
//! node rate of a busy thread. A position is searched to the depth that its line names (`acd`, as `firstborn
//! scaling --pilot` writes it), or else to the first that takes one thread NODES (500,000). A TEAM is a scheme
//! and its threads, as `hybrid 16`, or `hybrid/2 16` with at most two threads in each of its teams.

use chess::{Game, Position};
use engine::tt::Table;
use engine::worker::Task;
use smp::pool::PoolError;
use smp::pool::accounts::Accounts;
use smp::schemes::Scheme;
use smp::schemes::rules::{Mechanism, RuleSet, Rules, Usual};
use smp::simulation::{Setup, simulate_by};
use std::error::Error;
use std::fmt;
use std::io::{self, Write};
use std::str::FromStr;
use std::sync::Arc;
use thinking::report::Limits;

const HASH_MIB: usize = 64;
const ALONE: Team = Team { scheme: Scheme::Serial, threads: 1, members: None };
const TEAMS: [&str; 4] = ["ybw 2", "ybw 4", "ybw 16", "hybrid 16"];

/// Names a set of rules.
macro_rules! rules {
    ($($name:ident = $rules:expr;)+) => {
        $(
            struct $name;
            impl RuleSet for $name {
                const RULES: Rules = $rules;
                type Others = Usual;
            }
        )+
    };
}

rules! {
    InAdvance = Rules::USUAL.without(Mechanism::InAdvance);
    BeforeFirst = Rules::USUAL.without(Mechanism::BeforeFirst);
    ReadingAhead = Rules::USUAL.without(Mechanism::ReadingAhead);
    ReadingAlong = Rules::USUAL.without(Mechanism::ReadingAlong);
    ReadingDeeper = Rules::USUAL.without(Mechanism::ReadingDeeper);
    Turns = Rules::USUAL.without(Mechanism::Turns);
    Marks = Rules::USUAL.without(Mechanism::Marks);
    ManyHelpers = Rules { most_helpers: usize::MAX, ..Rules::USUAL };
    Finer = Rules { large_team_depth: Rules::USUAL.ybw_depth, ..Rules::USUAL };
}

type Search = fn(&Setup, Arc<Table>, Task, Limits) -> Result<Accounts, PoolError>;

fn by<R: RuleSet>(
    setup: &Setup,
    table: Arc<Table>,
    task: Task,
    limits: Limits,
) -> Result<Accounts, PoolError> {
    Ok(simulate_by::<R>(setup, table, task, limits)?.accounts)
}

const VARIANTS: [(&str, Search); 10] = [
    ("none", by::<Usual>),
    ("in advance", by::<InAdvance>),
    ("before the first move", by::<BeforeFirst>),
    ("reading ahead", by::<ReadingAhead>),
    ("reading along", by::<ReadingAlong>),
    ("reading deeper", by::<ReadingDeeper>),
    ("turns", by::<Turns>),
    ("marks of readers", by::<Marks>),
    ("at most three helpers", by::<ManyHelpers>),
    ("a ply deeper in large teams", by::<Finer>),
];

/// Who searches: a scheme, its threads, and the most members of one of `hybrid`'s teams if it is not the usual number.
#[derive(Clone, Copy)]
struct Team {
    scheme: Scheme,
    threads: usize,
    members: Option<usize>,
}

impl FromStr for Team {
    type Err = Box<dyn Error>;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (name, threads) = text.split_once(' ').ok_or("a team is a scheme and its threads")?;
        let (scheme, members) =
            name.split_once('/').map_or((name, None), |(scheme, most)| (scheme, Some(most)));
        let members = members.map(str::parse).transpose()?;
        Ok(Team { scheme: scheme.parse()?, threads: threads.parse()?, members })
    }
}

/// As the table names it, without its threads.
impl fmt::Display for Team {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.scheme)?;
        self.members.map_or(Ok(()), |members| write!(f, "/{members}"))
    }
}

fn search(by: Search, team: Team, seed: u64, task: &Task, depth: u32) -> Result<Accounts, Box<dyn Error>> {
    let setup = Setup { seed: Some(seed), team: team.members, ..Setup::new(team.scheme, team.threads) };
    let limits = Limits { depth: Some(depth), ..Limits::default() };
    Ok(by(&setup, Arc::new(Table::new(HASH_MIB)?), task.clone(), limits)?)
}

/// The depth that a line of EPD names.
fn named_depth(line: &str) -> Option<u32> {
    line.split_once("acd ")?.1.split(';').next()?.trim().parse().ok()
}

/// What one thread takes to the depth that is named, or to the first that takes so many nodes.
fn alone(task: &Task, named: Option<u32>, enough: u64) -> Result<(u32, Accounts), Box<dyn Error>> {
    let mut depth = named.unwrap_or(8);
    loop {
        let alone = search(by::<Usual>, ALONE, 1, task, depth)?;
        if named.is_some() || alone.total_nodes() >= enough || depth >= 40 {
            return Ok((depth, alone));
        }
        depth += 1;
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let file = args.next().ok_or("name a file of positions")?;
    let enough: u64 = args.next().map_or(Ok(500_000), |text| text.parse())?;
    let seeds: u64 = args.next().map_or(Ok(1), |text| text.parse())?;
    let named: Vec<String> = args.collect();
    let teams = if named.is_empty() { TEAMS.map(String::from).to_vec() } else { named };
    let teams: Vec<Team> = teams.iter().map(|text| text.parse()).collect::<Result<_, _>>()?;
    let mut out = io::stdout().lock();
    writeln!(out, "without,scheme,threads,position,seed,depth,seconds,nodes,busy_rate")?;
    for line in std::fs::read_to_string(file)?.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split_whitespace().take(4).collect();
        let fen = fields.join(" ");
        let task = Task::from(&Game::new(Position::from_fen(&format!("{fen} 0 1"))?));
        let (depth, alone) = alone(&task, named_depth(line), enough)?;
        let mut tell = |without, team: Team, seed, found: &Accounts| {
            let (seconds, nodes) = (found.time.as_secs_f64(), found.total_nodes());
            let (threads, rate) = (team.threads, found.busy_rate());
            writeln!(out, "{without},{team},{threads},{fen},{seed},{depth},{seconds:.4},{nodes},{rate:.0}")?;
            out.flush()
        };
        tell("none", ALONE, 1, &alone)?;
        for seed in 1..=seeds {
            for &team in &teams {
                for (without, by) in VARIANTS {
                    tell(without, team, seed, &search(by, team, seed, &task, depth)?)?;
                }
            }
        }
    }
    Ok(())
}
