#!/usr/bin/env bash
# Runs the tests of smp under ThreadSanitizer, which reports data races.
#
#   tools/platforms/threads.sh [FOLDER [FILTER...]]     FOLDER: downloads and builds, 3 GB; default target/platforms
#
# Use a machine with two cores or more: on one a planted race was found in five of six runs or fewer, on two in all.
# Says SKIPPED and why where something is missing.
name=threads
. "$(dirname "$0")/common.sh"
shift $(($# > 0))
[ "$(uname -m)" = x86_64 ] || skip "written for x86-64"
standard_library

target=x86_64-unknown-linux-gnu
export RUSTFLAGS="-Zsanitizer=thread -Ctarget-cpu=x86-64-v2"
# A long history keeps the place of the first of two accesses.
export TSAN_OPTIONS="history_size=7 halt_on_error=0 exitcode=66"
log=$folder/$name.log
filters=("$@")
((${#filters[@]})) || filters=("")
status=0
: >"$log"
for filter in "${filters[@]}"; do
    nightly test "$target" --package smp -- --test-threads 1 $filter >>"$log" 2>&1 || status=$?
done
grep '^test result' "$log" | sed "s/^/$name: /" || { tail -n 30 "$log"; }
echo "$name: $(grep -c 'WARNING: ThreadSanitizer' "$log" || true) reports; all of it in $log"
exit "$status"
