#!/usr/bin/env bash
# gen7 against gen5 with one build: match.sh FIRSTBORN GEN7.net OPENINGS.pgn fixed|clock. The same command goes on.
# FIRSTBORN must have gen5 built in, as 49d925e has: a later build would play gen7 against itself.
set -euo pipefail
firstborn=$1 network=$(realpath "$2") openings=$3
case $4 in
    fixed) limits="nodes=10000 tc=inf" more=(--rounds 2000 --seed 72 --sprt "elo0=0 elo1=5") ;;
    clock) limits="tc=2+0.02" more=(--rounds 500 --seed 73) ;;
esac
"$firstborn" tournament --each "$limits hash=16 threads=1" "${more[@]}" \
    --engine "name=gen7 cmd=$firstborn args=uci option.EvalFile=$network" --engine "name=gen5 cmd=$firstborn args=uci" \
    --openings "$openings" --random --budget 2 \
    --draw "movenumber=40 movecount=8 score=10" --resign "movecount=3 score=600 twosided=true" \
    --journal "$4.journal" --pgn "$4.pgn" --json >"$4.json"
