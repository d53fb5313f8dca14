#!/bin/bash
# go.sh BINARY SCHEME JOURNAL: two threads of SCHEME over one thread at 8+0.08, one game at a time; goes on where it was stopped.
# Run in the project's checkout, with ../shared beside it.
fb=$1
exec $fb tournament --format gauntlet:1 --engine "name=one cmd=$fb args=uci threads=1" --engine "name=${2}2 cmd=$fb args=uci threads=2 option.Scheme=$2" --each "tc=8+0.08 hash=64" --rounds 100 --openings ../shared/data/books/8moves_v3.pgn.zip --random --seed 2511 --budget 2 --maxmoves 250 --draw movenumber=30 movecount=6 score=10 --resign movecount=3 score=500 --journal $3.jsonl --pgn $3.pgn --json > $3.json 2> $3.err
