//! fastchess's file of settings and results, `config.json`: written so that fastchess could read it, and read
//! whichever program wrote it.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use crate::record::Played;
use crate::stats::{Pairs, Wdl};

/// All settings of a match, with their names in the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Config {
    pub resign: Resign,
    pub draw: Draw,
    pub maxmoves: MaxMoves,
    pub tb_adjudication: TableAdjudication,
    pub opening: OpeningSettings,
    pub pgn: PgnSettings,
    pub epd: EpdSettings,
    pub sprt: SprtSettings,
    pub config_name: String,
    /// 0: fastchess's words, 1: cutechess-cli's.
    pub output: u8,
    pub seed: u64,
    /// 0: standard, 1: fischerandom.
    pub variant: u8,
    /// 0: round robin, 1: gauntlet.
    #[serde(rename = "type")]
    pub kind: u8,
    pub gauntlet_seeds: u64,
    pub ratinginterval: u64,
    pub scoreinterval: u64,
    pub wait: u64,
    pub autosaveinterval: u64,
    pub games: u64,
    pub rounds: u64,
    pub concurrency: i64,
    pub force_concurrency: bool,
    pub recover: bool,
    pub noswap: bool,
    pub reverse: bool,
    pub report_penta: bool,
    pub affinity: bool,
    pub check_mate_pvs: bool,
    pub show_latency: bool,
    pub log: LogSettings,
    pub engines: Vec<EngineSettings>,
    pub stats: BTreeMap<String, Stats>,
    /// A key of our own, which fastchess passes over.
    #[serde(skip_serializing_if = "OwnSettings::is_usual")]
    pub firstborn: OwnSettings,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            resign: Resign::default(),
            draw: Draw::default(),
            maxmoves: MaxMoves::default(),
            tb_adjudication: TableAdjudication::default(),
            opening: OpeningSettings::default(),
            pgn: PgnSettings::default(),
            epd: EpdSettings::default(),
            sprt: SprtSettings::default(),
            config_name: "config.json".to_owned(),
            output: 0,
            seed: 0,
            variant: 0,
            kind: 0,
            gauntlet_seeds: 1,
            ratinginterval: 10,
            scoreinterval: 1,
            wait: 0,
            autosaveinterval: 20,
            games: 2,
            rounds: 2,
            concurrency: 1,
            force_concurrency: false,
            recover: false,
            noswap: false,
            reverse: false,
            report_penta: true,
            affinity: false,
            check_mate_pvs: false,
            show_latency: false,
            log: LogSettings::default(),
            engines: Vec::new(),
            stats: BTreeMap::new(),
            firstborn: OwnSettings::default(),
        }
    }
}

/// A group of settings: its fields, and what they are if nothing is said.
macro_rules! group {
    ($(#[$text:meta])* $name:ident { $($field:ident: $kind:ty = $value:expr,)* }) => {
        $(#[$text])*
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(default)]
        pub struct $name { $(pub $field: $kind,)* }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $value,)* }
            }
        }
    };
}

group! {
    /// `-resign`.
    Resign { move_count: u32 = 1, score: i32 = 0, twosided: bool = false, enabled: bool = false, }
}
group! {
    /// `-draw`.
    Draw { move_number: u32 = 0, move_count: u32 = 1, score: i32 = 0, enabled: bool = false, }
}
group! {
    /// `-maxmoves`.
    MaxMoves { move_count: u32 = 1, enabled: bool = false, }
}
group! {
    /// `-tb`.
    TableAdjudication {
        syzygy_dirs: String = String::new(),
        max_pieces: usize = 0,
        ignore_50_move_rule: bool = false,
        enabled: bool = false,
    }
}
group! {
    /// `-openings`. Formats: 0 for EPD, 1 for PGN, 2 for none; orders: 0 for random, 1 for sequential.
    OpeningSettings {
        file: String = String::new(),
        format: u8 = 2,
        order: u8 = 1,
        plies: i64 = -1,
        start: u64 = 1,
    }
}
group! {
    /// `-pgnout`. Notations: 0 for SAN, 1 for LAN, 2 for UCI.
    PgnSettings {
        additional_lines_rgx: Vec<String> = Vec::new(),
        event_name: String = "Fastchess Tournament".to_owned(),
        site: String = "?".to_owned(),
        file: String = String::new(),
        notation: u8 = 0,
        append_file: bool = true,
        track_nodes: bool = false,
        track_seldepth: bool = false,
        track_nps: bool = false,
        track_hashfull: bool = false,
        track_tbhits: bool = false,
        track_timeleft: bool = false,
        track_latency: bool = false,
        track_pv: bool = false,
        min: bool = false,
        crc: bool = false,
    }
}
group! {
    /// `-epdout`.
    EpdSettings { file: String = String::new(), append_file: bool = true, }
}
group! {
    /// `-sprt`.
    SprtSettings {
        alpha: f64 = 0.0,
        beta: f64 = 0.0,
        elo0: f64 = 0.0,
        elo1: f64 = 0.0,
        model: String = "normalized".to_owned(),
        enabled: bool = false,
    }
}
group! {
    /// `-log`. Levels: 0 for all, 1 for trace, 2 for info, 3 for warnings, 4 for errors, 5 for fatal ones.
    LogSettings {
        file: String = String::new(),
        level: u8 = 3,
        append_file: bool = true,
        compress: bool = false,
        realtime: bool = true,
        engine_coms: bool = false,
    }
}
group! {
    /// `-engine`.
    EngineSettings {
        name: String = String::new(),
        dir: String = String::new(),
        cmd: String = String::new(),
        args: String = String::new(),
        restart: bool = false,
        options: Vec<(String, String)> = Vec::new(),
        limit: LimitSettings = LimitSettings::default(),
        variant: u8 = 0,
    }
}
group! {
    /// What bounds an engine's thinking; 0 is no limit.
    LimitSettings { tc: ClockSettings = ClockSettings::default(), nodes: u64 = 0, plies: u64 = 0, }
}
group! {
    /// A clock, in milliseconds.
    ClockSettings {
        increment: u64 = 0,
        fixed_time: u64 = 0,
        time: u64 = 0,
        moves: u64 = 0,
        timemargin: u64 = 0,
    }
}
group! {
    /// What fastchess's own keys do not say: `-tbadjudicate` (wins and losses, draws), `-startup-ms`,
    /// `-ping-ms`, `-ucinewgame-ms`, the list of `-use-affinity`, `-strict`.
    OwnSettings {
        results: [bool; 2] = [true; 2],
        startup_ms: u64 = 10_000,
        ping_ms: Option<u64> = None,
        ucinewgame_ms: Option<u64> = None,
        cpus: Option<String> = None,
        strict: bool = false,
    }
}

impl OwnSettings {
    /// How long an engine may take to answer `isready`, wherever that stands: the longer of the times that were given.
    #[must_use]
    pub fn ready_ms(&self) -> u64 {
        self.ping_ms.max(self.ucinewgame_ms).unwrap_or(60_000)
    }

    /// Whether the file need not say it.
    pub(super) fn is_usual(&self) -> bool {
        *self == Self::default()
    }
}

/// Results of one player against another: games, and pairs of games where they are counted.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Stats {
    pub wins: u64,
    pub losses: u64,
    pub draws: u64,
    #[serde(rename = "penta_WW")]
    pub penta_ww: u64,
    #[serde(rename = "penta_WD")]
    pub penta_wd: u64,
    #[serde(rename = "penta_WL")]
    pub penta_wl: u64,
    #[serde(rename = "penta_DD")]
    pub penta_dd: u64,
    #[serde(rename = "penta_LD")]
    pub penta_ld: u64,
    #[serde(rename = "penta_LL")]
    pub penta_ll: u64,
}

impl Stats {
    fn add(&mut self, points: f64) {
        match points {
            1.0 => self.wins += 1,
            0.0 => self.losses += 1,
            _ => self.draws += 1,
        }
    }
}

impl Config {
    /// Whether games were played before, so that no file of games may be begun anew.
    #[must_use]
    pub fn goes_on(&self) -> bool {
        !self.stats.is_empty()
    }

    /// The results of the first player against the second: pairs, those of them with a win and a loss, and single games
    /// where pairs are not counted.
    #[must_use]
    pub fn results(&self) -> (Pairs, u64, Wdl) {
        let names: Vec<&str> = self.engines.iter().map(|engine| engine.name.as_str()).collect();
        let [first, second] = names[..] else { return (Pairs::default(), 0, Wdl::default()) };
        let Some(stats) = self.stats.get(&format!("{first} vs {second}")) else {
            return (Pairs::default(), 0, Wdl::default());
        };
        let pairs = Pairs([
            stats.penta_ll,
            stats.penta_ld,
            stats.penta_wl + stats.penta_dd,
            stats.penta_wd,
            stats.penta_ww,
        ]);
        if pairs.count() > 0 {
            return (pairs, stats.penta_wl, Wdl::default());
        }
        let games = Wdl { wins: stats.wins, draws: stats.draws, losses: stats.losses };
        (Pairs::default(), 0, games)
    }
}

/// Results of finished games as the file has them.
#[derive(Debug, Clone, Default)]
pub struct Results {
    /// In whole pairs only.
    pairs: bool,
    games: u64,
    /// By players, the first of the field first.
    sums: BTreeMap<[usize; 2], Stats>,
    /// The first one's points in pairs of which one game is finished, by encounter.
    open: HashMap<usize, f64>,
}

impl Results {
    /// Of no games; `pairs`: those that count come in whole pairs only.
    #[must_use]
    pub fn new(pairs: bool) -> Self {
        Self { pairs, ..Self::default() }
    }

    /// How many games were added.
    #[must_use]
    pub fn games(&self) -> u64 {
        self.games
    }

    /// Adds a game.
    pub fn add(&mut self, game: &Played) {
        self.games += 1;
        let players = [game.white.min(game.black), game.white.max(game.black)];
        let points = game.points_of(players[0]);
        if !self.pairs {
            self.sums.entry(players).or_default().add(points);
            return;
        }
        let Some(before) = self.open.remove(&game.encounter) else {
            self.open.insert(game.encounter, points);
            return;
        };
        let stats = self.sums.entry(players).or_default();
        [before, points].into_iter().for_each(|points| stats.add(points));
        *match before + points {
            0.0 => &mut stats.penta_ll,
            0.5 => &mut stats.penta_ld,
            1.5 => &mut stats.penta_wd,
            2.0 => &mut stats.penta_ww,
            _ if points == 0.5 => &mut stats.penta_dd,
            _ => &mut stats.penta_wl,
        } += 1;
    }

    /// By the engines' names, as the file has them.
    pub(super) fn stats(&self, engines: &[EngineSettings]) -> BTreeMap<String, Stats> {
        let named = |(&[first, second], stats): (&[usize; 2], &Stats)| {
            let (first, second) = engines.get(first).zip(engines.get(second))?;
            Some((format!("{} vs {}", first.name, second.name), stats.clone()))
        };
        self.sums.iter().filter_map(named).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::record::{Ending, Score};

    proptest! {
        /// Games of several encounters that overlap, the sums of which are those of all games together.
        #[test]
        fn sums_are_those_of_all_games(
            games in prop::collection::vec((0usize..8, 0u8..3), 0..16),
            pairs in any::<bool>(),
        ) {
            let (mut results, mut points) = (Results::new(pairs), BTreeMap::<usize, Vec<f64>>::new());
            for (encounter, result) in games {
                let before = points.entry(encounter).or_default();
                if before.len() == 2 {
                    continue;
                }
                // Of three players, in two of whose encounters the first one is the second of the field.
                let players = [[0, 1], [0, 2], [1, 2]][encounter % 3];
                let (white, black) = (players[before.len()], players[1 - before.len()]);
                let result = [Score::White, Score::Draw, Score::Black][usize::from(result)];
                let game = Played { encounter, white, black, result, ending: Ending::Checkmate };
                before.push(game.points_of(players[0]));
                results.add(&game);
            }
            prop_assert_eq!(results.games(), points.values().map(|of| of.len() as u64).sum::<u64>());
            let engine = |name: &str| EngineSettings { name: name.into(), ..EngineSettings::default() };
            let stats = results.stats(&["A", "B", "C"].map(engine));
            for (at, name) in ["A vs B", "A vs C", "B vs C"].into_iter().enumerate() {
                let own = points.iter().filter(|(encounter, of)| *encounter % 3 == at && (!pairs || of.len() == 2));
                let own: Vec<&Vec<f64>> = own.map(|(_, of)| of).collect();
                let of = |wanted: f64| own.iter().flat_map(|of| of.iter()).filter(|&&of| of == wanted).count() as u64;
                let both = |one: f64, other: f64| {
                    let fits = |of: &&&Vec<f64>| of[..] == [one, other] || of[..] == [other, one];
                    if pairs { own.iter().filter(fits).count() as u64 } else { 0 }
                };
                let expected = Stats {
                    wins: of(1.0),
                    losses: of(0.0),
                    draws: of(0.5),
                    penta_ww: both(1.0, 1.0),
                    penta_wd: both(1.0, 0.5),
                    penta_wl: both(1.0, 0.0),
                    penta_dd: both(0.5, 0.5),
                    penta_ld: both(0.5, 0.0),
                    penta_ll: both(0.0, 0.0),
                };
                prop_assert_eq!(stats.get(name).cloned().unwrap_or_default(), expected, "{}", name);
            }
        }
    }
}
