//! `firstborn analyze`: thinks aloud about one position, then explains its verdict.

use crate::interrupt::on_interrupt;
use crate::options::{Evaluation, Resources, SearchLimits, position};
use crate::provenance::evaluated_by;
use crate::ranks::Sharing;
use chess::{Color, Game, Move, Position};
use engine::worker::Task;
use figures::table::counted;
use nnue::Network;
use serde_json::json;
use smp::pool::Pool;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::Duration;
use thinking::report::{Bound, Info, Observer, Verdict};
use thinking::score::Reported;

/// Time to search when no limit is given.
const THINK: Duration = Duration::from_secs(5);

/// Analyse a position, then explain the result
///
/// Shows each principal variation as it is found, then the best move and what speaks for it. Searches for five
/// seconds on all cores unless options say otherwise; Ctrl-C ends the search early and still shows the result.
#[derive(clap::Args)]
pub struct Args {
    /// The position, as a FEN (quotes optional) [default: the start position]
    #[arg(value_name = "FEN", num_args = 0..=6)]
    fen: Vec<String>,
    #[command(flatten)]
    resources: Resources,
    #[command(flatten)]
    limits: SearchLimits,
    #[command(flatten)]
    evaluation: Evaluation,
    #[command(flatten)]
    sharing: Sharing,
    /// How many best lines to show
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    multipv: u16,
    /// Print one JSON document instead of tables
    #[arg(long)]
    json: bool,
}

impl Args {
    /// What searches.
    pub fn pool(&self) -> anyhow::Result<Pool> {
        self.resources.pool(&self.evaluation)
    }
}

enum Told {
    Line(Info),
    Verdict(Verdict),
}

/// Passes what the search tells to the thread that prints.
struct Teller(Mutex<mpsc::Sender<Told>>);

impl Teller {
    fn tell(&self, told: Told) {
        // A closed channel only means that the program is ending.
        let _ = self.0.lock().unwrap_or_else(PoisonError::into_inner).send(told);
    }
}

impl Observer for Teller {
    fn info(&self, info: &Info) {
        self.tell(Told::Line(info.clone()));
    }
    fn verdict(&self, verdict: &Verdict) {
        self.tell(Told::Verdict(verdict.clone()));
    }
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let position = position(&args.fen)?;
    let mut pool = args.pool()?;
    let network = pool.network().cloned();
    let provenance = evaluated_by(network.as_deref());
    crate::ranks::lead(&mut pool, &args.sharing);
    let pool = Arc::new(Mutex::new(pool));
    let threads = args.resources.thread_count();
    if !args.json {
        println!("{}\n", board(&position));
        println!("{position}");
        println!(
            "{}{}, {} MiB table, scheme {}, driver {}\n",
            if crate::ranks::over_ranks() { "rank 0: " } else { "" },
            counted(threads as u64, "thread"),
            args.resources.hash,
            args.resources.scheme,
            args.resources.driver
        );
        println!("depth    score     time       nodes      nps  line");
    }
    let (sender, told) = mpsc::channel();
    let task = Task::from(&Game::new(position.clone()));
    let limits = args.limits.limits(THINK);
    lock(&pool).go(task, limits, usize::from(args.multipv), Arc::new(Teller(Mutex::new(sender))));
    let interrupted = Arc::clone(&pool);
    // Without a handler Ctrl-C ends the program the ordinary way, which loses only the verdict.
    let _ = on_interrupt(move || lock(&interrupted).stop());
    let mut verdict = Verdict::default();
    // The lines told last, one for each rank: they are told together, the best first.
    let mut lines = Vec::new();
    for told in told {
        match told {
            Told::Line(info) => {
                if !args.json {
                    println!("{}", row(&position, &info));
                }
                if info.multipv == 1 {
                    lines.clear();
                }
                lines.push(info);
            }
            Told::Verdict(found) => {
                verdict = found;
                break;
            }
        }
    }
    if args.json {
        let mut document = document(args, &position, &verdict, &lines, threads);
        document["provenance"] = json!(provenance);
        println!("{document}");
    } else {
        println!("\n{}\n", explanation(&position, &verdict, &lock(&pool), network.as_deref()).trim_end());
        print_exchanged();
        println!("{provenance}");
    }
    Ok(ExitCode::SUCCESS)
}

/// What the ranks of a cluster sent each other, and how much of it was used.
fn print_exchanged() {
    let ranks = crate::ranks::exchanged();
    if ranks.is_empty() {
        return;
    }
    const COLUMNS: [(&str, &str); 10] = [
        ("rank", "rank"),
        ("nodes", "nodes"),
        ("sent", "sent"),
        ("dropped", "dropped"),
        ("received", "received"),
        ("probed", "probed"),
        ("cut", "cut"),
        ("results", "results_sent"),
        ("used", "results_used"),
        ("host", "host"),
    ];
    println!(
        "entries exchanged by rank; of those received so many were found again (probed) and ended a node \
         (cut); results of iterations sent, and those of others it went on from (used)"
    );
    println!("{}", COLUMNS.map(|(title, _)| format!("{title:>10}")).join(""));
    for rank in &ranks {
        let text = |name: &str| rank[name].as_str().map_or_else(|| rank[name].to_string(), str::to_owned);
        println!("{}", COLUMNS.map(|(_, name)| format!("{:>10}", text(name))).join(""));
    }
    println!();
}

fn lock(pool: &Mutex<Pool>) -> std::sync::MutexGuard<'_, Pool> {
    pool.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The board as a diagram, White below.
fn board(position: &Position) -> String {
    let mut rows = Vec::new();
    for rank in (0..8).rev() {
        let squares = (0..8).map(|file| {
            let piece = position.piece_on(chess::Square::at(file, rank));
            format!(" {}", piece.map_or('.', chess::Piece::letter))
        });
        rows.push(format!("  {} {}", rank + 1, squares.collect::<String>()));
    }
    rows.push("     a b c d e f g h".to_string());
    rows.join("\n")
}

/// The line in SAN, with move numbers.
fn san_line(position: &Position, line: &[Move]) -> String {
    let mut now = position.clone();
    let mut words = Vec::new();
    for (i, &mv) in line.iter().enumerate() {
        if !now.is_legal(mv) {
            break;
        }
        let number = now.fullmove_number();
        let san = now.san(mv);
        words.push(match now.side_to_move() {
            Color::White => format!("{number}.{san}"),
            Color::Black if i == 0 => format!("{number}...{san}"),
            Color::Black => san,
        });
        now.play(mv);
    }
    words.join(" ")
}

fn score_text(reported: Reported, bound: Bound) -> String {
    let mark = match bound {
        Bound::Exact => "",
        Bound::Lower => "+",
        Bound::Upper => "-",
    };
    match reported {
        Reported::Centipawns(cp) => format!("{:+.2}{mark}", f64::from(cp) / 100.0),
        Reported::Mate(moves) => format!("#{moves}{mark}"),
    }
}

fn row(position: &Position, info: &Info) -> String {
    format!(
        "{:>2}/{:<3} {:>8} {:>7.2}s {:>11} {:>7}k  {}",
        info.depth,
        info.seldepth,
        score_text(info.reported(), info.bound),
        info.time.as_secs_f64(),
        info.nodes,
        info.nps() / 1000,
        san_line(position, &info.pv)
    )
}

fn judgement(reported: Reported, side: Color) -> String {
    match reported {
        Reported::Mate(0) => format!("{side:?} is mated."),
        Reported::Mate(moves) if moves > 0 => format!("{side:?} mates in {moves}."),
        Reported::Mate(moves) => format!("{:?} mates in {}.", !side, -moves),
        Reported::Centipawns(cp) => {
            let better = if cp >= 0 { side } else { !side };
            match cp.abs() {
                0..=25 => "The position is about even.".to_string(),
                26..=80 => {
                    format!("{better:?} is slightly better ({:.2} pawns).", f64::from(cp.abs()) / 100.0)
                }
                81..=250 => {
                    format!("{better:?} is clearly better ({:.2} pawns).", f64::from(cp.abs()) / 100.0)
                }
                _ => format!("{better:?} is winning ({:.2} pawns).", f64::from(cp.abs()) / 100.0),
            }
        }
    }
}

fn explanation(position: &Position, verdict: &Verdict, pool: &Pool, network: Option<&Network>) -> String {
    let side = position.side_to_move();
    let (Some(best), Some(info)) = (verdict.best, verdict.info.as_ref()) else {
        return format!("{side:?} has no move: {}.", ending(position).unwrap_or_default());
    };
    let mut text = vec![
        format!("{side:?} plays {} ({}).", position.san(best), position.uci(best)),
        judgement(info.reported(), side),
        format!("Expected: {}", san_line(position, &info.pv)),
        format!(
            "Searched {} to depth {} (longest line {}) in {:.2} s: {} per second with {}.",
            counted(info.nodes, "node"),
            verdict.finished,
            counted(info.seldepth, "ply"),
            info.time.as_secs_f64(),
            counted(info.nps(), "node"),
            threads_in_words(pool.threads() as u64, &threads_by_rank())
        ),
        String::new(),
        crate::brain::evaluation(position, network),
    ];
    if info.depth > verdict.finished {
        let exact = info.bound == Bound::Exact;
        let found = if exact { "not all moves were searched" } else { "the score is a bound" };
        text.insert(2, format!("The last iteration, to depth {}, was cut short: {found}.", info.depth));
    }
    text.join("\n")
}

/// How many threads searched, by rank; none without a cluster.
fn threads_by_rank() -> Vec<u64> {
    crate::ranks::exchanged().iter().filter_map(|rank| rank["threads"].as_u64()).collect()
}

/// The threads that searched: these, or of a cluster those of each rank or of all together.
fn threads_in_words(own: u64, by_rank: &[u64]) -> String {
    let threads = |count: u64| counted(count, "thread");
    let ranks = counted(by_rank.len() as u64, "rank");
    match by_rank {
        [] => threads(own),
        [first, others @ ..] if others.iter().all(|other| other == first) => {
            format!("{} on each of {ranks}", threads(*first))
        }
        _ => format!("{} on {ranks}", threads(by_rank.iter().sum())),
    }
}

/// How the game has ended, if no move is legal.
fn ending(position: &Position) -> Option<&'static str> {
    let end = if position.in_check() { "checkmate" } else { "stalemate" };
    (!position.has_legal_move()).then_some(end)
}

/// The moves of a line as UCI writes them.
fn uci_line(position: &Position, line: &[Move]) -> Vec<String> {
    let mut now = position.clone();
    let mut words = Vec::new();
    for &mv in line {
        words.push(now.uci(mv));
        now.play(mv);
    }
    words
}

fn score(info: &Info) -> serde_json::Value {
    match info.reported() {
        Reported::Centipawns(cp) => json!({ "cp": cp }),
        Reported::Mate(moves) => json!({ "mate": moves }),
    }
}

fn document(
    args: &Args,
    position: &Position,
    verdict: &Verdict,
    lines: &[Info],
    threads: usize,
) -> serde_json::Value {
    let uci = |mv: Move| position.uci(mv);
    let by_rank = threads_by_rank();
    let threads = if by_rank.is_empty() { threads as u64 } else { by_rank.iter().sum() };
    let info = verdict.info.as_ref();
    let ponder = verdict.best.zip(verdict.ponder).map(|(best, reply)| position.after(best).uci(reply));
    let bound = |bound| match bound {
        Bound::Exact => "exact",
        Bound::Lower => "lower",
        Bound::Upper => "upper",
    };
    let line = |info: &Info| {
        json!({
            "score": score(info), "bound": bound(info.bound), "depth": info.depth, "seldepth": info.seldepth,
            "pv": uci_line(position, &info.pv),
        })
    };
    let mut document = json!({
        "schema": 1,
        "fen": position.fen(),
        "bestmove": verdict.best.map(uci),
        "ending": ending(position),
        "ponder": ponder,
        "score": info.map(score),
        "depth": verdict.finished,
        "seldepth": info.map_or(0, |info| info.seldepth),
        "nodes": info.map_or(0, |info| info.nodes),
        "nps": info.map_or(0, Info::nps),
        "time_ms": info.map_or(0, |info| info.time.as_millis() as u64),
        "threads": threads,
        "scheme": args.resources.scheme.name(),
        "driver": args.resources.driver.name(),
        "pv": info.map_or_else(Vec::new, |info| uci_line(position, &info.pv)),
        "lines": lines.iter().map(line).collect::<Vec<_>>(),
    });
    let ranks = crate::ranks::exchanged();
    if !ranks.is_empty() {
        document["ranks"] = json!(ranks);
    }
    document
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_threads_of_all_ranks_are_told() {
        for (by_rank, told) in [
            (vec![], "3 threads"),
            (vec![16; 4], "16 threads on each of 4 ranks"),
            (vec![1; 2], "1 thread on each of 2 ranks"),
            (vec![16, 8], "24 threads on 2 ranks"),
        ] {
            assert_eq!(threads_in_words(3, &by_rank), told);
        }
    }
}
