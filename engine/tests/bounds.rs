//! What a search must not do: overlook a zugzwang because it passes, or grow without bound where extensions and
//! captures feed on each other.

use chess::{Game, Position};
use engine::iterate::{ThreadResult, search_alone};
use engine::shared::Shared;
use engine::tt::Table;
use engine::worker::{Memory, Task};
use std::sync::Arc;
use thinking::report::Limits;
use thinking::score::Reported;

fn search(fen: &str, limits: Limits) -> (ThreadResult, u64) {
    let table = Table::new(4).expect("a small table");
    table.clear();
    let shared = Shared::new(Arc::new(table), limits, 1, 1);
    let task = Task::from(&Game::new(Position::from_fen(fen).expect("legal")));
    let mut memory = Memory::default();
    let result = search_alone(&shared, &mut memory, &task, None);
    (result, shared.nodes())
}

/// Morphy's mate in two: after 1 Ra6 Black could hold if it were allowed to pass.
#[test]
fn zugzwang_is_not_overlooked() {
    let limits = Limits { depth: Some(30), nodes: Some(3_000_000), mate: Some(2), ..Limits::default() };
    let (result, _) = search("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", limits);
    assert_eq!(Reported::from(result.root.best().expect("there are moves").score), Reported::Mate(2));
}

/// With a rook and a knight on either side, White would hold if it might pass after 1 ... Nxd5: null moves at
/// great depth must be verified (without that, other moves look as good for millions of nodes).
#[test]
fn zugzwang_with_pieces_is_not_overlooked() {
    let limits = Limits { depth: Some(60), nodes: Some(2_000_000), ..Limits::default() };
    let (result, _) = search("8/8/1p1r1k2/p1pPN1p1/P3KnP1/1P6/8/3R4 b - - 0 1", limits);
    assert_eq!(result.root.best().expect("there are moves").mv.to_string(), "f4d5");
}

/// Blocked positions, swarms of queens, long captures, endless checks.
const EXPLOSIVE: &[&str] = &[
    "8/2k5/8/1pPp4/pP1P1p2/P4P2/5K2/8 w - - 0 1",
    "k7/8/p1p1p1p1/P1P1P1P1/8/8/8/K1BB4 w - - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "1QQQQQ2/6k1/8/8/8/8/1K6/3qqqqq b - - 0 1",
    "qqqqkqqq/8/8/8/8/8/8/QQQQKQQQ w - - 0 1",
    "8/PPPPPPPP/4k3/8/8/4K3/pppppppp/8 w - - 0 1",
    "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",
    "1k6/8/8/8/8/8/q7/1K2Q3 w - - 0 1",
];

/// A swarm of pieces all of which can take each other: the first iteration, which no clock ends, must not be lost in
/// captures (without a limit of quiescence it takes from one to four million nodes).
#[test]
fn captures_do_not_explode() {
    for fen in [
        "RBB3b1/Q6N/2n4q/2br1r2/1B1nBB1N/1BBrRB2/1pr2B2/bkBbqbK1 w - - 0 1",
        "b1Rb2b1/1b3P2/k7/NRP1r3/1B2n1q1/1RBbBbbb/r2b1PB1/2bBBN1K b - - 0 1",
        "1Kbq1qk1/r3qn1Q/q4Q2/2Nb1N2/RQB5/1rqQQ2q/1nQq2qR/5N2 b - - 0 1",
    ] {
        let (result, nodes) = search(fen, Limits { depth: Some(1), ..Limits::default() });
        assert!(nodes < 200_000 && result.depth == 1, "{fen}: {nodes} nodes");
    }
}

/// Even there twelve plies cost a bounded number of nodes.
#[test]
fn nothing_explodes() {
    for fen in EXPLOSIVE {
        let (result, nodes) =
            search(fen, Limits { depth: Some(12), nodes: Some(3_000_000), ..Limits::default() });
        assert!(nodes < 3_000_000 && result.depth == 12, "{fen}: depth {} after {nodes} nodes", result.depth);
    }
}
