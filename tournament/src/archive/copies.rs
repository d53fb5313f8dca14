//! Games that stand in several files: copies of a journal or of PGN, a journal and the PGN made from it, or a
//! collection and its parts.
//!
//! Two games are the same if players, start, moves and result are, and nothing written of them says
//! otherwise: when they began, or where that is not known, date and round. Engines that always answer alike
//! play the same game again and again, so a game of a file can be the copy of one game of the files before
//! it, and games of one file are never copies of each other.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, Hasher, RandomState};

use chess::Position;

use super::Game;

/// Knows the games of the files that were read.
#[derive(Debug, Default)]
pub struct Copies {
    hasher: RandomState,
    /// The file that is being read, from 1.
    file: usize,
    /// By players, start, moves and result.
    games: HashMap<u64, Vec<Sighting>>,
    told: u64,
    taken: u64,
}

/// A game that counts.
#[derive(Debug)]
struct Sighting {
    /// The last file that has it.
    file: usize,
    occasion: Occasion,
}

/// The start position of a game, written in one manner: programs have several for castling rights. What is
/// not known here as a position stands as it was written.
fn start(game: &Game<'_>) -> String {
    let position = game.fen.as_deref().map_or_else(|| Ok(Position::startpos()), Position::from_fen);
    position.map_or_else(|_| game.fen.clone().unwrap_or_default(), |position| position.shredder_fen())
}

/// When a game was played; zeros for what is not known.
#[derive(Debug, Clone, Copy)]
struct Occasion {
    /// Unix time in milliseconds, or in whole seconds times a thousand.
    started_ms: u64,
    /// Hashes of its date and its round, as PGN writes them.
    date: u64,
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
            let coarse = a.is_multiple_of(1000) || b.is_multiple_of(1000);
            return (a == b || coarse && a / 1000 == b / 1000).then_some(Agreement::Certain);
        }
        let apart = |a: u64, b: u64| a > 0 && b > 0 && a != b;
        let differs = apart(self.date, other.date) || apart(self.round, other.round);
        (!differs).then_some(Agreement::Possible)
    }
}

impl Copies {
    /// The games of another file follow.
    pub fn next_file(&mut self) {
        self.file += 1;
    }

    /// Whether a game of this file stood in a file before. `names`: of White and of Black.
    pub fn is_copy(&mut self, names: [&str; 2], game: &Game<'_>) -> bool {
        let occasion = self.occasion(game);
        let content = self.content(names, game);
        let file = self.file;
        let sightings = self.games.entry(content).or_default();
        let agreeing = sightings.iter_mut().filter(|sighting| sighting.file < file).filter_map(|sighting| {
            let agreement = sighting.occasion.agrees(&occasion)?;
            Some((agreement, sighting))
        });
        // Of several that agree as well the first.
        let best = agreeing.reduce(|best, next| if next.0 > best.0 { next } else { best });
        let Some((agreement, sighting)) = best else {
            sightings.push(Sighting { file, occasion });
            return false;
        };
        sighting.file = file;
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
        Occasion { started_ms: game.started_ms, date: hash(&game.date), round: hash(&game.round) }
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
