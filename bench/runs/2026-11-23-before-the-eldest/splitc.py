import os,sys,subprocess,re
fens=["r1bq1rk1/pp3ppp/2n2n2/2bp4/8/2N1PN2/PPQ1BPPP/R1B2RK1 w - - 0 1","2q1rr1k/3bbnnp/p2p1pp1/2pPp3/PpP1P1P1/1P2BNNP/2BQ1PRK/7R b - - 0 1"]
bins=sys.argv[1:]
def run(b,fen,knobs,scheme):
    cmds=f"uci\nsetoption name Hash value 64\nsetoption name Scheme value {scheme}\nposition fen {fen}\ngo nodes 4000000\n"
    p=subprocess.Popen(["perf","stat","-x,","-e","cycles:u,instructions:u","./"+b],stdin=subprocess.PIPE,stdout=subprocess.PIPE,stderr=subprocess.PIPE,text=True,env=dict(os.environ,FBK=knobs))
    p.stdin.write(cmds); p.stdin.flush()
    for l in p.stdout:
        if l.startswith("bestmove"): break
    p.stdin.write("quit\n"); p.stdin.flush(); p.stdout.read(); err=p.stderr.read()
    v=[int(x.split(",")[0]) for x in err.splitlines() if ":u" in x]
    return v[0]/4e6,v[1]/4e6
best={}
for r in range(5):
  for fen in fens:
    for b in bins:
      for k,s in [("99","serial"),("99,0,0,0,7,7,0,1","ybw"),("99,0,0,0,5,5,0,1","ybw")]:
        best.setdefault((fen[:6],s+k[9:13],b),[]).append(run(b,fen,k,s))
for k,v in sorted(best.items()):
    c=sorted(x[0] for x in v); print(k,"cycles min %.1f median %.1f  instr %.1f"%(c[0],c[len(c)//2],min(x[1] for x in v)))
