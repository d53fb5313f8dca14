#!/usr/bin/env bash
# Time to depth over positions: one thread (`one`), two threads of `lazy`, two ranks of one thread (`ranks`),
# and two ranks that exchange no table entries (`apart`); interleaved, in the opposite order every other
# repeat, each from an empty table. For a machine that does nothing else. Writes CSV to standard output, which
# tools/cluster/summary.py reads.
#
#   tools/cluster/measure.sh FIRSTBORN POSITIONS.epd [REPEATS [DEPTH]]
#
# FIRSTBORN is a release build with --features mpi.
set -euo pipefail
firstborn=$(realpath "${1:?which program?}")
positions=${2:?which positions?}
repeats=${3:-4}
depth=${4:-16}
export OMPI_MCA_hwloc_base_binding_policy=none OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# Milliseconds, nodes, and over all ranks: entries received, probed, cut, results of iterations sent, bytes.
figures() {
    python3 -c '
import json, sys
found = json.load(sys.stdin)
ranks = found.get("ranks", [])
total = [sum(rank[name] for rank in ranks) for name in ("received", "probed", "cut", "results_sent", "bytes")]
print(found["time_ms"], found["nodes"], *total, sep=",")'
}

search() {
    local who=$1
    shift
    case $who in
        one) "$firstborn" "$@" --scheme serial ;;
        lazy) "$firstborn" "$@" --scheme lazy --threads 2 ;;
        ranks) mpirun -n 2 "$firstborn" "$@" --scheme serial ;;
        apart) mpirun -n 2 "$firstborn" "$@" --scheme serial --no-exchange ;;
    esac </dev/null | figures
}

order=(one lazy ranks apart)
echo "repeat,position,who,time_ms,nodes,received,probed,cut,results,bytes"
for ((repeat = 1; repeat <= repeats; repeat++)); do
    number=0
    # The last line may have no end.
    while read -r board side castling passant _ || [[ -n $board ]]; do
        [[ -n $board && $board != \#* ]] || continue
        number=$((number + 1))
        for who in "${order[@]}"; do
            fen="$board $side $castling $passant 0 1"
            found=$(search "$who" analyze "$fen" --hash 64 --depth "$depth" --json)
            echo "$repeat,$number,$who,$found"
        done
    done <"$positions"
    order=("${order[3]}" "${order[2]}" "${order[1]}" "${order[0]}")
done
