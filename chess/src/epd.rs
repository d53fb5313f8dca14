//! Extended Position Description: four FEN fields and semicolon-terminated operations (`bm Qd1+; id "BK.01";`).

use crate::{FenError, Move, MoveError, Position, text};
use std::str::FromStr;

/// A position with operations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Epd {
    /// The position; `hmvc` and `fmvn` operations are applied.
    pub position: Position,
    /// `bm`: the moves that solve it, of all such operations; an ambiguous text counts for all it may mean.
    pub best: Vec<Move>,
    /// `am`: the moves to avoid; an ambiguous text avoids all it may mean.
    pub avoid: Vec<Move>,
    /// `id`, without quotes.
    pub id: Option<String>,
    /// Every operation as written: opcode and operands.
    pub ops: Vec<(String, String)>,
}

/// Why an EPD line was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EpdError {
    /// The position is bad.
    #[error(transparent)]
    Fen(#[from] FenError),
    /// A word that cannot name an operation where one should be.
    #[error("EPD: `{0}` is neither a counter nor an operation")]
    Opcode(String),
    /// A move of an operation is bad.
    #[error("EPD {opcode}: {cause}")]
    Move {
        /// `bm` or `am`.
        opcode: String,
        /// What is wrong with the move.
        cause: MoveError,
    },
}

/// A line of a file that is not EPD.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {cause}")]
pub struct LineError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub cause: EpdError,
}

/// The positions of a file's text, each with its line from 1; blank lines and comments (`#`) are passed over.
/// [`text::decode`] makes text of bytes.
pub fn read(text: &str) -> impl Iterator<Item = Result<(usize, Epd), LineError>> {
    text::lines(text).map(|(line, words)| {
        let epd = words.parse().map_err(|cause| LineError { line, cause })?;
        Ok((line, epd))
    })
}

impl FromStr for Epd {
    type Err = EpdError;

    fn from_str(line: &str) -> Result<Self, EpdError> {
        Self::read(line, false)
    }
}

impl Epd {
    /// Reads a line; `chess960`: its position is known to be of Chess960 ([`Position::read_fen`]).
    pub fn read(line: &str, chess960: bool) -> Result<Self, EpdError> {
        let (fen, counters, rest) = split_position(line);
        let mut ops = Vec::new();
        // A semicolon between quotes is part of a text.
        let mut quoted = false;
        let ends = |c: char| {
            quoted ^= c == '"';
            c == ';' && !quoted
        };
        for op in rest.split(ends).map(str::trim).filter(|op| !op.is_empty()) {
            let (opcode, operands) = op.split_once(char::is_whitespace).unwrap_or((op, ""));
            ops.push((opcode.to_string(), operands.trim().to_string()));
        }
        let operand = |code: &str| ops.iter().find(|(c, _)| c == code).map(|(_, v)| v.as_str());
        let halfmoves = operand("hmvc").or(counters[0]).unwrap_or("0");
        let fullmoves = operand("fmvn").or(counters[1]).unwrap_or("1");
        let fields = fen.split_whitespace().count();
        if fields < 4 {
            return Err(FenError::MissingFields(fields).into());
        }
        if let Some((opcode, _)) = ops.iter().find(|(opcode, _)| !is_opcode(opcode)) {
            return Err(EpdError::Opcode(text::clip(opcode)));
        }
        // Without its one operand a counter would be the next field of the FEN.
        let is_one = |operand: &str| operand.split_whitespace().count() == 1;
        if !is_one(halfmoves) {
            return Err(FenError::Halfmoves(text::clip(halfmoves)).into());
        }
        if !is_one(fullmoves) {
            return Err(FenError::Fullmoves(text::clip(fullmoves)).into());
        }
        let position = Position::read_fen(&format!("{fen} {halfmoves} {fullmoves}"), chess960)?;
        let moves = |code: &str| -> Result<Vec<Move>, EpdError> {
            // A check mark may stand apart from its move ("Qd1 +"), and an operation may be written twice.
            let mut moves = Vec::new();
            let between = |c: char| c.is_whitespace() || c == ',';
            let operands = ops.iter().filter(|(opcode, _)| opcode == code);
            for text in operands.flat_map(|(_, operands)| operands.split(between)) {
                if text.trim_matches(['+', '#', '!', '?']).is_empty() {
                    continue;
                }
                match (position.san_candidates(text), position.parse_uci(text)) {
                    (Ok(meant), _) => moves.extend(meant),
                    (_, Ok(mv)) => moves.push(mv),
                    (Err(cause), _) => return Err(EpdError::Move { opcode: code.to_string(), cause }),
                }
            }
            Ok(moves)
        };
        let (best, avoid) = (moves("bm")?, moves("am")?);
        let id = operand("id").map(|id| id.trim_matches('"').to_string());
        Ok(Epd { position, best, avoid, id, ops })
    }
}

/// Can the word name an operation? What else may stand behind a position (`| 35 | 0.5`, `[0.5]`, `# text`) passes for
/// an unknown one.
fn is_opcode(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic() || "|[#/".contains(c))
}

/// The four position fields, the counters of a full FEN if they follow, and the operations. One counter may be missing,
/// or both be `-`. In some suites the first one has run into an absent en passant square (`w - -1 12`). What cannot
/// name an operation is a counter, if a damaged one (`99.5`).
fn split_position<'a>(line: &'a str) -> (String, [Option<&'a str>; 2], &'a str) {
    let is_number = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit());
    let is_counter = |word: &str| !word.is_empty() && !is_opcode(word);
    let given = |word| (word != "-").then_some(word);
    let (board, rest) = next_word(line.trim());
    let (side, rest) = next_word(rest);
    let (castling, rest) = next_word(rest);
    let (last, rest) = next_word(rest);
    let glued = last.strip_prefix('-').filter(|half| is_number(half));
    let passed = if glued.is_some() { "-" } else { last };
    let fen = [board, side, castling, passed].join(" ").trim().to_string();
    let behind = |word: &str, text: &'a str| text.get(word.len()..).unwrap_or_default();
    let (half, after_half) = match glued {
        Some(half) => (half, rest),
        None => next_word(rest),
    };
    if !is_counter(half) {
        return (fen, [None, None], rest);
    }
    let (full, _) = next_word(after_half);
    if !is_counter(full) {
        let rest = if glued.is_some() { rest } else { behind(half, rest) };
        return (fen, [given(half), None], rest);
    }
    (fen, [given(half), given(full)], behind(full, after_half))
}

/// The first word, up to a blank or a semicolon, and what comes behind it.
fn next_word(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| c.is_whitespace() || c == ';').unwrap_or(text.len());
    let (word, tail) = text.split_at(end);
    (word, tail.trim_start())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn epd(line: &str) -> Epd {
        line.parse().unwrap()
    }

    #[test]
    fn the_dialects_of_the_suites() {
        let bk = epd("1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - - ; bm Qd1 + ; id BK.01 ");
        assert_eq!(bk.id.as_deref(), Some("BK.01"));
        assert_eq!(bk.best, [bk.position.parse_uci("d6d1").unwrap()]);
        let wac = epd(r#"2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - bm Qg6; id "WAC.001";"#);
        assert_eq!(wac.id.as_deref(), Some("WAC.001"));
        let kaufman =
            epd("r1bqk2r/ppp2ppp/2n5/4P3/2Bp2n1/5N1P/PP1N1PP1/R2Q1RK1 b kq - 1 10 ; bm Nh6; am Ne5 ");
        assert_eq!(kaufman.position.fullmove_number(), 10);
        assert_eq!((kaufman.best.len(), kaufman.avoid.len()), (1, 2));
        let lost = epd("r1bqrnk1/pp2bp1p/2p2np1/3p2B1/3P4/2NBPN2/PPQ2PPP/1R3RK1 w - -1 12 ; bm b4 ");
        assert_eq!((lost.position.halfmove_clock(), lost.position.fullmove_number()), (1, 12));
        assert_eq!(lost.best, [lost.position.parse_uci("b2b4").unwrap()]);
        assert_eq!(epd("4k3/8/8/8/8/8/8/4K3 w - -7 id 1;").position.fen(), "4k3/8/8/8/8/8/8/4K3 w - - 7 1");
        let twice = epd("4k3/8/8/8/8/8/8/4K2R w K - bm Kd1; id \"x\"; bm Rh8;");
        assert_eq!(twice.best.iter().map(|mv| mv.to_string()).collect::<Vec<_>>(), ["e1d1", "h1h8"]);
        let text = epd(r#"4k3/8/8/8/8/8/8/4K2R w K - c0 "Rf1; not bm Kd1"; bm Rh8; id "a; b";"#);
        assert_eq!((text.id.as_deref(), text.best.len(), text.ops.len()), (Some("a; b"), 1, 3));
        let perft = epd("4k3/8/8/8/8/8/8/4K2R w K - 0 1 ;D1 15 ;D2 66");
        assert_eq!(perft.ops, [("D1".into(), "15".into()), ("D2".into(), "66".into())]);
        assert_eq!(
            epd("4k3/8/8/8/8/8/8/4K3 w - - hmvc 7; fmvn 9;").position.fen(),
            "4k3/8/8/8/8/8/8/4K3 w - - 7 9"
        );
    }

    /// Both counters, one, or lines instead of them: the operations behind are whole.
    #[test]
    fn counters_may_be_missing() {
        for (counters, fen) in [
            ("5", "5 1"),
            ("0", "0 1"),
            ("-", "0 1"),
            ("- -", "0 1"),
            ("- 9", "0 9"),
            ("70 -", "70 1"),
            ("", "0 1"),
        ] {
            let read = epd(&format!("4k3/8/8/8/8/8/8/4K2R w K - {counters} bm Rh8; am Kd1; id \"x\";"));
            assert_eq!(read.position.fen(), format!("4k3/8/8/8/8/8/8/4K2R w K - {fen}"), "{counters}");
            assert_eq!((read.best.len(), read.avoid.len(), read.ops.len()), (1, 1, 3), "{counters}");
            for counts in ["; D1 15; D2 66", ";D1 15;D2 66", " ;D1 15 ;D2 66;"] {
                let line = format!("4k3/8/8/8/8/8/8/4K2R w K - {counters}");
                let perft = epd(&format!("{}{counts}", line.trim_end()));
                assert_eq!(perft.position, read.position, "{counters}{counts}");
                assert_eq!(perft.ops, [("D1".into(), "15".into()), ("D2".into(), "66".into())], "{counters}");
            }
        }
    }

    /// A counter that cannot be read is neither passed over nor an operation.
    #[test]
    fn what_begins_with_no_letter_is_no_operation() {
        let half = |word: &str| EpdError::from(FenError::Halfmoves(word.into()));
        let full = |word: &str| EpdError::from(FenError::Fullmoves(word.into()));
        let opcode = |word: &str| EpdError::Opcode(word.into());
        for (words, found) in [
            ("99.5 80", half("99.5")),
            ("-1 1", half("-1")),
            ("5x 1; id \"x\";", half("5x")),
            ("1e2 7", half("1e2")),
            ("? 1", half("?")),
            ("?", half("?")),
            ("\"x\" 1", half("\"x\"")),
            ("5 -3", full("-3")),
            ("0 1.5 bm Rh8;", full("1.5")),
            ("0 1 7 bm Rh8;", opcode("7")),
            ("0 1 - bm Rh8;", opcode("-")),
            ("bm Rh8; -1 1;", opcode("-1")),
            ("0 1; 5x 1", opcode("5x")),
        ] {
            let line = format!("4k3/8/8/8/8/8/8/4K2R w K - {words}");
            assert_eq!(line.parse::<Epd>(), Err(found), "{words}");
        }
    }

    /// Our own plain exports of positions, and what others append.
    #[test]
    fn scores_and_remarks_behind_a_position_are_passed_over() {
        for words in ["| 35 | 0.5", "[0.5]", "# a remark", "// another"] {
            for counters in ["", "0 1 "] {
                let line = format!("4k3/8/8/8/8/8/8/4K2R w K - {counters}{words}");
                let read = line.parse::<Epd>().map(|epd| (epd.best, epd.avoid));
                assert_eq!(read, Ok((Vec::new(), Vec::new())), "{line}");
            }
        }
    }

    /// No other field of the line is taken for an operand that is not there.
    #[test]
    fn a_counter_has_one_operand() {
        for (operations, found) in [
            ("hmvc; fmvn 9;", FenError::Halfmoves(String::new())),
            ("fmvn 9; hmvc", FenError::Halfmoves(String::new())),
            ("hmvc 3 4;", FenError::Halfmoves("3 4".into())),
            ("hmvc 3; fmvn;", FenError::Fullmoves(String::new())),
            ("fmvn 9 bm Rh8;", FenError::Fullmoves("9 bm Rh8".into())),
        ] {
            let line = format!("4k3/8/8/8/8/8/8/4K2R w K - {operations}");
            assert_eq!(line.parse::<Epd>(), Err(found.into()), "{operations}");
        }
    }

    /// Blanks of any kind, or a comma, stand between moves, and none need stand before a semicolon.
    #[test]
    fn operands_and_semicolons_need_no_blanks() {
        for operations in [
            "- bm Kd1 Rh8;",
            "- bm Kd1\tRh8;",
            "-;bm Kd1,Rh8;",
            "-;bm\tKd1,\u{a0}Rh8 ;",
            "- 0;bm Kd1; bm Rh8",
        ] {
            let read = epd(&format!("4k3/8/8/8/8/8/8/4K2R w K {operations}"));
            assert_eq!(read.position.fen(), "4k3/8/8/8/8/8/8/4K2R w K - 0 1", "{operations}");
            let best: Vec<String> = read.best.iter().map(ToString::to_string).collect();
            assert_eq!(best, ["e1d1", "h1h8"], "{operations}");
        }
        let glued = epd("4k3/8/8/8/8/8/8/4K2R w K -3 12;bm Rh8");
        assert_eq!((glued.position.halfmove_clock(), glued.position.fullmove_number()), (3, 12));
        assert_eq!(glued.best.len(), 1);
    }

    /// One reader for whatever takes positions from a file.
    #[test]
    fn files_are_read_whatever_wrote_them() {
        let plain =
            "# suite\n4k3/8/8/8/8/8/8/4K2R w K - id \"M\u{fc}ller\";\n\n4k3/8/8/8/8/8/8/4K3 w - - 0 1\n";
        let latin: Vec<u8> = plain.chars().map(|c| c as u8).collect();
        let marked = [b"\xef\xbb\xbf", plain.replace("# suite\n", "").as_bytes()].concat();
        let lines =
            |bytes: &[u8]| -> Vec<(usize, Epd)> { read(&text::decode(bytes)).map(Result::unwrap).collect() };
        let read_plain = lines(plain.as_bytes());
        assert_eq!(read_plain.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [2, 4]);
        assert_eq!(read_plain[0].1.id.as_deref(), Some("M\u{fc}ller"));
        assert_eq!(lines(&latin), read_plain);
        assert_eq!(lines(plain.replace('\n', "\r\n").as_bytes()), read_plain);
        assert_eq!(lines(&marked)[0].1, read_plain[0].1);
        assert_eq!(lines(plain.replace('\n', "\n\u{feff}").as_bytes()), read_plain);
        assert_eq!(lines(&[plain.as_bytes(), b"\x1a"].concat()), read_plain);
        let broken = plain.replace("w - -", "w - z9");
        let error = read(&broken).find_map(Result::err).unwrap().to_string();
        assert_eq!(error, "line 4: FEN en passant: expected '-' or a square on rank 3 or 6, found 'z9'");
    }

    #[test]
    fn errors_are_named() {
        for (line, fields) in
            [("", 0), ("junk", 1), ("4k3/8/8/8/8/8/8/4K3 w", 2), ("4k3/8/8/8/8/8/8/4K3 w -", 3)]
        {
            assert_eq!(line.parse::<Epd>(), Err(FenError::MissingFields(fields).into()));
        }
        assert!(matches!("4k3/8/8/8/8/8/8/4K3 w - - bm Qd1;".parse::<Epd>(), Err(EpdError::Move { .. })));
    }

    /// A file may hold anything, words of a megabyte too.
    #[test]
    fn an_error_is_short_whatever_is_read() {
        let (long, number) = ("x".repeat(1 << 20), "9".repeat(1 << 20));
        for words in [
            format!("w K - bm {long};"),
            format!("w K - am Kd1 R{long}a8;"),
            format!("w K - 0 1 {number} bm Rh8;"),
            format!("{long} K - bm Rh8;"),
            format!("w {long} - bm Rh8;"),
            format!("w K {long} bm Rh8;"),
            format!("w K - {number} 1 bm Rh8;"),
            format!("w K - 0 {number}"),
            format!("w K - hmvc {long}; bm Rh8;"),
            format!("w K - fmvn 1 {long}; bm Rh8;"),
        ] {
            let error = format!("4k3/8/8/8/8/8/8/4K2R {words}").parse::<Epd>().unwrap_err().to_string();
            assert!(error.len() < 200, "{} bytes, {}", error.len(), text::clip(&error));
        }
        let fen = format!("4k3/8/8/8/8/8/8/4K2R w K - 0 1 {long}");
        let error = Position::from_fen(&fen).unwrap_err().to_string();
        assert!(error.len() < 200, "{} bytes, {}", error.len(), text::clip(&error));
    }
}
