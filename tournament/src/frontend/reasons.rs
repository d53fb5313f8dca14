//! How games end, in the words of fastchess and cutechess-cli.

use crate::adjudicate::Manner;
use crate::record::{Ending, GameRecord, Score};

/// The reason of a game's end. `in_pgn`: as it stands in the last comment; otherwise as on the terminal.
#[must_use]
pub fn reason(manner: Manner, game: &GameRecord, in_pgn: bool) -> String {
    let fastchess = manner == Manner::Fastchess;
    let (winner, loser) = match game.result {
        Score::White => ("White", "Black"),
        Score::Black => ("Black", "White"),
        Score::Draw => ("Draw", "Draw"),
    };
    let drawn = game.result == Score::Draw;
    match game.ending {
        Ending::Checkmate => format!("{winner} mates"),
        Ending::Stalemate => "Draw by stalemate".to_owned(),
        Ending::Repetition => "Draw by 3-fold repetition".to_owned(),
        Ending::FiftyMoves => "Draw by fifty moves rule".to_owned(),
        Ending::InsufficientMaterial => "Draw by insufficient mating material".to_owned(),
        Ending::Resignation => format!("{loser} resigns"),
        Ending::DrawClaim => "Draw by agreement".to_owned(),
        Ending::AdjudicatedDraw => "Draw by adjudication".to_owned(),
        Ending::AdjudicatedWin => format!("{winner} wins by adjudication"),
        Ending::Tablebase if drawn => "Draw by adjudication: SyzygyTB".to_owned(),
        Ending::Tablebase => format!("{winner} wins by adjudication: SyzygyTB"),
        Ending::MaximumLength if fastchess => "Draw by adjudication".to_owned(),
        Ending::MaximumLength => "Draw by adjudication: maximal game length".to_owned(),
        Ending::TimeForfeit if drawn => "Draw by timeout".to_owned(),
        Ending::TimeForfeit if fastchess => {
            format!("{loser} loses on time ({}ms overrun)", game.late_ms.unwrap_or(0))
        }
        Ending::TimeForfeit => format!("{loser} loses on time"),
        Ending::IllegalMove => match &game.answer {
            Some(text) if in_pgn || !fastchess => format!("{loser} makes an illegal move: {text}"),
            _ => format!("{loser} makes an illegal move"),
        },
        Ending::FalseClaim => {
            format!("{loser} makes a false claim: {}", game.answer.as_deref().unwrap_or("?"))
        }
        Ending::RefusedMove => format!("{loser} refuses a legal move"),
        Ending::Crash | Ending::Disconnect | Ending::StartFailure => format!("{loser} disconnects"),
        Ending::Stall => format!("{loser}'s connection stalls"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::tests::game;

    /// In cutechess-cli's words, with and without a loser.
    #[test]
    fn a_fallen_flag_is_a_loss_or_a_draw() {
        for (result, words) in [
            (Score::White, "Black loses on time"),
            (Score::Black, "White loses on time"),
            (Score::Draw, "Draw by timeout"),
        ] {
            let game = GameRecord { result, ending: Ending::TimeForfeit, ..game(0) };
            assert_eq!(reason(Manner::Cutechess, &game, false), words);
        }
    }
}
