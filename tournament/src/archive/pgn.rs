//! Games of a PGN file: those of this program and of others.
//!
//! What others write after a move, `{+0.31/12 0.52s}` with more after commas, is read as far as it is known
//! ([`super::comment`]). `{book}` is a move of the opening. Moves may be written as SAN, in long algebraic
//! notation, or as UCI has them. Two games between
//! the same players with colours reversed are a pair if they have the same opening, or else the same round.
//! Where games of several pairs lie between each other, those of one round belong together first, then the
//! oldest. Of our own games their numbers say which are pairs, also where the colours are not reversed.
//!
//! A word that should be a move and is none in any spelling known here (`♘f3`, `Sf3`, `K-e2`) is an error: a game with
//! a move less would look like another game. So is a capture without its square (`exd`, `ed`) among moves, unless its
//! game ends with it: that is what a kill leaves of a move. Other words are remarks or a title (`Torneo de Linares`).
//! A variation that does not end is an error if a result stands in it: it would be the game's, and what a kill leaves
//! has none. There is no error in a game of another variant, whose moves may be others: it is left out as a whole.
//!
//! The last game may be torn (it is being written, or was when the writer was killed): it does not count. A
//! torn game before others counts if its result and whole moves are there; nothing of it gets into the next.

use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, BufRead};
use std::path::Path;
use std::time::UNIX_EPOCH;

use chess::text::one_line;
use shakmaty::fen::Fen;
use shakmaty::san::{San, SanError, SanPlus, Suffix};
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, Move, Position, Role, Square};

use super::comment::{Comment, Mates, without_commands};
use super::{ArchiveError, Collector, Found, Game, Kind, Ply};
use crate::description::is_hourglass;
use crate::pgn::spelling::{is_short, resembles_move, spelling};
use crate::pgn::variant::Variant;
use crate::pgn::words::{HALF, Word, Words};
use crate::record::{Ending, LONGEST_MS, Score};
use crate::tablebase::reachable_or_not;

/// Hands on the games of a PGN file. Games without a result or of another variant are left out, and a last one that is
/// torn; so are those that cannot be read, if the collector agrees.
pub(super) fn read(
    path: &Path,
    input: impl BufRead,
    collector: &mut dyn Collector,
) -> Result<Found, ArchiveError> {
    let mut found = Found::nothing(path, Kind::Pgn);
    let (mut words, mut pairs, mut first_bad) = (Words::new(input), Pairs::default(), None);
    loop {
        let number = found.games + found.left_out + 1;
        let broken = |why: String| ArchiveError::Pgn { path: path.to_owned(), game: number, why };
        let Some(game) = next_game(&mut words).map_err(|error| broken(error.to_string()))? else { break };
        if game.is_last && words.is_cut() && !game.is_settled {
            found.torn = true;
            break;
        }
        let other = game.other;
        match game.finish() {
            Ok(Some(mut game)) => {
                game.game.id = found.games as usize;
                game.game.encounter = pairs.encounter(&game);
                found.games += 1;
                collector.game([&game.names[0], &game.names[1]], &game.game);
            }
            Ok(None) => {
                found.left_out += 1;
                found.variants += u64::from(other);
            }
            Err(why) => {
                first_bad.get_or_insert_with(|| format!("; game {number}: {why}"));
                collector.bad(broken(why))?;
                found.left_out += 1;
                found.bad += 1;
            }
        }
    }
    if found.games == 0 {
        let which = match (found.bad, found.variants) {
            (0, 0) => "games that are finished",
            (0, _) => "games of chess that are finished",
            _ => "finished games of chess that can be read",
        };
        let why = format!("holds no {which}{}", first_bad.unwrap_or_default());
        return Err(ArchiveError::File { path: path.to_owned(), why });
    }
    Ok(found)
}

/// Reads the next game: up to the tags of another, or to what begins one without tags behind a result.
fn next_game(words: &mut Words<impl BufRead>) -> io::Result<Option<Movetext>> {
    let (mut begun, mut tags, mut game) = (false, HashMap::new(), None::<Movetext>);
    while let Some((line, word)) = words.next()? {
        begun = true;
        if game.as_ref().is_some_and(|game| game.ends_before(&word)) {
            words.back();
            return Ok(game);
        }
        match word {
            Word::Tag(name, value) | Word::BrokenTag(name, value) => take_tag(&mut tags, name, value),
            _ => game.get_or_insert_with(|| Movetext::new(std::mem::take(&mut tags))).take(line, word),
        }
    }
    let game = game.unwrap_or_else(|| Movetext::new(tags));
    Ok(begun.then_some(Movetext { is_last: true, ..game }))
}

/// Adds a tag to those of its game, if it matters.
fn take_tag(tags: &mut HashMap<String, String>, name: &str, value: String) {
    if !TAGS.contains(&name) {
        return;
    }
    if name == FIRST_TAG && tags.contains_key(FIRST_TAG) {
        // The game before was torn within its tags.
        tags.clear();
    }
    let is_half = name == "Result" && value.trim() == HALF;
    tags.insert(name.to_owned(), if is_half { Score::Draw.text().to_owned() } else { value });
}

/// A game with the names of its players.
struct NamedGame {
    names: [String; 2],
    round: Round,
    game: Game<'static>,
}

/// When a game was played in its event.
struct Round {
    /// The round; of `3.17` the three, since our own games add their number.
    name: String,
    /// The number of a game of our own, from 1.
    number: Option<usize>,
}

impl Round {
    /// Reads the tag. `ours`: whether this program wrote the game.
    fn read(tag: &str, ours: bool) -> Self {
        let (name, number) = tag.split_once('.').unwrap_or((tag, ""));
        let number = number.parse::<usize>().ok().filter(|&number| ours && number > 0);
        Self { name: name.to_owned(), number }
    }
}

/// Which games are pairs. Where players meet only once every game waits for a second: hashes take little memory.
#[derive(Default)]
struct Pairs {
    hasher: RandomState,
    /// First games that wait for their second, by White, Black, and opening or round: their rounds and the numbers of
    /// their pairs, the oldest first.
    waiting: HashMap<u64, Vec<(u64, usize)>>,
    /// The last game of our own that waits, by what it has in common with its second.
    numbered: HashMap<u64, First>,
    next: usize,
}

/// A game of our own that waits for its second.
struct First {
    number: usize,
    /// Its moves before the first that was searched, with a blank behind each.
    opening: String,
    /// The number of the pair.
    pair: usize,
}

impl Pairs {
    /// The number of the pair that a game belongs to.
    fn encounter(&mut self, game: &NamedGame) -> usize {
        let first = match game.round.number {
            Some(number) => self.first_by_number(game, number),
            None => self.first_by_opening(game),
        };
        first.unwrap_or_else(|| {
            self.next += 1;
            self.next - 1
        })
    }

    /// The pair of a game of our own, if its first game waits; if not, it waits itself.
    ///
    /// Numbers tell which games are a pair, whatever moves the players' own books add to the opening. Where
    /// encounters are single games, two of them between the same players may have such numbers, too, but different
    /// openings: other starts or, from the usual one, moves of which neither begin with the other's. A file may hold
    /// several runs with the same numbers, of which one was given up: its first game waits in vain.
    fn first_by_number(&mut self, game: &NamedGame, number: usize) -> Option<usize> {
        let mut players = game.names.each_ref();
        players.sort_unstable();
        let fen = game.game.fen.as_deref();
        // Every two numbers from the first are one encounter.
        let common = self.hasher.hash_one((players, fen, &game.round.name, (number - 1) / 2));
        let mut opening = String::new();
        for ply in game.game.opening() {
            opening.push_str(&ply.san);
            opening.push(' ');
        }
        if let Some(first) = self.numbered.remove(&common)
            && first.number != number
            && (fen.is_some() || opening.starts_with(&first.opening) || first.opening.starts_with(&opening))
        {
            return Some(first.pair);
        }
        self.numbered.insert(common, First { number, opening, pair: self.next });
        None
    }

    /// The same of a game of another program: its first game has reversed colours, and the opening or else the round.
    fn first_by_opening(&mut self, game: &NamedGame) -> Option<usize> {
        let book = game.game.opening().iter().map(|ply| &*ply.san);
        let mut opening: Vec<&str> = game.game.fen.as_deref().into_iter().chain(book).collect();
        if opening.is_empty() {
            opening.push(&game.round.name);
        }
        let [white, black] = &game.names;
        let round = self.hasher.hash_one(&game.round.name);
        let [own, reversed] = [(white, black), (black, white)]
            .map(|(white, black)| self.hasher.hash_one((white, black, &opening)));
        if let Some(waiting) = self.waiting.get_mut(&reversed) {
            // Those of one round belong together first.
            let at = waiting.iter().position(|(other, _)| *other == round).unwrap_or(0);
            let (_, pair) = waiting.remove(at);
            if waiting.is_empty() {
                self.waiting.remove(&reversed);
            }
            return Some(pair);
        }
        self.waiting.entry(own).or_default().push((round, self.next));
        None
    }
}

/// How far a game's text below its tags has come.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Neither a move nor the number of one has been seen: the text may be a title.
    Before,
    /// One of them has been seen.
    Moves,
    /// The result has been seen.
    Ended,
}

/// Why a word is not taken as a move.
enum NoMove {
    /// It should be one.
    Unknown,
    /// It is one, but not here. With nothing behind it, it was torn, and the game with it.
    Illegal,
    /// It is a part of one: with nothing behind it, what a kill has left behind the game's whole moves.
    Short,
}

/// A game in the making.
struct Movetext {
    tags: HashMap<String, String>,
    moves: Vec<Ply<'static>>,
    position: Option<Chess>,
    chess960: bool,
    /// It is of another variant: neither its start nor its moves are those of chess.
    other: bool,
    stage: Stage,
    /// The line of the last word.
    line: usize,
    reason: String,
    /// What is wrong with the last word, which is not a move, if the game goes on behind it.
    no_move: Option<(NoMove, String)>,
    problem: Option<String>,
    /// It has come to its result, or to something that is wrong: it was not torn before.
    is_settled: bool,
    /// The file ends with it.
    is_last: bool,
}

/// The tag that a game begins with.
const FIRST_TAG: &str = "Event";

/// Tags that matter.
const TAGS: [&str; 17] = [
    FIRST_TAG,
    "White",
    "Black",
    "Result",
    "Round",
    "FEN",
    "Variant",
    "Termination",
    "Ending",
    "Date",
    "UTCDate",
    "UTCTime",
    "GameStartTime",
    "GameEndTime",
    "TimeControl",
    "WhiteTimeControl",
    "BlackTimeControl",
];

impl Movetext {
    fn new(tags: HashMap<String, String>) -> Self {
        let variant = tags.get("Variant").map_or(Variant::Standard, |tag| Variant::read(tag));
        let (chess960, other) = (variant == Variant::Chess960, variant == Variant::Other);
        let fen = tags.get("FEN").filter(|fen| is_known(fen) && !other);
        let start = fen.map_or(Ok((Chess::default(), chess960)), |fen| start(fen.trim(), chess960));
        let problem = start.as_ref().err().map(|error| format!("its FEN is not a position: {error}"));
        let chess960 = start.as_ref().map_or(chess960, |(_, chess960)| *chess960);
        let position = start.ok().map(|(position, _)| position).filter(|_| !other);
        Self {
            tags,
            moves: Vec::new(),
            position,
            chess960,
            other,
            stage: Stage::Before,
            line: 0,
            reason: String::new(),
            no_move: None,
            problem,
            is_settled: false,
            is_last: false,
        }
    }

    /// Whether this word is one of the next game. Words behind the result make no game unless they are moves.
    fn ends_before(&self, word: &Word<'_>) -> bool {
        match word {
            Word::Tag(..) => true,
            Word::BrokenTag(name, _) => !name.is_empty() || self.stage == Stage::Ended,
            Word::Move(text) if self.stage == Stage::Ended => san(text).is_some() || resembles_move(text),
            _ => false,
        }
    }

    /// Takes the next word of the game, of this line.
    fn take(&mut self, line: usize, word: Word<'_>) {
        if let Some((_, why)) = self.no_move.take() {
            self.fail(why);
        }
        match word {
            Word::Number if self.stage == Stage::Before => self.stage = Stage::Moves,
            Word::Move(text) if self.stage != Stage::Ended && !self.other => self.take_move(line, text),
            // Behind a result and a blank line it is of what follows.
            Word::Comment(text) if self.stage != Stage::Ended || line <= self.line + 1 => self.comment(text),
            Word::Result(result) if result != HALF || self.stage == Stage::Moves => self.outcome(result),
            Word::Fault { why, hides_result: true } if self.stage != Stage::Ended => {
                self.fail(format!("line {line}: {why}"));
            }
            _ => {}
        }
        self.line = line;
    }

    fn fail(&mut self, why: String) {
        self.problem.get_or_insert(why);
        self.is_settled = true;
    }

    fn outcome(&mut self, result: &str) {
        self.stage = Stage::Ended;
        self.is_settled = true;
        let behind = if result == HALF { Score::Draw.text() } else { result };
        let tag = self.tags.entry("Result".to_owned()).or_default();
        // Some programs write the tag when the game begins, and not again.
        if matches!(tag.as_str(), "*" | "") {
            behind.clone_into(tag);
        }
        if tag != behind && behind != "*" {
            let why = format!("its result is {tag} in its tag and {behind} behind its moves");
            self.fail(why);
        }
    }

    fn take_move(&mut self, line: usize, text: &str) {
        let no_move = |kind| Some((kind, format!("line {line}: `{text}` is not a move")));
        match san(text) {
            Some(san) => {
                self.stage = Stage::Moves;
                self.play(text, san);
            }
            None if resembles_move(text) => self.no_move = no_move(NoMove::Unknown),
            None if self.stage == Stage::Moves && is_short(text) => self.no_move = no_move(NoMove::Short),
            None => {}
        }
    }

    fn play(&mut self, text: &str, san: San) {
        // A game that goes on has not ended: that was a remark.
        self.reason.clear();
        let Some(position) = self.position.as_mut().filter(|_| self.problem.is_none()) else { return };
        let number = self.moves.len() + 1;
        let (san, mv) = match move_of(san, position) {
            Ok(known) => known,
            Err(error) => {
                self.no_move = Some((NoMove::Illegal, format!("ply {number}: {text}: {error}")));
                return;
            }
        };
        let mode = if self.chess960 { CastlingMode::Chess960 } else { CastlingMode::Standard };
        let uci = mv.to_uci(mode).to_string();
        position.play_unchecked(mv);
        let sign = || if position.is_checkmate() { Suffix::Checkmate } else { Suffix::Check };
        let suffix = position.is_check().then(sign);
        self.moves.push(Ply {
            san: Cow::Owned(SanPlus { san, suffix }.to_string()),
            uci: Cow::Owned(uci),
            ms: None,
            us: None,
            clock_ms: None,
            score: None,
            depth: None,
            nodes: None,
        });
    }

    /// What stands after a move. What is not about a search is the reason of the result, if no move follows.
    fn comment(&mut self, text: &str) {
        let text = without_commands(&one_line(text));
        let mates = if self.is_ours() { Mates::Moves } else { Mates::Plies };
        let Comment { search, reason } = Comment::read(&text, mates);
        if let (Some(ply), Some(search)) = (self.moves.last_mut(), search) {
            ply.score = search.score;
            ply.depth = search.depth;
            ply.ms = search.ms;
            ply.nodes = search.nodes;
            ply.clock_ms = search.clock_ms;
        }
        if !reason.is_empty() {
            reason.clone_into(&mut self.reason);
        }
    }

    fn tag(&self, name: &str) -> &str {
        self.tags.get(name).map_or("", String::as_str)
    }

    /// Whether this program wrote the game in its own way: no other writes how it ended in the journal's word.
    fn is_ours(&self) -> bool {
        !self.tag("Ending").is_empty()
    }

    /// A tag's value, if it is known.
    fn known(&self, name: &str) -> Option<&str> {
        Some(self.tag(name).trim()).filter(|value| is_known(value))
    }

    /// Unix time of the beginning in milliseconds, and how many milliseconds later the end was; zeros if that
    /// is not known.
    fn span(&self) -> (u64, u64) {
        let began = self.known("GameStartTime").and_then(moment).or_else(|| {
            let date = self.known("UTCDate").or(self.known("Date"))?.replace('.', "-");
            moment(&format!("{date}T{}Z", self.known("UTCTime")?))
        });
        let ended = self.known("GameEndTime").and_then(moment);
        let took = began.zip(ended).and_then(|(began, ended)| ended.checked_sub(began));
        (began.unwrap_or(0), took.filter(|&ms| ms <= LONGEST_MS).unwrap_or(0))
    }

    fn finish(self) -> Result<Option<NamedGame>, String> {
        if self.other {
            return Ok(None);
        }
        if let Some(problem) = self.problem {
            return Err(problem);
        }
        match self.no_move {
            Some((NoMove::Unknown, why)) => return Err(why),
            Some((NoMove::Illegal, _)) => return Ok(None),
            Some((NoMove::Short, _)) | None => {}
        }
        let result = match self.tag("Result") {
            "1-0" => Score::White,
            "0-1" => Score::Black,
            "1/2-1/2" => Score::Draw,
            "*" | "" => return Ok(None),
            other => return Err(format!("its result `{other}` is not one")),
        };
        let names = [self.tag("White").to_owned(), self.tag("Black").to_owned()];
        let round = Round::read(self.tag("Round"), self.is_ours());
        if let Some(colour) = names.iter().position(|name| name.trim().is_empty()) {
            return Err(format!("it has no tag {}", ["White", "Black"][colour]));
        }
        if names[0] == names[1] {
            return Err(format!("is a game of `{}` against itself", names[0]));
        }
        let ending =
            ending(self.tag("Ending"), self.tag("Termination"), result, &self.reason, self.position.as_ref());
        // Where nothing is said of any move, nothing tells which of them are the opening.
        let told = self.moves.iter().any(Ply::is_searched);
        let opening_plies = if told { super::book_plies(&self.moves) } else { 0 };
        let [date, tag] = ["Date", "Round"].map(|name| self.known(name).unwrap_or_default().to_owned());
        let (started_ms, wall_ms) = self.span();
        let fen = self.known("FEN").map(|fen| fen.split_whitespace().collect::<Vec<_>>().join(" "));
        let own = |name: &str| Some(self.tag(name).trim()).filter(|tag| is_known(tag) || *tag == "-");
        let control = |name: &str| own(name).unwrap_or_else(|| self.tag("TimeControl").trim());
        let controls = ["WhiteTimeControl", "BlackTimeControl"].map(control);
        let (hourglass, clockless) = (controls.map(is_hourglass), controls.map(is_clockless));
        let mut game = Game {
            id: 0,
            encounter: 0,
            in_round: None,
            of_opening: None,
            white: 0,
            black: 1,
            fen,
            chess960: self.chess960,
            opening_plies,
            moves: self.moves,
            result,
            ending,
            reason: Cow::Owned(self.reason),
            cpu_ms: None,
            hourglass,
            ponders: [false; 2],
            date,
            round: tag,
            started_ms,
            ended_ms: None,
            wall_ms,
            engines: 0,
        };
        let first = usize::from(!game.white_first());
        for (index, ply) in game.moves.iter_mut().enumerate() {
            ply.clock_ms = ply.clock_ms.filter(|_| !clockless[(index + first) % 2]);
        }
        Ok(Some(NamedGame { names, round, game }))
    }
}

/// Whether a time control is none of a clock. What fastchess writes there as time left, `tl=0.000s`, is on no clock.
fn is_clockless(control: &str) -> bool {
    control == "-" || control.ends_with("/move") && !control.contains(',')
}

/// Whether a tag's value says something: question marks, points and hyphens stand for what is not known.
fn is_known(value: &str) -> bool {
    value.contains(|c: char| !"?.-".contains(c) && !c.is_whitespace())
}

/// Unix time in milliseconds of `2026-11-27T16:15:27.364 UTC`, with or without fractions, its zone `Z`, `UTC`
/// or like `+0100`. `None` where the zone is not said so, or the time is no time since 1970.
fn moment(text: &str) -> Option<u64> {
    let (time, rest) = text.split_at_checked("2026-11-27T16:15:27".len())?;
    let fraction = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
    let (fraction, zone) = (&rest[..fraction], rest[fraction..].trim());
    let offset_minutes = match zone {
        "Z" | "UTC" => 0,
        _ => {
            let digits = zone.get(1..)?.replace(':', "");
            let value = digits.parse::<i64>().ok().filter(|_| digits.len() == 4)?;
            let minutes = value / 100 * 60 + value % 100;
            match zone.chars().next()? {
                '+' => minutes,
                '-' => -minutes,
                _ => return None,
            }
        }
    };
    let since =
        humantime::parse_rfc3339_weak(&format!("{time}{fraction}")).ok()?.duration_since(UNIX_EPOCH).ok()?;
    let ms = i64::try_from(since.as_millis()).ok()?.checked_sub(offset_minutes * 60_000)?;
    u64::try_from(ms).ok()
}

/// The SAN that a word is.
fn san(word: &str) -> Option<San> {
    San::from_ascii(spelling(word).as_bytes()).ok()
}

/// The move that a SAN is, and its SAN. With its whole start square it is one of long algebraic notation or of UCI,
/// which names no piece and marks no capture.
fn move_of(san: San, position: &Chess) -> Result<(San, Move), SanError> {
    let found = san.to_move(position);
    let San::Normal { role, file: Some(file), rank: Some(rank), to, promotion, .. } = san else {
        return found.map(|mv| (san, mv));
    };
    let from = Square::from_coords(file, rank);
    let named = role == Role::Pawn || position.board().role_at(from) == Some(role);
    let whole = UciMove::Normal { from, to, promotion }.to_move(position).ok().filter(|_| named);
    let mv = found.or_else(|error| whole.ok_or(error))?;
    Ok((San::from_move(position, mv), mv))
}

/// A position, and whether it is one of Chess960: the tag that says so is often missing. FENs are read as those of
/// openings are, so that every game that was played is read back; shakmaty reads the shorter ones of other programs.
fn start(fen: &str, chess960: bool) -> Result<(Chess, bool), String> {
    let known = chess::Position::read_fen(fen, chess960);
    let chess960 = chess960 || known.as_ref().is_ok_and(chess::Position::is_chess960);
    let mode = if chess960 { CastlingMode::Chess960 } else { CastlingMode::Standard };
    let text = known.as_ref().map_or_else(|_| fen.to_owned(), chess::Position::fen);
    let read = text.parse::<Fen>().map_err(|error| error.to_string());
    let read = read.and_then(|fen| reachable_or_not(fen.into_position(mode)));
    read.map(|position| (position, chess960))
        .map_err(|why| known.map_or_else(|error| error.to_string(), |_| why))
}

/// What others write of a game that a player lost on time.
const ON_TIME: [&str; 6] =
    ["loses on time", "lost on time", "wins on time", "won on time", "forfeits on time", "time forfeit"];

/// What others write of a draw by repetition; the last is XBoard's.
const REPEATED: [&str; 4] = ["by repetition", "fold repetition", "threefold repetition", "repetition draw"];

/// How a game ended: by our own tag, or else by what others write, or by what stands on the board.
fn ending(ours: &str, termination: &str, result: Score, reason: &str, end: Option<&Chess>) -> Ending {
    if let Ok(ending) = serde_json::from_value(ours.into()) {
        return ending;
    }
    // Some runners have a word there, others a sentence (`A won on time`).
    let texts = [termination, reason].map(str::to_ascii_lowercase);
    let words = texts.each_ref().map(|text| {
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.collect::<Vec<&str>>()
    });
    // Whole words, since a number or a name may hold any of them; and mostly several, since an annotator's remark may.
    let says = |phrases: &[&str]| {
        phrases.iter().any(|phrase| {
            let phrase: Vec<&str> = phrase.split(' ').collect();
            words.iter().any(|words| words.windows(phrase.len()).any(|found| found == phrase))
        })
    };
    match (&*texts[0], result) {
        ("time forfeit", _) => Ending::TimeForfeit,
        ("abandoned" | "unterminated" | "emergency" | "death", _) => {
            if says(&["stall", "stalls", "stalled"]) { Ending::Stall } else { Ending::Disconnect }
        }
        ("rules infraction" | "illegal move", _) => Ending::IllegalMove,
        ("stalled connection", _) => Ending::Stall,
        ("adjudication", _) if says(&["tb", "tablebase", "tablebases", "syzygy", "syzygytb"]) => {
            Ending::Tablebase
        }
        ("adjudication", Score::Draw) if says(&["maximal game length", "maximum length"]) => {
            Ending::MaximumLength
        }
        ("adjudication", Score::Draw) => Ending::AdjudicatedDraw,
        ("adjudication", _) => Ending::AdjudicatedWin,
        (_, Score::Draw) if says(&["by stalemate"]) => Ending::Stalemate,
        (_, Score::Draw) if says(&REPEATED) => Ending::Repetition,
        (_, Score::Draw) if says(&["fifty move", "fifty moves", "50 move", "50 moves"]) => Ending::FiftyMoves,
        (_, Score::Draw) if says(&["insufficient material", "mating material"]) => {
            Ending::InsufficientMaterial
        }
        (_, Score::Draw) => end.and_then(drawn_on_board).unwrap_or(Ending::DrawClaim),
        _ if end.is_some_and(Chess::is_checkmate) => Ending::Checkmate,
        _ if says(&["white mates", "black mates", "by checkmate"]) && !says(&["mates in"]) => {
            Ending::Checkmate
        }
        _ if says(&ON_TIME) => Ending::TimeForfeit,
        _ if says(&["illegal move"]) => Ending::IllegalMove,
        _ if says(&["white disconnects", "black disconnects", "by disconnection", "game abandoned"]) => {
            Ending::Disconnect
        }
        _ if says(&["connection stalls", "connection stalled"]) => Ending::Stall,
        _ => Ending::Resignation,
    }
}

/// The draw that a last position shows by itself.
fn drawn_on_board(end: &Chess) -> Option<Ending> {
    if end.is_stalemate() {
        return Some(Ending::Stalemate);
    }
    end.is_insufficient_material().then_some(Ending::InsufficientMaterial)
}

#[cfg(test)]
mod tests {
    use shakmaty::EnPassantMode;

    use super::*;

    /// Of every game how many plies it has, and whether it is one of Chess960.
    #[derive(Default)]
    struct Games(Vec<(usize, bool)>);

    impl Collector for Games {
        fn game(&mut self, _: [&str; 2], game: &Game<'_>) {
            self.0.push((game.moves.len(), game.chess960));
        }
    }

    fn found(text: &str) -> Result<(Found, Vec<(usize, bool)>), String> {
        let mut games = Games::default();
        let found =
            read(Path::new("g.pgn"), text.as_bytes(), &mut games).map_err(|error| error.to_string())?;
        Ok((found, games.0))
    }

    /// A game with these tags and moves that White has won.
    fn won(tags: &str, moves: &str) -> String {
        let players = "[White \"a\"]\n[Black \"b\"]\n[Result \"1-0\"]\n";
        format!("[Event \"e\"]\n{players}{tags}\n{moves}\n\n")
    }

    /// A mate in three: this program, whose games have the tag `Ending`, writes moves, the others plies.
    #[test]
    fn a_mate_is_as_far_whichever_program_wrote_it() {
        struct Scores(Vec<Option<i32>>);
        impl Collector for Scores {
            fn game(&mut self, _: [&str; 2], game: &Game<'_>) {
                self.0.extend(game.moves.iter().map(|ply| ply.score));
            }
        }
        for (tags, moves) in [
            ("[Ending \"checkmate\"]\n", "1. e4 {+M3/9 0.520s} e5 {-M3/9 0.520s; White mates} 1-0"),
            ("", "1. e4 {+M5/9 0.520s, n=9} e5 {-M6/9 0.520s, n=9, White mates} 1-0"),
            ("", "1. e4 {+M5/9 0.52s} e5 {-M6/9 0.52s, White mates} 1-0"),
        ] {
            let mut scores = Scores(Vec::new());
            read(Path::new("g.pgn"), won(tags, moves).as_bytes(), &mut scores).unwrap();
            assert_eq!(scores.0, [Some(99_997), Some(-99_997)], "{moves}");
        }
    }

    /// fastchess's `timeleft=true` writes a time behind every move, and counts none where moves are limited by their
    /// nodes or their own time.
    #[test]
    fn time_is_left_where_there_is_a_clock() {
        struct Clocks(Vec<Option<u64>>);
        impl Collector for Clocks {
            fn game(&mut self, _: [&str; 2], game: &Game<'_>) {
                self.0.extend(game.moves.iter().map(|ply| ply.clock_ms));
            }
        }
        let black_first = "[FEN \"4k3/8/8/8/8/8/8/4K3 b - - 0 1\"]\n";
        let both = "[WhiteTimeControl \"8+0.08\"]\n[BlackTimeControl \"-\"]\n";
        let turned = format!("{both}{black_first}");
        for (tags, moves, wanted) in [
            ("[TimeControl \"-\"]\n", ["e4", "e5"], [None, None]),
            ("[TimeControl \"0.5/move\"]\n", ["e4", "e5"], [None, None]),
            ("[TimeControl \"8+0.08\"]\n", ["e4", "e5"], [Some(7_500), Some(7_900)]),
            ("[TimeControl \"40/60, 0.5/move\"]\n", ["e4", "e5"], [Some(7_500), Some(7_900)]),
            ("[TimeControl \"?\"]\n", ["e4", "e5"], [Some(7_500), Some(7_900)]),
            (both, ["e4", "e5"], [Some(7_500), None]),
            (turned.as_str(), ["Ke7", "Ke2"], [None, Some(7_900)]),
        ] {
            let [first, second] = moves;
            let moves =
                format!("{first} {{+0.31/12 0.5s, tl=7.500s}} {second} {{-0.31/12 0.1s, tl=7.900s}} 1-0");
            let mut clocks = Clocks(Vec::new());
            read(Path::new("g.pgn"), won(tags, &moves).as_bytes(), &mut clocks).unwrap();
            assert_eq!(clocks.0, wanted, "{tags}");
        }
    }

    /// In moves, comments and variations; in the games that follow one another each has its own moves.
    #[test]
    fn blank_lines_end_no_game() {
        let lines = ["1. e4 e5", "2. Nf3 {a", "b} Nc6 (2... d6", "3. d4 exd4) 3. Bb5", "a6", "1-0 {c}"];
        for between in ["\n", "\n\n", "\n\n\n", "\n\n% x\n\n"] {
            let game = won("", &lines.join(between));
            let torn = won("", "1. e4 e5");
            let text = [game.as_str(), &torn, &game].concat();
            for text in [text.clone(), text.replace('\n', "\r\n"), text.replace('\n', "\r")] {
                let (found, games) = found(&text).unwrap_or_else(|error| panic!("{between:?}: {error}"));
                assert_eq!(games, [(6, false), (2, false), (6, false)], "{between:?}");
                assert_eq!((found.games, found.left_out, found.torn), (3, 0, false), "{between:?}");
            }
        }
    }

    /// DOS ends a file with ^Z, and old programs end their lines with NUL: joined files have them anywhere.
    #[test]
    fn bytes_that_say_nothing_are_left_out() {
        let game = won("", "1. e4 e5 {a} 2. Nf3 1-0");
        let plain = found(&game.repeat(2)).unwrap();
        assert_eq!((plain.0.games, plain.0.torn), (2, false));
        for text in [
            format!("{game}{game}\u{1a}"),
            format!("{game}{game}\u{1a}\0\0"),
            format!("{game}\u{1a}\n{game}\u{1a}\n"),
            format!("\u{1a}{game}\u{1a}\u{feff}{game}"),
            game.repeat(2).replace('\n', "\0\n"),
            game.repeat(2).replace('\n', "\r\0\n\0"),
            game.repeat(2).replace(' ', "\0 "),
        ] {
            assert_eq!(found(&text).as_ref(), Ok(&plain), "{text:?}");
        }
    }

    /// A start that castling needs, and a variant whose moves are not those of chess, however many blanks stand in the
    /// tag.
    #[test]
    fn blanks_in_tags_do_not_matter() {
        for tag in ["FEN ", "FEN", "FEN  ", "FEN\t", "FEN \t ", " FEN "] {
            let fen = "4k3/8/8/8/8/8/8/4K2R  w\tK -  0 1";
            let (_, games) = found(&won(&format!("[{tag}\"{fen}\"]\n"), "1. O-O 1-0")).unwrap();
            assert_eq!(games, [(1, false)], "{tag:?}");
        }
        for tag in ["Variant ", "Variant  ", "Variant\t", "Variant\t "] {
            let text = won(&format!("[{tag}\"Seirawan\"]\n"), "1. Hd3 1-0") + &won("", "1. e4 1-0");
            let (found, games) = found(&text).unwrap_or_else(|error| panic!("{tag:?}: {error}"));
            assert_eq!((games, found.variants), (vec![(1, false)], 1), "{tag:?}");
        }
    }

    /// In the tag, behind the moves, or in both.
    #[test]
    fn half_a_draw_is_a_draw() {
        for (tag, behind) in [("1/2", "1/2-1/2"), ("1/2-1/2", "1/2"), ("1/2", "1/2"), ("*", "1/2")] {
            let moves = format!("1. e4 e5 (1... c5 1/2) {{1/2}}\n{behind}\n");
            let game = won("", &moves).replace("1-0", tag);
            let (found, games) = found(&game.repeat(2)).unwrap_or_else(|error| panic!("{tag}: {error}"));
            assert_eq!((found.games, found.left_out, games), (2, 0, vec![(2, false); 2]), "{tag} {behind}");
        }
    }

    /// A game that waits for its second takes the same memory whatever the players are called and whatever was played.
    #[test]
    fn what_waits_for_a_second_game_is_kept_as_numbers() {
        fn owns_memory<K, V>(_: &HashMap<K, Vec<V>>) -> bool {
            std::mem::needs_drop::<K>() || std::mem::needs_drop::<V>()
        }
        assert!(!owns_memory(&Pairs::default().waiting));
    }

    /// The game whose error it is is named, also where others have been read ahead, and those around it are whole.
    #[test]
    fn games_that_cannot_be_read_are_left_out_where_that_is_wanted() {
        /// Leaves out what is bad.
        #[derive(Default)]
        struct Lenient(Games, Vec<String>);

        impl Collector for Lenient {
            fn game(&mut self, names: [&str; 2], game: &Game<'_>) {
                self.0.game(names, game);
            }

            fn bad(&mut self, game: ArchiveError) -> Result<(), ArchiveError> {
                self.1.push(game.to_string());
                Ok(())
            }
        }

        let good = won("", "1. e4 e5 2. Nf3 1-0");
        let bad = [
            won("", "1. e4 Ke7 2. d4 1-0"),
            won("", "1. e4 e5 2. Sf3 Sc6 1-0"),
            won("", "1. e4 d5 2. ed Qxd5 1-0"),
            won("", "1. e4 (1. d4 d5 2. c4 1-0"),
            won("", "1. e4 0-1"),
            won("[FEN \"8/8 w\"]\n", "1. e4 1-0"),
            won("", "1. e4 1-0").replace("[Black \"b\"]\n", ""),
            won("", "1. e4 1-0").replace("\"b\"", "\"a\""),
        ];
        let says = [
            "ply 2: Ke7",
            "`Sf3` is not a move",
            "`ed` is not a move",
            "a variation begins here and does not end",
            "its result is 1-0",
            "its FEN is not a position",
            "no tag Black",
            "against itself",
        ];
        let text: String = bad.iter().map(|bad| format!("{good}{bad}")).collect::<String>() + &good;
        for text in [text.clone(), text.trim_end().to_owned()] {
            let mut lenient = Lenient::default();
            let found = read(Path::new("g.pgn"), text.as_bytes(), &mut lenient).unwrap();
            let (all, bad) = (says.len() as u64, &lenient.1);
            assert_eq!((found.games, found.left_out, found.bad, found.torn), (all + 1, all, all, false));
            assert!(lenient.0.0.iter().all(|game| *game == (3, false)));
            for (number, says) in says.into_iter().enumerate() {
                let game = format!("g.pgn, game {}: ", 2 * number + 2);
                assert!(bad[number].starts_with(&game) && bad[number].contains(says), "{says}: {bad:?}");
            }
        }
        for (bad, says) in bad.iter().zip(says) {
            assert!(found(&format!("{good}{bad}{good}")).unwrap_err().contains(says), "{says}");
            let refused = read(Path::new("g.pgn"), bad.as_bytes(), &mut Lenient::default()).unwrap_err();
            let refused = refused.to_string();
            let begin = "g.pgn: holds no finished games of chess that can be read; game 1: ";
            assert!(refused.starts_with(begin) && refused.contains(says), "{says}: {refused}");
        }
    }

    /// Castling is understood in every spelling, and a capture without its square is told.
    #[test]
    fn no_move_is_passed_over() {
        let moves = |pawns: &str, castling: &str| {
            format!("1. e4 e6 2. d4 d5 3. {pawns} {pawns} 4. Nf3 Nf6 5. Bd3 Bd6 6. {castling} {castling} 1-0")
        };
        for castling in ["O-O", "0-0", "o-o", "OO", "O–O", "O—O", "0–0", "0\u{2011}0"] {
            let (_, games) = found(&won("", &moves("exd5", castling))).unwrap();
            assert_eq!(games, [(12, false)], "{castling}");
        }
        for pawns in ["exd", "ed", "e:d"] {
            let error = found(&won("", &moves(pawns, "O-O"))).unwrap_err();
            assert!(error.contains(&format!("`{pawns}` is not a move")), "{error}");
        }
    }

    /// A game ends at the next one's tags, which may be indented; what stands before the first tag or behind a result
    /// does not make a game.
    #[test]
    fn games_are_found_among_other_text() {
        let indented = format!(" {}", won("", "1. d4 1-0").replace("\n[", "\n ["));
        let text = [
            "Torneo de Linares\n\n",
            &won("", "1. e4 e5"),
            &indented,
            &won("", "1. e4 oo e5 =/oo 2. Nf3 1-0 Torneo de Linares"),
        ];
        let (found, games) = found(&text.concat()).unwrap();
        assert_eq!(games, [(2, false), (1, false), (3, false)]);
        assert_eq!((found.games, found.left_out), (3, 1));
    }

    /// Whether or not their moves would be legal in chess: a hill that is reached, a piece that is put, an explosion,
    /// a start that is no position of chess, and pieces that chess does not have.
    #[test]
    fn games_of_other_variants_are_left_out() {
        let variant =
            |name: &str, more: &str, moves: &str| won(&format!("[Variant \"{name}\"]\n{more}"), moves);
        let horde = "[FEN \"4k3/8/8/PPPPPPPP/PPPPPPPP/8/8/8 w - - 0 1\"]\n";
        let back_rank = "[FEN \"4k3/8/8/8/8/8/8/3RK2R w HD - 0 1\"]\n";
        let text = [
            variant("King of the Hill", "", "1. e4 e5 2. Ke2 a6 3. Ke3 a5 4. Kd3 a4 5. Ke3 b6 1-0"),
            variant("Standard", "", "1. e4 e5 1-0"),
            variant("Crazyhouse", "", "1. e4 d5 2. exd5 Qxd5 3. P@e4 Qd8 1-0"),
            variant("Atomic", "", "1. Nf3 f6 2. Nxf6 Nxg2 0-1"),
            variant("Horde", horde, "1. hxg6 Kd8 1-0"),
            variant("From Position", "", "1. e4 1-0"),
            variant("Seirawan", "", "1. Hd3 {a\n\nb} Ee6 2. Hxd5 1-0"),
            variant("Capablanca", "", "1. Af3 Cc6 1-0"),
            variant("Xiangqi", "", "1. Hc3 Hc6 1-0"),
            variant("Fischer Random", back_rank, "1. O-O Ke7 2. Kg2 1-0"),
        ];
        let (found_all, games) = found(&text.concat()).unwrap();
        assert_eq!(games, [(2, false), (1, false), (3, true)]);
        assert_eq!((found_all.games, found_all.left_out, found_all.variants), (3, 7, 7));
        assert!(found(&text[0]).unwrap_err().ends_with("g.pgn: holds no games of chess that are finished"));
    }

    /// `date -u -d "2024-02-29 12:34:56" +%s` is 1709210096.
    #[test]
    fn moments_are_read_as_runners_write_them() {
        for (text, ms) in [
            ("2024-02-29T12:34:56Z", Some(1_709_210_096_000)),
            ("2024-02-29T12:34:56.078 UTC", Some(1_709_210_096_078)),
            ("2024-02-29T12:34:56 +0000", Some(1_709_210_096_000)),
            ("2024-02-29T14:04:56.5 +0130", Some(1_709_210_096_500)),
            ("2024-02-29T07:34:56-05:00", Some(1_709_210_096_000)),
            ("1970-01-01T00:00:00Z", Some(0)),
            ("1969-12-31T23:59:59Z", None),
            ("1970-01-01T00:00:00 +0100", None),
            ("2024-02-29T12:34:56.078 CET", None),
            ("2024-02-29T12:34:56", None),
            ("2024-02-30T12:34:56Z", None),
            ("2024-02-29T12:34:56 é100", None),
            ("?", None),
            ("", None),
        ] {
            assert_eq!(moment(text), ms, "{text}");
        }
    }

    /// Careless FENs of other programs, short ones, and start positions that no game comes to.
    #[test]
    fn whatever_a_game_can_begin_from_is_read_back() {
        let places = |fen: &str, chess960| {
            let (position, chess960) = start(fen, chess960).unwrap_or_else(|error| panic!("{fen}: {error}"));
            (Fen::from_position(&position, EnPassantMode::Legal).to_string(), chess960)
        };
        for (fen, read) in [
            ("4k3/8/8/8/8/8/8/4K2R w KQkq - 0 1", "4k3/8/8/8/8/8/8/4K2R w K - 0 1"),
            ("4k3/8/8/8/8/4P3/8/4K2R b - e3 0 1", "4k3/8/8/8/8/4P3/8/4K2R b - - 0 1"),
            ("4k3/8/8/8/8/8/8/4K2R b K - - 7", "4k3/8/8/8/8/8/8/4K2R b K - 0 7"),
            ("4k3/8/8/8/8/8/8/4K2R b", "4k3/8/8/8/8/8/8/4K2R b - - 0 1"),
            ("4k3/8/8/8/8/8/8/r3K2r w - - 0 1", "4k3/8/8/8/8/8/8/r3K2r w - - 0 1"),
            ("4k3/8/8/8/8/5B1B/PPPPPPPP/4K3 w - - 0 1", "4k3/8/8/8/8/5B1B/PPPPPPPP/4K3 w - - 0 1"),
        ] {
            assert_eq!(places(fen, false), (read.to_owned(), false));
        }
        let outer = "r3k2r/8/8/8/8/8/8/1R2K2R w KQkq - 0 1";
        assert_eq!(places(outer, false), (outer.replace("KQ", "K"), false));
        assert_eq!(places(outer, true), (outer.to_owned(), true));
        let inner = "1k1r4/8/8/8/8/8/8/1K1R4 w Dd - 0 1";
        assert!(
            places(inner, false).1 && places(inner, true).1 && places("4k3/8/8/8/8/8/8/4K2R w K -", true).1
        );
        assert!(start("4k3/8/8/8/8/8/8/4K2X w - - 0 1", false).unwrap_err().contains("'X' on rank 1"));
    }

    /// Of every game its moves and its result, or the first word that should be a move and is none.
    fn told(text: &str) -> Result<Vec<(usize, String)>, String> {
        let (mut words, mut games) = (Words::new(text.as_bytes()), Vec::new());
        while let Some(game) = next_game(&mut words).unwrap() {
            games.push((game.moves.len(), game.tag("Result").to_owned()));
            let torn = game.is_last && words.is_cut() && !game.is_settled;
            if let Err(why) = game.finish()
                && !torn
                && why.starts_with("line ")
            {
                return Err(why);
            }
        }
        Ok(games)
    }

    #[test]
    fn words_that_should_be_moves_and_are_not_are_errors() {
        for text in [
            "1. e4! e5?! 2. Nf3+ $1 Nc6 {♘f3 and\nSf3} (2. Lg5\n) ; Lg5\n3.Bb5 3...a6 4. exd6e.p. O-O 0-0 1/2-1/2",
            "[White \"Sf3\"]\n% Sf3\n\n1. Ng1-f3 e7e8q N D +- -- = e8Q Q1d2# N@f3 1-0",
            "1.e4!e5 2.Nf3?!Nc6*",
            "{ [%clk 1:00]\n[%eval Sf3] } 1. e2-e4 *",
            "1. e4 {torn\n\n[White \"Sf3\"]\n\n1. d4 1-0\n",
            "1. Ng1-f",
            "1. e4 o-o 2. o-o-o+ O-O# 3.O-O-O!o-o?! 0-0± 0-1",
            "1. O-\n\n[White \"a\"]\n\n1. O-O-\n\n[White \"b\"]\n\n{O-O±} (O-O±) ; O-O±\n1-0 O-O±",
            "1. e4 e5 2. Ng1f3+- Nc6 3. Bb5± a6 4. O-O± 1-0",
        ] {
            assert!(told(text).is_ok(), "{text}: {:?}", told(text));
        }
        for (text, line, word) in [
            ("\n1. ♘f3 d5", 2, "♘f3"),
            ("1. Nf3 2.Lg5\n", 1, "Lg5"),
            ("1. e4 {x} K-e2 1-0", 1, "K-e2"),
            ("1. e4 (1. d4) Ng1f\n", 1, "Ng1f"),
            ("1. O-O7\n", 1, "O-O7"),
            ("1. e4\no-o-o-o 1-0\n", 2, "o-o-o-o"),
            ("1. O-O-x 1-0", 1, "O-O-x"),
            ("1. e4\n\n\n1. Lg5\n", 4, "Lg5"),
            ("1. e4 e5 1-0 2. Sf3 Nc6\n", 1, "Sf3"),
        ] {
            assert_eq!(told(text), Err(format!("line {line}: `{word}` is not a move")), "{text}");
        }
    }

    /// Torn ones are no errors, nor is what only looks like one.
    #[test]
    fn moves_without_their_squares_are_errors() {
        for text in [
            "1. exd\n\n[White \"a\"]\n\n1. Nb\n\n[White \"b\"]\n\n1. O\n\n[White \"c\"]\n\n1. ed\n",
            "1. d4 ch (1. ed Nxd) {exd ed} ; ed\n2. Nbd7 bxa3 Be3 R1e2 1-0 ed",
        ] {
            assert!(told(text).is_ok(), "{text}: {:?}", told(text));
        }
        for (text, word) in [
            ("1. e4 e6 2. d4 d5 3. exd exd 4. Nf3 1-0\n", "exd"),
            ("1. ed+\n{x} 1-0\n", "ed+"),
            ("1. e:d\n% escaped\n\n2. d4 1-0\n", "e:d"),
            ("1. bxa=Q! Kd7 1-0\n", "bxa=Q"),
            ("1. exde.p. Nf6 1-0\n", "exde.p."),
            ("1. Nxd 1-0\n", "Nxd"),
            ("1. O - O 1-0\n", "O"),
            ("1. O-O- *\n", "O-O-"),
            ("1. 0–0– *\n", "0–0–"),
        ] {
            let error = told(text).unwrap_err();
            assert_eq!(error, format!("line 1: `{word}` is not a move"), "{text}");
        }
    }

    /// The result that stands in a variation is the game's, and the rest of the game would be left out. Where there is
    /// none the game was torn.
    #[test]
    fn variations_without_an_end_are_errors() {
        for text in [
            "1. e4 (1. d4 1-0) e5 1-0\n",
            "1. e4 (1. d4 (1. c4 1-0) d5\n\n[White \"a\"]\n\n1. d4 1-0\n",
            "1. e4 (1. d4 {1-0\n\n[White \"a\"]\n\n1. d4 ; (*\n1-0\n",
            "1. e4 (1. d4 1-",
            "1. e4 1-0 (\n\n[White \"a\"]\n\n1. d4 *\n",
            "1. e4 1-0 (1-0\n[White \"a\"]\n\n1. d4 *\n",
            "[Variant \"Atomic\"]\n\n1. Nf3 (1. e4 1-0\n\n[White \"a\"]\n\n1. d4 *\n",
        ] {
            assert!(told(text).is_ok(), "{text}: {:?}", told(text));
        }
        for (text, line) in [
            ("1. e4\n(1. d4 d5\n\n2. c4 e5 1-0\n\n[White \"a\"]\n\n1. d4 1-0\n", 2),
            ("1. e4 (1. d4 d5 1/2-1/2\n[White \"a\"]\n\n1. d4 1-0\n", 1),
            ("\n1. e4 ((1. d4) (1. c4)\n1... e5 *\n", 2),
            ("1. e4 (1. d4\n(1. c4 c5 1-0 {x\n}\n", 2),
            ("1. e4 (1. d4 1-0 {x\n\n[Event \"a\"]\n\n1. d4 1-0\n", 1),
        ] {
            let error = format!("line {line}: a variation begins here and does not end");
            assert!(told(text).unwrap_err().starts_with(&error), "{text}: {:?}", told(text));
        }
    }

    /// What is wrong with a game leaves the next one whole.
    #[test]
    fn behind_a_variation_without_an_end_the_next_game_is_whole() {
        let text = won("", "1. e4 ((1. d4 1-0") + &won("", "1. d4 1-0");
        assert!(found(&text).unwrap_err().contains("g.pgn, game 1: line 6: a variation begins here"));
        let mut words = Words::new(text.as_bytes());
        next_game(&mut words).unwrap();
        assert_eq!(next_game(&mut words).unwrap().unwrap().finish().unwrap().unwrap().game.moves.len(), 1);
    }

    /// No captures of pawns stand where no moves are: before them and behind the result.
    #[test]
    fn a_title_and_words_behind_the_result_are_no_moves() {
        for text in [
            "Torneo de Linares\n\n[Event \"a\"]\n\n1. e4 1-0\n",
            "Re: games\n12.03.1994 Torneo de Linares\n[Event \"a\"]\n\n1. e4 1-0\n",
            "1. e4 e5 1-0 de x\n",
            "1. e4 e5 *\nTorneo de Linares\n\n1. d4 *\n",
        ] {
            assert!(told(text).is_ok(), "{text}: {:?}", told(text));
        }
        for text in ["Torneo\n\n1. e4 d5 ed Qxd5 1-0\n", "Torneo\n1 e4 d5\n{a} ed 1-0\n"] {
            assert!(told(text).unwrap_err().ends_with("`ed` is not a move"), "{text}");
        }
    }

    /// Pieces of other variants have names of their own; those of the next game are the ones of chess again.
    #[test]
    fn moves_of_other_variants_are_no_errors() {
        let other = "[Event \"a\"]\n[Variant \"Seirawan\"]\n\n1. Hd3 {x\n\ny} Hxd5 2. Bd e4 1-0\n\n";
        let torn = "[Variant \"Capablanca\"]\n[White \"a\"]\n\n{c}\n\n1. Af3 Cc6 {torn\n";
        for text in
            [other.repeat(2), other.to_owned() + torn + other, torn.replace("{torn", "{torn}") + other]
        {
            assert!(told(&text).is_ok(), "{text}: {:?}", told(&text));
        }
        for (before, chess) in [
            (other, "[White \"b\"]\n\n"),
            (other, "[Variant \"Standard\"]\n\n"),
            (other, ""),
            (torn, "[Event \"b\"]\n\n"),
            ("[Variant \"Xiangqi\"]\n\n1. Hc3 Hc6\n", "[White \"b\"]\n\n"),
            ("[Variant \"Xiangqi\"]\n\n1. Hc3 Hc6\n\n", "[White \"b\"]\n\n"),
            ("[Event \"a\"]\n[Variant \"Xiangqi\"]\n\n", "[Event \"b\"]\n\n"),
        ] {
            let text = format!("{before}{chess}1. Hd3 1-0\n");
            let error = told(&text).unwrap_err();
            assert_eq!(error, format!("line {}: `Hd3` is not a move", text.lines().count()), "{text}");
        }
    }

    /// Not in comments and variations, nor before the moves.
    #[test]
    fn half_a_draw_is_one() {
        for (text, games) in [
            ("1. e4 e5 1/2\n\n1. d4 *\n", &[(2, "1/2-1/2"), (1, "*")][..]),
            ("1. e4 1/2 - 1/2\n", &[(1, "1/2-1/2")]),
            ("1. e4 {1/2 } (1. d4 1/2 ) e5 1/2-1/2\n", &[(2, "1/2-1/2")]),
            ("Heat 1/2\n\n[Round \"1/2\"]\n\n1. e4 1-0\n", &[(0, ""), (1, "1-0")]),
            ("1. e4 1-0 Heat 1/2\n", &[(1, "1-0")]),
        ] {
            let games = games.iter().map(|(plies, result)| (*plies, (*result).to_owned())).collect();
            assert_eq!(told(text), Ok(games), "{text}");
        }
    }

    /// Where no result was seen and no tag follows, the game goes on.
    #[test]
    fn blank_lines_among_moves_are_left_out() {
        for (text, plies) in [
            ("1. e4\n\n\ne5\n\n% x\n\n2. d4\n", &[3][..]),
            ("1. e4\r\n\r\ne5\r\n", &[2]),
            ("{a\n\nb}\n\n1. e4 (1. d4 1-0\n\nd5) e5\n", &[2]),
            ("1. e4 1-0 {a}\n\n1. d4 1–0\n\n1. c4 *\n\n", &[1, 1, 1]),
            ("1. e4\n\n\n[White \"a\"]\n\n1. d4\n", &[1, 1]),
            ("1. e4\n\n \t[Event \"a\"]\n [White \"Sf3\"]\n\n1. d4\n", &[1, 1]),
        ] {
            let games = told(text).unwrap();
            assert!(games.iter().map(|(found, _)| found).eq(plies), "{text}: {games:?}");
        }
    }

    /// Behind a blank line it may be about what follows.
    #[test]
    fn a_comment_behind_the_result_is_the_reason() {
        for (behind, reason) in
            [("{White mates}", "White mates"), ("\n{White mates}", "White mates"), ("\n\n{x y}", "")]
        {
            let text = won("", &format!("1. e4 {{x}} e5 1-0 {behind}"));
            let game = next_game(&mut Words::new(text.as_bytes())).unwrap().unwrap();
            assert_eq!(game.reason, reason, "{text}");
        }
    }
}
