#!/usr/bin/env python3
"""Node rates of two UCI engines on the same positions, in turns: rate_against.py EPD REPEATS MOVETIME_MS A.. -- B..

One thread and 16 MiB each. For every position and repeat both search it for the same time from an empty table, one
after the other; a row is A's nodes per second over B's. Prints the geometric mean with a 95 % interval (t over
positions) and the raw rows as JSON.
"""
import json, math, statistics, subprocess, sys, time

def engine(cmd):
    p = subprocess.Popen(cmd, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
    tell(p, 'uci'); wait(p, 'uciok')
    for line in ('setoption name Threads value 1', 'setoption name Hash value 16'): tell(p, line)
    return p

def tell(p, line): p.stdin.write(line + '\n'); p.stdin.flush()

def wait(p, word):
    seen = []
    for line in p.stdout:
        seen.append(line)
        if line.startswith(word): return seen
    raise SystemExit('engine ended')

def rate(p, fen, ms):
    tell(p, 'ucinewgame'); tell(p, 'isready'); wait(p, 'readyok')
    tell(p, 'position fen ' + fen)
    start = time.perf_counter(); tell(p, f'go movetime {ms}'); seen = wait(p, 'bestmove'); took = time.perf_counter() - start
    nodes = max(int(l.split(' nodes ')[1].split()[0]) for l in seen if ' nodes ' in l)
    return nodes / took

epd, repeats, ms = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
at = sys.argv.index('--')
a, b = engine(sys.argv[4:at]), engine(sys.argv[at + 1:])
fens = [' '.join(l.split()[:4]) + ' 0 1' for l in open(epd) if l.strip()]
rows = []
for r in range(repeats):
    for i, fen in enumerate(fens):
        pair = [(a, 'a'), (b, 'b')] if (r + i) % 2 == 0 else [(b, 'b'), (a, 'a')]
        rows.append({'position': i, 'repeat': r, **{name: rate(p, fen, ms) for p, name in pair}})
logs = [statistics.fmean(math.log(x['a'] / x['b']) for x in rows if x['position'] == i) for i in range(len(fens))]
mean, half = statistics.fmean(logs), 2.07 * statistics.stdev(logs) / math.sqrt(len(logs))
print(json.dumps({'a': sys.argv[4:at], 'b': sys.argv[at + 1:], 'movetime_ms': ms, 'rows': rows,
    'a_nps': statistics.fmean(x['a'] for x in rows), 'b_nps': statistics.fmean(x['b'] for x in rows),
    'ratio': math.exp(mean), 'interval': [math.exp(mean - half), math.exp(mean + half)]}))
