//! Locks, condition variables, atomics, channels and threads, as the split points and the pool use them.
//!
//! Normally these are parking_lot's and the standard library's, re-exported. With the feature `shuttle`, which only
//! tests turn on, they are those of shuttle, in the same shape: one thread runs at a time, every use is a point at
//! which the scheduler may let another go on, and so one test runs the same code under thousands of different
//! schedules and sees every deadlock (Burckhardt et al. 2010, "A Randomized Scheduler with Probabilistic Guarantees
//! of Finding Bugs"). `crate::models` says what is tried that way.
//!
//! What schedules cannot hurt stays with the standard library: `Arc`, and the marks of ABDADA, which are hints.

#[cfg(feature = "shuttle")]
mod modelled;

#[cfg(feature = "shuttle")]
pub use modelled::{Condvar, Mutex, MutexGuard, RwLock, RwLockReadGuard, atomic, mpsc, step, thread};
#[cfg(not(feature = "shuttle"))]
pub use parking_lot::{Condvar, Mutex, MutexGuard, RwLock, RwLockReadGuard};
#[cfg(not(feature = "shuttle"))]
pub use std::{
    sync::{atomic, mpsc},
    thread,
};

/// A point at which another thread may go on. On the real machine every instruction is one, and this is nothing.
#[cfg(not(feature = "shuttle"))]
#[inline(always)]
pub fn step() {}
