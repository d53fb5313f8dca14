//! The study of the parallel searches from one processor upwards.

use lab::parallel::Scheme;
use lab::study::Watch;
use lab::study::scaling::scaling;
use lab::trees::synthetic::{Kind, Spec, Synthetic};
use std::sync::atomic::AtomicBool;

#[test]
fn one_processor_has_speed_up_one_and_a_power_law_is_found_again() {
    let root = |seed| {
        let kind = Kind::Ordered { best_first: 90 };
        Spec { kind, width: 6, depth: 5, seed, correlation: 50 }.root().unwrap()
    };
    let roots: Vec<Synthetic> = (0..4).map(root).collect();
    let schemes = Scheme::ALL.map(|entry| entry.0);
    let stop = AtomicBool::new(false);
    let mut hear = |_: &str| {};
    let mut watch = Watch::new(&mut hear, &stop);
    let mut found = scaling(&roots, 5, &schemes, &[1, 4], "test".into(), &mut watch);
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
