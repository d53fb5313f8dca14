#!/bin/bash
# m2.sh NEW OLD ROUNDS ELO0 ELO1: fixed 8,000 nodes
cd ./m
./m/g1 tournament --engine name=$1 cmd=./$1 proto=uci --engine name=$2 cmd=./$2 proto=uci --each nodes=8000 hash=8 threads=1 \
  --openings ./data/books/8moves_v3.pgn.zip --random --seed ${6:-11} --format match --rounds $3 --sprt "elo0=$4 elo1=$5" --budget 2 --no-affinity \
  --draw movenumber=40 movecount=6 score=8 --resign movecount=4 score=500 --maxmoves 200 --journal $1-$2.jsonl --json > $1-$2.json 2> $1-$2.err
