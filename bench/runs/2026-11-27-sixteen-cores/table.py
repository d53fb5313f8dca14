"""Speed-up, node rate and overhead of real.csv.gz, the overheads of virtual.csv.gz, and times and overheads of
mechanisms.csv.gz: geometric means with standard errors over positions."""
import csv, gzip, math, statistics as st
from pathlib import Path

HERE = Path(__file__).parent


def rows(name):
    with gzip.open(HERE / name, "rt", newline="") as file:
        return list(csv.DictReader(file))


def mean(logs):
    return f"{math.exp(st.mean(logs)):.3f} +- {100 * st.stdev(logs) / math.sqrt(len(logs)):.0f} %"


# In `real.csv.gz` a run h.. has hybrid and a run l.. lazy, each beside its own searches of one thread.
real = {(r["run"][0], r["position"], r["scheme"], r["threads"]): r for r in rows("real.csv.gz")}
for run, scheme, threads in [("h", "hybrid", "4"), ("h", "hybrid", "8"), ("h", "hybrid", "16"), ("l", "lazy", "16")]:
    speed, rate, nodes, busy = [], [], [], []
    for (kind, position, who, count), r in real.items():
        if (kind, who, count) != (run, scheme, threads):
            continue
        one = real[run, position, "serial", "1"]
        time = {k: float(s["time_ms"]) for k, s in (("one", one), ("team", r))}
        speed.append(math.log(time["one"] / time["team"]))
        nodes.append(math.log(int(r["nodes"]) / int(one["nodes"])))
        rate.append(speed[-1] + nodes[-1])
        work = [int(s["nodes"]) / (int(s["threads"]) * float(s["time_ms"]) - float(s["idle_ms"])) for s in (r, one)]
        busy.append(math.log(work[0] / work[1]))
    print(f"{scheme} {threads}: {len(speed)} positions, speed-up {mean(speed)}, node rate {mean(rate)},",
          f"nodes {mean(nodes)}, busy rate {mean(busy)}")

virtual = {}
for r in rows("virtual.csv.gz"):
    virtual.setdefault((r["variant"], r["threads"]), {})[r["position"]] = int(r["nodes"])
for (variant, threads), found in virtual.items():
    if threads == "1":
        continue
    one = virtual[variant, "1"]
    both = [p for p in found if p in one]
    geometric = math.exp(st.mean(math.log(one[p]) for p in both)) / 1e6
    print(f"{variant}, {threads} threads, {len(both)} positions: one thread {geometric:.2f} million nodes, the team",
          mean([math.log(found[p] / one[p]) for p in both]), "times as many")

searches = {(r["set"], r["position"], r["without"], r["scheme"], r["threads"]): r for r in rows("mechanisms.csv.gz")}
for which, variant, scheme, threads in sorted({(s, v, *team) for s, _, v, *team in searches if team[0] != "serial"}):
    speed, nodes, over = [], [], []
    for (kind, position, *who), r in searches.items():
        one = searches.get((which, position, "none", "serial", "1"))
        usual = searches.get((which, position, "none", scheme, threads))
        if kind == which and who == [variant, scheme, threads] and one and usual:
            speed.append(math.log(float(one["seconds"]) / float(r["seconds"])))
            nodes.append(math.log(int(r["nodes"]) / int(one["nodes"])))
            over.append(math.log(float(r["seconds"]) / float(usual["seconds"])))
    print(f"{which}, {scheme} {threads}, off or changed: {variant}: {len(speed)} positions, speed-up {mean(speed)},",
          f"nodes {mean(nodes)}, time over that with all {mean(over)}")
