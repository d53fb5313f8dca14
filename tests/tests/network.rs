//! From games to a network that plays: `firstborn train`, killed in between, and the options that load the result.

#[path = "../../training/tests/random_games/mod.rs"]
mod random_games;

use rand::{SeedableRng, rngs::SmallRng};
use random_games::write_games;
use serde_json::Value;
use std::process::Command;
use tests::{Dialogue, firstborn, own_network};
use training::filter::Filter;
use training::format::Reader;

const SETTINGS: [&str; 8] = ["--hidden", "32", "--epochs", "8", "--batch", "64", "--wdl", "0"];

/// What the network that plays says of the position on the board.
fn networks_word(engine: &mut Dialogue) -> String {
    engine.send("eval");
    let said = engine.ready();
    said.iter().find(|line| line.contains("network")).cloned().unwrap_or_else(|| panic!("{said:?}"))
}

#[test]
fn a_killed_training_goes_on_and_its_network_plays() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    write_games(&folder.path().join("a.fbg"), 1, 300, &mut SmallRng::seed_from_u64(3));
    let train = |more: &[&'static str]| [&["train", "a.fbg"], &SETTINGS[..], more].concat();
    // Killed after the first epoch, then taken up.
    let resumable = train(&["--out", "a.net", "--checkpoint", "a.state", "--plot", "a.svg"]);
    let mut killed = Dialogue::start_in(folder.path(), &resumable);
    killed.until("epoch   1");
    drop(killed);
    assert!(folder.path().join("a.state").exists() && !folder.path().join("a.net").exists());
    for arguments in [resumable, train(&["--out", "b.net", "--threads", "1", "--json"])] {
        let run = Command::new(firstborn()).args(&arguments).current_dir(folder.path()).output();
        let output = run.expect("the binary has just been built");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        if arguments.contains(&"--json") {
            let document: Value = serde_json::from_slice(&output.stdout).expect("--json prints one document");
            assert_eq!(document["epochs"].as_array().map(Vec::len), Some(8));
            assert_eq!(document["data"]["games"], 300);
        }
    }
    let read = |name: &str| std::fs::read(folder.path().join(name)).expect("it was written");
    assert!(read("a.net") == read("b.net"), "killed or not, the same network");
    assert!(read("a.svg").starts_with(b"<svg"));

    let file = folder.path().join("a.net");
    let mut engine = Dialogue::uci(&[]);
    engine.send("position fen 4k3/8/8/8/8/8/8/QQQ1K3 w - - 0 1");
    let own = networks_word(&mut engine);
    engine.send(&format!("setoption name EvalFile value {}", file.display()));
    assert_ne!(networks_word(&mut engine), own, "another network says something else");
    engine.send("go nodes 2000");
    engine.until("bestmove ");
    engine.quit();
}

/// Output of a command that succeeds.
fn document(words: &str) -> Value {
    let output = Command::new(firstborn()).args(words.split_whitespace()).output();
    let output = output.expect("the binary has just been built");
    assert!(output.status.success(), "{words}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{words} prints one document"))
}

/// What a session counts with these options at the same depth.
fn counted(options: &str) -> u64 {
    let mut engine = Dialogue::uci(&[]);
    engine.send("setoption name Threads value 1");
    let nodes = nodes(&mut engine, options);
    engine.quit();
    nodes
}

/// The nodes of a search after these lines.
fn nodes(engine: &mut Dialogue, options: &str) -> u64 {
    engine.send(&format!("{options}go depth 8"));
    let said = engine.until("bestmove ");
    let last = said.iter().rfind(|line| line.contains(" nodes ")).expect("a line with a count");
    let mut words = last.split(' ').skip_while(|&word| word != "nodes");
    words.nth(1).and_then(|count| count.parse().ok()).expect("a count")
}

/// A network that cannot be used changes nothing, the table included; another evaluation begins anew.
#[test]
fn a_refused_network_leaves_what_was_learnt() {
    let mut engine = Dialogue::uci(&[]);
    engine.send("setoption name Threads value 1");
    let first = nodes(&mut engine, "");
    let again = nodes(&mut engine, "setoption name EvalFile value /nowhere.net\n");
    assert!(again * 4 < first * 3, "{again} nodes after {first}");
    let anew = nodes(&mut engine, "setoption name Eval value classic\nsetoption name Eval value network\n");
    assert_eq!(anew, first);
    engine.quit();
}

/// Every command that searches evaluates as it is asked to, and its report names what evaluated.
#[test]
fn commands_evaluate_by_what_they_are_given() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let suite = folder.path().join("a.epd");
    std::fs::write(&suite, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - bm e4; id \"a\";\n")
        .unwrap();
    write_games(&folder.path().join("a.fbg"), 1, 100, &mut SmallRng::seed_from_u64(3));
    let net = folder.path().join("a.net");
    let games = folder.path().join("a.fbg");
    let trained = document(&format!(
        "train {} --hidden 32 --epochs 1 --batch 64 --wdl 0 --json --out {}",
        games.display(),
        net.display()
    ));
    let other = trained["fingerprint"].clone();
    let suite = suite.display();
    let file = format!(" --eval-file {}", net.display());
    let own = document("bench --depth 2 --json")["provenance"]["program"]["network"].clone();
    let classic = Value::from("classic");
    let options = [
        ("", String::new(), own),
        (" --eval classic", "setoption name Eval value classic\n".into(), classic),
        (file.as_str(), format!("setoption name EvalFile value {}\n", net.display()), other),
    ];
    let mut seen = Vec::new();
    for (words, session, name) in &options {
        let nodes = counted(session);
        let analysis = document(&format!("analyze --depth 8 --threads 1 --hash 16 --json{words}"));
        assert_eq!(analysis["nodes"], nodes, "{words}");
        let solved = document(&format!("suite {suite} --depth 8 --threads 1 --hash 16 --json{words}"));
        assert_eq!(solved["positions"][0]["nodes"], nodes, "{words}");
        let study =
            "scaling --clock virtual --schemes lazy --threads 2 --depth 8 --hash 16 --no-signature --json";
        let study = document(&format!("{study} --positions {suite}{words}"));
        let alone = study["samples"].as_array().expect("samples").iter().find(|s| s["scheme"] == "serial");
        assert_eq!(alone.expect("a baseline")["nodes"][0], nodes, "{words}");
        let bench = document(&format!("bench --depth 4 --json{words}"));
        for provenance in
            [&analysis["provenance"], &solved["provenance"], &study["provenance"], &bench["provenance"]]
        {
            assert_eq!(provenance["program"]["network"], *name, "{words}: {provenance}");
        }
        seen.push((nodes, bench["nodes"].as_u64()));
    }
    assert!(seen[0] != seen[1] && seen[1] != seen[2] && seen[0] != seen[2], "{seen:?}");
    for words in ["bench", "analyze", "suite", "scaling --no-signature"] {
        let words = if words == "suite" { format!("suite {suite}") } else { words.to_owned() };
        for (more, named) in
            [("--eval classic --eval-file a.net", "a.net"), ("--eval-file /no/b.net", "/no/b.net")]
        {
            let both = words.split(' ').chain(more.split(' '));
            let output =
                Command::new(firstborn()).args(both).output().expect("the binary has just been built");
            let told = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(output.status.code() == Some(1) && told.contains(named), "{words} {more}: {told}");
        }
    }
}

#[test]
fn a_second_stage_has_the_shape_of_the_first() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let path = |name: &str| folder.path().join(name).display().to_string();
    write_games(&folder.path().join("a.fbg"), 1, 20, &mut SmallRng::seed_from_u64(3));
    let common = format!("train {} --epochs 1 --hold-out 0 --json --out", path("a.fbg"));
    document(&format!("{common} {} --hidden 64 --buckets 2", path("first.net")));
    let second = document(&format!("{common} {} --from {}", path("second.net"), path("first.net")));
    let settings = &second["settings"];
    assert_eq!((&settings["hidden"], &settings["buckets"]), (&Value::from(64), &Value::from(2)));
}

/// Of the quiet positions only those within the score and from the ply on are learnt from.
#[test]
fn a_training_keeps_to_its_scores_and_plies() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let (games, net) = (folder.path().join("a.fbg"), folder.path().join("a.net"));
    write_games(&games, 1, 20, &mut SmallRng::seed_from_u64(3));
    let quiet = Filter { from_ply: 0, ..Filter::default() };
    let (mut all, mut kept) = (0, 0);
    let reader = Reader::open(&games).expect("it was written");
    for game in reader.games() {
        let game = game.expect("it was written whole");
        for scored in quiet.positions(&game) {
            all += 1;
            kept += u64::from(scored.score.abs() <= 200 && scored.ply >= 4);
        }
    }
    let (games, net) = (games.display(), net.display());
    let options = "--hidden 32 --epochs 1 --hold-out 0 --from-ply 4 --max-score 200 --json";
    let trained = document(&format!("train {games} {options} --out {net}"));
    assert_eq!(trained["data"]["training"], kept);
    assert!(0 < kept && kept < all, "{kept} of {all}");
}

#[test]
fn what_cannot_be_trained_on_is_named() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    write_games(&folder.path().join("a.fbg"), 1, 2, &mut SmallRng::seed_from_u64(3));
    std::fs::write(folder.path().join("b.fbg"), "no games").expect("the folder can be written to");
    let own = own_network().display().to_string();
    for (arguments, named) in [
        (&["missing.fbg", "--out", "a.net"][..], "missing.fbg"),
        (&["b.fbg", "--out", "a.net"], "b.fbg"),
        (&["a.fbg", "--out", "nowhere/a.net"], "nowhere"),
        (&["a.fbg", "--out", "a.net", "--hidden", "48"], "hidden"),
        (&["a.fbg", "--out", "a.net", "--from-ply", "100"], "no positions"),
        // The network to go on from is compared before the games are read.
        (&["missing.fbg", "--out", "a.net", "--hidden", "32", "--from", own.as_str()], "256 hidden units"),
        (&["missing.fbg", "--out", "a.net", "--buckets", "2", "--from", own.as_str()], "8 output layers"),
    ] {
        let run = Command::new(firstborn()).arg("train").args(arguments).current_dir(folder.path()).output();
        let output = run.expect("the binary has just been built");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && errors.contains(named), "{arguments:?}: {errors}");
        assert!(!folder.path().join("a.net").exists());
    }
}
