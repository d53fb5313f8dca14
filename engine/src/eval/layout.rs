//! Which weight stands where: the groups of weights and their places in the one table [`super::weights::WEIGHTS`].
//!
//! The terms name weights by these places, the tuner learns by them, and the generated table is written group by group.

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
    const fn opening(name: &'static str, meaning: &'static str, size: usize) -> Self {
        Group { name, meaning, first: 0, size }
    }

    /// The group that follows this one.
    const fn then(self, name: &'static str, meaning: &'static str, size: usize) -> Self {
        Group { name, meaning, first: self.first + self.size, size }
    }

    /// The place of the group's weight number `index`.
    #[inline]
    pub const fn at(self, index: usize) -> usize {
        debug_assert!(index < self.size);
        self.first + index
    }
}

/// Kinds that have a table of squares around a king: all but the king.
pub const AROUND_KINDS: usize = 5;
/// Squares around a king: 0 to 7 files away to either side, and 7 ranks behind to 7 ahead.
pub const AROUND: usize = 8 * 15;
/// Most squares a piece can have for moves, and one.
pub const MOBILITY_STEPS: usize = 28;
/// Steps of [`KING_DANGER`].
pub const DANGER_STEPS: usize = 64;

/// See its meaning.
pub const TEMPO: Group = Group::opening("tempo", "The right to move.", 1);
/// See its meaning.
pub const MATERIAL: Group = TEMPO.then("material", "A piece, by kind; kings are always both there.", 6);
/// See its meaning.
pub const BISHOP_PAIR: Group = MATERIAL.then("bishop pair", "Two bishops.", 1);
/// See its meaning.
pub const PSQT: Group = BISHOP_PAIR.then(
    "PSQT",
    "A piece's square, by kind, rank and file as its owner sees it; mirrored if the own king is on files a to d.",
    6 * 64,
);
/// See its meaning.
pub const PSQT_OWN_KING: Group = PSQT.then(
    "PSQT, own king",
    "A piece's place around its own king, by kind (no kings), ranks ahead (from -7) and files aside (from 0).",
    AROUND_KINDS * AROUND,
);
/// See its meaning.
pub const PSQT_ENEMY_KING: Group = PSQT_OWN_KING.then(
    "PSQT, enemy king",
    "A piece's place around the enemy king, by kind (no kings), ranks ahead (from -7) and files aside (from 0).",
    AROUND_KINDS * AROUND,
);
/// See its meaning.
pub const MOBILITY: Group = PSQT_ENEMY_KING.then(
    "mobility",
    "Squares that a knight, bishop, rook or queen may go to, own king and pawns and enemy pawns' attacks left out.",
    4 * MOBILITY_STEPS,
);
/// See its meaning.
pub const ROOK_OPEN_FILE: Group = MOBILITY.then("open file", "A rook on a file without pawns.", 1);
/// See its meaning.
pub const ROOK_HALF_OPEN_FILE: Group =
    ROOK_OPEN_FILE.then("half-open file", "A rook on a file without own pawns.", 1);
/// See its meaning.
pub const GUARDED_MINOR: Group =
    ROOK_HALF_OPEN_FILE.then("guarded minor", "A knight or bishop guarded by a pawn.", 2);
/// See its meaning.
pub const OUTPOST: Group = GUARDED_MINOR.then(
    "outpost",
    "A knight or bishop in the enemy half, guarded by a pawn, that no enemy pawn can come to attack.",
    2,
);
/// See its meaning.
pub const BISHOP_PAWNS: Group =
    OUTPOST.then("bishop's pawns", "A bishop, by the number of own pawns on squares of its colour.", 9);
/// See its meaning.
pub const DOUBLED: Group =
    BISHOP_PAWNS.then("doubled", "A pawn with another of its own in front of it on its file.", 1);
/// See its meaning.
pub const ISOLATED: Group = DOUBLED.then(
    "isolated",
    "A pawn without own pawns on the neighbouring files, with an enemy pawn ahead on its own and without.",
    2,
);
/// See its meaning.
pub const BACKWARD: Group = ISOLATED.then(
    "backward",
    "A pawn with no own pawn beside or behind it on the neighbouring files, whose next square an enemy pawn attacks; \
     with an enemy pawn ahead on its file and without.",
    2,
);
/// See its meaning.
pub const GUARDED_PAWN: Group = BACKWARD.then("guarded pawn", "A pawn guarded by a pawn, by rank.", 8);
/// See its meaning.
pub const PHALANX: Group = GUARDED_PAWN.then("phalanx", "A pawn with an own pawn beside it, by rank.", 8);
/// See its meaning.
pub const PASSED: Group = PHALANX.then("passed", "A passed pawn, by rank.", 8);
/// See its meaning.
pub const PASSED_BLOCKED: Group =
    PASSED.then("passed, blocked", "A passed pawn whose next square is occupied, by rank.", 8);
/// See its meaning.
pub const PASSED_FREE: Group = PASSED_BLOCKED.then(
    "passed, free",
    "A passed pawn whose next square is empty and not attacked by the enemy, by rank.",
    8,
);
/// See its meaning.
pub const PASSED_GUARDED: Group =
    PASSED_FREE.then("passed, guarded", "A passed pawn guarded by a pawn, by rank.", 8);
/// See its meaning.
pub const PASSED_OWN_KING: Group = PASSED_GUARDED.then(
    "passed, own king",
    "A passed pawn on the fourth to the seventh rank, by rank and the own king's steps to its next square.",
    4 * 8,
);
/// See its meaning.
pub const PASSED_ENEMY_KING: Group = PASSED_OWN_KING.then(
    "passed, enemy king",
    "A passed pawn on the fourth to the seventh rank, by rank and the enemy king's steps to its next square.",
    4 * 8,
);
/// See its meaning.
pub const THREAT_BY_PAWN: Group =
    PASSED_ENEMY_KING.then("threat by pawn", "An enemy piece attacked by a pawn, by kind.", 6);
/// See its meaning.
pub const THREAT_BY_MINOR: Group = THREAT_BY_PAWN.then(
    "threat by minor",
    "An enemy piece attacked by a knight or bishop and not guarded by a pawn, by kind.",
    6,
);
/// See its meaning.
pub const THREAT_BY_ROOK: Group = THREAT_BY_MINOR.then(
    "threat by rook",
    "An enemy piece attacked by a rook and not guarded by a pawn, by kind.",
    6,
);
/// See its meaning.
pub const HANGING: Group =
    THREAT_BY_ROOK.then("hanging", "An enemy piece that is attacked and not guarded, by kind.", 6);
/// See its meaning.
pub const PUSH_THREAT: Group = HANGING.then(
    "push threat",
    "An enemy piece that a pawn can attack after a step to a square not attacked by pawns.",
    1,
);
/// See its meaning.
pub const KING_DANGER: Group = PUSH_THREAT.then(
    "king danger",
    "Two attackers or more on the squares at the enemy king, by the sum of what each brings.",
    DANGER_STEPS,
);
/// See its meaning.
pub const SAFE_CHECK: Group = KING_DANGER.then(
    "safe check",
    "Knight, bishop, rook or queen can check on one square that the enemy does not attack, or on several.",
    4 * 2,
);
/// See its meaning.
pub const KING_BARE_FILES: Group = SAFE_CHECK.then(
    "open files at king",
    "The king's own and neighbouring files without own pawns, by number.",
    4,
);
/// See its meaning.
pub const KING_OPEN_FILES: Group = KING_BARE_FILES.then(
    "open files",
    "The king's own and neighbouring files without any pawns, by number.",
    4,
);

/// All groups in order.
pub static GROUPS: [Group; 32] = [
    TEMPO,
    MATERIAL,
    BISHOP_PAIR,
    PSQT,
    PSQT_OWN_KING,
    PSQT_ENEMY_KING,
    MOBILITY,
    ROOK_OPEN_FILE,
    ROOK_HALF_OPEN_FILE,
    GUARDED_MINOR,
    OUTPOST,
    BISHOP_PAWNS,
    DOUBLED,
    ISOLATED,
    BACKWARD,
    GUARDED_PAWN,
    PHALANX,
    PASSED,
    PASSED_BLOCKED,
    PASSED_FREE,
    PASSED_GUARDED,
    PASSED_OWN_KING,
    PASSED_ENEMY_KING,
    THREAT_BY_PAWN,
    THREAT_BY_MINOR,
    THREAT_BY_ROOK,
    HANGING,
    PUSH_THREAT,
    KING_DANGER,
    SAFE_CHECK,
    KING_BARE_FILES,
    KING_OPEN_FILES,
];

/// How many weights there are.
pub const COUNT: usize = KING_OPEN_FILES.first + KING_OPEN_FILES.size;

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
