//! The literature's laboratory: forty years of game-tree search, running and compared.
//!
//! Every algorithm here is written once, in the form a textbook would print, over one small trait for a
//! node of a game tree ([`node::Node`]). The same code therefore runs on chess, on connect four, on
//! synthetic trees whose true value is known by construction, and on a tree drawn by hand.
//!
//! * [`trees`]: what is searched.
//! * [`algorithms`]: the plain searches, one family to a file.
//! * [`enhanced`]: one search whose refinements are orthogonal switches, so that any combination runs.
//! * [`parallel`]: the historical parallel searches, in virtual time.
//! * [`study`]: the comparisons: one table of contestants, the first document's figure 8, the claims.
//! * [`report`]: what each study looks like as a report, and as JSON.
//!
//! Sources are cited by letter: **M** T. A. Marsland, "Computer Chess and Search" / "A Review of Game-Tree
//! Pruning"; **F** M. Fierz, "Strategy Game Programming"; **E** D. Eppstein, ICS 180 lecture notes;
//! **B** P. Bergmans, "Chess Tree Search"; **S** W. Fink, on his Sfinks programs.
#![forbid(unsafe_code)]

pub mod algorithms;
pub mod enhanced;
pub mod node;
pub mod parallel;
pub mod report;
pub mod study;
pub mod tally;
pub mod trees;
