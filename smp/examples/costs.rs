//! What the virtual clock's costs are on this machine: `cargo run --release -p smp --example costs`.
//!
//! Two of the costs of `smp::simulation::costs::Costs` can be taken by the wall alone: that of a node with
//! its probe, from a serial search, and that of waking a thread, from two threads that do nothing else. Run
//! it on an idle machine.

use chess::{Game, Position};
use parking_lot::{Condvar, Mutex};
use smp::pool::{Pool, PoolError};
use std::io::{self, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};
use thinking::report::{Limits, Silent};

/// Kiwipete: a middle game full of everything.
const FEN: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

fn main() -> Result<(), PoolError> {
    let mut out = io::stdout().lock();
    let node = node(5_000_000)?;
    // A closed pipe is no reason to fail.
    let _ = writeln!(out, "node and probe: {node} ns");
    for pause in [20, 100, 500] {
        let (call, wake) = waking(Duration::from_micros(pause), 10_000);
        let _ = writeln!(
            out,
            "after {pause} us asleep: call {} ns, 90 % {} ns; call and wake {} ns, 90 % {} ns",
            quantile(&call, 50),
            quantile(&call, 90),
            quantile(&wake, 50),
            quantile(&wake, 90),
        );
    }
    Ok(())
}

fn quantile(sorted: &[u128], percent: usize) -> u128 {
    sorted[(sorted.len() - 1) * percent / 100]
}

/// Nanoseconds a node of one thread takes.
fn node(nodes: u64) -> Result<u128, PoolError> {
    let mut pool = Pool::new(1, 64)?;
    let game = Game::new(Position::from_fen(FEN).expect("the position is a legal one"));
    let limits = Limits { nodes: Some(nodes), ..Limits::default() };
    let since = Instant::now();
    pool.go((&game).into(), limits, 1, Arc::new(Silent));
    pool.wait();
    Ok(since.elapsed().as_nanos() / u128::from(pool.nodes().max(1)))
}

/// What the two threads share: how often the sleeper has been called, and when.
struct Bed {
    calls: Mutex<(usize, Instant)>,
    news: Condvar,
}

/// Wakes a thread so many times, each time after a pause: how long the call took, and how long after its beginning the
/// sleeper was awake. Nanoseconds, sorted.
fn waking(pause: Duration, times: usize) -> (Vec<u128>, Vec<u128>) {
    let bed = Arc::new(Bed { calls: Mutex::new((0, Instant::now())), news: Condvar::new() });
    let sleeper = {
        let bed = Arc::clone(&bed);
        std::thread::spawn(move || {
            let mut delays = Vec::with_capacity(times);
            let mut seen = 0;
            let mut calls = bed.calls.lock();
            while seen < times {
                bed.news.wait_while(&mut calls, |calls| calls.0 == seen);
                delays.push(calls.1.elapsed().as_nanos());
                seen = calls.0;
            }
            delays
        })
    };
    let mut costs = Vec::with_capacity(times);
    for number in 1..=times {
        let begin = Instant::now();
        while begin.elapsed() < pause {
            std::hint::spin_loop();
        }
        let since = Instant::now();
        *bed.calls.lock() = (number, since);
        bed.news.notify_all();
        costs.push(since.elapsed().as_nanos());
    }
    let mut delays = sleeper.join().expect("the sleeper only measures");
    costs.sort_unstable();
    delays.sort_unstable();
    (costs, delays)
}
