# halves of ../../2026-11-25-solved-at-once/depths.epd as bk.epd and sp.epd, the release build as ./joinrel
mkdir -p t256; for s in 4 5; do
for h in bk sp; do
./joinrel scaling --clock virtual --positions $h.epd --depths $h.epd --hash 256 --seed $s --no-signature --schemes ybw --threads 2,4,8 --repeats 1 --out t256/$h-s$s > t256/$h-s$s.txt 2>t256/$h-s$s.err &
done; wait; date >> t256/times; done
