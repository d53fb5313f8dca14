import subprocess,sys,re,math,collections,os
pos=["r1bq1rk1/pp2ppbp/2np1np1/8/3NP3/2N1BP2/PPPQ2PP/R3KB1R w KQ - 3 9","2q1rr1k/3bbnnp/p2p1pp1/2pPp3/PpP1P1P1/1P2BNNP/2BQ1PRK/7R b - - 0 1","r3r1k1/ppqb1ppp/8/4p1NQ/8/2P5/PP3PPP/R3R1K1 b - - 0 1","3r1k2/4npp1/1ppr3p/p6P/P2PPPP1/1NR5/5K2/2R5 w - - 0 1"]
cfg=[l.split("|") for l in open(sys.argv[1]).read().split("\n") if l]
reps=int(sys.argv[2]); N=int(sys.argv[3])
res=collections.defaultdict(list)
for rep in range(reps):
    for i,f in enumerate(pos):
        for name,binary,env,scheme,threads in cfg:
            e=dict(os.environ); e.update(x.split("=") for x in env.split())
            p=subprocess.Popen(["perf","stat","-x,","-o","./ps.txt","-e","cycles:u,instructions:u,L1-dcache-load-misses:u,cpu/event=0x43,umask=0x04/u,cpu/event=0x43,umask=0x48/u",binary,"uci"],stdin=subprocess.PIPE,stdout=subprocess.PIPE,text=True,env=e)
            w=lambda s:(p.stdin.write(s+"\n"),p.stdin.flush())
            w("setoption name Hash value 128"); w("setoption name Threads value "+threads); w("setoption name Scheme value "+scheme); w("position fen "+f); w("isready")
            while "readyok" not in p.stdout.readline(): pass
            w("go nodes %d"%N); last=""
            while True:
                l=p.stdout.readline()
                if l.startswith("info") and " time " in l: last=l
                if l.startswith("bestmove"): break
            w("quit"); p.wait()
            n=int(re.search(r" nodes (\d+)",last).group(1)); t=int(re.search(r" time (\d+)",last).group(1))
            v=[float(l.split(",")[0]) if l[0].isdigit() else float("nan") for l in open("./ps.txt").read().split("\n") if l and not l.startswith("#")]
            res[name,i].append((n/t,)+tuple(x/N for x in v))
for name,*_ in cfg:
    cols=[[x[c] for i in range(len(pos)) for x in res[name,i]] for c in range(6)]
    print("%-14s"%name," ".join("%9.4f"%math.exp(sum(math.log(max(x,1e-9)) for x in c)/len(c)) for c in cols))
