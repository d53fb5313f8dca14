//! From the words of `go` to limits of a search.

use super::command::Go;
use chess::{Color, MoveError, Position};
use std::time::Duration;
use thinking::report::{Clock, Limits};

/// Limits for a search of this position, and what is wrong with `searchmoves`.
///
/// Without any limit the search is infinite, as with `go infinite`. A client that sends only the opponent's
/// clock means, we guess, that ours shows the same. Where the only limits cannot be read the client waits for
/// a move that an infinite search would never make: the search has one iteration. The same holds for a client that
/// sends increments or moves to the next control and no clock, but that our increment, if there is one, is a clock.
pub(crate) fn limits(go: &Go, position: &Position) -> (Limits, Vec<MoveError>) {
    let (own, other, increment) = match position.side_to_move() {
        Color::White => (go.wtime, go.btime, go.winc),
        Color::Black => (go.btime, go.wtime, go.binc),
    };
    let increment = milliseconds(increment.unwrap_or(0));
    let clock_of = |remaining| Clock {
        remaining,
        increment,
        moves_to_go: go.movestogo.filter(|&moves| moves > 0).map(at_least_one),
    };
    let mut limits = Limits {
        depth: go.depth.map(at_least_one),
        nodes: go.nodes.map(|nodes| nodes.max(1) as u64),
        mate: go.mate.map(at_least_one),
        movetime: go.movetime.map(milliseconds),
        clock: own.or(other).map(|remaining| clock_of(milliseconds(remaining))),
        infinite: go.infinite,
        ponder: go.ponder,
        ..Limits::default()
    };
    let unlimited = limits == Limits { ponder: limits.ponder, ..Limits::default() };
    let clock_is_missing = go.winc.is_some() || go.binc.is_some() || go.movestogo.is_some();
    if unlimited && clock_is_missing && go.faults.is_empty() && !increment.is_zero() {
        limits.clock = Some(clock_of(increment));
    } else if unlimited && (clock_is_missing || !go.faults.is_empty()) {
        limits.depth = Some(1);
    } else if limits == Limits::default() {
        limits.infinite = true;
    }
    let mut errors = Vec::new();
    for text in &go.searchmoves {
        match position.parse_uci(text) {
            Ok(mv) if !limits.search_moves.contains(&mv) => limits.search_moves.push(mv),
            Ok(_) => {}
            Err(error) => errors.push(error),
        }
    }
    (limits, errors)
}

/// A clock that has run out shows nothing.
fn milliseconds(number: i64) -> Duration {
    Duration::from_millis(number.max(0) as u64)
}

fn at_least_one(number: i64) -> u32 {
    number.clamp(1, u32::MAX.into()) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::uci::command::Command;

    fn read(line: &str, fen: &str) -> Limits {
        let Ok(Command::Go(go)) = line.parse() else { panic!("{line} is not a go") };
        limits(&go, &Position::from_fen(fen).unwrap()).0
    }

    const WHITE: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
    const BLACK: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq -";

    fn clock(remaining: u64, increment: u64, moves_to_go: Option<u32>) -> Option<Clock> {
        let (remaining, increment) = (Duration::from_millis(remaining), Duration::from_millis(increment));
        Some(Clock { remaining, increment, moves_to_go })
    }

    #[test]
    fn the_clock_is_that_of_the_side_to_move() {
        let line = "go wtime 1000 btime 2000 winc 10 binc 20 movestogo 5";
        assert_eq!(read(line, WHITE).clock, clock(1000, 10, Some(5)));
        assert_eq!(read(line, BLACK).clock, clock(2000, 20, Some(5)));
    }

    #[test]
    fn any_subset_of_the_clocks_will_do() {
        assert_eq!(read("go wtime 100", WHITE).clock, clock(100, 0, None));
        assert_eq!(read("go btime 100", BLACK).clock, clock(100, 0, None));
        assert_eq!(read("go wtime 100", BLACK).clock, clock(100, 0, None));
        assert_eq!(read("go btime 100 binc 100 wtime 100 winc 100", BLACK).clock, clock(100, 100, None));
        assert_eq!(read("go wtime -50 btime 0 movestogo 0", WHITE).clock, clock(0, 0, None));
    }

    #[test]
    fn no_limit_means_until_stop() {
        assert!(read("go", WHITE).infinite);
        assert!(read("go infinite", WHITE).infinite);
        assert!(!read("go depth 0", WHITE).infinite);
        assert_eq!(read("go depth 0", WHITE).depth, Some(1));
        assert!(read("go searchmoves e2e4", WHITE).infinite);
        assert!(!read("go ponder wtime 1 btime 1", WHITE).infinite);
    }

    #[test]
    fn limits_that_cannot_be_read_make_no_infinite_search() {
        for line in [
            "go movetime 1e2",
            "go movetime",
            "go movetime ms 100",
            "go depth",
            "go depth ten",
            "go nodes 0x100",
            "go mate",
            "go wtime x btime y",
            "go wtime",
            "go winc 10 wtime",
            "go movestogo x",
            "go perft",
            "go movetime \u{0661}\u{0662}",
            "go searchmoves e2e4 movetime",
        ] {
            let limits = read(line, WHITE);
            assert!(!limits.infinite, "{line}");
            assert_eq!(limits.depth, Some(1), "{line}");
        }
        let pondering = read("go ponder movetime x", WHITE);
        assert_eq!((pondering.ponder, pondering.depth), (true, Some(1)));
        assert!(read("go infinite movetime x", WHITE).infinite, "asked for aloud");
        assert_eq!(read("go wtime x btime 100", WHITE).clock, clock(100, 0, None));
        assert_eq!(read("go depth x nodes 5", WHITE).depth, None);
    }

    #[test]
    fn increments_without_a_clock_make_no_infinite_search() {
        for (line, white, black) in [
            ("go winc 500 binc 700", Some(500), Some(700)),
            ("go winc 500", Some(500), None),
            ("go ponder winc 500 binc 700", Some(500), Some(700)),
            ("go winc 0 binc 0", None, None),
            ("go winc -5 binc -5 movestogo 9", None, None),
            ("go movestogo 9", None, None),
        ] {
            for (fen, increment) in [(WHITE, white), (BLACK, black)] {
                let read = read(line, fen);
                assert!(!read.infinite, "{line}");
                assert_eq!(read.ponder, line.contains("ponder"), "{line}");
                let by_increment = increment.and_then(|increment| clock(increment, increment, None));
                assert_eq!(read.clock, by_increment, "{line}");
                assert_eq!(read.depth, increment.is_none().then_some(1), "{line}");
            }
        }
        assert_eq!(read("go winc 500 movestogo 9", WHITE).clock, clock(500, 500, Some(9)));
        // Other limits hold alone.
        let deep = read("go depth 5 winc 500 binc 500", WHITE);
        assert_eq!((deep.depth, deep.clock), (Some(5), None));
        let endless = read("go infinite winc 500 binc 500", WHITE);
        assert_eq!((endless.infinite, endless.clock), (true, None));
    }

    #[test]
    fn searchmoves_are_read_in_the_position() {
        let position = Position::startpos();
        let Ok(Command::Go(go)) = "go searchmoves e2e4 e2e5 g1f3 e2e4 depth 3".parse() else { panic!() };
        let (limits, errors) = limits(&go, &position);
        assert_eq!(limits.search_moves.len(), 2);
        assert_eq!(errors.len(), 1);
        assert_eq!(limits.depth, Some(3));
    }
}
