#!/usr/bin/env python3
"""Many fast games of Firstborn against itself through the python `chess` package, pondering, in either protocol.

    tools/python_games.py --proto xboard --games 300 --tc 1+0.01 --at-once 2 --out DIR

Both sides are Firstborn and both ponder, so every game tries the protocol twice; two engines think while two ponder, so
at most half as many games should run at once as there are processors if no engine is to lose on time for the machine's
sake. Openings are four random plies, by --seed. Every fault (illegal move, time loss, protocol error, crash) and every
complaint of the package about a line of ours is kept. The package waits for ever for a move under a clock, so a watchdog
ends a game whose engine has said nothing for --patience seconds; the fault then names the engine, what its threads were
doing (T: somebody has frozen it) and the last lines in both directions.

Prints a summary (one JSON document with --json) and, with --out, writes document and games there; exit code 1 on any
fault.
"""

import argparse
import collections
import concurrent.futures
import json
import logging
import math
import os
import pathlib
import random
import shlex
import signal
import sys
import threading
import time

import chess
import chess.engine
import chess.pgn

from firstborn import DEFAULT_ENGINE


class Listener(logging.Handler):
    """What the package warns of, and the last lines that went to and fro, for the report of a fault."""

    def __init__(self):
        super().__init__(logging.DEBUG)
        self.complaints = []
        self.lines = collections.deque(maxlen=40)
        self.began = time.perf_counter()

    def emit(self, record):
        text = record.getMessage()[:300]
        if record.levelno < logging.WARNING:
            self.lines.append(f"{time.perf_counter() - self.began:.3f} {text}")
        # It rejects features that it does not use, which is no complaint.
        elif "Rejecting feature" not in text:
            self.complaints.append(text)


class Watchdog:
    """Kills an engine that does not come back in time, and knows what it was doing then."""

    def __init__(self, patience, name, engine):
        self.name, self.process, self.bite = name, engine.transport.get_pid(), None
        self.timer = threading.Timer(patience, self._bite)

    def __enter__(self):
        self.timer.start()
        return self

    def __exit__(self, *_):
        self.timer.cancel()

    def _bite(self):
        self.bite = f"{self.name} (process {self.process}) stuck, threads: {', '.join(threads(self.process))}"
        try:
            os.kill(self.process, signal.SIGKILL)
        except ProcessLookupError:
            pass


def threads(process):
    """Name, state (R runs, S waits, T is stopped) and place in the kernel of a process's threads, where Linux tells."""
    for task in sorted(pathlib.Path(f"/proc/{process}/task").glob("*")):
        try:
            name = (task / "comm").read_text().strip()
            state = (task / "stat").read_text().rpartition(")")[2].split()[0]
            yield f"{name} {state} {(task / 'wchan').read_text() or '-'}"
        except OSError:
            continue


def start(arguments):
    kind = chess.engine.SimpleEngine
    opener = kind.popen_uci if arguments.proto == "uci" else kind.popen_xboard
    engine = opener(shlex.split(f"{arguments.engine} {arguments.proto}"), timeout=30)
    wanted = {"Threads": arguments.threads, "Hash": arguments.hash}
    if arguments.proto == "xboard":
        # Firstborn keeps 4 MB of it for the program and 3 for each thread.
        wanted = {"cores": arguments.threads, "memory": arguments.hash + 4 + 3 * arguments.threads}
    engine.configure({name: value for name, value in wanted.items() if name in engine.options})
    return engine


def play(arguments, number):
    """One game: its result and everything that went wrong."""
    listener = Listener()
    logger = logging.getLogger("chess.engine")
    logger.setLevel(logging.DEBUG)
    logger.propagate = False
    logger.addHandler(listener)
    board = chess.Board()
    rng = random.Random(arguments.seed * 100_003 + number)
    for _ in range(4):
        board.push(rng.choice(list(board.legal_moves)))
    engines, told = {}, {"ponders": 0, "slowest": 0.0, "least": math.inf}
    try:
        for color in chess.COLORS:
            engines[color] = start(arguments)
        fault = moves(arguments, number, board, engines, told)
        for color, engine in engines.items() if not fault else ():
            with Watchdog(arguments.patience, chess.COLOR_NAMES[color], engine) as watchdog:
                engine.quit()
            fault = fault or watchdog.bite
    except (chess.engine.EngineError, TimeoutError) as error:
        fault = f"at the start or the end: {type(error).__name__}: {error}"
    finally:
        for engine in engines.values():
            engine.close()
        logger.removeHandler(listener)
    game = chess.pgn.Game.from_board(board)
    game.headers.update({
        "Event": f"python chess, {arguments.proto}", "Round": str(number), "White": "Firstborn", "Black": "Firstborn",
        "TimeControl": arguments.tc,
    })
    outcome = board.outcome(claim_draw=True)
    return {
        "game": number, "result": outcome.result() if outcome else "*", "plies": board.ply(),
        "ending": outcome.termination.name.lower() if outcome else None, "fault": fault, "fen": board.fen(),
        "ponders": told["ponders"], "slowest_ms": round(told["slowest"] * 1000),
        "least_clock_ms": round(min(told["least"], 1e6) * 1000), "complaints": listener.complaints,
        "lines": list(listener.lines) if fault else [], "pgn": str(game),
    }


def moves(arguments, number, board, engines, told):
    """Plays the game out on the board; returns the fault that ended it, if one did."""
    base, _, increment = arguments.tc.partition("+")
    base, increment = float(base), float(increment or 0)
    clocks = {chess.WHITE: base, chess.BLACK: base}
    while not board.is_game_over(claim_draw=True):
        mover = board.turn
        limit = chess.engine.Limit(
            white_clock=clocks[chess.WHITE], black_clock=clocks[chess.BLACK], white_inc=increment, black_inc=increment
        )
        with Watchdog(arguments.patience, chess.COLOR_NAMES[mover], engines[mover]) as watchdog:
            began = time.perf_counter()
            try:
                answer = engines[mover].play(board, limit, game=number, ponder=True)
            except (chess.engine.EngineError, TimeoutError) as error:
                return watchdog.bite or f"{type(error).__name__}: {error}"
            used = time.perf_counter() - began
        told["slowest"] = max(told["slowest"], used)
        clocks[mover] -= used
        told["least"] = min(told["least"], clocks[mover])
        if clocks[mover] < 0:
            return f"time loss by {-clocks[mover] * 1000:.0f} ms (the move took {used * 1000:.0f} ms)"
        if answer.move is None or answer.move not in board.legal_moves:
            return f"illegal move {answer.move}"
        clocks[mover] += increment
        told["ponders"] += answer.ponder is not None
        board.push(answer.move)
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--engine", default=DEFAULT_ENGINE)
    parser.add_argument("--proto", choices=["uci", "xboard"], default="uci")
    parser.add_argument("--tc", default="1+0.01", help="seconds and increment")
    parser.add_argument("--games", type=int, default=300)
    parser.add_argument("--at-once", type=int, default=2)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--hash", type=int, default=16)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--patience", type=float, default=20.0, help="seconds of silence after which an engine is stuck")
    parser.add_argument("--json", action="store_true", help="print the document instead of the summary")
    parser.add_argument("--report", type=int, default=25, help="tell how far it is every so many games")
    parser.add_argument("--out", type=pathlib.Path, help="folder for PROTO.json and PROTO.pgn")
    arguments = parser.parse_args()
    began = time.monotonic()
    records = []
    with concurrent.futures.ProcessPoolExecutor(arguments.at_once) as pool:
        games = [pool.submit(play, arguments, number) for number in range(1, arguments.games + 1)]
        for done in concurrent.futures.as_completed(games):
            records.append(record := done.result())
            if record["fault"] or len(records) % arguments.report == 0:
                print(f"{len(records)} games; game {record['game']}: {record['fault'] or 'no fault'}", file=sys.stderr)
    records.sort(key=lambda record: record["game"])
    count = lambda key: dict(collections.Counter(record[key] for record in records))
    document = {
        "schema": 1, "proto": arguments.proto, "tc": arguments.tc, "games": len(records), "at_once": arguments.at_once,
        "seconds": round(time.monotonic() - began), "results": count("result"), "endings": count("ending"),
        "plies": sum(record["plies"] for record in records), "ponders": sum(record["ponders"] for record in records),
        "slowest_ms": max(record["slowest_ms"] for record in records),
        "least_clock_ms": sorted(record["least_clock_ms"] for record in records)[:5],
        "faults": [
            {key: record[key] for key in ("game", "fault", "fen", "lines")} for record in records if record["fault"]
        ],
        "complaints": dict(collections.Counter(text for record in records for text in record["complaints"])),
    }
    if arguments.json:
        print(json.dumps(document))
    else:
        for key, value in document.items():
            print(f"{key:10} {value if key != 'faults' else len(value)}")
    if arguments.out:
        arguments.out.mkdir(parents=True, exist_ok=True)
        (arguments.out / f"{arguments.proto}.json").write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
        pgn = "\n\n".join(record["pgn"] for record in records) + "\n"
        (arguments.out / f"{arguments.proto}.pgn").write_text(pgn, encoding="utf-8")
    sys.exit(bool(document["faults"] or document["complaints"]))


if __name__ == "__main__":
    main()
