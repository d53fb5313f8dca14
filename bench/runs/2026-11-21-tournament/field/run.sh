#!/bin/bash
# The field: every Debian engine of both protocols against every other, one encounter of two games each.
# Usage: run.sh FIRSTBORN DIRECTORY
firstborn=$1
out=$2
games=/usr/games
"$firstborn" tournament \
    --engine name=stockfish cmd=$games/stockfish proto=uci --engine name=toga2 cmd=$games/toga2 proto=uci \
    --engine name=glaurung cmd=$games/glaurung proto=uci option.Threads=1 \
    --engine name=gnuchess cmd=$games/gnuchess args="--uci" proto=uci \
    --engine name=phalanx cmd=$games/phalanx proto=xboard --engine name=fairymax cmd=$games/fairymax proto=xboard \
    --engine name=sjeng cmd=$games/sjeng proto=xboard --engine name=hoichess cmd=$games/hoichess proto=xboard \
    --each tc=5+0.05 timemargin=200 --rounds 1 --budget 2 --maxmoves 200 --event "Debian's engines" \
    --journal "$out/field.journal" --pgn "$out/field.pgn" --report "$out/field.html" --json >"$out/field.json"
