//! The search's numbers, each declared once. Scores in centipawns, depths in plies.

use crate::score::Score;

/// Deepest node that reverse futility may leave.
pub const REVERSE_FUTILITY_DEPTH: i32 = 7;
/// Margin above beta it asks for, per ply of depth.
pub const REVERSE_FUTILITY_MARGIN: Score = 85;

/// Shallowest node that tries a null move.
pub const NULL_MOVE_DEPTH: i32 = 3;
/// Plies a null move is reduced by, beyond a quarter of the depth.
pub const NULL_MOVE_REDUCTION: i32 = 3;
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
pub const HISTORY_PRUNING_MARGIN: i32 = 2000;
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

/// History bonus of a cut-off: slope times depth less the offset, at most so much.
pub const HISTORY_SLOPE: i32 = 180;
/// See [`HISTORY_SLOPE`].
pub const HISTORY_OFFSET: i32 = 100;
/// See [`HISTORY_SLOPE`].
pub const HISTORY_MOST: i32 = 1800;

/// Depth from which the window is narrowed around the last score.
pub const ASPIRATION_DEPTH: i32 = 5;
/// Half width of that window.
pub const ASPIRATION_WIDTH: Score = 20;
/// Beyond this half width the window is opened wholly.
pub const ASPIRATION_MOST: Score = 600;

/// Quiescence skips captures that even with this margin do not reach alpha.
pub const QUIESCENCE_MARGIN: Score = 180;
