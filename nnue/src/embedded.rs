//! The network that is part of the program.

use crate::Network;
use std::sync::{Arc, LazyLock};

/// Its file, as build.rs has chosen and read it.
const FILE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/embedded.net"));

impl Network {
    /// The network that is part of the program, shared by all who ask.
    pub fn embedded() -> Arc<Network> {
        static NETWORK: LazyLock<Arc<Network>> = LazyLock::new(|| {
            Arc::new(Network::from_bytes(FILE).expect("build.rs has checked these very bytes"))
        });
        Arc::clone(&NETWORK)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess::Position;

    #[test]
    fn the_embedded_network_knows_what_a_queen_is_worth() {
        let network = Network::embedded();
        let value = |fen: &str| network.evaluate(&Position::from_fen(fen).expect("the FEN is legal"));
        let without = value("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
        let whole = value("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
        assert!(whole.abs() < 100 && without - whole > 500, "{whole} {without}");
        assert!(Arc::ptr_eq(&network, &Network::embedded()));
    }
}
