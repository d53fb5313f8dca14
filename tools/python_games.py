#!/usr/bin/env python3
"""Many fast games of Firstborn against itself through the python `chess` package, pondering, in either protocol.

    tools/python_games.py --proto xboard --games 300 --tc 1+0.01 --at-once 2 --out DIR

Both sides are Firstborn and both ponder, so every game tries the protocol twice; two engines think while two ponder, so
at most half as many games should run at once as there are processors if nobody is to lose on time for the machine's
sake. Openings are four random plies, by --seed. Every fault (illegal move, time loss, protocol error, crash) and every
complaint of the package about a line of ours is kept. Prints one JSON document and, with --out, writes it there with the
games; exit code 1 on any fault.
"""

import argparse
import collections
import concurrent.futures
import json
import logging
import pathlib
import random
import shlex
import sys
import time

import chess
import chess.engine
import chess.pgn

from firstborn import DEFAULT_ENGINE


class Complaints(logging.Handler):
    """What the package warns of."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.heard = []

    def emit(self, record):
        # It rejects features that it does not use, which is no complaint.
        if "Rejecting feature" not in record.getMessage():
            self.heard.append(record.getMessage()[:300])


def start(arguments):
    kind = chess.engine.SimpleEngine
    opener = kind.popen_uci if arguments.proto == "uci" else kind.popen_xboard
    engine = opener(shlex.split(f"{arguments.engine} {arguments.proto}"), timeout=30)
    wanted = {"Threads": arguments.threads, "Hash": arguments.hash}
    if arguments.proto == "xboard":
        wanted = {"cores": arguments.threads, "memory": arguments.hash + 4}
    engine.configure({name: value for name, value in wanted.items() if name in engine.options})
    return engine


def play(arguments, number):
    """One game: its result and everything that went wrong."""
    complaints = Complaints()
    logging.getLogger("chess.engine").addHandler(complaints)
    base, _, increment = arguments.tc.partition("+")
    base, increment = float(base), float(increment or 0)
    board = chess.Board()
    rng = random.Random(arguments.seed * 100_003 + number)
    for _ in range(4):
        board.push(rng.choice(list(board.legal_moves)))
    clocks = {chess.WHITE: base, chess.BLACK: base}
    engines = {color: start(arguments) for color in clocks}
    fault, ponders, slowest = None, 0, 0.0
    try:
        while not fault and not board.is_game_over(claim_draw=True):
            mover = board.turn
            limit = chess.engine.Limit(
                white_clock=clocks[chess.WHITE], black_clock=clocks[chess.BLACK],
                white_inc=increment, black_inc=increment,
            )
            began = time.perf_counter()
            try:
                answer = engines[mover].play(board, limit, game=number, ponder=True)
            except (chess.engine.EngineError, chess.engine.EngineTerminatedError, TimeoutError) as error:
                fault = f"{type(error).__name__}: {error}"
                break
            used = time.perf_counter() - began
            slowest = max(slowest, used)
            clocks[mover] -= used
            if clocks[mover] < 0:
                fault = f"time loss by {-clocks[mover] * 1000:.0f} ms (the move took {used * 1000:.0f} ms)"
            elif answer.move is None or answer.move not in board.legal_moves:
                fault = f"illegal move {answer.move}"
            else:
                clocks[mover] += increment
                ponders += answer.ponder is not None
                board.push(answer.move)
        for engine in engines.values():
            if not fault:
                engine.quit()
    except (chess.engine.EngineError, chess.engine.EngineTerminatedError, TimeoutError) as error:
        fault = f"at the end: {type(error).__name__}: {error}"
    finally:
        for engine in engines.values():
            engine.close()
        logging.getLogger("chess.engine").removeHandler(complaints)
    game = chess.pgn.Game.from_board(board)
    game.headers.update({
        "Event": f"python chess, {arguments.proto}", "Round": str(number), "White": "Firstborn", "Black": "Firstborn",
        "TimeControl": arguments.tc,
    })
    outcome = board.outcome(claim_draw=True)
    return {
        "game": number, "result": outcome.result() if outcome else "*", "plies": board.ply(),
        "ending": outcome.termination.name.lower() if outcome else None, "fault": fault, "fen": board.fen(),
        "ponders": ponders, "slowest_ms": round(slowest * 1000), "complaints": complaints.heard, "pgn": str(game),
    }


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
    parser.add_argument("--report", type=int, default=25, help="tell how far it is every so many games")
    parser.add_argument("--out", type=pathlib.Path, help="folder for PROTO.json and PROTO.pgn")
    arguments = parser.parse_args()
    began = time.monotonic()
    records = []
    with concurrent.futures.ProcessPoolExecutor(arguments.at_once) as pool:
        games = [pool.submit(play, arguments, number) for number in range(1, arguments.games + 1)]
        for done in concurrent.futures.as_completed(games):
            record = done.result()
            records.append(record)
            if record["fault"] or len(records) % arguments.report == 0:
                print(f"{len(records)} games; game {record['game']}: {record['fault'] or 'no fault'}", file=sys.stderr)
    records.sort(key=lambda record: record["game"])
    count = lambda key: dict(collections.Counter(record[key] for record in records))
    document = {
        "schema": 1, "proto": arguments.proto, "tc": arguments.tc, "games": len(records), "at_once": arguments.at_once,
        "seconds": round(time.monotonic() - began), "results": count("result"), "endings": count("ending"),
        "plies": sum(record["plies"] for record in records), "ponders": sum(record["ponders"] for record in records),
        "slowest_ms": max(record["slowest_ms"] for record in records),
        "faults": [{key: record[key] for key in ("game", "fault", "fen")} for record in records if record["fault"]],
        "complaints": dict(collections.Counter(text for record in records for text in record["complaints"])),
    }
    print(json.dumps(document))
    if arguments.out:
        arguments.out.mkdir(parents=True, exist_ok=True)
        (arguments.out / f"{arguments.proto}.json").write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
        pgn = "\n\n".join(record["pgn"] for record in records) + "\n"
        (arguments.out / f"{arguments.proto}.pgn").write_text(pgn, encoding="utf-8")
    sys.exit(bool(document["faults"] or document["complaints"]))


if __name__ == "__main__":
    main()
