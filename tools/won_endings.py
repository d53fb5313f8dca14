#!/usr/bin/env python3
"""Does the engine win what the tablebases call won? Endings drawn at random, won for the side to move by the python
`chess` package's own reading of Syzygy tables, played out against another engine (or itself) at a fixed number of
nodes a move.

    tools/won_endings.py --tables FOLDER [--given FOLDER] [--opponent stockfish] KBNvK:10 KRvKP:10 ...

--tables draws and judges; --given is what Firstborn gets as SyzygyPath (by default the same; - for none). A game is won by
checkmate only; draws are claimed for the opponent alone, as soon as they can be. Positions are the same for the same seed,
whatever is given. Prints a line for each ending and every game not won; exit code 1 if there is one.
"""

import argparse
import random
import sys

import chess
import chess.engine
import chess.syzygy

from firstborn import DEFAULT_ENGINE

TRIES = 100_000  # draws of a position before its material counts as never won
WIN = 2  # Syzygy's count: 1 would be a win that the fifty-move rule forbids


def draw(material, tables, dice):
    """A position of this material, won for the side to move, right after a capture or pawn move."""
    strong, weak = material.split("v")
    for _ in range(TRIES):
        board = chess.Board(None)
        swap = dice.random() < 0.5
        men = [(letter, chess.WHITE ^ swap) for letter in strong] + [(letter, chess.BLACK ^ swap) for letter in weak]
        for square, (letter, color) in zip(dice.sample(range(64), len(men)), men):
            board.set_piece_at(square, chess.Piece(chess.Piece.from_symbol(letter).piece_type, color))
        board.turn = chess.WHITE ^ swap
        if board.is_valid() and not board.is_game_over() and tables.probe_wdl(board) == WIN:
            return board
    sys.exit(f"{material}: no position of {TRIES:,} is won for the first side")


def outcome(board):
    """How the game has ended, None if it goes on: only the side that should not win claims draws."""
    return board.outcome(claim_draw=board.turn != board.first_to_move)


def play(board, players, nodes):
    """Plays to the end; the hits that the first player told, and its moves with any."""
    hits = moves = 0
    while outcome(board) is None:
        player = players[0 if board.turn == board.first_to_move else 1]
        result = player.play(board, chess.engine.Limit(nodes=nodes), info=chess.engine.INFO_ALL)
        if player is players[0]:
            told = result.info.get("tbhits", 0)
            hits += told
            moves += told > 0
        board.push(result.move)
    return hits, moves


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("endings", nargs="+", help="material and number, such as KBNvK:10")
    words.add_argument("--engine", default=DEFAULT_ENGINE)
    words.add_argument("--opponent", default="stockfish", help="a UCI engine; - for Firstborn itself")
    words.add_argument("--tables", required=True)
    words.add_argument("--given")
    words.add_argument("--nodes", type=int, default=5000)
    words.add_argument("--seed", type=int, default=1)
    args = words.parse_args()
    given = args.tables if args.given is None else args.given
    lost = 0
    with (
        chess.syzygy.open_tablebase(args.tables) as tables,
        chess.engine.SimpleEngine.popen_uci(args.engine) as engine,
        chess.engine.SimpleEngine.popen_uci(args.engine if args.opponent == "-" else args.opponent) as opponent,
    ):
        if given != "-":
            engine.configure({"SyzygyPath": given})
        for ending in args.endings:
            material, number = ending.split(":")
            dice = random.Random(f"{args.seed} {material}")
            won = hits = moves = plies = 0
            for _ in range(int(number)):
                board = draw(material, tables, dice)
                start, board.first_to_move = board.fen(), board.turn
                told = play(board, (engine, opponent), args.nodes)
                hits, moves, plies = hits + told[0], moves + told[1], plies + len(board.move_stack)
                end = outcome(board)
                if end.termination == chess.Termination.CHECKMATE and end.winner == board.first_to_move:
                    won += 1
                else:
                    lost += 1
                    print(f"not won: {start}: {end.termination.name} after {len(board.move_stack)} plies")
            print(f"{material}: {won} of {number} won, {plies} plies, {hits} table hits in {moves} moves", flush=True)
    return lost > 0


if __name__ == "__main__":
    sys.exit(main())
