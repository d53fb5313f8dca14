//! The pool as a protocol session sees it: options, and what is decided before or after a search.
//!
//! Before a search the book may know the move and the tablebases may know which moves keep the result, and
//! where they do not yet know the root, the search gets them to ask on its way; after a search of a player
//! who was asked to be weak the move is drawn from the better ones. The search itself knows of none of this:
//! it gets its moves and limits, something that knows endings, and an observer between it and the session.

mod book;
mod explain;
pub mod network;
mod params;
mod simulated;
mod tables;
mod weakness;

use book::OwnBook;
use chess::{Move, Position};
use engine::drivers::Driver;
use engine::worker;
pub use explain::evaluation;
use network::Evaluation;
use protocol::brain::{Brain, Chore, DEFAULT_HASH_MIB, DEFAULT_THREADS, Task};
use protocol::option::{OptionSpec, Value};
pub use simulated::SimulatedBrain;
use smp::pool::{Pool, PoolError};
use smp::schemes::Scheme;
use std::sync::Arc;
use std::time::Instant;
use sys::topology::Topology;
use tables::Tables;
use thinking::report::{Observer, Verdict};
use weakness::Weakness;

/// The engine behind a session.
pub struct PoolBrain {
    pool: Pool,
    hash: usize,
    book: OwnBook,
    /// Did the book answer last, without a search?
    from_book: bool,
    tables: Tables,
    weakness: Weakness,
    evaluation: Evaluation,
    /// Are the threads bound?
    bound: bool,
}

impl PoolBrain {
    /// The engine as a session expects to find it.
    pub fn new() -> Result<Self, PoolError> {
        Ok(PoolBrain {
            pool: Pool::new(DEFAULT_THREADS, DEFAULT_HASH_MIB)?,
            hash: DEFAULT_HASH_MIB,
            book: OwnBook::default(),
            from_book: false,
            tables: Tables::default(),
            weakness: Weakness::default(),
            evaluation: Evaluation::default(),
            bound: false,
        })
    }
}

#[cfg(feature = "mpi")]
impl PoolBrain {
    /// The pool, ready for a search that another rank has begun.
    pub fn pool_for_search(&mut self) -> &mut Pool {
        self.pool.tablebase = self.tables.for_search();
        &mut self.pool
    }

    /// Size of the hash table, in MiB.
    pub fn hash(&self) -> usize {
        self.hash
    }

    /// Is this an option of which part may be taken though there is an error?
    pub fn takes_in_part(name: &str) -> bool {
        name.eq_ignore_ascii_case(tables::PATH)
    }

    /// Does this option bear on the search itself, and not only on what rank 0 makes of it?
    pub fn concerns_search(&self, name: &str) -> bool {
        let others = book::options().into_iter().chain(weakness::options());
        others.into_iter().all(|option| !option.name.eq_ignore_ascii_case(name))
    }
}

const SCHEME: &str = "Scheme";
pub(crate) const DRIVER: &str = "Driver";
const BIND: &str = "Bind";

impl Brain for PoolBrain {
    fn go(&mut self, mut task: Task, mut observer: Arc<dyn Observer>) {
        // A book is for playing: an analysis, several lines, a mate to find or moves to choose from want a search.
        let limits = &task.limits;
        let looks = task.analysis
            || task.multipv > 1
            || limits.ponder
            || limits.mate.is_some()
            || !limits.search_moves.is_empty();
        let from_book = if looks { None } else { self.book.choose(task.game.position()) };
        self.from_book = from_book.is_some();
        if let Some(mv) = from_book {
            observer.verdict(&Verdict { best: Some(mv), ..Verdict::default() });
            return;
        }
        self.pool.tablebase = None;
        // Who is to err may err in the ending; an analysis is not weakened.
        if !self.weakness.is_on() || task.analysis {
            // Several lines are asked for to compare moves, bad ones included.
            let known = if task.multipv == 1 { self.tables.look_up(&task) } else { None };
            if known.as_ref().is_none_or(|known| known.asks) {
                self.pool.tablebase = self.tables.for_search();
            }
            if let Some(known) = known {
                task.limits.search_moves.clone_from(&known.moves);
                observer = Arc::new(tables::Informed::new(observer, known));
            }
        }
        let (joint, scheme) = (self.pool.joint.clone(), self.pool.scheme);
        if !task.analysis {
            observer = self.weakness.weaken(&mut task, observer);
            if self.weakness.is_on() {
                // A rating is that of so many nodes of one thread: each of several ranks or threads would see far
                // less by its share of them.
                (self.pool.joint, self.pool.scheme) = (None, Scheme::Serial);
            }
        }
        self.pool.go(worker::Task::from(&task.game), task.limits, task.multipv, observer);
        (self.pool.joint, self.pool.scheme) = (joint, scheme);
    }

    fn stop(&mut self) {
        self.pool.stop();
    }

    fn ponderhit(&mut self, at: Instant) {
        self.pool.ponderhit(at);
    }

    fn nodes(&self) -> u64 {
        if self.from_book { 0 } else { self.pool.nodes() }
    }

    fn new_game(&mut self) {
        self.pool.new_game();
    }

    fn set_threads(&mut self, threads: usize) -> Result<usize, String> {
        let threads = match threads {
            0 => Topology::detect().recommended_threads().threads,
            some => some,
        };
        self.pool.set_threads(threads).map_err(|error| error.to_string())?;
        if self.bound {
            // Other ranks of this machine make room for as many.
            self.bind(true);
        }
        Ok(self.pool.threads())
    }

    fn searching_threads(&self, analysis: bool) -> usize {
        let weak = self.weakness.is_on() && !analysis;
        if weak { 1 } else { self.pool.scheme.searching(self.pool.threads()) }
    }

    fn set_hash(&mut self, mib: usize) -> Result<(), String> {
        if mib != self.hash {
            self.pool.set_hash(mib).map_err(|error| error.to_string())?;
            self.hash = mib;
        }
        Ok(())
    }

    fn clear_hash(&mut self) {
        self.pool.clear_table();
    }

    fn options(&self) -> Vec<OptionSpec> {
        let mut options = vec![scheme_option(), driver_option(), OptionSpec::check(BIND, false)];
        options.extend(tables::options());
        options.extend(book::options());
        options.extend(weakness::options());
        options.extend(network::options());
        options.extend(params::options());
        options
    }

    fn set_option(&mut self, name: &str, value: &Value) -> Result<(), String> {
        self.change(name, value).1
    }

    fn book(&self, position: &Position) -> Vec<(Move, u32)> {
        self.book.moves(position)
    }

    fn evaluate(&self, position: &Position) -> String {
        evaluation(position, self.evaluation.network().as_deref())
    }

    fn bench(&self) -> Chore {
        signature()
    }
}

impl PoolBrain {
    /// Sets an option as [`Brain::set_option`] does, and says whether anything has changed: part of a value with an
    /// error may be taken.
    pub fn change(&mut self, name: &str, value: &Value) -> (bool, Result<(), String>) {
        if let Some(taken) = self.tables.set(name, value) {
            if taken.has_changed() {
                // What other tables said, or these under another rule, must not be remembered.
                self.pool.clear_table();
            }
            return (taken.has_changed(), taken.told());
        }
        let done = self.set_whole(name, value);
        (done.is_ok(), done)
    }

    /// Binds the threads to their places, or lets them run anywhere.
    fn bind(&mut self, on: bool) {
        self.bound = on;
        self.pool.bind(if on { sys::ranks::thread_places(self.pool.threads()) } else { Vec::new() });
    }

    /// Sets an option that is taken whole or not at all.
    fn set_whole(&mut self, name: &str, value: &Value) -> Result<(), String> {
        if let (BIND, &Value::Check(on)) = (name, value) {
            self.bind(on);
            return Ok(());
        }
        let taken = set_way(&mut self.pool.scheme, &mut self.pool.driver, name, value)
            .or_else(|| self.book.set(name, value))
            .or_else(|| self.weakness.set(name, value))
            .or_else(|| {
                let before = self.evaluation.network();
                let taken = self.evaluation.set(name, value)?;
                let now = self.evaluation.network();
                // The same evaluation again costs nothing that was learnt.
                if !network::is_same(before.as_deref(), now.as_deref()) {
                    self.pool.set_network(now);
                }
                Some(taken)
            })
            .or_else(|| params::set(&mut self.pool.params, name, value));
        taken.unwrap_or_else(|| Err(format!("no option {name}")))
    }
}

/// Refuses, before it is opened, a path that exists and is not a regular file: opening a pipe waits for its
/// writer, and the session would wait as well.
fn expect_file(what: &str, path: &str) -> Result<(), String> {
    let other = std::fs::metadata(path).is_ok_and(|about| !about.is_file());
    if other { Err(format!("{what} {path} is not a regular file")) } else { Ok(()) }
}

/// How the threads search together: the default first.
fn scheme_option() -> OptionSpec {
    let mut names = vec![Scheme::default().name()];
    names.extend(Scheme::ALL.map(Scheme::name).into_iter().filter(|&name| name != Scheme::default().name()));
    OptionSpec::combo(SCHEME, &names)
}

/// With which windows the root is searched.
fn driver_option() -> OptionSpec {
    OptionSpec::combo(DRIVER, &Driver::ALL.map(Driver::name))
}

/// Sets one of these two; `None` if the option is another.
fn set_way(
    scheme: &mut Scheme,
    driver: &mut Driver,
    name: &str,
    value: &Value,
) -> Option<Result<(), String>> {
    let Value::Text(text) = value else { return None };
    Some(match name {
        SCHEME => text.parse::<Scheme>().map(|known| *scheme = known).map_err(|error| error.to_string()),
        DRIVER => text.parse::<Driver>().map(|known| *driver = known).map_err(|error| error.to_string()),
        _ => return None,
    })
}

/// The signature run, as a session's chore.
fn signature() -> Chore {
    Box::new(|line| match bench::signature::run(bench::signature::DEPTH, |_, _| {}) {
        Ok(signature) => line(format!("{} nodes {} nps", signature.nodes, signature.nps())),
        Err(error) => line(error.to_string()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess::{Game, Outcome};
    use engine::tt::{Entry, table_key};
    use smp::pool::Search;
    use smp::pool::link::Joint;
    use std::collections::BTreeSet;
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
    use thinking::report::{Bound, Info, Limits, Silent};

    use super::tables::tests::{FOLDER as TABLES, folder_without};

    /// An engine with the tables of three men.
    fn with_tables() -> PoolBrain {
        let mut brain = PoolBrain::new().expect("a small table");
        assert_eq!(brain.set_option("SyzygyPath", &Value::Text(TABLES.into())), Ok(()));
        brain
    }

    fn game_from(fen: &str) -> Game {
        Game::new(Position::from_fen(fen).expect("a legal FEN"))
    }

    #[test]
    fn chances_of_winning_are_those_of_the_embedded_network() {
        let embedded = crate::provenance::fingerprint(&nnue::Network::embedded());
        assert_eq!(embedded, protocol::wdl::FITTED_WITH, "fit them again (docs/network.md)");
    }

    /// Clients send all options again before an analysis; what has been searched is worth keeping.
    #[test]
    fn an_option_that_changes_nothing_forgets_nothing() {
        let mut brain = PoolBrain::new().expect("a small table");
        let start = Position::startpos();
        let entry = Entry { mv: None, score: 12, eval: None, depth: 5, bound: Bound::Exact, pv: true };
        let remember = |brain: &PoolBrain| brain.pool.table().store(table_key(&start), entry);
        let remembers = |brain: &PoolBrain| brain.pool.table().probe(table_key(&start)).is_some();
        let text = |text: &str| Value::Text(text.into());
        assert_eq!(brain.set_option("SyzygyPath", &text(TABLES)), Ok(()));
        remember(&brain);
        for (name, value) in [
            ("SyzygyPath", text(TABLES)),
            ("SyzygyProbeDepth", Value::Spin(1)),
            ("SyzygyProbeLimit", Value::Spin(7)),
            ("Syzygy50MoveRule", Value::Check(true)),
            ("EvalFile", text("")),
            ("Eval", text("network")),
        ] {
            assert_eq!(brain.set_option(name, &value), Ok(()));
            assert!(remembers(&brain), "{name}");
        }
        // The same tables, and a folder that is as missing as before.
        let part = text(&format!("{TABLES};{TABLES}/none"));
        let is_told = |brain: &mut PoolBrain| {
            brain.set_option("SyzygyPath", &part).is_err_and(|why| why.contains("none"))
        };
        assert!(is_told(&mut brain));
        remember(&brain);
        assert!(is_told(&mut brain) && remembers(&brain), "a path of which a part is missing");
        for (name, value) in [("SyzygyProbeDepth", Value::Spin(2)), ("Eval", text("classic"))] {
            remember(&brain);
            assert_eq!(brain.set_option(name, &value), Ok(()));
            assert!(!remembers(&brain), "{name}");
        }
    }

    /// Keeps the ranks of all lines that are told.
    #[derive(Default)]
    struct Ranks(Mutex<BTreeSet<usize>>);

    impl Observer for Ranks {
        fn info(&self, info: &Info) {
            self.0.lock().unwrap().insert(info.multipv);
        }
    }

    /// Only two of the four moves win; who asks for several lines wants to compare them with the others.
    #[test]
    fn tables_leave_all_moves_to_several_lines() {
        let mut brain = with_tables();
        let game = game_from("4k3/8/4K3/4P3/8/8/8/8 w - - 0 1");
        let limits = Limits { depth: Some(2), ..Limits::default() };
        let told = Arc::new(Ranks::default());
        brain.go(Task { game, limits, multipv: 3, analysis: false }, told.clone());
        brain.pool.wait();
        assert_eq!(*told.0.lock().unwrap(), BTreeSet::from([1, 2, 3]));
    }

    /// With one man more than the tables have, the search may meet what they know. A search of a root that they know
    /// does without, and so does a weak player.
    #[test]
    fn only_a_strong_search_of_an_unknown_root_asks_the_tables() {
        let mut brain = with_tables();
        let [three, four] = ["4k3/8/4K3/4P3/8/8/8/8 w - - 0 1", "8/8/8/3k4/8/8/1K1p4/3R4 w - - 0 1"];
        for (fen, weak, analysis, asks) in [
            (four, false, false, true),
            (three, false, false, false),
            (four, false, true, true),
            (four, true, false, false),
            (four, true, true, true),
        ] {
            assert_eq!(brain.set_option("UCI_LimitStrength", &Value::Check(weak)), Ok(()));
            let limits = Limits { depth: Some(1), ..Limits::default() };
            brain.go(Task { game: game_from(fen), limits, multipv: 1, analysis }, Arc::new(Silent));
            brain.pool.wait();
            assert_eq!(brain.pool.tablebase.is_some(), asks, "{fen}, weak: {weak}, analysis: {analysis}");
        }
    }

    /// Keeps the move of the verdict.
    #[derive(Default)]
    struct Heard(Mutex<Option<Move>>);

    impl Observer for Heard {
        fn verdict(&self, verdict: &Verdict) {
            *self.0.lock().unwrap() = verdict.best;
        }
    }

    /// The side with the pawn is kept to moves that win; both sides ask the tables for the way while a distance is
    /// missing.
    #[test]
    fn a_win_whose_distance_is_not_known_is_made() {
        let folder = folder_without(".rtbz");
        let path = folder.path().to_str().expect("a plain path").to_owned();
        let mut brain = PoolBrain::new().expect("a small table");
        assert_eq!(brain.set_option("SyzygyPath", &Value::Text(path)), Ok(()));
        let mut game = game_from("4k3/8/4K3/4P3/8/8/8/8 w - - 0 1");
        let mut asked = 0;
        while game.outcome().is_none() {
            let limits = Limits { depth: Some(6), ..Limits::default() };
            let heard = Arc::new(Heard::default());
            brain.go(Task { game: game.clone(), limits, multipv: 1, analysis: false }, heard.clone());
            brain.pool.wait();
            asked += usize::from(brain.pool.tablebase.is_some());
            let best = heard.0.lock().unwrap().expect("the game goes on");
            game.play(best).expect("it is legal");
        }
        let won = matches!(game.outcome(), Some(Outcome::Checkmate { .. }));
        assert!(won, "{:?} after {} plies: {}", game.outcome(), game.moves().len(), game.position());
        assert!(asked > 0, "distances are missing");
    }

    #[test]
    fn the_pool_has_the_threads_that_were_asked_for() {
        let mut brain = PoolBrain::new().expect("a small table");
        for threads in [3, 1, 2] {
            assert_eq!(brain.set_threads(threads), Ok(threads));
            assert_eq!(brain.pool.threads(), threads);
        }
    }

    /// Only a build for tuners takes the numbers of the search, and its searches go by them.
    #[test]
    fn the_numbers_of_the_search_are_options_of_a_build_for_tuners() {
        use engine::params::Params;
        let mut brain = PoolBrain::new().expect("a small table");
        for param in Params::ALL {
            let taken = brain.set_option(param.name, &Value::Spin(param.max.into()));
            assert_eq!(taken.is_ok(), cfg!(feature = "tuning"), "{}: {taken:?}", param.name);
        }
        let razor = Params::ALL.iter().find(|param| param.name == "razor_base").expect("it is one of them");
        let now = if cfg!(feature = "tuning") { razor.max } else { razor.default };
        assert_eq!(brain.pool.params.razor_base, now);
    }

    /// A thread that was left one CPU of several gets its place by the option, and then all CPUs.
    #[test]
    #[cfg(target_os = "linux")]
    fn bind_puts_threads_in_their_places_and_sets_them_free() {
        use std::io::Write;
        use sys::affinity::{self, CpuSet};

        /// Notes on which CPUs the thread that ends the search may run.
        #[derive(Default)]
        struct Places(Mutex<Vec<CpuSet>>);

        impl Observer for Places {
            fn verdict(&self, _: &Verdict) {
                self.0.lock().unwrap().push(affinity::current().unwrap());
            }
        }

        let all = affinity::current().unwrap();
        let place = sys::ranks::thread_places(1)[0].clone();
        let single = |cpu| std::iter::once(cpu).collect::<CpuSet>();
        let Some(one) = all.iter().map(single).find(|one| *one != place) else {
            // If it cannot be told, the test is skipped all the same.
            let _ = writeln!(std::io::stderr(), "SKIPPED: one CPU only");
            return;
        };
        affinity::set_current(&one).unwrap();
        // Its thread inherits the CPU.
        let brain = PoolBrain::new();
        affinity::set_current(&all).unwrap();
        let mut brain = brain.expect("a small table");
        let places = Arc::new(Places::default());
        for bind in [None, Some(true), Some(false)] {
            if let Some(on) = bind {
                assert_eq!(brain.set_option(BIND, &Value::Check(on)), Ok(()));
            }
            let limits = Limits { depth: Some(1), ..Limits::default() };
            let task = Task { game: Game::default(), limits, multipv: 1, analysis: false };
            brain.go(task, places.clone());
            brain.pool.wait();
        }
        assert_eq!(*places.0.lock().unwrap(), [one, place, all]);
    }

    /// A weak player's search and a serial one are those of one thread; as many as have an account have searched.
    #[test]
    fn threads_that_sleep_are_not_counted() {
        let mut brain = PoolBrain::new().expect("a small table");
        assert_eq!(brain.set_threads(4), Ok(4));
        for (scheme, weak, for_move, in_analysis) in
            [("hybrid", false, 4, 4), ("hybrid", true, 1, 4), ("serial", false, 1, 1)]
        {
            assert_eq!(brain.set_option(SCHEME, &Value::Text(scheme.into())), Ok(()));
            assert_eq!(brain.set_option("UCI_LimitStrength", &Value::Check(weak)), Ok(()));
            for (analysis, expected) in [(false, for_move), (true, in_analysis)] {
                let counted = brain.searching_threads(analysis);
                let limits = Limits { depth: Some(1), ..Limits::default() };
                brain.go(Task { game: Game::default(), limits, multipv: 1, analysis }, Arc::new(Silent));
                brain.pool.wait();
                let searched = brain.pool.accounts().expect("the search is over").nodes.len();
                assert_eq!((counted, searched), (expected, expected), "{scheme}, weak: {weak}, {analysis}");
            }
        }
    }

    /// Counts the searches of a cluster that never searches.
    #[derive(Default)]
    struct Counting(AtomicUsize);

    impl Joint for Counting {
        fn go(&self, _: &mut Pool, search: Search) {
            self.0.fetch_add(1, Relaxed);
            search.observer.verdict(&Verdict::default());
        }
    }

    /// The nodes of a rating are those of one search; an analysis is that of all ranks.
    #[test]
    fn a_weak_player_plays_alone() {
        let mut brain = PoolBrain::new().expect("a small table");
        let joint = Arc::new(Counting::default());
        brain.pool.joint = Some(joint.clone());
        let task = |analysis| Task {
            game: Game::default(),
            limits: Limits { nodes: Some(100), ..Limits::default() },
            multipv: 1,
            analysis,
        };
        for (weak, analysis, searches) in [(true, false, 0), (true, true, 1), (false, false, 2)] {
            assert_eq!(brain.set_option("UCI_LimitStrength", &Value::Check(weak)), Ok(()));
            brain.go(task(analysis), Arc::new(Silent));
            brain.pool.wait();
            assert_eq!(joint.0.load(Relaxed), searches, "weak: {weak}, analysis: {analysis}");
            assert_eq!(brain.pool.scheme, Scheme::default(), "what is set aside comes back");
        }
    }
}
