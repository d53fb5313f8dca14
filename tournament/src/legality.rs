//! Whether the moves that a journal has of a game can be played.

use chess::{Move, PieceKind, Position, Square};

/// What is wrong with the moves of a game, each as SAN and in coordinates; `None` if all can be played.
pub(crate) fn fault<'a>(
    fen: Option<&str>,
    moves: impl Iterator<Item = (&'a str, &'a str)>,
) -> Option<String> {
    let start = fen.map_or_else(|| Ok(Position::startpos()), Position::from_fen);
    let mut position = match start {
        Ok(start) => start,
        Err(error) => return Some(format!("its fen is not a position: {error}")),
    };
    for (index, (san, uci)) in moves.enumerate() {
        let ply = index + 1;
        let mv = match position.parse_uci(uci) {
            Ok(mv) => mv,
            Err(error) => return Some(format!("ply {ply}: {error}")),
        };
        if !spells(&position, mv, san) {
            return Some(format!("ply {ply}: `{san}` and `{uci}` are not the same move"));
        }
        position.play(mv);
    }
    None
}

/// Whether SAN may mean this legal move. Nothing is looked up of other moves: that would take ten times as
/// long, and a journal has millions of moves.
fn spells(position: &Position, mv: Move, san: &str) -> bool {
    let san = san.trim_end_matches(['+', '#']);
    let (from, to) = (mv.from(), mv.to());
    if mv.is_castling() {
        return san == if to.file() > from.file() { "O-O" } else { "O-O-O" };
    }
    let square = |square: Square| [b'a' + square.file(), b'1' + square.rank()];
    let kind = position.kind_on(from).unwrap_or(PieceKind::Pawn);
    let (ends, begins) = match (mv.promotion(), kind) {
        (Some(piece), _) => (Some([b'=', piece.letter() as u8]), None),
        (None, PieceKind::Pawn) => (None, None),
        (None, kind) => (None, Some(kind.letter() as u8)),
    };
    let rest = san.as_bytes();
    let rest = ends.map_or(Some(rest), |ends| rest.strip_suffix(&ends));
    let rest = rest.and_then(|rest| begins.map_or(Some(rest), |piece| rest.strip_prefix(&[piece])));
    let Some(hint) = rest.and_then(|rest| rest.strip_suffix(&square(to))) else { return false };
    hint.strip_suffix(b"x").unwrap_or(hint).iter().all(|byte| square(from).contains(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_played_over_again() {
        let fault = |fen, moves: &[(&'static str, &'static str)]| fault(fen, moves.iter().copied());
        assert_eq!(fault(None, &[("e4", "e2e4"), ("e5", "e7e5"), ("Nf3", "g1f3")]), None);
        assert_eq!(fault(Some("4k3/8/8/8/8/8/8/4K2R w K - 0 1"), &[("O-O", "e1h1"), ("Kd7", "e8d7")]), None);
        assert_eq!(fault(Some("4k3/8/8/8/8/8/8/4K2R w K - 0 1"), &[("O-O", "e1g1")]), None);
        let all = "n2R4/1P5k/8/8/8/8/8/3RK3 w - - 0 1";
        assert_eq!(fault(Some(all), &[("R8d3", "d8d3")]), None);
        assert_eq!(fault(Some(all), &[("bxa8=Q", "b7a8q"), ("Kg7", "h7g7"), ("Q8a1+", "a8a1")]), None);
        for (fen, moves, says) in [
            (None, &[("e4", "e2e4"), ("e5", "e7e4")][..], "ply 2: "),
            (None, &[("e3", "e2e4")][..], "ply 1: `e3` and `e2e4` are not the same move"),
            (None, &[("Ne4", "e2e4")][..], "are not the same move"),
            (None, &[("Nb1f3", "g1f3")][..], "are not the same move"),
            (Some("8/k3P3/8/8/8/8/8/4K2R w K - 0 1"), &[("e8=N", "e7e8q")][..], "are not the same move"),
            (Some("8/k3P3/8/8/8/8/8/4K2R w K - 0 1"), &[("O-O-O", "e1g1")][..], "are not the same move"),
            (None, &[("e4", "")][..], "ply 1: "),
            (Some("8/8 w"), &[][..], "its fen is not a position"),
        ] {
            let told = fault(fen, moves).unwrap();
            assert!(told.contains(says), "{told}");
        }
    }
}
