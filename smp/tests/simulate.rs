//! The simulated machine against the real one: alone it searches node for node as the serial engine does, and
//! whatever it does it does again. That schemes in state find the right values is held in `exact.rs`.

use crate::common::random_positions;
use crate::searches::{search_by, task, value};
use crate::sharing::has_shared;
use chess::{Game, Position};
use engine::tt::Table;
use smp::pool::Pool;
use smp::pool::accounts::{Accounts, Activity};
use smp::schemes::Scheme;
use smp::schemes::rules::{Everywhere, Usual};
use smp::simulation::coherence::{Class, Traffic};
use smp::simulation::{Setup, Simulation, simulate, simulate_by};
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;
use thinking::report::{Clock, Limits, Verdict};

/// The serial engine's verdict and nodes.
fn serial(position: &Position, limits: Limits) -> (Verdict, u64) {
    let mut pool = Pool::new(1, 1).expect("a small pool");
    pool.scheme = Scheme::Serial;
    (search_by::<Usual>(&mut pool, task(position), limits), pool.nodes())
}

fn simulated(scheme: Scheme, threads: usize, position: &Position, limits: Limits) -> Simulation {
    let setup = Setup { hash_mib: 1, trace: true, ..Setup::new(scheme, threads) };
    simulate(&setup, task(position), limits).expect("a small table")
}

fn depth(depth: u32) -> Limits {
    Limits { depth: Some(depth), ..Limits::default() }
}

#[test]
fn alone_every_scheme_is_the_serial_search_node_for_node() {
    for position in random_positions(12, 1) {
        let (verdict, nodes) = serial(&position, depth(7));
        for scheme in Scheme::ALL {
            let simulation = simulated(scheme, 1, &position, depth(7));
            assert_eq!(simulation.accounts.nodes, [nodes], "{scheme} {position}");
            assert_eq!(simulation.verdict.best, verdict.best, "{scheme} {position}");
            assert_eq!(value(&simulation.verdict), value(&verdict), "{scheme} {position}");
        }
    }
}

#[test]
fn one_team_of_hybrid_is_ybw_and_teams_of_one_are_lazy() {
    let position = &random_positions(1, 4)[0];
    let accounts = |scheme, threads, team| {
        let setup = Setup { hash_mib: 1, trace: true, team, ..Setup::new(scheme, threads) };
        simulate(&setup, task(position), depth(9)).expect("a small table").accounts
    };
    for (threads, team, alike) in [
        (2, None, Some(Scheme::Lazy)),
        (3, None, Some(Scheme::Lazy)),
        (5, Some(1), Some(Scheme::Lazy)),
        (2, Some(2), Some(Scheme::Ybw)),
        (3, Some(4), Some(Scheme::Ybw)),
        (4, Some(4), Some(Scheme::Ybw)),
        (3, Some(2), None),
        (4, None, None),
        (5, Some(4), None),
    ] {
        let hybrid = accounts(Scheme::Hybrid, threads, team);
        for other in [Scheme::Lazy, Scheme::Ybw] {
            let equal = hybrid == accounts(other, threads, None);
            assert_eq!(equal, alike == Some(other), "{threads} threads, teams of {team:?}, {other}");
        }
    }
}

#[test]
fn what_happened_happens_again_unless_the_seed_changes() {
    let position = &random_positions(1, 3)[0];
    for scheme in Scheme::ALL {
        for threads in [2, 5, 32] {
            let run = |seed| {
                let setup = Setup { hash_mib: 1, trace: true, seed, ..Setup::new(scheme, threads) };
                simulate(&setup, task(position), depth(8)).expect("a small table")
            };
            let twice = |seed| {
                let (one, other) = (run(seed), run(seed));
                assert_eq!(one.accounts, other.accounts, "{scheme} {threads}");
                assert_eq!(one.trace, other.trace, "{scheme} {threads}");
                assert_eq!(one.verdict.info, other.verdict.info, "{scheme} {threads}");
                one.accounts
            };
            twice(None);
            assert_ne!(twice(Some(1)), run(Some(2)).accounts, "{scheme} {threads}");
        }
    }
}

/// A graphical front end shows both side by side.
#[test]
fn the_longest_line_is_no_shorter_than_the_line_shown() {
    for position in random_positions(4, 6) {
        for scheme in Scheme::ALL {
            for threads in [2, 4] {
                for info in simulated(scheme, threads, &position, depth(11)).infos {
                    assert!(
                        info.seldepth as usize >= info.pv.len(),
                        "{scheme} {threads} {position}: {info:?}"
                    );
                }
            }
        }
    }
}

/// As long as both threads are at work at the root, each in its part of the split, all that they search is wasted if
/// the search is stopped there: so from one stop to the next as many more nodes as the search has.
#[test]
fn a_master_that_is_broken_off_counts_as_a_helper_does() {
    let position = Position::startpos();
    let counted = |limits| simulated(Scheme::RootSplit, 2, &position, limits).accounts;
    let whole = counted(depth(8));
    let stops: Vec<Accounts> = (1..40)
        .map(|part| whole.total_nodes() * (20 + part) / 20)
        .map(|nodes| counted(Limits { nodes: Some(nodes), ..Limits::default() }))
        .filter(|stopped| stopped.tally.aborted - whole.tally.aborted == 2)
        .collect();
    let pairs = stops.windows(2).filter(|pair| pair[0].tally.splits == pair[1].tally.splits);
    let mut compared = 0;
    for pair in pairs {
        let more = |of: fn(&Accounts) -> u64| of(&pair[1]) - of(&pair[0]);
        assert_eq!(more(|accounts| accounts.tally.wasted), more(Accounts::total_nodes), "{pair:?}");
        compared += 1;
    }
    assert!(compared >= 3, "{stops:?}");
}

/// A stop breaks off all parts of a thread, one below the other: its nodes are wasted once, so that a later stop wastes
/// no more than what has been searched since.
#[test]
fn no_node_is_wasted_twice() {
    let table = Arc::new(Table::new(1).expect("a small table"));
    let (mut most, mut before) = (0, Accounts::default());
    for nodes in (1..60).map(|part| 50 * part) {
        table.clear();
        let limits = Limits { nodes: Some(nodes), exact: true, ..Limits::default() };
        let setup = Setup::new(Scheme::Ybw, 2);
        let task = task(&Position::startpos());
        let simulation = simulate_by::<Everywhere>(&setup, Arc::clone(&table), task, limits);
        let accounts = simulation.expect("few stacks").accounts;
        let since = accounts.total_nodes() - before.total_nodes();
        assert!(accounts.tally.wasted <= before.tally.wasted + since, "{before:?} {accounts:?}");
        most = most.max(accounts.tally.aborted);
        before = accounts;
    }
    assert!(most > 2, "each of two threads in one part at a time: {most}");
}

#[test]
fn the_accounts_and_the_trace_agree() {
    let position = &random_positions(1, 4)[0];
    for scheme in Scheme::ALL {
        for threads in [1, 2, 8] {
            let Simulation { accounts, trace, .. } = simulated(scheme, threads, position, depth(8));
            for (thread, &idle) in accounts.idle.iter().enumerate() {
                let stretches: Vec<_> = trace.iter().filter(|stretch| stretch.thread == thread).collect();
                assert!(
                    stretches.windows(2).all(|pair| pair[0].to <= pair[1].from),
                    "{scheme}: stretches overlap"
                );
                let busy: Duration = stretches.iter().map(|stretch| stretch.to - stretch.from).sum();
                let (known, time) = (busy + idle, accounts.time);
                assert!(known <= time, "{scheme}: {busy:?} + {idle:?} > {time:?}");
                // Others also join split points and fall asleep. The first is at a root move, or waits, all the time.
                assert!(
                    thread > 0 || 10 * (time - known) < time,
                    "{scheme} with {threads}: {busy:?} + {idle:?} of {time:?}"
                );
            }
            assert!((0.0..=1.0).contains(&accounts.load()));
        }
    }
}

/// By root splitting the first thread searches moves of its own and helps nowhere, and the second helps, at the root.
#[test]
fn a_trace_tells_who_has_searched_which_moves_of_the_root() {
    let trace = simulated(Scheme::RootSplit, 2, &Position::startpos(), depth(8)).trace;
    for (thread, own) in [(0, true), (1, false)] {
        let mut moves = HashSet::new();
        for stretch in trace.iter().filter(|stretch| stretch.thread == thread) {
            let (is_own, mv) = match stretch.activity {
                Activity::Own(mv) => (true, mv),
                Activity::Helping(mv) => (false, mv),
            };
            assert_eq!(is_own, own, "{stretch:?}");
            moves.extend(mv);
        }
        assert!(moves.len() > 3, "thread {thread}: {moves:?}");
    }
}

/// By root splitting the second thread looks in vain before the first point and after each that it has left, since none
/// opens before it is about to sleep. By Young Brothers Wait one that reads ahead looks whenever a point has opened.
#[test]
fn who_looks_for_a_split_point_in_vain_is_refused() {
    let by_root = simulated(Scheme::RootSplit, 2, &Position::startpos(), depth(8)).accounts.tally;
    assert!(by_root.joins > 3 && by_root.refused > by_root.joins, "{by_root:?}");
    let table = Arc::new(Table::new(1).expect("a small table"));
    let (setup, task) = (Setup::new(Scheme::Ybw, 4), task(&Position::startpos()));
    let simulation = simulate_by::<Everywhere>(&setup, table, task, depth(8));
    let ahead = simulation.expect("few stacks").accounts.tally;
    // At the end of the search each thread looks once or twice.
    assert!(ahead.refused > 30, "{ahead:?}");
}

/// Neither a ponder hit nor a stop will come.
#[test]
fn a_search_that_waits_for_its_caller_elsewhere_ends_by_itself() {
    for limits in [Limits { ponder: true, ..depth(3) }, Limits { infinite: true, ..depth(3) }] {
        let (sender, over) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let simulation = simulated(Scheme::Lazy, 2, &Position::startpos(), limits);
            // The receiver has gone if it took too long.
            let _ = sender.send(simulation.verdict.finished);
        });
        assert_eq!(over.recv_timeout(Duration::from_secs(60)), Ok(3));
    }
}

#[test]
fn a_time_limit_is_one_of_virtual_time() {
    let position = Position::startpos();
    for scheme in Scheme::ALL {
        for threads in [1, 4] {
            let movetime = Duration::from_millis(20);
            let limits = Limits { movetime: Some(movetime), overhead: Duration::ZERO, ..Limits::default() };
            let simulation = simulated(scheme, threads, &position, limits);
            // Some thread looks at the clock at least every 1,024 of its nodes.
            let late = Duration::from_micros(1024);
            let time = simulation.accounts.time;
            assert!(time >= movetime && time <= movetime + late, "{scheme} {threads}: {time:?}");
            assert!(simulation.verdict.best.is_some());
        }
    }
}

/// The first thread plays the only move at once. Alone the second would search until most of the clock has passed.
#[test]
fn the_end_of_the_first_simulated_thread_is_that_of_all() {
    let position = Position::from_fen("6k1/5ppp/8/8/8/8/6PP/R3r2K w - - 0 1").expect("legal");
    assert_eq!(position.count_legal(), 1);
    let remaining = Duration::from_millis(100);
    let clock = Clock { remaining, increment: Duration::ZERO, moves_to_go: None };
    let limits = Limits { clock: Some(clock), ..Limits::default() };
    let accounts = simulated(Scheme::Lazy, 2, &position, limits).accounts;
    assert!(accounts.time < Duration::from_millis(5), "{accounts:?}");
}

#[test]
fn two_hundred_and_fifty_six_threads_come_to_an_end() {
    for scheme in Scheme::ALL {
        let simulation = simulated(scheme, 256, &Position::startpos(), depth(6));
        assert!(simulation.verdict.best.is_some(), "{scheme}");
        // That is too shallow to share, for most schemes.
        let (setup, table) = (Setup::new(scheme, 256), Arc::new(Table::new(1).expect("a small table")));
        let simulation = simulate_by::<Everywhere>(&setup, table, task(&Position::startpos()), depth(5));
        let simulation = simulation.expect("the stacks fit");
        assert!(simulation.verdict.best.is_some(), "{scheme}");
        let tally = simulation.accounts.tally;
        assert!(has_shared(scheme, tally), "{scheme}: {tally:?}");
    }
}

/// A millisecond for each node, which is more than all else: so much time, at least, passes in state, and none alone.
#[test]
fn sharing_memory_costs_nothing_alone() {
    const SHARE: u64 = 1_000_000;
    let position = Game::default().position().clone();
    let run = |threads, share| {
        let mut setup = Setup { hash_mib: 1, ..Setup::new(Scheme::Lazy, threads) };
        setup.costs.share = share;
        simulate(&setup, task(&position), depth(6)).expect("a small table").accounts
    };
    assert_eq!(run(1, SHARE), run(1, 0));
    let together = run(2, SHARE);
    let paid = Duration::from_nanos(SHARE * together.total_nodes());
    assert!(2 * together.time >= paid, "{together:?}");
    assert!(2 * run(2, 0).time < paid, "without it, less");
}

/// A seed without jitter is none.
#[test]
fn without_jitter_every_node_costs_the_same_whatever_the_seed() {
    let run = |seed, jitter| {
        let mut setup = Setup { hash_mib: 1, seed, ..Setup::new(Scheme::Ybw, 4) };
        setup.costs.jitter = jitter;
        simulate(&setup, task(&Position::startpos()), depth(8)).expect("a small table").accounts
    };
    let even = run(None, 0.5);
    assert_eq!(run(Some(1), 0.0), even);
    assert_ne!(run(Some(1), 0.5), even);
}

/// Threads that search the root each for itself wait for nothing but memory: what they are busy for, the nodes of all
/// and the lines that all have waited for account for.
#[test]
fn what_is_waited_for_is_that_of_all_threads() {
    for scheme in [Scheme::Lazy, Scheme::Abdada] {
        let mut setup = Setup { hash_mib: 1, ..Setup::new(scheme, 4) };
        setup.costs.probe = 0;
        let task = task(&Position::startpos());
        let accounts = simulate(&setup, task, depth(10)).expect("a small table").accounts;
        let busy: Duration = accounts.idle.iter().map(|&idle| accounts.time - idle).sum();
        let searched = Duration::from_nanos(setup.costs.node * accounts.total_nodes());
        let waited = Duration::from_nanos(accounts.traffic.expect("the virtual clock knows").all_line_ns());
        assert!(!waited.is_zero(), "{scheme}: the test tests nothing");
        assert_eq!(busy, searched + waited, "{scheme}: {accounts:?}");
    }
}

/// What the threads of a scheme do with each other.
struct Habits {
    /// They share the moves of split points.
    splits: bool,
    /// They mark the moves that they search, some of them at least.
    marks: bool,
    /// They search below the same nodes.
    together: bool,
}

/// A scheme that is not named here does not compile.
fn habits(scheme: Scheme) -> Habits {
    match scheme {
        Scheme::Serial | Scheme::Lazy => Habits { splits: false, marks: false, together: false },
        Scheme::Abdada => Habits { splits: false, marks: true, together: true },
        Scheme::PvSplit | Scheme::RootSplit => Habits { splits: true, marks: false, together: false },
        Scheme::Ybw | Scheme::Hybrid => Habits { splits: true, marks: true, together: true },
    }
}

/// The same for what threads pay that work in the same subtree: those of other schemes do not.
#[test]
fn working_together_costs_those_who_do() {
    const NEAR: u64 = 1_000_000;
    let position = Game::default().position().clone();
    for (scheme, threads) in Scheme::ALL.into_iter().flat_map(|scheme| [(scheme, 1), (scheme, 2)]) {
        let mut setup = Setup { hash_mib: 1, team: Some(2), ..Setup::new(scheme, threads) };
        setup.costs.near = NEAR;
        let accounts = simulate(&setup, task(&position), depth(6)).expect("a small table").accounts;
        let paid = Duration::from_nanos(NEAR * accounts.total_nodes());
        let pays = threads > 1 && habits(scheme).together;
        assert_eq!(threads as u32 * accounts.time >= paid, pays, "{scheme} with {threads}: {accounts:?}");
    }
}

/// Cache lines go from core to core where threads share memory, and nowhere else: of histories and of the
/// table in every scheme, of marks and of split points where there are any. One thread fetches and waits for
/// nothing.
#[test]
fn threads_fetch_lines_of_what_they_share() {
    for scheme in Scheme::ALL {
        let Habits { splits, marks, .. } = habits(scheme);
        for (threads, line) in [(1, 100), (4, 100), (4, 0)] {
            let mut setup = Setup { hash_mib: 1, team: Some(4), ..Setup::new(scheme, threads) };
            setup.costs.line = line;
            let simulation = simulate(&setup, task(&Position::startpos()), depth(12)).expect("a small table");
            let traffic = simulation.accounts.traffic.expect("the virtual clock knows");
            let who = format!("{scheme} with {threads}, line {line}: {traffic:?}");
            if threads == 1 || scheme == Scheme::Serial {
                assert_eq!(traffic, Traffic::default(), "{who}");
                continue;
            }
            for class in Class::ALL {
                let shared = match class {
                    Class::Point | Class::Registry => splits,
                    Class::Mark => marks,
                    Class::History | Class::Table | Class::Word => true,
                };
                let at = class as usize;
                assert_eq!(traffic.lines[at] > 0, shared, "{class:?}: {who}");
                assert!(line > 0 || (traffic.line_ns[at], traffic.lock_ns[at]) == (0, 0), "{class:?}: {who}");
                let locked = matches!(class, Class::Point | Class::Registry);
                assert!(locked || traffic.lock_ns[at] == 0, "{class:?}: {who}");
            }
            assert_eq!(traffic.all_line_ns() > 0, line > 0, "{who}");
            if scheme == Scheme::Ybw {
                assert_eq!(traffic.all_lock_ns() > 0, line > 0, "{who}");
            }
        }
    }
}

/// Lines that come from afar are counted as others are, and take longer. Where each core is a domain of its own, that
/// is all of them.
#[test]
fn lines_of_other_domains_take_longer() {
    let [together, apart] = [0, 1].map(|domain| {
        let mut setup = Setup { hash_mib: 1, ..Setup::new(Scheme::Ybw, 4) };
        (setup.costs.far, setup.costs.domain) = (100_000, domain);
        simulate(&setup, task(&Position::startpos()), depth(8)).expect("a small table").accounts
    });
    for accounts in [&together, &apart] {
        assert!(accounts.traffic.expect("the virtual clock knows").all_lines() > 0, "{accounts:?}");
    }
    assert!(apart.time > together.time, "{apart:?} {together:?}");
}

/// Neither a worker without a point nor one that waits at a point sleeps for long: each reads ahead or along.
#[test]
fn members_of_a_ybw_team_hardly_ever_wait() {
    for threads in [2, 4] {
        let (mut idle, mut all) = (Duration::ZERO, Duration::ZERO);
        for position in &random_positions(5, 4) {
            let accounts = simulated(Scheme::Ybw, threads, position, depth(12)).accounts;
            idle += accounts.idle.iter().sum::<Duration>();
            all += accounts.time * threads as u32;
        }
        assert!(30 * idle < all, "{threads} threads: {idle:?} of {all:?}");
    }
}
