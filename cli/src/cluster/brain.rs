//! The brain of a session that leads a cluster: what it is asked to change changes on every rank.

use super::{ask, leading, warn_of_binding};
use crate::brain::PoolBrain;
use ::cluster::member::{Duty, Member, Tally};
use anyhow::{Context, anyhow};
use chess::{Move, Position};
use protocol::brain::{Brain, Chore, Task};
use protocol::option::{OptionSpec, Value};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Instant;
use thinking::report::{Info, Observer, Verdict};

/// The option that has the ranks exchange entries of their tables.
const EXCHANGE: &str = "Exchange";

/// A change for every rank.
#[derive(Serialize, Deserialize)]
enum Change {
    Threads(usize),
    Hash(usize),
    ClearHash,
    NewGame,
    Option(String, Setting),
}

/// The value of an option, as it is sent.
#[derive(Serialize, Deserialize)]
enum Setting {
    Check(bool),
    Spin(i64),
    Text(String),
    Pressed,
}

impl From<&Value> for Setting {
    fn from(value: &Value) -> Self {
        match value {
            Value::Check(on) => Setting::Check(*on),
            Value::Spin(number) => Setting::Spin(*number),
            Value::Text(text) => Setting::Text(text.clone()),
            Value::Pressed => Setting::Pressed,
        }
    }
}

impl From<Setting> for Value {
    fn from(setting: Setting) -> Self {
        match setting {
            Setting::Check(on) => Value::Check(on),
            Setting::Spin(number) => Value::Spin(number),
            Setting::Text(text) => Value::Text(text),
            Setting::Pressed => Value::Pressed,
        }
    }
}

impl Change {
    /// Can a rank that cannot make it go on with what it has? It is then slower or knows less, but searches the same.
    fn may_fail(&self) -> bool {
        match self {
            Change::Threads(_) | Change::Hash(_) => true,
            Change::Option(name, _) => PoolBrain::takes_in_part(name),
            Change::ClearHash | Change::NewGame => false,
        }
    }

    /// Makes it here.
    fn make(self, brain: &mut PoolBrain) -> anyhow::Result<()> {
        let done = match self {
            Change::Threads(threads) => brain.set_threads(threads).map(|_| ()),
            Change::Hash(mib) => brain.set_hash(mib),
            Change::ClearHash => {
                brain.clear_hash();
                Ok(())
            }
            Change::NewGame => {
                brain.new_game();
                Ok(())
            }
            Change::Option(name, setting) => {
                brain.set_option(&name, &setting.into()).map_err(|why| format!("option {name}: {why}"))
            }
        };
        done.map_err(|why| anyhow!(why))
    }
}

/// Serves a rank other than 0. Work is what the leader asks for to know that all changes before it are made. A change
/// that this machine has no room for is told on standard error.
pub fn serve(member: &Member) -> anyhow::Result<()> {
    let mut brain = PoolBrain::new()?;
    while let Some(duty) = member.next_duty() {
        match duty {
            Duty::Order(words) => {
                let change: Change = serde_json::from_str(&words).context("an unreadable order")?;
                let may_fail = change.may_fail();
                if let Change::Threads(threads) = change {
                    warn_of_binding(member.rank(), threads);
                }
                match change.make(&mut brain) {
                    Err(error) if may_fail => eprintln!("firstborn: rank {}: {error}", member.rank()),
                    done => done?,
                }
            }
            Duty::Search(call) => member.join_search(&call, brain.pool_for_search()),
            Duty::Work { number, .. } => member.answer(number, Vec::new()),
        }
    }
    Ok(())
}

/// The brain of a session: of this process alone, or of the cluster that it leads.
pub fn led(mut brain: PoolBrain) -> Box<dyn Brain> {
    let Some(member) = leading() else { return Box::new(brain) };
    member.lead(brain.pool_for_search());
    Box::new(Led { brain, member })
}

/// Remarks at the end of a search of all ranks what they exchanged.
struct Counted {
    inner: Arc<dyn Observer>,
    member: Arc<Member>,
    /// How many searches had begun before: a move from the book is none.
    before: u64,
}

impl Observer for Counted {
    fn info(&self, info: &Info) {
        self.inner.info(info);
    }

    fn root_move(&self, depth: u32, current: Move, index: usize, total: usize) {
        self.inner.root_move(depth, current, index, total);
    }

    fn verdict(&self, verdict: &Verdict) {
        let tallies = self.member.tallies();
        if self.member.searches() > self.before && !tallies.is_empty() {
            self.inner.remark(&remark(&tallies));
        }
        self.inner.verdict(verdict);
    }
}

/// What all ranks exchanged, in sum.
fn remark(tallies: &[Tally]) -> String {
    let sum = |what: fn(&Tally) -> u64| tallies.iter().map(what).sum::<u64>();
    format!(
        "{} ranks, entries sent {} dropped {} received {} probed {} cut {}, results sent {} received {} used {}, \
         bytes {}",
        tallies.len(),
        sum(|rank| rank.sent),
        sum(|rank| rank.dropped),
        sum(|rank| rank.received),
        sum(|rank| rank.probed),
        sum(|rank| rank.cut),
        sum(|rank| rank.results_sent),
        sum(|rank| rank.results_received),
        sum(|rank| rank.results_used),
        sum(|rank| rank.bytes),
    )
}

struct Led {
    brain: PoolBrain,
    member: &'static Arc<Member>,
}

impl Led {
    fn tell(&self, change: &Change) {
        self.member.order(serde_json::to_string(change).expect("names and numbers are JSON"));
    }

    /// Waits until every rank has made the changes it was told, so that ready means that all are.
    fn settle(&self) {
        for rank in 1..self.member.ranks() {
            ask(self.member, rank, Vec::new(), &|| false);
        }
    }
}

impl Brain for Led {
    fn go(&mut self, task: Task, observer: Arc<dyn Observer>) {
        let (member, before) = (Arc::clone(self.member), self.member.searches());
        self.brain.go(task, Arc::new(Counted { inner: observer, member, before }));
    }

    fn stop(&mut self) {
        self.brain.stop();
    }

    fn ponderhit(&mut self, at: Instant) {
        self.brain.ponderhit(at);
    }

    fn nodes(&self) -> u64 {
        self.brain.nodes()
    }

    fn new_game(&mut self) {
        self.tell(&Change::NewGame);
        self.brain.new_game();
        self.settle();
    }

    fn set_threads(&mut self, threads: usize) -> Result<usize, String> {
        let used = self.brain.set_threads(threads)?;
        warn_of_binding(self.member.rank(), threads);
        self.tell(&Change::Threads(threads));
        self.settle();
        Ok(used)
    }

    fn searching_threads(&self, analysis: bool) -> usize {
        self.brain.searching_threads(analysis)
    }

    /// The others take their tables while this one does.
    fn set_hash(&mut self, mib: usize) -> Result<(), String> {
        let before = self.brain.hash();
        self.tell(&Change::Hash(mib));
        let done = self.brain.set_hash(mib).inspect_err(|_| self.tell(&Change::Hash(before)));
        self.settle();
        done
    }

    fn clear_hash(&mut self) {
        self.tell(&Change::ClearHash);
        self.brain.clear_hash();
        self.settle();
    }

    fn options(&self) -> Vec<OptionSpec> {
        let mut options = self.brain.options();
        options.push(OptionSpec::check(EXCHANGE, true));
        options
    }

    fn set_option(&mut self, name: &str, value: &Value) -> Result<(), String> {
        if let (EXCHANGE, &Value::Check(on)) = (name, value) {
            self.member.exchange_entries(on);
            return Ok(());
        }
        let (changed, done) = self.brain.change(name, value);
        if changed && self.brain.concerns_search(name) {
            self.tell(&Change::Option(name.to_owned(), value.into()));
            self.settle();
        }
        done
    }

    fn book(&self, position: &Position) -> Vec<(Move, u32)> {
        self.brain.book(position)
    }

    fn evaluate(&self, position: &Position) -> String {
        self.brain.evaluate(position)
    }

    fn bench(&self) -> Chore {
        self.brain.bench()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranks::by_hand::{follower, hear, leader, say};
    use ::cluster::message::{Message, Talk};
    use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

    /// A new game has not begun before the other rank, played by hand, says that it is ready.
    #[test]
    fn ready_means_that_all_ranks_are() {
        let (own, mut other) = leader();
        let member: &'static Arc<Member> = Box::leak(Box::new(own));
        let mut led = Led { brain: PoolBrain::new().expect("a small table"), member };
        let ready = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut orders = 0;
                let number = loop {
                    assert!(!ready.load(SeqCst), "it did not wait");
                    match hear(&mut other) {
                        Some(Message::Talk(Talk::Order(_))) => orders += 1,
                        Some(Message::Request { number, .. }) => break number,
                        _ => {}
                    }
                };
                assert_eq!(orders, 1, "the change comes before the question");
                say(&mut other, &Message::Response { number, body: Vec::new() });
                say(&mut other, &Message::Talk(Talk::Bye));
            });
            led.new_game();
            ready.store(true, SeqCst);
        });
        member.leave().expect("nothing has failed");
    }

    /// A rank in a session answers when it has made the changes that it was told before; the leader is played by hand.
    #[test]
    fn a_rank_says_that_it_is_ready() {
        let (member, mut leader) = follower();
        let change = serde_json::to_string(&Change::ClearHash).expect("it is JSON");
        say(&mut leader, &Message::Talk(Talk::Order(change)));
        say(&mut leader, &Message::Request { number: 7, body: Vec::new() });
        std::thread::scope(|scope| {
            let led = scope.spawn(|| {
                let answer = loop {
                    match hear(&mut leader) {
                        Some(Message::Talk(Talk::Trouble(what))) => break Err(what),
                        Some(Message::Response { number, .. }) => break Ok(number),
                        _ => {}
                    }
                };
                say(&mut leader, &Message::Talk(Talk::Quit));
                answer
            });
            if let Err(error) = serve(&member) {
                member.fail(error.to_string());
            }
            assert_eq!(led.join().expect("no panic"), Ok(7));
        });
        member.leave().expect("nothing has failed");
    }
}
