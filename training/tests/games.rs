//! The games that datagen makes, and what is learnt from them.

use chess::{Color, Outcome, Position};
use nnue::Network;
use std::collections::HashSet;
use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use training::datagen::{Player, Playing, play_games, players};
use training::filter::Filter;
use training::format::{Header, NetworkMark};
use training::game::{Ending, Game, GameResult, Incoherence, Ply};
use training::recipe::{Adjudication, Recipe};

fn recipe() -> Recipe {
    Recipe { hash: 1, ..Recipe::new(11, 60) }
}

fn header(recipe: &Recipe) -> Header {
    let network = Some(NetworkMark::of(&Network::embedded()));
    Header { engine: "firstborn test".into(), commit: None, bench: 1, network, recipe: recipe.clone() }
}

fn made(recipe: &Recipe, numbers: std::ops::Range<u64>, threads: usize) -> Vec<Game> {
    made_by(&header(recipe), numbers, threads)
}

fn made_by(header: &Header, numbers: std::ops::Range<u64>, threads: usize) -> Vec<Game> {
    let mut games = Vec::new();
    let stop = AtomicBool::new(false);
    let network = Network::embedded();
    let players = players::<Infallible>(header, &network, threads).unwrap();
    let count = play_games(players, numbers.clone(), &stop, |game| {
        games.push(game);
        Ok::<(), Infallible>(())
    });
    assert_eq!(count.unwrap(), numbers.end - numbers.start);
    games
}

#[test]
fn games_depend_on_seed_and_number_alone() {
    let games = made(&recipe(), 0..12, 1);
    assert_eq!(made(&recipe(), 0..12, 3), games, "not on the threads");
    // A table or a history that is not cleared, or a shared random number, would show here: the last game is played
    // once after eleven others and once first.
    assert_eq!(made(&recipe(), 11..12, 1), games[11..], "not on the games before");
    let other = Recipe { seed: 12, ..recipe() };
    assert_ne!(made(&other, 0..1, 1)[0].opening, games[0].opening);
    let openings: HashSet<_> = games.iter().map(|game| game.opening.clone()).collect();
    assert_eq!(openings.len(), games.len(), "no two begin alike");
}

/// The first positions that players think about.
fn opened(games: &[Game]) -> HashSet<u64> {
    games.iter().map(|game| game.opened().unwrap().key()).collect()
}

#[test]
fn files_of_different_making_share_no_openings() {
    let first = header(&recipe());
    let mark = first.network.unwrap();
    let others = [
        header(&Recipe { seed: 12, ..recipe() }),
        header(&Recipe { soft_nodes: 61, ..recipe() }),
        Header { bench: 2, ..first.clone() },
        Header { network: Some(NetworkMark { fingerprint: mark.fingerprint ^ 1, ..mark }), ..first.clone() },
        Header { network: Some(NetworkMark { checksum: mark.checksum ^ 1, ..mark }), ..first.clone() },
        // Made before files named their network.
        Header { network: None, ..first.clone() },
    ];
    let openings = opened(&made_by(&first, 0..20, 2));
    assert_eq!(openings.len(), 20);
    for other in &others {
        assert!(openings.is_disjoint(&opened(&made_by(other, 0..20, 2))), "{other:?}");
    }
}

#[test]
fn a_share_of_the_games_is_double_chess960() {
    let recipe = Recipe { chess960: 0.25, ..recipe() };
    let games = made(&recipe, 0..80, 2);
    games.iter().for_each(|game| game.check().unwrap());
    let (usual, chess960): (Vec<_>, Vec<_>) =
        games.iter().partition(|game| game.start == Position::startpos());
    // 80 draws at 1 in 4: below 8 or beyond 36 once in 100,000 seeds.
    assert!((8..=36).contains(&chess960.len()), "{}", chess960.len());
    assert_eq!(usual.len() + chess960.len(), games.len());
    let starts: HashSet<_> = chess960.iter().map(|game| game.start.shredder_fen()).collect();
    assert_eq!(starts.len(), chess960.len(), "each from another start");
    let ranks = |fen: &String| -> bool {
        let ranks: Vec<String> = fen.split([' ', '/']).map(str::to_lowercase).collect();
        ranks[0] == ranks[7]
    };
    assert!(!starts.iter().all(ranks), "the sides stand differently");
    assert_eq!(made(&recipe, 0..80, 1), games, "on any number of threads");
}

#[test]
fn games_follow_the_recipe() {
    let games = made(&recipe(), 0..40, 2);
    let mut first_to_think = HashSet::new();
    for game in &games {
        game.check().unwrap();
        assert!(matches!(game.opening.len(), 8 | 9));
        first_to_think.insert(game.opened().unwrap().side_to_move());
        assert!(game.plies[0].score.abs() <= recipe().sane, "{}", game.plies[0].score);
        assert!(game.opening.len() + game.plies.len() <= recipe().adjudication.longest + 1);
    }
    assert_eq!(first_to_think.len(), 2, "both sides are first to think now and then");
}

/// The position after so many plies is still thought about, and its move is the game's last.
#[test]
fn a_game_ends_with_the_move_at_its_greatest_length() {
    // No score is beyond the one, none within the other.
    let rules = Adjudication { longest: 30, win_score: 40_000, draw_score: -1, ..Adjudication::default() };
    let games = made(&Recipe { adjudication: rules, ..recipe() }, 0..6, 2);
    let cut = games.iter().filter(|game| game.ending == Ending::TooLong);
    let plies: Vec<usize> = cut.map(|game| game.opening.len() + game.plies.len()).collect();
    assert!(!plies.is_empty() && plies.iter().all(|&plies| plies == 31), "{plies:?}");
}

/// Label and score speak of the same side: who was far ahead for long has mostly won.
#[test]
fn scores_agree_with_results() {
    let (mut right, mut wrong) = (0, 0);
    for game in made(&recipe(), 0..60, 2) {
        for scored in game.positions().filter(|scored| scored.score.abs() >= 700) {
            let ahead = scored.score > 0;
            right += usize::from(ahead && scored.points == 1.0 || !ahead && scored.points == 0.0);
            wrong += usize::from(ahead && scored.points == 0.0 || !ahead && scored.points == 1.0);
        }
    }
    assert!(right > 200 && right > 9 * wrong, "{right} right, {wrong} wrong");
}

#[test]
fn a_stop_ends_it_and_keeps_the_games_before() {
    let seen = AtomicUsize::new(0);
    let stop = AtomicBool::new(false);
    let (header, network) = (header(&recipe()), Network::embedded());
    let players = players::<Infallible>(&header, &network, 2).unwrap();
    let count = play_games(players, 0..1_000_000, &stop, |_| {
        if seen.fetch_add(1, Relaxed) >= 4 {
            stop.store(true, Relaxed);
        }
        Ok::<(), Infallible>(())
    });
    assert!(count.unwrap() >= 5);
    let mut player = Player::new(&header, &network).unwrap();
    assert_eq!(player.play(0, &|| true), Ok(None));
}

#[test]
fn a_game_is_given_up_in_the_middle_of_a_search() {
    let endless = Recipe { soft_nodes: 1 << 40, hard_nodes: 1 << 40, ..recipe() };
    let (header, network) = (header(&endless), Network::embedded());
    let asked = AtomicUsize::new(0);
    let given_up = || asked.fetch_add(1, Relaxed) > 100;
    assert_eq!(Player::new(&header, &network).unwrap().play(0, &given_up), Ok(None));
}

/// A game of these moves (SAN) whose scores, the mover's own, are all `score`.
fn game(fen: &str, sans: &str, scores: &[i32], result: GameResult, ending: Ending) -> Game {
    let start = Position::from_fen(fen).unwrap();
    let mut position = start.clone();
    let mut plies = Vec::new();
    for (san, &score) in sans.split_whitespace().zip(scores) {
        let mv = position.parse_san(san).unwrap();
        position.play(mv);
        plies.push(Ply { mv, score });
    }
    Game { start, opening: Vec::new(), plies, result, ending }
}

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

#[test]
fn what_cannot_be_is_found() {
    use Ending::{AdjudicatedDraw, AdjudicatedWin, Checkmate, Repetition, Stalemate};
    use GameResult::{BlackWins, Draw, WhiteWins};
    let fools = |result, ending| game(START, "f3 e5 g4 Qh4#", &[0, 50, -100, 31_999], result, ending).check();
    assert_eq!(fools(BlackWins, Checkmate), Ok(()));
    assert_eq!(
        fools(WhiteWins, Checkmate),
        Err(Incoherence::Result { ending: Checkmate, result: WhiteWins })
    );
    let said = |said| Err(Incoherence::Ending { said, found: Some(Checkmate) });
    assert_eq!(fools(BlackWins, AdjudicatedWin), said(AdjudicatedWin));
    assert_eq!(fools(Draw, Stalemate), said(Stalemate));

    let open =
        |result, ending, last| game(START, "e4 d5 exd5 Qxd5", &[20, -900, 900, last], result, ending).check();
    assert_eq!(open(WhiteWins, AdjudicatedWin, -2500), Ok(()));
    assert_eq!(open(BlackWins, AdjudicatedWin, 2500), Ok(()));
    let flipped = Incoherence::Adjudication { result: BlackWins, score: -2500 };
    assert_eq!(open(BlackWins, AdjudicatedWin, -2500), Err(flipped));
    assert_eq!(open(Draw, AdjudicatedDraw, 0), Ok(()));
    assert_eq!(
        open(WhiteWins, AdjudicatedDraw, 0),
        Err(Incoherence::Result { ending: AdjudicatedDraw, result: WhiteWins })
    );
    assert_eq!(open(Draw, Repetition, 0), Err(Incoherence::Ending { said: Repetition, found: None }));
    let mut illegal = game(START, "e4 d5 exd5 Qxd5", &[0; 4], Draw, AdjudicatedDraw);
    illegal.plies.swap(0, 2);
    assert!(matches!(illegal.check(), Err(Incoherence::Illegal { ply: 0, .. })));
}

/// Points, scores and sides of a game whose every position is known.
#[test]
fn perspectives_are_the_side_to_moves() {
    let mate = game(START, "f3 e5 g4 Qh4#", &[0, 50, -100, 31_999], GameResult::BlackWins, Ending::Checkmate);
    let seen: Vec<_> =
        mate.positions().map(|s| (s.position.side_to_move(), s.score, s.points, s.ply)).collect();
    use Color::{Black, White};
    assert_eq!(
        seen,
        [(White, 0, 0.0, 0), (Black, 50, 1.0, 1), (White, -100, 0.0, 2), (Black, 31_999, 1.0, 3)]
    );
    let last = mate.positions().last().unwrap();
    let mut game = chess::Game::new(last.position);
    game.play(last.mv).unwrap();
    assert_eq!(game.outcome(), Some(Outcome::Checkmate { winner: Black }));
}

#[test]
fn only_quiet_positions_of_open_games_are_kept() {
    let sans = "e4 d5 exd5 Qxd5 Nc3 Qe5+ Be2 Nf6 d4";
    let kept = |scores: &[i32; 9], filter: &Filter| -> Vec<usize> {
        let game = game(START, sans, scores, GameResult::Draw, Ending::AdjudicatedDraw);
        filter.positions(&game).map(|scored| scored.ply).collect()
    };
    let all = Filter { from_ply: 0, ..Filter::default() };
    // Plies 2 and 3 take, ply 6 is in check.
    assert_eq!(kept(&[0; 9], &all), [0, 1, 4, 5, 7, 8]);
    assert_eq!(kept(&[0; 9], &Filter { quiet: false, ..all.clone() }), [0, 1, 2, 3, 4, 5, 6, 7, 8]);
    assert_eq!(kept(&[0; 9], &Filter { from_ply: 5, ..all.clone() }), [5, 7, 8]);
    // A mate, and a score beyond the limit.
    assert_eq!(kept(&[0, 31_900, 0, 0, -3001, 3000, 0, 0, -31_900], &all), [0, 5, 7]);
    // A mate within the limit is still no evaluation.
    let wide = Filter { score: 32_767, ..all.clone() };
    assert_eq!(kept(&[0, 31_900, 0, 0, -3001, 3000, 0, 0, -31_900], &wide), [0, 4, 5, 7]);
    // Games that start lost are not read at all.
    assert!(kept(&[-401, 0, 0, 0, 0, 0, 0, 0, 0], &all).is_empty());
    assert!(kept(&[401, 0, 0, 0, 0, 0, 0, 0, 0], &all).is_empty());
    assert_eq!(kept(&[-400, 0, 0, 0, 0, 0, 0, 0, 0], &all).len(), 6);
}

#[test]
fn positions_whose_value_is_known_are_dropped() {
    let kept = |start: &str| -> usize {
        let game = game(start, "Kd7 Ke5 Kc7 Ke4", &[0; 4], GameResult::Draw, Ending::AdjudicatedDraw);
        Filter { from_ply: 0, ..Filter::default() }.positions(&game).count()
    };
    assert_eq!(kept("8/8/2K5/8/3k4/8/R7/7r w - - 0 60"), 4);
    assert_eq!(kept("8/8/2K5/8/3k4/8/R7/8 w - - 0 60"), 0);
}

#[test]
fn a_game_that_its_player_does_not_have_ends_the_making() {
    let made = |stop: bool| {
        let sample = game(START, "e4 e5", &[0; 2], GameResult::Draw, Ending::TooLong);
        let player: Playing = Box::new(move |number, _| Ok((number != 1).then(|| sample.clone())));
        let mut handed_on = 0;
        let sink = |_| {
            handed_on += 1;
            Ok::<(), Infallible>(())
        };
        let result = play_games(vec![player], 0..3, &AtomicBool::new(stop), sink);
        (result.map_err(|error| error.to_string()), handed_on)
    };
    assert_eq!(made(false), (Err("game 1 was not played".into()), 1));
    assert_eq!(made(true), (Ok(1), 1), "it was told to stop");
}

/// The games before are handed on, and the others do not wait for the one that is missing.
#[test]
fn a_player_that_panics_ends_the_making() {
    let sample = game(START, "e4 e5", &[0; 2], GameResult::Draw, Ending::TooLong);
    let player: Playing = Box::new(move |number, _| {
        assert!(number < 3, "a fault of the search, as this test has it");
        Ok(Some(sample.clone()))
    });
    let mut handed_on = 0;
    let sink = |_| {
        handed_on += 1;
        Ok::<(), Infallible>(())
    };
    let result = play_games(vec![player], 0..9, &AtomicBool::new(false), sink);
    assert_eq!(result.map_err(|error| error.to_string()), Err("game 3 was not played".into()));
    assert_eq!(handed_on, 3);
}
