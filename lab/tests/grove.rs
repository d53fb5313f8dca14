//! Trees by description: what grows, what is refused, what a contestant finds on it.

use lab::algorithms::b_star::{Bounds, b_star};
use lab::algorithms::minimax::negamax;
use lab::algorithms::room::Room;
use lab::algorithms::{Algorithm, REGISTER};
use lab::enhanced::Contestant;
use lab::node::Node;
use lab::parallel::Scheme;
use lab::study::Watch;
use lab::study::contest::Threads;
use lab::study::grove::{Grove, GroveError, Request, Solutions};
use lab::tally::Tally;
use lab::trees::chess_game::ChessGame;
use lab::trees::connect_four::ConnectFour;
use lab::trees::positions::random_walks;
use lab::trees::synthetic::{Kind, Spec, Synthetic};
use std::sync::atomic::{AtomicBool, Ordering};

fn request(tree: &str) -> Request {
    let synthetic = !["chess", "connect4", "drawn"].contains(&tree);
    Request {
        tree: tree.into(),
        width: synthetic.then_some(4),
        depth: Some(4),
        count: (tree != "drawn").then_some(3),
        ..Request::default()
    }
}

fn refusal(request: &Request) -> String {
    Grove::grow(request).map(|_| ()).unwrap_err().to_string()
}

fn solved(request: &Request, contestant: &str) -> Result<Solutions, GroveError> {
    let (mut hear, stop) = (|_: &str| {}, AtomicBool::new(false));
    Grove::grow(request)?.solve(&contestant.parse().unwrap(), &mut Watch::new(&mut hear, &stop))
}

#[test]
fn every_kind_grows_and_can_be_compared() {
    let contestants: Vec<Contestant> = ["alphabeta", "mtdf+id+trans=100"].map(|t| t.parse().unwrap()).into();
    let synthetic = ["uniform", "independent", "random", "ordered:80", "reversed", "transposing"];
    for tree in ["chess", "connect4", "drawn"].into_iter().chain(synthetic) {
        let request = Request { depth: Some(3), ..request(tree) };
        let grove = Grove::grow(&request).unwrap();
        let (mut hear, stop) = (|_: &str| {}, AtomicBool::new(false));
        let table = grove.compare(&contestants, Threads::All, &mut Watch::new(&mut hear, &stop)).unwrap();
        assert_eq!(table.rows.iter().map(|row| row.wrong).sum::<usize>(), 0, "{tree}");
        assert!(!solved(&request, "mtdf+id+trans=100").unwrap().solutions.is_empty());
    }
}

/// B* on estimated bounds returns a bound from below: it is wrong where it is above the value, and nowhere else.
#[test]
fn an_estimated_bound_is_wrong_only_above_the_value() {
    let roots = random_walks(&ConnectFour::start(), 20, 40, 1);
    let bounds = roots.iter().map(|root| {
        let best = b_star(root, 4, Bounds::NullMove, Room::UNLIMITED, &mut Tally::default()).unwrap();
        (best.unwrap().1, negamax(root, 4, &mut Tally::default()))
    });
    let bounds: Vec<_> = bounds.collect();
    let above = bounds.iter().filter(|(bound, value)| bound > value).count();
    let below = bounds.iter().filter(|(bound, value)| bound < value).count();
    assert!(above > 0 && below > 0, "{above} above and {below} below");
    let request = Request { count: Some(40), ..request("connect4") };
    for names in [["alphabeta", "bstar-null"], ["bstar-null", "alphabeta"]] {
        let contestants = names.map(|name| name.parse().unwrap());
        let (mut hear, stop) = (|_: &str| {}, AtomicBool::new(false));
        let watch = &mut Watch::new(&mut hear, &stop);
        let found = Grove::grow(&request).unwrap().compare(&contestants, Threads::All, watch).unwrap();
        assert_eq!(found.rows[1].wrong, above, "{names:?}");
    }
}

#[test]
fn what_cannot_be_grown_is_refused_with_the_choices() {
    assert!(refusal(&request("oak")).contains("there are chess, connect4, drawn, uniform"));
    assert!(refusal(&Request { width: Some(0), ..request("uniform") }).contains("width 0"));
    // 10^4 is below 49,000 and 10^5 is not.
    let reversed = |depth| Request { width: None, depth: Some(depth), ..request("reversed") };
    assert!(refusal(&reversed(5)).contains("width 5 have at most 4 plies"));
    assert!(refusal(&reversed(64)).contains("below 49000"));
    assert!(Grove::grow(&reversed(4)).is_ok());
    assert!(refusal(&Request { depth: Some(0), ..request("chess") }).contains("from 1 to 64"));
    assert!(refusal(&Request { count: Some(0), ..request("chess") }).contains("at least one"));
    let position = |tree: &str, text: &str| {
        refusal(&Request { position: Some(text.into()), count: None, ..request(tree) })
    };
    assert!(position("chess", "no fen").contains("FEN"));
    assert!(position("chess", "R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1").contains("over"));
    assert!(position("connect4", "9").contains("column"));
    assert!(position("drawn", "(1").contains("parenthesis"));
}

#[test]
fn what_would_be_ignored_is_refused() {
    let more = Request { count: Some(25), ..request("chess") };
    assert_eq!(refusal(&more), "25 chess positions: there are 24 of Bratko and Kopec");
    let fen = Some("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1".to_owned());
    for (option, request) in [
        ("--width", Request { width: Some(3), ..request("chess") }),
        ("--width", Request { width: Some(3), ..request("drawn") }),
        ("--correlation", Request { correlation: Some(3), ..request("connect4") }),
        ("--correlation", Request { correlation: Some(3), ..request("independent") }),
        ("--position", Request { position: Some("(1 2)".into()), ..request("uniform") }),
        ("--seed", Request { seed: Some(3), ..request("chess") }),
        ("--count", Request { count: Some(3), ..request("drawn") }),
        ("--count", Request { position: fen, ..request("chess") }),
    ] {
        assert!(refusal(&request).starts_with(&format!("{option} means nothing for")), "{request:?}");
    }
}

/// A row that bears the name of ProbCut says what ProbCut does. Nodes below a root of four plies have three, and its
/// pair decides about four; within a ply of a root of three branches there are four positions; and what minimax
/// and branch and bound ask is open on one side at least.
#[test]
fn probcut_that_could_do_nothing_is_refused() {
    let uniform =
        |depth| Request { width: Some(3), depth: Some(depth), count: Some(1), ..request("uniform") };
    for (contestant, depth, why) in [
        ("pvs+id+probcut", 4, "a search of 4 has none below its root: choose 5 plies or more"),
        ("pvs+check+fractional+probcut", 4, "choose 5 plies or more"),
        ("pvs+check+probcut", 3, "choose 4 plies or more"),
        ("pvs+id+mpc", 3, "3 plies left or more, and a search of 3 has none"),
        ("pvs+id+mpc", 5, "the positions near the trees (4)"),
        ("negamax+probcut", 8, "the windows of this search are open"),
        ("bnb+probcut", 8, "the windows of this search are open"),
    ] {
        let run = solved(&uniform(depth), contestant).unwrap_err().to_string();
        assert!(run.starts_with(contestant) && run.contains(why), "{contestant}: {run}");
        let grove = Grove::grow(&uniform(depth)).unwrap();
        let shown = grove.show(&[contestant.parse().unwrap()], 1).unwrap_err();
        assert_eq!(shown.to_string(), run);
        let (mut heard, stop) = (0, AtomicBool::new(false));
        let mut hear = |_: &str| heard += 1;
        let contestants = ["pvs", contestant].map(|text| text.parse().unwrap());
        let compared = grove.compare(&contestants, Threads::One, &mut Watch::new(&mut hear, &stop));
        assert_eq!((compared.unwrap_err().to_string(), heard), (run, 0));
    }
    // What is not refused acts.
    for contestant in ["pvs+id+mpc", "alphabeta+probcut"] {
        let found = solved(&uniform(8), contestant).unwrap();
        assert!(found.solutions[0].tally.probcut_cutoffs > 0, "{contestant}");
    }
}

#[test]
fn a_drawn_tree_is_searched_to_its_leaves() {
    let drawn = |text: &str, depth| Request {
        tree: "drawn".into(),
        position: Some(text.into()),
        depth,
        ..Request::default()
    };
    for (text, height, leaves) in [("((5 4) (6 1))", 2, 3), ("(1 2 3)", 1, 3), ("(((1 2) 3) 4)", 3, 2)] {
        assert_eq!(Grove::grow(&drawn(text, None)).unwrap().depth, height, "{text}");
        let found = solved(&drawn(text, None), "alphabeta").unwrap();
        let tally = found.solutions[0].tally;
        assert!(tally.horizon + tally.finished >= leaves && found.minimal > 0.0, "{text}: {tally:?}");
    }
    // Deeper than it is, its minimal tree would be one of plies that are not there.
    let beyond = refusal(&drawn("((5 4) (6 1))", Some(3)));
    assert!(beyond.contains("depth 3") && beyond.contains("ends after 2 plies"), "{beyond}");
    // Within one ply only the second move is ahead; behind the first the gain lies two plies farther.
    for prover in ["pn", "dfpn"] {
        let found = solved(&drawn("(((3)) 5)", Some(1)), prover).unwrap();
        assert_eq!(found.solutions[0].best.as_deref(), Some("2"), "{prover}");
    }
}

/// The move of every textbook form against brute force: its child has the root's value.
#[test]
fn every_textbook_form_names_a_best_move() {
    let request = Request { depth: Some(4), count: Some(5), ..request("uniform") };
    let spec = |seed| Spec { kind: Kind::Uniform, width: 4, depth: 4, seed, correlation: 50 }.root().unwrap();
    let names_a_move = |algorithm: Algorithm| {
        algorithm.is_exact() || [Algorithm::MtdBest, Algorithm::BStar(Bounds::Sound)].contains(&algorithm)
    };
    for entry in REGISTER.iter().filter(|entry| names_a_move(entry.algorithm)) {
        for (i, solution) in solved(&request, entry.name).unwrap().solutions.iter().enumerate() {
            let root = spec(1 + i as u64);
            let best: u32 = solution.best.as_ref().expect(entry.name).parse().unwrap();
            let value = |node: &Synthetic, depth| negamax(node, depth, &mut Tally::default());
            assert_eq!(-value(&root.child(best), 3), value(&root, 4), "{}", entry.name);
            assert_eq!(solution.line.first(), solution.best.as_ref(), "{}", entry.name);
        }
    }
    for depth in [1, 2] {
        let shallow = Request { depth: Some(depth), count: Some(2), ..self::request("chess") };
        let found = solved(&shallow, "minimax").unwrap();
        assert!(found.solutions.iter().all(|solution| solution.best.is_some()));
    }
}

#[test]
fn a_search_that_is_stopped_keeps_what_is_finished() {
    let stop = AtomicBool::new(false);
    let mut heard = 0;
    let mut hear = |_: &str| {
        heard += 1;
        stop.store(heard == 2, Ordering::Relaxed);
    };
    let found = Grove::grow(&request("uniform")).unwrap();
    let found = found.solve(&"alphabeta".parse().unwrap(), &mut Watch::new(&mut hear, &stop)).unwrap();
    assert_eq!((found.solutions.len(), found.left_out), (2, 1));
}

#[test]
fn what_would_not_end_or_not_fit_is_refused() {
    let refused = |tree: &str, depth, contestant: &str| {
        let width = (tree == "uniform").then_some(30);
        let request = Request { depth: Some(depth), width, ..request(tree) };
        solved(&request, contestant).map(|_| ()).unwrap_err().to_string()
    };
    assert!(refused("uniform", 40, "alphabeta").starts_with("even the minimal tree of 30 branches"));
    assert!(refused("uniform", 10, "minimax").starts_with("the full tree of 30 branches"));
    for keeper in ["sss", "dual", "mtdf", "mtd-best"] {
        assert!(refused("chess", 9, keeper).contains("memory"), "{keeper}");
    }
}

/// What is not refused is not run, for the end is asked for. Minimal trees of 20 branches have 168,000 leaves after
/// seven plies, 3.4 millions after nine and 6.4 after ten; PV splitting shares ten nodes there, and tree splitting on
/// four processors those of two plies.
#[test]
fn a_parallel_scheme_is_refused_for_what_it_shares_itself() {
    let scaled = |scheme, width, depth| {
        let request =
            Request { width: Some(width), depth: Some(depth), count: Some(1), ..request("ordered") };
        let (mut hear, stop) = (|_: &str| {}, AtomicBool::new(true));
        let watch = &mut Watch::new(&mut hear, &stop);
        let found = Grove::grow(&request).unwrap().scale(&[scheme], &[1, 4], watch);
        found.map(|found| found.left_out).map_err(|error| error.to_string())
    };
    for scheme in Scheme::ALL.map(|entry| entry.0) {
        assert_eq!(scaled(scheme, 20, 8), Ok(2), "{}", scheme.name());
        if [Scheme::PvSplitting, Scheme::TreeSplitting].contains(&scheme) {
            assert_eq!(scaled(scheme, 20, 10), Ok(2), "{}", scheme.name());
        } else {
            let refused = scaled(scheme, 20, 10).unwrap_err();
            let shares = format!("{} keeps what its processors share", scheme.name());
            assert!(refused.starts_with(&shares) && refused.contains("memory"), "{refused}");
        }
        // Time is another matter.
        let endless = scaled(scheme, 20, 30).unwrap_err();
        assert!(endless.starts_with("even the minimal tree of 20 branches"), "{endless}");
    }
}

/// Philidor's legacy: Qe6+ (or from c4 or a2), the knight checks from f7 and, with the queen, from h6, the queen is
/// given up on g8, and the knight mates: nine plies, whose minimal tree of chess no memory would hold.
#[test]
fn what_a_proof_finds_is_not_foretold_by_the_minimal_tree() {
    let mate = |depth| Request {
        depth: Some(depth),
        count: None,
        position: Some("1r4k1/6pp/8/6N1/8/8/4Q1PP/6K1 w - - 0 1".into()),
        ..request("chess")
    };
    for prover in ["pn", "dfpn"] {
        let found = |depth| solved(&mate(depth), prover).unwrap().solutions.remove(0);
        let short = found(7);
        assert!(short.value < ChessGame::GOAL && short.best.is_none(), "{prover}: {short:?}");
        // To refute the moves that lead nowhere within eleven plies would fill the room.
        for plies in [9, 11] {
            let whole = found(plies);
            let first = whole.best.as_deref().unwrap();
            let wins = ["Qe6+", "Qc4+", "Qa2+"].contains(&first);
            assert!(whole.value == ChessGame::GOAL && wins, "{prover}: {whole:?}");
        }
        let searcher = prover.parse().unwrap();
        assert!(Grove::grow(&mate(9)).unwrap().show(&[searcher], 1).unwrap().nodes > 9, "{prover}");
    }
    let refused = Grove::grow(&mate(9)).unwrap().show(&["sss".parse().unwrap()], 1);
    assert!(refused.unwrap_err().to_string().contains("20000 nodes"));
}
