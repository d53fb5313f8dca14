import subprocess,sys,math,re
bins=sys.argv[1].split(','); hash_=sys.argv[2]; nodes=sys.argv[3]; rep=int(sys.argv[4])
fens=["r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1","r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/1PN1PN2/PB3PPP/R2QKB1R w KQ - 0 9","8/2p2pk1/1p1p2p1/p2Pp2p/P1P1P2P/1P3PP1/5K2/8 w - - 0 1","2r2rk1/1bqnbppp/pp1ppn2/8/2PNP3/1PN1BP2/P3BQPP/2R2R1K w - - 0 15"]
tot={b:[] for b in bins}
for r in range(rep):
    for f in fens:
        ts=[]
        for b in bins:
            p=subprocess.run(["taskset","-c","1",b],input=f"setoption name Hash value {hash_}\nposition fen {f}\ngo nodes {nodes}\n",capture_output=True,text=True) if False else None
            pr=subprocess.Popen(["taskset","-c","1",b],stdin=subprocess.PIPE,stdout=subprocess.PIPE,text=True)
            pr.stdin.write(f"uci\nsetoption name Hash value {hash_}\nisready\nposition fen {f}\ngo nodes {nodes}\n");pr.stdin.flush()
            n=None
            for l in pr.stdout:
                m=re.search(r" nps (\d+)",l)
                if m:n=int(m[1])
                if l.startswith("bestmove"):break
            pr.stdin.write("quit\n");pr.stdin.flush();pr.wait()
            tot[b].append(n)
for b in bins:
    r=[math.log(x/y) for x,y in zip(tot[b],tot[bins[0]])]
    m=sum(r)/len(r); s=(sum((x-m)**2 for x in r)/max(1,len(r)-1)/len(r))**.5
    print(b,round(sum(tot[b])/len(tot[b])),"ratio %.4f ± %.4f"%(math.exp(m),1.96*s))
