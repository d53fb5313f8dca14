#!/usr/bin/env python3
"""Fits the win-draw-loss model of protocol/src/wdl.rs to games the engine played with itself.

    tools/fit_wdl.py JOURNAL.jsonl [...] > bench/runs/DATE-wdl/fit.json

Reads journals of `firstborn tournament`: every move carries the mover's own score ("e"), every game its result. The
model: the side to move wins with 1 / (1 + exp((a - score) / b)), loses with 1 / (1 + exp((a + score) / b)), else draws;
a and b are polynomials in the material on the board (pawn 1, knight and bishop 3, rook 5, queen 9; 78 at the start),
taken at material / 58. The parameters make the results of four games of five most likely; the fifth is kept back, and the
printed table holds prediction against outcome there. Needs the packages chess and scipy.
"""

import argparse
import collections
import json
import math
import sys

import chess
from scipy.optimize import minimize

VALUES = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9}
LEAST, MOST = 10, 78
"""Material outside is taken as this."""
MATE = 20000
"""Scores beyond are mates or certain wins, which the model need not explain."""
STEP = 5
"""Scores are counted in steps of so many centipawns."""


def material(board):
    pieces = board.piece_map().values()
    total = sum(VALUES.get(piece.piece_type, 0) for piece in pieces)
    return max(LEAST, min(MOST, total))


def read(paths):
    """(training, held back): counters of (score, material) -> [wins, draws, losses] for the mover; and games read."""
    cells = collections.defaultdict(lambda: [0, 0, 0]), collections.defaultdict(lambda: [0, 0, 0])
    games, endings = 0, collections.Counter()
    for path in paths:
        for line in open(path, encoding="utf-8"):
            game = json.loads(line)
            if game.get("result") not in ("1-0", "0-1", "1/2-1/2"):
                continue
            games += 1
            endings[game["result"]] += 1
            board = chess.Board()
            for move in game["moves"]:
                score = move.get("e")
                if score is not None and abs(score) < MATE:
                    white = {"1-0": 0, "1/2-1/2": 1, "0-1": 2}[game["result"]]
                    outcome = white if board.turn == chess.WHITE else 2 - white
                    cells[games % 5 == 0][STEP * round(score / STEP), material(board)][outcome] += 1
                board.push_uci(move["m"])
    return *cells, games, endings


def polynomial(parameters, mass):
    return sum(parameter * (mass / 58) ** power for power, parameter in enumerate(parameters))


def chances(parameters, score, mass):
    degree = len(parameters) // 2
    a = polynomial(parameters[:degree], mass)
    b = max(1.0, polynomial(parameters[degree:], mass))
    logistic = lambda x: 1 / (1 + math.exp(min(700, max(-700, -x))))
    win, loss = logistic((score - a) / b), logistic((-score - a) / b)
    return win, max(1e-6, 1 - win - loss), loss


def cost(parameters, cells):
    total = 0.0
    for (score, mass), counts in cells.items():
        for count, chance in zip(counts, chances(parameters, score, mass)):
            if count:
                total -= count * math.log(max(1e-9, chance))
    return total


def table(parameters, cells):
    """Predicted and counted shares in bands of the score."""
    bands = collections.defaultdict(lambda: [0, [0.0] * 3, [0] * 3])
    for (score, mass), counts in cells.items():
        band = bands[max(-600, min(600, 100 * round(score / 100)))]
        number = sum(counts)
        band[0] += number
        for kind, chance in enumerate(chances(parameters, score, mass)):
            band[1][kind] += number * chance
            band[2][kind] += counts[kind]
    share = lambda values, number: [round(value / number, 3) for value in values]
    return [
        {"score": score, "positions": n, "predicted": share(predicted, n), "counted": share(counted, n)}
        for score, (n, predicted, counted) in sorted(bands.items())
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("journals", nargs="+")
    parser.add_argument("--degree", type=int, default=3, help="parameters of each polynomial")
    parser.add_argument("--cells", help="file to keep what was counted in, as CSV")
    arguments = parser.parse_args()
    training, kept, games, endings = read(arguments.journals)
    if arguments.cells:
        with open(arguments.cells, "w", encoding="ascii") as out:
            out.write("set,score,material,wins,draws,losses\n")
            for name, cells in (("fitted", training), ("kept_back", kept)):
                for (score, mass), counts in sorted(cells.items()):
                    out.write(f"{name},{score},{mass},{','.join(map(str, counts))}\n")
    # Not zero: the method's first steps are a share of where it starts.
    start = [150.0] + [20.0] * (arguments.degree - 1) + [80.0] + [20.0] * (arguments.degree - 1)
    options = {"maxiter": 4000, "maxfev": 4000, "xatol": 0.05, "fatol": 0.05}
    found = minimize(cost, start, args=(training,), method="Nelder-Mead", options=options)
    positions = [sum(map(sum, cells.values())) for cells in (training, kept)]
    document = {
        "schema": 1,
        "games": games,
        "results": dict(endings),
        "positions": {"fitted": positions[0], "kept_back": positions[1]},
        "a": [round(x, 2) for x in found.x[: arguments.degree]],
        "b": [round(x, 2) for x in found.x[arguments.degree :]],
        "cost_per_position": {
            "fitted": round(found.fun / positions[0], 5),
            "kept_back": round(cost(found.x, kept) / positions[1], 5),
        },
        "converged": bool(found.success),
        "kept_back": table(found.x, kept),
    }
    json.dump(document, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
