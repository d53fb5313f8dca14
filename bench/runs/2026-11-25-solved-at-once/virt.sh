# virt.sh HALF: simulated threads, long searches, the program's own costs, a seed that was not used before
cd ./study
v() { ../bin/head scaling --clock virtual --positions $1.epd --depths $1.epd --hash 64 --seed 2 --no-signature --schemes $2 --threads $3 --repeats $4 --out virt/$1-$5 > virt/$1-$5.txt 2>/dev/null; date >> virt/$1.times; }
date > virt/$1.times
v $1 ybw 2 3 ybw2
v $1 ybw 4,8,16 1 ybw16
v $1 lazy,abdada 2 1 others
