# cg.sh bin scheme threads label [ENV]
F="r1bq1rk1/pp2ppbp/2np1np1/8/3NP3/2N1BP2/PPPQ2PP/R3KB1R w KQ - 3 9"
valgrind --tool=cachegrind --branch-sim=yes --cache-sim=yes --I1=32768,8,64 --D1=32768,8,64 --LL=1048576,16,64  --cachegrind-out-file=cc.$4 ./bin/$1 analyze "$F" --threads $3 --scheme $2 --hash 16 --depth 15 2>&1 | grep -E "refs|isses|Mispred|Search" | awk -v n=$4 '/Searched/{nn=$2} /I   refs/{i=$4} /I1  misses/{i1=$4} /D1  misses/{d1=$4" "$5$6$7$8} /LLd misses/{ll=$4} /Mispredicts/{m=$3} END{print n,nn,"I",i,"I1",i1,"D1",d1,"LLd",ll,"mis",m}'
