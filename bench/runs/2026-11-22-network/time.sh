#!/bin/bash
# network against classic at 2+0.02, SPRT [0, 10], one game on each core; goes on where it was stopped
cd ./net/final; fb=./fb8
exec $fb tournament --engine "name=network cmd=$fb args=uci" --engine "name=classic cmd=$fb args=uci option.Eval=classic" \
 --each tc=2+0.02 hash=16 threads=1 --openings ./data/books/8moves_v3.pgn.zip --random --seed 52 --format match --rounds 1000 --sprt "elo0=0 elo1=10" --budget 2 \
 --draw movenumber=40 movecount=8 score=8 --resign movecount=4 score=600 --maxmoves 250 --journal time.jsonl --pgn time.pgn --json > time.json 2> time.err
