#!/usr/bin/env bash
# Ranks on hosts of their own, made of network namespaces of this machine: a search over all of them, and a link pulled
# in the middle of one. Needs root, iproute2 and Open MPI; says SKIPPED where it may not run.
#
#   tools/cluster/hosts.sh FIRSTBORN [HOSTS [DELAY_MS [LOSS_PERCENT]]]
#
# FIRSTBORN is a program built with --features mpi. Latency and loss need the kernel's netem; without it the links are
# those of the machine, and a line says so.
set -euo pipefail
firstborn=$(realpath "${1:?which program?}")
hosts=${2:-2}
delay=${3:-1}
loss=${4:-0}
skip() { echo "SKIPPED: $*"; exit 0; }

((EUID == 0)) || skip "network namespaces need root"
for tool in ip tc mpirun; do command -v "$tool" >/dev/null || skip "no $tool"; done
prefix=fb$$
ip netns add "${prefix}h0" 2>/dev/null || skip "no network namespace may be made here"
work=$(mktemp -d)
cleanup() {
    for ((h = 0; h < hosts; h++)); do
        # Nothing of ours stays behind in a namespace.
        { ip netns pids "${prefix}h$h" | xargs -r kill -KILL; ip netns del "${prefix}h$h"; } 2>/dev/null || true
    done
    ip link del "${prefix}br" 2>/dev/null || true
    rm -rf "$work"
}
trap cleanup EXIT

ip link add "${prefix}br" type bridge
ip link set "${prefix}br" up
: >"$work/hosts"
for ((h = 0; h < hosts; h++)); do
    space=${prefix}h$h
    ((h == 0)) || ip netns add "$space"
    ip link add "${prefix}v$h" type veth peer name eth0 netns "$space"
    ip link set "${prefix}v$h" master "${prefix}br" up
    ip -n "$space" link set lo up
    ip -n "$space" addr add "10.77.0.$((h + 1))/24" dev eth0
    ip -n "$space" link set eth0 up
    if ! ip netns exec "$space" tc qdisc add dev eth0 root netem delay "${delay}ms" loss "$loss%" 2>/dev/null; then
        ((h > 0)) || echo "SKIPPED latency and loss: this kernel has no netem"
    fi
    echo "10.77.0.$((h + 1)) slots=1" >>"$work/hosts"
done

# What mpirun calls instead of ssh: the host's address, then a command, run in that host's namespace under its name.
cat >"$work/agent" <<AGENT
#!/usr/bin/env bash
while [[ \$1 == -* ]]; do shift; done
h=\$((\${1##*.} - 1)); shift
exec ip netns exec ${prefix}h\$h unshare --uts sh -c "hostname host\$h; \$*"
AGENT
chmod +x "$work/agent"

run() {
    ip netns exec "${prefix}h0" unshare --uts sh -c 'hostname host0; exec "$@"' sh \
        env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun --hostfile "$work/hosts" \
        --mca plm_rsh_agent "$work/agent" --mca btl tcp,self --mca btl_tcp_if_include 10.77.0.0/24 \
        --mca oob_tcp_if_include 10.77.0.0/24 --mca oob_tcp_keepalive_time 2 --mca oob_tcp_keepalive_intvl 1 \
        --mca oob_tcp_keepalive_probes 3 --bind-to none -n "$hosts" "$firstborn" "$@"
}

echo "== a search over $hosts hosts"
run analyze --threads 1 --hash 16 --depth 14 || { echo "FAILED: the search"; exit 1; }

echo "== the link of host$((hosts - 1)) pulled in mid-search: everything must end"
run analyze --threads 1 --hash 16 --movetime 600000 >"$work/out" 2>"$work/err" &
search=$!
# The first finished iterations say that the search is under way.
until grep -Eq '^( [89]|[1-9][0-9])/' "$work/out" 2>/dev/null; do
    kill -0 "$search" 2>/dev/null || { cat "$work/err"; echo "FAILED: it did not begin"; exit 1; }
    read -rt 0.2 <> <(:) || true
done
ip link set "${prefix}v$((hosts - 1))" down
pulled=$SECONDS
status=0
wait "$search" || status=$?
cat "$work/err"
echo "ended $((SECONDS - pulled)) s after the link was pulled, status $status"
((status != 0)) || { echo "FAILED: it went on"; exit 1; }
grep -q "rank $((hosts - 1)) on host$((hosts - 1)) has not been heard from" "$work/err" ||
    { echo "FAILED: nothing says which rank"; exit 1; }
echo "passed"
