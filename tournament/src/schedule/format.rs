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

/// Reads what [`Format::known`] lists.
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
        let named = match word.to_ascii_lowercase().as_str() {
            // The second is fastchess's word.
            MATCH | "roundrobin" => Some(Self::RoundRobin),
            word => Self::ALL.into_iter().find(|format| format.name() == word),
        };
        let wanted = named.and_then(|format| match number {
            None => Some(format),
            Some(number) => format.with_number(number),
        });
        wanted.ok_or_else(|| format!("unknown tournament format `{text}`; known are {}", Self::known()))
    }
}

/// What a round robin of two players is called as well.
const MATCH: &str = "match";

impl Format {
    /// Every format, with the number that its name alone stands for.
    pub const ALL: [Self; 4] = [Self::RoundRobin, Self::Gauntlet(1), Self::Swiss(0), Self::Knockout];

    /// Its name on the command line.
    const fn name(self) -> &'static str {
        match self {
            Self::RoundRobin => "round-robin",
            Self::Gauntlet(_) => "gauntlet",
            Self::Swiss(_) => "swiss",
            Self::Knockout => "knockout",
        }
    }

    /// What its number counts, where it has one.
    const fn counts(self) -> Option<&'static str> {
        match self {
            Self::Gauntlet(_) => Some("SEEDS"),
            Self::Swiss(_) => Some("STAGES"),
            Self::RoundRobin | Self::Knockout => None,
        }
    }

    /// The same with another number, where it has one.
    const fn with_number(self, number: usize) -> Option<Self> {
        match self {
            Self::Gauntlet(_) => Some(Self::Gauntlet(number)),
            Self::Swiss(_) => Some(Self::Swiss(number)),
            Self::RoundRobin | Self::Knockout => None,
        }
    }

    /// How formats are written on the command line, for help and messages.
    #[must_use]
    pub fn known() -> String {
        let written = |format: Self| match format.counts() {
            Some(what) => format!("{}[:{what}]", format.name()),
            None => format.name().to_owned(),
        };
        format!("{MATCH}, {}", Self::ALL.map(written).join(", "))
    }

    /// Whether all games are known before the first is played. More rounds then only add games after the others.
    #[must_use]
    pub const fn is_known(self) -> bool {
        match self {
            Self::RoundRobin | Self::Gauntlet(_) => true,
            Self::Swiss(_) | Self::Knockout => false,
        }
    }

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
            Self::RoundRobin | Self::Gauntlet(_) | Self::Swiss(_) | Self::Knockout => Ok(()),
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

    /// A variant that the list of all lacked would compile, and no test over all formats would miss it.
    #[test]
    fn every_format_is_in_the_list_of_all() {
        let (_, rest) = include_str!("format.rs").split_once("pub enum Format {").expect("its variants");
        let (variants, _) = rest.split_once("\n}").expect("their end");
        let word = |text: &str| text.chars().take_while(char::is_ascii_alphanumeric).collect::<String>();
        let code = variants.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//"));
        let named: Vec<String> = code.map(word).collect();
        assert_eq!(named, Format::ALL.map(|format| word(&format!("{format:?}"))));
    }

    /// Journals have the same names as the command line, and what is said to be known is read.
    #[test]
    fn formats_are_read_as_they_are_told() {
        let known = Format::known();
        assert_eq!(known, "match, round-robin, gauntlet[:SEEDS], swiss[:STAGES], knockout");
        let names = known.split(", ").skip(1).map(|told| told.split('[').next().unwrap_or_default());
        for (name, format) in names.zip(Format::ALL) {
            assert_eq!(name.parse(), Ok(format));
            let written = serde_json::to_string(&format).unwrap();
            assert!(written.contains(&format!("\"{name}\"")), "{name}: {written}");
            let numbered = format!("{name}:7").parse::<Format>();
            assert_eq!(numbered.is_ok(), known.contains(&format!("{name}[:")), "{name}");
        }
        assert_eq!("Match".parse(), Ok(Format::RoundRobin));
        assert_eq!("roundrobin".parse(), Ok(Format::RoundRobin));
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
