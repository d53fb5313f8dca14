"""Moves that leave a piece to the bare king: hanging.py PROGRAM NODES POSITIONS CLOCK KRN KRBN KQR ..."""

import random
import sys

import chess
import chess.engine

engine = chess.engine.SimpleEngine.popen_uci(sys.argv[1])
engine.configure({"Hash": 16, "Threads": 1})
nodes, positions, clock = map(int, sys.argv[2:5])
for material in sys.argv[5:]:
    dice, given, seen = random.Random(7), 0, 0
    while seen < positions:
        board = chess.Board(None)
        for square, letter in zip(dice.sample(range(64), len(material) + 1), material + "k"):
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        board.halfmove_clock, board.fullmove_number = clock, 90
        if board.is_valid() and not board.is_game_over() and not any(
            board.is_attacked_by(chess.BLACK, square) for square in chess.SquareSet(board.occupied_co[chess.WHITE])
        ):
            board.push(engine.play(board, chess.engine.Limit(nodes=nodes), game=seen).move)
            given += any(board.is_capture(move) for move in board.legal_moves)
            seen += 1
    print(nodes, clock, material, given, "of", positions, flush=True)
engine.quit()
