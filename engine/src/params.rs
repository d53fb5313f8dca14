//! The search's numbers, each declared once. Scores in centipawns, depths in plies.

use crate::score::Score;

/// Deepest node that is razored.
pub const RAZOR_DEPTH: i32 = 3;
/// Razoring's margin below alpha...
pub const RAZOR_BASE: Score = 200;
/// ...and what the square of the depth adds to it.
pub const RAZOR_MARGIN: Score = 120;

/// Shallowest node that tries ProbCut.
pub const PROBCUT_DEPTH: i32 = 5;
/// Margin above beta that a capture must reach.
pub const PROBCUT_MARGIN: Score = 170;
/// Plies that the capture is searched less deep than the node.
pub const PROBCUT_REDUCTION: i32 = 4;

/// Deepest node that reverse futility may leave.
pub const REVERSE_FUTILITY_DEPTH: i32 = 7;
/// Margin above beta it asks for, per ply of depth.
pub const REVERSE_FUTILITY_MARGIN: Score = 85;

/// Shallowest node that tries a null move.
pub const NULL_MOVE_DEPTH: i32 = 3;
/// Plies a null move is reduced by...
pub const NULL_MOVE_REDUCTION: i32 = 3;
/// ...beside the depth divided by this.
pub const NULL_MOVE_DIVISOR: i32 = 3;
/// Depth from which a null move that fails high is verified.
pub const VERIFICATION_DEPTH: i32 = 14;
/// One ply more for each of these above beta, up to three.
pub const NULL_MOVE_EVAL_STEP: Score = 200;

/// Late-move pruning allows this many moves and the square of the depth, half of it where the side is not improving.
pub const LATE_MOVES: i32 = 3;
/// Deepest node, after reduction, whose quiet moves may be futile.
pub const FUTILITY_DEPTH: i32 = 6;
/// Futility's margin below alpha...
pub const FUTILITY_BASE: Score = 90;
/// ...and what each ply of reduced depth adds to it.
pub const FUTILITY_MARGIN: Score = 90;
/// Deepest node, after reduction, that prunes by history.
pub const HISTORY_PRUNING_DEPTH: i32 = 4;
/// It prunes what history rates below minus this, per ply of depth.
pub const HISTORY_PRUNING_MARGIN: i32 = 3000;
/// A quiet move may lose this much by exchange, times the square of the reduced depth.
pub const SEE_QUIET_MARGIN: Score = 25;
/// Deepest node that prunes losing captures.
pub const SEE_NOISY_DEPTH: i32 = 8;
/// A capture may lose this much by exchange, per ply of depth.
pub const SEE_NOISY_MARGIN: Score = 100;

/// Shallowest node that reduces late moves.
pub const REDUCTION_DEPTH: i32 = 3;
/// First move that is reduced, counted from 1 (one later on the principal variation).
pub const REDUCTION_MOVE: usize = 3;
/// Plies a late move is reduced by: this...
pub const REDUCTION_BASE: f64 = 0.75;
/// ...and the product of the logarithms of depth and move number by this.
pub const REDUCTION_DIVISOR: f64 = 2.25;
/// A ply less for this much merit by history.
pub const REDUCTION_HISTORY: i32 = 9000;
/// Less for a killer, in 1024ths of a ply.
pub const REDUCTION_KILLER: i32 = 1024;
/// More at a node expected to fail high, in 1024ths of a ply.
pub const REDUCTION_CUT: i32 = 1536;
/// More where the side to move is not improving, in 1024ths of a ply.
pub const REDUCTION_WORSENING: i32 = 768;
/// More for a quiet move where the table's move is none, in 1024ths of a ply.
pub const REDUCTION_NOISY_TABLE: i32 = 768;
/// A reduced move that exceeds alpha by this and twice its depth is searched a ply deeper than nominal.
pub const DEEPER_MARGIN: Score = 40;
/// One that exceeds alpha by less than this is searched a ply less deep than nominal.
pub const SHALLOWER_MARGIN: Score = 8;

/// Shallowest node that asks whether the table's move is singular.
pub const SINGULAR_DEPTH: i32 = 7;
/// How many plies shallower than the node the table's entry may be for that.
pub const SINGULAR_TABLE_DEPTH: i32 = 3;
/// How far below the table's score the other moves must stay, in eighths of a centipawn per ply.
pub const SINGULAR_MARGIN: Score = 12;
/// How much further for an extension of two plies.
pub const DOUBLE_MARGIN: Score = 18;
/// Extensions of more than a ply that one path may have.
pub const DOUBLES_ON_A_PATH: u16 = 8;

/// Shallowest node that is reduced by a ply because the table knows no move.
pub const UNORDERED_DEPTH: i32 = 4;

/// History bonus of a cut-off: slope times depth less the offset, at most so much.
pub const HISTORY_SLOPE: i32 = 180;
/// See [`HISTORY_SLOPE`].
pub const HISTORY_OFFSET: i32 = 100;
/// See [`HISTORY_SLOPE`].
pub const HISTORY_MOST: i32 = 1800;

/// Largest error, in centipawns, that corrections of the evaluation learn from.
pub const CORRECTION_ERROR: Score = 128;
/// Weight of such an error: the depth and one, at most this...
pub const CORRECTION_WEIGHT: i32 = 16;
/// ...divided by this.
pub const CORRECTION_SLOWNESS: i32 = 512;

/// Depth from which the window is narrowed around the last score.
pub const ASPIRATION_DEPTH: i32 = 5;
/// Half width of that window.
pub const ASPIRATION_WIDTH: Score = 20;
/// Beyond this half width the window is opened wholly.
pub const ASPIRATION_MOST: Score = 600;

/// Quiescence skips captures that even with this margin do not reach alpha.
pub const QUIESCENCE_MARGIN: Score = 180;
/// Nodes from which on a quiescence search tries no further capture: more than one has in any position of the signature,
/// while a swarm of pieces that can all take each other would keep it busy for seconds.
pub const QUIESCENCE_NODES: u64 = 2000;
