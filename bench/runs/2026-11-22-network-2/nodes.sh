#!/bin/bash
# m.sh NET ROUNDS NODES [SEED]: NET against classic at fixed nodes, colour-swapped pairs
cd ./net; fb=${FB:-./fb7}
timeout ${T:-900} nice -n ${N:-5} $fb tournament --engine "name=$1 cmd=$fb args=uci option.EvalFile=./net/$1.net option.Eval=network" --engine "name=${2:-classic} cmd=$fb args=uci ${OPP}" --each nodes=$4 hash=8 threads=1 \
  --openings ./data/books/8moves_v3.pgn.zip --random --seed ${5:-11} --format match --rounds $3 --budget 2 --no-affinity \
  --draw movenumber=40 movecount=6 score=8 --resign movecount=4 score=500 --maxmoves 200 --journal $1-$2-$4.jsonl --json > $1-$2-$4.json 2> $1-$2-$4.err
tail -3 $1-$2-$4.err; python3 -c "
import json;d=json.load(open('$1-$2-$4.json'));print(json.dumps(d)[:700])"
