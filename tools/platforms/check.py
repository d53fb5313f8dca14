#!/usr/bin/env python3
"""Checks a Firstborn that was built for another system and runs here through an emulator.

The signatures, perft counts, a dialogue in both protocols with stop and quit in mid-search, a table that does not fit, the
rules of both protocols, a game UCI against xboard on the clock, self-play data in two runs, a tournament that is killed with
a torn journal and goes on, and one that is interrupted by Ctrl-C at a terminal. Engines stand behind a script, as other
people's often do. No process may outlive its check.

    tools/platforms/check.py --system windows --program firstborn.exe --folder WORK -- wine
    tools/platforms/check.py --system arm --program firstborn --folder WORK -- qemu-aarch64-static -L /usr/aarch64-linux-gnu
    tools/platforms/check.py --system here --program target/debug/firstborn --folder WORK

Prints a line a check; exit code 1 if one found a fault. `python/tests/test_platforms.py` plants faults for it to find.
"""

import argparse
import json
import os
import pty
import queue
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
import traceback

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tools"))

from journals import FAULTS, TIME_FORFEIT

ANSWERS = {f"{file}7{file}{rank}" for file in "abcdefgh" for rank in "56"} | {"b8a6", "b8c6", "g8f6", "g8h6"}
"""Black's legal moves after 1. e4."""

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"


class Fault(Exception):
    """What a check found."""


def expect(condition, text):
    if not condition:
        raise Fault(text)


class System:
    """How the program is called, a folder in which it works, and the seconds after which a wait counts as a hang."""

    def __init__(self, name, program, folder, emulator, patience):
        self.name, self.emulator, self.folder = name, emulator, os.path.abspath(folder)
        self.patience = patience
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)
        self.program = os.path.abspath(program)
        # By this name its processes are known again: it is in the environment that they hand on, and the engines' name.
        self.mark = f"engine-{os.getpid()}"
        self.environment = {**os.environ, "FIRSTBORN_CPU_LOCKS": "locks", "FIRSTBORN_CHECK": self.mark}
        if name == "windows":
            shutil.copy(self.program, self.path(f"{self.mark}.exe"))
            self.write(f"{self.mark}.bat", f"@echo off\r\n{self.mark}.exe %*\r\nexit /b 0\r\n")
            # The name lacks its .exe; the other engine is behind cmd.exe.
            self.engines = [f"./{self.mark}", f"./{self.mark}.bat"]
        else:
            shutil.copy(self.program, self.path(self.mark))
            call = shlex.join([*emulator, self.path(self.mark)])
            self.write(f"{self.mark}.sh", f'#!/bin/sh\nexec {call} "$@"\n', 0o755)
            self.write(f"{self.mark}-behind.sh", f'#!/bin/sh\n{call} "$@"\nexit 0\n', 0o755)
            self.engines = [f"./{self.mark}.sh", f"./{self.mark}-behind.sh"]

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text, mode=0o644):
        with open(self.path(name), "w", encoding="utf-8", newline="") as file:
            file.write(text)
        os.chmod(self.path(name), mode)

    def command(self, *words):
        return [*self.emulator, self.program, *words]

    def start(self, *words, **more):
        return subprocess.Popen(self.command(*words), cwd=self.folder, env=self.environment, **more)

    def run(self, *words, code=0):
        """Runs it to its end and returns what it printed."""
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        process = self.start(*words, **pipes)
        try:
            output, errors = process.communicate(timeout=4 * self.patience)
        except subprocess.TimeoutExpired as error:
            process.kill()
            raise Fault(f"{' '.join(words)} does not end") from error
        self.errors = errors.decode(errors="replace")
        expect(process.returncode == code, f"{' '.join(words)}: exit code {process.returncode}: {self.errors}")
        return output.decode()

    def json(self, *words, code=0):
        output = self.run(*words, "--json", code=code)
        try:
            return json.loads(output)
        except ValueError as error:
            raise Fault(f"{' '.join(words)}: {error}: {output[:200]!r}") from error

    def wait_for(self, what, condition):
        """Waits until a condition holds, and returns what it returned."""
        deadline = time.monotonic() + self.patience
        while time.monotonic() < deadline:
            found = condition()
            if found:
                return found
            time.sleep(0.02)
        raise Fault(f"waited {self.patience:.0f} s for {what}")

    def alive(self, but=0):
        """Processes that the checks have started, and those that these have started: number to command line. Wine's own
        server hands on the environment as well and lives longer, so there the command line alone counts.
        """
        found = {}
        for process in map(int, filter(str.isdigit, os.listdir("/proc"))):
            try:
                with open(f"/proc/{process}/cmdline", "rb") as file:
                    words = file.read()
                with open(f"/proc/{process}/environ", "rb") as file:
                    environment = file.read()
            except OSError:
                continue
            handed_on = self.name != "windows" and f"FIRSTBORN_CHECK={self.mark}".encode() in environment.split(b"\0")
            if (self.mark.encode() in words or handed_on) and process not in (os.getpid(), but):
                found[process] = words.replace(b"\0", b" ").decode(errors="replace").strip()
        return found

    def end_all(self):
        """Ends what is alive, and returns it."""
        left = self.alive()
        for process in left:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        return left

    def expect_none_left(self):
        """What a check started has ended with it, or does at once."""
        try:
            self.wait_for("the end of all processes", lambda: not self.alive())
        except Fault as fault:
            raise Fault(f"{fault}; left behind: {list(self.end_all().values())}") from None

    def tournament(self, *options):
        """Words of a tournament, UCI against xboard."""
        sides = zip("AB", self.engines, ("uci", "xboard"))
        lines = [["--engine", f"name={name}", f"cmd={command}", f"arg={proto}", f"proto={proto}"] for name, command, proto in sides]
        return ["tournament", *sum(lines, []), *options]

    def journal(self, name):
        """The games of a journal, whole lines only; the last one may be torn."""
        try:
            with open(self.path(name), "rb") as file:
                lines = file.read().split(b"\n")[:-1]
        except FileNotFoundError:
            return []
        return [game for game in map(json.loads, lines[1:]) if "id" in game]


FORFEITS = FAULTS | {TIME_FORFEIT}
"""Endings of games that a fault of a program has lost."""


def played(games):
    """The endings of games, none of which is a fault."""
    endings = [game["ending"] for game in games]
    bad = [game["reason"] for game in games if game["ending"] in FORFEITS]
    expect(not bad, f"games lost by a fault: {bad}")
    return endings


def played_out(system, words, journal):
    """Plays a tournament and returns its result. A fault of a program is named before the exit code that it leads to."""
    try:
        return system.json(*words)
    except Fault:
        played(system.journal(journal))
        raise


class Dialogue:
    """A running engine. Lines are read as they come."""

    def __init__(self, system, *words):
        self.patience = system.patience
        self.process = system.start(*words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        self.lines = queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            self.lines.put(line.decode().rstrip("\r\n"))
        self.lines.put(None)

    def send(self, *lines):
        self.process.stdin.write("".join(f"{line}\n" for line in lines).encode())

    def until(self, start):
        """Lines up to one that begins so, that one included."""
        seen = []
        deadline = time.monotonic() + self.patience
        while not seen or not seen[-1].startswith(start):
            try:
                line = self.lines.get(timeout=max(0.001, deadline - time.monotonic()))
            except queue.Empty:
                self.process.kill()
                raise Fault(f"no `{start}`; last lines: {seen[-3:]}") from None
            expect(line is not None, f"the engine ended before `{start}`; last lines: {seen[-3:]}")
            seen.append(line)
        return seen

    def end(self):
        """Waits for its end, which is to be an orderly one."""
        try:
            code = self.process.wait(self.patience)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise Fault(f"it does not end within {self.patience:.0f} s of `quit` or the end of its input") from None
        expect(code == 0, f"exit code {code}")


def pinned(name):
    """A signature of bench/tests/signature.rs."""
    with open(os.path.join(ROOT, "bench/tests/signature.rs"), encoding="utf-8") as file:
        return int(re.search(rf"const {name}: u64 = ([0-9_]+);", file.read())[1].replace("_", ""))


def signatures(system):
    last = system.run("bench").strip().rpartition("\n")[2]
    expect(last.split(" ")[0] == str(pinned("SERIAL")), f"bench ends with `{last}`, not {pinned('SERIAL')}")
    parallel = system.run("bench", "--parallel").strip().rpartition("\n")[2]
    expect(parallel == f"Parallel: {pinned('PARALLEL')}", f"{parallel}, not {pinned('PARALLEL')}")
    return f"{last.split()[0]} and {parallel}"


def machine(system):
    found = system.json("topology")
    cpus = os.cpu_count()
    expect(found["threads"] >= 1 and found["online"], found)
    return f"{found['machine']}; CPUs {found['allowed']} of the {cpus} here, {found['threads']} threads by default"


def perft(system):
    # Published by the Chess Programming Wiki, "Perft Results".
    for arguments, nodes in [(["5"], 4_865_609), (["4", "--fen", KIWIPETE], 4_085_603)]:
        found = system.json("perft", *arguments)["nodes"]
        expect(found == nodes, f"{arguments}: {found}, not {nodes}")
    return "start position to depth 5, Kiwipete to depth 4"


def uci(system):
    engine = Dialogue(system)
    engine.send("uci")
    engine.until("uciok")
    moves = []
    for scheme in ["serial", "lazy", "ybw", "abdada", "hybrid"]:
        engine.send("setoption name Threads value 2", f"setoption name Scheme value {scheme}", "isready")
        engine.until("readyok")
        engine.send("position startpos moves e2e4", "go infinite")
        engine.until("info depth")
        engine.send("stop")
        answer = engine.until("bestmove")[-1]
        moves.append(answer.split(" ")[1])
        expect(moves[-1] in ANSWERS, f"an illegal move after e2e4: {answer}")
    # Carriage returns, as programs of Windows send them.
    engine.send("isready\r", "go depth 3\r")
    engine.until("readyok")
    engine.until("bestmove")
    engine.send("go infinite")
    engine.until("info depth")
    engine.send("quit")
    engine.end()
    closed = Dialogue(system, "uci")
    closed.send("go infinite")
    closed.until("info depth")
    closed.process.stdin.close()
    closed.end()
    return f"stop in five schemes ({' '.join(moves)}), CR LF, quit and a closed input in mid-search"


def xboard(system):
    engine = Dialogue(system)
    engine.send("xboard", "protover 2")
    wait = engine.until("feature")
    while "done=1" not in wait[-1]:
        wait = engine.until("feature")
    engine.send("new", "easy", "level 0 60 0", "post", "usermove e2e4")
    engine.until("3 ")
    engine.send("?")
    move = engine.until("move ")[-1]
    expect(move.removeprefix("move ") in ANSWERS, f"an illegal move after e2e4: {move}")
    engine.send("ping 7")
    engine.until("pong 7")
    engine.send("usermove g1f3" if move != "move d7d5" else "usermove e4d5")
    engine.until("3 ")
    engine.send("quit")
    engine.end()
    return f"? in mid-search ({move}), quit in mid-search"


def large_table(system):
    engine = Dialogue(system, "uci")
    engine.send("uci")
    greeting = engine.until("uciok")
    most = max(int(line.split(" max ")[1]) for line in greeting if line.startswith("option name Hash type spin"))
    engine.send(f"setoption name Hash value {most}", "isready")
    seen = engine.until("readyok")
    refusal = [line for line in seen if "memory" in line]
    expect(refusal, f"{most} MiB are not refused: {seen}")
    engine.send("go depth 4")
    engine.until("bestmove")
    engine.send("quit")
    engine.end()
    return refusal[0].removeprefix("info string ")


def conformance(system):
    found = system_rules(system)
    broken = [f"{rule['proto']}: {rule['rule']}: {rule['seen']}" for rule in found if rule["passed"] is False]
    expect(not broken, f"{len(broken)} of {len(found)} rules broken: " + "; ".join(broken))
    return f"{sum(rule['passed'] is True for rule in found)} of {len(found)} rules kept, the others not offered"


def system_rules(system):
    """Of both protocols. Broken rules are exit code 1."""
    process = system.start("conformance", "--json", "--patience", "60", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    try:
        return json.loads(process.communicate(timeout=8 * system.patience)[0])["rules"]
    except subprocess.TimeoutExpired as error:
        process.kill()
        raise Fault("conformance does not end") from error


def timed_game(system):
    words = ["--each", "tc=30+0.2", "timemargin=2000", "--rounds", "1", "--maxmoves", "60"]
    words = system.tournament(*words, "--budget", "1", "--pgn", "timed.pgn", "--journal", "timed")
    found = played_out(system, words, "timed")
    games = system.journal("timed")
    endings = played(games)
    expect(found["games"] == 2, f"{endings}: {found}")
    legal = "not replayed: there is no python package `chess`"
    try:
        import chess.pgn  # pylint: disable=import-outside-toplevel,unused-import

        checker = os.path.join(ROOT, "tools/tournament/check_pgn.py")
        check = subprocess.run([sys.executable, checker, system.path("timed.pgn"), "2"], capture_output=True, text=True, check=False)
        expect(check.returncode == 0, check.stdout + check.stderr)
        legal = "legal by python's chess"
    except ImportError:
        pass
    return f"2 games UCI against xboard: {', '.join(endings)}, {sum(len(game['moves']) for game in games)} plies; {legal}"


def self_play_data(system):
    for games in ["20", "40"]:
        system.run("datagen", "--games", games, "--nodes", "100", "--threads", "2", "--seed", "5", "--out", "games.fbg")
    found = system.json("data", "games.fbg")
    expect(found["games"] == 40 and not found["files"][0]["damage"], found)
    return "20 games, then 40 in the same file"


def short(system):
    """A tournament of twelve games of some seconds."""
    nodes = 2000 if system.name == "arm" else 20000
    return ["--each", f"nodes={nodes}", "--rounds", "6", "--maxmoves", "30"]


def killed(system):
    words = system.tournament(*short(system), "--journal", "killed", "--pgn", "killed.pgn")
    runner = system.start(*words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    system.wait_for("the first games", lambda: len(system.journal("killed")) >= 2 or runner.poll() is not None)
    expect(runner.poll() is None, f"the tournament ended by itself: {runner.returncode}")
    # Others look into the journal while it is written.
    seen = system.json("report", "killed")["games"]
    expect(seen >= 2, f"a report sees {seen} games")
    expect(system.alive(but=runner.pid), "no engine is seen: the search for those left behind would find none")
    runner.send_signal(signal.SIGKILL)
    runner.wait()
    system.expect_none_left()
    before = len(system.journal("killed"))
    expect(before < 12, "all games were played before the kill")
    with open(system.path("killed"), "r+b") as file:
        file.seek(0, os.SEEK_END)
        file.write(b'{"id":99,"round":1,"torn')
    found = played_out(system, words, "killed")
    games = system.journal("killed")
    numbers = sorted(game["id"] for game in games)
    expect(found["games"] == 12 and numbers == list(range(12)), f"{found['games']} games: {numbers}")
    played(games)
    times = [(game["started_ms"], game["started_ms"] + game["wall_ms"]) for game in games]
    together = max(sum(begun <= at < ended for begun, ended in times) for at, _ in times)
    expect(together > 1 or os.cpu_count() == 1, "only one game at a time, on more than one CPU")
    return f"killed after {before} games with {seen} seen by a report, no engine left, torn line cut off, 12 games in the end, {together} at once"


def interrupted(system):
    words = system.tournament(*short(system), "--journal", "stopped", "--forfeits", "count")
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(system.folder)
        os.execvpe(system.command(*words)[0], system.command(*words), system.environment)
    text = []
    reader = threading.Thread(target=read_all, args=(terminal, text), daemon=True)
    reader.start()
    try:
        system.wait_for("the first game", lambda: system.journal("stopped") or not reader.is_alive())
        expect(reader.is_alive(), f"it ended by itself: {b''.join(text)[-300:]}")
        os.write(terminal, b"\x03")
        system.wait_for("its end", lambda: not reader.is_alive())
    finally:
        if reader.is_alive():
            os.kill(child, signal.SIGKILL)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    games = system.journal("stopped")
    played(games)
    expect(code == 130 and len(games) < 12, f"exit code {code}, {len(games)} games: {b''.join(text)[-300:]}")
    return f"Ctrl-C: the running games were played to their end ({len(games)} of 12), exit code {code}, no engine left"


def read_all(terminal, text):
    """What a terminal shows, until its last user has gone."""
    while True:
        try:
            piece = os.read(terminal, 4096)
        except OSError:
            return
        if not piece:
            return
        text.append(piece)


CHECKS = {
    check.__name__.replace("_", "-"): check
    for check in [signatures, machine, perft, uci, xboard, large_table, self_play_data, timed_game, killed, interrupted, conformance]
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--system", choices=["windows", "arm", "here"], default="here")
    parser.add_argument("--program", required=True)
    parser.add_argument("--folder", required=True, help="is emptied first")
    parser.add_argument("--only", choices=CHECKS, action="append", help="this check; may be given again")
    parser.add_argument("--patience", type=float, default=300, help="seconds; an emulator is slow (%(default)s)")
    parser.add_argument("emulator", nargs="*", help="after --: the command that runs a program of that system")
    arguments = parser.parse_args()
    system = System(arguments.system, arguments.program, arguments.folder, arguments.emulator, arguments.patience)
    faults = 0
    for name in arguments.only or CHECKS:
        try:
            begun = time.monotonic()
            text = CHECKS[name](system)
            system.expect_none_left()
            print(f"{system.name}: ok    {name}: {text} ({time.monotonic() - begun:.0f} s)", flush=True)
        except Fault as fault:
            faults += 1
            print(f"{system.name}: FAULT {name}: {fault}", flush=True)
        except Exception:  # pylint: disable=broad-exception-caught
            faults += 1
            print(f"{system.name}: FAULT {name}: {traceback.format_exc()}", flush=True)
        finally:
            # So that the next check does not find what this one has left.
            system.end_all()
    sys.exit(faults > 0)


if __name__ == "__main__":
    main()
