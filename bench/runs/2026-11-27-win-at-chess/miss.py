# the output of `firstborn suite`, wac.epd
import sys, chess, chess.engine
miss={l.split()[1]:l.split()[2] for l in open(sys.argv[1]) if l.startswith('--')}
sf=chess.engine.SimpleEngine.popen_uci('stockfish')
for l in open(sys.argv[2]):
    if not l.strip(): continue
    b,ops=chess.Board.from_epd(l)
    i=ops.get('id')
    if i in miss:
        def val(m):
            s=sf.analyse(b,chess.engine.Limit(nodes=2_000_000),root_moves=[m])
            return s['score'].pov(b.turn),s['depth']
        ours=b.parse_san(miss[i].rstrip('+'))
        print(i,'ours',miss[i],val(ours),'wanted',[(b.san(m),)+val(m) for m in ops['bm']],flush=True)
sf.quit()
