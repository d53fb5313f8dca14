#!/bin/bash
# Waits for the tuned binary, then matches it against the same search with the untuned weights (fixed nodes).
cd /work/data/match1
until [ -x /work/data/firstborn-new2 ]; do sleep 5; done
sleep 2
cp /work/data/firstborn-new2 ./tuned; cp /work/data/firstborn-lin ./untuned
nice -n 10 ./tuned bench > tuned_bench.txt 2>&1
nice -n 10 ./untuned tournament --engine name=tuned cmd=./tuned --engine name=untuned cmd=./untuned \
  --each nodes=12000 hash=16 threads=1 --openings /work/shared/data/books/8moves_v3.pgn.zip --random --seed 7 \
  --format match --rounds 1000 --sprt "elo0=0 elo1=10" --budget 2 --no-affinity \
  --journal match.jsonl --json > match.json 2> match.err
