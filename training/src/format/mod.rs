//! Files of games. docs/data.md describes the bytes.
//!
//! A file is a header, which says what engine and [`Recipe`] made the games, and blocks of some games each with a
//! checksum. Blocks make the file robust: a process may be killed while it writes, so a torn block at the end is
//! normal and dropped, and a damaged one in the middle costs its own games only. Whole games are kept, not positions:
//! they are ten times smaller, and what is worth learning from can be decided anew whenever they are read.

mod codec;
mod distinct;
mod reader;
mod writer;

pub use codec::{decode, encode, ordered_moves};
pub use distinct::Distinct;
pub use reader::{Block, CopiedBlock, Games, Reader, read_blocks};
pub use writer::{Opened, Writer};

use crate::recipe::Recipe;
use chess::Move;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use thinking::score::Score;

/// The first seven bytes of a file of games; the eighth is [`VERSION`].
pub const MAGIC: &[u8; 7] = b"FBGAMES";
/// The version of the format, as the letter that follows the magic.
pub const VERSION: u8 = b'1';
/// Every block begins with these.
pub const MARKER: &[u8; 4] = b"FBGB";
/// Bytes of a block before its games: marker, length (4), first game (8), games (4), checksum (4).
pub const BLOCK_HEAD: usize = 24;
/// Games that the writer puts into a block.
pub const BLOCK_GAMES: u32 = 64;
/// No block has more payload than this, nor a header; what claims more is damage.
pub const LONGEST: usize = 1 << 24;

/// What a file says of itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// Name and version of the engine that played.
    pub engine: String,
    /// The commit that the engine was built from, if that is known; `-dirty` behind it if its sources were changed. A
    /// file that is added to keeps that of its first games.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Its signature at a small depth (`firstborn bench --depth 7`) with the network that played: another number,
    /// another search. A change that acts deeper only does not move it.
    pub bench: u64,
    /// The network that played. Files without this word were made when it was always the program's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<NetworkMark>,
    /// How the games were made.
    pub recipe: Recipe,
}

/// What tells a network from all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetworkMark {
    /// The fingerprint of its training, as its file has it.
    #[serde(with = "hexadecimal")]
    pub fingerprint: u32,
    /// The CRC-32 that its file ends with. Files by versions before December 2026 have [`Self::SAME_FOR_ALL`].
    #[serde(with = "hexadecimal")]
    pub checksum: u32,
}

impl NetworkMark {
    /// The CRC-32 of any text that ends with its own CRC-32, as network files do: it tells nothing.
    pub const SAME_FOR_ALL: u32 = 0x2144_df1c;

    /// The mark of a network.
    pub fn of(network: &nnue::Network) -> Self {
        NetworkMark { fingerprint: network.parameters().fingerprint, checksum: network.checksum() }
    }

    /// May this be the mark of the same network, as far as both marks tell?
    pub fn fits(self, other: Self) -> bool {
        let told = ![self.checksum, other.checksum].contains(&Self::SAME_FOR_ALL);
        self.fingerprint == other.fingerprint && (self.checksum == other.checksum || !told)
    }
}

/// Eight hexadecimal digits, as fingerprints are shown everywhere.
mod hexadecimal {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub fn serialize<S: Serializer>(number: &u32, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&format!("{number:08x}"))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
        let text = String::deserialize(deserializer)?;
        u32::from_str_radix(&text, 16).map_err(D::Error::custom)
    }
}

impl Header {
    /// The key of the games' random numbers. Seed, search, network and recipe all decide it, so that no two files of
    /// different making draw the same openings; files that name no network keep to the seed alone, by which their first
    /// games were drawn.
    pub(crate) fn random(&self) -> ChaCha8Rng {
        let Some(NetworkMark { fingerprint, checksum }) = self.network else {
            return ChaCha8Rng::seed_from_u64(self.recipe.seed);
        };
        let recipe = serde_json::to_vec(&self.recipe).expect("a recipe is plain data with text keys");
        let mut key = [0; 32];
        key[..8].copy_from_slice(&self.recipe.seed.to_le_bytes());
        key[8..16].copy_from_slice(&self.bench.to_le_bytes());
        key[16..20].copy_from_slice(&fingerprint.to_le_bytes());
        key[20..24].copy_from_slice(&checksum.to_le_bytes());
        key[24..28].copy_from_slice(&crc32fast::hash(&recipe).to_le_bytes());
        ChaCha8Rng::from_seed(key)
    }

    /// Are games of the same number the same in both? So it is where nothing differs that decides what is drawn
    /// and how it is played; version and commit of the engine are but names for a search, which the signature tells as
    /// far as it goes.
    pub(crate) fn makes_the_games_of(&self, other: &Self) -> bool {
        let Header { engine: _, commit: _, bench, network, recipe } = self;
        (*bench, *network, recipe) == (other.bench, other.network, &other.recipe)
    }
}

/// Why a file cannot be read or written at all.
#[derive(Debug, thiserror::Error)]
pub enum FormatError {
    /// The system refused.
    #[error("{}: {cause}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        cause: std::io::Error,
    },
    /// The file does not begin like a file of games.
    #[error("{}: this is not a file of Firstborn's games", .0.display())]
    NotGames(PathBuf),
    /// The file is of another version of the format.
    #[error("{}: format version '{}', this program reads '{}'", path.display(), found.escape_ascii(), VERSION.escape_ascii())]
    Version {
        /// The file.
        path: PathBuf,
        /// The version's letter.
        found: u8,
    },
    /// The header is torn, or its checksum or contents are wrong.
    #[error("{}: the header is damaged: {why}", path.display())]
    Header {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// Games of another engine or recipe are in the file.
    #[error("{}: was written with other settings: {}", path.display(), differences.join("; "))]
    Foreign {
        /// The file.
        path: PathBuf,
        /// In what they differ.
        differences: Vec<String>,
    },
    /// A second file begins inside it, whose games would be taken for those of the first.
    #[error(
        "{}: another file of games begins at byte {offset}: two files were joined, give them separately",
        path.display()
    )]
    Joined {
        /// The file.
        path: PathBuf,
        /// Where the second one begins.
        offset: usize,
    },
    /// The file holds games twice.
    #[error("{} holds game {game} of its making twice, which would count twice", path.display())]
    Repeated {
        /// The file.
        path: PathBuf,
        /// The number of the first game that it holds twice, in the recipe's sequence.
        game: u64,
    },
    /// Games of the file are in another one that is read as well.
    #[error(
        "{} and {} both hold game {game} of the same making, which would count twice",
        other.display(), path.display()
    )]
    Twice {
        /// The file.
        path: PathBuf,
        /// The file that was read before.
        other: PathBuf,
        /// The number of the first game that both hold, in the recipe's sequence.
        game: u64,
    },
    /// Another process writes to the file.
    #[error("{}: another process is writing to it", .0.display())]
    Busy(PathBuf),
    /// The game cannot be written.
    #[error("a game that cannot be written: {0}")]
    Game(CorruptGame),
}

impl From<CorruptGame> for FormatError {
    fn from(cause: CorruptGame) -> Self {
        FormatError::Game(cause)
    }
}

/// What is wrong with the bytes of a game (or with a game that is to be written).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CorruptGame {
    /// The bytes end inside the game.
    #[error("the game is cut short")]
    Short,
    /// No such result or ending.
    #[error("no result and ending have the code {0:#04x}")]
    Head(u8),
    /// The start position is not one.
    #[error("'{0}' is not a start position")]
    Fen(String),
    /// The opening is too long for the format.
    #[error("an opening of {0} plies, more than 255")]
    Opening(usize),
    /// No such move.
    #[error("move number {index} of {moves} legal ones")]
    Index {
        /// The place in the order.
        index: u8,
        /// How many there are.
        moves: usize,
    },
    /// The move is not legal.
    #[error("illegal move {0}")]
    Illegal(Move),
    /// A number of too many bits.
    #[error("a number that does not fit")]
    Number,
    /// A score beyond all scores.
    #[error("the score {0} is beyond all scores")]
    Score(Score),
    /// Bytes are left after the last game of a block.
    #[error("{0} bytes too many after the last game of the block")]
    Leftover(usize),
}

/// Bytes of a file that are not games.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Damage {
    /// Where they begin.
    pub offset: usize,
    /// How many they are.
    pub bytes: usize,
    /// Do they reach to the end of the file? So it is when the writer was killed, and then nothing but the last games
    /// is lost.
    pub tail: bool,
}

impl std::fmt::Display for Damage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let what = if self.tail { "a torn tail" } else { "damage" };
        write!(f, "{what}: {} bytes from byte {} on left out", self.bytes, self.offset)
    }
}
