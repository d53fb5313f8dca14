//! Games in viriformat, held against the crate that defines it: it reads what we write, and we read what it writes.

use chess::{Color, Position};
use proptest::prelude::*;
use rand::{Rng, SeedableRng, rngs::SmallRng, seq::IndexedRandom};
use std::convert::Infallible;
use std::sync::LazyLock;
use training::format::{Damage, Reader};
use training::game::{Ending, Game, GameResult, Ply};
use training::viriformat::{BEGINNING, begins, write};
use viriformat::chess::board::{Board, DrawType, GameOutcome, WinType};
use viriformat::dataformat::{Game as Theirs, WDL};

/// Positions with castling of both kinds, pawns about to promote, and en passant next move.
const STARTS: [&str; 5] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "1r1k1r2/8/8/8/8/8/8/1R1K1R2 w BFbf - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 3 17",
    "7k/PPPP4/8/8/8/8/4pppp/K7 w - - 0 40",
    "4k3/4pppp/8/PPPP4/4pppp/8/PPPP4/4K3 b - - 7 3",
];

/// A game of random moves with random scores, which ends where the rules end it or anywhere.
fn random_game(seed: u64) -> Game {
    let mut rng = SmallRng::seed_from_u64(seed);
    let start = match rng.random_range(0..3) {
        0 => Position::chess960(rng.random_range(0..960), rng.random_range(0..960)).unwrap(),
        _ => Position::from_fen(STARTS[rng.random_range(0..5)]).unwrap(),
    };
    let mut game = chess::Game::new(start.clone());
    let mut plies = Vec::new();
    while plies.len() < rng.random_range(1..150) && game.outcome().is_none() {
        let &mv = game.position().legal_moves().choose(&mut rng).unwrap();
        plies.push(Ply { mv, score: rng.random_range(-31_999..=31_999) });
        game.play(mv).unwrap();
    }
    let results = [GameResult::BlackWins, GameResult::Draw, GameResult::WhiteWins];
    let result = *results.choose(&mut rng).unwrap();
    let adjudicated =
        if result == GameResult::Draw { Ending::AdjudicatedDraw } else { Ending::AdjudicatedWin };
    let ending = game.outcome().map_or(adjudicated, Ending::of);
    Game { start, opening: Vec::new(), plies, result, ending }
}

/// All whole games, and what had to be left out.
fn read(bytes: &[u8]) -> (Vec<Game>, Vec<Damage>) {
    let mut games = Vec::new();
    let Ok(damage) = training::viriformat::read(bytes, |game| -> Result<(), Infallible> {
        games.push(game);
        Ok(())
    });
    (games, damage)
}

fn bytes(games: &[Game]) -> Vec<u8> {
    let mut bytes = Vec::new();
    games.iter().for_each(|game| write(&mut bytes, game).unwrap());
    bytes
}

/// What both call a position, move counters included.
fn fen(position: &Position) -> String {
    position.shredder_fen()
}

#[test]
fn their_reader_finds_our_games() {
    let (mut castled, mut promoted, mut passed) = (0, 0, 0);
    for game in (0..400).map(random_game) {
        let bytes = bytes(std::slice::from_ref(&game));
        let mut rest = &bytes[..];
        let theirs = Theirs::deserialise_from(&mut rest, Vec::new()).unwrap();
        assert!(rest.is_empty());
        let points = match theirs.outcome() {
            WDL::Win => 1.0,
            WDL::Draw => 0.5,
            WDL::Loss => 0.0,
        };
        assert_eq!(points, game.result.points(Color::White));
        let ours: Vec<_> = game.positions().collect();
        let mut seen = 0;
        theirs.visit_positions(|board, score| {
            let Some(scored) = ours.get(seen) else { panic!("a position too many") };
            let white = scored.position.side_to_move() == Color::White;
            assert_eq!(score, if white { scored.score } else { -scored.score });
            // They write castling letters of standard chess; the fields around are alike.
            let [theirs, ours] = [board.to_string(), fen(&scored.position)];
            let fields = |fen: &str| -> Vec<String> { fen.split(' ').map(String::from).collect() };
            let [theirs, ours] = [fields(&theirs), fields(&ours)];
            assert_eq!((&theirs[0], &theirs[1], &theirs[4..]), (&ours[0], &ours[1], &ours[4..]));
            seen += 1;
        });
        assert_eq!(seen, ours.len());
        castled += ours.iter().filter(|scored| scored.mv.is_castling()).count();
        promoted += ours.iter().filter(|scored| scored.mv.promotion().is_some()).count();
        passed += ours.iter().filter(|scored| scored.mv.kind() == chess::MoveKind::EnPassant).count();
    }
    assert!(castled > 20 && promoted > 100 && passed > 1, "{castled} {promoted} {passed}");
}

#[test]
fn our_reader_finds_their_games() {
    let mut rng = SmallRng::seed_from_u64(5);
    for number in 0..200 {
        let start = *STARTS.choose(&mut rng).unwrap();
        let mut board = Board::new();
        board.set_from_fen(start, start.contains("BFbf")).unwrap();
        let mut theirs = Theirs::new(&board);
        let mut scores = Vec::new();
        for _ in 0..rng.random_range(0..100) {
            let Some(&mv) = board.legal_moves().choose(&mut rng) else { break };
            let score: i16 = rng.random_range(-31_000..31_000);
            theirs.add_move(mv, score);
            scores.push(i32::from(score));
            board.make_move_simple(mv);
        }
        let (outcome, result) = match number % 3 {
            0 => (GameOutcome::WhiteWin(WinType::Adjudication), GameResult::WhiteWins),
            1 => (GameOutcome::BlackWin(WinType::Mate), GameResult::BlackWins),
            _ => (GameOutcome::Draw(DrawType::Repetition), GameResult::Draw),
        };
        theirs.set_outcome(outcome);
        let mut bytes = Vec::new();
        theirs.serialise_into(&mut bytes).unwrap();
        assert!(begins(&bytes));
        // A damaged board costs its own game, if another follows.
        let damaged = [&[bytes[0] ^ 0xff], &bytes[1..]].concat();
        assert!(begins(&[&damaged[..], &bytes].concat()));
        assert_eq!(read(&[&damaged[..], &bytes].concat()).0.len(), 1);
        let (games, damage) = read(&bytes);
        let [game] = &games[..] else { panic!("{number}: {} games, {damage:?}", games.len()) };
        assert_eq!((game.result, damage), (result, Vec::new()));
        assert_eq!(game.start, Position::from_fen(start).unwrap());
        let ours: Vec<i32> = game
            .positions()
            .map(|s| if s.position.side_to_move() == Color::White { s.score } else { -s.score })
            .collect();
        assert_eq!(ours, scores);
        let mut last = game.start.clone();
        game.plies.iter().for_each(|ply| last.play(ply.mv));
        let [theirs, ours] =
            [board.to_string(), fen(&last)].map(|fen| fen.split(' ').next().unwrap().to_string());
        assert_eq!(theirs, ours);
    }
}

/// Only the board says that the first move may capture in passing.
#[test]
fn a_game_may_begin_with_a_capture_in_passing() {
    for (start, capture) in [
        ("rnbqkbnr/ppp1pppp/8/8/2PpP3/8/PP1P1PPP/RNBQKBNR b KQkq c3 0 3", "d4c3"),
        ("rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3", "e5f6"),
    ] {
        let position = Position::from_fen(start).unwrap();
        let mv = position.parse_uci(capture).unwrap();
        assert_eq!(mv.kind(), chess::MoveKind::EnPassant, "{start}");
        let score: i16 = if position.side_to_move() == Color::White { 25 } else { -25 };
        let game = Game {
            start: position,
            opening: Vec::new(),
            plies: vec![Ply { mv, score: 25 }],
            result: GameResult::Draw,
            ending: Ending::AdjudicatedDraw,
        };
        let ours = bytes(std::slice::from_ref(&game));
        let mut board = Board::new();
        board.set_from_fen(start, false).unwrap();
        let captures: Vec<_> = board.legal_moves().into_iter().filter(|mv| mv.is_ep()).collect();
        assert_eq!(captures.len(), 1, "{start}");
        // Theirs of our bytes, and ours of their bytes.
        let found = Theirs::deserialise_from(&mut &ours[..], Vec::new()).unwrap();
        assert_eq!(found.initial_position().to_string(), start);
        assert_eq!(found.moves().collect::<Vec<_>>(), captures);
        let mut theirs = Theirs::new(&board);
        theirs.add_move(captures[0], score);
        theirs.set_outcome(GameOutcome::Draw(DrawType::Repetition));
        let mut written = Vec::new();
        theirs.serialise_into(&mut written).unwrap();
        assert_eq!(read(&written), (vec![game], Vec::new()));
    }
}

/// None waits in memory until the file is read to its end.
#[test]
fn games_are_handed_on_as_they_are_found() {
    let mut left = 2;
    let refused = training::viriformat::read(&bytes(&[0, 1, 2].map(random_game)), |_| {
        left -= 1;
        if left == 0 { Err("no more") } else { Ok(()) }
    });
    assert_eq!((refused, left), (Err("no more"), 0));
}

#[test]
fn openings_are_left_out_and_plies_still_counted() {
    let mut game = random_game(1);
    game.start = Position::startpos();
    let sans = ["e4", "e5", "Nf3", "Nc6", "Bb5", "a6", "Ba4", "Nf6", "O-O", "Be7"];
    let mut position = game.start.clone();
    let mut play = |san: &&str| {
        let mv = position.parse_san(san).unwrap();
        position.play(mv);
        mv
    };
    game.opening = sans[..7].iter().map(&mut play).collect();
    game.plies = sans[7..].iter().map(play).map(|mv| Ply { mv, score: 20 }).collect();
    let (read, _) = read(&bytes(std::slice::from_ref(&game)));
    let what = |game: &Game| -> Vec<_> {
        game.positions().map(|s| (fen(&s.position), s.mv, s.score, s.points, s.ply)).collect()
    };
    assert_eq!(what(&read[0]), what(&game));
    assert_eq!(read[0].opening.len(), 0);
}

/// The file of a format without checksums: damage costs the game that it is in, if it shows at all.
#[test]
fn damage_costs_one_game() {
    let games: Vec<Game> = (0..12).map(random_game).collect();
    let whole = bytes(&games);
    let ends: Vec<usize> = (0..=12).map(|count| bytes(&games[..count]).len()).collect();
    assert_eq!(read(&whole), (games.clone(), Vec::new()));
    let mut shown = 0;
    let mut rng = SmallRng::seed_from_u64(9);
    for _ in 0..1000 {
        let at = rng.random_range(0..whole.len());
        let mut damaged = whole.clone();
        damaged[at] ^= 1 << rng.random_range(0..8);
        let hit = ends.iter().position(|&end| at < end).unwrap() - 1;
        let (found, damage) = read(&damaged);
        let lost: Vec<usize> = (0..12).filter(|&number| !found.contains(&games[number])).collect();
        assert!(lost.iter().all(|&number| number == hit), "byte {at} of game {hit}: lost {lost:?}");
        if let [damage] = &damage[..] {
            shown += 1;
            assert!(
                damage.offset >= ends[hit] && damage.offset + damage.bytes <= ends[hit + 1],
                "{damage:?}"
            );
        }
    }
    assert!(shown > 300, "{shown}");
    // Torn anywhere, the games before are whole.
    for cut in 1..whole.len() {
        let kept = ends.iter().filter(|&&end| end <= cut).count() - 1;
        let (found, damage) = read(&whole[..cut]);
        assert_eq!(found, games[..kept]);
        assert_eq!(damage.len(), usize::from(cut != ends[kept]));
        assert!(damage.iter().all(|damage| damage.tail && damage.offset == ends[kept]));
    }
}

#[test]
fn files_are_read_like_our_own() {
    let games: Vec<Game> = (0..150).map(random_game).collect();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games");
    std::fs::write(&path, bytes(&games)).unwrap();
    let reader = Reader::open(&path).unwrap();
    assert_eq!((&reader.header, reader.game_count()), (&None, 150));
    assert_eq!(reader.games().collect::<Result<Vec<_>, _>>().unwrap(), games);
}

/// As far in as a first whole game is looked for; the game itself lies beyond.
#[test]
fn a_first_game_at_the_end_of_the_beginning_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games");
    let game = random_game(1);
    let damaged = vec![0xff_u8; BEGINNING - 4];
    std::fs::write(&path, [&damaged[..], &bytes(std::slice::from_ref(&game))].concat()).unwrap();
    let reader = Reader::open(&path).unwrap();
    assert_eq!(reader.games().collect::<Result<Vec<_>, _>>().unwrap(), [game]);
}

/// Files of two games each.
static FILES: LazyLock<Vec<Vec<u8>>> =
    LazyLock::new(|| (0..32).map(|seed| bytes(&[random_game(seed), random_game(seed + 100)])).collect());

proptest! {
    /// Bytes changed, taken away and put in anywhere: what is read is a game by the rules, and written again it is read
    /// as the same.
    #[test]
    fn damage_of_any_kind_is_survived(
        file in 0..32usize,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..6u8), 1..12),
    ) {
        let mut bytes = FILES[file].clone();
        for (at, byte, how) in changes {
            let at = at.index(bytes.len());
            match how {
                0 => drop(bytes.drain(at..(at + 1 + usize::from(byte)).min(bytes.len()))),
                1 => drop(bytes.splice(at..at, vec![byte; usize::from(byte % 9)])),
                2 => bytes.truncate(at + 1),
                _ => bytes[at] = byte,
            }
            if bytes.is_empty() {
                bytes.push(byte);
            }
        }
        begins(&bytes);
        let (games, damage) = read(&bytes);
        let size = bytes.len();
        prop_assert!(damage.iter().all(|damage| damage.bytes > 0 && damage.offset + damage.bytes <= size));
        let mut written = Vec::new();
        games.iter().for_each(|game| write(&mut written, game).unwrap());
        let scored: Vec<Game> = games.into_iter().filter(|game| !game.plies.is_empty()).collect();
        prop_assert_eq!(read(&written), (scored, Vec::new()));
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..400), start in 0..5usize) {
        read(&bytes);
        begins(&bytes);
        // The same behind a board that is one.
        let game = Game { start: Position::from_fen(STARTS[start]).unwrap(), ..random_game(1) };
        let first = game.start.legal_moves()[0];
        let game = Game { plies: vec![Ply { mv: first, score: 5 }], ..game };
        let mut behind = Vec::new();
        write(&mut behind, &game).unwrap();
        behind.truncate(36);
        behind.extend(&bytes);
        read(&behind);
    }
}
