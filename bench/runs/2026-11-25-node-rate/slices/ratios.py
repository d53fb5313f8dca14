"""ratios.py FILE NAME: every engine's rate against NAME's, search by search: geometric mean with 95 %, and median."""
import math, statistics as st, sys

searches = {}
for line in open(sys.argv[1]):
    name, number, processor, wall = line.split()
    searches.setdefault(number, {})[name] = float(processor), float(wall)
names = sorted({name for search in searches.values() for name in search})
whole = [search for search in searches.values() if len(search) == len(names)]
for name in names:
    figures = []
    for clock, label in enumerate(("processor", "wall")):
        logs = [math.log(search[sys.argv[2]][clock] / search[name][clock]) for search in whole]
        error = 1.96 * st.pstdev(logs) / math.sqrt(max(1, len(logs) - 1))
        figures.append(f"{label} {math.exp(st.mean(logs)):.4f} +-{error:.4f} median {math.exp(st.median(logs)):.4f}")
    print(f"{name:<10} {len(whole)} searches:", ", ".join(figures))
