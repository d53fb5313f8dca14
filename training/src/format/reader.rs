//! Reading files of games, torn and damaged ones too.

use super::codec::{decode, encode};
use super::{
    BLOCK_GAMES, BLOCK_HEAD, CorruptGame, Damage, FormatError, Header, LONGEST, MAGIC, MARKER, VERSION,
};
use crate::game::Game;
use crate::viriformat;
use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::path::Path;

/// A file of games, read whole: a million games are about 250 MB.
#[derive(Debug)]
pub struct Reader {
    /// What the file says of itself; nothing if it is in viriformat.
    pub header: Option<Header>,
    /// What had to be left out.
    pub damage: Vec<Damage>,
    /// Bytes of the file.
    size: usize,
    bytes: Vec<u8>,
    blocks: Vec<Span>,
}

/// Where a whole block lies.
#[derive(Clone, Debug)]
struct Span {
    first: u64,
    games: u32,
    payload: Range<usize>,
}

/// A block whose checksum holds.
#[derive(Clone, Copy, Debug)]
pub struct Block<'r> {
    /// The number of its first game in the recipe's sequence.
    pub first: u64,
    /// How many games it holds.
    pub games: u32,
    payload: &'r [u8],
}

impl<'r> Block<'r> {
    /// The number behind its last game's.
    pub fn end(self) -> u64 {
        self.first + u64::from(self.games)
    }

    /// Its games. They end after the first error, since the beginning of the next game is not known.
    pub fn games(self) -> Games<'r> {
        Games { bytes: self.payload, left: self.games }
    }
}

/// The games of a block.
#[derive(Debug)]
pub struct Games<'r> {
    bytes: &'r [u8],
    left: u32,
}

impl Iterator for Games<'_> {
    type Item = Result<Game, CorruptGame>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.left == 0 {
            let leftover = std::mem::take(&mut self.bytes).len();
            return (leftover > 0).then_some(Err(CorruptGame::Leftover(leftover)));
        }
        self.left -= 1;
        let game = decode(&mut self.bytes);
        if game.is_err() {
            (self.left, self.bytes) = (0, &[]);
        }
        Some(game)
    }
}

impl Reader {
    /// Reads a file of our own or one in viriformat and finds its whole blocks.
    ///
    /// # Errors
    /// When the file cannot be read, is no file of games, or its header is damaged, or when a second file was joined to
    /// it. Damaged blocks are no error: they are left out and told in [`Reader::damage`].
    pub fn open(path: &Path) -> Result<Self, FormatError> {
        let bytes = read(path).map_err(|cause| FormatError::Io { path: path.into(), cause })?;
        Self::from_bytes(bytes, path)
    }

    /// The same from the file's bytes; `path` is for the messages.
    ///
    /// # Errors
    /// As [`Reader::open`].
    pub fn from_bytes(bytes: Vec<u8>, path: &Path) -> Result<Self, FormatError> {
        if !bytes.starts_with(MAGIC) && viriformat::begins(&bytes) {
            let reader = Self::from_viriformat(&bytes)?;
            refuse_joined(&bytes, &reader.damage, path)?;
            return Ok(reader);
        }
        let (header, mut at) = read_header(&bytes, path)?;
        let (mut blocks, mut damage) = (Vec::new(), Vec::new());
        while at < bytes.len() {
            if let Some(span) = block_at(&bytes, at) {
                at = span.payload.end;
                blocks.push(span);
                continue;
            }
            // Look for the next whole block; a marker alone may be anything, a checksum is not.
            let markers = at + 1..bytes.len().saturating_sub(MARKER.len() - 1).max(at + 1);
            let next = markers.into_iter().find(|&next| block_at(&bytes, next).is_some());
            let end = next.unwrap_or(bytes.len());
            damage.push(Damage { offset: at, bytes: end - at, tail: next.is_none() });
            at = end;
        }
        refuse_joined(&bytes, &damage, path)?;
        Ok(Reader { header: Some(header), damage, size: bytes.len(), bytes, blocks })
    }

    /// The games of a file in viriformat, in blocks of ours.
    fn from_viriformat(bytes: &[u8]) -> Result<Self, FormatError> {
        let (mut encoded, mut blocks) = (Vec::new(), Vec::<Span>::new());
        let mut first = 0;
        // One at a time: all games as such take many times the memory of the file.
        let damage = viriformat::read(bytes, |game| {
            let begun = encoded.len();
            encode(&game, &mut encoded)?;
            match blocks.last_mut().filter(|block| block.games < BLOCK_GAMES) {
                Some(block) => {
                    block.games += 1;
                    block.payload.end = encoded.len();
                }
                None => blocks.push(Span { first, games: 1, payload: begun..encoded.len() }),
            }
            first += 1;
            Ok::<(), CorruptGame>(())
        })?;
        Ok(Reader { header: None, damage, size: bytes.len(), bytes: encoded, blocks })
    }

    /// The whole blocks, in the order of the file.
    pub fn blocks(&self) -> impl ExactSizeIterator<Item = Block<'_>> {
        self.blocks.iter().map(|span| Block {
            first: span.first,
            games: span.games,
            payload: &self.bytes[span.payload.clone()],
        })
    }

    /// All games, in the order of the file.
    pub fn games(&self) -> impl Iterator<Item = Result<Game, CorruptGame>> + '_ {
        self.blocks().flat_map(Block::games)
    }

    /// How many games the whole blocks hold.
    pub fn game_count(&self) -> u64 {
        self.blocks.iter().map(|span| u64::from(span.games)).sum()
    }

    /// The number of the game that would come next in the recipe's sequence: behind all that are there, in whatever
    /// order their blocks are.
    pub fn next_game(&self) -> u64 {
        self.blocks().map(Block::end).max().unwrap_or(0)
    }

    /// Where the last whole block ends: what comes behind it is torn.
    pub(super) fn sound_end(&self) -> usize {
        let torn = self.damage.last().filter(|damage| damage.tail);
        torn.map_or(self.bytes.len(), |damage| damage.offset)
    }

    /// Size of the file in bytes.
    pub fn size(&self) -> usize {
        self.size
    }
}

/// The little-endian word at a place, if the bytes reach so far.
fn word(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..at + 4)?;
    Some(u32::from_le_bytes(four.try_into().expect("four bytes were taken")))
}

/// A file's bytes, or only its first ones if they are not those of games: a device has no end.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let mut bytes = Vec::new();
    file.by_ref().take(2 * viriformat::BEGINNING as u64).read_to_end(&mut bytes)?;
    if bytes.starts_with(MAGIC) || viriformat::begins(&bytes) {
        file.read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

/// The blocks of a second file would count as games by the header of the first.
fn refuse_joined(bytes: &[u8], damage: &[Damage], path: &Path) -> Result<(), FormatError> {
    for &Damage { offset, bytes: length, .. } in damage {
        let mut inside = bytes[offset..offset + length].windows(MAGIC.len());
        if let Some(at) = inside.position(|seven| seven == MAGIC) {
            return Err(FormatError::Joined { path: path.into(), offset: offset + at });
        }
    }
    Ok(())
}

fn read_header(bytes: &[u8], path: &Path) -> Result<(Header, usize), FormatError> {
    let magic = bytes.get(..8).filter(|head| &head[..7] == MAGIC);
    let Some(&[.., found]) = magic else { return Err(FormatError::NotGames(path.into())) };
    if found != VERSION {
        return Err(FormatError::Version { path: path.into(), found });
    }
    let damaged = |why: String| FormatError::Header { path: path.into(), why };
    let cut = || damaged("the file ends inside it".into());
    let length = word(bytes, 8).ok_or_else(cut)? as usize;
    if length > LONGEST {
        return Err(damaged(format!("a length of {length} bytes")));
    }
    let text = bytes.get(12..12 + length).ok_or_else(cut)?;
    if word(bytes, 12 + length).ok_or_else(cut)? != crc32fast::hash(text) {
        return Err(damaged("its checksum is wrong".into()));
    }
    let header = serde_json::from_slice(text).map_err(|error| damaged(error.to_string()))?;
    Ok((header, 12 + length + 4))
}

/// The block that begins here, if a whole one does.
fn block_at(bytes: &[u8], at: usize) -> Option<Span> {
    if bytes.get(at..at + 4)? != MARKER {
        return None;
    }
    let length = word(bytes, at + 4)? as usize;
    let first = u64::from(word(bytes, at + 8)?) | u64::from(word(bytes, at + 12)?) << 32;
    let games = word(bytes, at + 16)?;
    let checksum = word(bytes, at + 20)?;
    let payload = at + BLOCK_HEAD..at.checked_add(BLOCK_HEAD + length)?;
    // Numbers that cannot be counted on from are damage, too.
    first.checked_add(u64::from(games) + 1)?;
    let sound =
        length <= LONGEST && super::writer::checksum(first, games, bytes.get(payload.clone())?) == checksum;
    sound.then_some(Span { first, games, payload })
}
