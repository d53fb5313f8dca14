#!/usr/bin/env bash
# Makes what is released, in dist/: for each x86-64 level an archive with the stripped program, manual pages, completions,
# xboard's engine files, licences and documentation; a Debian package, if cargo-deb is installed; checksums.
#
#   tools/dist.sh [LEVEL...]     default: x86-64-v2 x86-64-v3
#
# The same commit and compiler give the same archives: times are those of the commit, files belong to root
# and may be read by all, and the program does not tell where its sources lay.
set -euo pipefail
umask 022
cd "$(dirname "$0")/.."
levels=("$@")
((${#levels[@]})) || levels=(x86-64-v2 x86-64-v3)
version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml)
when=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH=$when
out=dist
rm -rf "$out"
mkdir -p "$out"

# What goes beside the program in an archive.
share() {
    local program=$1 to=$2
    mkdir -p "$to/man" "$to/completions" "$to/xboard"
    "$program" man --out "$to/man" >/dev/null
    for shell in bash zsh fish; do
        "$program" completions "$shell" >"$to/completions/firstborn.$shell"
    done
    cp packaging/firstborn-xboard.eng packaging/firstborn-uci.eng packaging/firstborn.png "$to/xboard/"
    cp LICENSE README.md CHANGELOG.md "$to/"
    # What git has of the folder, and nothing that lies there besides.
    git ls-files -z -- docs | xargs -0 cp --parents --target-directory "$to"
    python3 tools/licences.py >"$to/LICENCES.txt"
    cp "$(rustc --print sysroot)/share/doc/rust/COPYRIGHT-library.html" "$to/LICENCES-rust.html"
    # Files of a checkout may be closed to others.
    chmod -R u=rwX,go=rX "$to"
}

# With separators that no folder's name has. Variables take the place of the flags in .cargo/config.toml, which are those
# for the processor.
cargo_home=${CARGO_HOME:-$HOME/.cargo}
cargo_home=${cargo_home%/}
checkout=$(pwd -P)
flags() {
    printf '%s\x1f' "--remap-path-prefix=$cargo_home=cargo" "--remap-path-prefix=$checkout=firstborn" -C
    printf 'target-cpu=%s' "$1"
}

for level in "${levels[@]}"; do
    CARGO_ENCODED_RUSTFLAGS=$(flags "$level") cargo build --release --locked --package firstborn --target-dir "target/$level"
    name=firstborn-$version-linux-$level
    mkdir -p "$out/$name"
    strip -o "$out/$name/firstborn" "target/$level/release/firstborn"
    if LC_ALL=C grep -qaF -e "$cargo_home/" -e "$checkout/" "$out/$name/firstborn"; then
        echo "dist: $name: the program holds folders of this machine" >&2
        exit 1
    fi
    share "$out/$name/firstborn" "$out/$name"
    tar --create --sort=name --mtime="@$when" --owner=0 --group=0 --numeric-owner -C "$out" "$name" | gzip -9n >"$out/$name.tar.gz"
    echo "$name: program $(stat -c %s "$out/$name/firstborn") bytes, signature $("$out/$name/firstborn" bench | tail -n 1 | cut -d' ' -f1)"
done

if cargo deb --version >/dev/null 2>&1; then
    # Of the first level, with the stripped program.
    base=$out/firstborn-$version-linux-${levels[0]}
    # What an earlier commit had and this one has not must not be packed.
    rm -rf target/deb
    mkdir -p target/deb
    cp -r "$base/." target/deb/
    gzip -9nf target/deb/man/*.6
    CARGO_TARGET_DIR="target/${levels[0]}" cargo deb --package firstborn --no-build --output "$out/"
else
    echo "dist: SKIPPED the Debian package: cargo-deb is not installed (cargo install cargo-deb)"
fi
(cd "$out" && sha256sum -- *.tar.gz *.deb 2>/dev/null >SHA256SUMS || sha256sum -- *.tar.gz >SHA256SUMS)
cat "$out/SHA256SUMS"
