//! The weights of a network as a file holds them, and whether they make one.
//!
//! The build script includes this file, to refuse what the program could not evaluate with: it uses nothing
//! else of the crate. [`mod@crate::format`] describes the bytes, [`mod@crate::network`] what the weights do.

/// How many inputs there are.
pub const FEATURES: usize = 768;
/// What stands for 1 in the hidden layer.
pub const QA: i32 = 255;
/// Lanes of a block.
pub(crate) const LANES: usize = 32;
/// Widest hidden layer.
pub(crate) const WIDEST: usize = 1024;
/// Most output layers.
pub(crate) const MOST_BUCKETS: usize = 8;
/// Largest output weight: `QA` times it still fits 16 bits, of which [`crate::Kernel`] makes use.
const LARGEST_OUTPUT: u16 = 128;
/// Most pieces on a board.
const PIECES: i32 = 32;

/// How files of networks begin.
pub const MAGIC: &[u8; 8] = b"FIRSTNET";
/// The version written, and the only one read.
pub const VERSION: u32 = 1;
/// Longest description, in bytes.
pub const LONGEST_DESCRIPTION: usize = 1 << 16;

/// Bytes before the description.
pub(crate) const HEADER: usize = 28;
/// Bytes of the checksum.
pub(crate) const CHECKSUM: usize = 4;

/// Bytes of the weights.
pub(crate) const fn body(hidden: usize, buckets: usize) -> usize {
    2 * FEATURES * hidden + 2 * hidden + buckets * (4 * hidden + 4)
}

/// Why weights do not make a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ShapeError {
    /// The width of the hidden layer is none that is supported.
    #[error("a hidden layer of {0}: it must be a multiple of 32 up to 1024")]
    Hidden(usize),
    /// The number of output layers is none that is supported.
    #[error("{0} output layers: there may be 1 to 8")]
    Buckets(usize),
    /// There are more or fewer weights than the shape says.
    #[error("{found} {what}, where the shape asks for {expected}")]
    Count {
        /// Which weights.
        what: &'static str,
        /// How many there should be.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// With these weights a sum can leave its integer.
    #[error("the weights of {what} {number} are so large that a sum could overflow")]
    Overflow {
        /// Which weights.
        what: &'static str,
        /// Of which unit, from 0.
        number: usize,
    },
}

/// The parts of a network, as a trainer exports them and the file format stores them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parameters {
    /// Width of the hidden layer, a multiple of 32 up to 1024.
    pub hidden: usize,
    /// How many output layers, 1 to 8.
    pub buckets: usize,
    /// `[input][hidden]`, in units of 1/[`QA`].
    pub feature_weights: Vec<i16>,
    /// `[hidden]`, in units of 1/[`QA`].
    pub feature_biases: Vec<i16>,
    /// `[bucket][own hidden, then the opponent's]`, in units of 1/[`QB`](crate::QB), within ±128.
    pub output_weights: Vec<i16>,
    /// `[bucket]`, in units of 1/([`QA`] [`QB`](crate::QB)).
    pub output_biases: Vec<i32>,
    /// Tells training runs apart: a checksum over the data and settings that the network was trained with.
    pub fingerprint: u32,
    /// The training run in words, at most 64 KiB.
    pub description: String,
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

impl Parameters {
    /// Reads weights from the bytes of a network's file and checks them.
    ///
    /// # Errors
    /// What is wrong with the bytes, the first thing found.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self, FormatError> {
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
        let parameters = Parameters {
            hidden,
            buckets,
            feature_weights: reader.i16s(FEATURES * hidden),
            feature_biases: reader.i16s(hidden),
            output_weights: reader.i16s(buckets * 2 * hidden),
            output_biases: (0..buckets).map(|_| reader.u32().cast_signed()).collect(),
            fingerprint,
            description: description.to_string(),
        };
        parameters.check()?;
        Ok(parameters)
    }

    /// Do they make a network?
    ///
    /// # Errors
    /// When the shape is not supported, the numbers of weights do not fit it, or a sum could leave its integer.
    pub(crate) fn check(&self) -> Result<(), ShapeError> {
        let Parameters { hidden, buckets, .. } = *self;
        if hidden == 0 || !hidden.is_multiple_of(LANES) || hidden > WIDEST {
            return Err(ShapeError::Hidden(hidden));
        }
        if !(1..=MOST_BUCKETS).contains(&buckets) {
            return Err(ShapeError::Buckets(buckets));
        }
        for (what, expected, found) in [
            ("input weights", FEATURES * hidden, self.feature_weights.len()),
            ("hidden biases", hidden, self.feature_biases.len()),
            ("output weights", 2 * hidden * buckets, self.output_weights.len()),
            ("output biases", buckets, self.output_biases.len()),
        ] {
            if expected != found {
                return Err(ShapeError::Count { what, expected, found });
            }
        }
        for (unit, &bias) in self.feature_biases.iter().enumerate() {
            let column = self.feature_weights[unit..].iter().step_by(hidden);
            let largest = column.map(|weight| i32::from(*weight).abs()).max().unwrap_or(0);
            if PIECES * largest + i32::from(bias).abs() > i32::from(i16::MAX) {
                return Err(ShapeError::Overflow { what: "hidden unit", number: unit });
            }
        }
        for (layer, weights) in self.output_weights.chunks(2 * hidden).enumerate() {
            let sum: i64 = weights.iter().map(|weight| i64::from(weight.unsigned_abs())).sum();
            let fits = weights.iter().all(|weight| weight.unsigned_abs() <= LARGEST_OUTPUT);
            if !fits || sum * i64::from(QA * QA) > i64::from(i32::MAX) {
                return Err(ShapeError::Overflow { what: "output layer", number: layer });
            }
        }
        Ok(())
    }
}
