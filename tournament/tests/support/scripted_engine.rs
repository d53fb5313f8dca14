//! An engine for tests: it plays legal moves chosen by the position's key, in either protocol, and misbehaves in
//! exactly one way at exactly one move.
//!
//! `scripted-engine uci|xboard BEHAVIOUR [MOVE [TAG]]`: the behaviour sets in when it is to make its MOVE-th move of
//! the game (default 5). TAG is ignored; a test finds its own processes by it. One whose behaviour begins with
//! `babbling-` says very much of every search as well. `edits`: it has no `setboard`.
#![forbid(unsafe_code)]

use std::io::{self, BufRead, Write};
use std::process::exit;
use std::thread::sleep;
use std::time::Duration;

use chess::{Color, Game, Piece, PieceKind, Position, Square, placement};

struct Engine {
    xboard: bool,
    behaviour: String,
    babbles: bool,
    at: usize,
    game: Game,
    moves_made: usize,
    games: usize,
    forced: bool,
    /// The board in edit mode, by squares, and whose pieces come; one that edits has no `setboard`.
    editor: Option<([Option<Piece>; 64], Color)>,
}

fn main() -> io::Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let word = |index: usize| args.get(index).cloned().unwrap_or_default();
    let behaviour = word(1);
    let plain = behaviour.strip_prefix("babbling-");
    let mut engine = Engine {
        xboard: word(0) == "xboard",
        babbles: plain.is_some(),
        behaviour: plain.unwrap_or(&behaviour).to_owned(),
        at: word(2).parse().unwrap_or(5),
        game: Game::default(),
        moves_made: 0,
        games: 0,
        forced: false,
        editor: None,
    };
    if engine.behaviour == "dead" {
        writeln!(io::stderr(), "cannot find my network file")?;
        exit(3);
    }
    for line in io::stdin().lock().lines() {
        let line = line?;
        if engine.behaviour == "silent" {
            continue;
        }
        if line == "quit" {
            if engine.behaviour != "stays" {
                return Ok(());
            }
            continue;
        }
        if engine.xboard { engine.xboard_line(&line)? } else { engine.uci_line(&line)? }
    }
    if matches!(engine.behaviour.as_str(), "stays" | "silent") {
        // Nobody is there any more and it stays all the same.
        sleep(Duration::from_secs(3600));
    }
    Ok(())
}

fn say(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{text}")?;
    out.flush()
}

impl Engine {
    fn uci_line(&mut self, line: &str) -> io::Result<()> {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("uci") => {
                say("id name Scripted\noption name Threads type spin default 1 min 1 max 64")?;
                say("option name Ponder type check default false\nuciok")?;
            }
            Some("isready") if self.behaviour == "stuck" && self.games > 0 => {}
            Some("isready") => say("readyok")?,
            Some("ucinewgame") => {
                self.moves_made = 0;
                self.games += 1;
                // One game is all it is good for.
                if self.behaviour == "once" && self.games == 2 || self.behaviour == "unready" {
                    exit(4);
                }
            }
            Some("position") => self.set_position(line),
            Some("go") => self.answer()?,
            _ => {}
        }
        Ok(())
    }

    fn set_position(&mut self, line: &str) {
        let (start, moves) = line.split_once(" moves ").unwrap_or((line, ""));
        let fen = start.trim_start_matches("position ").trim_start_matches("fen ");
        let start = Position::from_fen(fen).unwrap_or_else(|_| Position::startpos());
        self.game = Game::new(start);
        moves.split_whitespace().for_each(|text| self.play(text));
    }

    fn xboard_line(&mut self, line: &str) -> io::Result<()> {
        if self.editor.is_some() {
            self.edit(line);
            return Ok(());
        }
        let (command, rest) = line.split_once(' ').unwrap_or((line, ""));
        match command {
            // The runner waits for an engine that is only silent.
            "uci" if self.behaviour != "undone" => exit(0),
            "protover" => {
                let done = if self.behaviour == "undone" { "" } else { " done=1" };
                let setboard = u8::from(self.behaviour != "edits");
                say(&format!("feature myname=\"Scripted\" ping=1 setboard={setboard} usermove=1{done}"))?;
            }
            "edit" => self.editor = Some(([None; 64], Color::White)),
            "ping" => say(&format!("pong {rest}"))?,
            "new" => {
                self.game = Game::default();
                (self.moves_made, self.forced) = (0, false);
            }
            "force" => self.forced = true,
            "setboard" if self.behaviour != "edits" => {
                self.game = Game::new(Position::from_fen(rest).unwrap_or_else(|_| Position::startpos()));
            }
            "go" => {
                self.forced = false;
                self.answer()?;
            }
            "undo" => {
                self.game.undo();
            }
            "usermove" => {
                if self.behaviour == "refuse" && self.moves_made >= self.at {
                    return say(&format!("Illegal move: {rest}"));
                }
                self.play(rest);
                if !self.forced {
                    self.answer()?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// A line in edit mode. The side to move stays, kings and rooks at home may castle, and no pawn has come two steps.
    fn edit(&mut self, line: &str) {
        let Some((board, color)) = &mut self.editor else { return };
        let mut chars = line.chars();
        match (line, chars.next().and_then(PieceKind::from_letter), chars.as_str().parse::<Square>()) {
            ("#", ..) => *board = [None; 64],
            ("c", ..) => *color = !*color,
            (".", ..) => {
                let side = if self.game.position().side_to_move() == Color::White { 'w' } else { 'b' };
                let board = placement(|square| board[square.index()]);
                if let Ok(position) = Position::from_fen(&format!("{board} {side} KQkq - 0 1")) {
                    self.game = Game::new(position);
                }
                self.editor = None;
            }
            (_, Some(kind), Ok(square)) => board[square.index()] = Some(Piece { color: *color, kind }),
            _ => {}
        }
    }

    fn play(&mut self, text: &str) {
        if let Ok(mv) = self.game.position().parse_uci(text) {
            let _ = self.game.play(mv);
        }
    }

    fn answer(&mut self) -> io::Result<()> {
        self.moves_made += 1;
        if self.babbles {
            let line = if self.xboard { "1 20 0 30 a b c" } else { "info depth 1 nodes 30 pv a b c" };
            say(&vec![line; 6000].join("\n"))?;
        }
        // It says something behind its move, and then no more, or goes on.
        let (later, goes_on) = match self.behaviour.as_str() {
            "resign-later" => (Some("resign"), false),
            "claim-later" => (Some("1/2-1/2 {I would like a draw}"), false),
            "resign-behind" => (Some("resign"), true),
            "other-claim" => (Some("1-0 {x}"), true),
            _ => (None, true),
        };
        if !goes_on && self.moves_made > self.at {
            return Ok(());
        }
        if self.moves_made == self.at {
            match self.behaviour.as_str() {
                "crash" => {
                    writeln!(io::stderr(), "index out of bounds: the len is 0 but the index is 1")?;
                    exit(101);
                }
                "illegal" => return self.say_move("e1e8"),
                "nothing" => return self.say_move("(none)"),
                "mute" => return Ok(()),
                "garbage" => {
                    return say("bestmoves\nmov e2e4\n\u{1}\u{fffd} garbage\ninfo depth x score cp y");
                }
                "late" => sleep(Duration::from_secs(1)),
                "thinks" => sleep(Duration::from_millis(20)),
                "resign" => return say("resign"),
                "other-resign" => say("resign")?,
                "claim" => return say("1/2-1/2 {I would like a draw}"),
                "offer" => say("offer draw")?,
                _ => {}
            }
        }
        let moves = self.game.position().legal_moves();
        let other = usize::from(self.behaviour.starts_with("other") && self.moves_made == self.at);
        let key = (self.game.position().key() as usize).wrapping_add(other);
        let Some(index) = key.checked_rem(moves.len()) else {
            return self.say_move("(none)");
        };
        let text = self.game.position().uci(moves[index]);
        if self.xboard {
            self.play(&text);
            say("1 20 0 30 x")?;
        } else {
            say("info depth 1 seldepth 2 score cp 20 nodes 30 time 0 pv x")?;
            if matches!(self.behaviour.as_str(), "mate" | "bound") && self.moves_made == self.at {
                say(&format!("info depth 2 score mate 1 pv {text}"))?;
            }
            if self.behaviour == "bound" && self.moves_made == self.at {
                say(&format!("info depth 3 score mate 1 lowerbound pv {text}"))?;
            }
        }
        match later.filter(|_| self.moves_made == self.at) {
            Some(words) => say(&format!("move {text}\n{words}")),
            None => self.say_move(&text),
        }
    }

    fn say_move(&self, text: &str) -> io::Result<()> {
        say(&format!("{} {text}", if self.xboard { "move" } else { "bestmove" }))
    }
}
