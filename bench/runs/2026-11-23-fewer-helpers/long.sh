for t in 16 8 4; do for p in bratko-kopec self-play; do
firstborn scaling --clock virtual --schemes ybw --threads $t --positions $p --depths depths.epd --repeats 1 --hash 64 --seed 1 --no-signature --costs node=240,probe=100,split=900,join=3000,call=2000,wake=3500,jitter=0.5 --out o-$p-$t > $p-$t.txt 2> $p-$t.err
done; done
