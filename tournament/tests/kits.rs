//! Programs that lose a game by a fault, run into the same fault again from what is kept of it.

use crate::support::{left_behind, plan, scripted, side_by_side};
use std::io;
use std::time::Duration;
use tournament::conversation::Conversation;
use tournament::kit::Kit;
use tournament::kit::replay::{Happened, Options, Outcome, replay};
use tournament::record::{Ending, GameRecord};
use tournament::runner::{Forfeits, Plan, Stop, Watcher, run};
use tournament::schedule::{Format, Pairing};
use tournament::standings::Standings;

/// Makes kits of all games with a conversation.
struct Kits<'a> {
    plan: &'a Plan,
    kits: Vec<Kit>,
}

impl Watcher for Kits<'_> {
    fn started(&mut self, _: &Pairing) {}

    fn conversation(&mut self, game: &GameRecord, conversation: &Conversation) {
        let players = [game.white, game.black].map(|number| &self.plan.conditions.players[number]);
        let names = players.map(|player| player.name.as_str());
        let settings = [serde_json::json!("white"), serde_json::json!("black")];
        self.kits.extend(Kit::of(game, conversation, players, names, settings));
    }

    fn finished(&mut self, _: &GameRecord, _: &Standings) -> io::Result<()> {
        Ok(())
    }
}

/// The kits of two games that a misbehaving engine loses against a good one, read from the files they are
/// kept in.
fn kits(script: &str, tag: &str) -> Vec<Kit> {
    // The whole of it passes.
    let ready = if script.contains("stuck") { 1 } else { 10 };
    // Short only for one that gives no answer in time at its first move. A mended one has as long to answer.
    let in_time = !["mute", "garbage", "late"].iter().any(|fault| script.contains(fault));
    let clock = if in_time { "tc=60" } else { "tc=0.9" };
    let lines = [
        scripted("Good", "uci good 0", tag, "tc=60"),
        scripted("Bad", script, tag, &format!("{clock} readytimeout={ready}")),
    ];
    let make = || {
        let mut plan = plan(&lines, "tc=60", Format::RoundRobin, 1, 1);
        plan.faults.forfeits = Forfeits::Count;
        // One that is late answers, however slow the machine is; of a silence the whole of it passes.
        plan.conditions.stall = Duration::from_millis(if script.contains("late") { 60_000 } else { 300 });
        plan
    };
    let known = make();
    let mut watcher = Kits { plan: &known, kits: Vec::new() };
    run(&mut make(), &[], &mut watcher, &Stop::default()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.kit.json");
    let again = |kit: Kit| {
        std::fs::write(&path, kit.text().unwrap()).unwrap();
        assert_eq!(Kit::read(&path).unwrap(), kit);
        kit
    };
    watcher.kits.into_iter().map(again).collect()
}

fn play_again(kit: &Kit) -> Outcome {
    let options = Options { command: None, nodes: false, patience: Duration::from_secs(20) };
    replay(kit, &options, &mut |_, _| {}).unwrap()
}

/// In both protocols and as both colours. After a fault the second game is one of a new process; only to lose on time
/// is none.
#[test]
fn every_fault_comes_again() {
    let cases = [
        ("uci crash 4", Ending::Crash),
        ("xboard crash 4", Ending::Crash),
        ("uci illegal 3", Ending::IllegalMove),
        ("xboard illegal 3", Ending::IllegalMove),
        ("uci nothing 4", Ending::IllegalMove),
        ("uci mute 1", Ending::Stall),
        ("xboard garbage 1", Ending::Stall),
        ("uci late 1", Ending::TimeForfeit),
        ("xboard late 1", Ending::TimeForfeit),
        ("xboard claim 3", Ending::FalseClaim),
        ("xboard refuse 3", Ending::RefusedMove),
        // Too much is said to be kept.
        ("uci babbling-illegal 5", Ending::IllegalMove),
        ("xboard babbling-crash 5", Ending::Crash),
    ];
    side_by_side(&cases, |&(script, ending)| {
        let tag = format!("kit-{}-{}", script.replace(' ', "-"), std::process::id());
        let kits = kits(script, &tag);
        assert_eq!(kits.len(), 2, "{script}");
        for (kit, white) in kits.iter().zip([false, true]) {
            assert_eq!((kit.ending, kit.white, kit.player.as_str()), (ending, white, "Bad"), "{script}");
            assert_eq!(kit.cut, script.contains("babbling"), "{script}: {}", kit.lines.len());
            let outcome = play_again(kit);
            assert!(outcome.same, "{script}: {} {outcome:?}", kit.text().unwrap());
            assert_eq!(outcome.differences, [], "{script}");
            assert_eq!(outcome.sent.0, outcome.sent.1, "{script}");
        }
        assert_eq!(kits[1].earlier_games, usize::from(ending == Ending::TimeForfeit), "{script}");
        assert_eq!(left_behind(&tag), Vec::<String>::new(), "{script}");
    });
}

/// Of the first player's process: how many games it had played before one with a conversation, and how many begin in
/// that.
#[derive(Default)]
struct Begun(Vec<(usize, usize)>);

impl Watcher for Begun {
    fn started(&mut self, _: &Pairing) {}

    fn conversation(&mut self, game: &GameRecord, conversation: &Conversation) {
        let side = usize::from(game.white != 0);
        let begun = conversation.sides[side].iter().filter(|line| line.text == "ucinewgame").count();
        self.0.push((conversation.before[side].games, begun));
    }

    fn finished(&mut self, _: &GameRecord, _: &Standings) -> io::Result<()> {
        Ok(())
    }
}

/// One process plays two games against an engine that works and two against one that crashes.
#[test]
fn what_was_said_in_a_game_without_a_fault_is_not_told_with_a_later_one() {
    let player = |name, script| scripted(name, script, "x", "");
    let lines = [player("Good", "uci good 0"), player("Works", "uci good 0"), player("Bad", "uci crash 1")];
    let mut plan = plan(&lines, "tc=60", Format::Gauntlet(1), 1, 1);
    plan.conditions.rules.max_moves = Some(10);
    let mut watcher = Begun::default();
    run(&mut plan, &[], &mut watcher, &Stop::default()).unwrap();
    assert_eq!(watcher.0, [(2, 1), (3, 1)]);
}

/// A program without the fault is not said to have it, though it takes some of its time.
#[test]
fn a_mended_program_does_not_fail_again() {
    let scripts = [
        "uci crash 4",
        "xboard crash 4",
        "uci mute 1",
        "uci illegal 3",
        "uci late 1",
        "xboard late 1",
        "uci silent-on-time 1",
    ];
    side_by_side(&scripts, |script| {
        let tag = format!("mended-{}-{}", script.replace(' ', "-"), std::process::id());
        let mut kit = kits(&script.replace("silent-on-time", "mute"), &tag).remove(0);
        if script.contains("silent-on-time") {
            // As fastchess has it.
            (kit.ending, kit.late_ms) = (Ending::TimeForfeit, Some(300));
            assert!(kit.reason.contains("no answer to"), "{}", kit.reason);
            assert!(play_again(&kit).same);
        }
        kit.start.args[1] = "thinks".to_owned();
        let outcome = play_again(&kit);
        assert!(!outcome.same, "{script}: {outcome:?}");
        assert!(
            matches!(&outcome.happened, Happened::Said(line, _) if line.contains("move ")),
            "{outcome:?}"
        );
        // Another fault is not the same one, either.
        kit.start.args[1..3].clone_from_slice(&["dead".to_owned(), "1".to_owned()]);
        let outcome = play_again(&kit);
        assert!(!outcome.same && matches!(outcome.happened, Happened::Ended(_)), "{script}: {outcome:?}");
    });
}

/// An `isready` that was not answered is not answered by the `readyok` to the one before it.
#[test]
fn one_that_does_not_get_ready_is_told_from_one_that_does() {
    for script in ["uci unready", "uci stuck"] {
        let tag = format!("ready-{}-{}", script.replace(' ', "-"), std::process::id());
        let mut kit = kits(script, &tag).remove(0);
        assert_eq!(kit.ending, Ending::StartFailure, "{}", kit.reason);
        let outcome = play_again(&kit);
        assert!(outcome.same, "{script}: {outcome:?}");
        kit.start.args[1] = "good".to_owned();
        let outcome = play_again(&kit);
        assert!(
            !outcome.same && matches!(&outcome.happened, Happened::Said(line, _) if line == "readyok"),
            "{script}: {outcome:?}"
        );
        assert_eq!(left_behind(&tag), Vec::<String>::new(), "{script}");
    }
}

/// Searches are repeated by the nodes they took: the last count before the move is what is sent.
#[test]
fn searches_can_be_limited_by_their_nodes() {
    let tag = format!("nodes-{}", std::process::id());
    let kit = kits("uci crash 4", &tag).remove(0);
    let options = Options { command: None, nodes: true, patience: Duration::from_secs(20) };
    let mut sent = Vec::new();
    let outcome = replay(&kit, &options, &mut |_, line| sent.push(line.to_owned())).unwrap();
    assert!(outcome.same, "{outcome:?}");
    let searches: Vec<&str> = sent.iter().filter(|line| line.starts_with("go")).map(String::as_str).collect();
    assert_eq!(searches[..3], ["go nodes 30"; 3], "the scripted engine says 30 of every search");
    assert!(searches.len() == 4 && searches[3].starts_with("go wtime"), "{searches:?}");
}

#[test]
fn files_that_are_no_kits_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.json");
    let line = "\"lines\":[\"0.1 < uci\"]";
    for (text, says) in [
        ("", "no JSON"),
        ("{}", "firstborn_kit"),
        ("{\"firstborn_kit\":2}", "format 2"),
        ("{\"firstborn_kit\":1}", "missing field `game`"),
        (&format!("{{\"firstborn_kit\":1,{line}}}"), "is not a line of a conversation"),
    ] {
        std::fs::write(&path, text).unwrap();
        let message = Kit::read(&path).unwrap_err().to_string();
        assert!(message.contains("x.json: ") && message.contains(says), "{text}: {message}");
    }
    assert!(Kit::read(&folder.path().join("none")).unwrap_err().to_string().contains("No such file"));
}
