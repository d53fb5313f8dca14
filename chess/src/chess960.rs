//! The start positions of Chess960, by their numbers (Scharnagl's scheme: 518 is chess).

use crate::Position;

/// How many ways the pieces may stand on their rank.
pub const STARTS: usize = 960;

/// Where the two knights stand among the five squares that bishops and queen leave free.
const KNIGHTS: [[usize; 2]; 10] =
    [[0, 1], [0, 2], [0, 3], [0, 4], [1, 2], [1, 3], [1, 4], [2, 3], [2, 4], [3, 4]];

/// The pieces of this number from file a to h, and the files of the two rooks; `number` is below [`STARTS`].
fn rank(number: usize) -> ([char; 8], [usize; 2]) {
    let mut pieces = [' '; 8];
    let (number, light) = (number / 4, number % 4);
    let (number, dark) = (number / 4, number % 4);
    let (knights, queen) = (number / 6, number % 6);
    pieces[2 * light + 1] = 'B';
    pieces[2 * dark] = 'B';
    let free = |pieces: &[char; 8]| -> Vec<usize> { (0..8).filter(|&file| pieces[file] == ' ').collect() };
    pieces[free(&pieces)[queen]] = 'Q';
    let squares = free(&pieces);
    KNIGHTS[knights].iter().for_each(|&knight| pieces[squares[knight]] = 'N');
    let squares = free(&pieces);
    for (&file, piece) in squares.iter().zip(['R', 'K', 'R']) {
        pieces[file] = piece;
    }
    (pieces, [squares[2], squares[0]])
}

impl Position {
    /// The start position in which White's pieces stand as in start position `white` of Chess960 and Black's as in
    /// `black`: "double" Chess960 where the two differ. `None` unless both are below [`STARTS`].
    pub fn chess960(white: usize, black: usize) -> Option<Position> {
        if white >= STARTS || black >= STARTS {
            return None;
        }
        let sides = [black, white].map(rank);
        let [black_rank, white_rank] = sides.map(|(pieces, _)| pieces.iter().collect::<String>());
        let [black_rooks, white_rooks] =
            sides.map(|(_, rooks)| rooks.map(|file| (b'A' + file as u8) as char).iter().collect::<String>());
        let fen = format!(
            "{}/pppppppp/8/8/8/8/PPPPPPPP/{white_rank} w {white_rooks}{} - 0 1",
            black_rank.to_lowercase(),
            black_rooks.to_lowercase()
        );
        Position::from_fen(&fen).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn name(number: usize) -> String {
        rank(number).0.iter().collect()
    }

    #[test]
    fn numbers_are_those_of_the_published_table() {
        // de.wikipedia.org, "Chess960", table of start positions.
        for (number, pieces) in
            [(0, "BBQNNRKR"), (1, "BQNBNRKR"), (518, "RNBQKBNR"), (534, "RNBKQBNR"), (959, "RKRNNQBB")]
        {
            assert_eq!(name(number), pieces);
        }
        assert_eq!(Position::chess960(518, 518), Some(Position::startpos()));
        assert_eq!(Position::chess960(960, 0), None);
        assert_eq!(Position::chess960(0, 960), None);
    }

    #[test]
    fn all_starts_differ_and_keep_the_rule_of_the_game() {
        let all: HashSet<String> = (0..STARTS).map(name).collect();
        assert_eq!(all.len(), STARTS);
        for pieces in all {
            let files = |wanted| -> Vec<usize> {
                pieces
                    .chars()
                    .enumerate()
                    .filter(|&(_, piece)| piece == wanted)
                    .map(|(file, _)| file)
                    .collect()
            };
            let (bishops, rooks, king) = (files('B'), files('R'), files('K'));
            assert_ne!(bishops[0] % 2, bishops[1] % 2, "{pieces}");
            assert!(rooks[0] < king[0] && king[0] < rooks[1], "{pieces}");
            assert_eq!((files('Q').len(), files('N').len()), (1, 2), "{pieces}");
        }
    }

    #[test]
    fn every_side_may_castle_both_ways() {
        for (white, black) in (0..STARTS).zip((0..STARTS).rev()) {
            let position = Position::chess960(white, black).expect("both numbers are below 960");
            let castling = position.shredder_fen().split(' ').nth(2).map(str::len);
            assert_eq!(castling, Some(4), "{}", position.shredder_fen());
        }
    }
}
