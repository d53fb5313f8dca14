//! fastchess's file of settings and results, `config.json`: written so that fastchess could read it, and read
//! whoever wrote it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::record::GameRecord;
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

impl Config {
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

    /// Counts finished games; `pairs`: by pairs, in whole ones only.
    pub fn count(&mut self, games: &[GameRecord], pairs: bool) {
        self.stats.clear();
        let mut encounters: BTreeMap<usize, Vec<&GameRecord>> = BTreeMap::new();
        for game in games {
            encounters.entry(game.encounter).or_default().push(game);
        }
        for games in encounters.values() {
            let (first, second) = (games[0].white.min(games[0].black), games[0].white.max(games[0].black));
            if pairs && games.len() != 2 {
                continue;
            }
            let Some((a, b)) = self.engines.get(first).zip(self.engines.get(second)) else { continue };
            let stats = self.stats.entry(format!("{} vs {}", a.name, b.name)).or_default();
            let points: Vec<f64> = games.iter().map(|game| game.played().points_of(first)).collect();
            for &points in &points {
                match points {
                    1.0 => stats.wins += 1,
                    0.0 => stats.losses += 1,
                    _ => stats.draws += 1,
                }
            }
            if pairs {
                let sum: f64 = points.iter().sum();
                let drawn = points.iter().all(|&points| points == 0.5);
                *match sum {
                    0.0 => &mut stats.penta_ll,
                    0.5 => &mut stats.penta_ld,
                    1.5 => &mut stats.penta_wd,
                    2.0 => &mut stats.penta_ww,
                    _ if drawn => &mut stats.penta_dd,
                    _ => &mut stats.penta_wl,
                } += 1;
            }
        }
    }
}
