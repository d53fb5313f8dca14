import chess, chess.engine, random, sys
eng, nodes, n = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
e = chess.engine.SimpleEngine.popen_uci(eng); e.configure({"Hash": 16, "Threads": 1})
for mat in sys.argv[4:]:
    rnd = random.Random(7); won = 0; plies = []
    for i in range(n):
        while True:
            b = chess.Board(None)
            sq = rnd.sample(range(64), len(mat) + 1)
            for s, l in zip(sq, mat): b.set_piece_at(s, chess.Piece.from_symbol(l))
            b.set_piece_at(sq[-1], chess.Piece.from_symbol('k')); b.turn = True
            if 'BB' in mat and len({(chess.square_file(s)+chess.square_rank(s))%2 for s in b.pieces(3, True)}) < 2: continue
            if b.is_valid() and not b.is_game_over() and not any(b.is_attacked_by(False, s) for s in chess.SquareSet(b.occupied_co[True]) ): break
        while b.outcome(claim_draw=False) is None and not b.is_repetition(3) and b.halfmove_clock < 100:
            b.push(e.play(b, chess.engine.Limit(nodes=nodes), game=i).move)
        won += b.is_checkmate(); plies.append(len(b.move_stack))
    print(eng.split('/')[-1] if 'speed' not in eng else 'new', nodes, mat, won, 'of', n, 'plies', sum(plies)/n, flush=True)
e.quit()
