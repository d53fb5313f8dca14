"""Time, nodes and node rate of the new version over the old one, with 95 % intervals over positions: summary.py versions.csv

Geometric means; positions that take less than 50 ms are left out.
"""

import collections
import csv
import math
import statistics
import sys

STUDENT = 2.07  # 97.5 % with 22 degrees of freedom

found = collections.defaultdict(list)
for row in csv.DictReader(open(sys.argv[1])):
    found[row["scheme"], row["position"], row["version"]].append((int(row["ms"]), int(row["nodes"])))


def interval(logs):
    middle = statistics.mean(logs)
    half = STUDENT * statistics.stdev(logs) / math.sqrt(len(logs))
    return "{:.3f} ({:.3f} - {:.3f})".format(*map(math.exp, (middle, middle - half, middle + half)))


for scheme in ("ybw", "lazy"):
    time, nodes = [], []
    for position in sorted({position for _, position, _ in found}):
        old, new = (found[scheme, position, version] for version in ("old", "new"))
        if not old or not new or min(ms for ms, _ in old + new) < 50:
            continue
        for place, logs in ((0, time), (1, nodes)):
            mean = [statistics.mean(math.log(row[place]) for row in rows) for rows in (old, new)]
            logs.append(mean[1] - mean[0])
    rate = [more - longer for more, longer in zip(nodes, time)]
    print(scheme, len(time), "time", interval(time), "nodes", interval(nodes), "rate", interval(rate))
