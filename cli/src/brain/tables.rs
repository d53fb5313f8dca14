//! Syzygy tablebases: with few enough men on the board they know how the game ends.
//!
//! At the root they know which moves keep the result, and the search is given only those. Of drawing and losing
//! moves it gets all, so that it still sets traps; of winning ones all that win in time, so that it may find the
//! shortest mate, from which a capture may lead away. If it finds no mate, the move is one that comes nearest to a
//! capture, pawn move or mate (Ronald de Man's distance to zeroing), so that the win is not shuffled away; under a
//! clock only these are searched. Near the fifty-move rule one ply that the opponent wastes changes the result: of
//! wins that come too late for it the search gets the shortest, of losses just in time the longest. The tree below is
//! searched without tables, since all its leaves would say the same.
//!
//! Distances have files of their own (`.rtbz`), which are often left out. Where one is missing, results (`.rtbw`) rank
//! all moves. The search, which has to find the way to a win or out of a loss, then asks the tables as well, and its
//! score is told.
//!
//! Where the root is not known, the search itself asks for the result of the positions it comes to
//! ([`Probe`]).

use ::tournament::tablebase::{add_directory, as_tables_have_it, holds_results};
use chess::{Game, Move, Outcome, Position};
use engine::tablebase::{Ending, Tablebase};
use engine::time::Budget;
use protocol::brain::Task;
use protocol::option::{OptionSpec, Value};
use shakmaty::Chess;
use shakmaty_syzygy::{Dtz, Wdl};
use std::fs::DirEntry;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};
use thinking::report::{Bound, Info, Limits, Observer, Verdict};
use thinking::score::{DRAW, Score, WIN, is_mate};

pub(super) const PATH: &str = "SyzygyPath";
const DEPTH: &str = "SyzygyProbeDepth";
const LIMIT: &str = "SyzygyProbeLimit";
const FIFTY: &str = "Syzygy50MoveRule";
/// Most men any table has.
const MOST_MEN: i64 = 7;
/// The greatest depth a user may ask for before tables are asked, in plies.
const MOST_DEPTH: i64 = 100;
/// A win in more plies than this is none under the fifty-move rule.
const FIFTY_MOVES: i32 = 100;
/// How long the tables of a root are read at most for a search that only a command ends.
const PATIENCE: Duration = Duration::from_millis(500);

/// What a user may set.
pub(super) fn options() -> Vec<OptionSpec> {
    vec![
        OptionSpec::text(PATH, ""),
        OptionSpec::spin(DEPTH, 1, 1, MOST_DEPTH),
        OptionSpec::spin(LIMIT, MOST_MEN, 0, MOST_MEN),
        OptionSpec::check(FIFTY, true),
    ]
}

/// The files of tables.
type Files = shakmaty_syzygy::Tablebase<Chess>;

/// The tables that were found, and how to ask them.
pub(super) struct Tables {
    files: Arc<Files>,
    /// All files of its folders as they were when it was opened.
    found: Vec<Seen>,
    /// What could not be read then.
    failures: Vec<String>,
    /// Most men on the board.
    men: usize,
    /// Least depth of a search, in plies, that is worth asking for.
    depth: u32,
    /// Whether a game is drawn after fifty moves.
    fifty: bool,
}

impl Default for Tables {
    fn default() -> Self {
        Tables {
            files: Arc::new(Files::new()),
            found: Vec::new(),
            failures: Vec::new(),
            men: MOST_MEN as usize,
            depth: 1,
            fifty: true,
        }
    }
}

/// What has become of an option.
pub(super) enum Taken {
    /// It holds.
    Whole,
    /// It has held before.
    Same,
    /// It holds, but for what this says of it.
    Part(String),
    /// Everything is as before, for this reason.
    Not(String),
}

impl Taken {
    /// Does something hold that did not before?
    pub(super) fn has_changed(&self) -> bool {
        matches!(self, Taken::Whole | Taken::Part(_))
    }

    /// As the user is told.
    pub(super) fn told(self) -> Result<(), String> {
        match self {
            Taken::Whole | Taken::Same => Ok(()),
            Taken::Part(why) | Taken::Not(why) => Err(why),
        }
    }
}

/// What the tables know of a root.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Known {
    /// The moves worth searching.
    pub moves: Vec<Move>,
    /// Those to choose from unless the search proves another to be better.
    pub sure: Vec<Move>,
    /// The result as a score for the side to move.
    pub result: Score,
    /// Positions looked up.
    pub probes: u64,
    /// Is the search to ask the tables as well, and its score to be told? Without distances the root's moves do not say
    /// which win is near, nor whether it comes in time for the fifty-move rule.
    pub asks: bool,
}

/// What all moves of a root are ranked by: a distance cannot be compared with a result alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Measure {
    /// The plies to the next zeroing move.
    Distance,
    /// How the game ends if the move that leads there is taken for a zeroing one; all wins are alike but mates.
    Result,
}

/// The folders of a path. Windows separates with semicolons, which users of other systems copy.
fn folders(path: &str) -> impl Iterator<Item = PathBuf> {
    let folders = path.split(';').flat_map(std::env::split_paths);
    folders.filter(|folder| !folder.as_os_str().is_empty())
}

/// A file, with what tells whether it has changed: its length, and when it was written.
type Seen = (PathBuf, u64, Option<SystemTime>);

/// The files of a folder, in order.
fn seen(folder: &Path) -> Vec<Seen> {
    let entries = folder.read_dir().into_iter().flatten().flatten();
    let about = |entry: DirEntry| {
        entry.metadata().ok().map(|about| (entry.path(), about.len(), about.modified().ok()))
    };
    let mut files: Vec<Seen> = entries.filter_map(about).collect();
    files.sort();
    files
}

/// How long a root may be looked up, from the moment on that the search counts its time: no command is heard
/// meanwhile, and a slow disk must leave the search its time. `None` without a time limit: a search by depth or
/// nodes is deterministic.
fn patience(limits: &Limits) -> Option<Duration> {
    let of_time = Budget::new(limits).hard.map(|hard| hard / 4);
    let endless = limits.infinite || limits.ponder;
    if endless { Some(of_time.map_or(PATIENCE, |time| time.min(PATIENCE))) } else { of_time }
}

/// Changes a value, if it is another.
fn change<T: PartialEq>(old: &mut T, new: T) -> Taken {
    let same = *old == new;
    *old = new;
    if same { Taken::Same } else { Taken::Whole }
}

impl Tables {
    /// Sets an option; `None` if it is none of the tables'.
    pub(super) fn set(&mut self, name: &str, value: &Value) -> Option<Taken> {
        match (name, value) {
            (PATH, Value::Text(path)) => Some(self.open(path)),
            (DEPTH, &Value::Spin(plies)) => Some(change(&mut self.depth, plies as u32)),
            (LIMIT, &Value::Spin(men)) => Some(change(&mut self.men, men as usize)),
            (FIFTY, &Value::Check(on)) => Some(change(&mut self.fifty, on)),
            _ => None,
        }
    }

    /// Opens the tables of all folders of a path; what cannot be read is missing, folders and single tables. Where
    /// nothing can be read, or nothing but the same, those opened before stay.
    fn open(&mut self, path: &str) -> Taken {
        let mut files = Files::new();
        let (mut failures, mut empty) = (Vec::new(), Vec::new());
        for folder in folders(path) {
            match add_directory(&mut files, &folder) {
                Ok((0, bad)) if bad.is_empty() => {
                    empty.push(format!("{}: no tables there", folder.display()));
                }
                Ok((_, bad)) => failures.extend(bad.iter().map(|bad| format!("{}: {bad}", folder.display()))),
                Err(why) => failures.push(format!("{}: {why}", folder.display())),
            }
        }
        let mut usable = files.max_pieces() > 0;
        if usable {
            // Each table that has been asked stays open. Where no more files are granted, some are missing.
            let _ = sys::files::allow_all();
            usable = folders(path).any(|folder| holds_results(&folder));
            if !usable {
                failures.push("no tables of results (*.rtbw)".to_owned());
            }
        } else {
            // A folder that is still empty is no fault beside others.
            failures.append(&mut empty);
        }
        let found: Vec<Seen> = folders(path).flat_map(|folder| seen(&folder)).collect();
        let (whole, same) = (failures.is_empty(), found == self.found && failures == self.failures);
        if whole && same {
            return Taken::Same;
        }
        let why = format!("{PATH}: {}", failures.join("; "));
        if !whole && (same || !usable) {
            return Taken::Not(why);
        }
        (self.files, self.found, self.failures) = (Arc::new(files), found, failures);
        if whole { Taken::Whole } else { Taken::Part(why) }
    }

    /// Most men of a position that is looked up.
    fn most_men(&self) -> usize {
        self.men.min(self.files.max_pieces())
    }

    /// What a search may ask on its way; `None` where it would ask in vain.
    pub(super) fn for_search(&self) -> Option<Arc<dyn Tablebase>> {
        let most_men = self.most_men() as u32;
        let least_depth = self.depth as i32;
        let probe = Probe { files: Arc::clone(&self.files), most_men, least_depth, fifty: self.fifty };
        (most_men > 0).then(|| Arc::new(probe) as Arc<dyn Tablebase>)
    }

    /// What the tables know of a task's root, as far as it may be searched at all. The root stands as many
    /// plies above the leaves as the search is deep: one that is to be shallower than the tables are asked at
    /// does without. `None` also where the tables are too slow: the search then asks them on its way.
    pub(super) fn look_up(&self, task: &Task) -> Option<Known> {
        let game = &task.game;
        if task.limits.depth.is_some_and(|plies| plies < self.depth) {
            return None;
        }
        if game.position().occupied().count() as usize > self.most_men() {
            return None;
        }
        let began = task.limits.since.unwrap_or_else(Instant::now);
        let patience = patience(&task.limits);
        let is_late = || patience.is_some_and(|patience| began.elapsed() >= patience);
        let by_distance = self.ranking(task, Measure::Distance, &is_late);
        let near_is_known = by_distance.is_some();
        let (ranked, probes) = by_distance.or_else(|| self.ranking(task, Measure::Result, &is_late))?;
        let best = ranked.iter().map(|&(_, rank)| rank).max()?;
        let those = |wanted: &dyn Fn(Rank) -> bool| -> Vec<Move> {
            ranked.iter().filter(|&&(_, rank)| wanted(rank)).map(|&(mv, _)| mv).collect()
        };
        let sure = those(&|rank| rank == best);
        let played = task.limits.on_clock() && task.limits.mate.is_none();
        // With a ply to spare: a move that cannot be put off is the only one.
        let left = if self.fifty { FIFTY_MOVES - game.position().halfmove_clock() as i32 } else { i32::MAX };
        let in_time = |rank| rank == best || matches!(rank, Rank::Win(plies) if -plies < left);
        let moves = if played { sure.clone() } else { those(&in_time) };
        let result = match best {
            Rank::Win(_) => WIN,
            Rank::Loss(_) => -WIN,
            Rank::BlessedLoss | Rank::Draw | Rank::CursedWin(_) => DRAW,
        };
        let asks = result != DRAW && !near_is_known;
        Some(Known { moves, sure, result, probes, asks })
    }

    /// The moves that may be searched, each with its rank, and how many positions were looked up; `None` if a table is
    /// missing or it is late.
    fn ranking(
        &self,
        task: &Task,
        by: Measure,
        is_late: &dyn Fn() -> bool,
    ) -> Option<(Vec<(Move, Rank)>, u64)> {
        let only = &task.limits.search_moves;
        let (mut ranked, mut probes) = (Vec::new(), 0);
        for mv in task.game.position().legal_moves() {
            if only.is_empty() || only.contains(&mv) {
                if is_late() {
                    return None;
                }
                ranked.push((mv, self.rank(&task.game, mv, by, &mut probes)?));
            }
        }
        Some((ranked, probes))
    }

    /// How good a move is; `None` if a table is missing.
    fn rank(&self, game: &Game, mv: Move, by: Measure, probes: &mut u64) -> Option<Rank> {
        let mut after = game.clone();
        after.play(mv).ok()?;
        match after.outcome() {
            Some(Outcome::Checkmate { .. }) => return Some(Rank::Win(0)),
            Some(Outcome::FiftyMoves) if !self.fifty => {}
            Some(_) => return Some(Rank::Draw),
            None => {}
        }
        *probes += 1;
        let position = after.position();
        let setup = as_tables_have_it(position)?;
        let distance = if by == Measure::Result || position.halfmove_clock() == 0 {
            Dtz::before_zeroing(-self.files.probe_wdl_after_zeroing(&setup).ok()?)
        } else {
            -self.files.probe_dtz(&setup).ok()?.ignore_rounding().add_plies(1)
        };
        Some(Rank::of(distance, game.position().halfmove_clock() as i32, self.fifty))
    }
}

/// What a move leads to, worst first. A win holds the plies to the next zeroing move, negated: sooner is better, also
/// where it comes too late for the fifty-move rule. A loss holds the plies where that rule is near, since later is
/// better there, and otherwise 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Loss(i32),
    BlessedLoss,
    Draw,
    CursedWin(i32),
    Win(i32),
}

impl Rank {
    /// That of a move with this distance, the move itself counted, where the fifty-move rule, if it is played, has
    /// counted so many plies before.
    fn of(distance: Dtz, clock: i32, fifty: bool) -> Self {
        let Dtz(signed) = distance;
        let plies = signed.abs();
        let in_time = !fifty || plies + clock <= FIFTY_MOVES;
        match signed {
            0 => Rank::Draw,
            1.. if in_time => Rank::Win(-plies),
            1.. => Rank::CursedWin(-plies),
            _ if !in_time => Rank::BlessedLoss,
            // The rule is near, as Stockfish has it, where the hundredth ply would end a way twice as long.
            _ if fifty && 2 * plies + clock >= FIFTY_MOVES => Rank::Loss(plies),
            _ => Rank::Loss(0),
        }
    }
}

/// The tables as the search asks them.
struct Probe {
    files: Arc<Files>,
    most_men: u32,
    least_depth: i32,
    fifty: bool,
}

impl Probe {
    /// What a result of the tables means to the search. One that the fifty-move rule makes a draw is called cursed or
    /// blessed.
    fn ending(&self, wdl: Wdl) -> Ending {
        match wdl {
            Wdl::Win => Ending::Win,
            Wdl::Loss => Ending::Loss,
            Wdl::CursedWin if !self.fifty => Ending::Win,
            Wdl::BlessedLoss if !self.fifty => Ending::Loss,
            Wdl::CursedWin | Wdl::Draw | Wdl::BlessedLoss => Ending::Draw,
        }
    }
}

impl Tablebase for Probe {
    fn most_men(&self) -> u32 {
        self.most_men
    }

    fn least_depth(&self) -> i32 {
        self.least_depth
    }

    fn probe(&self, position: &Position) -> Option<Ending> {
        let wdl = self.files.probe_wdl_after_zeroing(&as_tables_have_it(position)?).ok()?;
        Some(self.ending(wdl))
    }
}

/// Tells the session what the tables know in place of what the search believes, mates excepted.
pub(super) struct Informed {
    inner: Arc<dyn Observer>,
    known: Known,
}

impl Informed {
    pub(super) fn new(inner: Arc<dyn Observer>, known: Known) -> Self {
        Informed { inner, known }
    }

    /// Is it a mate that goes with the result?
    fn believes(&self, info: &Info) -> bool {
        is_mate(info.score) && info.score.signum() == self.known.result.signum()
    }

    fn correct(&self, info: &Info) -> Info {
        let believed = self.known.asks || self.believes(info);
        let score = if believed { info.score } else { self.known.result };
        let bound = if believed { info.bound } else { Bound::Exact };
        Info { score, bound, tbhits: info.tbhits + self.known.probes, ..info.clone() }
    }
}

impl Observer for Informed {
    fn info(&self, info: &Info) {
        self.inner.info(&self.correct(info));
    }

    fn root_move(&self, depth: u32, current: Move, index: usize, total: usize) {
        self.inner.root_move(depth, current, index, total);
    }

    fn remark(&self, text: &str) {
        self.inner.remark(text);
    }

    fn verdict(&self, verdict: &Verdict) {
        let mut told =
            Verdict { info: verdict.info.as_ref().map(|info| self.correct(info)), ..verdict.clone() };
        let proved = verdict.info.as_ref().is_some_and(|info| self.believes(info));
        if !proved && !verdict.best.is_some_and(|best| self.known.sure.contains(&best)) {
            // It has found nothing that is better than to win soon.
            (told.best, told.ponder) = (self.known.sure.first().copied(), None);
            if let Some(info) = &mut told.info {
                info.pv = told.best.into_iter().collect();
            }
        }
        self.inner.verdict(&told);
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use std::sync::Mutex;
    use tempfile::TempDir;
    use thinking::report::Clock;
    use thinking::score::mate_in;

    /// The tables of three men.
    pub(in super::super) const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/syzygy");

    /// The tables of three men that lie with the tests.
    fn three_men() -> Tables {
        let mut tables = Tables::default();
        tables.open(FOLDER).told().expect("the tables lie there");
        tables
    }

    /// A folder with the tables of three men, but for those whose names end so.
    pub(in super::super) fn folder_without(ending: &str) -> TempDir {
        let folder = tempfile::tempdir().unwrap();
        for entry in std::fs::read_dir(FOLDER).unwrap() {
            let table = entry.unwrap();
            let name = table.file_name();
            if !name.to_str().unwrap().ends_with(ending) {
                std::fs::copy(table.path(), folder.path().join(name)).unwrap();
            }
        }
        folder
    }

    /// What the tables of three men know of a position, if only some moves are to be searched or, where none is named,
    /// all.
    fn looked_up(fen: &str, only: &str) -> Known {
        looked_up_in(&three_men(), fen, only)
    }

    fn looked_up_in(tables: &Tables, fen: &str, only: &str) -> Known {
        let position = Position::from_fen(fen).unwrap();
        let search_moves = only.split_whitespace().map(|text| position.parse_uci(text).unwrap()).collect();
        let limits = Limits { search_moves, ..Limits::default() };
        let task = Task { game: Game::new(position), limits, multipv: 1, analysis: false };
        tables.look_up(&task).expect("it is in the tables")
    }

    /// Moves as text, in the order of the alphabet.
    fn names(moves: &[Move]) -> Vec<String> {
        let mut names: Vec<String> = moves.iter().map(Move::to_string).collect();
        names.sort();
        names
    }

    #[test]
    fn ranks_are_ordered_by_what_a_player_wants() {
        let order = [
            Rank::Loss(0),
            Rank::Loss(40),
            Rank::Loss(60),
            Rank::BlessedLoss,
            Rank::Draw,
            Rank::CursedWin(-101),
            Rank::CursedWin(-30),
            Rank::Win(-9),
            Rank::Win(-2),
        ];
        assert!(order.is_sorted());
    }

    /// By hand: what comes after the hundredth ply without a zeroing move comes too late.
    #[test]
    fn a_distance_is_kept_where_it_counts() {
        for (distance, clock, played, otherwise) in [
            (0, 99, Rank::Draw, Rank::Draw),
            (1, 99, Rank::Win(-1), Rank::Win(-1)),
            (30, 70, Rank::Win(-30), Rank::Win(-30)),
            (30, 71, Rank::CursedWin(-30), Rank::Win(-30)),
            (100, 0, Rank::Win(-100), Rank::Win(-100)),
            (101, 0, Rank::CursedWin(-101), Rank::Win(-101)),
            (-30, 39, Rank::Loss(0), Rank::Loss(0)),
            (-30, 40, Rank::Loss(30), Rank::Loss(0)),
            (-30, 70, Rank::Loss(30), Rank::Loss(0)),
            (-30, 71, Rank::BlessedLoss, Rank::Loss(0)),
            (-100, 0, Rank::Loss(100), Rank::Loss(0)),
            (-101, 0, Rank::BlessedLoss, Rank::Loss(0)),
        ] {
            let ranks = [true, false].map(|fifty| Rank::of(Dtz(distance), clock, fifty));
            assert_eq!(ranks, [played, otherwise], "{distance} plies after {clock}");
        }
    }

    /// Two moves of the king win here, and two give the win away.
    #[test]
    fn only_moves_that_are_to_be_searched_are_known() {
        let fen = "4k3/8/4K3/4P3/8/8/8/8 w - - 0 1";
        for (only, sure, result) in
            [("", "e6d6 e6f6", WIN), ("e6d5 e6d6", "e6d6", WIN), ("e6d5", "e6d5", DRAW)]
        {
            let known = looked_up(fen, only);
            assert_eq!(names(&known.sure).join(" "), sure, "of {only:?}");
            assert_eq!(names(&known.moves).join(" "), sure, "of {only:?}");
            assert_eq!(known.result, result, "of {only:?}");
        }
    }

    /// After five moves of the rook and one of the king White mates with the next move, whatever Black does: on the
    /// hundredth ply, if 97 were played before.
    #[test]
    fn a_win_on_the_hundredth_ply_is_in_time() {
        let late = |halfmoves: u32| looked_up(&format!("7k/R4K2/8/8/8/8/8/8 w - - {halfmoves} 90"), "");
        assert_eq!((late(97).result, late(98).result), (WIN, DRAW));
        assert_eq!(names(&late(97).sure), ["a7a1", "a7a2", "a7a3", "a7a4", "a7a5", "f7g6"]);
        // Too late, but Black has to waste one ply only: the same moves, and no longer way.
        assert_eq!(names(&late(98).moves), names(&late(97).sure));
    }

    /// Black is mated on the second ply after Kh8 (Rh1) and on the fourth after Kh6 (Ra5, Kh7, Rh5).
    #[test]
    fn the_longer_loss_is_searched_where_the_fifty_move_rule_is_near() {
        for (halfmoves, moves, result) in [
            (0, "h7h6 h7h8", -WIN),
            (91, "h7h6 h7h8", -WIN),
            (92, "h7h6", -WIN),
            (96, "h7h6", -WIN),
            (97, "h7h6", DRAW),
        ] {
            let known = looked_up(&format!("8/5K1k/8/8/8/8/8/R7 b - - {halfmoves} 90"), "");
            assert_eq!(
                (names(&known.moves).join(" ").as_str(), known.result),
                (moves, result),
                "{halfmoves}"
            );
        }
    }

    /// The same moves as with all tables, though all wins but mates are alike, and the search asks for the way.
    #[test]
    fn results_rank_the_root_where_a_distance_is_missing() {
        let pawn = "k7/8/8/8/8/8/4K2P/8 w - - 0 90";
        for missing in [".rtbz", "KPvK.rtbz"] {
            let folder = folder_without(missing);
            let mut tables = Tables::default();
            tables.open(folder.path().to_str().unwrap()).told().expect("the others lie there");
            for (fen, only, sure, result) in [
                ("4k3/8/4K3/4P3/8/8/8/8 w - - 0 1", "", "e6d6 e6f6", WIN),
                ("4k3/8/4K3/4P3/8/8/8/8 w - - 0 1", "e6d5 e6f5", "e6d5 e6f5", DRAW),
                ("4k3/8/4K3/4P3/8/8/8/8 b - - 0 1", "", "e8d8 e8f8", -WIN),
            ] {
                let known = looked_up_in(&tables, fen, only);
                let whole = looked_up(fen, only);
                assert_eq!((names(&known.sure).join(" "), known.result), (sure.into(), result), "{fen}");
                assert_eq!((known.asks, whole.asks), (result != DRAW, false), "{fen}, {missing}");
                assert_eq!((known.moves, known.probes), (whole.moves, whole.probes), "{fen}, {missing}");
            }
            // No order of distances for the moves of the pawn, and of results for those of the king.
            assert_eq!(names(&looked_up_in(&tables, pawn, "").sure), names(&looked_up(pawn, "").moves));
        }
        let folder = folder_without(".rtbz");
        let mut tables = Tables::default();
        tables.open(folder.path().to_str().unwrap()).told().expect("the results lie there");
        let mate = looked_up_in(&tables, "7k/8/6K1/8/8/8/8/R7 w - - 0 1", "");
        assert_eq!((names(&mate.sure).join(" ").as_str(), mate.result), ("a1a8", WIN));
    }

    /// No ending of three men is won in more than fifty moves, so no table here has such a result.
    #[test]
    fn cursed_wins_are_draws_where_the_rule_is_played() {
        for (wdl, played, otherwise) in [
            (Wdl::Win, Ending::Win, Ending::Win),
            (Wdl::CursedWin, Ending::Draw, Ending::Win),
            (Wdl::Draw, Ending::Draw, Ending::Draw),
            (Wdl::BlessedLoss, Ending::Draw, Ending::Loss),
            (Wdl::Loss, Ending::Loss, Ending::Loss),
        ] {
            for (fifty, ending) in [(true, played), (false, otherwise)] {
                let probe = Probe { files: Arc::new(Files::new()), most_men: 7, least_depth: 1, fifty };
                assert_eq!(probe.ending(wdl), ending, "{wdl:?}, the rule is played: {fifty}");
            }
        }
    }

    /// Results, and what they depend on.
    #[test]
    fn a_search_asks_what_the_options_say() {
        assert!(Tables::default().for_search().is_none(), "nothing to ask");
        let mut tables = three_men();
        tables.depth = 4;
        let probe = tables.for_search().expect("there are tables");
        assert_eq!((probe.most_men(), probe.least_depth()), (3, 4));
        for (fen, ending) in [
            ("4k3/8/4K3/4P3/8/8/8/8 b - - 0 1", Some(Ending::Loss)),
            ("8/8/4k3/8/4K3/4P3/8/8 w - - 0 1", Some(Ending::Draw)),
            ("8/8/8/8/3k4/8/8/KR6 w - - 0 1", Some(Ending::Win)),
            ("8/8/8/8/3k4/8/8/KRR5 w - - 0 1", None),
            ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", None),
        ] {
            assert_eq!(probe.probe(&Position::from_fen(fen).unwrap()), ending, "{fen}");
        }
        tables.men = 0;
        assert!(tables.for_search().is_none(), "a limit of no men");
    }

    /// Any king move that wins may lead to the shortest mate; a pawn move is sooner only for the tables.
    #[test]
    fn all_wins_are_searched_outside_games() {
        let tables = three_men();
        let known = |halfmoves: u32, change: &dyn Fn(&mut Limits)| {
            let fen = format!("k7/8/8/8/8/8/4K2P/8 w - - {halfmoves} 90");
            let game = Game::new(Position::from_fen(&fen).unwrap());
            let time = Duration::from_secs(9);
            let clock = Clock { remaining: time, increment: time, moves_to_go: None };
            let mut limits = Limits { clock: Some(clock), ..Limits::default() };
            change(&mut limits);
            let known = tables.look_up(&Task { game, limits, multipv: 1, analysis: false }).unwrap();
            assert_eq!(names(&known.sure), ["h2h3", "h2h4"]);
            names(&known.moves)
        };
        let all = known(0, &|limits| limits.clock = None);
        assert!(all.len() > 5 && all.contains(&"h2h4".to_owned()), "{all:?}");
        assert_eq!(known(0, &|limits| limits.mate = Some(9)), all, "a mate is asked for");
        assert_eq!(known(0, &|limits| limits.infinite = true), all, "an analysis");
        assert_eq!(known(0, &|_| ()), ["h2h3", "h2h4"]);
        let in_nodes = |limits: &mut Limits| {
            (limits.clock, limits.time_in_nodes, limits.clock_of_nodes) = (None, Some(9000), true);
        };
        assert_eq!(known(0, &in_nodes), ["h2h3", "h2h4"], "a clock of nodes");
        assert_eq!(known(98, &|limits| limits.clock = None), ["h2h3", "h2h4"], "the fifty-move rule is near");
    }

    /// A quarter of the time for the move, and half a second of an endless search; one to a depth takes its time.
    #[test]
    fn a_root_whose_time_is_gone_is_not_looked_up() {
        let tables = three_men();
        let game = Game::new(Position::from_fen("k7/8/8/8/8/8/4K2P/8 w - - 0 1").unwrap());
        let since = Instant::now().checked_sub(Duration::from_secs(1));
        assert!(since.is_some(), "the machine has run for a second");
        let timed = |seconds| Limits { movetime: Some(Duration::from_secs(seconds)), ..Limits::default() };
        for (limits, known) in [
            (timed(3), false),
            (timed(3600), true),
            (Limits { infinite: true, ..Limits::default() }, false),
            (Limits { depth: Some(9), ..Limits::default() }, true),
        ] {
            let (game, limits) = (game.clone(), Limits { since, ..limits });
            let task = Task { game, limits, multipv: 1, analysis: false };
            assert_eq!(tables.look_up(&task).is_some(), known, "{:?}", task.limits);
        }
    }

    /// Whatever the clock that a ponder search is planned for: its hit must not wait for the tables.
    #[test]
    fn tables_hold_a_search_that_only_a_command_ends_for_half_a_second_at_most() {
        let under = |seconds, ponder| {
            let (remaining, increment) = (Duration::from_secs(seconds), Duration::ZERO);
            let clock = Some(Clock { remaining, increment, moves_to_go: Some(1) });
            patience(&Limits { clock, ponder, ..Limits::default() })
        };
        assert_eq!(under(3600, true), Some(Duration::from_millis(500)));
        assert!(under(3600, false) > Some(Duration::from_secs(60)));
        assert_eq!(under(1, true), under(1, false), "a quarter of a short time is less");
        assert!(under(1, true) < Some(Duration::from_millis(500)));
        for (ponder, infinite) in [(true, false), (false, true)] {
            let endless = Limits { ponder, infinite, ..Limits::default() };
            assert_eq!(patience(&endless), Some(Duration::from_millis(500)));
        }
        assert_eq!(patience(&Limits { depth: Some(9), ..Limits::default() }), None);
    }

    /// What the search has not proved to be better is not played.
    #[test]
    fn a_move_that_only_looks_good_is_not_played() {
        #[derive(Default)]
        struct Heard(Mutex<Option<Verdict>>);
        impl Observer for Heard {
            fn verdict(&self, verdict: &Verdict) {
                *self.0.lock().unwrap() = Some(verdict.clone());
            }
        }
        let position = Position::startpos();
        let mv = |text: &str| position.parse_uci(text).unwrap();
        let heard_of = |score: Score, best: &str| {
            let heard = Arc::new(Heard::default());
            let moves = vec![mv("a2a3"), mv("b2b3")];
            let known = Known { moves, sure: vec![mv("b2b3")], result: WIN, probes: 1, asks: false };
            let info = Info {
                depth: 9,
                seldepth: 9,
                multipv: 1,
                score,
                bound: Bound::Exact,
                nodes: 1,
                time: Duration::ZERO,
                hashfull: 0,
                tbhits: 0,
                pv: vec![mv(best), mv("a2a3")],
            };
            let (best, ponder) = (Some(mv(best)), Some(mv("a2a3")));
            let verdict = Verdict { best, ponder, info: Some(info), ..Verdict::default() };
            Informed::new(heard.clone(), known).verdict(&verdict);
            let told = heard.0.lock().unwrap().take().unwrap();
            let info = told.info.unwrap();
            assert_eq!(info.pv.first(), told.best.as_ref());
            (told.best.unwrap().to_string(), told.ponder.is_some(), info.score)
        };
        assert_eq!(heard_of(300, "a2a3"), ("b2b3".into(), false, WIN));
        assert_eq!(heard_of(300, "b2b3"), ("b2b3".into(), true, WIN));
        assert_eq!(heard_of(mate_in(5), "a2a3"), ("a2a3".into(), true, mate_in(5)));
        assert_eq!(heard_of(-mate_in(5), "a2a3"), ("b2b3".into(), false, WIN));
    }

    #[test]
    fn folders_without_tables_are_named_and_nothing_is_known() {
        let mut tables = Tables::default();
        let error = tables.open("/no/such/folder").told().unwrap_err();
        assert!(error.contains("/no/such/folder"), "{error}");
        // What was opened before stays, and a path that is good in part is taken.
        tables.open(FOLDER).told().expect("the tables lie there");
        for (path, has_changed) in [("/no/such/folder", false), (&format!("{FOLDER};/no/such/folder"), true)]
        {
            let taken = tables.open(path);
            assert_eq!(taken.has_changed(), has_changed, "{path}");
            assert!(taken.told().is_err(), "{path}");
            assert_eq!(tables.most_men(), 3, "{path}");
        }
        // Distances say nothing without results.
        let distances = folder_without(".rtbw");
        let taken = tables.open(distances.path().to_str().unwrap());
        assert!(!taken.has_changed());
        let error = taken.told().unwrap_err();
        assert!(error.contains("no tables of results (*.rtbw)"), "{error}");
        assert_eq!(looked_up_in(&tables, "4k3/8/8/8/8/8/8/4K2Q w - - 0 1", "").result, WIN);
        tables.open("").told().expect("no path is none");
        let game = Game::new(Position::from_fen("4k3/8/8/8/8/8/8/4K2Q w - - 0 1").unwrap());
        let task = Task { game, limits: Limits::default(), multipv: 1, analysis: false };
        assert_eq!(tables.look_up(&task), None);
    }
}
