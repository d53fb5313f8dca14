//! For tests: a cluster of which one rank is this program's, the others are played by hand.

use ::cluster::member::{Identity, Member, Settings};
use ::cluster::memory::{Memory, network};
use ::cluster::message::{Message, Talk};
use ::cluster::transport::Transport;
use std::sync::Arc;
use std::time::Duration;

/// What every rank says of itself, but for its host.
fn identity() -> Identity {
    let (host, version, network, options) = Default::default();
    Identity { host, version, network, options }
}

/// The rank at this end of a network, once the other has said what begins a cluster.
fn joined(end: Memory) -> Arc<Member> {
    let patience = Duration::from_secs(60);
    let settings = Settings { identity: identity(), patience, on_failure: Box::new(|_| {}) };
    let member = Member::join(|| Ok(end), settings).map_err(|(_, failure)| failure);
    Arc::new(member.expect("it fits"))
}

/// The ends of two ranks.
fn two() -> [Memory; 2] {
    <[Memory; 2]>::try_from(network(2).0).unwrap_or_else(|_| unreachable!())
}

/// Rank 0 of two, and the end of the other.
pub fn leader() -> (Arc<Member>, Memory) {
    let [own, mut other] = two();
    let identity = Identity { host: other.host(), ..identity() };
    say(&mut other, &Message::Talk(Talk::hello(identity)));
    (joined(own), other)
}

/// Rank 1 of two, and the end of rank 0.
pub fn follower() -> (Arc<Member>, Memory) {
    let [mut leader, own] = two();
    say(&mut leader, &Message::Talk(Talk::Welcome(vec![String::new(); 2])));
    (joined(own), leader)
}

/// The rank at this end says something to the other.
pub fn say(end: &mut Memory, message: &Message) {
    let other = 1 - end.rank();
    assert_eq!(end.send(other, &message.to_bytes()), Ok(true));
}

/// What it hears next, if there is anything.
pub fn hear(end: &mut Memory) -> Option<Message> {
    std::thread::yield_now();
    end.receive().and_then(|(_, bytes)| Message::from_bytes(&bytes))
}
