//! Which weight stands where: the groups of weights and their places in the one table [`super::weights::WEIGHTS`].
//!
//! The terms name weights by these places, the tuner learns by them, and the generated table is written group by group.
//! How a group is added stands in docs/data.md.

use std::ops::Range;

/// Weights that belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Group {
    /// Its name, in words.
    pub name: &'static str,
    /// What its weights mean and how they are indexed.
    pub meaning: &'static str,
    /// The place of its first weight.
    pub first: usize,
    /// How many weights it has.
    pub size: usize,
}

impl Group {
    /// The places of its weights.
    pub const fn places(self) -> Range<usize> {
        self.first..self.first + self.size
    }

    /// The place of the group's weight number `index`.
    #[inline]
    pub const fn at(self, index: usize) -> usize {
        debug_assert!(index < self.size);
        self.first + index
    }
}

/// From lines `GROUP: "name", size, "meaning";` makes a constant of each group, which begins where the one before it
/// ends, [`GROUPS`] and [`COUNT`].
macro_rules! groups {
    ($($group:ident: $name:literal, $size:expr, $meaning:literal;)*) => {
        groups!(from 0; $($group: $name, $size, $meaning;)*);

        /// All groups in order.
        pub static GROUPS: &[Group] = &[$($group),*];
    };
    (from $first:expr;) => {
        /// How many weights there are.
        pub const COUNT: usize = $first;
    };
    (from $first:expr; $group:ident: $name:literal, $size:expr, $meaning:literal; $($rest:tt)*) => {
        #[doc = $meaning]
        pub const $group: Group = Group { name: $name, meaning: $meaning, first: $first, size: $size };
        groups!(from $group.first + $group.size; $($rest)*);
    };
}

/// Kinds that have a table of squares around a king: all but the king.
pub const AROUND_KINDS: usize = 5;
/// Squares around a king: 0 to 7 files away to either side, and 7 ranks behind to 7 ahead.
pub const AROUND: usize = 8 * 15;
/// Most squares a piece can have for moves, and one.
pub const MOBILITY_STEPS: usize = 28;
/// Steps of [`KING_DANGER`].
pub const DANGER_STEPS: usize = 64;

groups! {
    TEMPO: "tempo", 1, "The right to move.";
    MATERIAL: "material", 6, "A piece, by kind; kings are always both there.";
    BISHOP_PAIR: "bishop pair", 1, "Two bishops.";
    PSQT: "PSQT", 6 * 64,
        "A piece's square, by kind, rank and file as its owner sees it; mirrored if the own king is on \
         files a to d.";
    PSQT_OWN_KING: "PSQT, own king", AROUND_KINDS * AROUND,
        "A piece's place around its own king, by kind (no kings), ranks ahead (from -7) and files aside \
         (from 0).";
    PSQT_ENEMY_KING: "PSQT, enemy king", AROUND_KINDS * AROUND,
        "A piece's place around the enemy king, by kind (no kings), ranks ahead (from -7) and files aside \
         (from 0).";
    MOBILITY: "mobility", 4 * MOBILITY_STEPS,
        "Squares that a knight, bishop, rook or queen may go to, own king and pawns and enemy pawns' \
         attacks left out.";
    ROOK_OPEN_FILE: "rook on open file", 1, "A rook on a file without pawns.";
    ROOK_HALF_OPEN_FILE: "rook on half-open file", 1, "A rook on a file without own pawns.";
    GUARDED_MINOR: "guarded minor", 2, "A knight or bishop guarded by a pawn.";
    OUTPOST: "outpost", 2,
        "A knight or bishop in the enemy half, guarded by a pawn, that no enemy pawn can come to attack.";
    BISHOP_PAWNS: "bishop's pawns", 9, "A bishop, by the number of own pawns on squares of its colour.";
    DOUBLED: "doubled", 1, "A pawn with another of its own in front of it on its file.";
    ISOLATED: "isolated", 2,
        "A pawn without own pawns on the neighbouring files, with an enemy pawn ahead on its own and \
         without.";
    BACKWARD: "backward", 2,
        "A pawn with no own pawn beside or behind it on the neighbouring files, whose next square an enemy \
         pawn attacks; with an enemy pawn ahead on its file and without.";
    GUARDED_PAWN: "guarded pawn", 8, "A pawn guarded by a pawn, by rank.";
    PHALANX: "phalanx", 8, "A pawn with an own pawn beside it, by rank.";
    PASSED: "passed", 8, "A passed pawn, by rank.";
    PASSED_BLOCKED: "passed, blocked", 8, "A passed pawn whose next square is occupied, by rank.";
    PASSED_FREE: "passed, free", 8,
        "A passed pawn whose next square is empty and not attacked by the enemy, by rank.";
    PASSED_GUARDED: "passed, guarded", 8, "A passed pawn guarded by a pawn, by rank.";
    PASSED_OWN_KING: "passed, own king", 4 * 8,
        "A passed pawn on the fourth to the seventh rank, by rank and the own king's steps to its next \
         square.";
    PASSED_ENEMY_KING: "passed, enemy king", 4 * 8,
        "A passed pawn on the fourth to the seventh rank, by rank and the enemy king's steps to its next \
         square.";
    THREAT_BY_PAWN: "threat by pawn", 6, "An enemy piece attacked by a pawn, by kind.";
    THREAT_BY_MINOR: "threat by minor", 6,
        "An enemy piece attacked by a knight or bishop and not guarded by a pawn, by kind.";
    THREAT_BY_ROOK: "threat by rook", 6,
        "An enemy piece attacked by a rook and not guarded by a pawn, by kind.";
    HANGING: "hanging", 6, "An enemy piece that is attacked and not guarded, by kind.";
    PUSH_THREAT: "push threat", 1,
        "An enemy piece that a pawn can attack after a step to a square not attacked by pawns.";
    KING_DANGER: "king danger", DANGER_STEPS,
        "Two attackers or more on the squares at the enemy king, by the sum of what each brings.";
    SAFE_CHECK: "safe check", 4 * 2,
        "Knight, bishop, rook or queen can check on one square that the enemy does not attack, or on \
         several.";
    KING_HALF_OPEN_FILES: "half-open files at king", 4,
        "The king's own and neighbouring files without own pawns, open ones among them, by number.";
    KING_OPEN_FILES: "open files at king", 4,
        "The king's own and neighbouring files without any pawns, by number.";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_groups_fill_the_table_without_gaps() {
        let mut next = 0;
        for group in GROUPS {
            assert_eq!(group.first, next, "{}", group.name);
            next += group.size;
        }
        assert_eq!(next, COUNT);
    }
}
