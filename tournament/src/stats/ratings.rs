//! Ratings over a field: the Elo numbers under which the results are likeliest, with intervals.
//!
//! The Bradley-Terry model (1952): a player `d` Elo above another expects the logistic share of the points; a draw is half
//! a win and half a loss. The likelihood is concave, so Newton's method finds its one maximum; ratings are fixed by
//! letting their mean be zero. Intervals come from the "sandwich" of White (1982), with an encounter (the games two
//! players play with one opening) as the unit: it measures how much the results really scatter, draws and paired openings
//! included, instead of assuming coin throws.

use serde::{Deserialize, Serialize};

use super::elo::{Z95, score_of};

/// The points `first` took from `second` in one encounter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Encounter {
    /// A player's number.
    pub first: usize,
    /// Its opponent's number.
    pub second: usize,
    /// Games played, at least 1.
    pub games: f64,
    /// Points of `first`, 0..=games.
    pub points: f64,
}

/// A player's rating.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Rating {
    /// Elo above the mean of the field.
    pub elo: f64,
    /// Half of its 95 % interval.
    pub error: f64,
    /// False if the player won or lost everything, so that any number beyond would explain it even better.
    pub bounded: bool,
}

/// Ratings of `players` players. A player without games gets 0 with an infinite error.
///
/// Where one part of the field took every point from the rest, the likeliest distance between them is infinite. Then one
/// drawn game is added to every meeting, which keeps all numbers finite and in order.
#[must_use]
pub fn maximum_likelihood(players: usize, encounters: &[Encounter]) -> Vec<Rating> {
    let mut totals = vec![(0.0, 0.0); players];
    for e in encounters {
        totals[e.first].0 += e.points;
        totals[e.first].1 += e.games;
        totals[e.second].0 += e.games - e.points;
        totals[e.second].1 += e.games;
    }
    let bounded: Vec<bool> =
        totals.iter().map(|&(points, games)| points > 0.0 && points < games || games == 0.0).collect();
    let mut softened = encounters.to_vec();
    if !hangs_together(players, encounters) {
        let mut met: Vec<(usize, usize)> = encounters.iter().map(|e| (e.first, e.second)).collect();
        met.sort_unstable();
        met.dedup();
        softened.extend(met.into_iter().map(|(first, second)| Encounter {
            first,
            second,
            games: 1.0,
            points: 0.5,
        }));
    }
    let elo = newton(players, &softened);
    let covariance = sandwich(players, &softened, &elo);
    (0..players)
        .map(|player| Rating {
            elo: elo[player],
            error: if totals[player].1 > 0.0 {
                Z95 * covariance[player].max(0.0).sqrt()
            } else {
                f64::INFINITY
            },
            bounded: bounded[player],
        })
        .collect()
}

/// Whether everybody who has played took a share of the points from everybody else, directly or through others: the
/// condition of Ford (1957) for finite ratings.
fn hangs_together(players: usize, encounters: &[Encounter]) -> bool {
    let mut reaches = vec![vec![false; players]; players];
    for e in encounters {
        reaches[e.first][e.second] |= e.points > 0.0;
        reaches[e.second][e.first] |= e.points < e.games;
    }
    for via in 0..players {
        for from in 0..players {
            for to in 0..players {
                reaches[from][to] |= reaches[from][via] && reaches[via][to];
            }
        }
    }
    let played: Vec<usize> =
        (0..players).filter(|&p| encounters.iter().any(|e| e.first == p || e.second == p)).collect();
    played.iter().all(|&a| played.iter().all(|&b| a == b || reaches[a][b]))
}

/// ln(10)/400: the slope of the logistic in Elo.
const SLOPE: f64 = std::f64::consts::LN_10 / 400.0;

fn newton(players: usize, encounters: &[Encounter]) -> Vec<f64> {
    let mut elo = vec![0.0; players];
    for _ in 0..200 {
        let mut gradient = vec![0.0; players];
        for e in encounters {
            let surplus = SLOPE * (e.points - e.games * score_of(elo[e.first] - elo[e.second]));
            gradient[e.first] += surplus;
            gradient[e.second] -= surplus;
        }
        let Some(inverse) = invert(information(players, encounters, &elo)) else { break };
        let mut largest: f64 = 0.0;
        for (player, row) in inverse.iter().enumerate() {
            let step: f64 = row.iter().zip(&gradient).map(|(a, g)| a * g).sum();
            // A step of more than a class overshoots where the logistic is flat.
            elo[player] += step.clamp(-200.0, 200.0);
            largest = largest.max(step.abs());
        }
        let mean = elo.iter().sum::<f64>() / players.max(1) as f64;
        elo.iter_mut().for_each(|value| *value -= mean);
        if largest < 1e-9 {
            break;
        }
    }
    elo
}

/// The Fisher information, with a term that pins the mean of the ratings (and, very weakly, every rating) to zero.
fn information(players: usize, encounters: &[Encounter], elo: &[f64]) -> Vec<Vec<f64>> {
    let pin = SLOPE * SLOPE / players.max(1) as f64;
    let mut matrix = vec![vec![pin; players]; players];
    for (player, row) in matrix.iter_mut().enumerate() {
        row[player] += 1e-9 * SLOPE * SLOPE;
    }
    for e in encounters {
        let expected = score_of(elo[e.first] - elo[e.second]);
        let weight = SLOPE * SLOPE * e.games * expected * (1.0 - expected);
        matrix[e.first][e.first] += weight;
        matrix[e.second][e.second] += weight;
        matrix[e.first][e.second] -= weight;
        matrix[e.second][e.first] -= weight;
    }
    matrix
}

/// The variances of the ratings.
fn sandwich(players: usize, encounters: &[Encounter], elo: &[f64]) -> Vec<f64> {
    let Some(inverse) = invert(information(players, encounters, elo)) else {
        return vec![f64::INFINITY; players];
    };
    let mut variance = vec![0.0; players];
    for e in encounters {
        let surplus = SLOPE * (e.points - e.games * score_of(elo[e.first] - elo[e.second]));
        for (player, row) in inverse.iter().enumerate() {
            variance[player] += ((row[e.first] - row[e.second]) * surplus).powi(2);
        }
    }
    variance
}

/// Gauss-Jordan elimination with pivoting; `None` for a singular matrix.
fn invert(mut matrix: Vec<Vec<f64>>) -> Option<Vec<Vec<f64>>> {
    let n = matrix.len();
    let mut inverse: Vec<Vec<f64>> =
        (0..n).map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect()).collect();
    for column in 0..n {
        let pivot =
            (column..n).max_by(|&a, &b| matrix[a][column].abs().total_cmp(&matrix[b][column].abs()))?;
        matrix.swap(column, pivot);
        inverse.swap(column, pivot);
        let head = matrix[column][column];
        if head == 0.0 || !head.is_finite() {
            return None;
        }
        for j in 0..n {
            matrix[column][j] /= head;
            inverse[column][j] /= head;
        }
        let (pivot_row, pivot_inverse) = (matrix[column].clone(), inverse[column].clone());
        for row in (0..n).filter(|&row| row != column) {
            let factor = matrix[row][column];
            for j in 0..n {
                matrix[row][j] -= factor * pivot_row[j];
                inverse[row][j] -= factor * pivot_inverse[j];
            }
        }
    }
    Some(inverse)
}

#[cfg(test)]
mod tests {
    use rand::{Rng, SeedableRng};

    use super::super::{Pairs, elo};
    use super::*;

    /// With two players the likeliest difference is the Elo of the score, and its interval that of the pairs.
    #[test]
    fn two_players_are_a_match() {
        let pairs = Pairs([34, 54, 63, 64, 75]);
        let encounters: Vec<Encounter> = pairs
            .0
            .iter()
            .enumerate()
            .flat_map(|(i, &n)| {
                let one = Encounter { first: 0, second: 1, games: 2.0, points: i as f64 / 2.0 };
                std::iter::repeat_n(one, n as usize)
            })
            .collect();
        let ratings = maximum_likelihood(2, &encounters);
        let estimate = elo::from_pairs(pairs).unwrap();
        assert!((ratings[0].elo - ratings[1].elo - estimate.elo).abs() < 1e-6);
        // Each rating is half the difference; the interval of `from_pairs` is not linearized, hence the tolerance.
        assert!((ratings[0].error * 2.0 - estimate.error).abs() < 0.2, "{ratings:?} {estimate:?}");
    }

    /// Players with known strength: the estimates find it, and the 95 % intervals hold it about 95 times in 100.
    #[test]
    fn a_simulated_field_is_found_again() {
        let truth = [-150.0, -50.0, 0.0, 75.0, 125.0];
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(7);
        let (mut inside, mut total) = (0, 0);
        for _ in 0..60 {
            let mut encounters = Vec::new();
            for first in 0..truth.len() {
                for second in 0..first {
                    for _ in 0..30 {
                        let expected = score_of(truth[first] - truth[second]);
                        let mut points = 0.0;
                        for _ in 0..2 {
                            // Forty draws in a hundred, taken from both sides alike.
                            let draw = 0.4 * (1.0 - (2.0 * expected - 1.0).abs());
                            let throw: f64 = rng.random();
                            points += if throw < draw {
                                0.5
                            } else if throw < draw + expected - draw / 2.0 {
                                1.0
                            } else {
                                0.0
                            };
                        }
                        encounters.push(Encounter { first, second, games: 2.0, points });
                    }
                }
            }
            for (rating, true_elo) in maximum_likelihood(truth.len(), &encounters).iter().zip(truth) {
                assert!((rating.elo - true_elo).abs() < 90.0, "{rating:?} for {true_elo}");
                inside += usize::from((rating.elo - true_elo).abs() < rating.error);
                total += 1;
            }
        }
        let share = inside as f64 / f64::from(total);
        assert!((0.90..=0.985).contains(&share), "{share} of the intervals hold the truth");
    }

    /// One beats two, two beats three, without exception: nobody knows by how much, but the order is plain.
    #[test]
    fn a_field_in_two_parts_keeps_its_order() {
        let sweep = |first, second| Encounter { first, second, games: 4.0, points: 4.0 };
        let ratings = maximum_likelihood(3, &[sweep(0, 1), sweep(1, 2)]);
        assert!(ratings[1].bounded && ratings[1].elo.abs() < 1e-6, "{ratings:?}");
        assert!(ratings[0].elo > 100.0 && ratings[0].elo < 1000.0 && ratings[1].error > 50.0, "{ratings:?}");
    }

    #[test]
    fn a_clean_score_is_finite_and_says_so() {
        let sweep = [Encounter { first: 0, second: 1, games: 10.0, points: 10.0 }];
        let ratings = maximum_likelihood(3, &sweep);
        assert!(!ratings[0].bounded && !ratings[1].bounded && ratings[2].bounded);
        assert!(ratings[0].elo > 200.0 && ratings[0].elo.is_finite());
        assert!(ratings[2].error.is_infinite());
    }
}
