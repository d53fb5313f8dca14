//! The state of a training on disk, so that a killed one can go on.
//!
//! `FIRSTRUN`, a version (4 bytes), the length of a JSON header (4) and the header, then the parameters and the
//! optimiser's two means as 32-bit floats, and a CRC-32 of everything before; little endian. The file is replaced
//! in one step (see [`sys::output`]), so that there is always a whole one.

use super::Settings;
use super::adamw::AdamW;
use super::model::{BLOCK, Model, Shape, Units};
use super::run::{Epoch, State};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use sys::output::{OutputError, Place};

const MAGIC: &[u8; 8] = b"FIRSTRUN";
const VERSION: u32 = 2;
/// Bytes before the header.
const PREFIX: usize = 16;
const CHECKSUM: usize = 4;

/// What is not a vector of floats.
#[derive(Serialize, Deserialize)]
struct Header {
    settings: Settings,
    fingerprint: u32,
    epochs: Vec<Epoch>,
    batch: u64,
    squares: f64,
    steps: u64,
}

/// Why a checkpoint is of no use.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// It cannot be written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// It cannot be read.
    #[error("cannot read the checkpoint {}: {cause}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        cause: std::io::Error,
    },
    /// It is no checkpoint, or a damaged one.
    #[error("{} is not a checkpoint of a training, or damaged", .0.display())]
    Damaged(PathBuf),
    /// It was made with other settings or other data.
    #[error("{} belongs to a training with other settings or other data; use another file to begin anew", .0.display())]
    Foreign(PathBuf),
}

/// Writes the state of a training.
///
/// # Errors
/// When the file cannot be written, or another training has written its state there meanwhile; the older one is kept.
pub fn save(
    place: &Place,
    settings: &Settings,
    fingerprint: u32,
    state: &State,
) -> Result<(), CheckpointError> {
    let is_foreign = |found: Header| found.settings != *settings || found.fingerprint != fingerprint;
    if header_of(place.path()).is_some_and(is_foreign) {
        return Err(CheckpointError::Foreign(place.path().into()));
    }
    let header = Header {
        settings: settings.clone(),
        fingerprint,
        epochs: state.epochs.clone(),
        batch: state.batch,
        squares: state.squares,
        steps: state.adam.steps,
    };
    let header = serde_json::to_vec(&header).expect("a header is plain data with text keys");
    let mut bytes = MAGIC.to_vec();
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend((header.len() as u32).to_le_bytes());
    bytes.extend(header);
    for values in [&state.model.values, &state.adam.mean, &state.adam.square] {
        bytes.extend(values.iter().flat_map(|units| units.0).flat_map(f32::to_le_bytes));
    }
    let checksum = crc32fast::hash(&bytes);
    bytes.extend(checksum.to_le_bytes());
    Ok(place.write(&bytes)?)
}

/// Reads the state of a training with these settings on data of this fingerprint.
///
/// # Errors
/// When the file cannot be read, is damaged or no regular one, or belongs to another training.
pub fn load(place: &Place, settings: &Settings, fingerprint: u32) -> Result<State, CheckpointError> {
    let path = place.path();
    let damaged = || CheckpointError::Damaged(path.into());
    if place.is_stream() {
        // Of a pipe we are a writer ourselves, and would wait for our own bytes.
        return Err(damaged());
    }
    let bytes = whole(path).map_err(|cause| CheckpointError::Io { path: path.into(), cause })?;
    let (header, floats) = split(&bytes).ok_or_else(damaged)?;
    if header.settings != *settings || header.fingerprint != fingerprint {
        return Err(CheckpointError::Foreign(path.into()));
    }
    let shape = Shape { hidden: settings.hidden, buckets: settings.buckets };
    let values: Vec<f32> = floats.as_chunks().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect();
    let (rows, rest) = values.as_chunks::<BLOCK>();
    if rows.len() != 3 * shape.all_rows() || !rest.is_empty() || floats.len() != 4 * values.len() {
        return Err(damaged());
    }
    let part = |number: usize| -> Vec<Units> {
        rows[number * shape.all_rows()..][..shape.all_rows()].iter().copied().map(Units).collect()
    };
    Ok(State {
        model: Model { shape, values: part(0) },
        adam: AdamW { steps: header.steps, mean: part(1), square: part(2) },
        epochs: header.epochs.into_iter().map(with_loss).collect(),
        batch: header.batch,
        squares: header.squares,
    })
}

/// Older versions wrote 0 for the loss of a validation set without games.
fn with_loss(epoch: Epoch) -> Epoch {
    Epoch { held_out: epoch.held_out.filter(|&loss| loss > 0.0), ..epoch }
}

/// The bytes of a file, of one that does not begin as a checkpoint only the first: a device has no end.
fn whole(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let mut bytes = Vec::new();
    file.by_ref().take(MAGIC.len() as u64).read_to_end(&mut bytes)?;
    if bytes == MAGIC {
        file.read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

/// The header of a checkpoint that is there.
fn header_of(path: &Path) -> Option<Header> {
    let mut file = File::open(path).ok()?;
    let mut prefix = [0; PREFIX];
    file.read_exact(&mut prefix).ok()?;
    let (known, length) = prefix.split_last_chunk()?;
    let expected = [&MAGIC[..], &VERSION.to_le_bytes()].concat();
    let mut header = Vec::new();
    file.take(u32::from_le_bytes(*length).into()).read_to_end(&mut header).ok()?;
    if known == expected { serde_json::from_slice(&header).ok() } else { None }
}

/// Header and floats, if the bytes are whole.
fn split(bytes: &[u8]) -> Option<(Header, &[u8])> {
    let word = |at: usize| -> Option<u32> {
        Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().expect("four bytes were taken")))
    };
    let end = bytes.len().checked_sub(CHECKSUM)?;
    if !bytes.starts_with(MAGIC) || word(8)? != VERSION || word(end)? != crc32fast::hash(&bytes[..end]) {
        return None;
    }
    let content = bytes.get(PREFIX..end)?;
    let (header, floats) = content.split_at_checked(word(12)? as usize)?;
    Some((serde_json::from_slice(header).ok()?, floats))
}
