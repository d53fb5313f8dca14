//! The engine's own opening book: a Polyglot file of the user's choice, off unless asked for.

use super::expect_file;
use chess::{Move, Position};
use protocol::option::{OptionSpec, Value};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
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
    let bytes = std::fs::read(path).map_err(|error| format!("the book {path} cannot be read: {error}"))?;
    Polyglot::read(&bytes, path).map_err(|error| error.to_string())
}
