//! The positions on which searches explode, as they lie in `data`: shakmaty takes each for a legal one with a move to
//! make, and there are as many of each kind as there should be.

use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, Position};
use std::collections::HashSet;

#[test]
fn the_thousand_positions_are_legal_and_different() {
    let text = include_str!("../data/explosions.epd");
    let mut known = HashSet::new();
    let mut kinds = [0; 3];
    for line in text.lines() {
        let (fen, id) = line.split_once(" id \"").expect("each has a name");
        let position: Chess = fen
            .parse::<Fen>()
            .expect("it is a FEN")
            .into_position(CastlingMode::Standard)
            .unwrap_or_else(|error| panic!("{id} {error}"));
        assert!(!position.is_game_over(), "{id}");
        assert!(known.insert(fen), "{id} is there twice");
        let men = position.board().occupied().count();
        let kind = "ebq".find(&id[..1]).expect("it is one of three kinds");
        kinds[kind] += 1;
        assert_eq!(kind == 0, men <= 8, "{id} has {men} men");
    }
    assert_eq!(kinds, [334, 333, 333]);
}
