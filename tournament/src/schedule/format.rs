//! The formats of a tournament and their names on the command line.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// How the field is paired.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// Everybody meets everybody; with two players this is a match.
    RoundRobin,
    /// The first players (as many as given) meet all others.
    Gauntlet(usize),
    /// This many stages, in each of which players of nearly equal points meet; 0 for as many as a knockout would need
    /// plus two.
    Swiss(usize),
    /// Who loses is out.
    Knockout,
}

/// Reads `round-robin`, `gauntlet[:SEEDS]`, `swiss[:STAGES]`, `knockout`.
impl FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let bad = |why: &str| format!("tournament format `{text}`: {why}");
        let (word, number) = match text.split_once(':') {
            None => (text, None),
            Some((word, "")) if !word.is_empty() => return Err(bad("a number is missing after the colon")),
            Some((word, number)) => match number.parse::<usize>() {
                Ok(0) => return Err(bad("the number after the colon must be at least 1")),
                Ok(number) => (word, Some(number)),
                Err(_) => return Err(bad(&format!("`{number}` after the colon is not a number"))),
            },
        };
        match (word.to_ascii_lowercase().as_str(), number) {
            ("round-robin" | "roundrobin" | "match", None) => Ok(Self::RoundRobin),
            ("gauntlet", n) => Ok(Self::Gauntlet(n.unwrap_or(1))),
            ("swiss", n) => Ok(Self::Swiss(n.unwrap_or(0))),
            ("knockout", None) => Ok(Self::Knockout),
            _ => Err(format!(
                "unknown tournament format `{text}`; known are match, round-robin, gauntlet[:SEEDS], swiss[:STAGES], knockout"
            )),
        }
    }
}

impl Format {
    /// Whether so many players can be paired so.
    ///
    /// # Errors
    /// They cannot, and why.
    pub fn check(self, players: usize) -> Result<(), String> {
        let most = players.saturating_sub(1);
        match self {
            Self::Swiss(stages) if stages > most => {
                Err(format!("swiss:{stages}: {players} players can meet others in at most {most} stages"))
            }
            Self::Gauntlet(seeds) if seeds > most => {
                Err(format!("gauntlet:{seeds}: of {players} players at most {most} can meet all others"))
            }
            _ => Ok(()),
        }
    }

    /// How many meetings a round of so many players has at most; of a Swiss and a knockout, a stage.
    #[must_use]
    pub fn meetings(self, players: usize) -> usize {
        match self {
            Self::RoundRobin => players * players.saturating_sub(1) / 2,
            Self::Gauntlet(seeds) => seeds * players.saturating_sub(seeds),
            Self::Swiss(_) | Self::Knockout => players / 2,
        }
    }
}

/// When the next opening is taken. Both games of an encounter always have the same one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Policy {
    /// For every round: all encounters of a repetition of the plan, or of a stage, have the same opening.
    #[default]
    Round,
    /// For every encounter.
    Default,
    /// Whenever other players meet: two that meet again at once keep their opening.
    Encounter,
}

/// Reads `round`, `default` or `encounter`.
impl FromStr for Policy {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.to_ascii_lowercase().as_str() {
            "round" => Ok(Self::Round),
            "default" => Ok(Self::Default),
            "encounter" => Ok(Self::Encounter),
            _ => Err(format!("unknown opening policy `{text}`; known are round, default, encounter")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_that_the_field_is_too_small_for_is_refused() {
        assert!(Format::Gauntlet(9).check(3).unwrap_err().contains("gauntlet:9: of 3 players"));
        assert!(Format::Gauntlet(3).check(3).is_err() && Format::Gauntlet(2).check(3).is_ok());
        assert!(Format::Swiss(3).check(3).is_err() && Format::Swiss(2).check(3).is_ok());
        assert!(Format::RoundRobin.check(2).is_ok() && Format::Swiss(0).check(2).is_ok());
    }

    #[test]
    fn formats_by_name() {
        assert_eq!("gauntlet:2".parse(), Ok(Format::Gauntlet(2)));
        assert_eq!("swiss:5".parse(), Ok(Format::Swiss(5)));
        for (text, says) in [
            ("swiss:x", "`x` after the colon is not a number"),
            ("gauntlet:-1", "`-1` after the colon is not a number"),
            ("gauntlet:0", "must be at least 1"),
            ("swiss:", "a number is missing"),
            ("ladder", "unknown tournament format"),
            ("knockout:2", "unknown tournament format"),
        ] {
            let told = text.parse::<Format>().unwrap_err();
            assert!(told.contains(&format!("`{text}`")) && told.contains(says), "{told}");
        }
    }
}
