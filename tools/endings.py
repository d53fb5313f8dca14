"""Endings of games of which a journal's result is no chess: what tools that fit ratings or chances leave out.

The words are those of `Ending` in tournament/src/record.rs; python/tests/test_fits.py holds the two together.
"""

FAULTS = frozenset(
    ["illegal-move", "false-claim", "refused-move", "crash", "stall", "disconnect", "start-failure"]
)
"""A program that lost so does not work, which says nothing about how well it plays."""
TIME_FORFEIT = "time-forfeit"
"""To keep to its time is part of a player's strength, and says nothing about the position."""
