//! Connect four: seven columns, six rows, four in a line win.
//!
//! The second game of the laboratory (F: the general method is not chess). Each side's men are a 49-bit set,
//! seven bits a column with an always empty one on top, so that lines of four are found by shifting (J.
//! Tromp's and M. Thill's layout). The value counts the lines of four that are still open to one side only.

use crate::node::{Node, Value, WIN};
use std::str::FromStr;

const COLUMNS: u8 = 7;
const ROWS: u8 = 6;
/// Bits in a column, the empty one included.
const STRIDE: u8 = ROWS + 1;

/// Lines open to one side count by how many men stand in them: 0, 1, 2, 3.
const LINE_VALUE: [Value; 4] = [0, 1, 6, 24];

/// A position. The side to move owns `mine`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConnectFour {
    mine: u64,
    theirs: u64,
}

/// Why a list of columns is no game.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub enum ColumnError {
    /// Not a column.
    #[error("{0:?} is not a column: connect four is written as the columns played, 1 to 7, as in 4453")]
    Column(char),
    /// The column was full, or the game already over.
    #[error("a man cannot fall into column {0} there")]
    Unplayable(char),
}

impl FromStr for ConnectFour {
    type Err = ColumnError;

    /// Reads the columns played from the empty board; the empty text is the empty board.
    fn from_str(text: &str) -> Result<Self, ColumnError> {
        let mut node = Self::start();
        for c in text.chars() {
            let column = c.to_digit(10).filter(|d| (1..=u32::from(COLUMNS)).contains(d));
            let column = column.ok_or(ColumnError::Column(c))? as u8 - 1;
            if !node.moves().contains(&column) {
                return Err(ColumnError::Unplayable(c));
            }
            node = node.child(column);
        }
        Ok(node)
    }
}

impl ConnectFour {
    /// The empty board.
    pub fn start() -> Self {
        Self { mine: 0, theirs: 0 }
    }

    fn occupied(&self) -> u64 {
        self.mine | self.theirs
    }

    /// Men on the board.
    pub fn men(&self) -> u32 {
        self.occupied().count_ones()
    }

    /// The 42 cells from the lowest row up, from left to right: `x` for the first player, `o` for the second,
    /// `.` for an empty one.
    pub fn cells(&self) -> [char; 42] {
        let (first, second) =
            if self.men().is_multiple_of(2) { (self.mine, self.theirs) } else { (self.theirs, self.mine) };
        std::array::from_fn(|cell| {
            let bit = 1u64 << (cell as u8 % COLUMNS * STRIDE + cell as u8 / COLUMNS);
            match (first & bit, second & bit) {
                (0, 0) => '.',
                (0, _) => 'o',
                _ => 'x',
            }
        })
    }

    /// Has the side that just moved completed four?
    pub fn is_lost(&self) -> bool {
        has_four(self.theirs)
    }
}

/// Is there a line of four in this set?
fn has_four(men: u64) -> bool {
    [1, STRIDE - 1, STRIDE, STRIDE + 1].into_iter().any(|step| {
        let pairs = men & (men >> step);
        pairs & (pairs >> (2 * step)) != 0
    })
}

/// The 69 lines of four.
static LINES: [u64; 69] = lines();

const fn lines() -> [u64; 69] {
    let steps: [(i8, i8); 4] = [(1, 0), (0, 1), (1, 1), (1, -1)];
    let (mut all, mut count, mut s) = ([0; 69], 0, 0);
    while s < 4 {
        let (dx, dy) = steps[s];
        let mut cell = 0;
        while cell < (COLUMNS * ROWS) as i8 {
            let (x, y) = (cell % COLUMNS as i8, cell / COLUMNS as i8);
            let (last_x, last_y) = (x + 3 * dx, y + 3 * dy);
            if last_x < COLUMNS as i8 && last_y >= 0 && last_y < ROWS as i8 {
                let (mut man, mut line) = (0, 0u64);
                while man < 4 {
                    line |= 1 << ((x + man * dx) * STRIDE as i8 + y + man * dy);
                    man += 1;
                }
                all[count] = line;
                count += 1;
            }
            cell += 1;
        }
        s += 1;
    }
    all
}

impl Node for ConnectFour {
    type Move = u8;
    const MOVE_CODES: usize = 2 * 64;
    const GOAL: Value = WIN;

    fn moves(&self) -> Vec<u8> {
        if self.is_lost() {
            return Vec::new();
        }
        let top = |column: u8| 1u64 << (column * STRIDE + ROWS - 1);
        (0..COLUMNS).filter(|&column| self.occupied() & top(column) == 0).collect()
    }

    fn child(&self, column: u8) -> Self {
        let man = (self.occupied() + (1 << (column * STRIDE))) & (((1 << ROWS) - 1) << (column * STRIDE));
        let man = man & !self.occupied();
        Self { mine: self.theirs, theirs: self.mine | man }
    }

    fn evaluate(&self) -> Value {
        if self.is_lost() {
            return -WIN;
        }
        LINES
            .iter()
            .map(|line| match ((self.mine & line).count_ones(), (self.theirs & line).count_ones()) {
                (mine, 0) => LINE_VALUE[mine.min(3) as usize],
                (0, theirs) => -LINE_VALUE[theirs.min(3) as usize],
                _ => 0,
            })
            .sum()
    }

    fn final_value(&self, height: u32) -> Value {
        if self.is_lost() { -WIN - height as Value } else { 0 }
    }

    fn key(&self) -> u64 {
        super::synthetic::mix(super::synthetic::mix(self.mine) ^ self.theirs)
    }

    fn mirror_key(&self) -> Option<u64> {
        Some(Self { mine: turned(self.mine), theirs: turned(self.theirs) }.key())
    }

    fn mirrored(&self, column: u8) -> u8 {
        COLUMNS - 1 - column
    }

    /// The cell where the man comes to lie, and whose it is.
    fn move_code(&self, column: u8) -> usize {
        let height = (self.occupied() >> (column * STRIDE) & ((1 << STRIDE) - 1)).count_ones() as usize;
        usize::from(column * STRIDE) + height + 64 * (self.men() % 2) as usize
    }

    /// The middle first.
    fn static_order(&self, column: u8) -> i32 {
        -(i32::from(column) - 3).abs()
    }

    /// Passing is no move of this game, but the search may ask what it would be worth. Not when the
    /// opponent would win at once: that is this game's check.
    fn pass(&self) -> Option<Self> {
        (!self.in_check()).then_some(Self { mine: self.theirs, theirs: self.mine })
    }

    fn in_check(&self) -> bool {
        let passed = Self { mine: self.theirs, theirs: self.mine };
        !self.is_lost() && self.moves().into_iter().any(|m| passed.child(m).is_lost())
    }

    fn name(&self, column: u8) -> String {
        (column + 1).to_string()
    }
}

/// The columns in reverse order.
fn turned(men: u64) -> u64 {
    let column = |i: u8| (men >> (i * STRIDE) & ((1 << STRIDE) - 1)) << ((COLUMNS - 1 - i) * STRIDE);
    (0..COLUMNS).map(column).fold(0, |board, column| board | column)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mirror_image_is_the_game_with_columns_exchanged() {
        for columns in ["", "4453", "1122334", "12233434"] {
            let image: String = columns.chars().map(|c| (b'8' - c as u8 + b'0') as char).collect();
            let (node, image): (ConnectFour, ConnectFour) =
                (columns.parse().unwrap(), image.parse().unwrap());
            assert_eq!((node.mirror_key(), image.mirror_key()), (Some(image.key()), Some(node.key())));
            assert_eq!(node.evaluate(), image.evaluate());
            assert_eq!(node.child(node.mirrored(0)).mirror_key(), Some(image.child(0).key()));
        }
    }

    /// Positions after `plies` moves, counted by the order of play, up to the first four.
    fn games(node: &ConnectFour, plies: u32) -> u64 {
        if plies == 0 {
            return 1;
        }
        node.moves().into_iter().map(|m| games(&node.child(m), plies - 1)).sum()
    }

    #[test]
    fn the_tree_has_the_size_that_counting_gives() {
        // No line of four before the seventh man and no full column before the seventh in it:
        // 7^6 ways; with seven men, 7 of the 7^7 would overfill a column, and some games have ended.
        assert_eq!(games(&ConnectFour::start(), 6), 7u64.pow(6));
        assert_eq!(games(&ConnectFour::start(), 7), 7u64.pow(7) - 7);
    }

    #[test]
    fn four_in_any_direction_end_the_game() {
        for (columns, what) in
            [("1212121", "up"), ("1122334", "along"), ("12233434464", "rising"), ("76655454424", "falling")]
        {
            let node: ConnectFour = columns.parse().unwrap();
            assert!(node.is_lost() && node.moves().is_empty(), "{what}");
            let before: ConnectFour = columns[..columns.len() - 1].parse().unwrap();
            assert!(!before.is_lost(), "{what} one man early");
        }
        assert_eq!("8".parse::<ConnectFour>().unwrap_err(), ColumnError::Column('8'));
        assert_eq!("1111111".parse::<ConnectFour>().unwrap_err(), ColumnError::Unplayable('1'));
    }

    #[test]
    fn lines_are_the_sixty_nine_that_geometry_gives() {
        // 4 x 6 along, 7 x 3 up, 4 x 3 on either diagonal.
        assert_eq!(4 * 6 + 7 * 3 + 2 * 4 * 3, 69);
        let distinct: std::collections::HashSet<u64> = LINES.into_iter().collect();
        assert_eq!(distinct.len(), 69);
        assert!(LINES.iter().all(|&line| line.count_ones() == 4 && has_four(line)));
    }
}
