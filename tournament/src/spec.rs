//! Who plays: engine lines in the syntax cutechess-cli made known, and the same fields in a TOML or JSON file.
//!
//! `name=Alpha cmd=./alpha proto=uci tc=8+0.08 option.Hash=64` describes a player; what is given with
//! `--each` holds for all unless a player says otherwise. Everything is checked here, before any game begins.

use std::fmt;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::Duration;

use client::{EngineConfig, Limits, TimeControl, sets_threads};
use serde::de::{Error as _, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::keys::truth;
use crate::program::{ProgramError, default_name, locate, split_command, split_words};

/// A player: an engine and the conditions it plays under.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Player {
    /// Its name in all results; unique in the field.
    pub name: String,
    /// How it is started.
    pub engine: EngineConfig,
    /// What bounds its thinking.
    pub limits: Limits,
    /// How far it may overstep its time before it loses.
    pub margin: Duration,
    /// Whether it is started anew for every game.
    pub restart: bool,
    /// Whether its scores are from White's side whatever it plays.
    pub white_pov: bool,
    /// Whether its claims are believed, and mates that it sees end the game.
    pub trust: bool,
    /// A Polyglot book of its own, whose moves are made for it at the start of a game.
    pub book: Option<PathBuf>,
    /// How many moves it takes from that book at most; all if none.
    pub book_depth: Option<u32>,
}

/// What is wrong with a description of players.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    /// A word that is no `key=value`.
    #[error("{place}: `{word}` is not of the form key=value")]
    NotAPair {
        /// The engine line.
        place: String,
        /// The word.
        word: String,
    },
    /// A line whose words cannot be told apart.
    #[error("{place}: {why}")]
    BadLine {
        /// The engine line.
        place: String,
        /// What is wrong with it.
        why: String,
    },
    /// An unknown key.
    #[error(
        "{place}: unknown key `{key}`; known are name, cmd, arg, args, dir, proto, tc, st, depth, nodes, timemargin, \
         ponder, threads, hash, restart, initstr, stderr, whitepov, trust, book, bookdepth, conf, starttimeout, \
         readytimeout, quittimeout, lenient and option.NAME"
    )]
    UnknownKey {
        /// The engine line.
        place: String,
        /// The key.
        key: String,
    },
    /// The same key again.
    #[error("{place}: {key}= is given twice")]
    Twice {
        /// The engine line.
        place: String,
        /// The key, as it was given the second time.
        key: String,
    },
    /// A value that does not fit its key.
    #[error("{place}: {key}={value}: {why}")]
    BadValue {
        /// The engine line.
        place: String,
        /// The key.
        key: String,
        /// The value.
        value: String,
        /// What is wrong with it.
        why: String,
    },
    /// No `cmd=`.
    #[error("{place}: no cmd= says which program to run")]
    NoCommand {
        /// The engine line.
        place: String,
    },
    /// Limits that leave a move unlimited.
    #[error("{place}: its tc, st, depth and nodes together are no limit: no move would ever have to be made")]
    NoLimit {
        /// The engine line.
        place: String,
    },
    /// The command leads to no program.
    #[error("{place} (`{name}`): {error}")]
    Program {
        /// The engine line.
        place: String,
        /// The player's name.
        name: String,
        /// What is wrong.
        error: ProgramError,
    },
    /// Two players of the same name.
    #[error("two players are called `{0}`; give them different name=")]
    SameName(String),
    /// A file that cannot be read or understood.
    #[error("{path}: {why}")]
    File {
        /// The file.
        path: String,
        /// What is wrong, with the line where that is known.
        why: String,
    },
    /// Too few players.
    #[error("a tournament needs at least two players; {0} given")]
    TooFew(usize),
}

/// A description in the making: settings in the order they were given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settings {
    place: String,
    pairs: Vec<(String, String)>,
    /// As a list of engines has it, in JSON. Of an engine that does not play it may be anything.
    timeout_scale: Option<String>,
}

/// By how much longer or shorter an engine's timeouts may be made.
pub(crate) const TIMEOUT_SCALES: RangeInclusive<f64> = 0.2..=120.0;

impl Settings {
    /// From the words of an engine line. A first word without `=` is the command.
    ///
    /// A line that is given as one word is split here: quotes protect blanks as in a shell, and without quotes a value
    /// goes on to the next `key=`, so that `cmd=/my path/engine name=A` is what it looks like. Where the whole line
    /// names a file, that is the command, whatever its name has.
    ///
    /// # Errors
    /// A word that is no `key=value`, a quote that is not closed, or a key given twice.
    pub fn from_words(place: &str, words: &[String]) -> Result<Self, SpecError> {
        let mut pairs = Vec::new();
        if let [one] = words
            && let Some(command) = file_named(one)
        {
            return Ok(Self::of(place).with("cmd", command));
        }
        let split: Vec<String> = match words {
            [one] => split_line(one).map_err(|why| SpecError::BadLine { place: place.to_owned(), why })?,
            many => many.to_vec(),
        };
        for (index, word) in split.iter().enumerate() {
            match word.split_once('=') {
                Some((key, value)) => pairs.push((key.to_owned(), value.to_owned())),
                None if index == 0 => pairs.push(("cmd".to_owned(), word.clone())),
                None => return Err(SpecError::NotAPair { place: place.to_owned(), word: word.clone() }),
            }
        }
        Self { place: place.to_owned(), pairs, timeout_scale: None }.once()
    }

    /// These settings, if each is made once: a forgotten `--engine` would make one player of two.
    fn once(self) -> Result<Self, SpecError> {
        let known: Vec<String> = self.pairs.iter().map(|(key, _)| meaning(key)).collect();
        let twice = (1..known.len())
            .find(|&at| !REPEATABLE.contains(&known[at].as_str()) && known[..at].contains(&known[at]));
        match twice {
            Some(at) => Err(SpecError::Twice { place: self.place, key: self.pairs[at].0.clone() }),
            None => Ok(self),
        }
    }

    /// None yet, for an engine that errors name so.
    #[must_use]
    pub fn of(place: &str) -> Self {
        Self { place: place.to_owned(), ..Self::default() }
    }

    /// The same with one setting more.
    #[must_use]
    pub fn with(mut self, key: &str, value: &str) -> Self {
        self.pairs.push((key.to_owned(), value.to_owned()));
        self
    }

    /// The same with the settings of `other` behind it.
    #[must_use]
    pub fn followed_by(mut self, other: Self) -> Self {
        self.pairs.extend(other.pairs);
        self.timeout_scale = other.timeout_scale.or(self.timeout_scale);
        self
    }

    /// The setting of this key that holds: the last one.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&str> {
        self.pairs.iter().rfind(|(known, _)| known == key).map(|(_, value)| value.as_str())
    }

    /// The factor of the engine's timeouts, if its list (`engines.json`) says one: 0.2 to 120.
    ///
    /// # Errors
    /// What the list says is no such number.
    pub fn timeout_scale(&self) -> Result<Option<f64>, SpecError> {
        let Some(text) = &self.timeout_scale else { return Ok(None) };
        let scale = text.parse::<f64>().ok().filter(|scale| TIMEOUT_SCALES.contains(scale));
        scale.map(Some).ok_or_else(|| SpecError::BadValue {
            place: self.place.clone(),
            key: "timeoutScale".to_owned(),
            value: text.clone(),
            why: "is not a number from 0.2 to 120".to_owned(),
        })
    }

    /// The same with `conf=NAME` replaced by what `engines.json` says of the engine of that name
    /// ([`cutechess_engines`]); the other settings are stronger.
    ///
    /// # Errors
    /// There is no such file, or no such engine in it.
    pub fn configured(mut self) -> Result<Self, SpecError> {
        let Some(at) = self.pairs.iter().position(|(key, _)| key == "conf") else { return Ok(self) };
        let (_, name) = self.pairs.remove(at);
        let path = cutechess_engines().ok_or_else(|| SpecError::BadValue {
            place: self.place.clone(),
            key: "conf".to_owned(),
            value: name.clone(),
            why: "there is no engines.json, neither here nor among cutechess's settings".to_owned(),
        })?;
        let (engines, _) = from_file(&path)?;
        let named = engines.into_iter().find(|engine| engine.get("name") == Some(&name));
        let named = named.ok_or_else(|| SpecError::BadValue {
            place: self.place.clone(),
            key: "conf".to_owned(),
            value: name,
            why: format!("{} has no engine of that name", path.display()),
        })?;
        let place = self.place.clone();
        Ok(Self { place, ..named.followed_by(self) })
    }

    fn from_json(place: &str, value: &Value) -> Result<Self, SpecError> {
        let bad = |key: &str, why: &str| SpecError::BadValue {
            place: place.to_owned(),
            key: key.to_owned(),
            value: value.get(key).unwrap_or(value).to_string(),
            why: why.to_owned(),
        };
        let object = value.as_object().ok_or_else(|| bad("engine", "is not a table of settings"))?;
        let setting = |key: &str, value: &Value| plain(value).ok_or_else(|| bad(key, "is not a plain value"));
        let (mut pairs, mut timeout_scale) = (Vec::new(), None);
        for (key, value) in object {
            match (key.as_str(), value) {
                ("options" | "option", Value::Object(options)) => {
                    for (name, value) in options {
                        let text = plain(value)
                            .ok_or_else(|| bad(key, "an option is a text, number or truth value"))?;
                        pairs.push((format!("option.{name}"), text));
                    }
                }
                ("arg" | "args" | "arguments", Value::Array(args)) => {
                    for arg in args {
                        let text = plain(arg).ok_or_else(|| bad(key, "an argument is a text or number"))?;
                        pairs.push(("arg".to_owned(), text));
                    }
                }
                // The rest is how cutechess writes its list.
                ("options", Value::Array(options)) => {
                    for option in options {
                        let name = option.get("name").and_then(Value::as_str);
                        let value = option.get("value").or_else(|| option.get("default")).and_then(plain);
                        // A button has no value, and is not pressed by being listed.
                        let button = option.get("type").and_then(Value::as_str) == Some("button");
                        match (name, value) {
                            (Some(name), Some(value)) if !button => {
                                let key = format!("option.{name}");
                                // An engine may have told an option twice.
                                pairs.retain(|(known, _)| meaning(known) != meaning(&key));
                                pairs.push((key, value));
                            }
                            (Some(_), _) => {}
                            _ => return Err(bad(key, "an option has a name and a value")),
                        }
                    }
                }
                ("initstr" | "initStrings", Value::Array(lines)) => {
                    let lines: Option<Vec<String>> = lines.iter().map(plain).collect();
                    let lines = lines.ok_or_else(|| bad(key, "is not a list of lines"))?;
                    pairs.push(("initstr".to_owned(), lines.join("\\n")));
                }
                ("variants" | "rating", _) => {}
                ("timeoutScale", _) => timeout_scale = Some(value.to_string()),
                ("debug", Value::Bool(on)) => {
                    pairs.extend(on.then(|| ("initstr".to_owned(), "debug on".to_owned())));
                }
                ("validateClaims" | "claimsValidated", Value::Bool(validated)) => {
                    pairs.push(("trust".to_owned(), (!validated).to_string()));
                }
                ("command", _) => pairs.push(("cmd".to_owned(), setting(key, value)?)),
                ("workingDirectory", _) => {
                    let folder = setting(key, value)?;
                    pairs.extend((!folder.is_empty()).then_some(("dir".to_owned(), folder)));
                }
                ("stderrFile", _) => pairs.push(("stderr".to_owned(), setting(key, value)?)),
                _ => pairs.push((key.clone(), setting(key, value)?)),
            }
        }
        // A table has no order: an option is taken as said behind `threads` and `hash`, as it is sent.
        pairs.sort_by_key(|(key, _)| key.starts_with("option."));
        Self { place: place.to_owned(), pairs, timeout_scale }.once()
    }
}

/// Keys that add to what was given before.
const REPEATABLE: [&str; 3] = ["arg", "args", "initstr"];

/// What two ways to write a key have in common.
fn meaning(key: &str) -> String {
    match key {
        "protocol" => "proto".to_owned(),
        // An option's name is the same in capitals.
        _ if key.starts_with("option.") => key.to_ascii_lowercase(),
        _ => key.to_owned(),
    }
}

/// A JSON value in which no table has a key twice.
#[derive(Debug)]
struct Distinct(Value);

impl<'de> Deserialize<'de> for Distinct {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValue).map(Self)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Value;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(Distinct(value)) = list.next_element()? {
            values.push(value);
        }
        Ok(values.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut table: A) -> Result<Value, A::Error> {
        let mut values = serde_json::Map::new();
        while let Some((key, Distinct(value))) = table.next_entry::<String, _>()? {
            if values.contains_key(&key) {
                return Err(A::Error::custom(format!("`{key}` is given twice")));
            }
            values.insert(key, value);
        }
        Ok(values.into())
    }
}

/// The file that a word names as a whole, with `cmd=` before it or without.
fn file_named(word: &str) -> Option<&str> {
    let command = word.strip_prefix("cmd=").unwrap_or(word);
    Path::new(command).is_file().then_some(command)
}

/// The words of a line that was given as one.
fn split_line(line: &str) -> Result<Vec<String>, String> {
    let quote = |word: &str| shell_words::quote(word).into_owned();
    let mut words: Vec<String> = Vec::new();
    for word in split_words(line)? {
        // An option's name may have blanks, so that its `=` comes in a later word.
        let begins_key = |word: &str| {
            word.starts_with("option.") || word.split_once('=').is_some_and(|(key, _)| is_key(key))
        };
        match words.last_mut() {
            // A value, or an option's name, that goes on after a blank.
            Some(last) if !begins_key(&word) || last.starts_with("option.") && !last.contains('=') => {
                // Commands and arguments are split once more.
                let twice = last.starts_with("args=") || last.starts_with("cmd=");
                last.push(' ');
                last.push_str(&if twice { quote(&word) } else { word });
            }
            _ => words.push(word),
        }
    }
    Ok(words)
}

/// Whether a text looks like a key; whether it is one is for [`apply`] to say.
fn is_key(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        _ => None,
    }
}

/// Where cutechess keeps its list of engines: `engines.json` in the current folder, or else among its settings.
#[must_use]
pub fn cutechess_engines() -> Option<PathBuf> {
    let settings = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from);
    let home = std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".config"));
    let folders = settings.into_iter().chain(home).map(|folder| folder.join("cutechess"));
    std::iter::once(PathBuf::new())
        .chain(folders)
        .map(|folder| folder.join("engines.json"))
        .find(|f| f.is_file())
}

/// Reads players from a `.toml` or `.json` file: a list `engine` (or `engines`) of tables, and a table `each`;
/// or cutechess's `engines.json`.
///
/// # Errors
/// The file cannot be read or understood; the message has file and line.
pub fn from_file(path: &Path) -> Result<(Vec<Settings>, Option<Settings>), SpecError> {
    let error = |why: String| SpecError::File { path: path.display().to_string(), why };
    let text = std::fs::read_to_string(path).map_err(|e| error(e.to_string()))?;
    let is_json = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
    let value: Value = if is_json {
        serde_json::from_str::<Distinct>(&text).map_err(|e| error(e.to_string()))?.0
    } else {
        let table: toml::Table = text.parse().map_err(|e: toml::de::Error| error(e.to_string()))?;
        serde_json::to_value(table).map_err(|e| error(e.to_string()))?
    };
    let known = ["engine", "engines", "each"];
    if let Some(key) =
        value.as_object().and_then(|table| table.keys().find(|key| !known.contains(&key.as_str())))
    {
        return Err(error(format!("unknown table `{key}`; known are engine (or engines) and each")));
    }
    if value.get("engine").is_some() && value.get("engines").is_some() {
        return Err(error("has both `engine` and `engines`: put all players into one list".to_owned()));
    }
    let list = match &value {
        Value::Array(list) => list.as_slice(),
        _ => value
            .get("engine")
            .or_else(|| value.get("engines"))
            .and_then(Value::as_array)
            .ok_or_else(|| error("has no list `engine` of players".to_owned()))?,
    };
    let place = |index: usize| format!("{}, engine {}", path.display(), index + 1);
    let engines =
        list.iter().enumerate().map(|(i, v)| Settings::from_json(&place(i), v)).collect::<Result<_, _>>()?;
    let each = value
        .get("each")
        .map(|each| Settings::from_json(&format!("{}, each", path.display()), each))
        .transpose()?;
    Ok((engines, each))
}

/// Builds the players from their settings and those that hold for all, of which the later ones replace the earlier.
///
/// # Errors
/// The first thing that is wrong with them.
pub fn players(lines: &[Settings], each: &[Settings]) -> Result<Vec<Player>, SpecError> {
    let mut field: Vec<Player> = Vec::with_capacity(lines.len());
    for line in lines {
        let line = &line.clone().configured()?;
        let mut player = player(line, each)?;
        let named = line.pairs.iter().any(|(key, _)| key == "name");
        if field.iter().any(|other| other.name == player.name) {
            if named {
                return Err(SpecError::SameName(player.name));
            }
            let base = player.name.clone();
            player.name = (2..)
                .map(|n| format!("{base}-{n}"))
                .find(|name| field.iter().all(|other| other.name != *name))
                .unwrap_or(base);
        }
        field.push(player);
    }
    if field.len() < 2 {
        return Err(SpecError::TooFew(field.len()));
    }
    Ok(field)
}

fn player(line: &Settings, each: &[Settings]) -> Result<Player, SpecError> {
    let mut player = Player {
        name: String::new(),
        engine: EngineConfig::new(""),
        limits: Limits::default(),
        margin: Duration::ZERO,
        restart: false,
        white_pov: false,
        trust: false,
        book: None,
        book_depth: None,
    };
    // Timeouts that are given in seconds replace these.
    let scaled = each.iter().chain([line]).rfind(|settings| settings.timeout_scale.is_some());
    if let Some(scale) = scaled.map(Settings::timeout_scale).transpose()?.flatten() {
        let engine = &mut player.engine;
        engine.start_timeout = engine.start_timeout.mul_f64(scale);
        engine.ready_timeout = engine.ready_timeout.mul_f64(scale);
        engine.quit_timeout = engine.quit_timeout.mul_f64(scale);
    }
    let mut limited = false;
    for settings in each.iter().chain([line]) {
        // Limits given nearer to the player replace those that hold for all.
        if settings.pairs.iter().any(|(key, _)| LIMITS.contains(&key.as_str())) {
            limited = true;
            player.limits = Limits::default();
        }
        for (key, value) in &settings.pairs {
            apply(&mut player, &settings.place, key, value)?;
        }
    }
    if player.engine.command.is_empty() {
        return Err(SpecError::NoCommand { place: line.place.clone() });
    }
    let found = find_program(&mut player.engine);
    if player.name.is_empty() {
        player.name = default_name(&player.engine.command);
    }
    if let Err(error) = found {
        return Err(SpecError::Program { place: line.place.clone(), name: player.name, error });
    }
    if player.limits == Limits::default() {
        if limited {
            return Err(SpecError::NoLimit { place: line.place.clone() });
        }
        player.limits.clock = "10+0.1".parse().ok();
    }
    Ok(player)
}

const LIMITS: [&str; 4] = ["tc", "st", "depth", "nodes"];

fn apply(player: &mut Player, place: &str, key: &str, value: &str) -> Result<(), SpecError> {
    let bad = |why: String| SpecError::BadValue {
        place: place.to_owned(),
        key: key.to_owned(),
        value: value.to_owned(),
        why,
    };
    let number = |what: &str| value.parse::<u32>().map_err(|_| bad(format!("is not a {what}")));
    let positive = |what: &str| {
        value
            .parse::<u32>()
            .ok()
            .filter(|&n| n > 0)
            .ok_or_else(|| bad(format!("is not a {what} of 1 or more")))
    };
    let engine = &mut player.engine;
    match key {
        "name" => player.name = value.to_owned(),
        "cmd" => engine.command = value.to_owned(),
        "arg" => engine.args.push(value.to_owned()),
        "args" => engine.args.extend(split_words(value).map_err(bad)?),
        "dir" if value.is_empty() => engine.dir = None,
        "dir" => {
            if !Path::new(value).is_dir() {
                return Err(bad("is not a directory".to_owned()));
            }
            engine.dir = Some(PathBuf::from(value));
        }
        "proto" | "protocol" => {
            engine.protocol = match value {
                "auto" => None,
                _ => Some(value.parse().map_err(bad)?),
            }
        }
        "tc" if value == "inf" => player.limits.clock = None,
        "tc" => player.limits.clock = Some(value.parse::<TimeControl>().map_err(bad)?),
        "st" => player.limits.move_time = Some(seconds(value).map_err(bad)?),
        "depth" => player.limits.depth = Some(positive("depth in plies")?),
        "nodes" => {
            let nodes = value.parse().ok().filter(|&nodes| nodes > 0);
            player.limits.nodes =
                Some(nodes.ok_or_else(|| bad("is not a number of nodes of 1 or more".to_owned()))?);
        }
        "timemargin" => player.margin = Duration::from_millis(number("number of milliseconds")?.into()),
        "ponder" => engine.ponder = value.is_empty() || truth(value).map_err(bad)?,
        // An option that says the same is sent behind it and would hold: one that was given before, as for all players,
        // is replaced.
        "threads" => {
            engine.threads = Some(positive("number of threads")?);
            engine.options.retain(|(known, _)| !sets_threads(known));
        }
        "hash" => {
            engine.hash_mb = Some(number("number of MiB")?);
            engine.options.retain(|(known, _)| !known.eq_ignore_ascii_case("Hash"));
        }
        "restart" => {
            player.restart = match value {
                "auto" => false,
                _ => truth(value).map_err(bad)?,
            }
        }
        // A player's own has been replaced by what it stands for.
        "conf" => return Err(bad("belongs to one player, and not to all of them".to_owned())),
        "lenient" => engine.lenient = truth(value).map_err(bad)?,
        "whitepov" => player.white_pov = value.is_empty() || truth(value).map_err(bad)?,
        "trust" => player.trust = value.is_empty() || truth(value).map_err(bad)?,
        "book" => player.book = Some(PathBuf::from(value)).filter(|path| !path.as_os_str().is_empty()),
        "bookdepth" => player.book_depth = Some(number("number of moves")?),
        "stderr" => engine.stderr = Some(PathBuf::from(value)).filter(|path| !path.as_os_str().is_empty()),
        "initstr" => engine.init_lines.extend(value.split("\\n").map(str::to_owned)),
        "starttimeout" => engine.start_timeout = seconds(value).map_err(bad)?,
        "readytimeout" => engine.ready_timeout = seconds(value).map_err(bad)?,
        "quittimeout" => engine.quit_timeout = seconds(value).map_err(bad)?,
        _ => match key.strip_prefix("option.") {
            Some(name) if !name.is_empty() => {
                engine.options.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
                engine.options.push((name.to_owned(), value.to_owned()));
            }
            _ => return Err(SpecError::UnknownKey { place: place.to_owned(), key: key.to_owned() }),
        },
    }
    Ok(())
}

fn seconds(value: &str) -> Result<Duration, String> {
    value
        .parse::<f64>()
        .ok()
        .filter(|s| *s > 0.0 && *s < 1e8)
        .map(Duration::from_secs_f64)
        .ok_or_else(|| "is not a number of seconds".to_owned())
}

/// A program that is not there is found out now and not by a lost game. A command with blanks is a file of that name if
/// there is one, otherwise a program with arguments.
fn find_program(engine: &mut EngineConfig) -> Result<(), ProgramError> {
    let Err(error) = locate(engine) else { return Ok(()) };
    if let Ok((program, args)) = split_command(&engine.command)
        && program != engine.command
    {
        let split = EngineConfig {
            command: program,
            args: args.into_iter().chain(engine.args.iter().cloned()).collect(),
            ..engine.clone()
        };
        if locate(&split).is_ok() {
            *engine = split;
            return Ok(());
        }
    }
    Err(error)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn line(text: &str) -> Settings {
        let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        Settings::from_words("engine 1", &words).unwrap()
    }

    #[test]
    fn a_line_as_cutechess_users_write_it() {
        let each = line("tc=40/60+0.6 timemargin=30 option.Hash=64");
        let lines =
            [line("cmd=/bin/sh name=A proto=uci option.hash=16 option.Move=a=b"), line("/bin/sh st=0.5")];
        let later = line("timemargin=50");
        let field = players(&lines, &[each, later]).unwrap();
        assert_eq!(field[0].name, "A");
        assert_eq!(field[0].engine.options, [("hash".into(), "16".into()), ("Move".into(), "a=b".into())]);
        assert_eq!(field[0].limits.clock.unwrap().moves, Some(40));
        assert_eq!(field[0].margin, Duration::from_millis(50));
        assert_eq!(field[1].limits.clock, None, "its own st replaces the common tc");
        assert_eq!(field[1].limits.move_time, Some(Duration::from_millis(500)));
    }

    #[test]
    fn same_names_are_told_apart_or_refused() {
        let field = players(&[line("/bin/sh"), line("/bin/sh"), line("/bin/sh")], &[]).unwrap();
        assert_eq!(field.iter().map(|p| p.name.as_str()).collect::<Vec<_>>(), ["sh", "sh-2", "sh-3"]);
        let folder = tempfile::tempdir().unwrap();
        let lines = ["py-1.2", "py-1.3"].map(|name| {
            let path = folder.path().join(name);
            std::fs::copy("/bin/sh", &path).unwrap();
            line(&path.display().to_string())
        });
        let field = players(&lines, &[]).unwrap();
        assert_eq!(field.iter().map(|p| p.name.as_str()).collect::<Vec<_>>(), ["py-1.2", "py-1.3"]);
        let twice = [line("/bin/sh name=A"), line("/bin/sh name=A")];
        assert_eq!(players(&twice, &[]), Err(SpecError::SameName("A".into())));
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (text, says) in [
            ("cmd=/bin/sh frob=1", "engine 1: unknown key `frob`"),
            ("cmd=/bin/sh tc=x", "tc=x"),
            ("name=A", "no cmd="),
            ("cmd=/no/such/engine", "no program `/no/such/engine`"),
            ("cmd=no-such-engine", "in PATH"),
            ("cmd=/no/such/engine name=Mine", "engine 1 (`Mine`)"),
            ("cmd=/no/such/engine", "there is no folder /no"),
            ("cmd=/usr", "is not a file"),
            ("cmd=/etc/passwd", "no x bit"),
            ("cmd=/bin/sh dir=/no/such", "is not a directory"),
            ("cmd=/bin/sh proto=wb2", "unknown protocol"),
            ("cmd=/bin/sh tc=inf", "no limit"),
            ("cmd=/bin/sh depth=0", "depth=0: is not a depth in plies of 1 or more"),
            ("cmd=/bin/sh nodes=0", "nodes=0: is not a number of nodes of 1 or more"),
            ("cmd=/bin/sh threads=0", "threads=0: is not a number of threads of 1 or more"),
            ("cmd=/bin/sh nodes=-1", "nodes=-1"),
        ] {
            let message = players(&[line(text), line("/bin/sh")], &[]).unwrap_err().to_string();
            assert!(message.contains(says), "{text}: {message}");
        }
        let words = ["cmd=a".to_owned(), "b".to_owned()];
        assert!(
            Settings::from_words("engine 3", &words).unwrap_err().to_string().starts_with("engine 3: `b`")
        );
    }

    /// A forgotten `--engine` does not make one player of two.
    #[test]
    fn a_key_given_twice_is_no_player() {
        let of = |text: &str| {
            Settings::from_words("engine 1", &text.split(' ').map(str::to_owned).collect::<Vec<_>>())
        };
        for (text, key) in [
            ("name=new cmd=./new name=old cmd=./old", "name"),
            ("./new cmd=./old", "cmd"),
            ("/bin/sh tc=1+0 hash=1 tc=2+0", "tc"),
            ("/bin/sh proto=uci protocol=xboard", "protocol"),
            ("/bin/sh option.Hash=1 option.hash=2", "option.hash"),
        ] {
            let refused = of(text).expect_err("it is given twice");
            assert_eq!(refused, SpecError::Twice { place: "engine 1".into(), key: key.into() }, "{text}");
            let one = Settings::from_words("engine 1", &[text.to_owned()]).expect_err("it is given twice");
            assert_eq!(one, refused, "in one word");
        }
        let added =
            of("/bin/sh arg=a args=b arg=a args=c initstr=d initstr=e option.A=1 option.B=1").unwrap();
        let engine = players(&[added, line("/bin/cat")], &[]).unwrap().remove(0).engine;
        assert_eq!((engine.args.join(" "), engine.init_lines.join(" ")), ("a b a c".into(), "d e".into()));
        assert_eq!(engine.options.len(), 2);
        // What holds for all is still replaced by a player's own.
        let each = [line("name=X hash=1"), line("hash=2")];
        let field = players(&[line("/bin/sh name=A hash=3"), line("/bin/cat name=B")], &each).unwrap();
        assert_eq!([field[0].engine.hash_mb, field[1].engine.hash_mb], [Some(3), Some(2)]);
    }

    /// Of `threads=` and an option for the same the later one holds: a player's own before what is said for all, and in
    /// a table of a file, which has no order, the option. So it is with `hash=`.
    #[test]
    fn the_later_of_two_ways_to_set_a_number_holds() {
        let engine = |own: Settings, each: &str| {
            let each: Vec<Settings> = (!each.is_empty()).then(|| line(each)).into_iter().collect();
            players(&[own, line("/bin/cat")], &each).unwrap().remove(0).engine
        };
        for (each, own, threads) in [
            ("threads=1", "/bin/sh option.Threads=4", 4),
            ("option.Threads=4", "/bin/sh threads=1", 1),
            ("option.cores=4", "/bin/sh threads=2", 2),
            ("threads=3", "/bin/sh", 3),
            ("", "/bin/sh threads=1 option.Threads=4", 4),
            ("", "/bin/sh option.Threads=4 threads=1", 1),
        ] {
            assert_eq!(engine(line(own), each).thread_count(), threads, "--each {each} --engine {own}");
        }
        for (each, own) in [("option.Hash=64", "/bin/sh hash=8"), ("hash=64", "/bin/sh option.hash=8")] {
            let engine = engine(line(own), each);
            // It is sent last.
            let option = engine.options.first().map(|(_, mib)| mib.clone());
            let mib = option.or(engine.hash_mb.map(|mib| mib.to_string()));
            assert_eq!(mib.as_deref(), Some("8"), "--each {each} --engine {own}");
        }
        let table = |text: &str| Settings::from_json("engine 1", &text.parse::<Value>().unwrap()).unwrap();
        for text in [
            r#"{"cmd": "/bin/sh", "threads": 1, "options": {"Threads": 4}}"#,
            r#"{"cmd": "/bin/sh", "option.Threads": 4, "threads": 1}"#,
        ] {
            assert_eq!(engine(table(text), "").thread_count(), 4, "{text}");
        }
    }

    /// Two players of one configuration would be the same player.
    #[test]
    fn a_configuration_belongs_to_one_player() {
        let each = Settings::from_words("--each", &["conf=A".to_owned(), "tc=1".to_owned()]).unwrap();
        let error = players(&[line("/bin/sh"), line("/bin/cat")], &[each]).unwrap_err().to_string();
        assert_eq!(error, "--each: conf=A: belongs to one player, and not to all of them");
    }

    /// The same in files: TOML itself knows no key twice, JSON does.
    #[test]
    fn a_key_given_twice_in_a_file_is_named() {
        let dir = tempfile::tempdir().unwrap();
        for (name, text, says) in [
            ("a.json", r#"[{"name": "A", "cmd": "x", "name": "B"}]"#, "`name` is given twice at line 1"),
            ("b.json", r#"{"each": {"tc": "1"}, "engine": [], "each": {}}"#, "`each` is given twice"),
            ("c.json", r#"[{"cmd": "x", "command": "y"}]"#, "engine 1: cmd= is given twice"),
            ("d.json", r#"[{"cmd": "x", "options": {"Hash": 1, "hash": 2}}]"#, "option.hash= is given twice"),
            ("e.toml", "[[engine]]\nname = \"A\"\nname = \"B\"\n", "duplicate key"),
            ("f.toml", "[[engine]]\nproto = \"uci\"\nprotocol = \"uci\"\n", "protocol= is given twice"),
        ] {
            let path = dir.path().join(name);
            std::fs::write(&path, text).unwrap();
            let error = from_file(&path).unwrap_err().to_string();
            assert!(error.contains(name) && error.contains(says), "{text}: {error}");
        }
        // As cutechess writes it when an engine has told an option twice: the last holds.
        let path = dir.path().join("engines.json");
        let list = r#"[{"command": "x", "options": [{"name": "Hash", "value": 1.5}, {"name": "hash", "value": -2}]}]"#;
        std::fs::write(&path, list).unwrap();
        let (engines, _) = from_file(&path).unwrap();
        assert_eq!((engines[0].get("option.hash"), engines[0].get("option.Hash")), (Some("-2"), None));
    }

    #[test]
    fn files_say_the_same() {
        let dir = tempfile::tempdir().unwrap();
        let toml = dir.path().join("field.toml");
        std::fs::write(
            &toml,
            "[each]\ntc = \"8+0.08\"\n[[engine]]\nname = \"A\"\ncmd = \"/bin/sh\"\nargs = [\"-c\", \"two words\"]\n\
             [engine.options]\nHash = 16\n[[engine]]\ncmd = \"/bin/sh\"\n",
        )
        .unwrap();
        let json = dir.path().join("field.json");
        std::fs::write(
            &json,
            r#"{"each": {"tc": "8+0.08"}, "engines": [
                {"name": "A", "cmd": "/bin/sh", "args": ["-c", "two words"], "options": {"Hash": 16}},
                {"cmd": "/bin/sh"}]}"#,
        )
        .unwrap();
        let read = |path: &Path| {
            let (lines, each) = from_file(path).unwrap();
            players(&lines, each.as_slice()).unwrap()
        };
        assert_eq!(read(&toml), read(&json));
        assert_eq!(read(&toml)[0].engine.args, ["-c", "two words"]);
        std::fs::write(&toml, "[[engine]]\ncmd = \n").unwrap();
        assert!(from_file(&toml).unwrap_err().to_string().contains("line 2"));
        std::fs::write(&toml, "[Each]\ntc = \"8+0.08\"\n[[engine]]\ncmd = \"/bin/sh\"\n").unwrap();
        assert!(from_file(&toml).unwrap_err().to_string().contains("unknown table `Each`"));
        std::fs::write(&toml, "[[engine]]\ncmd = \"/bin/sh\"\n[[engines]]\ncmd = \"/bin/sh\"\n").unwrap();
        let error = from_file(&toml).unwrap_err().to_string();
        assert!(error.contains("field.toml") && error.contains("both `engine` and `engines`"), "{error}");
    }

    /// What may be given several times on a line is a list there, too.
    #[test]
    fn keys_that_may_be_repeated_take_lists() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("field.toml");
        let text = "[[engine]]\ncmd = \"/bin/sh\"\narg = [\"uci\", \"two words\", 3]\ninitstr = [\"a\", \"b c\"]\n\
                    [[engine]]\ncmd = \"/bin/cat\"\narg = \"one\"\ninitstr = \"a\"\n";
        std::fs::write(&path, text).unwrap();
        let (lines, _) = from_file(&path).unwrap();
        let field = players(&lines, &[]).unwrap();
        assert_eq!(field[0].engine.args, ["uci", "two words", "3"]);
        assert_eq!(field[0].engine.init_lines, ["a", "b c"]);
        assert_eq!((field[1].engine.args.join(" "), field[1].engine.init_lines.len()), ("one".to_owned(), 1));
        std::fs::write(&path, "[[engine]]\ncmd = [\"x\", \"y\"]\n").unwrap();
        assert!(from_file(&path).unwrap_err().to_string().contains("is not a plain value"));
    }

    /// A list as cutechess writes it.
    #[test]
    fn cutechess_lists_are_read() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("engines.json");
        let list = r#"[{"command": "/bin/sh", "initStrings": ["a", "b c"], "name": "Shell", "options": [
            {"alias": "", "default": 16, "max": 64, "min": 1, "name": "Hash", "type": "spin", "value": 32},
            {"name": "Clear", "type": "button", "value": ""},
            {"choices": ["x"], "default": "x", "name": "Kind", "type": "combo", "value": "x"}],
            "protocol": "uci", "restart": "on", "stderrFile": "e.log", "timeoutScale": 1, "validateClaims": false,
            "variants": ["standard"], "whitepov": true, "workingDirectory": ""},
            {"command": "/bin/cat", "name": "Cat", "protocol": "xboard"}]"#;
        std::fs::write(&path, list).unwrap();
        let (lines, each) = from_file(&path).unwrap();
        let field = players(&lines, each.as_slice()).unwrap();
        let shell = &field[0];
        assert_eq!((shell.name.as_str(), shell.engine.command.as_str()), ("Shell", "/bin/sh"));
        assert_eq!(shell.engine.options, [("Hash".into(), "32".into()), ("Kind".into(), "x".into())]);
        assert_eq!(shell.engine.init_lines, ["a", "b c"]);
        assert_eq!(shell.engine.stderr.as_deref(), Some(Path::new("e.log")));
        assert!(shell.trust && shell.white_pov && shell.restart);
        assert_eq!(field[1].engine.protocol, Some(client::Protocol::Xboard));
    }

    /// What cutechess keeps of an engine besides: a factor of its timeouts, and that it is to tell more.
    #[test]
    fn cutechess_lists_scale_timeouts_and_turn_debugging_on() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("engines.json");
        let list = r#"[{"command": "/bin/sh", "debug": true, "timeoutScale": 1.5},
            {"command": "/bin/cat", "debug": false, "timeoutScale": 2, "readytimeout": 3,
            "quittimeout": 0.5}]"#;
        std::fs::write(&path, list).unwrap();
        let (lines, _) = from_file(&path).unwrap();
        let scales = [&lines[0], &lines[1]].map(|line| line.timeout_scale().unwrap());
        assert_eq!(scales, [Some(1.5), Some(2.0)]);
        let field = players(&lines, &[]).unwrap();
        let engines = [&field[0].engine, &field[1].engine];
        assert_eq!(engines[0].init_lines, ["debug on"]);
        assert!(engines[1].init_lines.is_empty());
        // The usual ten seconds, and five to leave, are scaled, and what is given in seconds is not.
        let times = engines.map(|engine| [engine.start_timeout, engine.ready_timeout, engine.quit_timeout]);
        let expected = [[15_000, 15_000, 7_500], [20_000, 3_000, 500]];
        assert_eq!(times, expected.map(|three| three.map(Duration::from_millis)));
        for scale in ["0", "121", "\"much\"", "\"2\"", "null", "[2]"] {
            let others = r#"{"command": "/bin/sh"}, {"command": "/bin/cat"}"#;
            let list = format!(r#"[{{"command": "x", "timeoutScale": {scale}}}, {others}]"#);
            std::fs::write(&path, list).unwrap();
            let (lines, _) = from_file(&path).unwrap();
            assert!(players(&lines[1..], &[]).is_ok(), "an engine that does not play: {scale}");
            let error = players(&lines, &[]).unwrap_err().to_string();
            let wanted = format!("engine 1: timeoutScale={scale}: is not a number from 0.2 to 120");
            assert!(error.ends_with(&wanted), "{error}");
        }
    }

    #[test]
    fn a_line_in_one_word_is_read_as_it_looks() {
        let one = |text: &str| Settings::from_words("engine 1", &[text.to_owned()]).unwrap().pairs;
        let pairs = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
            pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
        };
        assert_eq!(
            one("cmd=/my path/e name=The First tc=1+0.1"),
            pairs(&[("cmd", "/my path/e"), ("name", "The First"), ("tc", "1+0.1")])
        );
        assert_eq!(one("./my engine depth=1"), pairs(&[("cmd", "./my engine"), ("depth", "1")]));
        assert_eq!(
            one("'cmd=/my path/e' option.Move Overhead=10 option.Style='a b'"),
            pairs(&[("cmd", "/my path/e"), ("option.Move Overhead", "10"), ("option.Style", "a b")])
        );
        assert_eq!(
            one("cmd=e args=-c 'two words' initstr=a\\nb"),
            pairs(&[("cmd", "e"), ("args", "-c 'two words'"), ("initstr", "a\\nb")])
        );
        let error = Settings::from_words("engine 2", &["cmd=e name='O".to_owned()]).unwrap_err().to_string();
        assert!(error.contains("engine 2") && error.contains("quote"), "{error}");
        let unknown = players(&[line("/bin/sh"), Settings { pairs: one("/bin/sh frob=1"), ..line("") }], &[]);
        let unknown = unknown.unwrap_err();
        assert!(matches!(unknown, SpecError::UnknownKey { .. }), "{unknown:?}");
        assert!(unknown.to_string().contains("quittimeout, lenient and option.NAME"), "{unknown}");
    }

    #[test]
    fn a_command_with_blanks_is_a_file_or_a_program_with_arguments() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("my engine");
        std::fs::copy("/bin/sh", &file).unwrap();
        let file = file.display().to_string();
        let engine = |command: &str| {
            let words = [format!("cmd={command}"), "args='a b' c".to_owned()];
            players(&[Settings::from_words("engine 1", &words).unwrap(), line("/bin/sh")], &[])
                .map(|mut field| field.remove(0).engine)
        };
        let whole = engine(&file).unwrap();
        assert_eq!((whole.command, whole.args), (file.clone(), vec!["a b".to_owned(), "c".to_owned()]));
        let split = engine(&format!("'{file}' -u 'x y'")).unwrap();
        assert_eq!(
            (split.command.as_str(), split.args.join("|")),
            (file.as_str(), "-u|x y|a b|c".to_owned())
        );
        let error = engine("/no such/engine -u").unwrap_err().to_string();
        assert!(error.contains("`/no such/engine -u`"), "{error}");
        // Alone it is read as it is, quotation marks and all.
        let quoted = dir.path().join("it's x=1");
        std::fs::copy("/bin/sh", &quoted).unwrap();
        let quoted = quoted.display().to_string();
        for word in [format!("cmd={quoted}"), quoted.clone()] {
            let alone = Settings::from_words("engine 1", &[word]).unwrap();
            let field = players(&[alone, line("/bin/cat")], &[]).unwrap();
            assert_eq!((&field[0].engine.command, field[0].engine.args.len()), (&quoted, 0));
        }
    }

    /// Pieces of which engine lines, good and bad, are made.
    fn piece() -> impl Strategy<Value = String> {
        let known = [
            "name=",
            "cmd=",
            "arg=",
            "args=",
            "dir=",
            "proto=",
            "tc=",
            "st=",
            "depth=",
            "nodes=",
            "timemargin=",
            "ponder=",
            "threads=",
            "hash=",
            "restart=",
            "initstr=",
            "starttimeout=",
            "readytimeout=",
            "quittimeout=",
            "option.",
            "option.X=",
            "/bin/sh",
            "sh",
            "40/60+0.6",
            "1:30",
            "-1",
            "1e400",
            "nan",
            "inf",
            "on",
            "uci",
            "99999999999",
            " ",
            "  ",
            "=",
            "'",
            "\"",
            "\\",
            "\t",
            "\n",
            "#",
            "\u{feff}",
            "ä",
            "/",
            ".",
            "0.5",
        ];
        prop_oneof![8 => prop::sample::select(known.to_vec()).prop_map(str::to_owned), 1 => ".{0,4}"]
    }

    proptest! {
        /// Whatever is typed, there are players or a message.
        #[test]
        fn no_engine_line_is_a_panic(pieces in prop::collection::vec(piece(), 0..14), words in any::<bool>()) {
            let text = pieces.concat();
            let words = if words { text.split(' ').map(str::to_owned).collect() } else { vec![text] };
            if let Ok(settings) = Settings::from_words("engine 1", &words) {
                let field = players(&[settings.clone(), line("/bin/sh nodes=1")], &[settings]);
                prop_assert!(field.is_ok() || !field.unwrap_err().to_string().is_empty());
            }
        }

        /// Quoted for a shell and given as one word, a line says what it says in many.
        #[test]
        fn quotes_protect_every_value(values in prop::collection::vec(("[a-z]{1,6}", "[^=]{0,8}"), 2..6)) {
            let words: Vec<String> = values.iter().map(|(key, value)| format!("{key}={value}")).collect();
            let one = shell_words::join(&words);
            prop_assert_eq!(
                Settings::from_words("engine 1", &[one]),
                Settings::from_words("engine 1", &words)
            );
        }
    }
}
