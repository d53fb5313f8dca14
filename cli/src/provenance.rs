//! What this program is and what it runs on, for every report: see [`sys::provenance`].

use nnue::{Kernel, Network};
use sys::provenance::{Program, Provenance};

/// Of this run: program, machine, date and command line.
pub fn provenance() -> Provenance {
    let words: Vec<String> =
        std::env::args_os().skip(1).map(|word| quoted(&word.to_string_lossy())).collect();
    Provenance::now(program(), Some(format!("firstborn {}", words.join(" ")).trim_end().to_owned()))
}

/// This program.
pub fn program() -> Program {
    let commit = env!("FIRSTBORN_COMMIT");
    Program {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        commit: (!commit.is_empty()).then(|| commit.to_owned()),
        compiler: env!("FIRSTBORN_COMPILER").to_owned(),
        network: format!("{:08x}", Network::embedded().parameters().fingerprint),
        network_kernel: Kernel::best().name().to_owned(),
    }
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=./,:+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}
