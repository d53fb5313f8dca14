//! A worker that leaves its search again and again to search something else, and takes it up each time, must
//! find what it would have found undisturbed.

use chess::{Game, Position};
use engine::Searched;
use engine::iterate::{ThreadResult, iterate};
use engine::node::{Best, Node, NodeKind, Pv, Window};
use engine::parallel::{Alone, ParallelScheme};
use engine::picker::Picker;
use engine::root::Root;
use engine::search::search;
use engine::shared::Shared;
use engine::tt::Table;
use engine::worker::{Memory, Task, Worker};
use std::sync::Arc;
use thinking::report::Limits;

/// Every so many nodes the worker turns to another game.
const EVERY: u32 = 5;

/// A worker that cannot keep its mind on one thing.
struct Distracted {
    elsewhere: Position,
    away: bool,
    offers: u32,
}

impl ParallelScheme for Distracted {
    type Claim = ();

    fn try_split<N: NodeKind>(
        worker: &mut Worker<'_, Self>,
        node: &Node<'_, N>,
        _best: &mut Best,
        _rest: &Picker,
    ) -> Searched<bool> {
        worker.scheme.offers += 1;
        if worker.scheme.away || !worker.scheme.offers.is_multiple_of(EVERY) {
            return Ok(false);
        }
        worker.scheme.away = true;
        let aside = worker.save_state(node.ply, true);
        let elsewhere = worker.scheme.elsewhere.clone();
        worker.root = Root::default();
        worker.path = vec![elsewhere.key()];
        search::<Pv, Self>(worker, &elsewhere, Window::FULL, 2, 0, false)?;
        worker.restore_state(aside);
        worker.scheme.away = false;
        Ok(false)
    }
}

fn result<B: ParallelScheme>(position: &Position, brothers: B) -> (ThreadResult, B) {
    let table = Table::new(4).expect("a small table");
    table.clear();
    let limits = Limits { depth: Some(4), exact: true, ..Limits::default() };
    let shared = Shared::new(Arc::new(table), limits, 1, 1);
    let task = Task::from(&Game::new(position.clone()));
    let mut memory = Memory::default();
    let mut worker = Worker::new(&shared, &mut memory, &task, brothers, 0, None);
    (iterate(&mut worker, &task, 1), worker.scheme)
}

#[test]
fn a_search_set_aside_is_taken_up_where_it_was_left() {
    let elsewhere = Position::from_fen("r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4");
    let elsewhere = elsewhere.expect("legal");
    for fen in [
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "8/8/4k3/3p4/3P4/4K3/3R4/2r5 w - - 30 80",
        "8/1P6/k7/8/8/7K/6p1/8 w - - 0 1",
        "2r2rk1/1bqnbpp1/1p1ppn1p/pP6/N1P1P3/P2B1N1P/1B2QPP1/R2R2K1 b - - 0 1",
    ] {
        let position = Position::from_fen(fen).expect("legal");
        let (undisturbed, _) = result(&position, Alone);
        let distracted = Distracted { elsewhere: elsewhere.clone(), away: false, offers: 0 };
        let (disturbed, distracted) = result(&position, distracted);
        assert!(distracted.offers > 10 * EVERY, "{fen}: hardly disturbed");
        let [wanted, found] = [&undisturbed, &disturbed].map(|result| result.root.best().expect("moves"));
        assert_eq!(found.score, wanted.score, "{fen}");
        assert_eq!(disturbed.root.moves.len(), undisturbed.root.moves.len(), "{fen}");
        let mut at = position;
        for &mv in found.line.iter() {
            assert!(at.is_legal(mv), "{fen}: {mv} in {:?}", found.line);
            at = at.after(mv);
        }
    }
}
