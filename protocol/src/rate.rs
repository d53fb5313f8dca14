//! Time counted in nodes: xboard's `nps` and UCI's `nodestime`.
//!
//! A search that may use so many seconds gets the nodes that stand for them instead, so that games do not
//! depend on the machine's speed or load.

use thinking::report::Limits;

/// A sudden-death game in nodes is planned to last so many more moves.
const MOVES_AHEAD: u32 = 30;

/// Replaces limits of time by the nodes they mean at so many nodes per second. Limits without time stay.
pub(crate) fn count_in_nodes(limits: &mut Limits, rate: u64) {
    let seconds = match (limits.movetime.take(), limits.clock.take()) {
        (Some(time), clock) => clock.map_or(time, |clock| time.min(clock.remaining)).as_secs_f64(),
        (None, Some(clock)) => {
            let moves = clock.moves_to_go.unwrap_or(MOVES_AHEAD).clamp(1, MOVES_AHEAD);
            let fair = clock.remaining.as_secs_f64() / f64::from(moves) + clock.increment.as_secs_f64();
            fair.min(clock.remaining.as_secs_f64())
        }
        (None, None) => return,
    };
    let nodes = ((seconds * rate as f64) as u64).max(1);
    limits.nodes = Some(limits.nodes.map_or(nodes, |other| other.min(nodes)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use thinking::report::Clock;

    fn clock(moves_to_go: Option<u32>, increment: u64) -> Limits {
        let (remaining, increment) = (Duration::from_secs(60), Duration::from_secs(increment));
        Limits { clock: Some(Clock { remaining, increment, moves_to_go }), ..Limits::default() }
    }

    #[test]
    fn time_becomes_nodes() {
        for (mut limits, nodes) in [
            (Limits { movetime: Some(Duration::from_millis(500)), ..Limits::default() }, Some(500)),
            (Limits { movetime: Some(Duration::from_secs(70)), ..clock(Some(10), 0) }, Some(60_000)),
            (clock(Some(10), 0), Some(6000)),
            (clock(None, 1), Some(3000)),
            (clock(Some(1), 5), Some(60_000)),
            (Limits { depth: Some(4), ..Limits::default() }, None),
            (Limits { nodes: Some(10), ..clock(None, 0) }, Some(10)),
        ] {
            count_in_nodes(&mut limits, 1000);
            assert_eq!((limits.nodes, limits.movetime, limits.clock), (nodes, None, None));
        }
    }
}
