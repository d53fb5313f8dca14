# f.sh BIN NAME THREADS DEPTH SEED [SCHEMES]
cd ./short
../bin/$1 scaling --clock virtual --positions ${POS:-p240.epd} --depth $4 --hash 16 --seed $5 --no-signature --schemes ${6:-ybw} --threads $3 --repeats 1 --out $2-$3-d$4-s$5 > $2-$3-d$4-s$5.txt 2>/dev/null
