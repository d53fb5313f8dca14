//! What a network learns from: the positions of files of games, some games held out.

use super::sample::Sample;
use super::store::{BYTES_A_POSITION, Dealer, Store};
use crate::filter::{Filter, is_held_out};
use crate::format::{
    Block, CopiedBlock, CorruptGame, Damage, Distinct, FormatError, NetworkMark, Reader, read_blocks,
};
use nnue::Network;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use thinking::score::Score;

/// Positions to learn from, and positions of other games to be tested on.
#[derive(Debug)]
pub struct Data {
    /// To learn from.
    pub training: Store,
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
    /// In how many parts the positions to learn from lie, which their order depends on.
    pub shards: u64,
    /// Which positions of the games they are. Named where they are not the usual ones, which are taken to be those of
    /// all networks up to gen7.
    #[serde(default, skip_serializing_if = "Kept::is_usual")]
    pub kept: Kept,
    /// The files.
    pub files: Vec<FileOrigin>,
}

/// Which positions of the games are learnt from, as far as users choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kept {
    /// None whose score is beyond this for either side, in centipawns.
    pub max_score: Score,
    /// None before this ply of its game.
    pub from_ply: usize,
    /// None of every game of so many, which is held out; 0 if none is.
    pub hold_out: u64,
}

impl Default for Kept {
    /// The usual ones.
    fn default() -> Self {
        Kept { max_score: 2000, from_ply: Filter::default().from_ply, hold_out: 64 }
    }
}

impl Kept {
    fn of(reading: &Reading) -> Self {
        let Reading { filter, hold_out, .. } = reading;
        Kept { max_score: filter.score, from_ply: filter.from_ply, hold_out: *hold_out }
    }

    fn is_usual(&self) -> bool {
        *self == Kept::default()
    }
}

/// What a file says of itself, as far as a network's description has room for it; a file in viriformat says nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileOrigin {
    /// Games read from it.
    pub games: u64,
    /// The seed of its games.
    pub seed: u64,
    /// Nodes a move.
    pub nodes: u64,
    /// Signature of the search that played.
    pub bench: u64,
    /// The network that played, if the file says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<NetworkMark>,
    /// How many further files, alike but for seeds, are counted with it: see [`Origin::summed_up`].
    #[serde(default, skip_serializing_if = "is_zero")]
    pub further_files: u64,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Origin {
    /// What a network says of the positions that it has learnt from, if it is one of ours that says so.
    pub fn of(network: &Network) -> Option<Self> {
        #[derive(Deserialize)]
        struct Making {
            data: Origin,
        }
        serde_json::from_str(&network.parameters().description).ok().map(|Making { data }| data)
    }

    /// The same in few words: files of the same nodes, search and network are one, with the first one's seed.
    pub fn summed_up(&self) -> Self {
        let mut files: Vec<FileOrigin> = Vec::new();
        for file in &self.files {
            let making = |file: &FileOrigin| (file.nodes, file.bench, file.network);
            match files.iter_mut().find(|sum| making(sum) == making(file)) {
                Some(sum) => {
                    sum.games += file.games;
                    sum.further_files += 1 + file.further_files;
                }
                None => files.push(file.clone()),
            }
        }
        Origin { files, ..self.clone() }
    }
}

/// How files are read.
#[derive(Clone, Debug)]
pub struct Reading {
    /// What to keep.
    pub filter: Filter,
    /// Which games are held out ([`is_held_out`]); 0 holds out none.
    pub hold_out: u64,
    /// Memory for training positions, in bytes; more wait on disk, in 200 shards at most. The validation set is
    /// always in memory.
    pub memory: usize,
    /// Where on disk.
    pub folder: PathBuf,
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
    /// No memory is allowed for positions, or more than can be numbered.
    #[error("memory for positions must be at least 1 MiB and at most {} MiB", MOST_MEMORY >> 20)]
    Memory,
    /// So little memory would take too many shards.
    #[error(
        "memory for positions must be at least {least} MiB, or they would wait in more than {MOST_SHARDS} files"
    )]
    Shards {
        /// The least memory that does, in MiB.
        least: u64,
    },
    /// The caller has stopped it.
    #[error("stopped while reading")]
    Stopped,
    /// Positions cannot wait on disk.
    #[error("positions cannot be kept in {}: {cause}", path.display())]
    Disk {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        cause: std::io::Error,
    },
}

/// Most memory for positions: a shard's are numbered in 32 bits.
const MOST_MEMORY: usize = BYTES_A_POSITION << 32;
/// Most shards on disk: each is an open file, and systems allow a process some hundreds.
const MOST_SHARDS: u64 = 200;
/// Blocks that are taken apart at once, on all threads.
const BLOCKS: usize = 64;
/// A ply takes at least so many bytes of a file, so no file holds more positions than its size allows.
const LEAST_BYTES_A_PLY: u64 = 2;

/// What a block holds.
#[derive(Default)]
struct Part {
    training: Vec<Sample>,
    held_out: Vec<Sample>,
    games: u64,
    scored: u64,
}

impl Part {
    fn of(block: Block<'_>, reading: &Reading) -> Result<Part, CorruptGame> {
        let mut part = Part::default();
        for (game, number) in block.games().zip(block.first..) {
            let game = game?;
            part.games += 1;
            part.scored += game.plies.len() as u64;
            let held_out = is_held_out(number, reading.hold_out);
            let into = if held_out { &mut part.held_out } else { &mut part.training };
            into.extend(reading.filter.positions(&game).map(|scored| Sample::from(&scored)));
        }
        Ok(part)
    }
}

impl Data {
    /// Reads files of games, one after another, and keeps what the filter keeps, until `stop` is set.
    ///
    /// # Errors
    /// When a file cannot be read, games are in two files, nothing is left, the memory is too little, the disk has no
    /// room, or it is stopped. Damaged blocks are left out, and told.
    pub fn load(paths: &[PathBuf], reading: &Reading, stop: &AtomicBool) -> Result<Self, DataError> {
        if !(1 << 20..=MOST_MEMORY).contains(&reading.memory) {
            return Err(DataError::Memory);
        }
        let disk = |cause| DataError::Disk { path: reading.folder.clone(), cause };
        let sources = paths.iter().map(|path| Source::find(path)).collect::<Result<Vec<_>, _>>()?;
        let shards = shards(sources.iter().map(|source| source.bytes).sum(), reading.memory)?;
        let mut loading = Loading {
            reading,
            stop,
            distinct: Distinct::default(),
            dealer: Dealer::new(shards, reading.memory, &reading.folder).map_err(disk)?,
            held_out: Vec::new(),
            origin: Origin { shards: shards as u64, kept: Kept::of(reading), ..Origin::default() },
            damage: Vec::new(),
            checksum: crc32fast::Hasher::new(),
        };
        sources.into_iter().try_for_each(|source| loading.read(source))?;
        let Loading { dealer, held_out, mut origin, damage, checksum, .. } = loading;
        let training = dealer.finish().map_err(disk)?;
        if training.is_empty() {
            return Err(DataError::Empty { games: origin.games, scored: origin.scored });
        }
        origin.training = training.len() as u64;
        origin.held_out = held_out.len() as u64;
        origin.checksum = checksum.finalize();
        Ok(Data { training, held_out, origin, damage })
    }
}

/// How many shards it takes for the memory allowed, whatever share of the games is kept.
fn shards(bytes: u64, memory: usize) -> Result<usize, DataError> {
    let most = (bytes / LEAST_BYTES_A_PLY).saturating_mul(BYTES_A_POSITION as u64);
    let shards = most.div_ceil(memory as u64).max(1);
    if shards > MOST_SHARDS {
        return Err(DataError::Shards { least: most.div_ceil(MOST_SHARDS << 20) });
    }
    Ok(shards as usize)
}

/// A file to be read, and its size.
struct Source<'a> {
    path: &'a Path,
    bytes: u64,
    /// A pipe does not say how much it holds, so it is read at once.
    read: Option<Reader>,
}

impl<'a> Source<'a> {
    fn find(path: &'a Path) -> Result<Self, FormatError> {
        let found = std::fs::metadata(path).map_err(|cause| FormatError::Io { path: path.into(), cause })?;
        let read = if found.is_file() { None } else { Some(Reader::open(path)?) };
        let bytes = read.as_ref().map_or(found.len(), |reader| reader.size() as u64);
        Ok(Source { path, bytes, read })
    }
}

/// Files that are being read.
struct Loading<'a> {
    reading: &'a Reading,
    stop: &'a AtomicBool,
    distinct: Distinct,
    dealer: Dealer,
    held_out: Vec<Sample>,
    origin: Origin,
    damage: Vec<(PathBuf, Damage)>,
    checksum: crc32fast::Hasher,
}

impl Loading<'_> {
    fn read(&mut self, Source { path, read, .. }: Source<'_>) -> Result<(), DataError> {
        let before = self.origin.games;
        let (mut numbers, mut waiting) = (Vec::new(), Vec::new());
        let mut take = |block: Block<'_>| -> Result<(), DataError> {
            numbers.push(block.first..block.end());
            waiting.push(block.copied());
            if waiting.len() == BLOCKS { self.take_apart(path, &mut waiting) } else { Ok(()) }
        };
        let (header, damage) = match read {
            Some(reader) => {
                reader.blocks().try_for_each(&mut take)?;
                (reader.header, reader.damage)
            }
            None => read_blocks(path, &mut take)?,
        };
        self.take_apart(path, &mut waiting)?;
        if let Some(header) = &header {
            self.distinct.add_numbers(path, header, numbers)?;
        }
        let games = self.origin.games - before;
        self.origin.files.push(match &header {
            Some(header) => FileOrigin {
                games,
                seed: header.recipe.seed,
                nodes: header.recipe.soft_nodes,
                bench: header.bench,
                network: header.network,
                ..FileOrigin::default()
            },
            None => FileOrigin { games, ..FileOrigin::default() },
        });
        self.damage.extend(damage.into_iter().map(|damage| (path.to_path_buf(), damage)));
        Ok(())
    }

    /// Takes blocks of a file apart, on all threads.
    fn take_apart(&mut self, path: &Path, blocks: &mut Vec<CopiedBlock>) -> Result<(), DataError> {
        if self.stop.load(Relaxed) {
            return Err(DataError::Stopped);
        }
        let parts: Result<Vec<Part>, CorruptGame> =
            blocks.par_iter().map(|block| Part::of(block.block(), self.reading)).collect();
        blocks.clear();
        let parts = parts.map_err(|cause| DataError::Game { path: path.into(), cause })?;
        parts.into_iter().try_for_each(|part| self.take(part))
    }

    fn take(&mut self, part: Part) -> Result<(), DataError> {
        let samples = part.training.iter().chain(&part.held_out);
        samples.for_each(|sample| self.checksum.update(&sample.to_bytes()));
        let folder = &self.reading.folder;
        let dealt = self.dealer.deal(&part.training);
        dealt.map_err(|cause| DataError::Disk { path: folder.clone(), cause })?;
        self.held_out.extend(part.held_out);
        self.origin.games += part.games;
        self.origin.scored += part.scored;
        Ok(())
    }
}
