//! What another runner's command line asks for, in our own terms.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::columns::Column;
use super::config::{Config, Results};
use super::console::Shown;
use super::words::unique;
use crate::adjudicate::{Manner, Rules};
use crate::openings::polyglot::Polyglot;
use crate::openings::{Book, BookError, Reading};
use crate::pgn::Style;
use crate::play::{Conditions, Customs};
use crate::record::{Ending, GameRecord, Score};
use crate::runner::StopRule;
use crate::schedule::plans::{
    CutechessFormat, CutechessPlan, FastchessPlan, KnockoutPlan, RunnerPlan, cutechess_lots,
};
use crate::schedule::{Colours, Policy, Schedule, bracket_order};
use crate::spec::Player;
use crate::standings::Counting;
use crate::stats::{Pairs, Wdl};
use crate::tablebase::Tables;
use crate::trial::Greeting;

/// What a command line asks for.
#[derive(Debug, Clone)]
pub struct Request {
    /// Whose command line it is.
    pub manner: Manner,
    /// Who plays. The names are all different.
    pub players: Vec<Player>,
    /// Their names as they are shown; the engine's own where there is none.
    pub names: Vec<Option<String>>,
    /// Their limits as PGN and terminal show them.
    pub limits: Vec<(String, String)>,
    /// Who meets whom.
    pub games: Games,
    /// The opening book; the start position without one.
    pub book: Option<BookRequest>,
    /// Chess960.
    pub chess960: bool,
    /// When games are ended early.
    pub rules: Rules,
    /// Endgame tables.
    pub tables: Option<TableRequest>,
    /// A test that may end the match early.
    pub stop_rule: Option<StopRule>,
    /// Games at once.
    pub concurrency: usize,
    /// Whether there may be more of them than the machine has CPUs for.
    pub force_concurrency: bool,
    /// Whether and where engines are bound.
    pub affinity: Affinity,
    /// Whether the match goes on after a crash.
    pub recover: bool,
    /// The pause between two games.
    pub wait: Duration,
    /// How long an engine is waited for after its flag has fallen.
    pub stall: Duration,
    /// The seed of everything random.
    pub seed: u64,
    /// The event's name.
    pub event: String,
    /// Its site.
    pub site: String,
    /// Where games are written.
    pub pgn: Option<PgnRequest>,
    /// Where final positions are written.
    pub epd: Option<EpdRequest>,
    /// Where conversations with engines are written.
    pub log: Option<LogRequest>,
    /// All of them are printed.
    pub debug: bool,
    /// A warning stops the match.
    pub strict: bool,
    /// Mate scores are held against their variations, and what is not in order is told.
    pub check_mate_pvs: bool,
    /// What is printed when.
    pub terminal: Terminal,
    /// What is to be said before the match, as the runner says it.
    pub warnings: Vec<String>,
    /// Flags that are not obeyed, and what is done instead, for standard error.
    pub notes: Vec<String>,
    /// The file that a match is continued from.
    pub config: Option<ConfigRequest>,
}

/// What is printed when.
#[derive(Debug, Clone, Default)]
pub struct Terminal {
    /// In whose words fastchess gives results.
    pub output: Output,
    /// Whether pairs of games are counted.
    pub pairs: bool,
    /// Games or pairs between two blocks of results; 0 for one at the end.
    pub rating_interval: u64,
    /// Games between two lines `Score of`; 0 for one at the end.
    pub score_interval: u64,
    /// Games between two lists of how games ended; 0 for one at the end.
    pub outcome_interval: u64,
    /// The columns of cutechess-cli's table.
    pub columns: Vec<Column>,
}

/// In whose words fastchess gives results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Output {
    /// Its own.
    #[default]
    Fastchess,
    /// cutechess-cli's.
    Cutechess,
}

/// Who meets whom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Games {
    /// fastchess's plan; the size of its book is not known yet.
    Fastchess(FastchessPlan),
    /// cutechess-cli's.
    Cutechess(CutechessPlan),
    /// A knockout.
    Knockout(Knockout),
}

/// cutechess-cli's knockout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Knockout {
    /// How many of the first are seeded; the others are drawn by lot.
    pub seeds: usize,
    /// Games of a pair.
    pub games: usize,
    /// When the next opening is taken.
    pub policy: Policy,
    /// What is done to colours.
    pub colours: Colours,
}

/// An opening book.
#[derive(Debug, Clone)]
pub struct BookRequest {
    /// The file.
    pub path: PathBuf,
    /// How it is read.
    pub reading: Reading,
}

/// Endgame tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableRequest {
    /// Folders, separated as in `PATH`.
    pub path: String,
    /// The most men.
    pub pieces: Option<usize>,
    /// Wins that take more than fifty moves are wins.
    pub ignore_fifty: bool,
    /// Which results end a game: wins and losses, draws.
    pub results: [bool; 2],
}

/// Whether and where engines are bound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Affinity {
    /// Nowhere: they run where the system puts them.
    Unbound,
    /// To CPUs of our choice.
    Any,
    /// To these CPUs.
    Cpus(String),
}

/// Where games are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PgnRequest {
    /// The file.
    pub path: PathBuf,
    /// Whether games are added to what is there.
    pub append: bool,
    /// How games are written.
    pub style: Style,
    /// Whether they are written in order of their numbers.
    pub in_order: bool,
    /// Whether a checksum of the file is printed after each.
    pub checksum: bool,
    /// What lines are kept with moves.
    pub patterns: Vec<String>,
}

/// Where final positions are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EpdRequest {
    /// The file.
    pub path: PathBuf,
    /// Whether positions are added to what is there.
    pub append: bool,
}

/// Where conversations with engines are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogRequest {
    /// The file.
    pub path: PathBuf,
    /// Whether they are added to what is there.
    pub append: bool,
    /// Whether the file is packed by gzip.
    pub compress: bool,
    /// Whether all that engines are sent and write is in it, and not only what the runner says.
    pub engines: bool,
}

/// fastchess's file of settings and results.
#[derive(Debug, Clone)]
pub struct ConfigRequest {
    /// Where it is written.
    pub path: PathBuf,
    /// Whether that name was asked for: every match has such a file.
    pub named: bool,
    /// Games between two writings; 0 for one at the end.
    pub every: u64,
    pub(super) settings: Box<Config>,
}

impl ConfigRequest {
    /// The file with these results.
    #[must_use]
    pub fn text(&self, results: &Results) -> String {
        let mut settings = self.settings.clone();
        settings.stats = results.stats(&settings.engines);
        // Numbers and texts alone can always be written.
        serde_json::to_string_pretty(&settings).unwrap_or_default() + "\n"
    }
}

impl Request {
    /// The players' names as they are shown, no two alike: players of one name cannot be told apart in a file of
    /// games. `own` are those that the engines have given themselves.
    #[must_use]
    pub fn shown_names(&self, own: &[Option<String>]) -> Vec<String> {
        let of = |index: usize| {
            let own = own.get(index).cloned().flatten();
            self.names[index].clone().or(own).unwrap_or_else(|| self.players[index].name.clone())
        };
        unique(&(0..self.players.len()).map(of).collect::<Vec<_>>())
    }

    /// The book.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn open_book(&self, skip_bad: bool) -> Result<Book, BookError> {
        match &self.book {
            Some(book) => {
                let reading = Reading { skip_bad, chess960: self.chess960, ..book.reading };
                Book::from_file(&book.path, reading)
            }
            None if self.chess960 => Book::chess960(self.seed, 1),
            None => Ok(Book::startpos()),
        }
    }

    /// The whole plan, with what the book and lots have to do with it.
    #[must_use]
    pub fn plan(&self, book: &Book) -> RunnerPlan {
        match &self.games {
            Games::Fastchess(plan) => RunnerPlan::Fastchess(FastchessPlan { book: book.len(), ..*plan }),
            Games::Cutechess(plan) => RunnerPlan::Cutechess(*plan),
            Games::Knockout(knockout) => {
                let Knockout { games, policy, colours, .. } = *knockout;
                RunnerPlan::Knockout(KnockoutPlan { order: self.lots(knockout), games, policy, colours })
            }
        }
    }

    /// All games that are to be played; those that the file of settings counts already are left out.
    #[must_use]
    pub fn schedule(&self, book: &Book) -> Schedule {
        match self.plan(book) {
            RunnerPlan::Fastchess(plan) => {
                let mut games = plan.pairings();
                games.drain(..self.played().len().min(games.len()));
                Schedule::of_games(plan.players, games)
            }
            plan => plan.schedule(),
        }
    }

    fn lots(&self, knockout: &Knockout) -> Vec<usize> {
        cutechess_lots(self.players.len(), knockout.seeds, self.seed as u32)
    }

    /// The players in the order of the bracket.
    fn bracket(&self, knockout: &Knockout) -> Vec<usize> {
        let order = self.lots(knockout);
        bracket_order(order.len()).into_iter().map(|seat| order.get(seat).copied().unwrap_or(seat)).collect()
    }

    /// Games of the whole plan, if known; of a knockout without the repetitions of level meetings.
    #[must_use]
    pub fn total(&self, schedule: &Schedule) -> Option<usize> {
        match &self.games {
            Games::Fastchess(_) | Games::Cutechess(_) => {
                Some(schedule.total().unwrap_or(0) + self.played().len())
            }
            // Every meeting puts one player out.
            Games::Knockout(knockout) => Some(self.players.len().saturating_sub(1) * knockout.games),
        }
    }

    /// How an interrupted match goes on, or that it does not, in a sentence. `program`: how the command is called, with
    /// these options of our own; `journal`: where one keeps its games.
    #[must_use]
    pub fn resume(&self, program: &str, own: &[String], journal: Option<&Path>) -> Option<String> {
        let file = &self.config.as_ref()?.path;
        if let Some(journal) = journal {
            let journal = journal.display();
            return Some(format!(
                "To resume the tournament, run the same command again: its games are in {journal}"
            ));
        }
        if self.players.len() != 2 {
            return Some(
                "The same command begins anew: the results of more than two engines are not taken up again \
                 (--journal keeps their games)"
                    .to_owned(),
            );
        }
        let file = file.display().to_string();
        let words = [format!("{program} -config file={}", shell_words::quote(&file))];
        let own = own.iter().map(|word| shell_words::quote(word).into_owned());
        let words: Vec<String> = words.into_iter().chain(own).collect();
        Some(format!("To resume the tournament, run: {}", words.join(" ")))
    }

    /// What the terminal shows of this match. `resume`: how it goes on if it is interrupted.
    #[must_use]
    pub fn shown(
        &self,
        schedule: &Schedule,
        names: &[String],
        greetings: &[Greeting],
        resume: Option<String>,
    ) -> Shown {
        let seeds = match &self.games {
            Games::Cutechess(plan) => match plan.format {
                CutechessFormat::Gauntlet(seeds) => CutechessFormat::seeds(seeds, plan.players),
                _ => 0,
            },
            _ => 0,
        };
        Shown {
            manner: self.manner,
            terminal: self.terminal.clone(),
            names: names.to_vec(),
            total: self.total(schedule),
            sprt: self.stop_rule.map(|rule| rule.sprt),
            heading: self.heading(greetings),
            bracket: match &self.games {
                Games::Knockout(knockout) => self.bracket(knockout),
                _ => Vec::new(),
            },
            seeds,
            resume,
        }
    }

    /// Limits, threads, hash and book: each once if it is the same for both.
    fn heading(&self, greetings: &[Greeting]) -> String {
        let both = |values: Vec<String>| match &values[..] {
            [first, second] if first != second => format!("{first} - {second}"),
            [first, ..] => first.clone(),
            [] => String::new(),
        };
        let unit = |value: Option<&String>, unit: &str| {
            value.map_or_else(|| "NULL".to_owned(), |value| format!("{value}{unit}"))
        };
        let mut parts = vec![
            both(self.limits.iter().map(|(_, shown)| shown.clone()).collect()),
            both(greetings.iter().map(|greeting| unit(greeting.threads.as_ref(), "t")).collect()),
            both(greetings.iter().map(|greeting| unit(greeting.hash.as_ref(), "MB")).collect()),
        ];
        let name = |path: &PathBuf| path.file_name().map(|name| name.to_string_lossy().into_owned());
        parts.extend(self.book.as_ref().and_then(|book| name(&book.path)));
        parts.join(", ")
    }

    /// What results are judged by: pairs, where the plan has two games of every encounter
    /// ([`RunnerPlan::is_in_pairs`]) and none are known that were counted singly.
    #[must_use]
    pub fn counting(&self) -> Counting {
        let singly = self.config.as_ref().is_some_and(|config| config.settings.results().2.games() > 0);
        // Which games are an encounter's does not depend on the book.
        let pairs = !singly && self.plan(&Book::startpos()).is_in_pairs();
        if pairs { Counting::Pairs } else { Counting::Games }
    }

    /// What holds in every game.
    ///
    /// # Errors
    /// Tables or a player's book cannot be read.
    pub fn conditions(&self) -> Result<Conditions, String> {
        let open = |request: &TableRequest| {
            Tables::open(&request.path, request.pieces)
                .map(|tables| tables.with_rules(request.ignore_fifty, request.results))
        };
        let books = self.players.iter().map(|player| player.book.as_deref().map(Polyglot::open).transpose());
        let fields = self.pgn.as_ref().map(|pgn| pgn.style.fields).unwrap_or_default();
        Ok(Conditions {
            players: self.players.clone(),
            rules: self.rules,
            tables: self.tables.as_ref().map(open).transpose()?,
            stall: self.stall,
            silence: Duration::from_secs(60 * 60),
            chess960: self.chess960,
            boards: None,
            customs: Customs {
                keep_search: fields.needs_search(),
                keep_pv: fields.pv,
                silence_is_time: self.manner == Manner::Fastchess,
                exact_lines: self.manner == Manner::Fastchess,
                bounds_count: self.manner == Manner::Cutechess,
                own_moves_only: self.manner == Manner::Fastchess,
                books: books.collect::<Result<_, _>>().map_err(|error| error.to_string())?,
                seed: self.seed,
            },
        })
    }

    /// The games that the file of settings counts are those of a journal, which has them all.
    pub fn forget_played(&mut self) {
        if let Some(config) = &mut self.config {
            config.settings.stats.clear();
        }
    }

    /// The two players' games that the file of settings counts, made up so that they give the same counts.
    #[must_use]
    pub fn played(&self) -> Vec<GameRecord> {
        let settings = self.config.as_ref().map(|config| &config.settings);
        settings.filter(|_| self.players.len() == 2).map(|settings| made_up(settings)).unwrap_or_default()
    }
}

fn made_up(settings: &Config) -> Vec<GameRecord> {
    let (pairs, win_and_loss, single) = settings.results();
    let mut points: Vec<f64> = Vec::new();
    let Pairs([ll, ld, even, wd, ww]) = pairs;
    for (count, pair) in [
        (ll, [0.0, 0.0]),
        (ld, [0.0, 0.5]),
        (win_and_loss, [1.0, 0.0]),
        (even - win_and_loss.min(even), [0.5, 0.5]),
        (wd, [1.0, 0.5]),
        (ww, [1.0, 1.0]),
    ] {
        (0..count).for_each(|_| points.extend(pair));
    }
    let Wdl { wins, draws, losses } = single;
    for (count, value) in [(wins, 1.0), (draws, 0.5), (losses, 0.0)] {
        (0..count).for_each(|_| points.push(value));
    }
    // A match that was stopped within a pair goes on with the other game of it: which of the results belong to no pair
    // is not known.
    let games = settings.games.max(1) as usize;
    points.into_iter().enumerate().map(|(id, points)| played_before(id, points, games)).collect()
}

fn played_before(id: usize, points: f64, games: usize) -> GameRecord {
    let white = id % 2;
    let for_white = if white == 0 { points } else { 1.0 - points };
    let result = match for_white {
        1.0 => Score::White,
        0.0 => Score::Black,
        _ => Score::Draw,
    };
    GameRecord {
        id,
        round: id / games + 1,
        encounter: id / games,
        opening: 0,
        white,
        black: 1 - white,
        fen: None,
        chess960: false,
        moves: Vec::new(),
        result,
        ending: if result == Score::Draw { Ending::AdjudicatedDraw } else { Ending::AdjudicatedWin },
        reason: "played before".to_owned(),
        late_ms: None,
        answer: None,
        checks: <[crate::checks::Checks; 2]>::default(),
        stderr: Vec::new(),
        cpu_ms: None,
        started_ms: 0,
        ended_ms: None,
        wall_ms: 0,
        slot_ms: 0,
        engines: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontend::config::{EngineSettings, LimitSettings, Stats};
    use crate::frontend::{Asked, Surroundings, read};
    use crate::schedule::Next;

    fn here() -> Surroundings {
        Surroundings { cpus: 1, chance: 1, now_ms: 0 }
    }

    /// What a line of a runner with these words asks for, between two engines that are not started.
    fn asked(manner: Manner, words: &str) -> Request {
        let each = if manner == Manner::Cutechess { "proto=uci tc=inf nodes=1" } else { "nodes=1" };
        let line = format!("-engine cmd=/bin/sh name=A -engine cmd=/bin/sh name=B -each {each} {words}");
        let line: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        let Ok(Asked::Play(request)) = read(manner, &line, here()) else {
            panic!("{words}: it is a tournament")
        };
        *request
    }

    /// Both runners' own: whether a silent player loses on time, whether the last line without a bound tells of a
    /// search, whether a bound is a score, and whether moves of openings count towards no control.
    #[test]
    fn each_runner_has_its_own_customs() {
        for (manner, expected) in
            [(Manner::Fastchess, [true, true, false, true]), (Manner::Cutechess, [false, false, true, false])]
        {
            let customs = asked(manner, "").conditions().unwrap().customs;
            let Customs { silence_is_time, exact_lines, bounds_count, own_moves_only, .. } = customs;
            let found = [silence_is_time, exact_lines, bounds_count, own_moves_only];
            assert_eq!(found, expected, "{manner:?}");
        }
    }

    /// Wald's bounds: a false H1 is as rare as alpha says, a false H0 as beta says.
    #[test]
    fn a_test_has_the_error_rates_of_the_line() {
        for manner in [Manner::Fastchess, Manner::Cutechess] {
            let request = asked(manner, "-sprt elo0=-1 elo1=4 alpha=0.01 beta=0.2");
            let sprt = request.stop_rule.unwrap().sprt;
            assert_eq!((sprt.elo0, sprt.elo1), (-1.0, 4.0), "{manner:?}");
            let (lower, upper) = sprt.bounds();
            let (low, high) = ((0.2 / 0.99_f64).ln(), (0.8 / 0.01_f64).ln());
            assert!((lower - low).abs() < 1e-9 && (upper - high).abs() < 1e-9, "{manner:?}: {sprt:?}");
        }
    }

    /// A match of ten rounds that goes on from a file with these results.
    fn going_on(stats: &Stats) -> Request {
        let limit = LimitSettings { plies: 1, ..LimitSettings::default() };
        let engine = |name: &str| EngineSettings {
            name: name.into(),
            cmd: "/bin/sh".into(),
            limit: limit.clone(),
            ..EngineSettings::default()
        };
        let config = Config {
            rounds: 10,
            engines: vec![engine("A"), engine("B")],
            stats: [("A vs B".to_owned(), stats.clone())].into(),
            ..Config::default()
        };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.json");
        std::fs::write(&path, serde_json::to_string(&config).unwrap()).unwrap();
        let words = ["-config".to_owned(), format!("file={}", path.display())];
        let Ok(Asked::Play(request)) = read(Manner::Fastchess, &words, here()) else {
            panic!("it is a match")
        };
        *request
    }

    /// Whatever number of games a meeting has: what makes pairs is that two have one opening.
    #[test]
    fn games_are_judged_by_the_encounters_that_are_planned() {
        for (words, wanted) in [
            ("-rounds 300 -games 2 -repeat", Counting::Pairs),
            ("-rounds 300 -games 2", Counting::Games),
            ("-games 1000 -repeat", Counting::Pairs),
            ("-games 1000", Counting::Games),
            ("-games 4 -repeat", Counting::Pairs),
            ("-games 4 -repeat 4", Counting::Pairs),
            ("-rounds 1000 -games 1 -repeat", Counting::Pairs),
            ("-rounds 1000 -games 1", Counting::Games),
            // The pairs go on into the next round, and of an odd number of games one is left.
            ("-rounds 10 -games 3 -repeat", Counting::Pairs),
            ("-rounds 9 -games 3 -repeat", Counting::Pairs),
            ("-rounds 10 -games 3 -repeat 3", Counting::Games),
            ("-games 1 -repeat", Counting::Games),
            ("-tournament knockout -games 4 -repeat", Counting::Pairs),
            ("-tournament knockout -games 1", Counting::Games),
            // Between others than two players the next meeting has an opening of its own.
            ("-engine cmd=/bin/sh name=C -rounds 10 -games 1 -repeat", Counting::Games),
            ("-engine cmd=/bin/sh name=C -rounds 10 -games 2 -repeat", Counting::Pairs),
        ] {
            assert_eq!(asked(Manner::Cutechess, words).counting(), wanted, "{words}");
        }
    }

    /// Our own options hold again, and where a journal has the games nothing else goes on from it.
    #[test]
    fn an_interrupted_match_goes_on_with_our_own_options() {
        let mut request = going_on(&Stats::default());
        request.config.as_mut().unwrap().path = "my config.json".into();
        let own = ["--forfeits", "2", "--log", "a b"].map(str::to_owned);
        let told = |journal| request.resume("firstborn fastchess", &own, journal).unwrap();
        let line = told(None);
        let line = line.strip_prefix("To resume the tournament, run: ").unwrap();
        let words = shell_words::split(line).unwrap();
        let known = ["firstborn", "fastchess", "-config", "file=my config.json"];
        assert_eq!((&words[..4], &words[4..]), (&known.map(str::to_owned)[..], &own[..]));
        let line = told(Some(Path::new("j")));
        assert!(line.contains("run the same command again") && line.ends_with(" j"), "{line}");
        request.config = None;
        assert_eq!(request.resume("cutechess-cli", &[], None), None);
    }

    /// Whatever the results are, and though they may end within a pair: all of them count, and as many games are left
    /// to play as they are fewer than planned.
    #[test]
    fn no_result_of_the_file_of_settings_is_lost() {
        let counts = (0..4u64).flat_map(|n| (0..4).flat_map(move |m| (0..3).map(move |k| [n, m, k])));
        for [wins, draws, losses] in counts {
            let request = going_on(&Stats { wins, draws, losses, ..Stats::default() });
            let mut found = Wdl::default();
            request.played().iter().for_each(|game| found.add(game.played().points_of(0)));
            assert_eq!(found, Wdl { wins, draws, losses });
            let all = (wins + draws + losses) as usize;
            let mut schedule = request.schedule(&Book::startpos());
            assert_eq!((schedule.total(), request.total(&schedule)), (Some(20 - all), Some(20)));
            let Next::Game(next) = schedule.next(&|_| None) else { panic!("games are left") };
            assert_eq!(next.id, all);
            // No pairs are made of them.
            assert_eq!((request.counting() == Counting::Pairs, request.terminal.pairs), (all == 0, all == 0));
        }
        let stats = Stats { wins: 3, draws: 1, penta_ww: 1, penta_wd: 1, ..Stats::default() };
        let request = going_on(&stats);
        assert_eq!((request.counting(), request.played().len()), (Counting::Pairs, 4));
    }
}
