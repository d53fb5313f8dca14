//! What a search does at a node, for a tree that wants to know.
//!
//! A search reports each step to the node it happens at ([`crate::node::Node::observe`]). Ordinary trees
//! ignore the report, which then costs nothing: the default is empty and inlines away.
//! [`crate::trees::watched`] wraps a tree that writes the steps down. [`crate::tally::Tally`] counts and
//! reports in one call where a step is also a count, so that the two cannot differ.

use crate::node::Value;

/// A step of a search, at the node that hears of it. Values are for the side to move there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event<M> {
    /// A pass over the whole tree begins; heard by the root.
    Pass,
    /// A visit begins, through this window.
    Enter {
        /// Nothing at or below this is of interest.
        alpha: Value,
        /// A value from here on ends the visit.
        beta: Value,
    },
    /// The branches are known and are searched: an interior node.
    Expanded,
    /// The horizon: the node's value. Ends the visit.
    Horizon(Value),
    /// The game is over here: the node's value. Ends the visit.
    Finished(Value),
    /// A node of a quiescence search has its value. Ends the visit.
    Quiet(Value),
    /// The visit ends with this value.
    Left {
        /// The value, or a bound on it outside the window.
        value: Value,
        /// A branch was good enough; those after it were not searched.
        cut: bool,
    },
    /// What the node is worth to its parent, where that is not the last step's value. Ends the visit.
    Returned(Value),
    /// The best value here is this from now on, whatever the visits of branches have shown: those of a test do not
    /// count, and a branch that is searched deeper may turn out worse.
    Revised(Value),
    /// The window was too narrow for this branch: it is searched again.
    ReSearch,
    /// The table has an entry with these bounds.
    Hit {
        /// The value is at least this.
        lower: Value,
        /// The value is at most this.
        upper: Value,
    },
    /// The entry narrows the window to this.
    Narrowed {
        /// The new lower end.
        alpha: Value,
        /// The new upper end.
        beta: Value,
    },
    /// The entry answers the question. Ends the visit.
    TableCut(Value),
    /// An entry of a successor answers the question (ETC). Ends the visit.
    EtcCut(Value),
    /// Passing is good enough. Ends the visit.
    NullCut(Value),
    /// The verification search did not confirm the null move.
    NullRefused,
    /// A shallow search predicts a value outside the window (ProbCut). Ends the visit.
    ProbCut(Value),
    /// Too far below alpha (razoring). Ends the visit.
    Razored(Value),
    /// This branch is dropped; it is worth at most the bound, if a rule gives one.
    Dropped {
        /// The branch.
        branch: M,
        /// Its bound, for the side to move here.
        bound: Value,
    },
    /// This branch is searched deeper than its siblings.
    Extended(M),
    /// This branch is searched less deeply than its siblings.
    Reduced(M),
    /// Proof and disproof number.
    Numbers(Value, Value),
    /// A pessimistic and an optimistic bound on the value.
    Bounds(Value, Value),
    /// The processor that acts from here on, and its clock in virtual nanoseconds.
    Turn {
        /// Which processor.
        processor: usize,
        /// Its clock.
        time: u64,
    },
    /// A processor takes this branch over from the one that opened the node above.
    HandOver,
    /// Another processor is searching this node: it is deferred.
    Deferred,
    /// A processor notices that this node is needed no more. Ends the visit without a value.
    Void,
    /// A processor finds nothing to do; heard by the root.
    Wait,
}
