//! The client against engines that a shell script plays: what they send unasked, in odd forms or without end.

use chess::{Color, Game, Position};
use client::{
    Answer, Client, Clocks, EngineConfig, Evaluation, FailureKind, GameSetup, Launcher, Limits, Listener,
    NoLine, Patience, PlainLauncher, Ply, Process, Protocol, Reply, Stream,
};
use std::io;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const GREETING: &str = "uci) printf 'id name Script\\nuciok\\n';; quit) exit;;";

fn launcher() -> Arc<dyn Launcher> {
    Arc::new(PlainLauncher)
}

fn config(script: &str, protocol: Protocol) -> EngineConfig {
    EngineConfig {
        args: vec!["-c".into(), script.into()],
        protocol: Some(protocol),
        ..EngineConfig::new("/bin/sh")
    }
}

/// A UCI engine that does what the `case` arms say for each first word; `$n` counts its searches.
fn uci(arms: &str) -> Client {
    let script = format!("n=0; while read -r word rest; do case $word in {GREETING} {arms} esac; done");
    started(&config(&script, Protocol::Uci))
}

fn started(config: &EngineConfig) -> Client {
    let mut client = Client::start(config, &launcher(), &crossbeam::channel::never()).unwrap();
    new_game(&mut client);
    client
}

/// Tells it of a game from the start position.
fn new_game(client: &mut Client) {
    let (start, limits) = (Position::startpos(), Limits::default());
    client.new_game(&GameSetup { start: &start, fen: None, chess960: false, limits, opponent: "x" }).unwrap();
}

fn plies(moves: &str) -> Vec<Ply> {
    let mut game = Game::default();
    let mut plies = Vec::new();
    for text in moves.split_whitespace() {
        let mv = game.position().parse_uci(text).unwrap();
        plies.push(Ply { uci: text.into(), san: game.position().san(mv), castling: None });
        game.play(mv).unwrap();
    }
    plies
}

const CLOCKS: Clocks = Clocks {
    side: Color::White,
    own: Duration::from_secs(60),
    other: Some(Duration::from_secs(60)),
    own_increment: Duration::ZERO,
    other_increment: Duration::ZERO,
    moves_to_go: None,
};
const PATIENT: Patience = Patience { flag: None, silence: Duration::from_secs(30) };
const HASTY: Patience =
    Patience { flag: Some(Duration::from_millis(100)), silence: Duration::from_millis(100) };

fn think(client: &mut Client, moves: &str) -> Reply {
    client.think(&plies(moves), &CLOCKS, PATIENT).unwrap()
}

fn mv(reply: &Reply) -> &str {
    let Answer::Move(text) = &reply.answer else { panic!("{:?}", reply.answer) };
    text
}

#[test]
fn a_second_bestmove_is_passed_over_and_counted() {
    let mut engine = uci("isready) echo readyok;; go) n=$((n+1)); case $n in \
        1) printf 'bestmove e2e4\\nbestmove d2d4\\n';; 2) printf 'info score cp 7 pv g1f3\\nbestmove g1f3\\n';; *) echo bestmove b1c3;; esac;;");
    let first = think(&mut engine, "");
    assert_eq!((mv(&first), first.unasked), ("e2e4", 0));
    let second = think(&mut engine, "e2e4 e7e5");
    assert_eq!((mv(&second), second.unasked), ("g1f3", 1));
    assert_eq!(second.info.score, Some(Evaluation::Centipawns(7)));
    assert_eq!(think(&mut engine, "e2e4 e7e5 g1f3 b8c6").unasked, 0);
}

#[test]
fn a_bestmove_that_comes_just_before_the_next_search_is_not_its_answer() {
    let mut engine =
        uci("isready) [ $n = 1 ] && printf 'info score cp -900 pv d2d4\\nbestmove d2d4\\n'; echo readyok;; \
         go) n=$((n+1)); case $n in 1) echo bestmove e2e4;; *) echo bestmove g1f3;; esac;;");
    think(&mut engine, "");
    let second = think(&mut engine, "e2e4 e7e5");
    assert_eq!((mv(&second), second.unasked, second.info.score), ("g1f3", 1, None));
}

#[test]
fn the_last_move_once_more_is_no_answer_unless_no_other_comes() {
    let mut engine = uci("isready) echo readyok;; go) n=$((n+1)); case $n in \
        1) echo bestmove e2e4;; 2) printf 'bestmove e2e4\\nbestmove g1f3\\n';; *) echo bestmove g1f3;; esac;;");
    think(&mut engine, "");
    let second = think(&mut engine, "e2e4 e7e5");
    assert_eq!((mv(&second), second.unasked), ("g1f3", 1));
    let third = engine.think(&plies("e2e4 e7e5 g1f3 b8c6"), &CLOCKS, HASTY).unwrap();
    assert_eq!((mv(&third), third.unasked), ("g1f3", 0), "for the rules to judge");
}

/// Has it think on its opponent's time, about the last of these moves.
fn foresee(client: &mut Client, moves: &str) {
    let plies = plies(moves);
    let (expected, played) = plies.split_last().unwrap();
    client.ponder(played, expected, &CLOCKS);
}

/// It answers `go` by one move, `ponderhit` by another and `stop` by a third.
#[test]
fn a_search_on_the_opponents_time_goes_on_only_after_the_move_that_was_foreseen() {
    let folder = tempfile::tempdir().unwrap();
    let script = "while read -r word rest; do case $word in isready) echo readyok;; quit) exit;; \
        uci) printf 'option name Ponder type check\\nuciok\\n';; \
        go) [ \"$rest\" = ponder ] || echo bestmove d2d4;; ponderhit) echo bestmove a2a4;; \
        stop) echo stop >>stops; echo bestmove h2h4;; esac; done";
    let dir = Some(folder.path().into());
    let mut engine = started(&EngineConfig { dir, ponder: true, ..config(script, Protocol::Uci) });
    let stops = || std::fs::read_to_string(folder.path().join("stops")).unwrap_or_default().lines().count();
    for (foreseen, played, answer) in
        [("e2e4 e7e5", "e2e4 c7c5", "d2d4"), ("e2e4 c7c5 d2d4 c5d4", "e2e4 c7c5 d2d4 c5d4", "a2a4")]
    {
        foresee(&mut engine, foreseen);
        let reply = think(&mut engine, played);
        assert_eq!((mv(&reply), reply.unasked, stops()), (answer, 0, 1), "{played}");
    }
    foresee(&mut engine, "e2e4 c7c5 d2d4 c5d4 a2a4 a7a6");
    engine.game_over("1-0", "White mates").unwrap();
    assert_eq!(stops(), 2, "nor does it go on where the game is over");
}

#[test]
fn an_engine_that_says_readyok_before_the_game_only_can_still_answer() {
    let mut engine = uci("isready) [ $n -lt 2 ] && echo readyok; n=$((n+1));; go) echo bestmove e2e4;;");
    let reply = engine.think(&[], &CLOCKS, HASTY).unwrap();
    assert_eq!((mv(&reply), reply.unasked), ("e2e4", 0));
}

#[test]
fn a_score_that_stands_behind_the_line_is_kept() {
    let mut engine = uci("isready) echo readyok;; \
        go) printf 'info depth 9 pv e2e4 e7e5 score cp 31 nodes 500 time 20\\nbestmove e2e4\\n';;");
    let reply = think(&mut engine, "");
    assert_eq!(reply.info.score, Some(Evaluation::Centipawns(31)));
    assert_eq!((reply.info.nodes, reply.info.depth), (Some(500), Some(9)));
}

#[test]
fn a_flood_does_not_put_the_flag_off() {
    let mut engine = uci("isready) echo readyok;; go) while :; do echo info string words; done;;");
    let Err(failure) = engine.think(&[], &CLOCKS, HASTY) else { panic!("it never moves") };
    assert!(matches!(failure.kind, FailureKind::Stall { .. }), "{failure}");
}

/// Without a clock an engine is waited for as long as it says something new, and no longer.
#[test]
fn what_is_new_puts_the_end_of_patience_off() {
    let patience = Patience { flag: None, silence: Duration::from_secs(2) };
    let mut engine = uci("isready) echo readyok;; \
        go) for depth in 1 2 3 4 5 6; do echo info depth $depth score cp 1; sleep .5; done; echo bestmove e2e4;;");
    let reply = engine.think(&[], &CLOCKS, patience).unwrap();
    assert_eq!((mv(&reply), reply.info.depth), ("e2e4", Some(6)));
    let mut engine =
        uci("isready) echo readyok;; go) while :; do echo info depth 1 score cp 1; sleep .5; done;;");
    let stalled = in_the_end(move || engine.think(&[], &CLOCKS, patience).unwrap_err());
    assert_eq!(stalled.word(), "stall");
}

/// Its moves are in short notation, where one spelling may be two moves of a game.
#[test]
fn moves_in_short_notation_are_not_taken_for_coordinates() {
    let mut engine = started(&config(
        "n=0; while read -r word rest; do case $word in protover) echo 'feature ping=1 usermove=1 san=1 done=1';; \
            ping) echo pong $rest;; go) echo move e4;; \
            usermove) n=$((n+1)); case $n in 3) echo move Nf3;; *) echo move exd5;; esac;; quit) exit;; esac; done",
        Protocol::Xboard,
    ));
    for (moves, said) in [
        ("", "e4"),
        ("e2e4 d7d5", "exd5"),
        ("e2e4 d7d5 e4d5 c7c6", "exd5"),
        ("e2e4 d7d5 e4d5 c7c6 d5c6 b8c6", "Nf3"),
    ] {
        let reply = think(&mut engine, moves);
        assert_eq!((mv(&reply), reply.unasked), (said, 0), "after {moves:?}");
    }
}

/// A script that greets with these features and writes down what it hears; what it heard in one game that it
/// does not move in, and the client's word on whether it may play another.
fn hears_a_game(features: &str) -> (Vec<String>, bool) {
    let folder = tempfile::tempdir().unwrap();
    let script = format!(
        "while read -r line; do echo \"$line\" >>heard; case $line in protover*) echo 'feature ping=1 {features} done=1';; \
            ping*) echo \"pong ${{line#ping }}\";; quit) exit;; esac; done"
    );
    let config = EngineConfig { dir: Some(folder.path().into()), ..config(&script, Protocol::Xboard) };
    let mut engine = started(&config);
    engine.game_over("1-0", "White mates").unwrap();
    let reusable = engine.reusable();
    assert!(engine.quit());
    let heard = std::fs::read_to_string(folder.path().join("heard")).unwrap();
    (heard.lines().map(str::to_owned).collect(), reusable)
}

/// engine-intf.html, sections 8 and 9: an engine that may ponder is told that the game is over, and `reuse=0` is one
/// that plays one game only.
#[test]
fn an_xboard_engine_hears_the_end_of_its_game() {
    for (features, reusable) in [("", true), ("reuse=1", true), ("reuse=0", false)] {
        let (heard, says) = hears_a_game(features);
        assert!(
            heard.ends_with(&["force", "result 1-0 {White mates}", "quit"].map(str::to_owned)),
            "{heard:?}"
        );
        assert_eq!(says, reusable, "{features}");
    }
}

#[test]
fn an_option_has_the_value_that_was_configured() {
    let script = "while read -r word rest; do case $word in uci) echo 'option name Threads type spin default 1 min 1 max 9'; \
        echo 'option name Hash type spin default 16 min 1 max 99'; echo 'option name Mode type string default x'; \
        echo uciok;; isready) echo readyok;; quit) exit;; esac; done";
    let plain = config(script, Protocol::Uci);
    let asked = |config: &EngineConfig| {
        let engine = started(config);
        ["threads", "HASH", "Mode", "other"].map(|name| engine.option(name))
    };
    let told = |values: [&str; 3]| {
        let [threads, hash, mode] = values.map(|value| Some(value.to_owned()));
        [threads, hash, mode, None]
    };
    assert_eq!(asked(&plain), told(["1", "16", "x"]));
    let options = vec![("mode".into(), "y".into())];
    assert_eq!(
        asked(&EngineConfig { threads: Some(3), hash_mb: Some(7), options, ..plain }),
        told(["3", "7", "y"])
    );
}

/// An engine plays with what it heard last, whichever of two ways to say it that was.
#[test]
fn of_two_values_the_one_that_is_sent_last_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let script = "while read -r word rest; do case $word in setoption) echo \"$rest\" >>heard;; \
        uci) echo 'option name Threads type spin default 1 min 1 max 9'; \
        echo 'option name Hash type spin default 16 min 1 max 99'; echo uciok;; \
        isready) echo readyok;; quit) exit;; esac; done";
    let options = [("threads", "5"), ("HASH", "9")].map(|(name, value)| (name.to_owned(), value.to_owned()));
    let config = EngineConfig {
        dir: Some(folder.path().into()),
        threads: Some(1),
        hash_mb: Some(2),
        options: options.to_vec(),
        ..config(script, Protocol::Uci)
    };
    let engine = started(&config);
    let heard = std::fs::read_to_string(folder.path().join("heard")).unwrap();
    for name in ["Threads", "Hash"] {
        let begin = format!("name {name} value ");
        let last = heard.lines().filter_map(|line| line.strip_prefix(begin.as_str())).next_back();
        assert!(last.is_some(), "{heard}");
        assert_eq!(engine.option(name).as_deref(), last, "{heard}");
    }
    assert_eq!(engine.option("Threads"), Some(config.thread_count().to_string()));
}

/// As fastchess does it: all options before each of two games, and of its buttons those that are `true`. Others send
/// them once, and press every button that is not `false`.
#[test]
fn options_are_sent_before_every_game_where_that_is_wanted() {
    let script = "while read -r line; do case $line in quit) exit;; isready) echo readyok;; \
        uci) printf 'option name Hash type spin\\noption name Clear type button\\n'; \
        printf 'option name Other type button\\nuciok\\n';; *) echo \"$line\" >>heard;; esac; done";
    let options = [("Hash", "3"), ("Clear", "true"), ("Other", "x")];
    let options = options.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let [hash, clear, other] =
        ["setoption name Hash value 3", "setoption name Clear", "setoption name Other"];
    for (fastchess_options, expected, refused) in [
        (true, vec![hash, clear, "ucinewgame", hash, clear, "ucinewgame"], 1),
        (false, vec![hash, clear, other, "ucinewgame", "ucinewgame"], 0),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let config = EngineConfig {
            dir: Some(folder.path().into()),
            options: options.to_vec(),
            lenient: true,
            fastchess_options,
            ..config(script, Protocol::Uci)
        };
        let mut engine = started(&config);
        new_game(&mut engine);
        let left_out: Vec<String> = engine.left_out().iter().map(ToString::to_string).collect();
        assert_eq!(left_out.len(), refused, "{left_out:?}");
        assert!(left_out.iter().all(|why| why.starts_with("option `Other`: a button takes `true`")));
        assert!(engine.quit());
        let heard = std::fs::read_to_string(folder.path().join("heard")).unwrap();
        assert_eq!(heard.lines().collect::<Vec<_>>(), expected, "{fastchess_options}");
    }
}

/// Its first move is all that it writes; before the second it says something. What it says before it has heard of the
/// search is not about it.
#[test]
fn a_move_may_be_all_that_an_engine_writes() {
    let mut engine = uci("isready) printf 'info string ready\\nreadyok\\n';; go) n=$((n+1)); case $n in \
        1) echo bestmove e2e4;; *) printf 'info string words\\nbestmove g1f3\\n';; esac;;");
    let first = think(&mut engine, "");
    assert_eq!((mv(&first), first.spoke), ("e2e4", false));
    let second = think(&mut engine, "e2e4 e7e5");
    assert_eq!((mv(&second), second.spoke), ("g1f3", true));
}

/// A deadline looks at when a line was complete, not at whether one waits.
#[test]
fn a_line_after_the_deadline_is_left_for_the_next_wait() {
    let never = crossbeam::channel::never();
    let script = config("printf 'a\\nb\\nc\\n'; exec cat", Protocol::Uci);
    let mut process = Process::start(&script, launcher(), never).unwrap();
    let (at, line) = process.line(None).unwrap();
    assert_eq!(line, "a");
    let before = at.checked_sub(Duration::from_secs(1)).unwrap();
    for _ in 0..3 {
        assert_eq!(process.line(Some(before)), Err(NoLine::Timeout));
        assert_eq!(process.waiting_line(before), None);
    }
    assert_eq!(process.line(None).unwrap().1, "b");
    assert_eq!(process.line(None).unwrap().1, "c");
}

/// As in cutechess-cli: the lines of `initstr=`, then the greeting, then options.
#[test]
fn init_lines_are_sent_before_the_greeting() {
    let folder = tempfile::tempdir().unwrap();
    let script = "while read -r line; do echo \"$line\" >>heard; case $line in \
        uci) printf 'option name Hash type spin\\nuciok\\n';; isready) echo readyok;; quit) exit;; esac; done";
    let config = EngineConfig {
        dir: Some(folder.path().into()),
        init_lines: vec!["log on".into(), "setoption name Mode value x".into()],
        hash_mb: Some(2),
        ..config(script, Protocol::Uci)
    };
    assert!(Client::start(&config, &launcher(), &crossbeam::channel::never()).unwrap().quit());
    let heard = std::fs::read_to_string(folder.path().join("heard")).unwrap();
    let expected =
        ["log on", "setoption name Mode value x", "uci", "setoption name Hash value 2", "isready", "quit"];
    assert_eq!(heard.lines().collect::<Vec<_>>(), expected);
}

/// What is beyond the length that is kept is no line of its own.
#[test]
fn the_rest_of_an_over_long_line_is_no_answer() {
    let script = "printf '%070000d bestmove a2a3\\nnext\\n' 0; exec cat";
    let mut process =
        Process::start(&config(script, Protocol::Uci), launcher(), crossbeam::channel::never()).unwrap();
    let (_, line) = process.line(None).unwrap();
    assert!((60_000..70_000).contains(&line.len()), "{}", line.len());
    assert_eq!(process.line(None).unwrap().1, "next");
}

/// Runs this beside the test, which fails if it never ends.
fn in_the_end<T: Send + 'static>(action: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, ended) = crossbeam::channel::bounded(1);
    std::thread::spawn(move || sender.send(action()));
    ended.recv_timeout(Duration::from_secs(120)).expect("it hangs, or has failed")
}

/// It greets and then reads nothing more, so that the pipe to it fills.
#[test]
fn an_engine_that_does_not_read_its_input_holds_nothing_up() {
    let script = "read -r word; echo uciok; exec sleep 600";
    let waited = in_the_end(move || {
        let config = config(script, Protocol::Uci);
        let mut process = Process::start(&config, launcher(), crossbeam::channel::never()).unwrap();
        process.send("uci");
        assert_eq!(process.line(None).unwrap().1, "uciok");
        let line = "x".repeat(1000);
        let sent: Vec<Instant> = (0..1000).map(|_| process.send(&line)).collect();
        assert!(sent.is_sorted());
        let deadline = process.send("isready");
        let waited = process.line(Some(deadline));
        assert!(!process.close(Duration::ZERO), "it does not leave by itself");
        waited
    });
    assert_eq!(waited, Err(NoLine::Timeout));
}

/// More than a pipe holds is sent to an engine that reads none of it before it is allowed to, and its input is
/// closed by then.
#[test]
fn a_slow_reader_gets_every_line_whole_and_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().to_owned();
    let script = "mkfifo gate && echo ready && read -r _ <gate; cat >heard; echo done";
    let config = EngineConfig { dir: Some(dir.clone()), ..config(script, Protocol::Uci) };
    let (sent, heard) = in_the_end(move || {
        let mut process = Process::start(&config, launcher(), crossbeam::channel::never()).unwrap();
        assert_eq!(process.line(None).unwrap().1, "ready");
        let position = format!("position startpos moves{}", " g1f3 g8f6 f3g1 f6g8".repeat(20_000));
        let texts = ["isready", &position, "go infinite\nstop", &position, "quit"];
        for text in texts {
            process.send(text);
        }
        process.hang_up();
        std::fs::write(dir.join("gate"), "open\n").unwrap();
        assert_eq!(process.line(None).unwrap().1, "done");
        (texts.join("\n") + "\n", std::fs::read_to_string(dir.join("heard")).unwrap())
    });
    assert!(sent == heard, "of {} bytes it got {}", sent.len(), heard.len());
}

/// Tells of every line that an engine writes.
struct Hears(crossbeam::channel::Sender<String>);

impl Listener for Hears {
    fn line(&self, _: Instant, stream: Stream, text: &str) {
        if stream == Stream::Output {
            self.0.send(text.to_owned()).unwrap();
        }
    }
}

struct Listening(Arc<Hears>);

impl Launcher for Listening {
    fn launch(&self, command: &mut Command) -> io::Result<Child> {
        PlainLauncher.launch(command)
    }

    fn kill(&self, child: &mut Child) -> io::Result<()> {
        PlainLauncher.kill(child)
    }

    fn listener(&self) -> Option<Arc<dyn Listener>> {
        Some(Arc::clone(&self.0) as _)
    }
}

/// Keeps why processes live on.
#[derive(Default)]
struct Outlived(Mutex<Vec<String>>);

impl Listener for Outlived {
    fn line(&self, _: Instant, _: Stream, _: &str) {}

    fn outlives(&self, why: &str) {
        self.0.lock().unwrap().push(why.to_owned());
    }
}

/// Ends nothing, since the system refuses it or since a kill does nothing yet.
struct Powerless {
    is_refused: bool,
    outlived: Arc<Outlived>,
}

impl Launcher for Powerless {
    fn launch(&self, command: &mut Command) -> io::Result<Child> {
        PlainLauncher.launch(command)
    }

    fn kill(&self, _: &mut Child) -> io::Result<()> {
        if self.is_refused { Err(io::Error::other("not permitted")) } else { Ok(()) }
    }

    fn listener(&self) -> Option<Arc<dyn Listener>> {
        Some(Arc::clone(&self.outlived) as _)
    }
}

/// Sends a process a signal; whether it was there to get it.
fn signal(signal: &str, process: u32) -> bool {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("kill -{signal} {process}")]).stderr(Stdio::null());
    command.status().unwrap().success()
}

/// It is left to itself, which is told; and one that reads its input finds the end of that.
#[test]
fn a_process_that_cannot_be_killed_holds_nothing_up() {
    let left = |script: &'static str, is_refused| {
        let outlived = Arc::new(Outlived::default());
        let launcher = Arc::new(Powerless { is_refused, outlived: Arc::clone(&outlived) });
        let process = in_the_end(move || {
            let config = config(script, Protocol::Uci);
            Process::start(&config, launcher, crossbeam::channel::never()).unwrap().id()
        });
        (process, outlived)
    };
    for (is_refused, says) in [(true, "not permitted"), (false, "it lives on 2 s after it was killed")] {
        let (process, outlived) = left("exec sleep 600", is_refused);
        assert!(signal("KILL", process), "it is there still");
        assert_eq!(*outlived.0.lock().unwrap(), [says]);
    }
    let (process, _) = left("exec cat", true);
    in_the_end(move || while signal("0", process) {});
}

/// Lines of an engine that writes without pause are always waiting, one of them perhaps left over from a wait that
/// was too short for it: an abort is seen all the same.
#[test]
fn a_babbler_does_not_keep_an_abort_from_being_seen() {
    for left_over in [false, true] {
        let (sender, heard) = crossbeam::channel::unbounded();
        let (abort, aborted) = crossbeam::channel::bounded(0);
        let launcher = Arc::new(Listening(Arc::new(Hears(sender))));
        let script = config("while :; do echo info string words; done", Protocol::Uci);
        let mut process = Process::start(&script, launcher, aborted).unwrap();
        let (at, _) = process.line(None).unwrap();
        if left_over {
            let before = at.checked_sub(Duration::from_secs(1)).unwrap();
            assert_eq!(process.line(Some(before)), Err(NoLine::Timeout));
        }
        // A line is handed over before the next one is heard, so that one waits at least.
        assert_eq!(heard.iter().take(4).count(), 4);
        drop(abort);
        assert_eq!(process.line(None), Err(NoLine::Aborted), "{left_over}");
        drop(process);
    }
}

/// It gives up, or says that the game is over, while its opponent thinks, and is silent from then on. The words
/// of the game before are no answer, and the last move of that game is one.
#[test]
fn what_ends_the_game_on_the_opponents_time_is_the_next_answer() {
    for (words, expected) in
        [("resign", Answer::Resign), ("1/2-1/2 {so be it}", Answer::Claim("1/2-1/2 {so be it}".into()))]
    {
        let script = format!(
            "while read -r word rest; do case $word in protover) echo 'feature ping=0 usermove=1 done=1';; \
                new) printf '{words}\\nnew\\n';; go) printf 'move e2e4\\n{words}\\n0-1\\nend\\n';; \
                quit) exit;; esac; done"
        );
        let (sender, heard) = crossbeam::channel::unbounded();
        let launcher: Arc<dyn Launcher> = Arc::new(Listening(Arc::new(Hears(sender))));
        let config = config(&script, Protocol::Xboard);
        let mut engine = Client::start(&config, &launcher, &crossbeam::channel::never()).unwrap();
        for game in 1..=2 {
            new_game(&mut engine);
            // A line is handed over before the next one is heard.
            assert!(heard.iter().any(|line| line == "new"));
            assert_eq!(think(&mut engine, "").answer, Answer::Move("e2e4".into()), "game {game}: {words}");
            assert!(heard.iter().any(|line| line == "end"));
            let reply = think(&mut engine, "e2e4 e7e5");
            assert_eq!((&reply.answer, reply.elapsed), (&expected, Duration::ZERO), "game {game}");
        }
    }
}

/// An xboard engine that has found its move on its opponent's time makes it without another word. What it said then
/// counts, if it was of this move; not where it searched for its opponent, nor where it says something newer.
#[test]
fn what_an_xboard_engine_said_on_the_opponents_time_counts_for_its_move() {
    for (ponder, pondered, said, score) in [
        (true, "9 35 10 900 g1f3 b8c6", "", Some(35)),
        (true, "9 35 10 900 (e7e5) g1f3 b8c6", "", Some(35)),
        (true, "9 35 10 900 (e5) 2. g1f3", "", Some(35)),
        (true, "9 35 10 900 (d7d5) g1f3 b8c6", "", None),
        (true, "9 -35 10 900 e7e5 g1f3 b8c6", "", None),
        (true, "9 35 10 900 b1c3 b8c6", "", None),
        (true, "9 35 10 900 g1f3 b8c6", "9 20 3 50 g1f3 d7d5\\n", Some(20)),
        (false, "9 35 10 900 g1f3 b8c6", "", None),
    ] {
        let script = format!(
            "while read -r word rest; do case $word in protover) echo 'feature ping=0 usermove=1 done=1';; \
                go) printf 'move e2e4\\n{pondered}\\nend\\n';; usermove) printf '{said}move g1f3\\n';; \
                quit) exit;; esac; done"
        );
        let (sender, heard) = crossbeam::channel::unbounded();
        let launcher: Arc<dyn Launcher> = Arc::new(Listening(Arc::new(Hears(sender))));
        let config = EngineConfig { ponder, ..config(&script, Protocol::Xboard) };
        let mut engine = Client::start(&config, &launcher, &crossbeam::channel::never()).unwrap();
        new_game(&mut engine);
        assert_eq!(mv(&think(&mut engine, "")), "e2e4");
        // A line is handed over before the next one is heard.
        assert!(heard.iter().any(|line| line == "end"));
        let reply = think(&mut engine, "e2e4 e7e5");
        let expected = score.map(Evaluation::Centipawns);
        assert_eq!((mv(&reply), reply.info.score), ("g1f3", expected), "{pondered}; {said}, {ponder}");
        assert_eq!(reply.info.depth.is_some(), score.is_some());
    }
}

#[test]
fn marks_carriage_returns_and_nul_bytes_do_not_hide_an_engine() {
    let mut engine = started(&config(
        "while read -r word rest; do case $word in \
            uci) printf '\\357\\273\\277id name M\\374ller\\r\\nuciok\\0\\r\\n';; isready) printf 'readyok\\0\\n';; \
            go) printf '\\0bestmove e2e4\\r\\n';; quit) exit;; esac; done",
        Protocol::Uci,
    ));
    assert_eq!(engine.name(), Some("Müller"));
    assert_eq!(mv(&think(&mut engine, "")), "e2e4");
}

/// GNU Chess 6.2.7 `--xboard`: `1. ... g1f3`, `My move is : g1f3`, and an echo of the opponent's move without
/// dots.
#[test]
fn an_xboard_engine_that_numbers_its_moves_plays() {
    let mut engine = started(&config(
        "while read -r word rest; do case $word in protover) echo 'feature ping=1 usermove=1 done=1';; \
            ping) echo pong $rest;; go) printf '1. ... g1f3\\nMy move is : g1f3\\n';; \
            usermove) printf '1. %s\\n2. ... d2d4\\nMy move is : d2d4\\n' $rest;; quit) exit;; esac; done",
        Protocol::Xboard,
    ));
    assert_eq!(mv(&think(&mut engine, "")), "g1f3");
    assert_eq!(mv(&think(&mut engine, "g1f3 d7d5")), "d2d4");
}

/// It takes `otim` for a move, shows two variations and then a bound, and ends the game with a sentence.
#[test]
fn an_older_xboard_engine_is_understood() {
    let mut engine = started(&config(
        "while read -r word rest; do case $word in protover) echo 'feature ping=1 usermove=1 done=1';; \
            ping) echo pong $rest;; usermove) echo 'game is a draw';; quit) exit;; \
            go) printf 'Illegal move: otim\\n9 35 1 10 e2e4 e7e5\\n9 20 2 20 d2d4 d7d5\\n'; \
                printf '9 80 3 30 e2e4 !\\nmove e2e4\\n';; esac; done",
        Protocol::Xboard,
    ));
    let reply = think(&mut engine, "");
    assert_eq!((mv(&reply), reply.info.score), ("e2e4", Some(Evaluation::Centipawns(35))));
    let ended = think(&mut engine, "e2e4 e7e5").answer;
    assert_eq!(ended, Answer::Claim("1/2-1/2 {game is a draw}".into()));
}

#[test]
fn a_time_that_xboard_cannot_express_is_told_and_not_sent() {
    let script = config(
        "while read -r word rest; do case $word in protover) echo 'feature ping=1 done=1';; ping) echo pong $rest;; \
         st) exit 9;; quit) exit;; esac; done",
        Protocol::Xboard,
    );
    let mut client = Client::start(&script, &launcher(), &crossbeam::channel::never()).unwrap();
    let start = Position::startpos();
    let limits = Limits { move_time: Some(Duration::from_millis(500)), ..Limits::default() };
    let setup = GameSetup { start: &start, fen: None, chess960: false, limits, opponent: "x" };
    let failure = client.new_game(&setup).unwrap_err();
    assert_eq!(failure.word(), "unable");
    assert!(failure.to_string().contains("whole seconds"), "{failure}");
    assert!(client.quit(), "it was sent nothing that ends it");
}

/// GNU Chess 6 under load: its threads lock each other out before the first word.
#[test]
fn an_xboard_engine_that_hangs_at_its_start_is_started_anew() {
    let folder = tempfile::tempdir().unwrap();
    let script = "read -r word; if mkdir tried; then exec sleep 600; fi; read -r word; \
        echo 'feature myname=\"Second\" done=1'; while read -r word rest; do [ $word = quit ] && exit; done";
    let config = EngineConfig { dir: Some(folder.path().into()), ..config(script, Protocol::Xboard) };
    let client = Client::start(&config, &launcher(), &crossbeam::channel::never()).unwrap();
    assert_eq!(client.name(), Some("Second"));
}

/// Its first start is slow, and at a word that it does not know it leaves.
#[test]
fn a_uci_engine_may_be_slow_once_and_end_at_xboards_word() {
    let folder = tempfile::tempdir().unwrap();
    let script = "read -r word; if mkdir tried; then exec sleep 600; fi; [ $word = uci ] || exit 1; \
        printf 'id name Late\nuciok\n'; while read -r word rest; do \
        case $word in isready) echo readyok;; quit) exit;; esac; done";
    let config =
        EngineConfig { dir: Some(folder.path().into()), protocol: None, ..config(script, Protocol::Uci) };
    let client = Client::start(&config, &launcher(), &crossbeam::channel::never()).unwrap();
    assert_eq!((client.protocol(), client.name()), (Protocol::Uci, Some("Late")));
}

/// Both take longer than the two seconds that the protocol gives them: the first says nothing until then, the
/// second has told its name.
#[test]
fn an_xboard_engine_may_be_slow_to_greet() {
    for begin in ["sleep 3", "echo Slow 1.0 by nobody; sleep 3"] {
        let script = format!(
            "{begin}; echo 'feature myname=\"Slow\" ping=1 done=1'; \
                while read -r word rest; do case $word in ping) echo pong $rest;; quit) exit;; esac; done"
        );
        let config = config(&script, Protocol::Xboard);
        let client = Client::start(&config, &launcher(), &crossbeam::channel::never()).unwrap();
        assert_eq!(client.name(), Some("Slow"), "{begin}");
    }
}

/// What it says behind its options and before it is ready, and no more; also to options that are sent before the
/// greeting.
#[test]
fn what_an_engine_says_to_its_options_is_kept() {
    let script = "while read -r word rest; do case $word in uci) printf 'id name X\\nbanner\\n'; \
        printf 'option name Mode type string default x\\nuciok\\n';; isready) echo readyok;; quit) exit;; \
        setoption) echo \"info string $rest\";; ucinewgame) echo info string new;; esac; done";
    let plain = config(script, Protocol::Uci);
    let said = |config: &EngineConfig| started(config).said().to_vec();
    assert_eq!(said(&plain), Vec::<String>::new());
    let options = vec![("mode".to_owned(), "y".to_owned())];
    let set = EngineConfig { options, ..plain.clone() };
    assert_eq!(said(&set), ["info string name Mode value y"]);
    let early = EngineConfig { init_lines: vec!["setoption early".into()], ..plain };
    assert_eq!(said(&early), ["info string early", "banner"]);
    assert_eq!(started(&set).default_of("MODE"), Some("x"));
}

/// A lenient configuration's options that an engine does not have are named, and the others are set.
#[test]
fn what_is_left_out_is_named() {
    let script = "while read -r word rest; do case $word in \
        uci) printf 'option name Mode type string\\nuciok\\n';; isready) echo readyok;; quit) exit;; \
        setoption) echo \"info string $rest\";; esac; done";
    let options = [("Mood", "x"), ("Mode", "y")].map(|(name, value)| (name.to_owned(), value.to_owned()));
    let config = EngineConfig { options: options.to_vec(), lenient: true, ..config(script, Protocol::Uci) };
    let client = started(&config);
    let left_out: Vec<String> = client.left_out().iter().map(ToString::to_string).collect();
    assert_eq!(left_out, ["it has no option `Mood`; it has: Mode"]);
    assert_eq!(client.said(), ["info string name Mode value y"]);
}

/// A flood is not kept.
#[test]
fn of_what_an_engine_says_to_its_options_a_part_is_kept() {
    let script = "while read -r word rest; do case $word in uci) printf 'option name Mode type string\\nuciok\\n';; \
        setoption) i=0; while [ $i -lt 500 ]; do printf '%01000d\\n' 0; i=$((i+1)); done;; \
        isready) echo readyok;; quit) exit;; esac; done";
    let options = vec![("Mode".to_owned(), "y".to_owned())];
    let engine = started(&EngineConfig { options, ..config(script, Protocol::Uci) });
    assert_eq!((engine.said().len(), engine.said()[0].len()), (200, 400));
}

/// It hangs when it is greeted in xboard's protocol for the first time, and says nothing to `uci`.
#[test]
fn an_xboard_engine_that_hangs_once_is_found_out() {
    let folder = tempfile::tempdir().unwrap();
    let script = "read -r word; [ $word = uci ] && exec sleep 600; if mkdir tried; then exec sleep 600; fi; \
        read -r word; echo 'feature myname=\"Second\" done=1'; \
        while read -r word rest; do [ $word = quit ] && exit; done";
    let config =
        EngineConfig { dir: Some(folder.path().into()), protocol: None, ..config(script, Protocol::Uci) };
    let client = Client::start(&config, &launcher(), &crossbeam::channel::never()).unwrap();
    assert_eq!((client.protocol(), client.name()), (Protocol::Xboard, Some("Second")));
}

/// It loses its first greeting, as GNU Chess 6 often does, and marks each of its starts.
#[test]
fn an_xboard_engine_that_loses_its_greeting_is_greeted_again() {
    let folder = tempfile::tempdir().unwrap();
    let script = "mkdir tried || exit; read -r word; read -r word; \
        while read -r word rest; do case $word in \
        protover) echo 'feature myname=\"Third\" done=1';; quit) exit;; esac; done";
    let config = EngineConfig { dir: Some(folder.path().into()), ..config(script, Protocol::Xboard) };
    let client = Client::start(&config, &launcher(), &crossbeam::channel::never()).unwrap();
    assert_eq!(client.name(), Some("Third"));
}
