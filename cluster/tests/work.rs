//! Work that rank 0 gives out.

use crate::ranks::{Ranks, Shape};
use smp::schemes::Scheme;
use std::sync::Arc;

/// Every answer comes to the one who asked, however many ask at once and however long the messages are.
#[test]
fn every_call_is_answered() {
    let ranks = Ranks::new(Shape::of(3, 1, Scheme::Serial));
    let member = &ranks.member;
    std::thread::scope(|scope| {
        for asker in 0..8u8 {
            scope.spawn(move || {
                for number in 0..40u8 {
                    let length = 1 + usize::from(number) * 1000;
                    let body: Vec<u8> = (0..length).map(|at| (at % 251) as u8 ^ asker ^ number).collect();
                    let backwards: Vec<u8> = body.iter().rev().copied().collect();
                    let rank = 1 + usize::from(number + asker) % 2;
                    assert!(
                        member.call(rank, body, &|| false) == Some(backwards),
                        "asker {asker}, call {number}"
                    );
                }
            });
        }
    });
    let member = Arc::clone(member);
    assert!(!member.has_ended(), "work may go on");
    ranks.end();
    assert!(member.has_ended());
}
