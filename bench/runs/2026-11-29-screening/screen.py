"""Hadamard screening: 64 matches, each of a vector of signs against its opposite.
    screen.py TUNING-BUILD OPENINGS FILE [NODES [ROUNDS [PASSES [THREADS]]]]
"""
import json, os, random, subprocess, sys

BITS = """1 quiet checks in qsearch ordered by own threats
2 improving where the evaluation reaches beta, behind the null move
3 hindsight deeper: reduced by 3 or more, sum of evaluations below 0
4 corrections by the last two moves
5 static exchange heeds both sides' pins, captured pinner too
6 LMR a ply less at a former PV node with a deep entry
7 triple singular extension
8 no malus for moves that raised alpha
9 failed high: mean with beta by depth
10 stand pat: mean with beta
11 qsearch failed high: mean with beta
12 IIR where the entry is more than 4 plies shallower, from depth 6
14 two plies less after alpha was raised on the PV
15 small ProbCut by the table
16 null move at all nodes
18 LMR as usual in check
19 LMR of captures by capture history
20 SEE margin of captures by capture history
21 no killer
22 draw score by nodes, -1 or +1
23 main history fades by a quarter at each search
24 no quiet checks in qsearch
25 cut node not singular: two plies less
27 not singular, known below alpha: a ply less
28 second search two plies deeper for much
31 quiet order by attacks of lesser pieces
32 double extension at PV nodes
35 root moves ordered as at other nodes
36 checks that lose material are reduced
37 a futile killer does not end the quiet moves
38 qsearch futility asks the exchange for the gap
39 quiet order: answer to the last move counts half more
40 captures at cut nodes are reduced more
41 table asked again after hindsight
42 aspiration around the mean
44 qsearch teaches capture history
45 optimism by the root's score"""
NUMBERS = """good_capture 122 108
check_bonus 12000 8000
correction_most 120 180
table_years 8 4
clock_damp 200 240
reduction_move 3 2
singular_depth 6 5
quiescence_moves 2 3
reduction_depth 3 2
singular_table_depth 3 4
reduction_cutoffs 3 2
aspiration_width 21 14
null_move_divisor 3 4
reverse_futility_depth 9 11
unordered_depth 4 3
quiescence_margin 189 150
probcut_reduction 4 3"""
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
                   "--each", "nodes=%d hash=16 threads=1" % nodes, "--openings", openings, "--random", "--seed", str(9000 + step),
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
