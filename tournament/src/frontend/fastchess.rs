//! fastchess's command line, as of its version 1.8.2-alpha: flags into its settings, and those into a request.

use std::path::{Path, PathBuf};
use std::time::Duration;

use client::EngineConfig;
use regex::Regex;

use super::config::{ClockSettings, Config, EngineSettings, LimitSettings};
use super::request::{
    Affinity, BookRequest, ConfigRequest, EpdRequest, Games, LogRequest, Output, PgnRequest, Request,
    TableRequest, Terminal,
};
use super::words::{Flag, FrontendError, Pair, flags, unique};
use super::{Asked, Surroundings, file_here};
use crate::adjudicate::{DrawRule, Manner, ResignRule, Rules};
use crate::openings::{Counters, Format, Order, Reading};
use crate::pgn::{Fields, Notation, Style, date_time};
use crate::program::{default_name, locate};
use crate::runner::StopRule;
use crate::schedule::check_games;
use crate::schedule::plans::FastchessPlan;
use crate::spec::{Settings, players};
use crate::stats::sprt::{MOST_ELO, Model, Sprt};

/// What a flag does to a line.
type Setter = fn(&mut Line, &Flag) -> Result<(), FrontendError>;

/// Every flag there is, with what it does.
const FLAGS: [(&str, Setter); 46] = [
    ("-engine", Line::take_engine),
    ("-each", Line::take_each),
    ("-quick", Line::take_quick),
    ("-tournament", Line::take_tournament),
    ("-seeds", |line, flag| flag.number(1..=10_000).map(|n| line.config.gauntlet_seeds = n)),
    ("-rounds", |line, flag| flag.number(0..=LARGEST).map(|n| line.config.rounds = n)),
    ("-games", |line, flag| flag.number(1..=LARGEST).map(|n| line.config.games = n)),
    ("-repeat", Line::take_repeat),
    ("-noswap", |line, flag| flag.alone().map(|()| line.config.noswap = true)),
    ("-reverse", |line, flag| flag.alone().map(|()| line.config.reverse = true)),
    ("-wait", |line, flag| flag.number(0..=MOST_MS).map(|ms| line.config.wait = ms)),
    ("-concurrency", |line, flag| flag.number(-10_000..=10_000).map(|n| line.config.concurrency = n)),
    ("-force-concurrency", |line, flag| flag.alone().map(|()| line.config.force_concurrency = true)),
    ("-use-affinity", Line::take_affinity),
    ("-recover", |line, flag| flag.alone().map(|()| line.config.recover = true)),
    ("-strict", |line, flag| flag.alone().map(|()| line.config.firstborn.strict = true)),
    ("-check-mate-pvs", |line, flag| flag.alone().map(|()| line.config.check_mate_pvs = true)),
    ("-show-latency", Line::take_latency),
    ("-testEnv", |_, flag| flag.alone()),
    ("-startup-ms", |line, flag| flag.number(1..=MOST_MS).map(|ms| line.config.firstborn.startup_ms = ms)),
    ("-ping-ms", |line, flag| flag.number(1..=MOST_MS).map(|ms| line.config.firstborn.ping_ms = Some(ms))),
    ("-ucinewgame-ms", |line, flag| {
        flag.number(1..=MOST_MS).map(|ms| line.config.firstborn.ucinewgame_ms = Some(ms))
    }),
    ("-openings", Line::take_openings),
    ("-srand", Line::take_seed),
    ("-variant", Line::take_variant),
    ("-draw", Line::take_draw),
    ("-resign", Line::take_resign),
    ("-maxmoves", Line::take_length),
    ("-tb", Line::take_tables),
    ("-tbpieces", |line, flag| flag.number(1..=7).map(|n| line.config.tb_adjudication.max_pieces = n)),
    ("-tbignore50", |line, flag| {
        flag.alone().map(|()| line.config.tb_adjudication.ignore_50_move_rule = true)
    }),
    ("-tbadjudicate", Line::take_table_results),
    ("-sprt", Line::take_sprt),
    ("-ratinginterval", |line, flag| flag.number(0..=LARGEST).map(|n| line.config.ratinginterval = n)),
    ("-scoreinterval", |line, flag| flag.number(0..=LARGEST).map(|n| line.config.scoreinterval = n)),
    ("-report", |line, flag| truth_of(flag, "penta").map(|on| line.config.report_penta = on)),
    ("-output", Line::take_output),
    ("-pgnout", Line::take_pgn),
    ("-epdout", Line::take_epd),
    ("-crc32", |line, flag| truth_of(flag, "pgn").map(|on| line.config.pgn.crc = on)),
    ("-event", |line, flag| {
        line.config.pgn.event_name = flag.values.concat();
        Ok(())
    }),
    ("-site", |line, flag| {
        line.config.pgn.site = flag.values.concat();
        Ok(())
    }),
    ("-log", Line::take_log),
    ("-config", Line::take_config),
    ("-autosaveinterval", |line, flag| flag.number(0..=LARGEST).map(|n| line.config.autosaveinterval = n)),
    ("-debug", |_, flag| Err(flag.bad("there is no such flag; use -log file=FILE level=trace engine=true"))),
];
/// A pause or a limit of a protocol, in milliseconds.
const MOST_MS: u64 = 86_400_000;
/// The largest number of games, rounds or intervals that a flag takes.
const LARGEST: u64 = 100_000_000;
/// Rounds of a match that its test is to end.
const TESTED_ROUNDS: u64 = 500_000;

/// A command line in the making.
struct Line {
    config: Config,
    /// What it was before a file of settings was read, and whether its seed was given.
    before_file: Option<(Config, bool)>,
    each: Vec<(String, String)>,
    cpus: usize,
    /// The Unix time, for files that are named by it.
    now_ms: u64,
    seeded: bool,
    /// Whether the line says where settings are written.
    named: bool,
    stats: bool,
    /// What is done instead of what a flag asks for.
    notes: Vec<String>,
}

/// Reads a command line.
pub fn read(words: &[String], here: Surroundings) -> Result<Asked, FrontendError> {
    let Some(first) = words.first() else { return Ok(Asked::Help) };
    if first == "--compliance" {
        let mut engine: Vec<String> = words[1..].to_vec();
        let Some(command) = engine.first_mut() else {
            let flag = first.clone();
            return Err(FrontendError::Flag { flag, why: "names no engine".to_owned() });
        };
        *command = in_path_or_here(command);
        return Ok(Asked::Compliance(engine));
    }
    let mut line = Line {
        config: Config::default(),
        before_file: None,
        each: Vec::new(),
        cpus: here.cpus.max(1),
        now_ms: here.now_ms,
        seeded: false,
        named: false,
        stats: true,
        notes: Vec::new(),
    };
    let flags = flags(words)?;
    for flag in &flags {
        match flag.name {
            "-version" | "--version" | "-v" | "--v" => return Ok(Asked::Version),
            "-help" | "--help" => return Ok(Asked::Help),
            _ => line.take(flag)?,
        }
    }
    if !line.seeded {
        line.config.seed = here.chance;
    }
    line.finish().map(|request| Asked::Play(Box::new(request)))
}

/// The truth value of the one key that a flag has.
fn truth_of(flag: &Flag, key: &str) -> Result<bool, FrontendError> {
    let mut truth = false;
    for pair in flag.pairs()? {
        if pair.key != key {
            return Err(pair.unknown(key));
        }
        truth = pair.truth()?;
    }
    Ok(truth)
}

impl Line {
    fn take(&mut self, flag: &Flag) -> Result<(), FrontendError> {
        match FLAGS.iter().find(|(name, _)| *name == flag.name) {
            Some((_, set)) => set(self, flag),
            None => Err(flag.unknown(FLAGS.iter().map(|(name, _)| *name))),
        }
    }

    fn take_engine(&mut self, flag: &Flag) -> Result<(), FrontendError> {
        let mut engine = EngineSettings::default();
        for pair in flag.pairs()? {
            set(&mut engine, &pair)?;
        }
        self.config.engines.push(engine);
        Ok(())
    }

    fn take_each(&mut self, flag: &Flag) -> Result<(), FrontendError> {
        for pair in flag.pairs()? {
            // What is wrong is told now.
            set(&mut EngineSettings::default(), &pair)?;
            self.each.push((pair.key.to_owned(), pair.value.to_owned()));
        }
        Ok(())
    }

    fn take_quick(&mut self, flag: &Flag) -> Result<(), FrontendError> {
        for pair in flag.pairs()? {
            match pair.key {
                "cmd" => {
                    // The engine's own, so that `-each` may say otherwise, wherever it stands.
                    let tc = ClockSettings { time: 10_000, increment: 100, ..ClockSettings::default() };
                    self.config.engines.push(EngineSettings {
                        name: pair.value.to_owned(),
                        cmd: pair.value.to_owned(),
                        limit: LimitSettings { tc, ..LimitSettings::default() },
                        ..EngineSettings::default()
                    });
                }
                "book" => {
                    self.config.opening.file = existing(&pair)?;
                    self.config.opening.format = format_of(pair.value);
                }
                _ => return Err(pair.unknown("cmd, book")),
            }
        }
        let [a, b] = &mut self.config.engines[..] else {
            return Err(flag.bad("takes two cmd="));
        };
        if a.name == b.name {
            a.name.push('1');
            b.name.push('2');
        }
        let config = &mut self.config;
        (config.rounds, config.games, config.recover) = (25_000, 2, true);
        config.concurrency = self.cpus.saturating_sub(2).max(1) as i64;
        (config.draw.enabled, config.draw.move_number) = (true, 30);
        (config.draw.move_count, config.draw.score) = (8, 8);
        (config.opening.order, config.output) = (0, 1);
        Ok(())
    }

    fn take_tournament(&mut self, flag: &Flag) -> Result<(), FrontendError> {
        self.config.kind = match flag.single()? {
            "roundrobin" => 0,
            "gauntlet" => 1,
            other => return Err(flag.bad(format!("`{other}` is neither roundrobin nor gauntlet"))),
        };
        Ok(())
    }

    fn take_repeat(&mut self, flag: &Flag) -> Result<(), FrontendError> {
        self.config.games = if flag.values.is_empty() { 2 } else { flag.number(1..=LARGEST)? };
        Ok(())
    }

    fn take_affinity(&mut self, flag: &Flag) -> Result<(), FrontendError> {
        self.config.affinity = true;
        self.config.firstborn.cpus = Some(flag.values.join(",")).filter(|list| !list.is_empty());
        Ok(())
    }

    fn take_latency(&mut self, flag: &Flag) -> Result<(), FrontendError> {
        flag.alone()?;
        self.config.show_latency = true;
        self.notes.push(
            "-show-latency: the terminal does not show it; -pgnout latency=true writes it after a move"
                .to_owned(),
        );
        Ok(())
    }

    fn take_openings(&mut self, flag: &Flag) -> Result<(), FrontendError> {
        let opening = &mut self.config.opening;
        for pair in flag.pairs()? {
            match pair.key {
                "file" => {
                    opening.file = existing(&pair)?;
                    if opening.format == 2 {
                        opening.format = format_of(pair.value);
                    }
                }
                "format" => {
                    opening.format = match pair.value {
                        "epd" => 0,
                        "pgn" => 1,
                        _ => return Err(pair.bad("is neither epd nor pgn")),
                    }
                }
                "order" => {
                    opening.order = match pair.value {
                        "random" => 0,
                        "sequential" => 1,
                        _ => return Err(pair.bad("is neither sequential nor random")),
                    }
                }
                "plies" => opening.plies = pair.number(-1..=100_000)?,
                "start" => opening.start = pair.number(1..=u64::from(u32::MAX))?,
                "policy" if pair.value == "round" => {}
                "policy" => {
                    let use_instead = "only round is known here; `firstborn cutechess` and `firstborn tournament \
                                       --policy` know encounter, too";
                    return Err(pair.bad(use_instead));
                }
                _ => return Err(pair.unknown("file, format, order, plies, start, policy")),
            }
        }
        Ok(())
    }

    fn take_seed(&mut self, flag: &Flag) -> Result<(), FrontendError> {
        self.config.seed = flag.number(0..=u64::MAX)?;
        self.seeded = true;
        Ok(())
    }

    fn take_variant(&mut self, flag: &Flag) -> Result<(), FrontendError> {
        self.config.variant = match flag.single()? {
            "standard" => 0,
            "fischerandom" => 1,
            other => return Err(flag.bad(format!("`{other}` is neither standard nor fischerandom"))),
        };
        Ok(())
    }

    fn take_draw(&mut self, flag: &Flag) -> Result<(), FrontendError> {
        let draw = &mut self.config.draw;
        draw.enabled = true;
        for pair in flag.pairs()? {
            match pair.key {
                "movenumber" => draw.move_number = pair.number(0..=10_000)?,
                "movecount" => draw.move_count = pair.number(0..=10_000)?,
                "score" => draw.score = pair.number(0..=90_000)?,
                _ => return Err(pair.unknown("movenumber, movecount, score")),
            }
        }
        Ok(())
    }

    fn take_resign(&mut self, flag: &Flag) -> Result<(), FrontendError> {
        let resign = &mut self.config.resign;
        resign.enabled = true;
        for pair in flag.pairs()? {
            match pair.key {
                "movecount" => resign.move_count = pair.number(0..=10_000)?,
                "score" => resign.score = pair.number(0..=90_000)?,
                "twosided" => resign.twosided = pair.truth()?,
                _ => return Err(pair.unknown("movecount, score, twosided")),
            }
        }
        Ok(())
    }

    fn take_length(&mut self, flag: &Flag) -> Result<(), FrontendError> {
        self.config.maxmoves.enabled = true;
        self.config.maxmoves.move_count = flag.number(1..=100_000)?;
        Ok(())
    }

    fn take_tables(&mut self, flag: &Flag) -> Result<(), FrontendError> {
        self.config.tb_adjudication.enabled = true;
        self.config.tb_adjudication.syzygy_dirs = flag.single()?.to_owned();
        Ok(())
    }

    fn take_table_results(&mut self, flag: &Flag) -> Result<(), FrontendError> {
        self.config.firstborn.results = match flag.single()? {
            "BOTH" => [true, true],
            "WIN_LOSS" => [true, false],
            "DRAW" => [false, true],
            other => return Err(flag.bad(format!("`{other}` is none of BOTH, WIN_LOSS, DRAW"))),
        };
        Ok(())
    }

    fn take_sprt(&mut self, flag: &Flag) -> Result<(), FrontendError> {
        let sprt = &mut self.config.sprt;
        sprt.enabled = true;
        for pair in flag.pairs()? {
            match pair.key {
                "elo0" => sprt.elo0 = pair.number(-MOST_ELO..=MOST_ELO)?,
                "elo1" => sprt.elo1 = pair.number(-MOST_ELO..=MOST_ELO)?,
                "alpha" => sprt.alpha = pair.number(0.0..=1.0)?,
                "beta" => sprt.beta = pair.number(0.0..=1.0)?,
                "model" if ["normalized", "logistic", "bayesian"].contains(&pair.value) => {
                    pair.value.clone_into(&mut sprt.model);
                }
                "model" => return Err(pair.bad("is none of normalized, logistic, bayesian")),
                _ => return Err(pair.unknown("elo0, elo1, alpha, beta, model")),
            }
        }
        Ok(())
    }

    fn take_output(&mut self, flag: &Flag) -> Result<(), FrontendError> {
        for pair in flag.pairs()? {
            self.config.output = match (pair.key, pair.value) {
                ("format", "fastchess") => 0,
                ("format", "cutechess") => 1,
                ("format", _) => return Err(pair.bad("is neither fastchess nor cutechess")),
                _ => return Err(pair.unknown("format")),
            }
        }
        Ok(())
    }

    /// The name of a file that is given none: another one for every match, as fastchess has it, of the time in UTC.
    fn dated(&self, end: &str) -> String {
        let (date, time) = date_time(self.now_ms);
        format!("fastchess_{}_{}.{end}", date.replace('.', ""), time.replace(':', ""))
    }

    fn take_epd(&mut self, flag: &Flag) -> Result<(), FrontendError> {
        for word in &flag.values {
            let pair = flag.pair(word)?;
            match pair.key {
                "file" => pair.value.clone_into(&mut self.config.epd.file),
                "append" => self.config.epd.append_file = pair.truth()?,
                _ => return Err(pair.unknown("file, append")),
            }
        }
        if self.config.epd.file.is_empty() {
            self.config.epd.file = self.dated("epd");
        }
        Ok(())
    }

    fn take_log(&mut self, flag: &Flag) -> Result<(), FrontendError> {
        let (log, notes) = (&mut self.config.log, &mut self.notes);
        for pair in flag.pairs()? {
            match pair.key {
                "file" => pair.value.clone_into(&mut log.file),
                "level" => {
                    let levels = ["all", "trace", "info", "warn", "err", "fatal"];
                    let level = levels.iter().position(|level| *level == pair.value);
                    let none = || pair.bad("is none of trace, info, warn, err, fatal");
                    log.level = level.ok_or_else(none)? as u8;
                    notes.push(
                        "-log level=: the log is the same at every level: what the terminal shows and, with \
                         engine=true, what engines are sent and write"
                            .to_owned(),
                    );
                }
                "append" => log.append_file = pair.truth()?,
                "compress" => log.compress = pair.truth()?,
                "realtime" => {
                    log.realtime = pair.truth()?;
                    let instead = "-log realtime=: what engines say is written when their game has ended";
                    notes.push(instead.to_owned());
                }
                "engine" => log.engine_coms = pair.truth()?,
                _ => return Err(pair.unknown("file, level, append, compress, realtime, engine")),
            }
        }
        Ok(())
    }

    fn take_pgn(&mut self, flag: &Flag) -> Result<(), FrontendError> {
        let pgn = &mut self.config.pgn;
        for word in &flag.values {
            let pair = flag.pair(word)?;
            let field = match pair.key {
                "file" => {
                    pair.value.clone_into(&mut pgn.file);
                    continue;
                }
                "notation" => {
                    let place = ["san", "lan", "uci"].iter().position(|notation| *notation == pair.value);
                    pgn.notation = place.ok_or_else(|| pair.bad("is none of san, lan, uci"))? as u8;
                    continue;
                }
                "match_line" => {
                    Regex::new(pair.value).map_err(|error| pair.bad(format!("is not a pattern: {error}")))?;
                    pgn.additional_lines_rgx.push(pair.value.to_owned());
                    continue;
                }
                "append" => &mut pgn.append_file,
                "nodes" => &mut pgn.track_nodes,
                "seldepth" => &mut pgn.track_seldepth,
                "nps" => &mut pgn.track_nps,
                "hashfull" => &mut pgn.track_hashfull,
                "tbhits" => &mut pgn.track_tbhits,
                "timeleft" => &mut pgn.track_timeleft,
                "latency" => &mut pgn.track_latency,
                "pv" => &mut pgn.track_pv,
                "min" => &mut pgn.min,
                _ => {
                    return Err(pair.unknown(
                        "file, append, notation, nodes, seldepth, nps, hashfull, tbhits, timeleft, latency, pv, min, \
                         match_line",
                    ));
                }
            };
            *field = pair.truth()?;
        }
        if self.config.pgn.file.is_empty() {
            self.config.pgn.file = self.dated("pgn");
        }
        Ok(())
    }

    fn take_config(&mut self, flag: &Flag) -> Result<(), FrontendError> {
        for pair in flag.pairs()? {
            match pair.key {
                "file" => {
                    let text =
                        std::fs::read_to_string(pair.value).map_err(|error| pair.bad(error.to_string()))?;
                    let read: Config = serde_json::from_str(&text)
                        .map_err(|error| pair.bad(format!("is not a file of settings: {error}")))?;
                    let before = std::mem::replace(&mut self.config, read);
                    // A file of fastchess's own, or of an older version, says nothing of these.
                    if self.config.firstborn.is_usual() {
                        self.config.firstborn = before.firstborn.clone();
                    }
                    self.before_file = Some((before, self.seeded));
                    self.seeded = true;
                }
                "outname" => {
                    pair.value.clone_into(&mut self.config.config_name);
                    self.named = true;
                }
                // What a file said is forgotten; where none was read there is nothing to forget.
                "discard" if pair.truth()? => {
                    if let Some(before) = self.before_file.take() {
                        (self.config, self.seeded) = before;
                    }
                }
                "stats" => self.stats = pair.truth()?,
                "discard" => {}
                _ => return Err(pair.unknown("file, outname, discard, stats")),
            }
        }
        Ok(())
    }

    /// All flags are read: what they come to together.
    fn finish(mut self) -> Result<Request, FrontendError> {
        let whole = |why: &str| FrontendError::Whole(why.to_owned());
        for (key, value) in std::mem::take(&mut self.each) {
            for engine in &mut self.config.engines {
                let pair = Flag { name: "-each", values: Vec::new() };
                let word = format!("{key}={value}");
                set(engine, &pair.pair(&word)?)?;
            }
        }
        self.name_engines();
        if self.config.rounds == 0 && self.config.sprt.enabled {
            self.config.rounds = TESTED_ROUNDS;
        } else if self.config.rounds == 0 {
            return Err(whole("-rounds: no match has 0 rounds; with -sprt it has 500000"));
        }
        let warnings = self.check()?;
        let config = &mut self.config;
        if config.games > 2 {
            std::mem::swap(&mut config.games, &mut config.rounds);
            if config.games > 2 {
                return Err(whole(
                    "-games: more than 2 games of a pairing, and -rounds is more than 2 as well",
                ));
            }
        }
        if !self.stats || config.engines.len() > 2 {
            config.stats.clear();
        }
        // Results that were counted singly are of no pairs.
        config.report_penta &= config.results().2.games() == 0;
        let concurrency = match config.concurrency {
            n if n > 0 => n as usize,
            n => self.cpus.saturating_sub(n.unsigned_abs() as usize).max(1),
        };
        if concurrency > self.cpus && !config.force_concurrency {
            return Err(whole(
                "-concurrency: more games at once than CPUs; -force-concurrency plays them all the same",
            ));
        }
        self.request(concurrency, warnings)
    }

    /// A name for every engine, no two alike.
    fn name_engines(&mut self) {
        let engines = &mut self.config.engines;
        let name = |engine: &EngineSettings| {
            if engine.name.is_empty() { default_name(&engine.cmd) } else { engine.name.clone() }
        };
        let given: Vec<String> = engines.iter().map(name).collect();
        for (engine, name) in engines.iter_mut().zip(unique(&given)) {
            engine.name = name;
        }
    }

    /// What is wrong with all flags together; or what is odd.
    fn check(&mut self) -> Result<Vec<String>, FrontendError> {
        let whole = |why: String| Err(FrontendError::Whole(why));
        let (config, mut warnings) = (&mut self.config, Vec::new());
        if config.opening.file.is_empty() {
            if config.variant == 1 {
                return whole("-variant fischerandom: needs -openings file=".to_owned());
            }
            warnings.push(
                "Warning: No opening book specified! Consider using one, otherwise all games will be played from the \
                 starting position."
                    .to_owned(),
            );
        }
        if config.opening.format == 2 {
            warnings.push(
                "Warning: Unknown opening format, 2. All games will be played from the starting position."
                    .to_owned(),
            );
        }
        if config.engines.len() < 2 {
            return whole("Need at least two engines to start! (-engine cmd=...)".to_owned());
        }
        if config.engines.len() > 2 {
            warnings.push("Warning: Stats will be dropped for more than 2 engines.".to_owned());
        }
        for engine in &config.engines {
            let (name, limit) = (&engine.name, &engine.limit);
            let clocked = limit.tc.time + limit.tc.increment > 0;
            if clocked && limit.tc.fixed_time > 0 {
                return whole(format!("{name}: cannot use tc and st together!"));
            }
            if !clocked && limit.tc.fixed_time == 0 && limit.nodes == 0 && limit.plies == 0 {
                return whole(format!("{name}: no TimeControl specified! (tc=, st=, nodes= or plies=)"));
            }
        }
        let sprt = &config.sprt;
        if sprt.enabled {
            if sprt.elo0 >= sprt.elo1 {
                return whole("-sprt: elo0 must be less than elo1!".to_owned());
            }
            if sprt.alpha <= 0.0 || sprt.beta <= 0.0 || sprt.alpha + sprt.beta >= 1.0 {
                return whole("-sprt: alpha and beta must be above 0, and their sum below 1!".to_owned());
            }
            if config.engines.len() > 2 {
                return whole("-sprt: compares two engines".to_owned());
            }
            if sprt.model == "bayesian" && config.report_penta {
                warnings.push("Warning: Bayesian SPRT model not available with pentanomial statistics. Disabling pentanomial reports...".to_owned());
            }
        }
        config.report_penta &= config.games.min(config.rounds.max(1)) <= 2
            && (config.games == 2 || (config.games > 2 && config.rounds == 2))
            && config.output == 0
            && !(config.sprt.enabled && config.sprt.model == "bayesian");
        Ok(warnings)
    }

    fn request(self, concurrency: usize, warnings: Vec<String>) -> Result<Request, FrontendError> {
        let config = &self.config;
        let engines = config.engines.iter().enumerate();
        let lines: Vec<Settings> = engines.map(|(index, engine)| self.settings(index, engine)).collect();
        let mut players = players(&lines, &[]).map_err(|error| FrontendError::Whole(error.to_string()))?;
        players.iter_mut().for_each(|player| player.engine.fastchess_options = true);
        let count = players.len();
        let seeds = if config.kind == 1 { config.gauntlet_seeds as usize } else { count - 1 };
        let plan = FastchessPlan {
            players: count,
            seeds: seeds.min(count - 1),
            rounds: config.rounds as usize,
            games: config.games as usize,
            no_swap: config.noswap,
            reverse: config.reverse,
            book: 1,
        };
        check_games(plan.meetings_of_round(), plan.rounds, plan.games)
            .map_err(|why| FrontendError::Flag { flag: "-rounds".to_owned(), why })?;
        // What is continued is never thrown away.
        let goes_on = config.goes_on();
        Ok(Request {
            manner: Manner::Fastchess,
            names: config.engines.iter().map(|engine| Some(engine.name.clone())).collect(),
            limits: config.engines.iter().map(shown_limits).collect(),
            games: Games::Fastchess(plan),
            book: book(config),
            chess960: config.variant == 1,
            rules: rules(config),
            tables: config.tb_adjudication.enabled.then(|| TableRequest {
                path: config.tb_adjudication.syzygy_dirs.clone(),
                pieces: Some(config.tb_adjudication.max_pieces).filter(|&pieces| pieces > 0),
                ignore_fifty: config.tb_adjudication.ignore_50_move_rule,
                results: config.firstborn.results,
            }),
            stop_rule: stop_rule(config),
            concurrency,
            force_concurrency: config.force_concurrency,
            affinity: match &config.firstborn.cpus {
                _ if !config.affinity => Affinity::Unbound,
                Some(list) => Affinity::Cpus(list.clone()),
                None => Affinity::Any,
            },
            recover: config.recover,
            wait: Duration::from_millis(config.wait),
            stall: Duration::from_secs(10),
            seed: config.seed,
            event: config.pgn.event_name.clone(),
            site: config.pgn.site.clone(),
            pgn: pgn(config),
            epd: Some(&config.epd)
                .filter(|epd| !epd.file.is_empty())
                .map(|epd| EpdRequest { path: PathBuf::from(&epd.file), append: epd.append_file || goes_on }),
            log: Some(&config.log).filter(|log| !log.file.is_empty()).map(|log| LogRequest {
                path: PathBuf::from(&log.file),
                append: log.append_file || goes_on,
                compress: log.compress,
                engines: log.engine_coms,
            }),
            debug: false,
            strict: config.firstborn.strict,
            check_mate_pvs: config.check_mate_pvs,
            terminal: Terminal {
                output: if config.output == 1 { Output::Cutechess } else { Output::Fastchess },
                pairs: config.report_penta,
                rating_interval: config.ratinginterval,
                score_interval: config.scoreinterval,
                outcome_interval: 0,
                columns: Vec::new(),
            },
            warnings,
            notes: self.notes.clone(),
            config: Some(ConfigRequest {
                path: PathBuf::from(&config.config_name),
                named: self.named || config.config_name != Config::default().config_name,
                every: config.autosaveinterval,
                settings: Box::new(config.clone()),
            }),
            players,
        })
    }

    /// An engine in our own terms.
    fn settings(&self, index: usize, engine: &EngineSettings) -> Settings {
        let milliseconds = |ms: u64| format!("{:.3}", ms as f64 / 1000.0);
        let command = if engine.dir.is_empty() { in_path_or_here(&engine.cmd) } else { engine.cmd.clone() };
        let mut settings = Settings::of(&format!("engine {}", index + 1))
            .with("name", &engine.name)
            .with("cmd", &command)
            .with("proto", "uci")
            .with("starttimeout", &milliseconds(self.config.firstborn.startup_ms))
            .with("readytimeout", &milliseconds(self.config.firstborn.ready_ms()))
            .with("timemargin", &engine.limit.tc.timemargin.to_string())
            .with("restart", if engine.restart { "on" } else { "off" })
            .with("lenient", "on");
        if !engine.dir.is_empty() {
            settings = settings.with("dir", &engine.dir);
        }
        if !engine.args.is_empty() {
            settings = settings.with("args", &engine.args);
        }
        let ClockSettings { increment, fixed_time, time, moves, .. } = engine.limit.tc;
        if time + increment > 0 {
            let before = if moves > 0 { format!("{moves}/") } else { String::new() };
            settings =
                settings.with("tc", &format!("{before}{}+{}", milliseconds(time), milliseconds(increment)));
        }
        for (key, value) in [("nodes", engine.limit.nodes), ("depth", engine.limit.plies)] {
            if value > 0 {
                settings = settings.with(key, &value.to_string());
            }
        }
        if fixed_time > 0 {
            settings = settings.with("st", &milliseconds(fixed_time));
        }
        // Threads first, as in fastchess: how a table is shared out may depend on them.
        let threads = |(name, _): &&(String, String)| name.eq_ignore_ascii_case("Threads");
        let (first, rest): (Vec<_>, Vec<_>) = engine.options.iter().partition(threads);
        for (name, value) in first.into_iter().chain(rest) {
            settings = settings.with(&format!("option.{name}"), value);
        }
        settings
    }
}

/// A command, which is looked for in `PATH` before it is a file that lies here.
fn in_path_or_here(command: &str) -> String {
    let in_path = locate(&EngineConfig::new(command)).is_ok();
    file_here(command).filter(|_| !in_path).unwrap_or_else(|| command.to_owned())
}

/// A file that must be there.
fn existing(pair: &Pair) -> Result<String, FrontendError> {
    if Path::new(pair.value).exists() {
        return Ok(pair.value.to_owned());
    }
    Err(pair.bad("there is no such file"))
}

fn format_of(name: &str) -> u8 {
    match name {
        _ if name.ends_with(".epd") => 0,
        _ if name.ends_with(".pgn") => 1,
        _ => 2,
    }
}

/// Sets a key of an engine.
fn set(engine: &mut EngineSettings, pair: &Pair) -> Result<(), FrontendError> {
    let limit = &mut engine.limit;
    match pair.key {
        "cmd" => engine.cmd = pair.value.to_owned(),
        "name" => engine.name = pair.value.to_owned(),
        "args" => engine.args = pair.value.to_owned(),
        "dir" => engine.dir = pair.value.to_owned(),
        "proto" if pair.value == "uci" => {}
        "proto" => return Err(pair.bad("only uci is known here; `firstborn cutechess` knows xboard, too")),
        "tc" => {
            let timemargin = limit.tc.timemargin;
            let fixed_time = limit.tc.fixed_time;
            limit.tc = ClockSettings { timemargin, fixed_time, ..clock(pair)? };
        }
        "st" => limit.tc.fixed_time = seconds(pair, pair.value)?,
        "timemargin" => limit.tc.timemargin = pair.number(0..=MOST_MS)?,
        "nodes" => limit.nodes = pair.number(1..=u64::MAX)?,
        "plies" | "depth" => limit.plies = pair.number(1..=1_000_000)?,
        "restart" => {
            engine.restart = match pair.value {
                "on" => true,
                "off" => false,
                _ => return Err(pair.bad("is neither on nor off")),
            }
        }
        key => match key.strip_prefix("option.") {
            Some(name) if !name.is_empty() => {
                engine.options.retain(|(known, _)| known != name);
                engine.options.push((name.to_owned(), pair.value.to_owned()));
            }
            _ => {
                let known = "cmd, name, args, dir, proto, tc, st, timemargin, nodes, plies, depth, restart, option.NAME";
                return Err(
                    pair.unknown(&format!("{known} (`firstborn cutechess` has ponder, book and others)"))
                );
            }
        },
    }
    Ok(())
}

/// Seconds, also with an `s` behind them, in milliseconds.
fn seconds(pair: &Pair, text: &str) -> Result<u64, FrontendError> {
    let number = text.strip_suffix('s').unwrap_or(text).parse::<f64>().ok();
    let number = number.filter(|seconds| (0.0..1e8).contains(seconds));
    number
        .map(|seconds| (seconds * 1000.0 + 1e-6) as u64)
        .ok_or_else(|| pair.bad("is not a number of seconds"))
}

fn clock(pair: &Pair) -> Result<ClockSettings, FrontendError> {
    let mut clock = ClockSettings::default();
    if pair.value.starts_with("hg") {
        return Err(pair.bad("there is no hourglass here; `firstborn cutechess` has one"));
    }
    let endless = |text: &str| matches!(text, "inf" | "infinite");
    if endless(pair.value) {
        return Ok(clock);
    }
    let rest = match pair.value.split_once('/') {
        Some((moves, rest)) => {
            if !endless(moves) {
                let number: Option<u64> = moves.parse().ok().filter(|&moves| moves > 0);
                clock.moves = number.ok_or_else(|| pair.bad("the number of moves must be positive"))?;
            }
            rest
        }
        None => pair.value,
    };
    let (time, increment) = rest.split_once('+').unwrap_or((rest, "0"));
    clock.increment = seconds(pair, increment)?;
    clock.time = match time.split_once(':') {
        Some((minutes, rest)) => {
            let minutes: u64 = minutes.parse().map_err(|_| pair.bad("the minutes are not a whole number"))?;
            minutes
                .checked_mul(60_000)
                .map(|ms| seconds(pair, rest).map(|rest| ms + rest))
                .unwrap_or_else(|| Err(pair.bad("is more time than there is")))?
        }
        None => seconds(pair, time)?,
    };
    Ok(clock)
}

/// A number of milliseconds as seconds without zeros at the end.
fn in_seconds(ms: u64) -> String {
    (ms as f64 / 1000.0).to_string()
}

/// An engine's limits in PGN and on the terminal.
fn shown_limits(engine: &EngineSettings) -> (String, String) {
    let ClockSettings { increment, fixed_time, time, moves, .. } = engine.limit.tc;
    let mut clock = String::new();
    if time + increment > 0 {
        if moves > 0 {
            clock = format!("{moves}/");
        }
        clock.push_str(&in_seconds(time));
        if increment > 0 {
            clock.push_str(&format!("+{}", in_seconds(increment)));
        }
    } else if fixed_time > 0 {
        clock = format!("{}/move", in_seconds(fixed_time));
    }
    let pgn = if clock.is_empty() { "-".to_owned() } else { clock.clone() };
    let terminal = match (engine.limit.nodes, engine.limit.plies) {
        _ if !clock.is_empty() => clock,
        (0, plies) => format!("{plies} plies"),
        (nodes, _) => format!("{nodes} nodes"),
    };
    (pgn, terminal)
}

fn book(config: &Config) -> Option<BookRequest> {
    let opening = &config.opening;
    let format = match opening.format {
        0 => Format::Positions,
        1 => Format::Pgn,
        _ => return None,
    };
    let order = if opening.order == 0 { Order::Fastchess(config.seed) } else { Order::Sequential };
    let reading = Reading {
        order,
        start: opening.start as usize,
        plies: usize::try_from(opening.plies).ok(),
        format: Some(format),
        counters: Counters::Anywhere,
        ..Reading::WHOLE
    };
    (!opening.file.is_empty()).then(|| BookRequest { path: PathBuf::from(&opening.file), reading })
}

fn rules(config: &Config) -> Rules {
    let (draw, resign) = (&config.draw, &config.resign);
    Rules {
        manner: Manner::Fastchess,
        draw: draw.enabled.then_some(DrawRule {
            move_number: draw.move_number,
            moves: draw.move_count,
            score: draw.score,
        }),
        resign: resign.enabled.then_some(ResignRule {
            moves: resign.move_count,
            score: resign.score,
            two_sided: resign.twosided,
        }),
        max_moves: config.maxmoves.enabled.then_some(config.maxmoves.move_count),
    }
}

fn stop_rule(config: &Config) -> Option<StopRule> {
    let sprt = &config.sprt;
    let model: Model = sprt.model.parse().unwrap_or_default();
    let test = Sprt { elo0: sprt.elo0, elo1: sprt.elo1, alpha: sprt.alpha, beta: sprt.beta, model };
    sprt.enabled.then_some(StopRule { sprt: test, by_pairs: config.report_penta })
}

fn pgn(config: &Config) -> Option<PgnRequest> {
    let pgn = &config.pgn;
    let fields = Fields {
        nodes: pgn.track_nodes,
        seldepth: pgn.track_seldepth,
        nps: pgn.track_nps,
        hashfull: pgn.track_hashfull,
        tb_hits: pgn.track_tbhits,
        time_left: pgn.track_timeleft,
        latency: pgn.track_latency,
        pv: pgn.track_pv,
        line: !pgn.additional_lines_rgx.is_empty(),
    };
    let notation = match pgn.notation {
        1 => Notation::Lan,
        2 => Notation::Uci,
        _ => Notation::San,
    };
    let append = pgn.append_file || config.goes_on();
    (!pgn.file.is_empty()).then(|| PgnRequest {
        path: PathBuf::from(&pgn.file),
        append,
        style: Style { manner: Manner::Fastchess, fields, minimal: pgn.min, notation },
        in_order: false,
        checksum: pgn.crc,
        patterns: pgn.additional_lines_rgx.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontend::Results;

    /// A quarter past ten and thirty seconds, on 29 July 2026.
    fn here() -> Surroundings {
        Surroundings { cpus: 1, chance: 1, now_ms: 1_785_320_130_000 }
    }

    fn request(words: &str) -> Result<Request, FrontendError> {
        let line = format!("-engine cmd=/bin/sh -engine cmd=/bin/sh -each nodes=1 {words}");
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        match read(&words, here())? {
            Asked::Play(request) => Ok(*request),
            other => panic!("{line}: {other:?}"),
        }
    }

    /// As in fastchess, which gives the two engines their clock at once and what holds for all at the end.
    #[test]
    fn each_says_more_than_quick_in_either_order() {
        let quick = "-quick cmd=/bin/sh cmd=/bin/sh book=Cargo.toml";
        for (words, limit) in [
            (quick.to_owned(), "10+0.1"),
            (format!("-each tc=1+0.01 {quick}"), "1+0.01"),
            (format!("{quick} -each tc=1+0.01"), "1+0.01"),
            (format!("-each option.Hash=1 {quick}"), "10+0.1"),
            (format!("{quick} -each tc=inf st=2"), "2/move"),
        ] {
            let line: Vec<String> = words.split(' ').map(str::to_owned).collect();
            let request = match read(&line, here()) {
                Ok(Asked::Play(request)) => request,
                other => panic!("{words}: {other:?}"),
            };
            let limits: Vec<&str> = request.limits.iter().map(|(in_pgn, _)| in_pgn.as_str()).collect();
            assert_eq!(limits, [limit; 2], "{words}");
        }
    }

    /// The longer of two times where both are given, and a minute where neither is.
    #[test]
    fn an_engine_has_the_time_to_answer_that_it_was_given() {
        for (words, seconds) in [
            ("-rounds 1", 60),
            ("-ping-ms 5000", 5),
            ("-ucinewgame-ms 5000", 5),
            ("-ping-ms 5000 -ucinewgame-ms 30000", 30),
            ("-ping-ms 30000 -ucinewgame-ms 5000", 30),
            ("-ping-ms 70000", 70),
        ] {
            let request = request(words).unwrap();
            let engine = &request.players[1].engine;
            assert_eq!(engine.ready_timeout, Duration::from_secs(seconds), "{words}");
        }
    }

    /// Of the flags alone that name no file, and not where the line or a file of settings has named it before.
    #[test]
    fn a_file_without_a_name_is_named_by_the_time() {
        let named = |words: &str| {
            let request = request(words).unwrap();
            let text = |path: PathBuf| path.display().to_string();
            [request.pgn.map(|pgn| text(pgn.path)), request.epd.map(|epd| text(epd.path))]
        };
        let known = |pgn: &str, epd: &str| [pgn, epd].map(|name| Some(name.to_owned()));
        assert_eq!(named("-rounds 1"), [None, None]);
        let dated = known("fastchess_20260729_101530.pgn", "fastchess_20260729_101530.epd");
        assert_eq!(named("-pgnout nodes=true -epdout"), dated);
        let files = "-pgnout file=a.pgn -epdout file=a.epd";
        let more = "-pgnout nodes=true -epdout append=true";
        assert_eq!(named(&format!("{files} {more}")), known("a.pgn", "a.epd"));
        assert_eq!(named(&format!("{more} {files}")), known("a.pgn", "a.epd"));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("settings.json");
        std::fs::write(&path, request(files).unwrap().config.unwrap().text(&Results::new(true))).unwrap();
        let settings = format!("-config file={}", path.display());
        assert_eq!(named(&format!("{settings} {more}")), known("a.pgn", "a.epd"));
    }

    /// Engines are left to the system unless the line binds them, and have their options before every game.
    #[test]
    fn engines_are_bound_by_the_flag_alone() {
        for (words, affinity) in [
            ("-rounds 1", Affinity::Unbound),
            ("-use-affinity", Affinity::Any),
            ("-use-affinity 1,3-4", Affinity::Cpus("1,3-4".to_owned())),
        ] {
            let request = request(words).unwrap();
            assert_eq!(request.affinity, affinity, "{words}");
            assert!(request.players.iter().all(|player| player.engine.fastchess_options), "{words}");
        }
    }

    /// The tests run in the folder of this room.
    #[test]
    fn a_program_is_looked_for_in_path_and_then_here() {
        for (word, command) in [("sh", "sh"), ("Cargo.toml", "./Cargo.toml"), ("src", "src"), ("./x", "./x")]
        {
            let words = ["--compliance", word, "Cargo.toml"].map(str::to_owned);
            match read(&words, here()) {
                Ok(Asked::Compliance(engine)) => assert_eq!(engine, [command, "Cargo.toml"]),
                other => panic!("{word}: {other:?}"),
            }
        }
    }

    /// A match that a test is to end has half a million rounds in fastchess.
    #[test]
    fn a_test_has_the_rounds_that_it_needs() {
        let test = "-sprt elo0=0 elo1=5 alpha=0.05 beta=0.05";
        for (words, rounds) in [
            (format!("-rounds 0 {test}"), 500_000),
            (format!("{test} -rounds 0"), 500_000),
            (format!("-rounds 7 {test}"), 7),
        ] {
            let Games::Fastchess(plan) = request(&words).unwrap().games else { panic!("{words}") };
            assert_eq!(plan.rounds, rounds, "{words}");
        }
        let refused = request("-rounds 0").unwrap_err().to_string();
        assert!(refused.starts_with("-rounds:"), "{refused}");
    }
}
