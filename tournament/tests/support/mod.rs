//! Tournaments between scripted engines.
#![allow(dead_code, reason = "every test uses its own part")]

#[path = "../../../tests/src/common.rs"]
mod common;

#[cfg(unix)]
pub use common::{executable, skipped};

use std::io;
use std::path::Path;
use std::time::Duration;

use tournament::openings::{Book, Order};
use tournament::play::Conditions;
use tournament::record::GameRecord;
use tournament::runner::{Plan, RunEnd, Stop, Watcher, run};
use tournament::schedule::{Format, Pairing, Schedule};
use tournament::spec::{Settings, players};
use tournament::standings::Standings;

/// Keeps the finished games.
#[derive(Default)]
pub struct Keep {
    pub games: Vec<GameRecord>,
    pub stop_after: Option<(usize, Stop)>,
}

impl Watcher for Keep {
    fn started(&mut self, _: &Pairing) {}

    fn finished(&mut self, game: &GameRecord, _: &Standings) -> io::Result<()> {
        self.games.push(game.clone());
        if let Some((count, stop)) = &self.stop_after
            && self.games.len() == *count
        {
            stop.request();
        }
        Ok(())
    }
}

/// The words of an engine line: a player, its program, whose path may have blanks, and settings that have none.
pub fn words_of(name: &str, program: &Path, settings: &str) -> Vec<String> {
    let words = [format!("name={name}"), format!("cmd={}", program.display())];
    words.into_iter().chain(settings.split_whitespace().map(str::to_owned)).collect()
}

/// The words of a line for the scripted engine. `tag` marks the processes of one test.
pub fn scripted(name: &str, script: &str, tag: &str, extra: &str) -> Vec<String> {
    let protocol = script.split(' ').next().unwrap_or("uci");
    let args: String = script.split(' ').chain([tag]).map(|arg| format!(" arg={arg}")).collect();
    let settings = format!("proto={protocol}{args} {extra}");
    words_of(name, Path::new(env!("CARGO_BIN_EXE_scripted-engine")), &settings)
}

/// A plan with everything at its simplest: the embedded openings and no rules.
pub fn plan(lines: &[Vec<String>], each: &str, format: Format, encounters: usize, budget: usize) -> Plan {
    let settings: Vec<Settings> =
        lines.iter().map(|words| Settings::from_words("engine", words).unwrap()).collect();
    let each: Vec<String> = each.split_whitespace().map(str::to_owned).collect();
    let each = Settings::from_words("each", &each).unwrap();
    let players = players(&settings, &[each]).unwrap();
    let schedule = Schedule::new(format, players.len(), encounters, false);
    let (stall, silence) = (Duration::from_secs(2), Duration::from_secs(3));
    let conditions = Conditions { stall, silence, ..Conditions::new(players) };
    Plan::new(conditions, schedule, Book::embedded(Order::Sequential, 1).unwrap(), (0..budget).collect())
}

/// Plays a plan to its end.
pub fn play(plan: &mut Plan) -> (RunEnd, Standings, Vec<GameRecord>) {
    let mut keep = Keep::default();
    let (end, standings) = run(plan, &[], &mut keep, &Stop::default()).unwrap();
    keep.games.sort_by_key(|game| game.id);
    (end, standings, keep.games)
}

/// Tries four cases at a time: nearly all of their time is waiting for programs. No more, since a busy machine must
/// still start all programs in time.
pub fn side_by_side<T: Sync>(cases: &[T], attempt: impl Fn(&T) + Sync) {
    for some in cases.chunks(4) {
        std::thread::scope(|scope| {
            for case in some {
                scope.spawn(|| attempt(case));
            }
        });
    }
}

/// Processes of this machine with `tag` among their arguments.
pub fn left_behind(tag: &str) -> Vec<String> {
    let Ok(processes) = std::fs::read_dir("/proc") else { return Vec::new() };
    let running = |path: &Path| {
        let command = std::fs::read_to_string(path.join("cmdline")).ok()?;
        command.split('\0').any(|arg| arg == tag).then_some(command)
    };
    processes.flatten().filter_map(|entry| running(&entry.path())).collect()
}
