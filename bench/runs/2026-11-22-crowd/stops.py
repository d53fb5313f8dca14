"""Run from the repository root: python3 bench/runs/2026-11-22-crowd/stops.py target/release/firstborn [SCHEME..]

`stop` with 16 threads on 2 cores, at random moments: every scheme, 1,500 times."""
import json, random, sys
sys.path.insert(0, "tools")
import firstborn, latency
engine = sys.argv[1]
for scheme in sys.argv[2:] or ["lazy", "ybw", "abdada"]:
    latency.uci = lambda e, *o, s=scheme: firstborn.uci(e, f"setoption name Scheme value {s}", *o)
    times = sorted(latency.stop(engine, 16, 1500, random.Random(5), 0.12))
    at = lambda share: round(times[min(len(times) - 1, int(share * len(times)))], 2)
    print(json.dumps({"scheme": scheme, "threads": 16, "stops": len(times), "median ms": at(.5), "p99": at(.99), "p99.9": at(.999), "worst": round(times[-1], 2)}), flush=True)
