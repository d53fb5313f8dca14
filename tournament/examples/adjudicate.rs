//! Holds the rules of adjudication against games that another runner has played: says of every game of a PGN file after
//! which ply the rules would end it. Evaluations are read from comments as cutechess-cli and fastchess write them.
//!
//! `cargo run -p tournament --example adjudicate -- GAMES.pgn ["RULE" ["RULE" [MAXMOVES [RUNNER]]]]`, the
//! rules being those of `--draw` and `--resign`; an empty one is none. RUNNER is fastchess or cutechess,
//! whose own way of counting is then used.

use std::fs::File;
use std::io::Write as _;
use std::ops::ControlFlow;

use chess::Position;
use pgn_reader::{RawComment, RawTag, Reader, SanPlus, Skip, Visitor};
use tournament::adjudicate::{Adjudicator, Manner, Rules};

/// A game's start position and its moves with what stood in the comment behind them.
#[derive(Default)]
struct Recorded {
    fen: Option<String>,
    moves: Vec<(String, String)>,
}

struct Recording;

impl Visitor for Recording {
    type Tags = Recorded;
    type Movetext = Recorded;
    type Output = Recorded;

    fn begin_tags(&mut self) -> ControlFlow<Recorded, Recorded> {
        ControlFlow::Continue(Recorded::default())
    }

    fn tag(&mut self, game: &mut Recorded, name: &[u8], value: RawTag<'_>) -> ControlFlow<Recorded> {
        if name == b"FEN" {
            game.fen = Some(value.decode_utf8_lossy().into_owned());
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, game: Recorded) -> ControlFlow<Recorded, Recorded> {
        ControlFlow::Continue(game)
    }

    fn san(&mut self, game: &mut Recorded, san: SanPlus) -> ControlFlow<Recorded> {
        game.moves.push((san.to_string(), String::new()));
        ControlFlow::Continue(())
    }

    fn comment(&mut self, game: &mut Recorded, comment: RawComment<'_>) -> ControlFlow<Recorded> {
        if let Some(last) = game.moves.last_mut() {
            last.1 = String::from_utf8_lossy(comment.as_bytes()).into_owned();
        }
        ControlFlow::Continue(())
    }

    fn begin_variation(&mut self, _: &mut Recorded) -> ControlFlow<Recorded, Skip> {
        ControlFlow::Continue(Skip(true))
    }

    fn end_game(&mut self, game: Recorded) -> Recorded {
        game
    }
}

/// The evaluation in a comment: `+0.31/12 0.05s`, `-M14/20 0.1s`.
fn score(comment: &str) -> Option<i32> {
    let (text, _) = comment.split_once('/')?;
    match text.split_once('M') {
        Some(("-", plies)) => plies.parse::<i32>().ok().map(|plies| plies - 100_000),
        Some((_, plies)) => plies.parse::<i32>().ok().map(|plies| 100_000 - plies),
        None => text.parse::<f64>().ok().map(|pawns| (pawns * 100.0).round() as i32),
    }
}

fn verdict(game: &Recorded, rules: Rules) -> Result<String, Box<dyn std::error::Error>> {
    let mut position = game.fen.as_ref().map_or_else(|| Ok(Position::startpos()), |fen| fen.parse())?;
    let mut adjudicator = Adjudicator::new(rules, 0);
    for (ply, (san, comment)) in game.moves.iter().enumerate() {
        position = position.after(position.parse_san(san)?);
        if let Some(finding) = adjudicator.moved(&position, ply + 1, score(comment)) {
            return Ok(format!("{} {} of {}: {}", ply + 1, finding.ending, game.moves.len(), finding.reason));
        }
    }
    Ok(format!("- of {}", game.moves.len()))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let path = words.first().ok_or("give a PGN file")?;
    let given = |index: usize| words.get(index).filter(|word| !word.is_empty());
    let rules = Rules {
        draw: given(1).map(|text| text.parse()).transpose()?,
        resign: given(2).map(|text| text.parse()).transpose()?,
        manner: match given(4).map(String::as_str) {
            None => Manner::House,
            Some("fastchess") => Manner::Fastchess,
            Some("cutechess") => Manner::Cutechess,
            Some(other) => return Err(format!("`{other}` is neither fastchess nor cutechess").into()),
        },
        max_moves: given(3).map(|text| text.parse()).transpose()?,
    };
    let mut reader = Reader::new(File::open(path)?);
    let mut out = std::io::stdout().lock();
    let mut number = 0;
    while let Some(game) = reader.read_game(&mut Recording)? {
        number += 1;
        writeln!(out, "{number} {}", verdict(&game, rules)?)?;
    }
    Ok(())
}
