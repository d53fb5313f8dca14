# v.sh HALF SCHEMES THREADS REPEATS SEED [BIN]: simulated threads, long searches, the program's own costs
cd ./study
B=${6:-head}
out=virt/$B-$1-$2-$3-s$5
date > $out.times
../bin/$B scaling --clock virtual --positions $1.epd --depths $1.epd --hash 64 --seed $5 --no-signature --schemes $2 --threads $3 --repeats $4 --out $out > $out.txt 2>$out.err
date >> $out.times
