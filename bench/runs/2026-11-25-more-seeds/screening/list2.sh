cd ./short
for s in 2 3 4; do
[ $1 = A ] && { sh q.sh base 4 17 $s; CUT=1 sh q.sh cut1 4 17 $s; }
[ $1 = B ] && { LONE=1 AHEAD=4 sh q.sh lone4 4 17 $s; LONE=1 CUT=1 AHEAD=4 sh q.sh lone4cut1 4 17 $s; }
done
