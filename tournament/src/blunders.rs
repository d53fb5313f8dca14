//! Positions that an engine misjudged, as lines of EPD.
//!
//! Two kinds are found in what engines said of their moves. An evaluation *drops*: an engine thinks far less
//! of its position at its next move than it did at this one, so it overlooked something. Or both engines
//! *claim a win* at once, so one of them is wrong. Nothing is searched: a line says what was thought and
//! played, and not what is true. The opcodes are those of the PGN standard (section 16.2): `sm` the move that
//! was made, `ce` its evaluation, `acd` and `acn` depth and nodes, `id` the game and `c0` what happened.

use std::io::{self, Write};
use std::path::PathBuf;

use chess::{Game, Position};

use crate::archive::{self, ArchiveError, Collector, Copies, Ply};
use crate::pgn::evaluation;
use crate::survey::Filter;

/// Evaluations beyond this many centipawns count as this many: who is four pawns up or down misjudges nothing
/// by another pawn.
const CLEAR: i32 = 400;
/// Both engines must see at least so many centipawns for themselves.
const WON: i32 = 150;

/// Why no positions were written.
#[derive(Debug, thiserror::Error)]
pub enum BlunderError {
    /// A file of games cannot be read.
    #[error(transparent)]
    Read(#[from] ArchiveError),
    /// The output.
    #[error(transparent)]
    Write(#[from] io::Error),
}

/// Writes the positions of the games in these files in which an evaluation dropped by at least `drop`
/// centipawns, or both engines claimed a win, of games that stand in several files once. Games that cannot be read
/// have none; a report on the files names them. Returns how many there are.
///
/// # Errors
/// A file cannot be read, or the output not written.
pub fn write(
    files: &[PathBuf],
    filter: &Filter,
    drop: i32,
    out: &mut impl Write,
) -> Result<u64, BlunderError> {
    let copies = Copies::default();
    let mut finder = Finder { filter, drop, out, file: String::new(), copies, found: 0, failure: None };
    for file in files {
        finder.copies.next_file();
        finder.file = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        archive::read(file, &mut finder)?;
    }
    finder.failure.map_or(Ok(finder.found), |error| Err(error.into()))
}

struct Finder<'a, W> {
    filter: &'a Filter,
    drop: i32,
    out: &'a mut W,
    file: String,
    copies: Copies,
    found: u64,
    failure: Option<io::Error>,
}

impl<W: Write> Collector for Finder<'_, W> {
    fn bad(&mut self, _: ArchiveError) -> Result<(), ArchiveError> {
        Ok(())
    }

    fn game(&mut self, names: [&str; 2], game: &archive::Game<'_>) {
        let counts = self.filter.takes(names) && !self.copies.is_copy(names, game);
        if !counts || self.failure.is_some() {
            return;
        }
        let Ok(start) = game.start() else { return };
        let mut played = Game::new(start);
        for (ply, mv) in game.moves.iter().enumerate() {
            let side = usize::from((ply % 2 == 0) != game.white_first());
            let what = drop(&game.moves[ply..], self.drop)
                .map(|text| format!("{} {text}", names[side]))
                .or_else(|| {
                    claims(&game.moves, ply)
                        .map(|text| format!("{} and {} {text}", names[side], names[1 - side]))
                });
            let position = played.position();
            let text =
                if mv.uci.is_empty() { position.parse_san(&mv.san) } else { position.parse_uci(&mv.uci) };
            // What cannot be read is the reader's to complain of.
            let Ok(made) = text else { return };
            if let Some(what) = what {
                let id = format!("{} game {} ply {}", self.file, game.id + 1, ply + 1);
                self.write(position, mv, &what, &id);
            }
            if self.failure.is_some() || played.play(made).is_err() {
                return;
            }
        }
    }
}

impl<W: Write> Finder<'_, W> {
    fn write(&mut self, position: &Position, mv: &Ply<'_>, what: &str, id: &str) {
        let fen = position.fen();
        let fields: Vec<&str> = fen.split(' ').take(4).collect();
        let id = id.replace('"', "'");
        let mut line = format!("{} sm {};", fields.join(" "), mv.san);
        for (opcode, value) in [
            ("ce", mv.score.map(i64::from)),
            ("acd", mv.depth.map(i64::from)),
            ("acn", mv.nodes.and_then(|nodes| i64::try_from(nodes).ok())),
        ] {
            if let Some(value) = value {
                line += &format!(" {opcode} {value};");
            }
        }
        line += &format!(" id \"{id}\"; c0 \"{}\";\n", what.replace('"', "'"));
        match self.out.write_all(line.as_bytes()) {
            Ok(()) => self.found += 1,
            Err(error) => self.failure = Some(error),
        }
    }
}

/// Does the mover think far less of its position two plies later?
fn drop(moves: &[Ply<'_>], least: i32) -> Option<String> {
    let (now, later) = (moves.first()?.score?, moves.get(2)?.score?);
    let counted = |score: i32| score.clamp(-CLEAR, CLEAR);
    (counted(now) - counted(later) >= least).then(|| {
        format!("thinks {} of {}, and at its next move {}", evaluation(now), moves[0].san, evaluation(later))
    })
}

/// Does the mover claim a win, as its opponent did with the move before?
fn claims(moves: &[Ply<'_>], ply: usize) -> Option<String> {
    let (before, now) = (moves.get(ply.checked_sub(1)?)?.score?, moves[ply].score?);
    (before >= WON && now >= WON)
        .then(|| format!("both claim a win: {} and {}", evaluation(now), evaluation(before)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Found by hand: White drops from +0.30 to -3.00 after 2. Qh5, both claim a win at Black's third move, a
    /// fall from +9 to +6 is none.
    const GAMES: &str = "[White \"A \\\"x\\\"\"]\n[Black \"B\"]\n[Result \"0-1\"]\n\n1. e4 {book} e5 {book} \
                         2. Qh5 {+0.30/5 0.1s} Nc6 {+9.00/5 0.1s} 3. Bc4 {-3.00/5 0.1s} g6 {+6.00/5 0.1s} \
                         4. Qf3 {+2.00/6 0.1s n=77} Nf6 {+2.50/5 0.1s} 0-1\n";

    fn found(games: &str, filter: &Filter, drop: i32) -> Vec<String> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("g.pgn");
        std::fs::write(&path, games).unwrap();
        let mut out = Vec::new();
        let count = write(&[path], filter, drop, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert_eq!(text.lines().count() as u64, count);
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn drops_and_false_claims_are_found() {
        let lines = found(GAMES, &Filter::default(), 200);
        assert_eq!(lines.len(), 3, "{lines:#?}");
        assert!(
            lines[0].starts_with(
                "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - sm Qh5; ce 30; acd 5;"
            )
        );
        assert!(lines[0].contains("thinks +0.30 of Qh5, and at its next move -3.00"), "{}", lines[0]);
        assert!(
            lines[1].contains("sm Qf3; ce 200; acd 6; acn 77; id \"g.pgn game 1 ply 7\""),
            "{}",
            lines[1]
        );
        assert!(lines[1].contains("A 'x' and B both claim a win: +2.00 and +6.00"), "{}", lines[1]);
        assert!(lines[2].contains("sm Nf6;") && lines[2].contains("both claim a win"), "{}", lines[2]);
        // Each is a line of EPD that other programs read.
        for line in &lines {
            let epd: chess::epd::Epd = line.parse().unwrap();
            assert!(epd.ops.iter().any(|(code, _)| code == "c0"));
        }
    }

    /// Without the tag `Variant` the rights would be stale, and the first move none.
    #[test]
    fn games_of_chess960_are_read_as_such() {
        let game = "[White \"A\"]\n[Black \"B\"]\n[Result \"0-1\"]\n[Variant \"Chess960\"]\n\
                    [FEN \"4k3/8/8/8/8/8/8/1R2KR2 w KQ - 0 1\"]\n\n1. O-O {book} Kd7 {book} \
                    2. Kh1 {+0.30/5 0.1s} Kc7 {+0.10/5 0.1s} 3. Kg1 {-3.00/5 0.1s} Kd7 {+0.10/5 0.1s} 0-1\n";
        let lines = found(game, &Filter::default(), 200);
        assert!(matches!(&lines[..], [one] if one.contains(" sm Kh1; ce 30;")), "{lines:#?}");
    }

    #[test]
    fn the_threshold_and_the_players_are_the_callers() {
        assert_eq!(found(GAMES, &Filter::default(), 331).len(), 2);
        let without = Filter { without: vec!["B".into()], between: None };
        assert!(found(GAMES, &without, 200).is_empty());
    }
}
