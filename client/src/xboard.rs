//! The xboard half of a [`Client`](super::Client): features, the texts it sends and the lines it understands.
//!
//! An xboard engine keeps the board itself, so the client remembers how many plies it has been told and
//! whether it is in force mode. Seen in Debian's engines and dealt with here: Fairy-Max has no `setboard`
//! (its positions are set with `edit`, after a dummy pawn move when Black is to move, and those that `edit` has
//! no words for are not played), Phalanx and Sjeng want moves without `usermove`, Phalanx shows book moves as
//! thinking lines full of zeros, Sjeng writes SAN in its variations, HoiChess leaves on an illegal move.

use chess::{Color, Piece, PieceKind, Position, Square, Wing};

use super::config::{EngineConfig, Protocol};
use super::expressible::expressible;
use super::failure::FailureKind;
use super::info::{Info, Variations};
use super::option::{Declared, OptionError, Value};
use super::{Answer, Clocks, GameSetup, Limits, Ply};

/// What an engine told with `feature`, protocol version 1's defaults where it told nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Features {
    pub name: Option<String>,
    pub ping: bool,
    setboard: bool,
    usermove: bool,
    san: bool,
    time: bool,
    name_command: bool,
    memory: bool,
    smp: bool,
    nps: bool,
    pub reuse: bool,
    variants: String,
    pub options: Vec<Declared>,
}

impl Default for Features {
    fn default() -> Self {
        Self {
            name: None,
            ping: false,
            setboard: false,
            usermove: false,
            san: false,
            time: true,
            name_command: false,
            memory: false,
            smp: false,
            nps: false,
            reuse: true,
            variants: String::new(),
            options: Vec::new(),
        }
    }
}

/// What became of one feature: `done` decides how long the client waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Feature {
    Accepted(String),
    Rejected(String),
    Done(bool),
}

impl Features {
    /// Takes in a `feature` line; `None` for any other.
    pub fn read(&mut self, line: &str) -> Option<Vec<Feature>> {
        let rest = line.trim_start().strip_prefix("feature")?;
        if !rest.starts_with([' ', '\t']) {
            return None;
        }
        let mut seen = Vec::new();
        for (name, value) in pairs(rest) {
            let on = value == "1";
            match name.as_str() {
                "done" => {
                    seen.push(Feature::Done(on));
                    continue;
                }
                "myname" => self.name = Some(value),
                "ping" => self.ping = on,
                "setboard" => self.setboard = on,
                "usermove" => self.usermove = on,
                "san" => self.san = on,
                "time" => self.time = on,
                "name" => self.name_command = on,
                "memory" => self.memory = on,
                "smp" => self.smp = on,
                "nps" => self.nps = on,
                "reuse" => self.reuse = on,
                "variants" => self.variants = value,
                "option" => self.options.push(Declared::read_xboard(&value)),
                // Harmless here, whatever the value.
                "sigint" | "sigterm" | "analyze" | "draw" | "colors" | "ics" | "pause" | "playother"
                | "debug" | "exclude" | "egt" | "setscore" => {}
                _ => {
                    seen.push(Feature::Rejected(name));
                    continue;
                }
            }
            seen.push(Feature::Accepted(name));
        }
        Some(seen)
    }
}

/// Splits `a=1 b="two words"` into pairs.
pub fn pairs(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while let Some((name, after)) = rest.split_once('=') {
        let (value, after) = match after.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
            None => after.split_once([' ', '\t']).unwrap_or((after, "")),
        };
        found.push((name.trim().to_owned(), value.trim().to_owned()));
        rest = after.trim_start();
    }
    found
}

/// What is known of an xboard engine, and of the game it is in.
#[derive(Debug, Default)]
pub(super) struct Xboard {
    pub features: Features,
    /// Plies the engine knows of.
    plies: usize,
    forced: bool,
    chess960: bool,
    /// The moves that it was told of when it was last asked, as it was told.
    told: Vec<String>,
    /// What it has said since then.
    variations: Variations,
    pub pings: u64,
}

impl Xboard {
    /// The lines that set the number of threads and the hash size, or what keeps one of them from being set.
    pub fn resource_lines(&self, config: &EngineConfig) -> Result<String, OptionError> {
        let mut text = String::new();
        match config.threads {
            Some(threads) if self.features.smp => text += &format!("cores {threads}\n"),
            Some(threads) if threads > 1 => {
                return Err(OptionError::Resources("it cannot use several threads (no feature smp)"));
            }
            _ => {}
        }
        match config.hash_mb {
            Some(hash) if self.features.memory => text += &format!("memory {hash}\n"),
            Some(_) => {
                return Err(OptionError::Resources("its hash size cannot be set (no feature memory)"));
            }
            None => {}
        }
        Ok(text)
    }

    /// What begins a new game, in force mode, to be followed by a ping.
    pub fn new_game(&mut self, setup: &GameSetup, config: &EngineConfig) -> Result<String, FailureKind> {
        let mut text = String::from("new\n");
        self.chess960 = setup.chess960;
        if setup.chess960 {
            if !self.features.variants.split(',').any(|variant| variant.trim() == "fischerandom") {
                return Err(FailureKind::Unable("it does not play Chess960 (variant fischerandom)".into()));
            }
            text += "variant fischerandom\n";
        }
        text += &self.limit_lines(&setup.limits)?;
        text += if config.ponder { "hard\n" } else { "easy\n" };
        text += "post\n";
        if self.features.name_command {
            text += &format!("name {}\n", setup.opponent);
        }
        text += "force\n";
        if let Some(fen) = setup.fen {
            if self.features.setboard {
                text += &format!("setboard {fen}\n");
            } else {
                text += &self.edit_lines(setup.start)?;
            }
        }
        text.truncate(text.trim_end().len());
        self.plies = 0;
        self.forced = true;
        Ok(text)
    }

    fn limit_lines(&self, limits: &Limits) -> Result<String, FailureKind> {
        expressible(Protocol::Xboard, limits).map_err(|error| FailureKind::Unable(error.to_string()))?;
        let mut text = String::new();
        if let Some(nodes) = limits.nodes {
            if !self.features.nps {
                return Err(FailureKind::Unable("it cannot be limited by nodes (no feature nps)".into()));
            }
            text += &format!("st 1\nnps {nodes}\n");
        } else if let Some(time) = limits.move_time {
            text += &format!("st {}\n", time.as_secs());
        } else if let Some(tc) = limits.clock {
            // `level` knows whole seconds only; the `time` before every move says the rest.
            let seconds = tc.base.as_secs().max(1);
            let (moves, increment) = (tc.moves.unwrap_or(0), tc.increment.as_secs_f64());
            text += &format!("level {moves} {}:{:02} {increment}\n", seconds / 60, seconds % 60);
        } else {
            text += "st 86400\n";
        }
        if let Some(depth) = limits.depth {
            text += &format!("sd {depth}\n");
        }
        Ok(text)
    }

    /// The moves the engine does not know yet and what makes it think.
    pub fn go(&mut self, plies: &[Ply], clocks: &Clocks, limits: &Limits) -> String {
        let new = &plies[self.plies.min(plies.len())..];
        let moves: String = new.iter().map(|ply| self.move_line(ply)).collect();
        let clock = if self.features.time && limits.clock.is_some() {
            let centiseconds = |time: std::time::Duration| (time.as_millis() / 10).max(1);
            format!("time {}\notim {}\n", centiseconds(clocks.own), centiseconds(clocks.opponents().0))
        } else {
            String::new()
        };
        let text = if self.forced { moves + &clock + "go" } else { (clock + &moves).trim_end().to_owned() };
        self.told = new.iter().map(|ply| self.move_text(ply).to_owned()).collect();
        self.variations.clear();
        self.forced = false;
        // The move it is going to make is known to it as well.
        self.plies = plies.len() + 1;
        text
    }

    /// The engine has made no move of its own: it is told of the one in its place. `asked`: its move has been
    /// counted among those that it knows of.
    pub fn made_no_move(&mut self, asked: bool) -> &'static str {
        self.plies = self.plies.saturating_sub(asked.into());
        self.forced = true;
        "force"
    }

    /// What takes the engine's last move back; it is told of another in its place.
    pub fn take_back(&mut self) -> &'static str {
        self.plies = self.plies.saturating_sub(1);
        self.forced = true;
        "force\nundo"
    }

    /// Ends the game for the engine.
    pub fn game_over(&mut self, result: &str, reason: &str) -> String {
        self.forced = true;
        format!("force\nresult {result} {{{reason}}}")
    }

    fn move_text<'a>(&self, ply: &'a Ply) -> &'a str {
        match ply.castling {
            _ if self.features.san => &ply.san,
            Some(castling) if self.chess960 => castling,
            _ => &ply.uci,
        }
    }

    fn move_line(&self, ply: &Ply) -> String {
        let word = if self.features.usermove { "usermove " } else { "" };
        format!("{word}{}\n", self.move_text(ply))
    }

    /// Can the engine be told of games that begin in these positions? They are looked at only where it has no
    /// `setboard`.
    pub fn check_starts(&self, starts: impl Iterator<Item = Position>) -> Result<(), FailureKind> {
        if self.features.setboard {
            return Ok(());
        }
        let mut refused = starts.filter_map(|start| check_castling(&start).err());
        let Some(first) = refused.next() else { return Ok(()) };
        let more = match refused.count() {
            0 => String::new(),
            more => format!("; {more} more of the openings are such positions"),
        };
        Err(FailureKind::Unable(first + &more))
    }

    /// The position in `edit` commands, for engines without `setboard`. After them the engine takes kings and rooks at
    /// home to have their castling rights, and no pawn to have come two steps: a pawn that has is moved behind them.
    fn edit_lines(&self, position: &Position) -> Result<String, FailureKind> {
        check_castling(position).map_err(FailureKind::Unable)?;
        let step = position.ep_square().map(double_step);
        let side = if step.is_some() { !position.side_to_move() } else { position.side_to_move() };
        let piece_on = |square| match step {
            Some([from, to]) if square == from => position.piece_on(to),
            Some([_, to]) if square == to => None,
            _ => position.piece_on(square),
        };
        let mut text = String::new();
        if side == Color::Black {
            // After `new` White is to move and `edit` does not change that: a move passes the turn.
            text += &self.move_line(&Ply { uci: "a2a3".into(), san: "a3".into(), castling: None });
        }
        text += "edit\n#\n";
        for colour in [Color::White, Color::Black] {
            if colour == Color::Black {
                text += "c\n";
            }
            for index in 0..64 {
                let square = Square::new(index);
                if let Some(piece) = piece_on(square).filter(|piece| piece.color == colour) {
                    text += &format!("{}{square}\n", piece.kind.letter());
                }
            }
        }
        text += ".\n";
        if let Some([from, to]) = step {
            let check = if position.in_check() { "+" } else { "" };
            let (uci, san) = (format!("{from}{to}"), format!("{to}{check}"));
            text += &self.move_line(&Ply { uci, san, castling: None });
        }
        Ok(text)
    }

    /// Reads a line while an answer is awaited. With the move, `info` becomes what was said of that move, if
    /// the engine has shown several variations.
    pub fn read(&mut self, line: &str, info: &mut Info) -> Option<Answer> {
        let line = line.trim();
        if let Some(text) = own_move(line) {
            self.variations.choose(text, info);
            return Some(Answer::Move(text.to_owned()));
        }
        if let Some(ended) = ending(line) {
            return Some(ended);
        }
        if self.refuses(line) {
            return Some(Answer::Refused(line.to_owned()));
        }
        self.variations.read(line, info);
        None
    }

    /// Does a line call a move illegal that the engine was told of? Engines that take every unknown word for
    /// a move say the same of `otim`.
    fn refuses(&self, line: &str) -> bool {
        let words = line.strip_prefix("Illegal move").or_else(|| line.strip_prefix("illegal move"));
        let Some(rest) = words else { return false };
        // `Illegal move (REASON): MOVE`.
        let named = match rest.split_once(':') {
            Some((_, named)) => named,
            None => rest.split('(').next().unwrap_or_default(),
        };
        let names = |text: &str| {
            let plain = |text: &str| text.trim_end_matches(['+', '#']).to_owned();
            self.told.iter().any(|told| plain(told).eq_ignore_ascii_case(&plain(text)))
        };
        let other = |c: char| c.is_whitespace() || ".,:;!'\"()".contains(c);
        named.split(other).all(str::is_empty) || rest.split(other).filter(|word| !word.is_empty()).any(names)
    }
}

/// The command that sets one option, or what is wrong with the value.
pub(super) fn option_line(option: &Declared, value: &str) -> Result<String, OptionError> {
    let set = match option.check(value)? {
        Value::Unpressed => return Ok(String::new()),
        Value::None => String::new(),
        Value::Switch(on) => format!("={}", u8::from(on)),
        Value::Text(value) => format!("={value}"),
    };
    Ok(format!("option {}{set}\n", option.name))
}

/// Sentences that older engines end a game with, as xboard reads them, and what they mean: a result in PGN, a
/// resignation (none). Those that say "mate" are not among them: the move says it as well, and some say it first.
const OLD_ENDINGS: [(&str, Option<&str>); 5] = [
    ("white resigns", Some("0-1")),
    ("black resigns", Some("1-0")),
    ("computer resigns", None),
    ("draw", Some("1/2-1/2")),
    ("game is a draw", Some("1/2-1/2")),
];

/// What a line says of the end of the game: that the engine resigns, or a claim.
pub(super) fn ending(line: &str) -> Option<Answer> {
    let line = line.trim();
    if line == "resign" || line.starts_with("resign ") || line.starts_with("tellics resign") {
        return Some(Answer::Resign);
    }
    for result in ["1-0", "0-1", "1/2-1/2"] {
        let may_follow = |c: char| c.is_whitespace() || c == '{';
        if line.strip_prefix(result).is_some_and(|rest| rest.is_empty() || rest.starts_with(may_follow)) {
            return Some(Answer::Claim(line.to_owned()));
        }
    }
    let words = line.trim_end_matches(['.', '!']);
    let (_, meaning) = OLD_ENDINGS.iter().find(|(old, _)| old.eq_ignore_ascii_case(words))?;
    Some(match meaning {
        None => Answer::Resign,
        Some(result) => Answer::Claim(format!("{result} {{{line}}}")),
    })
}

/// The engine's move in `move MOVE`, or in `NUMBER ... MOVE`, the older form that GNU Chess speaks. The dots
/// stand there for White's moves as well; a number and a move without them is an echo of the opponent's.
pub fn own_move(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let rest = match line.strip_prefix("move") {
        Some(rest) => rest.starts_with(char::is_whitespace).then_some(rest)?,
        None => {
            let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
            let rest = (rest.len() < line.len()).then(|| rest.trim_start())?;
            // The number may have a dot of its own.
            rest.strip_prefix("...").or_else(|| rest.strip_prefix('.')?.trim_start().strip_prefix("..."))?
        }
    };
    rest.split_whitespace().next()
}

/// From where to where the pawn went that passed over this square.
fn double_step(passed: Square) -> [Square; 2] {
    let ranks = if passed.rank() == 2 { [1, 3] } else { [6, 4] };
    ranks.map(|rank| Square::at(passed.file(), rank))
}

/// Are the castling rights those that an engine takes for given behind `edit`: of all kings and rooks at home?
fn check_castling(position: &Position) -> Result<(), String> {
    for color in Color::ALL {
        let king = position.king(color);
        for (wing, file, side) in [(Wing::King, 7, "king's"), (Wing::Queen, 0, "queen's")] {
            let corner = Square::at(file, color.back_rank());
            let rook = Piece { color, kind: PieceKind::Rook };
            let at_home = king == Square::at(4, color.back_rank()) && position.piece_on(corner) == Some(rook);
            let right = position.castling_rook(color, wing);
            if right != at_home.then_some(corner) {
                let has = if right.is_some() { "has" } else { "does not have" };
                return Err(format!(
                    "it cannot be told of the position {position} (no feature setboard): by king and rooks \
                     alone it would not know that {color:?} {has} the right to castle on the {side} side"
                ));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Dialect, Evaluation};
    use proptest::prelude::*;
    use std::time::Duration;

    #[test]
    fn features_in_quotes_and_out() {
        let mut features = Features::default();
        let seen = features
            .read("feature myname=\"Phalanx XXV\" setboard=1 time=1 memory=1 option=\"Randomizer (0-50) -slider 0 0 50\" ping=1 frob=1 done=1")
            .unwrap();
        assert_eq!(features.name.as_deref(), Some("Phalanx XXV"));
        assert!(features.setboard && features.ping && !features.usermove);
        assert_eq!(features.options[0].name, "Randomizer (0-50)");
        assert!(seen.contains(&Feature::Rejected("frob".into())));
        assert_eq!(seen.last(), Some(&Feature::Done(true)));
        assert_eq!(features.read("featureless"), None);
    }

    /// engine-intf.html, section 12: `option NAME` for a button, `option NAME=VALUE` for all others, a check's
    /// value being 1 or 0.
    #[test]
    fn options_are_checked_against_the_declaration() {
        let mut engine = Xboard::default();
        engine.features.read(
            "feature option=\"MultiPV -spin 1 1 256\" option=\"Resign -check 0\" option=\"Clear Hash -button\" \
             option=\"Scheme -combo *lazy /// ybw\"",
        );
        let engine = Dialect::Xboard(engine);
        let mut config = EngineConfig::new("e");
        let options = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
            pairs.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect()
        };
        config.options = options(&[
            ("multipv", "3"),
            ("Resign", "on"),
            ("Clear Hash", ""),
            ("clear hash", "0"),
            ("scheme", "YBW"),
        ]);
        let lines = "option MultiPV=3\noption Resign=1\noption Clear Hash\noption Scheme=ybw\n";
        assert_eq!(engine.option_lines(&config), Ok((lines.to_owned(), Vec::new())));
        for (name, value, says) in [
            ("MultiPV", "9999", "outside 1..256"),
            ("MultiPV", "abc", "not a whole number"),
            ("Resign", "maybe", "neither true nor false"),
            ("Scheme", "foo", "none of lazy, ybw"),
            ("Sceme", "ybw", "no option `Sceme`"),
        ] {
            config.options = options(&[(name, value)]);
            config.lenient = false;
            let error = engine.option_lines(&config).unwrap_err();
            assert!(error.to_string().contains(says), "{error}");
            config.lenient = true;
            assert_eq!(engine.option_lines(&config), Ok((String::new(), vec![error])));
        }
    }

    /// engine-intf.html: `cores` and `memory` are for engines with the features `smp` and `memory`; one thread
    /// is what an engine without `smp` has.
    #[test]
    fn threads_and_memory_are_set_where_the_engine_takes_them() {
        let set = |features: &str, threads: Option<u32>, hash_mb: Option<u32>| {
            let mut engine = Xboard::default();
            engine.features.read(features);
            let config = EngineConfig { threads, hash_mb, ..EngineConfig::new("e") };
            engine.resource_lines(&config).unwrap_or_else(|error| error.to_string())
        };
        let both = "feature smp=1 memory=1";
        assert_eq!(set(both, Some(4), Some(64)), "cores 4\nmemory 64\n");
        assert_eq!(set(both, Some(1), None), "cores 1\n");
        assert_eq!(set(both, None, None), "");
        assert_eq!(set("feature smp=0 memory=0", Some(1), None), "");
        assert!(set("feature smp=0", Some(4), None).contains("several threads"));
        assert!(set("feature memory=0", None, Some(64)).contains("hash size"));
    }

    /// As king takes rook only where that is the game (protocol version 2: `O-O` is Chess960's).
    #[test]
    fn castling_is_written_as_the_game_and_the_engine_have_it() {
        let castles = Ply { uci: "e1g1".into(), san: "O-O+".into(), castling: Some("O-O") };
        for (features, chess960, told) in [
            ("feature usermove=1", false, "usermove e1g1\n"),
            ("feature usermove=1", true, "usermove O-O\n"),
            ("feature usermove=1 san=1", false, "usermove O-O+\n"),
            ("feature usermove=0", false, "e1g1\n"),
        ] {
            let mut engine = Xboard { chess960, ..Xboard::default() };
            engine.features.read(features);
            assert_eq!(engine.move_line(&castles), told, "{features}, {chess960}");
        }
    }

    /// engine-intf.html, section 8: `time` is the engine's clock, `otim` the opponent's, in centiseconds, whatever its
    /// colour. There is no word for an opponent without a clock.
    #[test]
    fn its_own_clock_is_told_first() {
        let limits = Limits { clock: Some("60+1".parse().unwrap()), ..Limits::default() };
        for side in [Color::White, Color::Black] {
            let [own, other, own_increment, other_increment] =
                [1000, 2000, 10, 20].map(Duration::from_millis);
            for (other, told) in [(Some(other), "time 100\notim 200\ngo"), (None, "time 100\notim 100\ngo")] {
                let clocks = Clocks { side, own, other, own_increment, other_increment, moves_to_go: None };
                let mut engine = Xboard { forced: true, ..Xboard::default() };
                assert_eq!(engine.go(&[], &clocks, &limits), told);
            }
        }
    }

    #[test]
    fn lines_that_end_a_search_and_lines_that_do_not() {
        let mut engine = Xboard { told: vec!["e2e4".into(), "Qh5+".into()], ..Xboard::default() };
        let mut info = Info::default();
        assert_eq!(engine.read("move e7e5", &mut info), Some(Answer::Move("e7e5".into())));
        assert_eq!(engine.read("resign", &mut info), Some(Answer::Resign));
        let claim = "1/2-1/2 {Draw by repetition}";
        assert_eq!(engine.read(claim, &mut info), Some(Answer::Claim(claim.into())));
        for text in ["1-09", "My move is : b1c3", "tellics whisper d8", "moved", "move", "move ", "1. d7d5"] {
            assert_eq!(engine.read(text, &mut info), None, "{text}");
        }
        // Engines that know fewer words than they are sent take those for moves.
        for (text, refused) in [
            ("Illegal move: e2e4", true),
            ("illegal move (in check): usermove e2e4", true),
            ("Illegal move: Qh5", true),
            ("Illegal move e2e4: king in check", true),
            ("Illegal move: e2e4: piece blocked", true),
            ("Illegal move.", true),
            ("Illegal move (not my turn)", true),
            ("Illegal move: otim", false),
            ("Illegal move (unknown): time 100", false),
            ("illegal move otim 100", false),
        ] {
            let expected = refused.then(|| Answer::Refused(text.to_owned()));
            assert_eq!(engine.read(text, &mut info), expected, "{text}");
        }
    }

    /// The sentences that xboard reads besides `resign` and `RESULT {COMMENT}`.
    #[test]
    fn old_sentences_end_a_game() {
        let claim = |text: &str| Some(Answer::Claim(text.into()));
        for (line, answer) in [
            ("White resigns", claim("0-1 {White resigns}")),
            ("Black resigns.", claim("1-0 {Black resigns.}")),
            ("computer resigns", Some(Answer::Resign)),
            ("Computer mates!", None),
            ("checkmate", None),
            ("Draw", claim("1/2-1/2 {Draw}")),
            ("game is a draw", claim("1/2-1/2 {game is a draw}")),
            ("Draw score: 10", None),
            ("offer draw", None),
            ("checkmate in 3", None),
        ] {
            assert_eq!(Xboard::default().read(line, &mut Info::default()), answer, "{line}");
        }
    }

    /// An engine with an option `MultiPV` shows a line for each of its best moves at every depth.
    #[test]
    fn of_several_variations_that_of_the_move_counts() {
        // A bound at a new depth leaves a move its own score, whatever move the last score was of.
        let mut engine = Xboard::default();
        let mut info = Info::default();
        for line in ["9 35 10 900 e2e4 e7e5", "9 -900 20 1000 b1c3 d7d5", "10 60 30 2000 e2e4 !", "move E2E4"]
        {
            engine.read(line, &mut info);
        }
        assert_eq!((info.score, info.depth), (Some(Evaluation::Centipawns(35)), Some(10)));
        let mut engine = Xboard::default();
        let mut info = Info::default();
        for line in [
            "8 90 10 900 g1f3 d7d5",
            "9 31 20 1000 e2e4 e7e5",
            "9 20 30 2000 1. d2d4 d7d5",
            "9 35 40 3000 e2e4 c7c5",
            "9 -5 50 4000 5 1000 0\tb1c3 d7d5",
            "9 80 60 5000 e2e4 !",
        ] {
            assert_eq!(engine.read(line, &mut info), None, "{line}");
        }
        for (mv, score, pv) in [("e2e4", 35, "e2e4"), ("d2d4", 20, "1. d2d4 d7d5"), ("g1f3", -5, "e2e4")] {
            let mut info = info.clone();
            assert!(engine.read(&format!("move {mv}"), &mut info).is_some());
            assert_eq!((info.score, info.pv.as_str()), (Some(Evaluation::Centipawns(score)), pv), "{mv}");
            assert_eq!((info.depth, info.nodes), (Some(9), Some(5000)));
        }
    }

    /// engine-intf.html, section 8: `level MOVES MINUTES:SECONDS INCREMENT` or `st SECONDS`, and `sd` beside them;
    /// `hard` where an engine may think on its opponent's time, `easy` where it may not; `post` to see its thinking.
    #[test]
    fn a_new_game_has_its_limits_and_whether_to_ponder() {
        let start = Position::startpos();
        let clock = |text: &str| Limits { clock: Some(text.parse().unwrap()), ..Limits::default() };
        let two_seconds = Limits { move_time: Some(Duration::from_secs(2)), ..Limits::default() };
        for (limits, told) in [
            (clock("40/90+0.5"), "level 40 1:30 0.5"),
            (clock("60"), "level 0 1:00 0"),
            (clock("8+0.08"), "level 0 0:08 0.08"),
            (two_seconds, "st 2"),
            (Limits { depth: Some(3), ..two_seconds }, "st 2\nsd 3"),
            // With no limit of time a move has a day.
            (Limits { depth: Some(3), ..Limits::default() }, "st 86400\nsd 3"),
            (Limits { nodes: Some(1000), ..Limits::default() }, "st 1\nnps 1000"),
        ] {
            let setup = GameSetup { start: &start, fen: None, chess960: false, limits, opponent: "x" };
            for (ponder, word) in [(false, "easy"), (true, "hard")] {
                let mut engine = Xboard::default();
                engine.features.read("feature nps=1");
                let config = EngineConfig { ponder, ..EngineConfig::new("e") };
                let text = engine.new_game(&setup, &config).unwrap();
                assert_eq!(text, format!("new\n{told}\n{word}\npost\nforce"));
            }
        }
    }

    /// Without `setboard`, Black to move: the move that passes the turn is written like all others.
    #[test]
    fn the_move_before_edit_has_its_word() {
        let start = Position::from_fen("4k3/8/8/8/8/8/4P3/4K3 b - - 0 1").unwrap();
        let fen = start.fen();
        let limits = Limits { depth: Some(3), ..Limits::default() };
        let setup = GameSetup { start: &start, fen: Some(&fen), chess960: false, limits, opponent: "x" };
        for (feature, line) in [("usermove=0", "a2a3"), ("usermove=1", "usermove a2a3")] {
            let mut engine = Xboard::default();
            engine.features.read(&format!("feature {feature}"));
            let text = engine.new_game(&setup, &EngineConfig::new("e")).unwrap();
            let lines: Vec<&str> = text.lines().skip_while(|line| *line != "force").collect();
            assert_eq!(lines, ["force", line, "edit", "#", "Ke1", "Pe2", "c", "Ke8", "."]);
        }
    }

    /// engine-intf.html, section 8: behind `edit` no pawn can be captured in passing. The step is a move of its own, by
    /// Black behind the one that passes the turn.
    #[test]
    fn a_double_step_is_made_behind_edit() {
        for (fen, lines) in [
            (
                "4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1",
                &["edit", "#", "Ke1", "Pe2", "c", "Pd4", "Ke8", ".", "e2e4"][..],
            ),
            (
                "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1",
                &["a2a3", "edit", "#", "Ke1", "Pe5", "c", "Pd7", "Ke8", ".", "d7d5"],
            ),
        ] {
            let start = Position::from_fen(fen).unwrap();
            assert!(start.ep_square().is_some(), "{fen}");
            let text = Xboard::default().edit_lines(&start).unwrap();
            assert_eq!(text.lines().collect::<Vec<_>>(), lines, "{fen}");
        }
        let mut engine = Xboard::default();
        engine.features.read("feature san=1 usermove=1");
        let checked = Position::from_fen("8/8/8/3k4/3pP3/8/8/4K3 b - e3 0 1").unwrap();
        assert!(engine.edit_lines(&checked).unwrap().ends_with(".\nusermove e4+\n"));
    }

    /// engine-intf.html, section 8: behind `edit` castling is taken for allowed where king and rook are at home.
    #[test]
    fn castling_rights_that_edit_has_no_words_for_are_refused() {
        let mut engine = Xboard::default();
        let told = |engine: &Xboard, fen: &str| {
            engine.check_starts(std::iter::once(Position::from_fen(fen).unwrap()))
        };
        for fen in [
            "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
            "r3k3/8/8/8/8/8/8/4K2R w Kq - 0 1",
            "r4k1r/8/8/8/8/8/8/1R2K1R1 w - - 0 1",
        ] {
            assert_eq!(told(&engine, fen), Ok(()), "{fen}");
        }
        for (fen, says) in [
            (
                "r3k2r/8/8/8/8/8/8/R3K2R w Kkq - 0 1",
                "White does not have the right to castle on the queen's side",
            ),
            ("4k2r/8/8/8/8/8/8/4K3 b - - 0 1", "Black does not have the right to castle on the king's side"),
            ("1r3k2/8/8/8/8/8/8/4K3 b q - 0 1", "Black has the right to castle on the queen's side"),
        ] {
            let Err(FailureKind::Unable(why)) = told(&engine, fen) else { panic!("{fen}") };
            assert!(why.contains(fen) && why.contains("setboard") && why.contains(says), "{why}");
        }
        let bare = ["4k2r/8/8/8/8/8/8/4K3 b - - 0 1", "4k3/8/8/8/8/8/8/4K3 w - - 0 1"];
        let starts = bare.iter().cycle().take(6).map(|fen| Position::from_fen(fen).unwrap());
        let Err(FailureKind::Unable(why)) = engine.check_starts(starts) else { panic!("they are refused") };
        assert!(why.ends_with("; 2 more of the openings are such positions"), "{why}");
        engine.features.read("feature setboard=1");
        assert_eq!(told(&engine, "4k2r/8/8/8/8/8/8/4K3 b - - 0 1"), Ok(()));
    }

    /// engine-intf.html, section 9: `move MOVE` and `NUMBER ... MOVE`. GNU Chess 6.2.7 writes the dot after the number.
    #[test]
    fn a_number_three_dots_and_a_move_is_a_move() {
        for (line, mv) in [
            ("1. ... g1f3", "g1f3"),
            ("1 ... e2e4", "e2e4"),
            ("24. ... e7e8q", "e7e8q"),
            ("  7 ...   O-O  ", "O-O"),
            ("3...Nf6", "Nf6"),
            ("12. ... d2d4 (book)", "d2d4"),
            ("move\te2e4", "e2e4"),
            ("move e2e4 ", "e2e4"),
        ] {
            assert_eq!(own_move(line), Some(mv), "{line}");
        }
        for line in
            ["1. e2e4", "1. ...", "... e2e4", "2. Nf3 ... e5", "5 12 3 400 1. ... e5", "1.. e4", "x ... e4"]
        {
            assert_eq!(own_move(line), None, "{line}");
        }
    }

    proptest! {
        #[test]
        fn no_line_is_too_odd(
            words in prop::collection::vec(
                prop_oneof![
                    6 => "(move|resign|1-0|Illegal move|myname|option|done|=|\"|1|-spin| -|[.]{1,3}|e7e8q|O-O-O)",
                    2 => "[+-]?[0-9]{1,22}[.]?",
                    2 => any::<String>(),
                ],
                0..16,
            ),
            gap in "[ \t]?",
        ) {
            let line = words.join(&gap);
            let _ = Features::default().read(&format!("feature {line}"));
            let _ = Xboard::default().read(&line, &mut Info::default());
        }

        #[test]
        fn a_numbered_move_is_read_back(number in any::<u32>(), dot in "[.]?", gap in " {1,3}", mv in "[a-h][1-8][a-h][1-8]q?") {
            let line = format!("{number}{dot}{gap}...{gap}{mv}");
            prop_assert_eq!(own_move(&line), Some(mv.as_str()));
        }
    }
}
