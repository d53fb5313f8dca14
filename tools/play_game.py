#!/usr/bin/env python3
"""Whole games between Firstborn and another engine, in either protocol, driven by the python `chess` package.

The referee is here: it keeps the clocks, checks every move, and counts what went wrong on Firstborn's side (illegal
moves, time losses, protocol errors, crashes) apart from what the opponent did wrong. The games are written as PGN, the
summary as one JSON document. Exit code 1 if Firstborn made any fault. The package drives only xboard engines that
answer `ping`: Debian's phalanx does, its fairymax does not.

    tools/play_game.py --opponent stockfish --tc 10+0.1 --games 2
    tools/play_game.py --proto xboard --opponent phalanx --opponent-proto xboard --tc 2+0.05
"""

import argparse
import json
import logging
import shlex
import sys
import time

import chess
import chess.engine
import chess.pgn

from firstborn import DEFAULT_ENGINE

class Complaints(logging.Handler):
    """What the chess package complains of in Firstborn's words, each complaint once."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.ours = None
        self.heard = []

    def emit(self, record):
        about, *details = record.args or (None,)
        text = record.msg.removeprefix("%s: ") % tuple(details) if about is self.ours else None
        if text and text not in self.heard:
            self.heard.append(text)


def start(command, proto):
    kind = chess.engine.SimpleEngine
    return (kind.popen_uci if proto == "uci" else kind.popen_xboard)(shlex.split(command), timeout=30)


def configure(engine, arguments):
    """Threads and hash by whatever name the protocol has for them."""
    wanted = {"Threads": arguments.threads, "Hash": arguments.hash}
    if arguments.proto == "xboard":
        wanted = {"cores": arguments.threads, "memory": arguments.hash}
    engine.configure({name: value for name, value in wanted.items() if name in engine.options})


class Match:
    def __init__(self, arguments, complaints):
        self.arguments = arguments
        self.complaints = complaints
        base, _, increment = arguments.tc.partition("+")
        self.base, self.increment = float(base), float(increment or 0)
        self.faults = []
        self.opponent_faults = []
        self.results = {"wins": 0, "losses": 0, "draws": 0}
        self.pgn = []

    def play(self, number):
        """One game; Firstborn has White in the odd ones."""
        ours = chess.WHITE if number % 2 else chess.BLACK
        engines = {
            ours: start(self.arguments.engine + " " + self.arguments.proto, self.arguments.proto),
            not ours: start(self.arguments.opponent, self.arguments.opponent_proto),
        }
        self.complaints.ours = engines[ours].protocol
        configure(engines[ours], self.arguments)
        board = chess.Board()
        clocks = {chess.WHITE: self.base, chess.BLACK: self.base}
        ending, result = "", "*"
        try:
            while not board.is_game_over(claim_draw=True) and result == "*":
                result, ending = self.move(engines[board.turn], board, clocks, number, board.turn == ours)
        finally:
            for engine in engines.values():
                engine.close()
        if result == "*":
            outcome = board.outcome(claim_draw=True)
            result, ending = outcome.result(), outcome.termination.name.lower()
        self.note(number, ours, board, result, ending)

    def move(self, engine, board, clocks, number, is_ours):
        """Asks for one move and plays it; returns a result other than `*` if that ends the game."""
        mover = board.turn
        lost = "0-1" if mover == chess.WHITE else "1-0"
        faults = self.faults if is_ours else self.opponent_faults
        limit = chess.engine.Limit(
            white_clock=clocks[chess.WHITE],
            black_clock=clocks[chess.BLACK],
            white_inc=self.increment,
            black_inc=self.increment,
            clock_id=number,
        )
        began = time.perf_counter()
        try:
            answer = engine.play(board, limit, game=number, ponder=self.arguments.ponder and is_ours)
        except (chess.engine.EngineError, chess.engine.EngineTerminatedError, TimeoutError) as error:
            faults.append({"game": number, "ply": board.ply(), "fault": f"{type(error).__name__}: {error}"})
            return lost, "fault"
        clocks[mover] -= time.perf_counter() - began
        if clocks[mover] < 0:
            faults.append({"game": number, "ply": board.ply(), "fault": f"time loss by {-clocks[mover]:.3f} s"})
            return lost, "time"
        clocks[mover] += self.increment
        if answer.resigned:
            return lost, "resignation"
        if answer.move is None or answer.move not in board.legal_moves:
            faults.append({"game": number, "ply": board.ply(), "fault": f"illegal move {answer.move} in {board.fen()}"})
            return lost, "illegal move"
        board.push(answer.move)
        return "*", ""

    def note(self, number, ours, board, result, ending):
        if result == "1/2-1/2":
            self.results["draws"] += 1
        else:
            won = (result == "1-0") == (ours == chess.WHITE)
            self.results["wins" if won else "losses"] += 1
        game = chess.pgn.Game.from_board(board)
        names = ["Firstborn", self.arguments.opponent]
        game.headers["Event"] = f"{self.arguments.proto} against {self.arguments.opponent_proto}"
        game.headers["Round"] = str(number)
        game.headers["White"], game.headers["Black"] = names if ours == chess.WHITE else reversed(names)
        game.headers["TimeControl"] = self.arguments.tc
        game.headers["Result"] = result
        game.headers["Termination"] = ending
        self.pgn.append(str(game))
        print(f"game {number}: {result} ({ending}, {board.ply()} plies)", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--engine", default=DEFAULT_ENGINE)
    parser.add_argument("--proto", choices=["uci", "xboard"], default="uci")
    parser.add_argument("--opponent", required=True, help="command of the other engine")
    parser.add_argument("--opponent-proto", choices=["uci", "xboard"], default="uci")
    parser.add_argument("--tc", default="10+0.1", help="seconds and increment")
    parser.add_argument("--games", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--hash", type=int, default=64)
    parser.add_argument("--ponder", action="store_true", help="let Firstborn think on the opponent's time")
    parser.add_argument("--pgn", help="file for the games")
    arguments = parser.parse_args()
    complaints = Complaints()
    logging.getLogger("chess.engine").addHandler(complaints)
    match = Match(arguments, complaints)
    for number in range(1, arguments.games + 1):
        match.play(number)
    if arguments.pgn:
        with open(arguments.pgn, "w", encoding="utf-8") as pgn:
            pgn.write("\n\n".join(match.pgn) + "\n")
    document = {"schema": 1, "games": arguments.games, **match.results, "faults": match.faults}
    document |= {"opponent_faults": match.opponent_faults, "complaints": complaints.heard}
    print(json.dumps(document))
    sys.exit(bool(match.faults))


if __name__ == "__main__":
    main()
