#!/usr/bin/env bash
# Installs the Debian package (`make dist`) in a clean Debian 12 and checks what it brings: the program, its manual pages,
# completions, its place in xboard's list of engines; then removes it and checks that nothing is left.
#
#   tools/platforms/package.sh FILE.deb [FOLDER]     FOLDER: the system, 500 MB; default target/platforms
#
# Needs root, for chroot. Says SKIPPED and why where something is missing.
name=package
package=$(realpath "${1:?which package? tools/platforms/package.sh FILE.deb [FOLDER]}")
shift
. "$(dirname "$0")/common.sh"
((EUID == 0)) || skip "chroot needs root"
need debootstrap debootstrap

tree=$folder/debian
if [ ! -e "$tree/installed" ]; then
    rm -rf "$tree"
    debootstrap --variant=minbase bookworm "$tree" >"$folder/debootstrap.log" 2>&1 ||
        skip "debootstrap makes no system here; see $folder/debootstrap.log"
    # Manual pages and documents are left out of small systems; this one is to have them.
    rm -f "$tree"/etc/dpkg/dpkg.cfg.d/*
    touch "$tree/installed"
fi
cp "$package" "$tree/tmp/firstborn.deb"
inside() {
    chroot "$tree" /usr/bin/env -i HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
        PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/usr/games "$@"
}
faults=0
check() {
    local what=$1
    shift
    if "$@" >"$folder/package-check.log" 2>&1; then
        echo "$name: ok    $what$(tail -n 1 "$folder/package-check.log" | cut -c 1-100 | sed 's/^./: &/')"
    else
        echo "$name: FAULT $what: $(tail -n 3 "$folder/package-check.log")"
        faults=$((faults + 1))
    fi
}
check "installs with its dependencies" inside sh -c 'apt-get -q update >/dev/null && apt-get -q -y install --no-install-recommends /tmp/firstborn.deb man-db bash-completion zsh fish >/dev/null && dpkg-query -W firstborn'
check "runs" inside firstborn --version
signature=$(sed -n 's/^const SERIAL: u64 = \(.*\);/\1/p' bench/tests/signature.rs | tr -d _)
check "its signature is $signature" inside sh -c 'last=$(firstborn bench | tail -n 1); echo "$last"; [ "${last%% *}" = "$1" ]' sh "$signature"
# Without /proc, which the system here lacks, it cannot be seen to which processors engines are bound.
check "plays UCI against xboard" inside sh -c 'firstborn tournament --no-affinity --engine cmd=firstborn arg=uci proto=uci --engine cmd=firstborn arg=xboard proto=xboard --each depth=4 --rounds 1 --maxmoves 30 --json | grep -o "\"games\":2"'
check "has a manual page" inside sh -c 'man -P cat firstborn | grep -m 1 firstborn'
check "has a manual page for each command" inside sh -c 'for c in uci tournament bench; do man -w firstborn-$c || exit 1; done'
check "completes in bash" inside bash -c '. /usr/share/bash-completion/bash_completion; _completion_loader firstborn; complete -p firstborn'
check "completes in zsh" inside zsh -c 'autoload -U compinit; compinit -u -D; [[ ${_comps[firstborn]} = _firstborn ]]'
check "completes in fish" inside fish -c 'complete -C "firstborn tour" | string match -e tournament'
check "is in xboard's list, whose command answers" inside sh -c 'cd /usr/share/games/plugins/xboard; set -- $(sed -n 2p firstborn.eng); printf "xboard\nprotover 2\nquit\n" | "$@" | grep -o "myname=[^ ]*"'
check "is in the list of UCI engines, whose command answers" inside sh -c 'cd /usr/share/games/plugins/uci; set -- $(sed -n 2p firstborn.eng); printf "uci\nquit\n" | "$@" | grep ^uciok'
check "leaves nothing when it is removed" inside sh -c 'dpkg -L firstborn >/tmp/files; apt-get -q -y purge firstborn >/dev/null 2>&1; while read -r f; do if [ -f "$f" ]; then echo "$f"; exit 1; fi; done </tmp/files'
((faults == 0))
