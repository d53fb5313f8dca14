//! From games to a network that plays: `firstborn train`, killed in between, and the options that load the result.

use chess::{Color, Position};
use rand::{SeedableRng, rngs::SmallRng, seq::IndexedRandom};
use std::path::Path;
use std::process::Command;
use tests::{Dialogue, firstborn};
use training::format::{Header, Writer};
use training::game::{Ending, Game, GameResult, Ply};
use training::recipe::Recipe;

/// A game of random moves, whose scores count the material.
fn game(random: &mut SmallRng) -> Game {
    let start = Position::startpos();
    let mut position = start.clone();
    let mut plies = Vec::new();
    while plies.len() < 60 {
        let Some(&mv) = position.legal_moves().choose(random) else { break };
        let count = |color: Color| position.color_bb(color).count() as i32;
        let us = position.side_to_move();
        plies.push(Ply { mv, score: 200 * (count(us) - count(!us)) });
        position.play(mv);
    }
    Game { start, opening: Vec::new(), plies, result: GameResult::Draw, ending: Ending::TooLong }
}

/// Writes a file of so many games.
fn write_games(path: &Path, games: usize) {
    let header =
        Header { engine: "firstborn test".into(), bench: 1, network: None, recipe: Recipe::new(1, 1000) };
    let mut writer = Writer::open(path, &header).expect("the folder can be written to").writer;
    let mut random = SmallRng::seed_from_u64(3);
    (0..games).for_each(|_| writer.add(&game(&mut random)).expect("the moves are legal"));
    writer.finish().expect("the folder can be written to");
}

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
    write_games(&folder.path().join("a.fbg"), 300);
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
            let document: serde_json::Value =
                serde_json::from_slice(&output.stdout).expect("--json prints one document");
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

#[test]
fn what_cannot_be_trained_on_is_named() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    write_games(&folder.path().join("a.fbg"), 2);
    std::fs::write(folder.path().join("b.fbg"), "no games").expect("the folder can be written to");
    for (arguments, named) in [
        (&["missing.fbg", "--out", "a.net"][..], "missing.fbg"),
        (&["b.fbg", "--out", "a.net"], "b.fbg"),
        (&["a.fbg", "--out", "nowhere/a.net"], "nowhere"),
        (&["a.fbg", "--out", "a.net", "--hidden", "48"], "hidden"),
        (&["a.fbg", "--out", "a.net", "--from-ply", "100"], "no positions"),
    ] {
        let run = Command::new(firstborn()).arg("train").args(arguments).current_dir(folder.path()).output();
        let output = run.expect("the binary has just been built");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && errors.contains(named), "{arguments:?}: {errors}");
        assert!(!folder.path().join("a.net").exists());
    }
}
