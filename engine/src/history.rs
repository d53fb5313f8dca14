//! What a thread remembers of moves that were good elsewhere in the tree, to try them early here.
//!
//! The killer is the last quiet move that cut off at a ply; the history table counts, per side, from and
//! to square, how quiet moves fared (Schaeffer 1989, "The History Heuristic"), apart by whether the other
//! side attacks either square, and with "gravity" so that every value stays within bounds and old merit
//! fades; captures have a table of their own, by piece, square and victim. Continuation history (the
//! successor of the countermove heuristic, Uiterwijk 1992) counts the same by what was moved where one, two
//! and four plies before: an answer, and the second step of a plan.
//!
//! Each thread has a history of its own, and the threads of a team tell each other what they learn but at the
//! shallowest nodes ([`Histories`]). Who helps in a subtree needs its moves ordered by those who have been there: with
//! histories apart the threads' trees together grow (bench/runs/2026-11-21-shared-history). One history for
//! all (as in Stockfish to version 6) is as good, but where cores share no cache its lines go to and fro all
//! the time, and every thread loses 5 % of its rate; telling deep cut-offs only wins most of that back
//! (bench/runs/2026-11-23-histories). How the threads share them, [`crate::lessons`] says.
//!
//! The values are atomics of relaxed order, since beyond [`Histories::MOST`] threads several share a history: of two
//! updates at once one is lost, and nothing else happens.

use crate::lessons::{Lesson, Lessons, Subject};
use crate::touch::LINE_BYTES;
use chess::{Bitboard, Color, Move, PieceKind, Position};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicI16, AtomicUsize, Ordering::Relaxed};

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

/// Quiet moves by side, from and to, each square by whether it is attacked first: one piece's moves lie close
/// together.
const QUIETS: usize = 2 * 2 * 64 * 2 * 64;
/// Captures and promotions by side, piece, to and victim.
const CAPTURES: usize = 2 * 6 * 64 * 5;

/// Pieces of both colours times squares.
const CONTEXTS: usize = 12 * 64;

/// Which piece went where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Context(u16);

impl Context {
    /// Nothing did: a null move, or before the root. Nothing is ever learnt of it.
    pub const NONE: Context = Context(CONTEXTS as u16);

    /// The one with this index, at most [`Context::NONE`]'s.
    pub(crate) const fn from_index(index: u16) -> Self {
        Context(index)
    }

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
    quiets: Box<[Fare; QUIETS]>,
    captures: Box<[Fare; CAPTURES]>,
    /// By context, then by the move's own; the last row is that of [`Context::NONE`] and stays zero.
    continuations: Box<[[Fare; CONTEXTS]]>,
    /// What others may hear of it.
    lessons: Lessons,
    /// How many lessons of each of the others it has heard, by their numbers.
    heard: Box<[AtomicUsize; Histories::MOST]>,
}

impl Default for History {
    fn default() -> Self {
        History {
            quiets: Box::new([const { Fare::unknown() }; QUIETS]),
            captures: Box::new([const { Fare::unknown() }; CAPTURES]),
            continuations: (0..=CONTEXTS).map(|_| [const { Fare::unknown() }; CONTEXTS]).collect(),
            lessons: Lessons::default(),
            heard: Box::new([const { AtomicUsize::new(0) }; Histories::MOST]),
        }
    }
}

/// The histories of the threads of a search, and which of them tell each other what they learn.
#[derive(Clone, Default)]
pub struct Histories {
    all: Arc<[Arc<History>]>,
    /// By thread, the numbers of those whose lessons it hears.
    hears: Arc<[Box<[usize]>]>,
    /// Whether the threads work in teams.
    teams: bool,
}

impl Histories {
    /// Most histories there are: where there are more threads, several share one.
    pub const MOST: usize = 512;
    /// Most threads that tell each other what they learn: in larger teams, and where there are none, each so many
    /// together. Beyond that there is more to read than it is worth.
    pub const GROUP: usize = 16;
    /// Most members of a team that tell each other what they learn at shallow nodes as well.
    const FEW: usize = 4;

    /// For so many threads (at least one), without teams: these as far as there are any, and new ones.
    pub fn resized(&self, threads: usize) -> Self {
        let threads = threads.clamp(1, Self::MOST);
        let kept = self.all.iter().map(Arc::clone);
        let all: Arc<[Arc<History>]> =
            kept.chain(std::iter::repeat_with(Arc::default)).take(threads).collect();
        // What was heard of a thread that is gone counts for none that gets its number.
        let new = self.all.len().min(threads)..threads;
        let counts = all[..new.start].iter().flat_map(|kept| &kept.heard[new.clone()]);
        counts.for_each(|heard| heard.store(0, Relaxed));
        let hears = hearing(&vec![0; all.len()]);
        Histories { all, hears, teams: false }
    }

    /// The same for threads that work in teams; only those of one team tell each other.
    pub fn in_teams(&self, team: impl Fn(usize) -> usize) -> Self {
        let teams: Vec<usize> = (0..self.all.len()).map(team).collect();
        Histories { all: Arc::clone(&self.all), hears: hearing(&teams), teams: true }
    }

    /// That of this thread; one of its own, without others, if there is none at all.
    pub fn of(&self, thread: usize) -> Arc<History> {
        self.all.get(thread % self.all.len().max(1)).map(Arc::clone).unwrap_or_default()
    }

    /// Shallowest node, in plies of remaining depth, whose lessons this thread publishes, and at whose cut-off
    /// it reads what others have published; beyond all nodes if there are no others.
    ///
    /// The threads of a team work in the same subtrees. What one has learnt there the others need not find out
    /// themselves, which saves a fifth of the nodes (bench/runs/2026-11-27-lessons). In a large team there is too
    /// much to read: sixteen real cores that all tell all so much search 14 % fewer nodes a second and save none,
    /// whether they split or each search the root (bench/runs/2026-11-27-sixteen-cores-2).
    pub fn publish_depth(&self, thread: usize) -> i32 {
        match self.heard_by(thread).len() {
            0 => i32::MAX,
            others if self.teams && others < Self::FEW => 3,
            _ => 6,
        }
    }

    /// The history of this thread learns what each of the others of its team has published since it last read. What it
    /// has read comes back of each: its number, and those of its lessons.
    pub fn hear(&self, thread: usize) -> impl Iterator<Item = (usize, Range<usize>)> {
        self.heard_by(thread).iter().map(move |&number| {
            let (own, other) = (&self.all[thread % self.all.len()], &self.all[number]);
            let new = other.lessons.since(&own.heard[number]);
            new.clone().for_each(|lesson| own.learn(other.lessons.get(lesson)));
            (number, new)
        })
    }

    fn heard_by(&self, thread: usize) -> &[usize] {
        self.hears.get(thread % self.all.len().max(1)).map_or(&[], |others| others)
    }

    /// Forgets everything.
    pub fn clear(&self) {
        self.all.iter().for_each(|history| history.clear());
    }
}

/// Whom each hears of threads that work in these teams: the others of its team, or of [`Histories::GROUP`] of them.
fn hearing(teams: &[usize]) -> Arc<[Box<[usize]>]> {
    let mut hears = vec![Box::default(); teams.len()];
    let mut members = BTreeMap::<usize, Vec<usize>>::new();
    teams.iter().enumerate().for_each(|(thread, &team)| members.entry(team).or_default().push(thread));
    for members in members.values() {
        // As equal as possible, so that none is alone.
        let groups = members.len().div_ceil(Histories::GROUP);
        let begin = |group: usize| (group * members.len()).div_ceil(groups);
        for group in (0..groups).map(|group| &members[begin(group)..begin(group + 1)]) {
            for &thread in group {
                hears[thread] = group.iter().copied().filter(|&other| other != thread).collect();
            }
        }
    }
    hears.into()
}

/// Bytes of the parts of a history, in the order in which [`lines`] counts them.
const QUIET_BYTES: usize = QUIETS * size_of::<Fare>();
const CAPTURE_BYTES: usize = CAPTURES * size_of::<Fare>();
const CONTINUATION_BYTES: usize = (CONTEXTS + 1) * CONTEXTS * size_of::<Fare>();

/// The number of the line of the count of a history's lessons, behind those of [`lines`].
const LESSON_COUNT: usize = (QUIET_BYTES + CAPTURE_BYTES + CONTINUATION_BYTES).div_ceil(LINE_BYTES);

/// The cache line of a history's lesson of this number.
fn lesson_line(number: usize) -> usize {
    LESSON_COUNT + 1 + number % Lessons::KEPT / Lessons::LINE
}

/// The cache lines that are read with a history's lessons of these numbers, numbered as those of [`lines`]: that of
/// their count, which is always read with them, and those of the lessons themselves.
pub fn lessons_read(numbers: Range<usize>) -> impl Iterator<Item = usize> {
    std::iter::once(LESSON_COUNT).chain(numbers.map(lesson_line))
}

/// The cache lines that are written with the lesson of this number: its own, and that of the count where others may
/// read it from then on.
pub fn lesson_written(number: usize) -> impl Iterator<Item = usize> {
    let counted = (number + 1).is_multiple_of(Lessons::LINE);
    counted.then_some(LESSON_COUNT).into_iter().chain([lesson_line(number)])
}

/// The cache lines of a history in which the merit of a move lies at a node with these contexts and threats,
/// numbered from its beginning.
pub fn lines(
    position: &Position,
    mv: Move,
    (contexts, threats): (Contexts, Bitboard),
) -> impl Iterator<Item = usize> {
    const FARE: usize = size_of::<Fare>();
    let quiet = !position.is_capture(mv) && mv.promotion().is_none();
    let table = if quiet {
        quiet_place(position.side_to_move(), mv, threats) * FARE
    } else {
        QUIET_BYTES + noisy_place(position, mv) * FARE
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
        let quiets = &self.history.quiets;
        let rows = self.contexts.map(|context| &self.history.continuations[context.index()]);
        move |mv| {
            let own = Context::of(position, mv).index();
            let continued: i32 = rows.iter().map(|row| row[own].get()).sum();
            quiets[quiet_place(position.side_to_move(), mv, self.threats)].get() + continued
        }
    }

    /// The merit of quiet moves by which they are ordered, where the table by their squares counts twice:
    /// within ±5 times [`LIMIT`].
    #[inline]
    pub fn order(&self, position: &Position) -> impl Fn(Move) -> i32 {
        let (side, quiets) = (position.side_to_move(), &self.history.quiets);
        let (merit, threats) = (self.quiets(position), self.threats);
        move |mv| merit(mv) + quiets[quiet_place(side, mv, threats)].get()
    }

    /// Merit of a capture or promotion, within ±[`LIMIT`].
    #[inline]
    pub fn capture(&self, position: &Position, mv: Move) -> i32 {
        self.history.captures[noisy_place(position, mv)].get()
    }
}

impl History {
    /// Forgets everything.
    pub fn clear(&self) {
        let all = self.quiets.iter().chain(&*self.captures).chain(self.continuations.as_flattened());
        all.for_each(|value| value.set(0));
        self.lessons.clear();
    }

    /// The history as a node sees it that these contexts lead to and whose other side attacks these squares.
    #[inline]
    pub fn at(&self, contexts: Contexts, threats: Bitboard) -> Merit<'_> {
        Merit { history: self, contexts, threats }
    }

    /// Rewards or punishes a move.
    #[inline]
    pub fn learn(&self, Lesson { subject, bonus }: Lesson) {
        let bonus = i32::from(bonus);
        match subject {
            Subject::Quiet { place } => update(&self.quiets[usize::from(place)], bonus),
            Subject::Continued { own, contexts } => {
                for context in contexts.into_iter().filter(|&context| context != Context::NONE) {
                    update(&self.continuations[context.index()][own.index()], bonus);
                }
            }
            Subject::Noisy { place } => update(&self.captures[usize::from(place)], bonus),
        }
    }

    /// Lets the others know what has been learnt. Returns the lesson's number.
    #[inline]
    pub fn publish(&self, lesson: Lesson) -> usize {
        self.lessons.publish(lesson)
    }
}

/// The place of a side's quiet move in its table, by the squares and whether they are under threat.
#[inline]
pub(crate) fn quiet_place(side: Color, mv: Move, threats: Bitboard) -> usize {
    let [leaves, enters] = [mv.from(), mv.to()].map(|square| usize::from(threats.contains(square)));
    let from = (side.index() * 2 + leaves) * 64 + mv.from().index();
    (from * 2 + enters) * 64 + mv.to().index()
}

/// A capture's or promotion's place in its table.
#[inline]
pub(crate) fn noisy_place(position: &Position, mv: Move) -> usize {
    let piece = position.kind_on(mv.from()).map_or(0, PieceKind::index);
    // A promotion without a capture shares the pawn's place; kings are never taken.
    let victim = position.captured(mv).map_or(0, PieceKind::index).min(4);
    ((position.side_to_move().index() * 6 + piece) * 64 + mv.to().index()) * 5 + victim
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
            let place = (contexts, danger);
            Lesson::both(&position, mv, place, [100 * (number as i32 + 1); 2])
                .into_iter()
                .for_each(|lesson| history.learn(lesson));
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
        let many = few.resized(40);
        for thread in 0..3 {
            assert!(Arc::ptr_eq(&few.of(thread), &many.of(thread)));
        }
        let apart = |a: usize, b: usize| a == b || !Arc::ptr_eq(&many.of(a), &many.of(b));
        assert!((0..40).all(|a| (0..a).all(|b| apart(a, b))), "two threads write one history");
    }

    /// The seventeenth thread and those after it hear their own teams, and never more than fifteen others.
    #[test]
    fn many_threads_hear_those_next_to_them() {
        let all = Histories::default().resized(40);
        let heard = |histories: &Histories, thread| {
            histories.hear(thread).map(|(number, _)| number).collect::<Vec<_>>()
        };
        let teams = all.in_teams(|thread| thread / 4);
        assert_eq!(heard(&teams, 17), [16, 18, 19]);
        assert_eq!(teams.publish_depth(17), 3);
        assert_eq!(heard(&all, 17), (14..27).filter(|&other| other != 17).collect::<Vec<_>>());
        assert_eq!(heard(&all.in_teams(|_| 0), 39), (27..39).collect::<Vec<_>>());
        let seventeen = Histories::default().resized(17).in_teams(|_| 0);
        assert_eq!((heard(&seventeen, 16), seventeen.publish_depth(16)), ((9..16).collect(), 6));
    }

    /// Small teams tell each other more, larger ones less, and one thread nothing.
    #[test]
    fn how_deep_lessons_are_told_depends_on_who_listens() {
        let histories = Histories::default().resized(9);
        assert_eq!(histories.publish_depth(0), 6, "no teams");
        assert_eq!(histories.resized(1).publish_depth(0), i32::MAX);
        assert_eq!(Histories::default().publish_depth(0), i32::MAX);
        // Members 0 to 3, 4 to 5, and 6; the others are a team of their own each.
        let teams = histories.in_teams(|thread| [0, 0, 0, 0, 1, 1, 2, 3, 4][thread]);
        let depths = [0, 3, 4, 5, 6, 8].map(|thread| teams.publish_depth(thread));
        assert_eq!(depths, [3, 3, 3, 3, i32::MAX, i32::MAX]);
        assert_eq!(histories.in_teams(|_| 0).publish_depth(8), 6, "nine in one");
        let heard = |thread| teams.hear(thread).map(|(number, _)| number).collect::<Vec<_>>();
        assert_eq!([heard(1), heard(5), heard(6)], [vec![0, 2, 3], vec![4], vec![]]);
    }

    /// Each thread learns what another has published, once, and in a full circle none hears itself.
    #[test]
    fn what_one_tells_all_others_hear_once() {
        let position = Position::startpos();
        let mv = position.parse_uci("g1f3").expect("a legal move");
        let place = (Contexts::default(), Bitboard::EMPTY);
        for threads in [1, 2, 3, Histories::GROUP] {
            let histories = Histories::default().resized(threads);
            // Others read whole lines of eight; the other six teach nothing.
            let nothing = std::iter::repeat_n(Lesson::noisy(&position, mv, 0), 6);
            Lesson::both(&position, mv, place, [100; 2])
                .into_iter()
                .chain(nothing)
                .for_each(|lesson| _ = histories.of(0).publish(lesson));
            for thread in 0..threads {
                let own = histories.of(thread);
                let heard: usize =
                    (0..3).map(|_| histories.hear(thread).map(|(_, new)| new.len()).sum::<usize>()).sum();
                assert_eq!(heard, if thread > 0 { 8 } else { 0 }, "{thread} of {threads}");
                let merit = own.at(place.0, place.1).quiet(&position, mv);
                assert_eq!(merit, if thread > 0 { 100 } else { 0 }, "{thread} of {threads}");
            }
        }
    }

    /// A thread that comes later may get the number of one that is gone, of which more has been heard.
    #[test]
    fn a_thread_that_comes_later_is_heard_from_its_first_lesson_on() {
        let position = Position::startpos();
        let mv = position.parse_uci("g1f3").expect("a legal move");
        let heard = |histories: &Histories, lines: usize| {
            let publishes = 0..lines * Lessons::LINE;
            publishes.for_each(|_| _ = histories.of(1).publish(Lesson::noisy(&position, mv, 100)));
            histories.hear(0).map(|(_, new)| new.len()).sum::<usize>()
        };
        let two = Histories::default().resized(2);
        assert_eq!(heard(&two, 3), 3 * Lessons::LINE);
        assert_eq!(heard(&two.resized(1).resized(2), 1), Lessons::LINE);
    }

    /// The second of three threads hears what the first has published, and the third has not when a new game begins: of
    /// one line of lessons, of as many as are kept, or of one line more.
    #[test]
    fn what_was_not_heard_before_a_new_game_is_never_heard() {
        let position = Position::startpos();
        let mv = position.parse_uci("g1f3").expect("a legal move");
        let lesson = Lesson::quiet(position.side_to_move(), mv, Bitboard::EMPTY, 100);
        for count in [Lessons::LINE, Lessons::KEPT, Lessons::KEPT + Lessons::LINE] {
            let histories = Histories::default().resized(3);
            let merit = |thread: usize| {
                histories.hear(thread).for_each(drop);
                histories.of(thread).at(Contexts::default(), Bitboard::EMPTY).quiet(&position, mv)
            };
            (0..count).for_each(|_| _ = histories.of(0).publish(lesson));
            assert!(merit(1) > 0, "{count} lessons");
            histories.clear();
            assert_eq!([merit(1), merit(2)], [0, 0], "{count} lessons");
        }
    }

    /// The lines of a move are those in which an update of it changes something, and no others.
    #[test]
    fn the_lines_of_a_move_are_where_its_values_are() {
        let fen = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
        let position = Position::from_fen(fen).expect("legal");
        let context = Context::of(&position, position.parse_uci("a2a3").expect("a legal move"));
        let place = ([context, Context::NONE, Context(700)], position.attacked_by(Color::Black));
        for mv in position.legal_moves() {
            let history = History::default();
            let quiet = !position.is_capture(mv) && mv.promotion().is_none();
            if quiet {
                Lesson::both(&position, mv, place, [100; 2])
                    .into_iter()
                    .for_each(|lesson| history.learn(lesson));
            } else {
                history.learn(Lesson::noisy(&position, mv, 100));
            }
            let tables = history.quiets.iter().chain(&*history.captures);
            let all = tables.chain(history.continuations.as_flattened());
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
