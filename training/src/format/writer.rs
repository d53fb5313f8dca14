//! Writing files of games, so that a kill at any moment costs the games of one block at most.

use super::codec::encode;
use super::reader::walk;
use super::{BLOCK_GAMES, Damage, FormatError, Header, MAGIC, MARKER, VERSION};
use crate::game::Game;
use crate::recipe::Recipe;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use sys::lock::Locked;
use sys::output::is_at;

/// An open file of games, a regular one or the null device. Dropping it without [`Writer::finish`] loses the games of
/// the block begun.
#[derive(Debug)]
pub struct Writer {
    file: Locked,
    path: PathBuf,
    payload: Vec<u8>,
    /// The number of the first game in `payload`.
    first: u64,
    games: u32,
}

/// A file opened for writing, and what was found in it.
#[derive(Debug)]
pub struct Opened {
    /// Writes behind what was there.
    pub writer: Writer,
    /// What the file says of itself: what was asked for, or without the network's mark if the file is older than that.
    pub header: Header,
    /// Games that are there already.
    pub found: u64,
    /// What is not whole. A torn tail has been cut off.
    pub damage: Vec<Damage>,
}

impl Writer {
    /// Opens a file to append to, or begins it. Games of the same engine and recipe continue the sequence;
    /// a file whose header is torn, or that is all zeros, is begun anew. What is there is read block by block.
    ///
    /// # Errors
    /// When the file cannot be written, holds something else or games of another making, or another process
    /// writes to it.
    pub fn open(path: &Path, header: &Header) -> Result<Opened, FormatError> {
        let fail = |cause: io::Error| FormatError::Io { path: path.into(), cause };
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(fail)?;
        let file = sys::lock::lock(file).map_err(|error| match error {
            TryLockError::WouldBlock => FormatError::Busy(path.into()),
            TryLockError::Error(error) => fail(error),
        })?;
        let mut opened = Opened {
            writer: Writer { file, path: path.into(), payload: Vec::new(), first: 0, games: 0 },
            header: header.clone(),
            found: 0,
            damage: Vec::new(),
        };
        let file = &mut opened.writer.file;
        let length = file.metadata().map_err(fail)?.len();
        let begun = header_bytes(header);
        if is_torn(file, &begun).map_err(fail)? {
            if length > 0 {
                file.set_len(0).and_then(|()| file.rewind()).map_err(fail)?;
                opened.damage.push(Damage { offset: 0, bytes: length as usize, tail: true });
            }
            file.write_all(&begun).map_err(fail)?;
            return Ok(opened);
        }
        file.rewind().map_err(fail)?;
        let (mut found, mut next) = (0, 0);
        let walked = walk(&**file, path, |_, block| {
            found += u64::from(block.games);
            next = block.end().max(next);
            Ok::<(), FormatError>(())
        })?;
        let differences = differences(&walked.header, header);
        if !differences.is_empty() {
            return Err(FormatError::Foreign { path: path.into(), differences });
        }
        file.set_len(walked.sound_end() as u64).map_err(fail)?;
        file.seek(SeekFrom::End(0)).map_err(fail)?;
        (opened.writer.first, opened.found) = (next, found);
        (opened.header, opened.damage) = (walked.header, walked.damage);
        Ok(opened)
    }

    /// The number of the game to be added next.
    pub fn next_game(&self) -> u64 {
        self.first + u64::from(self.games)
    }

    /// Adds a game. It is on disk once its block is full, or after [`Writer::finish`].
    ///
    /// # Errors
    /// When the disk is full or the game cannot be written; the games before it are kept. Or when the file was removed,
    /// replaced or written by something else.
    pub fn add(&mut self, game: &Game) -> Result<(), FormatError> {
        let before = self.payload.len();
        if let Err(error) = encode(game, &mut self.payload) {
            self.payload.truncate(before);
            return Err(error.into());
        }
        self.games += 1;
        if self.games >= BLOCK_GAMES { self.flush() } else { Ok(()) }
    }

    /// Writes the block begun, in one piece.
    fn flush(&mut self) -> Result<(), FormatError> {
        if self.games == 0 {
            return Ok(());
        }
        self.check_place()?;
        let mut block = Vec::with_capacity(super::BLOCK_HEAD + self.payload.len());
        block.extend_from_slice(MARKER);
        block.extend_from_slice(&(self.payload.len() as u32).to_le_bytes());
        block.extend_from_slice(&self.first.to_le_bytes());
        block.extend_from_slice(&self.games.to_le_bytes());
        block.extend_from_slice(&checksum(self.first, self.games, &self.payload).to_le_bytes());
        block.extend_from_slice(&self.payload);
        self.file.write_all(&block).map_err(|cause| FormatError::Io { path: self.path.clone(), cause })?;
        self.first = self.next_game();
        self.games = 0;
        self.payload.clear();
        Ok(())
    }

    /// Refuses to write where the next run would not find it: the file was removed, replaced or changed. Under the
    /// header of another file games would count as those of its recipe.
    fn check_place(&mut self) -> Result<(), FormatError> {
        let fail = |cause| FormatError::Io { path: self.path.clone(), cause };
        let found = self.file.metadata().map_err(fail)?;
        // The null device keeps nothing.
        if !found.is_file()
            || (found.len() == self.file.stream_position().map_err(fail)? && is_at(&self.path, &found))
        {
            return Ok(());
        }
        Err(fail(io::Error::other("it was removed, replaced or written by something else")))
    }

    /// Writes what is left and makes sure that it is on disk.
    ///
    /// # Errors
    /// When the disk is full, or the file was removed, replaced or written by something else.
    pub fn finish(mut self) -> Result<(), FormatError> {
        self.flush()?;
        self.check_place()?;
        match self.file.sync_all() {
            // The null device keeps nothing.
            Err(cause) if cause.kind() == io::ErrorKind::InvalidInput => Ok(()),
            Err(cause) => Err(FormatError::Io { path: self.path.clone(), cause }),
            Ok(()) => Ok(()),
        }
    }
}

/// Is this what is left of a file whose writer was killed before all of this header was on disk? Some
/// systems keep the length of what they lose, and fill it with zeros.
fn is_torn(mut file: &File, header: &[u8]) -> io::Result<bool> {
    let mut beginning = Vec::new();
    file.take(header.len() as u64).read_to_end(&mut beginning)?;
    if beginning.len() < header.len() && header.starts_with(&beginning) {
        return Ok(true);
    }
    file.rewind()?;
    for byte in BufReader::new(file).bytes() {
        if byte? != 0 {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The checksum of a block: CRC-32 over the first game's number, the count and the games.
pub(super) fn checksum(first: u64, games: u32, payload: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&first.to_le_bytes());
    hasher.update(&games.to_le_bytes());
    hasher.update(payload);
    hasher.finalize()
}

fn header_bytes(header: &Header) -> Vec<u8> {
    let text = serde_json::to_vec(header).expect("a header is plain data with text keys");
    let mut bytes = MAGIC.to_vec();
    bytes.push(VERSION);
    bytes.extend_from_slice(&(text.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&text);
    bytes.extend_from_slice(&crc32fast::hash(&text).to_le_bytes());
    bytes
}

/// In what the making of two files differs, in words.
fn differences(found: &Header, wanted: &Header) -> Vec<String> {
    let mut differences = Vec::new();
    if found.engine != wanted.engine {
        differences.push(format!("engine {} instead of {}", found.engine, wanted.engine));
    }
    if found.bench != wanted.bench {
        differences.push(format!("a search of signature {} instead of {}", found.bench, wanted.bench));
    }
    // A file that names no network says by the signature which it was.
    if let (Some(found), Some(wanted)) = (found.network, wanted.network)
        && !found.fits(wanted)
    {
        let [found, wanted] =
            [found, wanted].map(|mark| format!("{:08x}/{:08x}", mark.fingerprint, mark.checksum));
        differences.push(format!("network {found} instead of {wanted}"));
    }
    let [found, wanted] = [found, wanted].map(|header| words(&header.recipe));
    let keys: BTreeSet<&String> = found.keys().chain(wanted.keys()).collect();
    let show = |value: Option<&Value>| value.map_or("none".into(), Value::to_string);
    for key in keys.into_iter().filter(|&key| found.get(key) != wanted.get(key)) {
        differences.push(format!("{key} {} instead of {}", show(found.get(key)), show(wanted.get(key))));
    }
    differences
}

/// A recipe as words and their values.
fn words(recipe: &Recipe) -> serde_json::Map<String, Value> {
    match serde_json::to_value(recipe) {
        Ok(Value::Object(words)) => words,
        _ => unreachable!("a recipe is a plain struct"),
    }
}
