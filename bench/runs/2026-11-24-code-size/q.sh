# q.sh NAME "ENV"
cd .
env $2 bin/knob scaling --clock virtual --schemes ybw --threads 2 --positions ../main/bench/runs/2026-11-23-histories/p240.epd --depth 16 --repeats 3 --hash 16 --no-signature --costs node=240,probe=100,split=900,join=3000,call=2000,wake=3500,jitter=0.5 > v/$1.txt 2>/dev/null
echo "== $1 $(date +%H:%M) $(grep -E "^ ybw .*[0-9]\.[0-9]" v/$1.txt | head -1) $(grep -E "^ ybw " v/$1.txt | sed -n 2p)" >> v/res.txt
