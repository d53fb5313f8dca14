#!/usr/bin/env python3
"""Prints the tables of this study from samples.csv.xz: geometric means over positions, standard errors in percent."""

import csv
import lzma
import math
import pathlib
from collections import defaultdict


def mean(ratios):
    logs = [math.log(ratio) for ratio in ratios]
    middle = sum(logs) / len(logs)
    spread = sum((log - middle) ** 2 for log in logs) / max(1, len(logs) - 1)
    return f"{math.exp(middle):.3f} ± {100 * math.sqrt(spread / len(logs)):.0f} %"


samples = defaultdict(dict)
with lzma.open(pathlib.Path(__file__).with_name("samples.csv.xz"), "rt") as file:
    for row in csv.DictReader(file):
        team = row["without"], row["scheme"], row["threads"]
        samples[row["set"], team][row["position"]] = float(row["seconds"]), float(row["nodes"])

print("set; variant, scheme, threads; positions; nodes and time over one thread's; time over that of 'none'")
for (name, team), found in list(samples.items()):
    alone = samples.get((name, ("none", "serial", "1")), {})
    usual = samples.get((name, ("none", *team[1:])), {})
    both = [position for position in found if position in alone and position in usual]
    if team == ("none", "serial", "1") or not both:
        continue
    nodes = mean([found[p][1] / alone[p][1] for p in both])
    time = mean([found[p][0] / alone[p][0] for p in both])
    against = mean([found[p][0] / usual[p][0] for p in both])
    print(f"{name}; {', '.join(team)}; {len(both)}; {nodes}; {time}; {against}")
