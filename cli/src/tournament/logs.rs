//! Logs of what engines are sent and write: of every game or engine where that is wanted, and always of games
//! that end by a forfeit, with a kit that runs the program into its fault again.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use ::tournament::conversation::Conversation;
use ::tournament::description::describe;
use ::tournament::kit::Kit;
use ::tournament::record::GameRecord;
use ::tournament::spec::Player;
use flate2::Compression;
use flate2::write::GzEncoder;
use sys::output::{Outputs, Place};

/// Logs of forfeits that are written without being asked for.
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
    /// All into one file, and those of games that end by a forfeit into this folder as well.
    File(File, PathBuf),
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
    written: usize,
    failed: bool,
}

impl Logs {
    /// Of the games of these players.
    pub fn new(target: Target, packed: bool, names: Vec<String>, players: &[Player]) -> Self {
        Self { target, packed, names, players: players.to_vec(), written: 0, failed: false }
    }

    /// Writes down a game's conversation. Returns what there is to say about it: where the log and the kit of
    /// a forfeit lie, or why there are none. A log that cannot be written stops no game, and is told once.
    pub fn add(&mut self, game: &GameRecord, conversation: &Conversation) -> Option<String> {
        if self.failed {
            return None;
        }
        match self.write(game, conversation) {
            Ok(kit) => kit.map(|kit| {
                let path = kit.display().to_string();
                let log = path.trim_end_matches(KIT).to_owned() + end(self.packed);
                let path = shell_words::quote(&path);
                format!(
                    "game {}: what was said is in {log}; `firstborn replay {path}` does it again",
                    game.id + 1
                )
            }),
            Err(error) => {
                self.failed = true;
                Some(format!("no more logs: {error}"))
            }
        }
    }

    /// Returns the path of the kit, where there is one with a log beside it.
    fn write(&mut self, game: &GameRecord, conversation: &Conversation) -> io::Result<Option<PathBuf>> {
        let names = [game.white, game.black].map(|player| self.names[player].as_str());
        let heading = format!(
            "# game {}: {} against {}, {}: {}\n",
            game.id + 1,
            names[0],
            names[1],
            game.result.text(),
            game.reason
        );
        let text = || heading.clone() + &remarks(conversation, names, None) + &conversation.text(names, None);
        match &mut self.target {
            Target::File(file, folder) => {
                file.write_all(&pack(&text(), self.packed)?)?;
                if !game.ending.is_forfeit() {
                    return Ok(None);
                }
                let folder = folder.clone();
                self.write_unasked(&folder, game, conversation, &text())
            }
            Target::Folder(folder, LogBy::Engine) => {
                for (side, player) in [game.white, game.black].into_iter().enumerate() {
                    let path =
                        folder.join(format!("{}{}", engine_file(&self.names, player), end(self.packed)));
                    let only = Some(side);
                    let remarks = remarks(conversation, names, only);
                    let text = heading.clone() + &remarks + &conversation.text(names, only);
                    let place = Place::find(&path).map_err(io::Error::other)?;
                    let mut file = place.append().map_err(io::Error::other)?;
                    file.write_all(&pack(&text, self.packed)?)?;
                }
                if !game.ending.is_forfeit() {
                    return Ok(None);
                }
                let folder = folder.clone();
                self.write_new(&folder, game, conversation, &text())
            }
            Target::Folder(folder, LogBy::Game) => {
                let folder = folder.clone();
                self.write_new(&folder, game, conversation, &text())
            }
            Target::Forfeits(folder) => {
                let folder = folder.clone();
                self.write_unasked(&folder, game, conversation, &text())
            }
        }
    }

    /// Writes what is left of a forfeit into a folder that was not asked for and is made when it is needed.
    fn write_unasked(
        &mut self,
        folder: &Path,
        game: &GameRecord,
        conversation: &Conversation,
        log: &str,
    ) -> io::Result<Option<PathBuf>> {
        if self.written >= MOST_UNASKED {
            return Ok(None);
        }
        let folder = Outputs::new().folder(folder).map_err(io::Error::other)?;
        self.written += 1;
        self.write_new(&folder, game, conversation, log)
    }

    /// Writes the log of a game, and the kit of a forfeit, under a name that is not taken. Returns the kit's
    /// path.
    fn write_new(
        &self,
        folder: &Path,
        game: &GameRecord,
        conversation: &Conversation,
        log: &str,
    ) -> io::Result<Option<PathBuf>> {
        let kit = game.ending.is_forfeit().then(|| self.kit(game, conversation)).flatten();
        let ends = [end(self.packed), KIT];
        let [path, at] = new_names(folder, game.id, if kit.is_some() { &ends } else { &ends[..1] })?;
        std::fs::write(path, pack(log, self.packed)?)?;
        let Some(kit) = kit else { return Ok(None) };
        std::fs::write(&at, kit.text())?;
        Ok(Some(at))
    }

    fn kit(&self, game: &GameRecord, conversation: &Conversation) -> Option<Kit> {
        let players = [&self.players[game.white], &self.players[game.black]];
        let names = [game.white, game.black].map(|player| self.names[player].as_str());
        Kit::of(game, conversation, players, names, players.map(describe))
    }

    /// Adds a line of the runner's own, where all goes into one file.
    pub fn say(&mut self, text: &str) {
        if let Target::File(file, _) = &mut self.target {
            // A log that cannot be written stops no game.
            let _ = pack(text, self.packed).and_then(|bytes| file.write_all(&bytes));
        }
    }
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

/// Makes a game's files, which differ in their ends, under a name that none of them has yet.
fn new_names(folder: &Path, id: usize, ends: &[&str]) -> io::Result<[PathBuf; 2]> {
    for attempt in 1.. {
        let again = if attempt == 1 { String::new() } else { format!("-{attempt}") };
        let path = |end: &str| folder.join(format!("game-{:06}{again}{end}", id + 1));
        let paths = [path(ends[0]), path(ends.get(1).unwrap_or(&""))];
        if paths[..ends.len()].iter().any(|path| path.exists()) {
            continue;
        }
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

/// A player's name as a file name, a different one for every name (on systems whose file names distinguish upper and
/// lower case): special characters are percent-encoded, as in web addresses.
fn file_name(name: &str) -> String {
    let mut text = String::new();
    for (at, c) in name.char_indices() {
        if c.is_alphanumeric() || "-_+ ".contains(c) || (c == '.' && at > 0) {
            text.push(c);
        } else {
            c.encode_utf8(&mut [0; 4]).bytes().for_each(|byte| text += &format!("%{byte:02X}"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn no_name_leads_out_of_the_folder() {
        assert_eq!(file_name("../../etc/passwd"), "%2E.%2F..%2Fetc%2Fpasswd");
        assert_eq!(file_name("Stockfish 15.1"), "Stockfish 15.1");
        assert_eq!(["a/b", "a_b", "a%2Fb"].map(file_name), ["a%2Fb", "a_b", "a%252Fb"]);
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
