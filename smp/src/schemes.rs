//! The parallel schemes by name.

pub mod abdada;
pub mod hybrid;
pub mod lazy;
pub mod marks;
pub mod pvsplit;
pub mod rootsplit;
pub mod rules;
pub mod ybw;

use engine::history::Histories;
use hybrid::Teams;
use std::fmt;
use std::str::FromStr;

/// How the threads of a search work together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Scheme {
    /// One thread, reproducible to the node; further threads stay parked.
    Serial,
    /// Lazy SMP: every thread searches the root on its own, and they meet in the shared table.
    Lazy,
    /// Young Brothers Wait: the remaining moves of a node are searched together once its first move has a score.
    Ybw,
    /// ABDADA: every thread searches the root, and defers moves that another thread is already searching.
    Abdada,
    /// Principal variation splitting: siblings are shared out along the principal variation only.
    PvSplit,
    /// Root splitting: the root's moves are shared out.
    RootSplit,
    /// Young Brothers Wait inside teams of up to four threads, Lazy SMP between teams. The default: with sixteen real
    /// cores it is the fastest of all (bench/runs/2026-11-26-battery). With two or three threads it is `Lazy` itself,
    /// which two threads play games with at least as well (bench/runs/2026-11-28-two-threads).
    #[default]
    Hybrid,
}

impl Scheme {
    /// Every scheme.
    pub const ALL: [Scheme; 7] = [
        Scheme::Serial,
        Scheme::Lazy,
        Scheme::Ybw,
        Scheme::Abdada,
        Scheme::PvSplit,
        Scheme::RootSplit,
        Scheme::Hybrid,
    ];

    /// Do its threads work side by side below the same nodes, by sharing out or putting off what another is at? The
    /// historical schemes do, too, but only below the principal variation or the root.
    pub const fn works_together(self) -> bool {
        match self {
            Scheme::Ybw | Scheme::Abdada | Scheme::Hybrid => true,
            Scheme::Serial | Scheme::Lazy | Scheme::PvSplit | Scheme::RootSplit => false,
        }
    }

    /// How many of so many threads search.
    pub fn searching(self, threads: usize) -> usize {
        if self == Scheme::Serial { 1 } else { threads.max(1) }
    }

    /// What it comes to with so many threads: [`Scheme::Hybrid`] whose teams have one member each is [`Scheme::Lazy`].
    /// A team of it has at most `team` threads, without it as many as is usual.
    pub fn among(self, threads: usize, team: Option<usize>) -> Self {
        match self {
            Scheme::Hybrid if Teams::of(threads, team).count() == threads => Scheme::Lazy,
            other => other,
        }
    }

    /// The histories of so many threads as this scheme lets them tell each other what they learn: within their team, as
    /// far as there are any; `team` as in [`Scheme::among`].
    pub(crate) fn histories(self, all: &Histories, threads: usize, team: Option<usize>) -> Histories {
        match self.among(threads, team) {
            Scheme::Serial | Scheme::Lazy | Scheme::Abdada => all.clone(),
            Scheme::Ybw | Scheme::PvSplit | Scheme::RootSplit => all.in_teams(|_| 0),
            Scheme::Hybrid => {
                let teams = Teams::of(threads, team);
                all.in_teams(|thread| teams.team(thread))
            }
        }
    }

    /// The name users type.
    pub const fn name(self) -> &'static str {
        match self {
            Scheme::Serial => "serial",
            Scheme::Lazy => "lazy",
            Scheme::Ybw => "ybw",
            Scheme::Abdada => "abdada",
            Scheme::PvSplit => "pvsplit",
            Scheme::RootSplit => "rootsplit",
            Scheme::Hybrid => "hybrid",
        }
    }
}

impl fmt::Display for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// No scheme has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown scheme '{0}'; known are {names}", names = Scheme::ALL.map(Scheme::name).join(", "))]
pub struct UnknownScheme(String);

impl FromStr for Scheme {
    type Err = UnknownScheme;
    fn from_str(name: &str) -> Result<Self, UnknownScheme> {
        let known = Self::ALL.into_iter().find(|scheme| scheme.name().eq_ignore_ascii_case(name));
        known.ok_or_else(|| UnknownScheme(name.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A variant that the list of all lacked would compile, and no test over all schemes would miss it.
    #[test]
    fn every_scheme_is_in_the_list_of_all() {
        let (_, rest) = include_str!("schemes.rs").split_once("pub enum Scheme {").expect("its variants");
        let (variants, _) = rest.split_once("\n}").expect("their end");
        let named = variants.lines().filter_map(|line| {
            let line = line.trim();
            line.strip_suffix(',').filter(|_| !line.starts_with("//"))
        });
        assert_eq!(named.collect::<Vec<_>>(), Scheme::ALL.map(|scheme| format!("{scheme:?}")));
    }

    /// Whom the third of eight threads hears, and from which depth on: its team, or all but itself.
    #[test]
    fn threads_hear_their_team() {
        let all = Histories::default().resized(8);
        for (scheme, team, heard, depth) in [
            (Scheme::Hybrid, 4, &[0, 1, 3][..], 3),
            (Scheme::Hybrid, 8, &[0, 1, 3, 4, 5, 6, 7], 6),
            (Scheme::Hybrid, 1, &[0, 1, 3, 4, 5, 6, 7], 6),
            (Scheme::Ybw, 4, &[0, 1, 3, 4, 5, 6, 7], 6),
            (Scheme::Lazy, 4, &[0, 1, 3, 4, 5, 6, 7], 6),
        ] {
            let histories = scheme.histories(&all, 8, Some(team));
            let numbers: Vec<usize> = histories.hear(2).map(|(number, _)| number).collect();
            assert_eq!((&numbers[..], histories.publish_depth(2)), (heard, depth), "{scheme}, {team}");
        }
        let four = all.resized(4);
        let depth = |scheme: Scheme| scheme.histories(&four, 4, Some(4)).publish_depth(0);
        assert_eq!([Scheme::Ybw, Scheme::Hybrid, Scheme::PvSplit, Scheme::Lazy].map(depth), [3, 3, 3, 6]);
    }
}
