#!/bin/bash
# m3.sh NEW OLD ROUNDS NODES SEED: two binaries by nodes
cd ./m
./fb10f tournament --engine "name=$1 cmd=./$1 args=uci" --engine "name=$2 cmd=./$2 args=uci" --each nodes=$4 hash=16 threads=1 \
  --openings ./data/books/8moves_v3.pgn.zip --random --seed $5 --format match --rounds $3 --sprt "elo0=0 elo1=10" --budget 2 --no-affinity \
  --draw movenumber=40 movecount=6 score=8 --resign movecount=4 score=500 --maxmoves 200 --journal $1-$2.jsonl --json > $1-$2.json 2> $1-$2.err
