//! Marsland's figure 8.

use lab::algorithms::minimax::negamax;
use lab::study::Watch;
use lab::study::contest::Threads;
use lab::study::figure8::{SERIES, Settings, figure8};
use lab::tally::Tally;
use lab::trees::chess_game::ChessGame;
use lab::trees::positions::bratko_kopec_roots;
use std::sync::atomic::AtomicBool;

/// The leaves of a full tree of three plies are the cube of its width W, and at two plies a minimal tree has 2 W - 1.
/// The mean share of two positions is the root of the product of their shares.
#[test]
fn each_position_is_held_against_its_own_counts() {
    let (from, to, positions, tables) = (2, 2, 2, vec![100]);
    let settings = Settings { from, to, positions, tables, quiescence: false, threads: Threads::All };
    let (mut hear, stop) = (|_: &str| {}, AtomicBool::new(false));
    let figure = figure8(&settings, &mut Watch::new(&mut hear, &stop));
    let of_full_tree = |root: ChessGame| {
        let mut tally = Tally::default();
        negamax(&root, 3, &mut tally);
        (2.0 * (tally.horizon as f64).cbrt() - 1.0).round() as u64
    };
    let minimal: Vec<u64> = bratko_kopec_roots().into_iter().take(2).map(of_full_tree).collect();
    assert_ne!(minimal[0], minimal[1]);
    assert_eq!(figure.minimal_trees, [(2, minimal.clone())]);
    let direct = &figure.point("direct alpha-beta", None, 2).unwrap().horizon;
    let share = |leaves: &[u64]| {
        let shares = [0, 1].map(|i| leaves[i] as f64 / direct[i] as f64);
        100.0 * (shares[0] * shares[1]).sqrt()
    };
    assert!((figure.minimal[0].1 - share(&minimal)).abs() < 1e-9, "{:?}", figure.minimal);
    assert_eq!(figure.points.len(), SERIES.len());
    for point in &figure.points {
        assert!((point.horizon_percent - share(&point.horizon)).abs() < 1e-9, "{point:?}");
        assert_eq!(point.horizon.iter().sum::<u64>(), point.tally.horizon, "{point:?}");
    }
}
