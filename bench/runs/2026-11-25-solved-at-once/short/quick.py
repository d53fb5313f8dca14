"""quick.py SECONDS NODES name|bin|env|scheme|threads ...: interleaved short searches, robust ratios to the first."""
import subprocess,sys,math,os,statistics as st,random,time
pos=["r1bq1rk1/pp2ppbp/2np1np1/8/3NP3/2N1BP2/PPPQ2PP/R3KB1R w KQ - 3 9","2q1rr1k/3bbnnp/p2p1pp1/2pPp3/PpP1P1P1/1P2BNNP/2BQ1PRK/7R b - - 0 1","r3r1k1/ppqb1ppp/8/4p1NQ/8/2P5/PP3PPP/R3R1K1 b - - 0 1","3r1k2/4npp1/1ppr3p/p6P/P2PPPP1/1NR5/5K2/2R5 w - - 0 1"]
secs=float(sys.argv[1]); N=int(sys.argv[2]); cfg=[l.split("|") for l in sys.argv[3:]]
procs={}
for name,binary,env,scheme,threads in cfg:
    e=dict(os.environ); e.update(x.split("=") for x in env.split())
    p=subprocess.Popen([binary,"uci"],stdin=subprocess.PIPE,stdout=subprocess.PIPE,text=True,env=e)
    p.stdin.write("setoption name Hash value 16\nsetoption name Threads value %s\nsetoption name Scheme value %s\n"%(threads,scheme)); p.stdin.flush()
    procs[name]=p
res={(c[0],i):[] for c in cfg for i in range(len(pos))}
def go(p,f):
    w=lambda s:(p.stdin.write(s+"\n"),p.stdin.flush())
    w("ucinewgame"); w("position fen "+f); w("isready")
    while "readyok" not in p.stdout.readline(): pass
    t=time.perf_counter(); w("go nodes %d"%N)
    while not p.stdout.readline().startswith("bestmove"): pass
    t=time.perf_counter()-t
    return N/t/1000
end=time.time()+secs
while time.time()<end:
    for i,f in enumerate(pos):
        order=list(cfg); random.shuffle(order)
        for c in order: res[c[0],i].append(go(procs[c[0]],f))
first=cfg[0][0]
for c in cfg:
    def agg(fn): return math.exp(st.mean(math.log(fn(res[c[0],i])/fn(res[first,i])) for i in range(len(pos))))
    q=lambda p: (lambda v: sorted(v)[int(p*(len(v)-1))])
    pairs=[math.log(a/b) for i in range(len(pos)) for a,b in zip(res[c[0],i],res[first,i])]
    print("%-10s n=%d  best10%% %.4f  median %.4f  pair-median %.4f  pair-mean %.4f+-%.4f"%(c[0],len(pairs),agg(q(.9)),agg(q(.5)),math.exp(st.median(pairs)),math.exp(st.mean(pairs)),1.96*st.pstdev(pairs)/len(pairs)**.5))
