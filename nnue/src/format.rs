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

use crate::features::FEATURES;
use crate::network::{MOST_BUCKETS, Network, Parameters, ShapeError, WIDEST};
use std::io::Read;
use std::path::{Path, PathBuf};

/// How files of networks begin.
pub const MAGIC: &[u8; 8] = b"FIRSTNET";
/// The version written, and the only one read.
pub const VERSION: u32 = 1;
/// Longest description, in bytes.
pub const LONGEST_DESCRIPTION: usize = 1 << 16;

/// Bytes before the description, and of the checksum.
const HEADER: usize = 28;
const CHECKSUM: usize = 4;
/// No network is larger: reading stops here, whatever the file.
const LARGEST: usize = HEADER + LONGEST_DESCRIPTION + body(WIDEST, MOST_BUCKETS) + CHECKSUM;

/// Bytes of the weights.
const fn body(hidden: usize, buckets: usize) -> usize {
    2 * FEATURES * hidden + 2 * hidden + buckets * (4 * hidden + 4)
}

/// Why bytes are not a network.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FormatError {
    /// They begin like something else.
    #[error("this is no network file: it does not begin with FIRSTNET")]
    Magic,
    /// They are of a version that this program does not know.
    #[error("the network file has version {0}, this program reads version {VERSION}")]
    Version(u32),
    /// They are too few or too many.
    #[error("the network file has {found} bytes where {expected} are due")]
    Length {
        /// How many there should be; at least so many, when the file ends inside the header.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// They were changed on the way.
    #[error("the network file is damaged: its checksum is {found:08x}, it should be {stored:08x}")]
    Checksum {
        /// What the file says.
        stored: u32,
        /// What its bytes give.
        found: u32,
    },
    /// The description is too long or not UTF-8.
    #[error("the network file's description is too long or not UTF-8")]
    Description,
    /// The weights do not make a network.
    #[error("the network file holds no usable network: {0}")]
    Shape(ShapeError),
}

impl From<ShapeError> for FormatError {
    fn from(cause: ShapeError) -> Self {
        FormatError::Shape(cause)
    }
}

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

/// Takes numbers off the front of bytes whose length has been checked.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> &'a [u8] {
        let (front, rest) = self.0.split_at(count);
        self.0 = rest;
        front
    }

    fn array<const N: usize>(&mut self) -> [u8; N] {
        self.take(N).try_into().expect("take returns as many as asked for")
    }

    fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.array())
    }

    fn i16s(&mut self, count: usize) -> Vec<i16> {
        self.take(2 * count).as_chunks().0.iter().map(|&bytes| i16::from_le_bytes(bytes)).collect()
    }
}

impl Network {
    /// Reads a network from the bytes of a file.
    ///
    /// # Errors
    /// What is wrong with the bytes, the first thing found.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, FormatError> {
        let found = bytes.len();
        if !bytes.starts_with(&MAGIC[..found.min(8)]) || found == 0 {
            return Err(FormatError::Magic);
        }
        if found < HEADER {
            return Err(FormatError::Length { expected: HEADER, found });
        }
        let mut reader = Reader(&bytes[MAGIC.len()..]);
        let version = reader.u32();
        if version != VERSION {
            return Err(FormatError::Version(version));
        }
        let [hidden, buckets] = [reader.u32() as usize, reader.u32() as usize];
        let fingerprint = reader.u32();
        let described = reader.u32() as usize;
        // Checked here as well as with the weights, so that the lengths below are sane.
        if hidden > WIDEST {
            return Err(ShapeError::Hidden(hidden).into());
        }
        if buckets > MOST_BUCKETS {
            return Err(ShapeError::Buckets(buckets).into());
        }
        if described > LONGEST_DESCRIPTION {
            return Err(FormatError::Description);
        }
        let expected = HEADER + described + body(hidden, buckets) + CHECKSUM;
        if found != expected {
            return Err(FormatError::Length { expected, found });
        }
        let (content, checksum) = bytes.split_at(found - CHECKSUM);
        let (stored, computed) = (Reader(checksum).u32(), crc32fast::hash(content));
        if stored != computed {
            return Err(FormatError::Checksum { stored, found: computed });
        }
        let description = str::from_utf8(reader.take(described)).map_err(|_| FormatError::Description)?;
        Ok(Network::new(Parameters {
            hidden,
            buckets,
            feature_weights: reader.i16s(FEATURES * hidden),
            feature_biases: reader.i16s(hidden),
            output_weights: reader.i16s(buckets * 2 * hidden),
            output_biases: (0..buckets).map(|_| reader.u32().cast_signed()).collect(),
            fingerprint,
            description: description.to_string(),
        })?)
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
