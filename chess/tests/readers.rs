//! The readers of positions against whatever may be in a file: `PROPTEST_CASES=1000000 cargo test -p chess readers::`
//! tries a million texts with each.

use chess::epd::{self, Epd};
use chess::{Color, Position, Wing, text};
use proptest::prelude::*;
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position as _, PositionError};

/// Boards with a side to move: castling possible and not, Chess960, double pushes just made, pins along the fifth rank.
const BOARDS: [&str; 12] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w",
    "rnbqkbnr/ppp1pppp/8/8/2PpP3/8/PP1P1PPP/RNBQKBNR b",
    "8/8/8/K2pP2r/8/8/8/4k3 w",
    "8/8/8/8/k2Pp2R/8/8/4K3 b",
    "1r2k1r1/8/8/8/8/8/8/1R2K1R1 w",
    "nrbkqbrn/pppppppp/8/8/8/8/PPPPPPPP/NRBKQBRN b",
    "rk2r3/8/8/8/8/8/8/2RRK1RR w",
    "4k3/8/8/8/8/8/4K3/R6R w",
    "r6r/4k3/8/8/8/8/8/R3K3 b",
    "4k3/8/3p4/2pP4/8/8/8/B3K3 w",
    "rnbqkb1r/pp2pppp/5n2/2ppP3/8/8/PPPP1PPP/RNBQKBNR w",
];

const EPDS: [&str; 6] = [
    "1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - - bm Qd1+; id \"BK.01\";",
    "4k3/8/8/8/8/8/8/4K2R w K - 0 1 ;D1 15 ;D2 66",
    "r1bqk2r/ppp2ppp/2n5/4P3/2Bp2n1/5N1P/PP1N1PP1/R2Q1RK1 b kq - 1 10 ; bm Nh6; am Ne5 ",
    "4k3/8/8/8/8/8/8/4K3 w - - hmvc 7; fmvn 9; c0 \"a; b\";",
    "2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - bm Qg6; id \"WAC.001\";",
    "nrbkqbrn/pppppppp/8/8/8/8/PPPPPPPP/NRBKQBRN w GBgb - acd 9; bm e4 d2d4",
];

/// A text with some of its characters replaced, doubled or taken out.
fn damaged(text: &str, damage: &[(u16, char, u8)]) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for &(at, other, how) in damage {
        let at = usize::from(at) % (chars.len() + 1);
        match how % 4 {
            0 => chars.insert(at, other),
            1 if at < chars.len() => drop(chars.remove(at)),
            2 => chars.truncate(at),
            _ if at < chars.len() => chars[at] = other,
            _ => {}
        }
    }
    chars.into_iter().collect()
}

fn damage() -> impl Strategy<Value = Vec<(u16, char, u8)>> {
    let letter = prop_oneof![
        8 => prop::sample::select("pnbrqkPNBRQK12345678/ -wbahHA;\"+.\t0x".chars().collect::<Vec<_>>()),
        1 => any::<char>(),
    ];
    prop::collection::vec((any::<u16>(), letter, any::<u8>()), 0..4)
}

/// A position that was read is written, read back, and has the moves that it says it has.
fn holds_together(position: &Position) -> Result<(), TestCaseError> {
    let again =
        Position::from_fen(&position.shredder_fen()).map_err(|e| TestCaseError::fail(e.to_string()))?;
    prop_assert_eq!(position.key(), again.key());
    prop_assert_eq!(position.keys_from_scratch(), (position.key(), position.pawn_key()));
    for mv in position.legal_moves() {
        prop_assert_eq!(position.parse_uci(&position.uci(mv)), Ok(mv));
    }
    Ok(())
}

proptest! {
    #[test]
    fn fens_are_read_or_refused(board in prop::sample::select(&BOARDS[..]), tail in "( [KQkqA-Ha-h-]{1,5})?( [a-h][36]|-)?", damage in damage()) {
        if let Ok(position) = Position::from_fen(&damaged(&format!("{board}{tail} 3 9"), &damage)) {
            holds_together(&position)?;
        }
    }

    /// Castling rights and en passant squares that the board does not bear out are left out: shakmaty, told to ignore
    /// them, keeps the same ones where the game is known to be Chess960. Where it is not, fewer may be kept.
    #[test]
    fn what_the_board_does_not_bear_out_is_left_out(
        board in prop::sample::select(&BOARDS[..]),
        castling in "-|K?Q?k?q?|[A-H]{1,2}[a-h]{0,2}",
        ep in "-|[a-h][36]",
    ) {
        let castling = if castling.is_empty() { "-" } else { &castling };
        let fen = format!("{board} {castling} {ep} 0 1");
        let Ok(ours) = Position::read_fen(&fen, true) else { return Ok(()) };
        let theirs = fen.parse::<Fen>().map_err(|e| TestCaseError::fail(format!("{fen}: {e}")))?;
        // A field of KQkq with a right that the board does not bear out is none of X-FEN.
        let without_ep = format!("{board} {castling} - 0 1").parse::<Fen>();
        let without_ep = without_ep.map_err(|e| TestCaseError::fail(format!("{fen}: {e}")))?;
        let careless = without_ep.into_position::<Chess>(CastlingMode::Chess960).is_err();
        let standard = careless && castling.bytes().all(|letter| b"KQkq".contains(&letter));
        let theirs = theirs
            .into_position::<Chess>(if standard { CastlingMode::Standard } else { CastlingMode::Chess960 })
            .or_else(PositionError::ignore_invalid_castling_rights)
            .or_else(PositionError::ignore_invalid_ep_square)
            .map_err(|e| TestCaseError::fail(format!("{fen}: {e}")))?;
        let mut rooks: Vec<String> = Color::ALL
            .into_iter()
            .flat_map(|color| Wing::ALL.map(|wing| ours.castling_rook(color, wing)))
            .flatten()
            .map(|rook| rook.to_string())
            .collect();
        rooks.sort();
        let plain = Position::from_fen(&fen).map_err(|e| TestCaseError::fail(format!("{fen}: {e}")))?;
        for (color, wing) in Color::ALL.into_iter().flat_map(|color| Wing::ALL.map(|wing| (color, wing))) {
            let right = plain.castling_rook(color, wing);
            prop_assert!(right.is_none() || right == ours.castling_rook(color, wing), "{}", &fen);
        }
        for position in [&plain, &ours] {
            prop_assert_eq!(&Position::from_fen(&position.fen()).unwrap(), position, "{}", &fen);
        }
        let mut kept: Vec<String> =
            theirs.castles().castling_rights().into_iter().map(|rook| rook.to_string()).collect();
        kept.sort();
        prop_assert_eq!(rooks, kept, "{}", &fen);
        let square = |mode| theirs.ep_square(mode).map(|square| square.to_string());
        prop_assert_eq!(ours.ep_square().map(|s| s.to_string()), square(EnPassantMode::Legal), "{}", &fen);
        prop_assert_eq!(ours.passed_square().map(|s| s.to_string()), square(EnPassantMode::PseudoLegal), "{}", &fen);
    }

    #[test]
    fn epd_lines_are_read_or_refused(line in prop::sample::select(&EPDS[..]), damage in damage()) {
        if let Ok(epd) = damaged(line, &damage).parse::<Epd>() {
            holds_together(&epd.position)?;
            for mv in epd.best.iter().chain(&epd.avoid) {
                prop_assert!(epd.position.is_legal(*mv));
            }
        }
    }

    /// Whatever the bytes, every line is a position or an error that names it.
    #[test]
    fn files_are_read_or_refused_by_line(
        bytes in prop::collection::vec(any::<u8>(), 0..120),
        soup in "[#\r\n\u{feff}é ;\"a-h1-8/wbKQkq-]{0,80}",
        damage in damage(),
    ) {
        let file = damaged(&EPDS.join("\r\n"), &damage);
        for bytes in [&bytes[..], soup.as_bytes(), file.as_bytes()] {
            let decoded = text::decode(bytes);
            let count = decoded.split(['\n', '\r']).count();
            for read in epd::read(&decoded) {
                let line = read.map_or_else(|error| error.line, |(line, _)| line);
                prop_assert!((1..=count).contains(&line));
            }
        }
    }
}
