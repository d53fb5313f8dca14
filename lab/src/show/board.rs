//! What a node looks like, where its game has a board.

use crate::node::Node;
use crate::trees::chess_game::ChessGame;
use crate::trees::connect_four::ConnectFour;
use crate::trees::drawn::Drawn;
use crate::trees::synthetic::Synthetic;

/// A node that may have a board to draw.
pub trait Board: Node {
    /// Which board: `chess`, `connect4`, or empty for a tree without one.
    const BOARD: &'static str;

    /// The men: a FEN's first two fields, or 42 cells from the lowest row up, `x` for the first player, `o`
    /// for the second and `.` for none. Empty for a tree without a board.
    fn board(&self) -> String {
        String::new()
    }
}

impl Board for Drawn {
    const BOARD: &'static str = "";
}

impl Board for Synthetic {
    const BOARD: &'static str = "";
}

impl Board for ChessGame {
    const BOARD: &'static str = "chess";

    fn board(&self) -> String {
        let fen = self.position().fen();
        fen.split(' ').take(2).collect::<Vec<_>>().join(" ")
    }
}

impl Board for ConnectFour {
    const BOARD: &'static str = "connect4";

    fn board(&self) -> String {
        self.cells().into_iter().collect()
    }
}
