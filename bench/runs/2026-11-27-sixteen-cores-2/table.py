#!/usr/bin/env python3
"""Prints the table of this study from many.csv.gz: geometric means over positions, standard errors in per cent."""
import csv
import gzip
import math
from collections import defaultdict
from pathlib import Path


def mean(ratios):
    logs = [math.log(ratio) for ratio in ratios]
    middle = sum(logs) / len(logs)
    variance = sum((log - middle) ** 2 for log in logs) / (len(logs) - 1) / len(logs)
    return f"{math.exp(middle):6.3f} ± {100 * math.sqrt(variance):4.1f} %"


searches = defaultdict(dict)
with gzip.open(Path(__file__).parent / "many.csv.gz", "rt") as file:
    for row in csv.DictReader(file):
        key = int(row["threads"]), row["variant"]
        searches[row["position"]][key] = float(row["time_ms"]), int(row["nodes"])
print(len(searches), "positions")
print("threads, variant: speed-up, node rate, nodes over one thread's; time and node rate over hybrid's")
for key in sorted({key for found in searches.values() for key in found}):
    all_of = [found[key] for found in searches.values()]
    alone = [found[1, "serial"] for found in searches.values()]
    usual = [found.get((key[0], "hybrid"), found[key]) for found in searches.values()]
    columns = [
        mean(base[0] / own[0] for own, base in zip(all_of, alone)),
        mean(own[1] / own[0] / (base[1] / base[0]) for own, base in zip(all_of, alone)),
        mean(own[1] / base[1] for own, base in zip(all_of, alone)),
        mean(own[0] / base[0] for own, base in zip(all_of, usual)),
        mean(own[1] / own[0] / (base[1] / base[0]) for own, base in zip(all_of, usual)),
    ]
    print(f"{key[0]:2} {key[1]:16}", "  ".join(columns))
