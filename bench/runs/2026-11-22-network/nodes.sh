#!/bin/bash
# network against classic at 10,000 nodes a move, SPRT [0, 10]
cd ./net/final; fb=./fn3
exec $fb tournament --engine "name=network cmd=$fb args=uci option.EvalFile=./net/e128.net option.Eval=network" --engine "name=classic cmd=$fb args=uci option.Eval=classic" \
 --each nodes=10000 hash=16 threads=1 --openings ./data/books/8moves_v3.pgn.zip --random --seed 51 --format match --rounds 1000 --sprt "elo0=0 elo1=10" --budget 2 --no-affinity \
 --draw movenumber=40 movecount=8 score=8 --resign movecount=4 score=600 --maxmoves 250 --journal nodes.jsonl --pgn nodes.pgn --json > nodes.json 2> nodes.err
