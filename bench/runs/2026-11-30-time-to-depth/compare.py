"""Times to depth of two variants: `python3 compare.py times.csv.gz SCHEME THREADS BEFORE AFTER` (`serial 1 serial` stands for one thread).

For each of the last twelve depths, the last one first, the geometric mean of after / before over the positions, with its
95 % interval. A depth counts as reached when any iteration at least as deep is finished."""
import csv
import gzip
import math
import statistics
import sys


def read(path, scheme, threads, variant):
    found = {}
    with gzip.open(path, "rt") as file:
        for row in csv.DictReader(file):
            if (row["scheme"], row["threads"], row["variant"]) == (scheme, threads, variant):
                found[row["position"]] = [int(time) if time else None for time in row["last_twelve_us"].split("/")]
    return found


def main():
    path, scheme, threads, before, after = sys.argv[1:]
    one = before == "serial"
    old = read(path, *(("serial", "1") if one else (scheme, threads)), before)
    new = read(path, scheme, threads, after)
    for back in range(12):
        pairs = [(old[p][-1 - back], new[p][-1 - back]) for p in sorted(old.keys() & new.keys())]
        logs = [math.log(b / a) for a, b in pairs if a and b and a > 1000]
        mean, half = statistics.mean(logs), 1.96 * statistics.stdev(logs) / math.sqrt(len(logs))
        low, high = math.exp(mean - half), math.exp(mean + half)
        speedup = f", speed-up {math.exp(-mean):.2f}" if one else ""
        print(f"{back} before the last: {math.exp(mean):.3f} ({low:.3f} to {high:.3f}), {len(logs)} positions{speedup}")


main()
