//! Geometric means and their bootstrap intervals; proportions and their exact ones; the quantiles of intervals.
//!
//! Ratios are averaged by their logarithms. The interval is the percentile interval of the two-level bootstrap (Efron
//! and Tibshirani, An Introduction to the Bootstrap, 1993; Davison and Hinkley 1997, section 3.8, for nested data): a
//! resample draws as many positions as there are, with replacement, and for each position drawn as many of its repeats.
//! So it is an interval of the mean over very many positions like these, each searched very often. That of the mean
//! over very many searches of the same positions is made from the standard error of a stratified sample (Cochran,
//! Sampling Techniques, 1977, chapter 5). Two such samples may differ by the root of 2 times as much.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;
use statrs::distribution::{Beta, ContinuousCDF, StudentsT};
use statrs::stats_tests::Alternative;
use statrs::stats_tests::fisher::fishers_exact;

/// Resamples drawn.
const RESAMPLES: usize = 2000;

/// Half the width of a 95 % interval in standard deviations: 2.5 % of the normal distribution lie above.
pub const Z95: f64 = 1.959_963_984_540_054;

/// Degrees of freedom above which Student's quantile is that of the normal distribution with a correction.
const NEARLY_NORMAL: f64 = 1e4;

/// A mean and its 95 % interval. Fewer than two groups have no interval: its ends are NaN, `null` in JSON.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// 2.5th percentile.
    pub low: f64,
    /// 97.5th percentile.
    pub high: f64,
}

impl Estimate {
    /// Both ends and the mean through the same increasing function.
    pub fn map(self, f: impl Fn(f64) -> f64) -> Self {
        Estimate { mean: f(self.mean), low: f(self.low), high: f(self.high) }
    }
}

/// The mean over positions of the mean over repeats; `groups` holds the repeats position by position, none of them empty.
pub fn mean(groups: &[Vec<f64>]) -> f64 {
    average(groups.iter().map(|group| mean_of(group)))
}

fn mean_of(values: &[f64]) -> f64 {
    average(values.iter().copied())
}

fn average(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len().max(1) as f64;
    values.sum::<f64>() / count
}

/// The mean of logarithms, back in the unit of the ratios: a geometric mean with its interval.
pub fn geometric(groups: &[Vec<f64>], seed: u64) -> Estimate {
    bootstrap(groups, seed).map(f64::exp)
}

/// Fewer groups than these have too few different resamples: of two the extremes are drawn half of the time.
pub const FEW: usize = 10;

/// The mean with its interval: of few groups by Student's distribution of their means, else by the bootstrap. The same
/// seed draws the same resamples.
pub fn bootstrap(groups: &[Vec<f64>], seed: u64) -> Estimate {
    let value = |place: usize| mean_of(&groups[place]);
    estimate(groups.len(), seed, value, |place, random| redrawn(&groups[place], random))
}

/// The same of the difference of two means. The groups at one place belong together: they are drawn in pairs, the
/// repeats within each by themselves.
pub fn difference(ours: &[Vec<f64>], theirs: &[Vec<f64>], seed: u64) -> Estimate {
    let value = |place: usize| mean_of(&ours[place]) - mean_of(&theirs[place]);
    let redraw = |place: usize, random: &mut ChaCha8Rng| {
        redrawn(&ours[place], random) - redrawn(&theirs[place], random)
    };
    estimate(ours.len(), seed, value, redraw)
}

/// The mean over so many groups, each of which has a value, and another one whenever it is drawn.
fn estimate(
    count: usize,
    seed: u64,
    value: impl Fn(usize) -> f64,
    redraw: impl Fn(usize, &mut ChaCha8Rng) -> f64,
) -> Estimate {
    let values: Vec<f64> = (0..count).map(value).collect();
    let mean = mean_of(&values);
    if count < 2 {
        return Estimate { mean, low: f64::NAN, high: f64::NAN };
    }
    if count < FEW {
        let half = half_of_few(&values, mean);
        return Estimate { mean, low: mean - half, high: mean + half };
    }
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut resample = || {
        average((0..count).map(|_| {
            let place = random.random_range(0..count);
            redraw(place, &mut random)
        }))
    };
    let mut means: Vec<f64> = (0..RESAMPLES).map(|_| resample()).collect();
    means.sort_by(f64::total_cmp);
    Estimate { mean, low: quantile(&means, 0.025), high: quantile(&means, 0.975) }
}

/// Half the 95 % interval of the mean of two values or more.
fn half_of_few(values: &[f64], mean: f64) -> f64 {
    let (count, free) = (values.len() as f64, values.len() as f64 - 1.0);
    let squares = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
    student(free) * (squares / free / count).sqrt()
}

/// The point of Student's distribution that 2.5 % lie above; `NaN` without a degree of freedom.
pub fn student(freedom: f64) -> f64 {
    // Where the distribution is all but normal the search for the quantile loses digits, and at last does not end.
    if freedom > NEARLY_NORMAL {
        return student_near_normal(freedom);
    }
    StudentsT::new(0.0, 1.0, freedom).map_or(f64::NAN, |t| t.inverse_cdf(0.975))
}

/// The same where there are many degrees of freedom: the beginning of its expansion about the normal quantile
/// (Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.5).
fn student_near_normal(freedom: f64) -> f64 {
    let z = Z95;
    let first = (z.powi(3) + z) / 4.0;
    let second = (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / 96.0;
    z + first / freedom + second / freedom.powi(2)
}

/// Half the 95 % interval of the mean over very many repeats of the same positions: by the spread of repeats, the same
/// for every position, and no spread of positions. Two runs may differ by 1.4 times as much. `None` where no position
/// has two repeats.
pub fn error_of_same_set(groups: &[Vec<f64>]) -> Option<f64> {
    let free: usize = groups.iter().map(|group| group.len().saturating_sub(1)).sum();
    if free == 0 {
        return None;
    }
    let squares = groups.iter().flat_map(|group| {
        let centre = mean_of(group);
        group.iter().map(move |value| (value - centre).powi(2))
    });
    let variance = squares.sum::<f64>() / free as f64;
    let weights: f64 = groups.iter().map(|group| 1.0 / group.len() as f64).sum();
    let error = (variance * weights).sqrt() / groups.len() as f64;
    Some(student(free as f64) * error)
}

/// The share of `part` in `whole` with the exact 95 % interval of Clopper and Pearson (1934): wide where all or none
/// are, where resampling says that nothing could be otherwise. Of nothing, the share may be anything.
pub fn proportion(part: u64, whole: u64) -> Estimate {
    let quantile = |a: u64, b: u64, share: f64| match Beta::new(a as f64, b as f64) {
        Ok(beta) => beta.inverse_cdf(share),
        // At an end of the scale, which the interval then reaches.
        Err(_) => f64::from(u8::from(b == 0)),
    };
    let mean = part as f64 / whole.max(1) as f64;
    Estimate {
        mean,
        low: quantile(part, whole - part + 1, 0.025),
        high: quantile(part + 1, whole - part, 0.975),
    }
}

/// Fisher's exact test, two-sided: how probable shares so different, or more so, are if both are samples of one. Each
/// is given as part and whole.
pub fn fisher([part, whole]: [u64; 2], [other_part, other_whole]: [u64; 2]) -> f64 {
    let table = [part, other_part, whole - part, other_whole - other_part];
    // An empty row or column says nothing.
    fishers_exact(&table, Alternative::TwoSided).unwrap_or(1.0)
}

/// The mean of as many draws as there are values.
fn redrawn(values: &[f64], random: &mut ChaCha8Rng) -> f64 {
    average((0..values.len()).map(|_| values[random.random_range(0..values.len())]))
}

/// The quantile of sorted values, between neighbours by proportion. There is at least one value.
pub fn quantile(sorted: &[f64], share: f64) -> f64 {
    let place = share * (sorted.len() - 1) as f64;
    let (below, above) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    below + (above - below) * place.fract()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_geometric_mean_by_hand() {
        // Repeats 1 and 4 make 2; that and 8 make 4. Pooled, the three would make 3.17.
        let groups = [vec![1f64.ln(), 4f64.ln()], vec![8f64.ln()]];
        assert!((geometric(&groups, 1).mean - 4.0).abs() < 1e-12);
    }

    #[test]
    fn quantiles_lie_between_neighbours() {
        let sorted = [1.0, 2.0, 3.0, 4.0, 5.0];
        assert_eq!([0.0, 0.25, 0.4, 1.0].map(|q| quantile(&sorted, q)), [1.0, 2.0, 2.6, 5.0]);
    }

    /// Tables of the interval: 0, 1, 5 and all of 10. And by its definition: at the lower end, so many or more have a
    /// probability of 2.5 %, at the upper end so many or fewer.
    #[test]
    fn proportions_have_the_intervals_of_clopper_and_pearson() {
        for (part, low, high) in
            [(0, 0.0, 0.3085), (1, 0.0025, 0.4450), (5, 0.1871, 0.8129), (10, 0.6915, 1.0)]
        {
            let found = proportion(part, 10);
            assert!((found.low - low).abs() < 1e-4 && (found.high - high).abs() < 1e-4, "{part}: {found:?}");
            assert!((found.mean - part as f64 / 10.0).abs() < 1e-12);
        }
        let at_least = |part: u64, whole: u64, p: f64| -> f64 {
            let choose = |k: u64| (0..k).map(|i| (whole - i) as f64 / (i + 1) as f64).product::<f64>();
            (part..=whole).map(|k| choose(k) * p.powi(k as i32) * (1.0 - p).powi((whole - k) as i32)).sum()
        };
        for (part, whole) in [(3, 46), (46, 110), (59, 60)] {
            let found = proportion(part, whole);
            assert!((at_least(part, whole, found.low) - 0.025).abs() < 1e-6, "{found:?}");
            assert!((1.0 - at_least(part + 1, whole, found.high) - 0.025).abs() < 1e-6, "{found:?}");
        }
        assert_eq!((proportion(0, 46).low, proportion(60, 60).high), (0.0, 1.0));
        assert!(
            proportion(0, 46).high > 0.05 && proportion(60, 60).low < 0.95,
            "none and all are not certain"
        );
        assert_eq!((proportion(0, 0).low, proportion(0, 0).high), (0.0, 1.0));
    }

    /// The lady tasting tea (Fisher 1935): all four right have a probability of 1 in 70 on either side, three 16 more.
    #[test]
    fn fishers_test_tastes_tea() {
        assert!((fisher([4, 4], [0, 4]) - 2.0 / 70.0).abs() < 1e-9);
        assert!((fisher([3, 4], [1, 4]) - 34.0 / 70.0).abs() < 1e-9);
        assert!((fisher([2, 4], [2, 4]) - 1.0).abs() < 1e-9);
        assert_eq!((fisher([0, 5], [0, 9]), fisher([0, 0], [3, 9])), (1.0, 1.0));
    }

    #[test]
    fn one_position_says_nothing_of_others() {
        for (groups, mean) in [(vec![], 0.0), (vec![vec![0.5]], 0.5), (vec![vec![1.0, 3.0]], 2.0)] {
            let found = bootstrap(&groups, 1);
            assert!(found.mean == mean && found.low.is_nan() && found.high.is_nan(), "{found:?}");
        }
    }

    /// Student's table: 95 % lie within 12.706, 4.303 and 2.306 with one, two and eight degrees of freedom. The numbers
    /// from 0 up to so many have a variance of count (count + 1) / 12.
    #[test]
    fn few_positions_have_students_interval() {
        for (count, within) in [(2u32, 12.706), (3, 4.303), (9, 2.306)] {
            let groups: Vec<Vec<f64>> = (0..count).map(|value| vec![f64::from(value)]).collect();
            let half = within * (f64::from(count + 1) / 12.0).sqrt();
            let Estimate { mean, low, high } = bootstrap(&groups, 1);
            assert_eq!(mean, f64::from(count - 1) / 2.0);
            assert!((high - mean - half).abs() < 1e-3 && (mean - low - half).abs() < 1e-3, "{low} {high}");
        }
    }

    /// Both ways to the quantile agree where they meet, as far as the search for it is exact, and with printed tables.
    #[test]
    fn students_quantile_is_one_function() {
        for freedom in [1e3, 3e3, NEARLY_NORMAL] {
            let (searched, expanded) = (student(freedom), student_near_normal(freedom));
            assert!((searched - expanded).abs() < 1e-7, "{freedom}: {searched} {expanded}");
        }
        // 120 degrees of freedom: 1.97993. As many as a match of 16 million pairs has, and of ten to the 18th.
        assert!((student_near_normal(120.0) - 1.97993).abs() < 6e-6);
        assert!((student(1.6e7) - 1.959_964_1).abs() < 1e-7 && (student(1e18) - 1.959_963_98).abs() < 1e-8);
        assert!(student(0.0).is_nan());
    }

    /// By hand: the differences are tenths of 0 to 3, which have a variance of 5/3, and Student's quantile for three
    /// degrees of freedom is 3.182. The bootstrap's interval would hold the truth in 79 of 100 cases.
    #[test]
    fn few_pairs_have_students_interval() {
        let ours: Vec<Vec<f64>> = [0.0, 0.1, 0.2, 0.3].map(|more| vec![1.0 + more, 1.0 + more]).to_vec();
        let Estimate { mean, low, high } = difference(&ours, &vec![vec![1.0]; 4], 1);
        let half = 3.182 * 0.1 * (5.0_f64 / 3.0 / 4.0).sqrt();
        assert!((mean - 0.15).abs() < 1e-9, "{mean}");
        assert!((mean - low - half).abs() < 1e-4 && (high - mean - half).abs() < 1e-4, "{low} {high}");
    }

    /// Positions differ widely, the difference between the two results does not: the interval is narrow.
    #[test]
    fn what_pairs_have_in_common_does_not_widen_the_interval() {
        let ours: Vec<Vec<f64>> = (0..24).map(|i| vec![f64::from(i) / 10.0 + 0.05]).collect();
        let theirs: Vec<Vec<f64>> = (0..24).map(|i| vec![f64::from(i) / 10.0]).collect();
        let Estimate { low, high, .. } = difference(&ours, &theirs, 1);
        assert!((low - 0.05).abs() < 1e-9 && (high - 0.05).abs() < 1e-9, "{low} {high}");
    }

    /// Two standard normal draws: Box and Muller (1958).
    fn normals(random: &mut ChaCha8Rng) -> [f64; 2] {
        let (u, v): (f64, f64) = (1.0 - random.random::<f64>(), random.random());
        let (radius, angle) = ((-2.0 * u.ln()).sqrt(), std::f64::consts::TAU * v);
        [radius * angle.cos(), radius * angle.sin()]
    }

    /// Positions differ by 0.3, repeats by 0.1 around a known mean: the 95 % interval must hold it about as often as
    /// it says. The percentile interval of 24 positions is known to be a little narrow (by sqrt(23/24) and the
    /// difference between t and normal: 93.5 %), the resampled repeats make it a little wide.
    #[test]
    fn the_interval_covers_the_truth_as_often_as_it_says() {
        let mut random = ChaCha8Rng::seed_from_u64(5);
        let (truth, trials) = (0.6, 300);
        let mut covered = 0;
        for trial in 0..trials {
            let groups: Vec<Vec<f64>> = (0..24)
                .map(|_| {
                    let position = truth + 0.3 * normals(&mut random)[0];
                    (0..3).map(|_| position + 0.1 * normals(&mut random)[0]).collect()
                })
                .collect();
            let found = bootstrap(&groups, trial);
            covered += u64::from(found.low <= truth && truth <= found.high);
        }
        let share = covered as f64 / trials as f64;
        assert!((0.90..=0.98).contains(&share), "{share}");
    }

    /// The same positions, measured anew with other noise: the mean must fall within the error of the true one about as
    /// often as it says, however much positions differ and whatever the number of repeats of each.
    #[test]
    fn the_error_of_the_same_set_covers_as_often_as_it_says() {
        let mut random = ChaCha8Rng::seed_from_u64(7);
        let positions: Vec<f64> = (0..12).map(|_| 2.0 * normals(&mut random)[0]).collect();
        let truth = average(positions.iter().copied());
        let trials = 1000;
        let mut covered = 0;
        for _ in 0..trials {
            let groups: Vec<Vec<f64>> = (0..positions.len())
                .map(|i| (0..1 + i % 3).map(|_| positions[i] + 0.3 * normals(&mut random)[0]).collect())
                .collect();
            let error = error_of_same_set(&groups).unwrap();
            covered += u64::from((mean(&groups) - truth).abs() <= error);
        }
        let share = covered as f64 / trials as f64;
        assert!((0.93..=0.97).contains(&share), "{share}");
    }

    #[test]
    fn one_repeat_says_nothing_of_another_run() {
        assert_eq!(error_of_same_set(&[vec![1.0], vec![2.0]]), None);
        assert_eq!(error_of_same_set(&[]), None);
    }

    /// The interval's width against the formula of the standard error.
    #[test]
    fn the_interval_is_as_wide_as_the_standard_error_says() {
        let mut random = ChaCha8Rng::seed_from_u64(11);
        let groups: Vec<Vec<f64>> = (0..200).map(|_| vec![normals(&mut random)[0]]).collect();
        let n = groups.len() as f64;
        let centre = mean(&groups);
        let variance = groups.iter().map(|group| (group[0] - centre).powi(2)).sum::<f64>() / n;
        let expected = 2.0 * 1.96 * (variance / n).sqrt();
        let found = bootstrap(&groups, 3);
        assert!(((found.high - found.low) / expected - 1.0).abs() < 0.06, "{found:?} {expected}");
    }
}
