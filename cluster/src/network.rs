//! A simulated network: messages between simulated machines, in virtual time.
//!
//! Each machine sends its messages one after the other over its own line, at the network's bandwidth; each
//! then takes the latency to arrive. The receiver confirms every message, and the confirmation takes the
//! latency to come back: until then the message counts as under way, within the bounds of every transport.
//! The talking thread of a machine is busy for a while with each message that it sends or takes, and with each entry
//! that comes in.

use crate::message::Message;
use crate::transport::{LONGEST, Transport, TransportError, Window};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use vtime::Clock;

/// What a network takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Network {
    /// Nanoseconds from the moment a message has left a machine until it arrives.
    pub latency_ns: u64,
    /// Megabits a second that a machine can send, 0 for no bound.
    pub bandwidth_mbit: u64,
    /// Nanoseconds of the talking thread for each message that it sends or takes.
    pub message_ns: u64,
}

/// Ethernet of 10 Gbit/s: 50 microseconds from program to program, and a microsecond for a message.
impl Default for Network {
    fn default() -> Self {
        Network { latency_ns: 50_000, bandwidth_mbit: 10_000, message_ns: 1_000 }
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Network { latency_ns, bandwidth_mbit, message_ns } = self;
        write!(f, "latency {} us, bandwidth ", *latency_ns as f64 / 1e3)?;
        match bandwidth_mbit {
            0 => f.write_str("without bound")?,
            mbit => write!(f, "{mbit} Mbit/s")?,
        }
        write!(f, ", {message_ns} ns a message")
    }
}

impl Network {
    /// Nanoseconds for which a message occupies its sender's line.
    fn sending_ns(&self, bytes: usize) -> u64 {
        // A megabit a second is a bit a microsecond.
        (bytes as u64 * 8 * 1000).checked_div(self.bandwidth_mbit).unwrap_or(0)
    }
}

/// What is under way from one machine to another, as the sender knows it.
#[derive(Default)]
struct Link {
    window: Window,
    /// When the confirmations arrive of messages that have been taken.
    confirmed: VecDeque<u64>,
}

/// Messages on their way to a machine, with their senders: by the moment of their arrival, in the order in
/// which they were sent.
type Arriving = BTreeMap<(u64, u64), (usize, Vec<u8>)>;

/// Everything between the machines.
pub(crate) struct Wires {
    network: Network,
    ranks: usize,
    /// By sender and receiver.
    links: Vec<Link>,
    /// By sender: when its line is free again.
    free: Vec<u64>,
    /// By receiver.
    arriving: Vec<Arriving>,
    /// Messages sent so far.
    number: u64,
}

impl Wires {
    pub(crate) fn new(network: Network, ranks: usize) -> Rc<RefCell<Self>> {
        Rc::new(RefCell::new(Wires {
            network,
            ranks,
            links: (0..ranks * ranks).map(|_| Link::default()).collect(),
            free: vec![0; ranks],
            arriving: vec![Arriving::new(); ranks],
            number: 0,
        }))
    }

    /// What is under way on a link, as its sender knows it now.
    fn window(&mut self, now: u64, from: usize, to: usize) -> &mut Window {
        let link = &mut self.links[from * self.ranks + to];
        while link.confirmed.pop_front_if(|moment| *moment <= now).is_some() {
            link.window.arrived();
        }
        &mut link.window
    }

    /// Takes a message if there is room for it on its link.
    fn reserve(&mut self, now: u64, from: usize, to: usize, bytes: usize) -> bool {
        let window = self.window(now, from, to);
        let room = window.takes(bytes);
        if room {
            window.sent(bytes);
        }
        room
    }

    /// Sends a message that has been taken.
    fn send(&mut self, now: u64, from: usize, to: usize, message: &[u8]) {
        let left = self.free[from].max(now) + self.network.sending_ns(message.len());
        self.free[from] = left;
        self.number += 1;
        self.arriving[to].insert((left + self.network.latency_ns, self.number), (from, message.to_vec()));
    }

    /// The next message that has arrived by now. Its sender hears of that a latency later.
    fn receive(&mut self, now: u64, to: usize) -> Option<(usize, Vec<u8>)> {
        let first = self.arriving[to].first_entry().filter(|first| first.key().0 <= now)?;
        let (from, message) = first.remove();
        self.links[from * self.ranks + to].confirmed.push_back(now + self.network.latency_ns);
        Some((from, message))
    }
}

/// One machine's end of all links.
pub(crate) struct End<'y> {
    wires: Rc<RefCell<Wires>>,
    rank: usize,
    clock: Clock<'y>,
    /// Nanoseconds for the talking thread to write an entry that has come in to the table.
    entry_ns: u64,
    /// How long the talking thread has been busy, in nanoseconds.
    busy: Arc<AtomicU64>,
    sent_bytes: u64,
}

impl<'y> End<'y> {
    pub(crate) fn new(
        wires: &Rc<RefCell<Wires>>,
        rank: usize,
        clock: Clock<'y>,
        entry_ns: u64,
        busy: Arc<AtomicU64>,
    ) -> Self {
        End { wires: Rc::clone(wires), rank, clock, entry_ns, busy, sent_bytes: 0 }
    }

    /// The talking thread works for a while. That counts when it is done, so that it is never busy for longer than
    /// it has lived.
    pub(crate) fn work(&self, nanoseconds: u64) {
        self.clock.spend(nanoseconds);
        self.busy.fetch_add(nanoseconds, Relaxed);
    }

    fn message_ns(&self) -> u64 {
        self.wires.borrow().network.message_ns
    }
}

impl Transport for End<'_> {
    fn rank(&self) -> usize {
        self.rank
    }

    fn ranks(&self) -> usize {
        self.wires.borrow().ranks
    }

    fn host(&self) -> String {
        host(self.rank)
    }

    fn send(&mut self, to: usize, message: &[u8]) -> Result<bool, TransportError> {
        if message.len() > LONGEST {
            return Err(TransportError::TooLong(message.len()));
        }
        if !self.wires.borrow_mut().reserve(self.clock.now(), self.rank, to, message.len()) {
            return Ok(false);
        }
        self.work(self.message_ns());
        self.wires.borrow_mut().send(self.clock.now(), self.rank, to, message);
        self.sent_bytes += message.len() as u64;
        Ok(true)
    }

    fn under_way(&mut self, to: usize) -> usize {
        self.wires.borrow_mut().window(self.clock.now(), self.rank, to).messages()
    }

    fn receive(&mut self) -> Option<(usize, Vec<u8>)> {
        let (from, message) = self.wires.borrow_mut().receive(self.clock.now(), self.rank)?;
        self.work(self.message_ns() + entries(&message) * self.entry_ns);
        Some((from, message))
    }

    fn sent_bytes(&self) -> u64 {
        self.sent_bytes
    }

    fn abort(&mut self) {
        // A simulated machine has no failures: what ends it is a fault of the program, which ends the world.
    }
}

/// How many entries of the table a message brings.
fn entries(message: &[u8]) -> u64 {
    match Message::from_bytes(message) {
        Some(Message::Entries { entries, .. }) => entries.len() as u64,
        _ => 0,
    }
}

/// The name of a simulated machine.
pub(crate) fn host(rank: usize) -> String {
    format!("simulated-{rank}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::{SentResult, Talk, Tally};
    use crate::transport::WINDOW;
    use vtime::{Work, World};

    /// Runs one talking thread for each machine on this network.
    fn run<const N: usize>(network: Network, talks: [fn(End<'_>, Clock<'_>); N]) -> Vec<u64> {
        let wires = Wires::new(network, N);
        let works = talks.into_iter().enumerate().map(|(rank, talk)| {
            let wires = Rc::clone(&wires);
            Box::new(move |clock: Clock<'_>| talk(End::new(&wires, rank, clock, 7, Arc::default()), clock))
                as Work
        });
        World::default().run(256 << 10, works.collect()).expect("nothing waits")
    }

    /// By hand: a thousand bytes take 8,000 ns at 1,000 Mbit/s. The first message is sent at 100 and arrives
    /// at 100 + 8,000 + 5,000, the second has to wait for the line and arrives 8,000 later. Taking one costs 100.
    #[test]
    fn a_message_takes_its_line_and_then_the_latency() {
        let network = Network { latency_ns: 5_000, bandwidth_mbit: 1_000, message_ns: 100 };
        let ends = run(
            network,
            [
                |mut end, _| {
                    assert_eq!((end.send(1, &[1; 1000]), end.send(1, &[2; 1000])), (Ok(true), Ok(true)));
                    assert_eq!(end.sent_bytes(), 2000);
                },
                |mut end, clock| {
                    for (moment, byte) in [(13_100, 1), (21_100, 2)] {
                        clock.spend(moment - 1 - clock.now());
                        assert_eq!(end.receive(), None);
                        clock.spend(1);
                        assert_eq!(end.receive(), Some((0, vec![byte; 1000])));
                    }
                    assert_eq!(end.busy.load(Relaxed), 2 * 100);
                },
            ],
        );
        assert_eq!(ends, [200, 21_200]);
    }

    /// By hand: 100 for each message, and 7 for each of three entries. A vote brings none, however long it is.
    #[test]
    fn only_entries_cost_time_to_write_them_to_the_table() {
        fn vote() -> Vec<u8> {
            let (results, tally) = (vec![SentResult::default(); 20], Tally::default());
            Message::Talk(Talk::Results { search: 1, results, tally }).to_bytes()
        }
        fn three_entries() -> Vec<u8> {
            Message::Entries { search: 1, entries: vec![(1, 2), (3, 4), (5, 6)] }.to_bytes()
        }
        let ends = run(
            Network { latency_ns: 0, bandwidth_mbit: 0, message_ns: 100 },
            [
                |mut end, _| {
                    assert_eq!((end.send(1, &vote()), end.send(1, &three_entries())), (Ok(true), Ok(true)));
                },
                |mut end, clock| {
                    clock.spend(1_000);
                    for (message, busy) in [(vote(), 100), (three_entries(), 100 + 100 + 3 * 7)] {
                        assert_eq!(end.receive(), Some((0, message)));
                        assert_eq!(end.busy.load(Relaxed), busy);
                    }
                },
            ],
        );
        assert_eq!(ends, [200, 1_221]);
    }

    /// By the same figures. Both messages of the first machine take its line one after the other, though they go to two
    /// others; both to the last arrive at once, each over a line of its own.
    #[test]
    fn a_line_is_its_senders_whoever_receives() {
        let network = Network { latency_ns: 5_000, bandwidth_mbit: 1_000, message_ns: 100 };
        run(
            network,
            [
                |mut end, _| {
                    assert_eq!((end.send(2, &[1; 1000]), end.send(1, &[2; 1000])), (Ok(true), Ok(true)));
                },
                |mut end, clock| {
                    assert_eq!(end.send(2, &[3; 1000]), Ok(true));
                    clock.spend(21_099 - clock.now());
                    assert_eq!(end.receive(), None);
                    clock.spend(1);
                    assert_eq!(end.receive(), Some((0, vec![2; 1000])));
                },
                |mut end, clock| {
                    clock.spend(13_099);
                    assert_eq!(end.receive(), None);
                    clock.spend(1);
                    assert_eq!(end.receive(), Some((0, vec![1; 1000])));
                    assert_eq!(end.receive(), Some((1, vec![3; 1000])));
                },
            ],
        );
    }

    /// What has been taken is confirmed, which takes the latency once more. Messages that arrive at one moment keep
    /// their order.
    #[test]
    fn a_link_is_full_until_the_confirmation_is_back() {
        let network = Network { latency_ns: 1_000, bandwidth_mbit: 0, message_ns: 0 };
        run(
            network,
            [
                |mut end, clock| {
                    assert!((0..WINDOW).all(|place| end.send(1, &place.to_le_bytes()) == Ok(true)));
                    assert_eq!(end.send(1, &[]), Ok(false));
                    assert_eq!(end.send(2, &[]), Ok(true), "another link");
                    clock.spend(2_999);
                    assert_eq!((end.send(1, &[]), end.under_way(1)), (Ok(false), WINDOW));
                    clock.spend(1);
                    assert_eq!((end.under_way(1), end.under_way(2)), (WINDOW - 1, 1));
                    assert_eq!((end.send(1, &[]), end.send(1, &[])), (Ok(true), Ok(false)));
                },
                |mut end, clock| {
                    clock.spend(1_999);
                    // A nanosecond apart, so that only the first is confirmed at 3,000.
                    for place in 0..WINDOW {
                        clock.spend(1);
                        assert_eq!(end.receive(), Some((0, place.to_le_bytes().to_vec())));
                    }
                },
                |_, _| {},
            ],
        );
    }
}
