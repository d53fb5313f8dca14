# two real threads of ybw (code of this commit), everything else frozen; then stops and games with 16 threads on 2 cores
cd ./real
date > now/times
for r in 1 2; do for h in 256 64; do
../new2 scaling --positions depths.epd --depths depths.epd --schemes ybw --threads 2 --repeats 1 --load --hash $h --out now/h$h-$r > now/h$h-$r.txt 2> now/h$h-$r.err
date >> now/times; done; done
cd ./main; python3 bench/runs/2026-11-22-crowd/stops.py ./new2 ybw hybrid lazy > ./real/now/stops.txt 2>&1; date >> ./real/now/times
B=./new2; cd ./real/now
$B tournament --engine "name=hybrid16 cmd=$B args=uci option.Scheme=hybrid" --engine "name=ybw16 cmd=$B args=uci option.Scheme=ybw" --each "tc=1+0.01 hash=16 threads=16" --rounds 100 --openings ./data/books/8moves_v3.pgn.zip --random --seed 31 --budget 16 --no-affinity --maxmoves 250 --draw "movenumber=40 movecount=8 score=8" --resign "movecount=4 score=600" --pgn games.pgn --journal j.jsonl --json > games.json 2> games.err
date >> times
