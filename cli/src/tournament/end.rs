//! How a tournament ended, for people and for scripts.

use std::process::ExitCode;

use ::tournament::runner::{Forfeits, Halt, RunEnd};
use ::tournament::standings::Standings;

use crate::interrupt::INTERRUPTED;

/// Told at the end of `--help`.
pub const STATUSES: &str = "\
Exit status:
  0    all games are played, or the sequential test has decided
  1    nothing was played: something is wrong with the command, a file or an engine
  2    the command line cannot be understood
  3    stopped before the end by itself: an engine can no longer be started, is another program than at the beginning, or
       has lost several games in a row by faults of its own; the disk is full; a journal, a file of games or a table
       was taken away; or a large book was written over. Also where all games are played, and one of their files
       cannot be brought to its end
  4    played to the end, but there are games that were lost by a fault of the program (not with --forfeits count)
  130  stopped by Ctrl-C

Faults of a program are: it crashes, closes its output, does not answer, does not get ready for a game, plays an illegal
move, refuses a legal one, or makes a false claim. A loss on time is not such a fault: keeping to the clock is part of a
player's strength, and counts everywhere.";

/// The exit status.
pub fn status(end: &RunEnd, standings: &Standings, forfeits: Forfeits) -> ExitCode {
    match end {
        RunEnd::Stopped => ExitCode::from(INTERRUPTED),
        RunEnd::Halted(_) => ExitCode::from(3),
        RunEnd::Complete | RunEnd::Decided(_) => {
            let faults = standings.endings().keys().any(|ending| ending.is_fault());
            if faults && forfeits != Forfeits::Count { ExitCode::from(4) } else { ExitCode::SUCCESS }
        }
    }
}

/// The exit status where a file of games cannot be brought to its end, though the journal has them all.
pub fn unwritten(end: &RunEnd) -> ExitCode {
    if *end == RunEnd::Stopped { ExitCode::from(INTERRUPTED) } else { ExitCode::from(3) }
}

/// How it ended, in a word or two.
pub fn state(end: &RunEnd) -> &'static str {
    match end {
        RunEnd::Complete => "complete",
        RunEnd::Decided(_) => "decided by the test",
        RunEnd::Stopped => "stopped before the end",
        RunEnd::Halted(_) => "stopped before the end by a fault",
    }
}

/// Where the next run finds the games of this one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// There is no journal.
    Nowhere,
    /// In the journal.
    Journal,
    /// In none: the journal was removed, replaced or written by something else.
    LostJournal,
}

/// What to do about a journal that is lost.
pub const LOST_JOURNAL: &str =
    "Put the journal back as it was first: without it the same command begins anew.";

/// What there is to say about an end before the end; `None` if there is nothing.
pub fn words(end: &RunEnd, kept: Kept) -> Option<String> {
    let kept = |how: &str| match kept {
        Kept::Nowhere => "Without --journal it begins anew.".to_owned(),
        Kept::Journal => format!("The same command {how}."),
        Kept::LostJournal => LOST_JOURNAL.to_owned(),
    };
    match end {
        RunEnd::Complete | RunEnd::Decided(_) => None,
        RunEnd::Stopped => Some(format!("Stopped before the end. {}", kept("goes on from here"))),
        RunEnd::Halted(halt) => Some(format!("Stopped before the end: {halt}. {}", kept(what_goes_on(halt)))),
    }
}

/// What the same command does after a run that has stopped by itself, on this machine or on another one.
fn what_goes_on(halt: &Halt) -> &'static str {
    match halt {
        Halt::Changed { .. } => "goes on with --same-engine",
        Halt::Output { .. } => "goes on once there is room",
        Halt::CannotStart { .. } => "goes on once it can be started",
        Halt::Opening(_) => "goes on once its opening can be read as at the start",
        Halt::Table(_) => "goes on once its table can be read",
        Halt::Panicked(_) | Halt::Forfeits { .. } | Halt::Crash(_) | Halt::Gone => "goes on from here",
        Halt::NoThread(_) => "goes on once there is room for its threads, or with fewer games at once",
        // A rank that alone has another program is refused at the start.
        Halt::Elsewhere { halt, .. } if matches!(**halt, Halt::Changed { .. }) => {
            "goes on with --same-engine once it is the same program on all ranks"
        }
        Halt::Elsewhere { halt, .. } => what_goes_on(halt),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The advice is that of the fault, on whichever machine it was.
    #[test]
    fn a_fault_elsewhere_has_its_place_and_its_own_advice() {
        let told = |halt: Halt| {
            let (place, halt) = ("rank 2 on node7".to_owned(), Box::new(halt));
            words(&RunEnd::Halted(Halt::Elsewhere { place, halt }), Kept::Journal).unwrap_or_default()
        };
        let [player, command, why] = ["A", "./a", "it is gone"].map(str::to_owned);
        assert_eq!(
            told(Halt::CannotStart { player: player.clone(), command, why: why.clone() }),
            "Stopped before the end: rank 2 on node7: A: `./a` can no longer be started: it is gone. The same command \
             goes on once it can be started."
        );
        let changed = told(Halt::Changed { player, what: why });
        let advice = "The same command goes on with --same-engine once it is the same program on all ranks.";
        assert!(changed.ends_with(advice), "{changed}");
    }

    /// Whatever else has ended the run, Ctrl-C included.
    #[test]
    fn a_journal_that_is_gone_is_wanted_first() {
        let full = Halt::Output { why: "full".to_owned(), game: 1 };
        for end in [RunEnd::Stopped, RunEnd::Halted(full)] {
            for (kept, says) in [
                (Kept::Nowhere, "Without --journal it begins anew."),
                (Kept::Journal, "The same command goes on"),
                (Kept::LostJournal, "Put the journal back"),
            ] {
                let told = words(&end, kept).unwrap();
                assert!(told.contains(says), "{told}");
                assert_eq!(told.contains("goes on"), kept == Kept::Journal, "{told}");
            }
        }
    }
}
