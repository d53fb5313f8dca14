//! One of two ranks is played by hand: what the other says to it, and what it heeds.

use crate::ranks::{Kept, until};
use chess::{Game, Position};
use cluster::member::{Duty, Member, Settings};
use cluster::memory::{Memory, network};
use cluster::message::{Go, Identity, Message, SentResult, Talk, Tally};
use cluster::transport::{Transport, WINDOW};
use engine::iterate::ThreadResult;
use engine::root::Root;
use engine::tt::Entry;
use engine::worker::Task;
use smp::pool::Pool;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;
use thinking::report::{Bound, Limits, Observer};
use thinking::score::{INFINITE, mate_in};

/// One of two ranks, played by this test by hand.
struct ByHand(Memory);

impl ByHand {
    fn say(&mut self, message: &Message) {
        let other = 1 - self.0.rank();
        until_taken(&mut self.0, other, &message.to_bytes());
    }

    fn until(&mut self, mut wanted: impl FnMut(&Talk) -> bool) {
        self.hears(|message| matches!(message, Message::Talk(talk) if wanted(talk)));
    }

    fn hears(&mut self, mut wanted: impl FnMut(&Message) -> bool) {
        until("the other rank says it", || {
            let heard = self.0.receive().and_then(|(_, bytes)| Message::from_bytes(&bytes));
            heard.is_some_and(|message| wanted(&message))
        });
    }

    /// What is picked from the first message from which anything is.
    fn first<T>(&mut self, mut pick: impl FnMut(&Message) -> Option<T>) -> T {
        let mut picked = None;
        self.hears(|message| {
            picked = pick(message);
            picked.is_some()
        });
        picked.expect("it was heard")
    }

    /// The search that the next results are of, and these.
    fn hears_of_results(&mut self) -> (u64, Vec<SentResult>) {
        self.first(|message| match message {
            Message::Talk(Talk::Results { search, results, .. }) => Some((*search, results.clone())),
            _ => None,
        })
    }

    fn hears_of_an_iteration(&mut self) -> SentResult {
        self.first(|message| match message {
            Message::Result { search: 1, result } if result.depth > 0 => Some(result.clone()),
            _ => None,
        })
    }

    fn hears_of_a_search(&mut self) -> Go {
        self.first(|message| match message {
            Message::Talk(Talk::Go(go)) => Some(go.clone()),
            _ => None,
        })
    }
}

fn until_taken(end: &mut Memory, to: usize, message: &[u8]) {
    until("the network takes it", || end.send(to, message).expect("it is short"));
}

/// A root result with this move in front.
fn result(task: &Task, depth: i32, mv: &str, score: i32) -> SentResult {
    let mv = task.position.parse_uci(mv).expect("a legal move");
    let mut root = Root::new(&task.position, &[]);
    let place = root.moves.iter().position(|known| known.mv == mv).expect("it is legal");
    root.moves.swap(0, place);
    (root.moves[0].score, root.moves[0].bound, root.depth) = (score, Bound::Exact, depth);
    (&ThreadResult { depth, root }).into()
}

/// The rank at this end of a network of two, once the other has said what begins a cluster.
fn joined(end: Memory) -> Member {
    let settings =
        Settings { identity: identity(), patience: Duration::from_secs(60), on_failure: Box::new(|_| {}) };
    Member::join(|| Ok(end), settings).map_err(|(_, failure)| failure).expect("it fits")
}

fn identity() -> Identity {
    let (host, version, network) = (String::new(), "1".to_owned(), "1".to_owned());
    Identity { host, version, network, options: Vec::new() }
}

/// The two ends of a network of two.
fn two() -> [Memory; 2] {
    <[Memory; 2]>::try_from(network(2).0).unwrap_or_else(|_| unreachable!())
}

/// More than any search here comes to.
const NODES: u64 = 1 << 40;

/// Rank 0 searches the start position until it is stopped; the other rank is played by hand.
struct Led {
    other: ByHand,
    member: Member,
    pool: Pool,
    task: Task,
    kept: Arc<Kept>,
}

fn led(lines: usize) -> Led {
    let [own, other] = two();
    let mut other = ByHand(other);
    other.say(&Message::Talk(Talk::hello(identity())));
    let member = joined(own);
    let mut pool = Pool::new(1, 1).expect("a small pool");
    member.lead(&mut pool);
    let (task, kept) = (Task::from(&Game::default()), Arc::new(Kept::default()));
    let limits = Limits { infinite: true, nodes: Some(NODES), ..Limits::default() };
    pool.go(task.clone(), limits, lines, Arc::clone(&kept) as Arc<dyn Observer>);
    Led { other, member, pool, task, kept }
}

/// A rank other than 0 searches as many lines as rank 0, here one for each move, and tells at the end what its thread
/// thinks: a mate in one, in a search of this rank alone.
#[test]
fn a_rank_votes_for_what_it_has_found() {
    let [leader, own] = two();
    let mut leader = ByHand(leader);
    leader.say(&Message::Talk(Talk::Welcome(vec![String::new(); 2])));
    let member = joined(own);
    let mut pool = Pool::new(1, 1).expect("a small pool");
    let position = Position::from_fen("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1").expect("a legal FEN");
    let task = Task::from(&Game::new(position));
    let network = pool.network().map(|network| cluster::search::mark(network));
    let limits = Limits { infinite: true, ..Limits::default() };
    leader.say(&Message::Talk(Talk::Go(Go::new(1, &task, &limits, 256, network))));
    let Some(Duty::Search(call)) = member.next_duty() else { panic!("no search") };
    member.join_search(&call, &mut pool);

    let found = leader.hears_of_an_iteration().result(&task.position).expect("moves of this position");
    assert!(found.root.moves.iter().all(|mv| mv.score > -INFINITE), "not a line for each move: {found:?}");
    leader.say(&Message::Talk(Talk::Halt { search: 1 }));
    leader.until(|talk| {
        let Talk::Results { search: 1, results, tally } = talk else { return false };
        let [vote] = &results[..] else { panic!("not one vote of one thread: {talk:?}") };
        let vote = vote.result(&task.position).expect("moves of this position");
        assert_eq!(vote.root.moves[0].mv.to_string(), "d1d8", "{talk:?}");
        tally.nodes > 0
    });
    leader.say(&Message::Talk(Talk::Quit));
    member.leave().expect("nothing has failed");
}

/// What another rank finishes, finds and votes for counts here.
#[test]
fn what_another_rank_says_is_heeded() {
    let Led { mut other, member, pool, task, kept } = led(1);
    let go = other.hears_of_a_search();
    assert_eq!((go.search, go.limits().nodes), (1, Some(NODES)), "each takes its share of them");

    other.hears_of_an_iteration();
    let finished = result(&task, 90, "a2a3", 77);
    other.say(&Message::Result { search: 1, result: finished });
    until("the result is taken over", || {
        kept.infos.lock().last().is_some_and(|info| info.depth == 90 && info.score == 77)
    });

    let (key, bound) = (0x1234_5678_9abc_def0_u64, Bound::Lower);
    let entry = Entry { mv: None, score: 5, eval: None, depth: 70, bound, pv: false };
    let exact = Entry { bound: Bound::Exact, score: 9, ..entry };
    other.say(&Message::Entries { search: 7, entries: vec![(!key, entry.pack(0))] });
    other.say(&Message::Entries { search: 1, entries: vec![(key, entry.pack(0))] });
    until("the entry is stored", || pool.table().probe(key) == Some(entry));
    assert_eq!(pool.table().probe(!key), None, "an entry of another search");
    // What comes last is there when all have been looked at.
    let (as_good, shallower) = (Entry { score: 6, ..entry }, Entry { depth: 69, ..exact });
    for (last, entries, known) in [
        (!key, vec![(key, as_good), (key, shallower)], entry),
        // It says more than a bound of the same depth.
        (key.rotate_left(32), vec![(key, exact)], exact),
    ] {
        let entries = entries.into_iter().chain([(last, entry)]);
        let entries = entries.map(|(key, entry)| (key, entry.pack(0))).collect();
        other.say(&Message::Entries { search: 1, entries });
        until("all have been looked at", || pool.table().probe(last) == Some(entry));
        assert_eq!(pool.table().probe(key), Some(known));
    }

    pool.stop();
    other.until(|talk| *talk == Talk::Halt { search: 1 });
    let results = vec![result(&task, 90, "h2h3", mate_in(5))];
    let tally = Tally { nodes: 123, ..Tally::default() };
    other.say(&Message::Talk(Talk::Results { search: 1, results, tally }));
    pool.wait();
    let best = kept.verdict_on(&task.position).best;
    assert_eq!(best.map(|best| best.to_string()).as_deref(), Some("h2h3"), "a mate outvotes everything");
    assert_eq!((member.tallies()[0].received, member.tallies()[1].nodes), (6, 123));
    let own = member.tallies()[0];
    assert_eq!((own.results_received, own.results_used), (1, 1));
    assert!(own.results_sent > 0, "{own:?}");
    assert!(pool.nodes() >= member.tallies()[0].nodes + 123);
    other.say(&Message::Talk(Talk::Bye));
    member.leave().expect("nothing has failed");
}

/// Of several lines all are told: another rank has a vote for one move only, and no part in them.
#[test]
fn several_lines_are_those_of_rank_0() {
    let Led { mut other, member, pool, task, kept } = led(3);
    until("three lines are told", || kept.infos.lock().iter().any(|info| info.multipv == 3));
    pool.stop();
    other.until(|talk| *talk == Talk::Halt { search: 1 });
    let results = vec![result(&task, 90, "h2h3", 30)];
    other.say(&Message::Talk(Talk::Results { search: 1, results, tally: Tally::default() }));
    pool.wait();
    let told = kept.infos.lock();
    let last = told.iter().rposition(|info| info.multipv == 1).expect("lines");
    let heads: Vec<_> = told[last..].iter().map(|info| info.pv[0]).collect();
    assert_eq!(heads.iter().collect::<HashSet<_>>().len(), 3, "{heads:?}");
    assert_eq!(kept.verdict_on(&task.position).best, Some(heads[0]));
    other.say(&Message::Talk(Talk::Bye));
    member.leave().expect("nothing has failed");
}

/// The move does not wait for a rank that is busy with something else when the search ends, and which then has no part
/// in it any more.
#[test]
fn a_rank_that_is_busy_keeps_no_move_waiting() {
    let [leader, own] = two();
    let mut leader = ByHand(leader);
    leader.say(&Message::Talk(Talk::Welcome(vec![String::new(); 2])));
    let member = joined(own);
    let mut pool = Pool::new(1, 1).expect("a small pool");
    let network = pool.network().map(|network| cluster::search::mark(network));
    let limits = Limits { infinite: true, ..Limits::default() };
    let go = |search| Talk::Go(Go::new(search, &Task::from(&Game::default()), &limits, 1, network));
    let mut join = || {
        let Some(Duty::Search(call)) = member.next_duty() else { panic!("no search") };
        member.join_search(&call, &mut pool);
        pool.searching()
    };
    leader.say(&Message::Talk(go(1)));
    leader.say(&Message::Talk(Talk::Halt { search: 1 }));
    let (search, results) = leader.hears_of_results();
    assert_eq!((search, results.len()), (1, 0));
    assert!(!join(), "it is over");
    // Nor does it answer twice: the next answer is that of the next search.
    leader.say(&Message::Talk(go(2)));
    assert!(join());
    leader.say(&Message::Talk(Talk::Halt { search: 2 }));
    let (search, results) = leader.hears_of_results();
    assert_eq!((search, results.len()), (2, 1));
    leader.say(&Message::Talk(Talk::Quit));
    member.leave().expect("nothing has failed");
}

/// Ranks that were welcomed before this one search already, and what they say may come before its welcome.
#[test]
fn a_rank_waits_for_the_word_of_rank_0() {
    let (mut ends, _) = network(3);
    let own = ends.remove(1);
    let [mut leader, mut other] = <[Memory; 2]>::try_from(ends).unwrap_or_else(|_| unreachable!());
    let result = result(&Task::from(&Game::default()), 5, "e2e4", 20);
    let finished = Message::Result { search: 1, result }.to_bytes();
    std::thread::scope(|scope| {
        let joining = scope.spawn(|| joined(own));
        // One more than the link holds: when it takes the last one, the first has been heard.
        for _ in 0..=WINDOW {
            until_taken(&mut other, 1, &finished);
        }
        until_taken(&mut leader, 1, &Message::Talk(Talk::Welcome(vec![String::new(); 3])).to_bytes());
        let member = joining.join().expect("it is welcome");
        until_taken(&mut leader, 1, &Message::Talk(Talk::Quit).to_bytes());
        member.leave().expect("nothing has failed");
    });
}
