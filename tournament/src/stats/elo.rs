//! Elo from a score, with its error; normalized Elo; likelihood of superiority.
//!
//! A score `s` is `400 log10(s / (1 - s))` Elo. The error is half the distance between the Elo of the two ends of the
//! score's 95 % interval, taken as normal: what the match runners print. With few pairs that is too narrow, so there is a
//! second interval: Student's quantile and the unbiased variance, carried over to Elo at a score that is drawn a little
//! towards a half (see [`ratings`](super::ratings), whose intervals are the same for two players).
//!
//! Normalized Elo (Michel Van den Bergh, *A practical introduction to normalized Elo*, cantate.be/Fishtest) divides the
//! score's lead by the standard deviation of a game, so that it measures how many games are needed to see a difference,
//! whatever the draw ratio. The runners print the error that it has with many games between equals. The second interval
//! also holds with few games, and where one is much stronger: the deviation is measured as well, and adds its part (the
//! delta method).

pub use figures::stats::Z95;

use figures::stats::student;
use serde::{Deserialize, Serialize};
use statrs::function::erf::erfc;

use super::ratings::{LEAST_GAMES, SOFTENING};
use super::{Distribution, Pairs, Wdl};

/// Normalized Elo per unit of normalized score: 800 / ln 10.
pub(crate) const NELO: f64 = 347.435_585_522_601_46;

/// What a match says about the difference between its players, from the first one's side.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// Points per game, 0..=1.
    pub score: f64,
    /// Elo difference; infinite at scores 0 and 1.
    pub elo: f64,
    /// Half of its interval in the normal approximation, as fastchess prints it; `NaN` where that has no end, or where
    /// nothing varies that would tell of chance.
    pub error: f64,
    /// Half of its 95 % interval, for any number of games; `NaN` below ten pairs, or where nothing varies.
    pub interval: f64,
    /// Normalized Elo.
    pub nelo: f64,
    /// Half of its interval in the normal approximation and between equals, as fastchess prints it; `NaN` where nothing
    /// varies.
    pub nelo_error: f64,
    /// Half of its 95 % interval; `NaN` where `interval` is.
    pub nelo_interval: f64,
    /// Likelihood of superiority, 0..=1: the chance that the first is the stronger, given the results. `None`
    /// where there is no interval: after a single game it would be 0 or 1.
    pub los: Option<f64>,
}

/// The score (0..1) that an Elo difference predicts.
#[must_use]
pub fn score_of(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// The Elo difference of a score; infinite at 0 and 1.
#[must_use]
pub fn elo_of(score: f64) -> f64 {
    -400.0 * (1.0 / score - 1.0).log10()
}

/// The standard normal distribution function.
pub(crate) fn normal_cdf(x: f64) -> f64 {
    erfc(-x / std::f64::consts::SQRT_2) / 2.0
}

/// From games taken one by one. `None` without games.
#[must_use]
pub fn from_games(wdl: Wdl) -> Option<Estimate> {
    let games = wdl.games() as f64;
    (games > 0.0).then(|| estimate(&Distribution::of_games(wdl), 1.0))
}

/// From pairs of games with the same opening. `None` without pairs.
#[must_use]
pub fn from_pairs(pairs: Pairs) -> Option<Estimate> {
    (pairs.count() > 0).then(|| estimate(&Distribution::of_pairs(pairs), 2.0))
}

fn estimate(observed: &Distribution, games_each: f64) -> Estimate {
    let (score, variance) = observed.moments();
    let deviation = (variance / observed.count).sqrt();
    let (low, high) = (score - Z95 * deviation, score + Z95 * deviation);
    let per_game = (variance * games_each).sqrt();
    let lead = score - 0.5;
    let interval = interval(observed, games_each);
    Estimate {
        score,
        elo: elo_of(score),
        interval,
        error: if variance > 0.0 { (elo_of(high) - elo_of(low)) / 2.0 } else { f64::NAN },
        nelo: lead / per_game * NELO,
        nelo_error: if variance > 0.0 { Z95 * NELO / (observed.count * games_each).sqrt() } else { f64::NAN },
        nelo_interval: if interval.is_nan() { interval } else { normalized_interval(observed, games_each) },
        los: interval.is_finite().then(|| normal_cdf(lead / deviation)),
    }
}

/// Half of the 95 % interval of the Elo difference.
fn interval(observed: &Distribution, games_each: f64) -> f64 {
    let (score, variance) = observed.moments();
    let (count, games) = (observed.count, observed.count * games_each);
    if games < LEAST_GAMES || variance <= 0.0 {
        return f64::NAN;
    }
    let nearer = (score * games + SOFTENING / 2.0) / (games + SOFTENING);
    let slope = 400.0 / std::f64::consts::LN_10 / (nearer * (1.0 - nearer));
    student(count - 1.0) * (variance / (count - 1.0)).sqrt() * slope
}

/// Half of the 95 % interval of normalized Elo, where the Elo difference has one.
///
/// To the first order the variance of a mean over a deviation, their quotient being `lead`, is that between equals
/// times `1 - lead * skewness + lead² (kurtosis - 1) / 4`. Skewness that a few games show by chance would make it too
/// small, so it does not make the interval narrower than between equals.
fn normalized_interval(observed: &Distribution, games_each: f64) -> f64 {
    let (score, variance) = observed.moments();
    let deviation = variance.sqrt();
    let standardized = |power: i32| -> f64 {
        observed.points.iter().map(|(value, p)| p * ((value - score) / deviation).powi(power)).sum()
    };
    let lead = (score - 0.5) / deviation;
    let more = 1.0 - lead * standardized(3) + lead * lead * (standardized(4) - 1.0) / 4.0;
    let freedom = observed.count - 1.0;
    student(freedom) * NELO * (more.max(1.0) / (freedom * games_each)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The values fastchess's own tests expect (Disservin/fastchess, app/tests/elo_test.cpp), given there to two decimals.
    #[test]
    fn as_fastchess_prints_it() {
        let near = |value: f64, printed: f64| {
            assert!((value - printed).abs() < 0.0051, "{value} is printed as {printed}");
        };
        let games = |wins, losses, draws| from_games(Wdl { wins, draws, losses }).unwrap();
        let one = games(76, 89, 123);
        near(one.nelo, -20.76);
        near(one.nelo_error, 40.13);
        near(one.los.unwrap() * 100.0, 15.53);
        let two = games(136, 96, 111);
        near(two.nelo, 49.77);
        near(two.nelo_error, 36.77);
        near(two.elo, 40.70);
        near(two.error, 30.43);
        near(two.los.unwrap() * 100.0, 99.60);
        let three = games(34, 356, 0);
        near(three.nelo, -508.44);
        near(three.nelo_error, 34.48);

        let pairs = |counts| from_pairs(Pairs(counts)).unwrap();
        let one = pairs([34, 54, 31 + 32, 64, 75]);
        near(one.nelo, 57.94);
        near(one.nelo_error, 28.28);
        near(one.elo, 55.58);
        near(one.error, 27.65);
        near(one.los.unwrap() * 100.0, 100.00);
        let two = pairs([332, 433, 457 + 41, 333, 334]);
        near(two.nelo, -9.17);
        near(two.nelo_error, 10.96);
        near(two.elo, -8.64);
        near(two.error, 10.33);
        near(two.los.unwrap() * 100.0, 5.05);
        let three = pairs([7895, 8757, 5485 + 200, 568, 9999]);
        near(three.nelo, -19.01);
        near(three.nelo_error, 2.65);
        near(three.elo, -21.04);
        near(three.error, 2.95);
    }

    #[test]
    fn score_and_elo_are_inverse() {
        for elo in [-800.0, -3.5, 0.0, 20.0, 400.0] {
            assert!((elo_of(score_of(elo)) - elo).abs() < 1e-9);
        }
        // Arpad Elo's table: 400 points are ten to one.
        assert!((score_of(400.0) - 10.0 / 11.0).abs() < 1e-12);
    }

    #[test]
    fn extremes_are_values_not_panics() {
        assert_eq!(from_games(Wdl::default()), None);
        let all = from_games(Wdl { wins: 5, ..Wdl::default() }).unwrap();
        assert!(all.elo.is_infinite() && all.los.is_none());
        let even = from_games(Wdl { draws: 5, ..Wdl::default() }).unwrap();
        assert!(even.los.is_none() && even.elo.abs() < 1e-12);
        assert!(
            even.interval.is_nan() && even.error.is_nan(),
            "five draws do not tell that all games are drawn"
        );
    }

    /// Who is better is not said from less than ten pairs, nor where all of them ended alike: one pair lost
    /// by half a point is no certainty. Of ten pairs, one of them won by half a point and nine drawn, the
    /// score has a lead of 1/40 and a variance of 1/16 (1/10 - 1/100) = 9/1600: 1/40 over its deviation, 3/40
    /// over the root of ten, is 1.054, and the normal distribution has 85.4 % below that.
    #[test]
    fn superiority_is_told_where_there_is_an_interval() {
        let pairs = |counts| from_pairs(Pairs(counts)).unwrap();
        for few in [[0, 1, 0, 0, 0], [0, 0, 8, 1, 0], [0, 0, 30, 0, 0], [0, 0, 0, 0, 30]] {
            assert!(pairs(few).los.is_none() && pairs(few).interval.is_nan(), "{few:?}");
        }
        assert_eq!(from_games(Wdl { wins: 1, ..Wdl::default() }).unwrap().los, None);
        let ten = pairs([0, 0, 9, 1, 0]);
        assert!((ten.los.unwrap() - 0.8541).abs() < 5e-5 && ten.interval.is_finite(), "{ten:?}");
    }
}
