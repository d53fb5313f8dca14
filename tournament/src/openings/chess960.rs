//! The start positions of Chess960, in the numbering of Reinhard Scharnagl (2004): 518 is that of standard chess.

use chess::{FenError, Position};

/// How many there are.
pub(super) const COUNT: u16 = 960;

/// Where the two knights stand among the five squares that bishops and queen leave free.
const KNIGHTS: [(usize, usize); 10] =
    [(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)];

/// White's back rank, from the a-file.
fn back_rank(number: u16) -> String {
    let number = usize::from(number % COUNT);
    let mut files = [' '; 8];
    files[number % 4 * 2 + 1] = 'B';
    files[number / 4 % 4 * 2] = 'B';
    // On the squares that are free, counted from the a-file.
    let mut put = |piece: char, nth: usize| {
        if let Some(square) = files.iter_mut().filter(|square| **square == ' ').nth(nth) {
            *square = piece;
        }
    };
    put('Q', number / 16 % 6);
    let (first, second) = KNIGHTS[number / 96];
    put('N', second);
    put('N', first);
    for piece in ['R', 'K', 'R'] {
        put(piece, 0);
    }
    files.into_iter().collect()
}

/// A start position by its number.
pub(super) fn start(number: u16) -> Result<Position, FenError> {
    double(number, number)
}

/// A start position of double Chess960, by the numbers of White's and Black's.
pub(super) fn double(white: u16, black: u16) -> Result<Position, FenError> {
    let (white, black) = (back_rank(white), back_rank(black).to_lowercase());
    Position::from_fen(&format!("{black}/pppppppp/8/8/8/8/PPPPPPPP/{white} w KQkq - 0 1"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// All arrangements of the eight pieces that the rules allow, found by trying every one.
    fn allowed() -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        let mut arrange = vec![(String::new(), "BBKNNQRR".to_owned())];
        while let Some((placed, left)) = arrange.pop() {
            for (at, piece) in left.char_indices() {
                let rest = format!("{}{}", &left[..at], &left[at + 1..]);
                arrange.push((format!("{placed}{piece}"), rest));
            }
            let at = |piece| placed.match_indices(piece).map(|(file, _)| file).collect::<Vec<_>>();
            if let ([light, dark], [left_rook, right_rook], [king]) =
                (&at('B')[..], &at('R')[..], &at('K')[..])
                && left.is_empty()
                && light % 2 != dark % 2
                && (left_rook..right_rook).contains(&king)
            {
                found.insert(placed);
            }
        }
        found
    }

    #[test]
    fn all_start_positions_and_no_other() {
        let ours: BTreeSet<String> = (0..COUNT).map(back_rank).collect();
        assert_eq!(ours.len(), 960);
        assert_eq!(ours, allowed());
        assert_eq!(start(518).unwrap(), Position::startpos());
        // Ends of the table as Scharnagl's published list has them.
        assert_eq!((back_rank(0).as_str(), back_rank(959).as_str()), ("BBQNNRKR", "RKRNNQBB"));
    }
}
