//! Which game of chess a PGN file has, by its tag.

/// Which game was played, as the tag `Variant` says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Variant {
    /// Chess, from whatever position, or the tag says nothing.
    Standard,
    /// Chess960.
    Chess960,
    /// Any other: its moves are not those of chess, or its games end otherwise.
    Other,
}

impl Variant {
    /// Reads the tag's value, as the programs write it that make PGN. Blanks, marks and capitals do not matter.
    pub(crate) fn read(tag: &str) -> Self {
        /// Names of chess. `From Position` is that of lichess, `normal` that of xboard.
        const STANDARD: [&str; 6] = ["standard", "fromposition", "normal", "orthodox", "classical", "chess"];
        /// Names of Chess960, the longer before their parts.
        const CHESS960: [&str; 8] = [
            "doublefischerrandom",
            "double960",
            "fischerrandom",
            "fischerandom",
            "freestyle",
            "dfrc",
            "frc",
            "960",
        ];
        /// Names that are no parts of others: FICS's and those of python-chess for chess from a given position.
        const STANDARD_WHOLE: [&str; 11] = [
            "illegal", "wild0", "wild1", "wild2", "wild3", "wild4", "wild5", "wild6", "wild7", "wild8",
            "wild8a",
        ];
        /// FICS's for Chess960.
        const CHESS960_WHOLE: [&str; 2] = ["wildfr", "fr"];
        let without = |name: &str, words: &[&str]| {
            words.iter().fold(name.to_owned(), |name, word| name.replace(word, ""))
        };
        let name: String = tag.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
        if STANDARD_WHOLE.contains(&name.as_str()) {
            return Self::Standard;
        }
        if CHESS960_WHOLE.contains(&name.as_str()) {
            return Self::Chess960;
        }
        // `Chess960` and `Standard Chess` hold two of the names, `Crazyhouse960` more than names.
        let name = without(&name, &STANDARD);
        let rest = without(&name, &CHESS960);
        // The number of the start may stand behind the name.
        let is_start = rest.len() <= 3 && rest.bytes().all(|byte| byte.is_ascii_digit());
        if name.is_empty() {
            Self::Standard
        } else if is_start && rest.len() < name.len() && name.ends_with(rest.as_str()) {
            Self::Chess960
        } else {
            Self::Other
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names that lichess, python-chess, xboard, cutechess and others write.
    #[test]
    fn variants_are_known_by_name() {
        let standard = [
            "",
            "?",
            "-",
            "Standard",
            "From Position",
            "normal",
            "Chess",
            "standard chess",
            "Classical",
            "Illegal",
            "wild/0",
            "wild/5",
            "wild/8",
            "wild/8a",
        ];
        let chess960 = [
            "Chess960",
            "chess 960",
            "fischerandom",
            "Fischer Random",
            "Fischerrandom",
            "Double Fischer Random",
            "Double Chess960",
            "FRC",
            "DFRC",
            "Freestyle Chess",
            "Chess960 518",
            "Chess 960 (0)",
            "Fischerandom #518",
            "wild/fr",
            "fr",
        ];
        let others = [
            "King of the Hill",
            "Three-check",
            "3check",
            "Chess 2",
            "Double Chess",
            "Atomic",
            "Atomic960",
            "Antichess",
            "Horde",
            "Racing Kings",
            "crazyhouse",
            "Crazyhouse 960",
            "Crazyhouse 960 518",
            "Chess960 1234",
            "518",
            "wild/9",
            "wild/23",
            "wild",
            "Illegal Crazyhouse",
            "frisian",
            "象棋",
        ];
        for (variant, names) in [
            (Variant::Standard, &standard[..]),
            (Variant::Chess960, &chess960[..]),
            (Variant::Other, &others[..]),
        ] {
            for name in names {
                assert_eq!(Variant::read(name), variant, "{name}");
            }
        }
    }
}
