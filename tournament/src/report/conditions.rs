//! Under what conditions games were played, in names and values.

use figures::Table;
use serde_json::Value;

use super::Report;
use crate::identity::Identity;
use crate::journal::Run;
use crate::survey::Tournament;

impl Report<'_> {
    /// What holds for all players.
    pub(super) fn conditions(&self) -> Vec<(String, String)> {
        let mut facts: Vec<(String, String)> = Vec::new();
        let mut add = |name: &str, value: String| {
            let fact = (name.to_owned(), value);
            if !facts.contains(&fact) {
                facts.push(fact);
            }
        };
        for file in self.files {
            let games = crate::wording::counted(file.games, "game");
            add("File", format!("{}: {games}", file.path.display()));
        }
        for tournament in self.tournaments {
            of_tournament(tournament, &mut add);
        }
        if let Some((from, to)) = self.survey.span_ms() {
            add("Played", format!("{} to {}", moment(from), moment(to)));
        }
        facts
    }

    /// What holds for each, in a row for each program that played.
    pub(super) fn players_table(&self) -> Table {
        let headings = ["Player", "Calls itself", "Time control", "Command", "Options", "Program"];
        let mut table = Table::new("Players", &headings);
        for tournament in self.tournaments {
            for (number, (name, player)) in tournament.players().enumerate() {
                if !self.players().iter().any(|known| known == name) {
                    continue;
                }
                let known = tournament.programs(number).into_iter();
                let mut programs: Vec<Option<&Identity>> = known.map(|(program, _)| Some(program)).collect();
                if programs.is_empty() {
                    programs.push(None);
                }
                for program in programs {
                    let row = [
                        name.to_owned(),
                        program.and_then(|program| program.name.clone()).unwrap_or_default(),
                        limits(player),
                        command(player),
                        options(player),
                        program.map(files).unwrap_or_default(),
                    ];
                    if !table.rows.contains(&row.to_vec()) {
                        table.row(row);
                    }
                }
            }
        }
        table
    }
}

fn of_tournament(tournament: &Tournament, add: &mut impl FnMut(&str, String)) {
    let description = &tournament.description;
    if let Some(format) = format(&description["format"]) {
        let rounds = tournament
            .rounds()
            .map_or_else(String::new, |rounds| format!(", {}", crate::wording::counted(rounds, "round")));
        let games = if description["single"] == true { "one game an encounter" } else { "pairs of games" };
        add("Format", format!("{format}{rounds}, {games}"));
    }
    let openings = &description["openings"];
    if let Some(count) = openings["count"].as_u64() {
        let file = openings["file"].as_str().map_or_else(String::new, |file| format!("{file}: "));
        let digest = openings["digest"].as_str().unwrap_or_default();
        add("Openings", format!("{file}{} (digest {digest})", crate::wording::counted(count, "opening")));
    }
    let drawn = &openings["polyglot"];
    if let (Some(sha256), Some(plies)) = (drawn["sha256"].as_str(), drawn["plies"].as_u64()) {
        let plies = crate::wording::counted(plies, "ply");
        let (seed, short) = (&drawn["seed"], sha256.get(..16).unwrap_or(sha256));
        add(
            "Openings",
            format!("lines of {plies}, drawn by seed {seed} from a Polyglot book (SHA-256 {short}...)"),
        );
    }
    if description["chess960"] == true {
        add("Rules", "Chess960".to_owned());
    }
    for (key, name) in [("draw", "Draws adjudicated"), ("resign", "Wins adjudicated"), ("tb", "Tablebases")] {
        if let Some(rule) = description[key].as_str() {
            add(name, rule.to_owned());
        }
    }
    if let Some(moves) = description["maxmoves"].as_u64() {
        add("Longest game", format!("{moves} moves"));
    }
    for run in &tournament.runs {
        of_run(run, add);
    }
}

fn of_run(run: &Run, add: &mut impl FnMut(&str, String)) {
    let Some(provenance) = &run.provenance else { return };
    if let Some(command) = &provenance.command {
        add("Command", command.clone());
    }
    add("Machine", provenance.machine.to_string());
    add("Runner", provenance.program.to_string());
}

/// A format as the command line has it.
fn format(value: &Value) -> Option<String> {
    if let Some(word) = value.as_str() {
        return Some(word.to_owned());
    }
    let (word, number) = value.as_object()?.iter().next()?;
    Some(format!("{word}:{number}"))
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

fn limits(player: &Value) -> String {
    let mut limits = text(&player["limits"]).unwrap_or_default();
    if let Some(margin) = player["margin"].as_u64().filter(|&margin| margin > 0) {
        limits.push_str(&format!(", margin {margin} ms"));
    }
    limits
}

fn command(player: &Value) -> String {
    let mut words: Vec<String> = text(&player["cmd"]).into_iter().collect();
    words.extend(player["args"].as_array().into_iter().flatten().filter_map(text));
    words.join(" ")
}

fn options(player: &Value) -> String {
    let mut options = Vec::new();
    for key in ["threads", "hash"] {
        options.extend(text(&player[key]).map(|value| format!("{key}={value}")));
    }
    if player["ponder"] == true {
        options.push("ponder".to_owned());
    }
    for option in player["options"].as_array().into_iter().flatten() {
        if let (Some(name), Some(value)) = (text(&option[0]), text(&option[1])) {
            options.push(format!("{name}={value}"));
        }
    }
    options.join(", ")
}

/// A program's files with the beginnings of their hashes.
fn files(program: &Identity) -> String {
    Identity { files: program.files.clone(), ..Identity::default() }.line()
}

/// A Unix time in milliseconds as `2026-11-26 08:00`.
fn moment(unix_ms: u64) -> String {
    let (date, time) = crate::pgn::date_time(unix_ms);
    format!("{} {} UTC", date.replace('.', "-"), &time[..5])
}
