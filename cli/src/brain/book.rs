//! The engine's own opening book: a Polyglot file of the user's choice, off unless asked for.

use super::expect_file;
use chess::{Move, Position};
use protocol::option::{OptionSpec, Value};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::path::Path;
use tournament::openings::polyglot::Polyglot;

const USE: &str = "OwnBook";
const FILE: &str = "BookFile";

/// What a user may set.
pub(super) fn options() -> Vec<OptionSpec> {
    vec![OptionSpec::check(USE, false), OptionSpec::text(FILE, "")]
}

/// A book, if a file was named, and whether to play from it.
pub(super) struct OwnBook {
    on: bool,
    book: Polyglot,
    rng: ChaCha8Rng,
}

impl Default for OwnBook {
    fn default() -> Self {
        OwnBook { on: false, book: Polyglot::default(), rng: ChaCha8Rng::from_os_rng() }
    }
}

impl OwnBook {
    /// Sets an option; `None` if it is none of the book's.
    pub(super) fn set(&mut self, name: &str, value: &Value) -> Option<Result<(), String>> {
        match (name, value) {
            (USE, &Value::Check(on)) => self.on = on,
            (FILE, Value::Text(path)) => match load(path) {
                Ok(book) => self.book = book,
                Err(error) => return Some(Err(error)),
            },
            _ => return None,
        }
        Some(Ok(()))
    }

    /// A move to play at once, drawn by weight.
    pub(super) fn choose(&mut self, position: &Position) -> Option<Move> {
        if self.on { self.book.draw(position, &mut self.rng) } else { None }
    }

    /// What the book has for a position, whether it is played from or not.
    pub(super) fn moves(&self, position: &Position) -> Vec<(Move, u32)> {
        self.book.moves(position).into_iter().map(|(mv, weight)| (mv, weight.into())).collect()
    }
}

/// The book of a file; an empty one for an empty name.
fn load(path: &str) -> Result<Polyglot, String> {
    if path.is_empty() {
        return Ok(Polyglot::default());
    }
    expect_file("the book", path)?;
    Polyglot::open(Path::new(path)).map_err(|error| format!("the book {path} cannot be used: {}", error.why))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::brain::PoolBrain;
    use chess::Game;
    use protocol::brain::{Brain, Task};
    use std::io::Write;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
    use thinking::report::{Limits, Observer, Silent, Verdict};

    /// `e2e4` in the start position, with the key that the description of the format prints.
    const ENTRY: [u8; 16] = [0x46, 0x3b, 0x96, 0x18, 0x16, 0x91, 0xfc, 0x9c, 3, 0x1c, 0, 1, 0, 0, 0, 0];

    /// As a tournament takes it: packed or not, and not without a move.
    #[test]
    fn a_book_may_be_packed_and_holds_a_move() {
        let folder = tempfile::tempdir().expect("a folder");
        let loaded = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).expect("it can be written");
            load(&path.display().to_string()).map(|book| book.len())
        };
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(&ENTRY).expect("memory takes it");
        let packed = packed.finish().expect("memory takes it");
        assert_eq!(loaded("a.bin", &ENTRY), Ok(1));
        assert_eq!(loaded("a.bin.gz", &packed), Ok(1));
        for (name, bytes) in [("empty.bin", &b""[..]), ("torn.bin", &ENTRY[1..])] {
            let refused = loaded(name, bytes).expect_err("it is no book");
            assert!(refused.contains(name), "{refused}");
        }
        assert_eq!(load("").map(|book| book.len()), Ok(0), "no name is no book");
    }

    /// Notes whether a verdict has a line of thinking: a move from the book has none.
    #[derive(Default)]
    struct Searched(AtomicBool);

    impl Observer for Searched {
        fn verdict(&self, verdict: &Verdict) {
            self.0.store(verdict.info.is_some(), Relaxed);
        }
    }

    /// An analysis, several lines, a mate to find or moves to choose from want a search.
    #[test]
    fn the_book_answers_only_in_games() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("book.bin");
        std::fs::write(&path, ENTRY).expect("it can be written");
        let mut brain = PoolBrain::new().expect("a small table");
        for (name, value) in [(FILE, Value::Text(path.display().to_string())), (USE, Value::Check(true))] {
            assert_eq!(brain.set_option(name, &value), Ok(()));
        }
        let only = Position::startpos().parse_uci("e2e4").expect("a legal move");
        let for_move = Limits { depth: Some(2), ..Limits::default() };
        for (limits, multipv, analysis, searches) in [
            (for_move.clone(), 1, false, false),
            (for_move.clone(), 1, true, true),
            (for_move, 2, false, true),
            (Limits { infinite: true, ..Limits::default() }, 1, true, true),
            (Limits { ponder: true, ..Limits::default() }, 1, false, true),
            (Limits { mate: Some(1), ..Limits::default() }, 1, false, true),
            (Limits { search_moves: vec![only], ..Limits::default() }, 1, false, true),
        ] {
            let searched = Arc::new(Searched::default());
            let what = format!("{limits:?}, {multipv} lines, analysis: {analysis}");
            brain.go(Task { game: Game::default(), limits, multipv, analysis }, searched.clone());
            brain.stop();
            brain.pool.wait();
            assert_eq!(searched.0.load(Relaxed), searches, "{what}");
        }
    }

    /// The nodes of the search before are not its own: they would be taken off a clock that counts nodes.
    #[test]
    fn a_move_from_the_book_takes_no_nodes() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("book.bin");
        std::fs::write(&path, ENTRY).expect("it can be written");
        let mut brain = PoolBrain::new().expect("a small table");
        assert_eq!(brain.set_option(FILE, &Value::Text(path.display().to_string())), Ok(()));
        for (on, searches) in [(false, true), (true, false), (false, true)] {
            assert_eq!(brain.set_option(USE, &Value::Check(on)), Ok(()));
            let limits = Limits { depth: Some(2), ..Limits::default() };
            brain.go(Task { game: Game::default(), limits, multipv: 1, analysis: false }, Arc::new(Silent));
            brain.pool.wait();
            assert_eq!(brain.nodes() > 0, searches, "OwnBook: {on}");
        }
    }
}
