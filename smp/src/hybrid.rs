//! Hybrid: teams that split, among which Lazy SMP rules.
//!
//! Young Brothers Wait wins little from each further worker once a search has several; Lazy SMP goes on winning
//! slowly with any number (Stockfish's tests of the one against the other found them equal at three or four threads
//! and lazy ahead from seven on, commit ecc5ff669). So the threads form as few teams of at most [`TEAM`] as they can, as
//! equal as they can be, since a small team would only run along with a larger one: within a team the leader searches the
//! root and the others help it by the conditions of [`crate::ybw`]; the leaders are independent searchers as in
//! [`crate::lazy`], whoever finishes an iteration takes the others along, and the leaders vote. Members who read ahead
//! meanwhile take part in this race as well.

/// Most threads of a team.
pub const TEAM: usize = 4;

/// The team of one of so many threads: neighbours are in one, and no team is larger than another by more than one.
pub fn team(thread: usize, threads: usize) -> usize {
    thread * threads.div_ceil(TEAM) / threads
}

/// How many members each of the teams has that so many threads form.
pub fn teams(threads: usize) -> impl Iterator<Item = usize> {
    let members = move |wanted| (0..threads).filter(|&thread| team(thread, threads) == wanted).count();
    (0..threads.div_ceil(TEAM)).map(members)
}

/// Does this one of so many threads lead its team?
pub fn leads(thread: usize, threads: usize) -> bool {
    thread == 0 || team(thread, threads) != team(thread - 1, threads)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn teams_are_few_and_nearly_equal_and_each_has_one_leader_first() {
        for threads in 1..=256 {
            let sizes: Vec<usize> = teams(threads).collect();
            assert_eq!(sizes.len(), threads.div_ceil(TEAM), "{threads}");
            assert_eq!(sizes.iter().sum::<usize>(), threads);
            let (most, fewest) = (sizes.iter().max().unwrap(), sizes.iter().min().unwrap());
            assert!(*most <= TEAM && most - fewest <= 1, "{threads}: {sizes:?}");
            let firsts: Vec<usize> = (0..threads).filter(|&thread| leads(thread, threads)).collect();
            let led: Vec<usize> = firsts.iter().map(|&first| team(first, threads)).collect();
            assert_eq!(led, (0..sizes.len()).collect::<Vec<_>>(), "{threads}");
        }
    }
}
