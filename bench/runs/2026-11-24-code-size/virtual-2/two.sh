# two.sh POSITIONS NAME: two simulated threads, long searches, the costs of the program
./fb scaling --clock virtual --positions $1 --depths depths.epd --schemes ybw --threads 2 --repeats 3 --hash 64 --no-signature --out $2-ybw > $2-ybw.txt 2>/dev/null
./fb scaling --clock virtual --positions $1 --depths depths.epd --schemes lazy,abdada --threads 2 --repeats 1 --hash 64 --no-signature --out $2-others > $2-others.txt 2>/dev/null
