"""Moves that give a draw away, by Syzygy: traded.py PROGRAM TABLES NODES POSITIONS KRvKR KRvKN ...

Positions are drawn at random, drawn by the tables; one move of NODES nodes each. Counted are moves after which the
tables say lost, and scores of more than ten pawns for either side, which no draw deserves."""

import random
import sys

import chess
import chess.engine
import chess.syzygy

engine = chess.engine.SimpleEngine.popen_uci(sys.argv[1])
engine.configure({"Hash": 16, "Threads": 1})
tables = chess.syzygy.open_tablebase(sys.argv[2])
nodes, positions = map(int, sys.argv[3:5])
for material in sys.argv[5:]:
    white, black = material.split("v")
    letters = white + black.lower()
    dice, lost, great, seen = random.Random(11), 0, 0, 0
    while seen < positions:
        board = chess.Board(None)
        for square, letter in zip(dice.sample(range(64), len(letters)), letters):
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        board.turn = dice.random() < 0.5
        if not board.is_valid() or board.is_game_over() or tables.probe_wdl(board) != 0:
            continue
        seen += 1
        result = engine.play(board, chess.engine.Limit(nodes=nodes), game=seen, info=chess.engine.INFO_SCORE)
        score = result.info["score"].relative.score(mate_score=10000)
        great += abs(score) > 1000
        board.push(result.move)
        lost += tables.probe_wdl(board) > 0
    print(f"{material}: {lost} lost, {great} scores beyond ten pawns, of {positions}, {nodes} nodes", flush=True)
engine.quit()
