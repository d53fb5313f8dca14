//! What is known of a position without an evaluation: draws by insufficient material, and endings against a bare king,
//! won or drawn.
//!
//! A queen, a rook, two bishops on different colours, or bishop and knight mate a bare king, with pawns or without.
//! What a search of few nodes needs there is a value that no other ending reaches and that grows on the way to the mate
//! (a mop-up evaluation): the bare king at the edge (with bishop and knight in a corner of the bishop's colour) and the
//! other king near it. A network that has learnt from scores gives neither: it has learnt from the search's own draws.

use super::terms::distance;
use chess::attacks::king_attacks;
use chess::{Bitboard, Color, PieceKind, Position, SEE_VALUES, Square};
use thinking::score::{DRAW, Score};

/// The least value of an ending that is won against a bare king, above all that a network says of unclear ones.
const WON: Score = 3000;

/// The value for the side to move where it is known: [`DRAW`] where neither side can mate or force it, or the bare king
/// is stalemate, beyond ±3000 where one side mates a bare king.
#[inline]
pub fn known(position: &Position) -> Option<Score> {
    if position.insufficient_material() {
        return Some(DRAW);
    }
    let bare = bare_king(position)?;
    if mates(position, !bare) {
        return Some(against(position, bare));
    }
    holds(position, bare).then_some(DRAW)
}

/// Is this evaluation of the position that of an ending which is known to be drawn? It is exact: nothing corrects it.
#[inline]
pub fn is_known_draw(position: &Position, value: Score) -> bool {
    value == DRAW && known(position) == Some(DRAW)
}

/// Is this evaluation of the position that of an ending which is won against a bare king? It must not be made less as
/// others are, the nearer the fifty-move rule is: a share of it is worth more than a piece, and with a piece that
/// the bare king takes the count begins anew.
#[inline]
pub fn is_won_ending(position: &Position, value: Score) -> bool {
    value.abs() >= WON && bare_king(position).is_some()
}

/// Is this an ending that one side wins against a bare king, whatever the king does? Not where it takes a piece without
/// which the others do not mate.
pub fn is_sure_win(position: &Position) -> bool {
    let is_win = |position: &Position| known(position).is_some_and(|value| value != DRAW);
    let bares_turn = bare_king(position) == Some(position.side_to_move());
    is_win(position)
        && (!bares_turn || position.legal_moves().into_iter().all(|mv| is_win(&position.after(mv))))
}

/// The side that has nothing but its king.
#[inline]
fn bare_king(position: &Position) -> Option<Color> {
    Color::ALL.into_iter().find(|&color| !position.color_bb(color).many())
}

/// Can this side mate a bare king, whatever it does, with its pieces alone?
fn mates(position: &Position, side: Color) -> bool {
    let of_kind = |kind| position.pieces(side, kind);
    let bishops = of_kind(PieceKind::Bishop);
    let both_colours = (bishops & Bitboard::LIGHT).nonempty() && (bishops & !Bitboard::LIGHT).nonempty();
    (of_kind(PieceKind::Queen) | of_kind(PieceKind::Rook)).nonempty()
        || both_colours
        || (bishops.nonempty() && of_kind(PieceKind::Knight).nonempty())
}

/// Does this side's bare king hold the draw? Against two knights it does, since they cannot force mate. Against pawns of
/// one rook file, with or without bishops that do not attack the promotion square, it does if it stands on that square or
/// next to it, wherever the other king stands and whichever side is to move: nothing attacks the square (a king that did
/// would stand next to the bare one), and a pawn that promotes there is taken. So the bare king can always go there.
fn holds(position: &Position, bare: Color) -> bool {
    let winner = !bare;
    let of_kind = |kind| position.pieces(winner, kind);
    let [pawns, knights, bishops] = [PieceKind::Pawn, PieceKind::Knight, PieceKind::Bishop].map(of_kind);
    if pawns.is_empty() {
        return knights.count() == 2 && bishops.is_empty();
    }
    let Some(file) = [0, 7].into_iter().find(|&file| (pawns & !Bitboard::file(file)).is_empty()) else {
        return false;
    };
    let corner = Square::at(file, 7).relative(winner);
    let light = Bitboard::LIGHT.contains(corner);
    let of_the_corner = bishops & if light { Bitboard::LIGHT } else { !Bitboard::LIGHT };
    knights.is_empty()
        && of_the_corner.is_empty()
        && (king_attacks(corner) | Bitboard::of(corner)).contains(position.king(bare))
}

/// The value for the side to move of an ending that is won against this side's bare king.
#[cold]
fn against(position: &Position, bare: Color) -> Score {
    let (king, winner) = (position.king(bare), position.king(!bare));
    let bares_turn = position.side_to_move() == bare;
    if bares_turn && !position.in_check() && (king_attacks(king) & !position.attacked_by(!bare)).is_empty() {
        return DRAW;
    }
    // No piece is given away on the way to the mate.
    let worth = |kind: PieceKind| position.pieces(!bare, kind).count() as Score * SEE_VALUES[kind.index()];
    let pieces: Score = PieceKind::ALL.into_iter().filter(|&kind| kind != PieceKind::King).map(worth).sum();
    let value = WON + pieces + 10 * driven(position, king, !bare) - 10 * distance(king, winner) as Score;
    if bares_turn { -value } else { value }
}

/// How far the bare king has been driven from where it is safest: 0 to 12, or up to 40 where only two corners are
/// deadly.
fn driven(position: &Position, king: Square, winner: Color) -> Score {
    let of_kind = |kind| position.pieces(winner, kind);
    let bishops = of_kind(PieceKind::Bishop);
    let others = (position.color_bb(winner) ^ bishops ^ of_kind(PieceKind::Knight)).many();
    if others || bishops.many() || bishops.is_empty() {
        return from_centre(king);
    }
    // Bishop and knight: the corners of the bishop's colour, h1 and a8 or a1 and h8.
    let corners = if (bishops & Bitboard::LIGHT).nonempty() { [7, 56] } else { [0, 63] }.map(Square::new);
    let steps = corners.map(|corner| files_and_ranks(king, corner)).into_iter().min().unwrap_or(0);
    from_centre(king) + 2 * (14 - steps)
}

/// Twice the steps to the edge that the king has gone, over both directions: 0 in the centre, 12 in a corner.
fn from_centre(square: Square) -> Score {
    let steps = |place: u8| Score::from(if place < 4 { 3 - place } else { place - 4 });
    2 * (steps(square.file()) + steps(square.rank()))
}

/// Steps of a king that may not go askew.
fn files_and_ranks(a: Square, b: Square) -> Score {
    Score::from(a.file().abs_diff(b.file()) + a.rank().abs_diff(b.rank()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(fen: &str) -> Option<Score> {
        known(&Position::from_fen(fen).expect("the FEN is legal"))
    }

    #[test]
    fn what_mates_a_bare_king_is_won_for_either_side_and_nothing_else() {
        for won in ["Q7", "R7", "BB6", "BN6", "RP6", "QPP5", "BBN5"] {
            for pieces in [won.to_string(), won.to_lowercase()] {
                let place = |side: &str| format!("8/8/7K/8/{pieces}/8/7k/8 {side} - - 0 1");
                let (white, black) = (value(&place("w")).expect("known"), value(&place("b")).expect("known"));
                assert!(white.abs() > WON && white == -black, "{pieces}: {white} {black}");
                assert_eq!(white > 0, pieces == won, "{pieces}");
            }
        }
        for open in ["P7", "BP6", "NP6", "NNP5", "B1B5"] {
            assert_eq!(value(&format!("8/8/3K4/8/{open}/8/5k2/8 w - - 0 1")).unwrap_or(DRAW), DRAW, "{open}");
        }
        assert_eq!(value("8/8/3K4/8/Q7/8/5k1p/8 w - - 0 1"), None, "its pawn may move");
        assert_eq!(value(&Position::startpos().fen()), None);
        assert_eq!(value("8/8/3K4/8/N7/8/5k2/8 w - - 0 1"), Some(DRAW), "nothing mates");
        assert_eq!(value("8/8/3K4/8/NN6/8/5k2/8 w - - 0 1"), Some(DRAW), "two knights do not force it");
        assert_eq!(value("8/8/3K4/8/NNN5/8/5k2/8 w - - 0 1"), None, "three knights do");
    }

    /// Of all positions of three and four men, and of two pawns, the tablebases say so as well.
    #[test]
    fn pawns_of_a_rook_file_do_not_drive_a_king_out_of_their_corner() {
        for drawn in [
            "k7/8/8/8/8/8/P7/K7",
            "8/1k6/8/P7/K7/8/8/8",
            "1k6/8/8/P7/P7/P7/8/K7",
            "8/k7/8/P7/1K6/8/8/2B5",
            "7k/8/8/7P/8/8/4B3/K7",
            "k7/8/8/8/8/p7/8/1K6",
            "k7/2b5/8/7p/8/8/6K1/8",
        ] {
            for side in ["w", "b"] {
                let fen = format!("{drawn} {side} - - 0 1");
                assert_eq!(value(&fen), Some(DRAW), "{fen}");
                let position = Position::from_fen(&fen).expect("the FEN is legal");
                assert!(is_known_draw(&position, DRAW) && !is_known_draw(&position, 1), "{fen}");
            }
        }
        for (open, why) in [
            ("2k5/8/8/8/8/8/P7/K7", "the king is two steps away"),
            ("k7/8/8/8/8/8/P7/KB6", "the bishop is of the corner's colour"),
            ("k7/8/8/8/8/8/PP6/K7", "a pawn of another file"),
            ("k7/8/8/8/8/8/P6P/K7", "pawns of both rook files"),
            ("k7/8/8/8/8/8/PN6/K7", "a knight attacks the corner"),
            ("8/8/8/8/8/8/P7/K1k5", "it is the other corner"),
        ] {
            assert_eq!(value(&format!("{open} w - - 0 1")), None, "{why}");
        }
    }

    #[test]
    fn what_is_won_is_told_from_other_great_values() {
        let is_won = |fen: &str| {
            let position = Position::from_fen(fen).expect("the FEN is legal");
            is_won_ending(&position, known(&position).unwrap_or(WON))
        };
        assert!(is_won("8/8/7K/8/Q7/8/7k/8 w - - 0 1") && is_won("8/8/7K/8/R7/8/7k/8 b - - 90 99"));
        assert!(!is_won("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"), "stalemate");
        assert!(!is_won("8/8/7K/8/QQQ5/p7/7k/8 w - - 0 1"), "a pawn is left");
    }

    #[test]
    fn a_bare_king_that_takes_what_would_mate_it_is_not_lost() {
        for (fen, sure) in [
            ("8/8/8/8/8/5k2/4R3/7K b - - 0 1", false),
            ("8/8/8/8/8/5k2/4R3/7K w - - 0 1", true),
            ("8/8/8/8/8/5k2/4R3/4K3 b - - 0 1", true),
            ("8/8/8/8/8/5k2/4R3/1Q5K b - - 0 1", true),
            ("8/8/8/8/8/5k2/P3R3/7K b - - 0 1", false),
            ("7K/8/8/8/8/2k5/1r6/8 b - - 0 1", true),
            ("7k/8/8/8/8/2K5/1r6/8 w - - 0 1", false),
            ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", false),
            ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", true),
            ("8/8/8/8/5k2/8/4P3/7K w - - 0 1", false),
        ] {
            assert_eq!(is_sure_win(&Position::from_fen(fen).expect("the FEN is legal")), sure, "{fen}");
        }
    }

    #[test]
    fn a_stalemate_is_seen_and_a_way_out_as_well() {
        assert_eq!(value("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"), Some(DRAW));
        assert!(value("7k/4Q3/8/6K1/8/8/8/8 b - - 0 1").is_some_and(|value| value < -WON), "g8 is free");
        assert!(value("7k/5Q2/6K1/8/8/8/8/8 w - - 0 1").is_some_and(|value| value > WON));
    }

    /// With bishop and knight the bare king is driven along the edge to a corner of the bishop's colour, here h8.
    #[test]
    fn there_is_no_rest_on_the_way_to_the_deadly_corner() {
        let driven = |rank: &str| {
            let position =
                Position::from_fen(&format!("{rank}/8/8/8/8/3K4/8/4BN2 w - - 0 1")).expect("legal");
            driven(&position, position.king(Color::Black), Color::White)
        };
        let along = ["k7", "1k6", "2k5", "3k4", "4k3", "5k2", "6k1", "7k"].map(driven);
        assert!(along.is_sorted(), "{along:?}");
        assert_eq!((along[0], along[7]), (26, 40));
    }

    #[test]
    fn it_grows_on_the_way_to_the_mate() {
        let rises = |fens: &[&str]| {
            let values: Vec<_> = fens.iter().map(|fen| value(fen).expect("known")).collect();
            assert!(values.is_sorted_by(|a, b| a < b), "{fens:?}: {values:?}");
        };
        rises(&[
            "8/8/8/3k4/8/8/8/R6K w - - 0 1",
            "8/3k4/8/8/8/8/8/R6K w - - 0 1",
            "3k4/8/8/8/8/8/8/R6K w - - 0 1",
            "3k4/8/3K4/8/8/8/8/R7 w - - 0 1",
            "k7/8/1K6/8/8/8/8/7R w - - 0 1",
        ]);
        let corner =
            |square: &str, bishop: &str| value(&format!("{square}/8/1K6/8/8/8/8/{bishop} w - - 0 1"));
        assert!(corner("k7", "5B1N") > corner("7k", "5B1N"), "a8 is of the bishop's colour");
        assert!(corner("k7", "4B2N") < corner("7k", "4B2N"), "h8 is");
    }
}
