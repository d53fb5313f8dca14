//! Hybrid: teams that split, among which Lazy SMP rules.
//!
//! Young Brothers Wait wins little from each further worker once a search has several; Lazy SMP goes on winning
//! slowly with any number (Stockfish's tests of the one against the other found them equal at three or four threads
//! and lazy ahead from seven on, commit ecc5ff669). So the threads form teams of [`TEAM`]: within a team the leader
//! searches the root and the others help it by the conditions of [`crate::ybw`]; the leaders are independent
//! searchers as in [`crate::lazy`], whoever finishes an iteration takes the others along, and the leaders vote. Members
//! who read ahead meanwhile take part in this race as well.

/// Most threads of a team.
pub const TEAM: usize = 4;

/// The team of a thread.
pub fn team(thread: usize) -> usize {
    thread / TEAM
}

/// How many members each of the teams has that so many threads form.
pub fn teams(threads: usize) -> impl Iterator<Item = usize> {
    (0..threads).step_by(TEAM).map(move |first| TEAM.min(threads - first))
}

/// Does this thread lead its team?
pub fn leads(thread: usize) -> bool {
    thread.is_multiple_of(TEAM)
}
