//! Clusters in virtual time: the same code as between real machines, and the same result every time.

use crate::common::random_positions;
use crate::plain::Plain;
use chess::{Game, Position};
use cluster::simulation::{Network, Rank, Setup, Simulation, simulate, tables};
use engine::worker::Task;
use smp::schemes::Scheme;
use smp::simulation as machine;
use smp::simulation::costs::Costs;
use std::time::Duration;
use thinking::report::{Bound, Limits};

/// No time at all.
const INSTANT: Network = Network { latency_ns: 0, bandwidth_mbit: 0, message_ns: 0 };

/// Nodes take so long that a small tree lasts for many batches of entries.
fn setup(machines: usize, scheme: Scheme, threads: usize, network: Network) -> Setup {
    let costs = Costs { node: 8_000, ..Costs::default() };
    let machine =
        machine::Setup { hash_mib: 4, seed: Some(3), costs, ..machine::Setup::new(scheme, threads) };
    Setup { machine, machines, network, exchange: true }
}

const MIDDLE_GAMES: [&str; 12] = [
    "r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 0 8",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r2q1rk1/pP1p2pp/Q4n2/bbp1p3/Np6/1B3NBn/pPPP1PPP/R3K2R b KQ - 0 1",
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
    "rnbqkb1r/pp2pppp/3p1n2/8/3NP3/2N5/PPP2PPP/R1BQKB1R b KQkq - 2 5",
    "3r1k2/4npp1/1ppr3p/p6P/P2PPPP1/1NR5/5K2/2R5 w - - 0 1",
    "2q1rr1k/3bbnnp/p2p1pp1/2pPp3/PpP1P1P1/1P2BNNP/2BQ1PRK/7R b - - 0 1",
    "rnbqkb1r/p3pppp/1p6/2ppP3/3N4/2P5/PPP1QPPP/R1B1KB1R w KQkq - 0 1",
    "r1b2rk1/2q1b1pp/p2ppn2/1p6/3QP3/1BN1B3/PPP3PP/R4RK1 w - - 0 1",
    "2r3k1/pppR1pp1/4p3/4P1P1/5P2/1P4K1/P1P5/8 w - - 0 1",
    "1nk1r1r1/pp2n1pp/4p3/q2pPp1N/b1pP1P2/B1P2R2/2P1B1PP/R2Q2K1 w - - 0 1",
];

fn middle_game(fen: &str) -> Task {
    Task::from(&Game::new(Position::from_fen(fen).expect("a legal FEN")))
}

fn search(setup: &Setup, depth: u32) -> Simulation {
    search_of(MIDDLE_GAMES[0], setup, depth)
}

fn search_of(fen: &str, setup: &Setup, depth: u32) -> Simulation {
    let limits = Limits { depth: Some(depth), ..Limits::default() };
    simulate(setup, middle_game(fen), limits).expect("small tables")
}

fn sum(ranks: &[Rank], what: impl Fn(&Rank) -> u64) -> u64 {
    ranks.iter().map(what).sum()
}

#[test]
fn what_happened_happens_again() {
    for (machines, scheme, threads) in [(2, Scheme::Hybrid, 4), (3, Scheme::Lazy, 1), (2, Scheme::Abdada, 3)]
    {
        let setup = setup(machines, scheme, threads, Network::default());
        let (one, other) = (search(&setup, 11), search(&setup, 11));
        assert_eq!((&one.accounts, &one.ranks), (&other.accounts, &other.ranks), "{scheme}");
        assert_eq!((&one.infos, &one.verdict.best), (&other.infos, &other.verdict.best), "{scheme}");
        assert_eq!((one.accounts.nodes.len(), one.ranks.len()), (machines * threads, machines));
        let nodes: Vec<u64> = one.ranks.iter().map(|rank| rank.tally.nodes).collect();
        let by_machine = one.accounts.nodes.chunks(threads).map(|nodes| nodes.iter().sum::<u64>());
        assert_eq!(by_machine.collect::<Vec<_>>(), nodes, "{scheme}");
        assert!(nodes.iter().all(|&nodes| nodes > 1_000), "all search: {nodes:?}");
        let mut seeded = setup;
        seeded.machine.seed = Some(4);
        assert_ne!(search(&seeded, 11).accounts, one.accounts, "{scheme}: another seed");
    }
}

/// A search may be over before other machines have woken for it: they have no part in it, and nothing waits for them.
#[test]
fn a_search_may_be_over_before_others_begin() {
    let found = search(&setup(4, Scheme::Lazy, 2, INSTANT), 1);
    assert!(found.verdict.best.is_some());
    assert_eq!((found.accounts.nodes.len(), found.accounts.idle.len(), found.ranks.len()), (8, 8, 4));
    let late = found.ranks.iter().filter(|rank| rank.tally.nodes == 0).count();
    assert!((1..4).contains(&late), "{:?}", found.ranks);
}

/// By hand: machines that have nothing to do look at their messages every 5 ms, the three here first after .618, .236
/// and .854 of that (what the golden ratio's multiples are beyond whole numbers). From then on they search, and look
/// every millisecond whether the search is over, which ends before any iteration does. A machine is busy for as
/// long as its nodes take, and idle for the rest. A latency comes before its first look and before its last, and so
/// changes nothing.
#[test]
fn machines_search_from_their_first_look_at_their_messages() {
    let node = Duration::from_micros(200);
    let looks = [3_090, 1_180, 4_270].map(Duration::from_micros);
    // Rank 0 ends before each of the looks, and after all of them.
    let ends = [0, 3_000_000]
        .into_iter()
        .flat_map(|latency_ns| [3_u32, 10, 18, 23].map(|nodes| (latency_ns, nodes)));
    for (latency_ns, nodes) in ends {
        let mut setup = setup(4, Scheme::Serial, 1, Network { latency_ns, ..INSTANT });
        setup.exchange = false;
        (setup.machine.seed, setup.machine.hash_mib) = (None, 1);
        let node_ns = node.as_nanos() as u64;
        setup.machine.costs = Costs { node: node_ns, probe: 0, call: 0, wake: 0, ..Costs::default() };
        let limits = Limits { nodes: Some(4 * u64::from(nodes)), ..Limits::default() };
        let found = simulate(&setup, middle_game(MIDDLE_GAMES[0]), limits).expect("small tables");
        let (time, end) = (found.accounts.time, node * nodes);
        let busy: Vec<Duration> = found.accounts.idle.iter().map(|&idle| time - idle).collect();
        let of_nodes = |&nodes: &u64| node * u32::try_from(nodes).expect("a small number");
        assert_eq!(busy, found.accounts.nodes.iter().map(of_nodes).collect::<Vec<_>>(), "{nodes} nodes");
        assert_eq!(busy[0], end, "its share of the nodes");
        for (&busy, look) in busy[1..].iter().zip(looks) {
            let least = end.saturating_sub(look);
            let most = if least.is_zero() { least } else { least + Duration::from_millis(1) + node };
            assert!((least..=most).contains(&busy), "{busy:?} from {look:?} to {end:?}, {latency_ns} ns");
        }
    }
}

/// The system promises memory for each table alone.
#[test]
fn tables_that_together_exceed_the_memory_are_refused() {
    let setup = setup(1 << 24, Scheme::Lazy, 1, INSTANT);
    let refused = tables(&setup).err().map(|error| error.to_string()).unwrap_or_default();
    assert!(refused.contains("more than the memory there is"), "{refused}");
}

/// End games that plain alpha-beta can search deep enough for entries to be worth sending.
const END_GAMES: [&str; 5] = [
    "8/5pk1/6p1/7p/R6P/5PP1/1r4K1/8 w - - 4 42",
    "8/8/4k3/3p4/3P4/4K3/8/8 w - - 0 1",
    "8/2k5/8/1pPp4/pP1P1p2/P4P2/5K2/8 w - - 0 1",
    "8/1P6/k7/8/8/7K/6p1/8 w - - 0 1",
    "4k3/2n5/8/8/8/8/4P3/4K1N1 w - - 0 1",
];

/// Positions, with a depth and the value to that depth.
fn problems() -> Vec<(Task, u32, i32)> {
    let mut plain = Plain::new();
    let few_men = random_positions(400, 11).into_iter().filter(|position| position.occupied().count() <= 8);
    let fixed = END_GAMES.map(|fen| Position::from_fen(fen).expect("a legal FEN"));
    let mut problem = |position| {
        let task = Task::from(&Game::new(position));
        let (mut depth, mut value, before) = (0, 0, plain.nodes);
        while depth < 6 || depth < 8 && plain.nodes - before < 20_000 {
            depth += 1;
            value = plain.value(&task, depth);
        }
        (task, depth, value)
    };
    fixed.into_iter().chain(few_men.take(5)).map(&mut problem).collect()
}

/// Whatever goes from table to table, the value is that of plain alpha-beta.
#[test]
fn exact_searches_find_the_value_of_alpha_beta() {
    let problems = problems();
    let mut ranks = Vec::new();
    for scheme in Scheme::ALL {
        let threads = match scheme {
            Scheme::Serial => 1,
            Scheme::Lazy | Scheme::Ybw | Scheme::Abdada | Scheme::PvSplit | Scheme::RootSplit => 2,
            // Two teams.
            Scheme::Hybrid => 4,
        };
        for (task, depth, value) in &problems {
            let setup = setup(2, scheme, threads, INSTANT);
            let limits = Limits { depth: Some(*depth), exact: true, ..Limits::default() };
            let simulation = simulate(&setup, task.clone(), limits).expect("small tables");
            let info = simulation.verdict.info.expect("a search with moves tells a line");
            assert_eq!((info.score, info.bound), (*value, Bound::Exact), "{scheme} {}", task.position);
            assert!(info.depth >= *depth, "{scheme} {}: {}", task.position, info.depth);
            ranks.extend(simulation.ranks);
        }
    }
    let [received, probed] = [sum(&ranks, |rank| rank.tally.received), sum(&ranks, |rank| rank.tally.probed)];
    assert!(received > 100 && probed * 20 > received, "{received} {probed}");
    // An exact search takes moves from the table, and no scores.
    assert_eq!(sum(&ranks, |rank| rank.tally.cut), 0);
}

#[test]
fn what_is_used_depends_on_the_network() {
    let of = |network| {
        let mut setup = setup(2, Scheme::Lazy, 4, network);
        setup.machine.costs.node = 2_000;
        search(&setup, 13)
    };
    let instant = of(INSTANT);
    for Rank { tally, .. } in &instant.ranks {
        assert!(tally.received > 0 && tally.probed * 20 >= tally.received, "one in twenty: {tally:?}");
        assert!(tally.cut > 0 && tally.cut <= tally.probed && tally.bytes >= 16 * tally.sent, "{tally:?}");
    }
    let [sent, received] = [|rank: &Rank| rank.tally.sent, |rank: &Rank| rank.tally.received];
    assert!(sum(&instant.ranks, received) <= sum(&instant.ranks, sent), "{:?}", instant.ranks);
    // Only the deepest entries fit through.
    let narrow = of(Network { bandwidth_mbit: 1, ..INSTANT });
    let [wide_depth, narrow_depth] =
        [&instant, &narrow].map(|found| sum(&found.ranks, |rank| rank.tally.least_depth as u64));
    assert!(narrow_depth > wide_depth, "{:?} {:?}", narrow.ranks, instant.ranks);
    let a_second =
        |found: &Simulation| sum(&found.ranks, received) as f64 / found.accounts.time.as_secs_f64();
    assert!(a_second(&narrow) < a_second(&instant), "{:?}", narrow.ranks);
    assert!(sum(&narrow.ranks, |rank| rank.tally.dropped) > 0, "{:?}", narrow.ranks);
    // The first machine hears nothing in time, and at the end it waits for the other's vote.
    let latency_ns = 1_000_000_000;
    let remote = of(Network { latency_ns, ..INSTANT });
    assert_eq!(remote.ranks[0].tally.probed, 0, "{:?}", remote.ranks);
    assert!(remote.verdict.best.is_some() && remote.accounts.time.as_nanos() as u64 > 2 * latency_ns);
    assert!(instant.accounts.time < narrow.accounts.time && narrow.accounts.time < remote.accounts.time);
}

#[test]
fn without_exchange_no_entry_is_sent() {
    let with = setup(2, Scheme::Lazy, 2, INSTANT);
    let without = search(&Setup { exchange: false, ..with.clone() }, 12);
    for Rank { tally, .. } in &without.ranks {
        assert_eq!((tally.sent, tally.dropped, tally.received, tally.probed, tally.cut), (0, 0, 0, 0, 0));
        assert!(tally.bytes > 0 && tally.nodes > 1_000, "results of iterations are sent: {tally:?}");
        assert!(tally.results_used <= tally.results_received, "{tally:?}");
    }
    let results = [
        sum(&without.ranks, |rank| rank.tally.results_sent),
        sum(&without.ranks, |rank| rank.tally.results_received),
        sum(&without.ranks, |rank| rank.tally.results_used),
    ];
    assert!(results[2] > 0 && results[1] <= results[0], "sent, received, used: {results:?}");
    assert!(sum(&search(&with, 12).ranks, |rank| rank.tally.sent) > 0);
}

/// Whether all threads of a machine search the root or one does, it goes on from the others' results.
#[test]
fn every_scheme_exchanges_results_of_iterations() {
    for scheme in Scheme::ALL {
        let found = search(&Setup { exchange: false, ..setup(3, scheme, 4, INSTANT) }, 11);
        let tallies = || found.ranks.iter().map(|rank| rank.tally);
        let used = tallies().map(|tally| tally.results_used).sum::<u64>();
        assert!(used > 0 && tallies().all(|tally| tally.nodes > 1_000), "{scheme}: {:?}", found.ranks);
        assert!(tallies().filter(|tally| tally.results_sent > 0).count() > 1, "{scheme}: {:?}", found.ranks);
    }
}

/// Without exchange the time is that of the first machine to finish each iteration. In a single position the result of
/// another machine may lead into a larger tree; over several it helps.
#[test]
fn results_of_iterations_are_of_use() {
    // Of one thread: with more, a machine's own threads tell each other such results as well.
    let apart = Setup { exchange: false, ..setup(2, Scheme::Lazy, 1, INSTANT) };
    let alone = Setup { machines: 1, ..apart.clone() };
    let mut used = 0;
    let shares = MIDDLE_GAMES.map(|fen| {
        let [apart, alone] = [&apart, &alone].map(|setup| search_of(fen, setup, 12));
        used += sum(&apart.ranks, |rank| rank.tally.results_used);
        apart.accounts.time.as_secs_f64() / alone.accounts.time.as_secs_f64()
    });
    assert!(used > 20, "{used} results of iterations used");
    let mean = shares.iter().map(|share| share.ln()).sum::<f64>() / shares.len() as f64;
    assert!(mean < 0.0, "shares of one machine's time: {shares:?}");
}

/// A machine sends each other one the result of an iteration once a millisecond at most, however fast all
/// finish theirs, and none that it has heard of.
#[test]
fn results_of_iterations_are_few() {
    for machines in [2, 5] {
        let mut setup = setup(machines, Scheme::Lazy, 1, INSTANT);
        setup.exchange = false;
        setup.machine.costs.node = 500;
        let found = search(&setup, 12);
        let (others, periods) = (machines as u64 - 1, found.accounts.time.as_millis() as u64 + 1);
        let sent = |rank: &Rank| rank.tally.results_sent;
        assert!(found.ranks.iter().all(|rank| sent(rank) <= others * periods), "{:?}", found.ranks);
        let iterations = others * u64::from(found.verdict.info.expect("a line").depth);
        assert!(sum(&found.ranks, sent) < 2 * iterations, "{iterations} iterations: {:?}", found.ranks);
    }
}

/// Of a cluster of one machine nothing is left to simulate but that machine; and where nothing arrives in
/// time, the first of two does what it does alone, node for node.
#[test]
fn a_machine_that_hears_of_none_searches_as_it_does_alone() {
    for scheme in Scheme::ALL {
        let threads = match scheme {
            Scheme::Serial => 1,
            Scheme::RootSplit => 2,
            Scheme::Lazy | Scheme::Ybw | Scheme::Abdada | Scheme::PvSplit => 4,
            Scheme::Hybrid => 8,
        };
        let mut setup = setup(1, scheme, threads, Network { latency_ns: 1_000_000_000, ..INSTANT });
        // An errand for the thread that talks costs a call, which a machine on its own has not.
        setup.machine.costs.call = 0;
        let limits = Limits { depth: Some(10), ..Limits::default() };
        let alone =
            machine::simulate(&setup.machine, middle_game(MIDDLE_GAMES[0]), limits).expect("a small table");
        let one = search(&setup, 10);
        assert_eq!((&one.accounts, one.ranks.len()), (&alone.accounts, 0), "{scheme}");
        let two = search(&Setup { machines: 2, ..setup }, 10);
        assert_eq!(two.accounts.nodes[..threads], alone.accounts.nodes, "{scheme}");
    }
}

/// The last words of the others take longer than all that may be under way to a machine takes to be said.
#[test]
fn a_search_over_the_slowest_network_ends() {
    let (send, found) = std::sync::mpsc::channel();
    let network = Network { latency_ns: 10_000_000_000, ..INSTANT };
    std::thread::spawn(move || {
        let found = search(&setup(3, Scheme::Serial, 1, network), 4);
        send.send((found.verdict.best, found.ranks.len()))
    });
    let (best, ranks) = found.recv_timeout(Duration::from_secs(120)).expect("it ends");
    assert!(best.is_some() && ranks == 3);
}

/// Messages that come faster than they can be taken keep no machine from ending the search: each of four others gives a
/// sign of life every 20 ms, and each of those keeps rank 0 busy for 15 ms. Limits of time are looked at every 1,024
/// nodes.
#[test]
fn a_search_whose_messages_are_too_dear_ends() {
    let (send, found) = std::sync::mpsc::channel();
    let node = Duration::from_micros(200);
    std::thread::spawn(move || {
        let mut setup = setup(5, Scheme::Serial, 1, Network { message_ns: 15_000_000, ..INSTANT });
        setup.exchange = false;
        setup.machine.seed = None;
        setup.machine.costs.node = node.as_nanos() as u64;
        let limits = Limits { movetime: Some(Duration::from_secs(2)), ..Limits::default() };
        let found = simulate(&setup, middle_game(MIDDLE_GAMES[0]), limits).expect("small tables");
        send.send((found.verdict.best, found.ranks))
    });
    let (best, ranks) = found.recv_timeout(Duration::from_secs(120)).expect("it ends");
    assert!(best.is_some() && ranks.len() == 5);
    // The others have ended within some tens of messages, and have not searched until all that came was taken.
    let nodes: Vec<u64> = ranks.iter().map(|rank| rank.tally.nodes).collect();
    let searched = |&nodes: &u64| node * u32::try_from(nodes).expect("a small number");
    let long_enough = Duration::from_millis(1_800)..Duration::from_millis(3_500);
    assert!(nodes.iter().all(|nodes| long_enough.contains(&searched(nodes))), "{nodes:?}");
}

/// By hand, where a node takes a millisecond and all else hardly any time: the others' searches begin when they hear of
/// it, after 30 ms of latency and a part of a millisecond of sleep. So long are their signs of life under way, too,
/// which come every 20 ms.
#[test]
fn a_line_counts_the_nodes_of_all_machines_at_that_moment() {
    let mut setup = setup(4, Scheme::Serial, 1, Network { latency_ns: 30_000_000, ..INSTANT });
    setup.exchange = false;
    setup.machine.seed = None;
    setup.machine.costs = Costs { node: 1_000_000, probe: 0, ..Costs::default() };
    let limits = Limits { movetime: Some(Duration::from_millis(2_500)), ..Limits::default() };
    let found = simulate(&setup, middle_game(MIDDLE_GAMES[0]), limits).expect("small tables");
    // The last line is told with the verdict, when the others have searched on for a while.
    let (_, told) = found.infos.split_last().expect("a search with moves tells a line");
    for line in told {
        let own = line.time.as_millis() as u64;
        let [least, most] = [35, 28].map(|late| own + 3 * own.saturating_sub(late));
        assert!((least..=most + 1).contains(&line.nodes), "{least} to {most}: {line:?}");
    }
    let late = told.iter().filter(|line| line.time > Duration::from_millis(100)).count();
    assert!(late >= 2, "the test tests little: {told:?}");
}

/// The thread that talks is busy with each message, and the threads that search are not.
#[test]
fn messages_cost_the_thread_that_talks() {
    let of = |message_ns| search(&setup(3, Scheme::Lazy, 1, Network { message_ns, ..INSTANT }), 11);
    let talking = |simulation: &Simulation| sum(&simulation.ranks, |rank| rank.talking_ns);
    let (free, dear) = (of(0), of(10_000));
    assert!(talking(&free) > 0, "it wakes and writes entries");
    assert!(talking(&dear) > 2 * talking(&free), "{} {}", talking(&dear), talking(&free));
}

/// By hand, where only waking takes long. The search of rank 0 is over after some nodes and wakes the thread that talks
/// (1), which ends the other search. That one wakes its talking thread in turn (2). What it sends is not there
/// yet when rank 0 wakes up by itself at the same time, after 200 microseconds of sleep, but when it does so again,
/// after a millisecond (3); then the verdict's thread wakes up (4).
///
/// Where messages take longer than the search, all is over while rank 0 still says that it has begun. It ends the
/// other search before that one has begun, and wakes up by itself to the answer (1), then the verdict's thread (2).
#[test]
fn an_errand_costs_one_waking_or_none() {
    let wake = Duration::from_secs(1);
    for (message_ns, wakings, slept_us) in [(0, 4, 200 + 1_000), (100_000, 2, 200)] {
        let mut setup = setup(2, Scheme::Serial, 1, Network { message_ns, ..INSTANT });
        setup.exchange = false;
        setup.machine.costs = Costs { call: 0, wake: wake.as_nanos() as u64, ..Costs::default() };
        let found = search(&setup, 1);
        let nodes = found.ranks[0].tally.nodes;
        assert!((1..200).contains(&nodes), "less than 100 microseconds: {nodes} nodes");
        let (time, least) = (found.accounts.time, wake * wakings + Duration::from_micros(slept_us));
        // The rest are nodes and some messages.
        assert!(time > least && time < least + Duration::from_micros(900), "{message_ns}: {time:?}");
    }
}

/// After the verdict the threads that talk say good-bye, which takes twice the latency: it is no part of the search,
/// whose time ends with the verdict. None can be busy for longer than it has lived.
#[test]
fn what_is_said_after_the_verdict_does_not_count() {
    let latency = Duration::from_secs(1);
    let mut setup = setup(3, Scheme::Serial, 1, Network { latency_ns: latency.as_nanos() as u64, ..INSTANT });
    // They wake up again and again, and hardly do anything else.
    setup.machine.costs.wake = Duration::from_millis(50).as_nanos() as u64;
    let found = search(&setup, 4);
    assert!(found.accounts.time > 2 * latency, "to the others and back: {:?}", found.accounts.time);
    for rank in &found.ranks {
        let talking = Duration::from_nanos(rank.talking_ns);
        assert!(talking <= found.accounts.time, "{talking:?} of {:?}", found.accounts.time);
        assert!(talking > found.accounts.time / 2, "{talking:?} of {:?}", found.accounts.time);
    }
}
