#!/bin/bash
# go.sh NEW OLD ROUNDS SEED [TC]: at a clock, SPRT [0, 10], one game on each core; goes on where it was stopped
cd ./tm; tc=${5:-2+0.02}; o=$1-$2-${tc%%+*}
exec ./fb8 tournament --engine "name=$1 cmd=./m/$1 args=uci" --engine "name=$2 cmd=./m/$2 args=uci" \
 --each tc=$tc hash=16 threads=1 --openings ./data/books/8moves_v3.pgn.zip --random --seed $4 --format match --rounds $3 --sprt "elo0=0 elo1=10" --budget 2 \
 --draw movenumber=40 movecount=8 score=8 --resign movecount=4 score=600 --maxmoves 250 --journal $o.jsonl --json > $o.json 2> $o.err
