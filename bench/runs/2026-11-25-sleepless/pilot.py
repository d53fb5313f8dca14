# pilot.py BIN MSLO OUT EPD...: first depth at which one thread takes at least MSLO ms
import subprocess,sys
b,lo,out=sys.argv[1],float(sys.argv[2]),sys.argv[3]
p=subprocess.Popen([b,'uci'],stdin=subprocess.PIPE,stdout=subprocess.PIPE,text=True)
def s(x): p.stdin.write(x+'\n'); p.stdin.flush()
def ready():
    s('isready')
    while p.stdout.readline().strip()!='readyok': pass
s('setoption name Hash value 64'); s('setoption name Scheme value serial'); ready()
o=open(out,'w')
for l in open(sys.argv[4]):
    f=' '.join(l.split(';')[0].split()[:4])
    s('ucinewgame'); s('position fen '+f+' 0 1'); ready(); s('go movetime %d'%(4*lo)); best=None
    while True:
        x=p.stdout.readline()
        if x.startswith('bestmove'): break
        w=x.split()
        if 'depth' in w and 'time' in w and 'bound' not in x and int(w[w.index('time')+1])>=lo and best is None: best=int(w[w.index('depth')+1])
    if best: o.write(f'{f};{best}\n')
s('quit')
