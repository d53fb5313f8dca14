//! Two results side by side: this one's speed-ups over another's, team by team.
//!
//! Teams meet by scheme and threads whatever their clocks, so that a simulated study may be held against a real one.
//! Only positions that both have searched count, and they are resampled together: what makes a position easy to search
//! in parallel is the same in both and must not widen the interval. Repeats are drawn in each by itself.

use super::plan::{ClockKind, Team};
use super::result::Study;
use super::rows::{Factors, Pairs};
use super::stats::{RESAMPLES, mean, quantile};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use smp::scheme::Scheme;

/// One team in both results.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Compared {
    /// The scheme.
    #[serde(with = "super::sample::by_name")]
    pub scheme: Scheme,
    /// Its threads.
    pub threads: usize,
    /// This result's clock.
    pub clock: ClockKind,
    /// The other result's clock.
    pub against: ClockKind,
    /// This result's speed-up over the common positions.
    pub speedup: f64,
    /// The other's.
    pub speedup_against: f64,
    /// The first over the second.
    pub ratio: f64,
    /// Its 95 % interval.
    pub ratio_low: f64,
    /// Its 95 % interval.
    pub ratio_high: f64,
    /// Node overhead ratio: (1 + overhead) of this over that of the other.
    pub work_ratio: f64,
    /// Positions in common.
    pub positions: usize,
}

/// Every team that both have, but for one thread alone.
pub fn compare(new: &Study, old: &Study) -> Vec<Compared> {
    let teams = new.rows.iter().map(|row| row.team()).filter(|&(scheme, _)| scheme != Scheme::Serial);
    teams.filter_map(|team| compare_team(new, old, team)).collect()
}

fn compare_team(new: &Study, old: &Study, team: Team) -> Option<Compared> {
    let pairs = Pairs::new(&new.samples, team, new.setting.goal);
    let others = Pairs::new(&old.samples, team, old.setting.goal);
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for (id, factors) in pairs.positions.iter().zip(&pairs.factors) {
        // By name and by what stands on the board: two files may call different positions 1.
        let same = |other: &str| other == *id && fen(new, id) == fen(old, id);
        if let Some(place) = others.positions.iter().position(|other| same(other)) {
            ours.push(factors.clone());
            theirs.push(others.factors[place].clone());
        }
    }
    if ours.is_empty() {
        return None;
    }
    let logs = |groups: &[Vec<Factors>], factor: fn(&Factors) -> f64| -> Vec<Vec<f64>> {
        groups.iter().map(|group| group.iter().map(factor).collect()).collect()
    };
    let speedups = (logs(&ours, |f| f.speedup), logs(&theirs, |f| f.speedup));
    let (speedup, speedup_against) = (mean(&speedups.0).exp(), mean(&speedups.1).exp());
    let (low, high) = interval(&speedups.0, &speedups.1, new.setting.seed);
    let work_ratio = (mean(&logs(&ours, |f| f.work)) - mean(&logs(&theirs, |f| f.work))).exp();
    Some(Compared {
        scheme: team.0,
        threads: team.1,
        clock: new.setting.clock,
        against: old.setting.clock,
        speedup,
        speedup_against,
        ratio: speedup / speedup_against,
        ratio_low: low.exp(),
        ratio_high: high.exp(),
        work_ratio,
        positions: ours.len(),
    })
}

fn fen<'s>(study: &'s Study, id: &str) -> Option<&'s str> {
    study.searched.iter().find(|searched| searched.id == id).map(|searched| searched.fen.as_str())
}

/// The 95 % interval of the difference of the means of logarithms, positions drawn in pairs.
fn interval(ours: &[Vec<f64>], theirs: &[Vec<f64>], seed: u64) -> (f64, f64) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut difference = || {
        let place = random.random_range(0..ours.len());
        draw(&ours[place], &mut random) - draw(&theirs[place], &mut random)
    };
    let mut differences: Vec<f64> = (0..RESAMPLES)
        .map(|_| (0..ours.len()).map(|_| difference()).sum::<f64>() / ours.len() as f64)
        .collect();
    differences.sort_by(f64::total_cmp);
    (quantile(&differences, 0.025), quantile(&differences, 0.975))
}

/// The mean of as many draws as there are values.
fn draw(values: &[f64], random: &mut ChaCha8Rng) -> f64 {
    let drawn = (0..values.len()).map(|_| values[random.random_range(0..values.len())]);
    drawn.sum::<f64>() / values.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scaling::fake::{Fake, study};
    use crate::scaling::fits::Amdahl;

    #[test]
    fn a_better_engine_compares_as_better() {
        let fake = |serial_fraction| Fake { law: Amdahl { serial_fraction, error: 0.0 }, left: None };
        let (old, new) = (study(&mut fake(0.2)), study(&mut fake(0.1)));
        let compared = compare(&new, &old);
        assert_eq!(compared.len(), new.rows.len() - 1);
        for row in &compared {
            // Amdahl: (1 + 0.2 (n - 1)) / (1 + 0.1 (n - 1)); at two threads 1.2 / 1.1.
            let n = row.threads as f64 - 1.0;
            let wanted = (1.0 + 0.2 * n) / (1.0 + 0.1 * n);
            assert!((row.ratio / wanted - 1.0).abs() < 1e-3, "{row:?}");
            assert!(row.ratio_low < row.ratio + 1e-9 && row.ratio < row.ratio_high + 1e-9, "{row:?}");
            assert!((row.work_ratio - 1.0).abs() < 1e-3 && row.positions == 24, "{row:?}");
        }
    }

    /// Positions differ widely, the difference between the two results does not: the interval is narrow.
    #[test]
    fn what_positions_have_in_common_does_not_widen_the_interval() {
        let ours: Vec<Vec<f64>> = (0..24).map(|i| vec![f64::from(i) / 10.0 + 0.05]).collect();
        let theirs: Vec<Vec<f64>> = (0..24).map(|i| vec![f64::from(i) / 10.0]).collect();
        let (low, high) = interval(&ours, &theirs, 1);
        assert!((low - 0.05).abs() < 1e-9 && (high - 0.05).abs() < 1e-9, "{low} {high}");
    }

    #[test]
    fn positions_that_only_share_a_name_do_not_meet() {
        let mut fake = Fake { law: Amdahl { serial_fraction: 0.2, error: 0.0 }, left: None };
        let old = study(&mut fake);
        let mut new = old.clone();
        for searched in &mut new.searched {
            searched.fen = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1".into();
        }
        assert_eq!(compare(&new, &old), []);
    }
}
