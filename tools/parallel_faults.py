#!/usr/bin/env python3
"""Are wrong parallel searches found? Each fault of docs/parallel-faults.md is made in a copy of the sources, and the test
that must find it has to fail there.

    python3 tools/parallel_faults.py            all of them, and first the same tests without a fault
    python3 tools/parallel_faults.py 3 12       these
    python3 tools/parallel_faults.py --list     what is tried

The tests are those of CI. The copy and what is built there lie in target/parallel-faults. Exits with 1 if a fault is not
found. Nothing but the standard library is needed.
"""

import argparse
import sys
import time
from dataclasses import dataclass

import sources

WORK = sources.ROOT / "target" / "parallel-faults"
TREE = WORK / "tree"
# Beyond this a test that hangs has found its fault, too.
MOST_SECONDS = 1200

SHARE, WAITING = "smp/src/splitting/share.rs", "smp/src/splitting/waiting.rs"
POINT, REGISTRY = "smp/src/splitting/point.rs", "smp/src/splitting/registry.rs"
ANNOUNCED = "smp/src/splitting/announced.rs"
EXACT = "-p smp --test all exact::simulated"
STOPPED = "-p smp --test all exact::a_stop_at_any_node"
SIGNATURE = "-p bench --test all signature::what_threads_do_together"
RESULT = "-p smp --lib share::tests"
ORDERS = "-p smp --lib announced::tests"
TOLD = "-p engine --test all told::"


@dataclass
class Fault:
    number: int
    what: str
    file: str
    old: str
    new: str
    test: str


FAULTS = [
    Fault(1, "the last move of a split point is drawn and not searched", SHARE,
          "        let left = moves.most_left();\n",
          "        let left = moves.most_left();\n        if left == 0 {\n            continue;\n        }\n", EXACT),
    Fault(2, "a split point begins with no best move", POINT,
          "        state.best.clone_from(best);\n",
          "        state.best = Best::new(best.alpha);\n", EXACT),
    Fault(3, "a deferred move does not come again", "engine/src/picker.rs",
          "        self.late.try_push((mv, number)).is_ok()\n",
          "        let _ = (mv, number);\n        true\n", EXACT),
    Fault(4, "a move that has to wait for its turn is compared with beta, and the bound passes for its value", WAITING,
          "        if score > alpha && state.again.is_some() {\n            return None;\n        }\n",
          "        if score > alpha && state.again.is_some() {\n            return Some(node.window.beta - 1);\n        }\n", EXACT),
    Fault(5, "a cut-off does not flag the point", SHARE,
          "    if enough {\n        point.cut_off(&worker.scheme.pace);\n    }\n",
          "    let _ = enough;\n", EXACT),
    Fault(6, "a cut-off above is not seen", REGISTRY,
          "        point.is_cut_here(pace) || self.above(point).is_some_and(|above| self.is_cut(above, pace))\n",
          "        point.is_cut_here(pace)\n", "-p smp --lib registry::tests"),
    Fault(7, "the last thread's result is left out", "smp/src/pool/job.rs",
          "vote::elect(results)",
          "vote::elect(&results[..results.len().max(2) - 1])", "-p smp --lib job::tests"),
    Fault(8, "a thread that has finished less than the first has a vote too", "smp/src/pool/vote.rs",
          ".filter(|&i| results[i].depth >= depth && choice(&results[i]).is_some())",
          ".filter(|&i| depth >= 0 && choice(&results[i]).is_some())", "-p smp --lib vote::tests"),
    Fault(9, "a thread that has finished an iteration does not say how deep it was", "smp/src/pool/iteration_sync.rs",
          "            self.depth.store(depth, Relaxed);\n", "", "-p smp --lib iteration_sync::tests"),
    Fault(10, "a shallower result replaces a deeper one", "smp/src/pool/iteration_sync.rs",
          "        if result.depth <= self.depth.load(Relaxed) {\n            return false;\n        }\n"
          "        let mut result = Arc::new(result.clone());\n        let depth = result.depth;\n"
          "        let mut best = self.best.lock();\n        let deeper = depth > best.depth;\n",
          "        let mut result = Arc::new(result.clone());\n        let depth = result.depth;\n"
          "        let mut best = self.best.lock();\n        let deeper = depth != best.depth;\n",
          "-p smp --lib iteration_sync::tests"),
    Fault(11, "a move that was abandoned is not noted at its point", SHARE,
          "                state.lost = true;\n", "", RESULT),
    Fault(12, "what an aborted split point came to passes for the node's value", SHARE,
          "    worker.shared.check()?;\n"
          "    if state.given_up || worker.scheme.is_void() || !state.is_known(node.window.beta) {\n"
          "        return Err(Aborted);\n    }\n", "", STOPPED),
    Fault(13, "the split node's own frame is not handed over", "engine/src/worker.rs",
          "        path.frames.extend_from_slice(&self.memory.frames[..=ply]);\n",
          "        path.frames.extend_from_slice(&self.memory.frames[..ply]);\n", SIGNATURE),
    Fault(14, "a helper gets the way from the root, but not the game that led there", "engine/src/worker.rs",
          "        path.keys.clone_from(&self.path);\n",
          "        path.keys.clear();\n        path.keys.extend_from_slice(&self.path[self.game_length..]);\n", EXACT),
    Fault(15, "a thread does not hear one of the others", "engine/src/history.rs",
          "        self.heard_by(thread).iter().map(move |&number| {\n",
          "        self.heard_by(thread).iter().skip(1).map(move |&number| {\n", "-p engine --lib history::tests"),
    Fault(16, "what is learnt is not published", "engine/src/steps.rs",
          "        let number = history.publish(lesson);\n",
          "        let number = 0;\n", TOLD),
    Fault(17, "a thread is not bound to its CPUs", "smp/src/pool.rs",
          "                let _ = affinity::set_current(&cpus);\n", "                let _ = &cpus;\n",
          "-p smp --test all pool::search_threads_run_where_they_are_bound_to"),
    Fault(18, "only the flags of the points above say whether all moves of a split point have a score", SHARE,
          " || !state.is_known(node.window.beta) {\n", " {\n", RESULT),
    Fault(19, "a split point's value lacks the moves that were not drawn any more", POINT,
          " = self.moves.most_left() == 0 && self", " = self", RESULT),
    Fault(20, "a worker looks at what others announce in a weaker order", ANNOUNCED,
          "        self.0.get(SeqCst)\n", "        self.0.get(Ordering::Acquire)\n", ORDERS),
    Fault(21, "a worker that falls asleep or waits is counted in a weaker order", ANNOUNCED,
          "        self.0.add(1, SeqCst);\n", "        self.0.add(1, Ordering::AcqRel);\n", ORDERS),
    Fault(22, "a point is opened or left in a weaker order", ANNOUNCED,
          "        self.0.change(SeqCst, change)\n", "        self.0.change(Ordering::Relaxed, change)\n", ORDERS),
    Fault(23, "helpers join the point farthest from the root", "smp/src/splitting/registry.rs",
          ".filter(|&offer| offer > tried).min()?", ".filter(|&offer| offer > tried).max()?",
          "-p smp --lib registry::tests"),
    Fault(24, "the line found before a split is lost", POINT,
          "            state.line.clone_from(worker.line(node.ply));\n", "            let _ = &state.line;\n",
          "-p smp --lib share::tests"),
    Fault(25, "helpers left behind at a point are not told", "smp/src/splitting/waiting.rs",
          "    if point.helpers(&pace) > 0 {\n        point.cut_off(&pace);\n    }\n", "",
          "-p smp --lib waiting::tests"),
    Fault(26, "teams of exactly four always wait for the first move", "smp/src/schemes/ybw.rs",
          "members >= R::RULES.large_team && !N::PV", "members > R::RULES.large_team && !N::PV",
          "-p smp --lib ybw::tests"),
    Fault(27, "a deeper iteration that was broken off has no more votes", "smp/src/pool/vote.rs",
          "i64::from(reached(result))", "i64::from(result.depth)", "-p smp --lib vote::tests"),
    Fault(28, "threads set free stay on the first place's CPUs", "smp/src/pool.rs",
          "vec![self.places.iter().flat_map(CpuSet::iter).collect()]", "vec![self.places[0].clone()]",
          "-p smp --test all pool::search_threads_run_where_they_are_bound_to"),
    Fault(29, "a side that is mated outvotes every other result", "smp/src/pool/vote.rs",
          "score >= MATE_BOUND)", "score.abs() >= MATE_BOUND)", "-p smp --lib vote::tests"),
    Fault(30, "what helpers find for lines after the first is lost", SHARE,
          "        state.root_moves.iter().for_each(|found| worker.root.adopt(found));\n",
          "        let first = worker.root.first == 0;\n"
          "        state.root_moves.iter().filter(|_| first).for_each(|found| worker.root.adopt(found));\n",
          "-p smp --test all exact::several_lines"),
    Fault(31, "a thread that is overtaken does not look at the clock", "engine/src/iterate.rs",
          "            report(worker);\n        } else {", "            report(worker);\n            continue;\n        } else {",
          "-p engine --lib iterate::tests::an_iteration_that_another"),
    Fault(32, "a question of MTD(f) that was broken off tells an upper bound as a lower one", "engine/src/drivers.rs",
          "(best.score, best.bound) = (lower, Bound::Lower);", "best.bound = Bound::Lower;",
          "-p smp --test all exact::what_was_told"),
    Fault(33, "real searches split by the rules of the tests", "smp/src/pool.rs",
          "self.go_by::<Usual>(", "self.go_by::<crate::schemes::rules::Everywhere>(",
          "-p smp --test all pool::a_search_goes_by"),
    Fault(34, "a limit of nodes is each thread's and not shared", "engine/src/worker.rs",
          "(left / self.shared.threads() as u64).max(1)", "left.max(1)",
          "-p engine --lib worker::tests::threads_that_search"),
]


def misplaced():
    """The numbers of the faults whose place is not in the sources, or more than once."""
    return [fault.number for fault in FAULTS if (sources.ROOT / fault.file).read_text().count(fault.old) != 1]


def cargo(arguments):
    return sources.cargo_test(TREE, WORK / "build", arguments, MOST_SECONDS)


def build(test):
    """Builds a test; what the compiler says if it refuses."""
    words = test.split()
    # The last word names a test where it is no option's value.
    options = words[:-1] if not words[-2].startswith("--test") else words
    return cargo([*options, "--no-run"])


def run(test):
    return cargo(test.split())


def try_fault(fault):
    path = TREE / fault.file
    sound = path.read_text()
    try:
        path.write_text(sound.replace(fault.old, fault.new))
        built, why = build(fault.test)
        if not built:
            return f"NOT MADE: it does not compile\n{why}"
        passed, _ = run(fault.test)
        return "NOT FOUND" if passed else "found (it hangs)" if passed is None else "found"
    finally:
        path.write_text(sound)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("numbers", type=int, nargs="*", metavar="N", help="only these faults")
    parser.add_argument("--list", action="store_true", help="say what would be tried")
    args = parser.parse_args()
    unknown = set(args.numbers) - {fault.number for fault in FAULTS}
    if unknown:
        parser.error(f"no fault has number {min(unknown)}")
    if misplaced():
        parser.error(f"the sources have changed: no place for {misplaced()}")
    faults = [fault for fault in FAULTS if not args.numbers or fault.number in args.numbers]
    if args.list:
        for fault in faults:
            print(f"{fault.number:>2} {fault.what}: cargo test {fault.test}")
        return 0
    sources.copy(TREE)
    for test in dict.fromkeys(fault.test for fault in faults):
        passed, why = run(test)
        if not passed:
            print(f"without a fault, cargo test {test} fails: nothing can be said\n{why}", file=sys.stderr)
            return 1
    missed = 0
    for fault in faults:
        began = time.monotonic()
        said = try_fault(fault)
        missed += not said.startswith("found")
        print(f"{fault.number:>2} {fault.what}: {said} ({time.monotonic() - began:.0f} s)", flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
