//! Two laws that speed-ups may follow, fitted to a scheme's row of thread counts.
//!
//! * Amdahl (1967): `S = n / (1 + s (n - 1))` with the serial fraction `s`; however many threads, `S < 1/s`.
//! * The Universal Scalability Law (Gunther 1993; Guerrilla Capacity Planning, 2007, chapter 4):
//!   `S = n / (1 + s (n - 1) + k n (n - 1))`. The term with `k`, what every thread pays for every other, makes the
//!   curve turn: the most is reached at `n = sqrt((1 - s) / k)`.
//!
//! Both are linear in their parameters once written as `n/S - 1 = s (n - 1) + k n (n - 1)`, so least squares has a
//! closed form. Each residual is weighted by `S/n`, which makes it `1 - S/law`, the error relative to the law:
//! unweighted, the few rows with many threads would decide alone. Parameters below 0 have no meaning and are held at 0.
//! One thread has a speed-up of 1 by both laws, whatever their parameters: such a point tells nothing of them, nor how
//! well they fit.

use serde::Serialize;

/// A point to fit: threads and speed-up.
pub type Point = (f64, f64);

/// Amdahl's law.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Amdahl {
    /// The share of the work that only one thread can do, 0 to 1.
    pub serial_fraction: f64,
    /// Root mean square of the relative errors with more than one thread; `None` of a single point.
    pub error: Option<f64>,
}

/// The Universal Scalability Law.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Usl {
    /// Contention: the linear term.
    pub contention: f64,
    /// Coherency: the quadratic term.
    pub coherency: f64,
    /// Threads at which the curve turns; `None` if it does not.
    pub peak: Option<f64>,
    /// Root mean square of the relative errors with more than one thread; `None` of two points.
    pub error: Option<f64>,
}

impl Amdahl {
    const PARAMETERS: usize = 1;

    /// The law at `n` threads.
    pub fn speedup(&self, n: f64) -> f64 {
        law(n, self.serial_fraction, 0.0)
    }

    /// The fit; `None` without a point beyond one thread.
    pub fn fit(points: &[Point]) -> Option<Self> {
        let sums = Sums::new(points, relative)?;
        let serial_fraction = (sums.xy / sums.xx).clamp(0.0, 1.0);
        Some(Amdahl { serial_fraction, error: error(points, (serial_fraction, 0.0), Self::PARAMETERS) })
    }
}

impl Usl {
    const PARAMETERS: usize = 2;

    /// The law at `n` threads.
    pub fn speedup(&self, n: f64) -> f64 {
        law(n, self.contention, self.coherency)
    }

    /// The fit; `None` with fewer than two thread counts beyond one.
    pub fn fit(points: &[Point]) -> Option<Self> {
        let (mut contention, mut coherency) = least_squares(points, relative)?;
        let sums = Sums::new(points, relative)?;
        // At the edge of what has meaning, the best point of that edge.
        if coherency < 0.0 {
            (contention, coherency) = ((sums.xy / sums.xx).max(0.0), 0.0);
        } else if contention < 0.0 {
            (contention, coherency) = (0.0, (sums.zy / sums.zz).max(0.0));
        }
        let peak = (coherency > 1e-9 && contention < 1.0).then(|| ((1.0 - contention) / coherency).sqrt());
        let error = error(points, (contention, coherency), Self::PARAMETERS);
        Some(Usl { contention, coherency, peak, error })
    }
}

fn law(n: f64, contention: f64, coherency: f64) -> f64 {
    n / (1.0 + contention * (n - 1.0) + coherency * n * (n - 1.0))
}

/// The weight that makes residuals relative errors.
fn relative((n, speedup): Point) -> f64 {
    (speedup / n).powi(2)
}

/// The points that say something of the law.
fn beyond_one(points: &[Point]) -> impl Iterator<Item = Point> {
    points.iter().copied().filter(|&(n, speedup)| n > 1.0 && speedup > 0.0)
}

/// Root mean square of the relative errors; `None` unless there are more points than parameters: as many parameters can
/// be chosen so that the law meets every point.
fn error(points: &[Point], (contention, coherency): (f64, f64), parameters: usize) -> Option<f64> {
    let count = beyond_one(points).count();
    let squares = beyond_one(points).map(|(n, s)| (1.0 - s / law(n, contention, coherency)).powi(2));
    (count > parameters).then(|| (squares.sum::<f64>() / count as f64).sqrt())
}

/// Weighted sums of products of x = n - 1, z = n (n - 1) and y = n/S - 1.
#[derive(Default)]
struct Sums {
    xx: f64,
    xz: f64,
    zz: f64,
    xy: f64,
    zy: f64,
}

impl Sums {
    /// `None` if no point lies beyond one thread.
    fn new(points: &[Point], weight: impl Fn(Point) -> f64) -> Option<Self> {
        let mut sums = Sums::default();
        for (n, speedup) in beyond_one(points) {
            let (x, z, y, w) = (n - 1.0, n * (n - 1.0), n / speedup - 1.0, weight((n, speedup)));
            sums.xx += w * x * x;
            sums.xz += w * x * z;
            sums.zz += w * z * z;
            sums.xy += w * x * y;
            sums.zy += w * z * y;
        }
        (sums.xx > 0.0).then_some(sums)
    }
}

/// Contention and coherency by weighted linear least squares, of any sign; `None` where one thread count alone cannot
/// tell the two apart.
fn least_squares(points: &[Point], weight: impl Fn(Point) -> f64) -> Option<(f64, f64)> {
    let sums = Sums::new(points, weight)?;
    let determinant = sums.xx * sums.zz - sums.xz * sums.xz;
    if determinant <= 1e-9 * sums.xx * sums.zz {
        return None;
    }
    let contention = (sums.xy * sums.zz - sums.zy * sums.xz) / determinant;
    let coherency = (sums.xx * sums.zy - sums.xz * sums.xy) / determinant;
    Some((contention, coherency))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SPEC SDM 91 on a SPARCcenter 2000, whose coefficients by unweighted least squares are printed in the README of
    /// R's package `usl` (version 1): sigma 1.704689e-02, kappa 7.892498e-05.
    #[test]
    fn gunthers_coefficients_of_the_sparccenter() {
        let throughput = [
            (1.0, 64.9),
            (18.0, 995.9),
            (36.0, 1652.4),
            (72.0, 1853.2),
            (108.0, 1828.9),
            (144.0, 1775.0),
            (216.0, 1702.2),
        ];
        let points = throughput.map(|(n, x)| (n, x / 64.9));
        let (sigma, kappa) = least_squares(&points, |_| 1.0).unwrap();
        assert!((sigma / 1.704_689e-2 - 1.0).abs() < 1e-6, "{sigma}");
        assert!((kappa / 7.892_498e-5 - 1.0).abs() < 1e-6, "{kappa}");
    }

    #[test]
    fn known_parameters_are_found_again() {
        let counts = [1.0, 2.0, 4.0, 8.0, 16.0, 64.0, 256.0];
        let points = counts.map(|n| (n, law(n, 0.03, 0.0002)));
        let usl = Usl::fit(&points).unwrap();
        assert!((usl.contention - 0.03).abs() < 1e-9 && (usl.coherency - 0.0002).abs() < 1e-11, "{usl:?}");
        // sqrt(0.97 / 0.0002) = 69.64
        assert!((usl.peak.unwrap() - 69.64).abs() < 0.01 && usl.error.unwrap() < 1e-9, "{usl:?}");
        assert!((usl.speedup(16.0) - law(16.0, 0.03, 0.0002)).abs() < 1e-6);
        // Amdahl's own example: a tenth serial is never more than ten times as fast.
        let points = counts.map(|n| (n, 1.0 / (0.1 + 0.9 / n)));
        let amdahl = Amdahl::fit(&points).unwrap();
        assert!((amdahl.serial_fraction - 0.1).abs() < 1e-9 && amdahl.speedup(1e9) < 10.0, "{amdahl:?}");
        let usl = Usl::fit(&points).unwrap();
        assert!(usl.coherency.abs() < 1e-9, "{usl:?}");
    }

    #[test]
    fn parameters_without_meaning_are_held_at_nothing() {
        let ideal = [(1.0, 1.0), (2.0, 2.1), (4.0, 4.3), (8.0, 9.0)];
        assert_eq!(Amdahl::fit(&ideal).unwrap().serial_fraction, 0.0);
        let usl = Usl::fit(&ideal).unwrap();
        assert_eq!((usl.contention, usl.coherency, usl.peak), (0.0, 0.0, None));
    }

    /// By hand: two threads with a speed-up of 2 and four with one of 1 have (x, y, weight) = (1, 0, 1) and
    /// (3, 3, 1/16), so that s = 9/16 / (1 + 9/16) = 9/25. There the law says 25/17 and 25/13: the first speed-up is
    /// 9/25 of that too high, the second 12/25 too low, and the mean of the squares is 9/50.
    #[test]
    fn the_error_is_that_which_the_fit_minimises() {
        for one in [&[][..], &[(1.0, 1.0)], &[(1.0, 0.9), (1.0, 1.1)]] {
            let points = [one, &[(2.0, 2.0), (4.0, 1.0)]].concat();
            let law = Amdahl::fit(&points).unwrap();
            assert!((law.serial_fraction - 0.36).abs() < 1e-12, "{law:?}");
            assert!((law.error.unwrap() - 0.18_f64.sqrt()).abs() < 1e-12, "{law:?}");
            // No other parameter has a smaller one.
            let other = |serial_fraction| error(&points, (serial_fraction, 0.0), 1).unwrap();
            assert!(other(0.35) > law.error.unwrap() && other(0.37) > law.error.unwrap());
        }
    }

    /// One parameter goes through one point, two go through two, whatever is measured.
    #[test]
    fn points_that_any_law_meets_have_no_error() {
        let points = [(1.0, 0.9), (2.0, 1.6), (4.0, 2.0), (8.0, 3.0)];
        let of = |count: usize| {
            let (amdahl, usl) = (Amdahl::fit(&points[..count]), Usl::fit(&points[..count]));
            (amdahl.unwrap().error.is_some(), usl.and_then(|law| law.error).is_some())
        };
        assert_eq!([2, 3, 4].map(of), [(false, false), (true, false), (true, true)]);
    }

    #[test]
    fn too_few_points_have_no_fit() {
        assert_eq!(Amdahl::fit(&[(1.0, 1.0)]), None);
        assert_eq!(Usl::fit(&[(1.0, 1.0), (2.0, 1.8)]), None);
        assert!(Amdahl::fit(&[(2.0, 1.6)]).is_some_and(|law| (law.serial_fraction - 0.25).abs() < 1e-12));
    }
}
