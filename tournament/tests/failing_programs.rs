//! What a run does about programs that fail: it starts them again, ends by itself, or leaves their games out of a test.

use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

use crate::support::{executable, plan, play, scripted, skipped, words_of};
use client::Protocol;
use tournament::identity::Identity;
use tournament::openings::{Book, Reading};
use tournament::record::{Ending, GameRecord, Score};
use tournament::runner::{Forfeits, Halt, Plan, RunEnd, Stop, StopRule, Watcher, run};
use tournament::schedule::{Format, Pairing};
use tournament::standings::Standings;
use tournament::stats::sprt::{Model, Sprt};
use tournament::trial::{try_engine, try_engines};

/// A match of a good engine against another line.
fn against(line: &[String], encounters: usize) -> Plan {
    let lines = [scripted("Good", "uci good 0", "x", ""), line.to_vec()];
    let mut plan = plan(&lines, "tc=60", Format::RoundRobin, encounters, 1);
    plan.faults.pauses = vec![Duration::ZERO; 3];
    plan
}

/// Its path is one word, whatever it has.
#[test]
fn a_program_in_a_folder_with_a_blank_plays() {
    let dir = tempfile::Builder::new().prefix("a b").tempdir().unwrap();
    let engine = dir.path().join("engine");
    executable(&engine, format!("#!/bin/sh\nexec '{}' uci good 0\n", env!("CARGO_BIN_EXE_scripted-engine")));
    let (end, _, games) = play(&mut against(&words_of("Blank", &engine, "proto=uci"), 1));
    assert_eq!((end, games.len()), (RunEnd::Complete, 2));
    assert!(games.iter().all(|game| !game.ending.is_forfeit()), "{games:?}");
}

/// A program that fails for a while, as one does that is being built anew, comes back and loses nothing by it.
#[test]
fn a_program_that_comes_back_plays_on() {
    let dir = tempfile::tempdir().unwrap();
    let engine = dir.path().join("engine");
    // Every third start works.
    let text = format!(
        "#!/bin/sh\necho start >>'{0}/starts'\n[ $(($(wc -l <'{0}/starts') % 3)) = 0 ] || exit 3\nexec '{1}' uci good 0\n",
        dir.path().display(),
        env!("CARGO_BIN_EXE_scripted-engine")
    );
    executable(&engine, text);
    let (end, _, games) = play(&mut against(&words_of("Rebuilt", &engine, "restart=on"), 2));
    assert_eq!(end, RunEnd::Complete);
    assert_eq!(games.len(), 4);
    assert!(games.iter().all(|game| !game.ending.is_forfeit()), "{games:?}");
    assert_eq!(fs::read_to_string(dir.path().join("starts")).unwrap().lines().count(), 12);
}

/// Stops the run when a program does not start, which starts from then on; keeps how games end.
struct ComesBack<'a> {
    stop: Stop,
    back: &'a Path,
    endings: Vec<Ending>,
}

impl Watcher for ComesBack<'_> {
    fn started(&mut self, _: &Pairing) {}

    fn finished(&mut self, game: &GameRecord, _: &Standings) -> io::Result<()> {
        self.endings.push(game.ending);
        Ok(())
    }

    fn trouble(&mut self, _: &str) {
        fs::write(self.back, "").unwrap();
        if !self.stop.requested() {
            self.stop.request();
        }
    }
}

/// A game has begun whose program is started once more: the first stop lets it end, and no further one begins.
#[test]
fn a_stop_lets_a_game_end_whose_program_comes_back() {
    let dir = tempfile::tempdir().unwrap();
    let (engine, back) = (dir.path().join("engine"), dir.path().join("back"));
    let text = format!(
        "#!/bin/sh\n[ -e '{}' ] || exit 3\nexec '{}' uci good 0\n",
        back.display(),
        env!("CARGO_BIN_EXE_scripted-engine")
    );
    executable(&engine, text);
    let mut plan = against(&words_of("Away", &engine, "proto=uci"), 1);
    // The stop comes within it.
    plan.faults.pauses = vec![Duration::from_secs(1)];
    let stop = Stop::default();
    let mut watcher = ComesBack { stop: stop.clone(), back: &back, endings: Vec::new() };
    let (end, _) = run(&mut plan, &[], &mut watcher, &stop).unwrap();
    assert_eq!((end, watcher.endings.len()), (RunEnd::Stopped, 1));
    assert!(!watcher.endings[0].is_forfeit(), "{:?}", watcher.endings);
}

/// What was replaced during the run is another program, though it works.
#[test]
fn a_program_that_is_replaced_ends_the_run() {
    let dir = tempfile::tempdir().unwrap();
    let engine = dir.path().join("engine");
    let scripted = env!("CARGO_BIN_EXE_scripted-engine");
    // At its first start it puts another in its place.
    let text = format!(
        "#!/bin/sh\nsed 's/good/better/' '{0}' >'{0}.new'; chmod +x '{0}.new'; mv '{0}.new' '{0}'\nexec '{scripted}' uci good 0\n",
        engine.display()
    );
    executable(&engine, text);
    let mut plan = against(&words_of("Replaced", &engine, "restart=on"), 2);
    let files = |index: usize| Identity::of(&plan.conditions.players[index].engine).unwrap().files;
    plan.faults.files = vec![files(0), files(1)];
    let (end, _, games) = play(&mut plan);
    let RunEnd::Halted(Halt::Changed { player, what }) = end else { panic!("{end:?}") };
    assert_eq!(player, "Replaced");
    assert!(what.contains("its program") && what.contains("another file"), "{what}");
    assert_eq!(games.len(), 0);
}

/// So it is where a script starts the program, whatever that script is: by its processes, at every start.
#[test]
#[cfg(target_os = "linux")]
fn a_program_that_is_replaced_behind_a_script_ends_the_run() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    let program = fs::read(env!("CARGO_BIN_EXE_scripted-engine")).unwrap();
    for (name, behind) in [("old", ""), ("copy", ""), ("new", "another build")] {
        executable(&path(name), [&program, behind.as_bytes()].concat());
    }
    // At its second start another file of the same content, at its fourth another program; with and without a shell
    // between them.
    for exec in ["exec", "HERE=1"] {
        let text = format!(
            "#!/bin/sh\ncd '{}'\necho start >>starts\ncase $(wc -l <starts) in 2) run=copy;; 4) run=new;; *) run=old;; \
             esac\n{exec} ./$run uci good 0\n:\n",
            dir.path().display()
        );
        let _ = fs::remove_file(path("starts"));
        executable(&path("engine"), text);
        let mut plan = against(&words_of("Replaced", &path("engine"), "restart=on"), 2);
        let players = &plan.conditions.players;
        let files = |index: usize| {
            let running = try_engine(&players[index], false, &[]).unwrap().running;
            let mut identity = Identity::of(&players[index].engine).unwrap();
            identity.files.extend(running);
            identity
        };
        let identities = [files(0), files(1)];
        let processes: Vec<String> = identities[1].files[1..]
            .iter()
            .map(|file| format!("{} {}", file.role, file.path.file_name().unwrap().display()))
            .collect();
        assert_eq!(identities[0].files.len(), 1, "its command is the program");
        assert_eq!(processes, ["process old"], "{exec}: the shell is nothing to its play");
        plan.faults.files = identities.iter().map(|one| one.watched_files().cloned().collect()).collect();
        let (end, _, games) = play(&mut plan);
        let RunEnd::Halted(Halt::Changed { player, what }) = end else { panic!("{end:?}") };
        assert_eq!((player.as_str(), games.len()), ("Replaced", 2));
        assert!(what.contains("/old, and now runs ") && what.contains("/new"), "{what}");
    }
}

/// It speaks both protocols, and its second start fails at the first word: what was found out when it was tried
/// holds, and it is asked again in that.
#[test]
fn a_protocol_that_was_found_out_holds_for_the_run() {
    let dir = tempfile::tempdir().unwrap();
    let text = format!(
        "#!/bin/sh\nread -r word\necho $word >>'{0}/heard'\n[ $(wc -l <'{0}/heard') = 2 ] && exit 1\n\
         {{ echo $word; cat; }} | '{1}' $word good 0\n",
        dir.path().display(),
        env!("CARGO_BIN_EXE_scripted-engine")
    );
    executable(&dir.path().join("engine"), text);
    let mut plan = against(&words_of("Both", &dir.path().join("engine"), ""), 1);
    let greetings = try_engines(&mut plan).unwrap();
    assert_eq!(greetings[1].protocol, Some(Protocol::Uci));
    let (end, _, games) = play(&mut plan);
    assert_eq!((end, games.len()), (RunEnd::Complete, 2));
    assert!(games.iter().all(|game| !game.ending.is_forfeit()), "{games:?}");
    let heard = fs::read_to_string(dir.path().join("heard")).unwrap();
    assert_eq!(heard.lines().collect::<Vec<_>>(), ["uci"; 3]);
}

/// It has greeted when it was tried, so that it hangs where it is silent at a later start: it is started once more. One
/// that says something else than its features when it is tried is known as well.
#[test]
fn a_program_that_has_greeted_must_greet_again() {
    let dir = tempfile::tempdir().unwrap();
    let engine = dir.path().join("engine");
    let text = format!(
        "#!/bin/sh\necho start >>'{0}/starts'\n[ $(wc -l <'{0}/starts') = 2 ] && exec sleep 600\n\
         exec '{1}' xboard good 0\n",
        dir.path().display(),
        env!("CARGO_BIN_EXE_scripted-engine")
    );
    executable(&engine, text);
    let line = words_of("Hangs", &engine, "proto=xboard starttimeout=2");
    let mut plan = against(&line, 1);
    let greetings = try_engines(&mut plan).unwrap();
    assert_eq!((greetings[1].greeted, greetings[1].silent), (true, false));
    let (end, _, games) = play(&mut plan);
    assert_eq!((end, games.len()), (RunEnd::Complete, 2));
    assert!(games.iter().all(|game| !game.ending.is_forfeit()), "{games:?}");
    assert_eq!(fs::read_to_string(dir.path().join("starts")).unwrap().lines().count(), 3);
    let old = "#!/bin/sh\necho Old 1.0\nwhile read -r word rest; do [ $word = quit ] && exit; done\n";
    executable(&engine, old);
    let tried = try_engine(&against(&line, 1).conditions.players[1], false, &[]).unwrap();
    assert_eq!((tried.greeted, tried.silent), (false, false));
}

/// One that has made an illegal move is there still, but in what state is not known. One that does nothing of the kind
/// plays on as it is.
#[test]
fn a_program_that_has_failed_is_started_anew() {
    for (script, wanted) in [("uci illegal 3", 4), ("uci good 0", 1)] {
        let dir = tempfile::tempdir().unwrap();
        let engine = dir.path().join("engine");
        let text = format!(
            "#!/bin/sh\necho start >>'{0}/starts'\nexec '{1}' {script}\n",
            dir.path().display(),
            env!("CARGO_BIN_EXE_scripted-engine")
        );
        executable(&engine, text);
        let mut plan = against(&words_of("Counted", &engine, "proto=uci"), 2);
        plan.faults.forfeits = Forfeits::Count;
        let (end, _, games) = play(&mut plan);
        assert_eq!((end, games.len()), (RunEnd::Complete, 4));
        let starts = fs::read_to_string(dir.path().join("starts")).unwrap().lines().count();
        assert_eq!(starts, wanted, "{script}");
    }
}

/// It stays at every `quit`, between games and at the end: it is killed and loses nothing by it, which is told once.
#[test]
fn a_program_that_does_not_leave_is_told_of() {
    let says = "it has not left 0.2 s after `quit` (quittimeout=), and is killed";
    for restart in ["restart=on", ""] {
        let stays = scripted("Stays", "uci stays", "x", &format!("quittimeout=0.2 {restart}"));
        let mut plan = against(&stays, 2);
        assert_eq!(try_engine(&plan.conditions.players[1], false, &[]).unwrap().doubts, [says]);
        let mut lost = Lost::default();
        let (end, standings) = run(&mut plan, &[], &mut lost, &Stop::default()).unwrap();
        assert_eq!((end, standings.games()), (RunEnd::Complete, 4));
        assert_eq!(lost.0, [format!("Stays: {says}")], "{restart}");
    }
}

/// Keeps what is said of files of standard error, and of processes that do not leave.
#[derive(Default)]
struct Lost(Vec<String>);

impl Watcher for Lost {
    fn started(&mut self, _: &Pairing) {}

    fn finished(&mut self, _: &GameRecord, _: &Standings) -> io::Result<()> {
        Ok(())
    }

    fn notice(&mut self, what: &str) {
        self.0.push(what.to_owned());
    }
}

/// Two starts fail, each after its last words: what those could not be written to is told once, and the games are
/// played.
#[test]
fn a_full_disk_under_standard_error_is_told_once() {
    // A device of Linux and its like.
    if !Path::new("/dev/full").exists() {
        return skipped("no /dev/full");
    }
    let dir = tempfile::tempdir().unwrap();
    let text = format!(
        "#!/bin/sh\necho start >>'{0}/starts'\necho words >&2\n[ $(wc -l <'{0}/starts') -lt 3 ] && exit 3\n\
         exec '{1}' uci good 0\n",
        dir.path().display(),
        env!("CARGO_BIN_EXE_scripted-engine")
    );
    executable(&dir.path().join("engine"), text);
    let line = words_of("Full", &dir.path().join("engine"), "proto=uci stderr=/dev/full");
    let mut lost = Lost::default();
    let (end, standings) = run(&mut against(&line, 1), &[], &mut lost, &Stop::default()).unwrap();
    assert_eq!((end, standings.games()), (RunEnd::Complete, 2));
    let [told] = lost.0.as_slice() else { panic!("{:?}", lost.0) };
    let says = "Full: no more of its standard error there: cannot write /dev/full: No space left on device";
    assert!(told.starts_with(says), "{told}");
}

/// An engine that was kept from the game before and is gone is no loss: a fresh one plays.
#[test]
fn an_engine_that_ends_between_games_is_started_anew() {
    let (end, _, games) = play(&mut against(&scripted("Once", "uci once", "x", ""), 3));
    assert_eq!((end, games.len()), (RunEnd::Complete, 6));
    assert!(games.iter().all(|game| !game.ending.is_forfeit()), "{games:?}");
    // In silence it is not: once for each game but the first.
    let replaced = |player: usize| -> u32 {
        let of = |game: &GameRecord| game.checks[usize::from(game.white != player)].replaced;
        games.iter().map(of).sum()
    };
    assert_eq!([replaced(0), replaced(1)], [0, 5]);
}

/// Where the games that it has lost are the last ones of the plan, there was nothing more to end.
#[test]
fn a_player_that_does_nothing_but_fail_ends_the_run() {
    let cases = [("stop", 3), ("5", 5), ("1", 1), ("15", 15), ("16", 16), ("17", 16), ("count", 16)];
    for (forfeits, expected) in cases {
        let mut plan = against(&scripted("Bad", "uci crash 2", "x", ""), 8);
        plan.faults.forfeits = forfeits.parse().unwrap();
        let (end, standings, games) = play(&mut plan);
        assert_eq!((games.len(), standings.of(1).losses), (expected, expected as u64), "{forfeits}");
        match end {
            RunEnd::Complete => assert_eq!(expected, 16, "{forfeits}"),
            RunEnd::Halted(Halt::Forfeits { player, last, .. }) => {
                assert_eq!((player.as_str(), expected < 16), ("Bad", true), "{forfeits}");
                assert!(last.contains("crashes"), "{last}");
            }
            other => panic!("{forfeits}: {other:?}"),
        }
    }
    assert!("0".parse::<Forfeits>().is_err() && "often".parse::<Forfeits>().is_err());
}

/// A test of strength does not see what says nothing about strength, nor the other game of such a pair.
#[test]
fn a_sequential_test_does_not_see_faults() {
    let sprt = Sprt { elo0: 0.0, elo1: 50.0, alpha: 0.05, beta: 0.05, model: Model::Logistic };
    let mut plan = against(&scripted("Bad", "uci good", "x", ""), 40);
    plan.stop_rule = Some(StopRule { sprt, by_pairs: true });
    let (_, _, games) = play(&mut against(&scripted("Other", "uci good 0", "x", ""), 20));
    for by_pairs in [true, false] {
        plan.faults.forfeits = Forfeits::Count;
        let mut counted = plan.standings();
        plan.faults.forfeits = Forfeits::default();
        let (mut with, mut without) = (plan.standings(), plan.standings());
        for (index, game) in games.iter().enumerate() {
            let mut failed = game.clone();
            if index % 8 == 0 {
                failed.ending = Ending::Crash;
                failed.result = if game.white == 0 { Score::White } else { Score::Black };
            }
            with.add(&failed);
            counted.add(&failed);
            if index % 8 > 1 || !by_pairs && index % 8 == 1 {
                without.add(game);
            }
        }
        assert_eq!(with.games(), 40);
        assert_eq!(with.games_left_out(), 5);
        assert_eq!(with.llr(&sprt, by_pairs).to_bits(), without.llr(&sprt, by_pairs).to_bits());
        assert!(counted.llr(&sprt, by_pairs) > with.llr(&sprt, by_pairs));
    }
}

/// What the tests here write is run at once. Every program that another thread starts meanwhile has, for a moment, all
/// that is open in this process.
#[test]
fn a_program_that_a_test_has_written_is_not_busy() {
    let dir = tempfile::tempdir().unwrap();
    let script = format!("#!/bin/sh\nexit\n{}", "#\n".repeat(1 << 16));
    let started = AtomicUsize::new(0);
    let start = || {
        for _ in 0..400 {
            Command::new("/bin/sh").args(["-c", ":"]).status().unwrap();
            started.fetch_add(1, Relaxed);
        }
    };
    let (busy, meanwhile) = thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(start);
        }
        let before = started.load(Relaxed);
        let run = |number: usize| {
            let program = dir.path().join(number.to_string());
            executable(&program, &script);
            Command::new(program).status().err()
        };
        let busy: Vec<io::Error> = (0..200).filter_map(run).collect();
        (busy, started.load(Relaxed) - before)
    });
    assert!(busy.is_empty() && meanwhile > 0, "{busy:?}, {meanwhile} others");
}

/// Every reason why a program does not start is told in words that say what to do, with the player and its command.
#[test]
fn why_a_program_does_not_start_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    executable(&path("interpreter"), "#!/no/such/interpreter -x\n");
    executable(&path("windows"), "#!/bin/sh\r\nexit 0\r\n");
    executable(&path("text"), "int main(void)\n");
    executable(&path("empty"), "");
    executable(&path("ends"), "#!/bin/sh\necho no network >&2\nexit 7\n");
    let mut cases = vec![
        ("interpreter", "the interpreter `/no/such/interpreter`, which is not there"),
        ("windows", "carriage return"),
        ("text", "Exec format error"),
        ("empty", "Exec format error"),
        ("ends", "ended before it answered `uci` or `protover 2` (exit status: 7)"),
        ("ends", "no network"),
    ];
    let mut foreign = fs::read(env!("CARGO_BIN_EXE_scripted-engine")).unwrap();
    if foreign.starts_with(b"\x7fELF") {
        // Byte 18 of an ELF header says for which processor it is; this is none.
        foreign[18] ^= 0x55;
        executable(&path("foreign"), foreign);
        cases.push(("foreign", "another kind of processor"));
    }
    for (name, says) in cases {
        let plan = against(&words_of("Bad", &path(name), "proto=uci"), 1);
        let error = try_engine(&plan.conditions.players[1], false, &[]).unwrap_err().to_string();
        assert!(
            error.contains("player `Bad`") && error.contains(&path(name).display().to_string()),
            "{error}"
        );
        assert!(error.contains(says), "{name}: `{says}` is not in `{error}`");
    }
}

/// xboard's `st` knows whole seconds only, and no clock beside it: that is told before any game.
#[test]
fn a_time_that_a_protocol_has_no_words_for_is_refused() {
    for (script, limits, fits) in [
        ("xboard good 0", "st=0.5", false),
        ("xboard good 0", "st=2", true),
        ("xboard good 0", "st=2 tc=60", false),
        ("uci good 0", "st=0.5 tc=60", true),
    ] {
        let plan = against(&scripted("Timed", script, "x", limits), 1);
        let tried = try_engine(&plan.conditions.players[1], false, &[]);
        assert_eq!(tried.is_ok(), fits, "{script} {limits}: {tried:?}");
        assert!(tried.is_ok() || tried.unwrap_err().to_string().contains("player `Timed`"));
    }
}

/// A script of the shell for an engine of a protocol that calls itself so, takes `EvalFile` and `Mode`, and says these
/// words to every option.
fn sets(path: &Path, protocol: Protocol, name: &str, words: &str) {
    let arms = match protocol {
        Protocol::Uci => format!(
            "uci) printf 'id name {name}\\noption name EvalFile type string default own.net\\n'; \
             printf 'option name Mode type string default x\\nuciok\\n';; isready) echo readyok;; \
             setoption) printf '%s\\n' '{words}';;"
        ),
        Protocol::Xboard => format!(
            "protover) echo 'feature myname=\"{name}\" ping=1'; \
             echo 'feature option=\"EvalFile -file own.net\" option=\"Mode -string x\" done=1';; \
             ping) echo \"pong $rest\";; option) printf '%s\\n' '{words}';;"
        ),
    };
    fs::write(path, format!("while read -r word rest; do case $word in quit) exit;; {arms} esac; done\n"))
        .unwrap();
}

/// One that says of itself that it has not done what was asked plays no game, and of others that is told.
#[test]
fn an_option_that_comes_to_nothing_is_told_before_any_game() {
    /// What it is, what it says, how it is set; whether it is refused, and what is told.
    type Case<'a> = (Protocol, &'a str, &'a str, &'a str, bool, &'a [&'a str]);

    let dir = tempfile::tempdir().unwrap();
    let engine = dir.path().join("engine");
    fs::write(dir.path().join("is.net"), "").unwrap();
    let cannot = "info string cannot read it: No such file or directory (os error 2)";
    let denied = "Error (no such option): option EvalFile=is.net";
    let comment = "# no network is it: EvalFile=is.net";
    let usual = "info string NNUE evaluation using is.net enabled";
    let missing = "option.EvalFile=no.net: `no.net` is not there, seen from";
    let (uci, xboard) = (Protocol::Uci, Protocol::Xboard);
    let cases: &[Case] = &[
        (uci, "Firstborn 9", cannot, "option.EvalFile=no.net", true, &[cannot, missing]),
        (uci, "Other 9", cannot, "option.EvalFile=no.net", false, &[missing, cannot]),
        (uci, "Other 9", cannot, "option.Mode=y", false, &[cannot]),
        (uci, "Other 9", usual, "option.EvalFile=is.net", false, &[]),
        (uci, "Other 9", usual, "option.EvalFile=own.net", false, &[]),
        (uci, "Other 9", cannot, "", false, &[]),
        (uci, "Firstborn 9", "", "option.EvalFile=is.net", false, &[]),
        (uci, "Other 9", "No such option: EvalFile", "option.EvalFile=is.net", true, &["No such option"]),
        (xboard, "Other 9", denied, "option.EvalFile=is.net", true, &[denied]),
        (xboard, "Other 9", denied, "option.EvalFile=is.net lenient=on", false, &[denied]),
        (xboard, "Firstborn 9", comment, "option.EvalFile=is.net lenient=on", true, &[comment]),
        (xboard, "Other 9", comment, "option.EvalFile=is.net", false, &[]),
        // Set before the greeting.
        (uci, "Firstborn 9", cannot, "initstr=setoption", true, &[cannot]),
        (xboard, "Other 9", "cannot do it", "initstr=option", false, &["cannot do it"]),
    ];
    for &(protocol, name, words, options, refused, says) in cases {
        sets(&engine, protocol, name, words);
        let proto = if protocol == Protocol::Uci { "uci" } else { "xboard" };
        let mut line = words_of("New", Path::new("/bin/sh"), &format!("proto={proto}"));
        line.extend([format!("arg={}", engine.display()), format!("dir={}", dir.path().display())]);
        line.extend(options.split_whitespace().map(str::to_owned));
        let tried = try_engine(&against(&line, 1).conditions.players[1], false, &[]);
        let case = format!("{name}: {words}: {options}: {tried:?}");
        match tried {
            Ok(greeting) => {
                assert!(!refused && greeting.doubts.len() == says.len(), "{case}");
                assert!(greeting.doubts.iter().zip(says).all(|(told, says)| told.contains(says)), "{case}");
            }
            Err(error) => {
                let error = error.to_string();
                assert!(refused && error.contains("player `New`"), "{case}");
                assert!(says.iter().all(|says| error.contains(says)), "{case}");
            }
        }
    }
}

/// In both positions the capture in passing is the only move: without the step before it that would be mate. What
/// `edit` has no words for keeps an engine from the tournament before any game.
#[test]
fn an_engine_without_setboard_plays_the_position_that_it_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let mut plan = against(&scripted("Edits", "xboard edits 0", "x", ""), 2);
    let book = |name: &str, lines: &str| {
        let path = dir.path().join(name);
        fs::write(&path, lines).unwrap();
        Book::from_file(&path, Reading::WHOLE).unwrap()
    };
    let steps = "1N6/8/8/5K1k/5QPp/8/R7/8 b - g3 0 1\n8/r7/8/5qpP/5k1K/8/8/1n6 w - g6 0 1\n";
    plan.book = book("steps.epd", steps);
    try_engines(&mut plan).unwrap();
    let (end, _, games) = play(&mut plan);
    assert_eq!((end, games.len()), (RunEnd::Complete, 4));
    assert!(games.iter().all(|game| !game.ending.is_forfeit()), "{games:?}");
    assert!(games.iter().all(|game| ["h4g3", "h5g6"].contains(&game.moves[0].uci.as_str())), "{games:?}");
    let rights = "r3k2r/8/8/8/8/8/8/R3K2R w Kkq - 0 1";
    plan.book = book("rights.epd", rights);
    let why = try_engines(&mut plan).unwrap_err().to_string();
    assert!(["player `Edits`", "no feature setboard", rights].iter().all(|says| why.contains(says)), "{why}");
}
