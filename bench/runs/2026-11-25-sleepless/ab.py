# ab.py REPEATS EPD NAME=BIN:scheme:threads[:K=V,..] ... : time to a fixed depth, nodes and rate, against the first engine, searches interleaved
# EPD lines: "fen4; depth"
import subprocess,math,sys,os,statistics,random,time
reps=int(sys.argv[1]); pos=[l.rstrip('\n').split(';') for l in open(sys.argv[2])]
LIMIT=float(os.environ.get('LIMIT','1e9'))
class E:
    def __init__(s,b,sch,t,env=''):
        e=dict(os.environ); e.update(kv.split('=') for kv in env.split(',') if kv)
        s.p=subprocess.Popen([b,'uci'],stdin=subprocess.PIPE,stdout=subprocess.PIPE,text=True,env=e)
        s.s('setoption name Hash value 64'); s.s(f'setoption name Threads value {t}'); s.s(f'setoption name Scheme value {sch}'); s.ready()
    def s(s,x): s.p.stdin.write(x+'\n'); s.p.stdin.flush()
    def ready(s):
        s.s('isready')
        while s.p.stdout.readline().strip()!='readyok': pass
    def go(s,f,d):
        s.s('ucinewgame'); s.s('position fen '+f); s.ready(); w=time.monotonic(); s.s(f'go depth {d}')
        last=''
        while True:
            l=s.p.stdout.readline()
            if l.startswith('bestmove'): break
            if ' nodes ' in l: last=l.split()
        return time.monotonic()-w, int(last[last.index('nodes')+1])
es={}
for a in sys.argv[3:]:
    n,r=a.split('=',1); es[n]=E(*r.split(':'))
R={k:[[] for _ in pos] for k in es}; first=next(iter(es)); names=list(es); start=time.monotonic()
def show():
    for k in names:
        row=[]
        for what in range(3):
            # mean over positions of mean over repeats of log ratio; the error by positions
            m=[]
            for i in range(len(pos)):
                v=[x[what]-y[what] for x,y in zip(R[k][i],R[first][i])]
                if v: m.append(statistics.mean(v))
            g=math.exp(statistics.mean(m)); e=1.96*statistics.stdev(m)/len(m)**.5 if len(m)>1 else 0
            row.append(f'{g:.4f} +-{e*g:.4f}')
        print(f'{k:14s} time {row[0]}  nodes {row[1]}  rate {row[2]}',flush=True)
for r in range(reps):
    for i,(f,d) in enumerate(pos):
        f=' '.join(f.split()[:4])+' 0 1'
        order=names[:]; random.shuffle(order)
        for k in order:
            t,n=es[k].go(f,int(d)); R[k][i].append((math.log(t),math.log(n),math.log(n/t)))
    if r%5==4 or r==reps-1: print('after',r+1,round(time.monotonic()-start),'s'); show()
    if time.monotonic()-start>LIMIT: print('limit'); show(); break
for e in es.values(): e.s('quit')
