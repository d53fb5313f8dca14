exec ./head tournament --each tc=2+0.02 hash=16 \
 --engine name=time cmd=./time --engine name=head cmd=./head --openings 8moves_v3.pgn --random --seed 4242 --rounds 500 --sprt elo0=0 elo1=8 \
 --draw movenumber=40 movecount=8 score=10 --resign movecount=3 score=600 twosided=true --budget 2 --journal time.j
