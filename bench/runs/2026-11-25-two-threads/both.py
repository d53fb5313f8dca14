"""both.py NEW PLAYER OLD PLAYER: score and Elo of a player over player 0 in two tournaments' journals, by pairs, together."""
import json
import math
import sys

from sum import POINTS, elo


def pairs(path, player):
    found = {}
    for game in map(json.loads, list(open(path))[1:]):
        if player in (game["white"], game["black"]):
            white = POINTS[game["result"]]
            found.setdefault(game["encounter"], []).append(white if game["white"] == player else 1 - white)
    return [sum(pair) / 2 for pair in found.values()]


together = pairs(sys.argv[1], int(sys.argv[2])) + pairs(sys.argv[3], int(sys.argv[4]))
n, mean = len(together), sum(together) / len(together)
error = 1.96 * math.sqrt(sum((x - mean) ** 2 for x in together) / (n - 1) / n)
print(f"{n} pairs, score {mean:.4f}, Elo {elo(mean):+.1f} +-{(elo(mean + error) - elo(mean - error)) / 2:.1f}")
