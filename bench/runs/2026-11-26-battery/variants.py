"""Variants of the split rules on real cores: each a UCI process with KNOBS, all at each position in turn."""
import json,os,subprocess,sys,time,random,csv
end=time.time()+float(sys.argv[1]); only=int(sys.argv[2]) if len(sys.argv)>2 else 99
cores=int(os.environ.get('CORES','16'))
V=[('ybw',''),('ybw','0=8'),('ybw','0=9'),('ybw','0=10'),('ybw','0=12'),
   ('hybrid',''),('hybrid','0=8'),('hybrid','0=9'),
   ('hybrid','9=8'),('hybrid','9=8,0=9'),('hybrid','9=8,0=10'),('hybrid','9=2'),
   ('ybw','10=1'),('ybw','4=0'),('ybw','7=0'),('ybw','6=0'),('ybw','3=1000'),('ybw','1=100'),('ybw','2=24'),('ybw','8=3'),('ybw','0=9,1=11'),
   ('lazy',''),('abdada','')][:only]
class E:
    def __init__(s,scheme,knobs,threads):
        s.scheme,s.knobs,s.threads=scheme,knobs,threads
        s.p=subprocess.Popen(['./fb','uci'],stdin=subprocess.PIPE,stdout=subprocess.PIPE,text=True,env=dict(os.environ,KNOBS=knobs))
        s.say(f'setoption name Threads value {threads}'); s.say('setoption name Hash value 256'); s.say(f'setoption name Scheme value {scheme}'); s.ready()
    def say(s,l): s.p.stdin.write(l+'\n'); s.p.stdin.flush()
    def ready(s):
        s.say('isready')
        while s.p.stdout.readline().strip()!='readyok': pass
    def go(s,fen,depth):
        s.say('ucinewgame'); s.ready(); s.say('position fen '+fen); s.say(f'go depth {depth}')
        t=time.perf_counter(); n=0; sc=''
        while True:
            l=s.p.stdout.readline()
            if l.startswith('info') and ' nodes ' in l:
                f=l.split(); n=int(f[f.index('nodes')+1]); sc=f[f.index('score')+2]
            if l.startswith('bestmove'): return time.perf_counter()-t,n,sc,l.split()[1]
engines=[E(s,k,cores) for s,k in V]; serial=E('serial','',1)
out=csv.writer(open(os.environ.get('OUT','.')+'/variants.csv','w')); out.writerow('round position scheme knobs threads seconds nodes score best'.split())
P=json.load(open('positions.json')); r=0
def spin():
    return [subprocess.Popen([sys.executable,'-c','x=1\nwhile 1:x=(x*5+1)&0xffff']) for _ in range(cores-1)]
while time.time()<end:
    for name,fen,depth in P:
        if time.time()>end: break
        if r%2==0:
            ps=spin(); a=serial.go(fen,depth); [p.kill() for p in ps]; [p.wait() for p in ps]
            out.writerow([r,name,'serial','',1,*a])
        es=engines[:]; random.Random(hash((r,name))).shuffle(es)
        for e in es:
            if time.time()>end: break
            out.writerow([r,name,e.scheme,e.knobs,cores,*e.go(fen,depth)])
    r+=1
for e in engines+[serial]: e.p.kill()
