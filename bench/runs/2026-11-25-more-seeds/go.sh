cd ./curves
( B=../bin/head
$B scaling --clock virtual --schemes ybw,lazy,abdada,hybrid,pvsplit,rootsplit --threads 2,4,8,16,32,64 --positions bratko-kopec --depth 16 --hash 64 --seed 1 --no-signature --trace BK.02 --out curves > curves.txt 2> curves.err
date > curves.done
$B scaling --clock virtual --schemes ybw,lazy,abdada --threads 128,256 --positions bratko-kopec --depth 16 --hash 64 --seed 1 --no-signature --out curves-256 > curves-256.txt 2> curves-256.err
date >> curves.done ) &
( cd ../study; sh v.sh sp ybw 4,16 1 3 ; date > sp.done ) &
wait
cd ../study
date > real.times
../bin/head scaling --positions study48 --pilot 4.5 --hash 64 --out pilot > pilot.txt 2> pilot.err
date >> real.times
../bin/head scaling --positions pilot/depths.epd --depths pilot/depths.epd --schemes ybw,abdada,lazy --threads 2 --repeats 2 --load --hash 64 --out real > real.txt 2> real.err
date >> real.times
