#!/bin/sh
# The two tournaments; PATH must lead to the engines (Debian: /usr/games).
firstborn tournament --engine name=gnuchess cmd=gnuchess arg=--xboard proto=xboard \
    --engine name=hoichess cmd=hoichess proto=xboard --each st=1 timemargin=3000 starttimeout=60 \
    --format match --rounds 10 --maxmoves 20 --budget 1 --no-affinity --journal st1.journal --pgn st1.pgn
firstborn tournament --engine name=stockfish cmd=stockfish proto=uci --engine name=toga2 cmd=toga2 proto=uci \
    --engine name=glaurung cmd=glaurung proto=uci --engine name=gnuchess cmd=gnuchess arg=--xboard proto=xboard \
    --engine name=phalanx cmd=phalanx proto=xboard --engine name=fairymax cmd=fairymax proto=xboard \
    --engine name=sjeng cmd=sjeng proto=xboard --engine name=hoichess cmd=hoichess proto=xboard \
    --each tc=5+0.1 timemargin=2000 starttimeout=60 --format round-robin --rounds 1 --maxmoves 60 \
    --resign movecount=3 score=700 --draw movenumber=30 movecount=4 score=20 --budget 1 --no-affinity \
    --journal rr.journal --pgn rr.pgn
