#!/usr/bin/env python3
"""Changes threads and table size many times, between games and in mid-game, and watches what the process keeps.

For each protocol: --changes times `Threads`/`Hash` (`cores`/`memory`) are set to other values, between searches and,
under xboard, while it thinks and while it analyses; after each change the process must have exactly the threads it was
told to have, and answer a short search. Resident memory after the changes must not exceed that after the first round by
more than --slack MiB. A table that is told its own size again must keep its contents: a search repeated then takes a
fraction of the nodes. Linux only (/proc). Prints one JSON document; exit code 1 if anything is lost or kept.
"""

import argparse
import json
import pathlib
import random
import re
import sys

from firstborn import DEFAULT_ENGINE, POSITIONS, Dialogue, uci

SIZES = [1, 2, 5, 16, 33, 64]


def status(dialogue, key):
    """A number from /proc/PID/status (kB or a count)."""
    text = pathlib.Path(f"/proc/{dialogue.process.pid}/status").read_text(encoding="ascii")
    return int(re.search(rf"^{key}:\s+(\d+)", text, re.MULTILINE).group(1))


class Uci:
    name = "uci"

    def __init__(self, engine):
        self.dialogue = uci(engine)

    def change(self, rng, threads, mib):
        self.dialogue.send(f"setoption name Threads value {threads}", f"setoption name Hash value {mib}", "isready")
        self.dialogue.until("readyok")

    def game(self, rng):
        self.dialogue.send("ucinewgame", "isready")
        self.dialogue.until("readyok")

    def search(self, fen, nodes):
        self.dialogue.send(f"position fen {fen}", f"go nodes {nodes}")
        self.dialogue.until("bestmove")

    def nodes_to(self, fen, depth):
        """Nodes that a search of so many plies takes."""
        self.dialogue.send(f"position fen {fen}", f"go depth {depth}")
        nodes = 0
        while True:
            _, line = self.dialogue.until("")
            if line.startswith("bestmove"):
                return nodes
            found = re.search(r" nodes (\d+)", line)
            nodes = int(found.group(1)) if found else nodes


class Xboard:
    name = "xboard"

    def __init__(self, engine):
        self.dialogue = Dialogue([engine, "xboard"])
        self.dialogue.send("protover 2")
        self.dialogue.until("feature done=1")
        self.dialogue.send("new", "easy", "force", "post")
        self.pings = 0

    def ping(self):
        self.pings += 1
        self.dialogue.send(f"ping {self.pings}")
        self.dialogue.until(f"pong {self.pings}")

    def change(self, rng, threads, mib):
        # Firstborn keeps 4 MB of it for the program and 3 for each thread.
        change = [f"cores {threads}", f"memory {mib + 4 + 3 * threads}"]
        way = rng.randrange(3)
        if way == 0:
            self.dialogue.send(*change)
        elif way == 1:
            # In mid-search: the move is still owed.
            self.dialogue.send("force", "nps 100000", "st 1", "go", *change)
            self.dialogue.until("move ")
            self.dialogue.send("force", "undo")
        else:
            self.dialogue.send("analyze", *change, "exit")
        self.ping()

    def game(self, rng):
        self.dialogue.send("new", "force")
        self.ping()

    def search(self, fen, nodes):
        self.dialogue.send("force", f"setboard {fen}", f"nps {nodes}", "st 1", "sd 200", "go")
        self.dialogue.until("move ")
        self.dialogue.send("force")
        self.ping()

    def nodes_to(self, fen, depth):
        # So many nodes a second that only the depth counts.
        self.dialogue.send("force", f"setboard {fen}", "nps 1000000000", "st 100", f"sd {depth}", "go")
        nodes = 0
        while True:
            _, line = self.dialogue.until("")
            if line.startswith("move "):
                self.dialogue.send("force", "sd 200")
                self.ping()
                return nodes
            found = re.match(r"\d+ -?\d+ \d+ (\d+) .*\t", line)
            nodes = int(found.group(1)) if found else nodes


def watch(kind, engine, arguments):
    rng = random.Random(arguments.seed)
    session = kind(engine)
    faults = []
    most = {}
    # Threads beside the search's: the session, its reader, the one that waits for signals.
    session.change(rng, 1, 1)
    others = status(session.dialogue, "Threads") - 1
    half = arguments.changes // 2
    for number in range(arguments.changes):
        threads, mib = rng.randint(1, arguments.threads), rng.choice(SIZES)
        session.change(rng, threads, mib)
        if rng.random() < 0.3:
            session.game(rng)
        session.search(rng.choice(POSITIONS), 3000)
        there = status(session.dialogue, "Threads") - others
        if there != threads:
            faults.append(f"change {number}: {there} threads instead of {threads}")
        # The greatest table with all threads is where memory can be compared.
        if number in (half, arguments.changes - 1):
            session.change(rng, arguments.threads, max(SIZES))
            session.search(POSITIONS[0], 20_000)
            most[number] = status(session.dialogue, "VmRSS") // 1024
    first, last = most[half], most[arguments.changes - 1]
    if last > first + arguments.slack:
        faults.append(f"memory grew from {first} to {last} MiB")
    session.change(rng, 1, 16)
    fresh = session.nodes_to(POSITIONS[1], 10)
    session.change(rng, 1, 16)
    again = session.nodes_to(POSITIONS[1], 10)
    if again > fresh // 2:
        faults.append(f"the table was not kept: {fresh} nodes, then {again}")
    session.dialogue.send("quit")
    session.dialogue.process.wait(timeout=60)
    return {
        "proto": kind.name, "changes": arguments.changes, "rss_mib": [first, last], "nodes_fresh_and_kept": [fresh, again],
        "exit": session.dialogue.process.returncode, "faults": faults,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--engine", default=DEFAULT_ENGINE)
    parser.add_argument("--changes", type=int, default=200)
    parser.add_argument("--threads", type=int, default=6, help="most threads")
    parser.add_argument("--slack", type=int, default=8, help="growth of memory that is none, in MiB")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    rows = [watch(kind, arguments.engine, arguments) for kind in (Uci, Xboard)]
    print(json.dumps({"schema": 1, "rows": rows}))
    sys.exit(any(row["faults"] or row["exit"] for row in rows))


if __name__ == "__main__":
    main()
