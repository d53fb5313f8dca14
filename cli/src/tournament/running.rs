//! `--live-pgn`: the running games in a file that is written anew as they go on.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ::tournament::boards::Boards;
use ::tournament::pgn::Event;
use anyhow::ensure;
use sys::output::{OutputError, Place};

use super::page::rest;

/// It is written no more often than this.
const PERIOD: Duration = Duration::from_secs(1);

/// The file of the running games.
pub struct RunningPgn {
    place: Place,
    boards: Arc<Boards>,
    event: Event,
    written: Option<Written>,
}

/// The last writing.
struct Written {
    moment: Instant,
    took: Duration,
    text: Vec<u8>,
}

/// The place of such a file. What lies there is replaced, so it may hold nothing but running games, as a killed run
/// leaves them.
///
/// # Errors
/// It cannot be written, or holds something else.
pub fn place(path: &Path) -> anyhow::Result<Place> {
    let place = Place::find(path)?;
    ensure!(
        are_running(&place.content()?),
        "--live-pgn {}: it exists and holds something else than running games, which would be lost: give another \
         name, or move it away",
        path.display()
    );
    Ok(place)
}

/// Whether a text is nothing, or games in PGN of which none has a result and all have their tags in our order: the
/// games of a study have no results either.
fn are_running(text: &[u8]) -> bool {
    let text = text.trim_ascii();
    let lines: Vec<&[u8]> = text.split(|&byte| byte == b'\n').collect();
    let tags = |tag: &[u8]| lines.iter().filter(|line| line.starts_with(tag)).count();
    let is_ours = |pair: &&[&[u8]]| pair[0] == b"[Result \"*\"]" && pair[1].starts_with(b"[UTCTime ");
    let ours = lines.windows(2).filter(is_ours).count();
    text.is_empty() || text.starts_with(b"[Event ") && ours == tags(b"[Event ") && ours == tags(b"[Result ")
}

impl RunningPgn {
    /// Of these boards.
    pub fn new(place: Place, boards: Arc<Boards>, event: Event) -> Self {
        Self { place, boards, event, written: None }
    }

    /// Writes how the games stand, in one step, if anything has changed and it is time.
    pub fn write_if_due(&mut self) -> Result<(), OutputError> {
        if self.is_due() { self.write() } else { Ok(()) }
    }

    /// No game is given out while it is written, so a slow disk is asked less often.
    fn is_due(&self) -> bool {
        self.written.as_ref().is_none_or(|last| last.moment.elapsed() >= rest(PERIOD, last.took))
    }

    /// Writes how the games stand. When none is being played the file is empty.
    pub fn write(&mut self) -> Result<(), OutputError> {
        let begun = Instant::now();
        let text = self.boards.pgn(&self.event);
        let same = self.written.as_ref().is_some_and(|last| last.text == text);
        let written = if same { Ok(()) } else { self.place.write_without_sync(&text) };
        self.written = Some(Written { moment: Instant::now(), took: begun.elapsed(), text });
        written
    }
}

#[cfg(test)]
mod tests {
    use ::tournament::boards::{Begin, Running};
    use ::tournament::record::MoveRecord;

    use super::*;

    /// A file that took long to write is not written again at once.
    #[test]
    fn a_file_that_takes_long_waits_long() {
        let folder = tempfile::tempdir().unwrap();
        let place = Place::find(&folder.path().join("live.pgn")).unwrap();
        let mut running = RunningPgn::new(place, Arc::default(), Event::default());
        assert!(running.is_due());
        for (ago, took, is_due) in [(0, 1000, false), (30, 0, true), (30, 2, true), (30, 1000, false)] {
            // A machine that runs for less than a minute has no such moment.
            let Some(moment) = Instant::now().checked_sub(Duration::from_secs(ago)) else { continue };
            running.written = Some(Written { moment, took: Duration::from_secs(took), text: Vec::new() });
            assert_eq!(running.is_due(), is_due, "{ago} s ago, after {took} s");
        }
    }

    /// What a killed run leaves is taken again; an archive is not, whatever stands last in it.
    #[test]
    fn only_running_games_are_replaced() {
        let boards = Boards::default();
        assert!(are_running(&boards.pgn(&Event::default())));
        for game in 1..=2 {
            let begin = Begin {
                players: [0, 1],
                fen: (game == 2).then(|| "8/8/8/8/8/8/8/8 w - - 0 1".into()),
                ..Begin::default()
            };
            let running = Running {
                game,
                names: ["A".into(), "B".into()],
                fen: String::new(),
                black: false,
                last: None,
                plies: 1,
                clocks: [None; 2],
                thoughts: [None, None],
                since: Instant::now(),
                begin,
                moves: Vec::new(),
            };
            boards.show(running, &[MoveRecord::of_opening("e4".into(), String::new())]);
        }
        let event = Event { name: "E".into(), limits: vec!["1+0".into(); 2], ..Event::default() };
        let running = String::from_utf8(boards.pgn(&event)).unwrap();
        assert!(running.matches("[Event ").count() == 2 && are_running(running.as_bytes()), "{running}");
        for finished in ["1-0", "0-1", "1/2-1/2"] {
            let one = running.replacen("[Result \"*\"]", &format!("[Result \"{finished}\"]"), 1);
            assert!(!are_running(one.as_bytes()), "{one}");
        }
        let study = "[Event \"Study\"]\n[Result \"*\"]\n[UTCDate \"2026.11.29\"]\n[UTCTime \"10:00:00\"]\n\n1. e4 *\n";
        for other in [study, "notes\n", "1. e4 e5 1-0\n", "[Event \"E\"]\n\n1. e4 1-0\n"] {
            assert!(!are_running(other.as_bytes()), "{other}");
        }
    }
}
