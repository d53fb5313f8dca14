#!/usr/bin/env bash
# Time to depth over positions: two ranks of one thread against one thread and against two threads of `lazy`,
# interleaved, each from an empty table. For a machine that does nothing else. Writes CSV to standard output.
#
#   tools/cluster/measure.sh FIRSTBORN POSITIONS.epd [REPEATS [DEPTH]]
#
# FIRSTBORN is a release build with --features mpi.
set -euo pipefail
firstborn=$(realpath "${1:?which program?}")
positions=${2:?which positions?}
repeats=${3:-3}
depth=${4:-16}
export OMPI_MCA_hwloc_base_binding_policy=none OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# Milliseconds, nodes, and entries received, probed and cut over all ranks.
figures() {
    python3 -c '
import json, sys
found = json.load(sys.stdin)
ranks = found.get("ranks", [])
total = [sum(rank[name] for rank in ranks) for name in ("received", "probed", "cut")]
print(found["time_ms"], found["nodes"], *total, sep=",")'
}

echo "repeat,position,who,time_ms,nodes,received,probed,cut"
for ((repeat = 1; repeat <= repeats; repeat++)); do
    number=0
    while read -r board side castling passant _; do
        [[ -n $board && $board != \#* ]] || continue
        number=$((number + 1))
        fen="$board $side $castling $passant 0 1"
        common=(analyze "$fen" --hash 64 --depth "$depth" --json)
        echo "$repeat,$number,one,$("$firstborn" "${common[@]}" --scheme serial </dev/null | figures)"
        echo "$repeat,$number,lazy,$("$firstborn" "${common[@]}" --scheme lazy --threads 2 </dev/null | figures)"
        echo "$repeat,$number,ranks,$(mpirun -n 2 "$firstborn" "${common[@]}" --scheme serial </dev/null | figures)"
    done <"$positions"
done
