import subprocess,sys
lines=open("../2026-11-23-histories/p240.epd").read().splitlines()
pos=[" ".join(l.split()[:4])+" 0 1" for l in lines][::24]
for scheme,t,n in (("serial",1,3000000),("ybw",2,3000000),("abdada",2,3000000),("lazy",2,3000000)):
    p=subprocess.Popen(["./lines","uci"],stdin=subprocess.PIPE,stdout=subprocess.PIPE,stderr=subprocess.PIPE,text=True)
    p.stdin.write("setoption name Hash value 64\nsetoption name Threads value %d\nsetoption name Scheme value %s\n"%(t,scheme)); p.stdin.flush()
    for f in pos:
        p.stdin.write("ucinewgame\nposition fen %s\ngo nodes %d\n"%(f,n)); p.stdin.flush()
        while "bestmove" not in p.stdout.readline(): pass
    p.stdin.write("quit\n"); p.stdin.flush()
    e=p.stderr.read(); print(scheme,e.strip()); p.wait()
