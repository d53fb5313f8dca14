//! `--live-pgn`: the running games in a file that is written anew as they go on.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ::tournament::boards::Boards;
use ::tournament::pgn::Event;
use sys::output::{OutputError, Place};

/// It is written no more often than this.
const PERIOD: Duration = Duration::from_secs(1);

/// The file of the running games.
pub struct RunningPgn {
    place: Place,
    boards: Arc<Boards>,
    event: Event,
    written: Option<(Instant, Vec<u8>)>,
}

impl RunningPgn {
    /// Of these boards.
    pub fn new(place: Place, boards: Arc<Boards>, event: Event) -> Self {
        Self { place, boards, event, written: None }
    }

    /// Writes how the games stand, in one step, if anything has changed and it is time.
    pub fn write_if_due(&mut self) -> Result<(), OutputError> {
        if self.written.as_ref().is_some_and(|(moment, _)| moment.elapsed() < PERIOD) {
            return Ok(());
        }
        self.write()
    }

    /// Writes how the games stand. When none is being played the file is empty.
    pub fn write(&mut self) -> Result<(), OutputError> {
        let text = self.boards.pgn(&self.event);
        let same = self.written.as_ref().is_some_and(|(_, last)| *last == text);
        let written = if same { Ok(()) } else { self.place.write(&text) };
        self.written = Some((Instant::now(), text));
        written
    }
}
