#!/bin/sh
# Puts a Firstborn binary and the script that runs it into the current folder. The binary is, in this order, the
# file FIRSTBORN_BINARY, built from the sources in the folder FIRSTBORN_SOURCE, from an archive firstborn-*.tar.gz
# in this folder (built from its sources, or the program of a released one), or the `firstborn` of the search path.
fail() {
    echo "firstborn: $1" >&2
    echo 1 > ~/install-exit-status
    exit 1
}

build() {
    # The suite moves HOME, where rustup keeps its toolchains. macOS has no getent; the shell knows users' folders, too,
    # but not everywhere those of a directory service.
    home=$(getent passwd "$(id -un)" 2>/dev/null | cut -d: -f6)
    [ -n "$home" ] || eval "home=~$(id -un)"
    if [ -d "$home/.rustup" ]; then export RUSTUP_HOME="${RUSTUP_HOME:-$home/.rustup}"; fi
    if [ -d "$home/.cargo" ]; then
        export CARGO_HOME="${CARGO_HOME:-$home/.cargo}"
        PATH=$PATH:$CARGO_HOME/bin
    fi
    (cd "$1" && cargo build --release --locked -p firstborn --target-dir target) || fail "the build in $1 failed"
    cp "$1/target/release/firstborn" firstborn-program || fail "no program was built in $1"
}

archive=$(ls firstborn-*.tar.gz 2>/dev/null | head -n 1)
if [ -n "$FIRSTBORN_BINARY" ]; then
    cp "$FIRSTBORN_BINARY" firstborn-program || fail "FIRSTBORN_BINARY, $FIRSTBORN_BINARY, cannot be copied"
elif [ -n "$FIRSTBORN_SOURCE" ]; then
    build "$FIRSTBORN_SOURCE"
elif [ -n "$archive" ]; then
    mkdir -p source && tar -xzf "$archive" -C source --strip-components=1 || fail "$archive cannot be unpacked"
    if [ -f source/Cargo.toml ]; then
        build source
    elif [ -f source/firstborn ]; then
        cp source/firstborn firstborn-program || fail "the program in $archive cannot be copied"
    else
        fail "$archive has neither the sources nor the program"
    fi
elif installed=$(command -v firstborn); then
    cp "$installed" firstborn-program || fail "$installed cannot be copied"
else
    fail "set FIRSTBORN_SOURCE to a folder with the sources, or FIRSTBORN_BINARY to the program"
fi
chmod +x firstborn-program

cat > firstborn <<'SCRIPT'
#!/bin/sh
# One run: $1 is a number of threads, or `all`; what follows goes to `firstborn speedtest` as it is. The results go
# to the file LOG_FILE, a line each.
threads=${1:-all}
[ $# -gt 0 ] && shift
[ "$threads" = all ] || set -- --threads "$threads" "$@"
cd "$(dirname "$0")" || exit 1
document=$(./firstborn-program speedtest --json "$@" 2> firstborn-errors)
status=$?
speed=$(printf '%s\n' "$document" | sed -n 's/.*"speed":{\([^}]*\)}.*/\1/p')
number() {
    printf '%s\n' "$speed" | tr ',' '\n' | sed -n "s/^\"$1\":\(-\{0,1\}[0-9.]*\)\(e.*\)\{0,1\}$/\1/p"
}
{
    cat firstborn-errors
    echo "Score: $(number score)"
    echo "Speed-up: $(number speedup)"
    echo "Nodes a second: $(number team_nps)"
} > "${LOG_FILE:-/dev/stdout}"
[ -n "$(number score)" ] || status=1
./firstborn-program --version > ~/pts-footnote 2>/dev/null
echo $status > ~/test-exit-status
exit $status
SCRIPT
chmod +x firstborn
echo 0 > ~/install-exit-status
