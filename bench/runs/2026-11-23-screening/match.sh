#!/bin/bash
# match.sh NAME ROUNDS SEED NODES "opts A" "opts B" BIN_A BIN_B
cd ./scr2  # results go here, as n-NAME.json
./fb21 tournament --engine "name=$1 cmd=$7 args=uci $5" --engine "name=base cmd=$8 args=uci $6" --each nodes=$4 hash=16 threads=1 \
  --openings ./data/books/8moves_v3.pgn.zip --random --seed $3 --format match --rounds $2 --budget 2 --no-affinity \
  --draw movenumber=40 movecount=6 score=8 --resign movecount=4 score=500 --maxmoves 200 --json > n-$1.json 2> n-$1.err
python3 -c "
import json; d=json.load(open('n-$1.json')); x=d['crosstable'][0][1]; print('$1',d['games'],x['wins'],x['draws'],x['losses'],d['match']['elo'],d['match']['elo_error'],d['match']['pairs'])"
