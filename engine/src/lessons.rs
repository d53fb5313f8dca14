//! History updates that the threads of a search share.
//!
//! A thread does not write what it has learnt into the histories of the others: the values lie far apart, and
//! each write takes a cache line from another core, which must fetch it back. It writes its [`Lesson`]s into
//! a ring of its own, once for all, and the others read there what is new when they come to a cut-off
//! themselves that is deep enough ([`crate::history::Histories::publish_depth`]). It lets them see whole cache lines of
//! lessons only: each of them fetches a line once, and not again for every lesson that comes to it.

use crate::history::{Context, Contexts, LIMIT, noisy_place, quiet_place};
use crate::touch::LINE_BYTES;
use chess::{Bitboard, Color, Move, Position};
use crossbeam::utils::CachePadded;
use std::array;
use std::ops::Range;
use std::sync::atomic::Ordering::{self, Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicU64, AtomicUsize};

/// What a cut-off teaches of one move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lesson {
    pub(crate) subject: Subject,
    /// Within ±[`LIMIT`].
    pub(crate) bonus: i16,
}

/// Which move, as the tables of a history know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    /// A quiet move by its squares: its place in the table.
    Quiet { place: u16 },
    /// A quiet move by what was moved before: which piece goes where, and the same of the moves before.
    Continued { own: Context, contexts: Contexts },
    /// A capture or promotion, by its place.
    Noisy { place: u16 },
}

/// What stands for the kinds of subject in a packed lesson.
const CONTINUED: u64 = 0;
const QUIET: u64 = 1;
const NOISY: u64 = 2;

impl Lesson {
    /// That a side's quiet move, where the other side attacks these squares, has fared well or, if `bonus` is
    /// below 0, badly.
    #[inline]
    pub fn quiet(side: Color, mv: Move, threats: Bitboard, bonus: i32) -> Self {
        Lesson {
            subject: Subject::Quiet { place: quiet_place(side, mv, threats) as u16 },
            bonus: limited(bonus),
        }
    }

    /// That a quiet move, which as a context is `own`, has after these moves.
    #[inline]
    pub fn continued(own: Context, contexts: Contexts, bonus: i32) -> Self {
        Lesson { subject: Subject::Continued { own, contexts }, bonus: limited(bonus) }
    }

    /// Both of a quiet move of this position, with a bonus each.
    #[inline]
    pub fn both(
        position: &Position,
        mv: Move,
        (contexts, threats): (Contexts, Bitboard),
        [quiet, continued]: [i32; 2],
    ) -> [Self; 2] {
        let by_squares = Lesson::quiet(position.side_to_move(), mv, threats, quiet);
        [by_squares, Lesson::continued(Context::of(position, mv), contexts, continued)]
    }

    /// That a capture or promotion has.
    #[inline]
    pub fn noisy(position: &Position, mv: Move, bonus: i32) -> Self {
        Lesson { subject: Subject::Noisy { place: noisy_place(position, mv) as u16 }, bonus: limited(bonus) }
    }

    /// In one word, so that no thread ever sees a part of one lesson and a part of another.
    ///
    /// ```text
    /// 63            34 | 33  31 | 30                     16 | 15    0
    /// contexts, 3 x 10 | kind   | place, or the own context | bonus
    /// ```
    fn pack(self) -> u64 {
        let subject = match self.subject {
            Subject::Continued { own, contexts } => {
                let contexts =
                    contexts.into_iter().rev().fold(0, |word, context| word << 10 | context.index() as u64);
                (contexts << 3 | CONTINUED) << 15 | own.index() as u64
            }
            Subject::Quiet { place } => QUIET << 15 | u64::from(place),
            Subject::Noisy { place } => NOISY << 15 | u64::from(place),
        };
        subject << 16 | u64::from(self.bonus as u16)
    }

    fn unpack(word: u64) -> Self {
        let place = (word >> 16 & 0x7fff) as u16;
        let context = |shift: u32| Context::from_index((word >> shift & 0x3ff) as u16);
        let subject = match word >> 31 & 7 {
            QUIET => Subject::Quiet { place },
            NOISY => Subject::Noisy { place },
            _ => Subject::Continued { own: Context::from_index(place), contexts: [34, 44, 54].map(context) },
        };
        Lesson { subject, bonus: word as i16 }
    }
}

#[inline]
fn limited(bonus: i32) -> i16 {
    bonus.clamp(-LIMIT, LIMIT) as i16
}

/// A word that a thread writes and others read, zero at first. A trait only so that [`Lessons`] can be model-checked
/// with loom's word.
pub(crate) trait Word: Default {
    fn get(&self, order: Ordering) -> u64;
    fn put(&self, value: u64, order: Ordering);
}

/// What the processor's word does and loom's is written once, so that the model is of both.
macro_rules! word {
    ($word:ty) => {
        impl Word for $word {
            #[inline]
            fn get(&self, order: Ordering) -> u64 {
                self.load(order)
            }
            #[inline]
            fn put(&self, value: u64, order: Ordering) {
                self.store(value, order);
            }
        }
    };
}

word!(AtomicU64);

/// See [`Lessons::KEPT`].
const KEPT: usize = 1024;

/// The last lessons that one thread has published, as many as a ring of `SIZE` has room for.
///
/// The words are atomics: where several threads share a history, lessons that they publish at once may be
/// lost, and one that is overwritten while another thread reads is read in its new form. Nothing else
/// happens.
pub(crate) struct Lessons<W = AtomicU64, const SIZE: usize = KEPT> {
    words: Box<Words<W, SIZE>>,
    /// How many there have been, for the one who publishes.
    written: CachePadded<AtomicUsize>,
    /// How many of them others may read: whole cache lines of them, so that each line goes from core to core once.
    published: CachePadded<W>,
}

/// On cache lines of their own.
#[repr(align(64))]
struct Words<W, const SIZE: usize>([W; SIZE]);

const _: () = assert!(align_of::<Words<AtomicU64, KEPT>>() == LINE_BYTES);

impl<W: Word, const SIZE: usize> Default for Lessons<W, SIZE> {
    fn default() -> Self {
        Lessons {
            words: Box::new(Words(array::from_fn(|_| W::default()))),
            written: CachePadded::default(),
            published: CachePadded::default(),
        }
    }
}

impl Lessons {
    /// How many are kept; each further one takes the place of the oldest.
    pub(crate) const KEPT: usize = KEPT;
    /// Lessons of a cache line.
    pub(crate) const LINE: usize = LINE_BYTES / size_of::<u64>();
}

impl<W: Word, const SIZE: usize> Lessons<W, SIZE> {
    /// Adds one, and returns its number. Others see it when its cache line is full.
    #[inline]
    pub(crate) fn publish(&self, lesson: Lesson) -> usize {
        let number = self.written.load(Relaxed);
        let next = number.wrapping_add(1);
        self.words.0[number % SIZE].put(lesson.pack(), Relaxed);
        self.written.store(next, Relaxed);
        if next.is_multiple_of(Lessons::LINE) {
            self.published.put(next as u64, Release);
        }
        number
    }

    /// The numbers of those that are new to a thread that has `heard` so many, as far as they are still kept.
    pub(crate) fn since(&self, heard: &AtomicUsize) -> Range<usize> {
        let published = self.published.get(Acquire) as usize;
        // The oldest line may be written over by now.
        let new = published.wrapping_sub(heard.load(Relaxed)).min(SIZE - Lessons::LINE);
        if new > 0 {
            heard.store(published, Relaxed);
        }
        published.wrapping_sub(new)..published
    }

    /// The one of this number.
    pub(crate) fn get(&self, number: usize) -> Lesson {
        Lesson::unpack(self.words.0[number % SIZE].get(Relaxed))
    }

    /// Forgets them.
    pub(crate) fn clear(&self) {
        // A word of zeros teaches nothing.
        self.words.0.iter().for_each(|word| word.put(0, Relaxed));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use loom::sync::atomic::AtomicU64 as Modelled;
    use loom::thread;
    use proptest::prelude::*;
    use std::sync::Arc;

    fn lessons() -> impl Strategy<Value = Lesson> {
        let context = || (0..=Context::NONE.index() as u16).prop_map(Context::from_index);
        let contexts = [context(), context(), context()];
        let continued =
            (context(), contexts).prop_map(|(own, contexts)| Subject::Continued { own, contexts });
        let quiet = (0u16..1 << 15).prop_map(|place| Subject::Quiet { place });
        let noisy = (0u16..1 << 15).prop_map(|place| Subject::Noisy { place });
        (prop_oneof![quiet, continued, noisy], any::<i16>())
            .prop_map(|(subject, bonus)| Lesson { subject, bonus })
    }

    proptest! {
        /// A thread that listens now and then hears all lessons of whole lines, each once and in order, unless too many
        /// come in between.
        #[test]
        fn all_is_heard_that_is_still_kept(
            published in prop::collection::vec(prop::collection::vec(lessons(), 0..1_600), 1..5),
        ) {
            let (lessons, heard): (Lessons, _) = (Lessons::default(), AtomicUsize::default());
            let (mut all, mut listened) = (Vec::new(), 0);
            for part in published {
                part.iter().for_each(|&lesson| _ = lessons.publish(lesson));
                all.extend(part);
                let whole = all.len() / 8 * 8;
                let kept = &all[listened.max(whole.saturating_sub(Lessons::KEPT - 8))..whole];
                let new: Vec<Lesson> = lessons.since(&heard).map(|number| lessons.get(number)).collect();
                prop_assert_eq!(&new, kept);
                listened = whole;
            }
        }
    }

    word!(Modelled);

    /// A word whose changes may be seen in another order than they were made in.
    #[derive(Default)]
    struct Unordered(Modelled);

    impl Word for Unordered {
        fn get(&self, _: Ordering) -> u64 {
            self.0.get(Relaxed)
        }
        fn put(&self, value: u64, _: Ordering) {
            self.0.put(value, Relaxed);
        }
    }

    /// One thread publishes a line of lessons while another listens, which must not hear what is not written yet. Every
    /// schedule is tried, and every value that a load may see on any processor.
    fn listen_while_another_publishes<W: Word + Send + Sync + 'static>() {
        let count = Arc::new(AtomicUsize::new(0));
        let sum = Arc::clone(&count);
        loom::model(move || {
            // The smallest ring that others may read a line of.
            let lessons: Arc<Lessons<W, 16>> = Arc::default();
            let lesson =
                |number: usize| Lesson { subject: Subject::Quiet { place: number as u16 }, bonus: 1 };
            let teacher = {
                let lessons = Arc::clone(&lessons);
                thread::spawn(move || {
                    for number in 0..Lessons::LINE {
                        lessons.publish(lesson(number));
                    }
                })
            };
            for number in lessons.since(&AtomicUsize::new(0)) {
                assert_eq!(lessons.get(number), lesson(number), "it is not written yet");
                sum.fetch_add(1, Relaxed);
            }
            teacher.join().expect("no panic");
        });
        assert!(count.load(Relaxed) > 0, "there was never anything to hear");
    }

    #[test]
    fn what_others_may_hear_is_written() {
        listen_while_another_publishes::<Modelled>();
    }

    /// The model can fail: by counts without an order the line is known before its lessons.
    #[test]
    #[should_panic(expected = "it is not written yet")]
    fn the_model_hears_what_is_not_written_yet() {
        listen_while_another_publishes::<Unordered>();
    }
}
