#!/usr/bin/env python3
"""Processor time used while there is nothing to do, from /proc/PID/stat.

Waiting for commands, before and after a search; in `go infinite` and in a ponder search that have reached their last
depth; in xboard's pause. Prints one JSON document: processor milliseconds used (the system counts in ticks of 10 ms).
"""

import argparse
import json
import os
import sys
import time

from firstborn import DEFAULT_ENGINE, POSITIONS, Dialogue, uci

# One legal move, then the fifty-move rule: every depth is searched at once.
EXHAUSTED = "position fen 7k/8/8/8/8/p1p5/P1P5/K7 w - - 99 80"


def used(pid):
    """User and system time of a process with all its threads, in milliseconds."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")


def settle(pid):
    """Waits (at most ten seconds) until a second passes without work."""
    before = used(pid)
    for _ in range(10):
        time.sleep(1)
        now = used(pid)
        if now == before:
            return True
        before = now
    return False


def measure(name, dialogue, seconds):
    pid = dialogue.process.pid
    settled = settle(pid)
    before = used(pid)
    time.sleep(seconds)
    spent = used(pid) - before
    dialogue.kill()
    return {"state": name, "settled": settled, "cpu_ms": spent, "percent": spent / seconds / 10}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--engine", default=DEFAULT_ENGINE)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--threads", type=int, default=4)
    arguments = parser.parse_args()
    threads = f"setoption name Threads value {arguments.threads}"
    rows = []

    def row(name, dialogue):
        rows.append(measure(name, dialogue, arguments.seconds))

    row("before any command", Dialogue([arguments.engine]))
    row("waiting for commands", uci(arguments.engine, threads))
    searched = uci(arguments.engine, threads, f"position fen {POSITIONS[1]}", "go movetime 200")
    searched.until("bestmove")
    row("after a search", searched)
    row("infinite, exhausted", uci(arguments.engine, threads, EXHAUSTED, "go infinite"))
    row("infinite, depth limit", uci(arguments.engine, threads, "position startpos", "go infinite depth 2"))
    row("infinite, mated", uci(arguments.engine, threads, "position startpos moves f2f3 e7e5 g2g4 d8h4", "go infinite"))
    row("pondering, exhausted", uci(arguments.engine, threads, EXHAUSTED, "go ponder wtime 9999 btime 9999"))
    xboard = Dialogue([arguments.engine, "xboard"])
    xboard.send("protover 2", "new", "easy", f"cores {arguments.threads}", "st 1000", "usermove e2e4", "pause")
    row("xboard, paused", xboard)
    busy = max(line["cpu_ms"] for line in rows)
    print(json.dumps({"schema": 1, "seconds": arguments.seconds, "worst_cpu_ms": busy, "rows": rows}))
    sys.exit(busy > 0)


if __name__ == "__main__":
    main()
