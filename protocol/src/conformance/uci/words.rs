//! Commands and positions: what an engine must take, and in which order.

use super::super::Level::{Must, Wanted};
use super::super::lines::{MATED, STALEMATED};
use super::super::probe::{Seen, broken, verdict};
use super::Rule;
use super::{Engine, is_bestmove};
use std::time::Duration;

pub(super) const RULES: &[Rule<Engine>] = &[
    (Must, "isready is answered by readyok", |engine| engine.ready().map(|_| "readyok".into())),
    (Must, "isready is answered in mid-search, before the move", ready_in_search),
    (Wanted, "unknown commands, and unknown words before a command, are passed over", unknown_words),
    (Must, "a line may end with CR LF", carriage_returns),
    (Wanted, "debug and register are taken without a word", debug_and_register),
    (Must, "stop and ponderhit without a search print no move", stray_words),
    (Must, "ucinewgame leaves it ready", new_game),
    (Must, "option names count in any case; Hash need be no power of two", odd_hash),
    (Must, "options may be changed between searches", options_between_searches),
    (Must, "Clear Hash may be pressed", clear_hash),
    (Must, "position and go right behind stop are not lost", burst_behind_stop),
    (Must, "positions with moves: castling, en passant and promotion", moves_are_played),
    (Wanted, "a FEN may have four fields", |engine| {
        engine.search(("4k3/8/8/8/8/8/4P3/4K3 w - -", ""), "go depth 2")?.brief()
    }),
    (Wanted, "a FEN may have five fields", |engine| {
        engine.search(("4k3/8/8/8/8/8/4P3/4K3 b - - 0", ""), "go depth 2")?.brief()
    }),
    (Must, "an en passant square where no capture is possible is taken", |engine| {
        engine
            .search(("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq e6 0 2", ""), "go depth 2")?
            .brief()
    }),
    (Must, "castling is written as the king's step, e1g1", castling),
    (Must, "UCI_Chess960: castling comes and goes as king takes rook", chess960),
    (Wanted, "a mated root is answered by bestmove (none) or 0000", |engine| no_move(engine, MATED)),
    (Wanted, "a stalemated root is answered by bestmove (none) or 0000", |engine| {
        no_move(engine, STALEMATED)
    }),
];

const MIDDLE_GAME: (&str, &str) = super::lines::POSITIONS[2];

fn ready_in_search(engine: &mut Engine) -> Seen {
    let game = engine.begin(MIDDLE_GAME, "go infinite")?;
    let before = engine.ready()?;
    if before.iter().any(|line| is_bestmove(line)) {
        return broken("bestmove came first");
    }
    engine.probe.send("stop");
    engine.finish(game)?;
    Ok("readyok before bestmove".into())
}

/// UCI's text of 2006 has an engine pass over an unknown word and read the rest of the line; its example is a
/// made-up word before `debug on`.
fn unknown_words(engine: &mut Engine) -> Seen {
    engine.probe.send("xyzzy plugh\njoho debug off\n\n   \nuserdefined 1 2 3");
    engine.ready()?;
    engine.probe.send("joho isready");
    engine.probe.until("readyok to 'joho isready'", |line| line.trim() == "readyok")?;
    engine.search(("", ""), "go depth 1")?.brief()
}

fn carriage_returns(engine: &mut Engine) -> Seen {
    engine.probe.send("isready\r");
    engine.probe.until("readyok", |line| line.trim() == "readyok")?;
    engine.probe.send("position startpos moves e2e4\r\ngo depth 2\r");
    let search = engine.finish(super::lines::game("", "e2e4"))?;
    search.check_move()?;
    search.brief()
}

/// `debug` may come at any time, and a command that is not supposed to come is to be ignored (UCI's text of
/// 2006), as `register` is where no registration was asked for. A line that is not UCI's is not silence.
fn debug_and_register(engine: &mut Engine) -> Seen {
    engine.probe.send("debug on\ndebug off\nregister later");
    let said = engine.ready()?;
    let odd = said.iter().find(|line| !line.trim().is_empty() && !line.starts_with("info string"));
    odd.map_or_else(|| Ok("silence".into()), |line| broken(format!("it says: {line}")))
}

fn stray_words(engine: &mut Engine) -> Seen {
    engine.probe.send("stop\nponderhit\nstop");
    let said = engine.ready()?;
    let odd = said.iter().find(|line| is_bestmove(line));
    odd.map_or_else(|| Ok("silence".into()), |line| broken(format!("it says: {line}")))
}

fn new_game(engine: &mut Engine) -> Seen {
    engine.search(("", ""), "go depth 3")?;
    engine.probe.send("ucinewgame");
    engine.ready()?;
    engine.search(("", ""), "go depth 3")?.brief()
}

fn odd_hash(engine: &mut Engine) -> Seen {
    engine.need("Hash")?;
    engine.set("hASH", "33")?;
    let said = engine.ready()?;
    if let Some(line) = said.iter().find(|line| line.to_lowercase().contains("no such")) {
        return broken(format!("it says: {line}"));
    }
    engine.search(("", ""), "go depth 4")?.brief()
}

fn options_between_searches(engine: &mut Engine) -> Seen {
    engine.need("Threads")?;
    for (threads, hash) in [("2", "8"), ("1", "24"), ("2", "24")] {
        engine.set("Threads", threads)?;
        engine.set("Hash", hash)?;
        engine.ready()?;
        engine.search(MIDDLE_GAME, "go depth 4")?;
    }
    Ok("three times".into())
}

fn clear_hash(engine: &mut Engine) -> Seen {
    engine.need("Clear Hash")?;
    engine.search(("", ""), "go depth 4")?;
    engine.probe.send("setoption name Clear Hash");
    engine.ready()?;
    engine.search(("", ""), "go depth 4")?.brief()
}

fn burst_behind_stop(engine: &mut Engine) -> Seen {
    let first = engine.begin(MIDDLE_GAME, "go infinite")?;
    engine.probe.listen(Duration::from_millis(100))?;
    engine.probe.send("stop\nposition startpos moves e2e4\ngo depth 2");
    engine.finish(first)?.check_move()?;
    let second = engine.finish(super::lines::game("", "e2e4"))?;
    second.check_move()?;
    second.brief()
}

fn moves_are_played(engine: &mut Engine) -> Seen {
    let castled = "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1g1 g8f6 d2d3 e8g8";
    let en_passant = "e2e4 a7a6 e4e5 d7d5 e5d6";
    let promoted = "a2a4 b7b5 a4b5 a7a6 b5a6 c8b7 a6b7 d8c8 b7a8q";
    for moves in [castled, en_passant, promoted] {
        engine.search(("", moves), "go depth 2")?;
    }
    Ok("legal answers to all three".into())
}

fn castling(engine: &mut Engine) -> Seen {
    let at = ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "");
    let search = engine.search(at, "go depth 1 searchmoves e1g1")?;
    verdict(search.best == "e1g1", format!("bestmove {}", search.best))
}

fn chess960(engine: &mut Engine) -> Seen {
    const SHUFFLED: &str = "1r3k1r/8/8/8/8/8/8/1R3K1R w HBhb - 0 1";
    // Without the option castling would be written e1g1 here.
    const USUAL: &str = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    engine.set("UCI_Chess960", "true")?;
    engine.ready()?;
    engine.search((SHUFFLED, "f1h1"), "go depth 3")?;
    for (fen, castle) in [(SHUFFLED, "f1h1"), (USUAL, "e1h1")] {
        let search = engine.search((fen, ""), &format!("go depth 3 searchmoves {castle}"))?;
        if search.best != castle {
            return broken(format!("bestmove {} where {castle} alone was asked for", search.best));
        }
    }
    Ok("bestmove f1h1 and e1h1".into())
}

fn no_move(engine: &mut Engine, fen: &str) -> Seen {
    let game = engine.begin((fen, ""), "go depth 3")?;
    let search = engine.finish(game)?;
    let none = ["(none)", "0000", "NULL", "none"].contains(&search.best.as_str());
    verdict(none, format!("bestmove {}", search.best))
}

#[cfg(all(test, unix))]
mod tests {
    use super::super::super::scripted::tried;
    use super::*;

    /// An engine of these `case` arms.
    fn engine(arms: &str) -> String {
        format!("while read -r word rest; do case $word in uci) echo uciok;; {arms} quit) exit;; esac; done")
    }

    /// What it says before `readyok` is looked at, and that `readyok` comes.
    #[test]
    fn rules_about_readiness_hear_what_comes_before_it() {
        let stray = engine("isready) echo readyok;; stop) echo bestmove a2a3;;");
        let (seen, _) = tried(&stray, RULES, "stop and ponderhit without a search");
        assert_eq!(seen, broken("it says: bestmove a2a3"));
        let talker = engine("isready) echo readyok;; debug) echo Unknown command: debug;;");
        let (seen, _) = tried(&talker, RULES, "debug and register are taken");
        assert_eq!(seen, broken("it says: Unknown command: debug"));
        for rule in ["isready is answered by readyok", "stop and ponderhit without a search"] {
            let (seen, _) = tried(&engine("isready) exit;;"), RULES, rule);
            assert!(seen.is_err(), "{rule}: {seen:?}");
            let (seen, _) = tried(&engine("isready) echo readyok;;"), RULES, rule);
            assert!(seen.is_ok(), "{rule}: {seen:?}");
        }
    }

    /// An engine that writes castling so from where king and rooks stand as usual, and right elsewhere.
    fn castles_by(mv: &str) -> String {
        format!(
            "\
while read -r word rest; do
  case $word in
    uci) echo 'option name UCI_Chess960 type check default false'; echo uciok ;;
    isready) echo readyok ;;
    position) case $rest in
        *R3K2R*) move={mv} ;;
        *moves*) move=f8e7 ;;
        *) move=f1h1 ;;
      esac ;;
    go) echo \"bestmove $move\" ;;
    quit) exit ;;
  esac
done"
        )
    }

    /// In a position of Chess960 there is one notation only, with the option and without.
    #[test]
    fn an_engine_that_does_not_heed_chess960_breaks_the_rule() {
        let (seen, _) = tried(&castles_by("e1h1"), RULES, "UCI_Chess960: castling");
        assert!(seen.is_ok(), "{seen:?}");
        let (seen, _) = tried(&castles_by("e1g1"), RULES, "UCI_Chess960: castling");
        let wrong = "move 1, e1g1, should be written e1h1 in r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
        assert_eq!(seen, broken(format!("bestmove: {wrong}")));
        let (seen, _) = tried(&castles_by("e1f1"), RULES, "UCI_Chess960: castling");
        assert_eq!(seen, broken("bestmove e1f1 where e1h1 alone was asked for"));
    }

    /// UCI's text: "e1g1 (white short castling)".
    #[test]
    fn an_engine_whose_king_takes_its_rook_unasked_breaks_the_rule() {
        let (seen, _) = tried(&castles_by("e1g1"), RULES, "castling is written");
        assert!(seen.is_ok(), "{seen:?}");
        let (seen, _) = tried(&castles_by("e1h1"), RULES, "castling is written");
        let wrong = "move 1, e1h1, should be written e1g1 in 4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1";
        assert_eq!(seen, broken(format!("bestmove: {wrong}")));
        let (seen, _) = tried(&castles_by("e1f1"), RULES, "castling is written");
        assert_eq!(seen, broken("bestmove e1f1"));
    }
}
