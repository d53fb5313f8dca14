//! Games of a journal asked for again. The scripted engine's moves follow from the position alone, so that a
//! replay that shows it every position has every move again; what it is sent is compared with what the
//! tournament sent.

use crate::support::{left_behind, plan, scripted, side_by_side, words_of};
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tournament::conversation::{Conversation, Recording};
use tournament::description::{describe, describe_counting};
use tournament::identity::Identity;
use tournament::journal::Journal;
use tournament::record::{Ending, GameRecord};
use tournament::retrace::{Found, Hear, Options, RetraceError, Retraced, find, is_journal, retrace};
use tournament::runner::{Forfeits, Stop, Watcher, run};
use tournament::schedule::{Format, Pairing};
use tournament::standings::Standings;

use client::{Protocol, Stream};

/// Keeps the games in a journal, and what was said.
struct Keep {
    journal: Journal,
    games: Vec<(GameRecord, Conversation)>,
    said: Conversation,
}

impl Watcher for Keep {
    fn started(&mut self, _: &Pairing) {}

    fn conversation(&mut self, _: &GameRecord, conversation: &Conversation) {
        self.said = conversation.clone();
    }

    fn finished(&mut self, game: &GameRecord, _: &Standings) -> io::Result<()> {
        self.games.push((game.clone(), std::mem::take(&mut self.said)));
        self.journal.add(game).map_err(io::Error::other)
    }
}

/// What counts towards time controls, and which journal says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Counting {
    /// All moves, and ours says so.
    All,
    /// All moves, and that of cutechess-cli's command line need not say so.
    Cutechess,
    /// The moves that engines make, in one of fastchess's command line, or one of ours before it said so.
    Own,
}

/// Two games between two engines, kept in a journal.
fn play(path: &Path, scripts: [&str; 2], tag: &str, each: &str) -> Vec<(GameRecord, Conversation)> {
    play_counting(path, scripts, tag, each, Counting::All)
}

fn play_counting(
    path: &Path,
    scripts: [&str; 2],
    tag: &str,
    each: &str,
    counting: Counting,
) -> Vec<(GameRecord, Conversation)> {
    let lines = [scripted("A", scripts[0], tag, ""), scripted("B", scripts[1], tag, "")];
    play_lines(path, &lines, each, counting)
}

fn play_lines(
    path: &Path,
    lines: &[Vec<String>; 2],
    each: &str,
    counting: Counting,
) -> Vec<(GameRecord, Conversation)> {
    // One game at a time, in which both may think.
    let mut plan = plan(lines, each, Format::RoundRobin, 1, 2);
    plan.pace.most = Some(1);
    plan.faults.forfeits = Forfeits::Count;
    plan.recording = Recording { all: true, ..Recording::default() };
    plan.conditions.customs.own_moves_only = counting == Counting::Own;
    let players = &plan.conditions.players;
    let described: Vec<_> = players.iter().map(describe).collect();
    let mut description = serde_json::json!({"players": described, "format": "round-robin", "rounds": 1});
    match counting {
        Counting::Cutechess => description["runner"] = "Cutechess".into(),
        Counting::All | Counting::Own => {
            describe_counting(&mut description, players, counting == Counting::Own);
        }
    }
    let (mut journal, games) = Journal::open::<GameRecord>(path, &description).unwrap();
    assert!(games.is_empty());
    let programs: Vec<_> = players
        .iter()
        .map(|player| Identity {
            name: Some("Scripted".into()),
            protocol: player.engine.protocol,
            ..Identity::of(&player.engine).unwrap()
        })
        .collect();
    journal.identify(&programs, false).unwrap();
    let mut keep = Keep { journal, games: Vec::new(), said: Conversation::default() };
    run(&mut plan, &[], &mut keep, &Stop::default()).unwrap();
    keep.games
}

fn options() -> Options {
    Options { patience: Duration::from_secs(20), ..Options::default() }
}

fn silently() -> Arc<Hear> {
    Arc::new(|_: &str, _: Stream, _: &str| {})
}

fn again(path: &Path, game: usize) -> Retraced {
    retrace(&find(path, game).unwrap(), &options(), &silently()).unwrap()
}

/// Moves that engines were asked for, by White and by Black.
fn searched(game: &GameRecord) -> [usize; 2] {
    let of = |player| game.moves_by_player().filter(|(by, mv)| *by == player && mv.ms.is_some()).count();
    [of(game.white), of(game.black)]
}

/// Whether a line tells of a position, a clock or a move.
fn counts(line: &str) -> bool {
    ["position", "go", "usermove", "time", "otim"].iter().any(|word| line.split(' ').next() == Some(word))
}

/// In both protocols, as both colours and under several kinds of clock: the same lines, the same answers.
#[test]
fn a_game_is_the_same_game_again() {
    let folder = tempfile::tempdir().unwrap();
    for (number, scripts, each, counting) in [
        (0, ["uci good", "xboard good"], "tc=7/60+0.25", Counting::All),
        (1, ["uci good", "xboard good"], "tc=7/60+0.25", Counting::Cutechess),
        (2, ["uci good", "xboard good"], "tc=7/60+0.25", Counting::Own),
        (3, ["xboard good", "uci good"], "st=5 depth=3", Counting::All),
        (4, ["uci good", "uci good"], "tc=30 ponder=on", Counting::All),
    ] {
        let tag = format!("retrace-{number}-{}", std::process::id());
        let path = folder.path().join(format!("{number}.journal"));
        for (game, said) in play_counting(&path, scripts, &tag, each, counting) {
            let heard = Arc::new(Mutex::new([Vec::new(), Vec::new()]));
            let ears = Arc::clone(&heard);
            let white = ["A", "B"][game.white];
            let hear: Arc<Hear> = Arc::new(move |player: &str, stream: Stream, line: &str| {
                if stream == Stream::Sent && counts(line) {
                    ears.lock().unwrap()[usize::from(player != white)].push(line.to_owned());
                }
            });
            let outcome = retrace(&find(&path, game.id + 1).unwrap(), &options(), &hear).unwrap();
            assert!(outcome.same(), "{each}: {outcome:?}");
            assert_eq!(outcome.answers, searched(&game), "{each}");
            for side in 0..2 {
                let sent = said.sides[side].iter().filter(|line| line.stream == Stream::Sent);
                let sent: Vec<_> = sent.map(|line| line.text.clone()).filter(|line| counts(line)).collect();
                assert_eq!(heard.lock().unwrap()[side], sent, "{each}, {counting:?}, side {side}");
            }
        }
        assert_eq!(left_behind(&tag), Vec::<String>::new());
    }
}

/// An xboard engine counts the moves that it is told of, those of the opening too, and has a new time after
/// every four. So have the clocks, whatever the protocol: what is told is held against the moves before it.
#[test]
fn controls_count_the_moves_that_an_xboard_engine_counts() {
    let folder = tempfile::tempdir().unwrap();
    let tag = format!("counts-{}", std::process::id());
    let games = play(&folder.path().join("j"), ["uci good", "xboard good"], &tag, "tc=4/60");
    for (game, said) in games {
        let xboard = usize::from(game.black == 1);
        let (mut plies, mut controls) = (0, 0);
        for line in &said.sides[xboard].iter().map(|line| line.text.as_str()).collect::<Vec<_>>() {
            plies += usize::from(line.starts_with("usermove ") || line.starts_with("move "));
            let Some(time) = line.strip_prefix("time ") else { continue };
            let own = (plies + 1 - xboard) / 2;
            controls = time.parse::<usize>().unwrap().div_ceil(6000);
            assert_eq!(controls, 1 + own / 4, "{line} after {own} moves");
        }
        assert!(controls > 2, "a short game: the test tests nothing");
        let uci = 1 - xboard;
        let sent = said.sides[uci].iter().map(|line| line.text.as_str());
        let sent: Vec<&str> =
            sent.filter(|line| line.starts_with("position") || line.starts_with("go")).collect();
        for pair in sent.chunks(2) {
            let moves = pair[0].split_once(" moves ").map_or(0, |(_, moves)| moves.split(' ').count());
            let own = (moves + 1 - uci) / 2;
            assert!(pair[1].ends_with(&format!(" movestogo {}", 4 - own % 4)), "{pair:?}");
        }
    }
}

/// An engine that plays one other move is found out at that move, and goes on with the game as it was.
#[test]
fn another_answer_is_named_and_the_game_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    for (number, scripts) in [(0, ["uci good", "xboard good"]), (1, ["xboard good", "uci good"])] {
        let tag = format!("other-{number}-{}", std::process::id());
        let path = folder.path().join(format!("{number}.journal"));
        for (game, _) in play(&path, scripts, &tag, "tc=60") {
            let mut found = find(&path, game.id + 1).unwrap();
            let side = usize::from(game.black == 0);
            found.players[side].engine.args[1..3].clone_from_slice(&["other".to_owned(), "3".to_owned()]);
            let outcome = retrace(&found, &options(), &silently()).unwrap();
            let [difference] = &outcome.differences[..] else { panic!("{outcome:?}") };
            let (ply, mv) = game
                .moves_by_player()
                .enumerate()
                .filter(|(_, (player, mv))| *player == 0 && mv.ms.is_some())
                .map(|(index, (_, mv))| (index + 1, mv))
                .nth(2)
                .unwrap();
            assert_eq!((difference.ply, difference.black), (ply, side == 1));
            assert_eq!((&difference.then.answer, difference.then.score), (&mv.san, mv.score));
            assert_ne!(difference.now.answer, mv.san);
            assert_eq!(difference.now.score, Some(20));
            assert!(!outcome.same() && outcome.answers == searched(&game), "{outcome:?}");
            // The other engine alone has nothing else to say.
            let other = Options { only: Some(1 - side), ..options() };
            let outcome = retrace(&found, &other, &silently()).unwrap();
            assert!(outcome.same() && outcome.answers[side] == 0, "{outcome:?}");
            // One that evaluates from White's side is told of from its own.
            found.players[side].white_pov = true;
            let outcome = retrace(&found, &options(), &silently()).unwrap();
            let [difference] = &outcome.differences[..] else { panic!("{outcome:?}") };
            assert_eq!(difference.now.score, Some(if side == 1 { -20 } else { 20 }));
        }
    }
}

/// An engine that resigns in mid-game now is told the game's move, and is asked about the positions after it as before.
#[test]
fn who_resigns_now_goes_on_with_the_game() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("j");
    let tag = format!("resigns-now-{}", std::process::id());
    for (game, _) in play(&path, ["xboard good", "uci good"], &tag, "tc=60") {
        let mut found = find(&path, game.id + 1).unwrap();
        let side = usize::from(game.black == 0);
        found.players[side].engine.args[1..3].clone_from_slice(&["resign".to_owned(), "3".to_owned()]);
        let outcome = retrace(&found, &options(), &silently()).unwrap();
        let [difference] = &outcome.differences[..] else { panic!("{outcome:?}") };
        assert_eq!(difference.now.answer, "resigns");
        assert_eq!(outcome.answers, searched(&game));
    }
}

/// What stands behind a move that is taken back is taken back with it.
#[test]
fn a_claim_behind_another_move_is_no_answer() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("j");
    let tag = format!("claims-behind-{}", std::process::id());
    for (game, _) in play(&path, ["xboard good", "uci good"], &tag, "tc=60") {
        let mut found = find(&path, game.id + 1).unwrap();
        let side = usize::from(game.black == 0);
        found.players[side].engine.args[1..3].clone_from_slice(&["other-claim".to_owned(), "3".to_owned()]);
        let outcome = retrace(&found, &options(), &silently()).unwrap();
        assert_eq!(outcome.differences.len(), 1, "{outcome:?}");
        assert_eq!(outcome.answers, searched(&game));
    }
}

/// An engine that gives up on its opponent's time has not been asked for the move that the game goes on with; one
/// that gives up and moves all the same has made a move too many. Both are told every move but their own answers,
/// once and in the order of the game.
#[test]
fn who_resigns_and_moves_is_told_every_move_once() {
    let folder = tempfile::tempdir().unwrap();
    let cases = [("resign-behind", "3"), ("other-resign", "4")];
    side_by_side(&cases, |&(behaviour, at)| {
        let path = folder.path().join(behaviour);
        let tag = format!("{behaviour}-{}", std::process::id());
        for (game, _) in play(&path, ["xboard good", "uci good"], &tag, "tc=60") {
            let mut found = find(&path, game.id + 1).unwrap();
            let side = usize::from(game.black == 0);
            found.players[side].engine.args[1..3].clone_from_slice(&[behaviour.to_owned(), at.to_owned()]);
            let heard = Arc::new(Mutex::new(Vec::new()));
            let ears = Arc::clone(&heard);
            let hear: Arc<Hear> = Arc::new(move |player: &str, stream: Stream, line: &str| {
                if let (Stream::Sent, "A", Some(mv)) = (stream, player, line.strip_prefix("usermove ")) {
                    ears.lock().unwrap().push(mv.to_owned());
                }
            });
            let outcome = retrace(&found, &options(), &hear).unwrap();
            let [difference] = &outcome.differences[..] else { panic!("{behaviour}: {outcome:?}") };
            assert_eq!(difference.now.answer, "resigns");
            let (mut asked, mut told, mut last) = (0, Vec::new(), 0);
            for (player, mv) in game.moves_by_player() {
                let its_turn = player == 0 && mv.ms.is_some();
                asked += usize::from(its_turn);
                if its_turn {
                    last = told.len();
                }
                // The fourth time it has given up.
                if !its_turn || asked == 4 {
                    told.push(mv.uci.clone());
                }
            }
            assert_eq!(*heard.lock().unwrap(), told[..last], "{behaviour}");
        }
    });
}

/// A game that was lost by a failure ends by it again; a program without the fault is said to be without it.
#[test]
fn the_end_is_asked_for_as_well() {
    let folder = tempfile::tempdir().unwrap();
    let cases = [
        ("uci crash 4", Ending::Crash),
        ("xboard crash 4", Ending::Crash),
        ("uci illegal 3", Ending::IllegalMove),
        ("xboard claim 3", Ending::FalseClaim),
        ("xboard resign 3", Ending::Resignation),
    ];
    side_by_side(&cases, |&(script, ending)| {
        let tag = format!("end-{}-{}", script.replace(' ', "-"), std::process::id());
        let path = folder.path().join(format!("{tag}.journal"));
        for (game, _) in play(&path, ["uci good", script], &tag, "tc=60") {
            assert_eq!(game.ending, ending, "{script}");
            let outcome = again(&path, game.id + 1);
            assert!(outcome.same() && outcome.end.is_some(), "{script}: {outcome:?}");
            let mut mended = find(&path, game.id + 1).unwrap();
            mended.players[usize::from(game.black == 1)].engine.args[1] = "good".to_owned();
            let outcome = retrace(&mended, &options(), &silently()).unwrap();
            assert!(outcome.end.as_ref().is_some_and(|end| !end.same), "{script}: {outcome:?}");
            assert_eq!(outcome.differences, [], "{script}");
        }
        assert_eq!(left_behind(&tag), Vec::<String>::new(), "{script}");
    });
}

/// So it is where a player did not get ready for the game and no move was made.
#[test]
fn one_that_does_not_get_ready_is_asked_again() {
    let folder = tempfile::tempdir().unwrap();
    side_by_side(&["uci unready", "uci stuck"], |script| {
        let tag = format!("unready-{}-{}", script.replace(' ', "-"), std::process::id());
        let path = folder.path().join(format!("{tag}.journal"));
        for (game, _) in play(&path, ["uci good", script], &tag, "tc=60 readytimeout=2") {
            assert_eq!((game.ending, game.moves.len()), (Ending::StartFailure, 0), "{script}");
            let mut found = find(&path, game.id + 1).unwrap();
            let side = usize::from(game.black == 1);
            // Another time than then: how long it was waited for is no part of the failure.
            found.players[side].engine.ready_timeout = Duration::from_secs(3);
            // One that fails in another way fails, and not as then.
            let [_, own] = script.split(' ').collect::<Vec<_>>()[..] else { panic!("{script}") };
            let other = if own == "stuck" { "unready" } else { "stuck" };
            for (behaviour, same) in [(own, true), (other, false), ("good", false)] {
                found.players[side].engine.args[1] = behaviour.to_owned();
                let hasty = Options { patience: Duration::from_secs(1), ..options() };
                let outcome = retrace(&found, &hasty, &silently()).unwrap();
                assert_eq!(outcome.end.as_ref().map(|end| end.same), Some(same), "{script}: {outcome:?}");
                assert_eq!((outcome.same(), outcome.answers), (same, [0, 0]), "{script}");
                // The other player has nothing to do with it.
                let winner = Options { only: Some(1 - side), ..options() };
                let outcome = retrace(&found, &winner, &silently()).unwrap();
                assert_eq!(outcome, Retraced::default(), "{script}");
            }
        }
        assert_eq!(left_behind(&tag), Vec::<String>::new(), "{script}");
    });
}

/// The folder of a tournament has another name: the program of a command that leads to it there is the one that played,
/// by its content, and another one in its place is not.
#[test]
#[cfg(unix)]
fn a_program_that_has_moved_is_found_by_its_command() {
    let folder = tempfile::tempdir().unwrap();
    let [before, after] = ["before", "after"].map(|name| folder.path().join(name));
    std::fs::create_dir(&before).unwrap();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_scripted-engine"), before.join("engine")).unwrap();
    std::os::unix::fs::symlink("/bin/sh", before.join("other")).unwrap();
    let tag = format!("moved-{}", std::process::id());
    let engine = before.join("engine").display().to_string();
    let line =
        |name: &str| words_of(name, Path::new(&engine), &format!("proto=uci arg=uci arg=good arg={tag}"));
    let path = folder.path().join("j");
    play_lines(&path, &[line("A"), line("B")], "tc=60", Counting::All);
    std::fs::rename(&before, &after).unwrap();
    let mut found = find(&path, 1).unwrap();
    let gone = retrace(&found, &options(), &silently()).unwrap_err();
    assert!(matches!(gone, RetraceError::Gone { .. }) && gone.to_string().contains(&engine), "{gone}");
    // As a relative command leads there.
    for (program, same) in [("engine", true), ("other", false)] {
        for player in &mut found.players {
            player.engine.command = after.join(program).display().to_string();
        }
        match retrace(&found, &options(), &silently()) {
            Ok(outcome) => assert!(same && outcome.same(), "{outcome:?}"),
            Err(error) => assert!(!same && matches!(error, RetraceError::Changed { .. }), "{error}"),
        }
    }
    assert_eq!(left_behind(&tag), Vec::<String>::new());
}

/// The journal says which protocol an engine was found to speak: it is asked in no other, unless that is wanted.
#[test]
fn the_protocol_of_the_journal_is_spoken() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("j");
    let tag = format!("protocol-{}", std::process::id());
    play(&path, ["xboard good", "uci good"], &tag, "tc=60");
    let found = find(&path, 1).unwrap();
    let first_sent = |found: &Found, options: &Options| {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let ears = Arc::clone(&heard);
        let hear: Arc<Hear> = Arc::new(move |player: &str, stream: Stream, line: &str| {
            if player == "A" && stream == Stream::Sent {
                ears.lock().unwrap().push(line.to_owned());
            }
        });
        let outcome = retrace(found, options, &hear);
        (heard.lock().unwrap().first().cloned(), outcome.is_ok_and(|outcome| outcome.same()))
    };
    assert_eq!(first_sent(&found, &options()), (Some("xboard".to_owned()), true));
    // A journal of an older version does not say it: UCI is tried first.
    let mut older = found.clone();
    older.programs.iter_mut().flatten().for_each(|program| program.protocol = None);
    assert_eq!(first_sent(&older, &options()), (Some("uci".to_owned()), true));
    // Asked for, it is another one than the journal's, in which this engine ends at once.
    let only = Some(usize::from(found.game.black == 0));
    let wanted = Options { protocol: Some(Protocol::Uci), only, ..options() };
    assert_eq!(first_sent(&found, &wanted), (Some("uci".to_owned()), false));
}

/// Searches are repeated by the nodes that the journal has: the scripted engine says 30 of every search.
#[test]
fn searches_can_be_limited_by_their_nodes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("j");
    let tag = format!("by-nodes-{}", std::process::id());
    play(&path, ["uci good", "uci good"], &tag, "tc=60");
    let heard = Arc::new(Mutex::new(Vec::new()));
    let ears = Arc::clone(&heard);
    let hear: Arc<Hear> = Arc::new(move |_: &str, stream: Stream, line: &str| {
        if stream == Stream::Sent && line.starts_with("go") {
            ears.lock().unwrap().push(line.to_owned());
        }
    });
    let by_nodes = Options { nodes: true, ..options() };
    let outcome = retrace(&find(&path, 2).unwrap(), &by_nodes, &hear).unwrap();
    let heard = heard.lock().unwrap();
    assert_eq!(heard.len(), outcome.answers.iter().sum::<usize>());
    assert!(!heard.is_empty() && heard.iter().all(|line| line == "go nodes 30"), "{heard:?}");
}

/// What the journal does not hold, or not yet, and programs that are not those that played.
#[test]
fn what_cannot_be_retraced_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("j");
    let tag = format!("cannot-{}", std::process::id());
    let games = play(&path, ["uci good", "uci good"], &tag, "tc=60");
    let no_game = |number| find(&path, number).unwrap_err().to_string();
    assert!(no_game(3).ends_with("holds no game 3: it has 2 games, numbers 1 to 2"), "{}", no_game(3));
    assert!(is_journal(&path));
    let whole = std::fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = whole.lines().collect();
    // A reader comes in the middle of the last line, before the first game, in the middle of the first line.
    std::fs::write(&path, &whole[..whole.len() - 50]).unwrap();
    let missing = games.last().unwrap().0.id + 1;
    assert!(
        no_game(missing).contains("it has one game, number") && no_game(missing).contains("being written")
    );
    assert!(again(&path, 3 - missing).same());
    std::fs::write(&path, format!("{}\n", lines[0])).unwrap();
    assert!(no_game(1).ends_with("it has no games yet"), "{}", no_game(1));
    std::fs::write(&path, &lines[0][..100]).unwrap();
    assert!(no_game(1).contains("the tournament has not begun"), "{}", no_game(1));
    std::fs::write(&path, "[Event \"x\"]\n\n1. e4 *\n").unwrap();
    assert!(no_game(1).contains("is not a journal") && !is_journal(&path), "{}", no_game(1));

    std::fs::write(&path, &whole).unwrap();
    let mut found = find(&path, 1).unwrap();
    let program = &mut found.programs[0].as_mut().unwrap().files[0];
    program.sha256 = "0".repeat(64);
    let changed = retrace(&found, &options(), &silently()).unwrap_err();
    assert!(matches!(&changed, RetraceError::Changed { player, .. } if *player == found.players[0].name));
    let same_engine = Options { same_engine: true, ..options() };
    assert!(retrace(&found, &same_engine, &silently()).unwrap().same());
    // Neither where it was nor where its command leads.
    let gone = folder.path().join("gone");
    found.players[0].engine.command = gone.display().to_string();
    found.programs[0].as_mut().unwrap().files[0].path = gone;
    for options in [options(), same_engine] {
        let gone = retrace(&found, &options, &silently()).unwrap_err();
        assert!(matches!(gone, RetraceError::Gone { .. }) && gone.to_string().contains("gone"), "{gone}");
    }
    let mut found = find(&path, 1).unwrap();
    found.programs[1].as_mut().unwrap().name = Some("Other 2".into());
    let changed = retrace(&found, &options(), &silently()).unwrap_err().to_string();
    assert!(changed.contains("Other 2") && changed.contains("Scripted"), "{changed}");
    found.game.moves[5].uci = "e1e8".into();
    let illegal = retrace(&found, &options(), &silently()).unwrap_err().to_string();
    assert!(illegal.contains("move 6, `e1e8`, is not legal in"), "{illegal}");
    assert_eq!(left_behind(&tag), Vec::<String>::new());
}
