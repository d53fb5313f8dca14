//! Reading files of games, torn and damaged ones too: whole, or block by block.

use super::codec::{decode, encode};
use super::writer::checksum;
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

    /// A copy, apart from the file's bytes.
    pub fn copied(self) -> CopiedBlock {
        CopiedBlock { first: self.first, games: self.games, payload: self.payload.to_vec() }
    }
}

/// A copy of a block.
#[derive(Debug)]
pub struct CopiedBlock {
    first: u64,
    games: u32,
    payload: Vec<u8>,
}

impl CopiedBlock {
    /// The block.
    pub fn block(&self) -> Block<'_> {
        Block { first: self.first, games: self.games, payload: &self.payload }
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
        let mut blocks = Vec::new();
        let walked = walk(&bytes[..], path, |at, block| {
            let payload = at..at + block.payload.len();
            blocks.push(Span { first: block.first, games: block.games, payload });
            Ok::<(), FormatError>(())
        })?;
        let Walked { header, damage, size } = walked;
        Ok(Reader { header: Some(header), damage, size, bytes, blocks })
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
    let (mut file, mut bytes) = begin(path)?;
    if bytes.starts_with(MAGIC) || viriformat::begins(&bytes) {
        file.read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

/// An open file, and as many of its first bytes as tell of what kind it is.
fn begin(path: &Path) -> io::Result<(File, Vec<u8>)> {
    let (mut file, mut bytes) = (File::open(path)?, Vec::new());
    file.by_ref().take(2 * viriformat::BEGINNING as u64).read_to_end(&mut bytes)?;
    Ok((file, bytes))
}

/// Hands on the whole blocks of a file, one after another, and returns what the file says of itself and what had to be
/// left out, as a [`Reader`] has them. One block is in memory at a time; a file in viriformat is read whole.
///
/// # Errors
/// As [`Reader::open`], after the blocks before the fault were handed on; and the first of `take`.
pub fn read_blocks<E: From<FormatError>>(
    path: &Path,
    mut take: impl FnMut(Block<'_>) -> Result<(), E>,
) -> Result<(Option<Header>, Vec<Damage>), E> {
    let fail = |cause| FormatError::Io { path: path.into(), cause };
    let (mut file, mut beginning) = begin(path).map_err(fail)?;
    if !beginning.starts_with(MAGIC) && viriformat::begins(&beginning) {
        file.read_to_end(&mut beginning).map_err(fail)?;
        let reader = Reader::from_bytes(beginning, path)?;
        reader.blocks().try_for_each(take)?;
        return Ok((reader.header, reader.damage));
    }
    let walked = walk(beginning.as_slice().chain(file), path, |_, block| take(block))?;
    Ok((Some(walked.header), walked.damage))
}

/// What was found in a file besides its whole blocks.
pub(super) struct Walked {
    pub(super) header: Header,
    pub(super) damage: Vec<Damage>,
    /// Bytes of the file.
    pub(super) size: usize,
}

impl Walked {
    /// Where the last whole block ends: what comes behind it is torn.
    pub(super) fn sound_end(&self) -> usize {
        let torn = self.damage.last().filter(|damage| damage.tail);
        torn.map_or(self.size, |damage| damage.offset)
    }
}

/// Hands on the whole blocks of a file of our own, each with the place of its games in the file. No more of it is in
/// memory than a block.
pub(super) fn walk<E: From<FormatError>>(
    source: impl Read,
    path: &Path,
    mut take: impl FnMut(usize, Block<'_>) -> Result<(), E>,
) -> Result<Walked, E> {
    let fail = |cause| FormatError::Io { path: path.into(), cause };
    let mut window = Window { source, bytes: Vec::new(), passed: 0, at: 0 };
    let length = word(window.ahead(12).map_err(fail)?, 8).unwrap_or(0) as usize;
    let (header, end) = read_header(window.ahead(12 + length.min(LONGEST) + 4).map_err(fail)?, path)?;
    window.pass(end);
    let mut damage = Vec::new();
    while !window.ahead(1).map_err(fail)?.is_empty() {
        let at = window.at + BLOCK_HEAD;
        match window.block().map_err(fail)? {
            Some(block) => {
                let length = BLOCK_HEAD + block.payload.len();
                take(at, block)?;
                window.pass(length);
            }
            None => damage.push(window.pass_damage(path)?),
        }
    }
    Ok(Walked { header, damage, size: window.at })
}

/// Least bytes that are read at once.
const CHUNK: usize = 1 << 16;

/// What has been read of a file and not been passed.
struct Window<R> {
    source: R,
    bytes: Vec<u8>,
    /// How many of them have been passed.
    passed: usize,
    /// Where in the file the first one stands that has not.
    at: usize,
}

impl<R: Read> Window<R> {
    /// The bytes from here on: so many or more, or all that there are.
    fn ahead(&mut self, count: usize) -> io::Result<&[u8]> {
        let missing = count.saturating_sub(self.bytes.len() - self.passed);
        if missing > 0 {
            self.bytes.drain(..self.passed);
            self.passed = 0;
            self.source.by_ref().take(missing.max(CHUNK) as u64).read_to_end(&mut self.bytes)?;
        }
        Ok(&self.bytes[self.passed..])
    }

    fn pass(&mut self, count: usize) {
        self.passed += count;
        self.at += count;
    }

    /// The block that begins here, if a whole one does.
    fn block(&mut self) -> io::Result<Option<Block<'_>>> {
        match length_of(self.ahead(BLOCK_HEAD)?) {
            Some(length) => Ok(block_of(self.ahead(BLOCK_HEAD + length)?)),
            None => Ok(None),
        }
    }

    /// Passes what is no whole block, up to the next one or to the end. A marker alone may be anything, a checksum is
    /// not. The blocks of a second file would count as games by the header of the first.
    fn pass_damage(&mut self, path: &Path) -> Result<Damage, FormatError> {
        let fail = |cause| FormatError::Io { path: path.into(), cause };
        let (offset, mut second) = (self.at, None);
        let tail = loop {
            let ahead = self.ahead(MAGIC.len()).map_err(fail)?;
            let is_second = ahead.starts_with(MAGIC);
            // Markers and files begin with the same letter.
            let next = ahead.iter().skip(1).position(|&byte| byte == MARKER[0]);
            let passed = next.map_or(ahead.len(), |between| between + 1);
            if is_second && second.is_none() {
                second = Some(self.at);
            }
            self.pass(passed);
            if self.ahead(1).map_err(fail)?.is_empty() {
                break true;
            }
            if self.block().map_err(fail)?.is_some() {
                break false;
            }
        };
        match second.filter(|at| at + MAGIC.len() <= self.at) {
            Some(offset) => Err(FormatError::Joined { path: path.into(), offset }),
            None => Ok(Damage { offset, bytes: self.at - offset, tail }),
        }
    }
}

/// Games of our own behind those in viriformat would be lost as damage.
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

/// How many bytes of games a block has, if one can begin with these bytes.
fn length_of(bytes: &[u8]) -> Option<usize> {
    let length = word(bytes, MARKER.len()).filter(|_| bytes.starts_with(MARKER))? as usize;
    (length <= LONGEST).then_some(length)
}

/// The block that these bytes begin with, if it is whole.
fn block_of(bytes: &[u8]) -> Option<Block<'_>> {
    let payload = bytes.get(BLOCK_HEAD..BLOCK_HEAD + length_of(bytes)?)?;
    let first = u64::from(word(bytes, 8)?) | u64::from(word(bytes, 12)?) << 32;
    let games = word(bytes, 16)?;
    // Numbers that cannot be counted on from are damage, too.
    first.checked_add(u64::from(games) + 1)?;
    (checksum(first, games, payload) == word(bytes, 20)?).then_some(Block { first, games, payload })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::{Opened, Writer};
    use crate::recipe::Recipe;
    use std::cell::Cell;

    /// Counts the bytes that are read of it.
    struct Counted<'a> {
        bytes: &'a [u8],
        read: &'a Cell<usize>,
    }

    impl Read for Counted<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let count = self.bytes.read(into)?;
            self.read.set(self.read.get() + count);
            Ok(count)
        }
    }

    /// A block of 64 games in so many bytes that no game is read from, all of them the first letter of a marker.
    fn block(first: u64, length: usize) -> Vec<u8> {
        let payload = vec![b'F'; length];
        let numbers = [first.to_le_bytes().as_slice(), &64u32.to_le_bytes()].concat();
        let checksum = crc32fast::hash(&[numbers.as_slice(), &payload].concat());
        let length = (length as u32).to_le_bytes();
        [b"FBGB".as_slice(), &length, &numbers, &checksum.to_le_bytes(), &payload].concat()
    }

    /// Of four hundred blocks one is damaged in its games, one in its marker, one so that it claims another megabyte,
    /// and the last is torn.
    #[test]
    fn a_long_file_is_read_block_by_block() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("games");
        let (engine, recipe) = ("firstborn test".to_owned(), Recipe::new(7, 1500));
        let header = Header { engine, commit: None, bench: 4711, network: None, recipe };
        drop(Writer::open(&path, &header).expect("it can be written"));
        let mut bytes = std::fs::read(&path).expect("it is there");
        let mut damage = Vec::new();
        for number in 0..400 {
            let mut block = block(64 * number, 8_000 + (number as usize * 7_919) % 16_000);
            let hit = [(100, BLOCK_HEAD + 5), (200, 0), (300, 6)].into_iter().find(|(hit, _)| *hit == number);
            if let Some((_, at)) = hit {
                block[at] ^= 0x10;
            }
            let tail = number == 399;
            if tail {
                block.truncate(5_000);
            }
            if tail || hit.is_some() {
                damage.push(Damage { offset: bytes.len(), bytes: block.len(), tail });
            }
            bytes.extend(block);
        }

        let (read, mut ahead, mut first_games) = (Cell::new(0), Vec::new(), Vec::new());
        let walked = walk(Counted { bytes: &bytes, read: &read }, &path, |at, block| {
            ahead.push(read.get() - at - block.payload.len());
            first_games.push(block.first);
            Ok::<(), FormatError>(())
        });
        let walked = walked.expect("its header is whole");
        assert_eq!((&walked.damage, walked.size), (&damage, bytes.len()));
        let whole: Vec<u64> = (0..399).filter(|number| number % 100 != 0 || *number == 0).collect();
        assert_eq!(first_games, whole.iter().map(|number| 64 * number).collect::<Vec<_>>());
        assert!(ahead[..298].iter().all(|&ahead| ahead <= CHUNK), "{ahead:?}");
        assert!(ahead.iter().all(|&ahead| ahead < bytes.len() / 4), "{ahead:?}, {} bytes", bytes.len());

        std::fs::write(&path, &bytes).expect("it can be written");
        let reader = Reader::open(&path).expect("its header is whole");
        assert_eq!((&reader.damage, reader.game_count(), reader.next_game()), (&damage, 396 * 64, 399 * 64));
        let opened = Writer::open(&path, &header).expect("it is its own");
        let Opened { writer, found, damage: told, .. } = &opened;
        assert_eq!((told, *found, writer.next_game()), (&damage, 396 * 64, 399 * 64));
        drop(opened);
        let left = std::fs::read(&path).expect("it is there");
        assert!(left == bytes[..damage[3].offset], "the torn block is cut off, and nothing else");
    }
}
