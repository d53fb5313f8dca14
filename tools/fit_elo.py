#!/usr/bin/env python3
"""Ratings from journals of `firstborn tournament`, some players' ratings being given.

    tools/fit_elo.py --anchor SF1350=1350 --anchor SF1700=1700 JOURNAL.jsonl [...]

Maximum likelihood under the logistic model with a draw as half a win; a weak prior (one drawn game of every player
against the mean of the anchors) keeps shut-outs finite. Errors are standard deviations of 200 bootstrap resamples of the games.
Games lost by a fault of the program are left out and counted; those lost on time count as played.
Prints one JSON document. This is how the levels of cli/src/brain/weakness.rs got their ratings.
"""

import argparse
import collections
import json
import math
import random
import statistics

from journals import FAULTS, entries


def anchor(text):
    """A player and its given rating, from NAME=ELO; the name may hold the sign, too."""
    name, _, elo = text.rpartition("=")
    try:
        rating = float(elo)
    except ValueError:
        rating = math.nan
    if not name or not math.isfinite(rating):
        raise argparse.ArgumentTypeError(f"{text} is not NAME=ELO, as in SF1350=1350")
    return name, rating


def read(paths):
    """White, Black and White's points of each game, and the endings of games left out."""
    games, left_out = [], collections.Counter()
    for path in paths:
        names = []
        for record in entries(path):
            if "tournament" in record:
                names = [player["name"] for player in record["tournament"]["players"]]
            elif record.get("ending") in FAULTS:
                left_out[record["ending"]] += 1
            elif record.get("result") in ("1-0", "0-1", "1/2-1/2"):
                score = {"1-0": 1.0, "1/2-1/2": 0.5, "0-1": 0.0}[record["result"]]
                games.append((names[record["white"]], names[record["black"]], score))
    return games, left_out


def fit(games, anchors):
    """Newton's method, one player at a time, until nothing moves."""
    prior = statistics.mean(anchors.values())
    against = collections.defaultdict(lambda: [0.0, 0])
    for white, black, score in games:
        for one, other, points in ((white, black, score), (black, white, 1 - score)):
            against[one, other][0] += points
            against[one, other][1] += 1
    players = {name for pair in against for name in pair}
    ratings = {name: anchors.get(name, prior) for name in players}
    for _ in range(500):
        moved = 0.0
        for name in players - anchors.keys():
            slope, curve = 0.0, 0.0
            pairs = [(ratings[other], *value) for (one, other), value in against.items() if one == name]
            for rating, points, count in [*pairs, (prior, 0.5, 1)]:
                expected = 1 / (1 + 10 ** ((rating - ratings[name]) / 400))
                slope += points - count * expected
                curve += count * expected * (1 - expected)
            step = max(-100.0, min(100.0, slope / max(curve, 1e-6) * 400 / math.log(10)))
            ratings[name] += step
            moved = max(moved, abs(step))
        if moved < 0.01:
            break
    return ratings


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("journals", nargs="+")
    parser.add_argument("--anchor", action="append", required=True, type=anchor, metavar="NAME=ELO")
    arguments = parser.parse_args()
    anchors = dict(arguments.anchor)
    games, left_out = read(arguments.journals)
    players = {name for game in games for name in game[:2]}
    for name in anchors.keys() - players:
        parser.error(f"--anchor {name}: no game of that player")
    ratings = fit(games, anchors)
    rng = random.Random(1)
    samples = [fit(rng.choices(games, k=len(games)), anchors) for _ in range(200)]
    rows = []
    for name, rating in sorted(ratings.items(), key=lambda item: item[1]):
        played = [game for game in games if name in game[:2]]
        points = sum(score if white == name else 1 - score for white, _, score in played)
        error = statistics.stdev(sample.get(name, rating) for sample in samples)
        rows.append({
            "name": name, "elo": round(rating), "error": round(error), "games": len(played),
            "score": round(points / len(played), 3), "anchor": name in anchors,
        })
    pairs = collections.defaultdict(lambda: [0.0, 0])
    for white, black, score in games:
        pairs[f"{white} - {black}"][0] += score
        pairs[f"{white} - {black}"][1] += 1
    counted = {"games": len(games), "left_out": dict(left_out)}
    print(json.dumps({"schema": 1, **counted, "players": rows, "white_points": dict(pairs)}, indent=1))


if __name__ == "__main__":
    main()
