"""games.py JOURNAL..: nodes a second of two threads over one, in the games themselves."""
import json
import sys

for path in sys.argv[1:]:
    nodes, ms = [0, 0], [0, 0]
    for game in map(json.loads, list(open(path))[1:]):
        for i, move in enumerate(game["moves"]):
            if "n" in move and move.get("t"):
                player = game["white"] if i % 2 == 0 else game["black"]
                nodes[player] += move["n"]
                ms[player] += move["t"]
    print(f"{path}: {nodes[1] / ms[1] / (nodes[0] / ms[0]):.3f}")
