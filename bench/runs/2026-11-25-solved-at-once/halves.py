"""halves.py SCHEME THREADS SAMPLES.csv.gz..: geometric means against one thread over the parts of one study."""
import csv, gzip, math, statistics as st, sys

rows = [row for file in sys.argv[3:] for row in csv.DictReader(gzip.open(file, "rt"))]
logs = {}
for row in rows:
    values = [math.log(int(row[name])) for name in ("time_ns", "nodes")]
    logs.setdefault((row["scheme"], row["threads"], row["position"]), []).append(values)
mean = {key: [st.mean(column) for column in zip(*values)] for key, values in logs.items()}
team = {key[2]: value for key, value in mean.items() if key[:2] == (sys.argv[1], sys.argv[2])}
alone = {position: mean["serial", "1", position] for position in team}
faster = [alone[position][0] - value[0] for position, value in team.items()]
more = st.mean(value[1] - alone[position][1] for position, value in team.items())
error = st.stdev(faster) / math.sqrt(len(faster))
print(f"{sys.argv[1]} {sys.argv[2]}: {len(team)} positions, speed-up {math.exp(st.mean(faster)):.3f} "
      f"(standard error {100 * error:.1f} %, for other positions), overhead {100 * (math.exp(more) - 1):.1f} %")
