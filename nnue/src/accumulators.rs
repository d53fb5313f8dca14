//! A thread's accumulators: lazily made, each from the nearest one at hand.
//!
//! At every ply the last accumulator computed there is kept with the placement of its pieces. A position is
//! evaluated by taking whatever accumulator differs least, the parent's or the one that stood at this ply
//! before, and applying the difference. So work is done only for positions that are evaluated, null moves
//! cost a copy, several moves are bridged at once, and what the search did in between does not matter.
//!
//! When a king crosses the middle of the board its side sees everything mirrored, and no neighbour serves. For this the
//! last accumulator of each of the four views is kept as well, wherever in the tree it was made, and brought up to date
//! by its own difference (a "Finny table").

use crate::features::View;
use crate::kernel::{Kernel, Step, Update};
use crate::network::{Lanes, Network};
use crate::placement::{Changes, Placement};
use chess::{Color, Position};
use std::sync::Arc;

/// Plies with accumulators of their own; deeper ones share them, which costs only time.
const PLIES: usize = 256;
/// Views of the board: two sides, mirrored or not.
const VIEWS: usize = 4;

/// What the accumulators of a ply stand for.
#[derive(Clone, Copy)]
struct Entry {
    placement: Placement,
    views: [View; 2],
}

/// The accumulators of one thread, for one network.
pub struct Accumulators {
    network: Arc<Network>,
    kernel: Kernel,
    entries: Box<[Entry]>,
    refreshed: [Placement; VIEWS],
    /// Two for each ply, White's first, then one for each view.
    values: Box<[Lanes]>,
}

impl Accumulators {
    /// Accumulators for a network, computed in the best way this processor has.
    pub fn new(network: Arc<Network>) -> Self {
        Accumulators::with_kernel(network, Kernel::best())
    }

    /// Accumulators for a network, computed in a given way.
    pub fn with_kernel(network: Arc<Network>, kernel: Kernel) -> Self {
        // On an empty board every view is the bias alone.
        let king = chess::Square::at(0, 0);
        let empty = Entry {
            placement: Placement::default(),
            views: [View::new(Color::White, king), View::new(Color::Black, king)],
        };
        Accumulators {
            kernel,
            entries: vec![empty; PLIES].into(),
            refreshed: [Placement::default(); VIEWS],
            values: network.biases().repeat(2 * PLIES + VIEWS).into(),
            network,
        }
    }

    /// The network that these belong to.
    pub fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// The value of a position for the side to move, in centipawns within ±[`crate::LIMIT`]; the same as
    /// [`Network::evaluate`]. `ply` is its distance from the root: a hint where to look for a near accumulator.
    #[inline]
    pub fn evaluate(&mut self, position: &Position, ply: usize) -> i32 {
        let here = ply % PLIES;
        self.bring_up(position, here);
        let us = position.side_to_move();
        let blocks = self.network.blocks();
        let bucket = self.network.bucket(position);
        let (own_weights, their_weights) = self.network.outputs(bucket);
        let values = |color: Color| &self.values[at(here, color) * blocks..][..blocks];
        let sum = self.kernel.output([(values(us), own_weights), (values(!us), their_weights)]);
        self.network.centipawns(sum, bucket)
    }

    /// Makes the accumulators of ply `here` those of a position.
    #[inline]
    fn bring_up(&mut self, position: &Position, here: usize) {
        let wanted = Entry {
            placement: Placement::from(position),
            views: Color::ALL.map(|color| View::of(position, color)),
        };
        let parent = here.saturating_sub(1);
        let distance = |ply: usize| self.entries[ply].placement.distance(&wanted.placement);
        let nearest = if distance(here) < distance(parent) { here } else { parent };
        let source = &self.entries[nearest];
        let mut changes = Changes::default();
        source.placement.changes_to(&wanted.placement, &mut changes);
        let step = |color: Color| Step {
            view: wanted.views[color.index()],
            from: at(nearest, color),
            to: at(here, color),
            copy: None,
        };
        if source.views == wanted.views {
            self.update(&changes, &Color::ALL.map(step));
        } else {
            for color in Color::ALL {
                if self.entries[nearest].views[color.index()] == wanted.views[color.index()] {
                    self.update(&changes, &[step(color)]);
                } else {
                    self.refresh(here, color, &wanted);
                }
            }
        }
        self.entries[here] = wanted;
    }

    #[inline]
    fn update(&mut self, changes: &Changes, steps: &[Step]) {
        let update = Update { rows: self.network.rows(), blocks: self.network.blocks(), changes, steps };
        self.kernel.update(&mut self.values, &update);
    }

    /// Makes one accumulator from the last one of the same view.
    #[cold]
    fn refresh(&mut self, here: usize, color: Color, wanted: &Entry) {
        let view = wanted.views[color.index()];
        let last = &mut self.refreshed[view.index()];
        let mut changes = Changes::default();
        last.changes_to(&wanted.placement, &mut changes);
        *last = wanted.placement;
        let kept = 2 * PLIES + view.index();
        self.update(&changes, &[Step { view, from: kept, to: kept, copy: Some(at(here, color)) }]);
    }
}

/// Which accumulator is a side's at a ply.
#[inline]
fn at(ply: usize, color: Color) -> usize {
    2 * ply + color.index()
}
