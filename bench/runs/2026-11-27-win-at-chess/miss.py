import chess, chess.engine
from concurrent.futures import ThreadPoolExecutor
miss={l.split()[1]:l.split()[2] for l in open('wac3.txt') if l.startswith('--')}
sf=chess.engine.SimpleEngine.popen_uci('/usr/games/stockfish')
for l in open('/work/shared/data/epd/wac.epd'):
    if not l.strip(): continue
    b,ops=chess.Board.from_epd(l)
    i=ops.get('id')
    if i in miss:
        def val(m):
            s=sf.analyse(b,chess.engine.Limit(nodes=2_000_000),root_moves=[m])
            return s['score'].pov(b.turn),s['depth']
        ours=b.parse_san(miss[i].rstrip('+')) if True else None
        print(i,'ours',miss[i],val(ours),'wanted',[(b.san(m),)+val(m) for m in ops['bm']],flush=True)
sf.quit()
