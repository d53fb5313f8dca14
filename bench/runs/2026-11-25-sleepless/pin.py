# pin.py MS ROUNDS: ybw free / pinned, lazy free / pinned, serial: rate, busy, cpu ns a node, migrations, switches
import subprocess,math,sys,os,statistics,time
BIN=sys.argv[3]; MS=int(sys.argv[1]); ROUNDS=int(sys.argv[2])
pos=[l.split(';')[0] for l in open('./study/study48.epd')]
class E:
    def __init__(s,sch,t,pin):
        s.p=subprocess.Popen([BIN,'uci'],stdin=subprocess.PIPE,stdout=subprocess.PIPE,text=True)
        s.t=t
        s.s('setoption name Hash value 64'); s.s(f'setoption name Threads value {t}'); s.s(f'setoption name Scheme value {sch}'); s.ready()
        s.pin=pin; s.done=False
        s.tot=[0,0,0,0,0,0]; s.log=[]
    def s(s,x): s.p.stdin.write(x+'\n'); s.p.stdin.flush()
    def ready(s):
        s.s('isready')
        while s.p.stdout.readline().strip()!='readyok': pass
    def tasks(s): return sorted(os.listdir(f'/proc/{s.p.pid}/task'),key=int)
    def stat(s):
        r=[0,0,0,0]
        for t in s.tasks():
            d=f'/proc/{s.p.pid}/task/{t}/'
            r[0]+=int(open(d+'schedstat').read().split()[0])/1e6
            r[3]+=int(open(d+'schedstat').read().split()[1])/1e6
            for l in open(d+'sched'):
                if 'nr_migrations' in l: r[1]+=int(l.split()[-1])
                if l.startswith('nr_switches'): r[2]+=int(l.split()[-1])
        return r
    def go(s,f):
        s.s('ucinewgame'); s.s('position fen '+f); s.ready()
        b=s.stat(); w=time.monotonic()
        s.s(f'go movetime {MS}'); last=''
        while True:
            l=s.p.stdout.readline()
            if l.startswith('bestmove'): break
            if ' nodes ' in l: last=l.split()
        w=(time.monotonic()-w)*1000; a=s.stat()
        n=int(last[last.index('nodes')+1]); t=int(last[last.index('time')+1])
        for i,x in enumerate([n,t,w,a[0]-b[0],a[1]-b[1],a[2]-b[2]]): s.tot[i]+=x
        s.log.append(math.log(n/max(t,1)))
        if s.pin and not s.done:
            s.done=True
            s.busy=sorted(s.tasks(),key=lambda t:-int(open(f'/proc/{s.p.pid}/task/{t}/schedstat').read().split()[0]))[:s.t]
            for i,t in enumerate(sorted(s.busy,key=int)): os.sched_setaffinity(int(t),{i})
es={'serial':E('serial',1,0),'ybw':E('ybw',2,0),'ybw-pin':E('ybw',2,1),'lazy':E('lazy',2,0),'lazy-pin':E('lazy',2,1)}
if os.environ.get('ONLY'): es={k:v for k,v in es.items() if k in os.environ['ONLY'].split(',')}
for r in range(ROUNDS):
  for q in pos:
    f=' '.join(q.split()[:4])+' 0 1'
    for e in es.values(): e.go(f)
for k,e in es.items():
    n,t,w,c,m,sw=e.tot
    d=[x-y for x,y in zip(e.log,es['serial'].log)]
    print(f'{k:9s} rate {math.exp(statistics.mean(d)):.3f} +-{1.96*statistics.stdev(d)/len(d)**.5:.3f} busy {c/w:.3f} ns/node {1e6*(c/w)/(n/t):.0f} migr/s {1000*m/w:.1f} switches/s {1000*sw/w:.0f}')
    e.s('quit')
