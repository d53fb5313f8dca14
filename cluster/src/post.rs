//! The one thread of a rank that talks to the others. It carries errands out, hands messages on, and notices who falls
//! silent. It never waits for another rank.

use crate::exchange::MOST;
use crate::member::{Active, Duty, Failure, Settings, Shared};
use crate::message::{Identity, Message, SentResult, Talk, Tally};
use crate::results::Outgoing;
use crate::transport::{LONGEST, Transport, TransportError};
use crossbeam::channel::{Receiver, Sender};
use engine::shared::Stopwatch;
use smp::pool::link::Elsewhere;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long the thread sleeps between two looks at the transport while a search runs. An errand wakes it.
pub(crate) const SEARCHING: Duration = Duration::from_millis(1);
/// While none does, or the others' results are awaited, it sleeps for a part of the time since the last message
/// or errand, so that what follows soon is heard soon: least and most of that sleep, and the part.
const ALERT: Duration = Duration::from_micros(200);
const IDLE: Duration = Duration::from_millis(5);
const PART: u32 = 64;
/// How often a rank gives a sign of life, while a search runs and while none does.
const BEAT_SEARCHING: Duration = Duration::from_millis(20);
const BEAT_IDLE: Duration = Duration::from_millis(500);

/// How long the thread sleeps at most when nothing has been said for so long and no search runs.
pub(crate) fn nap_after(pause: Duration) -> Duration {
    (pause / PART).clamp(ALERT, IDLE)
}

/// How many messages to a rank may be unconfirmed when entries go to it. Words that are said after them find places on
/// the link, and do not wait long behind them.
const MOST_BEFORE: usize = 2;

/// What the threads of a rank want of the one that talks.
pub(crate) enum Errand {
    /// Say this to all other ranks.
    Tell(Talk),
    /// An iteration is finished.
    Finished { search: u64, result: SentResult },
    /// This rank's part of the search is over.
    Over { search: u64, results: Vec<SentResult> },
    /// Have a rank compute something.
    Call { rank: usize, body: Vec<u8>, answer: Sender<Vec<u8>> },
    /// The answer to such a call.
    Answer { number: u64, body: Vec<u8> },
    /// This rank cannot go on.
    Trouble(String),
    /// All is done.
    Leave,
}

/// Meets the other ranks. Returns their hosts once all are known to fit together.
pub(crate) fn greet(transport: &mut impl Transport, settings: &Settings) -> Result<Vec<String>, Failure> {
    let own = Identity { host: transport.host(), ..settings.identity.clone() };
    let deadline = Instant::now() + settings.patience.max(Duration::from_secs(10));
    let silent = |rank: usize| {
        let seconds = settings.patience.as_secs();
        Failure::Silent { rank, host: "an unknown host".to_owned(), seconds }
    };
    if transport.rank() > 0 {
        transport.send(0, &Message::Talk(Talk::hello(own)).to_bytes())?;
        let answer = loop {
            // A rank that has its welcome already may search; what it says now is of no use here.
            if let (0, bytes) = wait_for(transport, deadline).ok_or_else(|| silent(0))? {
                break bytes;
            }
        };
        return match Message::from_bytes(&answer) {
            Some(Message::Talk(Talk::Welcome(hosts))) => Ok(hosts),
            Some(Message::Talk(Talk::Refused(why))) => Err(Failure::Refused(why)),
            _ => Err(Failure::Unreadable { rank: 0, host: "an unknown host".to_owned() }),
        };
    }
    // Before the others hear of it: whatever started the ranks ends them all when the first one ends.
    let told = |failure: Failure| {
        (settings.on_failure)(&failure);
        failure
    };
    let met = meet(transport, &own, deadline, silent).map_err(told);
    let answer = match &met {
        Ok(hosts) => Talk::Welcome(hosts.clone()),
        Err(failure) => Talk::Refused(failure.to_string()),
    };
    for rank in 1..transport.ranks() {
        transport
            .send(rank, &Message::Talk(answer.clone()).to_bytes())
            .map_err(|error| told(error.into()))?;
    }
    met
}

/// Rank 0 hears all others' introductions and compares them. It hears the rest as well once one does not fit: MPI may
/// not end on a rank whose message has not been taken.
fn meet(
    transport: &mut impl Transport,
    own: &Identity,
    deadline: Instant,
    silent: impl Fn(usize) -> Failure,
) -> Result<Vec<String>, Failure> {
    let mut hosts = vec![None; transport.ranks()];
    hosts[0] = Some(own.host.clone());
    let mut unequal = None;
    while let Some(missing) = hosts.iter().position(Option::is_none) {
        let Some((rank, bytes)) = wait_for(transport, deadline) else {
            return Err(unequal.unwrap_or_else(|| silent(missing)));
        };
        let introduction = Message::from_bytes(&bytes).and_then(|message| message.introduction());
        let host = introduction.as_ref().map_or("an unknown host", |other| &other.host).to_owned();
        let difference = match introduction {
            Some(other) => own.difference(&other),
            None => Some("another version of the program".to_owned()),
        };
        if let Some(difference) = difference {
            let (host, leader) = (host.clone(), own.host.clone());
            unequal.get_or_insert(Failure::Unequal { rank, host, leader, difference });
        }
        hosts[rank] = Some(host);
    }
    unequal.map_or_else(|| Ok(hosts.into_iter().flatten().collect()), Err)
}

/// The next message, unless none comes in time.
fn wait_for(transport: &mut impl Transport, deadline: Instant) -> Option<(usize, Vec<u8>)> {
    loop {
        if let Some(message) = transport.receive() {
            return Some(message);
        }
        if Instant::now() >= deadline {
            return None;
        }
        std::thread::sleep(SEARCHING);
    }
}

/// Rank 0 collects the others' results at the end of a search.
struct Gathering {
    search: u64,
    /// Until when the move waits for them; without a clock it does so as long as it takes.
    until: Option<Duration>,
    /// By rank, from 1.
    found: Vec<Option<(Vec<SentResult>, Tally)>>,
}

/// The thread that talks.
pub(crate) struct Post<T> {
    transport: T,
    shared: Arc<Shared>,
    errands: Receiver<Errand>,
    duties: Sender<Duty>,
    settings: Settings,
    /// What the transport has not yet taken, by rank.
    outbox: Vec<VecDeque<Vec<u8>>>,
    /// Where the answers go to calls that have none yet.
    calls: HashMap<u64, Sender<Vec<u8>>>,
    next_call: u64,
    /// The time that all moments here are read from.
    stopwatch: Stopwatch,
    /// When each rank was last heard of.
    heard: Vec<Duration>,
    /// When the last step began.
    stepped: Duration,
    beaten: Duration,
    flushed: Duration,
    /// When something other than a sign of life was last said or heard.
    talked: Duration,
    results: Outgoing,
    /// The deepest result of another rank that the search has not been given; perhaps it has not begun here.
    finished: Option<(u64, SentResult)>,
    gathering: Option<Gathering>,
    /// Bytes that had been sent when the search began.
    bytes_before: u64,
    /// Perhaps more had come than the last step took.
    behind: bool,
    leaving: bool,
    /// Who has said the last word.
    gone: Vec<bool>,
    /// Whose silence has been reported.
    missed: Vec<bool>,
}

impl<T: Transport> Post<T> {
    pub(crate) fn new(
        transport: T,
        shared: Arc<Shared>,
        errands: Receiver<Errand>,
        duties: Sender<Duty>,
        settings: Settings,
        stopwatch: Stopwatch,
    ) -> Self {
        let (ranks, now) = (shared.ranks, stopwatch.elapsed());
        Post {
            transport,
            shared,
            errands,
            duties,
            settings,
            outbox: vec![VecDeque::new(); ranks],
            calls: HashMap::new(),
            next_call: 0,
            stopwatch,
            heard: vec![now; ranks],
            stepped: now,
            beaten: now,
            flushed: now,
            talked: now,
            results: Outgoing::default(),
            finished: None,
            gathering: None,
            bytes_before: 0,
            behind: false,
            leaving: false,
            gone: vec![false; ranks],
            missed: vec![false; ranks],
        }
    }

    /// Talks until everything is done.
    pub(crate) fn run(&mut self) -> Result<(), Failure> {
        loop {
            // Without one in time there is still all the rest to be done.
            if !self.behind
                && let Ok(errand) = self.errands.recv_timeout(self.nap())
            {
                self.carry_out(errand)?;
            }
            if self.step()? {
                return Ok(());
            }
        }
    }

    /// How long the thread may sleep before its next step, if no errand wakes it.
    pub(crate) fn nap(&self) -> Duration {
        let (now, searching) = (self.stopwatch.elapsed(), self.searching());
        if searching && self.gathering.is_none() {
            return self.results.wait(now).map_or(SEARCHING, |wait| wait.min(SEARCHING));
        }
        nap_after(now.saturating_sub(self.talked)).min(if searching { SEARCHING } else { IDLE })
    }

    /// Is the next step due at once, since there may be messages that the last one has not taken?
    pub(crate) fn is_behind(&self) -> bool {
        self.behind
    }

    fn searching(&self) -> bool {
        self.shared.underway.lock().active.is_some()
    }

    /// Does what there is to do at present. `true`: everything is done.
    pub(crate) fn step(&mut self) -> Result<bool, Failure> {
        let now = self.stopwatch.elapsed();
        self.allow_for_absence(now);
        while let Ok(errand) = self.errands.try_recv() {
            self.carry_out(errand)?;
        }
        self.take_messages()?;
        self.hand_over();
        self.take_in();
        // Results and entries go only where no word waits.
        self.send_outbox()?;
        self.send_result()?;
        self.exchange()?;
        self.beat(if self.searching() { BEAT_SEARCHING } else { BEAT_IDLE });
        self.send_outbox()?;
        if self.has_left() {
            return Ok(true);
        }
        // What a rank has said that seems silent may be among what has not been taken.
        if !self.behind {
            self.look_for_silence(now)?;
        }
        Ok(false)
    }

    /// Hears what has come, but no more than a message for each rank: however fast messages come, and however long each
    /// takes, between them errands are carried out and this rank says what it has to say.
    fn take_messages(&mut self) -> Result<(), Failure> {
        self.behind = false;
        for _ in 0..self.shared.ranks {
            let Some((from, bytes)) = self.transport.receive() else { return Ok(()) };
            self.heard[from] = self.stopwatch.elapsed();
            let unreadable = || Failure::Unreadable { rank: from, host: self.shared.host(from) };
            let message = Message::from_bytes(&bytes).ok_or_else(unreadable)?;
            if !matches!(message, Message::Talk(Talk::Beat { .. })) {
                self.talked = self.heard[from];
            }
            self.hear(from, message)?;
        }
        self.behind = true;
        Ok(())
    }

    /// A process that was stopped for a while (SIGSTOP, a suspended job) could hear nothing in that time, so that time
    /// counts against no other rank.
    fn allow_for_absence(&mut self, now: Duration) {
        let away = now.saturating_sub(std::mem::replace(&mut self.stepped, now));
        if away > 2 * BEAT_IDLE {
            self.heard.iter_mut().for_each(|heard| *heard = (*heard + away).min(now));
        }
    }

    /// Is everything said, what has come taken, and on rank 0 everything heard? A rank's last word comes after all that
    /// it has sent.
    fn has_left(&self) -> bool {
        let said = self.leaving && !self.behind && self.outbox.iter().all(VecDeque::is_empty);
        said && (self.shared.rank > 0 || self.others().all(|rank| self.gone[rank]))
    }

    /// Ends all ranks after a failure.
    pub(crate) fn abort(&mut self, failure: &Failure) {
        (self.settings.on_failure)(failure);
        // A search that waits for the others' results gets none.
        if let Some(active) = self.shared.underway.lock().active.take() {
            active.running.gathered(Vec::new());
        }
        self.transport.abort();
    }

    fn others(&self) -> impl Iterator<Item = usize> + use<T> {
        let rank = self.shared.rank;
        (0..self.shared.ranks).filter(move |&other| other != rank)
    }

    /// A rank that has said its last word takes no more, so that nothing is kept for it.
    fn tell(&mut self, to: usize, message: &Message) {
        if !self.gone[to] {
            self.outbox[to].push_back(message.to_bytes());
        }
    }

    fn tell_all(&mut self, talk: Talk) {
        let message = Message::Talk(talk);
        self.others().for_each(|rank| self.tell(rank, &message));
    }

    fn send_outbox(&mut self) -> Result<(), TransportError> {
        for (rank, waiting) in self.outbox.iter_mut().enumerate() {
            while let Some(bytes) = waiting.front() {
                if !self.transport.send(rank, bytes)? {
                    break;
                }
                waiting.pop_front();
            }
        }
        Ok(())
    }

    fn carry_out(&mut self, errand: Errand) -> Result<(), Failure> {
        self.talked = self.stopwatch.elapsed();
        match errand {
            Errand::Tell(talk) => {
                if matches!(talk, Talk::Go(_)) {
                    self.bytes_before = self.transport.sent_bytes();
                }
                self.tell_all(talk);
            }
            Errand::Finished { search, result } => {
                let others = self.others();
                self.results.offer(self.talked, search, result, others);
            }
            Errand::Over { search, results } => self.conclude(search, results),
            Errand::Call { rank, body, answer } => {
                self.next_call += 1;
                self.calls.insert(self.next_call, answer);
                self.tell(rank, &Message::Request { number: self.next_call, body });
            }
            Errand::Answer { number, body } if body.len() + 16 > LONGEST => {
                let what = format!("the answer to request {number} has {} bytes", body.len());
                self.carry_out(Errand::Trouble(what))?;
            }
            Errand::Answer { number, body } => self.tell(0, &Message::Response { number, body }),
            Errand::Trouble(what) => {
                let (rank, host) = (self.shared.rank, self.shared.host(self.shared.rank));
                if rank == 0 {
                    return Err(Failure::Trouble { rank, host, what });
                }
                self.tell(0, &Message::Talk(Talk::Trouble(what)));
            }
            Errand::Leave => {
                self.tell_all(Talk::Quit);
                self.leaving = true;
            }
        }
        Ok(())
    }

    fn hear(&mut self, from: usize, message: Message) -> Result<(), Failure> {
        match message {
            Message::Entries { search, entries } => {
                let underway = self.shared.underway.lock();
                if let Some(active) =
                    underway.active.as_ref().filter(|active| active.exchange.search == search)
                {
                    active.exchange.receive(&active.running, &entries);
                }
            }
            Message::Result { search, result } => {
                self.results.heard(self.talked, search, result.depth);
                let known = self.finished.as_ref().map(|(search, result)| (*search, result.depth));
                if known < Some((search, result.depth)) {
                    self.finished = Some((search, result));
                }
                self.take_in();
            }
            Message::Request { number, body } => self.give_duty(Duty::Work { number, body }),
            Message::Response { number, body } => {
                if let Some(answer) = self.calls.remove(&number) {
                    // Who asked may have given up.
                    let _ = answer.send(body);
                }
            }
            Message::Talk(talk) => self.listen(from, talk)?,
        }
        Ok(())
    }

    fn listen(&mut self, from: usize, talk: Talk) -> Result<(), Failure> {
        match talk {
            Talk::Beat { search, nodes, tablebase_hits } => {
                self.note_done(from, search, Elsewhere { nodes, tablebase_hits });
            }
            Talk::Order(words) => self.give_duty(Duty::Order(words)),
            Talk::Go(go) => {
                self.bytes_before = self.transport.sent_bytes();
                self.give_duty(go.into());
            }
            Talk::Halt { search } => {
                let mut underway = self.shared.underway.lock();
                underway.halted = search;
                let joined = underway.active.as_ref().filter(|active| active.exchange.search == search);
                if let Some(active) = joined {
                    active.running.stop();
                }
                let late = joined.is_none();
                drop(underway);
                // A rank that has not joined in by now never will (`Call::join`), and keeps no move waiting.
                if late {
                    let (results, tally) = Default::default();
                    self.tell(0, &Message::Talk(Talk::Results { search, results, tally }));
                }
            }
            Talk::Results { search, results, tally } => {
                let done = Elsewhere { nodes: tally.nodes, tablebase_hits: tally.tablebase_hits };
                self.note_done(from, search, done);
                if let Some(gathering) =
                    self.gathering.as_mut().filter(|gathering| gathering.search == search)
                {
                    gathering.found[from - 1] = Some((results, tally));
                }
                self.hand_over();
            }
            Talk::Trouble(what) => {
                return Err(Failure::Trouble { rank: from, host: self.shared.host(from), what });
            }
            Talk::Quit => {
                self.tell(0, &Message::Talk(Talk::Bye));
                self.leaving = true;
            }
            Talk::Bye => {
                self.gone[from] = true;
                self.outbox[from].clear();
            }
            Talk::Hello { .. } | Talk::Welcome(_) | Talk::Refused(_) => {
                return Err(Failure::Unreadable { rank: from, host: self.shared.host(from) });
            }
        }
        Ok(())
    }

    /// The search goes on from what another rank has finished, once it has begun here.
    fn take_in(&mut self) {
        let Some((search, result)) = &self.finished else { return };
        let underway = self.shared.underway.lock();
        if let Some(active) = underway.active.as_ref().filter(|active| active.exchange.search >= *search) {
            if active.exchange.search == *search {
                active.exchange.take_in(&active.running, result);
            }
            self.finished = None;
        }
    }

    fn give_duty(&self, duty: Duty) {
        // The receiver lives as long as the member, whose leaving this thread sees first.
        let _ = self.duties.send(duty);
    }

    fn note_done(&self, rank: usize, search: u64, done: Elsewhere) {
        if let Some(active) =
            self.shared.underway.lock().active.as_ref().filter(|active| active.exchange.search == search)
        {
            active.exchange.note_done(rank, done);
        }
    }

    /// This rank's search is over: rank 0 ends those of the others, they report.
    fn conclude(&mut self, search: u64, results: Vec<SentResult>) {
        self.results.clear();
        if self.shared.rank > 0 {
            let is_over = |active: &mut Active| active.exchange.search == search;
            let over = self.shared.underway.lock().active.take_if(is_over);
            // Rank 0 may have gone on without these results: then the next search has begun here, which is not over.
            let Some(active) = over else { return };
            let tally = self.tally_of(&active);
            return self.tell(0, &Message::Talk(Talk::Results { search, results, tally }));
        }
        self.tell_all(Talk::Halt { search });
        let may_wait = |active: &Active| active.running.may_wait();
        let spare = self.shared.underway.lock().active.as_ref().and_then(may_wait);
        let until = spare.map(|spare| self.stopwatch.elapsed() + spare);
        self.gathering = Some(Gathering { search, until, found: vec![None; self.shared.ranks - 1] });
        self.hand_over();
    }

    /// What this rank has exchanged in the search under way.
    fn tally(&self) -> Tally {
        let underway = self.shared.underway.lock();
        underway.active.as_ref().map_or_else(Tally::default, |active| self.tally_of(active))
    }

    fn tally_of(&self, active: &Active) -> Tally {
        let bytes = self.transport.sent_bytes() - self.bytes_before;
        let threads = active.running.threads() as u64;
        Tally { threads, ..active.exchange.tally(active.running.done(), bytes) }
    }

    /// Once every rank has reported, or the move can wait no longer, the search gets their results.
    fn hand_over(&mut self) {
        let now = self.stopwatch.elapsed();
        let is_due = |gathering: &mut Gathering| {
            let has_all = gathering.found.iter().all(Option::is_some);
            has_all || gathering.until.is_some_and(|until| now >= until)
        };
        let Some(Gathering { found, .. }) = self.gathering.take_if(is_due) else { return };
        // Entries have gone out until now.
        let own = self.tally();
        let Some(active) = self.shared.underway.lock().active.take() else { return };
        let position = &active.running.task().position;
        let (mut tallies, mut results) = (vec![own], Vec::new());
        for (rank, found) in (1..).zip(found) {
            let (sent, tally) = found.unwrap_or_else(|| (Vec::new(), active.exchange.heard_of(rank)));
            results.extend(sent.iter().filter_map(|sent| sent.result(position)));
            tallies.push(tally);
        }
        *self.shared.tallies.lock() = tallies;
        active.running.gathered(results);
    }

    /// Sends the result of an iteration if one is due.
    fn send_result(&mut self) -> Result<(), TransportError> {
        let (outbox, transport) = (&self.outbox, &mut self.transport);
        // A word that waits was refused: so would the result be.
        let send = |rank: usize, bytes: &[u8]| Ok(outbox[rank].is_empty() && transport.send(rank, bytes)?);
        let (search, ranks) = self.results.send(self.stopwatch.elapsed(), send)?;
        if let Some(active) =
            self.shared.underway.lock().active.as_ref().filter(|active| active.exchange.search == search)
        {
            active.exchange.note_results_sent(ranks);
        }
        Ok(())
    }

    /// Are earlier messages to this rank still on their way, so that entries wait?
    fn is_busy(&mut self, rank: usize) -> bool {
        !self.outbox[rank].is_empty() || self.transport.under_way(rank) > MOST_BEFORE
    }

    /// Sends the entries that are due. They wait while a link is busy: with those that the search adds they may become
    /// too many, and so it is the network that says how deep they must be.
    fn exchange(&mut self) -> Result<(), TransportError> {
        let underway = self.shared.underway.lock();
        let Some(exchange) = underway.active.as_ref().map(|active| Arc::clone(&active.exchange)) else {
            return Ok(());
        };
        drop(underway);
        let now = self.stopwatch.elapsed();
        let due = now.saturating_sub(self.flushed) >= exchange.rate.period;
        if !due || self.others().any(|rank| self.is_busy(rank)) {
            return Ok(());
        }
        self.flushed = now;
        for entries in exchange.take_batch().chunks(MOST) {
            let message = Message::Entries { search: exchange.search, entries: entries.to_vec() };
            let bytes = message.to_bytes();
            for rank in self.others() {
                // What a link refuses, since something very long is under way, is lost.
                let sent = self.transport.send(rank, &bytes)?;
                exchange.note_sent(entries.len(), sent);
            }
        }
        Ok(())
    }

    /// A sign of life, to rank 0 and from it, until the last word.
    fn beat(&mut self, interval: Duration) {
        let now = self.stopwatch.elapsed();
        let silent = self.leaving && self.shared.rank > 0;
        if silent || now.saturating_sub(self.beaten) < interval {
            return;
        }
        self.beaten = now;
        let at_work = |active: &Active| (active.exchange.search, active.running.done());
        let (search, done) = self.shared.underway.lock().active.as_ref().map(at_work).unwrap_or_default();
        let beat = Message::Talk(Talk::beat(search, done));
        let leads = self.shared.rank == 0;
        for rank in self.others().filter(|&rank| rank == 0 || leads) {
            // One that waits says as much as two.
            if self.outbox[rank].is_empty() {
                self.tell(rank, &beat);
            }
        }
    }

    /// Rank 0 listens to all, the others to rank 0. `now` is when the step began: a process that is stopped within
    /// a step has heard nothing either.
    fn look_for_silence(&mut self, now: Duration) -> Result<(), Failure> {
        let patience = self.settings.patience;
        let heeded = |rank: &usize| !self.gone[*rank] && (*rank == 0 || self.shared.rank == 0);
        for rank in self.others().filter(heeded).collect::<Vec<_>>() {
            let silence = now.saturating_sub(self.heard[rank]);
            let failure =
                || Failure::Silent { rank, host: self.shared.host(rank), seconds: silence.as_secs() };
            if silence > patience {
                return Err(failure());
            }
            if silence > patience / 3 && !std::mem::replace(&mut self.missed[rank], true) {
                (self.settings.on_failure)(&failure());
            }
            self.missed[rank] &= silence > patience / 3;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exchange::Exchange;
    use crate::memory::{Memory, network};
    use crate::message::Go;
    use crate::search::{Call, lead, mark};
    use crate::transport::WINDOW;
    use chess::{Game, Position};
    use crossbeam::channel::unbounded;
    use engine::iterate::ThreadResult;
    use engine::root::Root;
    use engine::tt::Entry;
    use engine::worker::Task;
    use smp::pool::link::Link;
    use smp::pool::{Pool, Search};
    use smp::simulation::Recorder;
    use std::mem::ManuallyDrop;
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
    use thinking::report::{Bound, Clock, Limits, Observer, Silent};
    use thinking::score::mate_in;

    /// The talking thread of a rank at this end of a network, in a time that stands until it is advanced; and the
    /// errands it takes.
    fn post<T: Transport>(end: T, patience: Duration, clock: &Arc<AtomicU64>) -> (Post<T>, Sender<Errand>) {
        let ((errands, inbox), (duties, _)) = (unbounded(), unbounded());
        let hosts = vec![String::new(); end.ranks()];
        let shared = Arc::new(Shared::new(end.rank(), hosts, errands.clone()));
        let (host, version, mark, options) = Default::default();
        let identity = Identity { host, version, network: mark, options };
        let settings = Settings { identity, patience, on_failure: Box::new(|_| {}) };
        (Post::new(end, shared, inbox, duties, settings, Stopwatch::Simulated(Arc::clone(clock))), errands)
    }

    /// A sign of life of a rank that searches nothing.
    fn beat() -> Vec<u8> {
        Message::Talk(Talk::Beat { search: 0, nodes: 0, tablebase_hits: 0 }).to_bytes()
    }

    /// One thread. A test makes it before its post: it ends when it is dropped, and while there is a post its search
    /// would wait for the other ranks.
    fn pool() -> Pool {
        Pool::new(1, 1).expect("a small pool")
    }

    /// One iteration from the start position; then a search waits until it is stopped.
    fn one_iteration() -> Search {
        let limits = Limits { depth: Some(1), infinite: true, ..Limits::default() };
        Search { task: Task::from(&Game::default()), limits, multipv: 1, observer: Arc::new(Silent) }
    }

    /// A fault ends in a failed test, not in one that hangs.
    fn until(what: &str, mut done: impl FnMut() -> bool) {
        let begun = Instant::now();
        while !done() {
            assert!(begun.elapsed() < Duration::from_secs(60), "never: {what}");
            std::thread::yield_now();
        }
    }

    /// The end of rank 0 of three, to which these messages come in this order, from whichever ranks.
    struct Queue(VecDeque<(usize, Vec<u8>)>);

    impl Transport for Queue {
        fn rank(&self) -> usize {
            0
        }

        fn ranks(&self) -> usize {
            3
        }

        fn host(&self) -> String {
            String::new()
        }

        fn send(&mut self, _: usize, _: &[u8]) -> Result<bool, TransportError> {
            Ok(true)
        }

        fn under_way(&mut self, _: usize) -> usize {
            0
        }

        fn receive(&mut self) -> Option<(usize, Vec<u8>)> {
            self.0.pop_front()
        }

        fn sent_bytes(&self) -> u64 {
            0
        }

        fn abort(&mut self) {}
    }

    /// Of two ranks one leaves at once and takes nothing more, the other much later. The first one's last word may be
    /// long on its way too.
    #[test]
    fn rank_0_leaves_after_the_last_however_much_went_to_the_first() {
        let said = |talk: Talk| Message::Talk(talk).to_bytes();
        for arrives in [1, 2 * WINDOW] {
            let clock = Arc::new(AtomicU64::new(0));
            let (ends, _) = network(3);
            let [leader, mut first, mut last] = <[_; 3]>::try_from(ends).unwrap_or_else(|_| unreachable!());
            let (mut post, errands) = post(leader, Duration::MAX, &clock);
            errands.send(Errand::Leave).expect("the post is there");
            for beat in 0..4 * WINDOW {
                assert_eq!(post.step(), Ok(false), "rank 2 is still there");
                if beat == arrives {
                    assert_eq!(first.send(0, &said(Talk::Bye)), Ok(true));
                }
                while last.receive().is_some() {}
                clock.fetch_add(BEAT_IDLE.as_nanos() as u64, Relaxed);
            }
            assert_eq!(last.send(0, &said(Talk::Bye)), Ok(true));
            assert_eq!(post.step(), Ok(true), "beat {arrives}");
        }
    }

    /// The transport may not end on a rank whose message has not been taken.
    #[test]
    fn a_rank_says_nothing_after_its_last_word() {
        let clock = Arc::new(AtomicU64::new(0));
        let (ends, _) = network(2);
        let [mut leader, other] = <[_; 2]>::try_from(ends).unwrap_or_else(|_| unreachable!());
        let (mut post, _errands) = post(other, Duration::MAX, &clock);
        clock.fetch_add(BEAT_IDLE.as_nanos() as u64, Relaxed);
        assert_eq!(leader.send(1, &Message::Talk(Talk::Quit).to_bytes()), Ok(true));
        assert_eq!(post.step(), Ok(true));
        let heard: Vec<_> = std::iter::from_fn(|| leader.receive()).collect();
        assert_eq!(heard, [(1, Message::Talk(Talk::Bye).to_bytes())]);
    }

    /// By hand: of 17 messages a step takes three, one for each rank. The word to leave is the first of them, and the
    /// transport may not end on the others.
    #[test]
    fn a_rank_takes_a_few_messages_at_once_and_leaves_when_it_has_taken_all() {
        let clock = Arc::new(AtomicU64::new(0));
        let (ends, _) = network(3);
        let [mut leader, own, mut last] = <[_; 3]>::try_from(ends).unwrap_or_else(|_| unreachable!());
        let (mut post, _errands) = post(own, Duration::MAX, &clock);
        assert_eq!(leader.send(1, &Message::Talk(Talk::Quit).to_bytes()), Ok(true));
        let mut fill = || (0..WINDOW).all(|_| last.send(1, &beat()) == Ok(true));
        assert!(fill());
        for step in 1..=5 {
            assert_eq!((post.step(), post.is_behind()), (Ok(false), true), "step {step}");
        }
        assert_eq!((post.step(), post.is_behind()), (Ok(true), false));
        assert!(fill(), "nothing is under way any more");
    }

    /// No rank is taken for lost while it has nothing to say, and none says that it is there at every step.
    #[test]
    fn signs_of_life_go_to_rank_0_and_from_it() {
        let interval = BEAT_IDLE.as_nanos() as u64;
        for (rank, listeners) in [(0, vec![1, 2]), (1, vec![0])] {
            let clock = Arc::new(AtomicU64::new(0));
            let (mut ends, _) = network(3);
            let (mut post, _errands) = post(ends.remove(rank), Duration::MAX, &clock);
            for (pass, due) in [(0, false), (interval - 1, false), (1, true), (0, false)] {
                clock.fetch_add(pass, Relaxed);
                assert_eq!(post.step(), Ok(false), "rank {rank}");
                for end in &mut ends {
                    let heard: Vec<_> = std::iter::from_fn(|| end.receive()).collect();
                    let times = usize::from(due && listeners.contains(&end.rank()));
                    assert_eq!(heard, vec![(rank, beat()); times], "rank {rank} to {}", end.rank());
                }
            }
        }
    }

    /// A warning for each silence, after a third of the patience: 3.2 s are the first step beyond 3 s.
    #[test]
    fn a_silence_is_reported_once() {
        let clock = Arc::new(AtomicU64::new(0));
        let (ends, _) = network(2);
        let [leader, mut other] = <[_; 2]>::try_from(ends).unwrap_or_else(|_| unreachable!());
        let (mut post, _errands) = post(leader, Duration::from_secs(9), &clock);
        let (told, reports) = unbounded();
        post.settings.on_failure = Box::new(move |failure: &Failure| {
            told.send(failure.clone()).expect("the test listens");
        });
        for silence in 1..=2 {
            assert_eq!(other.send(0, &beat()), Ok(true));
            assert_eq!(post.step(), Ok(false), "it is heard");
            for _ in 0..11 {
                clock.fetch_add(800_000_000, Relaxed);
                assert_eq!(post.step(), Ok(false), "8.8 s at most");
            }
            let missed = Failure::Silent { rank: 1, host: String::new(), seconds: 3 };
            assert_eq!(reports.try_iter().collect::<Vec<_>>(), [missed], "silence {silence}");
        }
    }

    /// By hand: 41 messages, of which a step takes three, and a step each .8 s. That of rank 1 is the last, and is
    /// taken after 11.2 s.
    #[test]
    fn a_rank_is_not_silent_while_its_word_may_wait() {
        let clock = Arc::new(AtomicU64::new(0));
        let mut words = VecDeque::from(vec![(2, beat()); 40]);
        words.push_back((1, beat()));
        let (mut post, _errands) = post(Queue(words), Duration::from_secs(10), &clock);
        for step in 1..=14 {
            clock.fetch_add(800_000_000, Relaxed);
            assert_eq!((post.step(), post.is_behind()), (Ok(false), step < 14), "step {step}");
        }
    }

    /// How many bytes a rank says to the other within the time from one sign of life to the next. All arrives.
    fn bytes_said(post: &mut Post<Memory>, other: &mut Memory, clock: &AtomicU64) -> u64 {
        clock.fetch_add(BEAT_IDLE.as_nanos() as u64, Relaxed);
        assert_eq!(post.step(), Ok(false));
        std::iter::from_fn(|| other.receive()).map(|(_, bytes)| bytes.len() as u64).sum()
    }

    /// What was said before it is no part of a search.
    #[test]
    fn the_bytes_of_a_search_are_those_said_since_it_began() {
        for rank in [0, 1] {
            let (mut pool, clock) = (pool(), Arc::new(AtomicU64::new(0)));
            let (mut ends, _) = network(2);
            let (mut post, _errands) = post(ends.remove(rank), Duration::MAX, &clock);
            let mut other = ends.remove(0);
            assert!(bytes_said(&mut post, &mut other, &clock) > 0, "a sign of life");
            if rank == 0 {
                lead(&post.shared, &mut pool, one_iteration());
            } else {
                let Search { task, limits, multipv, .. } = one_iteration();
                let own = pool.network().map(|network| mark(network));
                let go = Go::new(1, &task, &limits, multipv, own);
                assert_eq!(other.send(1, &Message::Talk(Talk::Go(go.clone())).to_bytes()), Ok(true));
                assert_eq!(post.step(), Ok(false), "it is heard");
                Call(go).join(&post.shared, &mut pool).expect("the same network");
            }
            let said: u64 = (0..3).map(|_| bytes_said(&mut post, &mut other, &clock)).sum();
            assert_eq!((said > 0, post.tally().bytes), (true, said), "rank {rank}");
        }
    }

    /// This rank's side of the search under way.
    fn exchange<T: Transport>(post: &Post<T>) -> Arc<Exchange> {
        Arc::clone(&post.shared.underway.lock().active.as_ref().expect("it has begun").exchange)
    }

    /// The search stores entries of these numbers, each of a position of its own.
    fn store(exchange: &Exchange, numbers: impl Iterator<Item = u64>) {
        let entry = Entry { mv: None, score: 0, eval: None, depth: 9, bound: Bound::Exact, pv: false };
        numbers.for_each(|number| exchange.stored(number << 50 | number, &entry));
    }

    /// The numbers of the entries that come now, by message; and each message's length in bytes.
    fn entries(end: &mut Memory) -> Vec<(usize, Vec<u64>)> {
        let heard = std::iter::from_fn(|| end.receive());
        let entries = heard.filter_map(|(_, bytes)| match Message::from_bytes(&bytes) {
            Some(Message::Entries { entries, .. }) => {
                Some((bytes.len(), entries.iter().map(|(key, _)| key & 0xffff).collect()))
            }
            _ => None,
        });
        entries.collect()
    }

    /// Between ranks of one machine Open MPI sends 4 KiB at once, its own header among them; for longer messages both
    /// ranks spin.
    #[test]
    fn entries_go_in_messages_that_are_sent_at_once() {
        let (mut pool, clock) = (pool(), Arc::new(AtomicU64::new(0)));
        let (ends, _) = network(2);
        let [leader, mut other] = <[_; 2]>::try_from(ends).unwrap_or_else(|_| unreachable!());
        let (mut post, _errands) = post(leader, Duration::MAX, &clock);
        lead(&post.shared, &mut pool, one_iteration());
        let exchange = exchange(&post);
        let numbers = 1..=2 * MOST as u64 + 1;
        store(&exchange, numbers.clone());
        let mut sent = Vec::new();
        for (pass, messages) in [(exchange.rate.period.as_nanos() as u64 - 1, 0), (1, 3), (0, 0)] {
            clock.fetch_add(pass, Relaxed);
            assert_eq!(post.step(), Ok(false));
            let heard = entries(&mut other);
            assert_eq!(heard.len(), messages, "after {pass} ns");
            assert!(heard.iter().all(|(length, _)| *length < 4000));
            sent.extend(heard.into_iter().flat_map(|(_, numbers)| numbers));
        }
        assert_eq!((sent.len() as u64, sent), (post.tally().sent, numbers.collect()));
    }

    /// By hand: the word to begin, the result of the iteration and a message of entries are under way, so the next
    /// entries wait until those are taken. Then they go together. A batch is 8 messages: 6 places are left for words.
    #[test]
    fn entries_wait_for_a_slow_link_and_leave_room_for_words() {
        let (mut pool, clock) = (pool(), Arc::new(AtomicU64::new(0)));
        let (ends, _) = network(2);
        let [leader, mut other] = <[_; 2]>::try_from(ends).unwrap_or_else(|_| unreachable!());
        let (mut post, _errands) = post(leader, Duration::MAX, &clock);
        lead(&post.shared, &mut pool, one_iteration());
        until("its iteration is told", || {
            assert_eq!(post.step(), Ok(false));
            post.results.wait(Duration::ZERO).is_some()
        });
        let exchange = exchange(&post);
        let periods = |post: &mut Post<Memory>, numbers: std::ops::Range<u64>| {
            for number in numbers {
                store(&exchange, std::iter::once(number));
                clock.fetch_add(exchange.rate.period.as_nanos() as u64, Relaxed);
                assert_eq!(post.step(), Ok(false));
            }
        };
        periods(&mut post, 1..6);
        assert_eq!(entries(&mut other).into_iter().map(|(_, numbers)| numbers).collect::<Vec<_>>(), [[1]]);
        periods(&mut post, 6..7);
        assert_eq!(entries(&mut other)[0].1, [2, 3, 4, 5, 6]);
        assert_eq!(exchange.rate.batch.div_ceil(MOST) + MOST_BEFORE + 6, WINDOW);
        assert_eq!((post.tally().sent, post.tally().dropped), (6, 0));
    }

    /// What comes late from the search before may be of another position.
    #[test]
    fn a_result_of_another_search_is_not_taken_in() {
        let (mut pool, clock) = (pool(), Arc::new(AtomicU64::new(0)));
        let (ends, _) = network(2);
        let [leader, mut other] = <[_; 2]>::try_from(ends).unwrap_or_else(|_| unreachable!());
        let (mut post, _errands) = post(leader, Duration::MAX, &clock);
        post.shared.searches.store(1, Relaxed);
        lead(&post.shared, &mut pool, one_iteration());
        for (search, taken) in [(1, 0), (2, 1)] {
            let mut root = Root::new(&Position::startpos(), &[]);
            (root.moves[0].score, root.depth) = (20, 90);
            let result = SentResult::from(&ThreadResult { depth: 90, root });
            assert_eq!(other.send(0, &Message::Result { search, result }.to_bytes()), Ok(true));
            assert_eq!(post.step(), Ok(false), "it is heard");
            let Tally { results_received, results_used, .. } = post.tally();
            assert_eq!((results_received, results_used), (taken, taken), "of search {search}");
        }
    }

    /// By hand: of a minute on the clock a move may wait for 20 ms. Rank 1 is stopped, or its host is cut off, and what
    /// it had done when it was last heard of counts. Without a clock its results are waited for.
    #[test]
    fn a_move_under_a_clock_does_not_wait_for_a_silent_rank() {
        let position = Position::startpos();
        let mv = position.parse_uci("h2h3").expect("a legal move");
        let mut root = Root::new(&position, &[mv]);
        (root.moves[0].score, root.moves[0].bound, root.depth) = (mate_in(5), Bound::Exact, 9);
        let vote = SentResult::vote(&ThreadResult { depth: 9, root });
        let say = |end: &mut Memory, talk: Talk| {
            assert_eq!(end.send(0, &Message::Talk(talk).to_bytes()), Ok(true));
        };
        let results = |results: Vec<SentResult>, nodes: u64| {
            let tally = Tally { nodes, ..Tally::default() };
            Talk::Results { search: 1, results, tally }
        };
        for has_clock in [true, false] {
            // Where its search does not end, a pool that is dropped waits for ever.
            let (mut pool, clock) = (ManuallyDrop::new(pool()), Arc::new(AtomicU64::new(0)));
            let (ends, _) = network(3);
            let [leader, mut silent, mut other] = <[_; 3]>::try_from(ends).unwrap_or_else(|_| unreachable!());
            let (mut post, _errands) = post(leader, Duration::MAX, &clock);
            let (remaining, increment) = (Duration::from_secs(60), Duration::ZERO);
            let minute = Clock { remaining, increment, moves_to_go: None };
            let clock_of_move = has_clock.then_some(minute);
            let limits = Limits { depth: Some(1), clock: clock_of_move, ..Limits::default() };
            let seen = Arc::new(Recorder::default());
            let observer = Arc::clone(&seen) as Arc<dyn Observer>;
            let wanted = Search { task: Task::from(&Game::default()), limits, multipv: 1, observer };
            lead(&post.shared, &mut *pool, wanted);
            until("it waits for the others", || {
                assert_eq!(post.step(), Ok(false));
                post.gathering.is_some()
            });
            say(&mut silent, Talk::Beat { search: 1, nodes: 77, tablebase_hits: 0 });
            say(&mut other, results(vec![vote.clone()], 5));
            for (pass, waits) in [(0, true), (19_999_999, true), (1, !has_clock)] {
                clock.fetch_add(pass, Relaxed);
                assert_eq!(post.step(), Ok(false));
                assert_eq!(post.gathering.is_some(), waits, "{pass}, {has_clock}");
            }
            if !has_clock {
                say(&mut silent, results(Vec::new(), 77));
                assert_eq!(post.step(), Ok(false));
            }
            until("the move comes", || !pool.searching());
            assert_eq!(seen.take().1.best, Some(mv), "a mate outvotes everything");
            let nodes: Vec<u64> = post.shared.tallies.lock().iter().map(|tally| tally.nodes).collect();
            assert_eq!(nodes[1..], [77, 5]);
            drop(ManuallyDrop::into_inner(pool));
        }
    }

    /// The results that have come to this end: of which search, how many, of how many threads, and whether these have
    /// searched any node.
    fn results_at(end: &mut Memory) -> Vec<(u64, usize, u64, bool)> {
        let heard = std::iter::from_fn(|| end.receive());
        let results = heard.filter_map(|(_, bytes)| match Message::from_bytes(&bytes) {
            Some(Message::Talk(Talk::Results { search, results, tally })) => {
                Some((search, results.len(), tally.threads, tally.nodes > 0))
            }
            _ => None,
        });
        results.collect()
    }

    /// Rank 0 has gone on without this rank, whose search ends when it hears of the next one: its results are of no use
    /// any more, and the next search goes on.
    #[test]
    fn the_end_of_a_search_does_not_end_the_next() {
        let (mut pool, clock) = (pool(), Arc::new(AtomicU64::new(0)));
        let (ends, _) = network(2);
        let [mut leader, own] = <[_; 2]>::try_from(ends).unwrap_or_else(|_| unreachable!());
        let (mut post, _errands) = post(own, Duration::MAX, &clock);
        for search in [1, 2] {
            let Search { task, limits, multipv, .. } = one_iteration();
            let network = pool.network().map(|network| mark(network));
            let go = Go::new(search, &task, &limits, multipv, network);
            // The end of the first, which this waits for, is an errand that has not been carried out.
            Call(go).join(&post.shared, &mut pool).expect("the same network");
        }
        until("it searches", || pool.nodes() > 0);
        assert_eq!(post.step(), Ok(false));
        assert!(results_at(&mut leader).is_empty(), "they would come too late");
        assert_eq!(exchange(&post).search, 2);
        let halt = Message::Talk(Talk::Halt { search: 2 }).to_bytes();
        assert_eq!(leader.send(1, &halt), Ok(true));
        let mut told = Vec::new();
        until("it tells its results", || {
            assert_eq!(post.step(), Ok(false));
            told.extend(results_at(&mut leader));
            !told.is_empty()
        });
        assert_eq!(told, [(2, 1, 1, true)]);
    }

    #[test]
    fn a_failure_ends_a_search_that_waits_for_the_others() {
        // Where its search does not end, a pool that is dropped waits for ever.
        let (mut pool, clock) = (ManuallyDrop::new(pool()), Arc::new(AtomicU64::new(0)));
        let (mut post, _errands) = post(network(2).0.remove(0), Duration::MAX, &clock);
        lead(&post.shared, &mut *pool, one_iteration());
        pool.stop();
        until("it waits for the results of rank 1", || {
            assert_eq!(post.step(), Ok(false));
            post.gathering.is_some()
        });
        post.abort(&Failure::Ended);
        until("it ends", || !pool.searching());
        drop(ManuallyDrop::into_inner(pool));
    }

    /// A process that was stopped has received nothing meanwhile, and goes on; a rank that is silent while it runs is
    /// lost.
    #[test]
    fn a_pause_of_this_process_is_no_silence_of_the_others() {
        let patience = Duration::from_secs(10);
        for rank in [0, 1] {
            let clock = Arc::new(AtomicU64::new(0));
            let pass = |time: Duration| clock.fetch_add(time.as_nanos() as u64, Relaxed);
            let (mut post, _errands) = post(network(2).0.remove(rank), patience, &clock);
            assert_eq!(post.step(), Ok(false));
            pass(6 * patience);
            assert_eq!(post.step(), Ok(false), "rank {rank}");
            for _ in 0..patience.as_millis() / BEAT_IDLE.as_millis() {
                pass(BEAT_IDLE);
                assert_eq!(post.step(), Ok(false), "rank {rank}");
            }
            pass(BEAT_IDLE);
            let lost = post.step();
            assert!(
                matches!(lost, Err(Failure::Silent { rank: other, .. }) if other == 1 - rank),
                "{lost:?}"
            );
        }
    }
}
