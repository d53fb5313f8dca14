//! Positions to learn from, more than memory holds, in an order that is new in every epoch.
//!
//! Positions that fit the memory allowed stay there. More are dealt at random into *shards* on disk when they are read,
//! each small enough to be held: a shard is then a fair sample of all games, and the positions of a game are scattered
//! over all shards. An epoch takes the shards in an order of its own and shuffles each anew, so that neighbours in a
//! batch have nothing to do with each other. The order follows from the seed, the epoch and the number of shards alone.

use super::sample::{SAMPLE_BYTES, Sample};
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// Bytes of memory for each position of the shard that is being learnt from: the position, and its place in the order.
pub const BYTES_A_POSITION: usize = size_of::<Sample>() + size_of::<u32>();
/// Most bytes that are read from or written to a shard at once.
const BUFFER: usize = 1 << 16;
/// Least bytes that are written to a shard at once.
const LEAST_BUFFER: usize = 1 << 12;

/// Positions to learn from.
#[derive(Debug)]
pub struct Store {
    shards: Vec<Shard>,
}

#[derive(Debug)]
enum Shard {
    Memory(Vec<Sample>),
    /// A file without a name, which goes with the process however that ends.
    Disk {
        file: File,
        positions: usize,
    },
}

impl Shard {
    fn len(&self) -> usize {
        match self {
            Shard::Memory(samples) => samples.len(),
            Shard::Disk { positions, .. } => *positions,
        }
    }
}

/// All in memory.
impl From<Vec<Sample>> for Store {
    fn from(samples: Vec<Sample>) -> Self {
        Store { shards: vec![Shard::Memory(samples)] }
    }
}

impl Store {
    /// How many positions.
    pub fn len(&self) -> usize {
        self.shards.iter().map(Shard::len).sum()
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// In how many parts they lie.
    pub fn shards(&self) -> usize {
        self.shards.len()
    }
}

/// Deals positions into a store.
pub(super) struct Dealer {
    random: ChaCha8Rng,
    memory: Vec<Sample>,
    disk: Vec<(BufWriter<File>, usize)>,
}

impl Dealer {
    /// Into so many shards, at least one: one stays in memory, more lie in this folder. What waits to be written takes
    /// `memory` bytes at most, or 4 KiB a shard.
    ///
    /// # Errors
    /// When no file can be made there.
    pub fn new(shards: usize, memory: usize, folder: &Path) -> io::Result<Self> {
        let on_disk = if shards > 1 { shards } else { 0 };
        let buffer = (memory / shards).clamp(LEAST_BUFFER, BUFFER);
        let shard = || Ok((BufWriter::with_capacity(buffer, tempfile::tempfile_in(folder)?), 0));
        Ok(Dealer {
            // Which shard a position falls into need not differ between trainings: the order within does.
            random: ChaCha8Rng::seed_from_u64(shards as u64),
            memory: Vec::new(),
            disk: (0..on_disk).map(|_| shard()).collect::<io::Result<_>>()?,
        })
    }

    /// Deals some positions.
    ///
    /// # Errors
    /// When the disk is full.
    pub fn deal(&mut self, samples: &[Sample]) -> io::Result<()> {
        if self.disk.is_empty() {
            self.memory.extend_from_slice(samples);
            return Ok(());
        }
        for sample in samples {
            let shard = self.random.random_range(0..self.disk.len());
            let (file, positions) = &mut self.disk[shard];
            file.write_all(&sample.to_bytes())?;
            *positions += 1;
        }
        Ok(())
    }

    /// All that was dealt.
    ///
    /// # Errors
    /// When the disk is full.
    pub fn finish(self) -> io::Result<Store> {
        if self.disk.is_empty() {
            return Ok(Store::from(self.memory));
        }
        let shard = |(file, positions): (BufWriter<File>, usize)| {
            Ok(Shard::Disk { file: file.into_inner().map_err(io::IntoInnerError::into_error)?, positions })
        };
        Ok(Store { shards: self.disk.into_iter().map(shard).collect::<io::Result<_>>()? })
    }
}

/// The positions of an epoch, in its order.
pub struct Epoch<'s> {
    store: &'s Store,
    seed: u64,
    number: u64,
    /// The shards to come, in the epoch's order.
    left: std::vec::IntoIter<usize>,
    /// The shard begun.
    shard: usize,
    /// Its positions, if they came from disk.
    loaded: Vec<Sample>,
    /// Its order.
    order: Vec<u32>,
    /// Positions of it that are given out.
    given: usize,
}

impl<'s> Epoch<'s> {
    /// The epoch of this number, its first `skip` positions left out.
    ///
    /// # Errors
    /// When a shard cannot be read.
    pub fn new(store: &'s Store, seed: u64, number: u64, mut skip: u64) -> io::Result<Self> {
        let mut shards: Vec<usize> = (0..store.shards.len()).collect();
        shards.shuffle(&mut stream(seed, number, 0));
        let left = shards.into_iter();
        let (loaded, order) = (Vec::new(), Vec::new());
        let mut epoch = Epoch { store, seed, number, left, shard: 0, loaded, order, given: 0 };
        while let Some(shard) = epoch.left.next() {
            let length = store.shards[shard].len() as u64;
            if skip < length {
                epoch.begin(shard)?;
                epoch.given = skip as usize;
                break;
            }
            skip -= length;
        }
        Ok(epoch)
    }

    /// Puts the next positions into `batch`, so many or as many as there are left.
    ///
    /// # Errors
    /// When a shard cannot be read.
    pub fn next_batch(&mut self, size: usize, batch: &mut Vec<Sample>) -> io::Result<()> {
        batch.clear();
        while batch.len() < size {
            if self.given == self.order.len() {
                let Some(shard) = self.left.next() else { break };
                self.begin(shard)?;
                continue;
            }
            let end = self.order.len().min(self.given.saturating_add(size - batch.len()));
            let samples = match &self.store.shards[self.shard] {
                Shard::Memory(samples) => samples,
                Shard::Disk { .. } => &self.loaded,
            };
            batch.extend(self.order[self.given..end].iter().map(|&number| samples[number as usize]));
            self.given = end;
        }
        Ok(())
    }

    /// Makes a shard ready: its positions in memory, and their order.
    fn begin(&mut self, shard: usize) -> io::Result<()> {
        let length = self.store.shards[shard].len();
        if let Shard::Disk { file, positions } = &self.store.shards[shard] {
            load(file, *positions, &mut self.loaded)?;
        }
        self.order.clear();
        self.order.extend(0..length as u32);
        self.order.shuffle(&mut stream(self.seed, self.number, shard as u64 + 1));
        (self.shard, self.given) = (shard, 0);
        Ok(())
    }
}

/// Random numbers for a part of an epoch. Stream 0 made the first weights.
fn stream(seed: u64, epoch: u64, part: u64) -> ChaCha8Rng {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    random.set_stream((epoch + 1) << 32 | part);
    random
}

/// Reads the positions of a file over those that were there.
fn load(mut file: &File, positions: usize, samples: &mut Vec<Sample>) -> io::Result<()> {
    samples.clear();
    samples.reserve_exact(positions);
    file.seek(SeekFrom::Start(0))?;
    let mut buffer = vec![[0; SAMPLE_BYTES]; BUFFER / SAMPLE_BYTES];
    while samples.len() < positions {
        let count = buffer.len().min(positions - samples.len());
        file.read_exact(buffer[..count].as_flattened_mut())?;
        samples.extend(buffer[..count].iter().map(Sample::from_bytes));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess::Position;
    use std::collections::HashMap;

    /// So many positions that differ in their scores.
    fn samples(count: i32) -> Vec<Sample> {
        (0..count).map(|score| Sample::new(&Position::startpos(), score, 0.5)).collect()
    }

    fn store(count: i32, shards: usize) -> Store {
        let mut dealer =
            Dealer::new(shards, 1 << 20, &std::env::temp_dir()).expect("files can be made there");
        samples(count).chunks(7).for_each(|some| dealer.deal(some).expect("the disk has room"));
        dealer.finish().expect("the disk has room")
    }

    /// Where each position stands in an epoch that is read in batches of this size.
    fn places(store: &Store, epoch: u64, batch: usize, skip: u64) -> HashMap<[u8; SAMPLE_BYTES], usize> {
        let mut places = HashMap::new();
        let mut epoch = Epoch::new(store, 1, epoch, skip).expect("the shards can be read");
        let mut samples = Vec::new();
        loop {
            epoch.next_batch(batch, &mut samples).expect("the shards can be read");
            if samples.is_empty() {
                return places;
            }
            assert!(samples.len() == batch || places.len() + samples.len() + skip as usize == store.len());
            for sample in &samples {
                let before = places.insert(sample.to_bytes(), places.len());
                assert_eq!(before, None, "given out twice");
            }
        }
    }

    #[test]
    fn every_position_comes_once_an_epoch() {
        for (count, shards) in [(0, 1), (1000, 1), (1000, 6), (3, 6), (0, 3)] {
            let store = store(count, shards);
            assert_eq!((store.len(), store.shards()), (count as usize, shards));
            for epoch in 0..3 {
                assert_eq!(places(&store, epoch, 64, 0).len(), count as usize);
            }
        }
    }

    #[test]
    fn an_epoch_taken_up_anywhere_goes_on_as_it_would_have() {
        for shards in [1, 5] {
            let store = store(500, shards);
            let whole = places(&store, 2, 500, 0);
            for skip in 0..=500 {
                let rest = places(&store, 2, 33, skip as u64);
                assert_eq!(rest.len(), 500 - skip);
                assert!(rest.iter().all(|(sample, place)| whole[sample] == place + skip));
            }
        }
    }

    /// Neighbours in the files lie anywhere in an epoch, and elsewhere in the next: as of independent draws, their mean
    /// distance is a third of the whole. (From one epoch to the next shards move as wholes, of which there are few.)
    #[test]
    fn orders_are_as_good_as_independent() {
        let count = 20_000;
        for shards in [1, 10] {
            let store = store(count, shards);
            let places: Vec<Vec<f64>> = (0..2)
                .map(|epoch| {
                    let places = places(&store, epoch, 1000, 0);
                    samples(count).iter().map(|sample| places[&sample.to_bytes()] as f64).collect()
                })
                .collect();
            let third = |distances: f64| (distances / f64::from(count) / f64::from(count) * 3.0 - 1.0).abs();
            let neighbours = places[0].windows(2).map(|two| (two[0] - two[1]).abs()).sum();
            let epochs = places[0].iter().zip(&places[1]).map(|(a, b)| (a - b).abs()).sum();
            // Six standard deviations of the mean of 20,000 such distances are 0.03.
            assert!(third(neighbours) < 0.03, "{shards}: {neighbours}");
            assert!(shards > 1 || third(epochs) < 0.03, "{epochs}");
        }
    }
}
