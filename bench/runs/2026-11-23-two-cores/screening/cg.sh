F="r1bq1rk1/pp2ppbp/2np1np1/8/3NP3/2N1BP2/PPPQ2PP/R3KB1R w KQ - 3 9"
KN_SOLO=1 valgrind --tool=cachegrind --cache-sim=yes --I1=32768,8,64 --D1=32768,8,64 --LL=1048576,16,64 --cachegrind-out-file=/dev/null bin/$1 analyze "$F" --threads $3 --scheme $2 --hash 16 --depth 17 > cg-$1-$2.txt 2>&1
echo "$1 $2 $(grep -E "Searched|Searching|nodes" cg-$1-$2.txt | head -1)"; grep -E "I +refs|D +refs|D1  misses|LLd misses" cg-$1-$2.txt
