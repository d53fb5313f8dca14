//! Who searched what: one simulated search as a strip of time for each thread.

use crate::scaling::clock::{ClockError, Virtual, interruptible};
use crate::scaling::plan::{Run, Team};
use chess::{Game, Move, Position};
use engine::worker::Task;
use figures::table::counted;
use figures::{Bar, Lane, Strip};
use smp::pool::accounts::{Activity, Stretch};
use smp::simulation::{Setup, simulate_stoppable};
use std::collections::HashMap;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;
use thinking::report::Limits;

/// Root moves with a colour of their own; the rest share one.
const NAMED: usize = 10;

/// Simulates a team at a position and draws what each of its threads did, by root move; what was done for another thread
/// is paler. `None` if the study was stopped meanwhile.
///
/// # Errors
/// When memory is not to be had.
pub fn trace(
    clock: &Virtual<'_>,
    team: Team,
    (id, position): (&str, &Position),
    limits: Limits,
) -> Result<Option<Strip>, ClockError> {
    let setup = Setup { trace: true, ..clock.setup(&Run { repeat: 0, position: 0, team }) };
    let task = Task::from(&Game::new(position.clone()));
    let simulation = interruptible(clock.stop, |begun| simulate_stoppable(&setup, task, limits, begun))?;
    if clock.stop.load(Relaxed) {
        return Ok(None);
    }
    let title = format!(
        "{} with {} at {id}: who searched which root move",
        team.scheme,
        counted(team.threads as u64, "thread")
    );
    let threads = simulation.accounts.nodes.len();
    Ok(Some(strip(title, position, threads, simulation.accounts.time, &simulation.trace)))
}

fn strip(title: String, position: &Position, threads: usize, time: Duration, trace: &[Stretch]) -> Strip {
    let mut weights: HashMap<Move, Duration> = HashMap::new();
    for stretch in trace {
        if let Some(mv) = root_move(stretch) {
            *weights.entry(mv).or_default() += stretch.to.saturating_sub(stretch.from);
        }
    }
    let mut moves: Vec<(Move, Duration)> = weights.into_iter().collect();
    moves.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.to_string().cmp(&b.0.to_string())));
    let place: HashMap<Move, usize> =
        moves.iter().enumerate().map(|(place, &(mv, _))| (mv, 1 + place.min(NAMED))).collect();
    let mut kinds = vec!["root".to_owned()];
    kinds.extend(moves.iter().take(NAMED).map(|&(mv, _)| position.san(mv)));
    if moves.len() > NAMED {
        kinds.push("other moves".to_owned());
    }
    let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
    let mut lanes: Vec<Lane> =
        (0..threads).map(|thread| Lane { name: thread.to_string(), bars: Vec::new() }).collect();
    for stretch in trace {
        let Some(lane) = lanes.get_mut(stretch.thread) else { continue };
        lane.bars.push(Bar {
            from: milliseconds(stretch.from),
            to: milliseconds(stretch.to),
            kind: root_move(stretch).map_or(0, |mv| place[&mv]),
            pale: matches!(stretch.activity, Activity::Helping(_)),
        });
    }
    Strip { title, end: milliseconds(time), unit: "ms (virtual)".to_owned(), kinds, lanes }
}

fn root_move(stretch: &Stretch) -> Option<Move> {
    match stretch.activity {
        Activity::Own(mv) | Activity::Helping(mv) => mv,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_coloured_by_the_time_they_took() {
        let position = Position::startpos();
        let mv = |text: &str| position.parse_uci(text).unwrap();
        let ms = Duration::from_millis;
        let stretch = |thread, from, to, activity| Stretch { thread, from: ms(from), to: ms(to), activity };
        let trace = [
            stretch(0, 0, 10, Activity::Own(None)),
            stretch(0, 10, 20, Activity::Own(Some(mv("e2e4")))),
            stretch(1, 12, 40, Activity::Helping(Some(mv("g1f3")))),
        ];
        let strip = strip("t".into(), &position, 3, ms(40), &trace);
        assert_eq!(strip.kinds, ["root", "Nf3", "e4"]);
        assert_eq!(strip.lanes.iter().map(|lane| lane.bars.len()).collect::<Vec<_>>(), [2, 1, 0]);
        assert_eq!(strip.lanes[1].bars[0], Bar { from: 12.0, to: 40.0, kind: 1, pale: true });
        assert_eq!((strip.lanes[0].bars[1].kind, strip.lanes[0].bars[0].kind, strip.end), (2, 0, 40.0));
    }
}
