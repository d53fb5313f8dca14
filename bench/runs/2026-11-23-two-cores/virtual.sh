C=node=240,probe=100,split=900,join=3000,call=2000,wake=3500,jitter=0.5
B=firstborn
if [ $1 = A ]; then
$B scaling --clock virtual --schemes ybw,abdada,lazy --threads 2 --positions study48 --depths depths.epd --repeats 1 --hash 64 --seed 1 --no-signature --costs $C --out virtual-2 > virtual-2.txt 2>/dev/null
else
$B scaling --clock virtual --schemes ybw,lazy,abdada,hybrid,pvsplit,rootsplit --threads 2,4,8,16,32,64 --positions bratko-kopec --depth 16 --hash 64 --seed 1 --no-signature --costs $C --trace BK.02 --out curves > curves.txt 2>/dev/null
$B scaling --clock virtual --schemes ybw,lazy,abdada --threads 128,256 --positions bratko-kopec --depth 16 --hash 64 --seed 1 --no-signature --costs $C --out curves-256 > curves-256.txt 2>/dev/null
fi
date >> done-$1
