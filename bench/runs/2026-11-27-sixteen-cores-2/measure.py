#!/usr/bin/env python3
"""Times searches to fixed depths of variants of one program, all variants in turns at each position.

    measure.py FIRSTBORN POSITIONS.epd SECONDS OUT.csv

Idle cores are kept busy, so that turbo boost does not favour few threads. The variants are set by environment
variables that only the study's program knows (knobs.patch)."""
import csv
import os
import random
import signal
import subprocess
import sys
import time

# Name, threads, scheme, environment.
VARIANTS = [
    ("serial", 1, "serial", {}),
    ("hybrid", 16, "hybrid", {}),
    ("all 3", 16, "hybrid", {"FB_ALL": "1", "FB_TELL": "3"}),
    ("all 4", 16, "hybrid", {"FB_ALL": "1", "FB_TELL": "4"}),
    ("split 6", 16, "hybrid", {"FB_RULES": "6"}),
    ("all 3, split 6", 16, "hybrid", {"FB_ALL": "1", "FB_TELL": "3", "FB_RULES": "6"}),
    ("all 3, split 10", 16, "hybrid", {"FB_ALL": "1", "FB_TELL": "3", "FB_RULES": "10"}),
    ("lazy", 16, "lazy", {}),
    ("lazy 3", 16, "lazy", {"FB_TELL": "3"}),
    ("hybrid", 8, "hybrid", {}),
    ("all 3", 8, "hybrid", {"FB_ALL": "1", "FB_TELL": "3"}),
    ("hybrid", 4, "hybrid", {}),
]


class Engine:
    def __init__(self, program, threads, scheme, environment):
        self.process = subprocess.Popen([program, "uci"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        env={**os.environ, **environment})
        for line in ("uci", "setoption name Hash value 256", f"setoption name Threads value {threads}",
                     f"setoption name Scheme value {scheme}"):
            self.tell(line)
        self.wait()

    def tell(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def wait(self):
        self.tell("isready")
        while self.process.stdout.readline().strip() != "readyok":
            pass

    def search(self, fen, depth):
        self.tell("ucinewgame")
        self.tell(f"position fen {fen}")
        self.wait()
        began = time.monotonic()
        self.tell(f"go depth {depth}")
        nodes = 0
        while True:
            line = self.process.stdout.readline().split()
            if not line:
                sys.exit("an engine ended")
            if "nodes" in line:
                nodes = int(line[line.index("nodes") + 1])
            if line[0] == "bestmove":
                return (time.monotonic() - began) * 1000, nodes, line[1]


def main():
    program, positions, seconds, out = sys.argv[1], sys.argv[2], float(sys.argv[3]), sys.argv[4]
    end = time.monotonic() + seconds
    todo = []
    for line in open(positions):
        fields = line.split(" ")
        operations = " ".join(fields[4:])
        todo.append((operations.split('id "')[1].split('"')[0], " ".join(fields[:4]) + " 0 1",
                     int(operations.split("acd ")[1].split(";")[0])))
    random.Random(1).shuffle(todo)
    engines = [Engine(program, *variant[1:]) for variant in VARIANTS]
    cores = os.cpu_count()
    loads = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(cores - 1)]
    for load in loads:
        os.kill(load.pid, signal.SIGSTOP)
    with open(out, "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["position", "depth", "variant", "threads", "time_ms", "nodes", "bestmove"])
        order = list(range(len(VARIANTS)))
        for name, fen, depth in todo:
            random.Random(name).shuffle(order)
            for number in order:
                if time.monotonic() > end:
                    break
                variant, threads = VARIANTS[number][:2]
                busy = loads[:cores - threads]
                for load in busy:
                    os.kill(load.pid, signal.SIGCONT)
                taken, nodes, best = engines[number].search(fen, depth)
                for load in busy:
                    os.kill(load.pid, signal.SIGSTOP)
                rows.writerow([name, depth, variant, threads, f"{taken:.2f}", nodes, best])
            file.flush()
    for load in loads:
        load.kill()
    for engine in engines:
        engine.tell("quit")
    print(f"ended with {end - time.monotonic():.0f} s left")


main()
