#!/bin/bash
# Real scaling in chunks of positions until MIN seconds are over, then games on all cores until TOTAL.
cd "$(dirname "$0")"; chmod +x firstborn
B=$PWD/firstborn
{ lscpu | head -14; nproc; uptime; } > $OUT/machine.txt; $B topology >> $OUT/machine.txt 2>&1
$B battery --quick --out /tmp/b --minutes 0.3 > $OUT/battery.txt 2>&1
o=/tmp/o; mkdir -p $o
for r in 1 2 3; do for c in 0 1 2 3 4 5; do
[ $SECONDS -lt ${MIN:-300} ] || break 2
timeout -s INT $(( ${MIN:-300} + 40 - SECONDS )) $B scaling --positions c$c.epd --depths c$c.epd --schemes hybrid --threads 4,8,16 --load --hash 256 --seed $r --no-signature --out $o/h$r$c > $o/h$r$c.txt 2>&1
timeout -s INT $(( ${MIN:-300} + 60 - SECONDS )) $B scaling --positions c$c.epd --depths c$c.epd --schemes lazy --threads 16 --load --hash 256 --seed $r --no-signature --out $o/l$r$c > $o/l$r$c.txt 2>&1
rm -f $o/*/*.svg $o/*/*.html
tar czf $OUT/scaling.tgz -C /tmp o
echo "$r $c at $SECONDS s"; done; done
left=$(( ${TOTAL:-580} - SECONDS ))
echo "games for $left s" >> $OUT/machine.txt
timeout -s INT -k 20 $left $B datagen --games 100000000 --nodes 600 --threads ${T:-16} --seed ${SEED:-270001} --out /tmp/g.fbg > $OUT/datagen.log 2>&1
ls -l /tmp/g.fbg
split -b 15M -d /tmp/g.fbg $OUT/g.fbg.
cat $OUT/machine.txt $OUT/battery.txt; tail -n 14 $o/h1*.txt
