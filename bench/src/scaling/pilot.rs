//! The pilot: a run of its own that finds how deep one thread gets in a given time.
//!
//! Only the depths are handed on, as EPD (`acd` the depth, `acs` the seconds it took, `acn` the nodes): the study times
//! every search anew. They flatter the speed-up all the same. Of several iterations the one is taken whose time is
//! nearest to what is wanted, which is more often one that is large for one thread. In the study one thread searches
//! the same tree again, so that it is large there as well; a team's is as large as usual. `docs/scaling.md` says by how
//! much that flatters.
//!
//! A position that is solved at once has no depth that takes so long, and what it would be measured by is how fast threads
//! wake up. It is left out, and the file says so.

use super::clock::{Clock, ClockError};
use super::plan::{ALONE, Run};
use super::positions::Entry;
use super::sample::Iteration;
use std::time::Duration;
use thinking::report::Limits;

/// What the pilot found for one position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The position, with the depth chosen.
    pub entry: Entry,
    /// The iteration chosen.
    pub iteration: Iteration,
    /// No iteration took anything like the time wanted, and the position is left out.
    pub too_soon: bool,
}

/// How far beyond the wanted time a position is searched, as a factor: an iteration may take as long as all before it,
/// and the one that ends just above the wanted time may be the nearest.
const BEYOND: f64 = 2.0;
/// Least share of the wanted time that the nearest iteration must have taken. An iteration may take several times as long
/// as the one before it, and both be far from what is wanted.
const LEAST: f64 = 0.25;

/// Searches every position with one thread and chooses the depth that was reached nearest to `wanted`, by ratio, but none
/// beyond that at which a mate was found.
/// `each` hears of every position found. Stops early when the clock is stopped.
///
/// # Errors
/// When memory or threads are not to be had.
pub fn pilot(
    positions: &[Entry],
    wanted: Duration,
    clock: &mut dyn Clock,
    mut each: impl FnMut(&Found),
) -> Result<Vec<Found>, ClockError> {
    let mut all = Vec::new();
    for (place, entry) in positions.iter().enumerate() {
        let run = Run { repeat: 0, position: place, team: ALONE };
        let limits = Limits { movetime: Some(wanted.mul_f64(BEYOND)), ..Limits::default() };
        let Some(outcome) = clock.search(&run, &entry.position, limits)? else { break };
        let Some(iteration) = nearest(&outcome.iterations, wanted) else { continue };
        let too_soon = Duration::from_nanos(iteration.time_ns) < wanted.mul_f64(LEAST);
        let entry = Entry { depth: Some(iteration.depth), ..entry.clone() };
        let found = Found { entry, iteration, too_soon };
        each(&found);
        all.push(found);
    }
    Ok(all)
}

/// The iteration whose time is nearest to `wanted` by ratio.
fn nearest(iterations: &[Iteration], wanted: Duration) -> Option<Iteration> {
    let distance = |iteration: &Iteration| {
        (iteration.time_ns.max(1) as f64 / wanted.as_nanos().max(1) as f64).ln().abs()
    };
    iterations.iter().copied().min_by(|a, b| distance(a).total_cmp(&distance(b)))
}

/// The depths as an EPD file; a comment stands for each position left out. A text of EPD cannot have a quote in it, and
/// one in a name would take the depth behind it into the name: an apostrophe stands for it.
pub fn epd(found: &[Found]) -> String {
    let line = |found: &Found| {
        let Iteration { depth, time_ns, nodes } = found.iteration;
        let seconds = time_ns as f64 / 1e9;
        if found.too_soon {
            return format!(
                "# {} left out: no depth takes that long, the nearest is {depth} plies in {seconds:.3} s\n",
                found.entry.id
            );
        }
        let fen = found.entry.position.fen();
        let fields: Vec<&str> = fen.split(' ').collect();
        let (board, counters) = fields.split_at(fields.len().min(4));
        let counter = |place: usize, opcode: &str| {
            counters.get(place).map_or(String::new(), |count| format!(" {opcode} {count};"))
        };
        format!(
            "{}{}{} id \"{}\"; acd {depth}; acs {seconds:.2}; acn {nodes};\n",
            board.join(" "),
            counter(0, "hmvc"),
            counter(1, "fmvn"),
            found.entry.id.replace('"', "'"),
        )
    };
    found.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scaling::fake::Fake;
    use crate::scaling::fits::Amdahl;
    use crate::scaling::positions::{read, set_depths};

    #[test]
    fn the_depth_nearest_in_time_is_chosen_and_read_again() {
        // The fake needs 2^d ms: 256 ms for 8 plies, 512 for 9. The middle by ratio is 362 ms.
        let positions = read("bratko-kopec").unwrap();
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("depths.epd");
        for (wanted, depth) in [(361, 8), (364, 9), (4_000, 10), (1, 1)] {
            let mut fake = Fake { law: Amdahl { serial_fraction: 0.0, error: None }, left: None };
            let found = pilot(&positions, Duration::from_millis(wanted), &mut fake, |_| ()).unwrap();
            assert!(found.iter().all(|found| found.entry.depth == Some(depth)), "{wanted}: {found:?}");
            std::fs::write(&file, epd(&found)).unwrap();
            let mut entries = positions.clone();
            set_depths(&mut entries, file.to_str().unwrap()).unwrap();
            assert!(entries.iter().all(|entry| entry.depth == Some(depth)));
            let again = read(file.to_str().unwrap()).unwrap();
            assert_eq!(again, entries);
        }
    }

    #[test]
    fn a_name_takes_no_depth_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("depths.epd");
        for (id, again) in [
            ("a; b", "a; b"),
            ("a\"b", "a'b"),
            ("a\"b;", "a'b;"),
            ("a\"b\"c", "a'b'c"),
            ("a\"; acd 3; c0 \"b", "a'; acd 3; c0 'b"),
        ] {
            let entry = Entry { id: id.to_owned(), position: chess::Position::startpos(), depth: Some(18) };
            let iteration = Iteration { depth: 18, time_ns: 1, nodes: 1 };
            std::fs::write(&path, epd(&[Found { entry: entry.clone(), iteration, too_soon: false }]))
                .unwrap();
            assert_eq!(read(path.to_str().unwrap()).unwrap(), [Entry { id: again.to_owned(), ..entry }]);
        }
    }

    /// The fake is at its greatest depth, 10, after 1024 ms, as a search is at its end that has found a mate.
    #[test]
    fn a_position_solved_at_once_is_left_out() {
        let positions = read("bratko-kopec").unwrap();
        let mut fake = Fake { law: Amdahl { serial_fraction: 0.0, error: None }, left: None };
        let found = pilot(&positions, Duration::from_secs(5), &mut fake, |_| ()).unwrap();
        let text = epd(&found);
        assert_eq!(text.lines().count(), positions.len());
        assert!(
            text.starts_with(
                "# BK.01 left out: no depth takes that long, the nearest is 10 plies in 1.024 s\n"
            ),
            "{text}"
        );
        assert!(text.lines().all(|line| line.starts_with('#')));
    }
}
