#!/usr/bin/env bash
# Scaling on real cores, chunk by chunk of the positions, each beside its own searches of one thread.
#   run.sh FIRSTBORN OUT CHUNK.epd..
# The chunks are positions.epd in parts of eight.
set -euo pipefail
firstborn=${1:?which program?}
out=${2:?which folder?}
shift 2
number=0
for chunk in "$@"; do
    common=(--positions "$chunk" --depths "$chunk" --load --hash 256 --seed 1 --no-signature)
    "$firstborn" scaling "${common[@]}" --schemes hybrid --threads 4,8,16 --out "$out/h1$number"
    "$firstborn" scaling "${common[@]}" --schemes lazy --threads 16 --out "$out/l1$number"
    number=$((number + 1))
done
