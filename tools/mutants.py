#!/usr/bin/env python3
"""Mutation testing: which small changes of the sources does no test find?

    python3 tools/mutants.py --out found.tsv --mutants 300 --seed 1 \\
        --file 'smp/src/**' --file engine/src/search.rs --not '**/models.rs' \\
        --test '-p smp --test all exact::'

cargo-mutants (`cargo install cargo-mutants --locked`) says what may be changed; of that, mutants are drawn by the seed,
each by itself, so that a change of one file leaves the draw from the others as it is. Each is made in a copy of the
sources under target/mutants, and the tests run in the order given until one fails: the quickest first. `--out` gets a
line for each mutant: verdict, the test that failed, seconds, and what was changed.

    found     a test fails, or does not end within --seconds
    survived  every test passes
    unbuilt   the compiler refuses it: another one is drawn instead

The same command goes on where it was stopped. Needs a Unix system with `patch`.
"""

import argparse
import concurrent.futures
import hashlib
import json
import pathlib
import subprocess
import sys
import threading
import time

import sources

WORK = sources.ROOT / "target" / "mutants"
# Many small builds: what changed only. Optimised, since the tests search.
PROFILE = """
[profile.dev]
incremental = true
debug = false
opt-level = 1
[profile.dev.package.tests]
opt-level = 0
"""


def list_mutants(files, excluded):
    """What cargo-mutants would change, in its order."""
    command = ["cargo", "mutants", "--workspace", "--list", "--json", "--diff"]
    command += [word for name in files for word in ("--file", name)]
    command += [word for name in excluded for word in ("--exclude", name)]
    listed = subprocess.run(command, cwd=sources.ROOT, check=True, capture_output=True, text=True)
    return json.loads(listed.stdout)


class Copy:
    """A copy of the sources with what is built of it."""

    def __init__(self, number):
        self.tree = WORK / f"tree-{number}"
        self.build = WORK / f"build-{number}"
        sources.copy(self.tree)
        self.config = WORK / "profile.toml"
        self.config.write_text(PROFILE)

    def run(self, test, seconds):
        words = ["--config", str(self.config), *test.split()]
        return sources.cargo_test(self.tree, self.build, words, seconds)

    def judge(self, mutant, tests, seconds):
        """The verdict on a mutant, and the test that found it."""
        path = self.tree / mutant["file"]
        sound = path.read_text()
        try:
            change = subprocess.run(["patch", "--silent", "--force", str(path)], input=mutant["diff"], text=True,
                                    capture_output=True)
            if change.returncode != 0:
                raise RuntimeError(f"{mutant['name']}: {change.stdout}")
            for test in tests:
                passed, said = self.run(test, seconds)
                if passed is None:
                    return "found", f"{test} (no end)"
                if not passed:
                    unbuilt = "could not compile" in said
                    return ("unbuilt", "") if unbuilt else ("found", test)
            return "survived", ""
        finally:
            path.write_text(sound)
            for left in (".rej", ".orig"):
                path.with_name(path.name + left).unlink(missing_ok=True)


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, required=True, help="a line for each mutant; lengthened")
    parser.add_argument("--mutants", type=int, default=40, help="how many are to be judged (40)")
    parser.add_argument("--survivors", type=pathlib.Path, metavar="FILE",
                        help="only those that survived there: do other tests find them?")
    parser.add_argument("--seed", type=int, default=1, help="of the draw (1)")
    parser.add_argument("--jobs", type=int, default=2, help="copies side by side (2)")
    parser.add_argument("--seconds", type=float, default=300, help="the most for a test with its build (300)")
    parser.add_argument("--file", action="append", required=True, metavar="GLOB", help="what is changed")
    parser.add_argument("--not", action="append", default=[], dest="excluded", metavar="GLOB", help="but not this")
    parser.add_argument("--test", action="append", required=True, metavar="WORDS", help="after `cargo test`")
    return parser.parse_args()


def known(path):
    """Verdicts of an earlier run, by mutant."""
    lines = path.read_text().splitlines() if path.exists() else []
    rows = [line.split("\t") for line in lines]
    return {row[3]: row[0] for row in rows if len(row) == 4}


def main():
    args = parse()
    mutants = list_mutants(args.file, args.excluded)
    print(f"{len(mutants)} mutants; {args.mutants} are judged", flush=True)
    if args.survivors:
        survivors = {name for name, verdict in known(args.survivors).items() if verdict == "survived"}
        mutants = [mutant for mutant in mutants if mutant["name"] in survivors]
    mutants.sort(key=lambda mutant: hashlib.sha256(f"{args.seed} {mutant['name']}".encode()).digest())
    verdicts = known(args.out)
    copies = [Copy(number) for number in range(args.jobs)]
    for copy in copies:
        for test in args.test:
            passed, said = copy.run(test, 1800)
            if not passed:
                print(f"without a mutant, cargo test {test} fails: nothing can be said\n{said}", file=sys.stderr)
                return 1
    lock, left, judged = threading.Lock(), iter(mutants), {"found": 0, "survived": 0, "unbuilt": 0}

    def next_mutant():
        with lock:
            while judged["found"] + judged["survived"] < args.mutants and (mutant := next(left, None)):
                verdict = verdicts.get(mutant["name"])
                if verdict is None:
                    return mutant
                judged[verdict] += 1
        return None

    def work(copy):
        while (mutant := next_mutant()) is not None:
            began = time.monotonic()
            verdict, test = copy.judge(mutant, args.test, args.seconds)
            line = f"{verdict}\t{test}\t{time.monotonic() - began:.0f}\t{mutant['name']}"
            with lock, args.out.open("a") as out:
                judged[verdict] += 1
                print(line, file=out)
                print(line, flush=True)

    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for done in [pool.submit(work, copy) for copy in copies]:
            done.result()
    print(", ".join(f"{number} {verdict}" for verdict, number in judged.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
