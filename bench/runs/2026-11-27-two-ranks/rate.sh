#!/usr/bin/env bash
# Nodes of two ranks of one thread in .7 s a position, with exchange of table entries (`ranks`) and without (`apart`), in turns.
#   rate.sh FIRSTBORN POSITIONS.epd
export OMPI_MCA_hwloc_base_binding_policy=none OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
echo who,position,nodes,ms,bytes
number=0
while read -r board side castling passant _; do
    [[ -n $board && $board != \#* ]] || continue
    number=$((number + 1))
    for who in apart ranks ranks apart; do
        words=(analyze "$board $side $castling $passant 0 1" --hash 64 --movetime 700 --json --scheme serial)
        [[ $who == ranks ]] || words+=(--no-exchange)
        mpirun -n 2 "$1" "${words[@]}" </dev/null | python3 -c '
import json, sys
found = json.load(sys.stdin)
print(*sys.argv[1:], found["nodes"], found["time_ms"], sum(rank["bytes"] for rank in found["ranks"]), sep=",")' "$who" "$number"
    done
done <"$2"
