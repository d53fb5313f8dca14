#!/bin/bash
# go.sh: two threads over one at 8+0.08, lazy and ybw in turns; goes on where it was stopped
cd /work/main
fb=target/release/firstborn
exec $fb tournament --format gauntlet:1 --engine "name=one cmd=$fb args=uci threads=1" --engine "name=lazy2 cmd=$fb args=uci threads=2 option.Scheme=lazy" --engine "name=ybw2 cmd=$fb args=uci threads=2 option.Scheme=ybw" --each "tc=8+0.08 hash=64" --rounds 100 --openings ../shared/data/books/8moves_v3.pgn.zip --random --seed 22 --budget 2 --maxmoves 250 --draw movenumber=40 movecount=8 score=8 --resign movecount=4 score=600 --journal /tmp/two-threads-games.jsonl --pgn /tmp/two-threads-games.pgn --json
