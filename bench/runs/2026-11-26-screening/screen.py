"""Hadamard screening of the changes in experiments.patch: 64 matches, each of a vector of signs against its opposite, so that
effects of two factors together cancel. Interruptible: one line of JSON a finished match in FILE, and the next call goes on behind them.

    screen.py TUNING-BUILD OPENINGS FILE [NODES [ROUNDS [PASSES [THREADS]]]]
"""
import json, os, random, subprocess, sys

BITS = """0 best score raised to the futility value of pruned quiet moves
1 quiet moves skipped once one is futile
2 corrections with gravity
3 decided scores teach corrections
4 failures low teach corrections half as much again
5 null move at cut nodes only
6 null move asks the static evaluation for a margin that shrinks with depth
7 null move with one piece
8 null move not against an upper bound or a big capture, a ply more after a capture
9 reverse futility returns a third of the way from beta
10 reverse futility 14 + 62 d - 57 improving - 70 without entry, to depth 9
11 quiescence after two moves: recaptures, checks, promotions only
12 quiescence takes captures that lose up to 40
14 history by the change of the evaluation, with offset and lopsided limits
15 a table cut-off teaches its quiet move
16 the early quiet move before a refuted node is punished
17 the quiet move before an unexpected failure low is rewarded
18 evaluation scaled by material
19 hindsight: a ply less where the parent was reduced and the side stands well
20 second search compared with the best score, margins 25 and 5
21 good captures by SEE against 122 - score / 45
22 LMR may extend by a ply
23 separate bonus and malus for main, continuation and capture history
24 later quiet moves punished less (.95 each)
25 the excluded move is not counted in a singular search
26 multi-cut returns the mean with beta
27 LMR: cut node without table move, noisy table move, former PV that failed low
28 capture history at full weight in the order
29 futility 160 + 95 l + history, to 9 plies
30 pruning depth by history
31 futility of losing captures
32 ProbCut at cut nodes only, not against the table, margin 230 - 60 improving
33 continuation history after the second LMR search
34 aspiration width by the score, a ply less after a fail high
35 razoring at any depth, without verification
36 the table's move is updated though the entry stays
37 table cut-offs: a ply deeper for a fail high, expected kind only at low depth
38 size of the correction in LMR and reverse futility
39 stand pat returned as the mean with beta
40 a ply less after alpha was raised on the PV
41 quiet order: main history twice
42 one killer"""
NUMBERS = """correction_slowness 512 64
reduction_depth 3 2
reduction_move 3 2
singular_depth 7 6
double_margin 18 10
null_move_reduction 3 4
aspiration_width 20 12
singular_margin 9 6"""
FACTORS = [(int(line.split()[0]), line.split(" ", 1)[1]) for line in BITS.splitlines()]
FACTORS += [tuple(line.split()) for line in NUMBERS.splitlines()]
COLUMNS = list(range(1, 64))
random.Random(2026).shuffle(COLUMNS)


def sign(row, k):
    """Of factor k in this row of the Sylvester matrix of 64; columns without a factor are controls."""
    return -1 if bin(row & COLUMNS[k]).count("1") & 1 else 1


def options(row, side):
    bits, words = [0, 0], []
    for k, factor in enumerate(FACTORS):
        on = sign(row, k) * side > 0
        if len(factor) == 2:
            bits[factor[0] // 31] |= on << factor[0] % 31
        else:
            words.append("option.%s=%s" % (factor[0], factor[2] if on else factor[1]))
    return " ".join(words + ["option.experiment=%d option.experiment2=%d" % tuple(bits)])


def main():
    program, openings, out = sys.argv[1:4]
    nodes, rounds, passes, threads = (list(map(int, sys.argv[4:])) + [40000, 4, 40, 1][len(sys.argv) - 4 :])[:4]
    done = sum(1 for _ in open(out)) if os.path.exists(out) else 0
    for step in range(done, 64 * passes):
        row = (step * 37) % 64
        command = [program, "tournament", "--engine", "name=plus cmd=%s args=uci %s" % (program, options(row, 1)),
                   "--engine", "name=minus cmd=%s args=uci %s" % (program, options(row, -1)),
                   "--each", "nodes=%d hash=16 threads=1" % nodes, "--openings", openings, "--random", "--seed", str(7000 + step),
                   "--format", "match", "--rounds", str(rounds), "--budget", str(threads), "--no-affinity", "--maxmoves", "200",
                   "--draw", "movenumber=40 movecount=6 score=8", "--resign", "movecount=4 score=500", "--json"]
        result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if result.returncode:
            sys.exit(result.stderr)
        match = dict(json.loads(result.stdout), step=step, row=row, nodes=nodes)
        with open(out, "a") as file:
            file.write(json.dumps(match) + "\n")


if __name__ == "__main__":
    main()
