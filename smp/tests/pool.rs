//! The pool from outside: whatever is asked of it in whatever order, every search gives exactly one verdict, and its move
//! is the head of the last best line told.

use crate::searches::task;
use crate::sharing::until_shared;
use chess::Position;
use engine::tablebase::{Ending, Tablebase};
use parking_lot::{Condvar, Mutex};
use smp::pool::Pool;
use smp::pool::accounts::Tally;
use smp::schemes::Scheme;
use smp::schemes::rules::{Everywhere, Mechanism, RuleSet, Rules};
use std::collections::{BTreeMap, HashSet};
use std::panic::resume_unwind;
use std::sync::Arc;
use std::time::{Duration, Instant};
use sys::affinity::CpuSet;
use thinking::report::{Clock, Info, Limits, Observer, Verdict};
use thinking::score::Reported;

/// Keeps all that a search tells.
#[derive(Default)]
struct Recorder {
    heard: Mutex<Heard>,
    news: Condvar,
}

#[derive(Default)]
struct Heard {
    lines: Vec<Info>,
    verdicts: Vec<Verdict>,
    lines_after_verdict: usize,
}

impl Observer for Recorder {
    fn info(&self, info: &Info) {
        let mut heard = self.heard.lock();
        heard.lines_after_verdict += usize::from(!heard.verdicts.is_empty());
        heard.lines.push(info.clone());
        self.news.notify_all();
    }

    fn verdict(&self, verdict: &Verdict) {
        self.heard.lock().verdicts.push(verdict.clone());
        self.news.notify_all();
    }
}

impl Recorder {
    /// Blocks until a line of this depth has been told.
    fn wait_for_depth(&self, depth: u32) {
        let mut heard = self.heard.lock();
        while !heard.lines.iter().any(|info| info.depth >= depth) {
            self.news.wait(&mut heard);
        }
    }

    fn verdicts(&self) -> usize {
        self.heard.lock().verdicts.len()
    }

    /// The one verdict of a search in which a thread has died: a legal move.
    fn check_only_verdict(&self, position: &Position, what: &str) {
        let heard = self.heard.lock();
        let best: Vec<_> = heard.verdicts.iter().map(|verdict| verdict.best).collect();
        assert!(best.len() == 1 && best[0].is_some_and(|mv| position.is_legal(mv)), "{what}: {best:?}");
    }

    /// The one verdict, which must fit the lines.
    fn verdict_of(&self, position: &Position) -> Verdict {
        let heard = self.heard.lock();
        assert_eq!((heard.verdicts.len(), heard.lines_after_verdict), (1, 0));
        let verdict = heard.verdicts[0].clone();
        let last = heard.lines.iter().rfind(|info| info.multipv == 1);
        assert_eq!(verdict.best, last.and_then(|info| info.pv.first().copied()), "{position}");
        assert_eq!(verdict.info.as_ref(), last);
        assert!(verdict.best.is_some_and(|mv| position.is_legal(mv)), "{position}");
        if let Some(reply) = verdict.ponder {
            assert!(position.after(verdict.best.unwrap()).is_legal(reply), "{position}");
        }
        verdict
    }
}

/// Starts a search and returns its recorder.
fn go(pool: &mut Pool, position: &Position, limits: Limits) -> Arc<Recorder> {
    let recorder = Arc::new(Recorder::default());
    pool.go(task(position), limits, 1, Arc::clone(&recorder) as Arc<dyn Observer>);
    recorder
}

/// The same by other rules, to the end; returns its verdict, too, and what it counted.
fn searched<R: RuleSet>(pool: &mut Pool, position: &Position, limits: Limits) -> (Verdict, Tally) {
    let recorder = Arc::new(Recorder::default());
    pool.go_by::<R>(task(position), limits, 1, Arc::clone(&recorder) as Arc<dyn Observer>);
    pool.wait();
    (recorder.verdict_of(position), pool.accounts().expect("the search is over").tally)
}

fn depth(depth: u32) -> Limits {
    Limits { depth: Some(depth), ..Limits::default() }
}

fn nodes(nodes: u64) -> Limits {
    Limits { nodes: Some(nodes), ..Limits::default() }
}

fn infinite() -> Limits {
    Limits { infinite: true, ..Limits::default() }
}

fn middle_game() -> Position {
    Position::from_fen("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1").unwrap()
}

#[test]
fn the_pool_grows_and_shrinks_between_and_during_searches() {
    let position = middle_game();
    let mut pool = Pool::new(1, 1).unwrap();
    for threads in [1, 4, 2, 8, 1, 3] {
        let running = go(&mut pool, &position, infinite());
        running.wait_for_depth(1);
        pool.set_threads(threads).unwrap();
        running.verdict_of(&position);
        assert_eq!(pool.threads(), threads);
        let recorder = go(&mut pool, &position, depth(4));
        pool.wait();
        recorder.verdict_of(&position);
    }
    pool.set_threads(0).unwrap();
    assert_eq!(pool.threads(), 1, "there is always one thread");
}

/// A search under way ends first.
#[test]
fn threads_are_bound_and_set_free_and_search_all_the_while() {
    comes_to_an_end(|| {
        let position = middle_game();
        let all = sys::affinity::current().unwrap();
        let domains: Vec<CpuSet> = all.iter().map(|cpu| std::iter::once(cpu).collect()).collect();
        let mut pool = Pool::new(3, 1).unwrap();
        for domains in [domains, vec![all.clone()], Vec::new()] {
            let running = go(&mut pool, &position, infinite());
            pool.bind(domains);
            running.verdict_of(&position);
            pool.set_threads(pool.threads() + 1).unwrap();
            let recorder = go(&mut pool, &position, depth(5));
            pool.wait();
            recorder.verdict_of(&position);
        }
        assert_eq!(sys::affinity::current().unwrap(), all, "the caller is bound to nothing");
    });
}

/// Asked about endings by every search thread, it notes on which processors each of them may run.
#[derive(Default)]
struct Places {
    seen: Mutex<BTreeMap<String, CpuSet>>,
    news: Condvar,
}

impl Tablebase for Places {
    fn most_men(&self) -> u32 {
        32
    }

    fn least_depth(&self) -> i32 {
        1
    }

    fn probe(&self, _: &Position) -> Option<Ending> {
        let name = std::thread::current().name().expect("search threads have names").to_owned();
        self.seen.lock().insert(name, sys::affinity::current().expect("Linux tells the mask"));
        self.news.notify_all();
        None
    }
}

/// Where the threads of a pool are bound to, as they see it themselves in a search.
fn places(pool: &mut Pool) -> Vec<CpuSet> {
    let places = Arc::new(Places::default());
    pool.tablebase = Some(Arc::clone(&places) as Arc<dyn Tablebase>);
    let fen = "r4rk1/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R4RK1 w - - 0 1";
    go(pool, &Position::from_fen(fen).unwrap(), infinite());
    let mut seen = places.seen.lock();
    while seen.len() < pool.threads() {
        places.news.wait(&mut seen);
    }
    pool.stop();
    let found = (0..pool.threads()).map(|number| seen[&format!("search-{number}")].clone()).collect();
    drop(seen);
    pool.wait();
    found
}

/// Each thread is bound to its set, the sets being filled one after the other and then over again; a thread that comes later
/// is as well; and with no set given all run wherever any of them could.
#[test]
#[cfg(target_os = "linux")]
fn search_threads_run_where_they_are_bound_to() {
    let all = sys::affinity::current().unwrap();
    let single = |cpu| std::iter::once(cpu).collect::<CpuSet>();
    let cpus: Vec<CpuSet> = all.iter().map(single).collect();
    let mut pool = Pool::new(3, 1).unwrap();
    pool.scheme = Scheme::Lazy;
    assert_eq!(places(&mut pool), vec![all.clone(); 3], "nobody has bound them");
    pool.bind(cpus.clone());
    pool.set_threads(5).unwrap();
    let wanted: Vec<CpuSet> = (0..5).map(|number| cpus[number % cpus.len()].clone()).collect();
    assert_eq!(places(&mut pool), wanted, "one processor after the other");
    let sets = vec![all.clone(), cpus[0].clone(), cpus[0].clone()];
    pool.bind(sets.clone());
    let wanted: Vec<CpuSet> = (0..5).map(|number| sets[number % sets.len()].clone()).collect();
    assert_eq!(places(&mut pool), wanted, "one place after the other");
    pool.bind(Vec::new());
    assert_eq!(places(&mut pool), vec![all.clone(); 5], "free again");
    if cpus.len() == 1 {
        return crate::sharing::skipped("are threads set free of their processors? One processor only");
    }
    pool.bind(cpus);
    pool.bind(Vec::new());
    assert_eq!(places(&mut pool), vec![all; 5], "free of one processor each");
}

/// A tablebase that is the death of the thread of this name, once all of these have asked it as well.
struct Deadly {
    name: String,
    others: HashSet<String>,
    seen: Mutex<HashSet<String>>,
}

impl Deadly {
    /// By the numbers of the threads.
    fn to(victim: usize, others: impl IntoIterator<Item = usize>) -> Arc<dyn Tablebase> {
        let name = |number: usize| format!("search-{number}");
        let others = others.into_iter().map(name).collect();
        Arc::new(Deadly { name: name(victim), others, seen: Mutex::default() })
    }
}

impl Tablebase for Deadly {
    fn most_men(&self) -> u32 {
        32
    }

    fn least_depth(&self) -> i32 {
        1
    }

    fn probe(&self, _: &Position) -> Option<Ending> {
        let name = std::thread::current().name().expect("search threads have names").to_owned();
        let dies = name == self.name;
        let mut seen = self.seen.lock();
        seen.insert(name);
        if dies && self.others.is_subset(&seen) {
            drop(seen);
            resume_unwind(Box::new("on purpose"));
        }
        None
    }
}

/// Hears nothing, and does not survive the verdict.
struct Frail;

impl Observer for Frail {
    fn verdict(&self, _: &Verdict) {
        resume_unwind(Box::new("on purpose"));
    }
}

/// The test fails if this does, and if it hangs.
fn comes_to_an_end(test: impl FnOnce() + Send + 'static) {
    let (sender, over) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        test();
        // The receiver has gone if it took too long.
        let _ = sender.send(());
    });
    over.recv_timeout(Duration::from_secs(60)).expect("it comes to an end, and all is as asserted");
}

/// Whichever thread it is, and whether the others are at work by then or still wait for some: there is one
/// verdict with a move, and the next search is as any other.
#[test]
fn a_thread_that_dies_ends_the_search_and_no_other() {
    comes_to_an_end(|| {
        let position = castled();
        let mut pool = Pool::new(3, 1).unwrap();
        let cases = [(0, 1), (0, 3), (1, 1), (1, 3)];
        for (scheme, (number, threads)) in
            Scheme::ALL.into_iter().flat_map(|scheme| cases.map(|case| (scheme, case)))
        {
            if scheme == Scheme::Serial && (number, threads) != (0, 1) {
                continue;
            }
            pool.scheme = scheme;
            let others = if threads > 1 { 0..threads } else { 0..0 };
            pool.tablebase = Some(Deadly::to(number, others));
            let recorder = go(&mut pool, &position, Limits::default());
            pool.wait();
            recorder.check_only_verdict(&position, &format!("{scheme}, thread {number} after {threads}"));
            pool.tablebase = None;
            let recorder = go(&mut pool, &position, depth(3));
            pool.wait();
            recorder.verdict_of(&position);
        }
    });
}

/// The middle game without castling rights, so that a tablebase may be asked.
fn castled() -> Position {
    let mut position = middle_game();
    position.play(position.parse_uci("e1g1").unwrap());
    position.play(position.parse_uci("e8g8").unwrap());
    position
}

/// Every node is split, and a member of a team that has no part in a node of another's sleeps: one that asks the
/// tablebase has joined a split point.
struct WithoutReading;

impl RuleSet for WithoutReading {
    const RULES: Rules = Rules::EVERYWHERE.without(Mechanism::ReadingAhead);
    type Others = Everywhere;
}

/// By them no node of so shallow a search is split. By rules that split everywhere the root is, if the other thread
/// comes in time: so both are searched in turns until that has happened some times.
#[test]
fn a_search_goes_by_the_usual_rules() {
    let position = Position::startpos();
    let mut pool = Pool::new(2, 1).unwrap();
    pool.scheme = Scheme::PvSplit;
    let mut split = 0;
    for _ in 0..5_000 {
        pool.new_game();
        go(&mut pool, &position, depth(2));
        pool.wait();
        assert_eq!(pool.accounts().expect("the search is over").tally.splits, 0);
        pool.new_game();
        let (_, tally) = searched::<WithoutReading>(&mut pool, &position, depth(2));
        split += u32::from(tally.splits > 0);
        if split == 5 {
            return;
        }
    }
    panic!("the test tests nothing: of 5,000 searches {split} were split");
}

/// In teams of two, as the usual scheme has them: a helper dies in its part of a split point, a leader once its helper
/// has had a part. The other member then waits in vain for the one that died, and the other teams know nothing of it.
#[test]
fn a_member_of_a_team_that_dies_ends_the_search_and_no_other() {
    comes_to_an_end(|| {
        let position = castled();
        for threads in [4, 6] {
            let mut pool = Pool::new(threads, 1).unwrap();
            (pool.scheme, pool.team) = (Scheme::Hybrid, Some(2));
            for victim in 0..threads {
                let leads = victim.is_multiple_of(2);
                pool.tablebase = Some(Deadly::to(victim, leads.then_some(victim + 1)));
                let recorder = Arc::new(Recorder::default());
                let observer = Arc::clone(&recorder) as Arc<dyn Observer>;
                pool.go_by::<WithoutReading>(task(&position), Limits::default(), 1, observer);
                pool.wait();
                recorder.check_only_verdict(&position, &format!("thread {victim} of {threads}"));
                // What the one that died has counted is lost with it.
                let tally = pool.accounts().unwrap().tally;
                assert!(!leads || tally.joins > 0, "thread {victim} of {threads}: {tally:?}");
                pool.tablebase = None;
                until_shared(Scheme::Hybrid, |long| {
                    pool.new_game();
                    searched::<WithoutReading>(&mut pool, &position, nodes(long)).1
                });
            }
        }
    });
}

#[test]
fn an_observer_that_dies_takes_no_search_with_it() {
    comes_to_an_end(|| {
        let position = middle_game();
        let mut pool = Pool::new(2, 1).unwrap();
        pool.go(task(&position), depth(2), 1, Arc::new(Frail));
        pool.wait();
        assert!(!pool.searching());
        let recorder = go(&mut pool, &position, depth(3));
        pool.wait();
        recorder.verdict_of(&position);
    });
}

#[test]
fn the_table_changes_size_during_a_search() {
    let position = middle_game();
    let mut pool = Pool::new(2, 4).unwrap();
    for mib in [1, 8, 2] {
        let running = go(&mut pool, &position, infinite());
        running.wait_for_depth(2);
        pool.set_hash(mib).unwrap();
        running.verdict_of(&position);
        assert_eq!(pool.table().bytes(), mib << 20);
        assert_eq!(pool.table().hashfull(), 0);
    }
    assert!(pool.set_hash(usize::MAX >> 20).is_err());
    assert_eq!(pool.table().bytes(), 2 << 20, "a failed resize keeps the old table");
    let recorder = go(&mut pool, &position, depth(3));
    pool.wait();
    recorder.verdict_of(&position);
}

#[test]
fn a_dropped_pool_ends_its_search_first() {
    let position = middle_game();
    for threads in [1, 3] {
        let mut pool = Pool::new(threads, 1).unwrap();
        let recorder = go(&mut pool, &position, infinite());
        drop(pool);
        recorder.verdict_of(&position);
    }
    drop(Pool::new(5, 0).unwrap());
}

#[test]
fn a_new_search_ends_the_old_one() {
    let position = middle_game();
    let mut pool = Pool::new(2, 1).unwrap();
    let ears: Vec<_> = (0..50).map(|_| go(&mut pool, &position, infinite())).collect();
    pool.stop();
    pool.wait();
    for recorder in ears {
        recorder.verdict_of(&position);
    }
    assert!(!pool.searching());
}

#[test]
fn many_threads_give_one_verdict() {
    let position = middle_game();
    let mut pool = Pool::new(16, 1).unwrap();
    for scheme in Scheme::ALL {
        pool.scheme = scheme;
        until_shared(scheme, |long| {
            let limits = [nodes(long), depth(5), nodes(1), depth(1), nodes(999)];
            pool.clear_table();
            limits.into_iter().fold(Tally::default(), |sum, limits| {
                sum + searched::<Everywhere>(&mut pool, &position, limits).1
            })
        });
    }
}

#[test]
fn several_lines_are_told_best_first() {
    let position = middle_game();
    let mut pool = Pool::new(2, 1).unwrap();
    let recorder = Arc::new(Recorder::default());
    pool.go(task(&position), depth(5), 4, Arc::clone(&recorder) as Arc<dyn Observer>);
    pool.wait();
    recorder.verdict_of(&position);
    let heard = recorder.heard.lock();
    // A depth that another thread finished first may be skipped, the last may not.
    let told: Vec<&[Info]> = heard.lines.chunk_by(|a, b| a.depth == b.depth).collect();
    assert!(told.is_sorted_by(|a, b| a[0].depth < b[0].depth));
    assert_eq!(told.last().map(|lines| lines[0].depth), Some(5));
    for lines in told {
        let lines = &lines[..4];
        assert_eq!(lines.iter().map(|info| info.multipv).collect::<Vec<_>>(), [1, 2, 3, 4]);
        assert!(lines.is_sorted_by(|a, b| a.score >= b.score), "depth {}", lines[0].depth);
        let heads: HashSet<_> = lines.iter().map(|info| info.pv[0].bits()).collect();
        assert_eq!(heads.len(), 4, "the lines begin with different moves");
    }
}

/// One legal move, few positions: the greatest depth is reached at once.
fn soon_exhausted() -> Position {
    Position::from_fen("7k/8/8/8/8/p1p5/P1P5/K7 w - - 99 80").unwrap()
}

#[test]
fn an_infinite_search_keeps_its_verdict_until_stop() {
    let mut pool = Pool::new(2, 1).unwrap();
    let mut other = Pool::new(1, 1).unwrap();
    let cases = [
        (soon_exhausted(), infinite()),
        (middle_game(), Limits { depth: Some(3), ..infinite() }),
        (middle_game(), Limits { nodes: Some(5_000), ..infinite() }),
    ];
    for (position, limits) in cases {
        let recorder = go(&mut pool, &position, limits.clone());
        // Work elsewhere, long enough for a hasty verdict to come.
        let busy = go(&mut other, &middle_game(), nodes(100_000));
        other.wait();
        busy.verdict_of(&middle_game());
        assert_eq!(recorder.verdicts(), 0, "no verdict before stop: {limits:?}");
        assert!(pool.searching());
        pool.stop();
        pool.wait();
        recorder.verdict_of(&position);
    }
}

#[test]
fn a_ponder_search_keeps_its_verdict_until_the_hit() {
    let mut pool = Pool::new(2, 1).unwrap();
    let mut other = Pool::new(1, 1).unwrap();
    let position = middle_game();
    let clock = Clock { remaining: Duration::from_millis(1), increment: Duration::ZERO, moves_to_go: None };
    let own = [depth(3), Limits { clock: Some(clock), ..Limits::default() }, nodes(5_000)];
    for (number, limits) in own.into_iter().enumerate() {
        let recorder = go(&mut pool, &position, Limits { ponder: true, ..limits.clone() });
        let busy = go(&mut other, &position, nodes(100_000));
        other.wait();
        busy.verdict_of(&position);
        assert_eq!(recorder.verdicts(), 0, "no verdict before the hit: {limits:?}");
        // Told twice is told once; told to stop instead is as good.
        if number != 1 {
            pool.ponderhit(Instant::now());
        }
        pool.ponderhit(Instant::now());
        pool.wait();
        recorder.verdict_of(&position);
    }
    let recorder = go(&mut pool, &position, Limits { ponder: true, ..Limits::default() });
    pool.stop();
    pool.wait();
    recorder.verdict_of(&position);
}

/// Stopped at random moments, the pool still knows what is true: the mate in two stays one.
#[test]
fn stops_at_random_nodes_do_no_harm() {
    // Win at Chess 4: 1.Qxh7+ Kxh7 2.hxg6 mate.
    let fen = "r1bq2rk/pp3pbp/2p1p1pQ/7P/3P4/2PB1N2/PP3PPR/2KR4 w - - 0 1";
    let position = Position::from_fen(fen).unwrap();
    let mut pool = Pool::new(4, 1).unwrap();
    pool.team = Some(2);
    let mut limit = 7;
    let mut aborted = 0;
    until_shared(pool.scheme, |_| {
        (0..60).fold(Tally::default(), |sum, _| {
            limit = limit * 16_807 % 9_973; // a small multiplicative sequence: any node will do
            let (_, tally) = searched::<Everywhere>(&mut pool, &position, nodes(limit + 1));
            aborted += tally.aborted;
            sum + tally
        })
    });
    assert!(aborted > 0, "every thread had done its part whenever the search was stopped");
    let limits = Limits { mate: Some(2), depth: Some(12), ..Limits::default() };
    let (verdict, _) = searched::<Everywhere>(&mut pool, &position, limits);
    assert_eq!(verdict.info.unwrap().reported(), Reported::Mate(2));
    assert_eq!(position.uci(verdict.best.unwrap()), "h6h7");
}

#[test]
fn a_root_without_moves_has_an_empty_verdict() {
    let mut pool = Pool::new(2, 1).unwrap();
    let mate = Position::from_fen("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3").unwrap();
    let recorder = go(&mut pool, &mate, depth(3));
    pool.wait();
    assert_eq!(recorder.heard.lock().verdicts, [Verdict::default()]);
}

#[test]
fn serial_is_reproducible_to_the_node() {
    let mut pool = Pool::new(2, 1).unwrap();
    pool.scheme = Scheme::Serial;
    let counts: Vec<u64> = (0..3)
        .map(|_| {
            pool.new_game();
            go(&mut pool, &middle_game(), depth(6));
            pool.wait();
            pool.nodes()
        })
        .collect();
    assert!(counts.iter().all(|&count| count == counts[0] && count > 1000), "{counts:?}");
}

#[test]
fn only_the_moves_asked_for_are_searched() {
    let position = middle_game();
    let mut pool = Pool::new(2, 1).unwrap();
    let wanted: Vec<_> = ["a2a3", "e1g1"].map(|text| position.parse_uci(text).unwrap()).into();
    let recorder = go(&mut pool, &position, Limits { search_moves: wanted.clone(), ..depth(4) });
    pool.wait();
    recorder.verdict_of(&position);
    assert!(recorder.heard.lock().lines.iter().all(|info| wanted.contains(&info.pv[0])));
}
