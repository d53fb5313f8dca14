//! What a network learns from: the positions of files of games, some games held out.

use super::sample::Sample;
use crate::filter::Filter;
use crate::format::{CorruptGame, Damage, FormatError, Reader};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Positions to learn from, and positions of other games to be tested on.
#[derive(Clone, Debug, Default)]
pub struct Data {
    /// To learn from.
    pub training: Vec<Sample>,
    /// To be tested on.
    pub held_out: Vec<Sample>,
    /// Where they come from.
    pub origin: Origin,
    /// What had to be left out of which file.
    pub damage: Vec<(PathBuf, Damage)>,
}

/// Where positions come from; with the settings of a training it determines the network.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// Games read.
    pub games: u64,
    /// Positions in them that had a score.
    pub scored: u64,
    /// Positions to learn from.
    pub training: u64,
    /// Positions to be tested on.
    pub held_out: u64,
    /// CRC-32 over the kept positions and their labels, in order.
    pub checksum: u32,
}

/// Why there is nothing to learn from.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    /// A file cannot be read.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// A game of a block with a good checksum cannot be decoded.
    #[error("{}: {cause}", path.display())]
    Game {
        /// The file.
        path: PathBuf,
        /// What is wrong with the game.
        cause: CorruptGame,
    },
    /// No position is left.
    #[error("no positions are left to learn from: {games} games with {scored} scored positions were read")]
    Empty {
        /// Games read.
        games: u64,
        /// Positions with a score.
        scored: u64,
    },
    /// More positions than can be numbered.
    #[error("{0} positions are more than this trainer can hold")]
    TooMany(usize),
}

/// What a block holds.
#[derive(Default)]
struct Part {
    training: Vec<Sample>,
    held_out: Vec<Sample>,
    games: u64,
    scored: u64,
}

impl Data {
    /// Reads files of games and keeps what a filter keeps. Every `hold_out`-th game by its number is held out; 0 holds
    /// out none.
    ///
    /// # Errors
    /// When a file cannot be read or nothing is left. Damaged blocks are left out, and told.
    pub fn load(paths: &[PathBuf], filter: &Filter, hold_out: u64) -> Result<Self, DataError> {
        let mut data = Data::default();
        for path in paths {
            data.read(path, filter, hold_out)?;
        }
        let Origin { games, scored, .. } = data.origin;
        if data.training.is_empty() {
            return Err(DataError::Empty { games, scored });
        }
        if data.training.len() > u32::MAX as usize {
            return Err(DataError::TooMany(data.training.len()));
        }
        data.origin.training = data.training.len() as u64;
        data.origin.held_out = data.held_out.len() as u64;
        let mut hasher = crc32fast::Hasher::new();
        data.training.iter().chain(&data.held_out).for_each(|sample| sample.feed(&mut hasher));
        data.origin.checksum = hasher.finalize();
        Ok(data)
    }

    fn read(&mut self, path: &Path, filter: &Filter, hold_out: u64) -> Result<(), DataError> {
        let reader = Reader::open(path)?;
        let blocks: Vec<_> = reader.blocks().collect();
        let parts: Result<Vec<Part>, CorruptGame> = blocks
            .into_par_iter()
            .map(|block| {
                let mut part = Part::default();
                for (game, number) in block.games().zip(block.first..) {
                    let game = game?;
                    part.games += 1;
                    part.scored += game.plies.len() as u64;
                    let held_out = hold_out > 0 && number % hold_out == hold_out - 1;
                    let into = if held_out { &mut part.held_out } else { &mut part.training };
                    into.extend(filter.positions(&game).map(|scored| Sample::from(&scored)));
                }
                Ok(part)
            })
            .collect();
        for part in parts.map_err(|cause| DataError::Game { path: path.into(), cause })? {
            self.training.extend(part.training);
            self.held_out.extend(part.held_out);
            self.origin.games += part.games;
            self.origin.scored += part.scored;
        }
        self.damage.extend(reader.damage.iter().map(|damage| (path.to_path_buf(), damage.clone())));
        Ok(())
    }
}
