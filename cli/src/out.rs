//! Standard output and standard error, which may be closed at any moment.

use std::fmt::Arguments;
use std::io::{ErrorKind, Write, stderr, stdout};
use std::process::exit;

/// Exit status where standard output was closed: that of a program that SIGPIPE ends, as it ends most tools.
const CLOSED: i32 = 128 + 13;

/// Prints a line. A closed pipe ends the program quietly, but not as if all were done; any other failure ends it
/// with an error, so that the output is not taken for complete.
pub fn line(text: Arguments<'_>) {
    if let Err(error) = writeln!(stdout().lock(), "{text}") {
        if error.kind() == ErrorKind::BrokenPipe {
            exit(CLOSED);
        }
        eprintln!("firstborn: cannot write to standard output: {error}");
        exit(1);
    }
}

/// Prints a line of what a long work has come to, and ignores that it cannot be written: what is to be kept of the
/// work is still to come, and who closed the pipe does not want to know.
pub fn news(text: Arguments<'_>) {
    let _ = writeln!(stdout().lock(), "{text}");
}

/// Prints a line on standard error, and ignores that it cannot be written.
pub fn complain(text: Arguments<'_>) {
    let _ = writeln!(stderr().lock(), "{text}");
}
