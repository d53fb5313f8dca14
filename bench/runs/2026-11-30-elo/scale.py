#!/usr/bin/env python3
"""Ratings of the players of pairs.csv on the scale of Stockfish's UCI_Elo; prints the table of README.md.

All players are fitted together (tools/fit_elo.py), with one of Stockfish's given. Its players lie further apart
than they say, so a rating between two of them is interpolated; below the lowest the differences are Elo as played.
"""

import csv
import pathlib
import random
import statistics
import sys

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parents[2] / "tools"))
import fit_elo  # noqa: E402


def played():
    """White, Black and White's points of each game."""
    games = []
    with open(HERE / "pairs.csv", encoding="utf-8") as rows:
        for row in csv.DictReader(rows):
            for column, points in (("won", 1.0), ("drawn", 0.5), ("lost", 0.0)):
                games += [(row["white"], row["black"], points)] * int(row[column])
    return games


def scaled(games):
    """Elo as played and on Stockfish's scale, of each player."""
    elo = fit_elo.fit(games, {"SF1700": 1700.0})
    known = sorted((elo[name], float(name[2:])) for name in elo if name.startswith("SF"))

    def on_scale(rating):
        (lowest, named), (_, highest) = known[0], known[-1]
        if rating < lowest:
            return named + rating - lowest
        for (low, low_named), (high, high_named) in zip(known, known[1:]):
            if rating <= high:
                return low_named + (rating - low) * (high_named - low_named) / (high - low)
        return highest + rating - known[-1][0]

    return {name: (rating, on_scale(rating)) for name, rating in elo.items()}


def main():
    games = played()
    random.seed(1)
    again = [scaled(random.choices(games, k=len(games))) for _ in range(100)]
    print("player,games,as_played,on_scale,error")
    for name, (elo, on_scale) in sorted(scaled(games).items(), key=lambda player: player[1]):
        count = sum(name in game[:2] for game in games)
        error = statistics.pstdev(ratings[name][1] for ratings in again if name in ratings)
        print(f"{name},{count},{elo:.0f},{on_scale:.0f},{error:.0f}")


if __name__ == "__main__":
    main()
