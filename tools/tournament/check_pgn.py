#!/usr/bin/env python3
"""Checks a PGN file with python-chess: every game loads without errors, every move is legal, the result agrees with the
board where the game ended there. Usage: check_pgn.py FILE.pgn [EXPECTED_GAMES]"""
import sys

import chess
import chess.pgn

# What the last position must show for an ending that is on the board.
ON_BOARD = {
    "checkmate": lambda board: board.is_checkmate(),
    "stalemate": lambda board: board.is_stalemate(),
    "repetition": lambda board: board.is_repetition(3),
    "fifty-moves": lambda board: board.halfmove_clock >= 100,
    "insufficient-material": lambda board: board.is_insufficient_material(),
}


def problems(game):
    """What is wrong with a game, as texts."""
    yield from (str(error) for error in game.errors)
    board = game.end().board()
    headers = game.headers
    ending, result = headers.get("Ending", "?"), headers["Result"]
    plies = len(list(game.mainline_moves()))
    if str(plies) != headers.get("PlyCount"):
        yield f"{plies} plies read, PlyCount is {headers.get('PlyCount')}"
    if ending in ON_BOARD and not ON_BOARD[ending](board):
        yield f"ended by {ending}, which is not on the board"
    if ending not in ON_BOARD and board.is_game_over():
        yield f"ended by {ending}, but the game was over on the board"
    outcome = board.outcome()
    if outcome is not None and outcome.result() != result:
        yield f"the result is {result}, the board says {outcome.result()}"


def main():
    count = bad = 0
    rounds = set()
    with open(sys.argv[1], encoding="utf-8") as file:
        while (game := chess.pgn.read_game(file)) is not None:
            count += 1
            rounds.add(game.headers["Round"])
            for problem in problems(game):
                bad += 1
                print(f"game {count} ({game.headers['White']} - {game.headers['Black']}): {problem}")
    if len(rounds) != count:
        bad += 1
        print(f"{count} games, but only {len(rounds)} different rounds")
    if len(sys.argv) > 2 and count != int(sys.argv[2]):
        bad += 1
        print(f"{count} games, expected {sys.argv[2]}")
    print(f"{count} games, {bad} problems")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
