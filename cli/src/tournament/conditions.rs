//! Flags that say where games begin and when they are ended early, for every command that lets engines play.

use std::path::PathBuf;

use ::tournament::adjudicate::{DrawRule, ResignRule, Rules};
use ::tournament::openings::polyglot::PLIES;
use ::tournament::openings::{Book, Order, Reading};
use anyhow::bail;

/// Which start positions of Chess960 games begin in where there is no book.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Chess960 {
    /// The same for White and Black.
    Single,
    /// One for each.
    Double,
}

/// Where games begin.
#[derive(clap::Args)]
pub struct Openings {
    /// Openings: .epd, .fen, .txt (FENs), .pgn or .bin (Polyglot), also .gz or .zip [default: a built-in set of 115]
    #[arg(long, value_name = "FILE")]
    pub openings: Option<PathBuf>,
    /// Take openings in random order, by the seed
    #[arg(long)]
    random: bool,
    /// The seed of everything random
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// The first opening to take, counted in the order they are taken in
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    start: u32,
    #[arg(long, value_name = "N", help = format!(
        "Plies to take from a PGN or Polyglot opening [default: the whole main line of a game, {PLIES} of a \
         Polyglot book]"
    ))]
    plies: Option<usize>,
}

impl Openings {
    /// The openings, at least as many as wanted where they can be made up.
    pub fn book(&self, wanted: usize, chess960: Option<Chess960>, skip_bad: bool) -> anyhow::Result<Book> {
        let (start, plies) = (self.start as usize, self.plies);
        let order = if self.random { Order::Random(self.seed) } else { Order::Sequential };
        let double = chess960 == Some(Chess960::Double);
        Ok(match &self.openings {
            Some(_) if double => {
                bail!("--chess960=double begins in positions of its own: leave --openings out")
            }
            Some(path) => {
                let chess960 = chess960.is_some();
                let reading = Reading { order, start, plies, wanted, skip_bad, chess960, ..Reading::WHOLE };
                Book::from_file(path, reading)?
            }
            None => match chess960 {
                None => Book::embedded(order, start)?,
                Some(Chess960::Single) => Book::chess960(self.seed, start)?,
                Some(Chess960::Double) => Book::double_chess960(self.seed, start),
            },
        })
    }
}

/// When games are ended early.
#[derive(clap::Args)]
pub struct GameRules {
    /// Adjudicate draws, counted as fastchess does, by default "movenumber=40 movecount=8 score=10" (keys may be left
    /// out): 16 plies in a row within 10 centipawns, none of them a capture or pawn move but the first, and move 40 (by
    /// the FEN's numbers) completed
    #[arg(long, value_name = "RULE", num_args = 0.., default_missing_value = "")]
    draw: Option<Vec<String>>,
    /// Adjudicate losses, by default "movecount=3 score=600 twosided=false" (keys may be left out): three of the
    /// loser's own moves in a row at -600 or worse; with twosided=true also three of the winner's at 600 or better
    #[arg(long, value_name = "RULE", num_args = 0.., default_missing_value = "")]
    resign: Option<Vec<String>>,
    /// Adjudicate games as drawn when this many moves of each side have been played, those of the opening and of
    /// players' own books included
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    maxmoves: Option<u32>,
}

impl GameRules {
    /// The rules as the referee knows them.
    pub fn rules(&self) -> anyhow::Result<Rules> {
        let draw = self.draw.as_ref().map(|words| words.join(" ").parse::<DrawRule>());
        let resign = self.resign.as_ref().map(|words| words.join(" ").parse::<ResignRule>());
        let (draw, resign) = (draw.transpose()?, resign.transpose()?);
        Ok(Rules { draw, resign, max_moves: self.maxmoves, ..Rules::default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Line;
    use clap::CommandFactory;

    /// The rule that the help of this option says holds by default, with all three keys.
    fn default_in_help(option: &str) -> String {
        let command = Line::<GameRules>::command();
        let mut arguments = command.get_arguments();
        let argument = arguments.find(|argument| argument.get_id().as_str() == option).expect("it is there");
        let help = argument.get_help().expect("it has a help").to_string();
        let (_, rest) = help.split_once("by default \"").expect("it tells the default");
        let (rule, _) = rest.split_once('"').expect("the default ends");
        assert_eq!(rule.matches('=').count(), 3, "{rule}");
        rule.to_owned()
    }

    #[test]
    fn the_help_tells_which_rules_hold_by_default() {
        assert_eq!(default_in_help("draw").parse::<DrawRule>(), "".parse::<DrawRule>());
        assert_eq!(default_in_help("resign").parse::<ResignRule>(), "".parse::<ResignRule>());
    }
}
