//! The columns of cutechess-cli's table of results (`-resultformat`).
//!
//! The tables are those that `cutechess-cli -resultformat help` lists. Headings and widths of the plain
//! columns are as it prints them; the others have their names for headings.

use statrs::function::erf::erf;

use crate::record::Ending;
use crate::stats::Wdl;

/// A column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    /// Games with White alone, or with Black; all if none.
    pub white: Option<bool>,
    /// What it tells.
    pub what: What,
    /// Its name.
    name: &'static str,
}

/// What a column tells of a player.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// The place.
    Rank,
    /// The player.
    Name,
    /// Elo against the rest.
    Elo,
    /// Its error.
    Error,
    /// The likelihood of superiority.
    Los,
    /// Games.
    Games,
    /// Games won.
    Wins,
    /// Games lost.
    Losses,
    /// Games drawn.
    Draws,
    /// Points.
    Points,
    /// Points in percent of the games.
    Score,
    /// Draws in percent of the games.
    DrawScore,
    /// Games drawn in these ways.
    Drawn(&'static [Ending]),
    /// Games lost in these ways.
    Lost(&'static [Ending]),
}

/// Names of tables, with their columns.
pub const TABLES: [(&str, &str); 12] = [
    ("concise", "Rank,Name,Elo,Error,Games"),
    ("default", "Rank,Name,Elo,Error,Games,Score,DScore"),
    (
        "draws",
        "Rank,Name,Elo,Error,Games,W,L,D,Points,Score,DScore,DStale,DMater,DRepet,DMoves,DAdj,DAgree,OtherD",
    ),
    ("minimal", "Rank,Name"),
    ("ordo", "Rank,Name,Elo,Points,Games,Score"),
    ("per-color", "Rank,Name,Elo,Error,Games,W,L,D,Points,wW,wL,wD,wPoints,bW,bL,bD,bPoints"),
    ("short", "Rank,Name,Elo,Games"),
    ("small", "Rank,Name,Games,Points"),
    ("term", "Rank,Name,Elo,Error,Games,Score,Time,Illegal,Discon,Stall,WrClaim"),
    ("wide", "Rank,Name,Elo,Error,Games,W,L,D,Points,Score,DScore"),
    ("wide2", "Rank,Name,Elo,Error,Games,W,L,D,Points,Score,DScore,wScore,bScore"),
    ("with-points", "Rank,Name,Elo,Error,Games,Points,Score,DScore"),
];

/// Names that stand for several columns.
const GROUPS: [(&str, &str); 3] = [
    ("WLDStats", "W,L,D"),
    ("DrawStats", "DScore,DStale,DMater,DRepet,DMoves,DAdj,DAgree,OtherD"),
    ("Terminations", "Time,Illegal,Discon,Stall,WrClaim"),
];

/// Columns by their names. Those before `Rank` are also there for one colour, with `w` or `b` before their
/// names.
const COLUMNS: [(&str, What); 24] = [
    ("W", What::Wins),
    ("L", What::Losses),
    ("D", What::Draws),
    ("Points", What::Points),
    ("Score", What::Score),
    ("DScore", What::DrawScore),
    ("Elo", What::Elo),
    ("Error", What::Error),
    ("LOS", What::Los),
    ("Rank", What::Rank),
    ("Name", What::Name),
    ("Games", What::Games),
    ("DCount", What::Draws),
    ("DStale", What::Drawn(&[Ending::Stalemate])),
    ("DMater", What::Drawn(&[Ending::InsufficientMaterial])),
    ("DRepet", What::Drawn(&[Ending::Repetition])),
    ("DMoves", What::Drawn(&[Ending::FiftyMoves])),
    ("DAdj", What::Drawn(&[Ending::AdjudicatedDraw, Ending::Tablebase, Ending::MaximumLength])),
    ("DAgree", What::Drawn(&[Ending::DrawClaim])),
    ("Time", What::Lost(&[Ending::TimeForfeit])),
    ("Illegal", What::Lost(&[Ending::IllegalMove, Ending::RefusedMove])),
    ("Discon", What::Lost(&[Ending::Crash, Ending::Disconnect, Ending::StartFailure])),
    ("Stall", What::Lost(&[Ending::Stall])),
    ("WrClaim", What::Lost(&[Ending::FalseClaim])),
];

/// Columns for one colour.
const OF_COLOUR: [(&str, &str); 9] = [
    ("wW", "bW"),
    ("wL", "bL"),
    ("wD", "bD"),
    ("wPoints", "bPoints"),
    ("wScore", "bScore"),
    ("wDScore", "bDScore"),
    ("wElo", "bElo"),
    ("wError", "bError"),
    ("wLOS", "bLOS"),
];

impl Column {
    /// Reads the name of a table, or names of columns with commas between them.
    ///
    /// # Errors
    /// A name that is not known.
    pub fn list(text: &str) -> Result<Vec<Self>, String> {
        let known = |list: &[(&str, &'static str)], name: &str| {
            list.iter().find(|(known, _)| *known == name).map(|(_, columns)| *columns)
        };
        let mut columns = Vec::new();
        for name in known(&TABLES, text).unwrap_or(text).split(',').map(str::trim) {
            for name in known(&GROUPS, name).unwrap_or(name).split(',') {
                columns.push(Self::of(name)?);
            }
        }
        Ok(columns)
    }

    fn of(name: &str) -> Result<Self, String> {
        // Every way in which a game is drawn has a column, so that no other draw is left.
        if name == "OtherD" {
            return Ok(Self { white: None, what: What::Drawn(&[]), name: "OtherD" });
        }
        if let Some((name, what)) = COLUMNS.iter().find(|(known, _)| *known == name) {
            return Ok(Self { white: None, what: *what, name });
        }
        for ((white, black), (_, what)) in OF_COLOUR.iter().zip(COLUMNS) {
            if name == *white || name == *black {
                let is_white = name == *white;
                return Ok(Self { white: Some(is_white), what, name: if is_white { white } else { black } });
            }
        }
        let tables: Vec<&str> = TABLES.iter().map(|(name, _)| *name).collect();
        Err(format!(
            "`{name}` is neither a table ({}) nor a column that is known here (`-resultformat help` lists them); time controls \
             stand in the report of `firstborn report`",
            tables.join(", ")
        ))
    }

    /// Its heading.
    #[must_use]
    pub fn heading(self) -> &'static str {
        match (self.white, self.what) {
            (None, What::Error) => "+/-",
            (None, What::Wins) => "Wins",
            (None, What::Losses) => "Losses",
            (None, What::Draws) if self.name == "D" => "Draws",
            (None, What::DrawScore) => "Draw",
            _ => self.name,
        }
    }

    /// Its width.
    #[must_use]
    pub fn width(self) -> usize {
        match self.what {
            What::Rank => 4,
            What::Name => 23,
            What::Points => 9,
            _ => 8,
        }
    }
}

/// All names of columns, as a line.
#[must_use]
pub fn names() -> String {
    let mut names: Vec<&str> = COLUMNS.iter().map(|(name, _)| *name).chain(["OtherD"]).collect();
    names.extend(OF_COLOUR.iter().flat_map(|(white, black)| [*white, *black]));
    names.sort_unstable();
    names.join(" ")
}

/// Names that stand for several columns, with those.
#[must_use]
pub fn groups() -> &'static [(&'static str, &'static str)] {
    &GROUPS
}

/// The likelihood of superiority in percent, from the normal distribution.
#[must_use]
pub fn los(wdl: Wdl) -> f64 {
    let (wins, losses) = (wdl.wins as f64, wdl.losses as f64);
    if wins + losses > 0.0 {
        50.0 + 50.0 * erf((wins - losses) / (2.0 * (wins + losses)).sqrt())
    } else {
        f64::NAN
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_and_group_is_made_of_columns() {
        for (name, columns) in TABLES.iter().chain(&GROUPS) {
            assert_eq!(Column::list(name).unwrap(), Column::list(columns).unwrap(), "{name}");
        }
        for name in names().split(' ') {
            let column = Column::list(name).unwrap()[0];
            assert!(column.heading().len() < column.width() + 2, "{name}");
        }
        let error = Column::list("Rank,TC").unwrap_err();
        assert!(error.contains("`TC`") && error.contains("per-color"), "{error}");
    }
}
