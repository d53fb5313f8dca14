#!/bin/bash
# real.sh SECONDS SCHEMES THREADS HASH NAME CHUNK..
end=$((SECONDS+$1)); s=$2; t=$3; h=$4; n=$5; shift 5
xz -dc .dev/firstborn.xz > ./fb; chmod +x ./fb; o=./o/$n; mkdir -p $o
(date; uptime; lscpu; nproc; free -g; ./fb topology) > $o/machine.txt 2>&1
for c in $*; do left=$((end-SECONDS)); [ $left -gt 20 ] || break
timeout --foreground -s INT $left ./fb scaling --positions .dev/c$c.epd --depths .dev/c$c.epd --schemes $s --threads $t --repeats 1 --load --hash $h --out $o/c$c > $o/c$c.txt 2> $o/c$c.err
echo $c rc $? $(date) | tee -a $o/machine.txt; grep -A8 "speed-up   95" $o/c$c.txt
rm -f $o/c$c/*.svg $o/c$c/*.html; gzip -9 $o/c$c/*.json $o/c$c/samples.csv; tar czf $OUT/$n.tgz -C ./o $n; done
uptime; du -sh $o
