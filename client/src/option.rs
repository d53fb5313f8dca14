//! Options as engines declare them, in either protocol, and the values they take.

use std::fmt;

/// Why an option of the configuration cannot be set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OptionError {
    /// The engine has none of this name.
    Unknown {
        /// The name, as the configuration has it.
        name: String,
        /// Those that it has.
        known: Vec<String>,
    },
    /// The engine does not take the value.
    Value {
        /// The option's name, as the engine spells it.
        name: String,
        /// What is wrong with the value.
        why: String,
    },
    /// The number of threads or the hash size cannot be set, for this reason.
    Resources(&'static str),
}

impl fmt::Display for OptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OptionError::Unknown { name, known } => {
                write!(f, "it has no option `{name}`; it has: {}", known.join(", "))
            }
            OptionError::Value { name, why } => write!(f, "option `{name}`: {why}"),
            OptionError::Resources(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for OptionError {}

/// One option as the engine declared it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Declared {
    /// Its name, as the engine spells it.
    pub name: String,
    /// Its default; empty where none was declared.
    pub default: String,
    kind: Kind,
}

/// What an option takes.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Kind {
    /// A whole number between two bounds, as far as they were declared.
    Spin(Option<i64>, Option<i64>),
    /// Yes or no.
    Check,
    /// One of several words.
    Combo(Vec<String>),
    /// Nothing: setting it does something.
    Button,
    /// Any text.
    Text,
    /// It was not said what: a text, or nothing where none is given.
    Unknown,
}

/// A value that an option takes, in neither protocol's spelling.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value {
    /// Of a check.
    Switch(bool),
    /// Of everything else that has a value.
    Text(String),
    /// A button's.
    None,
    /// A button's that is not to be pressed: the option is left out.
    Unpressed,
}

impl Declared {
    /// Reads UCI's `option name N type T [default D] [min A] [max B] [var V]...`; `None` for any other line.
    pub fn read_uci(line: &str) -> Option<Self> {
        let rest = line.trim().strip_prefix("option")?.trim_start().strip_prefix("name ")?;
        let (name, rest) = rest.split_once(" type ").unwrap_or((rest, ""));
        let words: Vec<&str> = rest.split_ascii_whitespace().collect();
        let number = |key: &str| {
            let at = words.iter().position(|&w| w == key)?;
            words.get(at + 1)?.parse().ok()
        };
        // A default goes on to the next keyword, and a string's default to the end of the line.
        let default = rest.split_once(" default ").map_or("", |(_, default)| default);
        let default = [" min ", " max ", " var "]
            .iter()
            .fold(default, |text, word| text.split_once(word).map_or(text, |(before, _)| before));
        // The default may come behind the choices: no order is laid down.
        let choice =
            |text: &str| text.split_once(" default ").map_or(text, |(choice, _)| choice).trim().to_owned();
        let kind = match words.first().copied() {
            Some("spin") => Kind::Spin(number("min"), number("max")),
            Some("check") => Kind::Check,
            Some("combo") => Kind::Combo(rest.split(" var ").skip(1).map(choice).collect()),
            Some("button") => Kind::Button,
            _ => Kind::Text,
        };
        Some(Self { name: name.trim().to_owned(), default: default.trim().to_owned(), kind })
    }

    /// Reads what xboard's `feature option="NAME -TYPE VALUES"` has between the quotes (engine-intf.html,
    /// section 12).
    pub fn read_xboard(text: &str) -> Self {
        const TYPES: [&str; 10] =
            ["spin", "slider", "check", "combo", "button", "save", "reset", "string", "file", "path"];
        let typed = text.match_indices(" -").find_map(|(at, dash)| {
            let rest = &text[at + dash.len()..];
            let (kind, values) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
            TYPES.contains(&kind).then(|| (&text[..at], kind, values.trim()))
        });
        let Some((name, kind, values)) = typed else {
            let name = text.split(" -").next().unwrap_or_default().trim().to_owned();
            return Self { name, default: String::new(), kind: Kind::Unknown };
        };
        let (kind, default) = match kind {
            "spin" | "slider" => {
                let mut numbers = values.split_ascii_whitespace();
                let default = numbers.next().unwrap_or_default();
                let mut bound = || numbers.next().and_then(|word| word.parse().ok());
                (Kind::Spin(bound(), bound()), default)
            }
            "check" => (Kind::Check, values),
            "combo" => {
                let starred = |choice: &&str| choice.starts_with('*');
                let choices = || values.split("///").map(str::trim).filter(|choice| !choice.is_empty());
                let plain = |choice: &str| choice.strip_prefix('*').unwrap_or(choice).trim().to_owned();
                let default = choices().find(starred).map_or("", |choice| choice[1..].trim());
                (Kind::Combo(choices().map(plain).collect()), default)
            }
            "button" | "save" | "reset" => (Kind::Button, ""),
            _ => (Kind::Text, values),
        };
        Self { name: name.trim().to_owned(), default: default.to_owned(), kind }
    }

    /// Whether it has no value: setting it does something.
    pub fn is_button(&self) -> bool {
        self.kind == Kind::Button
    }

    /// The value as the engine takes it, or what is wrong with it.
    pub fn check(&self, value: &str) -> Result<Value, OptionError> {
        let wrong = |why: String| OptionError::Value { name: self.name.clone(), why };
        match &self.kind {
            Kind::Spin(min, max) => {
                let number = value.trim().parse::<i64>();
                let number = number.map_err(|_| wrong(format!("`{value}` is not a whole number")))?;
                let (min, max) = (min.unwrap_or(i64::MIN), max.unwrap_or(i64::MAX));
                if number < min || number > max {
                    return Err(wrong(format!("{number} is outside {min}..{max}")));
                }
                Ok(Value::Text(number.to_string()))
            }
            Kind::Check => truth(value)
                .map(Value::Switch)
                .ok_or_else(|| wrong(format!("`{value}` is neither true nor false"))),
            Kind::Combo(choices) if !choices.is_empty() => {
                let choice = choices.iter().find(|choice| choice.eq_ignore_ascii_case(value));
                choice
                    .map(|choice| Value::Text(choice.clone()))
                    .ok_or_else(|| wrong(format!("`{value}` is none of {}", choices.join(", "))))
            }
            Kind::Button if truth(value) == Some(false) => Ok(Value::Unpressed),
            Kind::Button => Ok(Value::None),
            Kind::Unknown if value.is_empty() => Ok(Value::None),
            Kind::Combo(_) | Kind::Text | Kind::Unknown => Ok(Value::Text(value.to_owned())),
        }
    }
}

/// A truth value, as a check has one: `true`, `on`, `yes` or `1`; `false`, `off`, `no` or `0`; in any case of letters.
pub fn truth(value: &str) -> Option<bool> {
    match value.to_ascii_lowercase().as_str() {
        "true" | "1" | "on" | "yes" => Some(true),
        "false" | "0" | "off" | "no" => Some(false),
        _ => None,
    }
}

/// The option of this name among `declared`, whatever its case, or an error with the names that there are.
pub(super) fn find<'a>(declared: &'a [Declared], name: &str) -> Result<&'a Declared, OptionError> {
    declared.iter().find(|option| option.name.eq_ignore_ascii_case(name)).ok_or_else(|| {
        let mut known: Vec<String> = declared.iter().map(|option| option.name.clone()).collect();
        known.sort_unstable();
        OptionError::Unknown { name: name.to_owned(), known }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The protocol lays down no order of what follows the type.
    #[test]
    fn ucis_fields_come_in_any_order() {
        let combo =
            Declared::read_uci("option name Style type combo var solid var normal var risky default normal")
                .unwrap();
        assert_eq!(combo.default, "normal");
        assert_eq!(combo.check("risky"), Ok(Value::Text("risky".into())));
        let usual = Declared::read_uci("option name Style type combo default normal var solid var two words")
            .unwrap();
        assert_eq!(usual.default, "normal");
        assert_eq!(usual.check("Two Words"), Ok(Value::Text("two words".into())));
        let spin = Declared::read_uci("option name Hash type spin min 1 max 64 default 16").unwrap();
        assert_eq!((spin.default.as_str(), spin.check("65").is_err()), ("16", true));
    }

    /// The declarations of engine-intf.html, section 12, and those of Debian's engines.
    #[test]
    fn xboards_types_are_known() {
        let value = |text: &str| Ok(Value::Text(text.to_owned()));
        let spin = Declared::read_xboard("Randomizer (0-50) -slider 0 0 50");
        assert_eq!((spin.name.as_str(), spin.default.as_str()), ("Randomizer (0-50)", "0"));
        assert_eq!((spin.check("50"), spin.check(" 7")), (value("50"), value("7")));
        let wrong = |option: &Declared, value: &str| option.check(value).unwrap_err().to_string();
        assert_eq!(wrong(&spin, "51"), "option `Randomizer (0-50)`: 51 is outside 0..50");
        assert!(wrong(&spin, "x").contains("not a whole number"));
        let check = Declared::read_xboard("Own Book -check 1");
        assert_eq!(
            (check.check("off"), check.check("TRUE")),
            (Ok(Value::Switch(false)), Ok(Value::Switch(true)))
        );
        assert!(check.check("2").is_err());
        let combo = Declared::read_xboard("Style -combo solid /// *Wild One /// off-beat");
        assert_eq!((combo.default.as_str(), combo.check("wild one")), ("Wild One", value("Wild One")));
        assert_eq!(combo.check("Off-Beat"), value("off-beat"));
        assert!(wrong(&combo, "wild").contains("none of solid, Wild One, off-beat"));
        for text in ["Clear -button", "Save -save", "Defaults -reset"] {
            assert_eq!(Declared::read_xboard(text).check("anything"), Ok(Value::None), "{text}");
            assert_eq!(Declared::read_xboard(text).check("false"), Ok(Value::Unpressed), "{text}");
        }
        for text in ["Learn -file /a -check b", "Tables -path /true", "Odd -thing 3", "Plain", "Word -string"]
        {
            assert_eq!(Declared::read_xboard(text).check("true"), value("true"), "{text}");
        }
        assert_eq!(Declared::read_xboard("Plain").check(""), Ok(Value::None));
        assert_eq!(Declared::read_xboard("Multi -PV -spin 1 1 256").name, "Multi -PV");
        assert!(Declared::read_xboard("Open -spin 3").check("-9223372036854775808").is_ok());
    }
}
