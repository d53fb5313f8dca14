//! What the survey says of files whose contents are known.

use chess::Position;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use training::export::{write_pgn, write_plain};
use training::filter::Filter;
use training::format::{Header, Reader, Writer};
use training::game::{Ending, Game, GameResult, Ply};
use training::recipe::Recipe;
use training::survey::Survey;

fn header() -> Header {
    let (commit, network, recipe) = (None, None, Recipe::new(1, 100));
    Header { engine: "firstborn test".into(), commit, bench: 1, network, recipe }
}

/// A game from the start with these moves, all with the score that White is `ahead` by.
fn game(sans: &str, ahead: i32, result: GameResult, ending: Ending) -> Game {
    game_from(Position::startpos(), sans, ahead, result, ending)
}

/// The same from another position.
fn game_from(start: Position, sans: &str, ahead: i32, result: GameResult, ending: Ending) -> Game {
    let mut position = start.clone();
    let mut plies = Vec::new();
    for san in sans.split_whitespace() {
        let mv = position.parse_san(san).unwrap();
        let white = position.side_to_move() == chess::Color::White;
        plies.push(Ply { mv, score: if white { ahead } else { -ahead } });
        position.play(mv);
    }
    Game { start, opening: Vec::new(), plies, result, ending }
}

fn survey(games: &[Game]) -> Survey {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games");
    let mut writer = Writer::open(&path, &header()).unwrap().writer;
    games.iter().for_each(|game| writer.add(game).unwrap());
    writer.finish().unwrap();
    let reader = Reader::open(&path).unwrap();
    let blocks: Vec<_> = reader.blocks().map(|block| (0, block)).collect();
    Survey::of(&blocks, &AtomicBool::new(false)).expect("not stopped")
}

const RUY: &str = "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7";
const MATE: &str = "f3 e5 g4 Qh4#";

#[test]
fn sums_are_as_counted_by_hand() {
    let games = [
        game(RUY, 350, GameResult::WhiteWins, Ending::AdjudicatedWin),
        game(RUY, 350, GameResult::WhiteWins, Ending::AdjudicatedWin),
        game(RUY, -10, GameResult::Draw, Ending::AdjudicatedDraw),
        game(MATE, -950, GameResult::BlackWins, Ending::Checkmate),
    ];
    let survey = survey(&games);
    assert!(survey.faults.is_empty(), "{:?}", survey.faults);
    assert_eq!((survey.games, survey.plies, survey.results), (4, 34, [1, 1, 2]));
    assert_eq!(survey.endings["adjudicated win"], 2);
    assert_eq!(
        (survey.lost_openings, survey.repeated_games),
        (1, 2),
        "scores are not part of a game's identity"
    );
    assert_eq!((survey.clear, survey.coherence()), ([24, 24], Some(1.0)));
    // White's 350 is Black's -350: bins 300 and -400, ten positions each.
    assert_eq!((survey.scores[&300].positions, survey.scores[&300].points), (10, 10.0));
    assert_eq!((survey.scores[&-400].positions, survey.scores[&-400].points), (10, 0.0));
    assert_eq!((survey.scores[&0].positions, survey.scores[&0].points), (5, 2.5));
}

/// A main line of the Ruy Lopez without a capture or a check: all of its 24 plies are quiet, and eight are late enough.
#[test]
fn of_games_that_begin_lost_no_position_is_kept() {
    let moves = format!("{RUY} Re1 b5 Bb3 d6 c3 O-O h3 Nb8 d4 Nbd7 Nbd2 Bb7 Bc2 Re8");
    let games = [400, 401].map(|ahead| game(&moves, ahead, GameResult::WhiteWins, Ending::AdjudicatedWin));
    let survey = survey(&games);
    assert_eq!((survey.plies, survey.lost_openings, survey.kept), (48, 1, 8));
}

/// The two faults that have spoilt whole data sets elsewhere: a flipped result, and scores of the wrong side.
#[test]
fn flipped_labels_show() {
    let right: Vec<Game> =
        (0..5).map(|_| game(RUY, 900, GameResult::WhiteWins, Ending::AdjudicatedWin)).collect();
    let mut flipped = right.clone();
    flipped.iter_mut().for_each(|game| game.result = GameResult::BlackWins);
    let survey_of_flipped = survey(&flipped);
    assert_eq!((survey(&right).coherence(), survey_of_flipped.coherence()), (Some(1.0), Some(0.0)));
    assert_eq!(survey_of_flipped.faults.len(), 5);
    let mut white_relative = right;
    white_relative.iter_mut().flat_map(|game| &mut game.plies).for_each(|ply| ply.score = ply.score.abs());
    assert_eq!(survey(&white_relative).coherence(), Some(0.5));
    let drawn = game(RUY, 350, GameResult::Draw, Ending::AdjudicatedDraw);
    let level = game(RUY, 10, GameResult::WhiteWins, Ending::AdjudicatedWin);
    let drawn = survey(&[drawn, level]);
    assert_eq!(drawn.coherence(), None, "no decisive game with a clear score");
    assert_eq!((drawn.clear_drawn, drawn.known_wins), (10, [0, 0]));
}

#[test]
fn won_endings_that_are_not_won_show() {
    let bare = |moves: &str, result| {
        let start = Position::from_fen("8/8/8/8/3k4/8/1p6/R3K3 w - - 0 60").unwrap();
        game_from(start, moves, 640, result, Ending::FiftyMoves)
    };
    // The pawn falls, and then White has a rook more than the bare king, unless that takes it.
    let games = ["Rb1 Kd5 Rxb2 Kd4", "Rb1 Kc3 Rd1 Kc2", "Rb1 Kc3 Rxb2 Kxb2"];
    let games = games.map(|moves| bare(moves, GameResult::Draw));
    let won = bare("Rb1 Kc3 Rxb2 Kd3 Rb3+", GameResult::WhiteWins);
    assert_eq!(survey(&[games.to_vec(), vec![won]].concat()).known_wins, [1, 2]);
}

#[test]
fn exports_say_the_same_to_strangers() {
    let mate = game(MATE, -950, GameResult::BlackWins, Ending::Checkmate);
    let mut pgn = Vec::new();
    write_pgn(&mut pgn, 6, &mate).unwrap();
    let pgn = String::from_utf8(pgn).unwrap();
    assert!(pgn.contains("[Round \"7\"]") && pgn.contains("[Result \"0-1\"]"), "{pgn}");
    assert!(pgn.ends_with("\n1. f3 {-9.50} e5 {-9.50} 2. g4 {-9.50} Qh4# {-9.50} 0-1\n\n"), "{pgn}");
    let mut plain = Vec::new();
    let filter = Filter { from_ply: 0, opening: 1000, ..Filter::default() };
    write_plain(&mut plain, &filter, &mate).unwrap();
    let plain = String::from_utf8(plain).unwrap();
    assert_eq!(plain.lines().count(), 4);
    assert_eq!(
        plain.lines().nth(1),
        Some("rnbqkbnr/pppppppp/8/8/8/5P2/PPPPP1PP/RNBQKBNR b KQkq - 0 1 | -950 | 0.0")
    );
    assert!(Reader::open(Path::new("/no/such/file")).is_err());
}
