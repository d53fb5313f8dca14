# q.sh NAME THREADS DEPTH SEED: one run of the knob build over 240 positions
cd ./short
../bin/knob scaling --clock virtual --positions p240.epd --depth $3 --hash 16 --seed $4 --no-signature --schemes ybw --threads $2 --repeats 1 --out $1-$2-d$3-s$4 > $1-$2-d$3-s$4.txt 2>/dev/null
