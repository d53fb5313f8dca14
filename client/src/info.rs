//! What an engine says while it thinks: UCI `info` lines and xboard thinking lines, read into one form.

use std::time::{Duration, Instant};

use thinking::report::Bound;
use thinking::score::Reported;

use super::Ply;
use crate::fields::Fields;
use crate::text::whole;

/// A score from the point of view of the engine that gives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evaluation {
    /// Hundredths of a pawn.
    Centipawns(i32),
    /// Mate in this many of its own moves; negative: it is being mated.
    Mate(i32),
}

/// Of a principal variation so many bytes are kept, some four hundred moves: no more is of use to anyone.
const LONGEST_PV: usize = 2048;

/// The words of a variation, as many as are kept.
fn variation<'a>(words: impl Iterator<Item = &'a str>) -> String {
    let mut text = String::new();
    for word in words {
        if text.len() + 1 + word.len() > LONGEST_PV {
            break;
        }
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(word);
    }
    text
}

/// The longest mate that is told, in moves; what an engine says beyond counts as this.
const LONGEST_MATE: i32 = 1000;
/// What a mate is worth, less its distance.
const MATE: i32 = 100_000;
/// The highest score that is no mate.
const HIGHEST: i32 = MATE - LONGEST_MATE - 1;

impl Evaluation {
    /// Hundredths of a pawn. Engines write numbers of any size; all that are no mates stay below all mates.
    #[must_use]
    pub fn of_centipawns(cp: i64) -> Self {
        Self::Centipawns(cp.clamp((-HIGHEST).into(), HIGHEST.into()) as i32)
    }

    /// A mate in so many moves, whatever number an engine writes.
    #[must_use]
    pub fn of_mate(moves: i64) -> Self {
        Self::Mate(moves.clamp((-LONGEST_MATE).into(), LONGEST_MATE.into()) as i32)
    }

    /// Hundredths of a pawn, a mate being worth 100,000 less its distance.
    #[must_use]
    pub fn centipawns(self) -> i32 {
        match self {
            Self::Centipawns(cp) => cp.clamp(-HIGHEST, HIGHEST),
            Self::Mate(moves) if moves > 0 => MATE - moves.min(LONGEST_MATE),
            Self::Mate(moves) => -MATE - moves.max(-LONGEST_MATE),
        }
    }
}

/// The last state of a search that the engine reported.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Info {
    /// The score of its best line.
    pub score: Option<Evaluation>,
    /// Nominal depth in plies.
    pub depth: Option<u32>,
    /// Deepest ply seen.
    pub seldepth: Option<u32>,
    /// Nodes searched.
    pub nodes: Option<u64>,
    /// Nodes a second, as the engine says.
    pub nps: Option<u64>,
    /// Time the engine says it used.
    pub time: Option<Duration>,
    /// When the line came that said this time, the first of several; only of an answer to a question.
    pub timed_at: Option<Instant>,
    /// Table-base hits.
    pub tb_hits: Option<u64>,
    /// Permille of the hash table in use.
    pub hashfull: Option<u32>,
    /// Its principal variation as it wrote it, to its four hundredth move or so.
    pub pv: String,
    /// The last line with a score had no principal variation (UCI): `pv` is that of a line before it.
    pub without_pv: bool,
    /// The score of the last line, if it was a bound.
    pub bound: Option<Evaluation>,
    /// The same as of the last line whose score was no bound, where a line with a bound came after it.
    pub exact: Option<Box<Info>>,
}

impl Info {
    /// Takes in what follows `info` in a UCI line. Lines of other variations than the first are left out, and a bound
    /// (`lowerbound`, `upperbound`) does not replace an exact score.
    pub fn read_uci(&mut self, text: &str) {
        let fields = Fields::read(text);
        if fields.multipv.is_some_and(|rank| rank != 1) {
            return;
        }
        let score = fields.score.map(|score| match score {
            Reported::Centipawns(cp) => Evaluation::of_centipawns(cp.into()),
            Reported::Mate(moves) => Evaluation::of_mate(moves.into()),
        });
        self.take(score, fields.bound.is_some_and(|bound| bound != Bound::Exact));
        // `info depth N` alone announces an iteration; only a line with a score says it has found something.
        if score.is_some() {
            self.depth = fields.depth.or(self.depth);
            self.seldepth = fields.seldepth.or(self.seldepth);
            self.without_pv = fields.pv.is_empty();
        }
        self.nodes = fields.nodes.or(self.nodes);
        self.nps = fields.nps.or(self.nps);
        self.time = fields.time.map(Duration::from_millis).or(self.time);
        self.tb_hits = fields.tbhits.or(self.tb_hits);
        self.hashfull = fields.hashfull.or(self.hashfull);
        if !fields.pv.is_empty() {
            self.pv = variation(fields.pv.iter().copied());
        }
    }

    /// Takes in the score of a line, before the rest of the line: a bound does not replace an exact score.
    fn take(&mut self, score: Option<Evaluation>, bound: bool) {
        if bound && self.score.is_some() && self.exact.is_none() {
            self.exact = Some(Box::new(self.clone()));
        } else if score.is_some() && !bound {
            self.exact = None;
        }
        if score.is_some() {
            self.bound = score.filter(|_| bound);
        }
        if !(bound && self.score.is_some()) {
            self.score = score.or(self.score);
        }
    }

    /// Takes in an xboard thinking line, `ply score time nodes [seldepth nps tbhits]\tpv`; true if it was one.
    /// Book lines (all four numbers zero) and lines of text are none. A `!`, `?`, `!!`, `??`, `++` or `--` at its
    /// end, or a `(+)` or `(-)` before the variation, makes the score a bound.
    pub fn read_xboard(&mut self, line: &str) -> bool {
        let (head, pv) = line.split_once('\t').map_or((line, None), |(head, pv)| (head, Some(pv)));
        let mut words = head.split_ascii_whitespace();
        // Old engines glue a `.`, `+`, `-` or `&` to the depth.
        let first = words.next().unwrap_or_default();
        let plain = first.trim_end_matches(['.', '+', '-', '&', '!', '?']);
        let Some(depth) = whole(plain, 0, u32::MAX) else { return false };
        let mut number = || words.next().and_then(|word| whole(word, i64::MIN, i64::MAX));
        let (Some(score), Some(time), Some(nodes)) = (number(), number(), number()) else { return false };
        if (depth, score, time, nodes) == (0, 0, 0, 0) {
            return false;
        }
        let score = match score {
            // A mate in no moves is one that stands on the board after this move.
            100_000.. => Evaluation::of_mate((score - 100_000).max(1)),
            ..=-100_000 => Evaluation::of_mate(score.saturating_add(100_000)),
            _ => Evaluation::of_centipawns(score),
        };
        let (mut seldepth, mut bound) = (None, false);
        let mut pv = match pv {
            Some(pv) => {
                seldepth = words.next().and_then(|w| w.parse().ok());
                if pv.len() > LONGEST_PV { variation(pv.split_whitespace()) } else { pv.trim().to_owned() }
            }
            None => variation(words),
        };
        let (before, last) = pv.rsplit_once(char::is_whitespace).unwrap_or(("", pv.as_str()));
        if BEHIND.contains(&last) {
            bound = true;
            pv = before.trim_end().to_owned();
        }
        let (mark, behind) = pv.split_once(char::is_whitespace).unwrap_or((pv.as_str(), ""));
        if BEFORE.contains(&mark) {
            bound = true;
            pv = behind.trim_start().to_owned();
        }
        self.take(Some(score), bound);
        self.depth = Some(depth);
        self.seldepth = seldepth.or(self.seldepth);
        // A counter that has overflown tells nothing. Nor does the time beside a mark: some engines that set
        // one, like GNU Chess 4, count in seconds, others in hundredths.
        let hundredths = u64::try_from(time).ok().filter(|_| plain == first);
        self.time = hundredths.map(|time| Duration::from_millis(time.saturating_mul(10)));
        self.nodes = u64::try_from(nodes).ok();
        self.pv = pv;
        true
    }

    /// Whether this was said of a move of the engine's own after the opponent's `last`: the variation begins with it,
    /// or with the opponent's move in parentheses, which the engine has made on its board. A variation that begins with
    /// the opponent's move as with any other is of a search for the opponent, whose side the score may be from.
    pub(super) fn tells_of(&self, mv: &str, last: Option<&Ply>) -> bool {
        let mut moves = moves(&self.pv);
        let mut first = moves.next();
        let hint = first.and_then(|word| word.strip_prefix('(')?.strip_suffix(')'));
        if let (Some(hint), Some(ply)) = (hint, last)
            && [&ply.uci, &ply.san].into_iter().any(|made| plain(made) == plain(hint))
        {
            first = moves.next();
        }
        first.is_some_and(|first| plain(first) == plain(mv))
    }
}

/// What engines write behind a variation whose score is a bound: a mark for a move that fails high or low, doubled by
/// Sjeng, or signs.
const BEHIND: [&str; 6] = ["!", "?", "!!", "??", "++", "--"];
/// What HoiChess writes before it.
const BEFORE: [&str; 2] = ["(+)", "(-)"];

/// No position has more moves.
const MOST_MOVES: usize = 256;

/// The lines of an xboard search at its present depth, the last of each first move: an engine may show the
/// variations of several moves, and the last one is not that of the best.
#[derive(Debug, Default)]
pub(super) struct Variations(Vec<Info>);

impl Variations {
    /// Another search begins.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Takes in a thinking line, also for the whole search; other lines change nothing.
    pub fn read(&mut self, line: &str, search: &mut Info) {
        if !search.read_xboard(line) {
            return;
        }
        let Some(first) = first_move(&search.pv) else { return };
        let place = self.0.iter().position(|known| first_move(&known.pv) == Some(first));
        // A bound leaves the move the score that it had at the depth before.
        let mut known = place.map(|place| self.0.swap_remove(place)).unwrap_or_default();
        known.read_xboard(line);
        if self.0.last().is_some_and(|other| other.depth != search.depth) {
            self.0.clear();
        }
        if self.0.len() < MOST_MOVES {
            self.0.push(known);
        }
    }

    /// Narrows what was said of the search to what was said of this move, if its variation has been shown.
    pub fn choose(&self, mv: &str, search: &mut Info) {
        let wanted = |known: &&Info| first_move(&known.pv).is_some_and(|first| plain(first) == plain(mv));
        if let Some(known) = self.0.iter().find(wanted) {
            // These belong to the search as a whole.
            let (time, timed_at, nodes) = (search.time, search.timed_at, search.nodes);
            *search = Info { time, timed_at, nodes, ..known.clone() };
        }
    }
}

/// The moves of a variation as they are written, without their numbers.
fn moves(pv: &str) -> impl Iterator<Item = &str> {
    pv.split_whitespace().filter_map(|word| word.rsplit('.').next()).filter(|word| !word.is_empty())
}

/// The first of them.
fn first_move(pv: &str) -> Option<&str> {
    moves(pv).next()
}

/// A move without what may stand behind it, in lower case.
fn plain(mv: &str) -> String {
    mv.trim_end_matches(['!', '?', '+', '#']).to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn reads_what_stockfish_says() {
        let mut info = Info::default();
        info.read_uci("depth 11 seldepth 10 multipv 1 score cp -28 nodes 42805 nps 629485 hashfull 14 tbhits 0 time 68 pv c7c5 g1e2");
        assert_eq!(info.score, Some(Evaluation::Centipawns(-28)));
        assert_eq!((info.depth, info.seldepth, info.nodes), (Some(11), Some(10), Some(42805)));
        assert_eq!(info.pv, "c7c5 g1e2");
        info.read_uci("depth 12 score cp 90 lowerbound nodes 50000");
        assert_eq!(info.score, Some(Evaluation::Centipawns(-28)), "a bound does not replace a score");
        assert_eq!(info.bound, Some(Evaluation::Centipawns(90)));
        let exact = info.exact.as_deref().unwrap();
        assert_eq!((exact.depth, exact.nodes, exact.pv.as_str()), (Some(11), Some(42805), "c7c5 g1e2"));
        info.read_uci("depth 12 multipv 2 score mate 3 pv a2a3");
        assert_eq!(info.score, Some(Evaluation::Centipawns(-28)), "the second variation is not the move");
        info.read_uci("depth 13");
        assert_eq!(info.depth, Some(12));
        info.read_uci("depth 13 score mate -3 nodes 60000");
        assert_eq!(info.score.map(Evaluation::centipawns), Some(-99_997));
    }

    #[test]
    fn reads_what_xboard_engines_say() {
        let mut info = Info::default();
        assert!(info.read_xboard(" 5      -5     2     6620  e6 !"));
        assert_eq!(info.score, Some(Evaluation::Centipawns(-5)));
        assert_eq!(info.time, Some(Duration::from_millis(20)));
        assert!(info.read_xboard("9. 100003 4 1234 12 500000 0\tQh7+ Kf8"));
        assert_eq!(info.score, Some(Evaluation::Mate(3)));
        assert_eq!((info.depth, info.seldepth), (Some(9), Some(12)));
        assert_eq!(info.pv, "Qh7+ Kf8");
        assert_eq!(info.time, None, "a mark beside the depth: seconds or hundredths");
        assert!(info.read_xboard("2.     14    0  38 d1d2"));
        assert_eq!((info.score, info.time), (Some(Evaluation::Centipawns(14)), None));
        for (line, bound, pv) in [
            ("3 -30 50 1000 5 2000 0\te7e5 ?", -30, "e7e5"),
            ("3 15 60 2000 c7c5 e2e4 ++", 15, "c7c5 e2e4"),
            ("3 -40 70 3000 --", -40, ""),
            ("3 -41 70 3000 d2d4 ??", -41, "d2d4"),
            ("3 44 70 3000 d2d4 d7d5 !!", 44, "d2d4 d7d5"),
            ("3 45 70 3000 (+) d2d4", 45, "d2d4"),
            ("3 -46 70 3000 5 2000 0\t(-) d2d4 d7d5", -46, "d2d4 d7d5"),
        ] {
            assert!(info.read_xboard(line));
            assert_eq!(info.score, Some(Evaluation::Centipawns(14)), "a bound does not replace a score");
            assert_eq!((info.bound, info.pv.as_str()), (Some(Evaluation::Centipawns(bound)), pv));
            assert_eq!(info.exact.as_deref().map(|exact| exact.pv.as_str()), Some("d1d2"));
        }
        assert!(info.read_xboard("4 7 80 4000 c7c5 e2e4"));
        assert_eq!((info.score, info.bound), (Some(Evaluation::Centipawns(7)), None));
        assert!(!info.read_xboard("  0      0     0        0  (e7-e5  c7-c5, book1)"), "phalanx's book line");
        for text in ["", "Time for move : 50", "# 16+16 pieces", "3", "1 2 x 4"] {
            assert!(!info.read_xboard(text), "{text}");
        }
    }

    #[test]
    fn a_score_after_the_line_counts() {
        let mut info = Info::default();
        info.read_uci("depth 9 pv e2e4 e7e5 score cp 31 nodes 500 time 20");
        assert_eq!(info.score, Some(Evaluation::Centipawns(31)));
        assert_eq!(
            (info.depth, info.nodes, info.time),
            (Some(9), Some(500), Some(Duration::from_millis(20)))
        );
        assert_eq!(info.pv, "e2e4 e7e5");
        info.read_uci("pv a2a3 score cp 5 multipv 2");
        assert_eq!(info.pv, "e2e4 e7e5", "the rank may come last");
    }

    #[test]
    fn no_number_turns_a_score_into_a_mate_or_a_loss_into_a_win() {
        let uci = |text: &str| {
            let mut info = Info::default();
            info.read_uci(text);
            info.score.unwrap().centipawns()
        };
        assert_eq!(uci("score cp 150000"), 98_999);
        assert_eq!(uci("score cp -99999999999999999999"), -98_999);
        assert_eq!(uci("score mate -2147483648"), -99_000);
        assert_eq!(uci("score mate -99999999999"), -99_000);
        assert_eq!(uci("score mate 2147483647"), 99_000);
        assert_eq!(uci("score mate 1"), 99_999);
        assert_eq!(uci("score mate 0"), -100_000);
        assert_eq!(Evaluation::Mate(i32::MIN).centipawns(), -99_000);
        assert_eq!(Evaluation::Centipawns(i32::MAX).centipawns(), 98_999);
        let xboard = |score: &str| {
            let mut info = Info::default();
            assert!(info.read_xboard(&format!("9 {score} 4 1234 e4")), "{score}");
            info.score.unwrap().centipawns()
        };
        assert_eq!(xboard("99999"), 98_999);
        assert_eq!(xboard("100000"), 99_999, "not being mated");
        assert_eq!(xboard("100001"), 99_999);
        assert_eq!(xboard("-100001"), -99_999);
        assert_eq!(xboard("2147483648"), 99_000);
        assert_eq!(xboard("-9223372036854775808"), -99_000);
    }

    #[test]
    fn of_a_variation_without_end_a_beginning_of_whole_moves_is_kept() {
        let pv = "e2e4 ".repeat(12_000);
        for (line, uci) in [
            (format!("depth 5 score cp 1 pv {pv}"), true),
            (format!("5 1 1 100 {pv}"), false),
            (format!("5 1 1 100 6\t{pv}"), false),
        ] {
            let mut info = Info::default();
            if uci {
                info.read_uci(&line)
            } else {
                assert!(info.read_xboard(&line))
            }
            assert!((LONGEST_PV - 5..=LONGEST_PV).contains(&info.pv.len()), "{}", info.pv.len());
            assert!(info.pv.split(' ').all(|mv| mv == "e2e4"));
        }
        let mut info = Info::default();
        info.read_uci(&format!("depth 5 score cp 1 pv a1{}", "a".repeat(60_000)));
        assert_eq!(info.pv, "", "no move is as long");
    }

    #[test]
    fn a_line_of_depth_0_is_thinking_and_a_line_of_zeros_is_not() {
        let mut info = Info::default();
        assert!(info.read_xboard("0 36 0 0 0 0 0\te4d5"));
        assert_eq!((info.score, info.depth), (Some(Evaluation::Centipawns(36)), Some(0)));
        assert!(!Info::default().read_xboard("0 0 0 0 0 0 0\tfree text"));
        assert!(info.read_xboard("7 12 3 -2147483648 e4"));
        assert_eq!((info.score, info.nodes), (Some(Evaluation::Centipawns(12)), None));
    }

    /// Any text, or words that mean something in any order, with numbers of any size between them.
    fn odd_line() -> impl Strategy<Value = String> {
        const WORDS: &str = "depth seldepth multipv nodes nps hashfull tbhits time score cp mate lowerbound upperbound wdl \
                             currmove currmovenumber currline refutation sbhits cpuload pv e2e4 e7e8q O-O Nf3 string 1. ...";
        let known = prop::sample::select(WORDS.split(' ').collect::<Vec<_>>()).prop_map(str::to_owned);
        let word = prop_oneof![
            6 => known,
            3 => "[+-]?[0-9]{1,25}",
            1 => any::<String>(),
            1 => "[0-9]{1,3}[.+&!-]",
        ];
        let words = prop::collection::vec((word, "[ \t]{1,2}"), 0..20)
            .prop_map(|words| words.into_iter().map(|(word, gap)| word + &gap).collect());
        prop_oneof![4 => words, 1 => any::<String>()]
    }

    proptest! {
        /// Whatever an engine writes, what is believed of it is no mate unless it said so, and of the sign it wrote.
        #[test]
        fn scores_of_any_size_keep_their_sign(score in any::<i64>(), mate in any::<bool>()) {
            let mut info = Info::default();
            info.read_uci(&format!("score {} {score}", if mate { "mate" } else { "cp" }));
            let read = info.score.unwrap().centipawns();
            prop_assert_eq!(read.abs() >= 99_000, mate);
            prop_assert!(score == 0 || i64::from(read.signum()) == score.signum());
        }

        #[test]
        fn no_line_is_too_odd(line in odd_line()) {
            let mut info = Info::default();
            info.read_uci(&line);
            info.read_xboard(&line);
            let score = info.score.map_or(0, Evaluation::centipawns);
            prop_assert!((-MATE..MATE).contains(&score), "{}", score);
        }

        #[test]
        fn four_numbers_of_any_size_are_a_thinking_line(
            depth in "[1-9][0-9]{0,12}[.+&-]?", score in "[+-]?[0-9]{1,25}", time in any::<i64>(), nodes in any::<i64>(),
        ) {
            let line = format!("{depth} {score} {time} {nodes} e4");
            prop_assert!(Info::default().read_xboard(&line));
        }
    }
}
