cd ./study; mkdir -p j20
for s in 3 4; do
for h in bk sp; do
../bin/turnrel scaling --clock virtual --positions $h.epd --depths $h.epd --hash 64 --seed $s --no-signature --schemes ybw --threads 16 --repeats 1 --costs join=2000 --out j20/$h-16-s$s > j20/$h-16-s$s.txt 2>j20/$h-16-s$s.err &
done; wait; date >> j20/times; done
