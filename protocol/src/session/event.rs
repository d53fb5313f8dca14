//! From the search to the session: an [`Observer`] that turns calls from search threads into messages.
//!
//! Every message carries the generation of the search it comes from, so that words of a search that is not waited
//! for any more can be told from those of the present one.

use chess::Move;
use crossbeam::channel::Sender;
use std::sync::atomic::{AtomicBool, Ordering};
use thinking::report::{Info, Observer, Verdict};

/// A message from a search (or another long piece of work).
#[derive(Clone, Debug)]
pub struct Event {
    /// Which search: the session counts them.
    pub generation: u64,
    /// What it says.
    pub what: What,
}

/// The root move being searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RootMove {
    /// Iteration in plies.
    pub depth: u32,
    /// The move.
    pub current: Move,
    /// Its number, from 1.
    pub index: usize,
    /// Number of root moves.
    pub total: usize,
}

/// What a search says.
#[derive(Clone, Debug, PartialEq)]
pub enum What {
    /// A line of thinking.
    Line(Info),
    /// The root move being searched.
    RootMove(RootMove),
    /// Text from a chore.
    Text(String),
    /// Something about the search for people to read.
    Remark(String),
    /// It is over; a chore ends with an empty verdict.
    Over(Verdict),
    /// It ended without a verdict: a thread must have died.
    Lost,
}

/// Carries one search's words into the session's channel.
#[derive(Debug)]
pub struct Reporter {
    generation: u64,
    events: Sender<Event>,
    over: AtomicBool,
}

impl Reporter {
    /// For the search of this generation.
    pub fn new(generation: u64, events: Sender<Event>) -> Self {
        Reporter { generation, events, over: AtomicBool::new(false) }
    }

    /// Sends; a session that has ended hears nothing any more.
    pub fn send(&self, what: What) {
        let _ = self.events.send(Event { generation: self.generation, what });
    }
}

impl Observer for Reporter {
    fn info(&self, info: &Info) {
        self.send(What::Line(info.clone()));
    }

    fn root_move(&self, depth: u32, current: Move, index: usize, total: usize) {
        self.send(What::RootMove(RootMove { depth, current, index, total }));
    }

    fn remark(&self, text: &str) {
        self.send(What::Remark(text.to_owned()));
    }

    fn verdict(&self, verdict: &Verdict) {
        if !self.over.swap(true, Ordering::Relaxed) {
            self.send(What::Over(verdict.clone()));
        }
    }
}

/// A search that lets go of its observer without a verdict is lost; the session must not wait for it.
impl Drop for Reporter {
    fn drop(&mut self) {
        if !*self.over.get_mut() {
            self.send(What::Lost);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exactly_one_end_is_reported() {
        let (sender, receiver) = crossbeam::channel::unbounded();
        let reporter = Reporter::new(7, sender.clone());
        reporter.verdict(&Verdict::default());
        reporter.verdict(&Verdict::default());
        drop(reporter);
        let events: Vec<Event> = receiver.try_iter().collect();
        assert_eq!(events.len(), 1);
        assert_eq!((events[0].generation, &events[0].what), (7, &What::Over(Verdict::default())));
        drop(Reporter::new(8, sender));
        assert_eq!(receiver.try_recv().map(|event| event.what), Ok(What::Lost));
    }
}
