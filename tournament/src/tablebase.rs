//! What Syzygy tables say of a position.
//!
//! Only positions right after a capture or pawn move are looked up: there the tables' answer holds with the fifty-move rule
//! as it stands. A game enters the tables by a capture, so nothing is missed.

use std::path::Path;

use chess::{Color, Position};
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess};
use shakmaty_syzygy::{AmbiguousWdl, Tablebase, Wdl};

use crate::record::Score;

/// Tables in memory.
pub struct Tables {
    tables: Tablebase<Chess>,
    pieces: usize,
}

impl Tables {
    /// Opens the tables of one or several directories, separated as in `PATH`. `pieces`: look up positions with at most
    /// this many men.
    ///
    /// # Errors
    /// A directory that cannot be read, or holds no table.
    pub fn open(path: &str, pieces: Option<usize>) -> Result<Self, String> {
        let mut tables = Tablebase::new();
        for directory in std::env::split_paths(path) {
            let directory: &Path = &directory;
            let found = tables
                .add_directory(directory)
                .map_err(|e| format!("tablebases {}: {e}", directory.display()))?;
            if found == 0 {
                return Err(format!("tablebases {}: there are none in this directory", directory.display()));
            }
        }
        let pieces = pieces.unwrap_or(usize::MAX).min(tables.max_pieces());
        Ok(Self { tables, pieces })
    }

    /// The result of a position with best play; `None` if the tables do not know it.
    #[must_use]
    pub fn probe(&self, position: &Position) -> Option<Score> {
        if position.halfmove_clock() != 0 || position.occupied().count() as usize > self.pieces {
            return None;
        }
        let fen: Fen = position.fen().parse().ok()?;
        let chess: Chess = fen.into_position(CastlingMode::Standard).ok()?;
        let side = position.side_to_move();
        let won = |colour: Color| if colour == Color::White { Score::White } else { Score::Black };
        match self.tables.probe_wdl(&chess).ok()? {
            AmbiguousWdl::Win => Some(won(side)),
            AmbiguousWdl::Loss => Some(won(!side)),
            // A win that takes more than fifty moves is a draw.
            AmbiguousWdl::Draw | AmbiguousWdl::BlessedLoss | AmbiguousWdl::CursedWin => Some(Score::Draw),
            ambiguous => ambiguous.unambiguous().map(|wdl| match wdl {
                Wdl::Win => won(side),
                Wdl::Loss => won(!side),
                _ => Score::Draw,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_tables_are_named() {
        assert!(Tables::open("/no/such/tables", None).err().unwrap().contains("/no/such/tables"));
        let empty = tempfile::tempdir().unwrap();
        assert!(Tables::open(empty.path().to_str().unwrap(), None).err().unwrap().contains("there are none"));
    }
}
