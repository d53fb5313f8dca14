//! Which results of iterations a rank sends, to whom, and how often.
//!
//! A search needs only the deepest result that any rank has, so there is room for one: a deeper one replaces
//! it, whether it has gone to every rank or not, and none queues behind a slow link. Every rank sends to every
//! other, so a result no deeper than one that has come from elsewhere goes nowhere. A rank sends one result
//! each [`PERIOD`] at most, and none before the search is so old: at the start all ranks finish several
//! iterations in a millisecond, and each would send all others what they know.

use crate::message::{Message, SentResult};
use std::time::Duration;

/// The least time from one result to the next.
pub(crate) const PERIOD: Duration = Duration::from_millis(1);

/// The result that a rank has to send.
#[derive(Default)]
pub(crate) struct Outgoing {
    search: u64,
    /// Depth of the deepest result of the search, found here or elsewhere.
    deepest: u8,
    /// The message, and the ranks that it has not gone to.
    message: Vec<u8>,
    waiting: Vec<usize>,
    /// When a result was last sent, or the search was first heard of.
    sent: Duration,
}

impl Outgoing {
    /// An iteration is finished here; `others` are to hear of it.
    pub(crate) fn offer(
        &mut self,
        now: Duration,
        search: u64,
        result: SentResult,
        others: impl Iterator<Item = usize>,
    ) {
        if self.deepens(now, search, result.depth) {
            self.waiting = others.collect();
            self.message = Message::Result { search, result }.to_bytes();
        }
    }

    /// An iteration is finished elsewhere, and every rank hears of it from there.
    pub(crate) fn heard(&mut self, now: Duration, search: u64, depth: u8) {
        if self.deepens(now, search, depth) || (search, depth) == (self.search, self.deepest) {
            self.waiting.clear();
        }
    }

    /// Is this the deepest result so far, and of the last search?
    fn deepens(&mut self, now: Duration, search: u64, depth: u8) -> bool {
        let deeper = (search, depth) > (self.search, self.deepest);
        if search > self.search {
            self.sent = now;
        }
        if deeper {
            (self.search, self.deepest) = (search, depth);
        }
        deeper
    }

    /// The search is over: its results are of no use any more.
    pub(crate) fn clear(&mut self) {
        self.waiting.clear();
    }

    /// How long the result that waits must still do so; `None` if none waits.
    pub(crate) fn wait(&self, now: Duration) -> Option<Duration> {
        (!self.waiting.is_empty()).then(|| (self.sent + PERIOD).saturating_sub(now))
    }

    /// Sends the result if it is due. It stays for those ranks to which `send` returns `false`. Returns its
    /// search and how many ranks it went to.
    ///
    /// # Errors
    /// Those of `send`.
    pub(crate) fn send<E>(
        &mut self,
        now: Duration,
        mut send: impl FnMut(usize, &[u8]) -> Result<bool, E>,
    ) -> Result<(u64, u64), E> {
        if self.wait(now) != Some(Duration::ZERO) {
            return Ok((self.search, 0));
        }
        let mut left = Vec::new();
        for &rank in &self.waiting {
            if !send(rank, &self.message)? {
                left.push(rank);
            }
        }
        let gone = (self.waiting.len() - left.len()) as u64;
        self.waiting = left;
        self.sent = now;
        Ok((self.search, gone))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess::Position;
    use engine::iterate::ThreadResult;
    use engine::root::Root;
    use std::convert::Infallible;

    fn result(depth: i32) -> SentResult {
        (&ThreadResult { depth, root: Root::new(&Position::startpos(), &[]) }).into()
    }

    /// What goes out at this moment: ranks and depths. The link to rank `full` takes nothing.
    fn sent(outgoing: &mut Outgoing, now: Duration, full: usize) -> Vec<(usize, u8)> {
        let mut sent = Vec::new();
        let send = |rank, bytes: &[u8]| {
            let Some(Message::Result { result, .. }) = Message::from_bytes(bytes) else {
                panic!("not a result")
            };
            if rank != full {
                sent.push((rank, result.depth));
            }
            Ok::<_, Infallible>(rank != full)
        };
        let Ok((_, gone)) = outgoing.send(now, send);
        assert_eq!(gone, sent.len() as u64);
        sent
    }

    #[test]
    fn only_the_deepest_result_goes_out_and_not_at_once_after_another() {
        let mut outgoing = Outgoing::default();
        let [start, later, latest, end] = [5, 6, 7, 8].map(|periods| PERIOD * periods);
        assert_eq!(sent(&mut outgoing, start, 9), []);
        outgoing.offer(start, 1, result(3), 1..3);
        outgoing.offer(start, 1, result(5), 1..3);
        outgoing.offer(start, 1, result(4), 1..3);
        assert_eq!(outgoing.wait(start), Some(PERIOD));
        assert_eq!(sent(&mut outgoing, later - Duration::from_nanos(1), 9), []);
        assert_eq!(sent(&mut outgoing, later, 9), [(1, 5), (2, 5)]);
        assert_eq!(outgoing.wait(later), None);
        outgoing.offer(later, 1, result(6), 1..3);
        assert_eq!(outgoing.wait(later), Some(PERIOD));
        assert_eq!(sent(&mut outgoing, latest - Duration::from_nanos(1), 9), []);
        outgoing.offer(latest, 1, result(7), 1..3);
        assert_eq!(sent(&mut outgoing, latest, 9), [(1, 7), (2, 7)]);
        assert_eq!(sent(&mut outgoing, end, 9), []);
    }

    #[test]
    fn what_a_link_refuses_waits_until_there_is_something_deeper() {
        let mut outgoing = Outgoing::default();
        let now = [0, 1, 2, 3].map(|periods| PERIOD * periods);
        outgoing.offer(now[0], 1, result(5), 1..4);
        assert_eq!(sent(&mut outgoing, now[1], 2), [(1, 5), (3, 5)]);
        assert_eq!(sent(&mut outgoing, now[2], 9), [(2, 5)]);
        outgoing.offer(now[2], 1, result(6), 1..4);
        outgoing.offer(now[2], 1, result(7), 1..4);
        assert_eq!(sent(&mut outgoing, now[3], 9), [(1, 7), (2, 7), (3, 7)]);
    }

    #[test]
    fn what_another_rank_has_sent_is_not_sent_again() {
        let mut outgoing = Outgoing::default();
        let now = PERIOD;
        outgoing.offer(now, 1, result(5), 1..2);
        outgoing.heard(now, 1, 4);
        assert!(outgoing.wait(now).is_some());
        outgoing.heard(now, 1, 5);
        assert_eq!(outgoing.wait(now), None);
        outgoing.offer(now, 1, result(5), 1..2);
        assert_eq!(outgoing.wait(now), None);
        outgoing.offer(now, 1, result(6), 1..2);
        outgoing.clear();
        assert_eq!(outgoing.wait(now), None);
        outgoing.offer(now, 2, result(1), 1..2);
        assert!(outgoing.wait(now).is_some(), "another search");
        outgoing.offer(now, 1, result(60), 1..2);
        assert_eq!(sent(&mut outgoing, now + PERIOD, 9), [(1, 1)], "the search before");
    }
}
