import subprocess,sys,math,resource,json,os
# firstborn (built with --features tuning), EPD file, depth, options of each variant as a dict
B,EPD=sys.argv[1:3]
fens=[l.split(';')[0].strip() for l in open(EPD) if l.strip()]
fens=[' '.join(f.split()[:4]) for f in fens]
def run(opts,depth):
    p=subprocess.Popen([B,'uci'],stdin=subprocess.PIPE,stdout=subprocess.PIPE,text=True)
    w=lambda s:(p.stdin.write(s+'\n'),p.stdin.flush())
    w('uci'); w('setoption name Hash value 64')
    for k,v in opts.items(): w(f'setoption name {k} value {v}')
    out=[]
    def cpu():
        t=open(f'/proc/{p.pid}/stat').read().rsplit(')',1)[1].split(); return (int(t[11])+int(t[12]))/100
    for f in fens:
        w('ucinewgame'); w('isready')
        while p.stdout.readline().strip()!='readyok': pass
        c=cpu(); w(f'position fen {f} 0 1'); w(f'go depth {depth}')
        n=0
        while True:
            l=p.stdout.readline()
            if ' nodes ' in l: n=int(l.split(' nodes ')[1].split()[0])
            if l.startswith('bestmove'): break
        out.append((n,cpu()-c))
    w('quit'); p.wait(); return out
configs=[{}]+[eval(a) for a in sys.argv[4:]]
base=None
for c in configs:
    r=run(c,int(sys.argv[3]))
    if base is None: base=r
    ln=[math.log(a[0]/b[0]) for a,b in zip(r,base)]
    m=sum(ln)/len(ln); sd=(sum((x-m)**2 for x in ln)/(len(ln)-1))**.5/len(ln)**.5
    print(c,sum(a for a,_ in r),'cpu %.2f'%sum(b for _,b in r),'ratio %.3f +-%.3f'%(math.exp(m),sd),flush=True)
