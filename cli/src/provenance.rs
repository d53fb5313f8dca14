//! What this program is and what it runs on, for every report: see [`sys::provenance`].

use nnue::{Kernel, Network};
use std::sync::LazyLock;
use sys::cpu::compiled_for;
use sys::provenance::{Program, Provenance};

/// What `--version` prints after the name: what the program was made of and for, in one line. Without its network, so
/// that no command waits until that is loaded.
pub static VERSION: LazyLock<String> = LazyLock::new(|| {
    let program = compiled();
    let mut target = vec![std::env::consts::ARCH.to_owned()];
    target.extend(compiled_for());
    let mut facts = vec![program.origin(), target.join(" ")];
    let features = env!("FIRSTBORN_FEATURES");
    if !features.is_empty() {
        facts.push(format!("features {features}"));
    }
    format!("{} ({})", program.version, facts.join(", "))
});

/// Of this run: program, machine, date and command line.
pub fn provenance() -> Provenance {
    let words: Vec<String> =
        std::env::args_os().skip(1).map(|word| quoted(&word.to_string_lossy())).collect();
    Provenance::now(program(), Some(format!("firstborn {}", words.join(" ")).trim_end().to_owned()))
}

/// The same of a run that evaluates by this network, or by the hand-crafted evaluation.
pub fn evaluated_by(network: Option<&Network>) -> Provenance {
    let mut provenance = provenance();
    match network {
        Some(network) => provenance.program.network = fingerprint(network),
        None => {
            provenance.program.network = "classic".to_owned();
            provenance.program.network_kernel.clear();
        }
    }
    provenance
}

/// What a network is called in reports.
pub fn fingerprint(network: &Network) -> String {
    format!("{:08x}", network.parameters().fingerprint)
}

/// This program.
pub fn program() -> Program {
    Program {
        network: fingerprint(&Network::embedded()),
        network_kernel: Kernel::best().name().to_owned(),
        ..compiled()
    }
}

/// What is known of this program without its network.
fn compiled() -> Program {
    let commit = env!("FIRSTBORN_COMMIT");
    Program {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        commit: (!commit.is_empty()).then(|| commit.to_owned()),
        compiler: env!("FIRSTBORN_COMPILER").to_owned(),
        ..Program::default()
    }
}

/// A word as a shell reads it.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=./,:+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// A shell gives every word back as it was, and words that any shell takes as they are stay so.
    #[test]
    fn a_shell_reads_what_was_meant() {
        let words =
            ["plain", "two words", "", "it's", "$HOME", "`id`", "*", "~", "a;b", r#"a\b"c"#, "é", "a\tb"];
        let line = words.map(quoted).join(" ");
        let mut shell = std::process::Command::new("sh");
        let output = shell.arg("-c").arg(format!(r"printf '<%s>\n' {line}")).output().unwrap();
        let read = words.map(|word| format!("<{word}>\n")).concat();
        assert_eq!(String::from_utf8(output.stdout).unwrap(), read);
        let plain = "--each=./a-b_c,d:e+f@g%";
        assert_eq!(quoted(plain), plain);
    }
}
