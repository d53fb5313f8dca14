#!/bin/bash
# Kills a tournament with SIGKILL at random moments and lets the same command go on, until it is finished; then checks that
# journal and PGN hold exactly the schedule and that no engine is left, nor one of a tournament that was killed.
#
# Usage: kill_resume.sh FIRSTBORN [RUNS] [ENGINE...]   RUNS tournaments (default 50), each killed at least once.
set -u
firstborn=$1
runs=${2:-50}
shift; shift
engines=("$@")
[ ${#engines[@]} -gt 0 ] || engines=("cmd=/usr/games/toga2 proto=uci" "cmd=/usr/games/fairymax proto=xboard" "cmd=/usr/games/glaurung proto=uci option.Threads=1")
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rounds=2
n=${#engines[@]}
total=$((n * (n - 1) * rounds))
args=()
for engine in "${engines[@]}"; do args+=(--engine "$engine"); done
failed=0
kills=0
# By this in their environment, which they hand on, the processes of a run are known again.
mark=FIRSTBORN_CHECK=kill-resume-$$
left_behind() {
    grep -lzxF "$mark" /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3
}
# An engine whose tournament was killed may take a moment to end.
none_left() {
    local pid tries
    for tries in $(seq 100); do
        [ -z "$(left_behind)" ] && return 0
        sleep 0.1
    done
    for pid in $(left_behind); do
        echo "run $run: left behind: $(tr '\0' ' ' <"/proc/$pid/cmdline")"
        kill -9 "$pid"
    done
    return 1
}
for run in $(seq "$runs"); do
    journal=$work/$run.journal
    pgn=$work/$run.pgn
    killed=0
    while :; do
        env "$mark" "$firstborn" tournament "${args[@]}" --each tc=0.1+0.01 timemargin=1000 --rounds $rounds --maxmoves 40 \
            --oversubscribe --journal "$journal" --pgn "$pgn" --json >"$work/out" 2>"$work/err" &
        pid=$!
        # The first start is killed for certain, later ones with a growing chance of living.
        pause=$(awk -v seed=$RANDOM -v more=$killed 'BEGIN { srand(seed); print 0.05 + rand() * (1 + more) * 1.5 }')
        ( sleep "$pause"; kill -9 $pid ) 2>/dev/null &
        killer=$!
        wait $pid 2>/dev/null
        status=$?
        kill $killer 2>/dev/null
        wait $killer 2>/dev/null
        [ $status -eq 0 ] && break
        if [ $status -ne 137 ]; then
            echo "run $run: status $status: $(cat "$work/err")"
            failed=$((failed + 1))
            break
        fi
        killed=$((killed + 1))
    done
    kills=$((kills + killed))
    none_left || failed=$((failed + 1))
    python3 "$here/check_journal.py" "$journal" "$n" $rounds || { echo "run $run: the journal is wrong"; failed=$((failed + 1)); }
    python3 "$here/check_pgn.py" "$pgn" $total >"$work/check" || { echo "run $run: $(cat "$work/check")"; failed=$((failed + 1)); }
done
echo "$runs tournaments of $total games, $kills kills, $failed failures"
[ $failed -eq 0 ]
