"""Two threads over one: results, pairs and Elo by opponent, from the tournament's journal."""
import json, math, sys
lines = [json.loads(line) for line in open(sys.argv[1])]
names = [p["name"] for p in lines[0]["tournament"]["players"]]
games = lines[1:]
def elo(s): return -400 * math.log10(1 / s - 1)
out = {}
for p in range(1, len(names)):
    pairs = {}
    wdl = [0, 0, 0]
    forfeits = 0
    for g in games:
        if p not in (g["white"], g["black"]): continue
        white = {"White": 1, "1-0": 1, "Draw": .5, "1/2-1/2": .5, "Black": 0, "0-1": 0}.get(g["result"], g["result"])
        s = white if g["white"] == p else 1 - white
        wdl[int(2 - 2 * s)] += 1
        pairs.setdefault(g["encounter"], []).append(s)
        forfeits += g["ending"] in ("TimeForfeit", "Stall", "Crash", "IllegalMove", "StartFailure", "time-forfeit", "stall", "crash", "illegal-move")
    whole = [sum(v) / 2 for v in pairs.values() if len(v) == 2]
    n, m = len(whole), sum(whole) / len(whole)
    sd = math.sqrt(sum((x - m) ** 2 for x in whole) / n / n)
    counts = [sum(x == k / 4 for x in whole) for k in range(5)]
    out[names[p]] = whole
    print(f"{names[p]}: {sum(wdl)} games +{wdl[0]} ={wdl[1]} -{wdl[2]}, forfeits {forfeits}; pairs {counts}; score {m:.4f}, "
          f"Elo {elo(m):+.1f} +- {(elo(m + 1.96 * sd) - elo(m - 1.96 * sd)) / 2:.1f}")
a, b = (out[n] for n in names[1:3])
diff = sum(b) / len(b) - sum(a) / len(a)
var = sum(sum((x - sum(v) / len(v)) ** 2 for x in v) / len(v) ** 2 for v in (a, b))
print(f"{names[2]} less {names[1]}: {diff * 100:+.2f} points in a hundred, +- {196 * math.sqrt(var):.2f}")
