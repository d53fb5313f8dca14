//! The figures of a battery: each entrant against one thread at the same position in the same round, as docs/scaling.md
//! defines them.

use super::{Entrant, Measured};
use crate::scaling::plan::Goal;
use crate::scaling::rows::{ByDepth, Factors, Pairs};
use crate::scaling::sample::Sample;
use crate::scaling::stats::{self, Estimate};
use figures::Table;
use figures::table::{count, counted, fixed, interval};
use smp::pool::accounts::Tally;

/// Seed of the bootstrap.
const SEED: u64 = 1;

/// One entrant's figures.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Who.
    pub entrant: Entrant,
    /// Positions.
    pub positions: usize,
    /// Searches.
    pub searches: usize,
    /// Time of one thread over the entrant's, with its interval.
    pub speedup: Estimate,
    /// The same to the depths before the last, if there are any.
    pub by_depth: Option<ByDepth>,
    /// Its nodes a second over those of one thread.
    pub rate: f64,
    /// Nodes over those of one thread, less 1.
    pub overhead: f64,
    /// Share of the threads' time with work.
    pub load: f64,
    /// What was counted, over all searches.
    pub tally: Tally,
}

/// The rows, in the order of `entrants`; who has not searched has none.
pub fn rows(entrants: &[Entrant], rounds: &[Vec<Measured>]) -> Vec<Row> {
    entrants.iter().filter_map(|&entrant| row(entrant, rounds)).collect()
}

/// The entrant's search of a round, behind that of one thread.
fn pair(entrant: Entrant, round: &[Measured]) -> Option<(&Sample, &Sample)> {
    let one = round.iter().find(|measured| measured.sample.threads == 1)?;
    let own = round.iter().find(|measured| measured.entrant() == entrant)?;
    Some((&one.sample, &own.sample))
}

fn row(entrant: Entrant, rounds: &[Vec<Measured>]) -> Option<Row> {
    let searches: Vec<(&Sample, &Sample)> = rounds.iter().filter_map(|round| pair(entrant, round)).collect();
    if searches.is_empty() {
        return None;
    }
    let pairs = Pairs::of(searches.iter().copied(), Goal::Depth);
    let mean = |factor: fn(&Factors) -> f64| stats::mean(&pairs.logs(factor)).exp();
    Some(Row {
        entrant,
        positions: pairs.positions.len(),
        searches: searches.len(),
        speedup: stats::geometric(&pairs.logs(|factors| factors.speedup), SEED),
        by_depth: pairs.by_depth(SEED),
        rate: mean(|factors| factors.nps),
        overhead: mean(|factors| factors.work) - 1.0,
        load: mean(|factors| factors.load),
        tally: searches.iter().fold(Tally::default(), |sum, (_, own)| sum + own.tally),
    })
}

/// The mean over the depths before the last and its interval; with the number of positions where the row has more.
fn before_the_last(row: &Row) -> [String; 2] {
    let Some(depths) = &row.by_depth else { return ["-", "-"].map(String::from) };
    let Estimate { mean, low, high } = depths.mean;
    let mut cell = fixed(mean, 2);
    if depths.positions < row.positions {
        cell += &format!(" ({})", counted(depths.positions as u64, "position"));
    }
    [cell, interval(low, high, 2)]
}

/// The rows as a table.
pub fn table(rows: &[Row]) -> Table {
    let headings = [
        "who",
        "positions",
        "searches",
        "speed-up",
        "95 % interval",
        "before the last",
        "95 % interval",
        "node rate",
        "overhead %",
        "load %",
        "splits",
        "joins",
        "refused",
        "aborted",
        "deferred",
        "again",
    ];
    let title = "Against one thread, and to the depths before the last (docs/scaling.md)";
    let mut table = Table::new(title, &headings);
    for row in rows {
        let tally = row.tally;
        let [before, before_interval] = before_the_last(row);
        table.row([
            row.entrant.to_string(),
            row.positions.to_string(),
            row.searches.to_string(),
            fixed(row.speedup.mean, 2),
            interval(row.speedup.low, row.speedup.high, 2),
            before,
            before_interval,
            format!("{:.2}", row.rate),
            fixed(100.0 * row.overhead, 1),
            format!("{:.1}", 100.0 * row.load),
            count(tally.splits),
            count(tally.joins),
            count(tally.refused),
            count(tally.aborted),
            count(tally.deferred),
            count(tally.again),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scaling::plan::Team;
    use crate::scaling::sample::Iteration;
    use smp::schemes::Scheme;

    /// A search to depth 9, which one thread takes twice as long for as for depth 8, and a team four times.
    fn measured(team: Team, position: &str, seconds: u64, nodes: u64) -> Measured {
        let time_ns = seconds * 1_000_000_000;
        let until_8 = time_ns / if team.threads == 1 { 2 } else { 4 };
        let sample = Sample {
            scheme: team.scheme,
            threads: team.threads,
            position: position.into(),
            repeat: 0,
            depth: 9,
            score: String::new(),
            best: String::new(),
            time_ns,
            nodes: vec![nodes / team.threads as u64; team.threads],
            idle_ns: vec![500_000_000; team.threads],
            tally: Tally { splits: 3, ..Tally::default() },
            traffic: None,
            machines: 1,
            ranks: Vec::new(),
            iterations: [(8, until_8), (9, time_ns)]
                .map(|(depth, time_ns)| Iteration { depth, time_ns, nodes })
                .to_vec(),
        };
        Measured { members: 4, bound: false, sample }
    }

    fn entrant(team: Team) -> Entrant {
        Entrant { team, members: 4, bound: false }
    }

    /// One position twice, where speed-ups of 4 and 1 have the mean 2 and nodes of 2 and 8 times as many the mean 4,
    /// and another one once, 8 times as fast in half the nodes. Means over positions: 4, and the root of 2; over
    /// searches 3.2 and 2. Loads are .5 and .75 there, and .5 here. To the depth before, speed-ups are twice as large.
    #[test]
    fn a_row_by_hand() {
        let (one, two) = (Team::new(Scheme::Serial, 1), Team::new(Scheme::Ybw, 2));
        let rounds = [
            vec![measured(two, "p", 1, 200), measured(one, "p", 4, 100)],
            vec![measured(one, "q", 8, 100), measured(two, "q", 1, 50)],
            vec![measured(one, "p", 2, 100), measured(two, "p", 2, 800)],
            vec![measured(one, "q", 7, 1)],
        ];
        let rows = rows(&[entrant(one), entrant(two), entrant(Team::new(Scheme::Lazy, 2))], &rounds);
        assert_eq!(rows.len(), 2, "none has searched by lazy");
        assert_eq!((rows[0].speedup.mean, rows[0].positions, rows[0].searches), (1.0, 2, 4));
        let row = &rows[1];
        assert_eq!((row.positions, row.searches, row.tally.splits), (2, 3, 9));
        let close =
            |found: f64, wanted: f64| assert!((found - wanted).abs() < 1e-6, "{found} {wanted}: {row:?}");
        close(row.speedup.mean, 4.0);
        close(row.rate, 32f64.sqrt());
        close(row.overhead, 2f64.sqrt() - 1.0);
        close(row.load, (0.375f64.sqrt() * 0.5).sqrt());
        // By Student's distribution with one degree of freedom, whose 97.5 % quantile is 12.7062.
        let half = 2f64.ln() * 12.706_204_736;
        close(row.speedup.low.ln(), 4f64.ln() - half);
        close(row.speedup.high.ln(), 4f64.ln() + half);
        let depths = row.by_depth.as_ref().expect("there is a depth before the last");
        assert_eq!((depths.positions, depths.before.len()), (2, 1));
        close(depths.mean.mean, 8.0);
        let table = table(&rows);
        assert_eq!(table.rows[1][..4], ["ybw 2", "2", "3", "4.00"]);
        assert_eq!(table.rows[1][5], "8.00");
    }

    /// A mate is found before the last depth at one of two positions.
    #[test]
    fn positions_without_a_depth_before_the_last_are_told() {
        let (one, two) = (Team::new(Scheme::Serial, 1), Team::new(Scheme::Ybw, 2));
        let mut rounds =
            ["p", "q"].map(|position| vec![measured(one, position, 4, 100), measured(two, position, 1, 200)]);
        let cells = |rounds: &[Vec<Measured>]| table(&rows(&[entrant(two)], rounds)).rows[0][3..7].to_vec();
        assert_eq!(cells(&rounds), ["4.00", "4.00 - 4.00", "8.00", "8.00 - 8.00"]);
        rounds[1][0].sample.iterations.pop();
        assert_eq!(cells(&rounds), ["4.00", "4.00 - 4.00", "8.00 (1 position)", "-"]);
        rounds[0][0].sample.iterations.pop();
        assert_eq!(cells(&rounds), ["4.00", "4.00 - 4.00", "-", "-"]);
    }
}
