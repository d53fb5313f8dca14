//! The life of a rank other than 0: it does as it is asked until all is done.

use super::brain;
use crate::tournament::PLACES;
use crate::{Cli, Command};
use ::bench::scaling::clock::Virtual;
use ::bench::scaling::study::perform;
use ::cluster::member::{Duty, Member};
use ::tournament::elsewhere::Guest;
use anyhow::{Context, bail};
use smp::pool::Pool;
use std::sync::atomic::AtomicBool;
use std::thread::ScopedJoinHandle;
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

/// Answers requests until all is done. Several threads may do so.
fn work(member: &Member, mut answer: impl FnMut(&[u8]) -> anyhow::Result<Vec<u8>>) -> anyhow::Result<()> {
    while let Some(duty) = member.next_duty() {
        let Duty::Work { number, body } = duty else { bail!("asked for something other than work") };
        member.answer(number, answer(&body)?);
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
    let never = AtomicBool::new(false);
    work(member, |request| {
        let place = number(request)? as usize;
        let epd = positions.get(place).context("no such position")?;
        let outcome = ::bench::suite::solve(&mut pool, epd, place + 1, &limits, &never);
        Ok(serde_json::to_vec(&outcome.context("the search was stopped")?)?)
    })
}

fn play_self(member: &Member, args: &crate::datagen::Args) -> anyhow::Result<()> {
    let (header, network) = args.making()?;
    let play = || -> anyhow::Result<()> {
        let mut player = Player::new(&header, &network).context("no memory for a table")?;
        work(member, |request| {
            let mut bytes = Vec::new();
            if let Some(game) = player.play(number(request)?, &|| member.has_ended()) {
                encode(&game, &mut bytes)?;
            }
            Ok(bytes)
        })
    };
    on_threads(usize::from(args.threads), &play)
}

fn simulate(member: &Member, args: &crate::scaling::Args) -> anyhow::Result<()> {
    let (plan, never) = (args.plan()?, AtomicBool::new(false));
    let order = plan.order();
    let clock = args.simulator(&plan, args.costs, &never);
    let body = || {
        work(member, |request| {
            let (place, without_lines): (usize, bool) = serde_json::from_slice(request)?;
            let costs = if without_lines { args.costs_without_lines() } else { args.costs };
            let run = order.get(place).context("no such search")?;
            let sample = perform(&plan, run, &mut Virtual { costs, ..clock.clone() })?;
            Ok(serde_json::to_vec(&sample.context("the search was stopped")?)?)
        })
    };
    on_threads(crate::scaling::places(&plan), &body)
}

fn play(member: &Member, args: &crate::tournament::Args) -> anyhow::Result<()> {
    let (plan, _cpus) = args.plan_of_guest()?;
    let guests = Guest::all(&plan, member.ended());
    let places = guests.len();
    let body = |mut guest: Guest<'_>| {
        work(member, |request| {
            if request == PLACES {
                return Ok(serde_json::to_vec(&places)?);
            }
            Ok(serde_json::to_vec(&guest.play(serde_json::from_slice(request)?))?)
        })
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = guests.into_iter().map(|guest| scope.spawn(|| body(guest))).collect();
        threads.into_iter().try_for_each(joined)
    })
}

/// What a thread ended with.
fn joined(thread: ScopedJoinHandle<'_, anyhow::Result<()>>) -> anyhow::Result<()> {
    thread.join().unwrap_or_else(|_| bail!("a thread panicked"))
}

/// Runs the same on several threads; the first error is that of all.
fn on_threads(threads: usize, body: &(impl Fn() -> anyhow::Result<()> + Sync)) -> anyhow::Result<()> {
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(body)).collect();
        threads.into_iter().try_for_each(joined)
    })
}
