//! Whole tournaments of scripted engines: stopping and going on, the sequential test, cores, formats, and the
//! games replayed by a stranger.

use std::collections::HashSet;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::support::{Keep, left_behind, plan, play, scripted};
use client::Stream;
use crossbeam::channel;
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Position};
use tournament::adjudicate::Rules;
use tournament::conversation::{Recording, Spoken};
use tournament::elsewhere::{Answer, Guest, Signals};
use tournament::pgn::{Event, write_game};
use tournament::record::{Ending, GameRecord, Score};
use tournament::replay::replay;
use tournament::runner::{Forfeits, Pace, RunEnd, RunError, Stop, StopRule, Watcher, run};
use tournament::schedule::{Format, Pairing};
use tournament::standings::Standings;
use tournament::stats::sprt::{Model, Sprt, Verdict};

fn field(count: usize, tag: &str) -> Vec<Vec<String>> {
    (0..count)
        .map(|i| {
            let protocol = ["uci", "xboard"][i % 2];
            scripted(&format!("P{i}"), &format!("{protocol} good 0"), tag, "")
        })
        .collect()
}

/// Stopped after any number of games and taken up again, the schedule is played exactly once.
#[test]
fn stopped_and_resumed_is_the_same_as_played_through() {
    let tag = format!("resume-{}", std::process::id());
    let lines = field(4, &tag);
    for (format, total) in [(Format::RoundRobin, 24), (Format::Swiss(3), 24), (Format::Gauntlet(1), 12)] {
        let encounters = 2;
        let mut games: Vec<GameRecord> = Vec::new();
        for stop_after in [1, 3, 2, usize::MAX] {
            let stop = Stop::default();
            let mut keep = Keep { games: Vec::new(), stop_after: Some((stop_after, stop.clone())) };
            let mut plan = plan(&lines, "tc=60", format, encounters, 2);
            let (end, standings) = run(&mut plan, &games, &mut keep, &stop).unwrap();
            games.append(&mut keep.games);
            assert_eq!(standings.games(), games.len() as u64);
            assert_eq!(end == RunEnd::Complete, games.len() == total);
        }
        let ids: HashSet<usize> = games.iter().map(|game| game.id).collect();
        assert_eq!((games.len(), ids.len()), (total, total), "{format:?}");
        assert_eq!(ids, (0..total).collect());
    }
    assert_eq!(left_behind(&tag), Vec::<String>::new());
}

/// Both engines take their time to get ready, which no clock of theirs counts. The end of a game is not before its last
/// answer for that.
#[test]
fn a_game_does_not_end_before_its_last_answer() {
    fn now_ms() -> u64 {
        SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis() as u64
    }
    let tag = format!("ends-{}", std::process::id());
    let mut plan = plan(&field(2, &tag), "tc=60", Format::RoundRobin, 1, 1);
    let last_answer = Arc::new(AtomicU64::new(0));
    let heard = Arc::clone(&last_answer);
    let hear = move |_: &str, _: usize, line: &Spoken| {
        let is_answer = ["bestmove ", "move "].iter().any(|begin| line.text.starts_with(begin));
        match line.stream {
            Stream::Output if is_answer => heard.store(now_ms(), Relaxed),
            Stream::Sent if ["ucinewgame", "new"].contains(&line.text.as_str()) => {
                // Longer than what follows the last answer.
                let begun = now_ms();
                while now_ms() < begun + 50 {
                    std::hint::spin_loop();
                }
            }
            _ => {}
        }
    };
    plan.recording = Recording { live: Some(Arc::new(hear)), ..Recording::default() };
    let (end, _, games) = play(&mut plan);
    assert_eq!((end, games.len()), (RunEnd::Complete, 2));
    let (last, answered) = (&games[1], last_answer.load(Relaxed));
    assert!(answered > last.started_ms && last.end_ms() >= answered, "{answered}: {last:?}");
}

/// Two stops at once give up the running games; none of them is kept.
#[test]
fn the_second_stop_does_not_wait() {
    let tag = format!("hard-{}", std::process::id());
    let lines = [scripted("Mute", "uci mute 3", &tag, ""), scripted("Good", "uci good 0", &tag, "")];
    let mut plan = plan(&lines, "tc=3600", Format::RoundRobin, 1, 1);
    let stop = Stop::default();
    assert!(stop.request() && !stop.request());
    let mut keep = Keep::default();
    let (end, standings) = run(&mut plan, &[], &mut keep, &stop).unwrap();
    assert_eq!((end, standings.games(), keep.games.len()), (RunEnd::Stopped, 0, 0));
    assert_eq!(left_behind(&tag), Vec::<String>::new());
}

#[test]
fn a_sequential_test_ends_a_match() {
    let tag = format!("sprt-{}", std::process::id());
    let lines = [scripted("Good", "uci good 0", &tag, ""), scripted("Bad", "uci illegal 2", &tag, "")];
    let mut plan = plan(&lines, "tc=60", Format::RoundRobin, 5_000, 2);
    plan.faults.forfeits = Forfeits::Count;
    let sprt = Sprt { elo0: 0.0, elo1: 200.0, alpha: 0.05, beta: 0.05, model: Model::Logistic };
    plan.stop_rule = Some(StopRule { sprt, by_pairs: true });
    let (end, standings, games) = play(&mut plan);
    assert_eq!(end, RunEnd::Decided(Verdict::H1));
    assert!(games.len() < 1_000, "{}", games.len());
    assert!(standings.llr(&sprt, true) >= sprt.bounds().1);
}

#[test]
fn a_game_that_does_not_fit_is_refused() {
    let tag = format!("fit-{}", std::process::id());
    let lines =
        [scripted("A", "uci good 0", &tag, "threads=2 ponder=on"), scripted("B", "uci good 0", &tag, "")];
    let mut keep = Keep::default();
    let mut small = plan(&lines, "tc=60", Format::RoundRobin, 1, 2);
    let error = run(&mut small, &[], &mut keep, &Stop::default()).unwrap_err();
    assert!(matches!(error, RunError::TooFewCores { needs: 3, budget: 2, .. }), "{error}");
    let told = "A against B takes 3 CPUs, and games may use 2 together: give the engines fewer threads, or \
                the games more CPUs";
    assert_eq!(error.to_string(), told, "no option is named that only some commands have");
    let (end, _, games) = play(&mut plan(&lines, "tc=60", Format::RoundRobin, 1, 3));
    assert_eq!((end, games.len()), (RunEnd::Complete, 2));
}

/// Games that are not in the plan take no cores: players of a gauntlet that never meet may be dear.
#[test]
fn a_gauntlet_needs_no_cores_for_games_that_it_does_not_have() {
    let tag = format!("gauntlet-{}", std::process::id());
    let dear = "threads=2 ponder=on";
    let lines =
        [("A", ""), ("B", dear), ("C", dear)].map(|(name, extra)| scripted(name, "uci good 0", &tag, extra));
    // A game of A takes three, one of B and C four.
    for (format, cores, places) in [
        (Format::Gauntlet(1), 6, Some((2, 2))),
        (Format::Gauntlet(1), 3, Some((1, 1))),
        (Format::Gauntlet(1), 2, None),
        (Format::RoundRobin, 6, Some((2, 1))),
        (Format::RoundRobin, 3, None),
        (Format::Swiss(2), 3, None),
        (Format::Knockout, 3, None),
    ] {
        let plan = plan(&lines, "tc=60", format, 1, cores);
        let guests = Guest::all(&plan, &Signals::new(channel::never()).0).len();
        assert_eq!(plan.places().ok().map(|here| (here, guests)), places, "{format:?} {cores}");
    }
}

/// Every move is legal and every result on the board is what shakmaty says it is; both games of a pair begin alike.
#[test]
fn a_stranger_replays_the_games() {
    let tag = format!("replay-{}", std::process::id());
    let mut plan = plan(&field(3, &tag), "tc=60", Format::RoundRobin, 2, 2);
    plan.conditions.rules = Rules { max_moves: Some(150), ..Rules::default() };
    let (_, _, games) = play(&mut plan);
    assert_eq!(games.len(), 12);
    for game in &games {
        let mut position = Chess::default();
        for mv in &game.moves {
            let mv = mv.uci.parse::<UciMove>().unwrap().to_move(&position).unwrap();
            position = position.play(mv).unwrap();
        }
        let outcome = position.outcome();
        match game.ending {
            Ending::Checkmate => assert!(position.is_checkmate()),
            Ending::Stalemate => assert!(position.is_stalemate()),
            Ending::InsufficientMaterial => assert!(position.is_insufficient_material()),
            Ending::FiftyMoves => assert!(position.halfmoves() >= 100),
            Ending::Repetition | Ending::MaximumLength => assert!(!outcome.is_known(), "{}", game.reason),
            other => panic!("{other}: {}", game.reason),
        }
        if outcome.is_known() {
            assert_eq!(outcome.as_str(), game.result.text());
        } else {
            assert_eq!(game.result, Score::Draw);
        }
    }
    let names: Vec<String> = plan.conditions.players.iter().map(|player| player.name.clone()).collect();
    let limits = vec!["60".to_owned(); names.len()];
    let event = Event { name: "Replay".into(), players: names, limits, ..Event::default() };
    let mut pgn = Vec::new();
    for game in &games {
        write_game(&mut pgn, &event, game).unwrap();
    }
    let replayed = replay(&pgn[..]).unwrap();
    assert_eq!(replayed.len(), games.len());
    for (written, game) in replayed.iter().zip(&games) {
        assert_eq!(written.problems, Vec::<String>::new());
        assert_eq!((written.plies, written.result.as_str()), (game.moves.len(), game.result.text()));
    }
    for pair in games.chunks(2) {
        let book = |game: &GameRecord| {
            let book = game.moves.iter().take_while(|mv| mv.ms.is_none());
            book.map(|mv| mv.uci.clone()).collect::<Vec<_>>()
        };
        assert_eq!(book(&pair[0]), book(&pair[1]));
        assert!(!book(&pair[0]).is_empty());
    }
}

/// Stops a run when a game has ended, and gives it up where none does; sees how many are played at once.
#[derive(Default)]
struct OneGame {
    stop: Stop,
    running: usize,
    most: usize,
    pulses: usize,
}

impl OneGame {
    /// Pulses, of a second each, that no run of these tests needs.
    const PATIENCE: usize = 30;
}

impl Watcher for OneGame {
    fn started(&mut self, _: &Pairing) {
        self.running += 1;
        self.most = self.most.max(self.running);
    }

    fn finished(&mut self, _: &GameRecord, _: &Standings) -> io::Result<()> {
        self.running -= 1;
        self.stop.request();
        Ok(())
    }

    fn waiting(&mut self) {
        self.pulses += 1;
        if self.pulses == Self::PATIENCE {
            while self.stop.request() {}
        }
    }
}

/// Whatever the cores, only so many games are played at once as are wanted; the pause of a day stands between two games
/// and not before the first, and a stop ends it.
#[test]
fn a_stop_ends_the_pause_between_two_games() {
    let tag = format!("pause-{}", std::process::id());
    let mut plan = plan(&field(2, &tag), "tc=60", Format::RoundRobin, 1, 2);
    plan.pace = Pace { most: Some(1), wait: Duration::from_secs(86_400) };
    let mut watcher = OneGame::default();
    let stop = watcher.stop.clone();
    let (end, standings) = run(&mut plan, &[], &mut watcher, &stop).unwrap();
    assert_eq!((end, standings.games(), watcher.most), (RunEnd::Stopped, 1, 1));
    assert!(watcher.pulses < OneGame::PATIENCE, "it would have waited for the end of the pause");
    assert_eq!(left_behind(&tag), Vec::<String>::new());
}

/// A place on another machine keeps the pause between two games as the places of the run do.
#[test]
fn a_guest_pauses_between_two_games() {
    let tag = format!("guest-{}", std::process::id());
    let lines = [scripted("Dead", "uci dead", &tag, ""), scripted("Good", "uci good 0", &tag, "")];
    let mut plan = plan(&lines, "tc=60", Format::RoundRobin, 1, 1);
    plan.pace.wait = Duration::from_millis(300);
    let pairing = Pairing { id: 0, round: 1, encounter: 0, opening: 0, white: 0, black: 1 };
    let (signals, _orders) = Signals::new(channel::never());
    let mut guests = Guest::all(&plan, &signals);
    let [guest] = &mut guests[..] else { panic!("not one guest on one CPU") };
    let mut play = || {
        let begun = Instant::now();
        // A game that cannot begin is over at once.
        assert!(matches!(guest.play(pairing), Answer::Halt(_)));
        begun.elapsed()
    };
    play();
    assert!(play() >= plan.pace.wait);
}
