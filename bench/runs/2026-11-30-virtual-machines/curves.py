"""Prints the tables of README.md from searches.csv. Intervals are 95 %, by Student's t over positions."""

import csv
import math
import os

ELO_PER_DOUBLING = 56
T = 2.20  # of 11 degrees of freedom

with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "searches.csv"), encoding="utf-8") as file:
    rows = list(csv.DictReader(file))
networks = [("2", "yes"), ("50", "yes"), ("2", "no")]


def of(network, machines):
    wanted = (*network, machines, "16")
    keys = ("latency_us", "exchange", "machines", "threads")
    return {row["position"]: row for row in rows if tuple(row[key] for key in keys) == wanted}


def mean(ratios):
    """Geometric mean with its interval."""
    logs = [math.log(ratio) for ratio in ratios]
    n = len(logs)
    centre = sum(logs) / n
    error = math.sqrt(sum((x - centre) ** 2 for x in logs) / (n - 1) / n) * T
    return f"{math.exp(centre):.2f} ({math.exp(centre - error):.2f} - {math.exp(centre + error):.2f})"


def ratios(a, b):
    return [float(a[name]["speedup"]) / float(b[name]["speedup"]) for name in a]


for machines in "1", "4", "16":
    print(f"{machines} machines")
    for network in networks:
        found, one, alone = of(network, machines), of(network, "1"), of(("2", "no"), machines)
        gain = ratios(found, one)
        doublings = sum(map(math.log2, gain)) / len(gain)
        said = [
            f"{network[0]} us, exchange {network[1]}: {len(found)} positions",
            "over one thread " + mean([float(row["speedup"]) for row in found.values()]),
            "over one machine " + mean(gain),
            "node rate " + mean([float(row["node_rate"]) for row in found.values()]),
            f"Elo {ELO_PER_DOUBLING * doublings:.0f}",
            f"ms {sum(float(row['milliseconds']) for row in found.values()) / len(found):.1f}",
        ]
        if network[1] == "yes" and machines != "1":
            said.append("over none " + mean(ratios(found, alone)))
            sums = {key: sum(int(row[key]) for row in found.values()) for key in ("received", "probed", "cut")}
            said.append("probed {:.1%}, cut {:.1%}".format(*(sums[key] / sums["received"] for key in ("probed", "cut"))))
        print("  " + "; ".join(said))
