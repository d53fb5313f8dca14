#!/usr/bin/env bash
# Builds Firstborn for 64-bit Arm (aarch64-unknown-linux-gnu) and checks it under qemu's user mode: check.py.
#
#   tools/platforms/arm.sh [FOLDER]     FOLDER: downloads and builds, 3 GB; default target/platforms
#
# Says SKIPPED and why where something is missing.
name=arm
. "$(dirname "$0")/common.sh"
need aarch64-linux-gnu-gcc gcc-aarch64-linux-gnu libc6-dev-arm64-cross
need qemu-aarch64-static qemu-user-static
need python3 python3
[ -e /usr/aarch64-linux-gnu/lib/libc.so.6 ] || skip "there is no C library for Arm here (Debian: apt-get install libc6-dev-arm64-cross)"
standard_library
echo "$name: $(qemu-aarch64-static --version | head -n 1), $(aarch64-linux-gnu-gcc --version | head -n 1)"

export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
build aarch64-unknown-linux-gnu
python3 tools/platforms/check.py --system arm --folder "$folder/work-$name" \
    --program "$folder/build/aarch64-unknown-linux-gnu/debug/firstborn" -- qemu-aarch64-static -L /usr/aarch64-linux-gnu
