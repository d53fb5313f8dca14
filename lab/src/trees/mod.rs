//! What is searched: games and trees behind the one trait [`crate::node::Node`].
//!
//! * [`drawn`]: trees written by hand, among them the one of M's figures 2 and 6.
//! * [`synthetic`]: uniform, independent, random, ordered and transposing trees of any width and depth.
//! * [`connect_four`] and [`chess_game`]: two real games.
//! * [`repetition`]: any game, with repetitions scored as draws: the table's hazard.
//! * [`watched`]: any tree, writing down every step of a search and every node it touched.
//! * [`recorder`]: any tree, writing down which leaves a search looked at.

/// What a node wrapped around another (in its field `node`) knows no better than that one. For use inside
/// `impl Node`.
macro_rules! knowledge_of_the_wrapped_node {
    () => {
        type Move = N::Move;
        const MOVE_CODES: usize = N::MOVE_CODES;
        const GOAL: Value = N::GOAL;

        fn bounds(&self, depth: u32, tally: &mut crate::tally::Tally) -> (Value, Value) {
            self.node.bounds(depth, tally)
        }

        fn key(&self) -> u64 {
            self.node.key()
        }

        fn mirror_key(&self) -> Option<u64> {
            self.node.mirror_key()
        }

        fn mirrored(&self, m: N::Move) -> N::Move {
            self.node.mirrored(m)
        }

        fn key_without_side(&self) -> u64 {
            self.node.key_without_side()
        }

        fn move_code(&self, m: N::Move) -> usize {
            self.node.move_code(m)
        }

        fn static_order(&self, m: N::Move) -> i32 {
            self.node.static_order(m)
        }

        fn root_analysis(&self, m: N::Move, tally: &mut crate::tally::Tally) -> i32 {
            self.node.root_analysis(m, tally)
        }

        fn nature(&self, m: N::Move) -> crate::node::Nature {
            self.node.nature(m)
        }

        fn in_check(&self) -> bool {
            self.node.in_check()
        }

        fn best_exchange(&self) -> Value {
            self.node.best_exchange()
        }

        fn material(&self) -> Value {
            self.node.material()
        }

        fn name(&self, m: N::Move) -> String {
            self.node.name(m)
        }
    };
}
#[cfg(test)]
pub(crate) use knowledge_of_the_wrapped_node;

pub mod chess_game;
pub mod chess_value;
pub mod connect_four;
pub mod drawn;
pub mod positions;
pub mod recorder;
pub mod repetition;
pub mod synthetic;
pub mod watched;
