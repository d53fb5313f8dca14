#!/bin/bash
# n3.sh NAME NET ROUNDS SEED NODES: a network from its file against the program's own (gen2)
cd ./m
./fb13 tournament --engine "name=$1 cmd=./fbB args=uci option.EvalFile=$2" --engine "name=gen2 cmd=./fbB args=uci" --each nodes=$5 hash=16 threads=1 \
  --openings ./data/books/8moves_v3.pgn.zip --random --seed $4 --format match --rounds $3 --budget 2 --no-affinity \
  --draw movenumber=40 movecount=6 score=8 --resign movecount=4 score=500 --maxmoves 200 --journal n-$1.jsonl --json > n-$1.json 2> n-$1.err
