"""What the measuring scripts share: the binary, and a dialogue with it over pipes."""

import queue
import subprocess
import threading
import time

POSITIONS = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
]
"""Positions that no search exhausts: start, middle game, end game, closed middle game."""

DEFAULT_ENGINE = "target/release/firstborn"


class Dialogue:
    """A running engine; lines are read as they come, each with the moment of its arrival."""

    def __init__(self, command):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, stderr=subprocess.DEVNULL
        )
        self.lines = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.put((time.perf_counter(), line.decode().strip()))
        self.lines.put((time.perf_counter(), None))

    def send(self, *lines):
        self.process.stdin.write("".join(f"{line}\n" for line in lines).encode())

    def until(self, start, patience=60.0):
        """The moment at which a line beginning with `start` arrives, and the line."""
        deadline = time.monotonic() + patience
        while True:
            moment, line = self.lines.get(timeout=max(0.001, deadline - time.monotonic()))
            if line is None:
                raise EOFError(f"the engine ended while '{start}' was awaited")
            if line.startswith(start):
                return moment, line

    def kill(self):
        self.process.kill()
        self.process.wait()


def uci(engine, *setup):
    """A UCI dialogue past its greeting."""
    dialogue = Dialogue([engine, "uci"])
    dialogue.send("uci")
    dialogue.until("uciok")
    dialogue.send(*setup, "isready")
    dialogue.until("readyok")
    return dialogue
