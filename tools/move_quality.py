#!/usr/bin/env python3
"""How good are the moves of one player beside those of another? Games say it with a large error; this says it sooner:
each player searches the same positions, a deep search judges the moves in which they differ, and the differences of the
expected results are averaged.

    python3 tools/move_quality.py --positions P.epd --out DIR --nodes 40000 --judge "firstborn uci" --judge-nodes 300000 \\
        --player "one=firstborn uci --virtual-clock 1" \\
        --player "two=firstborn uci --virtual-clock 1;Machines=2;Latency=5"

A player is a name, a UCI engine's command and options of it; all get the same limit of nodes a move, by the virtual clock
that is the same time. P.epd has a position in each line (the first four fields count). DIR keeps what was searched and how:
the same command goes on from there, and positions and players can be added; other nodes, options or judges need another
DIR. So does a program that has been built anew: a command does not show it. The first player is the one that the others
are compared with. A score counts as the result that the logistic curve of --scale centipawns expects of it; errors are
standard errors over positions. Nothing but the standard library is needed.
"""

import argparse
import json
import math
import shlex
import subprocess
from pathlib import Path

MATE = 3000  # Centipawns: beyond any doubt.


class Engine:
    """A UCI engine."""

    def __init__(self, command, options=()):
        self.process = subprocess.Popen(
            shlex.split(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        self.ask("uci", "uciok")
        for option in options:
            name, value = option.split("=", 1)
            self.say(f"setoption name {name} value {value}")
        self.ask("isready", "readyok")

    def say(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def ask(self, line, last):
        """Says a line; the answers up to the one that begins with `last`."""
        self.say(line)
        answers = []
        for answer in self.process.stdout:
            answers.append(answer.split())
            if answers[-1][:1] == [last]:
                return answers
        raise SystemExit(f"an engine ended: {self.process.args}")

    def search(self, fen, limits):
        """The answers to a search of a new game."""
        self.say("ucinewgame")
        self.say(f"position fen {fen}")
        return self.ask(f"go {limits}", "bestmove")

    def quit(self):
        self.say("quit")
        self.process.wait()


def kept(path, asked):
    """The answers that a file has. They must be to this question, which each file has beside them."""
    if not path.exists():
        return {}
    document = json.loads(path.read_text())
    if document.get("asked") != asked:
        before, now = json.dumps(document.get("asked")), json.dumps(asked)
        raise SystemExit(f"{path} has answers to another question: {before}, and not {now}; give another --out")
    return document["answers"]


def keep(path, asked, answers):
    """Leaves the file as it was, or with all of it."""
    new = path.with_name(f"{path.name}.new")
    new.write_text(json.dumps({"asked": asked, "answers": answers}))
    new.replace(path)


def positions(path):
    lines = (line.split()[:4] for line in path.read_text().splitlines() if line.strip() and line[0] != "#")
    return list(dict.fromkeys(" ".join(fields) + " 0 1" for fields in lines))


def moves_of(player, fens, nodes, folder):
    """The moves that a player plays, by position."""
    name, rest = player.split("=", 1)
    command, *options = rest.split(";")
    path = folder / f"moves-{name}.json"
    asked = {"command": command, "options": options, "nodes": nodes}
    found = kept(path, asked)
    if all(fen in found for fen in fens):
        return name, found
    engine = Engine(command, options)
    for number, fen in enumerate(fens, 1):
        if fen not in found:
            found[fen] = engine.search(fen, f"nodes {nodes}")[-1][1]
        if number % 100 == 0 or number == len(fens):
            keep(path, asked, found)
            print(f"{name}: {number} of {len(fens)}", flush=True)
    engine.quit()
    return name, found


def centipawns(answers):
    told = [answer for answer in answers if "score" in answer][-1]
    kind, value = told[told.index("score") + 1 :][:2]
    return int(value) if kind == "cp" else math.copysign(MATE, int(value))


def judged(moves, args, fens):
    """The scores of all moves in which players differ."""
    path = args.out / "judged.json"
    question = {"command": args.judge, "nodes": args.judge_nodes}
    scores = kept(path, question)
    engine = Engine(args.judge)
    asked = [(fen, {found[fen] for found in moves.values()}) for fen in fens]
    wanted = [(fen, move) for fen, all_moves in asked if len(all_moves) > 1 for move in sorted(all_moves)]
    for number, (fen, move) in enumerate(wanted, 1):
        if f"{fen} {move}" not in scores:
            limits = f"nodes {args.judge_nodes} searchmoves {move}"
            scores[f"{fen} {move}"] = centipawns(engine.search(fen, limits))
        if number % 200 == 0 or number == len(wanted):
            keep(path, question, scores)
    engine.quit()
    return scores


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--positions", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--player", action="append", required=True, metavar="NAME=COMMAND;OPTION=VALUE;...")
    parser.add_argument("--nodes", type=int, default=40_000)
    parser.add_argument("--judge", required=True, metavar="COMMAND")
    parser.add_argument("--judge-nodes", type=int, default=300_000)
    parser.add_argument("--scale", type=float, default=300.0)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    fens = positions(args.positions)
    moves = dict(moves_of(player, fens, args.nodes, args.out) for player in args.player)
    scores = judged(moves, args, fens)

    def result(fen, move):
        return 100 / (1 + 10 ** (-scores[f"{fen} {move}"] / args.scale))

    first, *others = moves
    print(f"against {first}, {len(fens)} positions: per cent of a point a move (standard error), other moves")
    for name in others:
        pairs = [(fen, moves[name][fen], moves[first][fen]) for fen in fens]
        gains = [0 if own == base else result(fen, own) - result(fen, base) for fen, own, base in pairs]
        mean = sum(gains) / len(gains)
        error = math.sqrt(sum((gain - mean) ** 2 for gain in gains) / max(1, len(gains) - 1) / len(gains))
        different = sum(own != base for _, own, base in pairs)
        print(f"{name:16} {mean:+.3f} ({error:.3f}), {different}")


if __name__ == "__main__":
    main()
