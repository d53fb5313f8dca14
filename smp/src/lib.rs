//! Parallel search: the threads of a search, the schemes by which they work together, and a simulated machine that
//! runs the same schemes with any number of threads.
//!
//! ```text
//!             pool            threads that live as long as the engine; a search is a job of all of them
//!               |             (job: results, vote, accounts; iteration_sync: the deepest result of all)
//!               v
//!   serial . lazy . abdada . ybw . pvsplit . rootsplit . hybrid        schemes: which thread searches what
//!               |       |      |       |          |         |
//!               |     marks    +---- splitting ---+---- (teams of ybw)  split points: moves searched together
//!               |       |      |
//!               v       v      v
//!                      pace                  what takes time, waits and touches shared memory
//!                     /    \
//!            the machine    simulation       a virtual clock: workers as coroutines, caches, costs
//! ```
//!
//! A scheme takes part in the engine's search by the four hooks of
//! [`engine::parallel::ParallelScheme`]. Everything here is generic over [`pace`], so the code that plays is the
//! code that is simulated.
//!
//! | folder | what it knows |
//! |---|---|
//! | [`pool`] | threads, jobs, which thread's move is played; of split points only its `thread.rs` knows |
//! | [`schemes`] | one file for each scheme, and the numbers by which they share out work ([`schemes::rules`]) |
//! | [`splitting`] | split points, the registry in which a team finds them, what idle workers do |
//! | [`simulation`] | the machine in virtual time ([`vtime`]): costs, caches ([`simulation::coherence`]), locks |
#![forbid(unsafe_code)]

#[cfg(all(test, feature = "shuttle"))]
mod models;
pub mod pace;
pub mod pool;
pub mod schemes;
pub mod simulation;
pub mod splitting;
pub mod sync;
