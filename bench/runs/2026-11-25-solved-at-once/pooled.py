"""pooled.py SCHEME SAMPLES.csv.gz..: two threads against one over several studies, by the positions that all have."""
import csv, gzip, math, statistics as st, sys

studies = []
for file in sys.argv[2:]:
    rows = csv.DictReader(gzip.open(file, "rt"))
    studies.append({(r["scheme"], r["position"], r["repeat"]): (int(r["time_ns"]), int(r["nodes"])) for r in rows})
# SP.11 is another position since 2026-11-25.
common = set.intersection(*({key[1] for key in study} for study in studies)) - {"SP.11"}
faster, more = {}, {}
for study in studies:
    for (scheme, position, repeat), (time, nodes) in study.items():
        if scheme == sys.argv[1] and position in common:
            alone = study["serial", position, repeat]
            faster.setdefault(position, []).append(math.log(alone[0] / time))
            more.setdefault(position, []).append(math.log(nodes / alone[1]))


def mean(by_position):
    return math.exp(st.mean(st.mean(values) for values in by_position.values()))


def error(by_position):
    """95 %, for another run of the same positions."""
    return 1.96 * math.sqrt(sum(st.variance(v) / len(v) for v in by_position.values())) / len(by_position)


s, o = mean(faster), mean(more)
print(f"{sys.argv[1]} {len(faster)} positions: speed-up {s:.3f} +-{s * error(faster):.3f}, "
      f"overhead {100 * (o - 1):.1f} +-{100 * o * error(more):.1f} %, node rate {s * o:.3f}")
