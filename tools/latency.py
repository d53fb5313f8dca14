#!/usr/bin/env python3
"""How fast a search ends: `stop`, `quit` and a closed standard input at random moments in mid-search.

Prints one JSON document, times in milliseconds. `stop` is measured to the arrival of `bestmove`, the other two to the
end of the process. Run it on a quiet machine.
"""

import argparse
import json
import random
import statistics
import sys
import time

from firstborn import DEFAULT_ENGINE, POSITIONS, uci


def go(dialogue, rng, longest):
    """Starts an endless search and waits a random time."""
    dialogue.send(f"position fen {rng.choice(POSITIONS)}", "go infinite")
    time.sleep(rng.uniform(0.0, longest))


def stop(engine, threads, samples, rng, longest):
    dialogue = uci(engine, f"setoption name Threads value {threads}")
    times = []
    for _ in range(samples):
        go(dialogue, rng, longest)
        told = time.perf_counter()
        dialogue.send("stop")
        moment, _ = dialogue.until("bestmove")
        times.append((moment - told) * 1000)
    dialogue.kill()
    return times


def leave(engine, threads, samples, rng, longest, by_quit):
    times = []
    for _ in range(samples):
        dialogue = uci(engine, f"setoption name Threads value {threads}")
        go(dialogue, rng, longest)
        told = time.perf_counter()
        if by_quit:
            dialogue.send("quit")
        else:
            dialogue.process.stdin.close()
        dialogue.process.wait(timeout=60)
        times.append((time.perf_counter() - told) * 1000)
    return times


def summary(times):
    ordered = sorted(times)
    return {
        "samples": len(ordered),
        "median": round(statistics.median(ordered), 3),
        "p99": round(ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))], 3),
        "max": round(ordered[-1], 3),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--engine", default=DEFAULT_ENGINE)
    parser.add_argument("--samples", type=int, default=200, help="moments tried for each kind and thread count")
    parser.add_argument("--threads", default="1,2,4", help="thread counts, with commas")
    parser.add_argument("--longest", type=float, default=0.1, help="longest search before the end, in seconds")
    parser.add_argument("--limit", type=float, default=50.0, help="fail if any end takes longer, in milliseconds")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    rows = []
    for threads in map(int, arguments.threads.split(",")):
        common = (arguments.engine, threads, arguments.samples, rng, arguments.longest)
        rows.append({"end": "stop", "threads": threads, **summary(stop(*common))})
        rows.append({"end": "quit", "threads": threads, **summary(leave(*common, True))})
        rows.append({"end": "eof", "threads": threads, **summary(leave(*common, False))})
    worst = max(row["max"] for row in rows)
    print(json.dumps({"schema": 1, "unit": "ms", "worst": worst, "limit": arguments.limit, "rows": rows}))
    sys.exit(worst > arguments.limit)


if __name__ == "__main__":
    main()
