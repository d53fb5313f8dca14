#!/bin/bash
# p.sh NAME ROUNDS SEED NODES "options of the new": a tuning build with other numbers against itself
cd ./m
./fb8 tournament --engine "name=$1 cmd=./tun args=uci $5" --engine "name=tun cmd=./tun args=uci" --each nodes=$4 hash=16 threads=1 \
  --openings ./data/books/8moves_v3.pgn.zip --random --seed $3 --format match --rounds $2 --sprt "elo0=0 elo1=10" --budget 2 --no-affinity \
  --draw movenumber=40 movecount=6 score=8 --resign movecount=4 score=500 --maxmoves 200 --journal p-$1.jsonl --json > p-$1.json 2> p-$1.err
