//! What is searched: sets of positions by name or from EPD files, each position with the depth to search it to.
//!
//! The depth stands in the EPD operation `acd` (analysis count: depth), which is also how the pilot writes it.

use crate::BRATKO_KOPEC;
use chess::{Position, epd, text};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;

/// 24 positions from games of Firstborn against itself (4000 nodes a move), one from each game, between the 20th and
/// the 70th half-move and not in check, as EPD lines.
pub const SELF_PLAY: &str = include_str!("../../data/self-play.epd");

/// A position of a study.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name, which no other of the study has.
    pub id: String,
    /// The position.
    pub position: Position,
    /// The depth its EPD line names, in plies.
    pub depth: Option<u32>,
}

/// Why positions or depths could not be had.
#[derive(Debug, thiserror::Error)]
pub enum PositionsError {
    /// Neither a set nor a file.
    #[error(
        "positions '{name}': neither one of the sets bratko-kopec, self-play, study48 nor a file to be read: {cause}"
    )]
    Unreadable {
        /// The word given.
        name: String,
        /// What the system said of the file of that name.
        cause: std::io::Error,
    },
    /// A line that is not a position.
    #[error("{file}:{line}: {cause}")]
    Line {
        /// The file or set.
        file: String,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        cause: epd::EpdError,
    },
    /// A depth that is no number of plies.
    #[error("{file}:{line}: acd '{text}' is not a depth from 1 to 245")]
    Depth {
        /// The file or set.
        file: String,
        /// The line, from 1.
        line: usize,
        /// The operand.
        text: String,
    },
    /// A position without a move cannot be searched.
    #[error("{file}:{line}: no legal move, nothing to search")]
    Over {
        /// The file or set.
        file: String,
        /// The line, from 1.
        line: usize,
    },
    /// Nothing there.
    #[error("positions '{0}': none in it")]
    Empty(String),
    /// A position is in it twice.
    #[error("positions '{words}': {again} is the position of {first} once more")]
    Twice {
        /// What was wanted.
        words: String,
        /// The name of the position.
        first: String,
        /// Its other name.
        again: String,
    },
    /// The file of depths has none of the positions.
    #[error("{file}: no depth (acd) for any of the positions, from {first} on")]
    Missing {
        /// The file of depths.
        file: String,
        /// The first position's name.
        first: String,
    },
    /// The file of depths has several for a position.
    #[error("{file}: more than one depth (acd) for {id}: {depths:?}")]
    Several {
        /// The file of depths.
        file: String,
        /// The position's name.
        id: String,
        /// The depths.
        depths: Vec<u32>,
    },
}

/// The positions that `words` names: sets and files, joined by `+`.
///
/// # Errors
/// When a file cannot be read or a line is bad.
pub fn read(words: &str) -> Result<Vec<Entry>, PositionsError> {
    let mut entries = Vec::new();
    // A file may have a `+` in its name.
    let names = if Path::new(words).exists() { vec![words] } else { words.split('+').collect() };
    for name in names {
        match name {
            "bratko-kopec" => parse(BRATKO_KOPEC, name, &mut entries)?,
            "self-play" => parse(SELF_PLAY, name, &mut entries)?,
            "study48" => {
                parse(BRATKO_KOPEC, name, &mut entries)?;
                parse(SELF_PLAY, name, &mut entries)?;
            }
            file => parse(&read_text(file)?, file, &mut entries)?,
        }
    }
    if entries.is_empty() {
        return Err(PositionsError::Empty(words.to_owned()));
    }
    name_apart(&mut entries);
    Ok(entries)
}

/// Refuses positions of which two are the same, whatever their names and move numbers: they would count twice, and
/// intervals would be narrower than they are. `words`: what was read, for the message.
///
/// # Errors
/// Two are the same.
pub fn check_distinct(words: &str, entries: &[Entry]) -> Result<(), PositionsError> {
    let mut places = HashMap::new();
    for entry in entries {
        let place = (entry.position.key(), entry.position.halfmove_clock());
        if let Some(first) = places.insert(place, &entry.id) {
            let (first, again) = (first.clone(), entry.id.clone());
            return Err(PositionsError::Twice { words: words.to_owned(), first, again });
        }
    }
    Ok(())
}

fn read_text(file: &str) -> Result<String, PositionsError> {
    let bytes = std::fs::read(file);
    let bytes = bytes.map_err(|cause| PositionsError::Unreadable { name: file.to_owned(), cause })?;
    Ok(text::decode(&bytes).into_owned())
}

fn parse(text: &str, file: &str, entries: &mut Vec<Entry>) -> Result<(), PositionsError> {
    for read in epd::read(text) {
        let file = || file.to_owned();
        let (line, epd) = read.map_err(|error| PositionsError::Line {
            file: file(),
            line: error.line,
            cause: error.cause,
        })?;
        if epd.position.legal_moves().is_empty() {
            return Err(PositionsError::Over { file: file(), line });
        }
        let acd = epd.ops.iter().find(|(opcode, _)| opcode == "acd");
        let depth = match acd {
            Some((_, text)) => match text.parse() {
                Ok(depth @ 1..=245) => Some(depth),
                _ => return Err(PositionsError::Depth { file: file(), line, text: text.clone() }),
            },
            None => None,
        };
        let id = epd.id.filter(|id| !id.is_empty()).unwrap_or_else(|| (entries.len() + 1).to_string());
        entries.push(Entry { id, position: epd.position, depth });
    }
    Ok(())
}

/// Results are kept by name: a name met again is numbered.
fn name_apart(entries: &mut [Entry]) {
    let mut taken: HashSet<String> = HashSet::new();
    for entry in entries {
        let plain = entry.id.clone();
        let mut number = 1;
        while !taken.insert(entry.id.clone()) {
            number += 1;
            entry.id = format!("{plain}#{number}");
        }
    }
}

/// Gives every position the depth that the EPD file `file` names for it (by its moves and men, whatever it is called), and
/// takes out those that it has none for; their names come back. A line with another halfmove clock counts where
/// none has the position's own.
///
/// # Errors
/// When the file cannot be read, a line is bad, it has several depths for a position, or none of the positions
/// is in it.
pub fn set_depths(entries: &mut Vec<Entry>, file: &str) -> Result<Vec<String>, PositionsError> {
    let mut known = Vec::new();
    parse(&read_text(file)?, file, &mut known)?;
    // Under the position with its halfmove clock, and with any.
    let mut named: HashMap<(u64, Option<u32>), BTreeSet<u32>> = HashMap::new();
    for Entry { position, depth, .. } in &known {
        for clock in [Some(position.halfmove_clock()), None] {
            named.entry((position.key(), clock)).or_default().extend(depth);
        }
    }
    for entry in &mut *entries {
        let (key, clock) = (entry.position.key(), entry.position.halfmove_clock());
        let of = |clock| named.get(&(key, clock)).filter(|depths| !depths.is_empty());
        let depths = of(Some(clock)).or_else(|| of(None));
        entry.depth = depths.and_then(BTreeSet::first).copied();
        if let Some(depths) = depths.filter(|depths| depths.len() > 1) {
            let (id, depths) = (entry.id.clone(), depths.iter().copied().collect());
            return Err(PositionsError::Several { file: file.to_owned(), id, depths });
        }
    }
    let left_out: Vec<String> =
        entries.extract_if(.., |entry| entry.depth.is_none()).map(|entry| entry.id).collect();
    if entries.is_empty() {
        let first = left_out.into_iter().next().unwrap_or_default();
        return Err(PositionsError::Missing { file: file.to_owned(), first });
    }
    Ok(left_out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_study_has_twice_twenty_four_positions_all_different() {
        let entries = read("study48").unwrap();
        let keys: HashSet<u64> = entries.iter().map(|entry| entry.position.key()).collect();
        let ids: HashSet<&str> = entries.iter().map(|entry| entry.id.as_str()).collect();
        assert_eq!((entries.len(), keys.len(), ids.len()), (48, 48, 48));
        assert_eq!(read("bratko-kopec+self-play").unwrap(), entries);
        assert_eq!((entries[0].id.as_str(), entries[24].id.as_str()), ("BK.01", "SP.01"));
        assert!(entries.iter().all(|entry| !entry.position.in_check() || entry.id.starts_with("BK")));
    }

    #[test]
    fn a_file_is_read_whatever_wrote_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("own.epd");
        let name = path.to_str().unwrap();
        let plain = "# own\n4k3/8/8/8/8/8/8/4K2R w K - id \"\u{fc}\";\n\n4k3/8/8/8/8/8/8/4K3 w KQ - acd 5;\n";
        let read_as = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            read(name)
        };
        let entries = read_as(plain.as_bytes()).unwrap();
        assert_eq!((entries[0].id.as_str(), entries[1].depth), ("\u{fc}", Some(5)));
        let latin: Vec<u8> = plain.chars().map(|c| c as u8).collect();
        let marked = [b"\xef\xbb\xbf", plain.replace("# own\n", "").as_bytes()].concat();
        for bytes in [latin, plain.replace('\n', "\r\n").into_bytes(), marked] {
            assert_eq!(read_as(&bytes).unwrap(), entries);
        }
        let message = read_as(plain.replace("KQ -", "KQ z").as_bytes()).unwrap_err().to_string();
        assert!(message.contains("own.epd:4: FEN en passant"), "{message}");
    }

    /// Positions may differ in nothing but the moves since a capture or a pawn's move.
    #[test]
    fn a_depth_is_that_of_the_positions_own_clock() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("depths.epd");
        let line = |(clock, depth): (u32, u32)| {
            format!("4k3/8/8/8/8/8/8/4K2R w K - hmvc {clock}; id \"{clock}\"; acd {depth};\n")
        };
        let depth_of = |clock: u32, lines: &[(u32, u32)]| {
            std::fs::write(&path, lines.iter().copied().map(line).collect::<String>()).unwrap();
            let mut entries = Vec::new();
            parse(&line((clock, 1)), "set", &mut entries).unwrap();
            set_depths(&mut entries, path.to_str().unwrap()).map(|_| entries[0].depth)
        };
        for (clock, lines, wanted) in [
            (7, vec![(7, 9), (0, 5)], 9),
            (0, vec![(0, 5), (7, 9)], 5),
            (3, vec![(7, 9)], 9),
            (3, vec![(7, 9), (0, 9)], 9),
        ] {
            assert_eq!(depth_of(clock, &lines).unwrap(), Some(wanted), "{clock}: {lines:?}");
        }
        for (clock, lines) in [(3, [(7, 9), (0, 5)]), (7, [(7, 9), (7, 5)])] {
            let message = depth_of(clock, &lines).unwrap_err().to_string();
            assert!(message.ends_with(&format!("for {clock}: [5, 9]")), "{message}");
        }
    }

    #[test]
    fn names_met_again_are_numbered() {
        let mut entries = [read("bratko-kopec").unwrap(), read("bratko-kopec").unwrap()].concat();
        name_apart(&mut entries);
        assert_eq!(entries[24].id, "BK.01#2");
    }

    /// Twice the same positions are no more evidence than once.
    #[test]
    fn a_position_counts_once() {
        let words = "bratko-kopec+self-play+bratko-kopec";
        let entries = read(words).unwrap();
        assert!(check_distinct(words, &entries[..48]).is_ok());
        let message = check_distinct(words, &entries).unwrap_err().to_string();
        assert!(message.contains("BK.01#2 is the position of BK.01 once more"), "{message}");
    }
}
