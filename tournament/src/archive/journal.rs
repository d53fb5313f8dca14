//! Games of a journal.

use std::io::BufRead;
use std::path::Path;

use serde_json::Value;

use super::{Collector, Found, Game, Kind};
use crate::description::is_hourglass;
use crate::journal::{JournalError, Known, Line, Lines, broken};
use crate::record;
use crate::schedule::{Held, Schedule};

/// Hands on what a journal holds. A line that stands there twice is one game; two games of one number are an
/// error.
pub(super) fn read(
    path: &Path,
    input: impl BufRead,
    collector: &mut dyn Collector,
) -> Result<Found, JournalError> {
    let mut found = Found::nothing(path, Kind::Journal);
    let mut players = Vec::new();
    let mut plan = Plan::default();
    let mut known = Known::default();
    let mut lines = Lines::new(path, input);
    if let Some(header) = lines.header()? {
        players = header.players(path)?;
        plan.rounds = header.tournament.get("rounds").and_then(Value::as_u64);
        collector.tournament(&header.tournament, &players, &header.engines);
        plan.description = header.tournament;
    }
    while let Some((number, text)) = lines.next_line()? {
        match Line::read(path, number, text)? {
            Line::Engines(engines) => collector.engines(&engines),
            Line::Run(run) => {
                plan.rounds = plan.rounds.max(run.rounds);
                collector.run(&run);
            }
            Line::Empty => {}
            Line::Entry(text) => {
                let mut game: Game =
                    serde_json::from_str(text).map_err(|e| broken(path, number, e.to_string()))?;
                if let Some(fault) = fault(&game, players.len()) {
                    return Err(broken(path, number, fault));
                }
                game.opening_plies = super::book_plies(&game.moves);
                let sides = [game.white, game.black].map(|player| &plan.description["players"][player]);
                game.hourglass = sides.map(|player| player["limits"].as_str().is_some_and(is_hourglass));
                game.ponders = sides.map(|player| player["ponder"] == true);
                if !known.is_new(path, number, Some(game.id), text)? {
                    found.left_out += 1;
                    continue;
                }
                found.games += 1;
                plan.games.push(held(&game));
                plan.lines.push(number);
                collector.game([&players[game.white], &players[game.black]], &game);
            }
        }
    }
    found.torn = !lines.torn().is_empty();
    if players.is_empty() {
        return Err(broken(path, 1, "is not complete: the tournament has not begun"));
    }
    match plan.fault() {
        Some((line, fault)) => Err(broken(path, line, fault)),
        None => Ok(found),
    }
}

/// What the games are held against once all are known: in a Swiss or a knockout results decide who meets.
#[derive(Default)]
struct Plan {
    description: Value,
    rounds: Option<u64>,
    games: Vec<Held>,
    /// The lines of the games.
    lines: Vec<usize>,
}

impl Plan {
    /// The line of a game that the tournament's plan does not have so, and what is wrong with it.
    fn fault(&self) -> Option<(usize, String)> {
        let schedule = Schedule::described(&self.description, self.rounds)?;
        let (at, fault) = schedule.fault(&self.games, false)?;
        Some((self.lines[at], fault))
    }
}

fn held(game: &Game<'_>) -> Held {
    Held {
        id: game.id,
        encounter: game.encounter,
        players: [game.white, game.black],
        place: game.in_round.zip(game.of_opening),
        points: game.result.white_points(),
    }
}

/// What keeps a game from being counted.
fn fault(game: &Game, players: usize) -> Option<String> {
    let cpu = game.cpu_ms.unwrap_or_default();
    let moments = [game.started_ms, game.ended_ms.unwrap_or_default()].map(|ms| ms >> 8);
    let times = [game.wall_ms, cpu[0], cpu[1]].into_iter().chain(moments);
    let of_move = |mv: &super::Ply| [mv.ms, mv.clock_ms].into_iter().flatten();
    let place = [game.in_round, game.of_opening].map(Option::unwrap_or_default);
    let numbers = [game.id, game.encounter, game.engines].into_iter().chain(place);
    let times = times.chain(game.moves.iter().flat_map(of_move));
    let of_moves = game.moves.iter().map(|mv| (mv.score, mv.us));
    let moves = game.moves.iter().map(|mv| (&*mv.san, &*mv.uci));
    record::fault([game.white, game.black], players, numbers, times, of_moves)
        .or_else(|| crate::legality::fault(game.fen.as_deref(), moves))
}
