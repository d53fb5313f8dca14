//! One search in the hands of the pool: what its threads share, which of them are done, and the verdict.

use crate::pace::{Held, PROGRESS, Pace};
use crate::pool::accounts::{Accounts, Tally};
use crate::pool::link::{Elsewhere, Link};
use crate::pool::thread::{Account, SharedState};
use crate::pool::vote;
use crate::schemes::Scheme;
use crate::schemes::rules::RuleSet;
use crate::sync::{Condvar, Mutex};
use chess::Move;
use engine::iterate::{ThreadResult, lines};
use engine::shared::Shared;
use engine::tt::table_key;
use engine::worker::Task;
use std::sync::Arc;
use std::time::{Duration, Instant};
use thinking::report::{Info, Observer, Verdict};
use thinking::score::INFINITE;

#[cfg(all(test, feature = "shuttle"))]
mod models;

/// What the threads of a search have handed in.
struct Progress {
    /// Threads still at work.
    working: usize,
    results: Vec<ThreadResult>,
    by_thread: Vec<Account>,
    /// What the search cost, once it is over.
    accounts: Option<Accounts>,
    /// The caller has asked for a stop (a limit that is met does not count).
    stop_requested: bool,
    /// What the other pools of a cluster have found, once they have said so.
    elsewhere: Option<Vec<ThreadResult>>,
    /// The verdict has been delivered.
    over: bool,
}

/// A search under way.
pub(crate) struct Job {
    pub(crate) state: SharedState,
    /// The cluster that takes part in it.
    link: Option<Arc<dyn Link>>,
    pub(crate) shared: Shared,
    pub(crate) task: Task,
    pub(crate) observer: Arc<Reporter>,
    progress: Mutex<Progress>,
    /// Signalled when the last thread is done, when the caller asks for a stop, at a ponder hit, and when the other
    /// pools of a cluster have said what they found.
    pub(crate) changed: Condvar,
}

impl Job {
    /// A search by a scheme under the rules, as part of a cluster's if there is a link to one; a team of
    /// [`Scheme::Hybrid`] has at most `team` threads, without it as many as is usual.
    pub(crate) fn new<R: RuleSet>(
        scheme: Scheme,
        team: Option<usize>,
        shared: Shared,
        task: Task,
        observer: Arc<dyn Observer>,
        link: Option<Arc<dyn Link>>,
    ) -> Self {
        let threads = shared.threads();
        Job {
            state: SharedState::new::<R>(scheme, threads, team, link.is_some()),
            shared,
            task,
            observer: Arc::new(Reporter { observer, link: link.clone(), last: Mutex::new(None) }),
            link,
            progress: Mutex::new(Progress {
                working: threads,
                results: vec![ThreadResult::default(); threads],
                by_thread: vec![Account::default(); threads],
                accounts: None,
                stop_requested: false,
                elsewhere: None,
                over: false,
            }),
            changed: Condvar::new(),
        }
    }

    /// The number of this pool among those of the cluster, from 0.
    pub(crate) fn rank(&self) -> usize {
        self.link.as_ref().map_or(0, |link| link.rank())
    }

    /// Nodes of all threads, those of the cluster included.
    pub(crate) fn nodes(&self) -> u64 {
        self.shared.nodes() + self.observer.elsewhere().nodes
    }

    /// Tells all threads to stop and wakes the one that waits for that.
    pub(crate) fn stop(&self) {
        // Under the lock, so that a thread about to wait cannot miss it.
        let mut progress = self.progress.lock();
        progress.stop_requested = true;
        self.shared.stop();
        self.changed.notify_all();
    }

    /// Our own clock has run since this moment.
    pub(crate) fn ponderhit(&self, at: Instant) {
        let _progress = self.progress.lock();
        self.shared.ponderhit(at);
        self.changed.notify_all();
    }

    /// Blocks until the verdict has been delivered.
    pub(crate) fn wait(&self) {
        let mut progress = self.progress.lock();
        while !progress.over {
            self.changed.wait(&mut progress);
        }
    }

    pub(crate) fn is_over(&self) -> bool {
        self.progress.lock().over
    }

    /// Does it wait for leave to answer, with nothing left to search?
    pub(crate) fn waits_for_leave(&self) -> bool {
        let stop_requested = self.progress.lock().stop_requested;
        !stop_requested && self.shared.stopped() && (self.shared.limits.infinite || self.shared.pondering())
    }

    /// What the search cost; `None` while it runs.
    pub(crate) fn accounts(&self) -> Option<Accounts> {
        self.progress.lock().accounts.clone()
    }

    /// A thread hands in its result, and what it did.
    pub(crate) fn hand_in(&self, thread: usize, result: ThreadResult, account: Account) {
        let mut progress = self.progress.lock();
        progress.results[thread] = result;
        progress.by_thread[thread] = account;
        progress.working -= 1;
        if progress.working == 0 {
            self.changed.notify_all();
        }
    }

    /// The other pools of the cluster have found this.
    pub(crate) fn gathered(&self, results: Vec<ThreadResult>) {
        self.progress.lock().elsewhere = Some(results);
        self.changed.notify_all();
    }

    /// Thread 0 brings the search to its end: stops the others, waits for leave to answer, and delivers the verdict.
    pub(crate) fn conclude<P: Pace>(&self, pace: &P) {
        // What the others may still find is not reported any more.
        self.shared.stop();
        let ended = self.shared.elapsed();
        let mut progress = Held::of(&self.progress, pace, PROGRESS);
        // An infinite or pondering search must not answer before `stop`, even with nothing left to search.
        while !progress.stop_requested && (self.shared.limits.infinite || self.shared.pondering()) {
            progress.wait(&self.changed);
        }
        while progress.working > 0 {
            progress.wait(&self.changed);
        }
        let mut results = std::mem::take(&mut progress.results);
        progress.accounts = Some(self.settle(&progress.by_thread));
        drop(progress);
        let elsewhere = self.gather(&results, pace);
        // They have one line each: of several lines the elected thread must know all.
        if self.shared.multipv == 1 {
            results.extend(elsewhere);
        }
        self.observer.verdict(&self.verdict(&results, ended));
        self.end();
    }

    /// The search is over: wakes the threads that wait for its end.
    pub(crate) fn end(&self) {
        self.progress.lock().over = true;
        self.changed.notify_all();
    }

    /// The search is over here. Waits for what the other pools of a cluster have found, if this one leads it.
    fn gather<P: Pace>(&self, own: &[ThreadResult], pace: &P) -> Vec<ThreadResult> {
        let Some(link) = &self.link else { return Vec::new() };
        let leads = link.over(own);
        pace.posted();
        let mut progress = Held::of(&self.progress, pace, PROGRESS);
        while leads && progress.elsewhere.is_none() {
            progress.wait(&self.changed);
        }
        progress.elsewhere.take().unwrap_or_default()
    }

    /// Adds up what the threads did.
    fn settle(&self, by_thread: &[Account]) -> Accounts {
        let time = by_thread.iter().map(|account| account.to).max().unwrap_or_default();
        let idle = |account: &Account| account.waited + account.from + (time - account.to);
        Accounts {
            time,
            nodes: (0..by_thread.len()).map(|thread| self.shared.counter(thread).get()).collect(),
            idle: by_thread.iter().map(idle).collect(),
            tally: by_thread.iter().fold(Tally::default(), |sum, account| sum + account.tally),
            traffic: None,
        }
    }

    /// The elected move, of a search that went on until `ended`. If it is not the head of the last line reported, the
    /// lines of the thread that chose it are reported first. If nodes have been searched since that line, as in an
    /// iteration that was broken off, it is reported again with all of them: programs that count nodes go by the
    /// last line.
    fn verdict(&self, results: &[ThreadResult], ended: Duration) -> Verdict {
        let elected = &results[vote::elect(results)];
        let Some(best) = elected.root.best() else { return Verdict::default() };
        let last = self.observer.last.lock().clone();
        // A thread that died knows nothing; what it had reported before is worth more than the first legal move.
        let best = match last.as_ref().and_then(|line| line.pv.first()) {
            Some(&told) if best.score.max(best.previous) == -INFINITE => told,
            _ => best.mv,
        };
        let last = last.filter(|line| line.pv.first() == Some(&best));
        let nodes = self.shared.nodes();
        match last {
            Some(line) if line.nodes >= nodes + self.observer.elsewhere().nodes => {}
            Some(line) if self.shared.multipv == 1 => {
                let (hashfull, tbhits) = (self.shared.table.hashfull(), self.shared.tablebase_hits());
                self.observer.info(&Info { nodes, time: ended, hashfull, tbhits, ..line });
            }
            _ => lines(&self.shared, &elected.root)
                .for_each(|line| self.observer.info(&Info { time: ended, ..line })),
        }
        let info = self.observer.last.lock().clone();
        // A line that begins with another move says nothing of the answer to this one.
        let of_best = info.as_ref().filter(|info| info.pv.first() == Some(&best));
        let expected = of_best.and_then(|info| info.pv.get(1).copied());
        let ponder = expected.or_else(|| self.remembered_answer(best));
        // By thread 0, which tells of every iteration when it is over. The elected thread may have finished a
        // deeper one that was never told.
        let finished = results[0].depth.max(0) as u32;
        Verdict { best: Some(best), ponder, info, finished }
    }

    /// What the table answers to a move: a line ends with it where the search was stopped before it had the rest.
    fn remembered_answer(&self, best: Move) -> Option<Move> {
        let next = self.task.position.after(best);
        self.shared.table.probe(table_key(&next))?.mv.filter(|&mv| next.is_legal(mv))
    }
}

/// Passes everything on to the caller's observer, with what the cluster did, and remembers the last best line.
pub(crate) struct Reporter {
    observer: Arc<dyn Observer>,
    link: Option<Arc<dyn Link>>,
    last: Mutex<Option<Info>>,
}

impl Reporter {
    fn elsewhere(&self) -> Elsewhere {
        self.link.as_ref().map_or_else(Elsewhere::default, |link| link.elsewhere())
    }
}

impl Observer for Reporter {
    fn info(&self, info: &Info) {
        let Elsewhere { nodes, tablebase_hits } = self.elsewhere();
        let info = Info { nodes: info.nodes + nodes, tbhits: info.tbhits + tablebase_hits, ..info.clone() };
        if info.multipv == 1 {
            *self.last.lock() = Some(info.clone());
        }
        self.observer.info(&info);
    }

    fn root_move(&self, depth: u32, current: Move, index: usize, total: usize) {
        self.observer.root_move(depth, current, index, total);
    }

    fn verdict(&self, verdict: &Verdict) {
        self.observer.verdict(verdict);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pace::Real;
    use crate::pace::tests::Scripted;
    use crate::pool::link::tests::Others;
    use crate::schemes::rules::Usual;
    use crate::simulation::Recorder;
    use chess::Game;
    use engine::root::Root;
    use engine::shared::Stopwatch;
    use engine::tt::{Entry, Table};
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
    use thinking::report::{Bound, Limits, Silent};

    fn result(task: &Task, mv: Move) -> ThreadResult {
        let mut root = Root::new(&task.position, &[mv]);
        (root.moves[0].score, root.depth) = (20, 5);
        ThreadResult { depth: 5, root }
    }

    /// A search by so many threads that tells nothing.
    fn silent(task: &Task, threads: usize) -> Job {
        let table = Arc::new(Table::new(0).expect("a small table"));
        let shared = Shared::new(table, Limits::default(), 1, threads);
        Job::new::<Usual>(Scheme::Lazy, None, shared, task.clone(), Arc::new(Silent), None)
    }

    /// Whichever thread it is that makes the majority.
    #[test]
    fn every_thread_has_a_vote() {
        let task = Task::from(&Game::default());
        let moves = ["e2e4", "d2d4"].map(|text| task.position.parse_uci(text).expect("a legal move"));
        for lonely in 0..3 {
            let job = silent(&task, 3);
            for thread in 0..3 {
                job.hand_in(thread, result(&task, moves[usize::from(thread != lonely)]), Account::default());
            }
            let results = job.progress.lock().results.clone();
            assert_eq!(
                job.verdict(&results, Duration::ZERO).best,
                Some(moves[1]),
                "all but thread {lonely} chose it"
            );
        }
    }

    /// Thread 0 has told of five plies. Of the seven that the elected thread has finished the caller has heard nothing.
    #[test]
    fn what_the_elected_thread_did_not_tell_is_not_finished() {
        let task = Task::from(&Game::default());
        let moves = ["e2e4", "d2d4"].map(|text| task.position.parse_uci(text).expect("a legal move"));
        let job = silent(&task, 2);
        let mut deeper = result(&task, moves[1]);
        (deeper.depth, deeper.root.depth, deeper.root.moves[0].score) = (7, 7, 30);
        let verdict = job.verdict(&[result(&task, moves[0]), deeper], Duration::ZERO);
        assert_eq!((verdict.best, verdict.finished), (Some(moves[1]), 5));
    }

    /// By hand, of ten seconds: the first thread began after one of them and waited for two, the second waited for one
    /// and had nothing to do for the last four.
    #[test]
    fn who_begins_later_or_ends_earlier_is_idle() {
        let task = Task::from(&Game::default());
        let mv = task.position.parse_uci("e2e4").expect("a legal move");
        let job = silent(&task, 2);
        for (thread, seconds) in [[1, 10, 2], [0, 6, 1]].into_iter().enumerate() {
            let [from, to, waited] = seconds.map(Duration::from_secs);
            job.hand_in(thread, result(&task, mv), Account { tally: Tally::default(), from, to, waited });
        }
        job.conclude(&Real);
        let Accounts { time, idle, .. } = job.accounts().expect("it is over");
        assert_eq!((time, idle), (Duration::from_secs(10), [3, 5].map(Duration::from_secs).to_vec()));
    }

    /// Thread 0 alone finds that there has been time enough.
    #[test]
    fn the_end_of_the_first_thread_is_that_of_all() {
        let task = Task::from(&Game::default());
        let mv = task.position.parse_uci("e2e4").expect("a legal move");
        let job = silent(&task, 2);
        let the_other_ends = |_: &Condvar| {
            assert!(job.shared.stopped(), "the other would search on");
            job.hand_in(1, result(&task, mv), Account::default());
        };
        job.hand_in(0, result(&task, mv), Account::default());
        job.conclude(&Scripted { before_touch: &|_, _| {}, while_waiting: &the_other_ends });
        assert!(job.is_over());
    }

    /// A search has seen everything after five milliseconds, and its caller asks for the answer after an hour.
    #[test]
    fn the_time_of_a_search_does_not_grow_while_it_waits_for_leave_to_answer() {
        let task = Task::from(&Game::default());
        let mv = task.position.parse_uci("e2e4").expect("a legal move");
        let table = Arc::new(Table::new(0).expect("a small table"));
        let now = Arc::new(AtomicU64::new(5_000_000));
        let limits = Limits { infinite: true, ..Limits::default() };
        let shared = Shared::timed_by(Stopwatch::Simulated(Arc::clone(&now)), table, limits, 1, 1);
        let seen = Arc::new(Recorder::default());
        let job = Job::new::<Usual>(Scheme::Lazy, None, shared, task.clone(), seen.clone(), None);
        let an_hour_later = |_: &Condvar| {
            now.store(3_600_000_000_000, Relaxed);
            job.stop();
        };
        job.hand_in(0, result(&task, mv), Account::default());
        job.conclude(&Scripted { before_touch: &|_, _| {}, while_waiting: &an_hour_later });
        let (told, verdict) = seen.take();
        assert_eq!(told.iter().map(|line| line.time).collect::<Vec<_>>(), [Duration::from_millis(5)]);
        assert_eq!(verdict.best, Some(mv));
    }

    /// Keeps the rank, the depth and the head of each line that reaches the caller.
    #[derive(Default)]
    struct Lines(Mutex<Vec<(usize, u32, Move)>>);

    impl Observer for Lines {
        fn info(&self, info: &Info) {
            self.0.lock().push((info.multipv, info.depth, info.pv[0]));
        }
    }

    /// What is played is the head of the last line reported, and what it expects is that line's second move.
    #[test]
    fn the_last_line_is_that_of_the_elected_move() {
        let task = Task::from(&Game::default());
        let moves = |texts: [&str; 2]| {
            let mut game = Game::default();
            texts.map(|text| {
                let mv = game.position().parse_uci(text).expect("a legal move");
                game.play(mv).expect("a game that goes on");
                mv
            })
        };
        let (chosen, other) = (moves(["e2e4", "e7e5"]), moves(["d2d4", "d7d5"]));
        for (reported, ponder, count) in [(chosen, Some(chosen[1]), 1), (other, None, 2)] {
            let table = Arc::new(Table::new(0).expect("a small table"));
            let shared = Shared::new(table, Limits::default(), 1, 1);
            let seen = Arc::new(Lines::default());
            let job = Job::new::<Usual>(Scheme::Lazy, None, shared, task.clone(), seen.clone(), None);
            let elected = result(&task, chosen[0]);
            let line = lines(&job.shared, &elected.root).next().expect("a move with a score");
            job.observer.info(&Info { pv: reported.to_vec(), ..line });
            let verdict = job.verdict(&[elected], Duration::ZERO);
            assert_eq!((verdict.best, verdict.ponder), (Some(chosen[0]), ponder));
            assert_eq!(verdict.info.expect("a line").pv[0], chosen[0]);
            assert_eq!(seen.0.lock().len(), count, "reported anew only if it was not the last line");
        }
    }

    /// Where the line ends with the move that is played, the table has the answer to it, if it is a legal one.
    #[test]
    fn the_table_knows_what_to_ponder_on() {
        let task = Task::from(&Game::default());
        let best = task.position.parse_uci("e2e4").expect("a legal move");
        let next = task.position.after(best);
        let answer = next.parse_uci("e7e5").expect("a legal move");
        for (stored, ponder) in [(answer, Some(answer)), (best, None)] {
            let table = Arc::new(Table::new(1).expect("a small table"));
            let entry =
                Entry { mv: Some(stored), score: 0, eval: None, depth: 5, bound: Bound::Exact, pv: true };
            table.store(table_key(&next), entry);
            let shared = Shared::new(table, Limits::default(), 1, 1);
            let job = Job::new::<Usual>(Scheme::Lazy, None, shared, task.clone(), Arc::new(Silent), None);
            assert_eq!(job.verdict(&[result(&task, best)], Duration::ZERO).ponder, ponder);
        }
    }

    /// Nodes and hits of the tablebase since the last line are told at the end, with the line as it was, also where
    /// other pools of a cluster have done more than this one.
    #[test]
    fn the_last_line_has_all_nodes() {
        let task = Task::from(&Game::default());
        let mv = task.position.parse_uci("e2e4").expect("a legal move");
        for (after, elsewhere) in [(0, 0), (77, 0), (0, 1000), (77, 1000)] {
            let table = Arc::new(Table::new(0).expect("a small table"));
            let shared = Shared::new(table, Limits::default(), 1, 1);
            let seen = Arc::new(Lines::default());
            let others = Arc::new(Others(Elsewhere { nodes: elsewhere, tablebase_hits: elsewhere }));
            let job = Job::new::<Usual>(Scheme::Lazy, None, shared, task.clone(), seen.clone(), Some(others));
            job.shared.counter(0).set(100);
            job.shared.tablebase_hit_counter(0).set(3);
            let elected = result(&task, mv);
            lines(&job.shared, &elected.root).for_each(|line| job.observer.info(&line));
            job.shared.counter(0).set(100 + after);
            job.shared.tablebase_hit_counter(0).set(3 + after);
            let told = job.verdict(&[elected], Duration::from_millis(5)).info.expect("a line");
            assert_eq!((told.nodes, told.tbhits), (100 + after + elsewhere, 3 + after + elsewhere));
            assert_eq!((told.depth, told.pv), (5, vec![mv]));
            assert_eq!(seen.0.lock().len(), 1 + usize::from(after > 0), "told again only if there is news");
            assert!(after == 0 || told.time == Duration::from_millis(5));
        }
    }

    /// What the other pools of a cluster have done comes on top, more or less than this one's.
    #[test]
    fn a_line_counts_what_the_whole_cluster_did() {
        let task = Task::from(&Game::default());
        let mv = task.position.parse_uci("e2e4").expect("a legal move");
        let table = Arc::new(Table::new(0).expect("a small table"));
        let shared = Shared::new(table, Limits::default(), 1, 1);
        let seen = Arc::new(Recorder::default());
        let others = Arc::new(Others(Elsewhere { nodes: 7, tablebase_hits: 5 }));
        let job = Job::new::<Usual>(Scheme::Lazy, None, shared, task.clone(), seen.clone(), Some(others));
        let line = lines(&job.shared, &result(&task, mv).root).next().expect("a move with a score");
        job.observer.info(&Info { nodes: 100, tbhits: 3, ..line });
        let (told, _) = seen.take();
        assert_eq!((told[0].nodes, told[0].tbhits), (100 + 7, 3 + 5));
    }

    /// Of a thread that has died nothing is left but the moves in their order: what was told before is played.
    #[test]
    fn what_was_told_stands_for_a_thread_that_died() {
        let task = Task::from(&Game::default());
        let mv = task.position.parse_uci("e2e4").expect("a legal move");
        let job = silent(&task, 1);
        lines(&job.shared, &result(&task, mv).root).for_each(|line| job.observer.info(&line));
        let dead = ThreadResult { depth: 0, root: Root::new(&task.position, &[]) };
        assert_ne!(dead.root.best().map(|best| best.mv), Some(mv));
        assert_eq!(job.verdict(&[dead], Duration::ZERO).best, Some(mv));
    }

    /// With several lines the elected thread's take the place of all those reported before, with the depth of the
    /// iteration that was aborted, or of the one before where it had not come to them; moves without a score are left
    /// out.
    #[test]
    fn the_last_lines_are_those_of_the_elected_thread() {
        let task = Task::from(&Game::default());
        let moves = ["e2e4", "d2d4", "c2c4"].map(|text| task.position.parse_uci(text).expect("a legal move"));
        for (scored, ranks) in [(3, 3), (2, 2)] {
            let table = Arc::new(Table::new(0).expect("a small table"));
            let shared = Shared::new(table, Limits::default(), 3, 2);
            let seen = Arc::new(Lines::default());
            let job = Job::new::<Usual>(Scheme::Lazy, None, shared, task.clone(), seen.clone(), None);
            let mut elected = ThreadResult { depth: 6, root: Root::new(&task.position, &moves) };
            elected.root.moves.sort_by_key(|root_move| moves.iter().position(|&mv| mv == root_move.mv));
            (elected.root.depth, elected.root.previous_depth) = (9, 6);
            elected.root.moves[0].score = 30;
            (1..scored).for_each(|place| elected.root.moves[place].previous = 30 - place as i32);
            let other = result(&task, moves[1]);
            lines(&job.shared, &other.root).for_each(|line| job.observer.info(&line));
            let verdict = job.verdict(&[elected, other], Duration::ZERO);
            assert_eq!(verdict.finished, 6, "what is told of the ninth is not the whole of it");
            assert_eq!((verdict.best, verdict.info.expect("a line").multipv), (Some(moves[0]), 1));
            let said = std::mem::take(&mut *seen.0.lock());
            assert_eq!(said[1..], [(1, 9, moves[0]), (2, 6, moves[1]), (3, 6, moves[2])][..ranks]);
        }
    }

    /// With several lines all are told again if there is news, not only the first.
    #[test]
    fn the_last_lines_have_all_nodes() {
        let task = Task::from(&Game::default());
        let moves = ["e2e4", "d2d4", "c2c4"].map(|text| task.position.parse_uci(text).expect("a legal move"));
        let table = Arc::new(Table::new(0).expect("a small table"));
        let shared = Shared::new(table, Limits::default(), 3, 1);
        let seen = Arc::new(Recorder::default());
        let job = Job::new::<Usual>(Scheme::Lazy, None, shared, task.clone(), seen.clone(), None);
        let mut elected = ThreadResult { depth: 6, root: Root::new(&task.position, &moves) };
        elected.root.depth = 6;
        for (root_move, score) in elected.root.moves.iter_mut().zip([30, 20, 10]) {
            root_move.score = score;
        }
        lines(&job.shared, &elected.root).for_each(|line| job.observer.info(&line));
        job.shared.counter(0).set(77);
        job.verdict(&[elected], Duration::ZERO);
        let (told, _) = seen.take();
        let told: Vec<_> = told.iter().map(|line| (line.multipv, line.score, line.nodes)).collect();
        assert_eq!(told, [(1, 30, 0), (2, 20, 0), (3, 10, 0), (1, 30, 77), (2, 20, 77), (3, 10, 77)]);
    }
}
