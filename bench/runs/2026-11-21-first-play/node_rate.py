"""Node rate of two threads over one: the same positions, interleaved, fixed time."""
import json, math, subprocess, sys
engine, epd, seconds, repeats, count = sys.argv[1], sys.argv[2], float(sys.argv[3]), int(sys.argv[4]), int(sys.argv[5])
fens = [" ".join(line.split()[:4]) for line in open(epd) if line.strip()][:count]
rows = []
for repeat in range(repeats):
    for fen in fens:
        nps = {}
        for threads in (1, 2):
            out = subprocess.run([engine, "analyze", "--json", "--threads", str(threads), "--hash", "64",
                                  "--movetime", str(int(seconds * 1000)), *fen.split()], capture_output=True, text=True, check=True)
            nps[threads] = json.loads(out.stdout)["nps"]
        rows.append({"fen": fen, "repeat": repeat, "nps1": nps[1], "nps2": nps[2], "ratio": nps[2] / nps[1]})
logs = [math.log(row["ratio"]) for row in rows]
mean = sum(logs) / len(logs)
error = 1.96 * math.sqrt(sum((x - mean) ** 2 for x in logs) / (len(logs) - 1) / len(logs))
print(json.dumps({"geometric_mean": math.exp(mean), "low": math.exp(mean - error), "high": math.exp(mean + error), "rows": rows}))
