//! One binary for all tests of this folder: ranks within one process, over memory.

mod by_hand;
mod failure;
mod ranks;
mod search;
mod simulation;
mod work;

/// The oracle of exact searches and random positions, shared with the room of many threads.
#[path = "../../smp/tests/common/mod.rs"]
mod common;
#[path = "../../smp/tests/plain/mod.rs"]
mod plain;
