//! The life of a rank other than 0: it does as it is asked until all is done.

use super::PLACES;
use super::brain;
use crate::{Cli, Command};
use ::bench::scaling::clock::Virtual;
use ::bench::scaling::plan::Plan;
use ::bench::scaling::study::perform;
use ::cluster::member::{Duty, Member};
use ::tournament::elsewhere::Guest;
use anyhow::{Context, bail};
use smp::pool::Pool;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
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

/// Answers requests until all is done, as one of so many threads.
fn work(
    member: &Member,
    threads: usize,
    mut answer: impl FnMut(&[u8]) -> anyhow::Result<Vec<u8>>,
) -> anyhow::Result<()> {
    while let Some(duty) = member.next_duty() {
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
    until_the_end(member, |ended| {
        work(member, 1, |request| {
            let place = number(request)? as usize;
            let epd = positions.get(place).context("no such position")?;
            let outcome = ::bench::suite::solve(&mut pool, epd, place + 1, &limits, ended);
            Ok(outcome.map_or(Ok(Vec::new()), |outcome| serde_json::to_vec(&outcome))?)
        })
    })
}

/// Does something that breaks off what it searches once the cluster has ended: nothing more is wanted then.
fn until_the_end(
    member: &Member,
    body: impl FnOnce(&AtomicBool) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let ended = AtomicBool::new(false);
    std::thread::scope(|scope| {
        // It is closed in the end, whatever the body comes to: a body that fails ends the cluster.
        scope.spawn(|| {
            let _ = member.ended().recv();
            ended.store(true, Relaxed);
        });
        body(&ended).inspect_err(|error| member.fail(format!("{error:#}")))
    })
}

fn play_self(member: &Member, args: &crate::datagen::Args) -> anyhow::Result<()> {
    let (header, network) = args.making()?;
    let threads = usize::from(args.threads);
    let play = || -> anyhow::Result<()> {
        let mut player = Player::new(&header, &network).context("no memory for a table")?;
        work(member, threads, |request| {
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
    until_the_end(member, |ended| simulate_plan(member, args, &plan, ended))
}

fn simulate_plan(
    member: &Member,
    args: &crate::scaling::Args,
    plan: &Plan,
    ended: &AtomicBool,
) -> anyhow::Result<()> {
    let order = plan.order();
    let clock = args.simulator(plan, args.costs, ended);
    let threads = crate::scaling::places(plan);
    let body = || {
        work(member, threads, |request| {
            let (place, without_lines): (usize, bool) = serde_json::from_slice(request)?;
            let costs = if without_lines { args.costs_without_lines() } else { args.costs };
            let run = order.get(place).context("no such search")?;
            let sample = perform(plan, run, &mut Virtual { costs, ..clock.clone() })?;
            Ok(sample.map_or(Ok(Vec::new()), |sample| serde_json::to_vec(&sample))?)
        })
    };
    on_threads(member, (0..threads).map(|_| &body))
}

fn play(member: &Member, args: &crate::tournament::Args) -> anyhow::Result<()> {
    let (plan, _cpus) = args.plan_of_guest()?;
    let guests = Guest::all(&plan, member.ended());
    let places = guests.len();
    let of_guest = |mut guest: Guest<'_>| {
        work(member, places, |request| Ok(serde_json::to_vec(&guest.play(serde_json::from_slice(request)?))?))
    };
    on_threads(member, guests.into_iter().map(|guest| move || of_guest(guest)))
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
        threads
            .into_iter()
            .try_for_each(|thread| thread.join().unwrap_or_else(|_| bail!("a thread panicked")))
    })
}
