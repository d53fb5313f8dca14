//! The network's room as others use it.

mod common;
mod format;
mod incremental;
mod kernels;
mod symmetry;
