//! Which move next: the staged move picker.
//!
//! Most nodes that cut off do so on the first move or two, so moves are generated and sorted as late as
//! possible: the table's move without any generation, captures that do not lose material by static exchange
//! (victim first, then merit), the killer, quiet moves by history with checks ahead of their merit, and at
//! last the losing captures. Quiescence ends with the good captures, or where it asks for them with quiet
//! checks.

use crate::checks::Checks;
use crate::history::Merit;
use arrayvec::ArrayVec;
use chess::{Gen, Move, MoveList, PieceKind, Position, SEE_VALUES};

/// What a quiet check is worth in the order of the quiet moves...
const SAFE_CHECK_BONUS: i32 = 12_000;
/// ...if it loses no more than this by exchange, in centipawns.
const SAFE_CHECK_LOSS: i32 = 75;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Table,
    MakeNoisy,
    GoodNoisy,
    Killer,
    MakeQuiets,
    Quiets,
    BadNoisy,
    MakeChecks,
    Checks,
    /// A list in the order in which its moves come: the root, and split points.
    Listed,
}

#[derive(Clone, Copy, Debug)]
struct Scored {
    mv: Move,
    score: i32,
}

/// Hands out the moves of one node, best hopes first, each once.
#[derive(Debug)]
pub struct Picker {
    stage: Stage,
    table: Option<Move>,
    killer: Option<Move>,
    moves: ArrayVec<Scored, 256>,
    /// The next move of the list to look at.
    next: usize,
    /// Of a list, where the captures that lose material begin.
    losing: usize,
    /// Losing captures, kept at the front of the list where they have been looked at already.
    bad: usize,
    quiets: bool,
    /// Whether a capture is good depends on its score as well as on the static exchange.
    lenient: bool,
    /// Quiet moves only if they give check.
    only_checks: bool,
    /// Which quiet moves give check; worked out when first needed.
    checks: Option<Checks>,
    /// No quiet move is wanted any more.
    skip_quiets: bool,
    handed_out: usize,
    /// Moves to come again at the end, with their numbers.
    late: ArrayVec<(Move, usize), 64>,
}

impl Picker {
    fn at(stage: Stage, table: Option<Move>, killer: Option<Move>, quiets: bool) -> Self {
        Picker {
            stage,
            table,
            killer,
            moves: ArrayVec::new(),
            next: 0,
            losing: usize::MAX,
            bad: 0,
            quiets,
            lenient: false,
            only_checks: false,
            checks: None,
            skip_quiets: false,
            handed_out: 0,
            late: ArrayVec::new(),
        }
    }

    /// All legal moves. `table` and `killer` may be anything: they are checked for legality.
    #[inline]
    pub fn new(position: &Position, table: Option<Move>, killer: Option<Move>) -> Self {
        let table = table.filter(|&mv| position.is_legal(mv));
        Picker { lenient: true, ..Self::at(Stage::Table, table, killer, true) }
    }

    /// Captures and promotions that do not lose material, and with `checks` quiet moves that give check and do not
    /// lose material either; all legal moves in check.
    #[inline]
    pub fn quiescent(position: &Position, table: Option<Move>, checks: bool) -> Self {
        let quiets = position.in_check();
        let table = table.filter(|&mv| (quiets || !is_quiet(position, mv)) && position.is_legal(mv));
        Picker { only_checks: checks, ..Self::at(Stage::Table, table, None, quiets) }
    }

    /// Captures and promotions that do not lose material; not in check.
    pub fn winning(position: &Position, table: Option<Move>) -> Self {
        let table = table.filter(|&mv| !is_quiet(position, mv) && position.is_legal(mv));
        Self::at(Stage::Table, table, None, false)
    }

    /// These moves, in this order.
    pub fn listed(moves: impl IntoIterator<Item = Move>) -> Self {
        let mut picker = Self::at(Stage::Listed, None, None, true);
        picker.moves.extend(moves.into_iter().map(|mv| Scored { mv, score: 0 }));
        picker
    }

    /// Becomes a copy of another, touching only as much memory as there are moves. A picker has room for any
    /// position's.
    pub fn copy_from(&mut self, other: &Picker) {
        let Picker {
            stage,
            table,
            killer,
            moves,
            next,
            losing,
            bad,
            quiets,
            lenient,
            only_checks,
            checks,
            skip_quiets,
            handed_out,
            late,
        } = other;
        self.stage = *stage;
        self.table = *table;
        self.killer = *killer;
        self.moves.clone_from(moves);
        self.next = *next;
        self.losing = *losing;
        self.bad = *bad;
        self.quiets = *quiets;
        self.lenient = *lenient;
        self.only_checks = *only_checks;
        self.checks = *checks;
        self.skip_quiets = *skip_quiets;
        self.handed_out = *handed_out;
        self.late.clone_from(late);
    }

    /// Makes a list of what is left, in the order in which it would have come. Workers who share it then write little
    /// and wait little for each other, and it is known how many moves there are.
    pub fn list_rest(&mut self, position: &Position, merit: Merit<'_>) {
        if self.stage == Stage::Listed {
            return;
        }
        let mut rest = ArrayVec::new();
        let mut losing = 0;
        while let Some(mv) = self.advance(position, merit) {
            if !self.at_losing() {
                losing = rest.len() + 1;
            }
            rest.push(Scored { mv, score: i32::from(is_quiet(position, mv)) });
        }
        (self.moves, self.next, self.losing, self.bad) = (rest, 0, losing, 0);
        self.stage = Stage::Listed;
    }

    /// How many moves have been handed out.
    #[inline]
    pub fn handed_out(&self) -> usize {
        self.handed_out
    }

    /// The most moves that can still come: as many as a position may have, until the quiet ones have been made.
    pub fn most_left(&self) -> usize {
        let listed = match self.stage {
            Stage::Quiets | Stage::Listed => self.moves.len() - self.next + self.bad,
            Stage::BadNoisy => self.bad - self.next,
            _ => self.moves.capacity(),
        };
        listed + self.late.len()
    }

    /// Grows whenever it has made a list of moves and rated each of them.
    pub(crate) fn lists_made(&self) -> usize {
        match self.stage {
            Stage::Table | Stage::MakeNoisy | Stage::Listed => 0,
            Stage::GoodNoisy | Stage::Killer | Stage::MakeQuiets | Stage::MakeChecks => 1,
            Stage::Quiets | Stage::BadNoisy | Stage::Checks => 2,
        }
    }

    /// The moves of these lists, as far as they are still kept.
    pub fn rated(&self) -> impl Iterator<Item = Move> {
        self.moves.iter().map(|scored| scored.mv)
    }

    /// The next move.
    #[inline]
    pub fn next(&mut self, position: &Position, merit: Merit<'_>) -> Option<Move> {
        let mv = self.advance(position, merit)?;
        self.handed_out += 1;
        Some(mv)
    }

    /// Does this quiet move give check?
    #[inline]
    pub fn gives_check(&mut self, position: &Position, mv: Move) -> bool {
        self.checks(position).given_by(position, mv)
    }

    #[inline]
    fn checks(&mut self, position: &Position) -> &Checks {
        self.checks.get_or_insert_with(|| Checks::of(position))
    }

    /// Are those moves handed out that lose material by exchange?
    pub fn at_losing(&self) -> bool {
        self.stage == Stage::BadNoisy || self.stage == Stage::Listed && self.next > self.losing
    }

    /// From now on no quiet move is handed out.
    pub fn skip_quiets(&mut self) {
        self.skip_quiets = true;
    }

    /// Defers a move that was handed out, with its number, to the end. `false`: there is no room, it has to
    /// be searched now.
    pub fn defer(&mut self, mv: Move, number: usize) -> bool {
        self.late.try_push((mv, number)).is_ok()
    }

    /// A deferred move, in the order in which they were deferred, and its number.
    pub fn next_deferred(&mut self) -> Option<(Move, usize)> {
        self.late.pop_at(0)
    }

    fn advance(&mut self, position: &Position, merit: Merit<'_>) -> Option<Move> {
        loop {
            match self.stage {
                Stage::Table => {
                    self.stage = Stage::MakeNoisy;
                    if self.table.is_some() {
                        return self.table;
                    }
                }
                Stage::MakeNoisy => {
                    self.make(position, Gen::Noisy, |_| true, |mv| noisy_score(position, merit, mv));
                    self.stage = Stage::GoodNoisy;
                }
                Stage::GoodNoisy => match self.best_left() {
                    Some(Scored { mv, score }) if position.see_ge(mv, self.least(score)) => return Some(mv),
                    Some(losing) => {
                        self.moves[self.bad] = losing;
                        self.bad += 1;
                    }
                    None if self.quiets => self.stage = Stage::Killer,
                    None if self.only_checks => self.stage = Stage::MakeChecks,
                    None => return None,
                },
                Stage::Killer | Stage::MakeQuiets | Stage::Quiets if self.skip_quiets => {
                    self.begin_bad_noisy();
                }
                Stage::Killer => {
                    self.stage = Stage::MakeQuiets;
                    // One that is not a legal quiet move here is forgotten, so that no later stage skips a
                    // move for it.
                    let table = self.table;
                    self.killer = self
                        .killer
                        .filter(|&mv| Some(mv) != table && is_quiet(position, mv) && position.is_legal(mv));
                    if self.killer.is_some() {
                        return self.killer;
                    }
                }
                Stage::MakeQuiets => {
                    // An answer to check that gives check is too rare to look for.
                    let checks = (!position.in_check()).then(|| *self.checks(position));
                    let safe_check = |mv| {
                        checks.is_some_and(|checks| checks.given_by(position, mv))
                            && position.see_ge(mv, -SAFE_CHECK_LOSS)
                    };
                    let merit = merit.order(position);
                    let score = |mv| merit(mv) + if safe_check(mv) { SAFE_CHECK_BONUS } else { 0 };
                    self.make(position, Gen::Quiet, |_| true, score);
                    self.stage = Stage::Quiets;
                }
                Stage::Quiets => match self.best_left() {
                    Some(Scored { mv, .. }) => return Some(mv),
                    None => self.begin_bad_noisy(),
                },
                Stage::BadNoisy => {
                    let mv = self.moves[..self.bad].get(self.next)?.mv;
                    self.next += 1;
                    return Some(mv);
                }
                Stage::MakeChecks => {
                    let checks = *self.checks(position);
                    let wanted = |mv| checks.given_by(position, mv) && position.see_ge(mv, 0);
                    self.make(position, Gen::Quiet, wanted, merit.quiets(position));
                    self.stage = Stage::Checks;
                }
                Stage::Checks => return self.best_left().map(|scored| scored.mv),
                Stage::Listed => {
                    let Scored { mv, score: quiet } = *self.moves.get(self.next)?;
                    self.next += 1;
                    if quiet == 0 || !self.skip_quiets {
                        return Some(mv);
                    }
                }
            }
        }
    }

    /// What a capture of this score must gain by exchange to be a good one. Where all moves come, a high
    /// score may lose something, and a low one must win something.
    fn least(&self, score: i32) -> i32 {
        if self.lenient { 122 - score / 45 } else { 0 }
    }

    fn begin_bad_noisy(&mut self) {
        self.stage = Stage::BadNoisy;
        self.next = 0;
    }

    /// Adds the wanted moves of a kind, less those handed out by other stages. The killer is looked at
    /// before quiet moves are made, so by then it is a quiet move handed out, or gone.
    #[inline]
    fn make(
        &mut self,
        position: &Position,
        which: Gen,
        wanted: impl Fn(Move) -> bool,
        score: impl Fn(Move) -> i32,
    ) {
        let mut made = MoveList::new();
        position.generate(which, &mut made);
        self.next = self.moves.len();
        for &mv in &made {
            let killer = which == Gen::Quiet && Some(mv) == self.killer;
            if Some(mv) != self.table && !killer && wanted(mv) {
                self.moves.push(Scored { mv, score: score(mv) });
            }
        }
    }

    /// Takes the best-scored move that is left: selection, since most nodes ask for few.
    #[inline]
    fn best_left(&mut self) -> Option<Scored> {
        let left = &mut self.moves[self.next..];
        let mut most = left.first()?.score;
        let mut best = 0;
        for (i, scored) in left.iter().enumerate().skip(1) {
            if scored.score > most {
                (most, best) = (scored.score, i);
            }
        }
        left.swap(0, best);
        self.next += 1;
        Some(left[0])
    }
}

/// Neither a capture nor a promotion.
#[inline]
pub fn is_quiet(position: &Position, mv: Move) -> bool {
    !position.is_capture(mv) && mv.promotion().is_none()
}

/// The more valuable victim first, unless the merit of the captures says otherwise: its range is worth ten
/// pawns.
#[inline]
fn noisy_score(position: &Position, merit: Merit<'_>, mv: Move) -> i32 {
    let victim = position.captured(mv).map_or(0, |kind| SEE_VALUES[kind.index()]);
    let promotion = match mv.promotion() {
        Some(PieceKind::Queen) => SEE_VALUES[PieceKind::Queen.index()],
        Some(_) => -SEE_VALUES[PieceKind::Queen.index()],
        None => 0,
    };
    (victim + promotion) * 16 + merit.capture(position, mv)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::{Contexts, History};
    use chess::Bitboard;

    /// A list of the rest hands out what the picker would have, and knows the same of each move, wherever it is made
    /// and from wherever on no quiet move is wanted.
    #[test]
    fn a_list_of_the_rest_is_the_rest() {
        let history = History::default();
        let fen = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
        let position: Position = fen.parse().unwrap();
        let merit = || history.at(Contexts::default(), Bitboard::EMPTY);
        let count = position.legal_moves().len();
        for (drawn, skipped) in
            (0..=count).flat_map(|drawn| (drawn..=count).map(move |skipped| (drawn, skipped)))
        {
            let mut original = Picker::new(&position, None, None);
            (0..drawn).for_each(|_| _ = original.next(&position, merit()));
            let mut list = Picker::listed([]);
            list.copy_from(&original);
            list.list_rest(&position, merit());
            assert_eq!(list.most_left(), count - drawn);
            let rest = |picker: &mut Picker| {
                let mut come = Vec::new();
                loop {
                    if drawn + come.len() == skipped {
                        picker.skip_quiets();
                    }
                    let Some(mv) = picker.next(&position, merit()) else { return come };
                    come.push((mv, picker.at_losing(), picker.handed_out()));
                }
            };
            assert_eq!(rest(&mut list), rest(&mut original), "{drawn} drawn, no quiet move after {skipped}");
        }
    }

    #[test]
    fn never_do_more_moves_come_than_may_be_left_and_at_the_end_none_may() {
        let history = History::default();
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            // Captures that lose material, which come at the end; and an answer to check.
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "rnbqk1nr/pppp1ppp/4p3/8/1b1P4/8/PPP1PPPP/RNBQKBNR w KQkq - 0 1",
        ] {
            let position: Position = fen.parse().unwrap();
            let mut picker = Picker::new(&position, None, None);
            let mut coming = position.legal_moves().len();
            let next = |picker: &mut Picker| {
                picker.next(&position, history.at(Contexts::default(), Bitboard::EMPTY))
            };
            let mut known = false;
            loop {
                let may = picker.most_left();
                assert!(may >= coming, "{fen}: {coming} moves come, {may} may be left");
                known |= coming > 1 && may == coming;
                if next(&mut picker).is_none() {
                    break;
                }
                coming -= 1;
            }
            assert_eq!((coming, picker.most_left()), (0, 0), "{fen}");
            assert!(known, "{fen}: how many are left is known before the last move");
            let again = position.legal_moves().into_iter().next().unwrap();
            assert!(picker.defer(again, 1));
            assert_eq!(picker.most_left(), 1, "{fen}: a deferred move comes again");
        }
    }

    #[test]
    fn a_copy_hands_out_what_the_original_would_have_whatever_it_was_before() {
        let history = History::default();
        let position: Position =
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1".parse().unwrap();
        let merit = || history.at(Contexts::default(), Bitboard::EMPTY);
        let rest = |picker: &mut Picker| {
            let moves: Vec<Move> = std::iter::from_fn(|| picker.next(&position, merit())).collect();
            (moves, picker.next_deferred(), picker.handed_out())
        };
        for drawn in 1..=position.legal_moves().len() {
            let mut original = Picker::new(&position, None, None);
            let last = (0..drawn).filter_map(|_| original.next(&position, merit())).last().unwrap();
            assert!(original.defer(last, drawn));
            let mut copy = Picker::listed(position.legal_moves());
            rest(&mut copy);
            copy.copy_from(&original);
            assert_eq!(rest(&mut copy), rest(&mut original), "after {drawn} moves");
        }
    }
}
