//! Hybrid: teams that split, among which Lazy SMP rules.
//!
//! Young Brothers Wait wins little from each further worker once a search has several; Lazy SMP goes on winning
//! slowly with any number (Stockfish's tests of the one against the other found them equal at three or four threads
//! and lazy ahead from seven on, commit ecc5ff669). So the threads form as few teams of at most [`TEAM`] as
//! they can, as equal as they can be, since a small team would only run along with a larger one: within a
//! team the leader searches the root and the others help it by the conditions of [`crate::schemes::ybw`]; the leaders
//! are independent searchers as in [`crate::schemes::lazy`], whoever finishes an iteration takes the others along, and
//! the leaders vote. Members who read ahead meanwhile take part in this race as well.

/// Most threads of a team, if nobody says otherwise.
pub const TEAM: usize = 4;

/// How so many threads form teams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Teams {
    threads: usize,
    count: usize,
}

impl Teams {
    /// As few teams of at most `most` members as these threads can form; both numbers are at least 1.
    pub fn of(threads: usize, most: usize) -> Self {
        let threads = threads.max(1);
        Teams { threads, count: threads.div_ceil(most.max(1)) }
    }

    /// The team of a thread: neighbours are in one, and no team is larger than another by more than one.
    pub fn team(self, thread: usize) -> usize {
        thread * self.count / self.threads
    }

    /// The first thread of a team, which leads it.
    pub fn leader(self, team: usize) -> usize {
        (team * self.threads).div_ceil(self.count)
    }

    /// How many members each team has.
    pub fn sizes(self) -> impl Iterator<Item = usize> {
        (0..self.count).map(move |team| self.leader(team + 1) - self.leader(team))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn teams_are_few_and_nearly_equal_and_each_has_one_leader_first() {
        for (threads, most) in (1..=256).flat_map(|threads| [1, 2, TEAM, 8, 256].map(|most| (threads, most)))
        {
            let teams = Teams::of(threads, most);
            let sizes: Vec<usize> = teams.sizes().collect();
            assert_eq!(sizes.len(), threads.div_ceil(most), "{teams:?}");
            assert_eq!(sizes.iter().sum::<usize>(), threads);
            let (largest, smallest) = (sizes.iter().max().unwrap(), sizes.iter().min().unwrap());
            assert!(*largest <= most && largest - smallest <= 1, "{teams:?}: {sizes:?}");
            for (team, size) in sizes.into_iter().enumerate() {
                let members: Vec<usize> = (0..threads).filter(|&thread| teams.team(thread) == team).collect();
                assert_eq!((members[0], members.len()), (teams.leader(team), size), "{teams:?}");
            }
        }
    }
}
