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
        let (word, number) =
            match text.split_once(':') {
                Some((word, number)) => {
                    let number = number.parse::<usize>().ok().filter(|&n| n > 0);
                    (
                        word,
                        Some(number.ok_or_else(|| {
                            format!("tournament format `{text}`: no number after the colon")
                        })?),
                    )
                }
                None => (text, None),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_by_name() {
        assert_eq!("gauntlet:2".parse(), Ok(Format::Gauntlet(2)));
        assert_eq!("swiss:5".parse(), Ok(Format::Swiss(5)));
        assert!("swiss:x".parse::<Format>().is_err() && "ladder".parse::<Format>().is_err());
    }
}
