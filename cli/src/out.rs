//! Standard output that may be closed at any moment.

use std::fmt::Arguments;
use std::io::{ErrorKind, Write, stdout};
use std::process::exit;

/// Prints a line. A closed pipe ends the program quietly, as it does other tools; any other failure ends it
/// with an error, so that the output is not taken for complete.
pub fn line(text: Arguments<'_>) {
    if let Err(error) = writeln!(stdout().lock(), "{text}") {
        if error.kind() == ErrorKind::BrokenPipe {
            exit(0);
        }
        eprintln!("firstborn: cannot write to standard output: {error}");
        exit(1);
    }
}
