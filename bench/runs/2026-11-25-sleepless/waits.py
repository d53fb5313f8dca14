import subprocess,sys,re
b,ms=sys.argv[1:3]
pos=[l.split(';')[0] for l in open('./study/study48.epd')]
import os
p=subprocess.Popen([b,'uci'],stdin=subprocess.PIPE,stdout=subprocess.PIPE,stderr=open('waits.err','w'),text=True,env=dict(os.environ,WW='1'))
def s(x): p.stdin.write(x+'\n'); p.stdin.flush()
def ready():
    s('isready')
    while p.stdout.readline().strip()!='readyok': pass
s('setoption name Hash value 64'); s('setoption name Threads value 2'); s('setoption name Scheme value ybw'); ready()
for q in pos:
    s('ucinewgame'); s('position fen '+' '.join(q.split()[:4])+' 0 1'); ready(); s(f'go movetime {ms}')
    while not p.stdout.readline().startswith('bestmove'): pass
s('quit'); p.wait()
tot=[0]*12; T=0; J=A=0
for l in open('waits.err'):
    m=re.match(r'(\d+) \[(.*)\] joins (\d+) aborted (\d+)',l)
    T+=int(m[1]); J+=int(m[3]); A+=int(m[4])
    for i,x in enumerate(m[2].split(',')): tot[i]+=int(x)
print('ms',T,'joins/s',1000*J/T,'aborted/s',1000*A/T)
for i,n in enumerate(['read all','turn','void','nobody at work','no work(helper)']):
    c,t=tot[2*i],tot[2*i+1]
    print(f'{n:16s} {1000*c/T:.0f}/s, {t/1e3/max(c,1):.0f} us each, {100*t/1e6/T/2:.2f} % of both')
