//! The machine under the search: what it has, and how to use it well.
//!
//! A parallel search is limited by memory long before it is limited by arithmetic, so this room holds the few
//! things a chess engine must ask the operating system for: cache lines ahead of time ([`mod@prefetch`]), one
//! large table on huge pages ([`mod@slice`]), the shape of the processor ([`topology`], [`cpu`]) and of the
//! memory ([`memory`]), threads that stay where their data is ([`affinity`]) or are woken without delay
//! ([`turn`]), processes that MPI has started ([`ranks`]), signals to be ignored ([`signals`]), the way of a
//! cache line between cores ([`lines`]), CPUs that programs agree on ([`claim`]), files that one of them
//! writes ([`lock`]), more open files than are granted unasked ([`files`]), and opponents that die when they
//! are told to ([`process`]). It also says what a figure was measured on ([`provenance`]) and on which of
//! several machines ([`host`]), when the machine held programs up ([`heartbeat`]) and where a command's output
//! may go ([`output`]), and has the compiler use the widest vectors there are ([`vector`]).
//!
//! It knows no chess. It is also the one place where `unsafe` is allowed outside the network's vector code:
//! every other room forbids it, and what is offered here is safe to call with any argument. Each call has a
//! plain fallback, so everything compiles and behaves on systems other than Linux, only without the
//! advantage.

pub mod affinity;
mod cgroup;
pub mod claim;
pub mod cpu;
pub mod files;
pub mod heartbeat;
pub mod host;
pub mod lines;
pub mod lock;
pub mod memory;
pub mod output;
pub mod prefetch;
pub mod process;
pub mod provenance;
pub mod ranks;
pub mod signals;
pub mod slice;
pub mod topology;
mod tree;
pub mod turn;
pub mod vector;
