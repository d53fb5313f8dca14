//! Surveys several files, and what they say about the conditions of play.

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{Survey, Wanted};
use crate::archive::{self, ArchiveError, Collector, Copies, Found, Game, Kind};
use crate::identity::Identity;
use crate::journal::Run;
use crate::openings::Skipped;
use crate::schedule::Schedule;
use crate::standings::{Counting, Standings};
use crate::wording::counted;

/// A tournament as its journal describes it.
#[derive(Debug, Clone, Default)]
pub struct Tournament {
    /// The journal, if there is one.
    pub path: PathBuf,
    /// Players, format, rounds, openings, rules.
    pub description: Value,
    /// The programs behind the players: by the number that games have for them, then by player.
    pub engines: Vec<Vec<Identity>>,
    /// What each of them has played, as `engines`; empty where no games were read.
    pub stints: Vec<Vec<Stint>>,
    /// When and where it was played.
    pub runs: Vec<Run>,
}

/// The games that a program has played.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stint {
    /// How many.
    pub games: u64,
    /// The smallest of their numbers in their file, from 1; 0 without games.
    pub first: usize,
    /// The largest of them; 0 without games.
    pub last: usize,
}

impl Stint {
    /// Adds a game of this number, from 0.
    fn add(&mut self, id: usize) {
        let number = id.saturating_add(1);
        self.join(Self { games: 1, first: number, last: number });
    }

    /// Adds the games of another one.
    fn join(&mut self, other: Self) {
        self.first = if self.games == 0 { other.first } else { self.first.min(other.first) };
        self.last = self.last.max(other.last);
        self.games += other.games;
    }
}

/// `40 games (61 to 100)`.
impl fmt::Display for Stint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { games, first, last } = *self;
        write!(f, "{} ({first}", counted(games, "game"))?;
        if last > first {
            write!(f, " to {last}")?;
        }
        f.write_str(")")
    }
}

impl Tournament {
    /// Its players' names and descriptions.
    pub fn players(&self) -> impl Iterator<Item = (&str, &Value)> {
        let players = self.description["players"].as_array().map(Vec::as_slice).unwrap_or_default();
        players.iter().filter_map(|player| Some((player["name"].as_str()?, player)))
    }

    /// The program that is named last, of those that are known, for the player of this number, from 0.
    #[must_use]
    pub fn program(&self, number: usize) -> Option<&Identity> {
        let mut programs = self.engines.iter().rev().filter_map(|engines| engines.get(number));
        programs.find(|program| program.is_known())
    }

    /// The known programs that played as the player of this number, from 0, in the order in which they came, each with
    /// its games; where no games were read, or none of this player, all that are named for it. What differs in nothing
    /// is one program, told as it was named last.
    #[must_use]
    pub fn programs(&self, number: usize) -> Vec<(&Identity, Stint)> {
        let stint = |list: usize| -> Stint {
            self.stints.get(list).and_then(|stints| stints.get(number)).copied().unwrap_or_default()
        };
        let plays = (0..self.engines.len()).any(|list| stint(list).games > 0);
        let mut programs: Vec<(&Identity, Stint)> = Vec::new();
        for (list, engines) in self.engines.iter().enumerate() {
            let Some(now) = engines.get(number).filter(|now| now.is_known()) else { continue };
            let stint = stint(list);
            if plays && stint.games == 0 {
                continue;
            }
            match programs.iter_mut().find(|(before, _)| before.difference(now).is_none()) {
                Some((program, stints)) => {
                    *program = now;
                    stints.join(stint);
                }
                None => programs.push((now, stint)),
            }
        }
        programs
    }

    /// Rounds that are to be played: those of the first run, or of a later one that raised them.
    #[must_use]
    pub fn rounds(&self) -> Option<u64> {
        let runs = self.runs.iter().filter_map(|run| run.rounds).max();
        self.description["rounds"].as_u64().max(runs)
    }

    /// The schedule, played on with the results of the games that are there. `None` where a journal does not
    /// say enough, or is a part of several.
    fn schedule(&self, results: &HashMap<usize, f64>) -> Option<Schedule> {
        let mut schedule = Schedule::described(&self.description, self.rounds())?;
        schedule.play_on(&|id| results.get(&id).copied());
        Some(schedule)
    }
}

/// A survey of files.
#[derive(Debug)]
pub struct Gathered {
    /// The sums.
    pub survey: Survey,
    /// The files.
    pub files: Vec<Found>,
    /// The tournaments of the journals among them.
    pub tournaments: Vec<Tournament>,
    /// What a reader should know.
    pub notes: Vec<String>,
    /// Games of the whole schedule, where the files are one journal and nothing was left out.
    pub scheduled: Option<usize>,
}

/// Reads the files in their order.
///
/// # Errors
/// One of them cannot be read.
pub fn gather(paths: &[PathBuf], wanted: Wanted) -> Result<Gathered, ArchiveError> {
    let (gathering, files) = Gathering::read(paths, wanted)?;
    let mut notes: Vec<String> = files
        .iter()
        .flat_map(|found| [torn(found), unfinished(found), of_variants(found)])
        .flatten()
        .collect();
    notes.extend(unreadable(&gathering.skipped));
    notes.extend(gathering.copies.notes());
    notes.extend(gathering.tournaments.iter().flat_map(changes));
    notes.extend(differences(&gathering.tournaments));
    let mut scheduled = None;
    let Gathering { mut survey, tournaments, results, whole, .. } = gathering;
    if let ([tournament], [_], true) = (&tournaments[..], paths, whole)
        && let Some(schedule) = tournament.schedule(&results)
    {
        scheduled = schedule.total();
        survey.standings.place(schedule.placing(&|id| results.get(&id).copied()));
    }
    Ok(Gathered { survey, files, tournaments, notes, scheduled })
}

fn torn(found: &Found) -> Option<String> {
    found.torn.then(|| {
        let last = if found.kind == Kind::Pgn { "game" } else { "line" };
        format!(
            "{}: the last {last} is not complete (it is being written, or was torn by a kill) and does not count.",
            found.path.display()
        )
    })
}

fn unfinished(found: &Found) -> Option<String> {
    let others = found.variants + found.bad;
    let games = found.left_out.checked_sub(others).filter(|&games| found.kind == Kind::Pgn && games > 0)?;
    let (have, count) = if games == 1 { ("has", "does") } else { ("have", "do") };
    let (path, games) = (found.path.display(), counted(games, "game"));
    Some(format!("{path}: {games} {have} no result and {count} not count."))
}

fn of_variants(found: &Found) -> Option<String> {
    let games = (found.variants > 0).then_some(found.variants)?;
    let (are, count) = if games == 1 { ("is", "does") } else { ("are", "do") };
    let (path, games) = (found.path.display(), counted(games, "game"));
    Some(format!("{path}: {games} {are} of another variant than chess and {count} not count."))
}

/// Games that cannot be read and are told at most.
const TOLD: usize = 10;

fn unreadable(skipped: &Skipped<ArchiveError>) -> Option<String> {
    let games = (skipped.count() > 0).then(|| counted(skipped.count() as u64, "game"))?;
    let told: Vec<String> = skipped.named().iter().take(TOLD).map(ToString::to_string).collect();
    let more = match skipped.count() - told.len() {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    let count = if skipped.count() == 1 { "does" } else { "do" };
    Some(format!("{games} cannot be read and {count} not count: {}{more}.", told.join("; ")))
}

/// Players who were several programs within a tournament.
fn changes(tournament: &Tournament) -> Vec<String> {
    let mut notes = Vec::new();
    let path = tournament.path.display();
    for (number, (name, _)) in tournament.players().enumerate() {
        for pair in tournament.programs(number).windows(2) {
            let [(before, earlier), (now, later)] = pair else { continue };
            if let Some(what) = before.difference(now).filter(|_| earlier.games > 0 && later.games > 0) {
                notes.push(format!(
                    "`{name}` is another program in {later} of {path} than in {earlier} of it: {what}."
                ));
            }
        }
    }
    notes
}

/// Players of one name who are not the same everywhere.
fn differences(tournaments: &[Tournament]) -> Vec<String> {
    let mut notes = Vec::new();
    for (index, tournament) in tournaments.iter().enumerate() {
        for (number, (name, player)) in tournament.players().enumerate() {
            let before = tournaments[..index].iter().find_map(|other| {
                let same = |(_, (known, _)): &(usize, (&str, &Value))| *known == name;
                let (place, (_, described)) = other.players().enumerate().find(same)?;
                Some((other, place, described))
            });
            let Some((other, place, described)) = before else { continue };
            let (here, there) = (tournament.path.display(), other.path.display());
            let programs = (other.program(place), tournament.program(number));
            if let (Some(before), Some(now)) = programs
                && let Some(what) = before.difference(now)
            {
                notes.push(format!("`{name}` is another program in {here} than in {there}: {what}."));
            }
            let settings = other_settings(described, player);
            if !settings.is_empty() {
                notes.push(format!("`{name}` has in {here} and in {there}: {}.", settings.join(", ")));
            }
        }
    }
    notes
}

/// Characters of a value that are told at most.
const LONGEST_VALUE: usize = 40;

/// The settings that differ between two descriptions of a player of one name, in words: `hash 16 and 64`.
fn other_settings(before: &Value, now: &Value) -> Vec<String> {
    let keys = [before, now].into_iter().filter_map(Value::as_object).flat_map(serde_json::Map::keys);
    let differing: BTreeSet<&String> = keys.filter(|&key| now[key] != before[key]).collect();
    let tell = |key: &String| {
        let [now, before] = [now, before].map(|player| player[key].to_string());
        let short = now.chars().count().max(before.chars().count()) <= LONGEST_VALUE;
        if short { format!("{key} {now} and {before}") } else { format!("another {key}") }
    };
    differing.into_iter().map(tell).collect()
}

/// What is being read.
struct Gathering {
    survey: Survey,
    tournaments: Vec<Tournament>,
    path: PathBuf,
    several: bool,
    /// All games count.
    whole: bool,
    /// What becomes of games lost by a fault is what the run says.
    by_runs: bool,
    copies: Copies,
    /// The numbers that the files' first encounters have.
    firsts: Vec<usize>,
    /// White's points by game, of the journal where that is the only file.
    results: HashMap<usize, f64>,
    /// Games that cannot be read.
    skipped: Skipped<ArchiveError>,
}

impl Gathering {
    /// Reads the files in their order.
    fn read(paths: &[PathBuf], wanted: Wanted) -> Result<(Self, Vec<Found>), ArchiveError> {
        let whole = wanted.filter == super::Filter::default();
        let forfeits = wanted.forfeits;
        let mut standings = Standings::new(0, Counting::AsFound).tested_without_faults();
        standings.test_by(forfeits.unwrap_or_default());
        let mut gathering = Self {
            survey: Survey::new(wanted, standings),
            tournaments: Vec::new(),
            path: PathBuf::new(),
            several: paths.len() > 1,
            whole,
            by_runs: forfeits.is_none() && paths.len() == 1,
            copies: Copies::default(),
            firsts: Vec::new(),
            results: HashMap::new(),
            skipped: Skipped::default(),
        };
        let mut files = Vec::new();
        for path in paths {
            path.clone_into(&mut gathering.path);
            gathering.firsts.push(gathering.survey.next_file());
            gathering.copies.next_file();
            if gathering.several {
                gathering.copies.look_through(path)?;
            }
            files.push(archive::read(path, &mut gathering)?);
        }
        Ok((gathering, files))
    }
}

impl Collector for Gathering {
    fn tournament(&mut self, description: &Value, players: &[String], engines: &[Identity]) {
        if !self.several {
            self.survey.count_as(description);
        }
        if !self.several && self.whole {
            self.survey.take_test_of(description);
        }
        for name in players {
            if self.survey.takes_player(name) {
                self.survey.player(name);
            }
        }
        self.tournaments.push(Tournament {
            path: self.path.clone(),
            description: description.clone(),
            engines: vec![engines.to_vec()],
            stints: vec![vec![Stint::default(); players.len()]],
            runs: Vec::new(),
        });
    }

    fn engines(&mut self, engines: &[Identity]) {
        if let Some(tournament) = self.tournaments.last_mut() {
            tournament.engines.push(engines.to_vec());
            let players = tournament.stints.first().map_or(0, Vec::len);
            tournament.stints.push(vec![Stint::default(); players]);
        }
    }

    fn run(&mut self, run: &Run) {
        if self.by_runs {
            self.survey.standings.test_by(run.forfeits.unwrap_or_default());
        }
        if let Some(tournament) = self.tournaments.last_mut() {
            tournament.runs.push(run.clone());
        }
    }

    fn game(&mut self, names: [&str; 2], game: &Game<'_>) {
        if self.several && self.copies.is_copy(names, game) {
            return;
        }
        // Games of PGN are none of the journal before them.
        if let Some(tournament) =
            self.tournaments.last_mut().filter(|tournament| tournament.path == self.path)
            && let Some(stints) = tournament.stints.get_mut(game.engines)
        {
            for player in [game.white, game.black] {
                if let Some(stint) = stints.get_mut(player) {
                    stint.add(game.id);
                }
            }
        }
        // The plan of a tournament asks for them; games of PGN have none.
        if !self.several && !self.tournaments.is_empty() {
            self.results.insert(game.id, game.result.white_points());
        }
        let (file, number) =
            if self.several { self.copies.encounter(game.encounter) } else { (1, game.encounter) };
        self.survey.add(names, game, self.firsts[file - 1].saturating_add(number));
    }

    fn bad(&mut self, game: ArchiveError) -> Result<(), ArchiveError> {
        if !self.survey.wanted.skip_bad {
            return Err(game);
        }
        self.skipped.add(|| game);
        Ok(())
    }
}

/// The name of a report on these files: that of the file, or how many there are.
#[must_use]
pub fn title(paths: &[PathBuf]) -> String {
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    match paths {
        [one] => name(one),
        many => format!("{} files", many.len()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::adjudicate::Manner;
    use crate::journal::tests::game;
    use crate::pgn::{Event, Fields, Style, write_game};
    use crate::record::{Ending, GameRecord, MoveRecord, Score};
    use crate::runner::{Forfeits, StopRule};
    use crate::schedule::{Format, Next, Pairing};
    use crate::spec::{Settings, players};
    use crate::survey::{Filter, Shave};

    fn names() -> Vec<String> {
        ["Alpha", "Beta", "Gamma"].map(str::to_owned).into()
    }

    fn header(rounds: u64) -> String {
        let players: Vec<Value> =
            names().iter().map(|name| json!({"name": name, "limits": "1+0.01", "options": []})).collect();
        // No format: the games below follow no plan.
        let tournament = json!({"players": players, "rounds": rounds, "single": false});
        header_of(&tournament)
    }

    /// The first line of a journal of this tournament.
    fn header_of(tournament: &Value) -> String {
        json!({"firstborn_journal": 1, "tournament": tournament}).to_string() + "\n"
    }

    /// A sequential test as a journal describes it.
    fn sprt(by_pairs: bool) -> Value {
        let test = json!({"elo0": 0.0, "elo1": 5.0, "alpha": 0.05, "beta": 0.05, "model": "normalized"});
        json!({"test": test, "pairs": by_pairs})
    }

    /// Twelve pairs between the first two players, then the first games of six more.
    fn waiting_pairs() -> String {
        let results = [Score::White, Score::Draw, Score::Draw, Score::Black, Score::White];
        let game = |id: usize| line(&record(id, id % 2, 1 - id % 2, results[id % 5]));
        (0..24).chain((24..36).step_by(2)).map(game).collect()
    }

    /// `1. e4 d5 2. exd5 Qxd5`, the first move out of the book; times, clocks, depths and nodes by hand.
    fn record(id: usize, white: usize, black: usize, result: Score) -> GameRecord {
        let mv = |san: &str, uci: &str, searched: Option<(u64, u64, u32, u64)>| MoveRecord {
            ms: searched.map(|s| s.0),
            clock_ms: searched.map(|s| s.1),
            score: searched.map(|_| 15),
            depth: searched.map(|s| s.2),
            nodes: searched.map(|s| s.3),
            ..MoveRecord::of_opening(san.into(), uci.into())
        };
        let moves = vec![
            mv("e4", "e2e4", None),
            mv("d5", "d7d5", Some((100, 910, 10, 50_000))),
            mv("exd5", "e4d5", Some((50, 960, 8, 100_000))),
            mv("Qxd5", "d8d5", Some((300, 620, 12, 150_000))),
            mv("Nc3", "b1c3", Some((950, 20, 9, 1_900_000))),
        ];
        let (ending, reason) = match result {
            Score::Draw => (Ending::AdjudicatedDraw, "drawn by adjudication".to_owned()),
            _ => (Ending::Resignation, "X resigns".to_owned()),
        };
        let started_ms = 1_000_000 + 1000 * id as u64;
        GameRecord { white, black, result, moves, ending, reason, started_ms, wall_ms: 1400, ..game(id) }
    }

    fn line(game: &GameRecord) -> String {
        serde_json::to_string(game).unwrap() + "\n"
    }

    fn games() -> Vec<GameRecord> {
        let results = [Score::White, Score::White, Score::Draw, Score::Black, Score::Draw, Score::White];
        let sides = [(0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)];
        (0..6).map(|id| record(id, sides[id].0, sides[id].1, results[id])).collect()
    }

    fn write(dir: &Path, name: &str, text: &str) -> PathBuf {
        let path = dir.join(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    fn read(paths: &[PathBuf], wanted: Wanted) -> Result<Gathered, String> {
        gather(paths, wanted).map_err(|error| error.to_string())
    }

    fn journal(games: &[GameRecord]) -> String {
        header(1) + &games.iter().map(line).collect::<String>()
    }

    #[test]
    fn sums_over_moves_by_hand() {
        let dir = tempfile::tempdir().unwrap();
        let path = write(dir.path(), "j", &journal(&games()[..1]));
        let Gathered { survey, scheduled, .. } = read(&[path], Wanted::default()).unwrap();
        assert_eq!((survey.players(), scheduled), (&names()[..], None));
        let (white, black) = (survey.engine(0).all(), survey.engine(1).all());
        assert_eq!(
            (white.moves, white.us, white.depth, white.nodes),
            (2, 1_000_000, (2, 17), (2, 2_000_000))
        );
        assert_eq!(
            (black.time_ms(), black.mean_depth(), black.mean_nodes()),
            (Some(200.0), Some(11.0), Some(100_000.0))
        );
        assert_eq!((white.nps(), black.nps()), (Some(2_000_000.0), Some(500_000.0)));
        // 960 ms before a move of 950: ten are left, the increment not counted.
        assert_eq!(survey.engine(0).shave, Some(Shave { ms: 10, game: 1, ply: 5 }));
        assert_eq!(survey.engine(1).shave, Some(Shave { ms: 610, game: 1, ply: 4 }));
        let speed = survey.speed(0, 1).unwrap();
        assert!(
            (speed.value() - 4.0).abs() < 1e-9 && (survey.speed(1, 0).unwrap().value() - 0.25).abs() < 1e-9
        );
        assert_eq!((survey.openings.list()[0].name.as_str(), survey.plies()), ("1. e4", 5));
        assert_eq!(survey.span_ms(), Some((1_000_000, 1_001_400)));
    }

    /// The ratio's interval: logarithms 0.1, 0.3, 0.5 have mean 0.3, standard error 0.2/sqrt(3), and
    /// Student's quantile for two degrees of freedom is 4.3027 in every table.
    #[test]
    fn a_ratio_has_students_interval() {
        let mut ratio = crate::survey::Ratio::default();
        [0.1, 0.3, 0.5].into_iter().for_each(|logarithm| ratio.add(logarithm));
        let (low, high) = ratio.interval().unwrap();
        let half = 4.3027 * 0.2 / 3f64.sqrt();
        assert!((ratio.value().ln() - 0.3).abs() < 1e-12);
        assert!((low.ln() - (0.3 - half)).abs() < 1e-4 && (high.ln() - (0.3 + half)).abs() < 1e-4);
    }

    /// Moves of 1.9 ms with 1900 nodes each are a million nodes a second, and a journal that knows the
    /// microseconds says so. Rounded down to 1 ms they would be two million, so nothing is told then, nor of
    /// processor time in ticks of ten milliseconds. Where moves take long the milliseconds do.
    #[test]
    fn speeds_of_fast_games_are_told_by_microseconds_or_not_at_all() {
        let dir = tempfile::tempdir().unwrap();
        let engines = |ms: u64, us: Option<u32>, nodes: u64| {
            let mv = |san: &str, uci: &str| MoveRecord {
                ms: Some(ms),
                us,
                nodes: Some(nodes),
                ..MoveRecord::of_opening(san.into(), uci.into())
            };
            let moves = vec![mv("e4", "e2e4"), mv("e5", "e7e5"), mv("Nf3", "g1f3")];
            let game = GameRecord { moves, cpu_ms: Some([30, 30]), ..record(0, 0, 1, Score::Draw) };
            let path = write(dir.path(), "j", &journal(&[game]));
            let survey = read(&[path], Wanted::default()).unwrap().survey;
            let (engine, speed) = (survey.engine(0), survey.speed(0, 1));
            (engine.all().nps().map(f64::round), engine.all().time_ms(), engine.processors(), speed.is_some())
        };
        assert_eq!(engines(1, Some(900), 1900), (Some(1e6), Some(1.9), None, true));
        assert_eq!(engines(0, Some(999), 999), (None, Some(0.999), None, false));
        assert_eq!(engines(1, None, 1900), (None, Some(1.0), None, false));
        assert_eq!(engines(0, None, 900), (None, Some(0.0), None, false));
        assert_eq!(engines(9, None, 9000), (None, Some(9.0), None, false));
        assert_eq!(engines(10, None, 10_000), (Some(1e6), Some(10.0), Some(1.5), true));
        assert_eq!(engines(14, Some(500), 14_500), (Some(1e6), Some(14.5), Some(30.0 / 29.0), true));
        let bad = GameRecord {
            moves: vec![MoveRecord {
                ms: Some(1),
                us: Some(1000),
                ..record(0, 0, 1, Score::Draw).moves[1].clone()
            }],
            ..record(0, 0, 1, Score::Draw)
        };
        let path = write(dir.path(), "bad", &journal(&[bad]));
        assert!(read(&[path], Wanted::default()).unwrap_err().contains("out of range"));
    }

    /// Men leave the board by captures, wherever the game begins.
    #[test]
    fn phases_follow_the_men() {
        let dir = tempfile::tempdir().unwrap();
        let mut endgame = games().remove(0);
        // Thirteen men; White takes one with its second move, the third ply.
        endgame.fen = Some("3qk3/pppp4/8/8/8/8/PPPPP3/1N2K3 w - - 0 1".into());
        let path = write(dir.path(), "j", &journal(&[endgame]));
        let survey = read(&[path], Wanted::default()).unwrap().survey;
        let moves = |player: usize| survey.engine(player).phases.map(|phase| phase.moves);
        assert_eq!((moves(0), moves(1)), ([0, 1, 1], [0, 1, 1]));
    }

    /// Cut anywhere, a journal gives the games of its whole lines, and says that there is more to come.
    #[test]
    fn a_journal_is_read_while_it_is_written() {
        let dir = tempfile::tempdir().unwrap();
        let text = journal(&games()[..3]);
        let begin = header(1).len();
        for cut in (begin..=text.len()).step_by(7).chain([text.len()]) {
            let path = write(dir.path(), "j", &text[..cut]);
            let whole = text[..cut].matches('\n').count() - 1;
            let Gathered { survey, files, notes, .. } = read(&[path], Wanted::default()).unwrap();
            let torn = !text[..cut].ends_with('\n');
            assert_eq!(survey.standings.games(), whole as u64);
            assert_eq!((files[0].torn, notes.len()), (torn, usize::from(torn)), "cut at {cut}");
        }
        let path = write(dir.path(), "j", &text[..begin / 2]);
        assert!(read(&[path], Wanted::default()).unwrap_err().contains("has not begun"));
    }

    #[test]
    fn damage_is_named_by_file_and_line() {
        let dir = tempfile::tempdir().unwrap();
        let [first, second, ..] = &games()[..] else { unreachable!() };
        let other = GameRecord { result: Score::Draw, ..first.clone() };
        let far = GameRecord { white: 7, ..first.clone() };
        for (text, says) in [
            (journal(&[first.clone(), second.clone(), other]), "line 4: is another game of the number 0"),
            (journal(&[far]), "line 2: is a game of player 8 of 3"),
            (header(1) + "{\"id\":0}\n", "line 2: missing field"),
            ("{\"firstborn_journal\":9,\"tournament\":{}}\n".to_owned(), "line 1: its format is version 9"),
            ("{\"firstborn_journal\":1,\"tournament\":{}}\n".to_owned(), "line 1: names no players"),
            ("\n \n".to_owned(), "holds no games"),
            ("hello".to_owned(), "holds no games"),
            (
                "[White \"A\"]\n[Black \"B\"]\n[Result \"1-0\"]\n\n1. e4 Ke7 1-0\n".to_owned(),
                "game 1: ply 2: Ke7",
            ),
            ("[White \"A\"]\n[Result \"1-0\"]\n\n1. e4 1-0\n".to_owned(), "game 1: it has no tag Black"),
            ("[White \"A\"]\n[Black \"B\"]\n[FEN \"8/8 w\"]\n\n1-0\n".to_owned(), "game 1: its FEN"),
        ] {
            let path = write(dir.path(), "broken", &text);
            let error = read(&[path], Wanted::default()).unwrap_err();
            assert!(error.contains("broken") && error.contains(says), "{says}: {error}");
        }
        // The same line twice is one game.
        let path = write(dir.path(), "j", &journal(&[first.clone(), second.clone(), first.clone()]));
        assert_eq!(read(&[path], Wanted::default()).unwrap().survey.standings.games(), 2);
    }

    /// The games of a journal are those of its plan, also where that depends on results or its rounds grew.
    #[test]
    fn a_journal_is_held_against_its_plan() {
        let dir = tempfile::tempdir().unwrap();
        for format in Format::ALL {
            let players: Vec<Value> = names().iter().map(|name| json!({ "name": name })).collect();
            let tournament = json!({"players": players, "format": format, "rounds": 1, "single": false});
            let rounds = if format.is_known() { 2 } else { 1 };
            let mut plan = Schedule::described(&tournament, Some(rounds)).unwrap();
            let mut games = Vec::new();
            while let Next::Game(of) = plan.next(&|_| Some(1.0)) {
                let game = record(of.id, of.white, of.black, Score::White);
                games.push(GameRecord {
                    encounter: of.encounter,
                    round: of.round,
                    opening: of.opening,
                    ..game
                });
            }
            let text = |games: &[GameRecord]| {
                let run = format!("{{\"run\":{{\"rounds\":{rounds}}}}}\n");
                header_of(&tournament) + &run + &games.iter().map(line).collect::<String>()
            };
            let told = |games: &[GameRecord]| {
                let path = write(dir.path(), "j", &text(games));
                read(&[path], Wanted::default()).map(|read| read.survey.standings.games())
            };
            assert_eq!(told(&games), Ok(games.len() as u64), "{format:?}");
            assert_eq!(told(&games[..3]), Ok(3), "{format:?}");
            let changed = |change: &dyn Fn(&mut GameRecord)| {
                let mut changed = games.clone();
                change(&mut changed[1]);
                told(&changed).unwrap_err()
            };
            assert!(changed(&|game| game.id += 1000).contains("which the plan does not have"), "{format:?}");
            let opening = changed(&|game| game.opening = 77);
            assert!(
                opening.contains("j, line 4: has opening 77 in game 2, where the plan has 0"),
                "{opening}"
            );
            let round = changed(&|game| game.round = 27);
            assert!(round.contains("j, line 4: has round 27 in game 2, where the plan has 1"), "{round}");
            let colours = changed(&|game| std::mem::swap(&mut game.white, &mut game.black));
            assert!(colours.contains("j, line 4: is game 2 of player "), "{format:?}: {colours}");
            let moves = changed(&|game| game.moves[1].uci = "d7d4".into());
            assert!(moves.contains("j, line 4: ply 2: "), "{format:?}: {moves}");
        }
    }

    /// The journal of another runner's plan, of games with these results for the player of the smaller number.
    fn journal_of_plan(plan: &Value, players: usize, result: impl Fn(&Pairing) -> Score) -> Vec<String> {
        let players: Vec<Value> =
            ["A", "B", "C", "D", "E"][..players].iter().map(|name| json!({ "name": name })).collect();
        let tournament = json!({"players": players, "runner": "X", "single": false, "plan": plan});
        let mut lines = vec![header_of(&tournament)];
        let mut plan = Schedule::described(&tournament, None).unwrap();
        let mut results = HashMap::new();
        while let Next::Game(of) = plan.next(&|id| results.get(&id).copied()) {
            let game = record(of.id, of.white, of.black, result(&of));
            results.insert(of.id, game.result.white_points());
            let place = GameRecord { encounter: of.encounter, round: of.round, opening: of.opening, ..game };
            lines.push(line(&place));
        }
        lines
    }

    /// So it is where the plan is another runner's; of older journals, which do not have it, all games are taken.
    #[test]
    fn a_runners_journal_is_held_against_its_plan() {
        let dir = tempfile::tempdir().unwrap();
        let plan = json!({"fastchess": {"players": 2, "seeds": 1, "rounds": 4, "games": 2, "no_swap": false,
            "reverse": false, "book": 1}});
        let lines = journal_of_plan(&plan, 2, |_| Score::White);
        let told = |lines: &[String]| {
            let path = write(dir.path(), "j", &lines.concat());
            read(&[path], Wanted::default()).map(|read| (read.survey.standings.games(), read.scheduled))
        };
        assert_eq!((lines.len(), told(&lines), told(&lines[..4])), (9, Ok((8, Some(8))), Ok((3, Some(8)))));
        let mut swapped = lines.clone();
        swapped[6] = swapped[6].replace("\"white\":1,\"black\":0", "\"white\":0,\"black\":1");
        let fault = told(&swapped).unwrap_err();
        assert!(
            fault.contains("line 7: is game 6 of player 1 against player 2, where the plan has 2"),
            "{fault}"
        );
        swapped[0] = swapped[0].replace("\"plan\"", "\"other\"");
        assert_eq!(told(&swapped), Ok((8, None)));
        let mut other = lines.clone();
        other[6] = other[6].replace("\"id\":5,", "\"id\":70000,");
        assert!(told(&other).unwrap_err().contains("is game 70001, which the plan does not have"));
    }

    /// A knockout ranks by stages, and of a meeting that stays level the better seed goes on, whatever the share of
    /// the points: cutechess-cli's as ours.
    #[test]
    fn a_runners_knockout_is_ranked_as_one() {
        let dir = tempfile::tempdir().unwrap();
        let colours = json!({"no_swap": false, "reverse": false});
        let plan =
            json!({"knockout": {"order": [0, 1, 2, 3], "games": 2, "policy": "default", "colours": colours}});
        // A meets D and B meets C. A and B, in the final, draw all their games.
        let result = |game: &Pairing| match (game.white, game.black) {
            (0 | 1, 0 | 1) => Score::Draw,
            (0 | 1, _) => Score::White,
            _ => Score::Black,
        };
        let path = write(dir.path(), "j", &journal_of_plan(&plan, 4, result).concat());
        let gathered = read(&[path], Wanted::default()).unwrap();
        let standings = &gathered.survey.standings;
        let level: Vec<[usize; 2]> =
            standings.level().iter().map(|level| [level.through, level.out]).collect();
        assert_eq!((standings.games(), standings.winner(), level), (14, Some(0), vec![[0, 1]]));
    }

    /// SAN, long algebraic notation and UCI are the same moves, and what is glued to them is left out.
    #[test]
    fn pgn_in_every_notation_is_the_same_games() {
        let dir = tempfile::tempdir().unwrap();
        let starts = [
            "[FEN \"n3k3/1P6/8/8/8/8/8/R3K2R w KQ - 0 1\"]\n",
            "[FEN \"4k3/8/8/3pP3/8/8/8/R3K2R w KQ d6 0 1\"]\n",
        ];
        let moves = |notation: usize| {
            [
                [
                    "1. bxa8=Q+ Kd7 2. O-O-O+ Ke6 3. Qe8+",
                    "1. b7xa8=Q+ Ke8-d7 2. O-O-O+ Kd7e6 3. Qa8-e8+",
                    "1. b7a8q e8d7 2. e1c1 d7e6 3. a8e8",
                ],
                [
                    "1. exd6 Kd7 2. O-O Kxd6 3. Rad1+",
                    "1. e5xd6 Ke8d7 2. O-O Kd7xd6 3. Ra1d1+",
                    "1. e5d6 e8d7 2. e1g1 d7d6 3. a1d1",
                ],
            ]
            .map(|game| game[notation])
        };
        let games_in = |notation: usize| {
            let text: String = starts
                .iter()
                .zip(moves(notation))
                .map(|(fen, moves)| {
                    format!("[White \"a\"]\n[Black \"b\"]\n[Result \"1-0\"]\n{fen}\n{moves} 1-0\n\n")
                })
                .collect();
            let path = write(dir.path(), "g.pgn", &text);
            let gathered = read(&[path], shown()).unwrap();
            let games = gathered.survey.shown.games().into_iter();
            games.map(|game| (game["m"].clone(), game["s"].clone())).collect::<Vec<_>>()
        };
        let san = games_in(0);
        assert!(san[0].0.as_str().unwrap().starts_with("b7a8q e8d7 e1c1"), "{san:?}");
        assert_eq!((&games_in(1), &games_in(2)), (&san, &san));
        for wrong in ["1. e1e3", "1. Nb7xa8=Q", "1. b7b8q e8d7 2. a8a7", "1. b7b8"] {
            let text =
                format!("[White \"a\"]\n[Black \"b\"]\n[Result \"1-0\"]\n{}\n{wrong} 1-0\n", starts[0]);
            let path = write(dir.path(), "g.pgn", &text);
            assert!(read(&[path], Wanted::default()).unwrap_err().contains("ply "), "{wrong}");
        }
    }

    /// How a game ended is told by whole words of its reason or its tag, or by the board.
    #[test]
    fn endings_of_other_runners_are_understood() {
        let dir = tempfile::tempdir().unwrap();
        let fools_mate = "1. f3 e5 2. g4 Qh4#";
        for (result, termination, moves, reason, ending) in [
            ("1-0", "adjudication", "1. e4", "White wins by adjudication: SyzygyTB", Ending::Tablebase),
            (
                "1-0",
                "adjudication",
                "1. e4",
                "n=7, tbhits=3, White wins by adjudication",
                Ending::AdjudicatedWin,
            ),
            (
                "1/2-1/2",
                "adjudication",
                "1. e4",
                "Draw by adjudication: maximal game length",
                Ending::MaximumLength,
            ),
            ("1/2-1/2", "normal", "1. e4", "Draw by fifty moves rule", Ending::FiftyMoves),
            ("1/2-1/2", "normal", "1. e4", "Draw by 50-move rule", Ending::FiftyMoves),
            ("1/2-1/2", "normal", "1. e4", "nps=50, Draw by 3-fold repetition", Ending::Repetition),
            ("1/2-1/2", "normal", "1. e4", "XBoard adjudication: repetition draw", Ending::Repetition),
            ("1/2-1/2", "normal", "1. e4", "[%clk 0:00:50] Draw by agreement", Ending::DrawClaim),
            ("1/2-1/2", "Normal", "1. e4", "Draw by agreement after 50 days", Ending::DrawClaim),
            ("0-1", "normal", "1. e4", "Matesson installed it illegally", Ending::Resignation),
            ("0-1", "Time forfeit", "1. e4", "x", Ending::TimeForfeit),
            ("0-1", "normal", fools_mate, "", Ending::Checkmate),
            ("0-1", "normal", "1. e4", "White's connection stalls", Ending::Stall),
            ("0-1", "normal", "1. e4", "Black mates in two", Ending::Resignation),
            ("0-1", "normal", "1. e4", "mated on time, the illegal rooks disconnected", Ending::Resignation),
            ("1/2-1/2", "normal", "1. e4", "material is even, a repetition", Ending::DrawClaim),
            // A remark within the game says nothing of its end.
            ("1-0", "normal", "1. e4 {White lost on time here in 1972} e5", "", Ending::Resignation),
            ("1-0", "normal", "{an illegal move} 1. e4", "", Ending::Resignation),
            // Sentences of chess.com.
            ("1-0", "a won on time", "1. e4", "", Ending::TimeForfeit),
            ("1-0", "a won - game abandoned", "1. e4", "", Ending::Disconnect),
            ("1-0", "a won by resignation", "1. e4", "", Ending::Resignation),
            ("1-0", "a won by checkmate", "1. e4", "", Ending::Checkmate),
            ("1/2-1/2", "Game drawn by repetition", "1. e4", "", Ending::Repetition),
            ("1/2-1/2", "Game drawn by 50-move rule", "1. e4", "", Ending::FiftyMoves),
            ("1/2-1/2", "Game drawn by agreement", "1. e4", "", Ending::DrawClaim),
        ] {
            let text = format!(
                "[White \"a\"]\n[Black \"b\"]\n[Result \"{result}\"]\n[Termination \"{termination}\"]\n\n\
                 {moves} {{+0.10/50 0.5s, {reason}}} {result}\n"
            );
            let path = write(dir.path(), "g.pgn", &text);
            let survey = read(&[path], Wanted::default()).unwrap().survey;
            assert_eq!(survey.standings.endings().keys().collect::<Vec<_>>(), [&ending], "{text}");
        }
    }

    /// What the runner writes as PGN says the same as its journal: also where a player has a book of its own, where
    /// both games of a pair have the same colours, and of single games with the numbers of a pair.
    #[test]
    fn pgn_and_journal_say_the_same() {
        let dir = tempfile::tempdir().unwrap();
        let changed = |change: &dyn Fn(&mut GameRecord)| {
            let mut games = games();
            games.iter_mut().for_each(change);
            games
        };
        let own_book = changed(&|game| {
            if game.black == 1 {
                game.moves[1] = MoveRecord::of_opening("d5".into(), "d7d5".into());
            }
        });
        let no_swap = changed(&|game| {
            if game.id % 2 == 1 {
                std::mem::swap(&mut game.white, &mut game.black);
            }
        });
        let single = changed(&|game| {
            game.encounter = game.id;
            if game.id % 2 == 1 {
                game.moves.truncate(2);
                game.moves[0] = MoveRecord::of_opening("d4".into(), "d2d4".into());
            }
        });
        let event = Event {
            name: "x".into(),
            players: names(),
            limits: vec!["1+0.01".into(); 3],
            ..Event::default()
        };
        for (games, pairs) in [(games(), 3), (own_book, 3), (no_swap, 3), (single, 6)] {
            let mut text = Vec::new();
            games.iter().for_each(|game| write_game(&mut text, &event, game).unwrap());
            let text = String::from_utf8(text).unwrap();
            let path = write(dir.path(), "j", &journal(&games));
            let b = read(&[path], shown()).unwrap().survey;
            assert_eq!(b.pairs().count(), pairs);
            // Lines that end within comments, as Windows ends them.
            let mut inside = false;
            let in_comment = |letter: char| {
                inside = letter == '{' || inside && letter != '}';
                if inside && letter == ' ' { "\r\n".to_owned() } else { letter.to_string() }
            };
            let wrapped: String = text.chars().map(in_comment).collect();
            assert!(wrapped.contains('\r'), "{text}");
            for (name, text) in [("g.pgn", text), ("windows.pgn", wrapped)] {
                let pgn = write(dir.path(), name, &text);
                same_surveys(&read(&[pgn], shown()).unwrap().survey, &b);
            }
        }
    }

    fn same_surveys(a: &Survey, b: &Survey) {
        assert_eq!(a.players(), b.players());
        assert_eq!(a.pairs().collect::<Vec<_>>(), b.pairs().collect::<Vec<_>>());
        assert_eq!(
            (a.standings.pairs(), a.standings.endings()),
            (b.standings.pairs(), b.standings.endings())
        );
        for player in 0..3 {
            assert_eq!(a.standings.of(player), b.standings.of(player));
            assert_eq!(a.engine(player).phases, b.engine(player).phases);
        }
        assert_eq!(a.openings.list(), b.openings.list());
        for (pgn, journal) in a.shown.games().into_iter().zip(b.shown.games()) {
            assert_eq!((&pgn["m"], &pgn["s"], &pgn["v"]), (&journal["m"], &journal["s"], &journal["v"]));
        }
    }

    fn shown() -> Wanted {
        Wanted { shown: 10, pairs: true, ..Wanted::default() }
    }

    /// What cutechess and fastchess write, by their own habits: no clocks, `book`, more after commas, a FEN
    /// of Chess960.
    #[test]
    fn pgn_of_other_runners_is_understood() {
        let dir = tempfile::tempdir().unwrap();
        let game = |white: &str, black: &str, result: &str, end: &str, tags: &str, moves: &str| {
            format!(
                "[Event \"?\"]\n[White \"{white}\"]\n[Black \"{black}\"]\n[Result \"{result}\"]\n{tags}\
                 [Termination \"{end}\"]\n\n{moves} {result}\n\n"
            )
        };
        let fen = "[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/8/3RK2R w HD - 0 1\"]\n";
        let text = [
            game(
                "a",
                "b",
                "1-0",
                "normal",
                "",
                "1. e4 {book} e5 {book} 2. Nf3 {+0.31/12 0.520s} Nc6 {-M6/9 1.5s, n=300, nps=200, tl=8.25s, latency=2.00ms, White mates}",
            ),
            game(
                "b",
                "a",
                "1/2-1/2",
                "adjudication",
                "",
                "1. e4 {book} e5 {book} 2. Nc3 {0.00/1 0.001s, Draw by adjudication}",
            ),
            game("a", "b", "0-1", "time forfeit", fen, "1. O-O {+1.00/5 0.1s, a loses on time}"),
            game("a", "b", "*", "unterminated", "", "1. e4"),
        ];
        let path = write(dir.path(), "g.pgn", &text.concat());
        let Gathered { survey, files, .. } = read(&[path], shown()).unwrap();
        assert_eq!((files[0].games, files[0].left_out), (3, 1));
        let b = survey.engine(1).all();
        // Black's reply, and White's third move of the second game.
        assert_eq!((b.moves, b.us, b.nodes, b.depth), (2, 1_501_000, (1, 300), (2, 10)));
        assert_eq!(survey.standings.pairs().0, [0, 0, 0, 1, 0]);
        let endings: Vec<Ending> = survey.standings.endings().keys().copied().collect();
        assert_eq!(endings, [Ending::Checkmate, Ending::AdjudicatedDraw, Ending::TimeForfeit]);
        assert_eq!(survey.forfeits()[0].game, 3);
        // The king and its rook, in the notation of Chess960.
        let shown = survey.shown.games();
        let castling: Vec<&str> = shown.iter().filter_map(|game| game["m"].as_str()).collect();
        assert!(castling.contains(&"e1h1"), "{castling:?}");
        assert_eq!(shown[1 - 1].get("v").map(|v| v[3].clone()), Some((-99_997).into()));
    }

    /// As XBoard writes it: times without a unit, and none of a move that took less than a tenth of a second.
    #[test]
    fn moves_without_a_time_count_for_what_is_known_of_them() {
        let dir = tempfile::tempdir().unwrap();
        let moves = "1. e4 e5 2. Nf3 {+0.31/12 2.3} Nc6 {-0.20/9} 3. Bb5 {+0.40/14} a6 {-0.25/11}";
        let text = format!("[White \"a\"]\n[Black \"b\"]\n[Result \"1-0\"]\n\n{moves} 1-0\n");
        let survey = read(&[write(dir.path(), "g.pgn", &text)], shown()).unwrap().survey;
        let (white, black) = (survey.engine(0), survey.engine(1));
        assert_eq!(
            (white.all().moves, white.all().time_ms(), white.longest_ms),
            (2, Some(2300.0), Some(2300))
        );
        assert_eq!((black.all().moves, black.all().time_ms(), black.longest_ms), (2, None, None));
        assert_eq!((white.all().mean_depth(), black.all().mean_depth()), (Some(13.0), Some(10.0)));
        let game = survey.shown.games()[0];
        assert_eq!((&game["p"], &game["u"]), (&json!(2), &json!([null, null, 2300, null, null, null])));
    }

    /// Tags that say nothing, a mark of the encoding before one that looks like a move, a check written twice,
    /// and a result that stands behind the moves only.
    #[test]
    fn careless_pgn_is_read() {
        let dir = tempfile::tempdir().unwrap();
        let game = |tags: &str, moves: &str| format!("{tags}[White \"a\"]\n[Black \"b\"]\n\n{moves}\n\n");
        let mate = "1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7++ 1-0";
        let games = [
            game("\u{feff}[Event \"Round1\"]\n[FEN \"\"]\n", mate),
            game("[FEN \"?\"]\n[Result \"*\"]\n", mate),
            game("[Result \"*\"]\n", "1. e4 *"),
            game("", "1. e4"),
        ];
        let path = write(dir.path(), "g.pgn", &games.concat());
        let Gathered { survey, files, notes, .. } = read(&[path], shown()).unwrap();
        assert_eq!((files[0].games, files[0].left_out, survey.plies()), (2, 2, 14));
        assert_eq!(survey.standings.endings().keys().collect::<Vec<_>>(), [&Ending::Checkmate]);
        assert!(
            matches!(&notes[..], [note] if note.ends_with("g.pgn: 2 games have no result and do not count."))
        );
    }

    /// Only the plan of a journal asks for results by their games.
    #[test]
    fn results_of_pgn_are_not_kept() {
        let dir = tempfile::tempdir().unwrap();
        let game = "[Event \"e\"]\n[White \"a\"]\n[Black \"b\"]\n[Result \"1-0\"]\n\n1. e4 1-0\n\n";
        let kept = |name: &str, text: &str| {
            let read = Gathering::read(&[write(dir.path(), name, text)], Wanted::default());
            read.map(|(gathering, _)| gathering.results.len()).map_err(|error| error.to_string())
        };
        assert_eq!(kept("g.pgn", &game.repeat(6)), Ok(0));
        assert_eq!(kept("j", &journal(&games())), Ok(6));
    }

    /// A note says how many games cannot be read, and which.
    #[test]
    fn games_that_cannot_be_read_are_counted_and_named() {
        let dir = tempfile::tempdir().unwrap();
        let game = |moves: &str| {
            format!("[Event \"e\"]\n[White \"a\"]\n[Black \"b\"]\n[Result \"1-0\"]\n\n{moves} 1-0\n\n")
        };
        let lenient = || Wanted { skip_bad: true, ..Wanted::default() };
        let told = |name: &str, text: &str| {
            let path = write(dir.path(), name, text);
            assert!(read(std::slice::from_ref(&path), Wanted::default()).is_err());
            let Gathered { survey, files, notes, .. } = read(&[path], lenient()).unwrap();
            (survey.standings.games(), files[0].bad, notes.join(" "))
        };
        let two = [game("1. e4"), game("1. e4 Ke7"), game("1. d4"), game("1. Lg5")].concat();
        let (games, bad, note) = told("two.pgn", &two);
        assert_eq!((games, bad), (2, 2));
        assert!(note.starts_with("2 games cannot be read and do not count: "), "{note}");
        for says in ["two.pgn, game 2: ply 2: Ke7", "two.pgn, game 4: line 27: `Lg5` is not a move."] {
            assert!(note.contains(says), "{says}: {note}");
        }
        let (games, bad, note) = told("many.pgn", &(game("1. c4") + &game("1. e4 Ke7").repeat(13)));
        assert_eq!((games, bad, note.matches("many.pgn, game ").count()), (1, 13, 10));
        assert!(note.ends_with("; and 3 more."), "{note}");
        // In several files what can be read counts once.
        let paths = [("two.pgn", &two), ("many.pgn", &game("1. c4")), ("again.pgn", &two)]
            .map(|(name, text)| write(dir.path(), name, text));
        let Gathered { survey, notes, .. } = read(&paths, lenient()).unwrap();
        assert_eq!((survey.standings.games(), notes.len()), (3, 2));
        let told = ["4 games cannot be read", "2 games stand"];
        assert!(notes.iter().zip(told).all(|(note, told)| note.starts_with(told)), "{notes:?}");
        // A file behind others of which no game can be read is refused for what is wrong with it.
        let bad = write(dir.path(), "bad.pgn", &game("1. Lg5"));
        let refused = read(&[paths[1].clone(), bad], Wanted::default()).unwrap_err();
        assert!(refused.contains("bad.pgn: ") && refused.contains("`Lg5` is not a move"), "{refused}");
    }

    /// Files that were put together, each with a byte order mark before its first line; castling as some write it.
    #[test]
    fn files_put_together_have_the_games_of_all() {
        let dir = tempfile::tempdir().unwrap();
        let moves = "1. e4 e5 2. Nf3 Nf6 3. Be2 Be7 4. o-o 0-0 5. Nxe5 1-0";
        let game =
            format!("\u{feff}[Event \"e\"]\n[White \"a\"]\n[Black \"b\"]\n[Result \"1-0\"]\n\n{moves}\n\n");
        let path = write(dir.path(), "g.pgn", &game.repeat(3));
        let Gathered { survey, files, notes, .. } = read(&[path], Wanted::default()).unwrap();
        assert_eq!((files[0].games, files[0].left_out, survey.plies()), (3, 0, 27));
        assert!(notes.is_empty(), "{notes:?}");
        let marked = write(dir.path(), "marked.pgn", &game.replace("o-o", "O-O±"));
        assert_eq!(read(&[marked], Wanted::default()).unwrap().survey.plies(), 9);
        let path = write(dir.path(), "h.pgn", &game.replace("o-o", "O-Ox"));
        let error = read(&[path], Wanted::default()).unwrap_err();
        assert!(error.contains("`O-Ox` is not a move"), "{error}");
    }

    /// The last game of a PGN is being written, or was torn by a kill: the game before counts wherever the
    /// file ends, and within a line it is said that the last one is not complete.
    #[test]
    fn a_pgn_is_read_while_it_is_written() {
        let dir = tempfile::tempdir().unwrap();
        let game = |white: &str| {
            format!(
                "[Event \"e\"]\n[White \"{white}\"]\n[Black \"b\"]\n[Result \"1-0\"]\n\
                 [FEN \"n3k3/1P6/8/8/8/8/8/R3K2R w KQ - 0 1\"]\n\n\
                 1. bxa8=Q+ {{+9.10/5 0.1s}} Kd7 (1... Ke7 2. Qb7+) 2. O-O-O+\n{{+9.10/5 0.1s, é}} Kd7e6 1-0\n\n"
            )
        };
        let (first, second) = (game("a"), game("c"));
        let whole = second.len() - 2;
        for cut in 0..=second.len() {
            let text = [first.as_bytes(), &second.as_bytes()[..cut]].concat();
            let path = dir.path().join("g.pgn");
            std::fs::write(&path, &text).unwrap();
            let read = read(&[path], Wanted::default());
            let Gathered { survey, files, notes, .. } = read.unwrap_or_else(|error| panic!("{cut}: {error}"));
            assert_eq!((survey.players()[0].as_str(), survey.standings.of(0).points()), ("a", 1.0), "{cut}");
            let torn = cut < whole && !text.ends_with(b"\n");
            assert_eq!(files[0].torn, torn, "{cut}");
            assert_eq!(
                notes.iter().any(|note| note.contains("the last game is not complete")),
                torn,
                "{cut}"
            );
            if torn || cut >= whole {
                assert_eq!(files[0].games, if torn { 1 } else { 2 }, "{cut}");
            }
        }
    }

    /// A game was torn by a kill and others were added behind it: wherever it ends, within tags, a move, a
    /// variation or a comment, it takes nothing from the next and leaves it nothing.
    #[test]
    fn a_torn_game_leaves_the_next_alone() {
        let dir = tempfile::tempdir().unwrap();
        let torn = "[Event \"e\"]\n[White \"a\"]\n[Black \"b\"]\n[Result \"1-0\"]\n\
                    [FEN \"r3k3/8/8/8/8/8/8/R3K2R w Qq - 0 1\"]\n\n\
                    1. O-O-O {+0.10/5 0.1s} Ke7 {-0.10/5 0.1s, é} (1... Kf7 2. Rhf1+) 2. Rhf1 Rb8 1-0";
        let next =
            "[Event \"e\"]\n[White \"c\"]\n[Black \"d\"]\n[Result \"0-1\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n";
        for cut in 0..=torn.len() {
            let text = [&torn.as_bytes()[..cut], b"\n\n", next.as_bytes()].concat();
            let path = dir.path().join("g.pgn");
            std::fs::write(&path, &text).unwrap();
            let read = read(&[path], Wanted::default());
            let Gathered { survey, files, .. } = read.unwrap_or_else(|error| panic!("{cut}: {error}"));
            let number = survey.players().iter().position(|name| name == "d").unwrap();
            assert_eq!(survey.standings.of(number).points(), 1.0, "{cut}");
            assert_eq!(survey.standings.endings().get(&Ending::Checkmate), Some(&1), "{cut}");
            assert!(!files[0].torn && files[0].games <= 2, "{cut}");
        }
    }

    /// Without comments nothing tells what is the opening; rounds tell which games are pairs.
    #[test]
    fn bare_pgn_is_paired_by_rounds() {
        let dir = tempfile::tempdir().unwrap();
        let game = |round: u32, white: &str, black: &str, moves: &str| {
            format!(
                "[Round \"{round}\"]\n[White \"{white}\"]\n[Black \"{black}\"]\n[Result \"1-0\"]\n\n{moves} 1-0\n\n"
            )
        };
        let text = [
            game(1, "a", "b", "1. e4 e5"),
            game(2, "b", "a", "1. d4"),
            game(1, "b", "a", "1. e4 c5"),
            game(3, "a", "b", "1. c4"),
        ];
        let path = write(dir.path(), "g.pgn", &text.concat());
        let survey = read(&[path], shown()).unwrap().survey;
        assert_eq!((survey.standings.games(), survey.standings.pairs().0), (4, [0, 0, 1, 0, 0]));
        assert_eq!((survey.pairs().count(), survey.openings.list().len()), (3, 1));
    }

    /// Games of several pairs with one opening, as they come when several run at once. Ours are told apart by
    /// their numbers, others by their rounds where those say it, or else the oldest first game is taken. By
    /// hand: the first of the two pairs gives `a` both points and the second none, so that pairs of other
    /// games would be even.
    #[test]
    fn pairs_that_overlap_are_told_apart() {
        let dir = tempfile::tempdir().unwrap();
        let game = |round: &str, white: &str, result: &str, tags: &str| {
            let black = if white == "a" { "b" } else { "a" };
            format!(
                "[Round \"{round}\"]\n[White \"{white}\"]\n[Black \"{black}\"]\n[Result \"{result}\"]\n{tags}\n\
                 1. e4 {{book}} e5 {{book}} 2. Nf3 {{+0.10/5 0.1s}} {result}\n\n"
            )
        };
        let pairs = |rounds: [&str; 4], tags: &str| {
            let text = [
                game(rounds[0], "a", "1-0", tags),
                game(rounds[3], "b", "1-0", tags),
                game(rounds[1], "b", "0-1", tags),
                game(rounds[2], "a", "0-1", tags),
            ];
            let path = write(dir.path(), "g.pgn", &text.concat());
            read(&[path], Wanted::default()).unwrap().survey.standings.pairs().0
        };
        let ours = "[Ending \"checkmate\"]\n";
        assert_eq!(pairs(["1.1", "1.2", "2.3", "2.4"], ours), [1, 0, 0, 0, 1]);
        assert_eq!(pairs(["1.1", "1.2", "1.3", "1.4"], ours), [1, 0, 0, 0, 1], "a stage of two encounters");
        // Nothing tells them apart: the oldest that waits, and none is lost.
        assert_eq!(pairs(["-"; 4], ""), [0, 0, 2, 0, 0]);
        assert_eq!(pairs(["1", "2", "3", "4"], ""), [0, 0, 2, 0, 0], "every game its own round");
        // Two first games wait when the second of the later one comes.
        let text = [
            game("1", "a", "1-0", ""),
            game("2", "a", "0-1", ""),
            game("2", "b", "1-0", ""),
            game("1", "b", "0-1", ""),
        ];
        let path = write(dir.path(), "g.pgn", &text.concat());
        let survey = read(&[path], shown()).unwrap().survey;
        assert_eq!((survey.standings.pairs().0, survey.pairs().count()), ([1, 0, 0, 0, 1], 2));
    }

    /// One file in every encoding is the same games of the same players: Latin-1, which the PGN standard
    /// prescribes, UTF-8 with and without a mark, and UTF-16. A long comment comes from the reader in parts.
    #[test]
    fn names_and_comments_are_read_in_every_encoding() {
        let dir = tempfile::tempdir().unwrap();
        let long = "é".repeat(3000);
        let game = |white: &str, result: &str| {
            format!(
                "[White \"{white}\"]\n[Black \"Kraus\"]\n[Result \"{result}\"]\n\n\
                 1. e4 {{+0.10/5 0.25s; Müller resigns {long}}} {result}\n\n"
            )
        };
        let text = [game("Müller", "1-0"), game("Möller", "0-1"), game("Müller", "1-0")].concat();
        let latin1: Vec<u8> = text.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
        let utf16 = |mark: [u8; 2], to: fn(u16) -> [u8; 2]| -> Vec<u8> {
            mark.into_iter().chain(text.encode_utf16().flat_map(to)).collect()
        };
        for bytes in [
            latin1,
            text.clone().into_bytes(),
            [b"\xef\xbb\xbf", text.as_bytes()].concat(),
            utf16([0xff, 0xfe], u16::to_le_bytes),
            utf16([0xfe, 0xff], u16::to_be_bytes),
        ] {
            let path = dir.path().join("g.pgn");
            std::fs::write(&path, bytes).unwrap();
            let survey = read(&[path], shown()).unwrap().survey;
            assert_eq!(survey.players(), ["Müller", "Kraus", "Möller"]);
            assert_eq!([0, 1, 2].map(|player| survey.standings.of(player).points()), [2.0, 1.0, 0.0]);
            assert_eq!((survey.engine(0).all().us, survey.engine(0).all().moves), (500_000, 2));
            let reason = survey.shown.games()[0]["y"].as_str().map(str::to_owned);
            assert_eq!(reason, Some(format!("Müller resigns {long}")));
        }
    }

    /// The same games in files of any kind count once, and what is left out is said; the same game played
    /// twice counts twice.
    #[test]
    fn a_game_in_several_files_counts_once() {
        let dir = tempfile::tempdir().unwrap();
        let pgn_of = |name: &str, games: &[GameRecord], manner: Manner| {
            let style = Style { manner, ..Style::default() };
            let limits = vec!["1+0.01".into(); 3];
            let event = Event { name: "x".into(), players: names(), limits, style, ..Event::default() };
            let mut text = Vec::new();
            games.iter().for_each(|game| write_game(&mut text, &event, game).unwrap());
            write(dir.path(), name, &String::from_utf8(text).unwrap())
        };
        // Engines that always answer alike: games 6 and 7 are 0 and 1 again, one of them in the same second.
        let mut all = games();
        for (id, started_ms) in [(6, 1_000_600), (7, 1_700_000)] {
            all.push(GameRecord { id, encounter: 3, started_ms, ..all[id - 6].clone() });
        }
        let own = write(dir.path(), "j", &journal(&all));
        let copy = write(dir.path(), "k.journal", &journal(&all));
        let house = pgn_of("h.pgn", &all, Manner::House);
        let fastchess = pgn_of("f.pgn", &all, Manner::Fastchess);
        let cutechess = pgn_of("c.pgn", &all, Manner::Cutechess);
        let again = pgn_of("h2.pgn", &all, Manner::House);
        let told = |paths: &[&PathBuf]| {
            let paths: Vec<PathBuf> = paths.iter().map(|&path| path.clone()).collect();
            let Gathered { survey, notes, .. } = read(&paths, Wanted::default()).unwrap();
            (survey.standings.games(), notes.join(" "))
        };
        assert_eq!(told(&[&house]), (8, String::new()));
        let time = "8 games stand in several of the files and count once: players, moves, result and the time \
                    of the beginning are the same.";
        let files = [&own, &copy, &house, &again, &fastchess, &cutechess];
        for (first, second) in files.iter().flat_map(|a| files.iter().map(move |b| (a, b))) {
            assert_eq!(told(&[first, second]), (8, time.to_owned()), "{first:?} {second:?}");
        }
        let three = told(&[&house, &own, &cutechess]);
        assert_eq!(three, (8, time.replace("8 games", "16 games")));
        // The same tournament on another day, move for move, is another one.
        let later =
            |game: &GameRecord| GameRecord { started_ms: game.started_ms + 86_400_000, ..game.clone() };
        let later: Vec<GameRecord> = all.iter().map(later).collect();
        let (later, pgn) = (write(dir.path(), "l", &journal(&later)), pgn_of("l.pgn", &later, Manner::House));
        assert_eq!(told(&[&own, &later]), (16, String::new()));
        assert_eq!(told(&[&house, &pgn]), (16, String::new()));
        assert_eq!(told(&[&own, &pgn, &house, &later]).0, 16);
        // So it is in the same second; journals know the time of both in milliseconds, also where there are
        // none over.
        let at = |name: &str, started_ms| {
            write(dir.path(), name, &journal(&[GameRecord { started_ms, ..all[0].clone() }]))
        };
        let (whole, after) = (at("whole", 2_000_000), at("after", 2_000_600));
        assert_eq!(told(&[&whole, &after]), (2, String::new()));
        assert_eq!(told(&[&after, &whole, &whole]).0, 2);
        // Chess960 with outer rooks, whose castling rights runners write as HFhf or as KQkq.
        let fen = "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhf - 0 1";
        let chess960 = GameRecord { fen: Some(fen.into()), chess960: true, ..all[0].clone() };
        let moves = vec![MoveRecord { ms: Some(5), ..MoveRecord::of_opening("e4".into(), "e2e4".into()) }];
        let chess960 = [GameRecord { moves, ..chess960 }];
        let own = write(dir.path(), "960", &journal(&chess960));
        let manners = [Manner::House, Manner::Fastchess, Manner::Cutechess];
        let pgns = manners.map(|manner| pgn_of(&format!("{manner:?}.pgn"), &chess960, manner));
        assert!(std::fs::read_to_string(&pgns[2]).unwrap().contains("w KQkq - 0 1"));
        assert_eq!(told(&[&own, &pgns[0], &pgns[1], &pgns[2]]), (1, time.replace("8 games", "3 games")));
    }

    /// Where files do not say when games began, players, moves and result decide, unless date or round
    /// differ.
    #[test]
    fn copies_without_times_are_told_by_what_there_is() {
        let dir = tempfile::tempdir().unwrap();
        let game = |tags: &str, white: &str, moves: &str| {
            format!("{tags}[White \"{white}\"]\n[Black \"b\"]\n[Result \"1-0\"]\n\n{moves} 1-0\n\n")
        };
        let bare = |white: &str, moves: &str| game("[Date \"????.??.??\"]\n[Round \"-\"]\n", white, moves);
        let round = |round: u32| game(&format!("[Round \"{round}\"]\n"), "a", "1. e4");
        let told = |first: &[String], second: &[String]| {
            let paths = [("a.pgn", first), ("b.pgn", second)]
                .map(|(name, games)| write(dir.path(), name, &games.concat()));
            let Gathered { survey, notes, .. } = read(&paths, Wanted::default()).unwrap();
            (survey.standings.games(), notes.join(" "))
        };
        let one = "1 game stands in several of the files and counts once: players, moves and result are the \
                   same, and the files do not both say when it began.";
        let (e4, d4) = (bare("a", "1. e4"), bare("a", "1. d4"));
        assert_eq!(told(&[e4.clone(), d4.clone()], &[bare("c", "1. e4"), d4.clone()]), (3, one.to_owned()));
        // Twice in one file, three times in the other: three games were played.
        let [two, three] = [2, 3].map(|times| vec![e4.clone(); times]);
        assert_eq!((told(&two, &three).0, told(&three, &two).0), (3, 3));
        assert_eq!(told(&[round(1), round(2)], &[round(2), round(3)]), (3, one.to_owned()));
        let date = |day: u32| game(&format!("[Date \"2026.11.{day}\"]\n"), "a", "1. e4");
        assert_eq!(told(&[date(26)], &[date(27)]).0, 2);
        assert_eq!(told(&[date(26)], &[e4]).0, 1);
        // Of a date what both files have of it.
        for (first, second, games) in [
            ("1995.??.??", "1995.07.01", 1),
            ("1995.07.??", "1995.07.01", 1),
            ("1995-7-1", "1995.07.01", 1),
            ("199?.07.01", "1995.07.01", 1),
            ("1996.??.??", "1995.07.01", 2),
            ("1995.08.??", "1995.07.01", 2),
            ("????.07.02", "1995.07.01", 2),
            ("July 1995", "August 1995", 2),
        ] {
            let dated = [first, second].map(|date| [game(&format!("[Date \"{date}\"]\n"), "a", "1. e4")]);
            let [first, second] = &dated;
            assert_eq!((told(first, second).0, told(second, first).0), (games, games), "{dated:?}");
        }
    }

    /// A filter counts what it says, from the side it says, and numbers stay those of the journal.
    #[test]
    fn filters_and_files_add_up() {
        let dir = tempfile::tempdir().unwrap();
        let all = journal(&games());
        let path = write(dir.path(), "j", &all);
        let between = Some(["Gamma".to_owned(), "Alpha".to_owned()]);
        let filter = Filter { between, ..Filter::default() };
        let survey = read(std::slice::from_ref(&path), Wanted { filter, ..shown() }).unwrap().survey;
        assert_eq!(survey.players(), ["Gamma", "Alpha"]);
        assert_eq!((survey.standings.games(), survey.standings.of(0).points()), (2, 0.5));
        assert_eq!(survey.standings.pairs().0, [0, 1, 0, 0, 0]);
        let numbers: Vec<&Value> = survey.shown.games().iter().map(|game| &game["n"]).collect();
        assert_eq!(numbers, [3, 4]);
        let without = vec!["Gamma".to_owned()];
        let filter = Filter { without, ..Filter::default() };
        let survey = read(std::slice::from_ref(&path), Wanted { filter, ..shown() }).unwrap().survey;
        assert_eq!((survey.players().len(), survey.standings.games()), (2, 2));
        assert_eq!(survey.dropped().iter().collect::<Vec<_>>(), ["Gamma"]);
        // The first half and the whole: what stands in both counts once.
        let half = write(dir.path(), "half", &journal(&games()[..3]));
        let gathered = read(&[half, path], shown()).unwrap();
        assert_eq!((gathered.survey.standings.games(), gathered.notes.len()), (6, 1));
        // Games of another tournament are other games and other pairs.
        let later =
            |game: &GameRecord| GameRecord { started_ms: game.started_ms + 9_000_000, ..game.clone() };
        let second = write(dir.path(), "k", &journal(&games().iter().map(later).collect::<Vec<_>>()));
        let first = write(dir.path(), "j", &all);
        let survey = read(&[first, second], shown()).unwrap().survey;
        assert_eq!((survey.standings.games(), survey.pairs().count()), (12, 6));
        assert_eq!(survey.standings.pairs().0, [0, 0, 2, 0, 0]);
    }

    /// An older copy of a journal with half pairs, and the journal, in whatever order its games stand: the other halves
    /// belong to the first ones, whichever file is read first.
    #[test]
    fn halves_of_pairs_in_several_files_are_pairs() {
        let dir = tempfile::tempdir().unwrap();
        let all = games();
        let of = |ids: &[usize]| ids.iter().map(|&id| all[id].clone()).collect::<Vec<_>>();
        let older = write(dir.path(), "older", &journal(&of(&[0, 1, 3, 4])));
        let oldest = write(dir.path(), "oldest", &journal(&of(&[3])));
        let read_pairs = |paths: &[PathBuf]| {
            let survey = read(paths, Wanted { pairs: true, ..Wanted::default() }).unwrap().survey;
            let pairs: Vec<usize> = survey.pairs().map(|pair| pair.points.len()).collect();
            (pairs, survey.standings.games())
        };
        for order in [[0, 1, 2, 3, 4, 5], [5, 2, 1, 0, 3, 4], [2, 5, 3, 4, 0, 1]] {
            let newer = write(dir.path(), "newer", &journal(&of(&order)));
            for paths in [
                [&older, &newer, &oldest],
                [&newer, &older, &oldest],
                [&oldest, &newer, &older],
                [&oldest, &older, &newer],
            ] {
                assert_eq!(read_pairs(&paths.map(Clone::clone)), (vec![2; 3], 6), "{order:?} {paths:?}");
            }
        }
        // A game that was played again, of which no file says when: its encounter is another one, and breaks no pair.
        let untimed = |ids: &[usize]| -> Vec<GameRecord> {
            ids.iter().map(|&id| GameRecord { started_ms: 0, ..all[id].clone() }).collect()
        };
        let mut again = untimed(&[0, 1]);
        again[1].result = Score::Draw;
        let first = write(dir.path(), "first", &journal(&untimed(&[0, 1])));
        let again = write(dir.path(), "again", &journal(&again));
        assert_eq!(read_pairs(&[first, again]), (vec![2, 1], 3));
    }

    /// A test judges games lost by a fault as the last run did, unless another way is wanted; older journals do
    /// not say it. So is the whole of its course, also what was played before the last run began.
    #[test]
    fn a_test_sees_the_faults_that_the_run_saw() {
        let dir = tempfile::tempdir().unwrap();
        let players = json!([{"name": "Alpha"}, {"name": "Beta"}]);
        let header = header_of(&json!({"players": players, "sprt": sprt(true)}));
        let results = [Score::White, Score::Draw, Score::Draw, Score::Black, Score::White, Score::Draw];
        let mut games: Vec<GameRecord> =
            (0..6).map(|id| record(id, id % 2, 1 - id % 2, results[id])).collect();
        (games[3].ending, games[3].reason) = (Ending::Crash, "Alpha crashes".to_owned());
        let [first, second] =
            [&games[..4], &games[4..]].map(|part| part.iter().map(line).collect::<String>());
        let told = |runs: [&str; 2], forfeits: Option<Forfeits>| {
            let text = format!("{header}{}{first}{}{second}", runs[0], runs[1]);
            let wanted = Wanted { forfeits, ..Wanted::default() };
            let survey = read(&[write(dir.path(), "j", &text)], wanted).unwrap().survey;
            let rule = survey.test().unwrap();
            let points = survey.course.points(&survey.standings, rule);
            (points, survey.standings.games_left_out())
        };
        let run = |policy: Forfeits| {
            let run = Run { forfeits: Some(policy), ..Run::default() };
            serde_json::to_string(&crate::journal::Runs { run }).unwrap() + "\n"
        };
        let (count, stop) = (run(Forfeits::Count), run(Forfeits::StopAfter(5)));
        // By the same counts as in the run, whose standings are those of `Plan::standings`.
        let expected = |standings: Standings| {
            let (mut standings, mut points) = (standings, vec![(0.0, 0.0)]);
            let test = serde_json::from_value(sprt(true)["test"].clone()).unwrap();
            let rule = StopRule { sprt: test, by_pairs: true };
            for game in &games {
                standings.add(game);
                points.push((standings.games() as f64, standings.llr(&rule.sprt, true)));
            }
            (points, standings.games_left_out())
        };
        let all = expected(Standings::new(2, Counting::Pairs));
        let without = expected(Standings::new(2, Counting::Pairs).tested_without_faults());
        assert!(all != without && without.1 == 1);
        assert_eq!([told([&count, ""], None), told([&stop, &count], None)], [all.clone(), all.clone()]);
        let stopped = [told(["", ""], None), told([&count, &stop], None)];
        assert_eq!(stopped, [without.clone(), without.clone()]);
        assert_eq!(told(["", &stop], Some(Forfeits::Count)), all);
        assert_eq!(told(["", &count], Some(Forfeits::default())), without);
    }

    /// A file of sixty pairs, twenty of which have a game that was lost by a crash: the test goes by the other forty,
    /// as is said of it.
    #[test]
    fn a_test_of_a_file_counts_what_it_says() {
        let dir = tempfile::tempdir().unwrap();
        let mut text = String::new();
        for (pair, second) in (0..60).flat_map(|pair| [(pair, false), (pair, true)]) {
            let (sides, result, termination) = match (second, pair) {
                (false, _) => (["A", "B"], "1-0", "normal"),
                (true, 0..35) => (["B", "A"], "1-0", "normal"),
                (true, 35..40) => (["B", "A"], "1/2-1/2", "normal"),
                (true, _) => (["B", "A"], "1-0", "abandoned"),
            };
            let tags = [("Round", format!("{}.{}", pair + 1, 1 + u8::from(second)))].into_iter().chain(
                [("White", sides[0]), ("Black", sides[1]), ("Result", result), ("Termination", termination)]
                    .map(|(name, value)| (name, value.to_owned())),
            );
            text.extend(tags.map(|(name, value)| format!("[{name} \"{value}\"]\n")));
            let why = if termination == "abandoned" { "A disconnects" } else { "as played" };
            text += &format!("\n1. e4 e5 {{{why}}} {result}\n\n");
        }
        let path = write(dir.path(), "y.pgn", &text);
        let sprt = crate::stats::sprt::Sprt {
            elo0: 0.0,
            elo1: 50.0,
            alpha: 0.05,
            beta: 0.05,
            model: crate::stats::sprt::Model::Normalized,
        };
        let wanted = Wanted { test: Some(StopRule { sprt, by_pairs: true }), ..Wanted::default() };
        let survey = read(&[path], wanted).unwrap().survey;
        let (standings, rule) = (&survey.standings, survey.test().unwrap());
        assert_eq!((standings.pairs().0, standings.games_left_out()), ([0, 0, 55, 5, 0], 20));
        assert!(standings.tests_pairs(&rule.sprt, rule.by_pairs));
        let by_pairs = sprt.llr_of_pairs(crate::stats::Pairs([0, 0, 35, 5, 0]));
        assert_eq!(standings.llr(&rule.sprt, rule.by_pairs), by_pairs);
        assert_eq!(survey.course.points(standings, rule).last(), Some(&(120.0, by_pairs)));
    }

    /// A journal of fastchess's command line, of an older version without `single`, in the middle of many games
    /// at once: the test goes by its pairs, as in the run, and not by single games since many of them wait.
    #[test]
    fn a_test_by_pairs_stays_one_while_games_wait_for_their_seconds() {
        let dir = tempfile::tempdir().unwrap();
        let llr = |tournament: Value| {
            let text = header_of(&tournament) + &waiting_pairs();
            let survey = read(&[write(dir.path(), "j", &text)], Wanted::default()).unwrap().survey;
            let (pairs, rule) = (survey.standings.pairs(), survey.test().unwrap());
            assert_eq!((survey.standings.games(), pairs.count()), (30, 12));
            (survey.standings.llr(&rule.sprt, rule.by_pairs), rule.sprt.llr_of_pairs(pairs))
        };
        let players = json!([{"name": "Alpha"}, {"name": "Beta"}]);
        let (found, by_pairs) = llr(json!({"players": players, "sprt": sprt(true)}));
        assert_eq!(found, by_pairs);
        let (found, by_pairs) = llr(json!({"players": players, "sprt": sprt(true), "single": false}));
        assert_eq!(found, by_pairs);
        let (found, by_pairs) = llr(json!({"players": players, "sprt": sprt(false)}));
        assert!(found != by_pairs, "{found}");
    }

    /// Games that a filter leaves are counted as the journal says, also where many wait for their seconds;
    /// the test is one of all games.
    #[test]
    fn filtered_games_are_counted_as_the_journal_says() {
        let dir = tempfile::tempdir().unwrap();
        let filters = [
            Filter { between: Some(["Alpha".to_owned(), "Beta".to_owned()]), ..Filter::default() },
            Filter { without: vec!["Gamma".to_owned()], ..Filter::default() },
        ];
        for (single, filter) in filters.iter().flat_map(|filter| [(false, filter), (true, filter)]) {
            let players: Vec<Value> = names().iter().map(|name| json!({ "name": name })).collect();
            let tournament = json!({"players": players, "single": single, "sprt": sprt(true)});
            let text = header_of(&tournament) + &waiting_pairs() + &line(&record(36, 0, 2, Score::White));
            let wanted = Wanted { filter: filter.clone(), ..Wanted::default() };
            let survey = read(&[write(dir.path(), "j", &text)], wanted).unwrap().survey;
            let standings = &survey.standings;
            let by_pairs = crate::stats::elo::from_pairs(standings.pairs()).unwrap();
            let by_games = crate::stats::elo::from_games(standings.between(0, 1)).unwrap();
            let expected = if single { by_games } else { by_pairs };
            assert_eq!((standings.games(), standings.pairs().count(), survey.test()), (30, 12, None));
            assert_eq!(standings.estimate(), Some(expected), "{filter:?}, {single}");
            assert!(by_pairs != by_games);
        }
    }

    /// It has counted nodes on its opponent's time as well, whether its game is in a journal or has just been played.
    #[test]
    fn a_player_that_ponders_has_no_nodes_a_second() {
        let dir = tempfile::tempdir().unwrap();
        let game = games().remove(0);
        let told = |survey: &Survey| {
            let sums = [0, 1].map(|player| survey.engine(player).all());
            let rates = sums.map(|sums| sums.nps().is_some());
            (rates, sums.map(|sums| sums.nodes.0), survey.speed(0, 1).is_some())
        };
        for ponders in [[false, false], [false, true], [true, true]] {
            let wanted = (ponders.map(|ponders| !ponders), [2, 2], ponders == [false, false]);
            let describe = |(name, ponder): (String, bool)| json!({"name": name, "ponder": ponder});
            let described: Vec<Value> = names().into_iter().zip(ponders).map(describe).collect();
            let text = header_of(&json!({"players": described})) + &line(&game);
            let path = write(dir.path(), "j", &text);
            assert_eq!(told(&read(&[path], Wanted::default()).unwrap().survey), wanted, "{ponders:?}");
            let line = |(name, ponder): (String, bool)| {
                let words = [format!("name={name}"), "cmd=/bin/sh".to_owned(), format!("ponder={ponder}")];
                Settings::from_words("engine", &words).unwrap()
            };
            let lines: Vec<Settings> = names().into_iter().zip(ponders).map(line).collect();
            let standings = Standings::new(2, Counting::Pairs);
            let survey = Survey::of_tournament(&names()[..2], Wanted::default(), standings);
            let mut survey = survey.played_by(&players(&lines, &[]).unwrap());
            survey.add_record(&game);
            assert_eq!(told(&survey), wanted, "{ponders:?}");
        }
    }

    /// Ten seconds each: White takes four, so that Black has fourteen; Black takes nine of them, and White
    /// twelve of the fifteen that it then has. An hourglass against a clock gains nothing, and the clock is one.
    #[test]
    fn an_hourglass_shows_what_is_left() {
        let dir = tempfile::tempdir().unwrap();
        let mv = |san: &str, uci: &str, ms: u64, clock_ms: u64| MoveRecord {
            ms: Some(ms),
            clock_ms: Some(clock_ms),
            score: Some(15),
            depth: Some(5),
            ..MoveRecord::of_opening(san.into(), uci.into())
        };
        let moves = vec![
            mv("e4", "e2e4", 4_000, 6_000),
            mv("d5", "d7d5", 9_000, 5_000),
            mv("exd5", "e4d5", 12_000, 3_000),
        ];
        let game = GameRecord { moves, ..record(0, 0, 1, Score::Draw) };
        let shaves = |survey: &Survey| [0, 1].map(|player| survey.engine(player).shave.map(|shave| shave.ms));
        for (limits, wanted) in [
            (["hg10", "hg10"], [Some(3_000), Some(5_000)]),
            (["10", "hg10"], [Some(-6_000), Some(5_000)]),
            (["10", "10"], [Some(-6_000), None]),
        ] {
            let described = |(name, limits): (String, &str)| json!({"name": name, "limits": limits});
            let described: Vec<Value> = names().into_iter().zip(limits).map(described).collect();
            let header = json!({"firstborn_journal": 1, "tournament": {"players": described}}).to_string();
            let path = write(dir.path(), "j", &format!("{header}\n{}", line(&game)));
            assert_eq!(shaves(&read(&[path], Wanted::default()).unwrap().survey), wanted, "{limits:?}");
            let limits = limits.map(str::to_owned).to_vec();
            let fields = Fields { time_left: true, ..Fields::default() };
            let style = Style { fields, ..Style::default() };
            let event = Event { name: "x".into(), players: names(), limits, style, ..Event::default() };
            let mut text = Vec::new();
            write_game(&mut text, &event, &game).unwrap();
            let path = write(dir.path(), "g.pgn", &String::from_utf8(text).unwrap());
            assert_eq!(shaves(&read(&[path], Wanted::default()).unwrap().survey), wanted, "{event:?}");
            // While it is played.
            let line = |(limits, name): (&String, String)| {
                let words = [format!("name={name}"), "cmd=/bin/sh".to_owned(), format!("tc={limits}")];
                Settings::from_words("engine", &words).unwrap()
            };
            let lines: Vec<Settings> = event.limits.iter().zip(names()).map(line).collect();
            let players = players(&lines, &[]).unwrap();
            let standings = Standings::new(2, Counting::Pairs);
            let mut survey =
                Survey::of_tournament(&names()[..2], Wanted::default(), standings).played_by(&players);
            survey.add_record(&game);
            assert_eq!(shaves(&survey), wanted, "{event:?}");
        }
    }

    /// Every setting of a player that differs is told, in one note.
    #[test]
    fn players_of_one_name_with_other_settings_are_pointed_out() {
        let dir = tempfile::tempdir().unwrap();
        let notes = |first: Value, second: Value| {
            let paths = [("a", first, 0), ("b", second, 9_000_000)].map(|(name, player, later)| {
                let tournament = json!({"players": [player, {"name": "Beta"}]});
                let header = header_of(&tournament);
                let games = &games()[..2];
                let games = games
                    .iter()
                    .map(|game| GameRecord { started_ms: game.started_ms + later, ..game.clone() });
                let text = header + &games.map(|game| line(&game)).collect::<String>();
                write(dir.path(), name, &text)
            });
            read(&paths, Wanted::default()).unwrap().notes
        };
        let player =
            |margin: u32, book: &str| json!({"name": "Alpha", "hash": 8, "margin": margin, "book": book});
        assert_eq!(notes(player(5, "x"), player(5, "x")), Vec::<String>::new());
        let (a, b) = (dir.path().join("a"), dir.path().join("b"));
        let (a, b) = (a.display(), b.display());
        let told = format!("`Alpha` has in {b} and in {a}: another book, margin 0 and 5.");
        assert_eq!(notes(player(5, "x"), player(0, &"y".repeat(50))), [told]);
        let told = format!(
            "`Alpha` has in {b} and in {a}: book null and \"x\", hash null and 8, margin null and 5."
        );
        assert_eq!(notes(player(5, "x"), json!({"name": "Alpha"})), [told]);
    }

    /// A program of the player of this number, of this content.
    fn program(number: usize, content: &str) -> Value {
        let file = json!({"role": "program", "path": format!("engine{number}"), "size": 1, "modified_ns": null,
            "sha256": content});
        json!({"name": format!("Engine {number}"), "files": [file]})
    }

    /// A journal of games by two builds of a player, as `--same-engine` leaves it, or several machines that were
    /// merged: which games are whose is told, and a row stands for each. A list that played nothing, an older one of
    /// the first build, and places without a program are no further ones.
    #[test]
    fn games_of_several_builds_are_told_apart() {
        let dir = tempfile::tempdir().unwrap();
        let players: Vec<Value> = names().iter().map(|name| json!({ "name": name })).collect();
        let lists = [["a", "x"], ["b", "x"], ["", "x"], ["c", "x"], ["a", ""]].map(|contents| {
            let of = |(number, content): (usize, &str)| match content {
                "" => json!({"name": null, "files": []}),
                content => program(number, content),
            };
            Value::from_iter(contents.into_iter().enumerate().map(of))
        });
        let header = json!({"firstborn_journal": 1, "tournament": {"players": players}, "engines": lists[0]});
        let lines = lists[1..].iter().map(|engines| json!({ "engines": engines }).to_string() + "\n");
        let text: String = std::iter::once(header.to_string() + "\n").chain(lines).collect();
        let by = [0, 0, 1, 1, 1, 2, 4];
        let games: Vec<GameRecord> = by
            .into_iter()
            .enumerate()
            .map(|(id, engines)| GameRecord { engines, ..record(id, id % 2, 1 - id % 2, Score::Draw) })
            .collect();
        let path = write(dir.path(), "j", &(text + &games.iter().map(line).collect::<String>()));
        // A game of PGN behind it is none of its games.
        let pgn = "[White \"Alpha\"]\n[Black \"Beta\"]\n[Result \"1-0\"]\n\n1. d4 d5 1-0\n";
        let pgn = write(dir.path(), "p.pgn", pgn);
        let told = format!(
            "`Alpha` is another program in 3 games (3 to 5) of {} than in 3 games (1 to 7) of it: \
             its program engine0 is another file",
            path.display()
        );
        for paths in [vec![path.clone()], vec![path, pgn]] {
            let Gathered { tournaments, notes, .. } = read(&paths, Wanted::default()).unwrap();
            assert!(matches!(&notes[..], [note] if note.starts_with(&told)), "{notes:?}");
            let of = |number: usize| -> Vec<(String, Stint)> {
                let programs = tournaments[0].programs(number).into_iter();
                programs.map(|(program, stint)| (program.files[0].sha256.clone(), stint)).collect()
            };
            let stint = |games, first, last| Stint { games, first, last };
            let wanted = [("a".to_owned(), stint(3, 1, 7)), ("b".to_owned(), stint(3, 3, 5))];
            assert_eq!(of(0), wanted);
            assert_eq!(of(1), [("x".to_owned(), stint(6, 1, 6))]);
            assert!(of(2).is_empty());
        }
    }

    /// A collection has no program where one of its journals lacked the player: that is no other program.
    #[test]
    fn a_player_of_a_collection_is_the_program_that_is_known() {
        let dir = tempfile::tempdir().unwrap();
        let journal = |name: &str, fields: [usize; 2], later: u64| {
            let of = |number: usize| json!({ "name": names()[number] });
            let (players, engines) = (fields.map(of), fields.map(|number| program(number, "a")));
            let header =
                json!({"firstborn_journal": 1, "tournament": {"players": players}, "engines": engines});
            let games = (0..2).map(|id| record(id, id, 1 - id, Score::Draw));
            let games = games.map(|game| GameRecord { started_ms: game.started_ms + later, ..game });
            let lines: String = games.map(|game| line(&game)).collect();
            write(dir.path(), name, &format!("{header}\n{lines}"))
        };
        let parts = [journal("a", [0, 1], 0), journal("b", [0, 2], 9_000_000)];
        let mut text = Vec::new();
        assert_eq!(crate::merge::merge(&parts, &[], &mut text).unwrap().games, 4);
        let both = write(dir.path(), "c", &String::from_utf8(text).unwrap());
        let [a, b] = parts;
        for paths in [vec![both.clone()], vec![a.clone(), both.clone(), b.clone()], vec![both, b, a]] {
            let Gathered { tournaments, notes, .. } = read(&paths, Wanted::default()).unwrap();
            assert!(!notes.iter().any(|note| note.contains("another program")), "{notes:?}");
            let both = tournaments.iter().find(|tournament| tournament.players().count() == 3).unwrap();
            let of = |number: usize| both.program(number).and_then(|program| program.name.clone());
            assert_eq!([0, 1, 2].map(of), [0, 1, 2].map(|number| Some(format!("Engine {number}"))));
        }
    }

    /// A test is that of the tournament; its course keeps few points, the last of them after the last game.
    #[test]
    fn a_course_is_thinned() {
        let dir = tempfile::tempdir().unwrap();
        let players = json!([{"name": "Alpha"}, {"name": "Beta"}]);
        let mut text = header_of(&json!({"players": players, "sprt": sprt(true)}));
        for id in 0..5001 {
            let result = [Score::White, Score::Draw, Score::Draw][id % 3];
            text += &line(&GameRecord { moves: Vec::new(), ..record(id, id % 2, 1 - id % 2, result) });
        }
        let path = write(dir.path(), "j", &text);
        let survey = read(&[path], Wanted::default()).unwrap().survey;
        let rule = survey.test().unwrap();
        let points = survey.course.points(&survey.standings, rule);
        assert!((300..900).contains(&points.len()), "{}", points.len());
        assert!(points.windows(2).all(|pair| pair[0].0 < pair[1].0));
        let (games, llr) = points[points.len() - 1];
        assert_eq!((games, llr), (5001.0, rule.sprt.llr_of_pairs(survey.standings.pairs())));
    }
}
