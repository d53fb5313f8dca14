//! Games in viriformat, which other engines write and the public trainer `bullet` reads.
//!
//! A game is a board in 32 bytes, then a move (2 bytes) and its score (2 bytes, from White's view) again and
//! again, then four zero bytes; numbers are little-endian. The crate `viriformat` (3.0.0) describes it in
//! full. Nothing else stands in a file: no checksum, no count. What tells damage is that a board must be a
//! legal position and every move legal, and since every part of a file is a multiple of four bytes long, the
//! next whole game can be found behind the damage.
//!
//! The format has no room for moves without scores, so what is written begins after the opening. How a game
//! ended is not said either: what is read ended by the rules if they ended it, else by adjudication.

use crate::format::Damage;
use crate::game::{Ending, Game, GameResult, Ply};
use chess::{Color, Move, MoveKind, Piece, PieceKind, Position, Square, Wing, placement};
use std::io::{self, Write};
use thinking::score::{MATE, Score};

/// Bytes of a board.
const BOARD: usize = 32;
/// Bytes of a move with its score, and of the end.
const ELEMENT: usize = 4;
/// The piece that stands for a rook that may still castle.
const UNMOVED_ROOK: u8 = 6;
/// The square that stands for none.
const NO_SQUARE: u8 = 64;

/// Writes a game from the end of its opening on.
///
/// # Errors
/// Those of the output.
pub fn write(out: &mut impl Write, game: &Game) -> io::Result<()> {
    let mut scored = game.positions().peekable();
    let Some(first) = scored.peek() else { return Ok(()) };
    out.write_all(&pack(&first.position, game.result))?;
    for scored in scored {
        let white = scored.position.side_to_move() == Color::White;
        let score = if white { scored.score } else { -scored.score };
        out.write_all(&move_bits(scored.mv).to_le_bytes())?;
        out.write_all(&(score as i16).to_le_bytes())?;
    }
    out.write_all(&[0; ELEMENT])
}

fn pack(position: &Position, result: GameResult) -> [u8; BOARD] {
    let mut board = [0; BOARD];
    let rooks = Color::ALL.map(|color| Wing::ALL.map(|wing| position.castling_rook(color, wing)));
    let mut occupied = 0u64;
    let mut squares: Vec<Square> = position.occupied().into_iter().collect();
    squares.sort_unstable_by_key(|square| square.index());
    for (number, &square) in squares.iter().enumerate() {
        occupied |= 1 << square.index();
        let Some(piece) = position.piece_on(square) else { continue };
        let unmoved = rooks[piece.color.index()].contains(&Some(square));
        let code = if unmoved { UNMOVED_ROOK } else { piece.kind.index() as u8 };
        let nibble = code | (piece.color.index() as u8) << 3;
        board[8 + number / 2] |= nibble << (number % 2 * 4);
    }
    board[..8].copy_from_slice(&occupied.to_le_bytes());
    let passed = position.ep_square().map_or(NO_SQUARE, |square| square.index() as u8);
    board[24] = passed | (position.side_to_move().index() as u8) << 7;
    board[25] = position.halfmove_clock().min(255) as u8;
    board[26..28].copy_from_slice(&(position.fullmove_number().min(65_535) as u16).to_le_bytes());
    board[30] = result as u8;
    board
}

/// Our bits, but for the order of the kinds.
fn move_bits(mv: Move) -> u16 {
    let kind = match mv.kind() {
        MoveKind::Normal => 0,
        MoveKind::EnPassant => 1,
        MoveKind::Castling => 2,
        MoveKind::Promotion => 3,
    };
    mv.bits() & 0x3fff | kind << 14
}

/// So far into a file a whole game is looked for where the first board is damaged: many times the longest game.
pub const BEGINNING: usize = 1 << 16;

/// Do bytes begin like games in this format? The first of them may be damaged.
pub fn begins(bytes: &[u8]) -> bool {
    let first = bytes.first_chunk().is_some_and(|board| unpack(board).is_some());
    let mut later = (ELEMENT..bytes.len().min(BEGINNING)).step_by(ELEMENT);
    first || later.any(|at| game_at(bytes, at).is_some())
}

/// Hands on each whole game of a file as it is found, and says what had to be left out.
///
/// # Errors
/// With the first of `take`.
pub fn read<E>(bytes: &[u8], mut take: impl FnMut(Game) -> Result<(), E>) -> Result<Vec<Damage>, E> {
    let mut damage = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if let Some((game, end)) = game_at(bytes, at) {
            take(game)?;
            at = end;
            continue;
        }
        // The next game may begin at any element, since the end of this one may be what is damaged; that one does begin
        // shows when all of it is legal.
        let mut starts = (at + ELEMENT..bytes.len()).step_by(ELEMENT);
        let next = starts.find(|&next| game_at(bytes, next).is_some());
        let end = next.unwrap_or(bytes.len());
        damage.push(Damage { offset: at, bytes: end - at, tail: next.is_none() });
        at = end;
    }
    Ok(damage)
}

/// The game that begins here, if a whole one does, and where it ends.
fn game_at(bytes: &[u8], at: usize) -> Option<(Game, usize)> {
    let (board, mut rest) = bytes.get(at..)?.split_first_chunk()?;
    let (start, result) = unpack(board)?;
    let mut game = chess::Game::new(start.clone());
    let mut plies = Vec::new();
    loop {
        let (element, after) = rest.split_first_chunk::<ELEMENT>()?;
        rest = after;
        if *element == [0; ELEMENT] {
            break;
        }
        let [m0, m1, s0, s1] = *element;
        let position = game.position();
        let mv = legal(position, u16::from_le_bytes([m0, m1]))?;
        let white: Score = i16::from_le_bytes([s0, s1]).into();
        let score = if position.side_to_move() == Color::White { white } else { -white };
        plies.push(Ply { mv, score: score.clamp(1 - MATE, MATE - 1) });
        game.play(mv).ok()?;
    }
    let ending = game.outcome().map_or(
        if result == GameResult::Draw { Ending::AdjudicatedDraw } else { Ending::AdjudicatedWin },
        Ending::of,
    );
    Some((Game { start, opening: Vec::new(), plies, result, ending }, bytes.len() - rest.len()))
}

/// The legal move of these bits.
fn legal(position: &Position, bits: u16) -> Option<Move> {
    // The promotion's bits mean something with promotions only.
    let wanted = if bits >> 14 == 3 { bits } else { bits & 0xcfff };
    position.legal_moves().into_iter().find(|&mv| move_bits(mv) == wanted)
}

fn unpack(board: &[u8; BOARD]) -> Option<(Position, GameResult)> {
    let [o0, o1, o2, o3, o4, o5, o6, o7, pieces @ .., state, halfmoves, f0, f1, _, _, result, _] = *board;
    let pieces: [u8; 16] = pieces;
    let occupied = u64::from_le_bytes([o0, o1, o2, o3, o4, o5, o6, o7]);
    if occupied.count_ones() > 32 {
        return None;
    }
    let mut squares = [None; 64];
    let mut castling = String::new();
    let mut left = occupied;
    for number in 0..occupied.count_ones() as usize {
        let square = left.trailing_zeros() as usize;
        left &= left - 1;
        let nibble = pieces[number / 2] >> (number % 2 * 4) & 15;
        let color = Color::ALL[usize::from(nibble >> 3)];
        let kind = if nibble & 7 == UNMOVED_ROOK {
            if square / 8 != usize::from(color.back_rank()) {
                return None;
            }
            let letter = (b'a' + (square % 8) as u8) as char;
            castling.push(if color == Color::White { letter.to_ascii_uppercase() } else { letter });
            PieceKind::Rook
        } else {
            *PieceKind::ALL.get(usize::from(nibble & 7))?
        };
        squares[square] = Some(Piece { color, kind });
    }
    let side = if state >> 7 == 0 { 'w' } else { 'b' };
    let passed = match state & 0x7f {
        NO_SQUARE => "-".to_string(),
        square if square < NO_SQUARE => Square::new(square).to_string(),
        _ => return None,
    };
    let castling = if castling.is_empty() { "-" } else { &castling };
    let fullmoves = u16::from_le_bytes([f0, f1]).max(1);
    let board = placement(|square| squares[square.index()]);
    let fen = format!("{board} {side} {castling} {passed} {halfmoves} {fullmoves}");
    let result = match result {
        0 => GameResult::BlackWins,
        1 => GameResult::Draw,
        2 => GameResult::WhiteWins,
        _ => return None,
    };
    Some((Position::from_fen(&fen).ok()?, result))
}
