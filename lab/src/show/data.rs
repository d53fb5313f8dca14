//! Tree and steps as short texts that the page reads back: numbers in base 36, joined by commas.

use super::board::Board;
use crate::event::Event;
use crate::node::{INFINITY, Node, Value, provisional};
use crate::trees::watched::{Step, Touched};
use serde::Serialize;
use std::collections::HashMap;

/// The tree of a page, one entry for each node, the root first and each node after the one above it.
#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct Tree {
    /// The node above.
    up: String,
    /// The move that leads there, as a number in `names`; a pass is empty.
    by: String,
    /// The moves' names.
    names: Vec<String>,
    /// The place among the siblings, in provisional order.
    rank: String,
    /// Static value at the horizon and where the game is over, for the side to move; else empty.
    leaf: String,
    /// Branches that are not in the tree, of nodes above the horizon.
    more: String,
    /// The type in the minimal tree, one digit each; empty if it is not known.
    kinds: String,
    /// Which board there is.
    board: &'static str,
    /// One for each node, empty without a board.
    boards: Vec<String>,
}

/// The steps of a search.
#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct Packed {
    /// One letter for each step.
    ops: String,
    /// The node of each step.
    at: String,
    /// The numbers of those steps that have some.
    args: String,
    /// The processor of each step; empty in a serial search.
    who: String,
    /// Its clock in tenths of a microsecond.
    time: String,
}

/// Packs the touched nodes of a tree, and the steps of each search with whether it is a parallel one.
pub(super) fn pack<N: Node + Board>(
    touched: &[Touched<N>],
    depth: u32,
    kinds: &[u8],
    searches: &[(Vec<Step<N::Move>>, bool)],
) -> (Tree, Vec<Packed>) {
    let mut names = Names::default();
    let mut tree = Tree::of(touched, depth, kinds, &mut names);
    let packed = searches.iter().map(|(steps, parallel)| {
        Packed::of(steps, *parallel, |node, m| names.number(touched[node].node.name(m)))
    });
    let packed = packed.collect();
    tree.names = names.list;
    (tree, packed)
}

impl Tree {
    fn of<N: Node + Board>(touched: &[Touched<N>], depth: u32, kinds: &[u8], names: &mut Names) -> Self {
        let (mut up, mut by) = (List::default(), List::default());
        let (mut leaf, mut more) = (List::default(), List::default());
        let mut rank = vec![0; touched.len()];
        for Touched { node, above, by: m, ply, below } in touched {
            up.push(*above as i64);
            match m {
                Some(m) => by.push(names.number(touched[*above].node.name(*m))),
                None => by.skip(),
            }
            let moves = provisional(node);
            for &(m, child) in below {
                rank[child] = moves.iter().position(|&other| Some(other) == m).unwrap_or(moves.len());
            }
            let left = depth.saturating_sub(*ply as u32);
            match (moves.is_empty(), left) {
                (true, 1..) => leaf.push(node.final_value(left).into()),
                (_, 0) if *ply as u32 == depth => leaf.push(node.evaluate().into()),
                _ => leaf.skip(),
            }
            let real = below.iter().filter(|below| below.0.is_some()).count();
            more.push(if left > 0 || real > 0 { (moves.len() - real) as i64 } else { 0 });
        }
        let mut ranks = List::default();
        rank.into_iter().for_each(|rank| ranks.push(rank as i64));
        let boards = touched.iter().map(|touched| touched.node.board());
        Self {
            up: up.0,
            by: by.0,
            names: Vec::new(),
            rank: ranks.0,
            leaf: leaf.0,
            more: more.0,
            kinds: kinds.iter().map(|kind| char::from(b'0' + kind)).collect(),
            board: N::BOARD,
            boards: if N::BOARD.is_empty() { Vec::new() } else { boards.collect() },
        }
    }
}

impl Packed {
    fn of<M: Copy>(steps: &[Step<M>], parallel: bool, mut name: impl FnMut(usize, M) -> i64) -> Self {
        let (mut ops, mut at, mut args) = (String::new(), List::default(), List::default());
        let (mut who, mut time) = (List::default(), List::default());
        for step in steps {
            let (letter, numbers) = encode(step.event);
            ops.push(letter);
            at.push(step.node as i64);
            if let Event::Dropped { branch, .. } | Event::Extended(branch) | Event::Reduced(branch) =
                step.event
            {
                args.push(name(step.node, branch));
            }
            numbers.into_iter().flatten().for_each(|value| args.value(value));
            if parallel {
                who.push(step.processor as i64);
                time.push((step.time / 100) as i64);
            }
        }
        Self { ops, at: at.0, args: args.0, who: who.0, time: time.0 }
    }
}

/// The letter of a step and its numbers.
fn encode<M>(event: Event<M>) -> (char, [Option<Value>; 2]) {
    let one = |letter, value| (letter, [Some(value), None]);
    let none = |letter| (letter, [None, None]);
    match event {
        Event::Enter { alpha, beta } => ('e', [Some(alpha), Some(beta)]),
        Event::Narrowed { alpha, beta } => ('n', [Some(alpha), Some(beta)]),
        Event::Hit { lower, upper } => ('i', [Some(lower), Some(upper)]),
        Event::Numbers(low, high) => ('b', [Some(low), Some(high)]),
        Event::Bounds(low, high) => ('B', [Some(low), Some(high)]),
        Event::Horizon(value) => one('h', value),
        Event::Finished(value) => one('f', value),
        Event::Quiet(value) => one('q', value),
        Event::Left { value, cut: true } => one('c', value),
        Event::Left { value, cut: false } => one('a', value),
        Event::Returned(value) => one('s', value),
        Event::Revised(value) => one('m', value),
        Event::TableCut(value) => one('t', value),
        Event::EtcCut(value) => one('E', value),
        Event::NullCut(value) => one('N', value),
        Event::ProbCut(value) => one('P', value),
        Event::Razored(value) => one('z', value),
        Event::Dropped { bound, .. } => one('d', bound),
        Event::Pass => none('p'),
        Event::Expanded => none('x'),
        Event::ReSearch => none('r'),
        Event::NullRefused => none('R'),
        Event::Extended(_) => none('+'),
        Event::Reduced(_) => none('-'),
        Event::HandOver => none('o'),
        Event::Deferred => none('D'),
        Event::Void => none('v'),
        Event::Wait | Event::Turn { .. } => none('w'),
    }
}

/// Numbers in base 36, joined by commas.
#[derive(Default)]
struct List(String, bool);

impl List {
    fn skip(&mut self) {
        if std::mem::replace(&mut self.1, true) {
            self.0.push(',');
        }
    }

    fn push(&mut self, number: i64) {
        self.skip();
        if number < 0 {
            self.0.push('-');
        }
        let (mut rest, mut digits) = (number.unsigned_abs(), Vec::new());
        loop {
            digits.extend(char::from_digit((rest % 36) as u32, 36));
            rest /= 36;
            if rest == 0 {
                break;
            }
        }
        self.0.extend(digits.iter().rev());
    }

    /// A value; the open ends of a window are `+` and `-`.
    fn value(&mut self, value: Value) {
        if value.abs() < INFINITY {
            return self.push(value.into());
        }
        self.skip();
        self.0.push(if value > 0 { '+' } else { '-' });
    }
}

/// Names by number, each once.
#[derive(Default)]
struct Names {
    list: Vec<String>,
    numbers: HashMap<String, i64>,
}

impl Names {
    fn number(&mut self, name: String) -> i64 {
        let next = self.list.len() as i64;
        *self.numbers.entry(name).or_insert_with_key(|name| {
            self.list.push(name.clone());
            next
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithms::Algorithm;
    use crate::tally::Tally;
    use crate::trees::drawn::Drawn;
    use crate::trees::watched::{Limits, Watched};

    /// By hand: below the first branch alpha-beta sees 1 and 2, and is sure of 1; below the second 0 is enough.
    #[test]
    fn steps_and_tree_are_packed_as_they_were() {
        let root = Watched::new("((1 2) (0 3))".parse::<Drawn>().unwrap(), Limits { nodes: 9, steps: 99 });
        "alphabeta".parse::<Algorithm>().unwrap().search(&root, 2, &mut Tally::default());
        let steps = root.take().unwrap();
        let (tree, packed) = pack(&root.touched(), 2, &[], &[(steps, false)]);
        let Packed { ops, at, args, who, time } = &packed[0];
        assert_eq!((ops.as_str(), at.as_str()), ("exexehehaexehca", "0,0,1,1,2,2,3,3,1,4,4,5,5,4,0"));
        assert_eq!(args, "-,+,-,+,-,+,1,-,1,2,-1,-,-1,1,+,0,0,1");
        assert_eq!((who.as_str(), time.as_str()), ("", ""));
        assert_eq!((tree.up.as_str(), tree.rank.as_str()), ("0,0,1,1,0,4", "0,0,0,1,1,0"));
        assert_eq!((tree.leaf.as_str(), tree.more.as_str()), (",,1,2,,0", "0,0,0,0,1,0"));
        assert_eq!((tree.by.as_str(), tree.names), (",0,0,1,1,0", vec!["1".to_owned(), "2".to_owned()]));
    }

    /// One of each step.
    const EVENTS: [Event<u8>; 27] = [
        Event::Pass,
        Event::Enter { alpha: 1, beta: 2 },
        Event::Expanded,
        Event::Horizon(1),
        Event::Finished(1),
        Event::Quiet(1),
        Event::Left { value: 1, cut: true },
        Event::Left { value: 1, cut: false },
        Event::Returned(1),
        Event::Revised(1),
        Event::ReSearch,
        Event::Hit { lower: 1, upper: 2 },
        Event::Narrowed { alpha: 1, beta: 2 },
        Event::TableCut(1),
        Event::EtcCut(1),
        Event::NullCut(1),
        Event::NullRefused,
        Event::ProbCut(1),
        Event::Razored(1),
        Event::Dropped { branch: 0, bound: 1 },
        Event::Extended(0),
        Event::Reduced(0),
        Event::Numbers(1, 2),
        Event::Bounds(1, 2),
        Event::HandOver,
        Event::Deferred,
        Event::Void,
    ];

    /// A number more or less, and the page would take those of all later steps for others.
    #[test]
    fn the_page_takes_as_many_numbers_of_a_step_as_there_are() {
        let program = include_str!("page.js");
        let list = program.split_once("const ARGS = {").unwrap().1.split_once('}').unwrap().0;
        let entry = |line: &str| {
            let (letter, numbers) = line.trim().trim_end_matches(',').split_once(": ")?;
            Some((letter.trim_matches('"').to_owned(), numbers.parse::<usize>().ok()?))
        };
        let taken: HashMap<String, usize> = list.lines().filter_map(entry).collect();
        let mut letters = Vec::new();
        for event in EVENTS {
            let step = Step { node: 0, event, processor: 0, time: 0 };
            let Packed { ops, args, .. } = Packed::of(&[step], false, |_, _| 7);
            let written = if args.is_empty() { 0 } else { args.split(',').count() };
            assert_eq!(taken.get(&ops).copied().unwrap_or(0), written, "{event:?}");
            letters.push(ops);
        }
        letters.sort();
        letters.dedup();
        assert_eq!(letters.len(), EVENTS.len(), "no two steps have the same letter");
    }

    #[test]
    fn numbers_are_written_in_base_36() {
        let mut list = List::default();
        [0, 35, 36, -71].into_iter().for_each(|number| list.push(number));
        list.skip();
        [7, INFINITY, -INFINITY].into_iter().for_each(|value| list.value(value));
        assert_eq!(list.0, "0,z,10,-1z,,7,+,-");
    }
}
