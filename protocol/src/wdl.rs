//! How likely a score wins: UCI's `wdl` in per mille.
//!
//! The usual logistic model: White's (Black's) chance is `1 / (1 + exp((middle - score) / slope))`, and what both leave
//! is the draw. The two constants stand until they are fitted to games of our own; they are round numbers that make an
//! even position a draw in three games of four and a two-pawn lead a win in four of five.

/// Score at which half the games are won, in centipawns.
const MIDDLE: f64 = 125.0;
/// How many centipawns change the odds by a factor of e.
const SLOPE: f64 = 60.0;

/// Chances in per mille for the side to move; they add up to 1000.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wdl {
    /// Games won of 1000.
    pub win: u32,
    /// Games drawn of 1000.
    pub draw: u32,
    /// Games lost of 1000.
    pub loss: u32,
}

/// The chances of a score for the side to move; a mate is certain.
pub fn chances(score: engine::score::Reported) -> Wdl {
    use engine::score::Reported;
    let (win, loss) = match score {
        Reported::Centipawns(score) => (win_rate(score.into()), win_rate(-f64::from(score))),
        Reported::Mate(moves) if moves > 0 => (1000, 0),
        Reported::Mate(_) => (0, 1000),
    };
    Wdl { win, draw: 1000 - win - loss, loss }
}

/// Rounded down, so that win and loss together stay below 1000.
fn win_rate(score: f64) -> u32 {
    (1000.0 / (1.0 + ((MIDDLE - score) / SLOPE).exp())) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::score::Reported;

    #[test]
    fn chances_add_up_and_follow_the_score() {
        let mut last = 0;
        for score in -3000..=3000 {
            let wdl = chances(Reported::Centipawns(score));
            let mirrored = chances(Reported::Centipawns(-score));
            assert_eq!(wdl.win + wdl.draw + wdl.loss, 1000);
            assert_eq!((wdl.win, wdl.loss), (mirrored.loss, mirrored.win));
            assert!(wdl.win >= last);
            last = wdl.win;
        }
        assert_eq!(chances(Reported::Centipawns(125)).win, 500);
        assert_eq!(chances(Reported::Mate(3)), Wdl { win: 1000, draw: 0, loss: 0 });
        assert_eq!(chances(Reported::Mate(0)), Wdl { win: 0, draw: 0, loss: 1000 });
    }

    #[test]
    fn the_numbers_promised_above_hold() {
        assert!((740..=790).contains(&chances(Reported::Centipawns(0)).draw));
        assert!((770..=830).contains(&chances(Reported::Centipawns(200)).win));
    }
}
