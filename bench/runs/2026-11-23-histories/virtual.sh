#!/bin/bash
# v.sh NAME BIN ENV THREADS [more]
env $3 ./$2 scaling --clock virtual --schemes ${6:-ybw} --threads $4 --positions ${5:-p240.epd} --limit 300 --depth ${7:-16} --repeats 1 --hash 16 --no-signature --costs node=240,probe=100,split=2500,join=3000,call=2000,wake=3500,jitter=0.5 > v-$1.txt 2>/dev/null
echo "== $1"; grep -E "^ (ybw|lazy|abdada)" v-$1.txt | head -2
