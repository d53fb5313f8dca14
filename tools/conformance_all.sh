#!/usr/bin/env bash
# Checks Firstborn and every engine of Debian's that is installed against the rules of its protocols.
#   tools/conformance_all.sh FIRSTBORN OUT
# One JSON document for each goes to OUT, and a table of them to standard output. Fifteen minutes on an idle machine; on a
# busy one the rules about seconds say more about the machine than about the engine.
set -euo pipefail
firstborn=$1
out=$2
mkdir -p "$out"

check() { # NAME PROTOCOL COMMAND
    local name=$1 protocol=$2
    shift 2
    local program=$1 file=$out/$name-$protocol.json
    # All of it may be a path with blanks; otherwise arguments follow the program.
    [ -x "$program" ] || program=${1%% *}
    [ -x "$program" ] || { echo "$name: SKIPPED, $program is not installed" >&2; return; }
    rm -f "$file"
    # A broken rule is a result here, not a failure. Without a document there is no result.
    "$firstborn" conformance --patience 20 --proto "$protocol" --cmd "$1" --json >"$file.new" || true
    if [ -s "$file.new" ]; then
        mv "$file.new" "$file"
    else
        rm "$file.new"
        echo "$name: FAULT, there is no result for $protocol" >&2
    fi
}

check firstborn uci "$(realpath "$firstborn")"
check firstborn xboard "$(realpath "$firstborn")"
check stockfish uci /usr/games/stockfish
check toga2 uci /usr/games/toga2
check glaurung uci /usr/games/glaurung
check gnuchess uci "/usr/games/gnuchess --uci"
check gnuchess xboard "/usr/games/gnuchess --xboard"
check phalanx xboard /usr/games/phalanx
check fairymax xboard /usr/games/fairymax
check sjeng xboard /usr/games/sjeng
check hoichess xboard /usr/games/hoichess

python3 - "$out" <<'PYTHON'
import json, pathlib, sys

print("| engine | protocol | kept | broken | not offered |\n|---|---|---|---|---|")
for path in sorted(pathlib.Path(sys.argv[1]).glob("*.json")):
    rules = json.loads(path.read_text())["rules"]
    kinds = [sum(rule["passed"] is kind for rule in rules) for kind in (True, False, None)]
    name, protocol = path.stem.rsplit("-", 1)
    print(f"| {name} | {protocol} | " + " | ".join(map(str, kinds)) + " |")
PYTHON
