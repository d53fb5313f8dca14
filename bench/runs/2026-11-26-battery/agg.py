import csv,math,collections,sys
rows=list(csv.DictReader(open(sys.argv[1])))
base=collections.defaultdict(list)
for x in rows:
    if x['scheme']=='serial': base[x['position']].append((float(x['seconds']),int(x['nodes'])))
B={p:(math.exp(sum(math.log(a) for a,_ in v)/len(v)),v[0][1]) for p,v in base.items()}
g=collections.defaultdict(lambda:collections.defaultdict(list))
for x in rows:
    if x['scheme']!='serial' and x['position'] in B: g[(x['scheme'],x['knobs'])][x['position']].append((float(x['seconds']),int(x['nodes'])))
gm=lambda v:math.exp(sum(map(math.log,v))/len(v))
for k,d in g.items():
    sp=[];nr=[];ov=[]
    for p,v in d.items():
        t=sum(a for a,_ in v)/len(v);n=sum(b for _,b in v)/len(v)
        sp.append(B[p][0]/t);nr.append(n/t/(B[p][1]/B[p][0]));ov.append(n/B[p][1])
    l=[math.log(s) for s in sp]; m=sum(l)/len(l); se=(sum((a-m)**2 for a in l)/max(1,len(l)-1)/len(l))**.5
    print(f'{k[0]:8}{k[1]:12} searches {sum(map(len,d.values())):4} speed-up {gm(sp):6.2f} +-{100*se:4.0f}%  rate {gm(nr):6.2f}  overhead {100*(gm(ov)-1):6.1f}%')
