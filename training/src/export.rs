//! Games for other programs: as PGN, and as plain records of one position a line.

use crate::filter::Filter;
use crate::game::{Game, GameResult};
use chess::text::{PGN_WIDTH, fill};
use chess::{Color, Position};
use std::io::{self, Write};

/// Writes a game as PGN; after each move that was thought about stands its score from White's view in pawns.
///
/// # Errors
/// Those of the output.
pub fn write_pgn(out: &mut impl Write, round: u64, game: &Game) -> io::Result<()> {
    let result = game.result.to_string();
    writeln!(out, "[Event \"Self-play\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"{}\"]", round + 1)?;
    writeln!(out, "[White \"Firstborn\"]\n[Black \"Firstborn\"]\n[Result \"{result}\"]")?;
    if game.start != Position::startpos() {
        let (variant, fen) = if game.start.is_chess960() {
            ("[Variant \"Chess960\"]\n", game.start.shredder_fen())
        } else {
            ("", game.start.fen())
        };
        writeln!(out, "{variant}[SetUp \"1\"]\n[FEN \"{fen}\"]")?;
    }
    writeln!(out, "[Ending \"{}\"]\n", game.ending.name())?;
    let scores = game.opening.iter().map(|&mv| (mv, None));
    let moves = scores.chain(game.plies.iter().map(|ply| (ply.mv, Some(ply.score))));
    let mut position = game.start.clone();
    let mut words = Vec::new();
    for (index, (mv, score)) in moves.enumerate() {
        let white = position.side_to_move() == Color::White;
        if white || index == 0 {
            words.push(format!("{}{}", position.fullmove_number(), if white { "." } else { "..." }));
        }
        words.push(position.san(mv));
        if let Some(score) = score {
            let score = if white { score } else { -score };
            words.push(format!("{{{:+.2}}}", f64::from(score) / 100.0));
        }
        position.play(mv);
    }
    words.push(result);
    writeln!(out, "{}", fill(words, PGN_WIDTH))
}

/// Writes the positions that the filter keeps, a line each: `FEN | score | result`, score (centipawns) and result (1.0,
/// 0.5, 0.0) from White's view, as public trainers read it.
///
/// # Errors
/// Those of the output.
pub fn write_plain(out: &mut impl Write, filter: &Filter, game: &Game) -> io::Result<()> {
    let result = match game.result {
        GameResult::BlackWins => "0.0",
        GameResult::Draw => "0.5",
        GameResult::WhiteWins => "1.0",
    };
    for scored in filter.positions(game) {
        let white = scored.position.side_to_move() == Color::White;
        let score = if white { scored.score } else { -scored.score };
        writeln!(out, "{} | {score} | {result}", scored.position.fen())?;
    }
    Ok(())
}
