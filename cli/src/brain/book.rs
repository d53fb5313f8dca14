//! The engine's own opening book: a Polyglot file of the user's choice, off unless asked for.

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
            (FILE, Value::Text(path)) if path.is_empty() => self.book = Polyglot::default(),
            (FILE, Value::Text(path)) => {
                // No word of the system's about the reason: xboard takes some of those for the engine's
                // death.
                let Ok(bytes) = std::fs::read(path) else {
                    return Some(Err(format!("the book {path} cannot be read")));
                };
                match Polyglot::read(&bytes, path) {
                    Ok(book) => self.book = book,
                    Err(error) => return Some(Err(error.to_string())),
                }
            }
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
