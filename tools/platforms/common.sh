# What the scripts of this folder share; read by them, not run. Each is called with a folder for downloads and builds,
# target/platforms by default, and sets `name` before.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
folder=${1:-$root/target/platforms}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
cd "$root"

# Ends the script where it cannot run, and says why.
skip() {
    echo "$name: SKIPPED: $*"
    exit 0
}

# need PROGRAM PACKAGE...: skips unless the program is there.
need() {
    local program=$1
    shift
    command -v "$program" >/dev/null || skip "there is no $program here (Debian: apt-get install --no-install-recommends $*)"
}

# The sources of the standard library, which a nightly cargo compiles for another system: the toolchain's own component,
# or those of Debian's package rust-src, unpacked and not installed. A nightly compiles the library of a version near its
# own only.
standard_library() {
    rustc +nightly --version >/dev/null 2>&1 || skip "there is no nightly toolchain (rustup toolchain install nightly)"
    echo "$name: $(rustc +nightly --version)"
    [ ! -e "$(rustc +nightly --print sysroot)/lib/rustlib/src/rust/library/Cargo.lock" ] || return 0
    local place=$folder/rust-src
    if ! compgen -G "$place/src/usr/src/rustc-*/library" >/dev/null; then
        command -v apt-get >/dev/null || skip "the nightly toolchain has no rust-src and this is not Debian (rustup component add rust-src)"
        local mirror
        mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | grep -oE 'https?://[^ ]+/debian/?( |$)' | head -n 1 | tr -d ' ') || true
        mkdir -p "$place/lists/partial" "$place/cache/archives/partial"
        printf 'Types: deb\nURIs: %s\nSuites: sid\nComponents: main\nSigned-By: /usr/share/keyrings/debian-archive-keyring.gpg\n' \
            "${mirror:-http://deb.debian.org/debian}" >"$place/sid.sources"
        local options=(-o "Dir::Etc::sourcelist=$place/sid.sources" -o Dir::Etc::sourceparts=/dev/null
            -o "Dir::State::Lists=$place/lists" -o "Dir::Cache=$place/cache")
        (cd "$place" && apt-get -q "${options[@]}" update && apt-get -q "${options[@]}" download rust-src) >"$place/log" 2>&1 ||
            skip "Debian's package rust-src cannot be had ($(tail -n 1 "$place/log"))"
        dpkg -x "$place"/rust-src_*.deb "$place/src"
    fi
    local library
    library=$(compgen -G "$place/src/usr/src/rustc-*/library" | tail -n 1)
    echo "$name: standard library of ${library%/library}" | sed "s|$place/src/usr/src/||"
    export __CARGO_TESTS_ONLY_SRC_ROOT=$library
}

# nightly COMMAND TARGET ARGUMENT...: cargo for another system, with its standard library.
nightly() {
    local command=$1 target=$2
    shift 2
    CARGO_TARGET_DIR=$folder/build cargo +nightly "$command" --config "$root/.ci/cargo.toml" --locked \
        -Zbuild-std=std,panic_unwind --target "$target" "$@"
}

# build TARGET: the program for another system.
build() {
    if ! nightly build "$1" --package firstborn >"$folder/$name-build.log" 2>&1; then
        # A nightly and a library that do not fit are no fault of ours.
        if grep -qE 'could not compile `(core|alloc|std|compiler_builtins|panic_unwind)`' "$folder/$name-build.log"; then
            skip "this nightly does not compile that standard library; see $folder/$name-build.log"
        fi
        tail -n 40 "$folder/$name-build.log"
        echo "$name: FAULT: the build failed"
        exit 1
    fi
    local warnings
    warnings=$(grep -c '^warning' "$folder/$name-build.log") || true
    echo "$name: built, $warnings warnings"
}
