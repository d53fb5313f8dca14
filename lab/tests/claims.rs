//! The claims of the sources, measured: those that hold by proof.

use lab::algorithms::minimax::negamax;
use lab::study::Watch;
use lab::study::claims::{Verdict, claims};
use lab::tally::Tally;
use lab::trees::synthetic::{Kind, Spec};
use std::sync::atomic::{AtomicBool, Ordering};

/// What holds by proof is confirmed, and every row has a number.
#[test]
fn the_rows_are_measured() {
    let (mut hear, stop) = (|_: &str| {}, AtomicBool::new(false));
    let found = claims(true, &[24], &mut Watch::new(&mut hear, &stop));
    assert_eq!((found.rows.len(), found.left_out), (8, 0));
    for row in &found.rows {
        assert!(row.value.contains(char::is_numeric), "{row:?}");
        assert!(
            row.interval.is_none() || !row.rule.is_empty(),
            "an interval says nothing without a line: {row:?}"
        );
        if row.claim.contains("with bounds that hold") || row.claim.contains("prove what minimax finds") {
            assert_eq!(row.verdict, Verdict::Confirmed, "{row:?}");
        }
    }
}

/// A window is missed where the value lies at one of its ends or beyond.
#[test]
fn the_windows_that_fail_are_counted() {
    let (mut hear, stop) = (|_: &str| {}, AtomicBool::new(false));
    let found = claims(true, &[2], &mut Watch::new(&mut hear, &stop));
    let row = found.rows.iter().find(|row| row.claim.contains("outside the window")).unwrap();
    let mut outside = 0;
    for seed in 0..50 {
        let (width, correlation) = (2 + (seed % 4) as u32, (seed * 37 % 101) as u8);
        let root = Spec { kind: Kind::Uniform, width, depth: 5, seed, correlation }.root().unwrap();
        let value = negamax(&root, 5, &mut Tally::default());
        outside += (-300..300).step_by(50).filter(|&alpha| value <= alpha || value >= alpha + 25).count();
    }
    let (windows, missed) = ("600 windows on 50 trees: 0 false", format!("; {outside} fell outside"));
    assert!(row.value.starts_with(windows) && row.value.contains(&missed), "{outside}: {row:?}");
}

/// Stopped at its second curve the figure has one point, from which nothing follows.
#[test]
fn of_a_figure_that_is_not_finished_nothing_is_said() {
    let (mut heard, stop) = (0, AtomicBool::new(false));
    // The first is the name of the system.
    let mut hear = |_: &str| {
        heard += 1;
        stop.store(heard >= 3, Ordering::Relaxed);
    };
    let found = claims(true, &[20], &mut Watch::new(&mut hear, &stop));
    assert_eq!((found.rows.len(), found.left_out), (0, 1));
}
