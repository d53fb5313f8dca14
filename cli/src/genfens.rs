//! Lines of UCI given as program arguments, `genfens` among them: start positions for games that others play,
//! as OpenBench asks for them (`firstborn "genfens 512 seed 42 book None" "quit"`).

use crate::brain::network::{eval_file, load};
use crate::options::read_text;
use crate::play;
use anyhow::{Context, bail, ensure};
use chess::{Position, epd};
use nnue::Network;
use protocol::option::Value;
use protocol::uci::command::{Command, CommandError};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use training::datagen::Player;
use training::format::{Header, NetworkMark};
use training::recipe::Recipe;

/// The word that asks for positions.
const WORD: &str = "genfens";
/// Nodes that it takes to see whether a position is open.
const NODES: u64 = 1000;

/// Does a line that is obeyed here begin with this word?
pub fn begins_line(word: &str) -> bool {
    word == WORD || !matches!(word.parse::<Command>(), Err(CommandError::Unknown(_)))
}

/// The lines that these arguments are: one each, or all together one that a shell has split at its blanks.
fn lines(arguments: &[String]) -> Vec<String> {
    let are_words = !arguments.iter().any(|argument| argument.contains(char::is_whitespace));
    if are_words && !arguments.iter().all(|word| begins_line(word)) {
        return vec![arguments.join(" ")];
    }
    arguments.to_vec()
}

/// Obeys the lines given as arguments: first those that ask for positions, each with the network that the lines before
/// it set, then all others in a session.
pub fn obey(arguments: &[String]) -> anyhow::Result<ExitCode> {
    let mut network = Network::embedded();
    let mut session = Vec::new();
    for line in lines(arguments) {
        if line.split_whitespace().next() == Some(WORD) {
            print(&line.parse::<Request>().with_context(|| format!("'{line}'"))?, &network)?;
            continue;
        }
        if let Ok(Command::SetOption { name, value }) = line.parse()
            && eval_file().is_named(&name)
            && let Ok(Value::Text(path)) = eval_file().parse(value.as_deref())
        {
            let loaded = load(&path).map_err(|error| anyhow::anyhow!(error))?;
            network = loaded.unwrap_or_else(Network::embedded);
        }
        session.push(line);
    }
    play::obey(&session)
}

/// `genfens N [seed S] [book None|FILE]`. Other words are left to other programs.
#[derive(Debug, PartialEq)]
struct Request {
    positions: usize,
    seed: u64,
    /// A file of FENs or EPDs to begin from instead of the start position.
    book: Option<String>,
}

impl std::str::FromStr for Request {
    type Err = anyhow::Error;

    fn from_str(line: &str) -> anyhow::Result<Self> {
        let mut words = line.split_whitespace().skip(1);
        let count = words.next().context("how many positions?")?;
        let positions = count.parse().with_context(|| format!("'{count}' is not a number of positions"))?;
        let mut request = Request { positions, seed: 0, book: None };
        while let Some(word) = words.next() {
            let mut value = || words.next().with_context(|| format!("{word} what?"));
            match word {
                "seed" => {
                    let seed = value()?;
                    request.seed = seed.parse().with_context(|| format!("'{seed}' is not a seed"))?;
                }
                "book" => {
                    let book = value()?;
                    request.book = (!book.eq_ignore_ascii_case("none")).then(|| book.into());
                }
                _ => {}
            }
        }
        Ok(request)
    }
}

fn print(request: &Request, network: &Arc<Network>) -> anyhow::Result<()> {
    let starts = match &request.book {
        Some(path) => read_book(Path::new(path))?,
        None => vec![Position::startpos()],
    };
    let header = Header {
        engine: format!("firstborn {}", env!("CARGO_PKG_VERSION")),
        // The positions are no games of a file: nothing but the seed and the network need decide them.
        commit: None,
        bench: 0,
        network: Some(NetworkMark::of(network)),
        recipe: Recipe::new(request.seed, NODES),
    };
    let mut player = Player::new(&header, network).map_err(|_| anyhow::anyhow!("no memory for a table"))?;
    let mut found = 0;
    for fen in player.fens(&starts).take(request.positions) {
        println!("info string genfens {fen}");
        found += 1;
    }
    let book = request.book.as_deref().unwrap_or("the start position");
    ensure!(
        found == request.positions,
        "{book}: found {found} of the {} positions wanted, then no more that a game may begin in",
        request.positions
    );
    Ok(())
}

/// The positions of a file, one a line, as FEN or EPD.
fn read_book(path: &Path) -> anyhow::Result<Vec<Position>> {
    let starts: Vec<Position> = epd::read(&read_text(path)?)
        .map(|line| line.map(|(_, epd)| epd.position))
        .collect::<Result<_, _>>()
        .with_context(|| format!("{}", path.display()))?;
    if starts.is_empty() {
        bail!("{}: no position", path.display());
    }
    Ok(starts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_may_come_without_quotation_marks() {
        for (arguments, expected) in [
            (&["go", "depth", "3"][..], &["go depth 3"][..]),
            (&["position", "startpos", "moves", "e2e4"], &["position startpos moves e2e4"]),
            (&["genfens", "3", "seed", "7"], &["genfens 3 seed 7"]),
            (&["isready"], &["isready"]),
            (&["ucinewgame", "go", "stop", "d", "quit"], &["ucinewgame", "go", "stop", "d", "quit"]),
            (&["go infinite", "stop", "isready"], &["go infinite", "stop", "isready"]),
            (&["isready", "no such line"], &["isready", "no such line"]),
        ] {
            let arguments: Vec<String> = arguments.iter().map(|&argument| argument.into()).collect();
            assert_eq!(lines(&arguments), expected);
        }
    }

    #[test]
    fn requests_are_read_as_openbench_writes_them() {
        let request = |line: &str| line.parse::<Request>().map_err(|error| error.to_string());
        let expected = |positions, seed, book: Option<&str>| {
            Ok(Request { positions, seed, book: book.map(String::from) })
        };
        assert_eq!(request("genfens 512 seed 42 book None"), expected(512, 42, None));
        assert_eq!(
            request("genfens 1 seed 18446744073709551615 book b.epd dfrc"),
            expected(1, u64::MAX, Some("b.epd"))
        );
        assert_eq!(request("genfens 3"), expected(3, 0, None));
        for wrong in
            ["genfens", "genfens x", "genfens -1", "genfens 3 seed", "genfens 3 seed x", "genfens 3 book"]
        {
            assert!(request(wrong).is_err(), "{wrong}");
        }
    }
}
