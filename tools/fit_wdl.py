#!/usr/bin/env python3
"""Fits the win-draw-loss model of protocol/src/wdl.rs to games the engine played with itself.

    tools/fit_wdl.py [--without NAME] JOURNAL.jsonl [...] > fit.json

Reads journals of `firstborn tournament`: every move carries the mover's own score ("e"), every game its result. The
model: the side to move wins with 1 / (1 + exp((a - score) / b)), loses with 1 / (1 + exp((a + score) / b)), else draws;
a and b are polynomials in the material on the board (pawn 1, knight and bishop 3, rook 5, queen 9; 78 at the start),
taken at material / 58. Games lost on time or by a fault of the program are left out and counted: their positions did not
lose them. The parameters make the results of all games most likely. What that is worth is told by five
further fits, each to four fifths of the games, and their predictions of the fifth; of a few games a fifth may be empty,
and is left out. Needs chess, numpy and scipy.
"""

import argparse
import collections
import json
import sys

import chess
import numpy
from journals import FAULTS, TIME_FORFEIT, entries
from scipy.optimize import minimize

VALUES = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9}
LEAST, MOST = 10, 78
"""Material outside is taken as this."""
MATE = 19000
"""Scores beyond are mates or certain wins, which the model need not explain."""
FOLDS = 5


def material(board):
    pieces = board.piece_map().values()
    total = sum(VALUES.get(piece.piece_type, 0) for piece in pieces)
    return max(LEAST, min(MOST, total))


def read(paths, without):
    """A row for each score: number of its game, score, material, outcome (0 won by the mover, 1 drawn, 2 lost). Then the
    results, and the endings of games left out."""
    rows, results, left_out = [], collections.Counter(), collections.Counter()
    for path in paths:
        skipped = None
        for game in entries(path):
            if "tournament" in game:
                names = [player["name"] for player in game["tournament"]["players"]]
                skipped = names.index(without) if without in names else None
            if game.get("result") not in ("1-0", "0-1", "1/2-1/2"):
                continue
            if game.get("ending") in FAULTS | {TIME_FORFEIT}:
                left_out[game["ending"]] += 1
                continue
            results[game["result"]] += 1
            white = {"1-0": 0, "1/2-1/2": 1, "0-1": 2}[game["result"]]
            board = chess.Board(game.get("fen") or chess.STARTING_FEN, chess960=game.get("chess960", False))
            for move in game["moves"]:
                score = move.get("e")
                mover = game["white" if board.turn == chess.WHITE else "black"]
                if score is not None and abs(score) < MATE and mover != skipped:
                    outcome = white if board.turn == chess.WHITE else 2 - white
                    rows.append((sum(results.values()), score, material(board), outcome))
                board.push_uci(move["m"])
    return numpy.array(rows), results, left_out


def chances(parameters, rows):
    """Predicted shares of wins, draws and losses, one column a row."""
    degree = len(parameters) // 2
    score, mass = rows[:, 1], rows[:, 2] / 58
    polynomial = lambda part: sum(parameter * mass**power for power, parameter in enumerate(part))
    a, b = polynomial(parameters[:degree]), numpy.maximum(1, polynomial(parameters[degree:]))
    logistic = lambda x: 1 / (1 + numpy.exp(numpy.clip(-x, -700, 700)))
    win, loss = logistic((score - a) / b), logistic((-score - a) / b)
    return numpy.array([win, numpy.maximum(1e-6, 1 - win - loss), loss])


def cost(parameters, rows, counts=None):
    """Mean negative logarithm of the chance given to what happened, each row as often as counted."""
    given = numpy.choose(rows[:, 3], chances(parameters, rows))
    return float(numpy.average(-numpy.log(numpy.maximum(1e-9, given)), weights=counts))


def fit(rows, degree):
    # Not zero: the method's first steps are a share of where it starts. It stops early, so it starts again from there.
    found = [150.0] + [20.0] * (degree - 1) + [80.0] + [20.0] * (degree - 1)
    options = {"maxiter": 4000, "maxfev": 4000, "xatol": 0.05, "fatol": 1e-6}
    # Of all games together: the same score, material and outcome come often.
    alike = numpy.unique(rows[:, 1:], axis=0, return_counts=True)
    alike = numpy.insert(alike[0], 0, 0, axis=1), alike[1]
    for _ in range(3):
        found = minimize(cost, found, args=alike, method="Nelder-Mead", options=options).x
    return found


def table(rows, predicted):
    """Predicted and counted shares in bands of the score."""
    band = numpy.clip(100 * numpy.round(rows[:, 1] / 100), -600, 600)
    share = lambda values: [round(float(value), 3) for value in values]
    lines = []
    for score in numpy.unique(band):
        inside = band == score
        counted = [(rows[inside, 3] == outcome).mean() for outcome in range(3)]
        line = {"score": int(score), "positions": int(inside.sum())}
        lines.append(line | {"predicted": share(predicted[:, inside].mean(axis=1)), "counted": share(counted)})
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("journals", nargs="+")
    parser.add_argument("--degree", type=int, default=3, help="parameters of each polynomial")
    parser.add_argument("--without", metavar="NAME", help="leave out the scores that this player told")
    parser.add_argument("--before", type=float, nargs="+", default=[], help="parameters to compare with, a's then b's")
    arguments = parser.parse_args()
    rows, results, left_out = read(arguments.journals, arguments.without)
    if len(rows) == 0:
        parser.error("no game with scores")
    fold = numpy.random.default_rng(1).integers(0, FOLDS, rows[:, 0].max() + 1)[rows[:, 0]]
    folds = numpy.unique(fold)
    if len(folds) == 1:
        parser.error("too few games with scores: one fifth has them all, and nothing is left to predict it from")
    found = fit(rows, arguments.degree)
    predicted, costs = numpy.zeros((3, len(rows))), []
    for number in folds:
        kept = fold == number
        parameters = fit(rows[~kept], arguments.degree)
        predicted[:, kept] = chances(parameters, rows[kept])
        before = [cost(numpy.array(arguments.before), rows[kept])] if arguments.before else []
        costs.append([round(value, 5) for value in [cost(parameters, rows[kept]), *before]])
    document = {
        "schema": 2,
        "results": dict(results),
        "left_out": dict(left_out),
        "positions": len(rows),
        "a": [round(float(x), 2) for x in found[: arguments.degree]],
        "b": [round(float(x), 2) for x in found[arguments.degree :]],
        "cost_per_position": {"fitted": round(cost(found, rows), 5), "kept_back_and_before": costs},
        "kept_back": table(rows, predicted),
    }
    json.dump(document, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
