"""Tools that make or compare something do not lose what was there, and take no old answer for a new question."""

import importlib.util
import json
import os
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib
from pathlib import Path
from unittest import mock

TOOLS = Path(__file__).resolve().parents[2] / "tools"


def run(*words, code=0):
    """What a tool says on both outputs, in this order; it must end so."""
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=120, check=False)
    if done.returncode != code:
        raise AssertionError(f"exit status {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def program(path, text):
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)
    return path


class InAFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)


class Widened(InAFolder):
    def network(self, hidden, buckets=2):
        """One of numbers that are all different, with a few bytes for its biases."""
        words = b"a test"
        body = struct.pack("<8s5I", b"FIRSTNET", 1, hidden, buckets, 7, len(words)) + words
        count = hidden * (769 + 2 * buckets)
        body += struct.pack(f"<{count}h", *(number - 15_000 for number in range(count))) + bytes(4 * buckets)
        return body + struct.pack("<I", zlib.crc32(body))

    def test_a_width_that_is_refused_leaves_the_network_that_was_there(self):
        own, other = self.folder / "own.net", self.folder / "other.net"
        own.write_bytes(self.network(32))
        other.write_bytes(b"another network")
        for width, into in ((33, other), (0, other), (2048, own)):
            self.assertIn("multiple of 32", run(sys.executable, TOOLS / "widen_network.py", own, width, into, code=1))
        self.assertEqual((own.read_bytes(), other.read_bytes()), (self.network(32), b"another network"))
        self.assertEqual(sorted(os.listdir(self.folder)), ["other.net", "own.net"])

    def test_a_damaged_network_is_refused(self):
        own, other = self.folder / "own.net", self.folder / "other.net"
        whole = self.network(32)
        turned = bytearray(whole)
        turned[1000] ^= 1
        # The right checksum behind a weight too few.
        short = whole[:-6] + struct.pack("<I", zlib.crc32(whole[:-6]))
        for damaged, said in (
            (bytes(turned), "damaged"),
            (short, "damaged"),
            (whole[:-1], "damaged"),
            (whole + b"more", "damaged"),
            (whole[:20], "not a network"),
            (b"", "not a network"),
        ):
            own.write_bytes(damaged)
            self.assertIn(said, run(sys.executable, TOOLS / "widen_network.py", own, 64, other, code=1))
        self.assertEqual(os.listdir(self.folder), ["own.net"])

    def test_a_file_beside_the_new_network_is_left_alone(self):
        own, beside = self.folder / "own.net", self.folder / "own.net.new"
        own.write_bytes(self.network(32))
        beside.write_bytes(b"another's")
        run(sys.executable, TOOLS / "widen_network.py", own, 64, own)
        self.assertEqual(beside.read_bytes(), b"another's")
        self.assertEqual(sorted(os.listdir(self.folder)), ["own.net", "own.net.new"])

    def test_a_wider_network_may_take_the_place_of_its_own(self):
        own = self.folder / "own.net"
        own.write_bytes(self.network(32))
        run(sys.executable, TOOLS / "widen_network.py", own, 64, own)
        wide = own.read_bytes()
        self.assertEqual(struct.unpack_from("<8s2I", wide), (b"FIRSTNET", 1, 64))
        self.assertEqual(struct.unpack("<I", wide[-4:])[0], zlib.crc32(wide[:-4]))
        [length] = struct.unpack_from("<I", wide, 24)
        # The first row: the old weights, then new ones that are drawn from them.
        row = struct.unpack_from("<64h", wide, 28 + length)
        self.assertEqual(row[:32], tuple(range(-15_000, -14_968)))
        self.assertLessEqual(set(row[32:]), set(row[:32]))
        self.assertEqual(os.listdir(self.folder), ["own.net"])


ENGINE = """#!{python}
import sys

for line in iter(sys.stdin.readline, ""):
    words = line.split()
    if words[0] == "uci":
        print("uciok", flush=True)
    elif words[0] == "isready":
        print("readyok", flush=True)
    elif words[0] == "go":
        with open({asked!r}, "a") as file:
            print(*sys.argv[1:], line, file=file, end="")
        print("info depth 1 score cp", 20 if words[-1] == "e2e4" else 10)
        print("bestmove", sys.argv[1], flush=True)
    elif words[0] == "quit":
        break
"""


class MoveQuality(InAFolder):
    def setUp(self):
        super().setUp()
        self.asked = self.folder / "asked"
        self.engine = program(self.folder / "engine", ENGINE.format(python=sys.executable, asked=str(self.asked)))
        self.out = self.folder / "out"
        positions = self.folder / "positions.epd"
        positions.write_text("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\n")
        self.words = [sys.executable, TOOLS / "move_quality.py", "--positions", positions, "--out", self.out]

    def compare(self, *, nodes=100, judge="a1a1", judge_nodes=900, options="", code=0):
        """What it says of two players, and what engines were asked meanwhile."""
        self.asked.write_text("")
        words = ["--nodes", nodes, "--judge", f"{self.engine} {judge}", "--judge-nodes", judge_nodes]
        words += ["--player", f"one={self.engine} e2e4{options}", "--player", f"two={self.engine} d2d4"]
        return run(*self.words, *words, code=code), self.asked.read_text().splitlines()

    def kept(self):
        return {path.name: path.read_bytes() for path in self.out.iterdir()}

    def test_the_same_question_is_asked_once(self):
        said, asked = self.compare()
        moves = [f"a1a1 go nodes 900 searchmoves {move}" for move in ("d2d4", "e2e4")]
        self.assertEqual(asked, ["e2e4 go nodes 100", "d2d4 go nodes 100", *moves])
        self.assertEqual(sorted(self.kept()), ["judged.json", "moves-one.json", "moves-two.json"])
        again, asked = self.compare()
        self.assertEqual(asked, [])
        self.assertEqual(again.splitlines()[-1], said.splitlines()[-1])
        # By the curve: 100 / (1 + 10^(-10/300)) - 100 / (1 + 10^(-20/300)) = -1.912.
        self.assertRegex(again, r"\ntwo +-1\.912 \(0\.000\), 1\n$")

    def test_answers_to_another_question_are_refused(self):
        self.compare()
        before = self.kept()
        for change, name, told in (
            ({"nodes": 200}, "moves-one.json", '"nodes": 100'),
            ({"options": ";Hash=1"}, "moves-one.json", "Hash=1"),
            ({"judge": "b1b1"}, "judged.json", "b1b1"),
            ({"judge_nodes": 901}, "judged.json", '"nodes": 900'),
        ):
            said, asked = self.compare(code=1, **change)
            self.assertEqual(asked, [], change)
            self.assertIn(f"{name} has answers to another question", said)
            self.assertIn(told, said)
            self.assertNotIn("Traceback", said)
        self.assertEqual(self.kept(), before)

    def test_answers_to_a_question_that_is_not_known_are_refused(self):
        self.out.mkdir()
        fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
        (self.out / "moves-one.json").write_text(json.dumps({fen: "e2e4"}))
        said, asked = self.compare(code=1)
        self.assertIn("moves-one.json has answers to another question: null", said)
        self.assertEqual(asked, [])


class CpuPerMove(unittest.TestCase):
    def load(self):
        spec = importlib.util.spec_from_file_location("cpu_per_move", TOOLS / "tournament/cpu_per_move.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    def calls(self, *words):
        tool = self.load()
        with mock.patch.object(tool, "measure", return_value=(1.0, 10)) as measure, mock.patch("builtins.print"):
            with mock.patch.object(sys, "argv", ["cpu_per_move.py", "--repeats", "1", *words]):
                tool.main()
        return [call.args[:-1] for call in measure.call_args_list]

    def test_words_with_blanks_stay_whole(self):
        found = self.calls("--engine", "/an engine", "/the old", "/new", "--", "--pgn", "all games.pgn", "--", "x")
        options = ["--pgn", "all games.pgn", "--", "x"]
        self.assertEqual(found, [(version, "/an engine", 150, options) for version in ("/the old", "/new")])

    def test_there_may_be_no_options(self):
        for words in ([], ["--"]):
            self.assertEqual(self.calls("--engine", "/e", "/old", *words), [("/old", "/e", 150, [])])


CONFORMANCE = """#!/bin/sh
case "$*" in
*xboard*) echo "$0 cannot" >&2; exit 2 ;;
*) echo '{"rules": [{"passed": true}, {"passed": false}, {"passed": null}]}'; exit 1 ;;
esac
"""
"""Keeps one rule of UCI and breaks one; over xboard it has no document."""


class Conformance(InAFolder):
    def test_an_engine_without_a_result_spoils_no_table(self):
        own = program(self.folder / "a program", CONFORMANCE)
        out = self.folder / "the results"
        out.mkdir()
        (out / "firstborn-xboard.json").write_text("")
        said = run("bash", TOOLS / "conformance_all.sh", own, out)
        self.assertIn("| firstborn | uci | 1 | 1 | 1 |", said)
        self.assertIn("firstborn: FAULT, there is no result for xboard", said)
        self.assertNotIn("firstborn: SKIPPED", said)
        self.assertNotIn("| xboard |", said)
        names = os.listdir(out)
        self.assertIn("firstborn-uci.json", names)
        self.assertEqual([name for name in names if "xboard" in name or name.endswith(".new")], [])


if __name__ == "__main__":
    unittest.main()
