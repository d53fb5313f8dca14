import csv,math,collections,statistics,sys
g=collections.defaultdict(list)
for r in csv.DictReader(open(sys.argv[1])): g[r['scheme'],r['position'],r['version']].append((int(r['ms']),int(r['nodes'])))
for s in ('ybw','lazy'):
    t=[];n=[];k=[]
    for p in {p for (a,p,v) in g if a==s}:
        o,w=g[s,p,'old'],g[s,p,'new']
        if not o or not w or min(x[0] for x in o+w)<50: continue
        m=lambda v:sum(v)/len(v)
        t.append(m([math.log(x[0]) for x in w])-m([math.log(x[0]) for x in o]))
        k.append(m([math.log(x[1]) for x in w])-m([math.log(x[1]) for x in o]))
        n.append(m([math.log(x[1]/x[0]) for x in w])-m([math.log(x[1]/x[0]) for x in o]))
    f=lambda v:"%.3f (%.3f - %.3f)"%tuple(math.exp(x) for x in (m(v),m(v)-2.07*statistics.stdev(v)/len(v)**.5,m(v)+2.07*statistics.stdev(v)/len(v)**.5))
    print(s,len(t),'time',f(t),'nodes',f(k),'rate',f(n))
