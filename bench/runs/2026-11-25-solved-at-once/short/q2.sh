# q2.sh THREADS NAME ENV...
cd .
t=$1; n=$2; shift 2
env "$@" bin/knob scaling --clock virtual --schemes ybw --threads $t --positions ../main/bench/runs/2026-11-23-histories/p240.epd --depth 16 --repeats ${R:-3} --hash 16 --no-signature > v/$n-$t.txt 2>/dev/null
echo "== $n $t $(date +%H:%M) $(grep -E "^ *ybw .*[0-9]\.[0-9]" v/$n-$t.txt | tr '\n' '|')" >> v/res2.txt
