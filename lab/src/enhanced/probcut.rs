//! ProbCut and Multi-ProbCut (Buro; F): a shallow search predicts a deep one.
//!
//! On sample positions the value of a deep search is close to a linear function of a shallow one's, `deep =
//! slope * shallow + offset`, with a normally distributed error. Having fitted that line, a search asks the
//! shallow question at a distance of `threshold` standard deviations from the window; the answer is taken for
//! the deep one. ProbCut uses one pair of depths, Multi-ProbCut several.
//!
//! The parameters are always our own: [`Fit::measure`] searches sample positions of the very game, to the
//! very horizon of the search that is to use them. Values that quiescence has settled scatter far less than
//! static ones, and the line of one kind of horizon is wrong for another.

use super::root::run;
use super::switches::Switches;
use crate::cores::on_all_cores;
use crate::node::{INFINITY, Node, Value, WIN};
use serde::Serialize;

/// How a shallow depth predicts a deep one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Pair {
    /// Plies of the search that decides.
    pub shallow: u32,
    /// Plies of the search that is decided about.
    pub deep: u32,
    /// Slope of the regression line.
    pub slope: f64,
    /// Its offset, in value units.
    pub offset: f64,
    /// Standard deviation of the deep values around the line.
    pub sigma: f64,
    /// How many positions were used.
    pub samples: usize,
}

/// Fitted pairs and the confidence asked for.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Fit {
    /// One pair for ProbCut, several for Multi-ProbCut; at most one for each deep depth.
    pub pairs: Vec<Pair>,
    /// Distance from the window in standard deviations (Buro used 1.5).
    pub threshold: f64,
}

/// Positions through which a line is drawn, at least. The standard deviation around a line through n points is known to
/// one part in the square root of 2 (n - 2): a sixth of it with 20 points, and next to nothing with three.
pub const MIN_SAMPLES: usize = 20;

/// Buro's choice of confidence.
pub const THRESHOLD: f64 = 1.5;

impl Pair {
    /// The shallow value from which on the deep one is believed to be at least `beta`.
    pub fn needed_above(&self, beta: Value, threshold: f64) -> Value {
        to_value(((f64::from(beta) + threshold * self.sigma - self.offset) / self.slope).ceil())
    }

    /// The shallow value down from which the deep one is believed to be at most `alpha`.
    pub fn needed_below(&self, alpha: Value, threshold: f64) -> Value {
        to_value(((f64::from(alpha) - threshold * self.sigma - self.offset) / self.slope).floor())
    }

    /// What the deep value is believed to be at least where the shallow one is `shallow`, in the same sense.
    /// No win: the line says nothing of wins.
    pub fn at_least(&self, shallow: Value, threshold: f64) -> Value {
        to_value((self.line(shallow) - threshold * self.sigma).floor()).min(WIN - 1)
    }

    /// What it is believed to be at most; no loss.
    pub fn at_most(&self, shallow: Value, threshold: f64) -> Value {
        to_value((self.line(shallow) + threshold * self.sigma).ceil()).max(1 - WIN)
    }

    fn line(&self, shallow: Value) -> f64 {
        self.slope * f64::from(shallow) + self.offset
    }
}

fn to_value(x: f64) -> Value {
    x.clamp(f64::from(1 - INFINITY), f64::from(INFINITY - 1)) as Value
}

impl Fit {
    /// Fits `depths`, pairs of shallow and deep, on `samples`, searched in full width to the horizon of
    /// `switches`, the contestant that will use the fit. Positions in which a side wins by force are left
    /// out, as their values obey no such line. Pairs without enough spread to fit, or with fewer than
    /// [`MIN_SAMPLES`] positions, are left out too.
    pub fn measure<N: Node>(samples: &[N], depths: &[(u32, u32)], switches: &Switches) -> Self {
        let full = switches.full_width();
        let fit = |&(shallow, deep): &(u32, u32)| {
            let value = |node: &N, depth| run(node, depth, &full, None).value;
            let found = on_all_cores(samples, |node| (value(node, shallow), value(node, deep)));
            let points: Vec<(f64, f64)> = found
                .into_iter()
                .filter(|(x, y)| x.abs() < WIN && y.abs() < WIN)
                .map(|(x, y)| (f64::from(x), f64::from(y)))
                .collect();
            regress(&points, shallow, deep)
        };
        Self { pairs: depths.iter().filter_map(fit).collect(), threshold: THRESHOLD }
    }
}

/// Least squares.
fn regress(points: &[(f64, f64)], shallow: u32, deep: u32) -> Option<Pair> {
    let n = points.len() as f64;
    let mean = |f: fn(&(f64, f64)) -> f64| points.iter().map(f).sum::<f64>() / n;
    let (mx, my) = (mean(|p| p.0), mean(|p| p.1));
    let sxx: f64 = points.iter().map(|p| (p.0 - mx).powi(2)).sum();
    let sxy: f64 = points.iter().map(|p| (p.0 - mx) * (p.1 - my)).sum();
    let slope = sxy / sxx;
    let offset = my - slope * mx;
    let error: f64 = points.iter().map(|p| (p.1 - slope * p.0 - offset).powi(2)).sum();
    let sigma = (error / (n - 2.0)).sqrt();
    let sound = points.len() >= MIN_SAMPLES && slope.is_finite() && slope > 0.05 && sigma.is_finite();
    sound.then_some(Pair { shallow, deep, slope, offset, sigma, samples: points.len() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_line_is_found_again() {
        // deep = 2 shallow + 5, errors +3 and -3 in turn.
        let points: Vec<(f64, f64)> = (0..100)
            .map(|i| (f64::from(i / 2), 2.0 * f64::from(i / 2) + 5.0 + if i % 2 == 0 { 3.0 } else { -3.0 }))
            .collect();
        let pair = regress(&points, 2, 4).unwrap();
        assert!((pair.slope - 2.0).abs() < 1e-9 && (pair.offset - 5.0).abs() < 1e-9);
        assert!((pair.sigma - 3.0).abs() < 0.05);
        assert_eq!(pair.needed_above(105, 0.0), 50);
        assert_eq!(pair.needed_below(105, 0.0), 50);
        assert!(pair.needed_above(105, 1.5) > 50 && pair.needed_below(105, 1.5) < 50);
        // The question turned round: from a shallow value to what it says of the deep one.
        for beta in [-90, 0, 105, 333] {
            let shallow = pair.needed_above(beta, 1.5);
            assert!(pair.at_least(shallow, 1.5) >= beta && pair.at_least(shallow - 1, 1.5) < beta, "{beta}");
            let shallow = pair.needed_below(beta, 1.5);
            assert!(pair.at_most(shallow, 1.5) <= beta && pair.at_most(shallow + 1, 1.5) > beta, "{beta}");
        }
        assert_eq!((pair.at_least(WIN, 1.5), pair.at_most(-WIN, 1.5)), (WIN - 1, 1 - WIN));
    }

    /// In chess a static horizon stops in the middle of exchanges; the two horizons must not share a fit.
    #[test]
    fn a_fit_belongs_to_a_horizon() {
        use crate::enhanced::Contestant;
        use crate::trees::positions::random_chess;
        let samples = random_chess(60, 7);
        let fit = |text: &str| {
            let contestant: Contestant = text.parse().unwrap();
            Fit::measure(&samples, &[(1, 2)], &contestant.switches).pairs[0]
        };
        let (fixed, quiet) = (fit("pvs+id+probcut"), fit("pvs+id+quiesce+probcut"));
        assert!(quiet.sigma < 0.8 * fixed.sigma, "{quiet:?} {fixed:?}");
        // By hand: the two values of each position, found by plain searches, must lie around the line as
        // told.
        let plain: Contestant = "alphabeta+quiesce".parse().unwrap();
        let value = |node, depth| f64::from(run(node, depth, &plain.switches, None).value);
        let errors: Vec<f64> = samples
            .iter()
            .map(|node| (value(node, 1), value(node, 2)))
            .filter(|(x, y)| x.abs() < f64::from(WIN) && y.abs() < f64::from(WIN))
            .map(|(x, y)| y - quiet.slope * x - quiet.offset)
            .collect();
        assert_eq!(errors.len(), quiet.samples);
        let sigma = (errors.iter().map(|e| e * e).sum::<f64>() / (errors.len() as f64 - 2.0)).sqrt();
        assert!((sigma - quiet.sigma).abs() < 1e-6, "{sigma} {}", quiet.sigma);
        assert!(errors.iter().sum::<f64>().abs() < 1e-6, "errors around a fitted line cancel");
    }

    #[test]
    fn no_line_is_drawn_through_one_point() {
        assert!(regress(&[(1.0, 1.0); 50], 2, 4).is_none());
        assert!(regress(&[], 2, 4).is_none());
    }

    #[test]
    fn a_line_needs_enough_points() {
        let points: Vec<(f64, f64)> = (0..20).map(|i| (f64::from(i), f64::from(2 * i))).collect();
        assert!(regress(&points, 2, 4).is_some_and(|pair| pair.samples == 20));
        assert!(regress(&points[1..], 2, 4).is_none());
    }
}
