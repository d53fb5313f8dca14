//! The life of a rank other than 0: it does as it is asked until all is done.

use super::PLACES;
use super::brain;
use crate::tournament::FOUND;
use crate::{Cli, Command};
use ::bench::scaling::clock::Virtual;
use ::bench::scaling::study::perform;
use ::cluster::member::{Duty, Member};
use ::tournament::elsewhere::{Guest, Order, Signals};
use anyhow::{Context, bail};
use smp::pool::Pool;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, Sender};
use std::sync::{Mutex, PoisonError};
use training::datagen::Player;
use training::format::encode;

/// Serves what the command needs.
pub fn serve(cli: Cli, member: &Member) -> anyhow::Result<()> {
    match cli.command {
        None | Some(Command::Uci(_) | Command::Xboard) => brain::serve(member),
        Some(Command::Analyze(args)) => search(member, args.pool()?),
        Some(Command::Suite(args)) => solve(member, &args),
        Some(Command::Datagen(args)) => play_self(member, &args),
        Some(Command::Scaling(args)) => simulate(member, &args),
        Some(Command::Tournament(args)) => play(member, &args),
        Some(_) => bail!("this command does not run over several ranks"),
    }
}

/// Joins in every search.
fn search(member: &Member, mut pool: Pool) -> anyhow::Result<()> {
    while let Some(duty) = member.next_duty() {
        let Duty::Search(call) = duty else { bail!("asked for something other than a search") };
        member.join_search(&call, &mut pool);
    }
    Ok(())
}

/// Answers requests until all is done, as one of so many threads. `next` brings what is to be done next.
fn work(
    member: &Member,
    next: &dyn Fn() -> Option<Duty>,
    threads: usize,
    mut answer: impl FnMut(&[u8]) -> anyhow::Result<Vec<u8>>,
) -> anyhow::Result<()> {
    while let Some(duty) = next() {
        let Duty::Work { number, body } = duty else { bail!("asked for something other than work") };
        let answer = if body == PLACES { serde_json::to_vec(&threads)? } else { answer(&body)? };
        member.answer(number, answer);
    }
    Ok(())
}

/// The number that a request consists of.
fn number(request: &[u8]) -> anyhow::Result<u64> {
    Ok(u64::from_le_bytes(request.try_into().context("the request is not a number")?))
}

fn solve(member: &Member, args: &crate::suite::Args) -> anyhow::Result<()> {
    let positions = args.positions()?;
    let (mut pool, limits) = args.pool()?;
    work(member, &|| member.next_duty(), 1, |request| {
        let place = number(request)? as usize;
        let epd = positions.get(place).context("no such position")?;
        // Once the cluster has ended nothing more is wanted.
        let outcome = ::bench::suite::solve(&mut pool, epd, place + 1, &limits, member.end_flag());
        Ok(outcome.map_or(Ok(Vec::new()), |outcome| serde_json::to_vec(&outcome))?)
    })
}

fn play_self(member: &Member, args: &crate::datagen::Args) -> anyhow::Result<()> {
    let (header, network) = args.making()?;
    let threads = usize::from(args.threads);
    let play = || -> anyhow::Result<()> {
        let mut player = Player::new(&header, &network).context("no memory for a table")?;
        work(member, &|| member.next_duty(), threads, |request| {
            let mut bytes = Vec::new();
            if let Some(game) = player.play(number(request)?, &|| member.has_ended())? {
                encode(&game, &mut bytes)?;
            }
            Ok(bytes)
        })
    };
    on_threads(member, (0..threads).map(|_| &play))
}

fn simulate(member: &Member, args: &crate::scaling::Args) -> anyhow::Result<()> {
    let plan = args.plan()?;
    let order = plan.order();
    // Once the cluster has ended nothing more is wanted.
    let clock = args.simulator(&plan, args.costs, member.end_flag());
    let threads = crate::scaling::places(&plan);
    let body = || {
        work(member, &|| member.next_duty(), threads, |request| {
            let (place, without_lines): (usize, bool) = serde_json::from_slice(request)?;
            let costs = if without_lines { args.costs_without_lines() } else { args.costs };
            let run = order.get(place).context("no such search")?;
            let sample = perform(&plan, run, &mut Virtual { costs, ..clock.clone() })?;
            Ok(sample.map_or(Ok(Vec::new()), |sample| serde_json::to_vec(&sample))?)
        })
    };
    on_threads(member, (0..threads).map(|_| &body))
}

fn play(member: &Member, args: &crate::tournament::Args) -> anyhow::Result<()> {
    let (plan, _cpus, found) = args.plan_of_guest()?;
    let (signals, mut orders) = Signals::new(member.ended().clone());
    let guests = Guest::all(&plan, &signals);
    let places = guests.len();
    let (requests, to_do) = mpsc::channel();
    let to_do = Mutex::new(to_do);
    let next = || to_do.lock().unwrap_or_else(PoisonError::into_inner).recv().ok();
    let of_guest = |mut guest: Guest<'_>| {
        work(member, &next, places, |request| {
            if request == FOUND {
                return Ok(serde_json::to_vec(&found)?);
            }
            Ok(serde_json::to_vec(&guest.play(serde_json::from_slice(request)?))?)
        })
    };
    std::thread::scope(|scope| {
        scope.spawn(move || sort(member, &requests, |order| orders.carry_out(order)));
        on_threads(member, guests.into_iter().map(|guest| move || of_guest(guest)))
    })
}

/// Hands requests on until all is done, and has orders carried out at once: all guests may be playing.
fn sort(member: &Member, requests: &Sender<Duty>, mut carry_out: impl FnMut(Order)) {
    while let Some(duty) = member.next_duty() {
        match duty {
            Duty::Order(words) => match serde_json::from_str(&words) {
                Ok(order) => carry_out(order),
                Err(error) => member.fail(format!("an unreadable order: {error}")),
            },
            // Where nothing takes it, the cluster has failed and is ending.
            duty => drop(requests.send(duty)),
        }
    }
}

/// Runs each of these on a thread of its own. The first that fails ends the cluster at once: the others wait for work
/// that would never come, since what the failed one was asked for is never answered.
fn on_threads<B: FnOnce() -> anyhow::Result<()> + Send>(
    member: &Member,
    bodies: impl Iterator<Item = B>,
) -> anyhow::Result<()> {
    let guarded = |body: B| {
        let done = catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|_| bail!("a thread panicked"));
        done.inspect_err(|error| member.fail(format!("{error:#}")))
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = bodies.map(|body| scope.spawn(move || guarded(body))).collect();
        threads.into_iter().try_for_each(|thread| thread.join().expect("its panics are caught"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranks::by_hand::{follower, say};
    use ::cluster::message::{Message, Talk};

    /// All guests of this rank are playing, so that none of them takes what comes: the leader, played by hand, asks for
    /// another game, and then the run ends.
    #[test]
    fn an_order_does_not_wait_for_a_guest() {
        let (member, mut leader) = follower();
        let (requests, to_do) = mpsc::channel();
        say(&mut leader, &Message::Request { number: 1, body: vec![7] });
        let given = [Order::Ease, Order::Halt];
        for order in given {
            let words = serde_json::to_string(&order).expect("it has a name");
            say(&mut leader, &Message::Talk(Talk::Order(words)));
        }
        say(&mut leader, &Message::Talk(Talk::Quit));
        let mut carried_out = Vec::new();
        sort(&member, &requests, |order| carried_out.push(order));
        assert_eq!(carried_out, given);
        drop(requests);
        let waiting: Vec<Duty> = to_do.iter().collect();
        assert!(matches!(&waiting[..], [Duty::Work { number: 1, body }] if *body == [7]), "{waiting:?}");
        member.leave().expect("nothing has failed");
    }
}
