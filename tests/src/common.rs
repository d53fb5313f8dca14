//! What the tests of several rooms need: a room that may not use this one has the file as a module of its own.

use std::io::Write;
#[cfg(unix)]
use std::path::Path;
#[cfg(unix)]
use std::process::{Command, Stdio};

/// Makes a program of a script, or of the bytes of another program, that can be run at once.
///
/// Another process writes it. What this one has open for writing is open, for a moment, in everything that other
/// threads start meanwhile, and a file that is open for writing cannot be run ("Text file busy").
///
/// # Panics
/// When the file cannot be written.
#[cfg(unix)]
pub fn executable(path: &Path, content: impl AsRef<[u8]>) {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", "cat >\"$1\" && chmod 755 \"$1\"", "sh"]).arg(path).stdin(Stdio::piped());
    let mut writer = command.spawn().expect("every Unix has a shell");
    let mut input = writer.stdin.take().expect("it is piped");
    input.write_all(content.as_ref()).expect("the folder can be written to");
    // The end of the file.
    drop(input);
    let status = writer.wait().expect("it was started");
    assert!(status.success(), "cannot write {}", path.display());
}

/// Says, past the harness's capture, that a test could not be made here.
pub fn skipped(why: &str) {
    // If it cannot be told, the test is skipped all the same.
    let _ = writeln!(std::io::stderr(), "SKIPPED: {}", why.trim());
}
