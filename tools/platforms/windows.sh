#!/usr/bin/env bash
# Builds Firstborn for Windows (x86_64-pc-windows-gnu) and checks it under Wine: the tests of sys, and check.py.
#
#   tools/platforms/windows.sh [FOLDER]     FOLDER: downloads and builds, 3 GB; default target/platforms
#
# Says SKIPPED and why where something is missing.
name=windows
. "$(dirname "$0")/common.sh"
need x86_64-w64-mingw32-gcc gcc-mingw-w64-x86-64
need wine wine wine64
need python3 python3
standard_library

export WINEPREFIX=$folder/wine WINEARCH=win64 WINEDEBUG=-all
if [ ! -e "$WINEPREFIX/system.reg" ]; then
    wineboot --init >"$folder/wineboot.log" 2>&1 || skip "Wine makes no prefix here; see $folder/wineboot.log"
fi
wineserver --wait
# Programs see the tree and the folder, and not the whole file system: /proc and /sys would answer what Windows does not.
rm -f "$WINEPREFIX/dosdevices/z:"
ln -sfn "$root" "$WINEPREFIX/dosdevices/r:"
ln -sfn "$folder" "$WINEPREFIX/dosdevices/s:"
system=$WINEPREFIX/drive_c/windows/system32
if [ ! -e "$system/bcryptprimitives.dll" ]; then
    x86_64-w64-mingw32-gcc -O2 -Wall -shared -o "$system/bcryptprimitives.dll" tools/platforms/bcryptprimitives.c -ladvapi32
fi
echo "$name: $(wine --version), $(x86_64-w64-mingw32-gcc --version | head -n 1)"

build x86_64-pc-windows-gnu
# Work that may fail under Wine only is told from faults by hand; these tests are to pass.
export CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER=wine
nightly test x86_64-pc-windows-gnu --package sys -- --test-threads 2 >"$folder/$name-sys.log" 2>&1 ||
    { grep -E '^(test .*FAILED|test result|error)|panicked' "$folder/$name-sys.log" || tail -n 30 "$folder/$name-sys.log"; sys=failed; }
grep '^test result' "$folder/$name-sys.log" | sed "s/^/$name: sys: /" || true

python3 tools/platforms/check.py --system windows --folder "$folder/work-$name" \
    --program "$folder/build/x86_64-pc-windows-gnu/debug/firstborn.exe" -- wine
[ -z "${sys:-}" ] || { echo "$name: FAULT: tests of sys fail"; exit 1; }
