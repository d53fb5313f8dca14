#!/usr/bin/env bash
# Builds the program with a profile of what it does (profile-guided optimisation, PGO): an instrumented build runs a bit
# of everything that has to be fast, and the second build knows from that which branches are taken and which calls are
# worth inlining. The search is the same, and so is its signature.
#
#   pgo.sh TARGET_DIR [CPU]    leaves TARGET_DIR/release/firstborn; CPU: x86-64-v2 by default
#
# Needs llvm-profdata of the compiler's LLVM: `rustup component add llvm-tools`, or Debian's package llvm-22. Exit
# status 3 where it is absent.
set -euo pipefail
cd "$(dirname "$0")/../../.."
target=$1
cpu=${2:-x86-64-v2}

# What comes with the compiler can read its profiles; another one must be of the same LLVM.
profdata() {
    local host major own
    host=$(rustc -vV | sed -n 's/^host: //p')
    major=$(rustc -vV | sed -n 's/^LLVM version: \([0-9]*\).*/\1/p')
    own=$(rustc --print sysroot)/lib/rustlib/$host/bin/llvm-profdata
    if [ -x "$own" ]; then
        echo "$own"
    else
        command -v "llvm-profdata-$major"
    fi
}
merge=$(profdata) || {
    echo "pgo: no llvm-profdata for this compiler (rustup component add llvm-tools)" >&2
    exit 3
}

profiles=$PWD/$target/profiles
rm -rf "$profiles"
mkdir -p "$profiles"
# In a target folder of its own, or every object built for the one would be built anew for the other.
RUSTFLAGS="-C target-cpu=$cpu -C profile-generate=$profiles" \
    cargo build --release --locked --package firstborn --target-dir "$target/instrumented"
program=$target/instrumented/release/firstborn

# Everything of which the speed matters; what is not run here is compiled for size.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$program" bench >"$work/log"
"$program" bench --eval classic --depth 8 >>"$work/log"
"$program" bench --parallel >>"$work/log"
for scheme in lazy ybw abdada pvsplit rootsplit hybrid; do
    "$program" analyze --scheme "$scheme" --threads 2 --hash 16 --depth 12 >>"$work/log"
done
"$program" perft 5 >>"$work/log"
"$program" datagen --games 40 --nodes 600 --threads 1 --seed 1 --out "$work/games.fbg" >>"$work/log" 2>&1
"$program" data "$work/games.fbg" >>"$work/log"
"$program" train "$work/games.fbg" --hidden 256 --epochs 2 --batch 256 --threads 2 --out "$work/trained.net" \
    >>"$work/log" 2>&1
"$merge" merge --output "$profiles/merged" "$profiles"

RUSTFLAGS="-C target-cpu=$cpu -C profile-use=$profiles/merged" \
    cargo build --release --locked --package firstborn --target-dir "$target"
