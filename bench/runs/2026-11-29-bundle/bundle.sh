#!/bin/bash
# bundle.sh NAME NODES BITS0 BITS1 "extra options" : the bundle against the base

nice -n 5 ./trial tournament --engine "name=plus cmd=trial args=uci option.experiment=$3 option.experiment2=$4 $5" --engine "name=minus cmd=trial args=uci" --each "nodes=$2 hash=16 threads=1" --openings 8moves_v3.pgn --random --seed 77 --format match --rounds 20000 --budget 2 --no-affinity --sprt "elo0=0 elo1=5" --maxmoves 200 --draw "movenumber=40 movecount=6 score=8" --resign "movecount=4 score=500" --journal $1.journal > $1.log 2>&1 </dev/null
