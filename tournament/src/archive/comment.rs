//! Comments after the moves of a PGN game: what a runner writes of a search, and why the game ended.
//!
//! `{+0.31/12 0.52s, n=1234, pv="e7e5 g1f3", White mates}` is evaluation, depth and time, then fields, then
//! the reason of the result. Runners differ in what stands between them (commas, blanks, `;` before the
//! reason), in how they write the time (XBoard: `2.3`, `45` or `1:05` for seconds, or none at all) and in the
//! fields they write. Fields are told from the reason by their `=`: a number in a field
//! must not be taken for a word of the reason.
//!
//! People write `{1/2 would be fair}` and `{90s repertoire}`. So an evaluation has a decimal point or is a mate, or is
//! the `?` that this program writes where there is none; and behind a time alone stand fields only, or a comma.

use crate::record::LONGEST_MS;

/// A comment, taken apart.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Comment<'a> {
    /// What was said of the search, if the comment is about one.
    pub search: Option<Search>,
    /// Why the game ended; empty if that is not said.
    pub reason: &'a str,
}

/// What was said of a search.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub(super) struct Search {
    /// The mover's evaluation in centipawns (a mate: 100,000 less its distance in moves).
    pub score: Option<i32>,
    /// The depth.
    pub depth: Option<u32>,
    /// Milliseconds it took.
    pub ms: Option<u64>,
    /// Nodes.
    pub nodes: Option<u64>,
    /// Milliseconds left on the clock.
    pub clock_ms: Option<u64>,
}

/// In what a mate written as `M5` is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mates {
    /// In moves, as this program writes it.
    Moves,
    /// In plies, as fastchess and cutechess-cli write it: a mate in three as `+M5`.
    Plies,
}

/// Where a field without quotes ends.
const ENDS: [char; 4] = [' ', ',', ';', '{'];

impl<'a> Comment<'a> {
    /// Reads the comment after a move. One that is about something else than a search is a reason.
    pub fn read(text: &'a str, mates: Mates) -> Self {
        let text = text.trim();
        let (first, rest) = text.split_at(text.find(ENDS).unwrap_or(text.len()));
        if first == "book" && (rest.is_empty() || rest.starts_with([',', ';', '{'])) {
            let reason = rest.trim_start_matches([',', ';', '{']).trim();
            return Self { search: None, reason };
        }
        let search = match first.split_once('/') {
            Some((score, depth)) => {
                let depth = depth.parse::<u32>().ok().filter(|_| is_evaluation(score));
                depth.map(|depth| Search {
                    score: centipawns(score, mates),
                    depth: Some(depth).filter(|&depth| depth > 0),
                    // Only here a number without a unit can be nothing but the time.
                    ms: rest.trim_start().split(ENDS).next().and_then(bare_milliseconds),
                    ..Search::default()
                })
            }
            // Without an evaluation some write the time alone.
            None => milliseconds(first)
                .filter(|_| is_of_search(rest))
                .map(|ms| Search { ms: Some(ms), ..Search::default() }),
        };
        let Some(mut search) = search else { return Self { search: None, reason: text } };
        let reason = search.fields(rest);
        Self { search: Some(search), reason }
    }
}

impl Search {
    /// Takes in the fields at the beginning of the text, and returns what follows them.
    fn fields<'a>(&mut self, text: &'a str) -> &'a str {
        let mut rest = text;
        loop {
            rest = rest.trim_start_matches([' ', ',']);
            if let Some(reason) = rest.strip_prefix([';', '{']) {
                return reason.trim();
            }
            let word = &rest[..rest.find(ENDS).unwrap_or(rest.len())];
            if let Some((key, value)) = field(rest) {
                match key {
                    "n" => self.nodes = value.parse().ok(),
                    "tl" => self.clock_ms = milliseconds(value).or(self.clock_ms),
                    _ => {}
                }
                let quotes = if rest[key.len() + 1..].starts_with('"') { 2 } else { 0 };
                rest = rest.get(key.len() + 1 + quotes + value.len()..).unwrap_or_default();
                continue;
            }
            if let Some(ms) = milliseconds(word) {
                self.ms = Some(ms);
            } else if word.is_empty() || word.contains(char::is_alphabetic) {
                // A reason is a sentence; a word alone says something else of the search.
                return Some(rest.trim()).filter(|reason| reason.contains(' ')).unwrap_or_default();
            }
            rest = &rest[word.len()..];
        }
    }
}

/// Whether this stands behind a time alone where a program wrote it: nothing, a field, or a mark and anything.
fn is_of_search(rest: &str) -> bool {
    let behind = rest.trim_start();
    behind.is_empty() || behind.starts_with([',', ';', '{']) || field(behind).is_some()
}

/// The field at the beginning of a text, `n=12` or `pv="e7e5 g1f3"`; its value without quotes. A quotation
/// ends where a quote is followed by what can stand between fields, for a text of an engine may hold some
/// itself.
fn field(text: &str) -> Option<(&str, &str)> {
    let (key, after) = text.split_once('=')?;
    if key.is_empty() || !key.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_') {
        return None;
    }
    let Some(quoted) = after.strip_prefix('"') else {
        return Some((key, &after[..after.find(ENDS).unwrap_or(after.len())]));
    };
    let closes = |&(at, _): &(usize, &str)| {
        let behind = &quoted[at + 1..];
        behind.is_empty() || behind.starts_with(ENDS)
    };
    let end = quoted.match_indices('"').find(closes).map_or(quoted.len(), |(at, _)| at);
    Some((key, &quoted[..end]))
}

/// `1.25s` or `340ms`, of at most some thirty years.
fn milliseconds(word: &str) -> Option<u64> {
    let (number, unit) = match word.strip_suffix("ms") {
        Some(number) => (number, 1.0),
        None => (word.strip_suffix('s')?, 1000.0),
    };
    duration(number, unit)
}

/// Seconds without a unit, `2.3`, or minutes and seconds, `1:05`.
fn bare_milliseconds(word: &str) -> Option<u64> {
    let (minutes, seconds) = word.split_once(':').unwrap_or(("0", word));
    Some(duration(minutes, 60_000.0)? + duration(seconds, 1000.0)?).filter(|&ms| ms <= LONGEST_MS)
}

/// So many times so many milliseconds.
fn duration(number: &str, unit_ms: f64) -> Option<u64> {
    let ms = number.parse::<f64>().ok()? * unit_ms;
    (ms >= 0.0 && ms <= LONGEST_MS as f64).then(|| ms.round() as u64)
}

/// Whether a word is written as an evaluation, however large. A number without a point may be a part of a fraction.
fn is_evaluation(word: &str) -> bool {
    let size = word.trim_start_matches(['+', '-']);
    word == "?" || size.starts_with(['M', '#']) || size.contains('.') && size.parse::<f64>().is_ok()
}

/// `+1.23`, or a mate: `-M4` in moves or plies, `-#4` in moves.
fn centipawns(word: &str, mates: Mates) -> Option<i32> {
    let (sign, rest) = match word.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, word.strip_prefix('+').unwrap_or(word)),
    };
    if let Some(distance) = rest.strip_prefix(['M', '#']) {
        let distance = distance.parse::<u16>().ok().filter(|&distance| distance < 10_000)?;
        let by_plies = mates == Mates::Plies && rest.starts_with('M');
        let moves = if by_plies { distance.div_ceil(2) } else { distance };
        return Some(sign * (100_000 - i32::from(moves)));
    }
    let pawns = rest.parse::<f64>().ok().filter(|pawns| pawns.is_finite() && pawns.abs() < 1e6)?;
    Some(sign * (pawns * 100.0).round() as i32)
}

/// A comment without commands to a graphical interface (`[%clk 0:00:50]`), which say nothing of how a game
/// ended.
pub(super) fn without_commands(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, command)) = rest.split_once("[%") {
        kept.push_str(before);
        rest = command.split_once(']').map_or("", |(_, after)| after);
    }
    kept.push_str(rest);
    kept
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// By hand, as fastchess, cutechess-cli and this program write them.
    #[test]
    fn fields_are_told_from_the_reason() {
        let search = |ms: u64, nodes, clock_ms| Search {
            score: Some(31),
            depth: Some(12),
            ms: Some(ms),
            nodes,
            clock_ms,
        };
        let untimed = Search { score: Some(31), depth: Some(12), ..Search::default() };
        for (text, expected, reason) in [
            ("+0.31/12 0.520s", Some(search(520, None, None)), ""),
            ("+0.31/12 0.52s, White mates", Some(search(520, None, None)), "White mates"),
            (
                "+0.31/12 0.022s, tl=5.000s, latency=0.001s, n=3001, sd=6, nps=1500000, hashfull=5, \
                 tbhits=0, pv=\"g1f3 f8g7\", White wins by adjudication",
                Some(search(22, Some(3001), Some(5000))),
                "White wins by adjudication",
            ),
            (
                "+0.31/12 0.520s n=9 tl=0.950s latency=0.002s pv=\"c7c5\" line=\"info; took 5s, 'x'\"; \
                 A mates, fast",
                Some(search(520, Some(9), Some(950))),
                "A mates, fast",
            ),
            (
                "+0.31/12 1s, line=\"info string \"a\"b, n=7\", n=8, Draw by stalemate",
                Some(search(1000, Some(8), None)),
                "Draw by stalemate",
            ),
            ("+0.31/12 0.5 17, n=3, pv=\"e2e4", Some(search(500, Some(3), None)), ""),
            ("+0.31/12 2.3", Some(search(2300, None, None)), ""),
            ("+0.31/12 45", Some(search(45_000, None, None)), ""),
            ("+0.31/12 1:05", Some(search(65_000, None, None)), ""),
            ("+0.31/12 340ms, n=7", Some(search(340, Some(7), None)), ""),
            ("+0.31/12", Some(untimed), ""),
            ("+0.31/12, White mates in 3", Some(untimed), "White mates in 3"),
            ("+0.31/12 x:1 99999999999:1", Some(untimed), "x:1 99999999999:1"),
            ("0.19s", Some(Search { ms: Some(190), ..Search::default() }), ""),
            ("0s, Black resigns", Some(Search { ms: Some(0), ..Search::default() }), "Black resigns"),
            ("0.19s n=7", Some(Search { ms: Some(190), nodes: Some(7), ..Search::default() }), ""),
            ("?/12 0.5s n=7", Some(Search { score: None, ..search(500, Some(7), None) }), ""),
            ("-M6/12 0.5s", Some(Search { score: Some(-99_997), ..search(500, None, None) }), ""),
            ("#3/12", Some(Search { score: Some(99_997), ..untimed }), ""),
            ("+21474836.47/12 0.5s", Some(Search { score: None, ..search(500, None, None) }), ""),
            ("1/2 would be fair", None, "1/2 would be fair"),
            ("3/4 of the audience left", None, "3/4 of the audience left"),
            ("20/20 hindsight", None, "20/20 hindsight"),
            ("90s repertoire", None, "90s repertoire"),
            ("book", None, ""),
            ("book, Draw by 3-fold repetition", None, "Draw by 3-fold repetition"),
            ("book; no time = no move", None, "no time = no move"),
            ("book move", None, "book move"),
            ("Draw by fifty moves rule", None, "Draw by fifty moves rule"),
            ("", None, ""),
        ] {
            assert_eq!(Comment::read(text, Mates::Plies), Comment { search: expected, reason }, "{text}");
        }
        assert_eq!(without_commands("[%eval 0.5] [%clk 0:00:50] a [b] [%x"), "  a [b] ");
    }

    /// What runners write of engines that say `mate 1`, `mate 2`, `mate 3`, `mate -1` and `mate -3`, and of one that is
    /// mated.
    #[test]
    fn mates_are_counted_in_moves() {
        for (plies, moves, mate) in [
            ("+M1", "+M1", 1),
            ("+M3", "+M2", 2),
            ("+M5", "+M3", 3),
            ("-M2", "-M1", -1),
            ("-M6", "-M3", -3),
            ("-M0", "-M0", 0),
            ("+#3", "+#3", 3),
        ] {
            let score = client::Evaluation::Mate(mate).centipawns();
            for (word, mates) in [(plies, Mates::Plies), (moves, Mates::Moves)] {
                let text = format!("{word}/12 0.520s");
                let read = Comment::read(&text, mates).search.and_then(|search| search.score);
                assert_eq!(read, Some(score), "{word} in {mates:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn no_comment_is_a_panic(text in "[-+a-z0-9/ .,;={\"é]{0,40}") {
            let comment = Comment::read(&text, Mates::Plies);
            prop_assert!(text.contains(comment.reason));
        }
    }
}
