#!/bin/bash
# go.sh BINARY JOURNAL: two threads over one at 8+0.08, lazy and ybw in turns, one game at a time; goes on where it was stopped
fb=$1
exec $fb tournament --format gauntlet:1 --engine "name=one cmd=$fb args=uci threads=1" --engine "name=lazy2 cmd=$fb args=uci threads=2 option.Scheme=lazy" --engine "name=ybw2 cmd=$fb args=uci threads=2 option.Scheme=ybw" --each "tc=8+0.08 hash=64" --rounds 100 --openings ../shared/data/books/8moves_v3.pgn.zip --random --seed 23 --budget 2 --maxmoves 250 --draw movenumber=30 movecount=6 score=10 --resign movecount=3 score=500 --journal $2.jsonl --pgn $2.pgn --json > $2.json 2> $2.err
