//! Games of a PGN file played over again by a stranger: `pgn-reader` reads the text, `shakmaty` knows the rules.
//!
//! The runner judges games by this house's own rules of chess, so its word alone proves nothing. Here every move must be
//! legal, no game may go on after its end, the result must be the one the last position shows, and the tags must say how
//! it came about: an ending on the board must be on the board, and any other must not hide one.

use std::collections::HashMap;
use std::io::{self, Read};
use std::ops::ControlFlow;

use chess::text::{decode_part, one_line};
use pgn_reader::{Outcome, RawComment, RawTag, Reader, SanPlus, Visitor};
use shakmaty::fen::Fen;
use shakmaty::zobrist::Zobrist64;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position};

use crate::tablebase::reachable_or_not;

/// Longest comment that is read in one piece, in bytes.
const LONGEST_COMMENT: usize = 4096;

/// A game that was replayed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replayed {
    /// The names of White and of Black.
    pub players: [String; 2],
    /// The tag `Result`.
    pub result: String,
    /// The tag `Ending`, the word of [`crate::record::Ending`].
    pub ending: String,
    /// Legal moves played.
    pub plies: usize,
    /// What is wrong with it; empty if all is well.
    pub problems: Vec<String>,
}

/// Replays all games of a PGN text.
///
/// # Errors
/// Those of the input. A game that cannot be read is a game with problems and no error.
pub fn replay(pgn: impl Read) -> io::Result<Vec<Replayed>> {
    let mut reader = Reader::build(pgn).set_supported_comment_length(LONGEST_COMMENT).finish();
    let mut games = Vec::new();
    while let Some(game) = reader.read_game(&mut Replay)? {
        games.push(game);
    }
    Ok(games)
}

/// What the last position shows, in the words of the tag `Ending`.
fn end_on_board(position: &Chess, repetitions: u32) -> Option<&'static str> {
    if position.is_checkmate() {
        Some("checkmate")
    } else if position.is_stalemate() {
        Some("stalemate")
    } else if position.is_insufficient_material() {
        Some("insufficient-material")
    } else if repetitions >= 3 {
        Some("repetition")
    } else if position.halfmoves() >= 100 {
        Some("fifty-moves")
    } else {
        None
    }
}

/// The tag `Termination` and a word of the reason in the last comment, for every ending there is.
fn expected_words(ending: &str) -> Option<(&'static str, &'static str)> {
    Some(match ending {
        "checkmate" => ("normal", "mates"),
        "stalemate" => ("normal", "stalemate"),
        "repetition" => ("normal", "repetition"),
        "fifty-moves" => ("normal", "fifty-move"),
        "insufficient-material" => ("normal", "material"),
        "resignation" => ("normal", "resigns"),
        "draw-claim" => ("normal", "claims a draw"),
        "adjudicated-draw" | "adjudicated-win" | "maximum-length" => ("adjudication", "adjudication"),
        "tablebase" => ("adjudication", "tablebase"),
        "time-forfeit" => ("time forfeit", "on time"),
        "illegal-move" => ("rules infraction", "illegal move"),
        "false-claim" => ("rules infraction", "claim"),
        "refused-move" => ("rules infraction", "refuses"),
        "crash" => ("abandoned", "crashes"),
        "stall" => ("abandoned", "stalls"),
        "disconnect" => ("abandoned", "disconnects"),
        "start-failure" => ("abandoned", "does not get ready"),
        _ => return None,
    })
}

/// Whether a game that ended so is a draw; the tablebase alone knows all results.
fn is_draw(ending: &str) -> bool {
    matches!(
        ending,
        "stalemate"
            | "repetition"
            | "fifty-moves"
            | "insufficient-material"
            | "draw-claim"
            | "adjudicated-draw"
            | "maximum-length"
    )
}

/// A game in progress.
struct Game {
    tags: HashMap<String, String>,
    position: Chess,
    seen: HashMap<Zobrist64, u32>,
    repetitions: u32,
    plies: usize,
    last_comment: String,
    written_result: Option<String>,
    problems: Vec<String>,
}

impl Game {
    fn new(tags: HashMap<String, String>) -> Self {
        let mut problems = Vec::new();
        let chess960 = tags.get("Variant").is_some_and(|variant| variant == "Chess960");
        let mode = if chess960 { CastlingMode::Chess960 } else { CastlingMode::Standard };
        let start = tags.get("FEN").map(|text| {
            let fen = text.parse::<Fen>().map_err(|e| e.to_string())?;
            reachable_or_not(fen.into_position(mode))
        });
        let position = match start {
            Some(Ok(position)) => position,
            Some(Err(error)) => {
                problems.push(format!("the tag FEN: {error}"));
                Chess::default()
            }
            None => Chess::default(),
        };
        let mut game = Self {
            tags,
            position,
            seen: HashMap::new(),
            repetitions: 0,
            plies: 0,
            last_comment: String::new(),
            written_result: None,
            problems,
        };
        game.count_position();
        game
    }

    fn count_position(&mut self) {
        let count = self.seen.entry(self.position.zobrist_hash(EnPassantMode::Legal)).or_default();
        *count += 1;
        self.repetitions = *count;
    }

    fn play(&mut self, san: &SanPlus) {
        if let Some(end) = end_on_board(&self.position, self.repetitions) {
            self.problems.push(format!("goes on after {end} at ply {}", self.plies));
        }
        let mv = match san.san.to_move(&self.position) {
            Ok(mv) => mv,
            Err(error) => {
                self.problems.push(format!("ply {}: {san}: {error}", self.plies + 1));
                return;
            }
        };
        let standard = SanPlus::from_move_and_play_unchecked(&mut self.position, mv);
        self.plies += 1;
        self.count_position();
        if standard != *san {
            self.problems.push(format!("ply {}: {san} should be written {standard}", self.plies));
        }
    }

    fn tag(&self, name: &str) -> &str {
        self.tags.get(name).map_or("", String::as_str)
    }

    /// Compares the tags with the board.
    fn check(&mut self) {
        let mut problems = std::mem::take(&mut self.problems);
        let (result, ending) = (self.tag("Result"), self.tag("Ending"));
        if self.written_result.as_deref() != Some(result) {
            problems
                .push(format!("the tag Result is {result}, the moves end with {:?}", self.written_result));
        }
        if self.tag("PlyCount") != self.plies.to_string() {
            problems.push(format!("{} plies, PlyCount is {}", self.plies, self.tag("PlyCount")));
        }
        match expected_words(ending) {
            None => problems.push(format!("unknown ending `{ending}`")),
            Some((termination, word)) => {
                if self.tag("Termination") != termination {
                    problems.push(format!("ending {ending}, Termination is {}", self.tag("Termination")));
                }
                if !self.last_comment.contains(word) {
                    problems.push(format!("ending {ending}, the reason is `{}`", self.last_comment));
                }
            }
        }
        let shown = end_on_board(&self.position, self.repetitions);
        let on_board = ["checkmate", "stalemate", "insufficient-material", "repetition", "fifty-moves"];
        if on_board.contains(&ending) {
            // A position can be drawn for several reasons at once; any of them will do if it is there.
            let there = match ending {
                "repetition" => self.repetitions >= 3,
                "fifty-moves" => self.position.halfmoves() >= 100 && !self.position.is_checkmate(),
                _ => shown == Some(ending),
            };
            if !there {
                problems.push(format!("ending {ending}, the board shows {}", shown.unwrap_or("no end")));
            }
        } else if let Some(shown) = shown {
            problems.push(format!("ending {ending}, but the board shows {shown}"));
        }
        if is_draw(ending) != (result == "1/2-1/2") && ending != "tablebase" {
            problems.push(format!("ending {ending} with result {result}"));
        }
        let outcome = self.position.outcome();
        if outcome.is_known() && outcome.as_str() != result {
            problems.push(format!("the result is {result}, the board says {}", outcome.as_str()));
        }
        self.problems = problems;
    }
}

struct Replay;

impl Visitor for Replay {
    type Tags = HashMap<String, String>;
    type Movetext = Game;
    type Output = Replayed;

    fn begin_tags(&mut self) -> ControlFlow<Replayed, Self::Tags> {
        ControlFlow::Continue(HashMap::new())
    }

    fn tag(&mut self, tags: &mut Self::Tags, name: &[u8], value: RawTag<'_>) -> ControlFlow<Replayed> {
        tags.insert(decode_part(name).into_owned(), decode_part(&value.decode()).into_owned());
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, tags: Self::Tags) -> ControlFlow<Replayed, Game> {
        ControlFlow::Continue(Game::new(tags))
    }

    fn san(&mut self, game: &mut Game, san: SanPlus) -> ControlFlow<Replayed> {
        game.play(&san);
        ControlFlow::Continue(())
    }

    fn comment(&mut self, game: &mut Game, comment: RawComment<'_>) -> ControlFlow<Replayed> {
        game.last_comment = one_line(&decode_part(comment.as_bytes()));
        ControlFlow::Continue(())
    }

    fn outcome(&mut self, game: &mut Game, outcome: Outcome) -> ControlFlow<Replayed> {
        game.written_result = Some(outcome.as_str().to_owned());
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, mut game: Game) -> Replayed {
        game.check();
        let text = |name: &str| game.tag(name).to_owned();
        Replayed {
            players: [text("White"), text("Black")],
            result: text("Result"),
            ending: text("Ending"),
            plies: game.plies,
            problems: game.problems,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pgn(result: &str, ending: &str, termination: &str, plies: usize, moves: &str) -> String {
        format!(
            "[White \"A\"]\n[Black \"B\"]\n[Result \"{result}\"]\n[PlyCount \"{plies}\"]\n\
             [Termination \"{termination}\"]\n[Ending \"{ending}\"]\n\n{moves} {result}\n\n"
        )
    }

    fn problems(text: &str) -> Vec<String> {
        replay(text.as_bytes()).unwrap().remove(0).problems
    }

    /// A sound game, and then the same with one thing wrong at a time.
    #[test]
    fn what_is_wrong_is_told() {
        let mate = "1. f3 e5 2. g4 Qh4# {B (Black) mates}";
        assert_eq!(problems(&pgn("0-1", "checkmate", "normal", 4, mate)), Vec::<String>::new());
        let wrong = |result, ending, termination, plies, moves: &str, says: &str| {
            let told = problems(&pgn(result, ending, termination, plies, moves)).join("; ");
            assert!(told.contains(says), "`{says}` is not in `{told}`");
        };
        wrong("1-0", "checkmate", "normal", 4, mate, "the board says 0-1");
        wrong("0-1", "checkmate", "abandoned", 4, mate, "Termination is abandoned");
        wrong("0-1", "checkmate", "normal", 5, mate, "PlyCount is 5");
        wrong("0-1", "time-forfeit", "time forfeit", 4, mate, "but the board shows checkmate");
        wrong("0-1", "checkmate", "normal", 4, "1. f3 e5 2. g4 Qh4# {so it is}", "the reason is `so it is`");
        wrong("0-1", "checkmate", "normal", 4, "1. f3 e5 2. g4 Qh4 {mates}", "should be written Qh4#");
        wrong("0-1", "checkmate", "normal", 2, "1. f3 e5 {mates}", "the board shows no end");
        wrong("0-1", "illegal-move", "rules infraction", 2, "1. f3 Ke7 {illegal move}", "ply 2: Ke7");
        wrong("1-0", "maximum-length", "adjudication", 1, "1. f3 {by adjudication}", "with result 1-0");
    }

    /// Two rooks on one rank give check to the same king: no move does that, and yet a tournament plays from there.
    #[test]
    fn games_from_positions_that_no_game_comes_to_are_sound() {
        let game = pgn("0-1", "resignation", "normal", 1, "1. Kd2 {A (White) resigns}");
        let game = format!("[FEN \"4k3/8/8/8/8/8/8/r3K2r w - - 0 1\"]\n[SetUp \"1\"]\n{game}");
        assert_eq!(problems(&game), Vec::<String>::new());
    }

    #[test]
    fn repetition_is_counted_and_nothing_is_played_after_it() {
        let shuffle = "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8";
        let sound = format!("{shuffle} {{drawn by threefold repetition}}");
        assert_eq!(problems(&pgn("1/2-1/2", "repetition", "normal", 8, &sound)), Vec::<String>::new());
        let longer = format!("{shuffle} 5. e4 {{drawn by adjudication}}");
        let told = problems(&pgn("1/2-1/2", "maximum-length", "adjudication", 9, &longer));
        assert_eq!(told, ["goes on after repetition at ply 8"]);
    }
}
