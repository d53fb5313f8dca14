#!/usr/bin/env python3
"""What tools/cluster/measure.sh has measured, in ratios.

    tools/cluster/summary.py FILE.csv [FILE.csv ...]

Geometric means over positions of ratios of time to depth, paired by position and repeat, with 95 % intervals as
in Firstborn's own reports: the percentile interval of the two-level bootstrap (positions, and repeats within
each), of fewer than ten positions Student's, of one none. Positions that one thread solves within 10,000 nodes
are left out. Then the share of received table entries that a search found (probed) and that ended a node (cut).
"""

import argparse
import collections
import csv
import math
import random
import statistics

RESAMPLES = 2000
# The 97.5th percentile of Student's distribution with 1 to 8 degrees of freedom, by which the interval of 2 to 9
# positions is made: they have too few different resamples.
STUDENT = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306)
AT_ONCE = 10_000
RATIOS = (
    ("one", "ranks", "two ranks over one thread"),
    ("one", "apart", "two ranks without exchange over one thread"),
    ("one", "lazy", "two threads over one"),
    ("apart", "ranks", "two ranks with exchange over two without"),
    ("lazy", "ranks", "two ranks over two threads"),
)


def read(paths):
    """Rows by position, repeat (of each file its own) and search."""
    rows = collections.defaultdict(lambda: collections.defaultdict(dict))
    for path in paths:
        with open(path, encoding="utf-8", newline="") as file:
            for row in csv.DictReader(line for line in file if not line.startswith("#")):
                rows[row["position"]][path, row["repeat"]][row["who"]] = row
    return rows


def searched(rows):
    """Leaves out the positions that one thread solves at once."""
    def nodes(repeats):
        counts = [float(found["one"]["nodes"]) for found in repeats.values() if "one" in found]
        return statistics.mean(counts or [0])

    return {place: repeats for place, repeats in rows.items() if nodes(repeats) >= AT_ONCE}


def logarithms(rows, slow, fast):
    """For each position the logarithms of its repeats' ratios."""
    def ratio(found):
        times = [max(float(found[who]["time_ms"]), 1.0) for who in (slow, fast)]
        return math.log(times[0] / times[1])

    groups = [
        [ratio(found) for found in repeats.values() if slow in found and fast in found]
        for repeats in rows.values()
    ]
    return [group for group in groups if group]


def mean(groups):
    return statistics.fmean(statistics.fmean(group) for group in groups)


def interval(groups):
    """The 95 % interval of the mean; none of one group."""
    if len(groups) < 2:
        return None
    if len(groups) <= len(STUDENT) + 1:
        means = [statistics.fmean(group) for group in groups]
        half = STUDENT[len(groups) - 2] * statistics.stdev(means) / math.sqrt(len(groups))
        return mean(groups) - half, mean(groups) + half
    chance = random.Random(1)
    drawn = sorted(
        mean([chance.choices(group, k=len(group)) for group in chance.choices(groups, k=len(groups))])
        for _ in range(RESAMPLES)
    )
    return drawn[round(0.025 * (RESAMPLES - 1))], drawn[round(0.975 * (RESAMPLES - 1))]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", metavar="FILE.csv")
    everything = read(parser.parse_args().files)
    rows = searched(everything)
    repeats = [len(repeats) for repeats in rows.values()]
    least, most = min(repeats, default=0), max(repeats, default=0)
    print(f"{len(rows)} positions of {len(everything)}, {least} to {most} repeats")
    for slow, fast, words in RATIOS:
        groups = logarithms(rows, slow, fast)
        if groups:
            ends = [f"{math.exp(end):.3f}" for end in interval(groups) or ()]
            ratio = f"{math.exp(mean(groups)):.3f}" + (f" ({' - '.join(ends)})" if ends else "")
            print(f"{fast + '/' + slow:<12} {ratio}  {words}")
    for who in ("ranks", "apart"):
        found = [found[who] for repeats in rows.values() for found in repeats.values() if who in found]
        if not found:
            continue
        names = ("received", "probed", "cut", "results", "bytes")
        total = {name: sum(int(row[name]) for row in found) for name in names}
        seconds = sum(float(row["time_ms"]) for row in found) / 1000
        shares = [100 * total[name] / max(total["received"], 1) for name in ("probed", "cut")]
        print(
            f"{who:<12} received {total['received']}, probed {shares[0]:.1f} %, cut {shares[1]:.1f} %; "
            f"results sent {total['results']}, {total['bytes'] / 1e6 / max(seconds, 1e-3):.2f} MB/s of both"
        )


if __name__ == "__main__":
    main()
