//! Ratings over a field: the Elo numbers under which the results are likeliest, with intervals.
//!
//! The Bradley-Terry model (1952): a player `d` Elo above another expects the logistic share of the points; a
//! draw is half a win and half a loss. The likelihood is concave, so Newton's method finds its one maximum;
//! ratings are fixed by letting their mean be zero, or by anchors: players whose rating is known and stays as
//! it is. An interval is that of the difference to the mean, or to the anchors.
//!
//! Between players of whom one took every point from the other, directly and through others, the likeliest
//! distance is infinite. Such a field falls into parts (`Parts`): each is rated from the games within it,
//! and moved as a whole to where its games with other parts are likeliest if each meeting had one more game,
//! a draw. The mean that is zero is that of the largest part (of those that are as large, of all together),
//! with anchors their part holds the scale, and only there are intervals, from its own games; elsewhere a
//! rating is a mere bound. So no figure of the largest part depends on who lost or won everything.
//!
//! The unit of the intervals is an encounter (the games two players play with one opening): how much its
//! points scatter about what the ratings predict is measured, draws and paired openings included, instead of
//! assuming coin throws. Two estimates of that scatter are mixed for every player:
//!
//! * the *dispersion* common to the field, the mean square of all residuals in units of what coin throws
//!   would give
//!   (quasi-likelihood; Wedderburn 1974), which is stable with few games;
//! * the player's own residuals, each corrected for its leverage (the "sandwich" of White 1982 in the form
//!   HC2 of MacKinnon
//!   and White 1985), which is right in the long run even where some players draw far more than others.
//!
//! The quantile is Student's, for as many degrees of freedom as there are encounters more than ratings; and
//! the curvature is taken at ratings drawn a little towards each other, since few games exaggerate
//! differences and flatten the curve. How often the intervals hold the truth is simulated in
//! [`coverage`](super::coverage).

use std::collections::BTreeMap;

use figures::stats::student;
use serde::{Deserialize, Serialize};

use super::elo::score_of;
use super::parts::Parts;

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
    /// Elo above the mean of the field, or of the largest part that results hold together; in a match, above
    /// the opponent.
    pub elo: f64,
    /// Half of its 95 % interval; `NaN` where the results give none.
    pub error: f64,
    /// On which side of that number the rating is, if any number beyond would explain the results even better.
    pub bound: Option<Bound>,
}

/// On which side of a number a rating is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Bound {
    /// Above it: every point went to the player, or to others through whom it is compared.
    Above,
    /// Below it.
    Below,
    /// On either: no result compares the player with those whose mean is the zero, or the field is too large
    /// to be rated.
    Open,
}

/// The ratings of a field.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// By player.
    pub ratings: Vec<Rating>,
    /// Why they have no intervals, if they have none.
    pub no_interval: Option<NoInterval>,
}

impl Field {
    /// So many players that none of them is rated.
    #[must_use]
    pub fn unrated(players: usize) -> Self {
        let rating = Rating { elo: 0.0, error: f64::NAN, bound: Some(Bound::Open) };
        Self { ratings: vec![rating; players], no_interval: Some(NoInterval::TooMany) }
    }

    /// Whether only a bound is known of some players' ratings: then zero is not the mean of all.
    #[must_use]
    pub fn has_bounds(&self) -> bool {
        self.ratings.iter().any(|rating| rating.bound.is_some())
    }
}

/// Why results give no interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoInterval {
    /// Fewer than [`LEAST_GAMES`], or hardly more encounters than players.
    #[error(
        "too few games for 95 % intervals: they take at least ten pairs, and four more than there are players"
    )]
    TooFew,
    /// Enough games, but not within the part of the field whose mean is zero, or that of the anchors.
    #[error(
        "too few games for 95 % intervals in the part of the field that results hold together: they take at least ten \
         pairs, and four more than it has players"
    )]
    TooFewWithin,
    /// Everything came out as the ratings say.
    #[error("no 95 % intervals: every pair came out as the ratings say, so nothing tells how much is chance")]
    NothingVaries,
    /// Players who have not met, not even through others.
    #[error(
        "no 95 % intervals: not all players have met each other or an anchor, directly or through others"
    )]
    Apart,
    /// Parts of the field between which every point went one way.
    #[error(
        "no 95 % intervals: a part of the field took every point from another, so no result bounds the distance \
         between them"
    )]
    OneSided,
    /// More players than [`MOST_RATED`].
    #[error("not rated, since there are more than {MOST_RATED} players")]
    TooMany,
}

/// Players up to which a field is rated: the memory that it takes grows with their square, and the time with
/// their cube.
pub const MOST_RATED: usize = 4000;
/// Games below which there is no interval: ten pairs.
pub const LEAST_GAMES: f64 = 20.0;
/// Degrees of freedom below which there is none.
const LEAST_FREEDOM: usize = 5;
/// Drawn games that every player is given for the curvature; found by simulation.
pub(super) const SOFTENING: f64 = 0.75;
/// Encounters of a player after which its own residuals count as much as the dispersion of the field.
const OWN_SHARE: f64 = 40.0;

/// What two have taken from each other: two players, or two parts of a field.
#[derive(Debug, Clone, Copy)]
pub(super) struct Meeting {
    pub first: usize,
    pub second: usize,
    pub games: f64,
    pub points: f64,
    /// Elo between the two players beyond what the numbers looked for tell of the first and the second.
    ahead: f64,
}

impl From<&Encounter> for Meeting {
    fn from(encounter: &Encounter) -> Self {
        let Encounter { first, second, games, points } = *encounter;
        Self { first, second, games, points, ahead: 0.0 }
    }
}

/// Ratings of `players` players. A player without games gets 0 without an error.
///
/// Where one part of the field took every point from the rest, the likeliest distance between them is
/// infinite. Then one drawn game is added to every meeting between them, which keeps all numbers finite and in
/// order; what players of one part have among themselves stays as it is.
#[must_use]
pub fn maximum_likelihood(players: usize, encounters: &[Encounter]) -> Field {
    anchored(encounters, &vec![None; players])
}

/// The same on the scale of anchors: by player, its rating where that is known. Without any the mean is zero.
#[must_use]
pub fn anchored(encounters: &[Encounter], anchors: &[Option<f64>]) -> Field {
    let encounters: Vec<Meeting> = encounters.iter().map(Meeting::from).collect();
    let (met, games) = (meetings(&encounters), games(&encounters, anchors.len()));
    let parts = Parts::new(&met, anchors);
    let at_zero = parts.at_zero(&games, anchors);
    let mut elo = likeliest(&met, anchors, &parts);
    if anchors.iter().all(Option::is_none) {
        let plays = |player: &usize| games[*player] > 0.0;
        let middle: Vec<f64> = (0..elo.len())
            .filter(|player| plays(player) && at_zero.contains(&parts.of[*player]))
            .map(|player| elo[player])
            .collect();
        let mean = middle.iter().sum::<f64>() / middle.len().max(1) as f64;
        (0..elo.len()).filter(plays).for_each(|player| elo[player] -= mean);
    }
    let errors = intervals(&encounters, anchors, &elo, &parts, &at_zero);
    let no_interval = errors.as_ref().err().copied();
    let errors = errors.unwrap_or_else(|_| vec![f64::NAN; elo.len()]);
    let error = |player: usize| if games[player] > 0.0 { errors[player] } else { f64::NAN };
    let ratings = parts
        .bounds(&at_zero)
        .into_iter()
        .enumerate()
        .map(|(player, bound)| Rating { elo: elo[player], error: error(player), bound })
        .collect();
    Field { ratings, no_interval }
}

/// By player, its games.
fn games(encounters: &[Meeting], players: usize) -> Vec<f64> {
    let mut games = vec![0.0; players];
    for e in encounters {
        games[e.first] += e.games;
        games[e.second] += e.games;
    }
    games
}

/// The encounters of every two players as one: all that the likelihood depends on.
fn meetings(encounters: &[Meeting]) -> Vec<Meeting> {
    let mut met: BTreeMap<(usize, usize), Meeting> = BTreeMap::new();
    for e in encounters {
        let (first, second) = (e.first.min(e.second), e.first.max(e.second));
        let points = if e.first == first { e.points } else { e.games - e.points };
        let none = Meeting { first, second, games: 0.0, points: 0.0, ahead: 0.0 };
        let all = met.entry((first, second)).or_insert(none);
        all.games += e.games;
        all.points += points;
    }
    met.into_values().collect()
}

/// Adds drawn games, or parts of one.
fn draw(meeting: &mut Meeting, games: f64) {
    meeting.games += games;
    meeting.points += games / 2.0;
}

/// The ratings of every part by itself, and the parts where their meetings put them.
fn likeliest(met: &[Meeting], anchors: &[Option<f64>], parts: &Parts) -> Vec<f64> {
    let centre = centre(anchors);
    let mut elo = vec![0.0; anchors.len()];
    for members in &parts.members {
        let (within, known) = alone(met, anchors, members);
        let base = if known.iter().any(Option::is_some) { 0.0 } else { centre };
        for (&player, value) in members.iter().zip(newton(&within, &known)) {
            elo[player] = base + value;
        }
    }
    let across: Vec<Meeting> = met
        .iter()
        .filter(|m| parts.of[m.first] != parts.of[m.second])
        .map(|m| {
            let (first, second) = (parts.of[m.first], parts.of[m.second]);
            let mut between = Meeting { first, second, ahead: elo[m.first] - elo[m.second], ..*m };
            draw(&mut between, 1.0);
            between
        })
        .collect();
    let is_known = |members: &Vec<usize>| members.iter().any(|&player| anchors[player].is_some());
    let held: Vec<Option<f64>> =
        parts.members.iter().map(|members| is_known(members).then_some(0.0)).collect();
    let shifts = newton(&across, &held);
    elo.iter().zip(&parts.of).map(|(value, &part)| value + shifts[part]).collect()
}

/// What some players have done among themselves, and their anchors: numbered anew, in their order.
fn alone(met: &[Meeting], anchors: &[Option<f64>], members: &[usize]) -> (Vec<Meeting>, Vec<Option<f64>>) {
    let place = |player: usize| members.binary_search(&player).ok();
    let within = |m: &Meeting| Some(Meeting { first: place(m.first)?, second: place(m.second)?, ..*m });
    (met.iter().filter_map(within).collect(), members.iter().map(|&player| anchors[player]).collect())
}

/// The mean of the anchors; 0 without any.
fn centre(anchors: &[Option<f64>]) -> f64 {
    let known: Vec<f64> = anchors.iter().flatten().copied().collect();
    known.iter().sum::<f64>() / known.len().max(1) as f64
}

/// ln(10)/400: the slope of the logistic in Elo.
const SLOPE: f64 = std::f64::consts::LN_10 / 400.0;

/// Points of the first player above those expected, times the slope.
fn surplus(e: &Meeting, elo: &[f64]) -> f64 {
    SLOPE * (e.points - e.games * score_of(e.ahead + elo[e.first] - elo[e.second]))
}

/// The variance of that if games were coin throws.
fn weight(e: &Meeting, elo: &[f64]) -> f64 {
    let expected = score_of(e.ahead + elo[e.first] - elo[e.second]);
    SLOPE * SLOPE * e.games * expected * (1.0 - expected)
}

fn newton(encounters: &[Meeting], anchors: &[Option<f64>]) -> Vec<f64> {
    let mut plays = vec![false; anchors.len()];
    for e in encounters {
        plays[e.first] = true;
        plays[e.second] = true;
    }
    let count = plays.iter().filter(|plays| **plays).count();
    let centre = centre(anchors);
    let free = anchors.iter().all(Option::is_none);
    let mut elo: Vec<f64> = anchors.iter().map(|anchor| anchor.unwrap_or(centre)).collect();
    for _ in 0..200 {
        let mut gradient = vec![0.0; anchors.len()];
        for e in encounters {
            let surplus = surplus(e, &elo);
            gradient[e.first] += surplus;
            gradient[e.second] -= surplus;
        }
        // What is known stays as it is.
        gradient.iter_mut().zip(anchors).filter(|(_, anchor)| anchor.is_some()).for_each(|(g, _)| *g = 0.0);
        let Some(factor) = cholesky(information(encounters, anchors, &elo)) else { break };
        let mut largest: f64 = 0.0;
        for (player, step) in solve(&factor, gradient).into_iter().enumerate() {
            // A step of more than a class overshoots where the logistic is flat.
            if plays[player] {
                elo[player] += step.clamp(-200.0, 200.0);
            }
            largest = largest.max(step.abs());
        }
        if free {
            let mean = elo.iter().sum::<f64>() / count.max(1) as f64;
            elo.iter_mut().zip(&plays).filter(|(_, plays)| **plays).for_each(|(value, _)| *value -= mean);
        }
        if largest < 1e-9 {
            break;
        }
    }
    elo
}

/// The Fisher information of the ratings that are not known, which those of the anchors do not touch. Without
/// anchors the mean of the ratings is pinned to zero. Every rating is pinned very weakly.
fn information(encounters: &[Meeting], anchors: &[Option<f64>], elo: &[f64]) -> Vec<Vec<f64>> {
    let players = anchors.len();
    let free = anchors.iter().all(Option::is_none);
    let pin = if free { SLOPE * SLOPE / players.max(1) as f64 } else { 0.0 };
    let mut matrix = vec![vec![pin; players]; players];
    for (player, row) in matrix.iter_mut().enumerate() {
        row[player] += 1e-9 * SLOPE * SLOPE;
    }
    for e in encounters {
        let weight = weight(e, elo);
        matrix[e.first][e.first] += weight;
        matrix[e.second][e.second] += weight;
        matrix[e.first][e.second] -= weight;
        matrix[e.second][e.first] -= weight;
    }
    let fixed: Vec<usize> = (0..players).filter(|&player| anchors[player].is_some()).collect();
    for &anchor in &fixed {
        matrix.iter_mut().for_each(|row| row[anchor] = 0.0);
        matrix[anchor] = (0..players).map(|other| f64::from(u8::from(other == anchor))).collect();
    }
    matrix
}

/// The inverse of the Fisher information; zeros for the anchors.
fn covariance(encounters: &[Meeting], anchors: &[Option<f64>], elo: &[f64]) -> Option<Vec<Vec<f64>>> {
    let factor = cholesky(information(encounters, anchors, elo))?;
    let unit = |player: usize| (0..anchors.len()).map(|other| f64::from(u8::from(other == player))).collect();
    let column = |(player, anchor): (usize, &Option<f64>)| match anchor {
        Some(_) => vec![0.0; anchors.len()],
        None => solve(&factor, unit(player)),
    };
    // It is symmetric, so that its columns are its rows.
    Some(anchors.iter().enumerate().map(column).collect())
}

/// Half of every player's 95 % interval; `NaN` for those outside the part `at_zero`.
fn intervals(
    encounters: &[Meeting],
    anchors: &[Option<f64>],
    elo: &[f64],
    parts: &Parts,
    at_zero: &[usize],
) -> Result<Vec<f64>, NoInterval> {
    freedom(encounters, anchors)?;
    let games = games(encounters, anchors.len());
    let playing: Vec<usize> = (0..games.len()).filter(|&player| games[player] > 0.0).collect();
    let tied = anchors.iter().all(Option::is_none) || playing.iter().any(|&player| anchors[player].is_some());
    if !tied || !parts.have_met(playing.iter().copied()) {
        return Err(NoInterval::Apart);
    }
    let [part] = at_zero else { return Err(NoInterval::OneSided) };
    let members = &parts.members[*part];
    let (within, known) = alone(encounters, anchors, members);
    // Players of other parts have a bound, and there is nothing for the interval of anchors alone.
    let others = playing.iter().any(|&player| parts.of[player] != *part);
    if within.is_empty() || others && known.iter().all(Option::is_some) {
        return Err(NoInterval::OneSided);
    }
    let freedom = freedom(&within, &known).map_err(|_| NoInterval::TooFewWithin)?;
    let ratings: Vec<f64> = members.iter().map(|&player| elo[player]).collect();
    let mut errors = vec![f64::NAN; elo.len()];
    for (&player, half) in members.iter().zip(half_widths(&within, &known, &ratings, freedom)?) {
        errors[player] = half;
    }
    Ok(errors)
}

/// How many encounters there are more than ratings.
///
/// # Errors
/// Too few for intervals.
fn freedom(encounters: &[Meeting], anchors: &[Option<f64>]) -> Result<usize, NoInterval> {
    let games = games(encounters, anchors.len());
    let played = games.iter().filter(|&&games| games > 0.0).count();
    let known = games.iter().zip(anchors).filter(|(games, anchor)| **games > 0.0 && anchor.is_some()).count();
    let freedom = (encounters.len() + known.max(1)).saturating_sub(played);
    if encounters.iter().map(|e| e.games).sum::<f64>() < LEAST_GAMES || freedom < LEAST_FREEDOM {
        return Err(NoInterval::TooFew);
    }
    Ok(freedom)
}

/// Half of the 95 % interval of every player of a part, which has so many encounters more than ratings.
fn half_widths(
    encounters: &[Meeting],
    anchors: &[Option<f64>],
    elo: &[f64],
    freedom: usize,
) -> Result<Vec<f64>, NoInterval> {
    let players = anchors.len();
    let games = games(encounters, players);
    let met = meetings(encounters);
    let mut softened = met.clone();
    for meeting in &mut softened {
        let share = meeting.games * f64::midpoint(1.0 / games[meeting.first], 1.0 / games[meeting.second]);
        draw(meeting, SOFTENING * share);
    }
    let nearer = newton(&softened, anchors);
    let inverse = covariance(&met, anchors, &nearer).ok_or(NoInterval::NothingVaries)?;
    // Of every encounter: square of the residual, variance if games were coin throws, share of it that the
    // fit left over.
    let units: Vec<(f64, f64, f64)> = encounters
        .iter()
        .map(|e| {
            let (a, b) = (e.first, e.second);
            let square = surplus(e, elo).powi(2);
            let variance = weight(e, &nearer);
            let leverage = variance * (inverse[a][a] + inverse[b][b] - 2.0 * inverse[a][b]);
            (square, variance, 1.0 - leverage)
        })
        .collect();
    let dispersion =
        units.iter().map(|(square, variance, _)| square / variance).sum::<f64>() / freedom as f64;
    if dispersion < 1e-9 {
        return Err(NoInterval::NothingVaries);
    }
    let quantile = student(freedom as f64);
    let mut own = vec![0.0; players];
    for e in encounters {
        own[e.first] += 1.0;
        own[e.second] += 1.0;
    }
    let half = |player: usize| {
        let row = &inverse[player];
        let share = own[player] / (own[player] + OWN_SHARE);
        let parts = encounters.iter().zip(&units).map(|(e, &(square, variance, left))| {
            let common = dispersion * variance;
            // Where the fit follows an encounter exactly, its residual tells nothing.
            let alone = if left > 0.05 { square / left } else { common };
            (row[e.first] - row[e.second]).powi(2) * (share * alone + (1.0 - share) * common)
        });
        quantile * parts.sum::<f64>().sqrt()
    };
    Ok((0..players).map(half).collect())
}

/// The lower triangle, row by row, whose product with its transpose is this matrix, which is symmetric and
/// without negative eigenvalues; `None` where it holds what is no number. A pivot that is zero but for
/// rounding is raised to a tiny one.
fn cholesky(mut matrix: Vec<Vec<f64>>) -> Option<Vec<Vec<f64>>> {
    for row in 0..matrix.len() {
        let (above, rest) = matrix.split_at_mut(row);
        let current = &mut rest[0];
        for (column, other) in above.iter().enumerate() {
            let before = dot(&current[..column], &other[..column]);
            current[column] = (current[column] - before) / other[column];
        }
        let left = current[row] - dot(&current[..row], &current[..row]);
        if !left.is_finite() || current[row] <= 0.0 {
            return None;
        }
        current[row] = left.max(current[row] * 1e-14).sqrt();
        current.truncate(row + 1);
    }
    Some(matrix)
}

/// Solves the equations of a matrix that was factored by [`cholesky`].
fn solve(factor: &[Vec<f64>], mut right: Vec<f64>) -> Vec<f64> {
    // What is zero at the beginning stays so.
    let first = right.iter().position(|&value| value != 0.0).unwrap_or(right.len());
    for (row, line) in factor.iter().enumerate().skip(first) {
        right[row] = (right[row] - dot(&line[first..row], &right[first..row])) / line[row];
    }
    for (row, line) in factor.iter().enumerate().rev() {
        let value = right[row] / line[row];
        right[row] = value;
        right.iter_mut().zip(&line[..row]).for_each(|(other, share)| *other -= value * share);
    }
    right
}

/// The sum of products, in as many sums as the processor makes at once.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    const LANES: usize = 8;
    let mut sums = [0.0; LANES];
    let (a, b) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let rest: f64 = a.remainder().iter().zip(b.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in a.zip(b) {
        sums.iter_mut().zip(a.iter().zip(b)).for_each(|(sum, (a, b))| *sum += a * b);
    }
    sums.iter().sum::<f64>() + rest
}

#[cfg(test)]
mod tests {
    use super::super::{Pairs, elo};
    use super::*;

    fn encounters(pairs: Pairs) -> Vec<Encounter> {
        let of = |(i, n): (usize, u64)| {
            let one = Encounter { first: 0, second: 1, games: 2.0, points: i as f64 / 2.0 };
            std::iter::repeat_n(one, n as usize)
        };
        pairs.0.into_iter().enumerate().flat_map(of).collect()
    }

    /// The search for the quantile of a match of 16 million pairs would not end.
    #[test]
    fn huge_matches_have_an_interval() {
        let huge = elo::from_pairs(Pairs([0, 8_000_000, 0, 8_000_000, 0])).unwrap();
        // A quarter of a point either way in each pair: 1.95996 / 4 / 4000 of the score, 694.87 Elo a unit.
        assert!((huge.interval - 0.085_12).abs() < 1e-5, "{huge:?}");
    }

    /// With two players the likeliest difference is the Elo of the score, and its interval that of the pairs.
    #[test]
    fn two_players_are_a_match() {
        for pairs in [[34, 54, 63, 64, 75], [1, 3, 6, 2, 0], [0, 0, 3, 4, 6]].map(Pairs) {
            let field = maximum_likelihood(2, &encounters(pairs));
            let estimate = elo::from_pairs(pairs).unwrap();
            let [first, second] = field.ratings[..] else { panic!("{field:?}") };
            assert!((first.elo - second.elo - estimate.elo).abs() < 1e-6);
            assert!((first.error * 2.0 - estimate.interval).abs() < 1e-6, "{field:?} {estimate:?}");
        }
    }

    /// Agresti, Categorical Data Analysis (2nd edition 2002), table 10.11: seven baseball teams, each pair of
    /// which met thirteen times, Baltimore's strength set to zero, strengths in natural logarithms; their
    /// standard errors are said to be about 0.3. A baseball game has no draws, so the scatter of games about
    /// the fit is that of coin throws.
    #[test]
    fn anchored_ratings_are_those_that_agresti_publishes() {
        let wins: [[u32; 7]; 7] = [
            [0, 7, 9, 7, 7, 9, 11],
            [6, 0, 7, 5, 11, 9, 9],
            [4, 6, 0, 7, 7, 8, 12],
            [6, 8, 6, 0, 6, 7, 10],
            [6, 2, 6, 7, 0, 7, 12],
            [4, 4, 5, 6, 6, 0, 6],
            [2, 4, 1, 3, 1, 7, 0],
        ];
        let mut games = Vec::new();
        for (first, row) in wins.iter().enumerate() {
            for (second, &count) in row.iter().enumerate() {
                let won = Encounter { first, second, games: 1.0, points: 1.0 };
                games.extend(std::iter::repeat_n(won, count as usize));
            }
        }
        assert_eq!(games.len(), 21 * 13);
        let mut anchors = [None; 7];
        anchors[6] = Some(0.0);
        let Field { ratings, no_interval } = anchored(&games, &anchors);
        assert_eq!(no_interval, None);
        for (rating, published) in ratings.iter().zip([1.58, 1.44, 1.29, 1.25, 1.11, 0.68]) {
            let strength = rating.elo * SLOPE;
            assert!((strength - published).abs() < 0.0051, "{strength} is published as {published}");
            let deviation = rating.error * SLOPE / student((games.len() - 6) as f64);
            assert!((0.25..0.36).contains(&deviation), "{deviation} is published as about 0.3");
        }
        assert_eq!((ratings[6].elo, ratings[6].error), (0.0, 0.0));
        // Only the origin of the scale depends on the anchor.
        let free = maximum_likelihood(7, &games);
        for (bound, free_rating) in ratings.iter().zip(&free.ratings) {
            assert!((bound.elo - free_rating.elo + free.ratings[6].elo).abs() < 1e-6);
        }
    }

    /// Two anchors whose distance is not that of the results: the rest is where the likelihood is greatest,
    /// found by trying every rating in steps of a tenth.
    #[test]
    fn between_two_anchors_the_likeliest_rating_is_found() {
        let meetings = [(0, 2, 30.0, 21.5), (1, 2, 40.0, 13.0), (0, 1, 10.0, 5.0)];
        let met = meetings.map(|(first, second, games, points)| Encounter { first, second, games, points });
        let anchors = [Some(3000.0), Some(2800.0), None];
        let found = anchored(&met, &anchors).ratings;
        assert_eq!((found[0].elo, found[1].elo), (3000.0, 2800.0));
        let likelihood = |elo: f64| {
            let part = |e: &Encounter| {
                let expected = score_of(anchors[e.first].unwrap() - elo);
                e.points * expected.ln() + (e.games - e.points) * (1.0 - expected).ln()
            };
            met[..2].iter().map(part).sum::<f64>()
        };
        let tried = (20_000..35_000).map(|tenth| f64::from(tenth) / 10.0);
        let best = tried.max_by(|a, b| likelihood(*a).total_cmp(&likelihood(*b))).unwrap();
        assert!((found[2].elo - best).abs() <= 0.051, "{} and {best}", found[2].elo);
        // A player whom no anchor can be compared with has no interval, and no other has one then.
        let apart = anchored(&[met[0]; 12], &[None, Some(2800.0), None]);
        assert_eq!(apart.no_interval, Some(NoInterval::Apart));
    }

    /// The interval of the difference to an anchored opponent is that of the match.
    #[test]
    fn a_match_against_an_anchor_is_a_match() {
        let pairs = Pairs([34, 54, 63, 64, 75]);
        let field = anchored(&encounters(pairs), &[None, Some(1500.0)]);
        let estimate = elo::from_pairs(pairs).unwrap();
        assert!((field.ratings[0].elo - 1500.0 - estimate.elo).abs() < 1e-6);
        assert!((field.ratings[0].error - estimate.interval).abs() < 1e-6, "{field:?} {estimate:?}");
    }

    /// One beats two, two beats three, without exception: nobody knows by how much, but the order is plain.
    #[test]
    fn a_field_in_two_parts_keeps_its_order() {
        let sweep = |first, second| Encounter { first, second, games: 4.0, points: 4.0 };
        let Field { ratings, .. } = maximum_likelihood(3, &[sweep(0, 1), sweep(1, 2)]);
        assert!(ratings[1].bound.is_none() && ratings[1].elo.abs() < 1e-6, "{ratings:?}");
        assert!(ratings[0].elo > 100.0 && ratings[0].elo < 1000.0, "{ratings:?}");
    }

    /// Two strong players and two weak ones, even among themselves: the distance between the parts that the
    /// likelihood would have is infinite, so no finite interval holds it. One draw between them bounds it.
    #[test]
    fn parts_of_which_one_took_every_point_have_no_intervals() {
        let pair = |first, second, points| Encounter { first, second, games: 2.0, points };
        let even = [(0, 1, 0.5), (1, 0, 0.5), (2, 3, 1.5), (3, 2, 1.5)].repeat(4);
        let mut met: Vec<Encounter> = even.iter().map(|&(a, b, points)| pair(a, b, points)).collect();
        met.extend([pair(0, 2, 2.0), pair(1, 3, 2.0)].repeat(6));
        let field = maximum_likelihood(4, &met);
        assert_eq!(field.no_interval, Some(NoInterval::OneSided), "{field:?}");
        assert!(field.ratings[0].elo - field.ratings[2].elo > 200.0, "{field:?}");
        met.push(pair(0, 3, 1.5));
        assert_eq!(maximum_likelihood(4, &met).no_interval, None);
        // An anchor that lost nothing, and a player between two sweeps.
        let mut met = [pair(0, 1, 2.0), pair(0, 2, 2.0)].repeat(10);
        met.extend([pair(1, 2, 0.5), pair(1, 2, 1.5)].repeat(5));
        let anchors = [Some(3500.0), None, None];
        assert_eq!(anchored(&met, &anchors).no_interval, Some(NoInterval::OneSided));
        let chain = [pair(0, 1, 2.0), pair(1, 2, 2.0)].repeat(10);
        assert_eq!(maximum_likelihood(3, &chain).no_interval, Some(NoInterval::OneSided));
    }

    /// That these players, the first of `all`, have the ratings and intervals that they have by themselves.
    fn are_as_by_themselves(all: &[Rating], alone: &Field) {
        assert_eq!(alone.no_interval, None);
        for (with, without) in all.iter().zip(&alone.ratings) {
            assert!((with.elo - without.elo).abs() < 1e-6, "{with:?} {without:?}");
            assert!((with.error - without.error).abs() < 1e-6, "{with:?} {without:?}");
            assert_eq!((with.bound, without.bound), (None, None));
        }
    }

    /// The others keep differences and intervals when one player loses everything and one wins everything; so they
    /// do on an anchor's scale, and behind an opponent of lower number.
    #[test]
    fn a_player_at_a_bound_moves_no_other() {
        let points = |n: usize| [0.5, 1.0, 1.5, 1.0, 2.0, 0.0, 1.5][n * 5 % 7];
        let games = round_robin(7, 2, points);
        let sweep = |player: usize, won: bool| Encounter {
            first: 7 + usize::from(won),
            second: player,
            games: 2.0,
            points: if won { 2.0 } else { 0.0 },
        };
        let mut all = games.clone();
        all.extend((0..7).flat_map(|player| [sweep(player, false), sweep(player, true)]));
        for anchor in [None, Some(3500.0)] {
            let mut anchors = vec![None; 9];
            anchors[3] = anchor;
            let (with, without) = (anchored(&all, &anchors), anchored(&games, &anchors[..7]));
            assert_eq!(with.no_interval, None);
            are_as_by_themselves(&with.ratings[..7], &without);
            let [lost, won] = &with.ratings[7..] else { panic!("{with:?}") };
            assert_eq!((lost.bound, won.bound), (Some(Bound::Below), Some(Bound::Above)));
            let elo = || without.ratings.iter().map(|rating| rating.elo);
            assert!(elo().all(|elo| lost.elo < elo && elo < won.elo), "{with:?}");
            assert!(lost.error.is_nan() && won.error.is_nan());
        }
        // Likeliest: as many points as the ratings predict, in the games among the seven.
        let ratings = anchored(&all, &[None; 9]).ratings;
        for player in 0..7 {
            let more = |e: &Encounter| {
                let more = e.points - e.games * score_of(ratings[e.first].elo - ratings[e.second].elo);
                if e.first == player { more } else { -more }
            };
            let left: f64 = games.iter().filter(|e| e.first == player || e.second == player).map(more).sum();
            assert!(left.abs() < 1e-6, "{player}: {left}");
        }
        let backwards = |e: &Encounter| Encounter { first: 8 - e.first, second: 8 - e.second, ..*e };
        let turned = anchored(&all.iter().map(backwards).collect::<Vec<_>>(), &[None; 9]).ratings;
        for (turned, rating) in turned.iter().rev().zip(&ratings) {
            assert!((turned.elo - rating.elo).abs() < 1e-6 && turned.bound == rating.bound);
        }
    }

    /// E beat all of the four that share the points, F lost to E alone: nothing compares F with the four.
    #[test]
    fn a_player_that_nothing_compares_with_the_zero_is_not_rated() {
        let mut games = round_robin(4, 2, |n| [0.5, 1.0, 1.5][n % 3]);
        games.extend((0..4).map(|second| Encounter { first: 4, second, games: 2.0, points: 2.0 }));
        games.push(Encounter { first: 4, second: 5, games: 2.0, points: 2.0 });
        for anchor in [None, Some(3500.0)] {
            let ratings = anchored(&games, &[anchor, None, None, None, None, None, None]).ratings;
            let bounds = ratings.iter().map(|rating| rating.bound).collect::<Vec<_>>();
            let [four @ .., above, open, idle] = &bounds[..] else { panic!("{bounds:?}") };
            assert_eq!((four, above), (&[None; 4][..], &Some(Bound::Above)));
            assert_eq!((open, idle), (&Some(Bound::Open), &None), "the last one has no games");
            assert!(ratings[5].error.is_nan());
        }
    }

    /// One half took every point from the other: within each half the distances are those of its own games.
    /// If one is larger its mean is zero, and its intervals are its own; for the others there is a bound.
    #[test]
    fn a_field_in_two_halves_has_the_ratings_of_each() {
        let points = |n: usize| [0.5, 1.0, 1.5, 0.0, 2.0][n % 5];
        for upper in [4, 5] {
            let strong = round_robin(upper, 4, points);
            let weak = round_robin(4, 4, |n| points(n + 2));
            let moved = |e: &Encounter| Encounter { first: e.first + upper, second: e.second + upper, ..*e };
            let mut all = strong.clone();
            all.extend(weak.iter().map(moved));
            let across = (0..upper).flat_map(|a| (0..4).map(move |b| (a, upper + b)));
            all.extend(across.map(|(first, second)| Encounter { first, second, games: 2.0, points: 2.0 }));
            let field = maximum_likelihood(upper + 4, &all);
            let (above, below) = field.ratings.split_at(upper);
            let (strong, weak) = (maximum_likelihood(upper, &strong), maximum_likelihood(4, &weak));
            for (part, alone) in [(above, &strong), (below, &weak)] {
                let shift = part[0].elo - alone.ratings[0].elo;
                for (rating, alone) in part.iter().zip(&alone.ratings) {
                    assert!((rating.elo - alone.elo - shift).abs() < 1e-6, "{field:?}");
                }
            }
            assert!(below.iter().all(|rating| rating.bound == Some(Bound::Below) && rating.error.is_nan()));
            if upper == 5 {
                assert_eq!(field.no_interval, None);
                are_as_by_themselves(above, &strong);
            } else {
                assert_eq!(field.no_interval, Some(NoInterval::OneSided));
                assert!(above.iter().all(|rating| rating.bound == Some(Bound::Above)));
                let sum: f64 = field.ratings.iter().map(|rating| rating.elo).sum();
                assert!(sum.abs() < 1e-6 && above[0].elo - below[0].elo > 200.0, "{field:?}");
            }
        }
    }

    /// Against one opponent the seed of a gauntlet won everything; then it did so against all, and nothing is
    /// left that an interval could be of.
    #[test]
    fn a_gauntlet_is_rated_from_the_opponents_that_took_a_share() {
        let met = |opponents: std::ops::Range<usize>, sweep: usize| -> Vec<Encounter> {
            let pairs = opponents.flat_map(|opponent| (0..10).map(move |n| (opponent, n)));
            let points = |opponent, n: usize| if opponent >= sweep { 2.0 } else { [0.5, 1.0, 2.0][n % 3] };
            pairs
                .map(|(second, n)| Encounter {
                    first: 0,
                    second,
                    games: 2.0,
                    points: points(second, n + second),
                })
                .collect()
        };
        let field = maximum_likelihood(5, &met(1..5, 4));
        assert_eq!(field.no_interval, None);
        are_as_by_themselves(&field.ratings[..4], &maximum_likelihood(4, &met(1..4, 4)));
        assert_eq!(field.ratings[4].bound, Some(Bound::Below));
        let field = maximum_likelihood(5, &met(1..5, 1));
        assert_eq!(field.no_interval, Some(NoInterval::OneSided));
        let bounds: Vec<_> = field.ratings.iter().map(|rating| rating.bound).collect();
        assert_eq!(bounds, [vec![Some(Bound::Above)], vec![Some(Bound::Below); 4]].concat());
        // In each of its ten pairs one drawn game more: 20½ points of 21.
        let distance = 400.0 * (20.5_f64 / 0.5).log10();
        assert!((field.ratings[0].elo - field.ratings[1].elo - distance).abs() < 1e-6, "{field:?}");
    }

    #[test]
    fn a_clean_score_is_finite_and_says_so() {
        let sweep = [Encounter { first: 0, second: 1, games: 10.0, points: 10.0 }];
        let Field { ratings, .. } = maximum_likelihood(3, &sweep);
        assert_eq!((ratings[0].bound, ratings[1].bound), (Some(Bound::Above), Some(Bound::Below)));
        assert_eq!(ratings[2].bound, None);
        assert!(ratings[0].elo > 200.0 && ratings[0].elo.is_finite());
        assert!((ratings[0].elo + ratings[1].elo).abs() < 1e-6 && ratings[2].elo == 0.0, "{ratings:?}");
        assert!(ratings[2].error.is_nan());
    }

    /// Every two of `players` have met `pairs` times; the points of a pair by its number.
    fn round_robin(players: usize, pairs: usize, points: impl Fn(usize) -> f64) -> Vec<Encounter> {
        let meetings = (0..players).flat_map(|a| (0..a).map(move |b| (a, b)));
        let all = meetings.flat_map(|meeting| std::iter::repeat_n(meeting, pairs));
        all.enumerate()
            .map(|(n, (first, second))| Encounter { first, second, games: 2.0, points: points(n) })
            .collect()
    }

    #[test]
    fn a_field_that_drew_everything_has_no_interval_of_zero() {
        let field = maximum_likelihood(16, &round_robin(16, 1, |_| 1.0));
        assert_eq!(field.no_interval, Some(NoInterval::NothingVaries));
        assert!(field.ratings.iter().all(|rating| rating.elo.abs() < 1e-9 && rating.error.is_nan()));
        // One pair of 120 that came out otherwise says something of all players, not of two alone.
        let field = maximum_likelihood(16, &round_robin(16, 1, |n| if n == 7 { 1.5 } else { 1.0 }));
        assert!(field.ratings.iter().all(|rating| rating.error > 1.0), "{field:?}");
    }

    #[test]
    fn too_few_pairs_for_an_interval_are_called_so() {
        let mixed = |n: usize| [0.5, 1.0, 1.5, 1.0, 2.0][n % 5];
        let reason = |players, pairs: usize, taken: usize| {
            maximum_likelihood(players, &round_robin(players, pairs, mixed)[..taken]).no_interval
        };
        assert_eq!(reason(2, 9, 9), Some(NoInterval::TooFew));
        assert_eq!(reason(2, 10, 10), None);
        assert_eq!(reason(5, 1, 9), Some(NoInterval::TooFew));
        assert_eq!(reason(5, 1, 10), None);
        assert_eq!(reason(20, 1, 20), None, "the first seven have met each other");
        assert_eq!(reason(20, 1, 0), Some(NoInterval::TooFew));
        // The last of three wins every game, so that only the pairs of the other two count.
        let swept = |pairs: usize| {
            let points = |n: usize| if n < pairs { mixed(n) } else { 2.0 };
            maximum_likelihood(3, &round_robin(3, pairs, points)).no_interval
        };
        assert_eq!([5, 10].map(swept), [Some(NoInterval::TooFewWithin), None]);
        // Two halves of a field that have not met.
        let mut halves = round_robin(4, 3, mixed);
        halves.extend(round_robin(4, 3, mixed).into_iter().map(|e| Encounter {
            first: e.first + 4,
            second: e.second + 4,
            ..e
        }));
        assert_eq!(maximum_likelihood(8, &halves).no_interval, Some(NoInterval::Apart));
    }

    /// A hundred and fifty players, each of whom meets ten others: the points that the ratings predict for a
    /// player are those that it scored.
    #[test]
    fn a_large_field_has_ratings() {
        let players = 150;
        let strength = |player: usize| (player * 37 % 101) as f64 * 4.0;
        let meeting = |n: usize| {
            let (first, second) = (n / 5, (n / 5 + 1 + n % 5 * 7) % players);
            let expected = 2.0 * score_of(strength(first) - strength(second));
            let points = (expected * 2.0 + [-0.9, 0.0, 0.9][n % 3]).round().clamp(0.0, 4.0) / 2.0;
            Encounter { first, second, games: 2.0, points }
        };
        let met: Vec<Encounter> = (0..5 * players).map(meeting).collect();
        let Field { ratings, no_interval } = maximum_likelihood(players, &met);
        assert_eq!(no_interval, None);
        let mut left = vec![0.0; players];
        for e in &met {
            let more = e.points - e.games * score_of(ratings[e.first].elo - ratings[e.second].elo);
            left[e.first] += more;
            left[e.second] -= more;
        }
        assert!(left.iter().all(|left: &f64| left.abs() < 1e-6));
        assert!(ratings.iter().all(|rating| rating.bound.is_some() || rating.error.is_finite()));
        assert!(ratings.iter().map(|rating| rating.elo).sum::<f64>().abs() < 1e-3);
    }

    /// A matrix and its inverse by hand, and two players whom nothing holds together.
    #[test]
    fn a_factor_solves_its_matrix() {
        let factor = cholesky(vec![vec![4.0, 2.0], vec![2.0, 5.0]]).unwrap();
        assert_eq!(factor, [vec![2.0], vec![1.0, 2.0]]);
        let inverse = [[1.0, 0.0], [0.0, 1.0]].map(|unit| solve(&factor, unit.to_vec()));
        assert_eq!(inverse, [[5.0 / 16.0, -2.0 / 16.0], [-2.0 / 16.0, 4.0 / 16.0]]);
        let alone = cholesky(vec![vec![1.0, -1.0], vec![-1.0, 1.0]]).unwrap();
        assert!(solve(&alone, vec![1.0, -1.0])[0].is_finite());
        assert_eq!(cholesky(vec![vec![f64::NAN]]), None);
        assert!((dot(&[2.0; 19], &[3.0; 19]) - 114.0).abs() < 1e-12);
    }
}
