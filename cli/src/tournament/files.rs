//! The files a tournament writes. All are opened before the first game, so that one that cannot be written is
//! told then.

use std::collections::BTreeMap;
use std::io::{self, BufRead, Read, Write};
use std::path::PathBuf;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use ::tournament::identity::Identity;
use ::tournament::journal::{Entry, Journal, Programs, Run, check_file};
use ::tournament::pgn::{Event, write_final_position, write_game, write_moves_jsonl};
use ::tournament::record::GameRecord;
use ::tournament::runner::{Forfeits, Plan, Stop};
use ::tournament::schedule::Held;
use ::tournament::spec::Player;
use ::tournament::survey::Tournament;
use anyhow::{Context, ensure};
use crc32fast::Hasher;
use serde_json::Value;
use sys::output::{Additions, OutputError, Outputs, Place, Precious};
use sys::provenance::Provenance;

use super::end::Kept;

/// What takes longer to open is said.
const LONG: Duration = Duration::from_secs(3);

/// How a game is put into a file.
type Format = fn(&mut Vec<u8>, &Event, &GameRecord) -> io::Result<()>;

/// The files that a tournament reads and writes.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// No output may go into these.
    pub inputs: Vec<PathBuf>,
    /// The journal.
    pub journal: Option<PathBuf>,
    /// The games.
    pub pgn: Option<PgnFile>,
    /// Their moves as lines of JSON.
    pub moves: Option<PathBuf>,
    /// Their last positions, and whether they are added to what is there.
    pub epd: Option<(PathBuf, bool)>,
    /// The report.
    pub report: Option<PathBuf>,
    /// Files that others write, and that must be none of these.
    pub others: Vec<PathBuf>,
}

/// A file of games.
#[derive(Debug, Clone)]
pub struct PgnFile {
    /// The file.
    pub path: PathBuf,
    /// Whether games are added to what is there (without a journal).
    pub append: bool,
    /// Whether games are written in order of their numbers, however they finish (without a journal).
    pub in_order: bool,
    /// Whether a checksum is kept.
    pub checksum: bool,
}

impl PgnFile {
    /// One that games are added to as they finish.
    pub fn appended(path: PathBuf) -> Self {
        Self { path, append: true, in_order: false, checksum: false }
    }
}

/// The open files.
pub struct Files {
    journal: Option<Journal>,
    outputs: Vec<Output>,
    report: Option<Place>,
    event: Event,
}

/// A file that every game is written to.
struct Output {
    file: Additions,
    place: Place,
    path: PathBuf,
    format: Format,
    /// Games that wait for those before them, where they are written in order.
    waiting: Option<BTreeMap<usize, Waiting>>,
    next: usize,
    checksum: Option<Hasher>,
    /// It was removed or replaced, and is written again from the journal at the end.
    gone: bool,
}

/// A game that waits for those before it.
struct Waiting {
    /// Without its moves.
    game: GameRecord,
    text: Vec<u8>,
}

/// How a file that every game is written to is opened.
struct Opening {
    format: Format,
    /// Line ends between two games.
    between: usize,
    append: bool,
    in_order: bool,
    checksum: bool,
}

/// What the tournament reads, and the files that engines' standard error is added to: no output may go there.
///
/// # Errors
/// Standard error would be added to a file that the tournament reads, or cannot be written.
fn inputs(wanted: &Wanted, players: &[Player]) -> Result<Outputs, OutputError> {
    let mut inputs = Outputs::reading(&wanted.inputs);
    for player in players {
        let engine = &player.engine;
        inputs.reads(&engine.command);
        player.book.iter().for_each(|file| inputs.reads(file));
        engine.args.iter().for_each(|arg| inputs.reads(arg));
        engine.options.iter().for_each(|(_, value)| inputs.reads(value));
    }
    let logs: Vec<_> = players.iter().filter_map(|player| player.engine.stderr.as_ref()).collect();
    for log in &logs {
        // Engines may share such a file, so each is checked on its own.
        inputs.clone().place(log)?;
    }
    logs.iter().for_each(|log| inputs.reads(log));
    Ok(inputs)
}

impl Files {
    /// Opens them all; returns the games found in the journal, without their moves. A stop that is asked for meanwhile
    /// ends it with an error, and a file that was to be made again from the journal stays as it was.
    pub fn open(
        wanted: &Wanted,
        plan: &Plan,
        description: &Value,
        event: &Event,
        stop: &Stop,
    ) -> anyhow::Result<(Self, Vec<GameRecord>)> {
        let reading = |path: &PathBuf| say_if_long(format!("reading the journal {} ...", path.display()));
        let _reading = wanted.journal.as_ref().map(reading);
        let mut places = inputs(wanted, &plan.conditions.players)?;
        wanted.journal.as_deref().map_or(Ok(()), check_file)?;
        // All are looked at before the first is opened.
        let mut place = |path: Option<&PathBuf>| path.map(|path| places.place(path)).transpose();
        let pgn = place(wanted.pgn.as_ref().map(|pgn| &pgn.path))?;
        let (moves, report) = (place(wanted.moves.as_ref())?, place(wanted.report.as_ref())?);
        let epd = place(wanted.epd.as_ref().map(|(path, _)| path))?;
        for other in &wanted.others {
            place(Some(other))?;
        }
        if let Some(path) = &wanted.journal {
            let place = places.place_to_go_on(Precious::Journal, path);
            place.with_context(|| format!("--journal {}", path.display()))?;
        }
        let (journal, games) = match &wanted.journal {
            Some(path) => {
                let fault = |games: &[GameRecord]| {
                    let held: Vec<Held> = games.iter().map(GameRecord::held).collect();
                    plan.schedule.fault(&held, true)
                };
                let (journal, games) = Journal::open_checked(path, description, fault)?;
                (Some(journal), games)
            }
            None => (None, Vec::new()),
        };
        let mut event = event.clone();
        let engines = journal.as_ref().map(Journal::engines).unwrap_or_default();
        event.programs = engines.iter().map(|engines| lines(engines)).collect();
        event.engines = engines.to_vec();
        let plain =
            |format: Format| Opening { format, between: 1, append: true, in_order: false, checksum: false };
        let games_as_pgn = wanted.pgn.as_ref().map(|pgn| Opening {
            // A blank line.
            between: 2,
            append: pgn.append,
            in_order: pgn.in_order,
            checksum: pgn.checksum,
            ..plain(write_game)
        });
        let ends =
            wanted.epd.as_ref().map(|(_, append)| Opening { append: *append, ..plain(write_final_position) });
        let moves_as_json = plain(write_moves_jsonl);
        let mut outputs = Vec::new();
        for (place, opening) in [(pgn, games_as_pgn), (epd, ends), (moves, Some(moves_as_json))] {
            if let (Some(place), Some(opening)) = (place, opening) {
                outputs.push(open_output(&place, journal.as_ref(), &event, &opening, stop)?);
            }
        }
        Ok((Self { journal, outputs, report, event }, games))
    }

    /// Hands on the games that were played before, those of the journal with their moves.
    ///
    /// # Errors
    /// The journal cannot be read any more.
    pub fn each(&self, finished: &[GameRecord], mut take: impl FnMut(&GameRecord)) -> anyhow::Result<()> {
        match &self.journal {
            Some(journal) => journal.each(|game| {
                take(game);
                Ok(())
            }),
            None => {
                finished.iter().for_each(take);
                Ok(())
            }
        }
    }

    /// Where the report goes, if one is wanted.
    pub fn report(&self) -> Option<&Place> {
        self.report.as_ref()
    }

    /// Says which programs play from now on.
    pub fn identify(&mut self, engines: &[Identity], same_engine: bool) -> anyhow::Result<Programs> {
        let Some(journal) = &mut self.journal else {
            self.event.programs = vec![lines(engines)];
            self.event.engines = vec![engines.to_vec()];
            return Ok(Programs::Same);
        };
        let programs = journal.identify(engines, same_engine)?;
        self.event.programs = journal.engines().iter().map(|engines| lines(engines)).collect();
        self.event.engines = journal.engines().to_vec();
        Ok(programs)
    }

    /// Says by what games are played from now on, and what becomes of those lost by a fault of the program.
    pub fn announce(&mut self, provenance: &Provenance, forfeits: Forfeits) -> anyhow::Result<()> {
        if let Some(journal) = &mut self.journal {
            journal.announce(provenance.clone(), forfeits)?;
        }
        Ok(())
    }

    /// The tournament as a report shows it, this run the last of its runs.
    pub fn tournament(&self, description: Value, engines: &[Identity], run: &Provenance) -> Tournament {
        let known = self.journal.as_ref().map(Journal::engines).unwrap_or_default();
        let mut runs = self.journal.as_ref().map(Journal::runs).unwrap_or_default().to_vec();
        runs.push(Run { provenance: Some(run.clone()), ..Run::default() });
        Tournament {
            path: PathBuf::new(),
            description,
            engines: if known.is_empty() { vec![engines.to_vec()] } else { known.to_vec() },
            stints: Vec::new(),
            runs,
        }
    }

    /// The players' names, where they are known better now.
    pub fn rename(&mut self, players: &[String]) {
        self.event.players = players.to_vec();
    }

    /// The number that new games have for the programs that play them.
    pub fn engines(&self) -> usize {
        self.event.programs.len().saturating_sub(1)
    }

    /// Where the next run finds the games.
    pub fn kept(&self) -> Kept {
        match &self.journal {
            None => Kept::Nowhere,
            Some(journal) if journal.is_in_place() => Kept::Journal,
            Some(_) => Kept::LostJournal,
        }
    }

    /// Puts a finished game where it is kept: into the journal, or without one into the first of the other files. An
    /// error names the file.
    pub fn keep(&mut self, game: &GameRecord) -> io::Result<()> {
        match (&mut self.journal, self.outputs.first_mut()) {
            (Some(journal), _) => journal.add(game).map_err(io::Error::other),
            (None, Some(output)) => output.keep(&self.event, game),
            (None, None) => Ok(()),
        }
    }

    /// Puts a game that is kept into the files that are left. An error names the file. `tell` is told, once, of a file
    /// that was removed or replaced and can be made again from the journal.
    pub fn add(&mut self, game: &GameRecord, tell: &dyn Fn(&str)) -> io::Result<()> {
        let Self { journal, outputs, event, .. } = self;
        if journal.is_none() {
            return outputs.iter_mut().skip(1).try_for_each(|output| output.keep(event, game));
        }
        for output in outputs {
            if !output.has_gone(tell) {
                output.add(event, game)?;
            }
        }
        Ok(())
    }

    /// Gives back the games that [`Self::keep`] has taken, that wait for one before them and are not kept since another
    /// could not be: without their moves.
    pub fn unkept(&mut self) -> Vec<GameRecord> {
        let waiting = self.outputs.iter_mut().filter_map(|output| output.waiting.as_mut());
        waiting.flat_map(std::mem::take).map(|(_, waiting)| waiting.game).collect()
    }

    /// The CRC-32 of the games as they are written, where it is kept, with the file's path.
    pub fn checksum(&self) -> Option<(u32, &PathBuf)> {
        let output = self.outputs.iter().find(|output| output.checksum.is_some())?;
        Some((output.checksum.clone()?.finalize(), &output.path))
    }

    /// Writes what waited for games that were never finished, and again what was removed or replaced and stands in the
    /// journal. One file that cannot be written keeps no other from it.
    pub fn finish(&mut self) -> anyhow::Result<()> {
        let mut written = Ok(());
        for output in &mut self.outputs {
            let own = match self.journal.as_ref().filter(|_| output.gone) {
                Some(journal) => output.write_again(journal, &self.event),
                None => output.write_waiting().map_err(Into::into),
            };
            written = written.and(own);
        }
        written
    }
}

/// Says what takes long, if that which is returned is not dropped soon.
fn say_if_long(what: String) -> Sender<()> {
    let (done, end) = mpsc::channel();
    // Where there is no room for a thread it is not said.
    let _ = thread::Builder::new().spawn(move || {
        if end.recv_timeout(LONG) == Err(RecvTimeoutError::Timeout) {
            let _ = writeln!(io::stderr(), "firstborn: {what}");
        }
    });
    done
}

impl Output {
    /// Adds a game that stands nowhere else.
    fn keep(&mut self, event: &Event, game: &GameRecord) -> io::Result<()> {
        if !self.file.is_in_place() {
            let path = self.path.display();
            let error = io::Error::other(format!("cannot write {path}: it was removed or replaced"));
            return Err(self.naming_waiting(error));
        }
        self.add(event, game).map_err(|error| self.naming_waiting(error))
    }

    /// Whether it was removed or replaced; `tell` is told of that once.
    fn has_gone(&mut self, tell: &dyn Fn(&str)) -> bool {
        if !self.gone && !self.file.is_in_place() {
            self.gone = true;
            let path = self.path.display();
            tell(&format!("{path} was removed or replaced; at the end it is written again from the journal"));
        }
        self.gone
    }

    /// Writes all games of the journal, where it was removed or replaced. No stop keeps them from it.
    fn write_again(&mut self, journal: &Journal, event: &Event) -> anyhow::Result<()> {
        let format = self.format;
        self.checksum = self.checksum.is_some().then(Hasher::new);
        let write = |text: &mut Vec<u8>, game: &GameRecord| format(text, event, game);
        write_again(&self.place, journal, write, &mut self.checksum, &Stop::default())
    }

    /// Names the games that wait as well.
    fn naming_waiting(&self, error: io::Error) -> io::Error {
        let waiting = self.waiting.iter().flat_map(BTreeMap::keys);
        let numbers: Vec<String> = waiting.map(|number| (number + 1).to_string()).collect();
        let which = match numbers.as_slice() {
            [] => return error,
            [number] => format!("game {number}, which waited for one before it, is"),
            numbers => format!("games {}, which waited for one before them, are", numbers.join(", ")),
        };
        io::Error::new(error.kind(), format!("{error} ({which} in no file)"))
    }

    fn add(&mut self, event: &Event, game: &GameRecord) -> io::Result<()> {
        let mut text = Vec::new();
        (self.format)(&mut text, event, game)?;
        self.add_text(game, text)
    }

    /// Adds a game, which may have to wait. Games that waited for one that cannot be written go on waiting.
    fn add_text(&mut self, game: &GameRecord, text: Vec<u8>) -> io::Result<()> {
        let Some(waiting) = &mut self.waiting else { return self.write(&text) };
        if game.id != self.next {
            let mut game = game.clone();
            game.lighten();
            waiting.insert(game.id, Waiting { game, text });
            return Ok(());
        }
        let (mut ready, mut next) = (text, self.next + 1);
        while let Some(after) = waiting.get(&next) {
            ready.extend_from_slice(&after.text);
            next += 1;
        }
        self.write(&ready)?;
        self.next = next;
        if let Some(waiting) = &mut self.waiting {
            *waiting = waiting.split_off(&next);
        }
        Ok(())
    }

    /// Writes what waits for games that were never finished.
    fn write_waiting(&mut self) -> io::Result<()> {
        while let Some((number, game)) = self.waiting.as_mut().and_then(BTreeMap::pop_first) {
            let written = self.write(&game.text);
            if let (Err(error), Some(waiting)) = (written, &mut self.waiting) {
                waiting.insert(number, game);
                return Err(self.naming_waiting(error));
            }
        }
        Ok(())
    }

    fn write(&mut self, text: &[u8]) -> io::Result<()> {
        let before = self.file.before_next().to_vec();
        let written = self.file.add(text);
        written
            .map_err(|error| io::Error::other(format!("cannot write {}: {error}", self.path.display())))?;
        if let Some(checksum) = self.checksum.as_mut().filter(|_| !text.is_empty()) {
            checksum.update(&before);
            checksum.update(text);
        }
        Ok(())
    }
}

/// What PGN headers say of the programs.
fn lines(engines: &[Identity]) -> Vec<String> {
    engines.iter().map(Identity::line).collect()
}

/// Without a journal, games are added to what is there, or replace it. With one, the file is what the journal
/// says, so it is written anew: games the killed run had finished but not written are in it, a torn one is
/// not. A file that something else was written to is left alone.
fn open_output(
    place: &Place,
    journal: Option<&Journal>,
    event: &Event,
    opening: &Opening,
    stop: &Stop,
) -> anyhow::Result<Output> {
    let mut checksum = opening.checksum.then(Hasher::new);
    if let Some(journal) = journal {
        let write = |text: &mut Vec<u8>, game: &GameRecord| (opening.format)(text, event, game);
        write_again(place, journal, write, &mut checksum, stop)?;
    } else if !opening.append {
        place.write("")?;
    } else if let Some(checksum) = &mut checksum {
        checksum.update(&place.content()?);
    }
    // With a journal the games stand in its order, that in which they end, so that it can be made from it again.
    let waiting = (opening.in_order && journal.is_none()).then(BTreeMap::new);
    Ok(Output {
        file: place.additions(opening.between)?,
        place: place.clone(),
        path: place.path().to_owned(),
        format: opening.format,
        waiting,
        next: 0,
        checksum,
        gone: false,
    })
}

/// Writes the games of a journal, one after the other, in place of what lies there. Only what they have written before,
/// to its torn end, may be replaced. A stop ends it with an error, and what lies there stays.
fn write_again(
    place: &Place,
    journal: &Journal,
    write: impl Fn(&mut Vec<u8>, &GameRecord) -> io::Result<()>,
    checksum: &mut Option<Hasher>,
    stop: &Stop,
) -> anyhow::Result<()> {
    let path = place.path().display();
    let unread = || format!("cannot read {path}");
    let other = || {
        format!(
            "{path} exists and holds something else than the games of the journal: move it away, or give \
             another name"
        )
    };
    let (mut draft, mut old) = (place.begin()?, place.reader()?);
    let (mut text, mut before) = (Vec::new(), Vec::new());
    journal.each(|game: &GameRecord| -> anyhow::Result<()> {
        ensure!(!stop.requested(), "{path} is not made again: the command was stopped");
        text.clear();
        write(&mut text, game)?;
        before.clear();
        (&mut old).take(text.len() as u64).read_to_end(&mut before).with_context(unread)?;
        ensure!(text.starts_with(&before), other());
        draft.write_all(&text).with_context(|| draft.refused())?;
        if let Some(checksum) = checksum.as_mut() {
            checksum.update(&text);
        }
        Ok(())
    })?;
    ensure!(old.fill_buf().with_context(unread)?.is_empty(), other());
    // Windows replaces no file that is open.
    drop(old);
    Ok(draft.finish()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A game without moves.
    fn game(id: usize) -> GameRecord {
        let game = serde_json::json!({
            "id": id, "round": 1, "encounter": id, "opening": 0, "white": 0, "black": 1, "moves": [],
            "result": "1-0", "ending": "checkmate", "reason": "mate",
            "started_ms": 0, "wall_ms": 0, "slot_ms": 0,
        });
        serde_json::from_value(game).unwrap()
    }

    /// A line with the game's number.
    fn number_of(text: &mut Vec<u8>, _: &Event, game: &GameRecord) -> io::Result<()> {
        writeln!(text, "game {}", game.id)
    }

    /// Without a journal a game that goes into a file of another name, or of none, is kept nowhere.
    #[cfg(unix)]
    #[test]
    fn a_file_that_is_taken_away_keeps_no_more_games() {
        let folder = tempfile::tempdir().unwrap();
        let [path, other] = ["g", "other"].map(|name| folder.path().join(name));
        let remove = || std::fs::remove_file(&path);
        let rename = || std::fs::rename(&path, &other);
        let copy = || rename().and_then(|()| std::fs::copy(&other, &path).map(drop));
        let ways: [&dyn Fn() -> io::Result<()>; 3] = [&remove, &rename, &copy];
        for (number, way) in ways.iter().enumerate() {
            let place = Outputs::new().place(&path).unwrap();
            let opening =
                Opening { format: number_of, between: 1, append: true, in_order: false, checksum: false };
            let stop = Stop::default();
            let outputs = vec![open_output(&place, None, &Event::default(), &opening, &stop).unwrap()];
            let mut files = Files { journal: None, outputs, report: None, event: Event::default() };
            files.keep(&game(0)).unwrap();
            way().unwrap();
            let found = || [&path, &other].map(|file| std::fs::read(file).ok());
            let left = found();
            let error = files.keep(&game(1)).unwrap_err().to_string();
            assert!(error.ends_with("g: it was removed or replaced"), "{number}: {error}");
            assert_eq!(found(), left, "{number}");
            [&path, &other].into_iter().for_each(|file| drop(std::fs::remove_file(file)));
        }
    }

    /// A kill leaves nothing out that could stand there.
    #[test]
    fn a_game_waits_for_those_before_it_and_for_no_others() {
        let folder = tempfile::tempdir().unwrap();
        let place = Outputs::new().place(folder.path().join("g.pgn")).unwrap();
        let opening =
            Opening { format: write_game, between: 1, append: false, in_order: true, checksum: false };
        let mut output = open_output(&place, None, &Event::default(), &opening, &Stop::default()).unwrap();
        let mut file_after = |number: usize| {
            output.add_text(&game(number), format!("game {number}\n").into_bytes()).unwrap();
            std::fs::read_to_string(place.path()).unwrap()
        };
        assert_eq!([file_after(1), file_after(2)], ["", ""]);
        assert_eq!(file_after(0), "game 0\ngame 1\ngame 2\n");
        assert_eq!(file_after(4), "game 0\ngame 1\ngame 2\n");
        assert_eq!(file_after(3), "game 0\ngame 1\ngame 2\ngame 3\ngame 4\n");
    }

    /// The disk is full when the game comes that others wait for: those are named and given back, and none of them is
    /// written later. So it is at the end, but that they need not be given back.
    #[test]
    fn games_that_wait_for_one_that_cannot_be_written_are_named() {
        if !std::path::Path::new("/dev/full").exists() {
            return;
        }
        let open = || {
            let place = Outputs::new().place("/dev/full").unwrap();
            let opening =
                Opening { format: number_of, between: 1, append: true, in_order: true, checksum: true };
            let (event, stop) = (Event::default(), Stop::default());
            let outputs = vec![open_output(&place, None, &event, &opening, &stop).unwrap()];
            let mut files = Files { journal: None, outputs, report: None, event };
            [2, 3, 1].iter().for_each(|&id| files.keep(&game(id)).unwrap());
            files
        };
        let mut files = open();
        let before = files.checksum().unwrap().0;
        let error = files.keep(&game(0)).unwrap_err().to_string();
        let named = "(games 2, 3, 4, which waited for one before them, are in no file)";
        assert!(error.starts_with("cannot write /dev/full: ") && error.ends_with(named), "{error}");
        let unkept: Vec<usize> = files.unkept().iter().map(|game| game.id).collect();
        assert_eq!((unkept, files.checksum().unwrap().0), (vec![1, 2, 3], before));
        files.finish().unwrap();
        let error = open().finish().unwrap_err().to_string();
        assert!(error.ends_with(named), "{error}");
    }

    /// Without a journal each file holds what no other does; with one it is made again from that at the end, which is
    /// said once, unless something else lies there then.
    #[cfg(unix)]
    #[test]
    fn every_file_that_is_taken_away_is_missed() {
        let folder = tempfile::tempdir().unwrap();
        let paths = ["g", "e"].map(|name| folder.path().join(name));
        let open = |journal: Option<Journal>| {
            let output = |path: &PathBuf| {
                let opening =
                    Opening { format: number_of, between: 1, append: true, in_order: false, checksum: true };
                let place = Outputs::new().place(path).unwrap();
                open_output(&place, journal.as_ref(), &Event::default(), &opening, &Stop::default()).unwrap()
            };
            let outputs = paths.iter().map(output).collect();
            Files { journal, outputs, report: None, event: Event::default() }
        };
        let told = std::cell::RefCell::new(Vec::new());
        let tell = |text: &str| told.borrow_mut().push(text.to_owned());
        let add = |files: &mut Files, id: usize| {
            files
                .keep(&game(id))
                .and_then(|()| files.add(&game(id), &tell))
                .map_err(|error| error.to_string())
        };
        let mut files = open(None);
        add(&mut files, 0).unwrap();
        std::fs::remove_file(&paths[1]).unwrap();
        let error = add(&mut files, 1).unwrap_err();
        assert!(error.ends_with("e: it was removed or replaced"), "{error}");
        assert!(told.borrow().is_empty());
        std::fs::remove_file(&paths[0]).unwrap();

        for other in [None, Some("notes\n")] {
            let path = folder.path().join("j");
            let (mut journal, _) = Journal::open::<GameRecord>(&path, &serde_json::json!({})).unwrap();
            journal.identify(&[], false).unwrap();
            let mut files = open(Some(journal));
            add(&mut files, 0).unwrap();
            std::fs::remove_file(&paths[0]).unwrap();
            (1..3).for_each(|id| add(&mut files, id).unwrap());
            let said = told.take();
            assert!(said.len() == 1 && said[0].contains("g was removed or replaced"), "{said:?}");
            other.iter().for_each(|other| std::fs::write(&paths[0], other).unwrap());
            let finished = files.finish();
            let [first, second] = [&paths[0], &paths[1]].map(|path| std::fs::read_to_string(path).unwrap());
            let whole = "game 0\ngame 1\ngame 2\n";
            assert_eq!((first.as_str(), second.as_str()), (other.unwrap_or(whole), whole));
            match other {
                None => {
                    finished.unwrap();
                    assert_eq!(files.checksum().unwrap().0, crc32fast::hash(whole.as_bytes()));
                }
                Some(_) => assert!(finished.is_err_and(|error| error.to_string().contains("something else"))),
            }
            drop(files);
            paths.iter().chain([&path]).for_each(|path| std::fs::remove_file(path).unwrap());
        }
    }

    /// What was begun is taken away, and what lay there stays.
    #[test]
    fn a_stop_leaves_no_half_of_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let (mut journal, _) =
            Journal::open::<GameRecord>(&folder.path().join("j"), &serde_json::json!({})).unwrap();
        journal.identify(&[], false).unwrap();
        journal.add(&game(0)).unwrap();
        let place = Outputs::new().place(folder.path().join("g")).unwrap();
        std::fs::write(place.path(), "ga").unwrap();
        let write = |text: &mut Vec<u8>, game: &GameRecord| number_of(text, &Event::default(), game);
        let stop = Stop::default();
        stop.request();
        let written = write_again(&place, &journal, write, &mut None, &stop);
        assert!(written.is_err_and(|error| error.to_string().contains("stopped")));
        assert_eq!(std::fs::read_to_string(place.path()).unwrap(), "ga");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
        write_again(&place, &journal, write, &mut None, &Stop::default()).unwrap();
        assert_eq!(std::fs::read_to_string(place.path()).unwrap(), "game 0\n");
    }

    /// A file that ends wherever a kill has cut it, in mid-game and in mid-buffer, becomes the whole of the games; one
    /// that holds anything else, or more, is left alone.
    #[test]
    fn a_file_is_written_again_over_its_own_beginning_only() {
        let folder = tempfile::tempdir().unwrap();
        let (mut journal, _) =
            Journal::open::<GameRecord>(&folder.path().join("j"), &serde_json::json!({})).unwrap();
        journal.identify(&[], false).unwrap();
        // Each longer than a buffer of eight kilobytes.
        let line = |id: usize| format!("game {id} {}\n", "x".repeat(9_000));
        for id in 0..3 {
            journal.add(&game(id)).unwrap();
        }
        let whole: String = (0..3).map(line).collect();
        let place = Outputs::new().place(folder.path().join("g")).unwrap();
        let again = |old: &str| {
            std::fs::write(place.path(), old).unwrap();
            let mut checksum = Some(Hasher::new());
            let write = |text: &mut Vec<u8>, game: &GameRecord| text.write_all(line(game.id).as_bytes());
            let written = write_again(&place, &journal, write, &mut checksum, &Stop::default());
            let left = std::fs::read_to_string(place.path()).unwrap();
            (written.map_err(|error| error.to_string()), left, checksum.unwrap().finalize())
        };
        for cut in [0, 1, 8_191, 8_192, 8_193, 9_007, 9_008, 16_385, whole.len() - 1, whole.len()] {
            let (written, left, checksum) = again(&whole[..cut]);
            assert_eq!(written, Ok(()), "{cut}");
            assert!(left == whole && checksum == crc32fast::hash(whole.as_bytes()), "{cut}");
        }
        let more = whole.clone() + "y";
        let others = [0, 8_192, 9_100, whole.len() - 1].map(|at| {
            let mut other = whole.clone();
            other.replace_range(at..=at, "?");
            other
        });
        for other in others.iter().map(String::as_str).chain([more.as_str(), "my notes\n"]) {
            let (written, left, _) = again(other);
            assert!(written.unwrap_err().contains("g exists and holds something else"), "{}", other.len());
            assert!(left == other, "{}", other.len());
        }
    }
}
