//! cutechess-cli's command line, as of its version 1.5.1.

use std::path::PathBuf;
use std::time::Duration;

use super::columns::Column;
use super::request::{
    Affinity, BookRequest, EpdRequest, Games, Knockout, Output, PgnRequest, Request, TableRequest, Terminal,
};
use super::words::{Flag, FrontendError, Pair, flags, unique};
use super::{Asked, Surroundings, file_here};
use crate::adjudicate::{DrawRule, Manner, ResignRule, Rules};
use crate::openings::{Counters, Format, Order, Reading};
use crate::pgn::Style;
use crate::program::default_name;
use crate::runner::StopRule;
use crate::schedule::plans::{CutechessFormat, CutechessPlan};
use crate::schedule::{Colours, Format as Pairs, Policy, check_games};
use crate::spec::{Settings, SpecError, TIMEOUT_SCALES, players};
use crate::stats::sprt::{MOST_ELO, Model, Sprt};

/// Every flag there is, with the least and the most words behind it.
const FLAGS: [(&str, usize, usize); 33] = [
    ("-engine", 1, usize::MAX),
    ("-each", 1, usize::MAX),
    ("-tournament", 1, 1),
    ("-seeds", 1, 1),
    ("-games", 1, 1),
    ("-rounds", 1, 1),
    ("-repeat", 0, 1),
    ("-noswap", 0, 0),
    ("-reverse", 0, 0),
    ("-concurrency", 1, 1),
    ("-wait", 1, 1),
    ("-variant", 1, 1),
    ("-openings", 1, 6),
    ("-srand", 1, 1),
    ("-bookmode", 1, 1),
    ("-draw", 1, 3),
    ("-resign", 1, 3),
    ("-maxmoves", 1, 1),
    ("-tb", 1, 1),
    ("-tbpieces", 1, 1),
    ("-tbignore50", 0, 0),
    ("-sprt", 1, 4),
    ("-ratinginterval", 1, 1),
    ("-outcomeinterval", 1, 1),
    ("-resultformat", 1, 1),
    ("-pgnout", 1, 3),
    ("-epdout", 1, 1),
    ("-event", 1, 1),
    ("-site", 1, 1),
    ("-recover", 0, 0),
    ("-debug", 0, 1),
    ("-stderr", 1, 1),
    ("-st", 1, 1),
];
/// The largest number of games, rounds or intervals that a flag takes.
const LARGEST: usize = 100_000_000;
/// Seconds that cutechess-cli gives an engine to start, to answer a ping and to be silent, and to leave.
const TIMEOUTS: [f64; 3] = [35.0, 15.0, 5.0];

/// Reads a command line.
pub fn read(words: &[String], here: Surroundings) -> Result<Asked, FrontendError> {
    for word in words {
        match word.as_str() {
            "-v" | "-version" | "--version" => return Ok(Asked::Version),
            "-help" | "--help" => return Ok(Asked::Help),
            "-engines" | "--engines" => return Ok(Asked::Engines),
            _ => {}
        }
    }
    let flags = flags(words)?;
    for (index, flag) in flags.iter().enumerate() {
        check(flag)?;
        if flag.name != "-engine" && flags[..index].iter().any(|other| other.name == flag.name) {
            return Err(flag.bad("is given twice"));
        }
    }
    let line = Line { flags: &flags };
    if line.get("-resultformat").is_some_and(|flag| flag.values == ["help"]) {
        return Ok(Asked::Columns);
    }
    line.request(here).map(|request| Asked::Play(Box::new(request)))
}

fn check(flag: &Flag) -> Result<(), FrontendError> {
    // Two keys of an engine that people write as flags.
    if matches!(flag.name, "-stderr" | "-st") {
        let key = &flag.name[1..];
        return Err(flag.bad(format!("is not a flag; write {key}= behind -engine or -each")));
    }
    if flag.name == "-both" {
        return Err(flag.bad("is not a flag any more; write -each"));
    }
    if flag.name == "-sprt" && flag.values.iter().any(|word| word.starts_with("model=")) {
        return Err(flag.bad("has no model= here; `firstborn fastchess` and `firstborn tournament` have it"));
    }
    let Some((_, least, most)) = FLAGS.iter().find(|(name, ..)| *name == flag.name) else {
        return Err(flag.unknown(FLAGS.iter().map(|(name, ..)| *name)));
    };
    let given = flag.values.len();
    if given < *least {
        return Err(flag.bad(format!("needs {least} value(s)")));
    }
    if given > *most {
        return Err(flag.bad(format!("takes at most {most} value(s); {given} are given")));
    }
    Ok(())
}

/// All flags of a command line.
struct Line<'a> {
    flags: &'a [Flag<'a>],
}

impl<'a> Line<'a> {
    fn get(&self, name: &str) -> Option<&'a Flag<'a>> {
        self.flags.iter().find(|flag| flag.name == name)
    }

    fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    fn number<T>(
        &self,
        name: &str,
        bounds: std::ops::RangeInclusive<T>,
        default: T,
    ) -> Result<T, FrontendError>
    where
        T: std::str::FromStr + PartialOrd + std::fmt::Display,
    {
        self.get(name).map_or(Ok(default), |flag| flag.number(bounds))
    }

    fn text(&self, name: &str) -> Result<String, FrontendError> {
        self.get(name).map_or(Ok(String::new()), |flag| flag.single().map(str::to_owned))
    }

    /// The pairs of a flag, each key once, and all of those that are needed.
    fn pairs(
        &self,
        name: &str,
        known: &[&str],
        needed: &[&str],
    ) -> Result<Option<Vec<Pair<'a>>>, FrontendError> {
        let Some(flag) = self.get(name) else { return Ok(None) };
        let pairs = flag.pairs()?;
        for (index, pair) in pairs.iter().enumerate() {
            if !known.contains(&pair.key) {
                return Err(pair.unknown(&known.join(", ")));
            }
            if pairs[..index].iter().any(|other| other.key == pair.key) {
                return Err(flag.bad(format!("{}= is given twice", pair.key)));
            }
        }
        match needed.iter().find(|key| pairs.iter().all(|pair| pair.key != **key)) {
            Some(missing) => Err(flag.bad(format!("needs {missing}="))),
            None => Ok(Some(pairs)),
        }
    }

    fn request(&self, here: Surroundings) -> Result<Request, FrontendError> {
        let seed: u32 = self.number("-srand", 0..=u32::MAX, here.chance as u32)?;
        let field = Field::of(self.flags)?;
        let count = field.players.len();
        let chess960 = match self.text("-variant")?.as_str() {
            "" | "standard" => false,
            "fischerandom" => true,
            other => {
                let why = format!("`{other}` cannot be played here: there are standard and fischerandom");
                return Err(FrontendError::Flag { flag: "-variant".to_owned(), why });
            }
        };
        let (book, policy) = self.openings(seed)?;
        let games = self.games(count, policy)?;
        let (pgn, debug) = (self.pgn()?, self.has("-debug"));
        if let Some(mode) = self.get("-bookmode")
            && !["ram", "disk"].contains(&mode.single()?)
        {
            return Err(mode.bad("is neither ram nor disk"));
        }
        let columns = self.get("-resultformat").map_or(Ok("default"), Flag::single)?;
        let columns = Column::list(columns)
            .map_err(|why| FrontendError::Flag { flag: "-resultformat".to_owned(), why })?;
        Ok(Request {
            manner: Manner::Cutechess,
            names: field.names,
            limits: field.limits,
            book,
            games,
            chess960,
            rules: self.rules()?,
            tables: self.tables()?,
            stop_rule: self.stop_rule(count)?,
            concurrency: self.number("-concurrency", 1..=10_000, 1)?,
            force_concurrency: true,
            affinity: Affinity::Unbound,
            recover: self.has("-recover"),
            wait: Duration::from_millis(self.number("-wait", 0..=86_400_000, 0)?),
            stall: Duration::from_secs_f64(TIMEOUTS[1] * field.slowest),
            seed: seed.into(),
            event: self.text("-event")?,
            site: self.text("-site")?,
            pgn,
            epd: match self.get("-epdout") {
                Some(flag) => Some(EpdRequest { path: PathBuf::from(flag.single()?), append: true }),
                None => None,
            },
            log: None,
            debug,
            strict: false,
            check_mate_pvs: false,
            terminal: Terminal {
                output: Output::Cutechess,
                pairs: false,
                rating_interval: self.number("-ratinginterval", 0..=LARGEST as u64, 0)?,
                score_interval: 1,
                outcome_interval: self.number("-outcomeinterval", 0..=LARGEST as u64, 0)?,
                columns,
            },
            warnings: Vec::new(),
            notes: Vec::new(),
            config: None,
            players: field.players,
        })
    }

    /// The book, and when its next opening is taken.
    fn openings(&self, seed: u32) -> Result<(Option<BookRequest>, Policy), FrontendError> {
        let (known, mut policy) = (["file", "format", "order", "plies", "start", "policy"], Policy::Default);
        let Some(pairs) = self.pairs("-openings", &known, &["file"])? else { return Ok((None, policy)) };
        let mut path = PathBuf::new();
        let mut reading =
            Reading { format: Some(Format::Pgn), counters: Counters::Operations, ..Reading::WHOLE };
        for pair in &pairs {
            match pair.key {
                "file" => path = PathBuf::from(pair.value),
                "format" => {
                    reading.format = match pair.value {
                        "epd" => Some(Format::Positions),
                        "pgn" => Some(Format::Pgn),
                        _ => return Err(pair.bad("is neither epd nor pgn")),
                    }
                }
                "order" => {
                    reading.order = match pair.value {
                        "random" => Order::Cutechess(seed),
                        "sequential" => Order::Sequential,
                        _ => return Err(pair.bad("is neither sequential nor random")),
                    }
                }
                "plies" => reading.plies = Some(pair.number(1..=100_000)?),
                "start" => reading.start = pair.number(1..=u32::MAX as usize)?,
                _ => policy = pair.value.parse().map_err(|why: String| pair.bad(why))?,
            }
        }
        let file = || FrontendError::Flag {
            flag: "-openings".to_owned(),
            why: format!("file={}: there is no such file", path.display()),
        };
        if !path.exists() {
            return Err(file());
        }
        let positions = path.extension().is_some_and(|end| end == "epd" || end == "fen");
        if positions && reading.format == Some(Format::Pgn) {
            let why =
                format!("file={}: the format is pgn unless it is given; write format=epd", path.display());
            return Err(FrontendError::Flag { flag: "-openings".to_owned(), why });
        }
        Ok((Some(BookRequest { path, reading }), policy))
    }

    fn games(&self, players: usize, policy: Policy) -> Result<Games, FrontendError> {
        let games = self.number("-games", 1..=LARGEST, 1)?;
        let rounds = self.number("-rounds", 1..=LARGEST, 1)?;
        let seeds = self.number("-seeds", 0..=10_000, 0)?;
        let repeat = match self.get("-repeat") {
            None => 1,
            Some(flag) if flag.values.is_empty() => 2,
            Some(flag) => flag.number(1..=LARGEST)?,
        };
        let (no_swap, reverse) = (self.has("-noswap"), self.has("-reverse"));
        let check = |meetings, rounds| {
            let flag = if rounds > 1 { "-rounds" } else { "-games" };
            check_games(meetings, rounds, games)
                .map_err(|why| FrontendError::Flag { flag: flag.to_owned(), why })
        };
        let format = match self.get("-tournament").map_or(Ok("round-robin"), Flag::single)? {
            "round-robin" => CutechessFormat::RoundRobin,
            "gauntlet" => CutechessFormat::Gauntlet(seeds),
            "pyramid" => CutechessFormat::Pyramid,
            "knockout" if self.has("-rounds") && rounds > 1 => {
                let why = "a knockout has as many rounds as it needs; leave -rounds out".to_owned();
                return Err(FrontendError::Flag { flag: "-tournament".to_owned(), why });
            }
            "knockout" => {
                check(Pairs::Knockout.meetings(players), 1)?;
                check_knockout(games, repeat, policy)?;
                let colours = Colours { no_swap, reverse };
                return Ok(Games::Knockout(Knockout { seeds, games, policy, colours }));
            }
            other => {
                let why = format!("`{other}` is none of round-robin, gauntlet, knockout, pyramid");
                return Err(FrontendError::Flag { flag: "-tournament".to_owned(), why });
            }
        };
        check(format.meetings(players), rounds)?;
        Ok(Games::Cutechess(CutechessPlan {
            format,
            players,
            rounds,
            games,
            repeat,
            policy,
            no_swap,
            reverse,
        }))
    }

    fn rules(&self) -> Result<Rules, FrontendError> {
        let keys = ["movenumber", "movecount", "score"];
        let draw = self.pairs("-draw", &keys, &keys)?.map(|pairs| {
            let mut rule = DrawRule { move_number: 0, moves: 0, score: 0 };
            for pair in pairs {
                match pair.key {
                    "movenumber" => rule.move_number = pair.number(0..=10_000)?,
                    "movecount" => rule.moves = pair.number(0..=10_000)?,
                    _ => rule.score = pair.number(0..=90_000)?,
                }
            }
            Ok::<_, FrontendError>(rule)
        });
        let resign = self.pairs("-resign", &["movecount", "score", "twosided"], &["movecount", "score"])?;
        let resign = resign.map(|pairs| {
            let mut rule = ResignRule { moves: 0, score: 0, two_sided: false };
            for pair in pairs {
                match pair.key {
                    "movecount" => rule.moves = pair.number(0..=10_000)?,
                    "score" => rule.score = pair.number(0..=90_000)?,
                    _ => rule.two_sided = pair.truth()?,
                }
            }
            Ok::<_, FrontendError>(rule)
        });
        let longest = self.number("-maxmoves", 0..=100_000, 0)?;
        let max_moves = Some(longest).filter(|&moves| moves > 0);
        Ok(Rules {
            manner: Manner::Cutechess,
            draw: draw.transpose()?,
            resign: resign.transpose()?,
            max_moves,
        })
    }

    fn tables(&self) -> Result<Option<TableRequest>, FrontendError> {
        let Some(flag) = self.get("-tb") else { return Ok(None) };
        let pieces = self.get("-tbpieces").map(|flag| flag.number(3..=7)).transpose()?;
        let (path, ignore_fifty) = (flag.single()?.to_owned(), self.has("-tbignore50"));
        Ok(Some(TableRequest { path, pieces, ignore_fifty, results: [true; 2] }))
    }

    fn stop_rule(&self, players: usize) -> Result<Option<StopRule>, FrontendError> {
        let keys = ["elo0", "elo1", "alpha", "beta"];
        let Some(pairs) = self.pairs("-sprt", &keys, &keys)? else { return Ok(None) };
        let mut sprt = Sprt { elo0: 0.0, elo1: 0.0, alpha: 0.0, beta: 0.0, model: Model::Cutechess };
        for pair in pairs {
            match pair.key {
                "elo0" => sprt.elo0 = pair.number(-MOST_ELO..=MOST_ELO)?,
                "elo1" => sprt.elo1 = pair.number(-MOST_ELO..=MOST_ELO)?,
                "alpha" => sprt.alpha = pair.number(0.0..=1.0)?,
                _ => sprt.beta = pair.number(0.0..=1.0)?,
            }
        }
        let flag = |why: &str| FrontendError::Flag { flag: "-sprt".to_owned(), why: why.to_owned() };
        if sprt.alpha <= 0.0 || sprt.beta <= 0.0 || sprt.alpha + sprt.beta >= 1.0 {
            return Err(flag("alpha and beta must be above 0, and their sum below 1"));
        }
        if sprt.elo0 >= sprt.elo1 {
            return Err(flag("elo0 must be less than elo1: nothing could be accepted"));
        }
        if players != 2 {
            return Err(flag("compares two engines"));
        }
        Ok(Some(StopRule { sprt, by_pairs: false }))
    }

    fn pgn(&self) -> Result<Option<PgnRequest>, FrontendError> {
        let Some(flag) = self.get("-pgnout") else { return Ok(None) };
        let (mut minimal, path) = (false, PathBuf::from(flag.values[0]));
        for word in &flag.values[1..] {
            match *word {
                "min" => minimal = true,
                // Games without a result are never written.
                "fi" => {}
                other => return Err(flag.bad(format!("`{other}` is neither min nor fi"))),
            }
        }
        let style = Style { manner: Manner::Cutechess, minimal, ..Style::default() };
        Ok(Some(PgnRequest {
            path,
            append: true,
            style,
            in_order: true,
            checksum: false,
            patterns: Vec::new(),
        }))
    }
}

/// Refuses a knockout that is not played by encounters of two games with one opening.
fn check_knockout(games: usize, repeat: usize, policy: Policy) -> Result<(), FrontendError> {
    let refuse = |flag: &str, why: String| Err(FrontendError::Flag { flag: flag.to_owned(), why });
    if games > 1 && !games.is_multiple_of(2) {
        let why = format!("a knockout here has one game of a pair, or an even number, and not {games}");
        return refuse("-games", why);
    }
    if games > 1 && policy == Policy::Default && repeat != 2 {
        return refuse(
            "-repeat",
            format!("a knockout of {games} games of a pair has an opening for every two: write -repeat"),
        );
    }
    Ok(())
}

/// The engines.
struct Field {
    players: Vec<crate::spec::Player>,
    names: Vec<Option<String>>,
    limits: Vec<(String, String)>,
    /// By how much protocol timeouts are longer for the engine that is given most.
    slowest: f64,
}

impl Field {
    fn of(flags: &[Flag]) -> Result<Self, FrontendError> {
        let each = flags.iter().find(|flag| flag.name == "-each");
        let debugs = flags.iter().any(|flag| flag.name == "-debug" && flag.values == ["all"]);
        let engines: Vec<&Flag> = flags.iter().filter(|flag| flag.name == "-engine").collect();
        if engines.len() < 2 {
            return Err(FrontendError::Whole("At least two engines are needed (-engine cmd=...)".to_owned()));
        }
        let (mut lines, mut names, mut slowest) = (Vec::new(), Vec::new(), 1.0_f64);
        for (index, engine) in engines.iter().enumerate() {
            let (given, scale) = settings(index, engine, each)?;
            let (mut settings, scale) = completed(given, scale)?;
            if debugs && speaks_uci(&settings) {
                settings = settings.with("initstr", "debug on");
            }
            slowest = slowest.max(scale);
            names.push(settings.get("name").filter(|name| !name.is_empty()).map(str::to_owned));
            let shown =
                names[index].clone().unwrap_or_else(|| default_name(settings.get("cmd").unwrap_or_default()));
            lines.push((shown, settings));
        }
        // Two players may have the same name here, and not elsewhere.
        let (shown, settings): (Vec<String>, Vec<Settings>) = lines.into_iter().unzip();
        let named = settings.into_iter().zip(unique(&shown));
        let lines: Vec<Settings> = named.map(|(settings, name)| settings.with("name", &name)).collect();
        let players = players(&lines, &[]).map_err(|error| FrontendError::Whole(error.to_string()))?;
        let limits = players.iter().map(shown_limits).collect();
        Ok(Self { players, names, limits, slowest })
    }
}

/// Whether UCI is an engine's protocol, which lists of engines call by the longer name.
fn speaks_uci(settings: &Settings) -> bool {
    let protocol = settings.get("proto").or(settings.get("protocol"));
    protocol.is_some_and(|protocol| protocol.eq_ignore_ascii_case("uci"))
}

/// An engine's settings with those of its `conf=`, its timeouts and its program; and the factor of the timeouts, which
/// is `scale` if that is given. The program of an engine without a folder of its own is the file of that name that lies
/// here, before one in `PATH`.
fn completed(settings: Settings, scale: Option<f64>) -> Result<(Settings, f64), FrontendError> {
    let whole = |error: SpecError| FrontendError::Whole(error.to_string());
    let mut settings = settings.configured().map_err(whole)?;
    let scale = scale.or(settings.timeout_scale().map_err(whole)?).unwrap_or(1.0);
    for (key, seconds) in ["starttimeout", "readytimeout", "quittimeout"].into_iter().zip(TIMEOUTS) {
        settings = settings.with(key, &(seconds * scale).to_string());
    }
    let no_folder = settings.get("dir").unwrap_or_default().is_empty();
    let file = settings.get("cmd").filter(|_| no_folder).and_then(file_here);
    let settings = match file {
        Some(file) => settings.with("cmd", &file),
        None => settings,
    };
    Ok((settings, scale))
}

/// An engine in our own terms, and the factor of its timeouts if that is given. A word is known by its key, whatever
/// its value: `ponder=false` ponders. A word without a key is passed over.
fn settings(
    index: usize,
    engine: &Flag,
    each: Option<&Flag>,
) -> Result<(Settings, Option<f64>), FrontendError> {
    let mut settings = Settings::of(&format!("engine {}", index + 1)).with("lenient", "on");
    let mut scale = None;
    let (mut protocol, mut timed) = (false, [false; 2]);
    for (flag, word) in [Some(engine), each]
        .into_iter()
        .flatten()
        .flat_map(|flag| flag.values.iter().map(move |word| (flag, *word)))
    {
        let pair = flag.word(word);
        match pair.key {
            "" => {}
            "ponder" | "whitepov" | "trust" => settings = settings.with(pair.key, "on"),
            "debug" => settings = settings.with("initstr", "debug on"),
            "tscale" => scale = Some(pair.number(TIMEOUT_SCALES)?),
            "proto" => {
                protocol = true;
                settings = settings.with("proto", pair.value);
            }
            "conf" => {
                protocol = true;
                settings = settings.with("conf", pair.value);
            }
            "timemargin" => settings = settings.with("timemargin", &pair.number(0..=u32::MAX)?.to_string()),
            "tc" => {
                timed[0] = pair.value != "inf";
                settings = settings.with("tc", pair.value);
            }
            "st" => {
                timed[1] = true;
                settings = settings.with("st", pair.value);
            }
            "args" => return Err(pair.bad("there is no such key here; write arg= for each argument")),
            "name" | "cmd" | "dir" | "arg" | "nodes" | "depth" | "book" | "bookdepth" | "restart"
            | "initstr" | "stderr" => settings = settings.with(pair.key, pair.value),
            key if key.len() > "option.".len() && key.starts_with("option.") => {
                settings = settings.with(key, pair.value);
            }
            _ => {
                return Err(pair.unknown(
                    "conf, name, cmd, dir, arg, proto, tc, st, timemargin, nodes, depth, ponder, book, bookdepth, \
                     whitepov, restart, trust, tscale, initstr, stderr, debug, option.NAME",
                ));
            }
        }
    }
    let whole = |why: &str| Err(FrontendError::Whole(format!("engine {}: {why}", index + 1)));
    if !protocol {
        return whole("Unknown or missing protocol: proto=uci or proto=xboard");
    }
    if timed == [true, true] {
        return whole("Invalid time control: tc= and st= together");
    }
    if settings.get("tc").is_none() && settings.get("st").is_none() {
        return whole("Invalid or missing time control (tc=, st=, or tc=inf with nodes= or depth=)");
    }
    Ok((settings, scale))
}

/// An engine's limits in PGN and on the terminal: its clock, and behind a blank what else tells it from
/// others.
fn shown_limits(player: &crate::spec::Player) -> (String, String) {
    let limits = &player.limits;
    let mut text = match (limits.clock, limits.move_time) {
        (Some(clock), _) => clock.to_string(),
        (None, Some(time)) => format!("{}/move", time.as_secs_f64()),
        (None, None) => "inf".to_owned(),
    };
    let clock = text.clone();
    for (what, value) in [("nodes", limits.nodes), ("depth", limits.depth.map(u64::from))] {
        if let Some(value) = value {
            text.push_str(&format!(" {what} {value}"));
        }
    }
    (text, clock)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{Player, from_file};

    /// The two players of a line; every engine is a shell.
    fn field(each: &str) -> Result<Vec<Player>, FrontendError> {
        let line = format!("-engine|cmd=/bin/sh|-engine|cmd=/bin/sh|-each|proto=uci|tc=1|{each}");
        let words: Vec<String> = line.split('|').map(str::to_owned).collect();
        match read(&words, Surroundings { cpus: 1, chance: 1, now_ms: 0 })? {
            Asked::Play(request) => Ok(request.players),
            other => panic!("{each}: {other:?}"),
        }
    }

    /// cutechess-cli looks at what stands before the `=` alone.
    #[test]
    fn words_are_known_by_their_keys() {
        for words in ["ponder|whitepov|trust", "ponder=true|whitepov=1|trust=", "ponder=|whitepov=no|trust=x"]
        {
            let player = field(words).unwrap().remove(1);
            assert_eq!([player.engine.ponder, player.white_pov, player.trust], [true; 3], "{words}");
        }
        assert_eq!(field("debug=true").unwrap()[0].engine.init_lines, ["debug on"]);
        let refused = field("pondering=true").unwrap_err().to_string();
        assert!(refused.contains("unknown key `pondering`"), "{refused}");
    }

    /// `-debug all` has every engine talk that speaks UCI, and no other.
    #[test]
    fn debugging_all_is_debugging_each() {
        for (words, init_lines) in [
            ("depth=1|-debug|all", vec!["debug on"]),
            ("proto=xboard|-debug|all", vec![]),
            ("depth=1|-debug", vec![]),
        ] {
            assert_eq!(field(words).unwrap()[1].engine.init_lines, init_lines, "{words}");
        }
    }

    /// As the variables of a shell leave them; what needs a value is refused without one.
    #[test]
    fn values_may_be_empty_where_that_means_none() {
        let player = field("dir=|book=|stderr=|name=||arg=").unwrap().remove(0);
        assert_eq!((player.engine.dir, player.book, player.engine.stderr), (None, None, None));
        assert_eq!((player.name.as_str(), player.engine.args), ("sh", vec![String::new()]));
        for key in ["tc", "st", "timemargin", "nodes", "depth", "bookdepth", "tscale", "restart", "cmd"] {
            let refused = field(&format!("{key}=")).unwrap_err().to_string();
            assert!(refused.contains(&format!("{key}=")), "{key}: {refused}");
        }
    }

    /// The factor in cutechess's list of engines lengthens the same timeouts as `tscale=`, which is stronger.
    #[test]
    fn timeouts_are_scaled_by_the_list_of_engines() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("engines.json");
        std::fs::write(&path, r#"[{"command": "/bin/sh", "name": "A", "timeoutScale": 2}]"#).unwrap();
        let listed = from_file(&path).unwrap().0.remove(0);
        for (given, scale, times) in
            [(None, 2.0, ["70", "30", "10"]), (Some(0.5), 0.5, ["17.5", "7.5", "2.5"])]
        {
            let (settings, found) = completed(listed.clone(), given).unwrap();
            assert_eq!(found, scale);
            let set = ["starttimeout", "readytimeout", "quittimeout"].map(|key| settings.get(key));
            assert_eq!(set, times.map(Some));
        }
    }
}
