//! Where a figure comes from: the program, the machine, the day.
//!
//! One value that the binary fills in once and every report prints: at its end, in its JSON document, in the
//! comment lines of its CSV files. A figure that lacks it cannot be measured again.

use std::fmt;
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use crate::cpu::Machine;

/// Seconds from 1970 to the first year that does not fit the date's format.
pub const YEAR_10000: u64 = 253_402_300_800;

/// The variable that names another moment than now, in seconds from 1970, for tests whose output is to be the same each
/// time. Not `SOURCE_DATE_EPOCH`: build environments set that one, and it must not date what is measured in them.
pub const MOMENT: &str = "FIRSTBORN_DATE";

/// What is known of the program when it is compiled.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// Its version.
    pub version: String,
    /// The commit it was built from, with `-dirty` after it if the sources were changed; `None` outside a
    /// repository.
    pub commit: Option<String>,
    /// The compiler.
    pub compiler: String,
    /// The network it evaluates by, unless told otherwise.
    pub network: String,
    /// The vector instructions that the network uses on this processor, found when the program runs; empty where it
    /// uses no network.
    pub network_kernel: String,
}

/// Where a figure comes from. `Display` is one line, [`Provenance::lines`] are the same facts one by one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// The program.
    pub program: Program,
    /// The machine it ran on.
    pub machine: Machine,
    /// When, in UTC: `2026-11-26T08:00:00Z`.
    pub date: String,
    /// The command line, if it is known.
    pub command: Option<String>,
}

impl Provenance {
    /// Of this program, on this machine, now. [`MOMENT`] in the environment stands for now.
    pub fn now(program: Program, command: Option<String>) -> Self {
        Self { program, machine: Machine::detect(), date: date(std::env::var(MOMENT).ok()), command }
    }

    /// Name and value of every fact.
    pub fn lines(&self) -> Vec<(String, String)> {
        let mut lines = vec![("program", self.program.to_string())];
        lines.extend(self.command.clone().map(|command| ("command", command)));
        lines.push(("date", self.date.clone()));
        lines.push(("machine", self.machine.to_string()));
        lines.push(("network", self.program.evaluation(", computed by ")));
        lines.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }
}

impl fmt::Display for Provenance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { program, machine, date, .. } = self;
        write!(f, "{program}, network {}, on {machine}, {date}", program.evaluation(" by "))
    }
}

impl Program {
    /// What it was made of, such as "commit 0123456789ab, rustc 1.95.0".
    pub fn origin(&self) -> String {
        format!("commit {}, {}", self.commit.as_deref().unwrap_or("unknown"), self.compiler)
    }

    /// The network and what it is computed by, if it is.
    fn evaluation(&self, by: &str) -> String {
        let Self { network, network_kernel, .. } = self;
        if network_kernel.is_empty() { network.clone() } else { format!("{network}{by}{network_kernel}") }
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Firstborn {} ({})", self.version, self.origin())
    }
}

fn date(epoch: Option<String>) -> String {
    let told: Option<u64> = epoch.and_then(|seconds| seconds.trim().parse().ok());
    let moment = match told.filter(|&seconds| seconds < YEAR_10000) {
        Some(seconds) => SystemTime::UNIX_EPOCH + Duration::from_secs(seconds),
        None => SystemTime::now(),
    };
    humantime::format_rfc3339_seconds(moment).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_date_is_that_of_the_calendar() {
        // As `date -u -d @N +%FT%TZ` has them.
        for (epoch, wanted) in [
            ("0", "1970-01-01T00:00:00Z"),
            ("951782400", "2000-02-29T00:00:00Z"),
            ("253402300799", "9999-12-31T23:59:59Z"),
        ] {
            assert_eq!(date(Some(epoch.into())), wanted);
        }
        for nonsense in [
            None,
            Some("-1".into()),
            Some("soon".into()),
            Some("253402300800".into()),
            Some(u64::MAX.to_string()),
        ] {
            let now = date(nonsense);
            assert!(now.len() == 20 && now.ends_with('Z') && now.as_str() > "2026", "{now}");
        }
    }

    #[test]
    fn every_form_holds_every_fact() {
        let program = Program {
            version: "1.2".into(),
            commit: Some("abc".into()),
            compiler: "rustc 9".into(),
            network: "beef".into(),
            network_kernel: "AVX2".into(),
        };
        let made = Provenance::now(program, Some("firstborn x".into()));
        let model = made.machine.processor();
        let lines: Vec<String> = made.lines().into_iter().map(|(_, value)| value).collect();
        for text in [made.to_string(), lines.join("\n")] {
            for fact in ["1.2", "abc", "rustc 9", "beef", "AVX2", model, &made.date] {
                assert!(text.contains(fact), "{fact} in {text}");
            }
        }
        assert!(lines.contains(&"firstborn x".to_owned()), "{lines:?}");
    }

    #[test]
    fn what_no_network_computes_is_computed_by_none() {
        let program = Program { network: "classic".into(), ..Program::default() };
        let made = Provenance::now(program, None);
        assert!(made.to_string().contains(", network classic, on "), "{made}");
        assert!(made.lines().contains(&("network".to_owned(), "classic".to_owned())), "{:?}", made.lines());
    }
}
