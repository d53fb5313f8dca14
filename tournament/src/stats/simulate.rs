//! Matches with a known truth: does a sequential test err as seldom as it promises, and how long does it take?
//!
//! Wald's bounds hold the stated error rates for a test that stops exactly at a bound. A real one oversteps it by a part of
//! a pair, so that it errs a little less than it may; the likelihoods here are besides maximized anew after every pair,
//! which Wald's proof knows nothing of. So the rates are measured: matches of independent pairs are drawn from the
//! distribution of a given shape that has exactly the Elo in question, and each is played until the test ends it.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::sprt::{Sprt, Verdict};
use super::{Distribution, Pairs};

/// What simulated matches came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Verdicts {
    /// Matches in which `elo0` was accepted.
    pub h0: u64,
    /// Matches in which `elo1` was accepted.
    pub h1: u64,
    /// Pairs played in all of them.
    pub pairs: u64,
}

impl Verdicts {
    /// Pairs per match; `NaN` without matches.
    #[must_use]
    pub fn mean_pairs(self) -> f64 {
        self.pairs as f64 / (self.h0 + self.h1) as f64
    }
}

/// Plays `matches` matches in which the true difference is `elo` (in the test's own kind of Elo). `shape`: pairs as they
/// come out between such players; of all distributions with the wanted Elo the one is taken that explains them best. The same seed gives the same matches.
pub fn simulate(test: &Sprt, elo: f64, shape: Pairs, matches: u64, seed: u64) -> Verdicts {
    simulate_by(test, elo, shape, matches, seed, |pairs| test.verdict(test.llr_of_pairs(pairs)))
}

/// The same with the test's verdict on so many pairs from elsewhere.
fn simulate_by(
    test: &Sprt,
    elo: f64,
    shape: Pairs,
    matches: u64,
    seed: u64,
    mut verdict: impl FnMut(Pairs) -> Verdict,
) -> Verdicts {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let probabilities = test.likeliest(&Distribution::regularized(&shape.0), elo, 2.0);
    let mut verdicts = Verdicts::default();
    for _ in 0..matches {
        let mut pairs = Pairs::default();
        loop {
            pairs.0[outcome(&probabilities, &mut rng)] += 1;
            match verdict(pairs) {
                Verdict::Continue => {}
                Verdict::H0 => break verdicts.h0 += 1,
                Verdict::H1 => break verdicts.h1 += 1,
            }
        }
        verdicts.pairs += pairs.count();
    }
    verdicts
}

/// The number of an outcome, drawn by its probability.
fn outcome(probabilities: &[f64], rng: &mut impl Rng) -> usize {
    let mut throw: f64 = rng.random();
    let found = probabilities.iter().position(|p| {
        throw -= p;
        throw < 0.0
    });
    // Probabilities sum to one but for rounding.
    found.unwrap_or(probabilities.len() - 1)
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use statrs::distribution::{Binomial, DiscreteCDF};

    use super::*;
    use crate::stats::sprt::Model;

    /// Wrong verdicts of a test at `elo0` and at `elo1`, over several seeds.
    fn wrong(test: &Sprt, matches: u64) -> [u64; 2] {
        let shape = Pairs([50, 200, 500, 200, 50]);
        // Most matches come by counts that another has come by: nearly all of the time would be fits of them.
        let mut known = HashMap::new();
        let mut verdict =
            |pairs: Pairs| *known.entry(pairs.0).or_insert_with(|| test.verdict(test.llr_of_pairs(pairs)));
        let mut wrong = [0, 0];
        for seed in 0..SEEDS {
            let mut play = |elo, seed| simulate_by(test, elo, shape, matches / SEEDS, seed, &mut verdict);
            let null = play(test.elo0, 2 * seed);
            let alternative = play(test.elo1, 2 * seed + 1);
            assert_eq!(null.h0 + null.h1 + alternative.h0 + alternative.h1, matches / SEEDS * 2);
            wrong[0] += null.h1;
            wrong[1] += alternative.h0;
        }
        wrong
    }

    const SEEDS: u64 = 4;
    const MATCHES: u64 = 4_000;

    /// Can a rate of `stated` explain so many wrong verdicts? Refused where it would bring as many in less than one of a
    /// million runs, so that a test that keeps its promise passes, whatever the seeds, with probability 0.999996.
    fn explained(wrong: u64, matches: u64, stated: f64) -> bool {
        let binomial = Binomial::new(stated, matches).unwrap();
        wrong == 0 || binomial.sf(wrong - 1) > 1e-6
    }

    /// Four thousand matches at each hypothesis and for each kind of Elo: no more wrong verdicts than the stated rate can
    /// bring, whatever the seeds (at 5 % up to 6.72 % of them), and no accident of a test that never errs.
    #[test]
    fn error_rates_keep_their_promise() {
        for (model, alpha, beta) in [(Model::Logistic, 0.05, 0.05), (Model::Normalized, 0.05, 0.1)] {
            let test = Sprt { elo0: 0.0, elo1: 80.0, alpha, beta, model };
            for (wrong, stated) in wrong(&test, MATCHES).into_iter().zip([alpha, beta]) {
                assert!(
                    explained(wrong, MATCHES, stated),
                    "{test:?}: {wrong} verdicts are wrong, not {stated}"
                );
                let seldom = (MATCHES as f64 * stated / 2.0) as u64;
                assert!(wrong > seldom, "{test:?}: {wrong}: a test that hardly errs wastes games");
            }
        }
    }

    /// The control: a test whose bounds allow twice the error is caught by the same measure.
    #[test]
    fn a_test_with_twice_the_error_is_caught() {
        let test = Sprt { elo0: 0.0, elo1: 80.0, alpha: 0.1, beta: 0.1, model: Model::Logistic };
        for wrong in wrong(&test, MATCHES) {
            assert!(explained(wrong, MATCHES, 0.1) && !explained(wrong, MATCHES, 0.05), "{wrong}");
        }
    }

    /// The outcomes are drawn as often as they should be.
    #[test]
    fn outcomes_follow_their_probabilities() {
        let probabilities = [0.1, 0.0, 0.6, 0.25, 0.05];
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut seen = [0u32; 5];
        (0..20_000).for_each(|_| seen[outcome(&probabilities, &mut rng)] += 1);
        for (count, p) in seen.into_iter().zip(probabilities) {
            let spread = (20_000.0 * p * (1.0 - p)).sqrt();
            assert!((f64::from(count) - 20_000.0 * p).abs() <= 4.0 * spread, "{seen:?}");
        }
    }
}
