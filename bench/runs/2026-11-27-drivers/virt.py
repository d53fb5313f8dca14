# firstborn, EPD file, depth: virtual time of 2 threads over one, by driver
import subprocess,sys,math
B,EPD,D=sys.argv[1:4]
fens=[' '.join(l.split(';')[0].split()[:4]) for l in open(EPD) if l.strip()][:int(sys.argv[4])]
def run(threads,driver):
    p=subprocess.Popen([B,'uci','--virtual-clock',str(threads)],stdin=subprocess.PIPE,stdout=subprocess.PIPE,text=True)
    w=lambda s:(p.stdin.write(s+'\n'),p.stdin.flush())
    w('setoption name Hash value 64'); w(f'setoption name Driver value {driver}')
    out=[]
    for f in fens:
        w('ucinewgame'); w(f'position fen {f} 0 1'); w(f'go depth {D}')
        n=t=0
        for l in p.stdout:
            if ' pv ' in l:
                x=l.split(); n=int(x[x.index('nodes')+1]); t=int(x[x.index('time')+1])
            if l.startswith('bestmove'): break
        out.append((n,max(t,1)))
    w('quit'); p.wait(); return out
for d,dep in (('pvs',0),('mtdf',1)):
    D=str(int(sys.argv[3])+dep)
    one=run(1,d)
    for th in (2,4):
        two=run(th,d)
        for name,i in (('nodes',0),('time',1)):
            ln=[math.log(b[i]/a[i]) for a,b in zip(one,two)]; m=sum(ln)/len(ln)
            sd=(sum((x-m)**2 for x in ln)/(len(ln)-1))**.5/len(ln)**.5
            ratio='over one %.3f +- %.3f'%(math.exp(m),sd)
            print(d,'depth',D,th,'threads',name,ratio,sum(a[i] for a in one),flush=True)
