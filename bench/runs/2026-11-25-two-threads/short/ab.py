# ab.py MS NAME=BIN:scheme:threads[:ENV=V,..] ... : node rate to the first engine, searches interleaved
import subprocess,math,sys,os,statistics
pos=[l.split(';')[0] for l in open('./study/bk.epd')]+[l.split(';')[0] for l in open('./study/sp.epd')]
ms=int(sys.argv[1])
class E:
    def __init__(s,b,sch,t,env=''):
        e=dict(os.environ); e.update(kv.split('=') for kv in env.split(',') if kv)
        s.p=subprocess.Popen([b,'uci'],stdin=subprocess.PIPE,stdout=subprocess.PIPE,text=True,env=e)
        s.s(f'setoption name Hash value 64'); s.s(f'setoption name Threads value {t}'); s.s(f'setoption name Scheme value {sch}'); s.ready()
    def s(s,x): s.p.stdin.write(x+'\n'); s.p.stdin.flush()
    def ready(s):
        s.s('isready')
        while s.p.stdout.readline().strip()!='readyok': pass
    def go(s,f,ms):
        s.s('ucinewgame'); s.s('position fen '+f); s.ready(); s.s(f'go movetime {ms}')
        last=''
        while True:
            l=s.p.stdout.readline()
            if l.startswith('bestmove'): break
            if ' nodes ' in l: last=l.split()
        return int(last[last.index('nodes')+1])/int(last[last.index('time')+1])
es={}
for a in sys.argv[2:]:
    n,r=a.split('=',1); es[n]=E(*r.split(':'))
R={k:[] for k in es}; first=next(iter(es))
for q in pos:
    f=' '.join(q.split()[:4])+' 0 1'
    r={k:e.go(f,ms) for k,e in es.items()}
    for k in es: R[k].append(math.log(r[k]/r[first]))
for k in es: print(k, '%.3f +-%.3f'%(math.exp(sum(R[k])/len(R[k])), 1.96*statistics.stdev(R[k])/len(R[k])**.5*math.exp(sum(R[k])/len(R[k]))))
for e in es.values(): e.s('quit')
