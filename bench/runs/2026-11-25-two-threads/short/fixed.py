# fixed.py MS: nodes and thread-ms by scheme, ends; CPU user+sys time per node via /proc
import subprocess,math,sys,os
sys.argv=[sys.argv[0]]+sys.argv[1:]
exec(open('ab.py').read().split('es={}')[0].replace("ms=int(sys.argv[1])","ms=int(sys.argv[1])"))
def cpu(p):
    u=s=0
    for t in os.listdir(f'/proc/{p}/task'):
        f=open(f'/proc/{p}/task/{t}/schedstat').read().split(); u+=int(f[0])
    st=open(f'/proc/{p}/stat').read().rsplit(')',1)[1].split(); return u/1e6,int(st[11])*10,int(st[12])*10
b='/work/exp/bin/joinrel'
for n,sch,t in (('serial','serial',1),('ybw','ybw',2),('lazy','lazy',2)):
    e=E(b,sch,t); tot=0; T=0; C=0
    for q in pos:
        f=' '.join(q.split()[:4])+' 0 1'
        e.s('ucinewgame'); e.s('position fen '+f); e.ready()
        a=cpu(e.p.pid); e.s(f'go movetime {ms}'); last=''
        while True:
            l=e.p.stdout.readline()
            if l.startswith('bestmove'): break
            if ' nodes ' in l: last=l.split()
        z=cpu(e.p.pid); C+=z[0]-a[0]; tot+=int(last[last.index('nodes')+1]); T+=int(last[last.index('time')+1])
    print(n,'knodes',tot//1000,'wall',T,'cpu ms %.0f'%C,'nodes per ms wall %.0f'%(tot/T),'user/sys',cpu(e.p.pid)); e.s('quit')
