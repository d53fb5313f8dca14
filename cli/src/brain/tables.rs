//! Syzygy tablebases at the root: with few enough men on the board they know which moves keep the result.
//!
//! The search is given only those moves: of winning ones those that come nearest to a capture, pawn move or mate (Ronald
//! de Man's distance to zeroing), so that the win is not shuffled away; of drawing and losing ones all, so that it
//! still sets traps. The tree below is searched without tables.

use chess::{Game, Move, Outcome, Position};
use engine::report::{Bound, Info, Observer, Verdict};
use engine::score::{DRAW, Score, is_mate};
use protocol::brain::Task;
use protocol::option::{OptionSpec, Value};
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess};
use shakmaty_syzygy::{Dtz, Tablebase};
use std::sync::Arc;

const PATH: &str = "SyzygyPath";
const DEPTH: &str = "SyzygyProbeDepth";
const LIMIT: &str = "SyzygyProbeLimit";
const FIFTY: &str = "Syzygy50MoveRule";
/// Most men any table has.
const MOST_MEN: i64 = 7;
/// The greatest depth a user may ask for before tables are asked, in plies.
const MOST_DEPTH: i64 = 100;
/// What a result by tablebase is reported as, where no mate is seen: more than any evaluation, less than any mate.
const WON: Score = 20_000;
/// A win in more plies than this is none under the fifty-move rule.
const FIFTY_MOVES: i32 = 100;

/// What a user may set.
pub(super) fn options() -> Vec<OptionSpec> {
    vec![
        OptionSpec::text(PATH, ""),
        OptionSpec::spin(DEPTH, 1, 1, MOST_DEPTH),
        OptionSpec::spin(LIMIT, MOST_MEN, 0, MOST_MEN),
        OptionSpec::check(FIFTY, true),
    ]
}

/// The tables that were found, and how to ask them.
pub(super) struct Tables {
    tables: Tablebase<Chess>,
    /// Most men on the board.
    men: usize,
    /// Least depth of a search, in plies, that is worth asking for.
    depth: u32,
    /// Whether a game is drawn after fifty moves.
    fifty: bool,
}

impl Default for Tables {
    fn default() -> Self {
        Tables { tables: Tablebase::new(), men: MOST_MEN as usize, depth: 1, fifty: true }
    }
}

/// What the tables know of a root.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Known {
    /// The moves worth searching.
    pub moves: Vec<Move>,
    /// The result as a score for the side to move.
    pub result: Score,
    /// Positions looked up.
    pub probes: u64,
}

impl Tables {
    /// Sets an option; `None` if it is none of the tables'.
    pub(super) fn set(&mut self, name: &str, value: &Value) -> Option<Result<(), String>> {
        match (name, value) {
            (PATH, Value::Text(path)) => return Some(self.open(path)),
            (DEPTH, &Value::Spin(plies)) => self.depth = plies as u32,
            (LIMIT, &Value::Spin(men)) => self.men = men as usize,
            (FIFTY, &Value::Check(on)) => self.fifty = on,
            _ => return None,
        }
        Some(Ok(()))
    }

    /// Opens the tables of all folders of a path; those of folders that cannot be read are missing.
    fn open(&mut self, path: &str) -> Result<(), String> {
        self.tables = Tablebase::new();
        let mut failures = Vec::new();
        // Windows separates with semicolons, which users of other systems copy.
        let folders = path.split(';').flat_map(std::env::split_paths);
        for folder in folders.filter(|folder| !folder.as_os_str().is_empty()) {
            match self.tables.add_directory(&folder) {
                Ok(0) => failures.push(format!("{}: no tables there", folder.display())),
                Ok(_) => {}
                Err(error) => failures.push(format!("{}: {}", folder.display(), error.kind())),
            }
        }
        if failures.is_empty() { Ok(()) } else { Err(format!("{PATH}: {}", failures.join("; "))) }
    }

    /// What the tables know of a task's root, as far as it may be searched at all. The root stands as many plies above the
    /// leaves as the search is deep: one that is to be shallower than the tables are asked at does without.
    pub(super) fn look_up(&self, task: &Task) -> Option<Known> {
        let game = &task.game;
        let men = self.men.min(self.tables.max_pieces());
        if task.limits.depth.is_some_and(|plies| plies < self.depth) {
            return None;
        }
        if game.position().occupied().count() as usize > men {
            return None;
        }
        let only = &task.limits.search_moves;
        let mut ranked = Vec::new();
        let mut probes = 0;
        for mv in game.position().legal_moves() {
            if only.is_empty() || only.contains(&mv) {
                ranked.push((mv, self.rank(game, mv, &mut probes)?));
            }
        }
        let best = ranked.iter().map(|&(_, rank)| rank).max()?;
        let moves = ranked.iter().filter(|&&(_, rank)| rank == best).map(|&(mv, _)| mv).collect();
        let result = match best {
            Rank::Win(_) => WON,
            Rank::Loss => -WON,
            Rank::BlessedLoss | Rank::Draw | Rank::CursedWin => DRAW,
        };
        Some(Known { moves, result, probes })
    }

    /// How good a move is; `None` if a table is missing.
    fn rank(&self, game: &Game, mv: Move, probes: &mut u64) -> Option<Rank> {
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
        let setup = convert(position)?;
        let distance = if position.halfmove_clock() == 0 {
            Dtz::before_zeroing(-self.tables.probe_wdl_after_zeroing(&setup).ok()?)
        } else {
            -self.tables.probe_dtz(&setup).ok()?.ignore_rounding().add_plies(1)
        };
        let Dtz(plies) = distance;
        let clock = game.position().halfmove_clock() as i32;
        let in_time = !self.fifty || plies.abs() + clock <= FIFTY_MOVES;
        Some(match plies {
            0 => Rank::Draw,
            1.. if in_time => Rank::Win(-plies),
            1.. => Rank::CursedWin,
            _ if in_time => Rank::Loss,
            _ => Rank::BlessedLoss,
        })
    }
}

/// What a move leads to, worst first. A win holds the plies to the next zeroing move, negated: sooner is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Loss,
    BlessedLoss,
    Draw,
    CursedWin,
    Win(i32),
}

fn convert(position: &Position) -> Option<Chess> {
    let fen: Fen = position.fen().parse().ok()?;
    fen.into_position(CastlingMode::Standard).ok()
}

/// Tells the session what the tables know in place of what the search believes, mates excepted.
pub(super) struct Informed {
    inner: Arc<dyn Observer>,
    result: Score,
    probes: u64,
}

impl Informed {
    pub(super) fn new(inner: Arc<dyn Observer>, result: Score, probes: u64) -> Self {
        Informed { inner, result, probes }
    }

    fn correct(&self, info: &Info) -> Info {
        let believed = is_mate(info.score) && info.score.signum() == self.result.signum();
        let score = if believed { info.score } else { self.result };
        let bound = if believed { info.bound } else { Bound::Exact };
        Info { score, bound, tbhits: info.tbhits + self.probes, ..info.clone() }
    }
}

impl Observer for Informed {
    fn info(&self, info: &Info) {
        self.inner.info(&self.correct(info));
    }

    fn root_move(&self, depth: u32, current: Move, index: usize, total: usize) {
        self.inner.root_move(depth, current, index, total);
    }

    fn verdict(&self, verdict: &Verdict) {
        let info = verdict.info.as_ref().map(|info| self.correct(info));
        self.inner.verdict(&Verdict { info, ..verdict.clone() });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_ordered_by_what_a_player_wants() {
        let order =
            [Rank::Loss, Rank::BlessedLoss, Rank::Draw, Rank::CursedWin, Rank::Win(-9), Rank::Win(-2)];
        assert!(order.is_sorted());
    }

    #[test]
    fn folders_without_tables_are_named_and_nothing_is_known() {
        let mut tables = Tables::default();
        let error = tables.open("/no/such/folder").unwrap_err();
        assert!(error.contains("/no/such/folder"), "{error}");
        let game = Game::new(Position::from_fen("4k3/8/8/8/8/8/8/4K2Q w - - 0 1").unwrap());
        let task = Task { game, limits: engine::report::Limits::default(), multipv: 1 };
        assert_eq!(tables.look_up(&task), None);
    }
}
