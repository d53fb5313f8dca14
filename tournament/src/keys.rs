//! Lists of `key=value` words, as runners have them after `--draw` or `--sprt`.
//!
//! One reader for all of them: a truth value, a number and an unknown key mean the same in every list, a key given twice
//! is an error, and nothing that is not understood is passed over.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// What is wrong with a list; the message begins with the flag it stands after.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// A word without `=`.
    #[error("{list}: `{word}` is not of the form key=value")]
    NotAPair {
        /// The flag.
        list: String,
        /// The word.
        word: String,
    },
    /// A key that the list does not know.
    #[error("{list}: unknown key `{key}`; known are {known}")]
    Unknown {
        /// The flag.
        list: String,
        /// The key.
        key: String,
        /// The keys it knows.
        known: String,
    },
    /// The same key again.
    #[error("{list}: {key}= is given twice")]
    Twice {
        /// The flag.
        list: String,
        /// The key.
        key: String,
    },
    /// A value that does not fit its key.
    #[error("{list}: {key}={value}: {why}")]
    Value {
        /// The flag.
        list: String,
        /// The key.
        key: String,
        /// The value.
        value: String,
        /// What is wrong with it.
        why: String,
    },
}

/// One word of a list.
#[derive(Debug, Clone, Copy)]
pub struct Pair<'a> {
    list: &'a str,
    /// The key.
    pub key: &'a str,
    /// The value.
    pub value: &'a str,
}

/// Takes a list apart at blanks and commas. `list` is the flag it belongs to, `known` are the keys it may have.
///
/// # Errors
/// A word that is not `key=value`, a key that is not known or given twice.
pub fn pairs<'a>(list: &'a str, known: &[&str], text: &'a str) -> Result<Vec<Pair<'a>>, KeyError> {
    let mut pairs: Vec<Pair<'a>> = Vec::new();
    for word in text.split(|c: char| c == ',' || c.is_whitespace()).filter(|word| !word.is_empty()) {
        let (key, value) = word
            .split_once('=')
            .ok_or_else(|| KeyError::NotAPair { list: list.to_owned(), word: word.to_owned() })?;
        if !known.contains(&key) {
            let known = known.join(", ");
            return Err(KeyError::Unknown { list: list.to_owned(), key: key.to_owned(), known });
        }
        if pairs.iter().any(|pair| pair.key == key) {
            return Err(KeyError::Twice { list: list.to_owned(), key: key.to_owned() });
        }
        pairs.push(Pair { list, key, value });
    }
    Ok(pairs)
}

impl Pair<'_> {
    /// The error that the value does not fit.
    #[must_use]
    pub fn bad(&self, why: impl Into<String>) -> KeyError {
        KeyError::Value {
            list: self.list.to_owned(),
            key: self.key.to_owned(),
            value: self.value.to_owned(),
            why: why.into(),
        }
    }

    /// A number within bounds.
    ///
    /// # Errors
    /// Not a number, or one out of bounds.
    pub fn number<T: FromStr + PartialOrd + Display>(
        &self,
        bounds: RangeInclusive<T>,
    ) -> Result<T, KeyError> {
        let number: Option<T> = self.value.parse().ok();
        let wanted = || self.bad(format!("is not a number from {} to {}", bounds.start(), bounds.end()));
        number.filter(|number| bounds.contains(number)).ok_or_else(wanted)
    }

    /// A truth value, see [`truth`].
    ///
    /// # Errors
    /// Neither true nor false.
    pub fn truth(&self) -> Result<bool, KeyError> {
        truth(self.value).map_err(|why| self.bad(why))
    }
}

/// Reads a truth value by the words that engines' options take ([`client::truth`]).
///
/// # Errors
/// Anything else.
pub fn truth(value: &str) -> Result<bool, String> {
    client::truth(value).ok_or_else(|| "is neither on nor off".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> String {
        pairs("--flag", &["a", "b"], text).unwrap_err().to_string()
    }

    #[test]
    fn lists_are_read_or_refused_by_name() {
        let read = pairs("--flag", &["a", "b"], " b=1,a=x=y\t").unwrap();
        assert_eq!(
            read.iter().map(|pair| (pair.key, pair.value)).collect::<Vec<_>>(),
            [("b", "1"), ("a", "x=y")]
        );
        assert_eq!(message("a=1 b"), "--flag: `b` is not of the form key=value");
        assert_eq!(message("A=1"), "--flag: unknown key `A`; known are a, b");
        assert_eq!(message("a=1 a=2"), "--flag: a= is given twice");
    }

    #[test]
    fn truth_values_in_every_spelling() {
        for (texts, value) in [(["True", "ON", "yes", "1"], true), (["FALSE", "off", "No", "0"], false)] {
            assert!(texts.into_iter().all(|text| truth(text) == Ok(value)), "{texts:?}");
        }
        assert!(["", "2", "tru", "maybe", "on "].into_iter().all(|text| truth(text).is_err()));
    }

    #[test]
    fn numbers_keep_their_bounds() {
        let number =
            |value: &str| pairs("--flag", &["a"], &format!("a={value}")).unwrap()[0].number(1..=9_u32);
        assert_eq!(number("9"), Ok(9));
        for value in ["0", "10", "-1", "1.5", "", "x", "99999999999999999999"] {
            let message = number(value).unwrap_err().to_string();
            assert_eq!(message, format!("--flag: a={value}: is not a number from 1 to 9"));
        }
    }
}
