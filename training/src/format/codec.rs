//! A game in bytes: one for each move, one (seldom two) for each score.
//!
//! A move is its place among the legal moves sorted by origin, target and promotion, so that the bytes do not depend
//! on the order in which the generator happens to make them. A score is kept as its difference from what the opponent
//! said last, with the sign turned: players mostly agree, so the difference is small.

use super::CorruptGame;
use crate::game::{Ending, Game, GameResult, Ply};
use chess::{Move, MoveList, Position};
use thinking::score::{INFINITE, Score};

/// The start position is not the usual one: its FEN follows.
const HAS_FEN: u8 = 0x80;

/// The legal moves in the order of the format: by origin, target (castling: the rook's square) and promotion (knight,
/// bishop, rook, queen), squares from a1 along the ranks.
pub fn ordered_moves(position: &Position) -> MoveList {
    let mut moves = position.legal_moves();
    moves.sort_unstable_by_key(|mv| (mv.from(), mv.to(), mv.promotion()));
    moves
}

/// Appends a game.
///
/// # Errors
/// When it holds what the format cannot say: an illegal move, a score beyond all scores, an opening of over 255 plies.
pub fn encode(game: &Game, out: &mut Vec<u8>) -> Result<(), CorruptGame> {
    let usual = game.start == Position::startpos();
    let ending =
        Ending::ALL.iter().position(|&e| e == game.ending).expect("the list holds all endings") as u8;
    out.push(game.result as u8 | ending << 2 | if usual { 0 } else { HAS_FEN });
    if !usual {
        let fen = game.start.shredder_fen();
        out.push(u8::try_from(fen.len()).map_err(|_| CorruptGame::Fen(fen.clone()))?);
        out.extend_from_slice(fen.as_bytes());
    }
    let mut position = game.start.clone();
    out.push(u8::try_from(game.opening.len()).map_err(|_| CorruptGame::Opening(game.opening.len()))?);
    for &mv in &game.opening {
        out.push(index_of(&mut position, mv)?);
    }
    put_number(out, game.plies.len() as u32);
    let mut expected: Score = 0;
    for &Ply { mv, score } in &game.plies {
        if score.abs() > INFINITE {
            return Err(CorruptGame::Score(score));
        }
        out.push(index_of(&mut position, mv)?);
        let difference = score - expected;
        put_number(out, (difference << 1 ^ difference >> 31) as u32);
        expected = -score;
    }
    Ok(())
}

/// The move's place in the order, which always fits a byte (no position has more than 218 moves); plays it.
fn index_of(position: &mut Position, mv: Move) -> Result<u8, CorruptGame> {
    let place = ordered_moves(position).iter().position(|&legal| legal == mv);
    let index = place.and_then(|place| u8::try_from(place).ok()).ok_or(CorruptGame::Illegal(mv))?;
    position.play(mv);
    Ok(index)
}

/// Seven bits to a byte, lowest first, the eighth says that more follow (LEB128).
fn put_number(out: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Takes a game off the front of `bytes`.
///
/// # Errors
/// What is wrong with the bytes. Any bytes may be given.
pub fn decode(bytes: &mut &[u8]) -> Result<Game, CorruptGame> {
    let head = take(bytes)?;
    let result = match head & 3 {
        0 => GameResult::BlackWins,
        1 => GameResult::Draw,
        2 => GameResult::WhiteWins,
        _ => return Err(CorruptGame::Head(head)),
    };
    let ending = *Ending::ALL.get(usize::from(head >> 2 & 31)).ok_or(CorruptGame::Head(head))?;
    let start = if head & HAS_FEN == 0 { Position::startpos() } else { take_fen(bytes)? };
    let mut position = start.clone();
    let opening = (0..take(bytes)?).map(|_| take_move(bytes, &mut position)).collect::<Result<_, _>>()?;
    let count = take_number(bytes)? as usize;
    // Each ply takes two bytes or more: a count that does not fit must not make us ask for the memory.
    if count > bytes.len() / 2 {
        return Err(CorruptGame::Short);
    }
    let mut plies = Vec::with_capacity(count);
    let mut expected: Score = 0;
    for _ in 0..count {
        let mv = take_move(bytes, &mut position)?;
        let code = take_number(bytes)?;
        let score = expected.wrapping_add((code >> 1) as i32 ^ -((code & 1) as i32));
        if !(-INFINITE..=INFINITE).contains(&score) {
            return Err(CorruptGame::Score(score));
        }
        plies.push(Ply { mv, score });
        expected = -score;
    }
    Ok(Game { start, opening, plies, result, ending })
}

fn take(bytes: &mut &[u8]) -> Result<u8, CorruptGame> {
    let (&first, rest) = bytes.split_first().ok_or(CorruptGame::Short)?;
    *bytes = rest;
    Ok(first)
}

fn take_number(bytes: &mut &[u8]) -> Result<u32, CorruptGame> {
    let mut number = 0u64;
    for shift in (0..35).step_by(7) {
        let byte = take(bytes)?;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return u32::try_from(number).map_err(|_| CorruptGame::Number);
        }
    }
    Err(CorruptGame::Number)
}

fn take_move(bytes: &mut &[u8], position: &mut Position) -> Result<Move, CorruptGame> {
    let index = take(bytes)?;
    let moves = ordered_moves(position);
    let &mv = moves.get(usize::from(index)).ok_or(CorruptGame::Index { index, moves: moves.len() })?;
    position.play(mv);
    Ok(mv)
}

fn take_fen(bytes: &mut &[u8]) -> Result<Position, CorruptGame> {
    let length = usize::from(take(bytes)?);
    let (text, rest) = bytes.split_at_checked(length).ok_or(CorruptGame::Short)?;
    *bytes = rest;
    let fen = String::from_utf8_lossy(text).into_owned();
    Position::from_fen(&fen).map_err(|_| CorruptGame::Fen(fen))
}
