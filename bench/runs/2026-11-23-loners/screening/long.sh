#!/bin/bash
# long.sh NAME "ENV" THREADS HALF BIN SCHEME SEED
cd ./v
env $2 ./bin/$5 scaling --clock virtual --schemes ${6:-ybw} --threads $3 --positions $4 --depths ${8:-depths.epd} --repeats 1 --hash 64 --seed ${7:-1} --no-signature --costs node=240,probe=100,split=900,join=3000,call=2000,wake=3500,jitter=0.5 --out L-$1 > L-$1.txt 2>/dev/null
echo "== L $1 $(date +%H:%M) $(grep -E "^ (ybw|lazy|abdada|hybrid) .*[0-9]\.[0-9]" L-$1.txt | head -3| tr '\n' ' ')" >> res.txt
