//! Searching some branches deeper, and some less deeply, than their brothers (F, B).
//!
//! * *Selective extensions*: answers to a check, captures that take back, pawns about to promote.
//! * *Fractional extensions*: the same by parts of a ply, so that only an accumulation of forcing moves gains
//!   a whole one.
//! * *Singular extensions* (Anantharaman, Campbell and Hsu): when one move is much better than all others, it
//!   is searched again deeper. "Much better" needs a test of the others with a lowered window. Both tests are
//!   made: of a move that is best inside the window (the PV test) and of one that fails high (the fail-high
//!   test), for which the others are usually not searched at all.
//! * *Shed material* (F): lines in which one side has given something up are searched less deeply.
//! * *Decrements* (B): moves that seem bad, captures that lose the exchange and moves that lower the static
//!   value, are searched half a ply less deeply.
//!
//! All of them change which tree is searched, so values differ from full width at fixed depth.

use super::PLY;
use super::search::{At, Frame, Search, Window};
use crate::event::Event;
use crate::node::{Node, Value, WIN};
use crate::tally::Tally;

/// Singular tests are made with at least this much left.
const SINGULAR_DEPTH: i32 = 3 * PLY;

/// Giving up this much against the root shortens a line (two pawns' worth).
const SHED: Value = 200;

/// Lines are shortened for shed material, or for bad moves, only with at least this much left.
const SHED_DEPTH: i32 = 3 * PLY;

/// Is the move a capture that loses the exchange, or does it lower its owner's static value by `loss`? Nothing
/// does in check.
fn seems_bad<N: Node>(node: &N, m: N::Move, loss: Value, tally: &mut Tally) -> bool {
    if node.in_check() {
        return false;
    }
    let loses = node.nature(m).capture.is_some() && node.static_order(m) < 0;
    loses || -tally.evaluate(&node.child(m)) <= tally.evaluate(node) - loss
}

impl<N: Node> Search<'_, N> {
    /// Quarter plies by which the branch is searched deeper (positive) or less deeply (negative).
    pub(super) fn depth_change(&mut self, node: &N, m: N::Move, at: At) -> i32 {
        let extension = self.extension(node, m, at);
        if extension > 0 {
            return extension;
        }
        if at.ply == 0 || at.depth < SHED_DEPTH {
            return 0;
        }
        let shed = self.switches.shed && !at.reduced && self.material_shift(node, at).abs() >= SHED;
        let decrement = self.switches.decrement;
        let bad = decrement.is_some_and(|loss| seems_bad(node, m, loss, &mut self.tally));
        match (shed, bad) {
            (true, _) => -PLY,
            (false, true) => -PLY / 2,
            (false, false) => 0,
        }
    }

    fn extension(&self, node: &N, m: N::Move, at: At) -> i32 {
        let wish = self.switches.extensions;
        if !wish.any() || at.ply as u32 >= 2 * self.iteration {
            return 0;
        }
        let nature = node.nature(m);
        let reason = wish.check && node.in_check()
            || wish.recapture && nature.recapture
            || wish.promotion && (nature.promotion_threat || nature.promotion);
        match reason {
            true if wish.fractional => PLY / 2,
            true => PLY,
            false => 0,
        }
    }

    /// How far the balance has moved since the root, seen from the root.
    fn material_shift(&self, node: &N, at: At) -> Value {
        let here = if at.ply.is_multiple_of(2) { node.material() } else { -node.material() };
        here - self.root_material
    }

    /// Does a node there look whether one of its moves stands out?
    pub(super) fn tests_singular(&self, at: At) -> bool {
        let room = at.depth >= SINGULAR_DEPTH && (at.ply as u32) < 2 * self.iteration;
        self.switches.singular.is_some() && room && !self.testing
    }

    /// If one move stands out, searches it deeper and lets that value count.
    pub(super) fn extend_if_singular(
        &mut self,
        node: &N,
        at: At,
        moves: &[N::Move],
        frame: &mut Frame<N::Move>,
    ) {
        let Some(margin) = self.switches.singular else { return };
        let Some(best) = frame.best_move else { return };
        let worth_it = frame.best > frame.window.alpha && frame.best.abs() < WIN;
        if !self.tests_singular(at) || !worth_it || moves.len() < 2 {
            return;
        }
        let alone = self.stands_out(node, at, moves, frame, margin);
        node.observe(Event::Revised(frame.best));
        if !alone {
            return;
        }
        self.tally.extended += 1;
        node.observe(Event::Extended(best));
        let (beta, before) = (frame.window.beta, frame.best);
        frame.best = -self.search(&node.child(best), at.below(at.depth, 0), frame.window.turned());
        self.hints.extend_line(at.ply, best);
        node.observe(Event::Revised(frame.best));
        // The other moves were known to be no better than the value at the ordinary depth. Where the deeper
        // one is lower, that is not enough, and they must be heard (again).
        for &m in moves.iter().filter(|&&m| m != best) {
            if frame.best < before.min(beta) {
                self.try_branch(node, at, m, frame);
            }
        }
    }

    /// Do all brothers of the best move stay below it by `margin`, at half the depth?
    fn stands_out(
        &mut self,
        node: &N,
        at: At,
        moves: &[N::Move],
        frame: &Frame<N::Move>,
        margin: Value,
    ) -> bool {
        let bar = frame.best.min(frame.window.beta) - margin;
        let shallow = at.below(at.depth / 2 - PLY, 0);
        self.testing = true;
        let alone = moves
            .iter()
            .filter(|&&m| Some(m) != frame.best_move)
            .all(|&m| -self.search(&node.child(m), shallow, Window::zero_above(bar - 1).turned()) < bar);
        self.testing = false;
        alone
    }
}
