//! How many nodes a search may keep: the best-first searches, and those that remember every node they have
//! visited, grow with their trees.

/// The most nodes that a search keeps for a command line: less than 3 GB, and just below the power of two at
/// which a growing list would take twice as much.
pub const MAX_KEPT: usize = 8_000_000;

/// A search has kept all the nodes it may, and is not finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name} keeps more than {most} nodes")]
pub struct Full {
    /// The search.
    pub name: &'static str,
    /// What it may keep.
    pub most: usize,
}

/// Room for so many nodes.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    name: &'static str,
    most: usize,
}

impl Room {
    /// As much as the machine has.
    pub const UNLIMITED: Room = Room { name: "a search", most: usize::MAX };

    /// Room in which `name` may keep `most` nodes.
    pub fn of(name: &'static str, most: usize) -> Self {
        Self { name, most }
    }

    /// Do `kept` nodes fit?
    pub fn holds(self, kept: usize) -> Result<(), Full> {
        if kept > self.most { Err(Full { name: self.name, most: self.most }) } else { Ok(()) }
    }
}
