//! Hybrid: Young Brothers Wait inside teams of up to four threads, Lazy SMP between teams.
//!
//! Young Brothers Wait gains less from each further worker once a search has several; Lazy SMP goes on gaining
//! slowly with any number. (Stockfish's tests found the two equal at three or four threads and lazy ahead from seven
//! on, commit ecc5ff669.) So the threads form as few teams of at most [`most_members`] as possible, of nearly
//! equal size, since a small team could not keep up with a larger one. In a team the leader searches the root and
//! the others help it by the conditions of [`crate::schemes::ybw`]. The leaders search independently as in
//! [`crate::schemes::lazy`], with iteration sync between them, and vote. Members that read ahead take part in this
//! race as well. Where each team has one member, as two or three threads have them, this is Lazy SMP itself
//! ([`Scheme::among`](super::Scheme::among)).
//!
//! On sixteen real cores teams of four were faster than teams of eight, and as fast as teams of two with fewer nodes
//! (bench/runs/2026-11-26-battery). Four to eight threads are faster in teams of two, which join less often and
//! search no more nodes (virtual clock, bench/runs/2026-11-27-team-sizes).

/// Most members of a team, however many threads there are, unless another size is asked for.
const LARGEST: usize = 4;

/// Most members of a team among so many threads, unless another size is asked for: the square root of their number,
/// rounded down, and at most four. With two or three threads it is one.
pub fn most_members(threads: usize) -> usize {
    threads.isqrt().clamp(1, LARGEST)
}

/// How so many threads form teams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Teams {
    threads: usize,
    count: usize,
}

impl Teams {
    /// As few teams of at most `most` members as these threads can form; without it of [`most_members`]. Both numbers
    /// are at least 1.
    pub fn of(threads: usize, most: Option<usize>) -> Self {
        let threads = threads.max(1);
        let most = most.unwrap_or_else(|| most_members(threads));
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

    /// How many teams there are.
    pub fn count(self) -> usize {
        self.count
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
        for (threads, most) in (1..=256).flat_map(|threads| [1, 2, 4, 8, 256].map(|most| (threads, most))) {
            let teams = Teams::of(threads, Some(most));
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

    #[test]
    fn usual_teams_grow_with_the_threads_up_to_four() {
        for (threads, sizes) in [
            (1, &[1][..]),
            (2, &[1, 1]),
            (3, &[1, 1, 1]),
            (4, &[2, 2]),
            (8, &[2, 2, 2, 2]),
            (9, &[3, 3, 3]),
            (16, &[4, 4, 4, 4]),
            (17, &[4, 4, 3, 3, 3]),
        ] {
            let mut found: Vec<usize> = Teams::of(threads, None).sizes().collect();
            found.sort_by(|a, b| b.cmp(a));
            assert_eq!(found, sizes, "{threads}");
        }
        assert!(Teams::of(1_000, None).sizes().all(|size| size == 4));
    }
}
