//! Time counted in nodes: xboard's `nps` and UCI's `nodestime`.
//!
//! A search that may use so many seconds gets the nodes that stand for them instead, so that games do not
//! depend on the machine's speed or load.

use std::time::Duration;
use thinking::report::{Clock, Limits};

/// A sudden-death game in nodes is planned to last so many more moves.
const MOVES_AHEAD: u32 = 30;

/// Replaces limits of time by the nodes they mean at so many nodes per second. Limits without time stay, and those of
/// an infinite search, which time does not end.
pub(crate) fn count_in_nodes(limits: &mut Limits, rate: u64) {
    if limits.infinite {
        return;
    }
    limits.clock_of_nodes = limits.clock.is_some();
    let time = match (limits.movetime.take(), limits.clock.take()) {
        (Some(time), None) => time,
        (time, Some(clock)) => time.unwrap_or_else(|| fair(clock)).min(most(clock, limits.overhead)),
        (None, None) => return,
    };
    let nodes = ((time.as_secs_f64() * rate as f64) as u64).max(1);
    limits.time_in_nodes = Some(nodes);
}

/// The time that so many nodes stand for at so many nodes per second, at least one.
pub(crate) fn time_of(nodes: u64, rate: u64) -> Duration {
    let nanoseconds = u128::from(nodes % rate) * 1_000_000_000 / u128::from(rate);
    Duration::new(nodes / rate, nanoseconds as u32)
}

/// An equal share of the clock, and what the move brings.
fn fair(clock: Clock) -> Duration {
    let moves = clock.moves_to_go.unwrap_or(MOVES_AHEAD).clamp(1, MOVES_AHEAD);
    (clock.remaining / moves).saturating_add(clock.increment)
}

/// What a move may take at most, as under a clock that is not counted in nodes: something stays for what the nodes
/// do not say, and for the moves to come.
fn most(clock: Clock, overhead: Duration) -> Duration {
    let usable = clock.remaining.saturating_sub(overhead);
    match clock.moves_to_go {
        Some(0 | 1) => usable.saturating_mul(9) / 10,
        _ => usable.saturating_mul(37) / 50,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(moves_to_go: Option<u32>, increment: u64) -> Limits {
        let (remaining, increment) = (Duration::from_secs(60), Duration::from_secs(increment));
        Limits { clock: Some(Clock { remaining, increment, moves_to_go }), ..Limits::default() }
    }

    #[test]
    fn time_becomes_nodes() {
        for (mut limits, nodes) in [
            (Limits { movetime: Some(Duration::from_millis(500)), ..Limits::default() }, Some(500)),
            (Limits { movetime: Some(Duration::from_secs(5)), ..clock(Some(10), 0) }, Some(5000)),
            (Limits { movetime: Some(Duration::from_secs(70)), ..clock(Some(10), 0) }, Some(44_400)),
            (clock(Some(10), 0), Some(6000)),
            (clock(Some(10), 5), Some(11_000)),
            (clock(None, 1), Some(3000)),
            // 74 % of the minute, where increments make up for it.
            (clock(None, 60), Some(44_400)),
            (clock(Some(2), 30), Some(44_400)),
            // Nine tenths for the last move before the control, whatever comes after it.
            (clock(Some(1), 0), Some(54_000)),
            (clock(Some(1), 5), Some(54_000)),
            (clock(Some(0), 5), Some(54_000)),
            (Limits { overhead: Duration::from_secs(10), ..clock(Some(1), 5) }, Some(45_000)),
            (Limits { overhead: Duration::from_secs(10), ..clock(None, 60) }, Some(37_000)),
            (Limits { overhead: Duration::from_secs(61), ..clock(Some(1), 5) }, Some(1)),
            (Limits { depth: Some(4), ..Limits::default() }, None),
            (Limits { nodes: Some(10), ..clock(None, 0) }, Some(2000)),
        ] {
            let (clock, asked) = (limits.clock.is_some(), limits.nodes);
            count_in_nodes(&mut limits, 1000);
            assert_eq!((limits.time_in_nodes, limits.movetime, limits.clock), (nodes, None, None));
            assert_eq!(limits.nodes, asked, "another limit");
            assert_eq!(limits.clock_of_nodes, clock, "a time for the move leaves nothing for others");
        }
        let endless = Limits { infinite: true, ..clock(None, 0) };
        let mut limits = endless.clone();
        count_in_nodes(&mut limits, 1000);
        assert_eq!(limits, endless);
    }

    #[test]
    fn nodes_are_time() {
        for (nodes, rate, nanoseconds) in
            [(0, 7, 0), (5000, 1000, 5_000_000_000), (4321, 10_000, 432_100_000), (1, 3, 333_333_333)]
        {
            assert_eq!(time_of(nodes, rate), Duration::from_nanos(nanoseconds), "{nodes} at {rate}");
        }
        assert_eq!(time_of(u64::MAX, 1), Duration::from_secs(u64::MAX));
        assert_eq!(time_of(u64::MAX - 1, u64::MAX), Duration::from_nanos(999_999_999));
    }
}
