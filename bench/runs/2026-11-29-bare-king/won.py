"""Endings against a bare king, both sides played by the same program: won.py PROGRAM NODES GAMES KQ KR KBN ..."""

import random
import sys

import chess
import chess.engine


def drawn(material, dice):
    """White to move, no white piece attacked; two bishops stand on different colours."""
    while True:
        board = chess.Board(None)
        squares = dice.sample(range(64), len(material) + 1)
        for square, letter in zip(squares, material + "k"):
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        colours = {bool(chess.BB_SQUARES[square] & chess.BB_LIGHT_SQUARES) for square in board.pieces(chess.BISHOP, True)}
        attacked = any(board.is_attacked_by(False, square) for square in chess.SquareSet(board.occupied_co[True]))
        if board.is_valid() and not board.is_game_over() and not attacked and ("BB" not in material or len(colours) == 2):
            return board


engine = chess.engine.SimpleEngine.popen_uci(sys.argv[1])
engine.configure({"Hash": 16, "Threads": 1})
nodes, games = int(sys.argv[2]), int(sys.argv[3])
for material in sys.argv[4:]:
    dice, won = random.Random(7), 0
    for game in range(games):
        board = drawn(material, dice)
        while not (board.outcome() or board.is_repetition(3) or board.halfmove_clock >= 100):
            board.push(engine.play(board, chess.engine.Limit(nodes=nodes), game=game).move)
        won += board.is_checkmate()
    print(nodes, material, won, "of", games, flush=True)
engine.quit()
