//! One search over several ranks.

use crate::common::random_positions;
use crate::plain::Plain;
use crate::ranks::{Ignorant, Kept, Ranks, Shape, until};
use chess::{Game, Position};
use cluster::member::Tally;
use engine::tablebase::Tablebase;
use engine::worker::Task;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use smp::schemes::Scheme;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use thinking::report::{Bound, Limits, Observer, Verdict};

impl Ranks {
    fn search(&mut self, task: &Task, limits: Limits) -> Verdict {
        let kept = Arc::new(Kept::default());
        self.pool.go(task.clone(), limits, 1, Arc::clone(&kept) as Arc<dyn Observer>);
        self.pool.wait();
        kept.verdict_on(&task.position)
    }
}

/// Whatever goes from table to table, the value is that of plain alpha-beta.
#[test]
fn exact_searches_find_the_value_of_alpha_beta() {
    let mut plain = Plain::new();
    let depth = 3;
    let problems: Vec<(Task, i32)> = random_positions(12, 45)
        .into_iter()
        .map(|position| Task::from(&Game::new(position)))
        .map(|task| (task.clone(), plain.value(&task, depth)))
        .collect();
    for scheme in Scheme::ALL {
        let (ranks, threads) = match scheme {
            Scheme::Serial => (2, 1),
            Scheme::Hybrid => (2, 4),
            Scheme::Lazy => (4, 1),
            Scheme::Ybw => (4, 2),
            Scheme::Abdada | Scheme::PvSplit => (2, 2),
            Scheme::RootSplit => (3, 2),
        };
        let mut ranks = Ranks::new(Shape::of(ranks, threads, scheme));
        for (task, value) in &problems {
            let limits = Limits { depth: Some(depth), exact: true, ..Limits::default() };
            let info = ranks.search(task, limits).info.expect("a line");
            assert_eq!(
                (info.score, info.depth, info.bound),
                (*value, depth, Bound::Exact),
                "{}",
                task.position
            );
            // Whichever rank has searched it, the line told is the one that the value comes from.
            for plies in 2..=info.pv.len().min(depth as usize) {
                let behind = plain.value_behind(task, &info.pv[..plies], depth);
                assert_eq!(behind, *value, "{}: {:?}", task.position, info.pv);
            }
        }
        ranks.end();
    }
}

/// Deep entries go to the other rank, none of them twice, and there they are used. How many are of use depends on
/// how the machine shares out its time: `simulation::what_is_used_depends_on_the_network` counts them. Here a search
/// is tried again where one rank was kept waiting while the other searched.
#[test]
fn what_is_exchanged_is_used() {
    let mut ranks = Ranks::new(Shape::of(2, 1, Scheme::Lazy));
    let position = Position::from_fen("r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 0 8");
    let task = Task::from(&Game::new(position.expect("a legal FEN")));
    let used = (0..20).any(|_| {
        ranks.member.order("new game".to_owned());
        ranks.pool.new_game();
        ranks.search(&task, Limits { depth: Some(13), ..Limits::default() });
        let tallies = ranks.member.tallies();
        let [first, second] = &tallies[..] else { panic!("two ranks: {tallies:?}") };
        for (own, other) in [(first, second), (second, first)] {
            assert!(own.received <= other.sent, "{tallies:?}");
            assert!(own.cut <= own.probed && own.probed <= own.received, "{tallies:?}");
            assert!(own.bytes >= 16 * own.sent, "{tallies:?}");
        }
        assert!(ranks.pool.nodes() >= first.nodes + second.nodes, "nodes of all ranks: {tallies:?}");
        first.cut > 0 && second.cut > 0
    });
    assert!(used, "in none of the searches both ranks end nodes by the other's entries");
    ranks.end();
}

/// Where no entries are wanted none are sent; results of iterations and votes go as ever.
#[test]
fn without_exchange_only_results_and_votes_are_sent() {
    let mut ranks = Ranks::new(Shape::of(3, 1, Scheme::Lazy));
    let position = Position::from_fen("r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 0 8");
    let task = Task::from(&Game::new(position.expect("a legal FEN")));
    let mut results_used = 0;
    // Again where one rank was kept waiting while the others searched.
    for (number, entries) in [false, true].into_iter().cycle().take(40).enumerate() {
        ranks.member.exchange_entries(entries);
        ranks.pool.new_game();
        ranks.member.order("new game".to_owned());
        ranks.search(&task, Limits { depth: Some(12), ..Limits::default() });
        let tallies = ranks.member.tallies();
        let sum = |what: fn(&Tally) -> u64| tallies.iter().map(what).sum::<u64>();
        assert_eq!(tallies.len(), 3, "everyone has voted");
        assert!(sum(|rank| rank.results_received) <= sum(|rank| rank.results_sent), "{tallies:?}");
        results_used += sum(|rank| rank.results_used);
        assert!(tallies.iter().all(|rank| rank.results_used <= rank.results_received), "{tallies:?}");
        let none = tallies
            .iter()
            .all(|rank| (rank.sent, rank.dropped, rank.received, rank.probed, rank.cut) == (0, 0, 0, 0, 0));
        assert_eq!(none, !entries, "{tallies:?}");
        if number >= 2 && results_used > 0 {
            break;
        }
    }
    assert!(results_used > 0, "no result of an iteration is used");
    ranks.end();
}

/// Whenever a search is stopped, one verdict follows and the next search begins afresh everywhere.
#[test]
fn five_hundred_stops_at_random_moments() {
    let mut ranks = Ranks::new(Shape::of(2, 1, Scheme::Lazy));
    let mut rng = ChaCha8Rng::seed_from_u64(500);
    let positions = random_positions(50, 7);
    for number in 0..500 {
        let task = Task::from(&Game::new(positions[number % positions.len()].clone()));
        let kept = Arc::new(Kept::default());
        if number % 40 == 0 {
            ranks.member.order("new game".to_owned());
            ranks.pool.new_game();
        }
        let limits = Limits { infinite: true, ..Limits::default() };
        ranks.pool.go(task.clone(), limits, 1, Arc::clone(&kept) as Arc<dyn Observer>);
        // Often before the other rank has begun.
        let nodes = if rng.random_bool(0.3) { 0 } else { rng.random_range(0..15_000) };
        // A search that has nothing left to do waits as well.
        let enough = |kept: &Kept| kept.infos.lock().last().is_some_and(|info| info.depth >= 60);
        until("it searches", || ranks.pool.nodes() >= nodes || enough(&kept));
        ranks.pool.stop();
        ranks.pool.wait();
        kept.verdict_on(&task.position);
    }
    ranks.end();
}

/// A rank that has tablebases asks them where rank 0 asks its own, and nowhere else: weak players do without.
#[test]
fn tablebases_are_asked_where_rank_0_asks() {
    const SEARCHES: usize = 100;
    let [own, asked]: [&AtomicU64; 2] = [Box::leak(Box::default()), Box::leak(Box::default())];
    let mut ranks = Ranks::new(Shape { asked: Some(asked), ..Shape::of(2, 1, Scheme::Lazy) });
    let position = Position::from_fen("8/8/4k3/3p4/3P4/4K3/8/7R w - - 0 1").expect("a legal FEN");
    let task = Task::from(&Game::new(position));
    for leads in [false, true, false] {
        ranks.pool.tablebase = leads.then(|| Arc::new(Ignorant(own)) as Arc<dyn Tablebase>);
        // On a busy machine the other rank may come too late to search anything.
        let mut searched = 0;
        for _ in 0..SEARCHES {
            ranks.search(&task, Limits { nodes: Some(40_000), ..Limits::default() });
            searched += ranks.member.tallies()[1].nodes;
            if searched >= 20_000 {
                break;
            }
        }
        assert!(searched >= 20_000, "{searched} nodes");
        assert_eq!(asked.swap(0, Relaxed) > 0, leads, "after {searched} nodes");
    }
    ranks.end();
}

/// A limit of nodes is one of all ranks together.
#[test]
fn nodes_are_shared_out() {
    let mut ranks = Ranks::new(Shape::of(4, 1, Scheme::Lazy));
    let verdict =
        ranks.search(&Task::from(&Game::default()), Limits { nodes: Some(40_002), ..Limits::default() });
    assert!(verdict.info.is_some());
    let nodes: Vec<u64> = ranks.member.tallies().iter().map(|tally| tally.nodes).collect();
    let shares = [10_001, 10_001, 10_000, 10_000];
    assert!(
        nodes[0] == shares[0] && nodes.iter().zip(shares).all(|(&nodes, share)| nodes <= share),
        "{nodes:?}"
    );
    ranks.end();
}
