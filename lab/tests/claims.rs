//! The claims of the sources, measured: those that hold by proof.

use lab::study::Watch;
use lab::study::claims::{Verdict, claims};
use std::sync::atomic::AtomicBool;

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
