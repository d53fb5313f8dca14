"""Node rates: the same positions, the same number of nodes, classic and network in turn."""
import subprocess, time
FENS = ["startpos",
 "fen r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
 "fen 8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
 "fen r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 0 1",
 "fen 4rrk1/pp1n3p/3q2pQ/2p1pb2/2PP4/2P3N1/P2B2PP/4RRK1 b - - 7 19"]
NODES = 300000
def start(net):
    p = subprocess.Popen(["./fb"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    def say(s): p.stdin.write(s + "\n"); p.stdin.flush()
    def until(w):
        while True:
            l = p.stdout.readline()
            if l.startswith(w): return l
    say("uci"); until("uciok"); say("setoption name Hash value 16")
    if net: say(f"setoption name EvalFile value {net}"); say("setoption name Eval value network")
    say("isready"); until("readyok")
    return p, say, until
engines = {"classic": start(None), "network 64": start("c64.net"), "network 32": start("f32.net")}
total = {k: [0.0, 0] for k in engines}
for fen in FENS:
    for _ in range(2):
        for name, (p, say, until) in engines.items():
            say("ucinewgame"); say("position " + fen); say("isready"); until("readyok")
            t = time.perf_counter(); say(f"go nodes {NODES}"); until("bestmove"); dt = time.perf_counter() - t
            total[name][0] += dt; total[name][1] += NODES
for name, (t, n) in total.items(): print(f"{name}: {n/t:.0f} nodes/s")
