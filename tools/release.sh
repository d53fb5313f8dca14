#!/usr/bin/env bash
# Makes a release of the commit at hand: checks that it can be one, dates the changelog, sets the version of the
# program and of the Python package, runs the tests with it, commits and tags.
#
#   tools/release.sh 1.0.0 [--dry-run] [--no-tests]
#
# The tests are README's, in about ten minutes; --no-tests leaves them out. What fails before the commit leaves the tree
# as it was. Nothing is pushed. Afterwards `make dist` makes the files.
set -euo pipefail
cd "$(dirname "$0")/.."
version=${1:?say which version, as in 1.0.0}
fail() {
    echo "release: $*" >&2
    exit 1
}
dry='' tests=yes
for option in "${@:2}"; do
    case $option in
        --dry-run) dry=yes ;;
        --no-tests) tests='' ;;
        *) fail "unknown option '$option'" ;;
    esac
done
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || fail "'$version' is not a version: MAJOR.MINOR.PATCH"
short=${version%.0}
git rev-parse -q --verify "refs/tags/v$version" >/dev/null && fail "the tag v$version exists"
[[ -z $(git status --porcelain) ]] || fail "the working tree has changes; commit or drop them"
grep -q "^## $short (unreleased)$" CHANGELOG.md || fail "CHANGELOG.md has no section '## $short (unreleased)'"
if [[ $dry ]]; then
    echo "release: v$version could be made of $(git rev-parse --short HEAD)"
    exit 0
fi

changed=(CHANGELOG.md Cargo.toml Cargo.lock fuzz/Cargo.lock python/pyproject.toml)
trap 'git checkout --quiet HEAD -- "${changed[@]}"' EXIT # After the commit this changes nothing.
set_version() { # FILE TABLE
    sed -i "/^\[$2\]/,/^\[/s/^version = \".*\"/version = \"$version\"/" "$1"
    grep -qxF "version = \"$version\"" "$1" || fail "$1 has no version in [$2]"
}
sed -i "s/^## $short (unreleased)$/## $short ($(date +%Y-%m-%d))/" CHANGELOG.md
set_version Cargo.toml workspace.package
set_version python/pyproject.toml project
cargo update --workspace --offline --quiet
cargo update --workspace --offline --quiet --manifest-path fuzz/Cargo.toml ||
    fail "fuzz/Cargo.lock is not brought up to date; first run cargo fetch --manifest-path fuzz/Cargo.toml"
signature=$(cargo run --release --locked --quiet -- bench | tail -n 1 | cut -d' ' -f1)
if [[ $tests ]]; then
    echo "release: running the tests, about ten minutes; --no-tests leaves them out"
    # Not of a program that the environment names: it may be of another version.
    env -u FIRSTBORN_BINARY cargo test --workspace --locked || fail "v$version is not tagged: its tests fail"
fi
git commit -qm "Release $version

Bench: $signature" -- "${changed[@]}"
git tag -a "v$version" -m "Firstborn $version"
echo "release: v$version is tagged; make dist makes its files"
