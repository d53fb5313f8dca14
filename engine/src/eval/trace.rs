//! The evaluation taken apart, for the tuner and for those who ask why.

use super::layout::GROUPS;
use super::terms::{Sink, count, structures};
use super::weights::WEIGHTS;
use super::{FULL_PHASE, Tapered, blend, end_game_scale, phase};
use chess::{Color, Position};
use thinking::score::Score;

/// Which weights a position's evaluation adds up, and how often: so the evaluation is linear in its weights.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    /// Places in the table of weights in rising order, each with how often it counts for the side to move, less how
    /// often for the other side.
    pub counts: Vec<(u16, i8)>,
    /// The game phase, 0 to [`FULL_PHASE`].
    pub phase: i32,
    /// How much of the end game's half counts, in 64ths; it depends on who is ahead by the present weights.
    pub scale: i32,
}

impl Trace {
    /// Takes a position apart.
    pub fn of(position: &Position) -> Self {
        let [Counts(ours), Counts(theirs)] = count(position, structures(position));
        let signed = ours.into_iter().chain(theirs.into_iter().map(|(weight, times)| (weight, -times)));
        let mut all: Vec<(u16, i32)> = signed.collect();
        all.sort_unstable_by_key(|&(weight, _)| weight);
        all.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            kept.1 += if same { next.1 } else { 0 };
            same
        });
        all.retain(|&(_, times)| times != 0);
        let counts = all.into_iter().map(|(weight, times)| (weight, times as i8)).collect();
        let mut trace = Trace { counts, phase: phase(position), scale: 64 };
        trace.scale = end_game_scale(position, trace.balance().end());
        trace
    }

    /// The sum of the present weights.
    pub fn balance(&self) -> Tapered {
        let add = |sum, &(weight, times): &(u16, i8)| sum + WEIGHTS[usize::from(weight)] * i32::from(times);
        self.counts.iter().fold(Tapered::default(), add)
    }

    /// What the evaluation makes of it, in centipawns for the side to move.
    pub fn value(&self) -> Score {
        blend(self.balance(), self.phase, self.scale)
    }

    /// How much the middle game and the end game halves of the weights count: their shares of the value.
    pub fn shares(&self) -> (f32, f32) {
        let middle = self.phase as f32 / FULL_PHASE as f32;
        (middle, (1.0 - middle) * self.scale as f32 / 64.0)
    }
}

/// What the tuner wants: the counts.
#[derive(Default)]
struct Counts(Vec<(u16, i32)>);

impl Sink for Counts {
    fn add(&mut self, weight: usize, times: i32) {
        if times != 0 {
            self.0.push((weight as u16, times));
        }
    }
}

/// One line of an explained evaluation: the group's name, and its values for White and Black.
pub type Explained = (&'static str, [Tapered; 2]);

/// The evaluation by groups of weights and sides, groups without influence left out. The sum of White's less Black's is
/// what [`super::evaluate`] blends.
pub fn explain(position: &Position) -> Vec<Explained> {
    let mut sides: [Counts; 2] = count(position, structures(position));
    if position.side_to_move() == Color::Black {
        sides.swap(0, 1);
    }
    let lines = GROUPS.iter().map(|group| {
        let sum = |Counts(counts): &Counts| {
            let inside = |&&(weight, _): &&(u16, i32)| group.places().contains(&usize::from(weight));
            let add = |sum, &(weight, times): &(u16, i32)| sum + WEIGHTS[usize::from(weight)] * times;
            counts.iter().filter(inside).fold(Tapered::default(), add)
        };
        (group.name, [sum(&sides[0]), sum(&sides[1])])
    });
    lines.filter(|(_, values)| *values != [Tapered::default(); 2]).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{evaluate, layout as l};
    use super::*;
    use rand::seq::IndexedRandom;
    use rand::{SeedableRng, rngs::SmallRng};

    #[test]
    fn counts_times_weights_are_the_evaluation() {
        let mut rng = SmallRng::seed_from_u64(5);
        let mut seen = 0;
        for _ in 0..40 {
            let mut position = Position::startpos();
            for _ in 0..150 {
                let Some(&mv) = position.legal_moves().choose(&mut rng) else { break };
                position.play(mv);
                if position.insufficient_material() {
                    break;
                }
                let trace = Trace::of(&position);
                assert_eq!(trace.value(), evaluate(&position), "{position}");
                let explained = explain(&position)
                    .into_iter()
                    .fold(Tapered::default(), |sum, (_, [white, black])| sum + white - black);
                let white = position.side_to_move() == Color::White;
                assert_eq!(if white { explained } else { -explained }, trace.balance(), "{position}");
                seen += 1;
            }
        }
        assert!(seen > 3000);
    }

    /// How often the weights of a group count in a position, White to move, as counted by hand.
    fn counts(fen: &str, group: l::Group) -> Vec<(usize, i8)> {
        let trace = Trace::of(&Position::from_fen(fen).unwrap());
        let inside = trace.counts.into_iter().map(|(weight, times)| (usize::from(weight), times));
        inside
            .filter(|(weight, _)| group.places().contains(weight))
            .map(|(weight, times)| (weight - group.first, times))
            .collect()
    }

    #[test]
    fn pawns_are_counted_as_by_hand() {
        // White a2 (isolated, behind a5 on its file: doubled; faced by nobody), a5 passed; e4, f5 in a chain with f5
        // passed? No: black g7 can take there. Black g7 alone on its wing.
        let fen = "6k1/6p1/8/P4P2/4P3/8/P7/6K1 w - - 0 1";
        assert_eq!(counts(fen, l::MATERIAL), [(0, 3)]);
        assert_eq!(counts(fen, l::DOUBLED), [(0, 1)]);
        assert_eq!(counts(fen, l::ISOLATED), [(1, 2 - 1)], "both a-pawns, less g7");
        assert_eq!(counts(fen, l::GUARDED_PAWN), [(4, 1)]);
        assert_eq!(counts(fen, l::PASSED), [(3, 1), (4, 1)], "e4 and a5; a2 stands behind its own");
        assert_eq!(counts(fen, l::PASSED_FREE), [(3, 1), (4, 1)]);
        assert_eq!(counts(fen, l::PASSED_BLOCKED), []);
        // The white king is six steps from a6 and four from e5; the black one six and three.
        assert_eq!(counts(fen, l::PASSED_OWN_KING), [(4, 1), (8 + 6, 1)]);
        assert_eq!(counts(fen, l::PASSED_ENEMY_KING), [(3, 1), (8 + 6, 1)]);
        // b3 lags behind a4 and cannot step safely to b4.
        let fen = "6k1/8/8/2p5/P7/1P6/8/6K1 w - - 0 1";
        assert_eq!(counts(fen, l::BACKWARD), [(1, 1)]);
        assert_eq!(counts(fen, l::PHALANX), []);
    }

    #[test]
    fn pieces_are_counted_as_by_hand() {
        // The knight on e5 is an outpost guarded by d4; the bishop on g2 has a pawn of its colour on e4 and two not.
        let fen = "r5k1/5ppp/8/4N3/3PP3/8/5PBP/6K1 w - - 0 1";
        assert_eq!(counts(fen, l::GUARDED_MINOR), [(0, 1)]);
        assert_eq!(counts(fen, l::OUTPOST), [], "f7 can come to f6");
        let fen = "r5k1/6pp/8/4N3/3PP3/8/5PBP/6K1 w - - 0 1";
        assert_eq!(counts(fen, l::OUTPOST), [(0, 1)]);
        assert_eq!(counts(fen, l::BISHOP_PAWNS), [(1, 1)], "e4 is light, d4, f2 and h2 are dark");
        assert_eq!(counts(fen, l::ROOK_OPEN_FILE), [(0, -1)]);
        // The knight may go to c4, c6, d3, d7, f3, f7, g4, g6 less g6, which h7 guards: seven squares.
        assert_eq!(counts(fen, l::MOBILITY)[0], (7, 1));
        // A knight attacks a rook that is not guarded.
        let hit = "r4k2/2N5/8/8/8/8/8/4K3 w - - 0 1";
        assert_eq!(counts(hit, l::HANGING), [(3, 1)]);
        assert_eq!(counts(hit, l::THREAT_BY_MINOR), [(3, 1)]);
        // Pawns hit a queen and a knight.
        let pawns = "4k3/8/1q2n3/P2P4/8/8/8/4K3 w - - 0 1";
        assert_eq!(counts(pawns, l::THREAT_BY_PAWN), [(1, 1), (4, 1)]);
        let steps = "4k3/8/4n3/8/3P4/8/8/4K3 w - - 0 1";
        assert_eq!(counts(steps, l::PUSH_THREAT), [(0, 1)]);
        let two_steps = "4k3/8/4n3/8/8/3P4/8/4K3 w - - 0 1";
        assert_eq!(counts(two_steps, l::PUSH_THREAT), []);
    }

    #[test]
    fn kings_are_counted_as_by_hand() {
        // White: pawns on f and h, none on g. Black: none of its own on g, which is open, and on h.
        let fen = "6k1/5p2/8/8/8/8/5P1P/R5K1 w - - 0 1";
        assert_eq!(counts(fen, l::KING_HALF_OPEN_FILES), [(1, 1), (2, -1)]);
        assert_eq!(counts(fen, l::KING_OPEN_FILES), [], "g is open for both");
        // The rook checks from e.g. d8 only if it can get there: from a1 it reaches a8.
        assert_eq!(counts(fen, l::SAFE_CHECK), [(2 * 2, 1)]);
        // Queen and rook bear on the king: two attackers.
        let fen = "7k/4Q3/8/8/8/8/8/4K1R1 w - - 0 1";
        assert_eq!(counts(fen, l::KING_DANGER).len(), 1);
        let fen = "7k/8/8/8/8/8/8/4K1R1 w - - 0 1";
        assert_eq!(counts(fen, l::KING_DANGER), []);
    }

    /// The same files by the names that users read: open ones have no pawns at all, half-open ones none of their side.
    #[test]
    fn open_and_half_open_files_are_called_so() {
        let values = |fen: &str, name: &str| {
            let explained = explain(&Position::from_fen(fen).unwrap());
            explained.into_iter().find(|(group, _)| *group == name).map(|(_, values)| values)
        };
        let weights = |group: l::Group, at: [usize; 2]| Some(at.map(|number| WEIGHTS[group.at(number)]));
        let kings = "6k1/5p2/8/8/8/8/5P1P/R5K1 w - - 0 1";
        assert_eq!(values(kings, "half-open files at king"), weights(l::KING_HALF_OPEN_FILES, [1, 2]));
        assert_eq!(values(kings, "open files at king"), weights(l::KING_OPEN_FILES, [1, 1]));
        // White's rook stands on the open a-file, Black's on the b-file with a white pawn.
        let rooks = "1r4k1/5ppp/8/8/8/8/1P3PPP/R5K1 w - - 0 1";
        let [open, half_open] = [l::ROOK_OPEN_FILE, l::ROOK_HALF_OPEN_FILE].map(|group| WEIGHTS[group.at(0)]);
        assert_eq!(values(rooks, "rook on open file"), Some([open, Tapered::default()]));
        assert_eq!(values(rooks, "rook on half-open file"), Some([Tapered::default(), half_open]));
    }
}
