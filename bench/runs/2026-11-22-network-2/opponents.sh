#!/bin/bash
cd ./main; o=./after9
for e in toga2 glaurung gnuchess; do SEED=23 timeout -s INT 190 bash bench/runs/2026-11-21-opponents/play.sh $e 30 $o/$e ./fb9 > $o/$e.json 2> $o/$e.err; done
