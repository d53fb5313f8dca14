#!/bin/bash
# old and new runner, the same engine
for round in 1 2; do for runner in fb-old fb; do
timeout -s INT 25 ./$runner tournament --engine name=uci cmd=./fb-old proto=uci --engine name=xboard cmd=./fb-old proto=xboard --each tc=1+0.01 hash=16 --format match --rounds 1000 --budget 2 --journal ./ov-$runner-$round.j --json > ./ov-$runner-$round.json
done; done
