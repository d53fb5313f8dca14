//! Which thread's move is played: a vote.
//!
//! Every thread that searches the root as a leader, of a team or alone, ends with a result of its own. A move's votes
//! are the depths of the threads that chose it, each weighted by how much better that thread likes its move than the
//! most pessimistic thread likes its own (the scheme of Stockfish commit d96c1c32a, +6 Elo at 4 threads). Only threads
//! that finished at least the iteration that thread 0 finished have a vote: so a search to a given depth is answered
//! from that depth. If threads know something of a deeper iteration than any has finished, only they vote: the others
//! hold copies of one result, of the iteration before (iteration sync), by whose number a move would win that has just
//! been refuted. A proven mate outvotes everything, the shortest first; the thread chosen is the deepest and most
//! convinced of those that chose the winning move.

use engine::iterate::ThreadResult;
use engine::root::RootMove;
use std::cmp::Reverse;
use thinking::score::{MATE_BOUND, Score};

/// Base weight, so that the most pessimistic thread has a vote too.
const BASE: i64 = 14;

fn choice(result: &ThreadResult) -> Option<(&RootMove, Score)> {
    let best = result.root.best().filter(|_| result.depth > 0)?;
    Some((best, best.score))
}

/// The iteration that a result comes from, finished or not.
fn reached(result: &ThreadResult) -> i32 {
    result.depth.max(result.root.depth)
}

/// Index of the result to follow; that of thread 0 when no thread has finished an iteration.
pub fn elect(results: &[ThreadResult]) -> usize {
    let mates = results.iter().enumerate().filter_map(|(i, o)| Some((i, choice(o)?.1)));
    if let Some((fastest, _)) =
        mates.filter(|&(_, score)| score >= MATE_BOUND).max_by_key(|&(i, score)| (score, Reverse(i)))
    {
        return fastest;
    }
    let depth = results.first().map_or(0, |first| first.depth);
    let mut voters: Vec<usize> =
        (0..results.len()).filter(|&i| results[i].depth >= depth && choice(&results[i]).is_some()).collect();
    let finished = voters.iter().map(|&i| results[i].depth).max().unwrap_or(0);
    if voters.iter().any(|&i| reached(&results[i]) > finished) {
        voters.retain(|&i| reached(&results[i]) > finished);
    }
    let scores = voters.iter().filter_map(|&i| Some(choice(&results[i])?.1));
    let Some(least) = scores.min() else { return 0 };
    let weight = |index: usize| {
        let result = &results[index];
        choice(result).map_or(0, |(_, score)| (i64::from(score - least) + BASE) * i64::from(reached(result)))
    };
    let chosen = |index: usize| choice(&results[index]).map(|(best, _)| best.mv);
    let votes = |index: usize| -> i64 {
        voters.iter().filter(|&&other| chosen(other) == chosen(index)).map(|&other| weight(other)).sum()
    };
    voters
        .iter()
        .copied()
        .max_by_key(|&i| (votes(i), reached(&results[i]), weight(i), Reverse(i)))
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess::{Move, Position};
    use engine::root::Root;

    fn result(depth: i32, mv: &str, score: Score) -> ThreadResult {
        let position = Position::startpos();
        let mv: Move = position.parse_uci(mv).unwrap();
        let mut root = Root::new(&position, &[mv]);
        root.moves[0].score = score;
        ThreadResult { depth, root }
    }

    /// The same of a thread that has come to a deeper iteration than it has finished.
    fn at(finished: i32, reached: i32, mv: &str, score: Score) -> ThreadResult {
        let mut result = result(finished, mv, score);
        result.root.depth = reached;
        result
    }

    #[test]
    fn the_majority_wins_over_one_deeper_thread() {
        let results = [result(10, "d2d4", 22), result(11, "e2e4", 20), result(10, "d2d4", 25)];
        assert_eq!(elect(&results), 2);
    }

    #[test]
    fn a_shallower_thread_has_no_vote() {
        let results = [result(10, "e2e4", 20), result(9, "d2d4", 90), result(9, "d2d4", 90)];
        assert_eq!(elect(&results), 0);
        // Nor is it a measure of the others: by hand, 74 * 3 votes against 14 * 5, and not 974 * 3 against 914 * 5.
        assert_eq!(elect(&[result(3, "e2e4", 60), result(5, "d2d4", 0), result(2, "g1f3", -900)]), 0);
    }

    #[test]
    fn agreement_is_reported_by_the_deepest() {
        let results = [result(9, "e2e4", 20), result(10, "e2e4", 18), result(10, "e2e4", 25)];
        assert_eq!(elect(&results), 2);
        assert_eq!(elect(&[result(9, "e2e4", 60), result(10, "e2e4", 20)]), 1, "whatever they think of it");
    }

    /// By hand, if all had a vote: 38 * 6 votes from each of three threads for a move that has just turned out to be
    /// worse, and 14 * 6 against them.
    #[test]
    fn copies_of_the_iteration_before_do_not_outvote_what_the_last_one_found() {
        let copy = || at(6, 6, "d2d3", 0);
        assert_eq!(elect(&[copy(), copy(), copy(), at(6, 7, "a2a3", -24)]), 3);
        // Of several such threads those that agree, or else the one that has come deeper, 14 * 9 votes to 14 * 8.
        let [fallen, other] = [at(6, 8, "a2a3", -24), at(6, 9, "b2b3", -24)];
        assert_eq!(elect(&[copy(), copy(), fallen.clone(), other.clone()]), 3);
        assert_eq!(elect(&[copy(), copy(), fallen.clone(), fallen.clone(), other]), 2);
        // By the iteration they have come to 15 * 8 votes to 14 * 9; by the one they have finished, 15 * 6 to 14 * 6.
        assert_eq!(elect(&[copy(), at(6, 8, "a2a3", -23), at(6, 9, "b2b3", -24)]), 2);
        // What is not deeper than another has finished is no news, and a mate outvotes it.
        assert_eq!(elect(&[copy(), at(8, 8, "c2c3", 10), at(6, 7, "a2a3", -24)]), 1);
        assert_eq!(elect(&[at(6, 6, "c2c3", thinking::score::mate_in(5)), fallen]), 0);
    }

    #[test]
    fn a_mate_outvotes_everything_the_shortest_first() {
        let mate = thinking::score::mate_in;
        let results = [result(20, "e2e4", 300), result(9, "d2d4", mate(7)), result(8, "c2c4", mate(5))];
        assert_eq!(elect(&results), 2);
    }

    /// In a broken-off iteration one thread has found that it is mated and another one that it is not.
    #[test]
    fn being_mated_outvotes_nothing() {
        let mated = at(6, 8, "a2a3", thinking::score::mated_in(6));
        assert_eq!(elect(&[mated.clone(), at(6, 8, "b2b3", -300)]), 1);
        assert_eq!(elect(&[at(6, 8, "b2b3", -300), mated]), 0);
    }

    #[test]
    fn without_any_finished_iteration_thread_zero_speaks() {
        assert_eq!(elect(&[ThreadResult::default(), ThreadResult::default()]), 0);
        assert_eq!(elect(&[result(0, "e2e4", 0), result(3, "d2d4", -50)]), 1);
    }

    /// By hand: 74 * 3 votes against 14 * 5. By the score of a thread that knows nothing yet, taken for the least, it
    /// would be 974 * 3 against 914 * 5.
    #[test]
    fn a_thread_without_an_iteration_is_no_measure_of_the_others() {
        assert_eq!(elect(&[result(0, "g1f3", -900), result(5, "d2d4", 0), result(3, "e2e4", 60)]), 2);
    }
}
