//! What an engine says while it thinks: UCI `info` lines and xboard thinking lines, read into one form.

use std::time::Duration;

/// A score from the point of view of the engine that gives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evaluation {
    /// Hundredths of a pawn.
    Centipawns(i32),
    /// Mate in this many of its own moves; negative: it is being mated.
    Mate(i32),
}

impl Evaluation {
    /// Hundredths of a pawn, a mate being worth 100,000 less its distance (xboard's convention).
    #[must_use]
    pub fn centipawns(self) -> i32 {
        match self {
            Self::Centipawns(cp) => cp,
            Self::Mate(moves) if moves > 0 => 100_000 - moves,
            Self::Mate(moves) => -100_000 - moves,
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
    /// Time the engine says it used.
    pub time: Option<Duration>,
    /// Table-base hits.
    pub tb_hits: Option<u64>,
    /// Permille of the hash table in use.
    pub hashfull: Option<u32>,
    /// Its principal variation as it wrote it.
    pub pv: String,
}

impl Info {
    /// Takes in a UCI line that begins with `info`. Lines of other variations than the first are left out, and a bound
    /// (`lowerbound`, `upperbound`) does not replace an exact score.
    pub fn read_uci(&mut self, line: &str) {
        let mut words = line.split_ascii_whitespace().skip(1).peekable();
        let mut seen = Self::default();
        let mut bound = false;
        while let Some(word) = words.next() {
            match word {
                "string" => return,
                "multipv" if words.next().is_some_and(|n| n != "1") => return,
                "depth" => seen.depth = words.next().and_then(|w| w.parse().ok()),
                "seldepth" => seen.seldepth = words.next().and_then(|w| w.parse().ok()),
                "nodes" => seen.nodes = words.next().and_then(|w| w.parse().ok()),
                "time" => seen.time = words.next().and_then(|w| w.parse().ok()).map(Duration::from_millis),
                "tbhits" => seen.tb_hits = words.next().and_then(|w| w.parse().ok()),
                "hashfull" => seen.hashfull = words.next().and_then(|w| w.parse().ok()),
                "score" => {
                    let kind = words.next();
                    let value = words.next().and_then(|w| w.parse().ok());
                    seen.score = match kind {
                        Some("cp") => value.map(Evaluation::Centipawns),
                        Some("mate") => value.map(Evaluation::Mate),
                        _ => None,
                    };
                }
                "lowerbound" | "upperbound" => bound = true,
                "pv" => {
                    seen.pv = words.by_ref().collect::<Vec<_>>().join(" ");
                }
                _ => {}
            }
        }
        if !(bound && self.score.is_some()) {
            self.score = seen.score.or(self.score);
        }
        // `info depth N` alone announces an iteration; only a line with a score says it has found something.
        if seen.score.is_some() {
            self.depth = seen.depth.or(self.depth);
            self.seldepth = seen.seldepth.or(self.seldepth);
        }
        self.nodes = seen.nodes.or(self.nodes);
        self.time = seen.time.or(self.time);
        self.tb_hits = seen.tb_hits.or(self.tb_hits);
        self.hashfull = seen.hashfull.or(self.hashfull);
        if !seen.pv.is_empty() {
            self.pv = seen.pv;
        }
    }

    /// Takes in an xboard thinking line, `ply score time nodes [seldepth nps tbhits]\tpv`; true if it was one.
    /// Book lines (all four numbers zero) and lines of text are none.
    pub fn read_xboard(&mut self, line: &str) -> bool {
        let head_and_pv = line.split_once('\t');
        let head = head_and_pv.map_or(line, |(head, _)| head);
        let mut words = head.split_ascii_whitespace();
        // Old engines glue a `.`, `+`, `-` or `&` to the depth.
        let Some(depth) =
            words.next().and_then(|w| w.trim_end_matches(['.', '+', '-', '&', '!', '?']).parse::<u32>().ok())
        else {
            return false;
        };
        let Some(score) = words.next().and_then(|w| w.parse::<i32>().ok()) else { return false };
        let Some(time) = words.next().and_then(|w| w.parse::<u64>().ok()) else { return false };
        let Some(nodes) = words.next().and_then(|w| w.parse::<u64>().ok()) else { return false };
        if depth == 0 && nodes == 0 {
            return false;
        }
        self.depth = Some(depth);
        self.score = Some(match score {
            100_000.. => Evaluation::Mate(score - 100_000),
            ..=-100_000 => Evaluation::Mate(score + 100_000),
            _ => Evaluation::Centipawns(score),
        });
        self.time = Some(Duration::from_millis(time.saturating_mul(10)));
        self.nodes = Some(nodes);
        self.pv = match head_and_pv {
            Some((_, pv)) => {
                let mut extra = words;
                self.seldepth = extra.next().and_then(|w| w.parse().ok()).or(self.seldepth);
                pv.trim().to_owned()
            }
            None => words.collect::<Vec<_>>().join(" "),
        };
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_stockfish_says() {
        let mut info = Info::default();
        info.read_uci("info depth 11 seldepth 10 multipv 1 score cp -28 nodes 42805 nps 629485 hashfull 14 tbhits 0 time 68 pv c7c5 g1e2");
        assert_eq!(info.score, Some(Evaluation::Centipawns(-28)));
        assert_eq!((info.depth, info.seldepth, info.nodes), (Some(11), Some(10), Some(42805)));
        assert_eq!(info.pv, "c7c5 g1e2");
        info.read_uci("info depth 12 score cp 90 lowerbound nodes 50000");
        assert_eq!(info.score, Some(Evaluation::Centipawns(-28)), "a bound does not replace a score");
        info.read_uci("info depth 12 multipv 2 score mate 3 pv a2a3");
        assert_eq!(info.score, Some(Evaluation::Centipawns(-28)), "the second variation is not the move");
        info.read_uci("info depth 13");
        assert_eq!(info.depth, Some(12));
        info.read_uci("info depth 13 score mate -3 nodes 60000");
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
        assert!(!info.read_xboard("  0      0     0        0  (e7-e5  c7-c5, book1)"), "phalanx's book line");
        for text in ["", "Time for move : 50", "# 16+16 pieces", "3", "1 2 x 4"] {
            assert!(!info.read_xboard(text), "{text}");
        }
    }
}
