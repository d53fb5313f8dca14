//! What the whole-program tests share: the built binary, programs that end with their test, and a dialogue with a
//! running engine.
//!
//! A test holds a dialogue as a client would: it writes lines and waits for lines. Nothing is timed; the one time-out
//! ([`PATIENCE`]) only turns a hang into a failure that shows what was said until then.
#![forbid(unsafe_code)]

mod common;
mod dialogue;
mod running;

#[cfg(unix)]
pub use common::executable;
pub use common::skipped;
pub use dialogue::{Dialogue, Ending, PATIENCE};
pub use running::Running;

use cargo_metadata::Message;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::Instant;

/// The `firstborn` binary: the file that the variable `FIRSTBORN_BINARY` names, if it is set, otherwise built in the
/// profile of the running test. Cargo does that work, and none if it is up to date.
///
/// # Panics
/// When the build fails, or the file is not there.
pub fn firstborn() -> &'static Path {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(build)
}

/// The root of the workspace.
pub fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("this room lies inside the workspace")
}

/// The file of the project's own network, the one that `nnue/build.rs` embeds unless it is told of another.
///
/// # Panics
/// When that file names none, or one that is not there.
pub fn own_network() -> PathBuf {
    let script = std::fs::read_to_string(workspace().join("nnue/build.rs")).expect("it is there");
    let name = script.lines().find_map(|line| line.strip_prefix("const OWN: &str = \"")?.strip_suffix("\";"));
    let file = workspace().join("nnue").join(name.expect("it names the project's own network"));
    assert!(file.is_file(), "there is no file {}", file.display());
    file
}

fn build() -> PathBuf {
    if let Some(given) = std::env::var_os("FIRSTBORN_BINARY") {
        let given = workspace().join(&given);
        assert!(given.is_file(), "there is no file {given:?}");
        return given;
    }
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_string());
    let profile = if cfg!(debug_assertions) { "dev" } else { "release" };
    let mut child = Command::new(cargo)
        .args(["build", "--package", "firstborn", "--profile", profile, "--message-format", "json"])
        .current_dir(workspace())
        .stdout(Stdio::piped())
        .spawn()
        .expect("cargo runs this test, so it can be started");
    let output = BufReader::new(child.stdout.take().expect("it is piped"));
    let built = Message::parse_stream(output).filter_map(|message| match message {
        Ok(Message::CompilerArtifact(artifact)) if artifact.target.name == "firstborn" => artifact.executable,
        _ => None,
    });
    let binary = built.last();
    let status = child.wait().expect("it was started");
    assert!(status.success(), "building firstborn failed");
    binary.expect("a successful build names its executable").into()
}

/// The words of a command line. A name that stands for a path, which it is given with, leaves that one word: a path may
/// have blanks.
pub fn words(line: &str, paths: &[(&str, &Path)]) -> Vec<String> {
    let filled = |word: &str| {
        paths.iter().fold(word.to_owned(), |word, &(name, path)| word.replace(name, &path.to_string_lossy()))
    };
    line.split_whitespace().map(filled).collect()
}

/// An output without a reader, as that of `firstborn ... | head -1`.
///
/// It is a connection that has been shut down, not a pipe: what reads a pipe in this process is open, for a moment, in
/// everything that other threads start meanwhile, and would be a reader.
///
/// # Panics
/// When the system has no more files to give.
#[cfg(unix)]
pub fn unheard() -> Stdio {
    use std::os::{fd::OwnedFd, unix::net::UnixStream};
    let (output, reader) = UnixStream::pair().expect("a pair of files can be opened");
    reader.shutdown(std::net::Shutdown::Both).expect("it is connected");
    OwnedFd::from(output).into()
}

/// An output without a reader.
///
/// # Panics
/// When the system has no more files to give.
#[cfg(not(unix))]
pub fn unheard() -> Stdio {
    let (reader, output) = std::io::pipe().expect("a pipe can be opened");
    drop(reader);
    output.into()
}

/// Waits until it is so. A fault ends in a failed test, not in one that hangs.
///
/// # Panics
/// After [`PATIENCE`].
pub fn wait_until(what: &str, mut done: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !done() {
        assert!(begun.elapsed() < PATIENCE, "never: {what}");
        std::thread::yield_now();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_one_word_whatever_it_has() {
        let (program, folder) = (Path::new("/my checkout/firstborn"), Path::new("/a folder"));
        let paths = [("FIRSTBORN", program), ("FOLDER", folder)];
        assert_eq!(
            words("tournament  cmd=FIRSTBORN\n name=A --pgn FOLDER/g.pgn", &paths),
            ["tournament", "cmd=/my checkout/firstborn", "name=A", "--pgn", "/a folder/g.pgn"]
        );
    }

    /// A shell cannot write there, whatever other tests start meanwhile.
    #[cfg(unix)]
    #[test]
    fn an_output_without_a_reader_cannot_be_written_to() {
        let mut shell = Command::new("/bin/sh");
        let status = shell.args(["-c", "echo word"]).stdout(unheard()).stderr(Stdio::null()).status();
        assert!(!status.expect("every Unix has a shell").success());
    }
}
