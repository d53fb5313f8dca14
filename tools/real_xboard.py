#!/usr/bin/env python3
"""Firstborn in the real xboard, on a virtual screen.

Two runs under Xvfb, each with xboard's debug log searched for complaints and screenshots in --out:

* a whole game against fairymax, pondering, with -smpCores 2: it must end with a result, every line of the log between
  engine and xboard must be fit, and the engine must have been told `cores 2` and have pondered;
* an analysis with MultiPV 3 in which moves are excluded with the mouse (needs xdotool; that part is skipped without).

Prints one JSON document; exit code 1 on any complaint, 77 if xboard, Xvfb or fairymax is not there.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

NEEDED = ["xboard", "Xvfb", "fairymax"]
COMPLAINTS = [
    r"Illegal move",
    r"Error",
    r"false .*claim",
    r"[Uu]nrecognized",
    r"unknown",
    r"telluser",
    r"exited unexpectedly",
    r"not found|No such file|Permission denied",
    r"disconnected|hung",
    r"internal error",
]
"""What must not stand in a line from Firstborn, or in xboard's own words about it."""


def program(name):
    """A program that may live in /usr/games, which is not in everybody's PATH."""
    return shutil.which(name) or shutil.which(name, path="/usr/games:/usr/local/games")


HEADER = 88
"""Pixels above xboard's board: menu, clocks, message line."""


class Screen:
    """An Xvfb of our own."""

    def __init__(self):
        read, write = os.pipe()
        self.process = subprocess.Popen(
            [program("Xvfb"), "-displayfd", str(write), "-screen", "0", "1280x960x24"],
            pass_fds=[write], stderr=subprocess.DEVNULL,
        )
        os.close(write)
        self.display = ":" + os.fdopen(read).readline().strip()
        self.environment = {**os.environ, "DISPLAY": self.display}

    def shot(self, path):
        """A picture of the whole screen, where ImageMagick is there to make one."""
        if program("import"):
            subprocess.run(["import", "-window", "root", str(path)], env=self.environment, check=False)

    def xdotool(self, *arguments):
        return subprocess.run(
            ["xdotool", *map(str, arguments)], env=self.environment, check=False, capture_output=True, text=True
        ).stdout

    def close(self):
        self.process.terminate()
        self.process.wait()


def xboard(screen, folder, engine, *arguments):
    """Starts xboard with a home of its own, so that no user's settings matter."""
    debug = folder / "xboard.debug"
    command = [
        program("xboard"), "-fcp", f"{engine} xboard", "-fd", str(folder), "-debug", "-nameOfDebugFile", str(debug),
        "-smpCores", "2", "-defaultHashSize", "32", "-ponderNextMove", "true", "-showThinking", "true",
        "-autoSaveGames", "false", "-popupExitMessage", "false", "-popupMoveErrors", "false", *arguments,
    ]
    environment = {**screen.environment, "HOME": str(folder), "PATH": os.environ["PATH"] + ":/usr/games"}
    return subprocess.Popen(
        command, env=environment, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ), debug


def complaints(log):
    """Lines of the debug log that no good engine causes. Lines of the opponent do not count."""
    found = []
    for line in log.splitlines():
        words = re.sub(r"^\d+ ", "", line)
        ours = words.startswith("<first") or not words.startswith((">", "<"))
        if words.startswith("<first : #") or words.startswith("<first : feature"):
            continue
        if ours and any(re.search(pattern, words) for pattern in COMPLAINTS):
            found.append(line[:200])
    return found


def wait_until(condition, limit):
    deadline = time.monotonic() + limit
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.2)
    return False


def end(process):
    """Asks xboard to leave. Now and then it hangs in its handler of the signal, after its engines have left."""
    process.terminate()
    try:
        process.wait(timeout=20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def text(path):
    return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""


def opponent():
    """Debian's Fairy-Max 5.0b, which crashes at its first move in about every other run, by where the system happens to
    load it: if the system lets us, always at the same place. Some containers do not."""
    fixed = program("setarch") and subprocess.run(["setarch", "-R", "true"], capture_output=True).returncode == 0
    return f"setarch -R {program('fairymax')}" if fixed else program("fairymax")


def game(screen, out, engine, seconds):
    folder = out / "game"
    folder.mkdir(parents=True, exist_ok=True)
    pgn = folder / "game.pgn"
    for old in folder.iterdir():
        old.unlink()
    process, debug = xboard(
        screen, folder, engine, "-scp", opponent(), "-matchGames", "1", "-timeControl", f"0:{seconds:02}",
        "-timeIncrement", "0.2", "-saveGameFile", str(pgn), "-testClaims", "true",
    )
    try:
        # xboard leaves when the match is over, so pictures are taken on the way.
        for moves, name in [(8, "game-opening.png"), (16, "game-middle.png")]:
            wait_until(lambda: text(debug).count("<first : move") >= moves, 4 * seconds)
            screen.shot(out / name)
        # Without an end the clocks run out.
        over = wait_until(lambda: re.search(r'\[Result "(1-0|0-1|1/2-1/2)"\]', text(pgn)), 4 * seconds + 240)
    finally:
        end(process)
    log, played = text(debug), text(pgn)
    result = re.search(r'\[Result "([^"]*)"\]', played)
    reason = re.findall(r"\{([^}]*)\}\s+(?:1-0|0-1|1/2-1/2)", played)
    found = complaints(log)
    for wanted, what in [
        (">first : cores 2", "it was not told cores 2"),
        ("<first : Hint:", "it never pondered"),
        ("<first : move", "it never moved"),
    ]:
        if wanted not in log:
            found.append(what)
    if not over:
        found.append("the game did not end")
    if "forfeit" in played:
        found.append(f"a forfeit: {reason}")
    return {
        "result": result and result.group(1),
        "reason": reason[-1] if reason else None,
        "plies": len(re.findall(r"<(?:first|second)\s*: move ", log)),
        "ponder_searches": log.count("<first : Hint:"),
        "complaints": found,
    }


def analysis(screen, out, engine):
    folder = out / "analysis"
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    process, debug = xboard(
        screen, folder, engine, "-initialMode", "analysis", "-firstOptions", "MultiPV=3", "-boardSize", "middling",
    )
    found, excluded = [], None
    try:
        thinking = lambda: len(re.findall(r"<first : \d+ ", text(debug)))
        if not wait_until(lambda: thinking() > 30, 60):
            found.append("no analysis is shown")
        if program("xdotool"):
            # Side by side, so that both are seen and the board can be clicked at.
            for window in screen.xdotool("search", "--name", "Engine output").split():
                screen.xdotool("windowmove", window, 460, 0)
            time.sleep(1)
        screen.shot(out / "analysis.png")
        if program("xdotool"):
            excluded = exclude(screen, debug)
            found += [] if excluded else ["no move was excluded"]
            before = thinking()
            if not wait_until(lambda: thinking() > before + 3, 90):
                found.append("the analysis does not go on after exclude")
            screen.shot(out / "analysis-excluded.png")
    finally:
        end(process)
    log = text(debug)
    if ">first : option MultiPV=3" not in log:
        found.append("it was not told MultiPV=3")
    found += complaints(log)
    if excluded:
        # After the answer to the first exclude no line may begin with the excluded move.
        move = excluded[0]
        after = log.rsplit(f">first : exclude {move}", 1)[1]
        late = re.findall(r"<first : \d+ [^\t\n]*\t(\S+)", after)[12:]
        if move in late:
            found.append(f"lines begin with {move} after it was excluded")
    return {"lines": len(re.findall(r"<first : \d+ ", log)), "excluded": excluded, "complaints": found}


def exclude(screen, debug):
    """Excludes moves from the board: a move that begins with a double click is forbidden instead of played."""
    board = screen.xdotool("search", "--name", "^xboard: ").split()
    if not board:
        return []
    geometry = screen.xdotool("getwindowgeometry", "--shell", board[0])
    shape = dict(line.split("=") for line in geometry.splitlines() if "=" in line)
    square = (int(shape["HEIGHT"]) - HEADER) / 8
    spot = lambda name: (
        int(2 + (ord(name[0]) - ord("a") + 0.5) * square),
        int(HEADER + (8 - int(name[1]) + 0.5) * square),
    )
    for start, end in [("g1", "f3"), ("b1", "c3"), ("d2", "d4")]:
        screen.xdotool("mousemove", "--window", board[0], *spot(start), "click", "--repeat", 2, "--delay", 60, 1)
        time.sleep(0.4)
        screen.xdotool("mousemove", "--window", board[0], *spot(end), "click", 1)
        time.sleep(0.6)
    return re.findall(r">first : exclude (\S+)", text(debug))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--engine", default="target/release/firstborn")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="folder for logs, the game and screenshots")
    parser.add_argument("--only", choices=["game", "analysis"], help="one of the two runs")
    parser.add_argument("--seconds", type=int, default=10, help="clock of each side, with 0.2 s a move")
    arguments = parser.parse_args()
    missing = [name for name in NEEDED if not program(name)]
    if missing:
        print(f"SKIPPED: {', '.join(missing)} not installed")
        sys.exit(77)
    engine = str(pathlib.Path(arguments.engine).resolve())
    out = arguments.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    screen = Screen()
    try:
        document = {"schema": 1}
        if arguments.only != "analysis":
            document["game"] = game(screen, out, engine, arguments.seconds)
        if arguments.only != "game":
            document["analysis"] = analysis(screen, out, engine)
    finally:
        screen.close()
    print(json.dumps(document))
    sys.exit(any(run["complaints"] for run in document.values() if isinstance(run, dict)))


if __name__ == "__main__":
    main()
