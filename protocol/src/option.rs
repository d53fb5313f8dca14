//! Options a user may set, as data: a name, a kind with its range, and values checked against it.
//!
//! UCI and xboard describe the same five kinds in different words (`spin`, `check`, `combo`, `string`,
//! `button`); the words live with each protocol, the kinds and the checking here.

use std::fmt;

/// What values an option takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionKind {
    /// On or off.
    Check {
        /// Value at the start.
        default: bool,
    },
    /// A number in a range.
    Spin {
        /// Value at the start.
        default: i64,
        /// Least value.
        min: i64,
        /// Greatest value.
        max: i64,
    },
    /// One of several words; none of them contains a blank.
    Combo {
        /// Value at the start, one of `values`.
        default: String,
        /// The choices.
        values: Vec<String>,
    },
    /// Any text.
    Text {
        /// Value at the start.
        default: String,
    },
    /// No value: something happens when it is set.
    Button,
}

/// An option: its name and what it takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionSpec {
    /// As users read it; compared without regard to case.
    pub name: String,
    /// The values it takes.
    pub kind: OptionKind,
}

/// A value that fits its option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// Of a [`OptionKind::Check`].
    Check(bool),
    /// Of a [`OptionKind::Spin`], within its range.
    Spin(i64),
    /// Of a [`OptionKind::Combo`] (spelt as listed) or a [`OptionKind::Text`].
    Text(String),
    /// Of a [`OptionKind::Button`].
    Pressed,
}

/// Why a value was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OptionError {
    /// The option wants a value and got none.
    #[error("option {0} wants a value")]
    Missing(String),
    /// The value does not fit.
    #[error("option {name}: {value:?} is not {wanted}")]
    Unfit {
        /// The option.
        name: String,
        /// What was sent.
        value: String,
        /// What fits.
        wanted: String,
    },
}

impl OptionSpec {
    /// An option of this name.
    pub fn new(name: &str, kind: OptionKind) -> Self {
        OptionSpec { name: name.into(), kind }
    }

    /// An on/off option.
    pub fn check(name: &str, default: bool) -> Self {
        Self::new(name, OptionKind::Check { default })
    }

    /// A number.
    pub fn spin(name: &str, default: i64, min: i64, max: i64) -> Self {
        Self::new(name, OptionKind::Spin { default, min, max })
    }

    /// A choice of words; the first is the default.
    pub fn combo(name: &str, values: &[&str]) -> Self {
        let values: Vec<String> = values.iter().map(|&value| value.into()).collect();
        let default = values.first().cloned().unwrap_or_default();
        Self::new(name, OptionKind::Combo { default, values })
    }

    /// Any text.
    pub fn text(name: &str, default: &str) -> Self {
        Self::new(name, OptionKind::Text { default: default.into() })
    }

    /// A button.
    pub fn button(name: &str) -> Self {
        Self::new(name, OptionKind::Button)
    }

    /// Reads a value as either protocol writes it: `true`/`false` or `1`/`0`, a whole number, a word, a text
    /// (`<empty>` stands for none).
    ///
    /// # Errors
    /// If the value is missing or does not fit; numbers out of range are refused, not clamped.
    pub fn parse(&self, value: Option<&str>) -> Result<Value, OptionError> {
        let value = match (&self.kind, value) {
            (OptionKind::Button, _) => return Ok(Value::Pressed),
            (OptionKind::Text { .. }, None | Some("<empty>")) => return Ok(Value::Text(String::new())),
            (_, None) => return Err(OptionError::Missing(self.name.clone())),
            (_, Some(value)) => value,
        };
        let unfit = |wanted: String| {
            let (name, value) = (self.name.clone(), value.to_string());
            Err(OptionError::Unfit { name, value, wanted })
        };
        match &self.kind {
            OptionKind::Check { .. } => match value.to_ascii_lowercase().as_str() {
                "true" | "1" | "on" => Ok(Value::Check(true)),
                "false" | "0" | "off" => Ok(Value::Check(false)),
                _ => unfit("true or false".into()),
            },
            OptionKind::Spin { min, max, .. } => match value.parse::<i64>() {
                Ok(number) if (*min..=*max).contains(&number) => Ok(Value::Spin(number)),
                _ => unfit(format!("a number from {min} to {max}")),
            },
            OptionKind::Combo { values, .. } => {
                match values.iter().find(|choice| choice.eq_ignore_ascii_case(value)) {
                    Some(choice) => Ok(Value::Text(choice.clone())),
                    None => unfit(format!("one of {}", values.join(", "))),
                }
            }
            OptionKind::Text { .. } | OptionKind::Button => Ok(Value::Text(value.to_string())),
        }
    }

    /// Is this the option meant by `name`? Case and blanks do not count, so that xboard's names without
    /// blanks find UCI's.
    pub fn is_named(&self, name: &str) -> bool {
        is_same(&self.name, name)
    }
}

/// Do both mean the same option? Case and blanks do not count.
pub(crate) fn is_same(one: &str, other: &str) -> bool {
    squeezed(one).eq(squeezed(other))
}

/// The letters that tell option names apart.
fn squeezed(name: &str) -> impl Iterator<Item = char> + '_ {
    name.chars().filter(|c| !c.is_whitespace()).flat_map(char::to_lowercase)
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Check(on) => write!(f, "{on}"),
            Value::Spin(number) => write!(f, "{number}"),
            Value::Text(text) => f.write_str(text),
            Value::Pressed => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_checked_against_their_kind() {
        let spin = OptionSpec::spin("Hash", 16, 1, 1024);
        assert_eq!(spin.parse(Some("64")), Ok(Value::Spin(64)));
        assert_eq!(
            spin.parse(Some("0")).unwrap_err().to_string(),
            "option Hash: \"0\" is not a number from 1 to 1024"
        );
        assert!(spin.parse(Some("many")).is_err());
        assert_eq!(spin.parse(None).unwrap_err().to_string(), "option Hash wants a value");
        let check = OptionSpec::check("Ponder", false);
        assert_eq!(check.parse(Some("TRUE")), Ok(Value::Check(true)));
        assert_eq!(check.parse(Some("1")), Ok(Value::Check(true)));
        assert!(check.parse(Some("2")).is_err());
        let combo = OptionSpec::combo("Scheme", &["lazy", "ybw"]);
        assert_eq!(combo.parse(Some("YBW")), Ok(Value::Text("ybw".into())));
        assert!(combo.parse(Some("")).is_err());
        let text = OptionSpec::text("SyzygyPath", "");
        assert_eq!(text.parse(Some("/a path/with blanks")), Ok(Value::Text("/a path/with blanks".into())));
        assert_eq!(text.parse(Some("<empty>")), Ok(Value::Text(String::new())));
        assert_eq!(OptionSpec::button("Clear Hash").parse(None), Ok(Value::Pressed));
    }

    #[test]
    fn names_are_found_in_any_case_and_without_blanks() {
        let spec = OptionSpec::spin("Move Overhead", 10, 0, 5000);
        assert!(spec.is_named("move overhead") && spec.is_named("MoveOverhead"));
        assert!(!spec.is_named("Move"));
    }
}
