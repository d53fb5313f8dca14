//! Who can meet whom: the combinatorics behind the formats, without colours' history, games or results.
//!
//! Players are numbers from 0 in order of their seed.

/// The circle method: one player stays, the others move round; every round everybody meets somebody.
pub(super) fn circle(players: usize) -> Vec<Vec<(usize, usize)>> {
    let seats = players + players % 2;
    let mut ring: Vec<usize> = (1..seats).collect();
    let mut rounds = Vec::new();
    for round in 0..seats.saturating_sub(1) {
        let mut pairs = Vec::new();
        let line: Vec<usize> = std::iter::once(0).chain(ring.iter().copied()).collect();
        for i in 0..seats / 2 {
            let (a, b) = (line[i], line[seats - 1 - i]);
            if a < players && b < players {
                pairs.push(if (round + i) % 2 == 0 { (a, b) } else { (b, a) });
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

/// The first `seeds` players meet all others.
pub(super) fn gauntlet(players: usize, seeds: usize) -> Vec<Vec<(usize, usize)>> {
    let seeds = seeds.min(players.saturating_sub(1));
    vec![(0..seeds).flat_map(|seed| (seeds..players).map(move |other| (seed, other))).collect()]
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

/// Pairs players that stand next to each other and have not met; where that cannot be, as few as possible meet again.
pub(super) fn pair_neighbours(ranked: &[usize], met: &[Vec<bool>]) -> Vec<(usize, usize)> {
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
