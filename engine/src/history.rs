//! What a thread remembers of moves that were good elsewhere in the tree, to try them early here.
//!
//! Killers are the last two quiet moves that cut off at a ply; the history table counts, per side, from and to square,
//! how quiet moves fared (Schaeffer 1989, "The History Heuristic"), apart by whether the other side attacks either square,
//! and with "gravity" so that every value stays within bounds and old merit fades; captures have a table of their own, by piece, square and victim. Continuation history
//! (the successor of the countermove heuristic, Uiterwijk 1992) counts the same by what was moved where one, two and
//! four plies before: an answer, and the second step of a plan.
//!
//! Each thread has a history of its own, and the threads of a search tell each other what they learn at deep nodes
//! ([`Histories`]). Who helps in a subtree needs its moves ordered by those who have been there: with histories
//! apart the threads' trees together grow (bench/runs/2026-11-21-shared-history). One history for all (as
//! in Stockfish to version 6) is as good, but where cores share no cache its lines go to and fro all the time, and every
//! thread loses 5 % of its rate; telling deep cut-offs only wins most of that back (bench/runs/2026-11-23-histories).
//! The values are atomics of relaxed order: of two updates at once one is lost, and nothing else happens.

use chess::{Bitboard, Move, PieceKind, Position};
use std::sync::Arc;
use std::sync::atomic::{AtomicI16, Ordering::Relaxed};

/// Values stay within ±`LIMIT`.
pub const LIMIT: i32 = 16_384;

/// How well something fared, within ±[`LIMIT`].
#[repr(transparent)]
struct Fare(AtomicI16);

impl Fare {
    const fn unknown() -> Self {
        Fare(AtomicI16::new(0))
    }

    #[inline]
    fn get(&self) -> i32 {
        i32::from(self.0.load(Relaxed))
    }

    #[inline]
    fn set(&self, value: i32) {
        self.0.store(value as i16, Relaxed);
    }
}

/// Moves a value towards ±[`LIMIT`] by `bonus`, the more slowly the closer it is.
#[inline]
fn update(value: &Fare, bonus: i32) {
    let bonus = bonus.clamp(-LIMIT, LIMIT);
    let old = value.get();
    let new = old + bonus - old * bonus.abs() / LIMIT;
    // Writing what is there already would take the cache line from the other threads for nothing.
    if new != old {
        value.set(new);
    }
}

/// By from and to, each by whether it is attacked and then by square: one piece's moves lie close together.
type FromTo = [[[[Fare; 64]; 2]; 64]; 2];
type Captures = [[[Fare; 5]; 64]; 6];

/// Pieces of both colours times squares.
const CONTEXTS: usize = 12 * 64;

/// Which piece went where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Context(u16);

impl Context {
    /// Nothing did: a null move, or before the root. Nothing is ever learnt of it.
    pub const NONE: Context = Context(CONTEXTS as u16);

    /// The context that a move of this position makes for those after it.
    #[inline]
    pub fn of(position: &Position, mv: Move) -> Self {
        let side = position.side_to_move().index();
        let kind = position.kind_on(mv.from()).map_or(0, PieceKind::index);
        Context(((side * 6 + kind) * 64 + mv.to().index()) as u16)
    }

    /// How many there are.
    pub(crate) const COUNT: usize = CONTEXTS + 1;

    #[inline]
    pub(crate) fn index(self) -> usize {
        usize::from(self.0)
    }
}

impl Default for Context {
    fn default() -> Self {
        Context::NONE
    }
}

/// How many plies back each context of a node lies.
pub const CONTEXT_PLIES: [usize; 3] = [1, 2, 4];
/// The contexts of a node, in that order.
pub type Contexts = [Context; CONTEXT_PLIES.len()];

/// The merit of moves, as a thread has learnt it.
pub struct History {
    quiets: Box<[FromTo; 2]>,
    captures: Box<[Captures; 2]>,
    /// By context, then by the move's own; the last row is that of [`Context::NONE`] and stays zero.
    continuations: Box<[[Fare; CONTEXTS]]>,
}

impl Default for History {
    fn default() -> Self {
        History {
            quiets: Box::new(
                [const { [const { [const { [const { [const { Fare::unknown() }; 64] }; 2] }; 64] }; 2] }; 2],
            ),
            captures: Box::new([const { [const { [const { [const { Fare::unknown() }; 5] }; 64] }; 6] }; 2]),
            continuations: (0..=CONTEXTS).map(|_| [const { Fare::unknown() }; CONTEXTS]).collect(),
        }
    }
}

/// The histories of the threads of a search.
#[derive(Clone, Default)]
pub struct Histories(Arc<[Arc<History>]>);

impl Histories {
    /// Most histories there are, whatever the number of threads: where there are more threads, several share one.
    pub const MOST: usize = 16;
    /// Shallowest node, in plies of remaining depth, whose cut-off is told to all.
    pub const TOLD_DEPTH: i32 = 6;

    /// For so many threads (at least one): these as far as there are any, and new ones.
    pub fn resized(&self, threads: usize) -> Self {
        let kept = self.0.iter().map(Arc::clone);
        Histories(
            kept.chain(std::iter::repeat_with(Arc::default)).take(threads.clamp(1, Self::MOST)).collect(),
        )
    }

    /// That of this thread; one of its own, which nobody tells anything, if there is none at all.
    pub fn of(&self, thread: usize) -> Arc<History> {
        self.0.get(thread % self.0.len().max(1)).map(Arc::clone).unwrap_or_default()
    }

    /// All but this one.
    #[inline]
    pub fn others<'h>(&'h self, own: &Arc<History>) -> impl Iterator<Item = &'h History> {
        self.0.iter().filter(move |other| !Arc::ptr_eq(other, own)).map(|other| &**other)
    }

    /// Forgets everything.
    pub fn clear(&self) {
        self.0.iter().for_each(|history| history.clear());
    }
}

/// Bytes of the parts of a history, in the order in which [`lines`] counts them.
const QUIET_BYTES: usize = size_of::<[FromTo; 2]>();
const CAPTURE_BYTES: usize = size_of::<[Captures; 2]>();
const LINE_BYTES: usize = 64;

/// The cache lines of a history in which the merit of a move lies at a node with these contexts and threats, numbered from
/// its beginning.
pub fn lines(
    position: &Position,
    mv: Move,
    (contexts, threats): (Contexts, Bitboard),
) -> impl Iterator<Item = usize> {
    const FARE: usize = size_of::<Fare>();
    let side = position.side_to_move().index();
    let quiet = !position.is_capture(mv) && mv.promotion().is_none();
    let table = if quiet {
        let [leaves, enters] = own_place(mv, threats);
        let from = (side * 2 + leaves) * 64 + mv.from().index();
        ((from * 2 + enters) * 64 + mv.to().index()) * FARE
    } else {
        let (piece, victim) = capture_index(position, mv);
        QUIET_BYTES + (((side * 6 + piece) * 64 + mv.to().index()) * 5 + victim) * FARE
    };
    let own = Context::of(position, mv).index();
    let known = contexts.into_iter().filter(move |&context| quiet && context != Context::NONE);
    let continued =
        known.map(move |context| QUIET_BYTES + CAPTURE_BYTES + (context.index() * CONTEXTS + own) * FARE);
    std::iter::once(table).chain(continued).map(|byte| byte / LINE_BYTES)
}

/// The history as it is asked at one node.
#[derive(Clone, Copy)]
pub struct Merit<'h> {
    history: &'h History,
    contexts: Contexts,
    threats: Bitboard,
}

impl Merit<'_> {
    /// Merit of a quiet move, within ±4 times [`LIMIT`].
    #[inline]
    pub fn quiet(&self, position: &Position, mv: Move) -> i32 {
        self.quiets(position)(mv)
    }

    /// The same for many moves of one position.
    #[inline]
    pub fn quiets(&self, position: &Position) -> impl Fn(Move) -> i32 {
        let quiets = &self.history.quiets[position.side_to_move().index()];
        let rows = self.contexts.map(|context| &self.history.continuations[context.index()]);
        move |mv| {
            let own = Context::of(position, mv).index();
            let continued: i32 = rows.iter().map(|row| row[own].get()).sum();
            own_value(quiets, mv, self.threats).get() + continued
        }
    }

    /// Merit of a capture or promotion, within ±[`LIMIT`].
    #[inline]
    pub fn capture(&self, position: &Position, mv: Move) -> i32 {
        let (piece, victim) = capture_index(position, mv);
        self.history.captures[position.side_to_move().index()][piece][mv.to().index()][victim].get()
    }
}

impl History {
    /// Forgets everything.
    pub fn clear(&self) {
        let quiets = self.quiets.as_flattened().as_flattened().as_flattened().as_flattened();
        let captures = self.captures.as_flattened().as_flattened().as_flattened();
        let all = quiets.iter().chain(captures).chain(self.continuations.as_flattened());
        all.for_each(|value| value.set(0));
    }

    /// The history as a node sees it that these contexts lead to and whose other side attacks these squares.
    #[inline]
    pub fn at(&self, contexts: Contexts, threats: Bitboard) -> Merit<'_> {
        Merit { history: self, contexts, threats }
    }

    /// Rewards or punishes a quiet move of a node with these contexts and threats.
    pub fn update_quiet(
        &self,
        position: &Position,
        mv: Move,
        (contexts, threats): (Contexts, Bitboard),
        bonus: i32,
    ) {
        let side = position.side_to_move().index();
        update(own_value(&self.quiets[side], mv, threats), bonus);
        let own = Context::of(position, mv).index();
        for context in contexts.into_iter().filter(|&context| context != Context::NONE) {
            update(&self.continuations[context.index()][own], bonus);
        }
    }

    /// Rewards or punishes a capture or promotion.
    pub fn update_capture(&self, position: &Position, mv: Move, bonus: i32) {
        let (piece, victim) = capture_index(position, mv);
        let table = &self.captures[position.side_to_move().index()];
        update(&table[piece][mv.to().index()][victim], bonus);
    }
}

/// Are the squares of a quiet move under threat: that which it leaves, and that which it enters?
#[inline]
fn own_place(mv: Move, threats: Bitboard) -> [usize; 2] {
    [mv.from(), mv.to()].map(|square| usize::from(threats.contains(square)))
}

/// A quiet move's value in its side's table, by the squares and whether they are under threat.
#[inline]
fn own_value(quiets: &FromTo, mv: Move, threats: Bitboard) -> &Fare {
    let [leaves, enters] = own_place(mv, threats);
    &quiets[leaves][mv.from().index()][enters][mv.to().index()]
}

#[inline]
fn capture_index(position: &Position, mv: Move) -> (usize, usize) {
    let piece = position.kind_on(mv.from()).map_or(0, PieceKind::index);
    // A promotion without a capture shares the pawn's place; kings are never taken.
    let victim = position.captured(mv).map_or(0, PieceKind::index).min(4);
    (piece, victim)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A knight that flees is worth remembering apart from one that goes the same way at leisure.
    #[test]
    fn moves_out_of_and_into_danger_are_told_apart() {
        let (position, history) = (Position::startpos(), History::default());
        let mv = position.parse_uci("g1f3").expect("a legal move");
        let contexts = Contexts::default();
        let [from, to] = [mv.from(), mv.to()].map(Bitboard::of);
        let dangers = [Bitboard::EMPTY, from, to, from | to];
        for (number, danger) in dangers.into_iter().enumerate() {
            assert_eq!(history.at(contexts, danger).quiet(&position, mv), 0);
            history.update_quiet(&position, mv, (contexts, danger), 100 * (number as i32 + 1));
        }
        for (number, danger) in dangers.into_iter().enumerate() {
            let merit = history.at(contexts, danger | !(from | to)).quiet(&position, mv);
            assert_eq!(merit, 100 * (number as i32 + 1), "other squares do not matter");
        }
        history.clear();
        assert!(dangers.iter().all(|&danger| history.at(contexts, danger).quiet(&position, mv) == 0));
    }

    /// Threads keep their histories when others come and go, and many threads share few.
    #[test]
    fn every_thread_has_a_history() {
        assert_eq!(Arc::strong_count(&Histories::default().of(3)), 1, "nobody else's");
        let few = Histories::default().resized(3);
        let many = few.resized(Histories::MOST + 3);
        for thread in 0..3 {
            assert!(Arc::ptr_eq(&few.of(thread), &many.of(thread)));
            assert!(Arc::ptr_eq(&many.of(thread), &many.of(Histories::MOST + thread)));
            assert_eq!(few.others(&few.of(thread)).count(), 2);
        }
        assert_eq!(many.others(&many.of(Histories::MOST + 1)).count(), Histories::MOST - 1);
        assert_eq!(many.resized(1).others(&few.of(0)).count(), 0);
    }

    /// The lines of a move are those in which an update of it changes something, and no others.
    #[test]
    fn the_lines_of_a_move_are_where_its_values_are() {
        let fen = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
        let position = Position::from_fen(fen).expect("legal");
        let context = Context::of(&position, position.parse_uci("a2a3").expect("a legal move"));
        let place = ([context, Context::NONE, Context(700)], position.attacked_by(chess::Color::Black));
        for mv in position.legal_moves() {
            let history = History::default();
            let quiet = !position.is_capture(mv) && mv.promotion().is_none();
            if quiet {
                history.update_quiet(&position, mv, place, 100);
            } else {
                history.update_capture(&position, mv, 100);
            }
            let quiets = history.quiets.as_flattened().as_flattened().as_flattened().as_flattened();
            let captures = history.captures.as_flattened().as_flattened().as_flattened();
            let all = quiets.iter().chain(captures).chain(history.continuations.as_flattened());
            let changed: Vec<usize> =
                all.enumerate().filter(|(_, value)| value.get() != 0).map(|(at, _)| at * 2 / 64).collect();
            let mut found: Vec<usize> = lines(&position, mv, place).collect();
            found.sort_unstable();
            assert_eq!(found, changed, "{mv:?}");
            assert_eq!(changed.len(), if quiet { 3 } else { 1 });
        }
    }

    proptest! {
        #[test]
        fn gravity_keeps_values_within_bounds(bonuses in prop::collection::vec(-40_000i32..40_000, 1..200)) {
            let value = Fare::unknown();
            for bonus in bonuses {
                let before = value.get();
                update(&value, bonus);
                prop_assert!(value.get().abs() <= LIMIT);
                prop_assert!((value.get() - before) * bonus.signum() >= 0);
            }
        }
    }
}
