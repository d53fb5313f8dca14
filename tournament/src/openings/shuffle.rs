//! In which order a book's openings are used.
//!
//! Our own shuffle, and those of fastchess and cutechess-cli, so that the same seed gives the same openings
//! there and here. Both draw, for every place from the first on, one of the openings that are left (Fisher
//! and Yates), by the remainder of a random number: fastchess by the 64-bit Mersenne Twister (Matsumoto and
//! Nishimura; `std::mt19937_64` of C++), cutechess-cli by a 32-bit one of its own that differs from the
//! published one in a single bit.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rand_mt::Mt64;

/// In which order a book's openings are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// As they stand in the file.
    Sequential,
    /// Shuffled by the seed.
    Random(u64),
    /// Shuffled by the seed as fastchess does.
    Fastchess(u64),
    /// Shuffled by the seed as cutechess-cli does.
    Cutechess(u32),
}

impl Order {
    /// The numbers below `count` in this order.
    pub(super) fn of(self, count: usize) -> Vec<u32> {
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        let mut order: Vec<u32> = (0..count).collect();
        match self {
            Self::Sequential => {}
            Self::Random(seed) => order.shuffle(&mut ChaCha8Rng::seed_from_u64(seed)),
            Self::Fastchess(seed) => {
                let mut twister = Mt64::new(seed);
                shuffle(&mut order, || twister.next_u64());
            }
            Self::Cutechess(seed) => {
                let mut twister = CutechessTwister::new(seed);
                shuffle(&mut order, || twister.draw().into());
            }
        }
        order
    }
}

/// Gives every place but the last one of those that are left, by a random number's remainder.
fn shuffle(order: &mut [u32], mut random: impl FnMut() -> u64) {
    let count = order.len() as u64;
    for place in 0..count.saturating_sub(1) {
        let chosen = place + random() % (count - place);
        order.swap(place as usize, chosen as usize);
    }
}

/// Numbers in the state of a 32-bit Mersenne Twister.
const STATE: usize = 624;
/// How far ahead in the state the number is with which another one is mixed.
const AHEAD: usize = 397;

/// cutechess-cli's random numbers: MT19937, except that a new number takes the *lowest* bit of the old one in its place
/// where the published generator takes the highest.
#[derive(Debug, Clone)]
pub struct CutechessTwister {
    state: Vec<u32>,
    at: usize,
}

impl CutechessTwister {
    /// The generator of a seed.
    #[must_use]
    pub fn new(seed: u32) -> Self {
        let mut state = Vec::with_capacity(STATE);
        let mut last = seed;
        state.push(last);
        for index in 1..STATE as u32 {
            last = 1_812_433_253_u32.wrapping_mul(last ^ (last >> 30)).wrapping_add(index);
            state.push(last);
        }
        Self { state, at: STATE }
    }

    /// The next number.
    pub fn draw(&mut self) -> u32 {
        if self.at == STATE {
            self.renew();
        }
        let mut y = self.state[self.at];
        self.at += 1;
        y ^= y >> 11;
        y ^= (y << 7) & 0x9d2c_5680;
        y ^= (y << 15) & 0xefc6_0000;
        y ^ (y >> 18)
    }

    fn renew(&mut self) {
        for k in 0..STATE {
            let y = (self.state[k] & 1) + (self.state[(k + 1) % STATE] & 0x7fff_ffff);
            let odd = if y & 1 == 1 { 0x9908_b0df } else { 0 };
            self.state[k] = self.state[(k + AHEAD) % STATE] ^ (y >> 1) ^ odd;
        }
        self.at = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The 10000th number of `std::mt19937_64` with its default seed, as the C++ standard gives it ([rand.predef]).
    #[test]
    fn the_twister_is_the_standards() {
        let mut twister = Mt64::new(5489);
        let last = (0..10_000).map(|_| twister.next_u64()).last();
        assert_eq!(last, Some(9_981_545_732_273_789_042));
    }

    #[test]
    fn every_order_is_a_permutation() {
        for order in [Order::Sequential, Order::Random(7), Order::Fastchess(7), Order::Cutechess(7)] {
            for count in [0, 1, 2, 700] {
                let mut numbers = order.of(count);
                numbers.sort_unstable();
                assert_eq!(numbers, (0..count as u32).collect::<Vec<_>>(), "{order:?}");
            }
        }
    }
}
