//! Engines that misbehave: each is named for what it does, loses its game for it, and the field plays on.

use crate::support::{left_behind, plan, play, scripted, side_by_side};
use client::{Client, EngineConfig, Launcher, PlainLauncher, Protocol};
use std::sync::Arc;
use std::time::Duration;
use tournament::program::explain;
use tournament::record::Ending;
use tournament::runner::{Forfeits, Halt, RunEnd};
use tournament::schedule::Format;
use tournament::trial::try_engine;

/// What is waited for an engine that does not answer when its short time is over. All of it passes.
const STALL: Duration = Duration::from_millis(300);

/// Lets a misbehaving engine play two games against a good one. Both must be lost by it in the expected way. Times are
/// short only for one that gives no answer in time at its first move: on a busy machine any other answer may be late.
fn diagnose(script: &str, expected: Ending, says: &str) {
    let tag = format!("bad-{}-{}", script.replace(' ', "-"), std::process::id());
    let in_time = !matches!(expected, Ending::Stall | Ending::TimeForfeit);
    let clock = if in_time { "tc=60" } else { "tc=0.4" };
    let start = if script.ends_with("silent") { "starttimeout=0.5" } else { "" };
    let lines = [
        scripted("Good", "uci good 0", &tag, "tc=60"),
        scripted("Bad", script, &tag, &format!("{clock} {start}")),
    ];
    let mut plan = plan(&lines, "tc=60", Format::RoundRobin, 1, 1);
    // One that is late answers, however slow the machine is.
    plan.conditions.stall = if expected == Ending::Stall { STALL } else { Duration::from_secs(60) };
    let (end, standings, games) = play(&mut plan);
    assert_eq!(end, RunEnd::Complete, "{script}");
    assert_eq!(games.len(), 2, "{script}");
    for game in &games {
        assert_eq!(game.ending, expected, "{script}: {}", game.reason);
        assert_eq!(game.loser(), Some(1), "{script}: {}", game.reason);
        assert!(game.reason.starts_with("Bad ("), "{script}: {}", game.reason);
        let told = format!("{} {}", game.reason, game.stderr.join(" "));
        assert!(told.contains(says), "{script}: `{says}` is not in `{told}`");
    }
    assert_eq!(standings.of(0).wins, 2);
    assert_eq!(left_behind(&tag), Vec::<String>::new(), "{script}");
}

/// Who never says a word has played no game: the run ends, and nothing is kept.
fn does_not_start(script: &str, settings: &str, says: &str) {
    let tag = format!("bad-{}-{}", script.replace(' ', "-"), std::process::id());
    let lines = [scripted("Good", "uci good 0", &tag, "tc=60"), scripted("Bad", script, &tag, settings)];
    let mut plan = plan(&lines, "tc=60", Format::RoundRobin, 1, 1);
    plan.faults.pauses = vec![Duration::ZERO; 2];
    let (end, standings, games) = play(&mut plan);
    let RunEnd::Halted(halt @ Halt::CannotStart { .. }) = end else { panic!("{script}: {end:?}") };
    let told = halt.to_string();
    assert!(told.starts_with("Bad: ") && told.contains("scripted-engine"), "{script}: {told}");
    assert!(told.contains(says), "{script}: `{says}` is not in `{told}`");
    assert_eq!((standings.games(), games.len()), (0, 0), "{script}");
    assert_eq!(left_behind(&tag), Vec::<String>::new(), "{script}");
}

#[test]
fn silent_from_the_start() {
    does_not_start("uci silent", "starttimeout=0.5", "no answer to `uci` within 0.5 s");
    // An engine of xboard's first protocol says nothing until it moves, so silence is found out by the clock.
    diagnose("xboard silent", Ending::Stall, "no answer to `a move`");
}

/// What is taken for version 1 of xboard's protocol since it said nothing can be told from what greeted.
#[test]
fn silence_at_the_trial_is_known() {
    let cases = [("xboard silent", true), ("xboard good", false), ("uci good", false)];
    side_by_side(&cases, |&(script, silent)| {
        let tag = format!("trial-{}-{}", script.replace(' ', "-"), std::process::id());
        // All of these pass.
        let times = if silent { "starttimeout=0.5 quittimeout=0.5" } else { "" };
        let tried = scripted("Tried", script, &tag, times);
        let lines = [tried, scripted("Good", "uci good 0", &tag, "")];
        let plan = plan(&lines, "tc=60", Format::RoundRobin, 1, 1);
        let greeting = try_engine(&plan.conditions.players[0], false, &[]).unwrap();
        assert_eq!((greeting.silent, greeting.greeted), (silent, !silent), "{script}");
    });
}

#[test]
fn dead_at_start() {
    does_not_start("uci dead", "", "exit status: 3");
    does_not_start("xboard dead", "", "cannot find my network file");
}

#[test]
fn crashing_in_mid_game() {
    diagnose("uci crash 7", Ending::Crash, "exit status: 101");
    diagnose("xboard crash 7", Ending::Crash, "index out of bounds");
}

#[test]
fn illegal_moves() {
    diagnose("uci illegal 3", Ending::IllegalMove, "`e1e8`");
    diagnose("xboard illegal 3", Ending::IllegalMove, "`e1e8`");
    diagnose("uci nothing 4", Ending::IllegalMove, "`(none)`");
}

#[test]
fn garbage_and_silence_at_a_move() {
    side_by_side(&["uci garbage 1", "xboard garbage 1", "uci mute 1"], |script| {
        diagnose(script, Ending::Stall, "no answer to `a move`");
    });
}

#[test]
fn late_by_a_second() {
    // It says of its search what it always says.
    let cases = [
        ("uci late 1", "; when it last told its time it had counted 0 of "),
        ("xboard late 1", "ms late; when it last told its time it had counted 0 of "),
    ];
    side_by_side(&cases, |(script, says)| diagnose(script, Ending::TimeForfeit, says));
}

#[test]
fn claims_and_refusals() {
    diagnose("xboard claim 3", Ending::FalseClaim, "makes a false claim: `1/2-1/2 {I would like a draw}`");
    diagnose("xboard resign 3", Ending::Resignation, "resigns");
    diagnose("xboard refuse 3", Ending::RefusedMove, "Illegal move");
}

/// A mate must stand at the end of its own line, not of a bound that came later.
#[test]
fn a_bound_is_no_claim_of_a_mate() {
    let tag = format!("bad-mates-{}", std::process::id());
    for (script, faults) in [("uci mate 3", 1), ("uci bound 3", 0)] {
        let lines = [scripted("Good", "uci good 0", &tag, "tc=60"), scripted("Bad", script, &tag, "tc=60")];
        let (_, _, games) = play(&mut plan(&lines, "tc=60", Format::RoundRobin, 1, 1));
        for game in &games {
            // Counted by colour.
            let bad = usize::from(game.black == 1);
            let found = [bad, 1 - bad].map(|side| game.checks[side].mate_pv);
            assert_eq!(found, [faults, 0], "{script}");
        }
    }
}

/// What it says on its opponent's time, and then no more, is its answer.
#[test]
fn claims_on_the_opponents_time() {
    diagnose("xboard resign-later 3", Ending::Resignation, "resigns");
    diagnose("xboard claim-later 3", Ending::FalseClaim, "I would like a draw");
    let tag = format!("trusted-{}", std::process::id());
    let trusted = scripted("Trusted", "xboard claim-later 3", &tag, "trust=on");
    let lines = [scripted("Good", "uci good 0", &tag, ""), trusted];
    let (end, _, games) = play(&mut plan(&lines, "tc=60", Format::RoundRobin, 1, 1));
    assert_eq!((end, games.len()), (RunEnd::Complete, 2));
    for game in games {
        assert_eq!(game.ending, Ending::DrawClaim, "{}", game.reason);
        assert_eq!(game.moves_by_player().filter(|(player, mv)| *player == 1 && mv.ms.is_some()).count(), 3);
    }
}

/// An engine that ignores `quit` and the end of its input loses nothing by it, and is not left behind.
#[test]
fn ignoring_quit() {
    side_by_side(&["uci stays", "xboard stays"], |script| {
        let tag = format!("{}-{}", script.replace(' ', "-"), std::process::id());
        let stays = scripted("Stays", script, &tag, "quittimeout=0.5");
        let lines = [scripted("Good", "uci good 0", &tag, ""), stays];
        let (end, standings, games) = play(&mut plan(&lines, "tc=60", Format::RoundRobin, 1, 1));
        assert_eq!((end, games.len()), (RunEnd::Complete, 2));
        assert!(games.iter().all(|game| !game.ending.is_forfeit()), "{:?}", standings.endings());
        assert_eq!(left_behind(&tag), Vec::<String>::new());
    });
}

/// A field of all of them: every game is played and every forfeit is booked on the one who did it.
#[test]
fn the_field_finishes() {
    let tag = format!("field-{}", std::process::id());
    // One that does not answer its first question needs no time for it.
    let bad = [
        ("uci crash 4", ""),
        ("xboard illegal 2", ""),
        ("uci garbage 1", "tc=0.2"),
        ("xboard crash 9", ""),
        ("uci stays", "quittimeout=0.5"),
    ];
    let mut lines = vec![scripted("Good", "uci good 0", &tag, "tc=60")];
    lines.extend(bad.iter().enumerate().map(|(i, (script, times))| {
        let behaviour = script.split(' ').nth(1).unwrap();
        scripted(&format!("{behaviour}{i}"), script, &tag, times)
    }));
    let mut plan = plan(&lines, "tc=60", Format::RoundRobin, 1, 4);
    plan.conditions.stall = STALL;
    plan.faults.forfeits = Forfeits::Count;
    let (end, standings, games) = play(&mut plan);
    assert_eq!(end, RunEnd::Complete);
    assert_eq!(games.iter().map(|game| game.id).collect::<Vec<_>>(), (0..30).collect::<Vec<_>>());
    let forfeits = |player: usize| standings.forfeits(player).keys().copied().collect::<Vec<_>>();
    assert_eq!(forfeits(0), []);
    assert_eq!(forfeits(1), [Ending::Crash]);
    assert_eq!(forfeits(2), [Ending::IllegalMove]);
    assert_eq!(forfeits(3), [Ending::Stall]);
    assert_eq!(left_behind(&tag), Vec::<String>::new());
}

/// Without a protocol given, UCI is tried first and xboard second.
#[test]
fn the_protocol_is_found_out() {
    let launcher: Arc<dyn Launcher> = Arc::new(PlainLauncher);
    let cases = [
        ("uci", "good", Protocol::Uci),
        ("xboard", "good", Protocol::Xboard),
        // Without a last word the features end with a silence.
        ("xboard", "undone", Protocol::Xboard),
    ];
    let config = |word: &str, behaviour: &str| {
        let mut config = EngineConfig::new(env!("CARGO_BIN_EXE_scripted-engine"));
        config.args = vec![word.into(), behaviour.into()];
        if behaviour != "good" {
            // It does not answer `uci`, and all of it passes.
            config.start_timeout = Duration::from_millis(500);
        }
        config
    };
    for (word, behaviour, protocol) in cases {
        let config = config(word, behaviour);
        let client = Client::start(&config, &launcher, &crossbeam::channel::never()).unwrap();
        assert_eq!((client.protocol(), client.name()), (protocol, Some("Scripted")));
        assert!(client.quit());
    }
    let Err(failure) = Client::start(&config("uci", "silent"), &launcher, &crossbeam::channel::never())
    else {
        panic!("who never says a word speaks no protocol");
    };
    assert!(failure.to_string().contains("no answer to `uci` or `protover 2` within 0.5 s"), "{failure}");
    let told = explain(&config("uci", "silent"), &failure);
    assert!(told.contains("proto=xboard"), "{told}");
}
