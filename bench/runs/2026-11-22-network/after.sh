#!/bin/bash
cd ./main; fb=./fb8; o=./after; S=../shared/data
bash ./rate/ab2.sh ./fb7 ./fb8 6 > $o/bench.txt 2>&1
python3 bench/runs/2026-11-21-opponents/rate_against.py $S/epd/bratko-kopec.epd 2 500 $fb uci -- /usr/games/stockfish > $o/rate.json 2> $o/rate.err
date > $o/t1
timeout 400 $fb suite $S/epd/wac.epd --movetime 1000 --threads 1 --hash 64 > $o/wac.txt 2>&1
date > $o/t2
ELO=2850 SEED=21 timeout -s INT 500 bash bench/runs/2026-11-21-opponents/play.sh stockfish 75 $o/stockfish $fb > $o/stockfish.json 2> $o/stockfish.err
SEED=21 timeout -s INT 400 bash bench/runs/2026-11-21-opponents/play.sh toga2 40 $o/toga2 $fb > $o/toga2.json 2> $o/toga2.err
date > $o/t3
