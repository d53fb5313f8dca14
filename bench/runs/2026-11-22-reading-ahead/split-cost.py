import subprocess,os,re,chess,chess.engine,time
fens=["r1bq1rk1/pp3ppp/2n2n2/2bp4/8/2N1PN2/PPQ1BPPP/R1B2RK1 w - - 0 1","2q1rr1k/3bbnnp/p2p1pp1/2pPp3/PpP1P1P1/1P2BNNP/2BQ1PRK/7R b - - 0 1"]
def run(fen,knobs,scheme):
    env=dict(os.environ,FBK=knobs)
    e=chess.engine.SimpleEngine.popen_uci(["./fbK","uci"],env=env)
    e.configure({"Hash":64,"Threads":1,"Scheme":scheme})
    i=e.analyse(chess.Board(fen),chess.engine.Limit(nodes=4000000)); e.quit()
    return i["nodes"],i["time"],i["score"]
for fen in fens:
  for r in range(4):
    for k,s in [("7=1","serial"),("7=1,0=7,1=7","ybw"),("7=1,0=5,1=5","ybw")]:
        n,t,sc=run(fen,k,s); print(s,k,n,round(t*1e9/n,1),sc)
