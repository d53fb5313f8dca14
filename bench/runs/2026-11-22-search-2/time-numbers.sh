#!/bin/bash
# tm2.sh NAME ROUNDS SEED "options of the new": a tuning build with other numbers against itself, at a clock
cd ./tm; o=$1-2
exec ./fb8 tournament --engine "name=$1 cmd=./m/tun2 args=uci $4" --engine "name=tun2 cmd=./m/tun2 args=uci" \
 --each tc=2+0.02 hash=16 threads=1 --openings ./data/books/8moves_v3.pgn.zip --random --seed $3 --format match --rounds $2 --sprt "elo0=0 elo1=10" --budget 2 \
 --draw movenumber=40 movecount=8 score=8 --resign movecount=4 score=600 --maxmoves 250 --journal $o.jsonl --json > $o.json 2> $o.err
