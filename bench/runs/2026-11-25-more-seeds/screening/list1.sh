T=4; D=17
sh q.sh base $T $D 1
LONE=1 AHEAD=4 sh q.sh lone4 $T $D 1
CUT=1 sh q.sh cut1 $T $D 1
LARGE=5 sh q.sh large5 $T $D 1
LONE=1 AHEAD=2 sh q.sh lone2 $T $D 1
HM=24 sh q.sh hm24 $T $D 1
