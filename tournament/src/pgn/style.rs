//! How games are written: whose PGN it is, which fields stand in the comments, and how moves are spelt.

use std::str::FromStr;

use crate::adjudicate::Manner;
use crate::record::MoveRecord;

/// How games are written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Style {
    /// Whose PGN it is.
    pub manner: Manner,
    /// What is written of every move beside evaluation, depth and time.
    pub fields: Fields,
    /// Seven tags and the start position, and no comments (in another runner's manner).
    pub minimal: bool,
    /// How moves are spelt (in fastchess's manner).
    pub notation: Notation,
}

/// How moves are spelt.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Notation {
    /// Standard algebraic notation.
    #[default]
    San,
    /// The same with the whole start square.
    Lan,
    /// Coordinates.
    Uci,
}

/// What is written of every move beside evaluation, depth and time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Fields {
    /// Nodes; in our own manner always.
    pub nodes: bool,
    /// The deepest ply.
    pub seldepth: bool,
    /// Nodes a second, as the engine says.
    pub nps: bool,
    /// Permille of the hash table in use.
    pub hashfull: bool,
    /// Hits in endgame tables.
    pub tb_hits: bool,
    /// Time left after the move.
    pub time_left: bool,
    /// How much less the engine had counted when it last told its time; in fastchess's manner, as there, the time of
    /// the move less the one that it told.
    pub latency: bool,
    /// The principal variation.
    pub pv: bool,
    /// The last line that fits a pattern.
    pub line: bool,
}

impl Fields {
    /// Everything.
    #[must_use]
    pub fn all() -> Self {
        Self {
            nodes: true,
            seldepth: true,
            nps: true,
            hashfull: true,
            tb_hits: true,
            time_left: true,
            latency: true,
            pv: true,
            line: true,
        }
    }

    /// Whether any of them needs what engines say beyond depth and nodes.
    #[must_use]
    pub fn needs_search(&self) -> bool {
        self.seldepth || self.nps || self.hashfull || self.tb_hits || self.pv || self.line
    }

    /// Switches a field on or off. False if there is no such field.
    pub fn set(&mut self, name: &str, on: bool) -> bool {
        let field = match name {
            "nodes" => &mut self.nodes,
            "seldepth" => &mut self.seldepth,
            "nps" => &mut self.nps,
            "hashfull" => &mut self.hashfull,
            "tbhits" => &mut self.tb_hits,
            "timeleft" => &mut self.time_left,
            "latency" => &mut self.latency,
            "pv" => &mut self.pv,
            _ => return false,
        };
        *field = on;
        true
    }

    /// The fields of a move that are wanted and known, by their names in comments.
    pub(super) fn said(&self, mv: &MoveRecord) -> Vec<(&'static str, String)> {
        let said = mv.said.as_deref();
        let quoted = |text: &str| format!("\"{}\"", text.replace('"', "'"));
        let seconds = |ms: i64| format!("{:.3}s", ms as f64 / 1000.0);
        [
            ("sd", self.seldepth, said.and_then(|said| said.seldepth).map(|n| n.to_string())),
            ("nps", self.nps, said.and_then(|said| said.nps).map(|n| n.to_string())),
            ("hashfull", self.hashfull, said.and_then(|said| said.hashfull).map(|n| n.to_string())),
            ("tbhits", self.tb_hits, said.and_then(|said| said.tb_hits).map(|n| n.to_string())),
            ("tl", self.time_left, mv.clock_ms.map(|ms| seconds(ms as i64))),
            ("latency", self.latency, mv.latency_ms().map(seconds)),
            ("pv", self.pv, said.map(|said| quoted(&said.pv)).filter(|pv| pv.len() > 2)),
            ("line", self.line, said.and_then(|said| said.line.as_deref()).map(quoted)),
        ]
        .into_iter()
        .filter_map(|(name, wanted, value)| value.filter(|_| wanted).map(|value| (name, value)))
        .collect()
    }
}

/// Reads names of fields with commas between them, or `all`.
impl FromStr for Fields {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut fields = Self::default();
        for name in text.split(',').map(str::trim).filter(|name| !name.is_empty()) {
            if name == "all" {
                fields = Self { line: false, ..Self::all() };
            } else if !fields.set(name, true) {
                return Err(format!(
                    "`{name}` is not a field; there are nodes, seldepth, nps, hashfull, tbhits, timeleft, latency, pv \
                     and all"
                ));
            }
        }
        Ok(fields)
    }
}
