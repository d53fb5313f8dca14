#!/usr/bin/env python3
"""How fast a search answers and ends, at random moments in mid-search.

Prints one JSON document, times in milliseconds. Answers: `isready` in a search, `ping` while pondering, `.` in an
analysis, `?` to the move. Ends: `stop` is measured to the arrival of `bestmove`, `quit` and a closed standard input to
the end of the process. Run it on a quiet machine; with --threads at twice the processors the answers have to get past
threads that never pause.
"""

import argparse
import json
import random
import statistics
import sys
import time

from firstborn import DEFAULT_ENGINE, POSITIONS, Dialogue, uci


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


def xboard(engine, threads, *setup):
    dialogue = Dialogue([engine, "xboard"])
    dialogue.send("protover 2")
    dialogue.until("feature done=1")
    dialogue.send(f"cores {threads}", "new", "nopost", *setup, "ping 1")
    dialogue.until("pong 1")
    return dialogue


def asked(dialogue, question, answer, samples, rng, longest):
    """Times from a question to its answer, while something runs that neither ends."""
    times = []
    for number in range(samples):
        time.sleep(rng.uniform(0.0, longest))
        told = time.perf_counter()
        dialogue.send(question.format(number))
        moment, _ = dialogue.until(answer.format(number))
        times.append((moment - told) * 1000)
    dialogue.kill()
    return times


def is_ready(engine, threads, samples, rng, longest):
    dialogue = uci(engine, f"setoption name Threads value {threads}")
    go(dialogue, rng, longest)
    return asked(dialogue, "isready", "readyok", samples, rng, longest)


def ping_pondering(engine, threads, samples, rng, longest):
    dialogue = xboard(engine, threads, "hard", "st 0.2", "usermove e2e4")
    return asked(dialogue, "ping 10{}", "pong 10{}", samples, rng, longest)


def status(engine, threads, samples, rng, longest):
    dialogue = xboard(engine, threads, "force", f"setboard {POSITIONS[1]}", "analyze")
    return asked(dialogue, ".", "stat01:", samples, rng, longest)


def move_now(engine, threads, samples, rng, longest):
    dialogue = xboard(engine, threads, "easy", "st 10000", "force", f"setboard {POSITIONS[1]}")
    times = []
    for _ in range(samples):
        dialogue.send("go")
        time.sleep(rng.uniform(0.0, longest))
        told = time.perf_counter()
        dialogue.send("?")
        moment, _ = dialogue.until("move ")
        times.append((moment - told) * 1000)
        dialogue.send("force", "undo")
    dialogue.kill()
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
    parser.add_argument("--answer-limit", type=float, default=10.0, help="fail if one answer of a hundred takes longer")
    parser.add_argument("--answers", action="store_true", help="measure the answers only")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    rows = []
    for threads in map(int, arguments.threads.split(",")):
        common = (arguments.engine, threads, arguments.samples, rng, arguments.longest)
        for name, kind in [("isready", is_ready), ("ping", ping_pondering), (".", status), ("?", move_now)]:
            rows.append({"answer": name, "threads": threads, **summary(kind(*common))})
        if not arguments.answers:
            rows.append({"end": "stop", "threads": threads, **summary(stop(*common))})
            rows.append({"end": "quit", "threads": threads, **summary(leave(*common, True))})
            rows.append({"end": "eof", "threads": threads, **summary(leave(*common, False))})
    worst = max([row["max"] for row in rows if "end" in row], default=0)
    slowest = max(row["p99"] for row in rows if "answer" in row)
    limits = {"limit": arguments.limit, "answer_limit": arguments.answer_limit}
    print(json.dumps({"schema": 1, "unit": "ms", "worst": worst, "worst_answer_p99": slowest, **limits, "rows": rows}))
    sys.exit(worst > arguments.limit or slowest > arguments.answer_limit)


if __name__ == "__main__":
    main()
