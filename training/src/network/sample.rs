//! A position to learn from, in 32 bytes: millions lie in memory at once.

use crate::game::Scored;
use arrayvec::ArrayVec;
use chess::{Color, PieceKind, Position, Square};
use nnue::features::{View, feature};
use nnue::{SCALE, bucket};

/// Most pieces on a board.
const PIECES: usize = 32;
/// Bytes of a sample on disk.
pub const SAMPLE_BYTES: usize = 29;

/// A position as the side to move sees it, with its label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// Occupied squares; ranks are counted from the side to move.
    occupied: u64,
    /// A nibble for each occupied square in order: kind, and 8 for the opponent's.
    pieces: [u8; PIECES / 2],
    /// What the search said, in centipawns for the side to move.
    score: i16,
    /// Twice the points that the side to move got.
    double_points: u8,
    /// Where the kings are: the own, the opponent's.
    kings: [u8; 2],
}

const _: () = assert!(size_of::<Sample>() == 32, "a sample is half a cache line");

/// How shares of the point are made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Label {
    /// The share of the game's result, the rest is the score; 0 to 1.
    pub wdl: f32,
    /// Centipawns that 1 / (1 + e) of the point is lost by. Errors count less the farther beyond it a score is.
    pub scale: f32,
}

impl Label {
    /// By how much steeper the share of the point rises with the network's output than the output's own unit has it.
    pub fn steepness(self) -> f32 {
        SCALE as f32 / self.scale
    }
}

/// The inputs of the network that are on, by accumulator.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inputs {
    /// As the side to move sees the board.
    pub own: ArrayVec<u16, PIECES>,
    /// As its opponent sees it.
    pub theirs: ArrayVec<u16, PIECES>,
}

impl From<&Scored> for Sample {
    fn from(scored: &Scored) -> Self {
        Sample::new(&scored.position, scored.score, scored.points)
    }
}

impl Sample {
    /// A position with the search's score in centipawns (within ±32,767) and the game's points (0, 0.5 or 1), both for
    /// the side to move.
    pub fn new(position: &Position, score: i32, points: f32) -> Self {
        let us = position.side_to_move();
        let mut seen: ArrayVec<(Square, u8), PIECES> = position
            .occupied()
            .filter_map(|square| {
                let piece = position.piece_on(square)?;
                let theirs = if piece.color == us { 0 } else { 8 };
                Some((square.relative(us), piece.kind.index() as u8 | theirs))
            })
            .collect();
        seen.sort_unstable_by_key(|&(square, _)| square.index());
        let mut pieces = [0; PIECES / 2];
        for (number, (_, nibble)) in seen.iter().enumerate() {
            pieces[number / 2] |= nibble << (number % 2 * 4);
        }
        Sample {
            occupied: seen.iter().fold(0, |set, (square, _)| set | 1 << square.index()),
            pieces,
            score: score.clamp(i32::from(i16::MIN), i32::from(i16::MAX)) as i16,
            double_points: (points * 2.0) as u8,
            kings: [us, !us].map(|color| position.king(color).relative(us).index() as u8),
        }
    }

    /// What the network is given.
    pub fn inputs(&self) -> Inputs {
        let mut inputs = Inputs::default();
        self.inputs_into(&mut inputs);
        inputs
    }

    /// The same in place of what was there.
    pub fn inputs_into(&self, inputs: &mut Inputs) {
        inputs.own.clear();
        inputs.theirs.clear();
        let [own_king, their_king] = self.kings.map(Square::new);
        let own_view = View::new(Color::White, own_king);
        let their_view = View::new(Color::Black, their_king);
        let mut squares = self.occupied;
        for number in 0..self.occupied.count_ones() as usize {
            let square = Square::new(squares.trailing_zeros() as u8);
            squares &= squares - 1;
            let nibble = self.pieces[number / 2] >> (number % 2 * 4);
            let color = if nibble & 8 == 0 { Color::White } else { Color::Black };
            let input = feature(color, PieceKind::ALL[usize::from(nibble & 7)], square);
            inputs.own.push(own_view.of_feature(input));
            inputs.theirs.push(their_view.of_feature(input));
        }
    }

    /// Which of so many output layers the position takes.
    pub fn bucket(&self, buckets: usize) -> usize {
        bucket(self.occupied.count_ones(), buckets)
    }

    /// What to predict, as a share of the point for the side to move.
    pub fn target(&self, label: Label) -> f32 {
        let expected = sigmoid(f32::from(self.score) / label.scale);
        label.wdl * f32::from(self.double_points) / 2.0 + (1.0 - label.wdl) * expected
    }

    /// As bytes: for a checksum, and for positions that wait on disk.
    pub fn to_bytes(&self) -> [u8; SAMPLE_BYTES] {
        let mut bytes = [0; SAMPLE_BYTES];
        bytes[..8].copy_from_slice(&self.occupied.to_le_bytes());
        bytes[8..24].copy_from_slice(&self.pieces);
        bytes[24..26].copy_from_slice(&self.score.to_le_bytes());
        bytes[26] = self.double_points;
        bytes[27..].copy_from_slice(&self.kings);
        bytes
    }

    /// Back from [`Sample::to_bytes`].
    pub fn from_bytes(bytes: &[u8; SAMPLE_BYTES]) -> Self {
        let [o0, o1, o2, o3, o4, o5, o6, o7, pieces @ .., s0, s1, double_points, own, theirs] = *bytes;
        Sample {
            occupied: u64::from_le_bytes([o0, o1, o2, o3, o4, o5, o6, o7]),
            pieces,
            score: i16::from_le_bytes([s0, s1]),
            double_points,
            kings: [own, theirs],
        }
    }
}

/// The logistic function: a share of the point from a value.
pub fn sigmoid(value: f32) -> f32 {
    1.0 / (1.0 + (-value).exp())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The inputs of a position by the definition, without going through a sample.
    fn expected(position: &Position) -> [Vec<u16>; 2] {
        let us = position.side_to_move();
        [us, !us].map(|color| {
            let view = View::of(position, color);
            let mut inputs: Vec<u16> = position
                .occupied()
                .map(|square| {
                    let piece = position.piece_on(square).unwrap();
                    view.of_feature(feature(piece.color, piece.kind, square))
                })
                .collect();
            inputs.sort_unstable();
            inputs
        })
    }

    proptest! {
        #[test]
        fn a_sample_has_the_inputs_of_its_position(choices in prop::collection::vec(any::<prop::sample::Index>(), 0..120)) {
            let mut position = Position::startpos();
            for choice in choices {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                position.play(moves[choice.index(moves.len())]);
            }
            let Inputs { mut own, mut theirs } = Sample::new(&position, 0, 0.5).inputs();
            own.sort_unstable();
            theirs.sort_unstable();
            prop_assert_eq!([own.to_vec(), theirs.to_vec()], expected(&position));
            let sample = Sample::new(&position, -321, 1.0);
            prop_assert_eq!(Sample::from_bytes(&sample.to_bytes()), sample);
        }
    }

    #[test]
    fn the_label_mixes_score_and_result() {
        let won = Sample::new(&Position::startpos(), 400, 1.0);
        let certain = 1.0 / (1.0 + (-1.0_f32).exp());
        let target = |wdl| won.target(Label { wdl, scale: 400.0 });
        assert!((target(0.0) - certain).abs() < 1e-6);
        assert!((target(1.0) - 1.0).abs() < 1e-6);
        assert!((target(0.25) - (0.25 + 0.75 * certain)).abs() < 1e-6);
        assert_eq!(Sample::new(&Position::startpos(), 0, 0.5).target(Label { wdl: 0.3, scale: 400.0 }), 0.5);
        let twice = 1.0 / (1.0 + (-2.0_f32).exp());
        assert!((won.target(Label { wdl: 0.0, scale: 200.0 }) - twice).abs() < 1e-6);
    }
}
