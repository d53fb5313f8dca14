//! From games to a network that plays: `firstborn train`, killed in between, and the options that load the result.

#[path = "../../training/tests/random_games/mod.rs"]
mod random_games;

use rand::{SeedableRng, rngs::SmallRng};
use random_games::write_games;
use std::process::Command;
use tests::{Dialogue, firstborn};

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
    write_games(&folder.path().join("a.fbg"), 1, 2, &mut SmallRng::seed_from_u64(3));
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
