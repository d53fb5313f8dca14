//! Positions to measure on: the Bratko-Kopec set, random games, and a few that show one thing each.

use super::chess_game::ChessGame;
use crate::node::Node;
use chess::{Position, epd::Epd};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::HashSet;

/// The 24 positions of Bratko and Kopec (1982) with their best moves, as EPD.
const BRATKO_KOPEC: &str = include_str!("../../data/bratko-kopec.epd");

/// M figure 4 after Kaindl: Black, to move, is about to lose the queen on g7 to the bishop on a1, but can
/// push pawns between them until the loss is beyond the horizon. The figure prints only dark squares and men.
/// Those on light squares stand where the order within each row and the moves of the text (b2, c3, d4, e5)
/// put them; Qd7 and Pe7 is the only reading of the seventh row that is legal and under which those moves
/// lead nowhere.
pub const HORIZON_EFFECT: &str = "5r1k/3Qp1q1/4p3/1p1p2P1/2p2P2/1p2P3/3P4/BK6 b - - 0 1";

/// Pawn endings in which White wins a pawn by putting Black in zugzwang, beyond what a null-move search of
/// six plies sees. Found among all placings of the kings around pawns on e4 and e5.
pub const ZUGZWANGS: [&str; 3] = [
    "8/8/4k3/4p3/4P2K/8/8/8 w - - 0 1",
    "8/8/4k3/4p1K1/4P3/8/8/8 w - - 0 1",
    "8/8/4k3/4p2K/4P3/8/8/8 w - - 0 1",
];

/// Queen against queen: a search of six plies with a table finds another value than one without, for the
/// table hands a draw by repetition from one path to another.
pub const REPETITION_TRAP: &str = "8/1Q6/6q1/8/8/6k1/8/1K6 w - - 0 1";

/// The Bratko-Kopec positions in order.
pub fn bratko_kopec() -> Vec<Epd> {
    let lines = BRATKO_KOPEC.lines().filter(|line| !line.trim().is_empty());
    lines.map(|line| line.parse().expect("the file is part of the program and read in its tests")).collect()
}

/// The roots of the Bratko-Kopec trees.
pub fn bratko_kopec_roots() -> Vec<ChessGame> {
    bratko_kopec().into_iter().map(|epd| ChessGame::new(epd.position)).collect()
}

/// `count` positions reached from `root` by between 0 and `plies` random moves, games not over; the same
/// for the same seed. No two are alike, or mirror images: intervals take them for independent. Where few such
/// positions exist, or none, there are fewer: after 100 walks for each that is wanted it is given up.
pub fn random_walks<N: Node>(root: &N, plies: u32, count: usize, seed: u64) -> Vec<N> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let (mut found, mut seen) = (Vec::new(), HashSet::new());
    for _ in 0..count.saturating_mul(100) {
        if found.len() == count || root.moves().is_empty() {
            break;
        }
        let mut node = root.clone();
        for _ in 0..random.random_range(0..=plies) {
            let moves = node.moves();
            if moves.is_empty() {
                break;
            }
            node = node.child(moves[random.random_range(0..moves.len())]);
        }
        let key = node.mirror_key().map_or(node.key(), |image| image.min(node.key()));
        if !node.moves().is_empty() && seen.insert(key) {
            found.push(node);
        }
    }
    found
}

/// Chess positions from random games, `count` of them.
pub fn random_chess(count: usize, seed: u64) -> Vec<ChessGame> {
    random_walks(&ChessGame::new(Position::startpos()), 60, count, seed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trees::connect_four::ConnectFour;

    #[test]
    fn all_twenty_four_positions_read_with_a_solution() {
        let positions = bratko_kopec();
        assert_eq!(positions.len(), 24);
        assert!(positions.iter().all(|epd| !epd.best.is_empty()));
        assert_eq!(positions[11].id.as_deref(), Some("BK.12"));
    }

    /// After no move, one and two there are 1, 4 and 25 positions of connect four, mirror images apart.
    #[test]
    fn no_position_counts_twice() {
        let distinct = |roots: &[ConnectFour]| {
            let keys = roots.iter().flat_map(|root| [Some(root.key()), root.mirror_key()]).flatten();
            // The empty board is its own image, and so is every other with men in the middle alone.
            let own = roots.iter().filter(|root| root.mirror_key() == Some(root.key())).count();
            keys.collect::<HashSet<u64>>().len() == 2 * roots.len() - own
        };
        let twelve = random_walks(&ConnectFour::start(), 2, 12, 6);
        assert_eq!((twelve.len(), distinct(&twelve)), (12, true));
        let all = random_walks(&ConnectFour::start(), 2, 1000, 6);
        assert_eq!((all.len(), distinct(&all)), (30, true));
    }

    #[test]
    fn the_horizon_position_holds_the_moves_of_its_text() {
        let mut position = Position::from_fen(HORIZON_EFFECT).unwrap();
        for san in ["b2", "Bxb2", "c3", "Bxc3", "d4", "Bxd4", "e5", "Bxe5"] {
            let m = position.parse_san(san).unwrap();
            position.play(m);
        }
    }
}
