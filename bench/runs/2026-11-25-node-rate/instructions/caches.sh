# NAME BINARY SCHEME THREADS NODES FEN
printf "setoption name Hash value 16\nsetoption name Threads value $4\nsetoption name Scheme value $3\nposition fen $6\ngo nodes $5\n" > cg-$1.in
(cat cg-$1.in; while ! grep -q bestmove cg-$1.out 2>/dev/null; do sleep 0.5; done; echo quit) | valgrind --tool=callgrind --cache-sim=yes --branch-sim=yes --I1=32768,8,64 --D1=32768,8,64 --LL=1048576,16,64 --callgrind-out-file=cg-$1.cg --fair-sched=yes ./$2 uci > cg-$1.out 2> cg-$1.err
tail -n 3 cg-$1.err
