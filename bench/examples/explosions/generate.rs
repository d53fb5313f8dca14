//! Draws the positions. shakmaty, not our own rules, judges whether each is legal.

use rand::seq::{IndexedRandom, SliceRandom};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, Position};
use std::collections::HashSet;
use std::io::{self, Write};

/// A board under construction, square by square from a1; a letter as in FEN.
type Board = [Option<char>; 64];

/// Draws a board of a kind.
type Draw = fn(&mut ChaCha8Rng) -> Board;

/// The kinds of positions: the first letter of their names, and who draws one.
const KINDS: [(char, Draw); 3] = [('e', endgame), ('b', blocked), ('q', promoted)];

/// Writes `count` different positions, the kinds in turn.
pub fn write(out: &mut impl Write, seed: u64, count: usize) -> io::Result<()> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut known = HashSet::new();
    for number in 0..count {
        let (name, draw) = KINDS[number % KINDS.len()];
        let line = loop {
            let side = *['w', 'b'].choose(&mut random).expect("there are two sides");
            let line = format!("{} {side} - -", placement(&draw(&mut random)));
            if is_playable(&line) && known.insert(line.clone()) {
                break line;
            }
        };
        writeln!(out, "{line} id \"{name}{:03}\";", number / KINDS.len() + 1)?;
    }
    Ok(())
}

/// Is it a legal position, by shakmaty, in which the game goes on?
fn is_playable(line: &str) -> bool {
    let position: Option<Chess> =
        line.parse::<Fen>().ok().and_then(|fen| fen.into_position(CastlingMode::Standard).ok());
    position.is_some_and(|position| !position.is_game_over())
}

/// Kings and one to six other men, pawns more often than pieces.
fn endgame(random: &mut ChaCha8Rng) -> Board {
    let mut board = [None; 64];
    put(&mut board, random, 'K', 0..8);
    put(&mut board, random, 'k', 0..8);
    for _ in 0..random.random_range(1..=6) {
        let man = *b"PPPPQRRBBN".choose(random).expect("there are some");
        let man = if random.random() { man } else { man.to_ascii_lowercase() };
        put_man(&mut board, random, char::from(man));
    }
    board
}

/// Pawns that stand before each other on five to eight files, and behind them kings and pieces.
fn blocked(random: &mut ChaCha8Rng) -> Board {
    let mut board = [None; 64];
    let mut files: Vec<usize> = (0..8).collect();
    files.shuffle(random);
    for &file in &files[..random.random_range(5..=8)] {
        let rank = random.random_range(2..=4);
        board[rank * 8 + file] = Some('P');
        board[(rank + 1) * 8 + file] = Some('p');
    }
    put(&mut board, random, 'K', 0..2);
    put(&mut board, random, 'k', 6..8);
    for (men, ranks) in [(b"QRRBBNN", 0..3), (b"qrrbbnn", 5..8)] {
        let mut men = men.to_vec();
        men.shuffle(random);
        for &man in &men[..random.random_range(0..=5)] {
            put(&mut board, random, char::from(man), ranks.clone());
        }
    }
    board
}

/// Armies in which some or all pawns have been promoted: up to nine queens or ten knights, bishops or rooks a side.
fn promoted(random: &mut ChaCha8Rng) -> Board {
    let mut board = [None; 64];
    let favourite = *b"QQQNBR".choose(random).expect("there are some");
    for lower in [false, true] {
        let mut men = b"QRRBBNN".to_vec();
        men.shuffle(random);
        men.truncate(random.random_range(2..=7));
        let promotions = random.random_range(3..=8);
        men.extend((0..promotions).map(|_| {
            if random.random_bool(0.8) { favourite } else { *b"QNBR".choose(random).expect("there are some") }
        }));
        men.extend(std::iter::repeat_n(b'P', random.random_range(0..=8 - promotions)));
        men.push(b'K');
        for man in men {
            let man = if lower { man.to_ascii_lowercase() } else { man };
            put_man(&mut board, random, char::from(man));
        }
    }
    board
}

/// Puts a man where one of its kind may stand.
fn put_man(board: &mut Board, random: &mut ChaCha8Rng, man: char) {
    let ranks = if man.eq_ignore_ascii_case(&'P') { 1..7 } else { 0..8 };
    put(board, random, man, ranks);
}

/// Puts a man on an empty square of these ranks, if there is one.
fn put(board: &mut Board, random: &mut ChaCha8Rng, man: char, ranks: std::ops::Range<usize>) {
    let empty: Vec<usize> =
        (ranks.start * 8..ranks.end * 8).filter(|&square| board[square].is_none()).collect();
    if let Some(&square) = empty.choose(random) {
        board[square] = Some(man);
    }
}

/// The first field of FEN.
fn placement(board: &Board) -> String {
    let rank = |rank: usize| {
        let mut text = String::new();
        let mut empty = 0;
        for square in &board[rank * 8..rank * 8 + 8] {
            match square {
                None => empty += 1,
                Some(man) => {
                    if empty > 0 {
                        text.push_str(&empty.to_string());
                    }
                    empty = 0;
                    text.push(*man);
                }
            }
        }
        if empty > 0 { text + &empty.to_string() } else { text }
    };
    (0..8).rev().map(rank).collect::<Vec<_>>().join("/")
}
