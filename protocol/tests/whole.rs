//! Whole sessions through `run`: a stream in, a stream out, threads in between.

use crate::common::{Script, ScriptedBrain, identity};
use protocol::session::{ExitReason, MAX_LINE, run};
use std::io::{Cursor, Error, Write};

/// Runs a session over a text and returns what it printed.
fn session(input: impl Into<Vec<u8>>) -> (ExitReason, String) {
    let mut output = Vec::new();
    let reason = run(
        &identity(),
        None,
        Cursor::new(input.into()),
        &mut output,
        &mut ScriptedBrain(Script::default()),
        &mut |_| (),
    );
    (reason, String::from_utf8(output).unwrap())
}

#[test]
fn perft_counts_by_root_move() {
    // Known counts: chessprogramming.org/Perft_Results, the start position and those numbered 4 and 3.
    let (_, output) = session("go perft 3\n");
    assert!(output.contains("e2e4: 600\n"), "{output}");
    assert!(output.ends_with("\nNodes searched: 8902\n"));
    let fen = "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1";
    let (_, output) = session(format!("position fen {fen}\ngo perft 3\n"));
    assert!(output.ends_with("\nNodes searched: 9467\n"));
    let fen = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1";
    let (_, output) = session(format!("position fen {fen}\ngo perft 5\n"));
    assert!(output.ends_with("\nNodes searched: 674624\n"), "{output}");
    assert!(session("go perft 1\n").1.ends_with("\nNodes searched: 20\n"));
    assert!(session("go perft 0\n").1.ends_with("Nodes searched: 1\n"));
}

#[test]
fn commands_wait_behind_bench() {
    let (reason, output) = session("bench\n");
    assert_eq!(output, "position 1\n77 nodes 7 nps\n");
    assert!(matches!(reason, ExitReason::EndOfInput));
}

#[test]
fn quit_does_not_wait_for_a_count() {
    let (reason, _) = session("go perft 30\nquit\n");
    assert!(matches!(reason, ExitReason::Quit));
}

/// Editors and PowerShell put a byte order mark before the first word; PowerShell writes files in UTF-16.
#[test]
fn a_byte_order_mark_does_not_hide_the_first_word() {
    for input in [
        b"\xef\xbb\xbfuci\nisready\n".as_slice(),
        b"uci\0\nisready\0\n",
        b"\xff\xfeu\0c\0i\0\r\0\n\0i\0s\0r\0e\0a\0d\0y\0\r\0\n\0",
    ] {
        let (_, output) = session(input);
        assert!(output.ends_with("uciok\nreadyok\n"), "{output}");
    }
    let (_, output) = session("\u{feff}xboard\r\nping 1\r\n");
    assert_eq!(output, "pong 1\n");
}

#[test]
fn the_end_of_input_ends_a_search() {
    for input in ["go infinite\n", "go infinite", "uci\ngo ponder wtime 1 btime 1\n"] {
        let (reason, output) = session(input);
        assert!(matches!(reason, ExitReason::EndOfInput));
        assert!(output.ends_with("bestmove a2a3\n"), "{output}");
    }
    let (reason, output) = session("xboard\nanalyze\n");
    assert!(matches!(reason, ExitReason::EndOfInput));
    assert_eq!(output, "");
    assert!(matches!(session("").0, ExitReason::EndOfInput));
}

#[test]
fn quit_ends_either_protocol_in_mid_search() {
    for input in ["uci\ngo infinite\nquit\n", "xboard\nst 100\ngo\nquit\n", "\n\nquit\n"] {
        assert!(matches!(session(input).0, ExitReason::Quit));
    }
}

#[test]
fn enormous_lines_and_bytes_that_are_no_text_are_survived() {
    let mut input = vec![b'x'; 3 * MAX_LINE];
    input.extend_from_slice(b"\n\xff\xfe\x00\nisready\r\nquit\n");
    let (reason, output) = session(input);
    assert!(matches!(reason, ExitReason::Quit));
    assert!(output.ends_with("readyok\n"), "{output}");
}

/// Where the names of files are bytes another file would be meant, and a log written under a new name. What is only
/// told names no file.
#[test]
#[cfg(unix)]
fn the_name_of_a_file_in_latin1_is_refused() {
    const WHY: &str = "not UTF-8, ignored, since the name of a file would change";
    let said = |lines: &[&[u8]]| session(lines.join(&b'\n')).1;
    let told = said(&[
        b"setoption name SyzygyPath value /M\xfcller",
        b"setoption name UCI_Opponent value M\xfcller",
        "setoption name SyzygyPath value /Müller".as_bytes(),
    ]);
    assert_eq!(told, format!("info string line {WHY}\n"));
    let told = said(&[
        b"xboard",
        b"option DebugLogFile=/M\xfcller",
        b"name M\xfcller",
        b"accepted debug",
        b"egtpath syzygy /M\xfcller",
        "egtpath syzygy /Müller".as_bytes(),
    ]);
    assert_eq!(told, format!("Error ({WHY}): option DebugLogFile=/Müller\n# {WHY}\n"));
}

#[test]
fn a_position_after_thousands_of_moves_is_set_up() {
    let moves = "g1f3 g8f6 f3g1 f6g8 ".repeat(1000);
    let (_, output) = session(format!("position startpos moves {moves} e2e4\nd\n"));
    assert!(
        output.contains("Fen: rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 2001"),
        "{output}"
    );
}

/// An output without a reader.
struct Closed;

impl Write for Closed {
    fn write(&mut self, _: &[u8]) -> Result<usize, Error> {
        Err(Error::from(std::io::ErrorKind::BrokenPipe))
    }

    fn flush(&mut self) -> Result<(), Error> {
        Ok(())
    }
}

#[test]
fn a_client_that_does_not_read_ends_the_session() {
    // The input never ends by itself.
    struct Endless;
    impl std::io::Read for Endless {
        fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Error> {
            let line = b"isready\n";
            let used = line.len().min(buffer.len());
            buffer[..used].copy_from_slice(&line[..used]);
            Ok(used)
        }
    }
    let input = std::io::BufReader::new(Endless);
    let reason =
        run(&identity(), None, input, &mut Closed, &mut ScriptedBrain(Script::default()), &mut |_| ());
    assert!(
        matches!(reason, ExitReason::OutputClosed(error) if error.kind() == std::io::ErrorKind::BrokenPipe)
    );
}

#[test]
fn the_debug_log_records_both_directions() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("session.log");
    let log = path.display();
    let (_, output) = session(format!(
        "setoption name Debug Log File value {log}\nisready\nsetoption name Debug Log File value\nisready\n"
    ));
    assert_eq!(output, "readyok\nreadyok\n");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    let words: Vec<&str> = text.lines().map(|line| line.trim_start().split_once(' ').unwrap().1).collect();
    assert_eq!(words, ["< isready", "> readyok", "< setoption name Debug Log File value"]);
    // What is refused changes nothing: the old log goes on.
    let (_, output) = session(format!(
        "setoption name Debug Log File value {log}\nsetoption name Debug Log File value /no-such-folder/log\nisready\n"
    ));
    assert!(output.starts_with("info string cannot write the log /no-such-folder/log: "), "{output}");
    assert!(std::fs::read_to_string(&path).unwrap().ends_with("> readyok\n"));
}
