#!/usr/bin/env python3
"""Checks that a round robin's journal holds every game of its schedule exactly once.
Usage: check_journal.py JOURNAL PLAYERS ROUNDS"""
import collections
import json
import sys

journal, players, rounds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
with open(journal, encoding="utf-8") as file:
    lines = [json.loads(line) for line in file]
# Lines without an id name the programs that play from there on.
games = [line for line in lines[1:] if "id" in line]
ids = collections.Counter(game["id"] for game in games)
total = players * (players - 1) * rounds
missing = [n for n in range(total) if ids[n] != 1]
meetings = collections.Counter((game["white"], game["black"]) for game in games)
uneven = [pair for pair in ((a, b) for a in range(players) for b in range(players) if a != b) if meetings[pair] != rounds]
openings = {game["encounter"]: set() for game in games}
for game in games:
    openings[game["encounter"]].add(game["opening"])
mixed = [number for number, used in openings.items() if len(used) != 1]
if missing or uneven or mixed or len(games) != total:
    print(f"{len(games)} of {total} games; not once: {missing}; meetings: {uneven}; mixed openings: {mixed}")
    sys.exit(1)
