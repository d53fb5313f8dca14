"""Hadamard screening: 32 matches a pass, each of a vector of signs against its opposite, so that effects of even order
cancel. `screen.py FIRST LAST ROUNDS NODES` plays passes FIRST to LAST - 1; one file a match, screening.jsonl.gz holds
them all. Effects: `python3 - < ../2026-11-22-screening/effects.py` in this folder."""
import random, subprocess, sys
F = [(f"bit{b}",) for b in range(16)]
N = """reverse_futility_margin 65 85
see_noisy_margin 80 120
correction_slowness 400 624
history_slope 180 280
history_pruning_margin 3300 5100
late_moves 3 5
aspiration_width 15 25
shallower_margin 4 12
singular_margin 9 15
reduction_cut 1236 1836"""
F += [tuple(line.split()) for line in N.splitlines()]
# Factor k takes column COL[k] of the Sylvester matrix of 32; column 0 is left out; the rest of the columns are controls.
COL = list(range(1, 32))
random.Random(8).shuffle(COL)
BIN, OUT = "./x3", "./scr2"


def sign(row, k):
    return -1 if bin(row & COL[k]).count("1") & 1 else 1


def options(row, s):
    bits, given = 0, []
    for k, factor in enumerate(F):
        on = sign(row, k) * s > 0
        if len(factor) == 1:
            bits |= on << int(factor[0][3:])
        else:
            given.append(f"option.{factor[0]}={factor[2] if on else factor[1]}")
    return " ".join(given + [f"option.experiment={bits}"])


if __name__ == "__main__":
    first, last, rounds, nodes = sys.argv[1:5]
    for p in range(int(first), int(last)):
        for row in range(32):
            engines = [f"name={n} cmd={BIN} args=uci {options(row, s)}" for n, s in (("plus", 1), ("minus", -1))]
            subprocess.run(
                ["./fb21", "tournament", "--engine", engines[0], "--engine", engines[1],
                 "--each", f"nodes={nodes}", "hash=16", "threads=1",
                 "--openings", "./data/books/8moves_v3.pgn.zip", "--random", "--seed", str(9000 + 100 * p + row),
                 "--format", "match", "--rounds", rounds, "--budget", "2", "--no-affinity",
                 "--draw", "movenumber=40 movecount=6 score=8", "--resign", "movecount=4 score=500", "--maxmoves", "200", "--json"],
                stdout=open(f"{OUT}/r{p}-{row}.json", "w"), stderr=open(f"{OUT}/r{p}-{row}.err", "w"))
