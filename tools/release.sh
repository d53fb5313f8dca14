#!/usr/bin/env bash
# Makes a release of the commit at hand: checks that it can be one, dates the changelog, sets the version, commits and tags.
#
#   tools/release.sh 1.0.0 [--dry-run]
#
# Nothing is pushed. Afterwards `make dist` makes the files.
set -euo pipefail
cd "$(dirname "$0")/.."
version=${1:?say which version, as in 1.0.0}
dry=${2:-}
fail() {
    echo "release: $*" >&2
    exit 1
}
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || fail "'$version' is not a version: MAJOR.MINOR.PATCH"
[[ -z $dry || $dry == --dry-run ]] || fail "unknown option '$dry'"
short=${version%.0}
git rev-parse -q --verify "refs/tags/v$version" >/dev/null && fail "the tag v$version exists"
[[ -z $(git status --porcelain) ]] || fail "the working tree has changes; commit or drop them"
grep -q "^## $short (unreleased)$" CHANGELOG.md || fail "CHANGELOG.md has no section '## $short (unreleased)'"
if [[ $dry ]]; then
    echo "release: v$version could be made of $(git rev-parse --short HEAD)"
    exit 0
fi
sed -i "s/^## $short (unreleased)$/## $short ($(date +%Y-%m-%d))/" CHANGELOG.md
sed -i "/^\[workspace.package\]/,/^\[/s/^version = \".*\"/version = \"$version\"/" Cargo.toml
cargo update --workspace --offline --quiet
signature=$(cargo run --release --locked --quiet -- bench | tail -n 1 | cut -d' ' -f1)
git commit -qam "Release $version

Bench: $signature"
git tag -a "v$version" -m "Firstborn $version"
echo "release: v$version is tagged; make dist makes its files"
