import csv,gzip,sys,glob,numpy as np
rows=[r for f in sorted(glob.glob('realB/c*/samples.csv.gz')) for r in csv.DictReader(gzip.open(f,'rt'))]
g={(r['scheme'],int(r['threads']),r['position']):r for r in rows}
I=lambda r,c:int(r[c])
X=[];y=[];K=[]
for (s,n,p),r in g.items():
    if s!='ybw' or ('lazy',n,p) not in g: continue
    ser=g['serial',1,p]; lz=g['lazy',n,p]
    per=lambda r,n:(n*I(r,'time_ns')-I(r,'idle_ns'))/I(r,'nodes')
    N=I(r,'nodes')
    y.append(per(r,n)-per(lz,n)); X.append([I(r,'splits')/N,I(r,'joins')/N,I(r,'refused')/N,n-1,1]); K.append(n)
X=np.array(X);y=np.array(y);K=np.array(K)
names=['split','join','refused','told','const']
def fit(cols,mask,label):
    A=X[mask][:,cols]; b,res,_,_=np.linalg.lstsq(A,y[mask],rcond=None); e=y[mask]-A@b
    s=np.sqrt(e@e/(len(e)-len(b))); cov=s*s*np.linalg.inv(A.T@A)
    print(label,len(e),'resid %.0f'%s,{names[c]:'%.0f+-%.0f'%(v,d) for c,v,d in zip(cols,b,2*np.sqrt(np.diag(cov)))})
for m,l in ((K>0,'all'),(K<=8,'<=8'),(K==4,'4'),(K==8,'8'),(K==16,'16')):
    for cols in ([0,1],[1],[0,1,2],[1,3],[1,2],[3],[0,1,3]): 
        if l in '4 8 16' and 3 in cols: cols=[c if c!=3 else 4 for c in cols]
        fit(cols,m,l)
for n in (2,4,8,16): print(n,'mean extra ns',y[K==n].mean(), 'joins/node',X[K==n][:,1].mean(),'splits/node',X[K==n][:,0].mean(),'refused',X[K==n][:,2].mean())
