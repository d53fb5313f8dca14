"""Node rates of programs, in turns: rate.py PROGRAM,PROGRAM MIB NODES ROUNDS. The ratios are to the first."""

import math
import re
import subprocess
import sys

FENS = [
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/1PN1PN2/PB3PPP/R2QKB1R w KQ - 0 9",
    "8/2p2pk1/1p1p2p1/p2Pp2p/P1P1P2P/1P3PP1/5K2/8 w - - 0 1",
    "2r2rk1/1bqnbppp/pp1ppn2/8/2PNP3/1PN1BP2/P3BQPP/2R2R1K w - - 0 15",
]
programs, mib, nodes, rounds = sys.argv[1].split(","), sys.argv[2], sys.argv[3], int(sys.argv[4])


def rate(program, fen):
    engine = subprocess.Popen(["taskset", "-c", "1", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    engine.stdin.write(f"uci\nsetoption name Hash value {mib}\nisready\nposition fen {fen}\ngo nodes {nodes}\n")
    engine.stdin.flush()
    found = None
    for line in engine.stdout:
        if match := re.search(r" nps (\d+)", line):
            found = int(match[1])
        if line.startswith("bestmove"):
            break
    engine.communicate("quit\n")
    return found


rates = {program: [] for program in programs}
for _ in range(rounds):
    for fen in FENS:
        for program in programs:
            rates[program].append(rate(program, fen))
for program in programs:
    logs = [math.log(one / first) for one, first in zip(rates[program], rates[programs[0]])]
    mean = sum(logs) / len(logs)
    error = (sum((log - mean) ** 2 for log in logs) / (len(logs) - 1) / len(logs)) ** 0.5
    print(program, round(sum(rates[program]) / len(logs)), f"ratio {math.exp(mean):.4f} ± {1.96 * error:.4f}")
