//! Puts the games of several journals into one, or of one without some players.
//!
//! Journals of the same tournament whose games have different numbers (a journal that was cut into parts)
//! become the journal of that tournament, which can go on with the programs that played last. Everything else
//! becomes a journal that can be read and reported on: its games are numbered anew, those that stand in several
//! journals are written once ([`Copies`]), its players are those of all the journals, and its description has the
//! setting `merged`, so that no tournament takes it for its own.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, BufRead, Read, Take, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::{Value, json};

use crate::archive::{self, ArchiveError, Collector, Copies, Game, Kind};
use crate::description::{COUNTED, own_moves_only};
use crate::identity::Identity;
use crate::journal::{Engines, Entry, Header, JournalError, Line, Lines, Run, Runs, broken, without_implied};
use crate::record::GameRecord;
use crate::runner::Forfeits;

/// Why journals cannot be merged.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    /// One of them is not a journal.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// One of them cannot be opened.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// The same name stands for different players.
    #[error(
        "{path}: `{name}` has another {setting} than in {other}; rename one of them, or report on both without merging"
    )]
    Player {
        /// The journal.
        path: PathBuf,
        /// The journal before it.
        other: PathBuf,
        /// The player.
        name: String,
        /// What differs.
        setting: String,
    },
    /// The result cannot be written.
    #[error(transparent)]
    Write(#[from] io::Error),
}

/// What came of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Merged {
    /// Games written.
    pub games: usize,
    /// Whether the tournament can go on with the result.
    pub goes_on: bool,
}

/// One journal, without its games.
struct Source<'a> {
    path: &'a Path,
    description: Value,
    players: Vec<String>,
    /// The lists of programs; where a game has none of them, an empty one behind them.
    engines: Vec<Vec<Identity>>,
    runs: Vec<Run>,
    /// The games' numbers with hashes of their lines.
    games: HashMap<usize, u64>,
    /// When its first and its last game began, in milliseconds of Unix time; `None` without games.
    span_ms: Option<[u64; 2]>,
    /// Length of its whole lines in bytes, unpacked. What is written behind them meanwhile is not read.
    length: u64,
}

/// Merges journals into `out`, without the games of the players named in `without`.
///
/// # Errors
/// A journal is damaged, one name stands for two players, or `out` cannot be written.
pub fn merge(paths: &[PathBuf], without: &[String], out: &mut impl Write) -> Result<Merged, MergeError> {
    let hasher = RandomState::new();
    let mut sources = paths.iter().map(|path| Source::read(path, &hasher)).collect::<Result<Vec<_>, _>>()?;
    let players = union(&sources, without)?;
    let names: Vec<&str> = players.iter().filter_map(|player| player["name"].as_str()).collect();
    let goes_on = without.is_empty() && same_tournament(&sources);
    let mut description = sources.first().map_or(Value::Null, |source| source.description.clone());
    if goes_on {
        // As they were played, whatever the order of the files: the last one is that with the latest game.
        sources.sort_by_key(Source::place);
        let rounds = |source: &Source| source.rounds();
        if let Some(rounds) = sources.iter().filter_map(rounds).max() {
            description["rounds"] = rounds.into();
        }
    } else {
        description = json!({ "players": players, "merged": sources.len() });
        // Journals that do not say it have no controls of so many moves, or are older.
        if sources.iter().any(|source| !own_moves_only(&source.description)) {
            description[COUNTED] = true.into();
        }
    }
    let engines: Vec<Vec<Vec<Identity>>> = sources.iter().map(|source| source.programs(&names)).collect();
    let mut lists = Vec::new();
    let numbers: Vec<Vec<usize>> = engines
        .into_iter()
        .map(|own| own.into_iter().map(|list| number_among(&mut lists, list)).collect())
        .collect();
    // A journal names last the programs that its tournament goes on with.
    let last = numbers.last().and_then(|numbers| numbers.last().copied()).filter(|_| goes_on);
    if let Some(last) = last.filter(|&last| last + 1 < lists.len()) {
        lists.push(lists[last].clone());
    }
    let mut lists = lists.into_iter();
    write_line(out, &Header::new(description, lists.next().unwrap_or_default()))?;
    lists.try_for_each(|engines| write_line(out, &Engines { engines }))?;
    let mut numbering = Numbering { renumber: !goes_on, ..Numbering::default() };
    // In a collection rounds say nothing, and its sources may have counted forfeits in several ways.
    let count_alike = goes_on || sources.windows(2).all(|pair| pair[0].forfeits() == pair[1].forfeits());
    let mut written: Vec<&Run> = Vec::new();
    for (source, numbers) in sources.iter().zip(&numbers) {
        for run in &source.runs {
            if written.contains(&run) {
                continue;
            }
            written.push(run);
            let rounds = run.rounds.filter(|_| goes_on);
            let forfeits = run.forfeits.filter(|_| count_alike);
            write_line(out, &Runs { run: Run { rounds, forfeits, ..run.clone() } })?;
        }
        source.copy(&names, numbers, &mut numbering, out)?;
    }
    out.flush()?;
    Ok(Merged { games: numbering.games, goes_on })
}

/// Counts the games of the journal `target` that these journals do not have, without the games of the players named in
/// `without`: if what merging them gives took its place, they would be lost.
///
/// # Errors
/// One of them cannot be read, or `target` is no journal.
pub fn lost(target: &Path, paths: &[PathBuf], without: &[String]) -> Result<u64, ArchiveError> {
    let mut copies = Copies::default();
    for path in paths {
        copies.next_file();
        archive::read(path, &mut copies)?;
    }
    copies.next_file();
    let mut among = Among { copies, without, others: 0 };
    match archive::read(target, &mut among)?.kind {
        Kind::Journal => Ok(among.others),
        Kind::Pgn => Err(ArchiveError::File { path: target.to_owned(), why: "is not a journal".to_owned() }),
    }
}

/// Counts games that no file before has.
struct Among<'a> {
    copies: Copies,
    /// Games of these players are taken from no file.
    without: &'a [String],
    others: u64,
}

impl Collector for Among<'_> {
    fn game(&mut self, names: [&str; 2], game: &Game<'_>) {
        let left_out = names.into_iter().any(|name| self.without.iter().any(|other| other == name));
        self.others += u64::from(left_out || !self.copies.is_copy(names, game));
    }
}

fn write_line(out: &mut impl Write, line: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *out, line)?;
    out.write_all(b"\n")
}

/// All players in the order of their first journal.
fn union(sources: &[Source], without: &[String]) -> Result<Vec<Value>, MergeError> {
    let mut players: Vec<(Value, &Path)> = Vec::new();
    for source in sources {
        let described = source.description["players"].as_array().into_iter().flatten();
        for (name, player) in source.players.iter().zip(described) {
            if without.contains(name) {
                continue;
            }
            match players.iter().find(|(known, _)| known["name"] == player["name"]) {
                None => players.push((player.clone(), source.path)),
                Some((known, _)) if known == player => {}
                Some((known, other)) => {
                    let keys =
                        known.as_object().into_iter().chain(player.as_object()).flat_map(|map| map.keys());
                    let differs = |key: &&String| known[key.as_str()] != player[key.as_str()];
                    let setting = keys.into_iter().find(differs).cloned().unwrap_or_default();
                    return Err(MergeError::Player {
                        path: source.path.to_owned(),
                        other: (*other).to_owned(),
                        name: name.clone(),
                        setting,
                    });
                }
            }
        }
    }
    Ok(players.into_iter().map(|player| player.0).collect())
}

/// Whether all are parts of one tournament: the same but for the rounds, and no number stands for two games. A
/// collection is part of none.
fn same_tournament(sources: &[Source]) -> bool {
    let but_rounds = |source: &Source| {
        let mut description = without_implied(source.description.clone());
        description["rounds"] = Value::Null;
        description
    };
    let mut all: HashMap<usize, u64> = HashMap::new();
    sources.iter().all(|source| source.description.get("merged").is_none())
        && sources.windows(2).all(|pair| but_rounds(&pair[0]) == but_rounds(&pair[1]))
        && sources
            .iter()
            .flat_map(|source| &source.games)
            .all(|(&number, &hash)| *all.entry(number).or_insert(hash) == hash)
}

/// The number of a list of programs among those that are known, to which it is added if it is new.
fn number_among(lists: &mut Vec<Vec<Identity>>, list: Vec<Identity>) -> usize {
    let known = lists.iter().position(|other| *other == list);
    known.unwrap_or_else(|| {
        lists.push(list);
        lists.len() - 1
    })
}

/// New numbers for games, pairs and openings.
#[derive(Default)]
struct Numbering {
    renumber: bool,
    games: usize,
    /// Numbers of games that are written already; where games are numbered anew, of those of one journal.
    seen: HashSet<usize>,
    copies: Copies,
    /// The numbers that the files' first encounters have.
    firsts: Vec<usize>,
    encounters: usize,
    openings: usize,
    /// The opening of each encounter.
    opened: HashMap<usize, usize>,
}

impl Numbering {
    /// The numbers that a game of the file that is being copied gets; `openings`: those of the files before.
    fn number(&mut self, game: &mut GameRecord, openings: usize) {
        let (file, number) = self.copies.encounter(game.encounter);
        game.id = self.games;
        game.encounter = self.firsts[file - 1].saturating_add(number);
        let opening = game.opening.saturating_add(openings);
        game.opening = *self.opened.entry(game.encounter).or_insert(opening);
        self.encounters = self.encounters.max(game.encounter.saturating_add(1));
        self.openings = self.openings.max(game.opening.saturating_add(1));
    }
}

impl<'a> Source<'a> {
    fn read(path: &'a Path, hasher: &RandomState) -> Result<Self, MergeError> {
        let mut lines = open(path, u64::MAX)?;
        let header = lines.header()?.ok_or_else(|| broken(path, 1, "is not a journal of a tournament"))?;
        let players = header.players(path)?;
        let mut source = Self {
            path,
            description: header.tournament,
            players,
            engines: vec![header.engines],
            runs: Vec::new(),
            games: HashMap::new(),
            span_ms: None,
            length: 0,
        };
        let mut last_list = 0;
        while let Some((number, text)) = lines.next_line()? {
            match Line::read(path, number, text)? {
                Line::Engines(engines) => source.engines.push(engines),
                Line::Run(run) => source.runs.push(*run),
                Line::Empty => {}
                Line::Entry(text) => {
                    let game = source.game(number, text)?;
                    let hash = hasher.hash_one(text);
                    if *source.games.entry(game.id).or_insert(hash) != hash {
                        let why =
                            format!("is another game of the number {}, which is there already", game.id);
                        return Err(broken(path, number, why).into());
                    }
                    last_list = last_list.max(game.engines);
                    let began = game.started_ms;
                    let [first, last] = source.span_ms.unwrap_or([began; 2]);
                    source.span_ms = Some([first.min(began), last.max(began)]);
                }
            }
        }
        source.length = lines.length();
        if last_list >= source.engines.len() {
            // A part that was cut out of a journal: which programs played is not said here.
            source.engines.push(Vec::new());
        }
        Ok(source)
    }

    /// Its place among the parts of a tournament: by its last game and its first one, those without games before all
    /// others, and copies by what was added to them.
    fn place(&self) -> (Option<[u64; 2]>, Option<String>, usize) {
        let date = self.runs.last().and_then(|run| Some(run.provenance.as_ref()?.date.clone()));
        (self.span_ms.map(|[first, last]| [last, first]), date, self.runs.len())
    }

    /// How its last run counts games that are lost by a fault of the program.
    fn forfeits(&self) -> Forfeits {
        self.runs.last().and_then(|run| run.forfeits).unwrap_or_default()
    }

    fn game(&self, number: usize, text: &str) -> Result<GameRecord, JournalError> {
        let game: GameRecord =
            serde_json::from_str(text).map_err(|e| broken(self.path, number, e.to_string()))?;
        match game.fault(&self.description) {
            Some(fault) => Err(broken(self.path, number, fault)),
            None => Ok(game),
        }
    }

    fn rounds(&self) -> Option<u64> {
        self.description["rounds"].as_u64().max(self.runs.iter().filter_map(|run| run.rounds).max())
    }

    /// Its programs for these players, with unknown ones for those that it does not have; of a list that says nothing
    /// of any of them nothing is left, as where a journal of an older version has none.
    fn programs(&self, names: &[&str]) -> Vec<Vec<Identity>> {
        let of = |engines: &Vec<Identity>, name: &&str| {
            let at = self.players.iter().position(|player| player == name)?;
            engines.get(at).cloned()
        };
        let list = |engines: &Vec<Identity>| {
            let list: Vec<Identity> =
                names.iter().map(|name| of(engines, name).unwrap_or_default()).collect();
            if list.iter().any(Identity::is_known) { list } else { Vec::new() }
        };
        self.engines.iter().map(list).collect()
    }

    /// Writes its games for these players.
    fn copy(
        &self,
        names: &[&str],
        programs: &[usize],
        numbering: &mut Numbering,
        out: &mut impl Write,
    ) -> Result<(), MergeError> {
        let place: Vec<Option<usize>> =
            self.players.iter().map(|player| names.iter().position(|name| name == player)).collect();
        let openings = numbering.openings;
        if numbering.renumber {
            numbering.seen.clear();
            numbering.firsts.push(numbering.encounters);
            numbering.copies.next_file();
            numbering.copies.look_through_journal(self.path, archive::open(self.path)?.take(self.length))?;
        }
        let mut lines = open(self.path, self.length)?;
        lines.header()?;
        while let Some((number, text)) = lines.next_line()? {
            let Line::Entry(text) = Line::read(self.path, number, text)? else { continue };
            let mut game = self.game(number, text)?;
            let (Some(white), Some(black)) = (place[game.white], place[game.black]) else { continue };
            let sides = [game.white, game.black].map(|player| self.players[player].as_str());
            let again = !numbering.seen.insert(game.id);
            if again || numbering.renumber && numbering.copies.is_copy(sides, &Game::from(&game)) {
                continue;
            }
            (game.white, game.black) = (white, black);
            // What has no list has the empty one, which is then the last.
            game.engines = programs.get(game.engines).or(programs.last()).copied().unwrap_or_default();
            if numbering.renumber {
                numbering.number(&mut game, openings);
            }
            write_line(out, &game)?;
            numbering.games += 1;
        }
        Ok(())
    }
}

/// So many bytes of a journal at most.
fn open(path: &Path, length: u64) -> Result<Lines<'_, Take<Box<dyn BufRead>>>, ArchiveError> {
    Ok(Lines::new(path, archive::open(path)?.take(length)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::Journal;
    use crate::journal::tests::game;
    use crate::record::Score;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use sys::provenance::Provenance;

    fn description(names: &[&str], rounds: u64) -> Value {
        let players: Vec<Value> = names.iter().map(|name| json!({"name": name, "cmd": "x"})).collect();
        json!({"players": players, "format": "round-robin", "rounds": rounds})
    }

    /// A program of this name.
    fn named(name: &str) -> Identity {
        Identity { name: Some(name.into()), ..Identity::default() }
    }

    fn write(dir: &Path, name: &str, description: &Value, games: &[GameRecord]) -> PathBuf {
        let path = dir.join(name);
        let (mut journal, _) = Journal::open::<GameRecord>(&path, description).unwrap();
        let players = description["players"].as_array().unwrap().len();
        journal.identify(&vec![named(name); players], false).unwrap();
        games.iter().for_each(|game| journal.add(game).unwrap());
        path
    }

    fn merged(paths: &[PathBuf], without: &[&str]) -> Result<(Merged, String), String> {
        let mut out = Vec::new();
        let without: Vec<String> = without.iter().map(|&name| name.to_owned()).collect();
        let merged = merge(paths, &without, &mut out).map_err(|error| error.to_string())?;
        Ok((merged, String::from_utf8(out).unwrap()))
    }

    /// A journal cut in two, with a game in both and the parts packed, is put together again, and the
    /// tournament goes on with it.
    #[test]
    fn parts_of_a_journal_become_the_journal() {
        let dir = tempfile::tempdir().unwrap();
        let all: Vec<GameRecord> = (0..6).map(game).collect();
        let wanted = description(&["A", "B"], 3);
        let first = write(dir.path(), "a", &description(&["A", "B"], 2), &all[..4]);
        let second = write(dir.path(), "b", &wanted, &all[3..]);
        let packed = |path: &Path, name: &str| {
            let packed = dir.path().join(name);
            let mut packer = GzEncoder::new(std::fs::File::create(&packed).unwrap(), Compression::fast());
            packer.write_all(&std::fs::read(path).unwrap()).unwrap();
            packer.finish().unwrap();
            packed
        };
        let (found, text) = merged(&[packed(&first, "a.GZ"), packed(&second, "b.gz")], &[]).unwrap();
        assert_eq!(found, Merged { games: 6, goes_on: true });
        let path = dir.path().join("c");
        std::fs::write(&path, text).unwrap();
        let (journal, games) = Journal::open::<GameRecord>(&path, &wanted).unwrap();
        assert_eq!(journal.engines().len(), 2, "the programs of both");
        let but_engines = |game: &GameRecord| GameRecord { engines: 0, ..game.clone() };
        assert_eq!(games.iter().map(but_engines).collect::<Vec<_>>(), all);
        assert_eq!(games.iter().map(|game| game.engines).collect::<Vec<_>>(), [0, 0, 0, 0, 1, 1]);
    }

    /// Which games are pairs follows from another runner's plan, and parts that say otherwise are parts; without a plan
    /// they are of two tournaments, and so are those of two plans.
    #[test]
    fn parts_of_a_tournament_by_plan_may_differ_in_what_its_plan_says() {
        let dir = tempfile::tempdir().unwrap();
        let described = |single: bool, plan: Option<u64>| {
            let mut description = description(&["A", "B"], 2);
            description["single"] = single.into();
            if let Some(rounds) = plan {
                description["plan"] = json!({ "rounds": rounds });
            }
            description
        };
        assert_eq!(without_implied(described(true, None)), described(true, None));
        for (number, (first, second, goes_on)) in [(2, 2, true), (2, 3, false)].into_iter().enumerate() {
            let [a, b] = ["a", "b"].map(|name| format!("{name}{number}"));
            let ours = described(true, Some(second));
            let played =
                |ids: [usize; 2]| ids.map(|id| GameRecord { started_ms: 1501 * id as u64 + 1, ..game(id) });
            let parts = [
                write(dir.path(), &a, &described(false, Some(first)), &played([0, 1])),
                write(dir.path(), &b, &ours, &played([2, 3])),
            ];
            let (found, text) = merged(&parts, &[]).unwrap();
            assert_eq!(found, Merged { games: 4, goes_on }, "{number}");
            let path = dir.path().join(format!("merged{number}"));
            std::fs::write(&path, text).unwrap();
            assert_eq!(Journal::open::<GameRecord>(&path, &ours).is_ok(), goes_on, "{number}");
        }
    }

    /// One program, then another, then the first again: in whatever order the parts are given, the games stand as they
    /// were played, and the program of the last one goes on.
    #[test]
    fn a_tournament_goes_on_with_the_programs_of_its_last_game() {
        let (dir, later) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let described = description(&["A", "B"], 3);
        let played = |ids: &[usize]| -> Vec<GameRecord> {
            let begun = |id: usize| 1_000_000 + 1500 * id as u64;
            ids.iter().map(|&id| GameRecord { started_ms: begun(id), ..game(id) }).collect()
        };
        let first = write(dir.path(), "x", &described, &played(&[0, 1]));
        let second = write(dir.path(), "y", &described, &played(&[2, 3]));
        let third = write(later.path(), "x", &described, &played(&[4, 5]));
        let programs = |name: &str| vec![named(name); 2];
        let path = dir.path().join("merged");
        let open = || Journal::open::<GameRecord>(&path, &described).unwrap();
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            let paths = order.map(|number: usize| [&first, &second, &third][number].clone());
            let (found, text) = merged(&paths, &[]).unwrap();
            assert_eq!(found, Merged { games: 6, goes_on: true });
            std::fs::write(&path, text).unwrap();
            let (mut journal, games) = open();
            let of = |game: &GameRecord| (game.id, journal.engines()[game.engines].clone());
            let wanted = ["x", "x", "y", "y", "x", "x"].map(programs).into_iter().enumerate();
            assert_eq!(games.iter().map(of).collect::<Vec<_>>(), wanted.collect::<Vec<_>>(), "{order:?}");
            let same = journal.identify(&programs("x"), false).unwrap();
            assert_eq!(same, crate::journal::Programs::Same, "{order:?}");
            drop(journal);
            assert!(open().0.identify(&programs("y"), false).is_err(), "{order:?}");
        }
        // One part was played within the other, which has the last game and not the latest beginning.
        let within = tempfile::tempdir().unwrap();
        let around = write(within.path(), "x", &described, &played(&[0, 5]));
        let inner = write(within.path(), "y", &described, &played(&[1, 2, 3, 4]));
        for paths in [[around.clone(), inner.clone()], [inner, around]] {
            let (found, text) = merged(&paths, &[]).unwrap();
            assert_eq!(found, Merged { games: 6, goes_on: true });
            std::fs::write(&path, text).unwrap();
            let same = open().0.identify(&programs("x"), false).unwrap();
            assert_eq!(same, crate::journal::Programs::Same, "{paths:?}");
        }
    }

    /// Parts of older versions, which do not say which programs played, and one that does: what is not known stays so,
    /// and the tournament goes on with whatever plays now. A replay asks whichever program is there.
    #[test]
    fn programs_that_no_part_names_stay_unknown() {
        let dir = tempfile::tempdir().unwrap();
        let mut described = description(&["A", "B"], 3);
        (0..2).for_each(|player| described["players"][player]["limits"] = "inf".into());
        let played = |ids: &[usize]| -> Vec<GameRecord> {
            ids.iter()
                .map(|&id| GameRecord { started_ms: 1_000_000 + 1500 * id as u64, ..game(id) })
                .collect()
        };
        let older = |name: &str, ids: &[usize]| {
            let path = dir.path().join(name);
            let header = json!({"firstborn_journal": 1, "tournament": described});
            let games: String =
                played(ids).iter().map(|game| serde_json::to_string(game).unwrap() + "\n").collect();
            std::fs::write(&path, format!("{header}\n{games}")).unwrap();
            path
        };
        let path = dir.path().join("merged");
        let open = || Journal::open::<GameRecord>(&path, &described).unwrap();
        let parts = [older("first", &[0, 1]), older("second", &[2, 3])];
        let (found, text) = merged(&parts, &[]).unwrap();
        assert_eq!(found, Merged { games: 4, goes_on: true });
        std::fs::write(&path, text).unwrap();
        assert_eq!(crate::retrace::find(&path, 1).map(|found| found.programs).unwrap(), [None, None]);
        let unknown = crate::journal::Programs::Unknown;
        assert_eq!(open().0.identify(&[named("x"), named("x")], false).unwrap(), unknown);
        // One that names its programs was played after them.
        let known = write(dir.path(), "y", &described, &played(&[4, 5]));
        let [first, second] = parts;
        std::fs::write(&path, merged(&[known, second, first], &[]).unwrap().1).unwrap();
        let (mut journal, games) = open();
        let numbers: Vec<usize> = games.iter().map(|game| game.engines).collect();
        assert_eq!((numbers, journal.engines()[0].len()), (vec![0, 0, 0, 0, 1, 1], 0));
        let same = journal.identify(&[named("y"), named("y")], false).unwrap();
        assert_eq!(same, crate::journal::Programs::Same);
    }

    /// A journal of two programs that was cut in two by hand, with its first line before both parts: the second one
    /// does not say which programs played its last game.
    #[test]
    fn games_whose_programs_stand_in_another_part_stay_unknown() {
        let dir = tempfile::tempdir().unwrap();
        let described = description(&["A", "B"], 3);
        let played = |id: usize, engines: usize| {
            let started_ms = 1_000_000 + 1500 * id as u64;
            GameRecord { started_ms, engines, ..game(id) }
        };
        let path = dir.path().join("merged");
        let first = write(dir.path(), "x", &described, &[played(0, 0), played(1, 0)]);
        // The second list, and one that is further away.
        for (number, list) in [1, 7].into_iter().enumerate() {
            let folder = dir.path().join(number.to_string());
            std::fs::create_dir(&folder).unwrap();
            let second = write(&folder, "x", &described, &[played(2, 0), played(3, list)]);
            for parts in [[first.clone(), second.clone()], [second, first.clone()]] {
                let (found, text) = merged(&parts, &[]).unwrap();
                assert_eq!(found, Merged { games: 4, goes_on: true });
                std::fs::write(&path, text).unwrap();
                let (mut journal, games) = Journal::open::<GameRecord>(&path, &described).unwrap();
                let lists: Vec<usize> =
                    games.iter().map(|game| journal.engines()[game.engines].len()).collect();
                assert_eq!(lists, [2, 2, 2, 0], "{parts:?}");
                // What played last is not known.
                let unknown = crate::journal::Programs::Unknown;
                assert_eq!(journal.identify(&[named("z"), named("z")], false).unwrap(), unknown);
            }
        }
    }

    /// A run on a day, which plays these games and counts forfeits in its way.
    fn play(path: &Path, day: u8, forfeits: Forfeits, ids: std::ops::Range<usize>) {
        let (mut journal, _) = Journal::open::<GameRecord>(path, &description(&["A", "B"], 3)).unwrap();
        journal.identify(&[named("x"), named("x")], false).unwrap();
        let date = format!("2026-01-{day:02}T03:04:05Z");
        journal.announce(Provenance { date, ..Provenance::default() }, forfeits).unwrap();
        for id in ids {
            let started_ms = 1_000_000 + 1500 * id as u64;
            journal.add(&GameRecord { started_ms, ..game(id) }).unwrap();
        }
    }

    /// The days of a merged journal's runs, and what became of forfeits in them.
    fn runs(text: &str) -> Vec<(String, Value)> {
        let lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let runs = lines.filter(|line| line.get("run").is_some());
        let of = |line: Value| {
            let date = line["run"]["provenance"]["date"].as_str().unwrap_or_default();
            (date[8..10].to_owned(), line["run"]["forfeits"].clone())
        };
        runs.map(of).collect()
    }

    /// The verdict goes by the last run: one that played on, or that counts in another way and played nothing.
    #[test]
    fn a_copy_and_its_continuation_end_with_the_last_run_in_both_orders() {
        let dir = tempfile::tempdir().unwrap();
        for end in [4, 2] {
            let [copy, whole] = ["copy", "whole"].map(|name| dir.path().join(name));
            play(&whole, 1, Forfeits::StopAfter(3), 0..2);
            std::fs::copy(&whole, &copy).unwrap();
            play(&whole, 2, Forfeits::Count, 2..end);
            let wanted = [("01".to_owned(), json!({"stop-after": 3})), ("02".to_owned(), json!("count"))];
            for paths in [[copy.clone(), whole.clone()], [whole.clone(), copy.clone()]] {
                let (found, text) = merged(&paths, &[]).unwrap();
                assert_eq!(found, Merged { games: end, goes_on: true });
                assert_eq!(runs(&text), wanted, "{paths:?}");
            }
            // As with several files, a collection counts them in no other way than as usual where its parts differ.
            let (found, text) = merged(&[whole.clone(), copy.clone()], &["C"]).unwrap();
            assert_eq!(found, Merged { games: end, goes_on: false });
            let unsaid = ["01", "02"].map(|day| (day.to_owned(), Value::Null));
            assert_eq!(runs(&text), unsaid);
            assert_eq!(runs(&merged(std::slice::from_ref(&whole), &["C"]).unwrap().1), wanted);
            std::fs::remove_file(&whole).unwrap();
        }
    }

    /// What a tournament writes between the two readings of its journal is in neither, and lost from no other file.
    #[test]
    fn games_that_are_written_meanwhile_are_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let described = description(&["A", "B"], 2);
        let played = |id: usize, began: u64| GameRecord { started_ms: began + 1500 * id as u64, ..game(id) };
        let other = write(dir.path(), "x", &described, &[0, 1].map(|id| played(id, 1_000_000)));
        let growing = write(dir.path(), "y", &described, &[0, 1].map(|id| played(id, 2_000_000)));
        let copy = write(dir.path(), "z", &described, &[played(2, 2_000_000)]);
        let hasher = RandomState::new();
        let sources = [&other, &growing, &copy].map(|path| Source::read(path, &hasher).unwrap());
        let (mut journal, _) = Journal::open::<GameRecord>(&growing, &described).unwrap();
        journal.add(&played(2, 2_000_000)).unwrap();
        drop(journal);
        let mut numbering = Numbering { renumber: true, ..Numbering::default() };
        let games = sources.map(|source| {
            source.copy(&["A", "B"], &[0], &mut numbering, &mut io::sink()).unwrap();
            numbering.games
        });
        assert_eq!(games, [2, 4, 5]);
    }

    /// A replay of any of its games needs to know; those whose controls count no moves do not say.
    #[test]
    fn moves_of_openings_count_in_a_collection_if_they_do_in_a_part() {
        let dir = tempfile::tempdir().unwrap();
        let mut counted = description(&["A", "C"], 1);
        counted[COUNTED] = true.into();
        let plain = write(dir.path(), "a", &description(&["A", "B"], 1), &[game(0)]);
        let other = write(dir.path(), "b", &description(&["B", "C"], 1), &[game(0)]);
        let counted = write(dir.path(), "c", &counted, &[game(0)]);
        for (parts, count) in [
            ([plain.clone(), counted.clone()], true),
            ([counted, plain.clone()], true),
            ([plain, other], false),
        ] {
            let (_, text) = merged(&parts, &[]).unwrap();
            let header: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
            assert_eq!(!own_moves_only(&header["tournament"]), count, "{parts:?}");
        }
    }

    /// Two tournaments: games numbered anew, pairs kept apart, players by name.
    #[test]
    fn different_tournaments_become_a_collection() {
        let dir = tempfile::tempdir().unwrap();
        let of = |white: usize, black: usize, id: usize| GameRecord {
            white,
            black,
            result: Score::White,
            ..game(id)
        };
        let first = write(dir.path(), "a", &description(&["A", "B"], 1), &[of(0, 1, 0), of(1, 0, 1)]);
        let second = write(
            dir.path(),
            "b",
            &description(&["C", "A", "D"], 1),
            &[of(0, 1, 0), of(1, 2, 1), of(2, 0, 2)],
        );
        let (found, text) = merged(&[first.clone(), second.clone()], &["D"]).unwrap();
        assert_eq!(found, Merged { games: 3, goes_on: false });
        let mut lines = text.lines();
        let header: Value = serde_json::from_str(lines.next().unwrap()).unwrap();
        let names: Vec<&str> = header["tournament"]["players"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|p| p["name"].as_str())
            .collect();
        assert_eq!((names, &header["tournament"]["merged"]), (vec!["A", "B", "C"], &json!(2)));
        let games: Vec<GameRecord> = lines
            .filter(|line| !line.starts_with("{\"engines\""))
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let sides: Vec<[usize; 3]> =
            games.iter().map(|game| [game.white, game.black, game.encounter]).collect();
        assert_eq!(sides, [[0, 1, 0], [1, 0, 0], [2, 0, 1]]);
        assert_eq!(games.iter().map(|game| game.id).collect::<Vec<_>>(), [0, 1, 2]);
        // No tournament takes it for its own.
        let path = dir.path().join("c");
        std::fs::write(&path, text).unwrap();
        assert!(Journal::open::<GameRecord>(&path, &description(&["A", "B"], 1)).is_err());
    }

    /// A collection and one of its parts: every game of the part is there already, under another number.
    #[test]
    fn a_game_of_several_journals_is_written_once() {
        let dir = tempfile::tempdir().unwrap();
        let played = |first_ms: u64| -> Vec<GameRecord> {
            (0..4).map(|id| GameRecord { started_ms: first_ms + 1500 * id as u64, ..game(id) }).collect()
        };
        let first = write(dir.path(), "a", &description(&["A", "B"], 2), &played(1_000_000));
        let second = write(dir.path(), "b", &description(&["B", "C"], 2), &played(2_000_000));
        let (found, text) = merged(&[first, second.clone()], &[]).unwrap();
        assert_eq!(found, Merged { games: 8, goes_on: false });
        let both = dir.path().join("c");
        std::fs::write(&both, text).unwrap();
        for paths in [[both.clone(), second.clone()], [second, both]] {
            assert_eq!(merged(&paths, &[]).unwrap().0, Merged { games: 8, goes_on: false });
        }
    }

    /// A collection of its own, or twice, is a collection again, with which no tournament goes on.
    #[test]
    fn a_collection_stays_one() {
        let dir = tempfile::tempdir().unwrap();
        let played: Vec<GameRecord> =
            (0..4).map(|id| GameRecord { started_ms: 1_000_000 + 1500 * id as u64, ..game(id) }).collect();
        let first = write(dir.path(), "a", &description(&["A", "B"], 2), &played);
        let second = write(dir.path(), "b", &description(&["B", "C"], 2), &[]);
        let both = dir.path().join("both");
        std::fs::write(&both, merged(&[first, second], &[]).unwrap().1).unwrap();
        for paths in [vec![both.clone()], vec![both.clone(), both]] {
            let (found, text) = merged(&paths, &[]).unwrap();
            assert_eq!(found, Merged { games: 4, goes_on: false });
            let header: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
            assert_eq!(header["tournament"]["merged"], paths.len());
            let again = dir.path().join("again");
            std::fs::write(&again, text).unwrap();
            let mut described = header["tournament"].clone();
            described.as_object_mut().unwrap().remove("merged");
            assert!(Journal::open::<GameRecord>(&again, &described).is_err(), "no tournament takes it");
        }
    }

    /// One has half of each pair, the other all of them, in an order in which the new halves come first: what belongs
    /// together has one encounter and one opening.
    #[test]
    fn halves_of_pairs_stay_together() {
        let dir = tempfile::tempdir().unwrap();
        let all: Vec<GameRecord> = (0..6)
            .map(|id| GameRecord { started_ms: 1_000_000 + 1500 * id as u64, opening: id / 2, ..game(id) })
            .collect();
        let of = |ids: &[usize]| ids.iter().map(|&id| all[id].clone()).collect::<Vec<_>>();
        let [few, many] = [1, 3].map(|rounds| description(&["A", "B"], rounds));
        let half = write(dir.path(), "half", &few, &of(&[0, 3, 4]));
        let whole = write(dir.path(), "whole", &many, &of(&[5, 2, 1, 0, 3, 4]));
        for paths in [[half.clone(), whole.clone()], [whole, half]] {
            let (found, text) = merged(&paths, &["D"]).unwrap();
            assert_eq!(found, Merged { games: 6, goes_on: false });
            let games = text.lines().skip(1).filter_map(|line| serde_json::from_str::<GameRecord>(line).ok());
            let mut pairs: HashMap<usize, Vec<(u64, usize)>> = HashMap::new();
            for game in games {
                pairs.entry(game.encounter).or_default().push((game.started_ms / 3000, game.opening));
            }
            assert_eq!(pairs.len(), 3, "{pairs:?}");
            assert!(pairs.values().all(|pair| pair.len() == 2 && pair[0] == pair[1]), "{pairs:?}");
        }
    }

    /// What is merged again is there already, and so are games of an older result; those of other journals, and of
    /// players that are left out now, would be lost.
    #[test]
    fn games_that_would_be_lost_are_counted() {
        let dir = tempfile::tempdir().unwrap();
        let played = |first_ms: u64, count: usize| -> Vec<GameRecord> {
            (0..count).map(|id| GameRecord { started_ms: first_ms + 1500 * id as u64, ..game(id) }).collect()
        };
        let first = write(dir.path(), "a", &description(&["A", "B"], 2), &played(1_000_000, 4));
        let second = write(dir.path(), "b", &description(&["B", "C"], 2), &played(2_000_000, 3));
        let (_, text) = merged(&[first.clone(), second.clone()], &[]).unwrap();
        let both = dir.path().join("both");
        std::fs::write(&both, text).unwrap();
        let missing = |target: &Path, paths: &[&PathBuf], without: &str| {
            let paths: Vec<PathBuf> = paths.iter().copied().cloned().collect();
            lost(target, &paths, &[without.to_owned()]).unwrap()
        };
        assert_eq!(missing(&both, &[&first, &second], ""), 0);
        assert_eq!(missing(&both, &[&second, &first], ""), 0);
        assert_eq!((missing(&first, &[&both], ""), missing(&second, &[&both], "")), (0, 0));
        assert_eq!((missing(&both, &[&first], ""), missing(&first, &[&second], "")), (3, 4));
        assert_eq!(
            (missing(&both, &[&first, &second], "C"), missing(&both, &[&first, &second], "B")),
            (3, 7)
        );
        let other = dir.path().join("other");
        std::fs::write(&other, "[White \"A\"]\n[Black \"B\"]\n[Result \"1-0\"]\n\n1. e4 1-0\n").unwrap();
        assert!(lost(&other, &[first], &[]).unwrap_err().to_string().contains("is not a journal"));
    }

    #[test]
    fn one_name_for_two_players_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let first = write(dir.path(), "a", &description(&["A", "B"], 1), &[game(0)]);
        let mut other = description(&["A", "B"], 1);
        other["players"][1]["cmd"] = json!("y");
        let second = write(dir.path(), "b", &other, &[game(0)]);
        let error = merged(&[first, second], &[]).unwrap_err();
        assert!(error.contains("`B` has another cmd"), "{error}");
    }
}
