//! Endings against a bare king are won by a search of few nodes with the network, which has learnt little of them.

use chess::{Color, Game, Move, Outcome, Position};
use engine::iterate::search_alone;
use engine::shared::Shared;
use engine::tt::Table;
use engine::worker::{Memory, Task};
use nnue::Network;
use rand::seq::index;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;
use thinking::report::Limits;

/// A position with White to move, kings and these white pieces on squares drawn at random, none of which the bare king
/// attacks, and so many plies since the last capture.
fn drawn(pieces: &str, clock: u32, rng: &mut impl Rng) -> Position {
    loop {
        let squares = index::sample(rng, 64, pieces.len() + 2).into_vec();
        let mut board = ['1'; 64];
        squares
            .iter()
            .zip(pieces.chars().chain(['K', 'k']))
            .for_each(|(&square, piece)| board[square] = piece);
        let ranks: Vec<String> = board.chunks(8).map(|rank| rank.iter().collect()).collect();
        let fen = format!("{} w - - {clock} 90", ranks.join("/"));
        let Ok(position) = Position::from_fen(&fen) else { continue };
        let safe = (position.attacked_by(Color::Black) & position.color_bb(Color::White)).is_empty();
        if safe && Game::new(position.clone()).outcome().is_none() {
            return position;
        }
    }
}

/// A search of so many nodes chooses moves.
struct Player {
    table: Arc<Table>,
    memory: Memory,
    nodes: u64,
}

impl Player {
    fn new(nodes: u64) -> Self {
        Player { table: Arc::new(Table::new(1).expect("a small table")), memory: Memory::default(), nodes }
    }

    fn choose(&mut self, game: &Game) -> Move {
        self.table.grow_older();
        let limits = Limits { nodes: Some(self.nodes), ..Limits::default() };
        let mut shared = Shared::new(Arc::clone(&self.table), limits, 1, 1);
        shared.network = Some(Network::embedded());
        let found = search_alone(&shared, &mut self.memory, &Task::from(game), None);
        found.root.best().expect("a legal move").mv
    }
}

/// Takes what it can, and otherwise keeps its king as near to the centre as it may.
fn defence(game: &Game) -> Move {
    let from_centre = |place: u8| (2 * i32::from(place) - 7).abs();
    let bad = |&mv: &Move| {
        (!game.position().is_capture(mv), from_centre(mv.to().file()) + from_centre(mv.to().rank()))
    };
    game.position().legal_moves().into_iter().min_by_key(bad).expect("the game goes on")
}

/// The bare king takes whatever hangs, which a defender that searches declines where it errs as the winner does.
#[test]
fn a_thousand_nodes_a_move_mate_a_bare_king() {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    for (pieces, clock) in
        [("Q", 0), ("R", 0), ("RN", 0), ("QP", 0), ("RBN", 0), ("QR", 0), ("Q", 40), ("RN", 40), ("QR", 60)]
    {
        for _ in 0..8 {
            let start = drawn(pieces, clock, &mut rng);
            let fen = start.fen();
            let (mut game, mut player) = (Game::new(start), Player::new(1000));
            while game.outcome().is_none() {
                let white = game.position().side_to_move() == Color::White;
                let mv = if white { player.choose(&game) } else { defence(&game) };
                game.play(mv).expect("a legal move");
            }
            assert_eq!(game.outcome(), Some(Outcome::Checkmate { winner: Color::White }), "{fen}");
        }
    }
}

/// When the bishop has taken the knight on c4, it does not attack the corner where the last pawn promotes, and Black's
/// king is there.
#[test]
fn a_knight_is_given_for_the_pawn_that_would_win() {
    let position = Position::from_fen("8/6k1/8/n7/2P1K2P/8/4B3/8 b - - 0 1").expect("a legal FEN");
    let table = Arc::new(Table::new(1).expect("a small table"));
    let limits = Limits { depth: Some(10), ..Limits::default() };
    let shared = Shared::new(table, limits, 1, 1);
    let task = Task::from(&Game::new(position.clone()));
    let found = search_alone(&shared, &mut Memory::default(), &task, None);
    assert_eq!(position.uci(found.root.best().expect("a legal move").mv), "a5c4");
}

/// A capture that begins the count of fifty moves anew is worth no piece to the winner, and gains one for the other.
#[test]
fn no_piece_is_given_away_to_begin_the_count_anew() {
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    for pieces in ["RN", "RBN", "QR", "BNP"] {
        for clock in [30, 50, 70] {
            for _ in 0..8 {
                let start = drawn(pieces, clock, &mut rng);
                let fen = start.fen();
                let mut game = Game::new(start);
                game.play(Player::new(1000).choose(&game)).expect("a legal move");
                let taken =
                    game.position().legal_moves().into_iter().find(|&mv| game.position().is_capture(mv));
                assert_eq!(taken, None, "{fen}");
            }
        }
    }
    for fen in ["8/8/2k5/3N4/8/8/8/R5K1 b - - 60 90", "8/8/4k3/5N2/8/8/1K6/B6R b - - 50 90"] {
        let game = Game::new(Position::from_fen(fen).expect("a legal FEN"));
        let mv = Player::new(1000).choose(&game);
        assert!(game.position().is_capture(mv), "{fen}: {mv}");
    }
}
