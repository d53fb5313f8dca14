cd ./crowd
B=./bin/ra
(while :; do date +%s; head -1 /proc/stat; sleep 1; done > steal.txt) & S=$!
date > times.txt
$B tournament --engine "name=hybrid16 cmd=$B args=uci option.Scheme=hybrid" --engine "name=ybw16 cmd=$B args=uci option.Scheme=ybw" --each "tc=1+0.01 hash=16 threads=16" --rounds 100 --openings ./data/books/8moves_v3.pgn.zip --random --seed 17 --budget 16 --no-affinity --maxmoves 250 --draw "movenumber=40 movecount=8 score=8" --resign "movecount=4 score=600" --pgn games.pgn --json > out.json 2> err.txt
date >> times.txt
kill $S
cd ./main && python3 bench/runs/2026-11-22-crowd/stops.py $B ybw hybrid > ./crowd/stops.txt 2>&1
date >> ./crowd/times.txt
