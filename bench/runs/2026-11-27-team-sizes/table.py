#!/usr/bin/env python3
"""Prints the tables of this study from samples.csv.xz: geometric means over positions, standard errors in per cent."""
import csv
import lzma
import math
from collections import defaultdict
from pathlib import Path

# What each number of threads is compared with.
BASES = {2: ("ybw", "usual")} | {threads: ("hybrid/4", "usual") for threads in (3, 4, 6, 8, 16)}


def mean(ratios):
    logs = [math.log(ratio) for ratio in ratios]
    middle = sum(logs) / len(logs)
    error = math.sqrt(sum((log - middle) ** 2 for log in logs) / (len(logs) - 1) / len(logs))
    return middle, error


def shown(value):
    return f"{math.exp(value[0]):6.3f} ± {100 * value[1]:4.1f} %"


searches = defaultdict(lambda: defaultdict(dict))
with lzma.open(Path(__file__).parent / "samples.csv.xz", "rt") as file:
    for row in csv.DictReader(file):
        key = int(row["threads"]), row["team"], row["split"]
        searches[row["set"]][row["position"]][key] = float(row["seconds"]), int(row["nodes"])
alone = 1, "serial", "usual"
times = defaultdict(list)
print("set: threads, team, splits from: positions, speed-up, nodes over one thread's, time and nodes over the base's")
for name, positions in sorted(searches.items()):
    for key in sorted({key for found in positions.values() for key in found} - {alone}):
        base = (key[0], *BASES[key[0]])
        found = [found for found in positions.values() if key in found and alone in found]
        both = [found for found in found if base in found]
        time = mean([found[key][0] / found[base][0] for found in both])
        if key != base:
            times[key].append(time)
        print(
            f"{name}: {key[0]:2} {key[1]:9} {key[2]:5} {len(found):3}",
            shown(mean([found[alone][0] / found[key][0] for found in found])),
            shown(mean([found[key][1] / found[alone][1] for found in found])),
            shown(time),
            shown(mean([found[key][1] / found[base][1] for found in both])),
            sep="  ",
        )
print("time over the base's, all sets, weighted by their errors")
for key, values in sorted(times.items()):
    weight = sum(1 / error**2 for _, error in values)
    together = sum(value / error**2 for value, error in values) / weight, 1 / math.sqrt(weight)
    print(*key, shown(together))
