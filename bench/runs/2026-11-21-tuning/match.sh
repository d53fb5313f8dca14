#!/bin/bash
# match.sh NEW OLD: two builds of the engine against each other at fixed nodes, until the sequential test is decided.
nice -n 12 "$2" tournament --engine name=new cmd="$1" --engine name=old cmd="$2" --each nodes=12000 hash=8 threads=1 \
    --openings ../shared/data/books/8moves_v3.pgn.zip --random --seed 7 --format match --rounds 1000 \
    --sprt "elo0=0 elo1=10" --budget 2 --no-affinity \
    --draw movenumber=40 movecount=6 score=8 --resign movecount=4 score=500 --maxmoves 200 --json
