"""fixed.py BINARY MS: processor time for a node by scheme, over study48, one scheme after the other.

Nodes and time are those of the last line of info, processor time that of the whole search."""
import os
import sys
import time

binary, ms = sys.argv[1], int(sys.argv[2])
sys.argv = ["ab.py", str(ms)]
exec(open("ab.py").read().split("es={}")[0])


def cpu_ms(pid):
    tasks = os.listdir(f"/proc/{pid}/task")
    return sum(int(open(f"/proc/{pid}/task/{task}/schedstat").read().split()[0]) for task in tasks) / 1e6


for scheme, threads in (("serial", 1), ("ybw", 2), ("lazy", 2)):
    engine = E(binary, scheme, threads)
    nodes = at = used = wall = 0
    for line in pos:
        engine.s("ucinewgame")
        engine.s("position fen " + " ".join(line.split()[:4]) + " 0 1")
        engine.ready()
        before, since = cpu_ms(engine.p.pid), time.monotonic()
        engine.s(f"go movetime {ms}")
        info = []
        while not (answer := engine.p.stdout.readline()).startswith("bestmove"):
            if " nodes " in answer:
                info = answer.split()
        wall += (time.monotonic() - since) * 1000
        used += cpu_ms(engine.p.pid) - before
        nodes += int(info[info.index("nodes") + 1])
        at += int(info[info.index("time") + 1])
    rate, busy = nodes / at, used / wall
    print(f"{scheme}: {rate:.0f} nodes a ms, {busy:.3f} processors, {1e6 * busy / rate:.0f} ns of processor a node")
    engine.s("quit")
