import subprocess,sys,os
# drive.py BIN scheme threads MS PIN(0/1): runs study48, prints pid first; perf attached
b,sch,t,ms,pin=sys.argv[1:6]
pos=[l.split(';')[0] for l in open('./study/study48.epd')]
p=subprocess.Popen([b,'uci'],stdin=subprocess.PIPE,stdout=subprocess.PIPE,text=True)
def s(x): p.stdin.write(x+'\n'); p.stdin.flush()
def ready():
    s('isready')
    while p.stdout.readline().strip()!='readyok': pass
s('setoption name Hash value 64'); s(f'setoption name Threads value {t}'); s(f'setoption name Scheme value {sch}'); ready()
def go(f):
    s('ucinewgame'); s('position fen '+f); ready(); s(f'go movetime {ms}')
    while not p.stdout.readline().startswith('bestmove'): pass
go(' '.join(pos[0].split()[:4])+' 0 1')
if pin=='1':
    tasks=os.listdir(f'/proc/{p.pid}/task')
    busy=sorted(tasks,key=lambda t:-int(open(f'/proc/{p.pid}/task/{t}/schedstat').read().split()[0]))[:int(t)]
    for i,x in enumerate(sorted(busy,key=int)): os.sched_setaffinity(int(x),{i})
rec=subprocess.Popen(['perf','record','-q','-F','4000','-e','cpu-clock','-o',f'./short/perf.{sch}','-p',str(p.pid)])
import time; time.sleep(1)
for q in pos: go(' '.join(q.split()[:4])+' 0 1')
rec.send_signal(2); rec.wait(); s('quit')
