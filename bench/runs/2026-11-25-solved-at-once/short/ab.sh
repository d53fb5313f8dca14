cd .
configs=("$@")
for r in ${ROUNDS:-1 2}; do for c in "${configs[@]}"; do set -- $c; n=$1; shift; env "$@" bin/${B:-knob2} scaling --schemes ybw --threads 2 --positions ${P:-../main/bench/runs/2026-11-23-histories/p240.epd} --depth 16 --repeats 1 --load --hash 16 --no-signature > r/$n-$r.txt 2>/dev/null; echo "$n $(grep -E "^ *ybw " r/$n-$r.txt | head -1) $(grep -E "^ *(serial|ybw) " r/$n-$r.txt | sed -n 3,4p | cut -c1-80|tr '\n' '|')"; done; done
