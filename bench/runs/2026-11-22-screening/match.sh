#!/bin/bash
# mt.sh NAME ROUNDS SEED NODES "options of A" "options of B" [BIN_A BIN_B]
cd ./scr
A=${7:-./x2}; B=${8:-./x2}
nice -n 5 ./fb16 tournament --engine "name=$1 cmd=$A args=uci $5" --engine "name=base cmd=$B args=uci $6" --each nodes=$4 hash=16 threads=1 \
  --openings ./data/books/8moves_v3.pgn.zip --random --seed $3 --format match --rounds $2 --budget 2 --no-affinity \
  --draw movenumber=40 movecount=6 score=8 --resign movecount=4 score=500 --maxmoves 200 --json > m-$1.json 2> m-$1.err
python3 -c "
import json; d=json.load(open('m-$1.json')); x=d['crosstable'][0][1]; print('$1',d['games'],x['wins'],x['draws'],x['losses'],d['match']['elo'],d['match']['elo_error'])"
