//! What an engine prints while it searches.

use super::super::Level::{Must, Wanted};
use super::super::lines::{self, Judge, MATE_IN_1, MATE_IN_2, MATED_IN_1, NEARLY_FIFTY, POSITIONS};
use super::super::probe::{Seen, broken, verdict};
use super::Rule;
use super::{Engine, Search, is_bestmove};
use std::time::Duration;
use thinking::report::Bound;
use thinking::score::Reported;

pub(super) const RULES: &[Rule<Engine>] = &[
    (Must, "numbers in info lines are whole, and every line with a pv has a score", numbers),
    (Must, "every line shown is legal to its end", legal_lines),
    (Wanted, "bestmove is the first move of the last line of rank one", head_of_line),
    (Wanted, "with MultiPV 3 bestmove is the first move of the last line of rank one", |engine| {
        engine.set("MultiPV", "3")?;
        head_of_line(engine)
    }),
    (Wanted, "with two threads bestmove is the first move of the last line of rank one", |engine| {
        engine.set("Threads", "2")?;
        head_of_line(engine)
    }),
    (Wanted, "lines end where the game ends: mate, fifty moves, repetition", lines_end),
    (Must, "mates are counted in moves, with their sign", mates),
    (Wanted, "nothing comes after bestmove", nothing_after),
    (Must, "MultiPV 3 shows three different moves with ranks 1 to 3", multipv),
    (Wanted, "UCI_ShowWDL: three numbers that add up to 1000", wdl),
    (Must, "with two threads lines and moves stay legal", two_threads),
    (Must, "hashfull is per mille", hashfull),
];

const INTEGERS: [&str; 9] =
    ["depth", "seldepth", "multipv", "nodes", "nps", "hashfull", "tbhits", "time", "currmovenumber"];

fn numbers(engine: &mut Engine) -> Seen {
    let mut count = 0;
    for position in POSITIONS {
        let search = engine.search(position, "go movetime 150")?;
        for line in search.said.iter().filter(|l| l.starts_with("info") && !l.starts_with("info string")) {
            let words: Vec<&str> = line.split_whitespace().collect();
            for pair in words.windows(2).filter(|pair| INTEGERS.contains(&pair[0])) {
                if pair[1].parse::<u64>().is_err() {
                    return broken(format!("{} {} in: {line}", pair[0], pair[1]));
                }
            }
            if words.contains(&"pv") && !words.contains(&"score") {
                return broken(format!("a pv without a score: {line}"));
            }
            count += 1;
        }
    }
    verdict(count > 0, format!("{count} lines"))
}

/// All lines of a search, of whatever rank.
fn check_lines(search: &Search, judge: Judge) -> Result<usize, super::Fault> {
    let lines = search.lines();
    for line in &lines {
        let pv: Vec<&str> = line.pv.iter().map(String::as_str).collect();
        if let Some(fault) = judge(&search.game, search.spelling, &pv) {
            return broken(format!("{fault}: pv {}", pv.join(" ")));
        }
    }
    Ok(lines.len())
}

fn legal_lines(engine: &mut Engine) -> Seen {
    let mut count = 0;
    for position in POSITIONS {
        count += check_lines(&engine.search(position, "go movetime 200")?, lines::illegal)?;
    }
    verdict(count > 0, format!("{count} lines"))
}

fn check_head(search: &Search) -> Seen {
    let lines = search.lines();
    let Some(last) = lines.iter().rfind(|line| line.multipv == 1 && !line.pv.is_empty()) else {
        return broken("no line with a pv");
    };
    let said = format!("bestmove {}, last line {}", search.best, last.pv.join(" "));
    verdict(last.pv[0] == search.best, said)
}

fn head_of_line(engine: &mut Engine) -> Seen {
    engine.ready()?;
    for position in POSITIONS {
        for go in ["go movetime 60", "go nodes 3000", "go depth 6"] {
            check_head(&engine.search(position, go)?)?;
        }
    }
    Ok("in 15 searches".into())
}

fn lines_end(engine: &mut Engine) -> Seen {
    let mut count = 0;
    for fen in [MATE_IN_2, MATED_IN_1, NEARLY_FIFTY, "7k/8/6K1/8/8/8/p7/1R6 b - - 0 1"] {
        count += check_lines(&engine.search((fen, ""), "go depth 10")?, lines::overlong)?;
    }
    let shuffled = "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1";
    count += check_lines(&engine.search(("", shuffled), "go depth 6")?, lines::overlong)?;
    verdict(count > 0, format!("{count} lines"))
}

fn mates(engine: &mut Engine) -> Seen {
    for (fen, wanted) in [(MATE_IN_1, 1), (MATE_IN_2, 2), (MATED_IN_1, -1)] {
        let search = engine.search((fen, ""), "go depth 12")?;
        let score = search.lines().iter().rfind(|line| line.bound == Bound::Exact).map(|line| line.score);
        if score != Some(Reported::Mate(wanted)) {
            let score = score.map_or_else(|| "no score".into(), |score| score.to_string());
            return broken(format!("{score} instead of mate {wanted} in {fen}"));
        }
    }
    Ok("mate 1, mate 2, mate -1".into())
}

fn nothing_after(engine: &mut Engine) -> Seen {
    engine.search(POSITIONS[2], "go depth 5")?;
    let after = engine.probe.listen(Duration::from_millis(150))?;
    let game = engine.begin(POSITIONS[2], "go infinite")?;
    engine.probe.listen(Duration::from_millis(50))?;
    engine.probe.send("stop");
    engine.finish(game)?;
    let after = [after, engine.probe.listen(Duration::from_millis(150))?].concat();
    after.first().map_or_else(|| Ok("silence".into()), |line| broken(format!("it says: {line}")))
}

fn multipv(engine: &mut Engine) -> Seen {
    engine.set("MultiPV", "3")?;
    engine.ready()?;
    let search = engine.search(POSITIONS[2], "go depth 5")?;
    check_lines(&search, lines::illegal)?;
    let lines = search.lines();
    let heads: Vec<&str> = (1..=3)
        .filter_map(|rank| lines.iter().rfind(|line| line.multipv == rank)?.pv.first())
        .map(String::as_str)
        .collect();
    let different = heads.len() == 3 && heads[0] != heads[1] && heads[1] != heads[2] && heads[0] != heads[2];
    verdict(different, format!("ranks begin with {}", heads.join(", ")))
}

fn wdl(engine: &mut Engine) -> Seen {
    engine.set("UCI_ShowWDL", "true")?;
    engine.ready()?;
    let search = engine.search(POSITIONS[1], "go depth 6")?;
    let lines = search.lines();
    match lines.last().and_then(|line| line.wdl) {
        Some(wdl) => verdict(wdl.win + wdl.draw + wdl.loss == 1000, format!("{wdl:?}")),
        None => broken("no wdl in the last line"),
    }
}

fn two_threads(engine: &mut Engine) -> Seen {
    engine.set("Threads", "2")?;
    engine.ready()?;
    let mut count = 0;
    for position in POSITIONS {
        for go in ["go movetime 100", "go nodes 5000"] {
            count += check_lines(&engine.search(position, go)?, lines::illegal)?;
        }
    }
    engine.probe.send("stop");
    let stray = engine.ready()?;
    if stray.iter().any(|line| is_bestmove(line)) {
        return broken("a second bestmove");
    }
    Ok(format!("{count} lines"))
}

fn hashfull(engine: &mut Engine) -> Seen {
    engine.need("Hash")?;
    engine.set("Hash", "1")?;
    engine.ready()?;
    let search = engine.search(POSITIONS[2], "go movetime 300")?;
    let most = search.lines().iter().map(|line| line.hashfull).max().unwrap_or(0);
    verdict(most <= 1000, format!("at most {most}"))
}

#[cfg(all(test, unix))]
mod tests {
    use super::super::super::scripted::tried;
    use super::super::Fault;
    use super::*;

    /// Three legal moves in each of the positions; the last line of rank one begins with the first of them, and
    /// the second is played.
    const ANOTHER_HEAD: &str = "\
while read -r word rest; do
  case $word in
    uci) echo 'option name MultiPV type spin default 1 min 1 max 9'
         echo 'option name Threads type spin default 1 min 1 max 9'; echo uciok ;;
    isready) echo readyok ;;
    position) case $rest in
        startpos) moves='e2e4 d2d4 g1f3' ;;
        startpos*) moves='h7h6 b7b5 d7d6' ;;
        *r3k2r*) moves='a2a3 a2a4 g2g3' ;;
        *8/2p5*) moves='c7c6 c7c5 d6d5' ;;
        *) moves='h2h3 b2b4 a3a4' ;;
      esac ;;
    go) set -- $moves
        echo \"info depth 5 multipv 1 score cp 1 nodes 9 time 1 pv $1\"
        echo \"info depth 5 multipv 2 score cp 1 nodes 9 time 1 pv $2\"
        echo \"info depth 5 multipv 3 score cp 1 nodes 9 time 1 pv $3\"
        echo \"bestmove $2\" ;;
  esac
done";

    /// Which line a move comes from is wanted and no more, with several lines and threads as with one.
    #[test]
    fn a_move_that_heads_another_line_breaks_no_rule_about_legality() {
        for rule in ["every line shown is legal", "MultiPV 3 shows", "with two threads lines and moves"] {
            let (seen, _) = tried(ANOTHER_HEAD, RULES, rule);
            assert!(seen.is_ok(), "{rule}: {seen:?}");
        }
        for rule in ["bestmove is the first", "with MultiPV 3 bestmove is", "with two threads bestmove is"] {
            let (seen, _) = tried(ANOTHER_HEAD, RULES, rule);
            let told = "bestmove d2d4, last line e2e4";
            assert_eq!(seen, broken(told), "{rule}");
        }
    }

    /// UCI's text has no other notation than coordinates.
    #[test]
    fn a_line_in_standard_notation_breaks_the_rule() {
        let script = ANOTHER_HEAD.replace("moves='e2e4 d2d4 g1f3'", "moves='e2e4 d2d4 Nf3'");
        assert_ne!(script, ANOTHER_HEAD);
        let Err(Fault::Broken(seen)) = tried(&script, RULES, "every line shown is legal").0 else {
            panic!("it is kept");
        };
        assert!(seen.starts_with("move 1, Nf3, should be written g1f3 in rnbqkbnr/"), "{seen}");
    }

    /// A value beyond what an option declares is the client's fault.
    #[test]
    fn no_option_is_set_beyond_its_range() {
        let script = ANOTHER_HEAD.replace("max 9", "max 1");
        for (rule, told) in [
            ("MultiPV 3 shows", "MultiPV goes to 1 only"),
            ("with MultiPV 3 bestmove is", "MultiPV goes to 1 only"),
            ("with two threads lines and moves", "Threads goes to 1 only"),
            ("with two threads bestmove is", "Threads goes to 1 only"),
        ] {
            let (seen, _) = tried(&script, RULES, rule);
            assert_eq!(seen, Err(Fault::NotOffered(told.into())), "{rule}");
        }
    }
}
