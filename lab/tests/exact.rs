//! All exact algorithms agree: with minimax, with each other, with values known by construction, and with any
//! two safe switches on. The default run takes a slice of the trees; `--ignored` takes 500 of each kind.

use lab::algorithms::b_star::{Bounds, b_star};
use lab::algorithms::conspiracy::conspiracy;
use lab::algorithms::proof_number::{Answer, df_pn, proof_number};
use lab::algorithms::room::{Full, Room};
use lab::algorithms::{Algorithm, REGISTER, alpha_beta, minimax};
use lab::enhanced::{Contestant, run, run_within};
use lab::node::{INFINITY, Nature, Node, Value};
use lab::study::pairs::{covering_array, safe_words};
use lab::tally::{Tally, minimal_interior};
use lab::trees::chess_game::ChessGame;
use lab::trees::connect_four::ConnectFour;
use lab::trees::drawn::{Drawn, MARSLAND_FIGURE_2};
use lab::trees::positions::{ZUGZWANGS, bratko_kopec_roots, random_chess, random_walks};
use lab::trees::recorder::Recorder;
use lab::trees::synthetic::{Kind, Spec, Synthetic};
use lab::trees::watched::{Limits, Touched, Watched};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

fn synthetic(kind: Kind, count: u64) -> Vec<Synthetic> {
    let spec = |seed: u64| Spec {
        kind,
        // A reversed tree of five plies is at most four wide.
        width: 2 + (seed % if kind == Kind::Reversed { 3 } else { 4 }) as u32,
        depth: 5,
        seed,
        correlation: (seed * 37 % 101) as u8,
    };
    (0..count).map(|seed| spec(seed).root().unwrap()).collect()
}

fn truth<N: Node>(node: &N, depth: u32) -> Value {
    minimax::minimax(node, depth, &mut Tally::default())
}

/// Every exact algorithm in its plain form, and every line of a covering array of the safe switches, against
/// minimax.
fn all_agree<N: Node>(roots: &[N], depth: u32, contestants: &[Contestant]) {
    for (i, root) in roots.iter().enumerate() {
        let value = truth(root, depth);
        for algorithm in Algorithm::exact() {
            let found = algorithm.search(root, depth, &mut Tally::default());
            assert_eq!(found, value, "{} on tree {i}", algorithm.name());
        }
        for contestant in contestants.iter().filter(|c| c.safe) {
            let found = run(root, depth, &contestant.switches, None).value;
            assert_eq!(found, value, "{contestant} on tree {i}");
        }
    }
}

fn contestants() -> Vec<Contestant> {
    let mut all = covering_array(&safe_words(false));
    all.extend(covering_array(&safe_words(true)));
    all
}

#[test]
fn synthetic_trees_of_every_kind() {
    Kind::SAMPLES.into_iter().for_each(|kind| all_agree(&synthetic(kind, 150), 5, &contestants()));
}

#[test]
fn connect_four_positions() {
    all_agree(&random_walks(&ConnectFour::start(), 30, 80, 4), 4, &contestants());
}

#[test]
fn chess_positions() {
    all_agree(&random_chess(30, 5), 2, &contestants());
    all_agree(&bratko_kopec_roots()[..1], 3, &contestants());
}

#[test]
#[ignore = "500 trees of each kind: minutes"]
fn five_hundred_trees_of_each_kind() {
    Kind::SAMPLES.into_iter().for_each(|kind| all_agree(&synthetic(kind, 500), 5, &contestants()));
    all_agree(&random_walks(&ConnectFour::start(), 30, 500, 4), 5, &contestants());
    all_agree(&random_chess(500, 5), 2, &contestants());
    all_agree(&random_chess(50, 6), 3, &contestants());
    proofs_hold(&random_walks(&ConnectFour::start(), 30, 500, 4), 4);
    proofs_hold(&random_chess(500, 5), 2);
    all_agree(&synthetic(Kind::Reversed, 500), 5, &contestants());
    Kind::SAMPLES.into_iter().for_each(|kind| all_agree(&synthetic(kind, 500), 5, &more()));
    all_agree(&random_walks(&ConnectFour::start(), 30, 500, 4), 5, &more());
    all_agree(&random_chess(500, 5), 2, &more());
}

/// The same switches as in the covering array, with other numbers and in other company.
const MORE: [&str; 10] = [
    "pvs-r+hard",
    "negascout+id+hard+asp=20+trans=300",
    "pvs+id+trans=300+buckets=4+killers=1+hist+hist-count",
    "alphabeta+trans=300+keep-deep+killers=3+killers-frequent+hist+hist-cuts",
    "alphabeta+id+trans=5000+mirror+hard+asp=20",
    "pvs-r+id+alt=4+unstable+sliding=15+trans=50+buckets=3+keep-deep+two",
    "mtdf+id+trans=5000+two+mirror+buckets=2",
    "bisection+id+hard+trans=5000+hist+hist-count",
    "bisection+hard+trans=200+keep-deep+mirror",
    "scout+id+killers=8+killers-frequent+gradual=1+trans=900+mirror+etc=1",
];

fn more() -> Vec<Contestant> {
    MORE.iter().map(|text| text.parse().unwrap()).collect()
}

#[test]
fn further_safe_switches_leave_the_value_alone() {
    let more = more();
    assert!(more.iter().all(|contestant| contestant.safe));
    for kind in Kind::SAMPLES.into_iter().chain([Kind::Reversed]) {
        all_agree(&synthetic(kind, 60), 5, &more);
    }
    all_agree(&random_walks(&ConnectFour::start(), 30, 60, 4), 5, &more);
    all_agree(&[ConnectFour::start(), "4".parse().unwrap(), "44".parse().unwrap()], 6, &more);
    all_agree(&random_chess(20, 5), 2, &more);
}

/// Fail-hard by switch is Knuth and Moore's F2: the same nodes, the same values.
#[test]
fn fail_hard_is_fail_hard_by_either_name() {
    for root in synthetic(Kind::Uniform, 40) {
        let found = |text: &str| {
            let contestant: Contestant = text.parse().unwrap();
            let outcome = run(&root, 5, &contestant.switches, None);
            (outcome.value, outcome.tally.nodes(), outcome.tally.cut)
        };
        assert_eq!(found("alphabeta+hard+id"), found("failhard+id"));
    }
}

/// Every branch better than the one before: no value ever leaves its window, so alpha-beta cuts nothing off
/// and sees all W^D leaves. In coarse steps branches are equal and it does.
#[test]
fn a_reversed_tree_costs_as_much_as_minimax() {
    let tally = |root: &Synthetic, depth, text: &str| {
        let contestant: Contestant = text.parse().unwrap();
        run(root, depth, &contestant.switches, None).tally
    };
    for width in 1..=6u32 {
        for depth in (1..=8u32).filter(|&depth| (2 * width).pow(depth) < 49_000) {
            let root = Spec { kind: Kind::Reversed, width, depth, seed: 3, correlation: 50 }.root().unwrap();
            assert_eq!(Some(truth(&root, depth)), root.known_value());
            let fine = tally(&root, depth, "alphabeta");
            assert_eq!((fine.horizon, fine.cut), (u64::from(width).pow(depth), Some(0)), "{width} {depth}");
            let coarse = tally(&root, depth, "alphabeta+grain=5000");
            assert!(depth < 2 || width < 2 || coarse.horizon < fine.horizon, "{width} {depth}");
        }
    }
}

/// On perfectly ordered trees every CUT node is left by its first branch, and of the visits of PVS only those
/// of the principal variation have an open window, one at each ply.
#[test]
fn order_is_counted_as_counting_gives() {
    for (width, depth) in [(2, 4), (3, 5), (5, 4)] {
        let root = |kind| Spec { kind, width, depth, seed: 3, correlation: 50 }.root().unwrap();
        let tally = |kind, text: &str| {
            let contestant: Contestant = text.parse().unwrap();
            run(&root(kind), depth, &contestant.switches, None).tally
        };
        let perfect = tally(Kind::Ordered { best_first: 100 }, "pvs+unordered");
        let order = perfect.order.unwrap();
        assert_eq!((Some(order.first), perfect.open_windows), (perfect.cut, Some(u64::from(depth))));
        assert_eq!(order.stored + order.tactical, 0, "no table, no captures");
        let table = tally(Kind::Transposing, "alphabeta+id+trans=10000");
        let order = table.order.unwrap();
        assert!(order.stored_cut > 0 && order.stored_cut <= order.stored);
        assert!(Some(order.stored) <= table.cut && order.first >= order.stored_cut);
        // A look at all successors, wherever a ply is left, asks for all moves before one is tried.
        let order = tally(Kind::Transposing, "alphabeta+id+trans=10000+etc=1").order.unwrap();
        assert!(order.stored > 0 && order.stored_cut == 0, "{order:?}");
    }
}

/// Marsland's figure 2 has two cut-offs. What a search does not count is null in its document, and no 0.
#[test]
fn what_a_textbook_form_does_not_count_is_null() {
    let root: Drawn = MARSLAND_FIGURE_2.parse().unwrap();
    let document = |text: &str| {
        let contestant: Contestant = text.parse().unwrap();
        serde_json::to_value(run(&root, 3, &contestant.switches, None).tally).unwrap()
    };
    let (plain, switched) = (document("alphabeta"), document("alphabeta+unordered"));
    assert!(plain["order"].is_null() && plain["open_windows"].is_null(), "{plain}");
    assert!(plain["cut"] == 2 && switched["cut"] == 2 && switched["order"]["cut"] == 2, "{switched}");
}

#[test]
fn a_horizon_of_its_own_keeps_algorithms_in_agreement() {
    for words in ["quiesce", "quiesce-promotions+quiesce-evasions+quiesce-checks", "see"] {
        for root in random_chess(6, 8) {
            let value = |algorithm: &str, more: &str| {
                let contestant: Contestant = format!("{algorithm}+{words}{more}").parse().unwrap();
                run::<ChessGame>(&root, 2, &contestant.switches, None).value
            };
            let expected = value("minimax", "");
            for algorithm in ["alphabeta", "failhard", "scout", "pvs", "pvs-r", "negascout"] {
                assert_eq!(value(algorithm, "+id+trans=5000+killers+hist"), expected, "{algorithm}+{words}");
            }
            assert_eq!(value("mtdf", "+trans=5000+two"), expected, "mtdf+{words}");
        }
    }
}

#[test]
fn values_known_by_construction_are_found() {
    for kind in [Kind::Ordered { best_first: 100 }, Kind::Ordered { best_first: 30 }] {
        for root in synthetic(kind, 100) {
            assert_eq!(Some(truth(&root, 5)), root.known_value());
        }
    }
}

#[test]
fn minimax_sees_every_leaf_and_ordered_trees_cost_the_minimal_tree() {
    for width in 1..=6u32 {
        for depth in 1..=6u32 {
            let (w, kind) = (u64::from(width), Kind::Ordered { best_first: 100 });
            let root = Spec { kind, width, depth, seed: 3, correlation: 50 }.root().unwrap();
            let mut tally = Tally::default();
            minimax::negamax(&root, depth, &mut tally);
            assert_eq!(tally.horizon, w.pow(depth));
            let minimal = w.pow(depth.div_ceil(2)) + w.pow(depth / 2) - 1;
            for name in ["failhard", "alphabeta", "pvs", "pvs-r", "pvs-e", "negascout", "scout"] {
                let mut tally = Tally::default();
                name.parse::<Algorithm>().unwrap().search(&root, depth, &mut tally);
                // Scout's tests repeat nothing here either, for no test ever fails.
                assert_eq!(tally.horizon, minimal, "{name} at width {width}, depth {depth}");
                assert_eq!(tally.cut.zip(tally.all), minimal_interior(w, depth), "{name}");
            }
        }
    }
}

#[test]
fn fail_soft_bounds_are_true_outside_the_window() {
    let mut outside = 0;
    for root in synthetic(Kind::Uniform, 50) {
        let value = truth(&root, 5);
        for alpha in (-300..300).step_by(40) {
            let (beta, tally) = (alpha + 20, &mut Tally::default());
            let soft = alpha_beta::fail_soft(&root, 5, alpha, beta, tally);
            let hard = alpha_beta::fail_hard(&root, 5, alpha, beta, tally);
            assert_eq!(hard, value.clamp(alpha, beta));
            match soft {
                low if low <= alpha => assert!(value <= low),
                high if high >= beta => assert!(value >= high),
                inside => assert_eq!(inside, value),
            }
            outside += u32::from(soft < alpha || soft > beta);
        }
    }
    assert!(outside > 100, "the windows were chosen so that most fail");
}

/// The leaves a plain algorithm evaluates in the figure's tree, by their drawn values, left to right.
fn leaves(algorithm: &str) -> Vec<Value> {
    let root: Drawn = MARSLAND_FIGURE_2.parse().unwrap();
    let recorder = Recorder::new(root.clone());
    algorithm.parse::<Algorithm>().unwrap().search(&recorder, 3, &mut Tally::default());
    let seen = recorder.take();
    let mut drawn = Vec::new();
    for i in 0..8u8 {
        let leaf = root.child(i >> 2).child(i >> 1 & 1).child(i & 1);
        drawn.extend(leaf.drawn_value().filter(|_| seen.contains(&leaf.key())));
    }
    drawn
}

#[test]
fn the_drawn_tree_is_searched_as_drawn() {
    assert_eq!(leaves("minimax"), [5, 4, 6, 1, 9, 7, 3, 2]);
    // Figure 2: p.1.2.2 is cut off.
    assert_eq!(leaves("alphabeta"), [5, 4, 6, 9, 7, 3, 2]);
    assert_eq!(leaves("failhard"), [5, 4, 6, 9, 7, 3, 2]);
    // Figure 6: the minimal window cuts p.2.1.2 as well.
    assert_eq!(leaves("pvs-r"), [5, 4, 6, 9, 3, 2]);
    assert_eq!(leaves("pvs"), [5, 4, 6, 9, 3, 2]);
    assert_eq!(leaves("negascout"), [5, 4, 6, 9, 3, 2]);
}

#[test]
fn zero_windows_with_memory_are_the_best_first_searches() {
    for kind in [Kind::Uniform, Kind::Random] {
        for root in synthetic(kind, 60) {
            for (best_first, by_windows) in [("sss", "mt-sss"), ("dual", "mt-dual")] {
                let leaves = |name: &str| {
                    let recorder = Recorder::new(root);
                    name.parse::<Algorithm>().unwrap().search(&recorder, 5, &mut Tally::default());
                    let mut seen = recorder.take();
                    // The driver's first guess looks at the root itself.
                    seen.retain(|&key| key != root.key());
                    seen.sort_unstable();
                    seen.dedup();
                    seen
                };
                assert_eq!(leaves(best_first), leaves(by_windows), "{best_first}");
            }
        }
    }
}

#[test]
fn with_nothing_on_the_switchable_search_is_the_textbook_search() {
    for name in ["negamax", "bnb", "failhard", "alphabeta", "scout", "pvs", "pvs-r", "pvs-e", "negascout"] {
        for root in synthetic(Kind::Uniform, 40) {
            let work = |text: &str| {
                let contestant: Contestant = text.parse().unwrap();
                let t = run(&root, 5, &contestant.switches, None).tally;
                (t.horizon, t.interior, t.cut, t.all, t.finished, t.re_searches)
            };
            // These trees have no provisional order, so switching it off changes nothing but the code that
            // runs.
            assert_eq!(work(name), work(&format!("{name}+unordered+root-generated")), "{name}");
        }
    }
}

#[test]
fn the_best_move_is_best_though_its_value_is_not_asked_for() {
    for root in synthetic(Kind::Uniform, 100) {
        let best = lab::algorithms::best_move::mtd_best(&root, 5, 0, Room::UNLIMITED, &mut Tally::default());
        let (index, bound) = best.unwrap().unwrap();
        let value = -truth(&root.child(index as u32), 4);
        assert_eq!(value, truth(&root, 5));
        assert!(bound <= value && bound > -INFINITY);
    }
}

/// A move without rivals is best at once. By hand: of the replies to it one is worth 3 to the other side and one 4, so
/// that the guess of 0 fails. The trees are single lines.
#[test]
fn a_move_without_rivals_has_a_bound_all_the_same() {
    let root: Drawn = "((-3 -4))".parse().unwrap();
    let found = lab::algorithms::best_move::mtd_best(&root, 2, 0, Room::UNLIMITED, &mut Tally::default());
    assert_eq!(found, Ok(Some((0, -4))));
    let found = b_star(&root, 2, Bounds::Sound, Room::UNLIMITED, &mut Tally::default());
    assert_eq!(found, Ok(Some((0, -4))));
    for seed in 0..20 {
        let root = Spec { kind: Kind::Uniform, width: 1, depth: 5, seed, correlation: 50 }.root().unwrap();
        for name in ["mtd-best", "bstar", "bstar-null"] {
            let bound = name.parse::<Algorithm>().unwrap().search(&root, 5, &mut Tally::default());
            assert!(-INFINITY < bound && bound <= truth(&root, 5), "{name} on tree {seed}: {bound}");
        }
    }
}

/// MTD(f) leaves its root at every pass, MTD(best) once.
#[test]
fn every_node_that_is_expanded_is_left_as_a_cut_or_an_all_node() {
    for root in synthetic(Kind::Uniform, 40) {
        for name in ["alphabeta", "mtdf", "mtd-best"] {
            let mut tally = Tally::default();
            name.parse::<Algorithm>().unwrap().search(&root, 5, &mut tally);
            let left = tally.cut.zip(tally.all).map(|(cut, all)| cut + all);
            assert_eq!(left, Some(tally.interior), "{name}");
        }
    }
}

/// Whatever window the last pass had, and whether or not it failed: the move that a search names is worth what the
/// root is, its line leads to that value, and it is the first of the root's moves.
#[test]
fn the_move_named_is_best_whatever_the_last_window() {
    let words = ["alphabeta", "pvs", "pvs-r", "scout", "bnb", "failhard", "pvs+hard"];
    let windows = ["", "+asp=20", "+sliding=20", "+gradual=5", "+one-side=20", "+asp=20+id", "+sliding=7+id"];
    let searches = words.iter().flat_map(|name| windows.iter().map(move |window| format!("{name}{window}")));
    let drivers = ["mtdf", "mt-sss", "mt-dual", "mtd-step", "bisection", "bisection+hard"];
    let driven = drivers.iter().flat_map(|name| ["+id", "+unordered"].map(|more| format!("{name}{more}")));
    let searches: Vec<Contestant> = searches.chain(driven).map(|text| text.parse().unwrap()).collect();
    for (i, root) in synthetic(Kind::Uniform, 100).iter().enumerate() {
        let value = truth(root, 5);
        for contestant in searches.iter().filter(|contestant| !contestant.switches.is_plain()) {
            let found = run(root, 5, &contestant.switches, None);
            let best = found.best.unwrap();
            assert_eq!(-truth(&root.child(best), 4), value, "{contestant} on tree {i}");
            assert_eq!(found.order.first(), Some(&best), "{contestant} on tree {i}");
            // Fail-hard replies are all worth the window's end: any of them continues the line.
            if contestant.switches.fail_hard {
                continue;
            }
            let end = found.line.iter().fold(*root, |node, &m| node.child(m));
            let sign = if found.line.len().is_multiple_of(2) { 1 } else { -1 };
            let left = 5 - found.line.len() as u32;
            assert_eq!(sign * truth(&end, left), value, "{contestant} on tree {i}: {:?}", found.line);
        }
    }
}

/// A tree that counts its nodes as they are made, and how often one is evaluated.
#[derive(Clone, Debug)]
struct Counted {
    node: Synthetic,
    made: Arc<AtomicU64>,
    evaluated: Arc<AtomicU64>,
}

impl Counted {
    fn new(node: &Synthetic) -> Self {
        Self { node: *node, made: Arc::new(AtomicU64::new(1)), evaluated: Arc::default() }
    }
}

impl Node for Counted {
    type Move = u32;
    const MOVE_CODES: usize = Synthetic::MOVE_CODES;

    fn moves(&self) -> Vec<u32> {
        self.node.moves()
    }

    fn child(&self, m: u32) -> Self {
        self.made.fetch_add(1, Ordering::Relaxed);
        Self { node: self.node.child(m), ..self.clone() }
    }

    fn evaluate(&self) -> Value {
        self.evaluated.fetch_add(1, Ordering::Relaxed);
        self.node.evaluate()
    }

    fn final_value(&self, height: u32) -> Value {
        self.node.final_value(height)
    }

    /// Every third branch is a capture, for quiescence to look at.
    fn nature(&self, m: u32) -> Nature {
        Nature { capture: m.is_multiple_of(3).then_some((100, 300)), ..Nature::default() }
    }

    fn root_analysis(&self, m: u32, tally: &mut Tally) -> i32 {
        -tally.evaluate(&self.child(m))
    }

    fn key(&self) -> u64 {
        self.node.key()
    }

    fn move_code(&self, m: u32) -> usize {
        self.node.move_code(m)
    }

    fn bounds(&self, depth: u32, tally: &mut Tally) -> (Value, Value) {
        self.node.bounds(depth, tally)
    }
}

/// B* bounds every branch that it generates and conspiracy numbers evaluate every one: each is a node, whether or
/// not it is developed later, as a leaf of alpha-beta is one.
#[test]
fn every_node_that_is_bounded_or_evaluated_counts() {
    for root in &synthetic(Kind::Uniform, 50) {
        for name in ["bstar", "conspiracy=1", "conspiracy=10", "alphabeta", "negamax"] {
            let (counted, mut tally) = (Counted::new(root), Tally::default());
            name.parse::<Algorithm>().unwrap().search(&counted, 5, &mut tally);
            assert_eq!(tally.nodes(), counted.made.load(Ordering::Relaxed), "{name}");
        }
        // A branch that is dropped by its static value has been evaluated.
        for words in ["alphabeta+gamma", "alphabeta+marginal=30+marginal-plies=2"] {
            let (recorder, contestant) = (Recorder::new(*root), words.parse::<Contestant>().unwrap());
            let tally = run(&recorder, 5, &contestant.switches, None).tally;
            let mut evaluated = recorder.take();
            evaluated.sort_unstable();
            evaluated.dedup();
            assert!(tally.pruned > 0 || root.moves().len() < 3, "{words}");
            assert!(tally.nodes() >= evaluated.len() as u64, "{words}");
        }
    }
}

/// Whatever a search evaluates, for a leaf, a first guess, a bound, an order or a rule, it says so.
#[test]
fn every_evaluation_counts() {
    let words = [
        "alphabeta+id",
        "alphabeta+root-analysis",
        "pvs+id+root-analysis+decrement=20",
        "pvs+id+trans=100+etc=1+decrement=20",
        "alphabeta+razor=50",
        "alphabeta+razor=50+quiesce",
        "alphabeta+gamma",
        "alphabeta+marginal=30+marginal-plies=2",
        "alphabeta+grain=50",
        "alphabeta+see",
        "pvs+id+asp+quiesce",
        "mtdf+id+trans=100",
    ];
    // Trees that go on below the horizon.
    for root in &synthetic(Kind::Uniform, 20) {
        for text in REGISTER.iter().map(|entry| entry.name).chain(words) {
            let (counted, contestant) = (Counted::new(root), text.parse::<Contestant>().unwrap());
            let tally = run(&counted, 4, &contestant.switches, None).tally;
            assert_eq!(tally.evaluations, counted.evaluated.load(Ordering::Relaxed), "{text}");
        }
    }
    // The limits of a tree that hands its values down lie around its static value, so each node that B* makes is
    // evaluated in the tree itself.
    for root in &synthetic(Kind::Ordered { best_first: 70 }, 20) {
        let (counted, mut tally) = (Counted::new(root), Tally::default());
        "bstar".parse::<Algorithm>().unwrap().search(&counted, 5, &mut tally);
        let [made, evaluated] =
            [&counted.made, &counted.evaluated].map(|count| count.load(Ordering::Relaxed));
        assert_eq!(tally.evaluations, made + evaluated);
    }
    // In chess the analysis of a root move evaluates what it leads to.
    for root in &bratko_kopec_roots()[..2] {
        let contestant: Contestant = "alphabeta+root-analysis".parse().unwrap();
        let tally = run(root, 2, &contestant.switches, None).tally;
        let (leaves, guess, analysed) = (tally.horizon, 1, root.moves().len() as u64);
        assert_eq!(tally.evaluations, leaves + guess + analysed);
    }
}

/// Below the second branch every node looks like 0. The one with two plies left cannot hope for more than 300 where 400
/// is sure: it is given up, and nothing below it is looked at.
#[test]
fn razoring_acts_with_two_plies_left() {
    let root: Drawn = "(400 (((1 2))))".parse().unwrap();
    let razor: Contestant = "alphabeta+razor=300".parse().unwrap();
    let found = run(&root, 4, &razor.switches, None);
    assert_eq!((found.value, found.tally.pruned, found.tally.horizon), (400, 1, 1));
}

/// With one ply left there is nothing that could be searched less deeply: no null move is tried there.
#[test]
fn a_null_move_needs_two_plies() {
    let (roots, null) = (random_chess(6, 8), "alphabeta+null".parse::<Contestant>().unwrap());
    let cutoffs = |depth| {
        let found = roots.iter().map(|root| run(root, depth, &null.switches, None).tally.null_cutoffs);
        found.sum::<u64>()
    };
    assert!(cutoffs(2) == 0 && cutoffs(3) > 0);
}

fn watched<N: Node>(root: N) -> Watched<N> {
    Watched::new(root, Limits { nodes: usize::MAX, steps: usize::MAX })
}

/// Two passes in a row would give the move back, and the same question with it.
#[test]
fn a_null_move_is_answered_by_a_move() {
    let null: Contestant = "alphabeta+null".parse().unwrap();
    let root = watched(ChessGame::new(chess::Position::from_fen(ZUGZWANGS[0]).unwrap()));
    // Behind a pass of the first ply there are two more, so that it could be passed there.
    run(&root, 6, &null.switches, None);
    let touched = root.touched();
    let passes: Vec<usize> = (1..touched.len()).filter(|&at| touched[at].by.is_none()).collect();
    assert!(passes.iter().any(|&at| touched[at].ply == 2 && !touched[at].below.is_empty()));
    assert!(passes.iter().all(|&at| !passes.contains(&touched[at].above)));
}

/// The best move's line alone, two plies behind every root move, or all of every line: the more of them is kept, the
/// more CUT nodes have a move of a line to try first.
#[test]
fn the_more_of_the_lines_is_kept_the_more_nodes_follow_one() {
    let roots = synthetic(Kind::Uniform, 40);
    let stored = |words: &str| {
        let contestant: Contestant = format!("alphabeta+id{words}").parse().unwrap();
        let each =
            roots.iter().map(|root| run(root, 5, &contestant.switches, None).tally.order.unwrap().stored);
        each.sum::<u64>()
    };
    let [best, alternate, whole] = ["", "+alt", "+ref"].map(stored);
    assert!(best < alternate && alternate < whole, "{best} {alternate} {whole}");
}

/// N moves at the root's children and two fewer at each ply after that, but never fewer than two.
#[test]
fn n_best_tapers_from_the_children_of_the_root_on() {
    for (width, most, depth, leaves) in
        [(12, 6, 2, 12 * 6), (12, 6, 3, 12 * 6 * 4), (9, 5, 5, 9 * 5 * 3 * 2 * 2)]
    {
        let root = Spec { kind: Kind::Uniform, width, depth, seed: 5, correlation: 50 }.root().unwrap();
        let contestant: Contestant = format!("negamax+nbest={most}").parse().unwrap();
        assert_eq!(
            run(&root, depth, &contestant.switches, None).tally.horizon,
            leaves,
            "{width} {most} {depth}"
        );
    }
}

/// Every textbook form whose memory grows with its tree gives up at the limit, and finds its value where there is
/// room.
#[test]
fn a_search_that_keeps_its_nodes_keeps_to_the_limit() {
    let root = Spec { kind: Kind::Uniform, width: 5, depth: 6, seed: 3, correlation: 50 }.root().unwrap();
    let forgetful = ["minimax", "negamax", "alphabeta", "pvs", "scout"];
    let keepers = ["sss", "dual", "mt-sss", "mt-dual", "mtdf", "mtd-step", "bisection", "mtd-best", "bstar"];
    for name in keepers.into_iter().chain(["bstar-null", "conspiracy=50", "pn", "dfpn"]).chain(forgetful) {
        let contestant: Contestant = name.parse().unwrap();
        let within = |most| run_within(&root, 6, &contestant.switches, None, most).map(|found| found.value);
        if forgetful.contains(&name) {
            assert_eq!(within(0), Ok(truth(&root, 6)), "{name}");
            continue;
        }
        let full = within(40).unwrap_err();
        assert_eq!(
            full.to_string(),
            format!("{} keeps more than 40 nodes", contestant.switches.algorithm.name())
        );
        assert_eq!(within(100_000), Ok(run(&root, 6, &contestant.switches, None).value), "{name}");
    }
}

/// The move that B* proves is best, and its bound is true; PN and df-pn answer as minimax does; a conspiracy
/// search that trusts nothing finds the minimax value, and one that trusts everything the static one.
fn proofs_hold<N: Node>(roots: &[N], depth: u32) {
    for (i, root) in roots.iter().enumerate() {
        let (value, room, tally) = (truth(root, depth), Room::UNLIMITED, &mut Tally::default());
        let (index, bound) = b_star(root, depth, Bounds::Sound, room, tally).unwrap().unwrap();
        let best = lab::node::provisional(root)[index];
        assert_eq!(-truth(&root.child(best), depth - 1), value, "B* on tree {i}");
        assert!(-INFINITY < bound && bound <= value, "B* on tree {i}: {bound}");
        for goal in [value - 30, value, value + 1, value + 30, 1] {
            let proved = proof_number(root, depth, goal, room, tally).unwrap().reached;
            assert_eq!(proved, value >= goal, "PN on tree {i}, goal {goal}");
            let proved = df_pn(root, depth, goal, room, tally).unwrap().reached;
            assert_eq!(proved, value >= goal, "df-pn on tree {i}, goal {goal}");
        }
        for (threshold, expected) in [(0, root.evaluate()), (u64::MAX, value)] {
            let found = conspiracy(root, depth, threshold, room, tally).unwrap().0;
            assert_eq!(found, expected, "conspiracy {threshold} on tree {i}");
        }
    }
}

#[test]
fn searches_that_prove_agree_with_minimax() {
    Kind::SAMPLES.into_iter().for_each(|kind| proofs_hold(&synthetic(kind, 500), 5));
    proofs_hold(&random_walks(&ConnectFour::start(), 30, 60, 4), 4);
    proofs_hold(&random_chess(20, 5), 2);
    proofs_hold(
        &["((5 4) (6 1))", MARSLAND_FIGURE_2, "(((1 2) 3) 4)"].map(|t| t.parse::<Drawn>().unwrap()),
        3,
    );
}

/// No number of leaves is enough.
const NEVER: u64 = u64::MAX;

/// Proof and disproof number by their definition, of a node with so many plies to go whose value must reach `goal`,
/// when a search had developed the first so many of the nodes that it touched.
fn numbers(
    touched: &[Touched<Synthetic>],
    developed: usize,
    at: usize,
    (depth, goal): (u32, Value),
) -> (u64, u64) {
    if at >= developed {
        return (1, 1);
    }
    let moves = if depth == 0 { Vec::new() } else { touched[at].node.moves() };
    if moves.is_empty() {
        return if touched[at].node.evaluate() >= goal { (0, NEVER) } else { (NEVER, 0) };
    }
    let (mut proof, mut disproof) = (NEVER, 0u64);
    for m in moves {
        let below = touched[at].below.iter().find(|below| below.0 == Some(m));
        let branch =
            below.map_or((1, 1), |below| numbers(touched, developed, below.1, (depth - 1, 1 - goal)));
        (proof, disproof) = (proof.min(branch.1), disproof.saturating_add(branch.0));
    }
    (proof, disproof)
}

/// Was every node developed while each on the way to it gave the one above its proof number? The tree has four plies.
fn assert_most_proving(touched: &[Touched<Synthetic>], goal: Value, name: &str) {
    let place = |at: usize| {
        let ply = touched[at].ply as u32;
        (4 - ply, if ply.is_multiple_of(2) { goal } else { 1 - goal })
    };
    for next in 1..touched.len() {
        let way = std::iter::successors(Some(next), |&at| Some(touched[at].above));
        for at in way.take_while(|&at| at > 0) {
            let above = touched[at].above;
            let wanted = numbers(touched, next, above, place(above)).0;
            let given = numbers(touched, next, at, place(at)).1;
            assert_eq!(given, wanted, "{name} for {goal}: node {at} on the way to {next}");
        }
    }
}

/// By hand: before the first branch is searched both are looked up and none is found, then the first, then both. Both
/// fail the goal, so that both are searched.
#[test]
fn df_pn_counts_what_it_finds_in_its_table() {
    let (root, mut tally) = ("(5 4)".parse::<Drawn>().unwrap(), Tally::default());
    assert!(!df_pn(&root, 1, 100, Room::UNLIMITED, &mut tally).unwrap().reached);
    assert_eq!((tally.horizon, tally.table.probes, tally.table.hits), (2, 6, 3));
}

/// PN keeps every node that it makes, and df-pn every node that it goes to: no two nodes of these trees meet.
#[test]
fn what_is_kept_for_a_proof_is_counted() {
    for root in synthetic(Kind::Uniform, 20) {
        let value = truth(&root, 5);
        for goal in [value, value + 1] {
            let (counted, visited, tally) = (Counted::new(&root), watched(root), &mut Tally::default());
            let tree = proof_number(&counted, 5, goal, Room::UNLIMITED, tally).unwrap();
            assert_eq!(tree.kept as u64, counted.made.load(Ordering::Relaxed));
            let table = df_pn(&visited, 5, goal, Room::UNLIMITED, tally).unwrap();
            assert_eq!(table.kept, visited.touched().len());
            assert_eq!([tree, table].map(|answer| answer.reached), [value >= goal; 2]);
        }
    }
}

/// A search for an answer, watched.
type Proof = fn(&Watched<Synthetic>, u32, Value, Room, &mut Tally) -> Result<Answer, Full>;

/// Allis's rule, and where Nagai's thresholds lead to: the branch that counts, at each node on the way.
#[test]
fn proof_number_searches_develop_a_most_proving_node() {
    let searches: [(&str, Proof); 2] = [("pn", proof_number), ("dfpn", df_pn)];
    let kinds = [Kind::Uniform, Kind::Random].into_iter();
    let spec = |kind| (0..6).map(move |seed| Spec { kind, width: 3, depth: 4, seed, correlation: 50 });
    for root in kinds.flat_map(spec).map(|spec| spec.root().unwrap()) {
        let value = truth(&root, 4);
        for (name, search) in searches {
            for goal in [value, value + 1] {
                let root = watched(root);
                let found = search(&root, 4, goal, Room::UNLIMITED, &mut Tally::default());
                assert_eq!(found.map(|answer| answer.reached), Ok(value >= goal), "{name}");
                assert_most_proving(&root.touched(), goal, name);
            }
        }
    }
}

/// The tree's limits, on which the proof of B* rests, hold at every node.
#[test]
fn no_value_passes_the_limits_of_its_node() {
    fn check<N: Node>(node: &N, depth: u32) {
        let (low, high) = node.bounds(depth, &mut Tally::default());
        assert!((low..=high).contains(&truth(node, depth)));
        if depth > 0 {
            node.moves().into_iter().for_each(|m| check(&node.child(m), depth - 1));
        }
    }
    Kind::SAMPLES.into_iter().for_each(|kind| synthetic(kind, 40).iter().for_each(|root| check(root, 5)));
}

/// More conspirators, more work and no smaller conspiracy left; what is left is above the threshold.
#[test]
fn a_conspiracy_threshold_is_kept() {
    for root in synthetic(Kind::Uniform, 60) {
        let mut before = 0;
        for threshold in [0, 1, 2, 5, 10, 50] {
            let mut tally = Tally::default();
            let (_, needed) = conspiracy(&root, 5, threshold, Room::UNLIMITED, &mut tally).unwrap();
            assert!(needed > threshold);
            assert!(tally.nodes() >= before);
            before = tally.nodes();
        }
    }
}
