import csv,sys,math,os
def rows(d):
    rs=list(csv.DictReader(open(d+'/samples.csv')))
    return [x for x in rs if x['position']!='BK.01']
def pooled(dirs):
    out={}
    for d in dirs:
        if not os.path.exists(d+'/samples.csv'): print('missing',d); continue
        r=rows(d); ser={x['position']:x for x in r if x['scheme']=='serial'}
        for x in r:
            if x['scheme']=='serial': continue
            s=ser[x['position']]; n=int(x['threads'])
            out.setdefault((x['scheme'],n),{}).setdefault(x['position'],[]).append((math.log(int(s['time_ns'])/int(x['time_ns'])),math.log(int(x['nodes'])/int(s['nodes'])),1-int(x['idle_ns'])/(n*int(x['time_ns'])),int(x['wasted'])/int(x['nodes'])))
    for k,v in sorted(out.items()):
        m=[[sum(c)/len(c) for c in zip(*p)] for p in v.values()]
        S=[a[0] for a in m]; n=len(S); mu=sum(S)/n; se=(sum((x-mu)**2 for x in S)/(n-1)/n)**.5
        ov=math.exp(sum(a[1] for a in m)/n); ld=sum(a[2] for a in m)/n
        print(k,'pos',n,'reps',sum(map(len,v.values()))/n,'S %.3f (se %.1f%%) ov %.1f load %.3f rate %.3f'%(math.exp(mu),100*se,100*ov-100,ld,math.exp(mu)*ov/ld/k[1]))
pooled(sys.argv[1:])
