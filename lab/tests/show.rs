//! The page of a search: its steps add up to the tally of the search, and it is whole.

use lab::algorithms::REGISTER;
use lab::enhanced::{Contestant, run, run_within};
use lab::event::Event;
use lab::node::{self, Node};
use lab::parallel::{self, Costs, Scheme};
use lab::show::{Board, Searcher, ShowError, page, record};
use lab::study::contest::fit_for;
use lab::tally::{TableTally, Tally};
use lab::trees::chess_game::ChessGame;
use lab::trees::drawn::{Drawn, MARSLAND_FIGURE_2};
use lab::trees::positions::{HORIZON_EFFECT, bratko_kopec_roots, random_chess};
use lab::trees::synthetic::{Kind, Spec};
use lab::trees::watched::{Limits, Step, Watched};
use serde_json::{Value, to_value};
use std::collections::BTreeMap;

/// What steps do not stand for.
fn visible(tally: Tally) -> Tally {
    let table = TableTally { probes: 0, ordering: 0, etc_nodes: 0, etc_probes: 0, ..tally.table };
    Tally { frontier: 0, evaluations: 0, guard: 0, table, order: None, open_windows: None, ..tally }
}

/// The counts of a document by their names, those of its parts too.
fn counts(document: &Value) -> BTreeMap<String, Value> {
    let mut found = BTreeMap::new();
    for (name, value) in document.as_object().unwrap() {
        match value {
            Value::Object(_) => {
                found.extend(counts(value).into_iter().map(|(own, count)| (format!("{name}.{own}"), count)));
            }
            _ => {
                found.insert(name.clone(), value.clone());
            }
        }
    }
    found
}

/// Holds the steps of each search against the tally of the same search unwatched, which it returns. So are the counts
/// of the document: what no step stands for is not in it, and no 0 of a search that has done so.
fn steps_are_the_tally<N: Node + Board + 'static>(root: &N, depth: u32, texts: &[&str]) -> Vec<Tally> {
    let one = |text: &&str| {
        let searcher: Searcher = text.parse().unwrap();
        let shown = record(root, depth, String::new(), std::slice::from_ref(&searcher), 3).unwrap();
        let found = &shown.searches[0];
        let (value, tally) = match &searcher {
            Searcher::Serial(contestant) => {
                let fit = fit_for(std::slice::from_ref(root), depth, contestant).unwrap();
                let outcome = run(root, depth, &contestant.switches, fit.as_ref());
                (outcome.value, outcome.tally)
            }
            Searcher::Parallel(scheme) => {
                let outcome = parallel::search(*scheme, root, depth, 3, Costs::default()).unwrap();
                (outcome.value, outcome.tally)
            }
        };
        let tally = with_tables(tally, &found.tally, &searcher);
        assert_eq!((found.value, found.tally), (value, visible(tally)), "{text}");
        assert!(found.steps > 2, "{text}");
        let mut shown = counts(&to_value(found).unwrap()["tally"]);
        let whole = counts(&to_value(tally).unwrap());
        if *text == "dfpn" {
            assert_eq!(shown.remove("table.hits"), Some(Value::Null));
        }
        for (name, count) in &shown {
            assert_eq!(whole.get(name), Some(count), "{name} of {text}");
        }
        assert!(shown.contains_key("interior") && shown.contains_key("table.cutoffs"), "{shown:?}");
        tally
    };
    texts.iter().map(one).collect()
}

/// No step stands for a hit of df-pn, which looks branches up before it goes there.
fn with_tables(tally: Tally, seen: &Tally, searcher: &Searcher) -> Tally {
    match searcher {
        Searcher::Serial(one) if one.text == "dfpn" => {
            Tally { table: TableTally { hits: seen.table.hits, ..tally.table }, ..tally }
        }
        _ => tally,
    }
}

#[test]
fn steps_add_up_to_the_tally_on_drawn_and_synthetic_trees() {
    let algorithms = REGISTER.iter().map(|entry| entry.name);
    let schemes = Scheme::ALL.iter().map(|scheme| scheme.1);
    let switched = [
        "conspiracy=3",
        "failhard+id+trans=50+two",
        "pvs+id+trans=20+killers+hist+etc",
        "alphabeta+null-verify+nbest=3+razor=20+marginal=10+gamma",
        "pvs+singular=10+id",
        "mtdf+id+trans=40+two",
    ];
    let texts: Vec<&str> = algorithms.chain(schemes).chain(switched).collect();
    let drawn: Drawn = MARSLAND_FIGURE_2.parse().unwrap();
    steps_are_the_tally(&drawn, 3, &texts);
    for kind in [Kind::Uniform, Kind::Random, Kind::Transposing] {
        let root = Spec { kind, width: 3, depth: 5, seed: 7, correlation: 60 }.root().unwrap();
        steps_are_the_tally(&root, 5, &texts);
    }
}

#[test]
fn steps_add_up_to_the_tally_on_chess_positions() {
    let texts = ["alphabeta+quiesce", "pvs-r+id+trans=500+killers+hist", "mtdf+see", "scout", "ybw"];
    for root in &bratko_kopec_roots()[..4] {
        steps_are_the_tally(root, 2, &texts);
    }
    let horizon = ChessGame::new(chess::Position::from_fen(HORIZON_EFFECT).unwrap());
    steps_are_the_tally(&horizon, 3, &texts);
    steps_are_the_tally(&horizon, 4, &["pvs+id+quiesce+null+check+recapture+promotion+fractional+shed"]);
}

/// Deep enough for what ProbCut decides about, and with enough positions to fit it on.
#[test]
fn steps_of_probcut_add_up_to_its_tally() {
    let root = Spec { kind: Kind::Uniform, width: 3, depth: 8, seed: 7, correlation: 60 }.root().unwrap();
    let texts = ["pvs+id+mpc", "alphabeta+probcut", "pvs+id+trans=500+killers+probcut"];
    for (tally, text) in steps_are_the_tally(&root, 8, &texts).into_iter().zip(texts) {
        assert!(tally.probcut_cutoffs > 0, "{text}");
    }
}

/// By hand, from Marsland's figure 2: alpha-beta enters all 15 nodes but p.1.2.2. It leaves p.1.2 by a
/// cut-off, and p.2, whose last branch is worth 3 where p.1 is worth 5.
#[test]
fn the_steps_of_figure_2_are_those_of_the_text() {
    let root: Drawn = MARSLAND_FIGURE_2.parse().unwrap();
    let watched = Watched::new(root, Limits { nodes: 100, steps: 1000 });
    run(&watched, 3, &"alphabeta".parse::<Contestant>().unwrap().switches, None);
    let (steps, touched) = (watched.take().unwrap(), watched.touched());
    let names: Vec<String> = touched.iter().map(|touched| touched.node.label()).collect();
    let order = "p p.1 p.1.1 p.1.1.1 p.1.1.2 p.1.2 p.1.2.1 p.2 p.2.1 p.2.1.1 p.2.1.2 p.2.2 p.2.2.1 p.2.2.2";
    assert_eq!(names.join(" "), order);
    let cuts = steps.iter().filter(|step| matches!(step.event, Event::Left { cut: true, .. }));
    let cuts: Vec<&str> = cuts.map(|step| names[step.node].as_str()).collect();
    assert_eq!(cuts, ["p.1.2", "p.2"]);
    let last = steps.last().unwrap();
    assert_eq!((last.node, last.event), (0, Event::Left { value: 5, cut: false }));
}

/// What a search did in one step, and the window of the last visit of its node (none before the first).
type InWindow<N> = (Event<<N as Node>::Move>, Option<(node::Value, node::Value)>);

/// Every step of a search.
fn in_windows<N: Node>(root: &N, depth: u32, text: &str) -> Vec<InWindow<N>> {
    let watched = Watched::new(root.clone(), Limits { nodes: usize::MAX, steps: usize::MAX });
    run(&watched, depth, &text.parse::<Contestant>().unwrap().switches, None);
    let steps = watched.take().unwrap();
    let mut windows = vec![None; watched.touched().len()];
    let in_window = |step: Step<N::Move>| {
        if let Event::Enter { alpha, beta } = step.event {
            windows[step.node] = Some((alpha, beta));
        }
        (step.event, windows[step.node])
    };
    steps.into_iter().map(in_window).collect()
}

/// What a quiescence search finds beyond the margin saves a node.
#[test]
fn what_is_razored_is_worth_no_more_than_alpha() {
    let mut razored = 0;
    for root in random_chess(4, 8) {
        for (event, window) in in_windows(&root, 3, "alphabeta+quiesce+razor=50") {
            if let Event::Razored(bound) = event {
                assert!(bound <= window.unwrap().0, "{bound} in {window:?}");
                razored += 1;
            }
        }
    }
    assert!(razored > 0);
}

#[test]
fn what_narrows_a_window_leaves_less_of_it() {
    let mut narrowed = 0;
    for seed in 0..40 {
        let spec = Spec { kind: Kind::Transposing, width: 4, depth: 6, seed, correlation: 50 };
        for (event, window) in in_windows(&spec.root().unwrap(), 6, "alphabeta+id+trans=5000+two") {
            if let Event::Narrowed { alpha, beta } = event {
                let (low, high) = window.unwrap();
                let inside = low <= alpha && alpha < beta && beta <= high;
                assert!(inside && (alpha, beta) != (low, high), "{alpha} to {beta} in {low} to {high}");
                narrowed += 1;
            }
        }
    }
    assert!(narrowed > 0);
}

/// The question of a pass, and not that of an earlier visit, is what an entry answers: by the window of the node above,
/// whose bounds change their places.
#[test]
fn what_the_memory_of_an_mtd_search_answers_is_the_question_of_this_pass() {
    for text in ["mt-sss", "mt-dual", "mtdf", "mtd-step", "bisection", "mtd-best"] {
        let spec = Spec { kind: Kind::Transposing, width: 3, depth: 5, seed: 2, correlation: 50 };
        let watched = Watched::new(spec.root().unwrap(), Limits { nodes: usize::MAX, steps: usize::MAX });
        run(&watched, 5, &text.parse::<Contestant>().unwrap().switches, None);
        let (steps, touched) = (watched.take().unwrap(), watched.touched());
        let mut windows = vec![None; touched.len()];
        let mut answered = 0;
        for step in steps {
            match step.event {
                Event::Enter { alpha, beta } => windows[step.node] = Some((alpha, beta)),
                Event::TableCut(value) => {
                    let (alpha, beta) = windows[step.node].take().expect("the visit has begun");
                    assert!(beta - alpha == 1 && (value <= alpha || value >= beta), "{text}: {value}");
                    let above = touched[step.node].above;
                    let asked = windows[above].expect("the node above is being searched");
                    assert!(above == 0 || asked == (-beta, -alpha), "{text}: {asked:?}, {alpha} to {beta}");
                    answered += 1;
                }
                Event::Left { .. } | Event::Horizon(_) | Event::Finished(_) => windows[step.node] = None,
                _ => {}
            }
        }
        assert!(answered > 0, "{text}");
    }
}

/// Four of seven nodes are touched; down to one ply the tree has three.
#[test]
fn a_tree_is_drawn_whole_only_if_all_its_nodes_fit() {
    let root: Drawn = "(((1 2) 3) 4)".parse().unwrap();
    let watched = Watched::new(root, Limits { nodes: 100, steps: 100 });
    watched.child(0).child(0).child(0).observe(Event::Expanded);
    for (limit, nodes) in [(2, 4), (3, 4), (4, 5)] {
        watched.complete(1, limit);
        assert_eq!(watched.touched().len(), nodes, "at most {limit}");
    }
}

#[test]
fn what_is_too_large_is_refused_with_the_limit() {
    let root = Spec { kind: Kind::Uniform, width: 8, depth: 6, seed: 1, correlation: 50 }.root().unwrap();
    let shown = |texts: &[&str]| {
        let searchers: Vec<Searcher> = texts.iter().map(|text| text.parse().unwrap()).collect();
        record(&root, 6, String::new(), &searchers, 2).unwrap_err().to_string()
    };
    assert!(shown(&["negamax"]).contains("20000 nodes"));
    assert!(shown(&[]).contains("one, or two"));
    assert!(shown(&["pvs", "pvs", "pvs"]).starts_with("3 searches"));
    let small = Spec { kind: Kind::Uniform, width: 2, depth: 8, seed: 1, correlation: 50 }.root().unwrap();
    let watched = Watched::new(small, Limits { nodes: 1000, steps: 20 });
    run(&watched, 8, &"pvs".parse::<Contestant>().unwrap().switches, None);
    assert!(watched.take().unwrap_err().steps > 20);
    assert!("oak".parse::<Searcher>().unwrap_err().to_string().contains("tree-splitting"));
    assert!("pvs+oak".parse::<Searcher>().unwrap_err().to_string().contains("there are id"));
}

/// A page shows this search, which keeps more nodes than a page holds, step by step and no step twice.
fn keeps_more_than_it_touches<N: Node + Board + 'static>(root: &N, depth: u32, name: &str) {
    let shown = record(root, depth, String::new(), &[name.parse().unwrap()], 1).unwrap();
    let (most, found) = (lab::show::MAX_NODES, &shown.searches[0]);
    assert!(shown.nodes < most, "{name}: {}", shown.nodes);
    let switches = name.parse::<Contestant>().unwrap().switches;
    assert!(
        run_within(root, depth, &switches, None, most).is_err(),
        "{name} keeps no more than a page holds"
    );
    let unseen = run(root, depth, &switches, None);
    assert_eq!((found.value, found.tally), (unseen.value, visible(unseen.tally)), "{name}");
}

/// Best-first searches keep every branch of what they develop, here from 20,000 to 100,000, and touch only what they
/// develop.
#[test]
fn what_is_kept_and_never_touched_takes_no_room_on_a_page() {
    keeps_more_than_it_touches(&bratko_kopec_roots()[1], 4, "pn");
    keeps_more_than_it_touches(&bratko_kopec_roots()[0], 4, "conspiracy=2");
    let root = Spec { kind: Kind::Uniform, width: 30, depth: 4, seed: 2, correlation: 50 }.root().unwrap();
    ["bstar", "sss", "dual"].into_iter().for_each(|name| keeps_more_than_it_touches(&root, 4, name));
}

/// A search that leaves the page ends there, however many nodes it could still keep.
#[test]
fn what_leaves_the_page_does_not_go_on() {
    let root = Spec { kind: Kind::Uniform, width: 30, depth: 6, seed: 1, correlation: 50 }.root().unwrap();
    for name in ["sss", "mt-sss", "bstar", "dfpn"] {
        let refused = record(&root, 6, String::new(), &[name.parse().unwrap()], 1).unwrap_err();
        assert!(matches!(refused, ShowError::Nodes { .. }), "{name}: {refused}");
    }
}

/// The page reads an empty entry as "none": the only one of a tree of one node, too.
#[test]
fn a_tree_of_one_node_has_one_of_everything() {
    let root = &bratko_kopec_roots()[0];
    let shown = record(root, 4, String::new(), &["conspiracy=0".parse().unwrap()], 1).unwrap();
    assert_eq!(shown.nodes, 1);
    let page = page(&shown, "", &[]).unwrap();
    assert!(page.contains(r#""up":"0","by":"","names":[],"rank":"0","leaf":"""#), "{page}");
    assert!(
        page.contains("const list = (text) => text.split(\",\").map(read);"),
        "an empty text is one entry"
    );
}

#[test]
fn searches_to_different_horizons_have_no_common_minimal_tree() {
    let root = ChessGame::new(chess::Position::from_fen(HORIZON_EFFECT).unwrap());
    let thick = |texts: [&str; 2]| {
        let shown = record(&root, 1, String::new(), &texts.map(|text| text.parse().unwrap()), 1).unwrap();
        !page(&shown, "", &[]).unwrap().contains("\"kinds\":\"\"")
    };
    assert!(thick(["alphabeta", "ybw"]) && thick(["alphabeta+quiesce", "pvs+quiesce"]));
    assert!(!thick(["alphabeta", "alphabeta+quiesce"]) && !thick(["pvs+see", "ybw"]));
}

#[test]
fn a_page_of_five_thousand_nodes_is_small_and_fetches_nothing() {
    let root = Spec { kind: Kind::Uniform, width: 6, depth: 6, seed: 1, correlation: 50 }.root().unwrap();
    let searchers = ["alphabeta".parse().unwrap(), "pvs".parse().unwrap()];
    let shown = record(&root, 6, "a </script> tree".into(), &searchers, 1).unwrap();
    assert!(shown.nodes > 4000, "{}", shown.nodes);
    let page = page(&shown, "T < U", &[("program".into(), "x & y".into())]).unwrap();
    assert!(page.len() < 3_000_000, "{}", page.len());
    assert_eq!(page.matches("</script>").count(), 2);
    for fetched in ["src=", "href=", "url(", "@import", "fetch(", "https:"] {
        assert!(!page.contains(fetched), "{fetched}");
    }
    // The one address is the name of the SVG language, which is never asked for.
    assert_eq!(page.matches("http:").count(), 1);
    assert!(page.contains("T &lt; U") && page.contains("x &amp; y"));
}
