#!/usr/bin/env python3
"""Processor time of the runner itself per move, of several versions side by side.

Each version plays the same games between two engines that answer at once; the versions take turns. What is counted
is user and system time of the runner's process alone, without its engines, so that other load on the machine
matters little: no wall clock is read. The last line gives each version's mean over that of the first, with a 95 % interval
of paired logarithms.

    cargo build --release -p tournament --bin scripted-engine
    tools/tournament/cpu_per_move.py --engine target/release/scripted-engine VERSION_A VERSION_B [--repeats 8] [-- OPTIONS]

OPTIONS are given to every `VERSION tournament` (`--pgn games.pgn`, for one).
"""
import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile

STUDENT = [12.71, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228]  # 97.5 %, by degrees of freedom


def measure(version, engine, rounds, options, folder):
    """Plays once; returns microseconds of the runner per move and the number of moves."""
    journal = os.path.join(folder, "journal")
    command = [version, "tournament", "--json", "--rounds", str(rounds), "--maxmoves", "60", "--budget", "1"]
    for name in "AB":
        command += ["--engine", f"name={name}", f"cmd={engine}", "proto=uci", "arg=uci", "arg=good", "arg=0"]
    command += ["--each", "tc=600", "--journal", journal, *options]
    environment = dict(os.environ, FIRSTBORN_CPU_LOCKS=os.path.join(folder, "locks"))
    with tempfile.TemporaryFile() as output:
        child = subprocess.Popen(command, stdout=output, stderr=subprocess.DEVNULL, env=environment, cwd=folder)
        # The ended process still tells its own time, until it is waited for.
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        with open(f"/proc/{child.pid}/stat") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        ticks = int(fields[11]) + int(fields[12])
        if child.wait() != 0:
            sys.exit(f"{' '.join(command)}: exit status {child.returncode}")
        output.seek(0)
        json.load(output)
    moves = 0
    with open(journal) as lines:
        for line in lines:
            moves += sum("t" in move for move in json.loads(line).get("moves", []))
    for name in os.listdir(folder):
        if name != "locks":
            os.remove(os.path.join(folder, name))
    return ticks / os.sysconf("SC_CLK_TCK") * 1e6 / moves, moves


def main():
    words, options = sys.argv[1:], []
    if "--" in words:
        end = words.index("--")
        words, options = words[:end], words[end + 1 :]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("versions", nargs="+", help="binaries of firstborn; the first is the measure")
    parser.add_argument("--engine", required=True, help="scripted-engine, an engine that answers at once")
    parser.add_argument("--repeats", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=150)
    arguments = parser.parse_args(words)
    versions = [os.path.abspath(version) for version in arguments.versions]
    engine = os.path.abspath(arguments.engine)
    figures = {version: [] for version in versions}
    with tempfile.TemporaryDirectory() as folder:
        for repeat in range(arguments.repeats):
            turn = versions if repeat % 2 == 0 else versions[::-1]
            for version in turn:
                cost, moves = measure(version, engine, arguments.rounds, options, folder)
                figures[version].append(cost)
                print(f"{repeat + 1} {version}: {cost:.1f} us a move, {moves} moves", flush=True)
    for version in versions[1:]:
        logs = [math.log(b / a) for a, b in zip(figures[versions[0]], figures[version])]
        mean = statistics.mean(logs)
        half = 0.0
        if len(logs) > 1:
            student = STUDENT[min(len(logs) - 2, len(STUDENT) - 1)]
            half = student * statistics.stdev(logs) / math.sqrt(len(logs))
        ratio, low, high = (math.exp(value) for value in (mean, mean - half, mean + half))
        print(f"{version} over {versions[0]}: {ratio:.3f} ({low:.3f} to {high:.3f})")


if __name__ == "__main__":
    main()
