import csv,gzip,math,sys,statistics as st
rows=[r for f in sys.argv[1:] for r in csv.DictReader(gzip.open(f,'rt'))]
ser={(r['position']):r for r in rows if r['scheme']=='serial'}
keys=sorted({(r['scheme'],int(r['threads'])) for r in rows})
for k in keys:
    R=[r for r in rows if (r['scheme'],int(r['threads']))==k and r['position'] in ser]
    n=k[1]
    g=lambda f: math.exp(st.mean(math.log(f(r,ser[r['position']])) for r in R))
    sp=g(lambda r,s:int(s['time_ns'])/int(r['time_ns'])); ov=g(lambda r,s:int(r['nodes'])/int(s['nodes']))
    ld=g(lambda r,s:1-int(r['idle_ns'])/(n*int(r['time_ns'])))
    T=sum(int(r['time_ns']) for r in R)/1e9
    per=lambda c: sum(int(r[c]) for r in R)/T
    print(k,len(R),f"S {sp:.3f} over {100*(ov-1):.1f} rate {sp*ov:.2f} load {100*ld:.1f} busy-rate {sp*ov/n/ld:.3f} time {T:.1f} per s: splits {per('splits'):.0f} joins {per('joins'):.0f} refused {per('refused'):.0f} aborted {per('aborted'):.0f} nps {per('nodes')/1e6:.2f}M")
