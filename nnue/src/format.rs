//! The file of a network.
//!
//! Little endian throughout, no padding:
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `FIRSTNET` |
//! | 4 | version of this format, 1 |
//! | 4 | H, width of the hidden layer: a multiple of 32 up to 1024 |
//! | 4 | B, number of output layers: 1 to 8 |
//! | 4 | fingerprint of the training run |
//! | 4 | D, length of the description, at most 65,536 |
//! | D | the training run in words, UTF-8 |
//! | 2 * 768 * H | input weights, `[input][hidden]`, input numbers as in [`crate::features`] |
//! | 2 * H | hidden biases |
//! | 2 * B * 2 * H | output weights, `[layer][own hidden, then the opponent's]` |
//! | 4 * B | output biases |
//! | 4 | CRC-32 (IEEE) of everything before |
//!
//! Version 1 has QA = 255, QB = 64, scale 400, squared clipped units, and layers chosen by
//! `(pieces - 2) * B / 31`, as [`crate::Network`] says.

use crate::network::Network;
use crate::parameters::{CHECKSUM, HEADER, MOST_BUCKETS, Parameters, WIDEST, body};
use std::io::Read;
use std::path::{Path, PathBuf};

pub use crate::parameters::{FormatError, LONGEST_DESCRIPTION, MAGIC, VERSION};

/// No network is larger: reading stops here, whatever the file.
const LARGEST: usize = HEADER + LONGEST_DESCRIPTION + body(WIDEST, MOST_BUCKETS) + CHECKSUM;

/// Why a file could not be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// It could not be read.
    #[error("cannot read {}: {cause}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        cause: std::io::Error,
    },
    /// It does not hold a network.
    #[error("{}: {cause}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        cause: FormatError,
    },
}

impl Network {
    /// Reads a network from the bytes of a file.
    ///
    /// # Errors
    /// What is wrong with the bytes, the first thing found.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, FormatError> {
        Parameters::from_bytes(bytes).map(Network::of_checked)
    }

    /// The network as the bytes of a file. A description that is too long is cut off.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.content();
        bytes.extend(self.checksum().to_le_bytes());
        bytes
    }

    /// The bytes of a file without the checksum at their end.
    pub(crate) fn content(&self) -> Vec<u8> {
        let parameters = self.parameters();
        let end = parameters.description.floor_char_boundary(LONGEST_DESCRIPTION);
        let description = &parameters.description.as_bytes()[..end];
        let mut bytes = MAGIC.to_vec();
        let header = [VERSION, parameters.hidden as u32, parameters.buckets as u32];
        for number in header.into_iter().chain([parameters.fingerprint, description.len() as u32]) {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(description);
        for layer in [&parameters.feature_weights, &parameters.feature_biases, &parameters.output_weights] {
            bytes.extend(layer.iter().flat_map(|weight| weight.to_le_bytes()));
        }
        bytes.extend(parameters.output_biases.iter().flat_map(|bias| bias.to_le_bytes()));
        bytes
    }

    /// Reads a network from a file.
    ///
    /// # Errors
    /// When the file cannot be read or does not hold a network; the message names it.
    pub fn load(path: &Path) -> Result<Self, LoadError> {
        let read = || -> std::io::Result<Vec<u8>> {
            let mut bytes = Vec::new();
            // One byte more than the largest network shows a file that is too long without reading all of it.
            std::fs::File::open(path)?.take(LARGEST as u64 + 1).read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        let bytes = read().map_err(|cause| LoadError::Read { path: path.to_path_buf(), cause })?;
        Network::from_bytes(&bytes).map_err(|cause| LoadError::Format { path: path.to_path_buf(), cause })
    }
}
