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
//! * [`study`]: the comparisons: one table of contestants, Marsland's figure 8, the claims.
//! * [`event`]: what a search reports to a tree that wants to know; [`show`]: the page that replays it.
//! * [`report`]: what each study looks like as a report, and as JSON.
//!
//! Five texts on forty years of game-tree search are cited by letter, with section or figure, and are
//! called "the sources" elsewhere in this room: **M** T. A. Marsland, "A Review of Game-Tree Pruning",
//! 1986, and "Computer Chess and Search", 1991; **F** M. Fierz, "Strategy Game Programming"; **E** D.
//! Eppstein, "Variants of Alpha-Beta Search", lecture notes of ICS 180, 1999; **B** P. Bergmans, "Chess
//! Tree Search"; **S** W. Fink, "An Enhancement to the Iterative, Alpha-Beta, Minimax Search Procedure", on
//! his Sfinks programs.
#![forbid(unsafe_code)]

pub mod algorithms;
mod cores;
pub mod enhanced;
pub mod event;
pub mod node;
pub mod parallel;
pub mod report;
pub mod show;
pub mod study;
pub mod tally;
pub mod trees;
