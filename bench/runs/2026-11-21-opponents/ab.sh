#!/bin/bash
# ab.sh A B [N]: bench nps of two binaries in turns; ratio B/A of the best and of the means
for i in $(seq ${3:-8}); do for b in $1 $2; do echo "$b $($b bench 2>/dev/null | tail -1 | awk '{print $3}')"; done; done | awk -v a=$1 '{if($1==a){x+=$2;if($2>mx)mx=$2}else{y+=$2;if($2>my)my=$2}} END{printf "best %d %d ratio %.3f mean ratio %.3f\n",mx,my,my/mx,y/x}'
