//! `go` with its limits, `stop`, and pondering.

use super::super::Level::{Must, Wanted};
use super::super::lines::{MATE_IN_1, MATE_IN_2, POSITIONS};
use super::super::probe::{Fault, Seen, broken, verdict};
use super::Rule;
use super::{Engine, Search, is_bestmove};
use std::time::{Duration, Instant};
use thinking::score::Reported;

pub(super) const RULES: &[Rule<Engine>] = &[
    (Must, "go depth ends by itself at that depth", depth),
    (Must, "go nodes ends near that many nodes", nodes),
    (Must, "go movetime keeps to its time", movetime),
    (Must, "go wtime alone, White to move (fastchess)", |engine| timed(engine, "", "go wtime 200")),
    (Must, "go btime alone, Black to move (fastchess)", |engine| timed(engine, "e2e4", "go btime 200")),
    (Must, "go wtime winc btime binc in this order", |engine| {
        timed(engine, "", "go wtime 200 winc 100 btime 200 binc 100")
    }),
    (Must, "go btime binc wtime winc in this order", |engine| {
        timed(engine, "e2e4", "go btime 200 binc 100 wtime 200 winc 100")
    }),
    (Must, "go with movestogo", |engine| timed(engine, "", "go wtime 300 btime 300 movestogo 1")),
    (Wanted, "a clock at zero or below is no reason to hang", |engine| {
        timed(engine, "", "go wtime -100 btime 0 winc 0 binc 0")
    }),
    (Must, "go mate 2 finds the mate in two", mate),
    (Must, "go searchmoves, last on the line, is obeyed", searchmoves),
    (Must, "go without limits searches until stop", |engine| endless(engine, "go")),
    (Must, "go infinite searches until stop", |engine| endless(engine, "go infinite")),
    (Must, "go infinite is silent until stop even with nothing left to search", |engine| {
        held_back(engine, "go infinite", "stop")
    }),
    (Must, "go ponder is silent until ponderhit", |engine| {
        engine.need("Ponder")?;
        held_back(engine, "go ponder wtime 500 btime 500", "ponderhit")
    }),
    (Must, "go ponder is silent until stop", |engine| {
        engine.need("Ponder")?;
        held_back(engine, "go ponder wtime 500 btime 500", "stop")
    }),
    (Must, "after ponderhit the clock counts", ponder_hit),
    (Must, "stop is answered by bestmove within half a second, ten times", stops),
];

fn depth(engine: &mut Engine) -> Seen {
    let search = engine.search(POSITIONS[1], "go depth 5")?;
    let reached = search.lines().iter().map(|line| line.depth).max().unwrap_or(0);
    // An engine need not show its last iteration.
    verdict((4..=5).contains(&reached), format!("depth {reached} of 5"))
}

fn nodes(engine: &mut Engine) -> Seen {
    let search = engine.search(POSITIONS[2], "go nodes 20000")?;
    let told = search.said.iter().filter(|line| line.starts_with("info"));
    let nodes = told.filter_map(|line| {
        line.split_whitespace().skip_while(|&word| word != "nodes").nth(1)?.parse::<u64>().ok()
    });
    match nodes.max() {
        // What it told last may be some time before its end.
        Some(nodes) => verdict((5_000..=40_000).contains(&nodes), format!("{nodes} nodes of 20000")),
        None => broken("it tells no nodes"),
    }
}

fn movetime(engine: &mut Engine) -> Seen {
    engine.ready()?;
    let began = Instant::now();
    engine.search(POSITIONS[2], "go movetime 300")?;
    let took = began.elapsed().as_millis();
    verdict((100..=900).contains(&took), format!("{took} ms of 300"))
}

/// A move in time, a line with a score, and `bestmove` at the end.
fn timed(engine: &mut Engine, moves: &str, go: &str) -> Seen {
    engine.ready()?;
    let began = Instant::now();
    let search = engine.search(("", moves), go)?;
    let took = began.elapsed().as_millis();
    if search.scored().next().is_none() {
        return broken("no info line with a score came before bestmove");
    }
    verdict(took <= 1000, format!("bestmove {} after {took} ms", search.best))
}

fn mate(engine: &mut Engine) -> Seen {
    let search = engine.search((MATE_IN_2, ""), "go mate 2")?;
    match search.lines().last().map(|line| line.score) {
        Some(Reported::Mate(moves @ 1..=2)) => Ok(format!("mate {moves}, bestmove {}", search.best)),
        score => broken(format!("the last score is {score:?}")),
    }
}

fn searchmoves(engine: &mut Engine) -> Seen {
    let search = engine.search(("", ""), "go depth 4 searchmoves a2a3 h2h3")?;
    verdict(["a2a3", "h2h3"].contains(&search.best.as_str()), format!("bestmove {}", search.best))
}

fn is_silent(engine: &mut Engine, time: Duration) -> Result<Vec<String>, Fault> {
    let said = engine.probe.listen(time)?;
    match said.iter().find(|line| is_bestmove(line)) {
        Some(line) => broken(format!("{line} came unasked")),
        None => Ok(said),
    }
}

fn endless(engine: &mut Engine, go: &str) -> Seen {
    let game = engine.begin(POSITIONS[2], go)?;
    is_silent(engine, Duration::from_millis(400))?;
    engine.probe.send("stop");
    let search = engine.finish(game)?;
    search.check_move()?;
    Ok(format!("bestmove {} after stop", search.best))
}

/// A search with nothing left to do, or whose move does not matter yet, keeps its move to itself.
fn held_back(engine: &mut Engine, go: &str, word: &str) -> Seen {
    let game = engine.begin((MATE_IN_1, ""), &format!("{go} depth 4"))?;
    is_silent(engine, Duration::from_millis(500))?;
    engine.probe.send(word);
    let search = engine.finish(game)?;
    search.check_move()?;
    Ok(format!("bestmove {} after {word}", search.best))
}

fn ponder_hit(engine: &mut Engine) -> Seen {
    engine.need("Ponder")?;
    let game = engine.begin(POSITIONS[1], "go ponder wtime 300 btime 300")?;
    is_silent(engine, Duration::from_millis(400))?;
    engine.probe.send("ponderhit");
    let hit = Instant::now();
    let search: Search = engine.finish(game)?;
    search.check_move()?;
    let took = hit.elapsed().as_millis();
    verdict(took <= 1000, format!("bestmove {} after {took} ms", search.best))
}

fn stops(engine: &mut Engine) -> Seen {
    let mut worst = Duration::ZERO;
    for (number, position) in (0..10).zip(POSITIONS.into_iter().cycle()) {
        let game = engine.begin(position, "go infinite")?;
        is_silent(engine, Duration::from_millis(10 * number))?;
        engine.probe.send("stop");
        let told = Instant::now();
        engine.finish(game)?.check_move()?;
        worst = worst.max(told.elapsed());
    }
    verdict(worst <= Duration::from_millis(500), format!("at most {} ms", worst.as_millis()))
}

#[cfg(all(test, unix))]
mod tests {
    use super::super::super::scripted::tried;
    use super::*;

    /// An engine that searches only once it has been asked whether it is ready, and shows this line.
    fn engine(line: &str) -> String {
        let script = "\
while read -r word rest; do
  case $word in
    uci) echo uciok ;;
    isready) ready=yes; echo readyok ;;
    position) case $rest in
        startpos*) move=h7h6 ;;
        *) move=a2a3 ;;
      esac ;;
    go) [ \"$ready\" ] || exit 1
        echo \"info LINE pv $move\"
        echo \"bestmove $move\" ;;
    quit) exit ;;
  esac
done";
        script.replace("LINE", line)
    }

    /// UCI's text: `isready` "is also required once before the engine is asked to do any search".
    #[test]
    fn no_search_begins_before_the_engine_is_ready() {
        let ready = engine("depth 5 score cp 1 nodes 20000 time 1");
        for rule in ["go depth", "go nodes"] {
            let (seen, _) = tried(&ready, RULES, rule);
            assert!(seen.is_ok(), "{rule}: {seen:?}");
        }
        // It moves at once: only its time is found fault with.
        let (seen, _) = tried(&ready, RULES, "go movetime");
        let (Ok(told) | Err(Fault::Broken(told))) = &seen else { panic!("{seen:?}") };
        assert!(told.ends_with(" ms of 300"), "{told}");
    }

    #[test]
    fn an_engine_that_does_not_ponder_breaks_no_rule_about_pondering() {
        let plain = engine("depth 5 score cp 1 nodes 20000 time 1");
        for rule in ["go ponder is silent until p", "go ponder is silent until s", "after ponderhit"] {
            let (seen, _) = tried(&plain, RULES, rule);
            assert_eq!(seen, Err(Fault::NotOffered("no option Ponder".into())), "{rule}");
        }
    }

    #[test]
    fn a_search_that_ends_far_before_its_limit_breaks_the_rule() {
        let (seen, _) = tried(&engine("depth 5 score cp 1 nodes 21 time 1"), RULES, "go nodes");
        assert_eq!(seen, broken("21 nodes of 20000"));
        let (seen, _) = tried(&engine("depth 1 score cp 1 nodes 20000 time 1"), RULES, "go depth");
        assert_eq!(seen, broken("depth 1 of 5"));
    }
}
