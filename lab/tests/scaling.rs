//! The study of the parallel searches from one processor upwards.

use lab::algorithms::alpha_beta::fail_soft;
use lab::node::INFINITY;
use lab::parallel::{Costs, Outcome, Scheme, search};
use lab::study::Watch;
use lab::study::scaling::{Scaling, scaling};
use lab::tally::Tally;
use lab::trees::synthetic::{Kind, Spec, Synthetic};
use std::sync::atomic::AtomicBool;

fn root(seed: u64) -> Synthetic {
    let kind = Kind::Ordered { best_first: 90 };
    Spec { kind, width: 6, depth: 5, seed, correlation: 50 }.root().unwrap()
}

fn studied(roots: &[Synthetic], schemes: &[Scheme], processors: &[usize]) -> Scaling {
    let (mut hear, stop) = (|_: &str| {}, AtomicBool::new(false));
    scaling(roots, 5, schemes, processors, "test".into(), &mut Watch::new(&mut hear, &stop)).unwrap()
}

#[test]
fn one_processor_has_speed_up_one_and_a_power_law_is_found_again() {
    let roots: Vec<Synthetic> = (0..4).map(root).collect();
    let mut found = studied(&roots, &Scheme::ALL.map(|entry| entry.0), &[1, 4]);
    assert_eq!(found.points.len(), 12);
    assert!(found.points.iter().all(|point| point.wrong == 0));
    for point in found.points.iter().filter(|point| point.processors == 1) {
        // Mandatory work first visits the tree in another order even alone.
        if point.scheme != Scheme::MandatoryFirst {
            assert!((point.speedup - 1.0).abs() < 1e-9 && point.overhead.abs() < 1e-9, "{point:?}");
        }
        assert!(point.idle.abs() < 1e-9 && point.hand_overs == 0.0, "{point:?}");
    }
    for point in &mut found.points {
        point.speedup = (point.processors as f64).powf(0.7);
    }
    assert!((found.exponent(Scheme::Lazy).unwrap() - 0.7).abs() < 1e-9);
}

/// What a scheme without a table is held against is alpha-beta at the cost of its nodes, else the scheme alone.
fn alone(scheme: Scheme, root: &Synthetic) -> (u64, u64) {
    if scheme.has_table() {
        let found = search(scheme, root, 5, 1, Costs::default()).unwrap();
        return (found.time, found.tally.nodes());
    }
    let mut tally = Tally::default();
    fail_soft(root, 5, -INFINITY, INFINITY, &mut tally);
    (Costs::default().node * tally.nodes(), tally.nodes())
}

/// The mean of two speed-ups is the root of their product. Idle is what was not worked of four processors' time.
#[test]
fn a_point_adds_up_what_its_searches_did() {
    let roots = [root(0), root(1)];
    for scheme in [Scheme::PvSplitting, Scheme::YoungBrothers, Scheme::Abdada] {
        let searched = |root: &Synthetic| search(scheme, root, 5, 4, Costs::default()).unwrap();
        let found: [Outcome; 2] = roots.each_ref().map(searched);
        let alone = roots.each_ref().map(|root| alone(scheme, root));
        let ratios = [0, 1].map(|i| alone[i].0 as f64 / found[i].time as f64);
        let (there, worked) = (4 * (found[0].time + found[1].time), found[0].busy + found[1].busy);
        let (nodes, before) = (found[0].tally.nodes() + found[1].tally.nodes(), alone[0].1 + alone[1].1);
        let study = studied(&roots, &[scheme], &[4]);
        let point = &study.points[0];
        for (told, expected) in [
            (point.speedup, (ratios[0] * ratios[1]).sqrt()),
            (point.overhead, 100.0 * nodes as f64 / before as f64 - 100.0),
            (point.idle, 100.0 * (there - worked) as f64 / there as f64),
            (point.hand_overs, (found[0].hand_overs + found[1].hand_overs) as f64 / 2.0),
        ] {
            assert!((told - expected).abs() < 1e-9, "{expected}: {point:?}");
        }
        assert!(scheme.has_table() || point.hand_overs > 0.0, "{point:?}");
    }
}
