//! All endings of a queen, a rook or a pawn against the bare king, by retrograde analysis over the rules of room `chess`
//! and nothing else: who can move into a lost position wins, who can only move into won ones loses, and what is left
//! when nothing more follows is drawn (Ströhlein 1970; Thompson 1986).

use chess::{Color, PieceKind, Position, Square};
use engine::tablebase::Ending;

/// Positions of one ending: side to move, both kings and the piece of the side that has one, which is White.
const PLACES: usize = 2 * 64 * 64 * 64;

/// The endings of one piece; `None` for what is no position.
type Endings = Vec<Option<Ending>>;

/// Everything that three men can come to.
pub struct Solver {
    queen: Endings,
    rook: Endings,
    pawn: Endings,
}

/// Where a position stands in its ending, White having the piece.
fn place(position: &Position, piece: Square) -> usize {
    let strong = position.color_bb(Color::White).contains(piece);
    let (strong, turn) = if strong { (Color::White, 0) } else { (Color::Black, 56) };
    // A board turned upside down is the same with colours reversed.
    let square = |square: Square| square.index() ^ turn;
    let side = usize::from(position.side_to_move() != strong);
    ((side * 64 + square(position.king(strong))) * 64 + square(position.king(!strong))) * 64 + square(piece)
}

/// The position at a place, if there is a legal one.
fn position_at(place: usize, kind: PieceKind) -> Option<Position> {
    let letter = match kind {
        PieceKind::Queen => 'Q',
        PieceKind::Rook => 'R',
        _ => 'P',
    };
    let mut board = ['1'; 64];
    for (square, man) in [(place / 4096 % 64, 'K'), (place / 64 % 64, 'k'), (place % 64, letter)] {
        let seen = &mut board[square ^ 56];
        if *seen != '1' {
            return None;
        }
        *seen = man;
    }
    let ranks: Vec<String> = board.chunks(8).map(|rank| rank.iter().collect()).collect();
    let side = if place < PLACES / 2 { 'w' } else { 'b' };
    Position::from_fen(&format!("{} {side} - - 0 1", ranks.join("/"))).ok()
}

/// The man beside the kings, if it is just one.
fn third_man(position: &Position) -> Option<(Square, PieceKind)> {
    let kings = position.kind_bb(PieceKind::King);
    let mut others =
        Square::all().filter(|&square| position.occupied().contains(square) && !kings.contains(square));
    let square = others.next()?;
    others.next().is_none().then_some((square, position.kind_on(square)?))
}

impl Solver {
    /// Solves all three endings, in a second or two.
    pub fn new() -> Self {
        let mut solver = Solver { queen: Vec::new(), rook: Vec::new(), pawn: Vec::new() };
        solver.queen = solver.solve(PieceKind::Queen);
        solver.rook = solver.solve(PieceKind::Rook);
        solver.pawn = solver.solve(PieceKind::Pawn);
        solver
    }

    /// How a position of two or three men without castling rights ends.
    pub fn ending(&self, position: &Position) -> Option<Ending> {
        if position.occupied().count() == 2 {
            return Some(Ending::Draw);
        }
        let (square, kind) = third_man(position)?;
        let endings = match kind {
            PieceKind::Queen => &self.queen,
            PieceKind::Rook => &self.rook,
            PieceKind::Pawn => &self.pawn,
            _ => return Some(Ending::Draw),
        };
        endings[place(position, square)]
    }

    fn solve(&self, kind: PieceKind) -> Endings {
        // The successors of each position inside the ending, and the best that leads out of it.
        let mut inside: Vec<Vec<u32>> = vec![Vec::new(); PLACES];
        let mut open = Vec::new();
        let mut endings: Endings = vec![None; PLACES];
        let mut escapes = vec![false; PLACES];
        for here in 0..PLACES {
            let Some(position) = position_at(here, kind) else { continue };
            let moves = position.legal_moves();
            if moves.is_empty() {
                endings[here] = Some(if position.in_check() { Ending::Loss } else { Ending::Draw });
                continue;
            }
            for mv in moves {
                let after = position.after(mv);
                match third_man(&after) {
                    Some((square, same)) if same == kind => inside[here].push(place(&after, square) as u32),
                    _ if self.ending(&after) == Some(Ending::Loss) => endings[here] = Some(Ending::Win),
                    other => escapes[here] |= other.is_none() || self.ending(&after) == Some(Ending::Draw),
                }
            }
            if endings[here].is_none() {
                open.push(here);
            }
        }
        loop {
            let before = open.len();
            open.retain(|&here| {
                let mut next = inside[here].iter().map(|&next| endings[next as usize]);
                if next.clone().any(|ending| ending == Some(Ending::Loss)) {
                    endings[here] = Some(Ending::Win);
                } else if !escapes[here] && next.all(|ending| ending == Some(Ending::Win)) {
                    endings[here] = Some(Ending::Loss);
                }
                endings[here].is_none()
            });
            if open.len() == before {
                break;
            }
        }
        open.into_iter().for_each(|here| endings[here] = Some(Ending::Draw));
        endings
    }
}
