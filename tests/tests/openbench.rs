//! What OpenBench asks of an engine: lines of UCI as program arguments, `genfens`, and a build around another network.

use assert_cmd::Command;
use shakmaty::{CastlingMode, Chess, fen::Fen};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use tests::{firstborn, own_network, workspace};

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
    // People write a line without quotation marks.
    let split = said(&["go", "depth", "3"]);
    assert!(split.iter().any(|line| line.starts_with("info depth 3 ")), "{split:?}");
    assert!(split.last().is_some_and(|line| line.starts_with("bestmove ")), "{split:?}");
    assert_eq!(said(&["isready", "isready", "quit"]), ["readyok", "readyok"], "words that are lines");
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
    for endless in [&["go mate 1"][..], &["go ponder", "ponderhit"]] {
        let lines = said(&[endless, &["isready", "quit"]].concat());
        assert_eq!(lines.last().map(String::as_str), Some("readyok"), "{endless:?}");
    }
    let mate = "position fen r1bq2rk/pp3pbp/2p1p1pQ/7P/3P4/2PB1N2/PP3PPR/2KR4 w - - 0 1";
    let found = said(&[mate, "go mate 2", "quit"]);
    assert!(found.last().is_some_and(|line| line.starts_with("bestmove h6h7")), "{found:?}");
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
    let mut bytes = std::fs::read(own_network()).expect("it is there");
    let content = bytes.len() - 4;
    // The length of the description, and the weights behind it.
    let described = u32::from_le_bytes(bytes[24..28].try_into().expect("these are four bytes"));
    bytes[28 + described as usize..content].fill(0);
    let checksum = crc32fast::hash(&bytes[..content]).to_le_bytes();
    bytes[content..].copy_from_slice(&checksum);
    bytes
}

/// A project of the Makefile alone, built by a cargo that makes a program of what it is told of the network: the file's
/// name and what tells its content. As a program that describes itself it does nothing.
#[cfg(unix)]
fn project(folder: &Path) {
    let write = |name: &str, text: &str| tests::executable(&folder.join(name), text);
    write("Makefile", &std::fs::read_to_string(workspace().join("Makefile")).expect("it is in the project"));
    write("program", "#!/bin/sh\nexit 0\n");
    write(
        "cargo",
        "#!/bin/sh\nmkdir -p target/native/release\ncp program target/native/release/firstborn\n\
         printf '#%s\\n' \"$FIRSTBORN_EVALFILE\" \"$FIRSTBORN_EVALFILE_CHECKSUM\" >> target/native/release/firstborn\n",
    );
}

/// Runs `make` with the project's own cargo.
#[cfg(unix)]
fn make(folder: &Path, arguments: &[&str], environment: &[(&str, &str)]) {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let with_ours = std::iter::once(folder.to_owned()).chain(std::env::split_paths(&path));
    Command::new("make")
        .args(arguments)
        .current_dir(folder)
        .env("PATH", std::env::join_paths(with_ours).expect("the folder's name has no colon"))
        .env_remove("EVALFILE")
        .env_remove("FIRSTBORN_EVALFILE")
        // What a `make` that runs the tests was given.
        .env_remove("MAKEFLAGS")
        .envs(environment.iter().copied())
        .assert()
        .success();
}

/// What the program that `make` has left was built around.
#[cfg(unix)]
fn around(program: &Path) -> [String; 2] {
    let text = std::fs::read_to_string(program).expect("make has left it");
    let told: Vec<_> =
        text.lines().filter_map(|line| line.strip_prefix('#')).skip(1).map(String::from).collect();
    told.try_into().expect("the name and the checksum")
}

#[cfg(unix)]
#[test]
fn make_hands_the_network_to_the_build() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let folder = folder.path().canonicalize().expect("it is there");
    project(&folder);
    let relative = folder.join("a.net").display().to_string();
    let variable = "FIRSTBORN_EVALFILE";
    for (arguments, environment, name) in [
        (&["EVALFILE=/some/net"][..], &[][..], "/some/net"),
        (&["EVALFILE=a.net"], &[], &relative),
        (&[], &[("EVALFILE", "a.net")], &relative),
        (&[], &[], ""),
        (&[], &[(variable, "/some/net")], "/some/net"),
        (&["EVALFILE=a.net"], &[(variable, "/some/net")], &relative),
        (&["EVALFILE="], &[(variable, "/some/net")], ""),
        (&["EVALFILE=/some other/net $$1"], &[], "/some other/net $1"),
    ] {
        make(&folder, &[&["EXE=x y"], arguments].concat(), environment);
        assert_eq!(around(&folder.join("x y")), [name, ""], "{arguments:?} {environment:?}");
    }
}

/// A file that is put in another's place may be older than the last build.
#[cfg(unix)]
#[test]
fn make_tells_the_content_of_a_network() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let folder = folder.path().canonicalize().expect("it is there");
    project(&folder);
    let network = folder.join("a b.net");
    let checksum = |content: &[u8]| {
        write_long_ago(&network, content);
        make(&folder, &["EVALFILE=a b.net"], &[]);
        let [name, checksum] = around(&folder.join("firstborn"));
        assert_eq!(Path::new(&name), network);
        checksum
    };
    // Both end with the checksum of what stands before it.
    let own = std::fs::read(own_network()).expect("it is there");
    let [first, other] = [checksum(&own), checksum(&under_another_fingerprint(1))];
    assert!(!first.is_empty() && first != other, "{first}");
    assert_eq!(checksum(&own), first);
}

#[cfg(unix)]
#[test]
fn make_installs_what_it_has_built_under_any_name() {
    let hall = tempfile::tempdir().expect("a temporary folder can be made");
    let folder = installable(&hall);
    for name in ["x y", "program of another name/x"] {
        std::fs::create_dir_all(folder.join("program of another name"))
            .expect("the folder can be written to");
        let root = folder.join("root").join(name.replace('/', "-"));
        let prefix = format!("PREFIX={}", root.display());
        make(&folder, &["install", &format!("EXE={name}"), &prefix], &[]);
        assert_eq!(around(&root.join("games/firstborn")), ["", ""], "{name}");
        assert!(root.join("share/man/man6/firstborn.6").is_file(), "{name}");
    }
}

/// A project that can be installed: its program writes a manual page, and to its output what it is asked for.
#[cfg(unix)]
fn installable(hall: &tempfile::TempDir) -> PathBuf {
    let folder = hall.path().canonicalize().expect("it is there");
    project(&folder);
    let copied =
        std::process::Command::new("cp").arg("-R").arg(workspace().join("packaging")).arg(&folder).status();
    assert!(copied.is_ok_and(|status| status.success()));
    let script =
        "#!/bin/sh\nif [ \"$1\" = man ]; then mkdir -p \"$3\"; exec > \"$3/firstborn.6\"; fi\necho \"$*\"\n";
    tests::executable(&folder.join("program"), script);
    folder
}

/// As root installs what a user has built: without cargo, and leaving nothing in the user's folders.
#[cfg(unix)]
#[test]
fn make_installs_without_cargo_what_was_built() {
    let hall = tempfile::tempdir().expect("a temporary folder can be made");
    let folder = installable(&hall);
    make(&folder, &["EVALFILE=/some/net"], &[]);
    std::fs::remove_dir_all(folder.join("target")).expect("the build has made it");
    tests::executable(&folder.join("cargo"), "#!/bin/sh\nexit 1\n");
    let temporary = folder.join("temporary");
    std::fs::create_dir(&temporary).expect("the folder can be written to");
    let root = folder.join("a root");
    let destination = format!("DESTDIR={}", root.display());
    let temporary_name = temporary.to_str().expect("its name is text");
    make(&folder, &["install", "PREFIX=/usr", &destination], &[("TMPDIR", temporary_name)]);
    assert_eq!(around(&root.join("usr/games/firstborn")), ["/some/net", ""]);
    let installed = |name: &str| std::fs::read_to_string(root.join("usr/share").join(name)).expect(name);
    assert!(installed("man/man6/firstborn.6").starts_with("man --out "));
    for (name, shell) in [
        ("bash-completion/completions/firstborn", "bash"),
        ("zsh/site-functions/_firstborn", "zsh"),
        ("fish/vendor_completions.d/firstborn.fish", "fish"),
    ] {
        assert_eq!(installed(name), format!("completions {shell}\n"));
    }
    assert!(!folder.join("target").exists());
    let left = std::fs::read_dir(&temporary).expect("it is there").count();
    assert_eq!(left, 0, "what was written on the way is gone");
}

/// Writes a file that counts as older than whatever was built before.
fn write_long_ago(path: &Path, content: &[u8]) {
    std::fs::write(path, content).expect("the folder can be written to");
    let file = std::fs::File::options().write(true).open(path).expect("it has just been written");
    file.set_modified(std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000))
        .expect("it is ours");
}

/// The project's own network under another fingerprint, which stands in bytes 20 to 23.
fn under_another_fingerprint(fingerprint: u32) -> Vec<u8> {
    let mut bytes = std::fs::read(own_network()).expect("it is there");
    bytes[20..24].copy_from_slice(&fingerprint.to_le_bytes());
    let content = bytes.len() - 4;
    let checksum = crc32fast::hash(&bytes[..content]).to_le_bytes();
    bytes[content..].copy_from_slice(&checksum);
    bytes
}

/// Builds the network's room around a network, of which `make` tells the checksum, and reads the library; or the
/// errors.
fn build_around(network: &Path, checksum: &str) -> Result<Vec<u8>, String> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_string());
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("around");
    let run = std::process::Command::new(cargo)
        .args(["build", "--quiet", "--offline", "--package", "nnue", "--lib", "--target-dir"])
        .arg(&target)
        .env("FIRSTBORN_EVALFILE", network)
        .env("FIRSTBORN_EVALFILE_CHECKSUM", checksum)
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
    let own = std::fs::read(own_network()).expect("it is there");
    let other = under_another_fingerprint(0x0bad_cafe);
    let mut damaged = other.clone();
    *damaged.last_mut().expect("it has an end") ^= 1;
    std::fs::write(&file, damaged).expect("the folder can be written to");
    let errors = build_around(&file, "1").expect_err("the checksum is wrong");
    assert!(errors.contains("other.net") && errors.contains("checksum"), "{errors}");
    std::fs::write(&file, &other).expect("the folder can be written to");
    let carries = |library: &[u8], network: &[u8]| library.windows(64).any(|bytes| bytes == &network[..64]);
    let library = build_around(&file, "2").expect("the network is whole");
    assert!(carries(&library, &other) && !carries(&library, &own));
    // Another one in its place, which is older than what has been built.
    write_long_ago(&file, &own);
    let library = build_around(&file, "3").expect("the network is whole");
    assert!(carries(&library, &own) && !carries(&library, &other));
    let errors = build_around(&folder.path().join("none.net"), "").expect_err("there is no such file");
    assert!(errors.contains("none.net"), "{errors}");
}
