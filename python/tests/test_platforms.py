"""Plants faults in a stand-in for the program, and holds that tools/platforms/check.py names each of them.

The stand-in answers as an engine should, by a fixed script, but for one fault; tournaments are the real
program's, with the stand-in as an engine.
"""

import importlib.util
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

STAND_IN = '''#!{python}
import os, subprocess, sys

FAULT, REAL = {fault!r}, {real!r}
words = sys.argv[1:]
if words[:1] == ["tournament"]:
    os.execv(REAL, [REAL, *words])
if words[:1] == ["bench"]:
    numbers = {numbers!r}
    number = numbers["--parallel" in words] + (FAULT == "wrong bench")
    print(f"Parallel: {{number}}" if "--parallel" in words else f"{{number}} nodes 1 nps")
    sys.exit()
if FAULT == "child":
    subprocess.Popen(["sleep", "1000"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, start_new_session=True)
move = "e7e8" if FAULT == "illegal move" else "e7e5"
answer = "bestmove "

def say(text):
    print(text, flush=True)

for line in iter(sys.stdin.readline, ""):
    word = (line.split() or [""])[0]
    if word == "uci":
        say("id name Stand-in\\nuciok")
    elif word == "isready":
        say("readyok")
    elif word == "protover":
        say("feature ping=1 setboard=1 usermove=1 done=1")
        answer = "move "
    elif word == "ping":
        say("pong " + line.split()[1])
    elif word == "go":
        if answer == "bestmove ":
            say("info depth 1 score cp 0 pv " + move)
        if "infinite" not in line:
            say(answer + move)
    elif word == "stop" and FAULT != "deaf":
        say("bestmove " + move)
    elif word == "usermove":
        say("3 0 0 10 " + move)
    elif word == "?":
        say("move " + move)
    elif word == "quit":
        if FAULT == "hang":
            continue
        sys.exit(3 if FAULT == "exit code" else 0)
if FAULT == "hang":
    while True:
        __import__("signal").pause()
'''


def pinned(name):
    text = (ROOT / "bench/tests/signature.rs").read_text(encoding="utf-8")
    return int(text.split(f"const {name}: u64 = ")[1].split(";")[0].replace("_", ""))


class Engines(unittest.TestCase):
    """Behind a script, the program gets its own words and the emulator its own."""

    def test_paths_and_words_with_blanks_stay_whole(self):
        spec = importlib.util.spec_from_file_location("check", ROOT / "tools/platforms/check.py")
        tool = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(tool)
        with tempfile.TemporaryDirectory() as folder:
            said = Path(folder, "an emulator")
            said.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n', encoding="utf-8")
            said.chmod(0o755)
            # It is copied, and not run.
            system = tool.System("arm", said, Path(folder, "the wörk's"), [str(said), "-L", "a b"], 1)
            for engine in system.engines:
                found = subprocess.run([engine, "uci", "c d"], cwd=system.folder, capture_output=True, text=True, check=True)
                self.assertEqual(found.stdout.splitlines(), ["-L", "a b", system.path(system.mark), "uci", "c d"])


class PlantedFaults(unittest.TestCase):
    def check(self, fault, name, patience=20):
        """The exit code and the lines of one check."""
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "stand-in"
            numbers = (pinned("SERIAL"), pinned("PARALLEL"))
            real = os.path.abspath(os.environ["FIRSTBORN_BINARY"])
            text = STAND_IN.format(python=sys.executable, fault=fault, real=real, numbers=numbers)
            program.write_text(text, encoding="utf-8")
            program.chmod(0o755)
            command = [sys.executable, ROOT / "tools/platforms/check.py", "--program", program]
            command += ["--folder", Path(folder) / "work", "--patience", str(patience), "--only", name]
            found = subprocess.run(command, capture_output=True, text=True, check=False)
            return found.returncode, found.stdout + found.stderr

    def assert_named(self, fault, name, words, patience=20):
        code, text = self.check(fault, name, patience)
        self.assertEqual(code, 1, text)
        self.assertIn(f"FAULT {name}: ", text)
        self.assertIn(words, text)
        self.assertNotIn("Traceback", text)

    def test_a_stand_in_without_a_fault_passes(self):
        for name in ["signatures", "uci", "xboard"]:
            code, text = self.check("none", name)
            self.assertEqual((code, f"ok    {name}" in text), (0, True), text)

    def test_a_wrong_signature_is_named(self):
        self.assert_named("wrong bench", "signatures", f"{pinned('SERIAL') + 1} nodes")

    def test_an_illegal_move_is_named(self):
        self.assert_named("illegal move", "uci", "illegal move after e2e4: bestmove e7e8")
        self.assert_named("illegal move", "xboard", "illegal move after e2e4: move e7e8")
        self.assert_named("illegal move", "timed-game", "illegal move", patience=60)

    def test_a_process_left_behind_is_named(self):
        self.assert_named("child", "uci", "left behind: ['sleep 1000'", patience=2)

    def test_an_engine_that_does_not_end_is_named(self):
        self.assert_named("hang", "uci", "does not end within 2 s of `quit`", patience=2)
        self.assert_named("hang", "xboard", "does not end within 2 s of `quit`", patience=2)

    def test_an_engine_that_does_not_stop_is_named(self):
        self.assert_named("deaf", "uci", "no `bestmove`", patience=2)

    def test_an_exit_code_is_named(self):
        self.assert_named("exit code", "uci", "exit code 3")


if __name__ == "__main__":
    unittest.main()
