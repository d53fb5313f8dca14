//! Logs of what engines are sent and write: of every game or engine where that is wanted, and always of games
//! that end by a forfeit, with a kit that runs the program into its fault again.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use ::tournament::conversation::Conversation;
use ::tournament::description::describe;
use ::tournament::kit::Kit;
use ::tournament::record::GameRecord;
use ::tournament::spec::Player;
use flate2::Compression;
use flate2::write::GzEncoder;
use sys::output::{Additions, OutputError, Outputs, Place};

/// Games whose logs a folder takes that was not asked for, whichever runs wrote them.
const MOST_UNASKED: usize = 100;

/// What a log is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum LogBy {
    /// A game.
    #[default]
    Game,
    /// An engine.
    Engine,
}

/// Where logs go.
#[derive(Debug)]
pub enum Target {
    /// Into a folder.
    Folder(PathBuf, LogBy),
    /// All into one file, and those of games that end by a forfeit into a folder as well.
    File {
        /// Where the file lies.
        path: PathBuf,
        /// The file, open.
        file: Additions,
        /// The folder.
        forfeits: PathBuf,
    },
    /// Nowhere, but for games that end by a forfeit: those into this folder.
    Forfeits(PathBuf),
}

/// The logs of a run.
#[derive(Debug)]
pub struct Logs {
    target: Target,
    packed: bool,
    names: Vec<String>,
    players: Vec<Player>,
    /// The files of this run that players' packed logs go into, by player.
    begun: BTreeMap<usize, PathBuf>,
    /// Files and folders that could not be written to, and that are left alone from then on.
    failed: BTreeSet<PathBuf>,
}

impl Logs {
    /// Of the games of these players.
    pub fn new(target: Target, packed: bool, names: Vec<String>, players: &[Player]) -> Self {
        let (players, begun, failed) = (players.to_vec(), BTreeMap::new(), BTreeSet::new());
        Self { target, packed, names, players, begun, failed }
    }

    /// Writes down a game's conversation. Returns what there is to say about it: where the log and the kit of
    /// a forfeit lie, or why there are none. A log that cannot be written stops no game and no other log, and
    /// is told once.
    pub fn add(&mut self, game: &GameRecord, conversation: &Conversation) -> Option<String> {
        let names = [game.white, game.black].map(|player| self.names[player].clone());
        let heading = format!(
            "# game {}: {} against {}, {}: {}\n",
            game.id + 1,
            names[0],
            names[1],
            game.result.text(),
            game.reason
        );
        let text = |only: Option<usize>| {
            let names = [names[0].as_str(), names[1].as_str()];
            heading.clone() + &remarks(conversation, names, only) + &conversation.text(names, only)
        };
        let mut told = self.continue_files(game, &text);
        if let Some(folder) = self.folder_for(game).filter(|folder| self.has_room(folder, &mut told)) {
            let left = self
                .attempt(&folder, &mut told, |logs| logs.write_new(&folder, game, conversation, &text(None)));
            told.extend(left.flatten());
        }
        (!told.is_empty()).then(|| told.join("; "))
    }

    /// Writes to a file, or into a folder, unless that has failed before; what it fails of now is told.
    fn attempt<T>(
        &mut self,
        path: &Path,
        told: &mut Vec<String>,
        write: impl FnOnce(&mut Self) -> Result<T, OutputError>,
    ) -> Option<T> {
        if self.failed.contains(path) {
            return None;
        }
        match write(self) {
            Ok(written) => Some(written),
            Err(error) => {
                self.failed.insert(path.to_owned());
                told.push(format!("no more logs there: {error}"));
                None
            }
        }
    }

    /// Adds a game to the files that go on from game to game, each by itself. Returns what went wrong.
    fn continue_files(&mut self, game: &GameRecord, text: &dyn Fn(Option<usize>) -> String) -> Vec<String> {
        let (mut told, packed) = (Vec::new(), self.packed);
        match &self.target {
            Target::File { path, .. } => {
                let path = path.clone();
                self.attempt(&path, &mut told, |logs| match &mut logs.target {
                    Target::File { file, .. } => add_to(file, &path, &text(None), packed),
                    _ => Ok(()),
                });
            }
            Target::Folder(folder, LogBy::Engine) => {
                let folder = folder.clone();
                for (side, player) in [game.white, game.black].into_iter().enumerate() {
                    let path = folder.join(engine_file(&self.names, player) + end(packed));
                    self.attempt(&path, &mut told, |logs| {
                        let path = if packed { logs.begin(player, &path)? } else { path.clone() };
                        add_to(&mut Place::find(&path)?.additions(0)?, &path, &text(Some(side)), packed)
                    });
                }
            }
            Target::Folder(_, LogBy::Game) | Target::Forfeits(_) => {}
        }
        told
    }

    /// The file of this run that a player's packed log goes into; `first`: the one of a first run. Each run begins one:
    /// what stands behind a half that a kill has left of what is packed cannot be read.
    fn begin(&mut self, player: usize, first: &Path) -> Result<PathBuf, OutputError> {
        if let Some(path) = self.begun.get(&player) {
            return Ok(path.clone());
        }
        let stem = engine_file(&self.names, player);
        let name = |run: usize| match run {
            1 => first.to_owned(),
            _ => first.with_file_name(format!("{stem} (run {run}){}", end(true))),
        };
        let made = new_file((1..).map(|run| [name(run)]));
        let [path] = made.map_err(|cause| OutputError::Io { path: first.to_owned(), cause })?;
        self.begun.insert(player, path.clone());
        Ok(path)
    }

    /// The folder in which a game has files of its own, if it has any.
    fn folder_for(&self, game: &GameRecord) -> Option<PathBuf> {
        let forfeit = game.ending.is_forfeit();
        match &self.target {
            Target::Folder(folder, by) => (forfeit || *by == LogBy::Game).then(|| folder.clone()),
            Target::File { forfeits, .. } | Target::Forfeits(forfeits) => forfeit.then(|| forfeits.clone()),
        }
    }

    /// Whether a folder takes another game. That one is full is told once.
    fn has_room(&mut self, folder: &Path, told: &mut Vec<String>) -> bool {
        let asked_for = matches!(self.target, Target::Folder(..));
        if asked_for || self.failed.contains(folder) || logs_in(folder) < MOST_UNASKED {
            return true;
        }
        self.failed.insert(folder.to_owned());
        told.push(format!(
            "no more logs of forfeits: {} has {MOST_UNASKED} of them; move it away for others",
            folder.display()
        ));
        false
    }

    /// Writes the log of a game, and the kit of a forfeit, under a name that is not taken. Returns what there is to say
    /// about a forfeit. A folder that was not asked for is made when it is needed.
    fn write_new(
        &self,
        folder: &Path,
        game: &GameRecord,
        conversation: &Conversation,
        log: &str,
    ) -> Result<Option<String>, OutputError> {
        if !matches!(self.target, Target::Folder(..)) {
            Outputs::new().folder(folder)?;
        }
        let kit = game.ending.is_forfeit().then(|| self.kit(game, conversation)).flatten();
        let kit = kit.map(|kit| kit.text());
        let ends = [end(self.packed), KIT];
        let write = || {
            let ends = if matches!(kit, Some(Ok(_))) { &ends[..] } else { &ends[..1] };
            let [path, at] = new_names(folder, game.id, ends)?;
            std::fs::write(&path, pack(log, self.packed)?)?;
            match kit {
                None => Ok(None),
                Some(Ok(text)) => {
                    std::fs::write(&at, text)?;
                    Ok(Some(self.where_it_lies(game, &at)))
                }
                Some(Err(why)) => Ok(Some(format!(
                    "game {}: what was said is in {}; no kit is left: {why}",
                    game.id + 1,
                    path.display()
                ))),
            }
        };
        write().map_err(|cause| OutputError::Io { path: folder.to_owned(), cause })
    }

    /// Where the log and the kit of a forfeit lie.
    fn where_it_lies(&self, game: &GameRecord, kit: &Path) -> String {
        let path = kit.display().to_string();
        let log = path.trim_end_matches(KIT).to_owned() + end(self.packed);
        let path = shell_words::quote(&path);
        format!("game {}: what was said is in {log}; `firstborn replay {path}` does it again", game.id + 1)
    }

    fn kit(&self, game: &GameRecord, conversation: &Conversation) -> Option<Kit> {
        let players = [&self.players[game.white], &self.players[game.black]];
        let names = [game.white, game.black].map(|player| self.names[player].as_str());
        Kit::of(game, conversation, players, names, players.map(describe))
    }

    /// Adds a line of the runner's own, where all goes into one file.
    pub fn say(&mut self, text: &str) {
        if let Target::File { file, .. } = &mut self.target {
            // A log that cannot be written stops no game.
            let _ = pack(text, self.packed).and_then(|bytes| file.add(&bytes));
        }
    }
}

/// Adds a text to a file, wholly or not at all.
fn add_to(file: &mut Additions, path: &Path, text: &str, packed: bool) -> Result<(), OutputError> {
    let added = pack(text, packed).and_then(|bytes| file.add(&bytes));
    added.map_err(|cause| OutputError::Io { path: path.to_owned(), cause })
}

/// What a reader of the log should know of the conversation. `only`: one side's alone.
fn remarks(conversation: &Conversation, names: [&str; 2], only: Option<usize>) -> String {
    let sides = (0..2).filter(|side| only.is_none_or(|only| only == *side));
    let cut = sides.filter(|&side| conversation.before[side].cut);
    let remark = |side: usize| {
        format!("# {}: more was said than is kept; lines are missing from the beginning on\n", names[side])
    };
    cut.map(remark).collect()
}

/// How many logs there are in a folder, which need not be there.
fn logs_in(folder: &Path) -> usize {
    let Ok(entries) = std::fs::read_dir(folder) else { return 0 };
    let names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.filter(|name| [false, true].iter().any(|&packed| name.ends_with(end(packed)))).count()
}

/// Makes a game's files, which differ in their ends, under a name that none of them has yet.
fn new_names(folder: &Path, id: usize, ends: &[&str]) -> io::Result<[PathBuf; 2]> {
    let names = (1..).map(|attempt: usize| {
        let again = if attempt == 1 { String::new() } else { format!("-{attempt}") };
        let path = |end: &str| folder.join(format!("game-{:06}{again}{end}", id + 1));
        [path(ends[0]), path(ends.get(1).unwrap_or(&""))]
    });
    new_file(names.filter(|paths| !paths[1..ends.len()].iter().any(|path| path.exists())))
}

/// Makes the first of these files that is not there yet, whose path comes first; returns it with those beside it.
fn new_file<const N: usize>(names: impl Iterator<Item = [PathBuf; N]>) -> io::Result<[PathBuf; N]> {
    for paths in names {
        match OpenOptions::new().write(true).create_new(true).open(&paths[0]) {
            Ok(_) => return Ok(paths),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("there is no free name for a log"))
}

/// How the name of a kit ends.
const KIT: &str = ".kit.json";

fn end(packed: bool) -> &'static str {
    if packed { ".log.gz" } else { ".log" }
}

/// The bytes of a text; packed, they can be put behind others.
fn pack(text: &str, packed: bool) -> io::Result<Vec<u8>> {
    if !packed {
        return Ok(text.as_bytes().to_vec());
    }
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text.as_bytes())?;
    encoder.finish()
}

/// The file of a player, without its end: its name, with a number where others before it have the same name.
/// A name alone never looks so, since its parentheses are encoded.
fn engine_file(names: &[String], player: usize) -> String {
    let before = names[..player].iter().filter(|&name| *name == names[player]).count();
    let again = if before == 0 { String::new() } else { format!(" ({})", before + 1) };
    file_name(&names[player]) + &again
}

/// Bytes of a player's name in a file name; systems take 255 in all.
const LONGEST: usize = 200;

/// A player's name as a file name, a different one for every name (on systems whose file names distinguish
/// upper and lower case): special characters are percent-encoded, as in web addresses. What is too long is
/// cut, with a checksum of the whole name behind a sign that is encoded everywhere else.
fn file_name(name: &str) -> String {
    let mut text = String::new();
    for (at, c) in name.char_indices() {
        if c.is_alphanumeric() || "-_+ ".contains(c) || (c == '.' && at > 0) {
            text.push(c);
        } else {
            c.encode_utf8(&mut [0; 4]).bytes().for_each(|byte| text += &format!("%{byte:02X}"));
        }
    }
    if text.len() > LONGEST {
        let whole = (0..=LONGEST).rev().find(|&at| text.is_char_boundary(at));
        text.truncate(whole.unwrap_or(0));
        text += &format!("~{:08x}", crc32fast::hash(name.as_bytes()));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::tournament::spec::{Settings, players};
    use std::fs;
    use std::io::Read;

    #[test]
    fn no_name_leads_out_of_the_folder() {
        assert_eq!(file_name("../../etc/passwd"), "%2E.%2F..%2Fetc%2Fpasswd");
        assert_eq!(file_name("Stockfish 15.1"), "Stockfish 15.1");
        assert_eq!(["a/b", "a_b", "a%2Fb"].map(file_name), ["a%2Fb", "a_b", "a%252Fb"]);
    }

    /// File systems take names of 255 bytes: emoji have twelve each here, Chinese characters three.
    #[test]
    fn long_names_are_cut_and_stay_apart() {
        for stem in [
            "x".repeat(250),
            "\u{1f600}".repeat(22),
            "\u{68cb}".repeat(86),
            "y".repeat(192) + "\u{68cb}\u{68cb}\u{68cb}\u{68cb}",
        ] {
            let names: Vec<String> = ["1", "2", "~1", "1"].iter().map(|end| stem.clone() + end).collect();
            let files: Vec<String> = (0..4).map(|player| engine_file(&names, player) + end(true)).collect();
            assert!(files.iter().all(|file| file.len() <= 255), "{files:?}");
            assert_eq!(files.iter().collect::<BTreeSet<_>>().len(), 4, "{files:?}");
            let folder = tempfile::tempdir().unwrap();
            files.iter().for_each(|file| fs::write(folder.path().join(file), "").unwrap());
            // No shorter name is the cut one.
            assert_ne!(file_name(&file_name(&names[0])), file_name(&names[0]));
        }
        assert_eq!(file_name(&"x".repeat(200)), "x".repeat(200));
    }

    /// The logs of a run of A and B.
    fn logs(target: Target, packed: bool) -> Logs {
        let player = |name: &str| {
            let words = ["cmd=/bin/sh".to_owned(), format!("name={name}")];
            Settings::from_words("engine", &words).unwrap()
        };
        let players = players(&[player("A"), player("B")], &[]).unwrap();
        Logs::new(target, packed, ["A", "B"].map(str::to_owned).to_vec(), &players)
    }

    /// A game in which B crashes.
    fn crash(id: usize) -> GameRecord {
        serde_json::from_value(serde_json::json!({
            "id": id, "round": 1, "encounter": id, "opening": 0, "white": 0, "black": 1, "moves": [],
            "result": "1-0", "ending": "crash", "reason": "B crashes",
            "started_ms": 0, "wall_ms": 0, "slot_ms": 0,
        }))
        .unwrap()
    }

    /// One run after the other, one of which packs its logs.
    #[test]
    fn a_folder_that_was_not_asked_for_takes_a_hundred_games_in_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.forfeits");
        let kits = || {
            let files = fs::read_dir(&path).unwrap().map(|file| file.unwrap().file_name());
            files.filter(|name| name.to_string_lossy().ends_with(".kit.json")).count()
        };
        let run = |packed: bool| {
            let mut logs = logs(Target::Forfeits(path.clone()), packed);
            let told = (0..60).filter_map(|id| logs.add(&crash(id), &Conversation::default()));
            told.filter(|text| text.starts_with("no more logs of forfeits: ")).count()
        };
        assert_eq!((run(false), kits()), (0, 60));
        assert_eq!((run(true), kits()), (1, 100));
        assert_eq!((run(false), kits()), (1, 100));
        // One that was asked for takes all.
        let mut logs = logs(Target::Folder(path.clone(), LogBy::Game), false);
        logs.add(&crash(100), &Conversation::default());
        assert_eq!(kits(), 101);
    }

    /// A player's log that cannot be written ends neither the other's nor what is left of forfeits, and is
    /// told once.
    #[test]
    fn a_log_fails_alone() {
        let folder = tempfile::tempdir().unwrap();
        let mut logs = logs(Target::Folder(folder.path().to_owned(), LogBy::Engine), false);
        fs::create_dir(folder.path().join("A.log")).unwrap();
        let told = [0, 1].map(|id| logs.add(&crash(id), &Conversation::default()).unwrap());
        assert!(told[0].starts_with("no more logs there: ") && told[0].contains("A.log"), "{told:?}");
        for (number, told) in [1, 2].into_iter().zip(&told) {
            let begin = format!("game {number}: what was said is in ");
            assert!(told.contains(&begin), "{told}");
            assert_eq!(told.starts_with(&begin), number == 2, "{told}");
            for end in [".log", ".kit.json"] {
                assert!(folder.path().join(format!("game-{number:06}{end}")).is_file(), "{number}{end}");
            }
        }
        let other = fs::read_to_string(folder.path().join("B.log")).unwrap();
        assert_eq!(other.matches("against B").count(), 2, "{other}");
    }

    /// A kill has left half of what was packed: the next run's games can be read all the same, in one file.
    #[test]
    fn what_is_packed_behind_a_kill_can_be_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let packed = pack(&"a game\n".repeat(100), true).unwrap();
        let half = &packed[..packed.len() / 2];
        fs::write(path("A.log.gz"), half).unwrap();
        for run in [2, 3] {
            let mut logs = logs(Target::Folder(folder.path().to_owned(), LogBy::Engine), true);
            (0..2).for_each(|id| drop(logs.add(&crash(id), &Conversation::default())));
            assert_eq!(fs::read(path("A.log.gz")).unwrap(), half);
            for name in [format!("A (run {run}).log.gz"), format!("B{}.log.gz", ["", " (run 2)"][run - 2])] {
                let mut text = String::new();
                let file = fs::File::open(path(&name)).unwrap();
                flate2::read::MultiGzDecoder::new(file).read_to_string(&mut text).unwrap();
                let games: Vec<&str> = text.lines().filter(|line| line.starts_with("# game ")).collect();
                assert!(games.len() == 2 && games[1].starts_with("# game 2: A against B"), "{name}: {text}");
            }
        }
    }

    /// A program in a folder whose name JSON cannot have: that there is no kit is told, and none is left that is empty.
    #[test]
    #[cfg(unix)]
    fn a_kit_that_cannot_be_written_is_told() {
        use std::os::unix::ffi::OsStrExt;
        let folder = tempfile::tempdir().unwrap();
        let mut logs = logs(Target::Folder(folder.path().to_owned(), LogBy::Game), false);
        logs.players[1].engine.dir = Some(std::ffi::OsStr::from_bytes(b"/fo\xff").into());
        let told = logs.add(&crash(0), &Conversation::default()).unwrap();
        assert!(told.starts_with("game 1: what was said is in "), "{told}");
        let why = "game-000001.log; no kit is left: the path /fo\u{fffd} is not UTF-8";
        assert!(told.contains(why), "{told}");
        let files = fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().file_name());
        assert_eq!(files.collect::<Vec<_>>(), ["game-000001.log"]);
        // Another log of the folder is written as before.
        assert!(logs.add(&crash(1), &Conversation::default()).unwrap().starts_with("game 2: "));
    }

    /// A log from which lines are missing says so, of the player whose lines they are.
    #[test]
    fn a_cut_log_says_so() {
        let mut conversation = Conversation::default();
        conversation.before[1].cut = true;
        let told = |only| remarks(&conversation, ["A", "B"], only);
        assert!(told(None).starts_with("# B: more was said") && told(None).lines().count() == 1);
        assert_eq!((told(Some(0)), told(Some(1))), (String::new(), told(None)));
    }

    /// Two engines of one name are two engines.
    #[test]
    fn every_engine_has_a_log_of_its_own() {
        let names = ["X", "X", "X (2)", "Y", "X"].map(str::to_owned);
        let files: Vec<String> = (0..5).map(|player| engine_file(&names, player)).collect();
        assert_eq!(files, ["X", "X (2)", "X %282%29", "Y", "X (3)"]);
    }

    #[test]
    fn logs_are_never_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let [first, _] = new_names(folder.path(), 6, &[".log"]).unwrap();
        let [second, kit] = new_names(folder.path(), 6, &[".log", ".kit.json"]).unwrap();
        fs::write(kit, "{}").unwrap();
        let [third, _] = new_names(folder.path(), 6, &[".log.gz", ".kit.json"]).unwrap();
        let name = |path: PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
        assert_eq!([first, second].map(name), ["game-000007.log", "game-000007-2.log"]);
        // The kit of this name belongs to the log of this name.
        assert_eq!(name(third), "game-000007.log.gz");
        let [fourth, _] = new_names(folder.path(), 6, &[".log.gz", ".kit.json"]).unwrap();
        assert_eq!(name(fourth), "game-000007-3.log.gz");
    }
}
