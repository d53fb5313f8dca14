//! The figures of a battery: each entrant against one thread at the same position in the same round.

use super::{Entrant, Measured};
use crate::scaling::plan::Goal;
use crate::scaling::rows::Factors;
use figures::Table;
use figures::table::count;
use smp::pool::accounts::Tally;

/// One entrant's figures, as docs/scaling.md defines them.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Who.
    pub entrant: Entrant,
    /// Searches.
    pub searches: usize,
    /// Time of one thread over the entrant's.
    pub speedup: f64,
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

fn row(entrant: Entrant, rounds: &[Vec<Measured>]) -> Option<Row> {
    let pair = |round: &Vec<Measured>| {
        let one = round.iter().find(|measured| measured.sample.threads == 1)?;
        let own = round.iter().find(|measured| measured.entrant() == entrant)?;
        Some((Factors::new(&one.sample, &own.sample, Goal::Depth)?, own.sample.tally))
    };
    let pairs: Vec<(Factors, Tally)> = rounds.iter().filter_map(pair).collect();
    if pairs.is_empty() {
        return None;
    }
    let mean = |value: fn(&Factors) -> f64| {
        pairs.iter().map(|(factors, _)| value(factors)).sum::<f64>() / pairs.len() as f64
    };
    Some(Row {
        entrant,
        searches: pairs.len(),
        speedup: mean(|factors| factors.speedup).exp(),
        rate: mean(|factors| factors.nps).exp(),
        overhead: mean(|factors| factors.work).exp() - 1.0,
        load: mean(|factors| factors.load.exp()),
        tally: pairs.iter().fold(Tally::default(), |sum, &(_, tally)| sum + tally),
    })
}

/// The rows as a table.
pub fn table(rows: &[Row]) -> Table {
    let headings = [
        "who",
        "searches",
        "speed-up",
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
    let mut table = Table::new("Against one thread (docs/scaling.md)", &headings);
    for row in rows {
        let tally = row.tally;
        table.row([
            row.entrant.to_string(),
            row.searches.to_string(),
            format!("{:.2}", row.speedup),
            format!("{:.2}", row.rate),
            format!("{:.1}", 100.0 * row.overhead),
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
    use crate::scaling::sample::Sample;
    use smp::schemes::Scheme;

    fn measured(team: Team, seconds: u64, nodes: u64) -> Measured {
        let sample = Sample {
            scheme: team.scheme,
            threads: team.threads,
            position: "p".into(),
            repeat: 0,
            depth: 9,
            score: String::new(),
            best: String::new(),
            time_ns: seconds * 1_000_000_000,
            nodes: vec![nodes / team.threads as u64; team.threads],
            idle_ns: vec![500_000_000; team.threads],
            tally: Tally { splits: 3, ..Tally::default() },
            traffic: None,
            machines: 1,
            ranks: Vec::new(),
            iterations: Vec::new(),
        };
        Measured { members: 4, bound: false, sample }
    }

    /// Speed-ups of 4 and 1 have the mean 2; nodes 2 and 8 times as many the mean 4; half a second of one and
    /// of two the load 0.625.
    #[test]
    fn a_row_by_hand() {
        let (one, two) = (Team::new(Scheme::Serial, 1), Team::new(Scheme::Ybw, 2));
        let rounds = [
            vec![measured(two, 1, 200), measured(one, 4, 100)],
            vec![measured(one, 2, 100), measured(two, 2, 800)],
            vec![measured(one, 7, 1)],
        ];
        let entrant = |team| Entrant { team, members: 4, bound: false };
        let rows = rows(&[entrant(one), entrant(two), entrant(Team::new(Scheme::Lazy, 2))], &rounds);
        assert_eq!(rows.len(), 2, "none has searched by lazy");
        assert_eq!((rows[0].speedup, rows[0].searches), (1.0, 3));
        let row = &rows[1];
        let close = |found: f64, wanted: f64| (found - wanted).abs() < 1e-9;
        assert!(close(row.speedup, 2.0) && close(row.rate, 8.0) && close(row.overhead, 3.0), "{row:?}");
        assert!(close(row.load, 0.625) && row.tally.splits == 6, "{row:?}");
        assert!(table(&rows).text(200).contains("ybw 2"));
    }
}
