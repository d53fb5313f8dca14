//! Aspiration: begin with a narrow window around the expected value, and search again when it does not hold
//! (M 2.4 and figure 3; E; B; F "windowing").
//!
//! These are drivers: they choose windows and leave the searching to whatever is handed in, a textbook
//! alpha-beta or the switchable search. The search handed in must be a correct alpha-beta, fail-soft or hard.

use crate::node::{INFINITY, Value};

/// How a narrow window is opened again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aspiration {
    /// M figure 3: up to infinity on the side that failed, from the value that came back.
    Narrow,
    /// M 2.4: a window of constant width slides in the direction of the failure. After [`CONSTANT`] failures
    /// one after another on the same side it is twice as wide each time: a fail-hard search, which says no
    /// more than that a window failed, would otherwise slide through every value on the way to a mate.
    Sliding,
    /// E's variant: the failed side moves away by twice as much each time.
    Gradual,
    /// E's loop: the side that failed is opened all the way, the other bound stays.
    OneSide,
}

impl Aspiration {
    /// Every kind, with the word by which it is chosen.
    pub const ALL: [(&'static str, Aspiration); 4] = [
        ("narrow", Aspiration::Narrow),
        ("sliding", Aspiration::Sliding),
        ("gradual", Aspiration::Gradual),
        ("one-side", Aspiration::OneSide),
    ];
}

/// Failures in one direction after which a sliding window grows.
pub const CONSTANT: u32 = 8;

/// The exact value, found through windows around `guess` that reach `margin` (at least 1) to either side.
/// `search` gets a window and returns what an alpha-beta returns. One that contradicts itself (a rule of
/// forward pruning may, from one window to another) could be asked for ever: it is asked once more, through
/// the open window.
pub fn aspire(
    kind: Aspiration,
    guess: Value,
    margin: Value,
    mut search: impl FnMut(Value, Value) -> Value,
) -> Value {
    let margin = margin.max(1);
    let (mut alpha, mut beta) = (open(guess - margin), open(guess + margin));
    let (mut down, mut up) = (margin, margin);
    // Failures in a row on the same side: positive above, negative below.
    let mut row = 0i32;
    let (mut least, mut most) = (-INFINITY, INFINITY);
    loop {
        let value = search(alpha, beta);
        if value >= beta && value > most || value <= alpha && value < least {
            return search(-INFINITY, INFINITY);
        }
        if kind == Aspiration::Narrow {
            // As printed: the second result is final. If the value is exactly what the first search
            // returned, the second fails on it, and the two bounds meet there.
            return match value {
                high if high >= beta => search(high, INFINITY),
                low if low <= alpha => search(-INFINITY, low),
                inside => inside,
            };
        }
        if value >= beta && beta < INFINITY {
            least = value;
            row = row.max(0) + 1;
            (alpha, beta) = match kind {
                Aspiration::Sliding => (value - 1, open(value.saturating_add(slide(margin, row)))),
                Aspiration::Gradual => (alpha, open(guess.saturating_add(widen(&mut up)).max(value + 1))),
                Aspiration::OneSide | Aspiration::Narrow => (alpha, INFINITY),
            };
        } else if value <= alpha && alpha > -INFINITY {
            most = value;
            row = row.min(0) - 1;
            (alpha, beta) = match kind {
                Aspiration::Sliding => (open(value.saturating_sub(slide(margin, row))), value + 1),
                Aspiration::Gradual => (open(guess.saturating_sub(widen(&mut down)).min(value - 1)), beta),
                Aspiration::OneSide | Aspiration::Narrow => (-INFINITY, beta),
            };
        } else {
            return value;
        }
    }
}

/// How wide a sliding window is after so many failures in a row.
fn slide(margin: Value, row: i32) -> Value {
    let doublings = row.unsigned_abs().saturating_sub(CONSTANT).min(20);
    margin.saturating_mul(2 << doublings).min(2 * INFINITY)
}

fn widen(reach: &mut Value) -> Value {
    *reach = reach.saturating_mul(2).min(2 * INFINITY);
    *reach
}

fn open(bound: Value) -> Value {
    bound.clamp(-INFINITY, INFINITY)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 0 seen from above, 1000 from below: no value lies inside any window but the open one.
    #[test]
    fn a_search_that_contradicts_itself_is_not_asked_for_ever() {
        for (name, kind) in Aspiration::ALL {
            let mut asked = 0;
            let found = aspire(kind, 500, 10, |alpha, beta| {
                asked += 1;
                assert!(asked < 100, "{name}");
                match (alpha, beta) {
                    (alpha, beta) if alpha == -INFINITY && beta == INFINITY => 7,
                    (alpha, _) if alpha < 500 => 1000.max(beta),
                    (alpha, _) => 0.min(alpha),
                }
            });
            assert!(kind != Aspiration::Sliding || found == 7, "{name} {found}");
        }
    }

    /// At least 600, and then at most 300.
    #[test]
    fn a_contradiction_is_settled_by_the_open_window_at_once() {
        let (mut windows, mut answers) = (Vec::new(), [600, 300, 400].into_iter());
        let found = aspire(Aspiration::Gradual, 500, 10, |alpha, beta| {
            windows.push((alpha, beta));
            answers.next().unwrap()
        });
        assert_eq!(found, 400);
        assert_eq!(windows, [(490, 510), (490, 601), (-INFINITY, INFINITY)]);
    }

    /// A fail-hard search says only that the window failed. The window keeps its width a few times, and then
    /// reaches any value in as many steps as the distance has doublings.
    #[test]
    fn a_sliding_window_does_not_crawl() {
        for (margin, truth) in [(1, 60_000), (1, -60_000), (100, 50_000), (7, 23)] {
            let mut windows = Vec::new();
            let found = aspire(Aspiration::Sliding, 0, margin, |alpha, beta| {
                windows.push((alpha, beta));
                truth.clamp(alpha, beta)
            });
            assert_eq!(found, truth);
            assert!(windows.len() < 30, "{margin} {truth}: {} passes", windows.len());
            let constant = windows.iter().skip(1).take(CONSTANT as usize);
            assert!(constant.clone().all(|(alpha, beta)| beta - alpha == 2 * margin + 1), "{windows:?}");
        }
    }

    #[test]
    fn a_sliding_window_over_a_pruning_search_ends() {
        use crate::enhanced::{Contestant, run};
        use crate::trees::synthetic::{Kind, Spec};
        for text in [
            "pvs+sliding+gamma",
            "alphabeta+sliding+razor=1",
            "pvs+sliding+singular=1",
            "pvs+gradual+nbest=2",
        ] {
            let contestant: Contestant = text.parse().unwrap();
            for seed in 0..200 {
                let spec = Spec { kind: Kind::Uniform, width: 6, depth: 5, seed, correlation: 50 };
                run(&spec.root().unwrap(), 5, &contestant.switches, None);
            }
        }
    }
}
