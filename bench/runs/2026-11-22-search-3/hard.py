import subprocess,sys,json,chess
def run(opts,pos,nodes,exe='./tun'):
    p=subprocess.Popen([exe,'uci'],stdin=subprocess.PIPE,stdout=subprocess.PIPE,text=True,bufsize=1)
    def t(s): p.stdin.write(s+'\n'); p.stdin.flush()
    t('setoption name Threads value 1'); t('setoption name Hash value 128')
    for o in opts:
        k,v=o.split('='); t(f'setoption name {k} value {v}')
    out={}
    for i,fen,bm in pos:
        t('ucinewgame'); t('position fen '+fen); t(f'go nodes {nodes}')
        for l in p.stdout:
            if l.startswith('bestmove'): out[i]=l.split()[1] in bm; break
            if 'unknown' in l or 'error' in l.lower(): print(l)
    t('quit'); p.wait(); return out
def load():
    r=[]
    for l in open('./data/epd/wac.epd'):
        b=chess.Board(); ops=b.set_epd(l.strip())
        r.append((ops['id'],b.fen(),[m.uci() for m in ops['bm']]))
    return r
if __name__=='__main__':
    nodes=int(sys.argv[1]); hard=sys.argv[2]; opts=sys.argv[3:]
    pos=load()
    if hard!='all':
        keep=set(open(hard).read().split()); pos=[x for x in pos if x[0] in keep]
    o=run(opts,pos,nodes); miss=[i[4:] for i in o if not o[i]]
    print(sum(o.values()),'of',len(o),' '.join(opts) or 'default','misses',*miss,flush=True)
