//! A rank that is lost, or does not fit, is named, and no rank waits for it for ever.

use crate::ranks::{Failures, PATIENCE, Ranks, Shape, identity, join};
use chess::Game;
use cluster::member::{Failure, Identity};
use cluster::memory::{Memory, network};
use cluster::transport::{Transport, TransportError};
use engine::worker::Task;
use smp::schemes::Scheme;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::time::Duration;
use thinking::report::{Limits, Silent};

/// The cable is pulled in the middle of a search: both sides notice, name each other, and the search ends. A rank whose
/// cable holds notices that rank 0 has ended.
#[test]
fn a_rank_that_is_cut_off_ends_everything() {
    let patience = Duration::from_secs(2);
    let mut ranks = Ranks::new(Shape { patience, ..Shape::of(3, 1, Scheme::Lazy) });
    let limits = Limits { infinite: true, ..Limits::default() };
    ranks.pool.go(Task::from(&Game::default()), limits, 1, Arc::new(Silent));
    ranks.scissors.cut_off(2);
    let failure = ranks.member.call(2, vec![1], &|| false);
    assert_eq!(failure, None, "the call ends with the cluster");
    ranks.pool.stop();
    ranks.pool.wait();
    assert!(ranks.member.leave().is_err());
    let failures = ranks.failed();
    let named = |by: usize, lost: usize| {
        let lost = |failure: &Failure| matches!(failure, Failure::Silent { rank, host, .. } if *rank == lost && *host == format!("memory-{lost}"));
        failures.iter().any(|(rank, failure)| *rank == by && lost(failure))
    };
    assert!(named(0, 2) && named(2, 0) && named(1, 0), "{failures:?}");
}

#[test]
fn a_rank_in_trouble_is_named() {
    let ranks = Ranks::new(Shape::of(2, 1, Scheme::Lazy));
    ranks.member.order("fly".to_owned());
    assert_eq!(ranks.member.call(1, Vec::new(), &|| false), None, "the call ends with the cluster");
    let failure = ranks.member.leave().expect_err("rank 1 cannot");
    assert_eq!(failure.to_string(), "rank 1 on memory-1: cannot `fly`");
}

/// Rank 0 and rank 1 say who they are; what both get to hear.
fn meet(other: Identity) -> [String; 2] {
    let (ends, _) = network(2);
    let failures = Failures::default();
    let [first, second] = <[_; 2]>::try_from(ends).unwrap_or_else(|_| unreachable!());
    std::thread::scope(|scope| {
        let joining = scope.spawn(|| {
            let refused = join(second, other, PATIENCE, &failures).err();
            // Rank 0 has said why by now: the end of this rank may be the end of all.
            assert!(matches!(failures.lock()[..], [(0, Failure::Unequal { rank: 1, .. })]));
            refused
        });
        let leading = join(first, identity(), PATIENCE, &failures).err();
        let told =
            |refused: Option<(Option<usize>, Failure)>| refused.map(|(_, failure)| failure.to_string());
        [told(leading), told(joining.join().expect("no panic"))].map(|told| told.expect("they do not fit"))
    })
}

#[test]
fn ranks_that_run_something_else_are_refused_by_name() {
    let same = identity();
    for (other, what) in [
        (Identity { version: "2".into(), ..same.clone() }, "version 2 instead of 1"),
        (Identity { network: "0badcafe".into(), ..same.clone() }, "network 0badcafe instead of 00c0ffee"),
        (Identity { options: vec!["play".into()], ..same }, "`play` instead of `test` among its options"),
    ] {
        let [leading, joining] = meet(other);
        assert_eq!(leading, format!("rank 1 on memory-1 does not fit rank 0 on memory-0: {what}"));
        assert!(joining.contains(&leading), "{joining}");
    }
}

/// An end of a network that counts what it receives, and waits when it is dropped, as MPI does for a rank that hangs.
struct Watched {
    end: Memory,
    received: Arc<AtomicUsize>,
    /// Closed: it may end.
    held: Receiver<()>,
    /// Closed: it has ended.
    _ended: Sender<()>,
}

impl Transport for Watched {
    fn rank(&self) -> usize {
        self.end.rank()
    }

    fn ranks(&self) -> usize {
        self.end.ranks()
    }

    fn host(&self) -> String {
        self.end.host()
    }

    fn send(&mut self, to: usize, message: &[u8]) -> Result<bool, TransportError> {
        self.end.send(to, message)
    }

    fn under_way(&mut self, to: usize) -> usize {
        self.end.under_way(to)
    }

    fn receive(&mut self) -> Option<(usize, Vec<u8>)> {
        let message = self.end.receive();
        self.received.fetch_add(usize::from(message.is_some()), Relaxed);
        message
    }

    fn sent_bytes(&self) -> u64 {
        self.end.sent_bytes()
    }

    fn abort(&mut self) {
        self.end.abort();
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        let _ = self.held.recv_timeout(PATIENCE);
    }
}

/// What one rank has sent is taken though another was refused before, or its MPI may not end; and rank 0 does not wait
/// for the end of its own.
#[test]
fn a_refusal_leaves_no_rank_waiting() {
    let (mut ends, _) = network(3);
    let failures = Failures::default();
    let received = Arc::default();
    let ((hold, held), (_ended, ended)) = (channel(), channel());
    let end = Watched { end: ends.remove(0), received: Arc::clone(&received), held, _ended };
    std::thread::scope(|scope| {
        for end in ends {
            let other = Identity { version: "2".into(), ..identity() };
            scope.spawn(|| join(end, other, PATIENCE, &failures).err().expect("it does not fit"));
        }
        let refused = join(end, identity(), PATIENCE, &failures).err();
        assert!(matches!(refused, Some((Some(0), Failure::Unequal { .. }))), "{refused:?}");
    });
    assert_eq!(received.load(Relaxed), 2, "both introductions");
    assert_eq!(ended.try_recv(), Err(TryRecvError::Empty), "it is still open");
    drop(hold);
    assert_eq!(ended.recv_timeout(PATIENCE), Err(RecvTimeoutError::Disconnected));
}

/// Another network after the start is noticed when a search begins.
#[test]
fn a_rank_with_another_network_does_not_join_in() {
    let mut ranks = Ranks::new(Shape::of(2, 1, Scheme::Lazy));
    ranks.pool.set_network(None);
    ranks.pool.go(Task::from(&Game::default()), Limits::default(), 1, Arc::new(Silent));
    assert_eq!(ranks.member.call(1, Vec::new(), &|| false), None, "the call ends with the cluster");
    let failure = ranks.member.leave().expect_err("rank 1 evaluates by its network");
    let text = failure.to_string();
    assert!(
        text.starts_with("rank 1 on memory-1: network ") && text.ends_with("instead of none on rank 0"),
        "{text}"
    );
}
