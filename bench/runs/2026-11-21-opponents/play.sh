#!/bin/bash
# play.sh ENGINE ROUNDS OUT [BINARY]
cd ./main
fb=${4:-./opp/firstborn}
case $1 in
 glaurung) o="name=glaurung cmd=/usr/games/glaurung option.Threads=1";;
 gnuchess) o="name=gnuchess cmd=/usr/games/gnuchess args=-u proto=uci";;
 toga2) o="name=toga2 cmd=/usr/games/toga2";;
 stockfish) o="name=stockfish cmd=/usr/games/stockfish option.UCI_LimitStrength=true option.UCI_Elo=${ELO:-3000}";;
esac
exec $fb tournament --engine "name=firstborn cmd=$fb args=uci" --engine "$o" --each "tc=2+0.02 hash=16 threads=1" --rounds $2 --openings ../shared/data/books/8moves_v3.pgn.zip --random --seed ${SEED:-7} --budget 2 --draw movenumber=40 movecount=8 score=8 --resign movecount=4 score=600 --maxmoves 250 --journal $3.jsonl --pgn $3.pgn --json
