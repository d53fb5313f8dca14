"""Time to depth of two versions with two threads, interleaved, from an empty table: CSV.
versions.py OLD NEW POSITIONS.epd POSITIONS_LIMIT REPEATS MOVETIME"""
import sys, re
sys.path.insert(0, "tools")
import firstborn
old, new, file, limit, repeats, ms = sys.argv[1:3] + [sys.argv[3]] + list(map(int, sys.argv[4:7]))
fens = [" ".join(l.split()[:4]) + " 0 1" for l in open(file) if l.strip() and l[0] != "#"][:limit]
engines = {}
for name, path in (("old", old), ("new", new)):
    for scheme in ("ybw", "lazy"):
        options = {"Hash": 256, "Threads": 2, "Scheme": scheme}
        engines[name, scheme] = firstborn.uci(
            path, *(f"setoption name {key} value {value}" for key, value in options.items())
        )
pilot = firstborn.uci(old, "setoption name Hash value 256")
def go(d, fen, what):
    d.send("ucinewgame", "isready"); d.until("readyok"); d.send(f"position fen {fen}", f"go {what}")
    last = None
    while True:
        _, line = d.lines.get(timeout=300)
        if line.startswith("bestmove"): return last
        m = re.search(r"info depth (\d+) .*?nodes (\d+) .*?time (\d+)", line)
        if m and "pv" in line: last = tuple(map(int, m.groups()))
print("position,depth,scheme,version,repeat,nodes,ms", flush=True)
for p, fen in enumerate(fens):
    depth = go(pilot, fen, f"movetime {ms}")[0]
    if depth > 60: continue
    for r in range(repeats):
        for scheme in ("ybw", "lazy"):
            for name in (("old", "new") if r % 2 == 0 else ("new", "old")):
                _, nodes, time = go(engines[name, scheme], fen, f"depth {depth}")
                print(f"{p},{depth},{scheme},{name},{r},{nodes},{time}", flush=True)
for d in engines.values(): d.kill()
