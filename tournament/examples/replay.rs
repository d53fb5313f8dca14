//! Replays PGN files by shakmaty's rules: `cargo run -p tournament --example replay -- FILE.pgn...`. One line for every
//! problem, one for every file; fails if there is a problem.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write};
use std::process::ExitCode;

use tournament::replay::replay;

fn main() -> io::Result<ExitCode> {
    let mut out = io::stdout().lock();
    let mut sound = true;
    for path in std::env::args().skip(1) {
        let games = replay(File::open(&path)?)?;
        let mut endings: BTreeMap<&str, usize> = BTreeMap::new();
        for (number, game) in games.iter().enumerate() {
            *endings.entry(&game.ending).or_default() += 1;
            for problem in &game.problems {
                sound = false;
                writeln!(out, "game {} ({} - {}): {problem}", number + 1, game.players[0], game.players[1])?;
            }
        }
        let problems: usize = games.iter().map(|game| game.problems.len()).sum();
        let plies: usize = games.iter().map(|game| game.plies).sum();
        let endings: Vec<String> =
            endings.iter().map(|(ending, count)| format!("{ending} {count}")).collect();
        writeln!(
            out,
            "{path}: {} games, {plies} moves, {problems} problems; {}",
            games.len(),
            endings.join(", ")
        )?;
    }
    Ok(if sound { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
