//! The numbers and switches by which the schemes share out work.
//!
//! They are values, but known when the program is compiled: a type stands for a whole set of them ([`RuleSet`]), and the
//! schemes are generic over that type. So a game is played by constants ([`Usual`]), at no cost, while a test or a simulated
//! search may go by others, down to splitting wherever a move is left.

/// When and for whom the schemes share out work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Young Brothers Wait: shallowest node, in plies of remaining depth, that a small team splits. The work
    /// below shallower ones is not worth handing over.
    pub ybw_depth: i32,
    /// The same for a large team. A helper comes with cold caches, some 30 us of work lost on sixteen real
    /// cores (bench/runs/2026-11-26-battery), and a large team has enough nodes to choose from.
    pub large_team_depth: i32,
    /// Shallowest node that is opened before any worker is idle.
    pub advance_depth: i32,
    /// Members from which on a team is large: it splits at `large_team_depth`, and `before_first` holds for it.
    pub large_team: usize,
    /// Do the other moves of a node that is likely to fail low begin beside its first one, in a large team?
    pub before_first: bool,
    /// A point takes one helper for each so many moves that may be left, the last one for fewer.
    pub moves_a_helper: usize,
    /// The most helpers that a point takes, however many moves it has. Each draws its moves under the point's
    /// lock: sixteen real cores search 1.26 times as many nodes a second if no more than four workers share
    /// one (bench/runs/2026-11-26-battery).
    pub most_helpers: usize,
    /// Does a worker without a point read ahead until one opens? Otherwise it sleeps.
    pub reads_ahead: bool,
    /// Does a master that waits for its helpers read along with them? Otherwise it sleeps.
    pub reads_along: bool,
    /// Most plies that a waiting master reads deeper than its helpers search. With the usual number it hardly ever
    /// gets there.
    pub reads_deeper: i32,
    /// Is one move at a time re-searched with an open window, while others wait for their turn?
    pub takes_turns: bool,
    /// Principal variation splitting: shallowest node that is split.
    pub pvsplit_depth: i32,
    /// Shallowest node whose moves are marked and deferred, by ABDADA and by workers that read ahead. Marks move
    /// between the cores' caches all the time: with marks two plies lower, two threads lose 4 % of their node rate,
    /// and the trees are not smaller beyond the error (bench/runs/2026-11-23-before-the-eldest).
    pub marks_depth: i32,
}

impl Rules {
    /// Those of the engine.
    pub const USUAL: Rules = Rules {
        ybw_depth: 7,
        large_team_depth: 8,
        advance_depth: 9,
        large_team: 4,
        before_first: true,
        moves_a_helper: 12,
        most_helpers: 3,
        reads_ahead: true,
        reads_along: true,
        reads_deeper: 8,
        takes_turns: true,
        pvsplit_depth: 3,
        marks_depth: 6,
    };

    /// The same wherever there is a move left: every node is split, and every move marked. No game is played so, but in
    /// the smallest search everything happens that otherwise takes a large one.
    pub const EVERYWHERE: Rules = Rules {
        ybw_depth: 1,
        large_team_depth: 1,
        advance_depth: 2,
        most_helpers: usize::MAX,
        pvsplit_depth: 1,
        marks_depth: 1,
        ..Rules::USUAL
    };
}

/// A mechanism of Young Brothers Wait that can be switched off alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mechanism {
    /// Nodes are split before a worker is idle: [`Rules::advance_depth`].
    InAdvance,
    /// See [`Rules::before_first`].
    BeforeFirst,
    /// See [`Rules::reads_ahead`].
    ReadingAhead,
    /// See [`Rules::reads_along`].
    ReadingAlong,
    /// See [`Rules::reads_deeper`].
    ReadingDeeper,
    /// See [`Rules::takes_turns`].
    Turns,
    /// Moves are marked and deferred: [`Rules::marks_depth`].
    Marks,
}

impl Rules {
    /// These rules with a mechanism switched off.
    pub const fn without(mut self, mechanism: Mechanism) -> Self {
        /// A depth that no node has.
        const NEVER: i32 = 1_000;
        match mechanism {
            Mechanism::InAdvance => self.advance_depth = NEVER,
            Mechanism::BeforeFirst => self.before_first = false,
            Mechanism::ReadingAhead => self.reads_ahead = false,
            Mechanism::ReadingAlong => self.reads_along = false,
            Mechanism::ReadingDeeper => self.reads_deeper = 0,
            Mechanism::Turns => self.takes_turns = false,
            Mechanism::Marks => self.marks_depth = NEVER,
        }
        self
    }
}

/// A set of rules as a type.
pub trait RuleSet: 'static {
    /// The rules.
    const RULES: Rules;

    /// The set by which ABDADA and principal variation splitting go. Every set that they go by costs seconds of
    /// compiling, and they take one number each: a set that differs in others names one that is compiled anyway.
    type Others: RuleSet;
}

/// [`Rules::USUAL`].
#[derive(Clone, Copy, Debug)]
pub struct Usual;

impl RuleSet for Usual {
    const RULES: Rules = Rules::USUAL;
    type Others = Self;
}

/// [`Rules::EVERYWHERE`].
#[derive(Clone, Copy, Debug)]
pub struct Everywhere;

impl RuleSet for Everywhere {
    const RULES: Rules = Rules::EVERYWHERE;
    type Others = Self;
}
