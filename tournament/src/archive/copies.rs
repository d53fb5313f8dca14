//! Games that stand in several files: copies of a journal or of PGN, a journal and the PGN made from it, or a
//! collection and its parts.
//!
//! Two games are the same if players, start, moves and result are, and nothing written of them says
//! otherwise: when they began, or where that is not known, date and round, of a date as much as both say
//! (`1995.??.??` can be `1995.07.01`, but not `1996.07.01`). Engines that always answer alike play the same game
//! again and again, so a game of a file can be the copy of one game of the files before it, and games of one file
//! are never copies of each other.
//!
//! What has a copy in an encounter is a game of that encounter: where one file has half of a pair and a later one all
//! of it, the other half belongs to the first.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, Hasher, RandomState};
use std::io::BufRead;
use std::path::Path;

use super::{ArchiveError, Collector, Game};
use crate::journal::JournalError;

/// An encounter: the file that has it, from 1, and its number there.
type Encounter = (usize, usize);

/// Games of an encounter that is a pair.
const PAIR: u32 = 2;

/// Knows the games of the files that were read.
#[derive(Debug, Default)]
pub struct Copies {
    hasher: RandomState,
    /// The file that is being read, from 1.
    file: usize,
    /// By players, start, moves and result.
    games: HashMap<u64, Vec<Sighting>>,
    /// Games of this file by their numbers, and whether they are copies.
    judged: HashMap<usize, bool>,
    /// Encounters with a copy in them, and those that it stood in first.
    first: HashMap<Encounter, Encounter>,
    /// How many games of an encounter count.
    counted: HashMap<Encounter, u32>,
    told: u64,
    taken: u64,
}

/// A game that counts.
#[derive(Debug)]
struct Sighting {
    /// The last file that has it.
    file: usize,
    /// Where it counts.
    encounter: Encounter,
    occasion: Occasion,
}

/// The start position of a game, written in one manner: programs have several for castling rights. What is
/// not known here as a position stands as it was written.
fn start(game: &Game<'_>) -> String {
    game.start().map_or_else(|_| game.fen.clone().unwrap_or_default(), |position| position.shredder_fen())
}

impl Collector for Copies {
    fn game(&mut self, names: [&str; 2], game: &Game<'_>) {
        self.is_copy(names, game);
    }

    /// What is to become of it is for the collector of the games to say.
    fn bad(&mut self, _: ArchiveError) -> Result<(), ArchiveError> {
        Ok(())
    }
}

/// When a game was played; zeros for what is not known.
#[derive(Debug, Clone, Copy)]
struct Occasion {
    /// Unix time in milliseconds, or in whole seconds times a thousand.
    started_ms: u64,
    /// Whether it is a journal's time, which is one in milliseconds.
    exact: bool,
    /// Hashes of year, month and day of its date, as PGN writes them.
    date: [u64; 3],
    /// Hash of its round, as PGN writes it.
    round: u64,
}

/// How surely two occasions are one.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Agreement {
    /// Nothing speaks against it.
    Possible,
    /// Both began at the same time.
    Certain,
}

impl Occasion {
    fn agrees(&self, other: &Self) -> Option<Agreement> {
        let (a, b) = (self.started_ms, other.started_ms);
        if a > 0 && b > 0 {
            // PGN often has no fractions of a second.
            let is_coarse = |one: &Self| !one.exact && one.started_ms.is_multiple_of(1000);
            let coarse = is_coarse(self) || is_coarse(other);
            return (a == b || coarse && a / 1000 == b / 1000).then_some(Agreement::Certain);
        }
        let apart = |(a, b): (u64, u64)| a > 0 && b > 0 && a != b;
        let differs = self.date.into_iter().zip(other.date).any(apart) || apart((self.round, other.round));
        (!differs).then_some(Agreement::Possible)
    }
}

impl Copies {
    /// The games of another file follow.
    pub fn next_file(&mut self) {
        self.file += 1;
        self.judged.clear();
    }

    /// Looks through the whole file before its games are asked for: what tells the encounter of a game may stand behind
    /// it.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn look_through(&mut self, path: &Path) -> Result<(), ArchiveError> {
        // The first file has no copies.
        if self.file > 1 {
            super::read(path, self)?;
        }
        Ok(())
    }

    /// As [`Self::look_through`], of a journal of which `input` has so much as counts.
    ///
    /// # Errors
    /// It cannot be read.
    pub(crate) fn look_through_journal(
        &mut self,
        path: &Path,
        input: impl BufRead,
    ) -> Result<(), JournalError> {
        if self.file > 1 {
            super::journal::read(path, input, self)?;
        }
        Ok(())
    }

    /// The encounter of a game that counts, of which this file says that it is the encounter of this number: the file
    /// that has it first, from 1, and its number there.
    pub fn encounter(&mut self, number: usize) -> (usize, usize) {
        let own = (self.file, number);
        let first = self.first.get(&own).copied().unwrap_or(own);
        // A third game is of no pair: what seemed to be a copy was the same game played again.
        let full = first != own && self.counted.get(&first).is_some_and(|&games| games >= PAIR);
        let encounter = if full { own } else { first };
        *self.counted.entry(encounter).or_default() += 1;
        encounter
    }

    /// Whether a game of this file stood in a file before. `names`: of White and of Black.
    pub fn is_copy(&mut self, names: [&str; 2], game: &Game<'_>) -> bool {
        if let Some(&judged) = self.judged.get(&game.id) {
            return judged;
        }
        let copy = self.judge(names, game);
        self.judged.insert(game.id, copy);
        copy
    }

    fn judge(&mut self, names: [&str; 2], game: &Game<'_>) -> bool {
        let occasion = self.occasion(game);
        let content = self.content(names, game);
        let (file, own) = (self.file, (self.file, game.encounter));
        let sightings = self.games.entry(content).or_default();
        let agreeing = sightings.iter_mut().filter(|sighting| sighting.file < file).filter_map(|sighting| {
            let agreement = sighting.occasion.agrees(&occasion)?;
            Some((agreement, sighting))
        });
        // Of several that agree as well the first.
        let best = agreeing.reduce(|best, next| if next.0 > best.0 { next } else { best });
        let Some((agreement, sighting)) = best else {
            sightings.push(Sighting { file, encounter: own, occasion });
            return false;
        };
        sighting.file = file;
        let there = sighting.encounter;
        let first = self.first.get(&there).copied().unwrap_or(there);
        self.first.entry(own).or_insert(first);
        match agreement {
            Agreement::Certain => self.told += 1,
            Agreement::Possible => self.taken += 1,
        }
        true
    }

    /// What was left out, and why; none if nothing was.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let note = |count: u64, why: &str| {
            let (games, verbs) = match count {
                1 => ("1 game".to_owned(), ["stands", "counts"]),
                _ => (crate::wording::counted(count, "game"), ["stand", "count"]),
            };
            let [stand, count_once] = verbs;
            format!("{games} {stand} in several of the files and {count_once} once: {why}.")
        };
        let told = (self.told > 0)
            .then(|| note(self.told, "players, moves, result and the time of the beginning are the same"));
        let taken = (self.taken > 0).then(|| {
            note(
                self.taken,
                "players, moves and result are the same, and the files do not both say when it began",
            )
        });
        told.into_iter().chain(taken).collect()
    }

    fn occasion(&self, game: &Game<'_>) -> Occasion {
        let hash = |text: &str| if text.is_empty() { 0 } else { self.hasher.hash_one(text).max(1) };
        // Only a journal numbers its rounds.
        let exact = game.in_round.is_some();
        // `1995.??.??`, `1995.07.01` and `1995-7-1`; a year of `199?` is not known either.
        let mut parts = game.date.split(['.', '-', '/']).map(str::trim);
        let mut part = || parts.next().filter(|part| !part.contains('?')).unwrap_or_default();
        let date = [(); 3].map(|()| hash(part().trim_start_matches('0')));
        Occasion { started_ms: game.started_ms, exact, date, round: hash(&game.round) }
    }

    fn content(&self, names: [&str; 2], game: &Game<'_>) -> u64 {
        let mut hasher = self.hasher.build_hasher();
        (names, game.result.text(), game.moves.len()).hash(&mut hasher);
        // Without the counters of moves, which programs write as they like.
        start(game).split_whitespace().take(4).for_each(|field| field.hash(&mut hasher));
        for ply in &game.moves {
            let text = if ply.uci.is_empty() { &ply.san } else { &ply.uci };
            text.hash(&mut hasher);
        }
        hasher.finish()
    }
}
