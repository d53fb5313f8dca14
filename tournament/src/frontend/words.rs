//! Flags, their values, and what is wrong with them.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// What is wrong with a command line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FrontendError {
    /// A flag that there is not.
    #[error("unknown option {flag}{}", .meant.as_ref().map(|meant| format!(": did you mean {meant}?")).unwrap_or_default())]
    Unknown {
        /// The flag.
        flag: String,
        /// One that is written nearly so.
        meant: Option<String>,
    },
    /// A flag with the wrong number of words behind it.
    #[error("{flag}: {why}")]
    Flag {
        /// The flag.
        flag: String,
        /// What is wrong.
        why: String,
    },
    /// A value that does not fit.
    #[error("{flag} {key}={value}: {why}")]
    Value {
        /// The flag.
        flag: String,
        /// The key.
        key: String,
        /// Its value.
        value: String,
        /// What is wrong with it.
        why: String,
    },
    /// Something that only all flags together show.
    #[error("{0}")]
    Whole(String),
}

/// A flag with the words behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flag<'a> {
    /// The flag as written.
    pub name: &'a str,
    /// The words that belong to it.
    pub values: Vec<&'a str>,
}

/// One `key=value` of a flag.
#[derive(Debug, Clone, Copy)]
pub struct Pair<'a> {
    flag: &'a str,
    /// The key.
    pub key: &'a str,
    /// The value.
    pub value: &'a str,
}

/// Whether a word begins a flag: `-x`, but not a negative number, and not a single `-`.
fn is_flag(word: &str) -> bool {
    word.strip_prefix('-').is_some_and(|rest| !rest.is_empty() && rest.parse::<f64>().is_err())
}

/// Takes a command line apart into flags.
///
/// # Errors
/// A word that stands before the first flag.
pub fn flags(words: &[String]) -> Result<Vec<Flag<'_>>, FrontendError> {
    let mut flags: Vec<Flag<'_>> = Vec::new();
    for word in words {
        match flags.last_mut() {
            _ if is_flag(word) => flags.push(Flag { name: word, values: Vec::new() }),
            Some(flag) => flag.values.push(word),
            None => return Err(FrontendError::Unknown { flag: word.clone(), meant: None }),
        }
    }
    Ok(flags)
}

impl<'a> Flag<'a> {
    /// The error that it is none of these flags.
    pub fn unknown(&self, known: impl Iterator<Item = &'static str>) -> FrontendError {
        let meant = nearest(self.name, &known.collect::<Vec<_>>()).map(str::to_owned);
        FrontendError::Unknown { flag: self.name.to_owned(), meant }
    }

    /// The error that something is wrong with the flag.
    pub fn bad(&self, why: impl Into<String>) -> FrontendError {
        FrontendError::Flag { flag: self.name.to_owned(), why: why.into() }
    }

    /// Nothing may stand behind it.
    pub fn alone(&self) -> Result<(), FrontendError> {
        match self.values.first() {
            None => Ok(()),
            Some(value) => Err(self.bad(format!("takes no value, and `{value}` is given"))),
        }
    }

    /// The one word behind it.
    pub fn single(&self) -> Result<&'a str, FrontendError> {
        match self.values[..] {
            [value] => Ok(value),
            _ => Err(self.bad(format!("takes exactly one value; {} are given", self.values.len()))),
        }
    }

    /// The one number behind it.
    pub fn number<T: FromStr + PartialOrd + Display>(
        &self,
        bounds: RangeInclusive<T>,
    ) -> Result<T, FrontendError> {
        let value = self.single()?;
        number(value, &bounds).ok_or_else(|| self.bad(format!("`{value}` {}", wanted(&bounds))))
    }

    /// The `key=value` words behind it, at least one.
    pub fn pairs(&self) -> Result<Vec<Pair<'a>>, FrontendError> {
        if self.values.is_empty() {
            return Err(self.bad("needs at least one key=value"));
        }
        self.values.iter().map(|word| self.pair(word)).collect()
    }

    /// A word as cutechess-cli takes those of engines: the key before the first `=`, and the value behind it. Both may
    /// be empty.
    pub fn word(&self, word: &'a str) -> Pair<'a> {
        let (key, value) = word.split_once('=').unwrap_or((word, ""));
        Pair { flag: self.name, key, value }
    }

    /// A word as `key=value`. Only an engine's option may have an empty value.
    pub fn pair(&self, word: &'a str) -> Result<Pair<'a>, FrontendError> {
        match word.split_once('=') {
            Some((key, value)) if !key.is_empty() && (!value.is_empty() || key.starts_with("option.")) => {
                Ok(Pair { flag: self.name, key, value })
            }
            Some((key, _)) if !key.is_empty() => Err(self.bad(format!("{key}= has no value"))),
            _ => {
                let names_file = ["-pgnout", "-epdout", "-log", "-openings", "-config"].contains(&self.name);
                let hint = if names_file { format!(": write file={word}") } else { String::new() };
                Err(self.bad(format!("`{word}` is not of the form key=value{hint}")))
            }
        }
    }
}

fn number<T: FromStr + PartialOrd>(value: &str, bounds: &RangeInclusive<T>) -> Option<T> {
    value.parse().ok().filter(|number| bounds.contains(number))
}

fn wanted<T: Display>(bounds: &RangeInclusive<T>) -> String {
    format!("is not a number from {} to {}", bounds.start(), bounds.end())
}

impl Pair<'_> {
    /// The error that the value does not fit.
    pub fn bad(&self, why: impl Into<String>) -> FrontendError {
        FrontendError::Value {
            flag: self.flag.to_owned(),
            key: self.key.to_owned(),
            value: self.value.to_owned(),
            why: why.into(),
        }
    }

    /// The error that there is no such key.
    pub fn unknown(&self, known: &str) -> FrontendError {
        let flag = self.flag.to_owned();
        FrontendError::Flag { flag, why: format!("unknown key `{}`; known are {known}", self.key) }
    }

    /// A number within bounds.
    pub fn number<T: FromStr + PartialOrd + Display>(
        &self,
        bounds: RangeInclusive<T>,
    ) -> Result<T, FrontendError> {
        number(self.value, &bounds).ok_or_else(|| self.bad(wanted(&bounds)))
    }

    /// `true` or `false`.
    pub fn truth(&self) -> Result<bool, FrontendError> {
        self.value.parse().map_err(|_| self.bad("is neither true nor false"))
    }
}

/// The known flag that takes the fewest changes of letters, if it takes at most two.
fn nearest<'a>(flag: &str, known: &[&'a str]) -> Option<&'a str> {
    let near =
        known.iter().map(|known| (distance(flag, known), *known)).filter(|(distance, _)| *distance <= 2);
    near.min_by_key(|(distance, _)| *distance).map(|(_, known)| known)
}

/// Letters to put in, take out or change (V. I. Levenshtein, 1966).
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, to) in b.iter().enumerate() {
            let changed = diagonal + usize::from(from != *to);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

/// These names with numbers behind those that would be the same as others: `A`, `A_2`.
pub(super) fn unique(names: &[String]) -> Vec<String> {
    let mut list: Vec<String> = Vec::with_capacity(names.len());
    for (index, name) in names.iter().enumerate() {
        let earlier = names[..index].iter().filter(|other| *other == name).count();
        let numbered = (earlier + 1..).map(|number| format!("{name}_{number}"));
        let is_free = |wanted: &String| !names.contains(wanted) && !list.contains(wanted);
        let free = if earlier == 0 { None } else { numbered.into_iter().find(is_free) };
        list.push(free.unwrap_or_else(|| name.clone()));
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    /// A name with a number is not that of another player, whichever of them comes first.
    #[test]
    fn no_two_names_are_alike() {
        for (names, expected) in [
            ("A B C", "A B C"),
            ("A B A A", "A B A_2 A_3"),
            ("A A A_2", "A A_3 A_2"),
            ("A_2 A A A_2", "A_2 A A_3 A_2_2"),
        ] {
            assert_eq!(unique(&words(names)), words(expected));
        }
    }

    #[test]
    fn words_belong_to_the_flag_before_them() {
        let line = words("-sprt elo0=-5 elo1=0 -concurrency -2 -noswap");
        let flags = flags(&line).unwrap();
        let seen: Vec<(&str, usize)> = flags.iter().map(|flag| (flag.name, flag.values.len())).collect();
        assert_eq!(seen, [("-sprt", 2), ("-concurrency", 1), ("-noswap", 0)]);
        assert_eq!(flags[1].number(-9..=9), Ok(-2));
        assert!(super::flags(&words("x -y")).is_err());
    }

    #[test]
    fn what_is_wrong_is_named() {
        let line = words("-openings file= start=x -rounds 1 2");
        let flags = flags(&line).unwrap();
        let message = |error: FrontendError| error.to_string();
        assert_eq!(message(flags[0].pairs().unwrap_err()), "-openings: file= has no value");
        assert_eq!(flags[0].pair("option.SyzygyPath=").unwrap().value, "");
        let start = flags[0].pair("start=x").unwrap();
        assert_eq!(
            message(start.number(1..=9).unwrap_err()),
            "-openings start=x: is not a number from 1 to 9"
        );
        assert_eq!(message(flags[1].single().unwrap_err()), "-rounds: takes exactly one value; 2 are given");
    }

    #[test]
    fn a_slip_of_the_finger_is_seen() {
        let known = ["-concurrency", "-rounds", "-repeat"];
        assert_eq!(nearest("-concurency", &known), Some("-concurrency"));
        assert_eq!(nearest("-roudns", &known), Some("-rounds"));
        assert_eq!(nearest("-bogus", &known), None);
    }
}
