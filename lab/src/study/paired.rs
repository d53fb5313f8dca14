//! Two contestants on the same trees: how much more, or less, work the second one needs.
//!
//! Trees differ in size by orders of magnitude, so a sum is ruled by a few of them. Each tree's ratio counts
//! alike here: the geometric mean of the ratios, with the 95 % interval over the trees ([`figures::stats`]: of
//! fewer than ten Student's, else the bootstrap's), which says what other trees like these would have given.
//! The bootstrap has a fixed seed, so the same counts give the same interval everywhere.

use figures::stats::{Estimate, bootstrap, fisher, proportion};
use figures::table::signed;

/// Seed of every bootstrap in this room.
const SEED: u64 = 1;

/// The logarithms of a tree-by-tree ratio. A count of 0 is taken for 1.
pub fn logs(before: &[u64], after: &[u64]) -> Vec<f64> {
    let log = |count: u64| (count.max(1) as f64).ln();
    before.iter().zip(after).map(|(&before, &after)| log(after) - log(before)).collect()
}

/// By how many percent `after` lies above `before` on the same trees.
pub fn change(before: &[u64], after: &[u64]) -> Estimate {
    percent(&logs(before, after))
}

/// The mean of logarithms of ratios, one for each tree, as a change in percent.
pub fn percent(logs: &[f64]) -> Estimate {
    estimate(logs).map(|log| 100.0 * (log.exp() - 1.0))
}

/// The mean of one number for each tree.
pub fn estimate(values: &[f64]) -> Estimate {
    let groups: Vec<Vec<f64>> = values.iter().map(|&value| vec![value]).collect();
    bootstrap(&groups, SEED)
}

/// Tree by tree, the mean over several settings; every setting has the same trees.
pub fn mean_of(settings: &[Vec<f64>]) -> Vec<f64> {
    let trees = settings.iter().map(Vec::len).min().unwrap_or(0);
    let count = settings.len().max(1) as f64;
    (0..trees).map(|tree| settings.iter().map(|setting| setting[tree]).sum::<f64>() / count).collect()
}

/// How many of several things are so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// Those that are.
    pub part: u64,
    /// All of them.
    pub whole: u64,
}

impl Share {
    /// Counted.
    pub fn of(found: &[bool]) -> Self {
        Self { part: found.iter().filter(|&&found| found).count() as u64, whole: found.len() as u64 }
    }

    /// In percent, with the 95 % interval of a proportion.
    pub fn percent(self) -> Estimate {
        proportion(self.part, self.whole).map(|share| 100.0 * share)
    }

    /// How probable shares so different are if both are samples of one: Fisher's exact test.
    pub fn alike(self, other: Share) -> f64 {
        fisher([self.part, self.whole], [other.part, other.whole])
    }

    /// Is this share larger than the other one (or smaller), by that test at 5 %?
    pub fn above(self, other: Share) -> Option<bool> {
        let larger = self.part * other.whole > other.part * self.whole;
        (self.alike(other) < 0.05).then_some(larger)
    }
}

/// A change in words, as `-1.6 % [-3.9, +0.7]`; of one tree without an interval.
pub fn text(change: Estimate) -> String {
    let Estimate { mean, low, high } = change;
    if low.is_nan() {
        return format!("{} %", signed(mean, 1));
    }
    format!("{} % [{}, {}]", signed(mean, 1), signed(low, 1), signed(high, 1))
}

/// The two-sided sign test: how probable so uneven a split of `gained` and `lost` is if both were as likely.
pub fn sign_test(gained: u64, lost: u64) -> f64 {
    let (n, few) = (gained + lost, gained.min(lost));
    let term = |k: u64| (0..k).map(|i| ((n - i) as f64 / (i + 1) as f64).ln()).sum::<f64>();
    let tail: f64 = (0..=few).map(|k| (term(k) - n as f64 * std::f64::consts::LN_2).exp()).sum();
    (2.0 * tail).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_of_a_million_nodes_counts_as_much_as_one_of_ten() {
        // By sums the second needs twice as much; tree by tree a half, a half, and twice.
        let found = change(&[10, 20, 1_000_000], &[5, 10, 2_000_000]);
        assert!((found.mean - 100.0 * (0.5f64.powf(1.0 / 3.0) - 1.0)).abs() < 1e-9);
        assert_eq!(text(change(&[10, 20], &[5, 10])), "-50.0 % [-50.0, -50.0]");
        assert_eq!(text(change(&[30], &[28])), "-6.7 %");
        assert_eq!(
            text(change(&[100_000; 3], &[99_999; 3])),
            "+0.0 % [+0.0, +0.0]",
            "no minus before a zero"
        );
    }

    #[test]
    fn the_same_counts_give_the_same_interval() {
        let (before, after): (Vec<u64>, Vec<u64>) = (1..40).map(|n| (100 * n, 90 * n + n * n % 17)).unzip();
        assert_eq!(change(&before, &after), change(&before, &after));
    }

    #[test]
    fn settings_are_averaged_tree_by_tree() {
        assert_eq!(mean_of(&[vec![1.0, 2.0], vec![3.0, 6.0]]), [2.0, 4.0]);
        assert!(mean_of(&[]).is_empty());
    }

    #[test]
    fn shares_differ_by_fishers_test() {
        let share = |part, whole| Share { part, whole };
        assert_eq!(Share::of(&[true, false, false, true]), share(2, 4));
        // Bars of two intervals may overlap where the shares differ, and an interval of 0 to 0 is no proof.
        assert_eq!(share(0, 4).above(share(3, 30)), None);
        assert_eq!(share(35, 150).above(share(10, 110)), Some(true));
        assert_eq!(share(10, 110).above(share(35, 150)), Some(false));
        let none = share(0, 46).percent();
        assert!(none.low == 0.0 && (7.0..8.5).contains(&none.high), "{none:?}");
    }

    /// Against the binomial distribution by hand: 2 (1 + 10 + 45) / 1024 for 8 to 2.
    #[test]
    fn the_sign_test_by_hand() {
        assert!((sign_test(8, 2) - 112.0 / 1024.0).abs() < 1e-12);
        assert!((sign_test(0, 6) - 2.0 / 64.0).abs() < 1e-12);
        assert_eq!((sign_test(0, 0), sign_test(3, 3)), (1.0, 1.0));
    }
}
