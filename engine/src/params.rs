//! The search's numbers, each declared once: what it is for, its value, the values worth trying, and the step of a
//! tuner (see `firstborn spsa`). Scores in centipawns, depths in plies.
//!
//! A search asks its [`Shared::params`](crate::shared::Shared::params). In a program built as usual that is a constant, and
//! the compiler knows every number of it. With the feature `tuning` it is a value of the search's own, and a front end
//! offers all of [`Tuning::OFFERED`] as options, so that any tuner can play versions against each other without building
//! them.

use crate::drivers::Driver;
use std::ops::Deref;

/// In which searches a number does anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Acts {
    /// In all.
    Always,
    /// In those with a clock.
    OnClock,
    /// In those whose root this driver searches.
    In(Driver),
}

impl Acts {
    /// Whether that is a search with or without a clock whose root this driver searches.
    pub fn in_search(self, clocked: bool, driver: Driver) -> bool {
        match self {
            Acts::Always => true,
            Acts::OnClock => clocked,
            Acts::In(own) => own == driver,
        }
    }
}

/// A number of the search, described for tuners.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Param {
    /// Its name, that of the field of [`Params`].
    pub name: &'static str,
    /// Its value in play.
    pub default: i32,
    /// Least value worth trying.
    pub min: i32,
    /// Greatest value worth trying.
    pub max: i32,
    /// By how much to vary it, so that games may show a difference.
    pub step: i32,
    /// In which searches it does anything; elsewhere a tuner would move it at random.
    pub acts: Acts,
}

/// What a line of `params!` says at its end; where it says nothing, always.
macro_rules! acts {
    () => {
        Acts::Always
    };
    ($acts:expr) => {
        $acts
    };
}

/// From lines `name = default, min..=max, step;` makes [`Params`], its default and its description. A number that does
/// nothing in some searches says so: `name = default, min..=max, step, Acts::OnClock;`.
macro_rules! params {
    (
        $($(#[$doc:meta])* $name:ident = $default:literal, $min:literal ..= $max:literal, $step:literal
            $(, $acts:expr)?;)*
    ) => {
        /// All numbers of the search.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct Params {
            $($(#[$doc])* pub $name: i32,)*
        }

        impl Params {
            /// What is played with.
            pub const DEFAULT: Params = Params { $($name: $default,)* };
            /// What there is, in the order of declaration.
            pub const ALL: &[Param] = &[$(
                Param {
                    name: stringify!($name),
                    default: $default,
                    min: $min,
                    max: $max,
                    step: $step,
                    acts: acts!($($acts)?),
                },
            )*];

            /// The number of this name.
            #[cfg(feature = "tuning")]
            fn get_mut(&mut self, name: &str) -> Option<&mut i32> {
                match name {
                    $(stringify!($name) => Some(&mut self.$name),)*
                    _ => None,
                }
            }
        }
    };
}

params! {
    /// What is added to the material of both sides, in hundredths of a pawn, before the evaluation is
    /// multiplied by that sum and divided by 32768.
    material_base = 25494, 16000..=32000, 1000;

    /// Razoring's margin below alpha...
    razor_base = 240, 0..=600, 40;
    /// ...and what the square of the depth adds to it.
    razor_margin = 250, 50..=600, 30;

    /// Shallowest node that tries ProbCut.
    probcut_depth = 5, 3..=10, 1;
    /// Margin above beta that a capture must reach.
    probcut_margin = 220, 50..=400, 35;
    /// ...less this where the side to move is improving.
    probcut_improving = 60, 0..=200, 15;
    /// Plies that the capture is searched less deep than the node.
    probcut_reduction = 3, 2..=6, 1;

    /// Deepest node that reverse futility pruning (RFP) may leave.
    reverse_futility_depth = 11, 3..=14, 1;
    /// Margin above beta it asks for: this...
    reverse_futility_base = 43, -50..=100, 12;
    /// ...and so much a ply of depth...
    reverse_futility_margin = 63, 30..=200, 12;
    /// ...less where the side to move is improving...
    reverse_futility_improving = 40, 0..=200, 12;
    /// ...and less at a node of which the table knows nothing, from the depth of IIR on (`unordered_depth`).
    reverse_futility_unknown = 60, 0..=200, 14;
    /// The margin is larger by this many percent of the size of the evaluation's correction.
    reverse_futility_correction = 50, 0..=200, 20;
    /// Of what exceeds beta, percent that counts in its score.
    reverse_futility_share = 33, 0..=100, 8;

    /// Shallowest node that tries a null move (NMP).
    null_move_depth = 3, 1..=6, 1;
    /// A null move asks that the evaluation exceed beta by this...
    null_move_base = 126, 0..=400, 25;
    /// ...less so much a ply of depth...
    null_move_margin = 18, 0..=40, 4;
    /// ...and less where the side to move is improving, if that is more than nothing.
    null_move_improving = 29, 0..=200, 15;
    /// Plies a null move is reduced by, one more where the table's move is a capture or promotion...
    null_move_reduction = 4, 1..=6, 1;
    /// ...beside the depth divided by this.
    null_move_divisor = 3, 2..=8, 1;
    /// Depth from which a null move that fails high is verified.
    verification_depth = 14, 6..=30, 2;
    /// One ply more for each of these above beta, up to three.
    null_move_eval_step = 200, 50..=500, 40;

    /// Late-move pruning (LMP) allows this many moves and the square of the depth, half of it where the side
    /// is not improving.
    late_moves = 8, 0..=12, 1;
    /// The reduced depth by which a quiet move is pruned is a ply more for each so much that history rates
    /// it above zero, and less below.
    pruning_history = 11094, 2000..=40000, 1500;
    /// Deepest node, after reduction, whose quiet moves may be futile.
    futility_depth = 9, 2..=14, 1;
    /// Futility's margin below alpha...
    futility_base = 15, 0..=400, 30;
    /// ...what each ply of reduced depth adds to it...
    futility_margin = 38, 20..=250, 20;
    /// ...and a centipawn more for each so much that history rates the move above zero.
    futility_history = 533, 50..=2000, 60;
    /// The same margin for captures that lose material...
    futility_noisy_base = 20, 0..=300, 30;
    /// ...and what each ply of reduced depth adds to it.
    futility_noisy_margin = 105, 20..=300, 20;
    /// Deepest node, after reduction, that prunes by history.
    history_pruning_depth = 4, 1..=8, 1;
    /// It prunes what history rates below minus this, per ply of depth.
    history_pruning_margin = 6666, 500..=12000, 600;
    /// SEE pruning: a quiet move may lose this much by exchange, times the square of the reduced depth.
    see_quiet_margin = 31, 0..=100, 5;
    /// Deepest node that prunes losing captures.
    see_noisy_depth = 8, 2..=14, 1;
    /// A capture may lose this much by exchange, per ply of depth.
    see_noisy_margin = 122, 20..=300, 20;

    /// Shallowest node that reduces late moves (LMR).
    reduction_depth = 2, 2..=6, 1;
    /// First move that is reduced, counted from 1 (one later on the principal variation).
    reduction_move = 3, 1..=8, 1;
    /// Plies a late move is reduced by: this, in hundredths...
    reduction_base = 117, 0..=200, 20;
    /// ...and the product of the logarithms of depth and move number by this, in hundredths.
    reduction_divisor = 216, 100..=500, 35;
    /// A ply less for this much merit by history.
    reduction_history = 9392, 2000..=40000, 2000;
    /// Less for a killer, in 1024ths of a ply.
    reduction_killer = 991, 0..=3072, 200;
    /// More at a node expected to fail high, in 1024ths of a ply.
    reduction_cut = 903, 0..=4096, 250;
    /// More where the side to move is not improving, in 1024ths of a ply.
    reduction_worsening = 843, 0..=3072, 200;
    /// A ply more where more than so many moves of the node and its siblings have been refuted by a cut-off.
    reduction_cutoffs = 3, 0..=12, 1;
    /// Less by this many 1024ths of a ply for each centipawn of the evaluation's correction...
    reduction_correction = 9, 0..=64, 5;
    /// ...at most so much.
    reduction_correction_most = 1024, 0..=3072, 200;
    /// More at a node expected to fail high of which the table knows no move, in 1024ths of a ply.
    reduction_unknown = 1277, 0..=4096, 250;
    /// More where the table's move is a capture or promotion, in 1024ths of a ply.
    reduction_noisy = 961, 0..=3072, 200;
    /// More where a node of a former principal variation has since failed low, in 1024ths of a ply.
    reduction_fallen = 1475, 0..=3072, 200;
    /// A reduced node is searched a ply less deep where both sides' evaluations add up to more than this:
    /// its side stands better than its opponent saw before the move.
    hindsight_margin = 58, 0..=300, 20;
    /// A reduced move that exceeds the node's best score by this and twice its depth is searched a ply
    /// deeper than nominal.
    deeper_margin = 41, 0..=200, 10;
    /// One that exceeds it by this and twice its depth is searched two plies deeper.
    much_deeper_margin = 120, 40..=500, 20;
    /// One that exceeds it by less than this is searched a ply less deep than nominal.
    shallower_margin = 5, 0..=50, 3;

    /// Shallowest node that asks whether the table's move is singular.
    singular_depth = 6, 4..=12, 1;
    /// How many plies shallower than the node the table's entry may be for that.
    singular_table_depth = 3, 1..=6, 1;
    /// How far below the table's score the other moves must stay, in eighths of a centipawn per ply.
    singular_margin = 15, 2..=40, 4;
    /// How much further for an extension of two plies.
    double_margin = 32, 0..=80, 5;
    /// Extensions of more than a ply that one path may have.
    doubles_on_a_path = 8, 0..=16, 1;

    /// Shallowest PV or expected cut node that is reduced by a ply because the table knows no move (IIR).
    unordered_depth = 4, 2..=10, 1;

    /// Bonus of a quiet move that cuts off, in its own history: this times depth, at most so much...
    quiet_bonus = 406, 40..=800, 50;
    /// See [`Self::quiet_bonus`].
    quiet_bonus_most = 2718, 500..=8000, 350;
    /// ...and malus of those tried before it.
    quiet_malus = 201, 40..=800, 40;
    /// See [`Self::quiet_malus`].
    quiet_malus_most = 1063, 300..=8000, 200;
    /// The same in the histories by earlier moves, where an offset is taken off the bonus.
    continued_bonus = 192, 20..=500, 25;
    /// See [`Self::continued_bonus`].
    continued_offset = 60, 0..=500, 20;
    /// See [`Self::continued_bonus`].
    continued_bonus_most = 1523, 300..=8000, 300;
    /// See [`Self::continued_bonus`].
    continued_malus = 239, 20..=500, 30;
    /// See [`Self::continued_bonus`].
    continued_malus_most = 1363, 300..=8000, 200;
    /// The same for captures.
    capture_bonus = 279, 40..=800, 40;
    /// See [`Self::capture_bonus`].
    capture_bonus_most = 2000, 500..=8000, 300;
    /// See [`Self::capture_bonus`].
    capture_malus = 310, 40..=800, 40;
    /// See [`Self::capture_bonus`].
    capture_malus_most = 1500, 300..=8000, 300;
    /// Percent of a quiet move's malus that the next one tried gets.
    malus_fade = 95, 70..=100, 4;

    /// What a quiet move's history learns from what comes of it, without a cut-off at its own node: slope
    /// times depth less the offset, at most so much.
    outcome_slope = 211, 40..=500, 40;
    /// See [`Self::outcome_slope`].
    outcome_offset = 100, 0..=500, 25;
    /// See [`Self::outcome_slope`].
    outcome_most = 710, 500..=8000, 350;
    /// A move was tried early if its number is at most this.
    early_moves = 2, 1..=6, 1;

    /// A quiet move's history learns this for each centipawn by which it improves the static evaluation of
    /// its side...
    prior_slope = 27, 0..=60, 5;
    /// ...beyond minus so many: it is worth something to be on move, and both evaluations are those of the
    /// side on move.
    prior_offset = 6, 0..=80, 8;
    /// It learns at least minus this...
    prior_least = 160, 0..=1000, 50;
    /// ...and at most this.
    prior_most = 500, 0..=2000, 100;
    /// Nodes that the table knows teach this only if shallower than so many plies.
    prior_depth = 6, 1..=20, 2;

    /// Largest error, in centipawns, that corrections of the evaluation learn from.
    correction_error = 44, 32..=512, 25;
    /// Weight of such an error: the depth and one, at most this...
    correction_weight = 16, 4..=64, 3;
    /// ...divided by this.
    correction_slowness = 81, 50..=1024, 12;
    /// Percent of that which a failure low weighs.
    correction_low = 150, 100..=200, 20;

    /// Depth from which the window is narrowed around the last score.
    aspiration_depth = 5, 2..=10, 1, Acts::In(Driver::Pvs);
    /// Half width of that window.
    aspiration_width = 21, 4..=80, 6, Acts::In(Driver::Pvs);
    /// ...and the square of the last score by this is added to it.
    aspiration_spread = 12000, 2000..=60000, 2000, Acts::In(Driver::Pvs);
    /// Most plies by which a search that failed high is repeated less deep.
    aspiration_reduction = 3, 0..=6, 1, Acts::In(Driver::Pvs);
    /// A bound of the window farther from zero than this is opened wholly.
    aspiration_most = 600, 100..=2000, 100, Acts::In(Driver::Pvs);

    /// Shortest stride of MTD(f) from its last answer to its next question, in centipawns.
    mtdf_stride = 4, 0..=50, 2, Acts::In(Driver::Mtdf);

    /// Percent of the soft time limit that a move deserves whose best move has long been the same...
    time_settled = 68, 30..=160, 8, Acts::OnClock;
    /// ...and what is added when it has just changed; half of that an iteration later, and so on.
    time_unsettled = 60, 0..=200, 15, Acts::OnClock;
    /// The same by effort: this many percent less the best move's share of the nodes...
    time_effort_base = 150, 100..=220, 12, Acts::OnClock;
    /// ...times this, in percent.
    time_effort_slope = 130, 0..=250, 20, Acts::OnClock;
    /// The same by trend: percent added for each centipawn that the score has fallen below the mean of those before.
    time_fall = 1, 0..=4, 1, Acts::OnClock;
    /// Largest fall or rise of the score, in centipawns, that counts for that.
    time_fall_most = 50, 0..=150, 12, Acts::OnClock;

    /// The same by the score: percent where it has long stayed within so many centipawns of the mean...
    time_steadied = 92, 50..=130, 5, Acts::OnClock;
    /// ...and what is added where it has just left it; half of that an iteration later, and so on.
    time_unsteady = 24, 0..=100, 6, Acts::OnClock;
    /// See [`Self::time_steadied`].
    time_steady = 10, 2..=40, 3, Acts::OnClock;
    /// Percent added for each time that the best move has changed in the last iteration.
    time_change = 10, 0..=60, 4, Acts::OnClock;
    /// Percent of an equal share of a sudden-death clock that a game's first move deserves...
    time_early = 40, 10..=150, 10, Acts::OnClock;
    /// ...and that a move deserves at the end of a long game...
    time_late = 190, 80..=300, 20, Acts::OnClock;
    /// ...with half of the way after so many moves.
    time_stage = 18, 5..=60, 4, Acts::OnClock;

    /// Qsearch skips captures that even with this margin do not reach alpha.
    quiescence_margin = 189, 40..=500, 40;
    /// After so many moves qsearch only looks at recaptures, promotions and checks.
    quiescence_moves = 2, 1..=8, 1;
    /// Nodes from which on a qsearch tries no further capture: more than one has in any position of the
    /// signature, while a swarm of pieces that can all take each other would keep it busy for seconds.
    quiescence_nodes = 2000, 200..=100000, 500;
}

impl Default for Params {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// The numbers that a search goes by: [`Params::DEFAULT`], or with the feature `tuning` any.
#[derive(Clone, Debug, Default)]
pub struct Tuning {
    #[cfg(feature = "tuning")]
    params: Params,
}

impl Deref for Tuning {
    type Target = Params;

    #[inline(always)]
    fn deref(&self) -> &Params {
        #[cfg(feature = "tuning")]
        return &self.params;
        #[cfg(not(feature = "tuning"))]
        return &Params::DEFAULT;
    }
}

impl Tuning {
    /// What [`Tuning::set`] may change: everything, or without the feature nothing.
    pub const OFFERED: &[Param] = if cfg!(feature = "tuning") { Params::ALL } else { &[] };

    /// Sets a number; false if none of this name is offered. Its range, outside of which a search may fail, is the
    /// caller's to check.
    #[cfg(feature = "tuning")]
    pub fn set(&mut self, name: &str, value: i32) -> bool {
        self.params.get_mut(name).map(|number| *number = value).is_some()
    }

    /// Sets a number; false, since none is offered.
    #[cfg(not(feature = "tuning"))]
    pub fn set(&mut self, _name: &str, _value: i32) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_number_lies_within_its_range_and_has_room_to_move() {
        for p in Params::ALL {
            assert!((p.min..=p.max).contains(&p.default), "{p:?}");
            assert!(p.step > 0 && p.step <= p.max - p.min, "{p:?}");
        }
        let names: BTreeSet<&str> = Params::ALL.iter().map(|p| p.name).collect();
        assert_eq!(names.len(), Params::ALL.len());
    }

    /// What the use of time reads does nothing without a clock, and what one driver reads nothing with the other.
    #[test]
    fn each_number_acts_where_it_is_read() {
        let between = |c: char| !c.is_ascii_alphanumeric() && c != '_';
        let reads = |source: &str, name: &str| source.split(between).any(|word| word == name);
        let drivers = include_str!("drivers.rs");
        let (before, mtdf) = drivers.split_once("\nfn close_in").expect("the driver MTD(f)");
        let (mtdf, after) = mtdf.split_once("\n}\n").expect("the end of a function");
        for param in Params::ALL {
            let by_pvs = reads(before, param.name) || reads(after, param.name);
            let read = [reads(include_str!("time.rs"), param.name), by_pvs, reads(mtdf, param.name)];
            let said = [Acts::OnClock, Acts::In(Driver::Pvs), Acts::In(Driver::Mtdf)];
            assert_eq!(said.map(|acts| acts == param.acts), read, "{}", param.name);
        }
    }
}
