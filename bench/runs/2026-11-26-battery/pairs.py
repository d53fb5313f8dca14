import csv,gzip,math,collections,pathlib
rows=list(csv.DictReader(gzip.open(pathlib.Path(__file__).with_name('variants.csv.gz'),'rt')))
g=collections.defaultdict(lambda:collections.defaultdict(list))
for x in rows: g[(x['scheme'],x['knobs'])][(x['position'])].append((float(x['seconds']),int(x['nodes'])))
def cmp(a,b):
    lt=[];lr=[]
    for p in g[a]:
        if p not in g[b]: continue
        gm=lambda v:sum(map(math.log,v))/len(v)
        lt.append(gm([t for t,_ in g[a][p]])-gm([t for t,_ in g[b][p]])); lr.append(gm([n/t for t,n in g[a][p]])-gm([n/t for t,n in g[b][p]]))
    s=lambda l:(math.exp(sum(l)/len(l)),(sum((x-sum(l)/len(l))**2 for x in l)/(len(l)-1)/len(l))**.5)
    print(a,'/',b,'time %.3f +-%.3f rate %.3f +-%.3f'%(*s(lt),*s(lr)))
for k in g:
    if k[0]=='ybw': cmp(k,('ybw',''))
    if k[0]=='hybrid': cmp(k,('hybrid',''))
cmp(('hybrid',''),('lazy','')); cmp(('ybw','8=3'),('hybrid',''))
# noise of a single search: sd of log time within position
v=[]
for k,d in g.items():
    for p,l in d.items():
        if len(l)>1:
            m=sum(math.log(t) for t,_ in l)/len(l); v.append(sum((math.log(t)-m)**2 for t,_ in l)/(len(l)-1))
print('sd within',(sum(v)/len(v))**.5)
