#!/bin/bash
# q.sh NAME "ENV" THREADS DEPTH POS BIN SCHEME
cd ./v
env $2 ./bin/${6:-exp} scaling --clock virtual --schemes ${7:-ybw} --threads $3 --positions ${5:-p240.epd} --limit 300 --depth ${4:-16} --repeats 1 --hash 16 --no-signature --costs node=240,probe=100,split=900,join=3000,call=2000,wake=3500,jitter=0.5 > v-$1.txt 2>/dev/null
echo "== $1 $(date +%H:%M) $(grep -E "^ (ybw|lazy|abdada|hybrid) .*[0-9]\.[0-9]" v-$1.txt | head -3| tr '\n' ' ')" >> res.txt
