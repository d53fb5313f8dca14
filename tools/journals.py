"""Journals of `firstborn tournament`, as tools read them that fit ratings or chances; and the endings of games of which a
journal's result is no chess, which they leave out.

The words are those of `Ending` in tournament/src/record.rs; python/tests/test_fits.py holds the two together.
"""

import json

FAULTS = frozenset(
    ["illegal-move", "false-claim", "refused-move", "crash", "stall", "disconnect", "start-failure"]
)
"""A program that lost so does not work, which says nothing about how well it plays."""
TIME_FORFEIT = "time-forfeit"
"""To keep to its time is part of a player's strength, and says nothing about the position."""


def entries(path):
    """The lines of a journal: what describes the tournament, games, and who played them when. A last line without its end is
    being written, or was torn by a kill; a game counts where it is first, as for the runner (tournament/src/journal.rs)."""
    seen = set()
    with open(path, "rb") as journal:
        for line in journal:
            if not line.endswith(b"\n"):
                return
            entry = json.loads(line) if line.strip() else {}
            number = entry.get("id")
            if number is None or number not in seen:
                seen.add(number)
                yield entry
