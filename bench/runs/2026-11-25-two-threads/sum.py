"""sum.py JOURNAL..: two threads over one. Results, pairs and Elo (95 %, by pairs) from each tournament's journal, and the
difference of the first two in points of a hundred."""
import json
import math
import sys
from collections import Counter

POINTS = {"1-0": 1.0, "1/2-1/2": 0.5, "0-1": 0.0}


def elo(score):
    return -400 * math.log10(1 / score - 1)


def pairs_of(path):
    lines = [json.loads(line) for line in open(path)]
    names = [player["name"] for player in lines[0]["tournament"]["players"]]
    games = lines[1:]
    scores, pairs = [], {}
    for game in games:
        white = POINTS[game["result"]]
        score = white if game["white"] == 1 else 1 - white
        scores.append(score)
        pairs.setdefault(game["encounter"], []).append(score)
    whole = [sum(pair) / 2 for pair in pairs.values() if len(pair) == 2]
    n, mean = len(whole), sum(whole) / len(whole)
    error = 1.96 * math.sqrt(sum((x - mean) ** 2 for x in whole) / (n - 1) / n)
    won, drawn, lost = (sum(s == x for s in scores) for x in (1, 0.5, 0))
    counts = [sum(x == k / 4 for x in whole) for k in range(5)]
    half = (elo(mean + error) - elo(mean - error)) / 2
    print(f"{names[1]} against {names[0]}: {len(games)} games +{won} ={drawn} -{lost}; pairs {counts}; score {mean:.4f}, "
          f"Elo {elo(mean):+.1f} +-{half:.1f}; endings {dict(Counter(game['ending'] for game in games))}")
    return mean, error


if __name__ == "__main__":
    results = [pairs_of(path) for path in sys.argv[1:]]
    if len(results) > 1:
        (a, ea), (b, eb) = results[:2]
        print(f"first less second: {100 * (a - b):+.2f} points in a hundred +-{100 * math.hypot(ea, eb):.2f}")
