//! The rules held against shakmaty: random games of standard chess and Chess960, every position compared move for
//! move, and each of our ways of asking the same question compared with the others.

use chess::{Color, Game, Gen, Move, MoveKind, MoveList, Outcome, PieceKind, Position};
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, EnPassantMode, Position as _};
use std::collections::BTreeSet;

fn shakmaty_position(fen: &str) -> shakmaty::Chess {
    let fen: Fen = fen.parse().expect("shakmaty reads our FEN");
    fen.into_position(CastlingMode::Chess960).expect("shakmaty finds our position legal")
}

/// Moves as king-takes-rook coordinates.
fn shakmaty_moves(position: &shakmaty::Chess) -> BTreeSet<String> {
    position.legal_moves().iter().map(|m| m.to_uci(CastlingMode::Chess960).to_string()).collect()
}

fn compare(position: &Position, rng: &mut ChaCha8Rng) {
    let fen = position.shredder_fen();
    let oracle = shakmaty_position(&fen);
    let moves = position.legal_moves();
    let ours: BTreeSet<String> = moves.iter().map(Move::to_string).collect();
    assert_eq!(ours, shakmaty_moves(&oracle), "{fen}");
    assert_eq!(ours.len(), moves.len(), "a move twice in {fen}");
    assert_eq!(position.count_legal(), moves.len(), "{fen}");
    assert_eq!(position.in_check(), oracle.is_check(), "{fen}");
    assert_eq!(position.insufficient_material(), oracle.is_insufficient_material(), "{fen}");
    assert_eq!(position.keys_from_scratch(), (position.key(), position.pawn_key()), "{fen}");
    assert_eq!(Position::from_fen(&fen).as_ref(), Ok(position));
    assert_eq!(Position::from_fen(&position.fen()).as_ref(), Ok(position));
    assert_eq!(position.ep_square().is_some(), oracle.ep_square(EnPassantMode::Legal).is_some(), "{fen}");

    for (color, theirs) in [(Color::White, shakmaty::Color::White), (Color::Black, shakmaty::Color::Black)] {
        let board = oracle.board();
        let attacks = board.by_color(theirs).into_iter().map(|square| board.attacks_from(square));
        let attacked = attacks.fold(shakmaty::Bitboard::EMPTY, |all, some| all | some);
        assert_eq!(position.attacked_by(color).0, u64::from(attacked), "{fen}");
    }

    let (mut noisy, mut quiet) = (MoveList::new(), MoveList::new());
    position.generate(Gen::Noisy, &mut noisy);
    position.generate(Gen::Quiet, &mut quiet);
    assert!(noisy.iter().all(|&m| position.is_capture(m) || m.promotion().is_some()), "{fen}");
    assert!(quiet.iter().all(|&m| !position.is_capture(m) && m.promotion().is_none()), "{fen}");
    let both: BTreeSet<String> = noisy.iter().chain(&quiet).map(Move::to_string).collect();
    assert_eq!(both, ours, "{fen}");

    // Any sixteen bits: legal exactly when generated.
    for _ in 0..64 {
        if let Some(mv) = Move::from_bits(rng.random()) {
            assert_eq!(position.is_legal(mv), moves.contains(&mv), "{mv:?} ({:#x}) in {fen}", mv.bits());
        }
    }
    for &mv in &moves {
        assert!(position.is_legal(mv), "{mv} in {fen}");
        let san = position.san(mv);
        assert_eq!(position.parse_san(&san), Ok(mv), "{san} in {fen}");
        assert_eq!(position.parse_uci(&mv.to_string()), Ok(mv), "{fen}");
        let theirs = shakmaty::uci::UciMove::from_ascii(mv.to_string().as_bytes())
            .expect("coordinates")
            .to_move(&oracle)
            .expect("legal for shakmaty too");
        let plus = shakmaty::san::SanPlus::from_move(oracle.clone(), theirs);
        assert_eq!(san, plus.to_string(), "{fen}");
    }
}

/// Moves that change neither rights nor the piece lead to the key foretold. (From positions without castling rights and
/// en passant, which the forecast leaves out.)
#[test]
fn the_likely_key_is_the_key() {
    let mut rng = ChaCha8Rng::seed_from_u64(20);
    let mut seen = 0;
    for _ in 0..20 {
        let mut position =
            Position::from_fen("r2qkb1r/1pp2ppp/p1n2n2/3pp1B1/3PP1b1/2N2N2/1PP2PPP/R2QKB1R w - - 0 1")
                .expect("legal");
        while let Some(&mv) = position.legal_moves().choose(&mut rng) {
            let after = position.after(mv);
            let plain = mv.promotion().is_none() && !mv.is_castling() && mv.kind() != MoveKind::EnPassant;
            if plain && position.ep_square().is_none() && after.ep_square().is_none() {
                assert_eq!(position.likely_key_after(mv), after.key(), "{mv} in {position}");
                seen += 1;
            }
            position = after;
            if position.halfmove_clock() > 100 {
                break;
            }
        }
    }
    assert!(seen > 1000, "only {seen} moves: the test tests little");
}

/// A random Chess960 start position: bishops on both colours, the king between the rooks.
fn chess960_start(rng: &mut ChaCha8Rng) -> Position {
    let mut rank = ['\0'; 8];
    rank[2 * rng.random_range(0..4)] = 'b';
    rank[2 * rng.random_range(0..4) + 1] = 'b';
    for piece in ['q', 'n', 'n'] {
        let free: Vec<usize> = (0..8).filter(|&i| rank[i] == '\0').collect();
        rank[*free.choose(rng).expect("five, four, then three squares are free")] = piece;
    }
    let mut rest = ['r', 'k', 'r'].into_iter();
    let row: String =
        rank.into_iter().map(|p| if p == '\0' { rest.next().unwrap_or('r') } else { p }).collect();
    let fen = format!("{row}/pppppppp/8/8/8/8/PPPPPPPP/{} w KQkq - 0 1", row.to_uppercase());
    Position::from_fen(&fen).expect("a Chess960 start position")
}

fn random_games(seed: u64, positions: usize, start: impl Fn(&mut ChaCha8Rng) -> Position) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut seen = 0;
    while seen < positions {
        let mut game = Game::new(start(&mut rng));
        while game.outcome().is_none() && seen < positions && game.moves().len() < 300 {
            compare(game.position(), &mut rng);
            seen += 1;
            let moves = game.position().legal_moves();
            // Castling and en passant are rare in random play: take them when they come.
            let special = moves.iter().find(|m| m.is_castling() || m.kind() == MoveKind::EnPassant);
            let mv = match special {
                Some(&mv) if rng.random_bool(0.5) => mv,
                _ => *moves.choose(&mut rng).expect("the game is not over"),
            };
            game.play(mv).expect("a generated move");
        }
        // What ended it, too: mate, stalemate, too little to mate with.
        compare(game.position(), &mut rng);
    }
}

#[test]
fn random_standard_games_agree_with_shakmaty() {
    random_games(20_261_121, 12_000, |_| Position::startpos());
}

#[test]
fn random_chess960_games_agree_with_shakmaty() {
    random_games(960, 8_000, chess960_start);
}

#[test]
fn random_games_from_kiwipete_agree_with_shakmaty() {
    random_games(7, 3_000, |_| {
        Position::from_fen("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1")
            .expect("legal")
    });
}

/// Fourth ranks between two kings on the second and the seventh, as python-chess 1.11 judges them: two bishops are too
/// little where they stand on squares of one colour, whichever side has them.
const MATERIAL: &[(&str, bool)] = &[
    ("8", true),
    ("N7", true),
    ("n7", true),
    ("B7", true),
    ("b7", true),
    ("B1b5", true),
    ("B1B5", true),
    ("B1B1b3", true),
    ("Bb6", false),
    ("bB6", false),
    ("BB6", false),
    ("B1Bb4", false),
    ("Nn6", false),
    ("NN6", false),
    ("nB6", false),
    ("BN6", false),
    ("P7", false),
    ("r7", false),
    ("Q7", false),
];

#[test]
fn a_game_is_drawn_where_no_side_has_the_material_to_mate() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for &(rank, drawn) in MATERIAL {
        let position = Position::from_fen(&format!("8/7k/8/8/{rank}/8/7K/8 w - - 0 1")).expect("legal");
        assert_eq!(position.insufficient_material(), drawn, "{rank}");
        compare(&position, &mut rng);
        assert_eq!(Game::new(position).outcome(), drawn.then_some(Outcome::InsufficientMaterial), "{rank}");
    }
}

/// Perft counts published for these positions (chessprogramming wiki, "Perft Results").
const PERFT: &[(&str, &[u64])] = &[
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", &[20, 400, 8_902, 197_281, 4_865_609]),
    ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", &[48, 2_039, 97_862, 4_085_603]),
    ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", &[14, 191, 2_812, 43_238, 674_624]),
    ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", &[6, 264, 9_467, 422_333]),
    ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", &[44, 1_486, 62_379, 2_103_487]),
    (
        "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
        &[46, 2_079, 89_890, 3_894_594],
    ),
    ("bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9", &[21, 528, 12_189, 326_672]),
];

#[test]
fn published_perft_counts() {
    for (fen, counts) in PERFT {
        let position = Position::from_fen(fen).expect("legal");
        for (depth, &count) in (1..).zip(*counts) {
            assert_eq!(chess::perft(&position, depth), count, "{fen} depth {depth}");
        }
    }
}

#[test]
fn null_moves_pass_the_turn_and_nothing_else() {
    let position = Position::from_fen("4k3/8/8/8/3pP3/8/8/4K3 b - e3 3 9").expect("legal");
    let passed = position.after_null().expect("not in check");
    assert_eq!(passed.fen(), "4k3/8/8/8/3pP3/8/8/4K3 w - - 4 10");
    assert_eq!(passed.keys_from_scratch(), (passed.key(), passed.pawn_key()));
    let check = Position::from_fen("4k3/8/8/8/8/8/4r3/4K3 w - - 0 1").expect("legal");
    assert!(check.after_null().is_none());
}

#[test]
fn castling_is_read_in_every_form() {
    let position = Position::from_fen("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1").expect("legal");
    for text in ["e1g1", "e1h1", "O-O"] {
        let mv = position.parse_uci(text).expect("castling");
        assert!(mv.is_castling());
        assert_eq!((position.uci(mv).as_str(), position.san(mv).as_str()), ("e1g1", "O-O"));
        let after = position.after(mv);
        assert_eq!(after.king(Color::White).to_string(), "g1");
        assert!(after.pieces(Color::White, PieceKind::Rook).contains("f1".parse().expect("a square")));
    }
    assert!(position.parse_uci("e1g1q").is_err());
    assert!(position.parse_uci("e1").is_err());
    assert!(position.parse_uci("éé").is_err());
    assert!(position.parse_san("Ké2").is_err());
}

/// Some engines write `a1a1` for no move: it packs to nothing, and is not read as a move from b1 to a1.
#[test]
fn a_square_written_twice_is_no_move() {
    for fen in
        ["4k3/8/8/8/8/8/8/1R2K3 w - - 0 1", "4k3/8/8/8/8/8/8/1K6 w - - 0 1", "7K/8/8/8/8/8/7k/1q6 b - - 0 1"]
    {
        let position = Position::from_fen(fen).expect("a position");
        for text in ["a1a1", "b1b1", "h8h8"] {
            assert!(position.parse_uci(text).is_err(), "{text} in {fen}");
        }
    }
    let corner = "a1".parse().expect("a square");
    assert_eq!(Move::normal(corner, corner).to_string(), "a1a1");
}
