//! What OpenBench asks of an engine: lines of UCI as program arguments, `genfens`, and a build around another network.

use assert_cmd::Command;
use shakmaty::{CastlingMode, Chess, fen::Fen};
use std::collections::HashSet;
use std::path::Path;
use tests::{firstborn, workspace};

/// What a successful run prints.
fn said(arguments: &[&str]) -> Vec<String> {
    let assert = Command::new(firstborn()).args(arguments).assert().success();
    let text = String::from_utf8(assert.get_output().stdout.clone()).expect("the program prints text");
    text.lines().map(String::from).collect()
}

/// The FENs that a run with these arguments prints.
fn fens(arguments: &[&str]) -> Vec<String> {
    let lines = said(arguments);
    lines.iter().filter_map(|line| Some(line.strip_prefix("info string genfens ")?.to_string())).collect()
}

#[test]
fn lines_of_uci_may_be_arguments() {
    let lines = said(&["position fen 8/8/4k3/3p4/3P4/4K3/8/8 w - - 0 1", "d", "isready", "quit"]);
    assert!(lines.iter().any(|line| line.starts_with("Fen: 8/8/4k3/3p4/3P4/4K3/8/8 w")), "{lines:?}");
    assert_eq!(lines.last().map(String::as_str), Some("readyok"));
    assert_eq!(said(&["isready"]), ["readyok"], "the end of the arguments is the end of the input");
    // Our own commands stay what they are.
    let errors = Command::new(firstborn()).args(["no-such-command"]).assert().failure();
    assert!(String::from_utf8_lossy(&errors.get_output().stderr).contains("no-such-command"));
}

/// Who gives lines beforehand cannot wait for the move, so the next line does.
#[test]
fn a_search_ends_before_the_next_argument_counts() {
    let lines = said(&["position startpos moves e2e4", "go depth 7", "go nodes 30000", "d", "quit"]);
    let moves: Vec<usize> = (0..lines.len()).filter(|&line| lines[line].starts_with("bestmove ")).collect();
    assert_eq!(moves.len(), 2, "{lines:?}");
    assert!(lines[..moves[0]].iter().any(|line| line.starts_with("info depth 7 ")), "{lines:?}");
    let nodes = |line: &String| line.split_once(" nodes ")?.1.split(' ').next()?.parse::<u64>().ok();
    let most = lines[moves[0]..moves[1]].iter().filter_map(nodes).max();
    assert!(most.is_some_and(|nodes| nodes > 10_000), "{lines:?}");
    assert!(lines[moves[1]..].iter().any(|line| line.starts_with("Fen: ")), "{lines:?}");
    let last = said(&["go depth 3"]);
    assert!(last.last().is_some_and(|line| line.starts_with("bestmove ")), "{last:?}");
    // What has no end of its own is not waited for.
    assert_eq!(said(&["go infinite", "quit"]).iter().filter(|line| line.starts_with("bestmove")).count(), 0);
    let ended = said(&["go infinite", "stop", "isready"]);
    assert!(ended.iter().any(|line| line.starts_with("bestmove ")), "{ended:?}");
}

#[test]
fn genfens_prints_start_positions() {
    let ask = |line: &str| fens(&[line, "quit"]);
    let positions = ask("genfens 12 seed 7 book None");
    let different: HashSet<&String> = positions.iter().collect();
    assert_eq!((positions.len(), different.len()), (12, 12));
    for fen in &positions {
        let read: Fen = fen.parse().expect("it is a FEN");
        read.into_position::<Chess>(CastlingMode::Standard).unwrap_or_else(|error| panic!("{fen}: {error}"));
    }
    assert_eq!(ask("genfens 12 seed 7 book None"), positions, "the same for the same seed");
    assert!(ask("genfens 12 seed 8 book None").iter().all(|fen| !different.contains(fen)));
    assert!(ask("genfens 0 seed 7 book None").is_empty());

    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let book = folder.path().join("book.epd");
    let kings = "4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - -";
    std::fs::write(&book, format!("{kings}\n{kings} 0 1\n")).expect("the folder can be written to");
    let from_book = ask(&format!("genfens 5 seed 7 book {}", book.display()));
    assert_eq!(from_book.len(), 5);
    assert!(from_book.iter().all(|fen| !fen.split(' ').next().unwrap_or(fen).contains(['Q', 'q', 'N', 'n'])));

    // The network that the lines before ask for decides which positions are open.
    let failed = Command::new(firstborn())
        .args(["setoption name EvalFile value /no/such.net", "genfens 1 seed 7 book None"])
        .assert()
        .failure();
    assert!(String::from_utf8_lossy(&failed.get_output().stderr).contains("/no/such.net"));
    let zeros = folder.path().join("zeros.net");
    std::fs::write(&zeros, network_of_zeros()).expect("the folder can be written to");
    let zeros = format!("setoption name EvalFile value {}", zeros.display());
    let with = |lines: &[&str]| fens(&[lines, &["genfens 60 seed 7 book None", "quit"]].concat());
    let own = with(&[]);
    assert_ne!(with(&[&zeros]), own, "it finds every position level");
    // No name is the program's own network, as in a session.
    assert_eq!(with(&["setoption name EvalFile value <empty>"]), own);
    assert_eq!(with(&[&zeros, "setoption name EvalFile"]), own);

    // Mate: no game begins there, whatever is tried.
    let over = folder.path().join("over.epd");
    std::fs::write(&over, "7k/5KQ1/8/8/8/8/8/8 b - -\n").expect("the folder can be written to");
    std::fs::write(&book, format!("{kings}\nnonsense\n")).expect("the folder can be written to");
    for (line, named) in [
        (format!("genfens 5 seed 7 book {}", book.display()), "book.epd: line 2"),
        ("genfens 5 seed 7 book /no/such.epd".into(), "/no/such.epd"),
        (format!("genfens 5 seed 7 book {}", over.display()), "over.epd: found 0 of the 5"),
        ("genfens x seed 7 book None".into(), "'x'"),
    ] {
        let failed = Command::new(firstborn()).args([&line, "quit"]).assert().failure();
        let errors = String::from_utf8_lossy(&failed.get_output().stderr).into_owned();
        assert!(errors.contains(named) && !errors.contains("panicked"), "{line}: {errors}");
    }
}

/// The project's own network with all weights 0.
fn network_of_zeros() -> Vec<u8> {
    let mut bytes = std::fs::read(workspace().join("nnue/networks/gen7.net")).expect("it is in the project");
    let content = bytes.len() - 4;
    // The length of the description, and the weights behind it.
    let described = u32::from_le_bytes(bytes[24..28].try_into().expect("these are four bytes"));
    bytes[28 + described as usize..content].fill(0);
    let checksum = crc32fast::hash(&bytes[..content]).to_le_bytes();
    bytes[content..].copy_from_slice(&checksum);
    bytes
}

/// The command that `make` would run.
#[test]
fn make_hands_the_network_to_the_build() {
    let make = |arguments: &[&str]| {
        let run = Command::new("make").arg("-n").args(arguments).current_dir(workspace()).assert().success();
        String::from_utf8_lossy(&run.get_output().stdout).into_owned()
    };
    assert!(make(&["EXE=x", "EVALFILE=/some/net"]).contains("FIRSTBORN_EVALFILE=\"/some/net\""));
    let relative = format!("FIRSTBORN_EVALFILE=\"{}/a.net\"", workspace().display());
    assert!(make(&["EVALFILE=a.net"]).contains(&relative));
    assert!(make(&["EXE=x"]).contains("FIRSTBORN_EVALFILE=\"\""));
}

/// Builds the network's room around a network, and reads the library; or the errors.
fn build_around(network: &Path) -> Result<Vec<u8>, String> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_string());
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("around");
    let run = std::process::Command::new(cargo)
        .args(["build", "--quiet", "--offline", "--package", "nnue", "--lib", "--target-dir"])
        .arg(&target)
        .env("FIRSTBORN_EVALFILE", network)
        // What is built is looked at and never run.
        .env("CARGO_PROFILE_DEV_OPT_LEVEL", "0")
        .current_dir(workspace())
        .output()
        .expect("cargo runs this test, so it can be started");
    if !run.status.success() {
        return Err(String::from_utf8_lossy(&run.stderr).into_owned());
    }
    Ok(std::fs::read(target.join("debug/libnnue.rlib")).expect("it has just been built"))
}

#[test]
fn a_build_around_a_network_carries_that_network() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let file = folder.path().join("other.net");
    // The project's own under another fingerprint, which stands in bytes 20 to 23.
    let own = std::fs::read(workspace().join("nnue/networks/gen7.net")).expect("it is part of the project");
    let mut other = own.clone();
    other[20..24].copy_from_slice(&0x0bad_cafe_u32.to_le_bytes());
    let content = other.len() - 4;
    let checksum = crc32fast::hash(&other[..content]).to_le_bytes();
    std::fs::write(&file, &other).expect("the folder can be written to");
    let errors = build_around(&file).expect_err("the checksum is wrong");
    assert!(errors.contains("other.net") && errors.contains("checksum"), "{errors}");
    other[content..].copy_from_slice(&checksum);
    std::fs::write(&file, &other).expect("the folder can be written to");
    let library = build_around(&file).expect("the network is whole");
    let carries = |network: &[u8]| library.windows(64).any(|bytes| bytes == &network[..64]);
    assert!(carries(&other) && !carries(&own));
    let errors = build_around(&folder.path().join("none.net")).expect_err("there is no such file");
    assert!(errors.contains("none.net"), "{errors}");
}
