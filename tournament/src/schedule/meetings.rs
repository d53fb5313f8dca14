//! Who can meet whom: the combinatorics behind the formats, without colours' history, games or results.
//!
//! Players are numbers from 0 in order of their seed.

/// The circle method: one player stays, the others move round; in every round each player has one opponent. `even`:
/// everybody stands first in half of all meetings, to one.
pub(super) fn circle(players: usize, even: bool) -> Vec<Vec<(usize, usize)>> {
    let seats = players + players % 2;
    let mut ring: Vec<usize> = (1..seats).collect();
    let mut rounds = Vec::new();
    for round in 0..seats.saturating_sub(1) {
        let mut pairs = Vec::new();
        let line: Vec<usize> = std::iter::once(0).chain(ring.iter().copied()).collect();
        for i in 0..seats / 2 {
            let (a, b) = (line[i], line[seats - 1 - i]);
            if a < players && b < players {
                // The smaller number goes first where one of the two is odd, and the larger one where both or
                // none are: each number so goes before half of the others.
                let stays = if even { ((a + b) % 2 == 1) == (a < b) } else { (round + i) % 2 == 0 };
                pairs.push(if stays { (a, b) } else { (b, a) });
            }
        }
        rounds.push(pairs);
        ring.rotate_right(1);
    }
    rounds
}

/// The circle method in two rows: the players stand in a row from the left and come back in a second one from
/// the right; those above each other meet, the upper one first. Then all but the first move on by one place.
pub(super) fn circle_of_rows(players: usize) -> Vec<Vec<(usize, usize)>> {
    let seats = players + players % 2;
    let mut ring: Vec<usize> = (0..seats).collect();
    let mut rounds = Vec::new();
    for _ in 0..seats.saturating_sub(1) {
        let pairs = (0..seats / 2).map(|column| (ring[column], ring[seats - 1 - column]));
        rounds.push(pairs.filter(|&(upper, lower)| upper < players && lower < players).collect());
        ring[1..].rotate_right(1);
    }
    rounds
}

/// The first `seeds` players meet all others; `alternate`: each of them stands first in every other meeting.
pub(super) fn gauntlet(players: usize, seeds: usize, alternate: bool) -> Vec<Vec<(usize, usize)>> {
    let seeds = seeds.min(players.saturating_sub(1));
    let meeting = |seed: usize, other: usize| {
        let second = alternate && !(seed + other - seeds).is_multiple_of(2);
        if second { (other, seed) } else { (seed, other) }
    };
    vec![(0..seeds).flat_map(|seed| (seeds..players).map(move |other| meeting(seed, other))).collect()]
}

/// Seats of a bracket in which the best seeds meet last; numbers past the field are byes.
pub(crate) fn bracket_order(players: usize) -> Vec<usize> {
    let mut order = vec![0];
    while order.len() < players {
        let size = order.len() * 2;
        order = order.into_iter().flat_map(|seed| [seed, size - 1 - seed]).collect();
    }
    order
}

/// A stage of a Swiss.
pub(super) struct Stage {
    /// Who has a bye.
    pub bye: Option<usize>,
    /// Who meets whom, the better rank first.
    pub pairs: Vec<(usize, usize)>,
}

/// Pairs players, the best rank first: as few as possible meet again or have a second bye, and among such pairings
/// the last possible player has the bye, `points` are as near as can be, and then ranks. One that would leave no such
/// pairing for the `later` stages is passed over.
pub(super) fn pair_stage(
    ranked: &[usize],
    points: &[u64],
    met: &[Vec<bool>],
    had_bye: &[bool],
    later: usize,
) -> Stage {
    // Of an odd number one plays against an empty seat, which is the first.
    let empty = ranked.len() % 2;
    let seats = ranked.len() + empty;
    let player = |seat: usize| seat.checked_sub(empty).map(|rank| ranked[rank]);
    let have_met = |a: usize, b: usize| match (player(a), player(b)) {
        (Some(a), Some(b)) => a == b || met[a][b],
        (Some(one), None) | (None, Some(one)) => had_bye[one],
        (None, None) => true,
    };
    let met: Vec<Vec<bool>> = (0..seats).map(|a| (0..seats).map(|b| have_met(a, b)).collect()).collect();
    let points: Vec<u64> = (0..seats).map(|seat| player(seat).map_or(0, |player| points[player])).collect();
    let looks = std::iter::once((0, later)).chain((0..=seats / 2).map(|repeats| (repeats, 0)));
    let found = looks.into_iter().find_map(|(repeats, later)| {
        let mut search = Search {
            points: points.clone(),
            met: met.clone(),
            empty: empty == 1,
            later,
            steps: STEPS,
            ahead: STEPS,
            best: None,
        };
        search.pair(&mut (0..seats).collect(), &mut Vec::new(), Distance::default(), repeats);
        search.best
    });
    let (mut bye, mut pairs) = (None, Vec::new());
    for (a, b) in found.map(|(_, pairs)| pairs).unwrap_or_default() {
        match (player(a), player(b)) {
            (Some(a), Some(b)) => pairs.push((a, b)),
            (one, other) => bye = one.or(other),
        }
    }
    Stage { bye, pairs }
}

/// Steps of a search for a pairing, and of looking ahead in it: large fields where nearly all have met could take
/// for ever.
const STEPS: u32 = 100_000;

/// How far a pairing is from the best one that there could be; what stands first counts more than all behind it.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Distance {
    /// Places by which who has the bye is above the last.
    bye: usize,
    /// Differences of points.
    points: u64,
    /// Differences of ranks.
    ranks: usize,
}

impl std::ops::Add for Distance {
    type Output = Self;

    fn add(self, more: Self) -> Self {
        Self { bye: self.bye + more.bye, points: self.points + more.points, ranks: self.ranks + more.ranks }
    }
}

/// A search for the best pairing of seats in order of rank.
struct Search {
    points: Vec<u64>,
    met: Vec<Vec<bool>>,
    /// The first seat is empty: who is paired with it has the bye.
    empty: bool,
    /// Stages to come that must do without repeats.
    later: usize,
    /// Steps that are left, here and in looking ahead.
    steps: u32,
    ahead: u32,
    /// The best so far, and its pairs.
    best: Option<(Distance, Vec<(usize, usize)>)>,
}

impl Search {
    /// How bad a pair is, of which `a` has the better seat.
    fn distance(&self, a: usize, b: usize) -> Distance {
        if self.empty && a == 0 {
            return Distance { bye: self.met.len() - 1 - b, ..Distance::default() };
        }
        Distance { bye: 0, points: self.points[a].abs_diff(self.points[b]), ranks: b - a }
    }

    /// Pairs the seats that are `free` in all ways that may be better than the best one, with so many `repeats` at
    /// most.
    fn pair(
        &mut self,
        free: &mut Vec<usize>,
        pairs: &mut Vec<(usize, usize)>,
        far: Distance,
        repeats: usize,
    ) {
        if free.is_empty() {
            if self.leaves_pairings(pairs) {
                self.best = Some((far, pairs.clone()));
            }
            return;
        }
        let first = free.remove(0);
        for index in 0..free.len() {
            let at = if self.empty && first == 0 { free.len() - 1 - index } else { index };
            let second = free[at];
            let far = far + self.distance(first, second);
            // The other pairs are neighbours at the best, and the next second seat is farther away.
            let least = far + Distance { ranks: free.len() / 2, ..Distance::default() };
            self.steps = self.steps.saturating_sub(1);
            if self.steps == 0 || self.best.as_ref().is_some_and(|(best, _)| least >= *best) {
                break;
            }
            let Some(repeats) = repeats.checked_sub(usize::from(self.met[first][second])) else { continue };
            free.remove(at);
            pairs.push((first, second));
            self.pair(free, pairs, far, repeats);
            pairs.pop();
            free.insert(at, second);
        }
        free.insert(0, first);
    }

    /// Whether all stages to come can do without repeats after these pairs. Where that takes too long it is
    /// believed.
    fn leaves_pairings(&mut self, pairs: &[(usize, usize)]) -> bool {
        self.later == 0 || with_pairs(&mut self.met, pairs, |met| can_go_on(met, self.later, &mut self.ahead))
    }
}

/// What holds once these pairs have met as well.
fn with_pairs<T>(
    met: &mut Vec<Vec<bool>>,
    pairs: &[(usize, usize)],
    look: impl FnOnce(&mut Vec<Vec<bool>>) -> T,
) -> T {
    let mark = |met: &mut Vec<Vec<bool>>, have: bool| {
        pairs.iter().for_each(|&(a, b)| (met[a][b], met[b][a]) = (have, have));
    };
    mark(met, true);
    let seen = look(met);
    mark(met, false);
    seen
}

/// Whether so many stages are possible in which no two meet again.
fn can_go_on(met: &mut Vec<Vec<bool>>, stages: usize, steps: &mut u32) -> bool {
    let least = met.iter().map(|row| row.iter().filter(|&&met| !met).count()).min().unwrap_or(0);
    // As long as everybody has half of the field left there is a pairing (Dirac 1952), and each takes one away.
    if stages == 0 || least + 1 >= stages + met.len() / 2 {
        return true;
    }
    least >= stages && can_pair(met, &mut (0..met.len()).collect(), &mut Vec::new(), stages, steps)
}

/// Whether these seats can be paired without repeats so that the later stages can do without them, too.
fn can_pair(
    met: &mut Vec<Vec<bool>>,
    free: &mut Vec<usize>,
    pairs: &mut Vec<(usize, usize)>,
    stages: usize,
    steps: &mut u32,
) -> bool {
    if free.is_empty() {
        return with_pairs(met, pairs, |met| can_go_on(met, stages - 1, steps));
    }
    let first = free.remove(0);
    let mut found = false;
    for at in 0..free.len() {
        *steps = steps.saturating_sub(1);
        if *steps == 0 {
            found = true;
        } else if !met[first][free[at]] {
            let second = free.remove(at);
            pairs.push((first, second));
            found = can_pair(met, free, pairs, stages, steps);
            pairs.pop();
            free.insert(at, second);
        }
        if found {
            break;
        }
    }
    free.insert(0, first);
    found
}

/// The pairings of [`Edition::First`]: the last player that had none has the bye, the others meet the next one that
/// they have not met; where that cannot be, neighbours.
///
/// [`Edition::First`]: super::Edition::First
pub(super) fn pair_first(ranked: &[usize], met: &[Vec<bool>], had_bye: &[bool]) -> Stage {
    let mut ranked = ranked.to_vec();
    let bye = (ranked.len() % 2 == 1).then(|| {
        let at = ranked.iter().rposition(|&player| !had_bye[player]).unwrap_or(ranked.len() - 1);
        ranked.remove(at)
    });
    Stage { bye, pairs: pair_neighbours(&ranked, met) }
}

fn pair_neighbours(ranked: &[usize], met: &[Vec<bool>]) -> Vec<(usize, usize)> {
    // A search that steps back; its steps are bounded because fields where nearly all have met can take for ever.
    fn search(
        left: &mut Vec<usize>,
        met: &[Vec<bool>],
        pairs: &mut Vec<(usize, usize)>,
        steps: &mut u32,
    ) -> bool {
        if left.is_empty() {
            return true;
        }
        let first = left.remove(0);
        for at in 0..left.len() {
            *steps = steps.saturating_sub(1);
            if *steps == 0 {
                break;
            }
            if met[first][left[at]] {
                continue;
            }
            let second = left.remove(at);
            pairs.push((first, second));
            if search(left, met, pairs, steps) {
                return true;
            }
            pairs.pop();
            left.insert(at, second);
        }
        left.insert(0, first);
        false
    }
    let mut pairs = Vec::new();
    if search(&mut ranked.to_vec(), met, &mut pairs, &mut 100_000) {
        return pairs;
    }
    ranked.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect()
}
