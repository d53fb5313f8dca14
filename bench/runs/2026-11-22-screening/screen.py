"""Hadamard screening: 64 matches, each of a vector of signs against its opposite, so that effects of even order cancel.
One file a match; screening.jsonl.gz holds them all, with pass and row."""
import subprocess, sys, json
F=[("bit%d"%b,) for b in range(17)]
N="""razor_base 140 260
probcut_margin 130 210
reverse_futility_depth 6 8
reverse_futility_margin 70 100
null_move_reduction 3 4
null_move_divisor 3 4
null_move_eval_step 150 250
late_moves 2 4
futility_depth 5 7
futility_base 60 120
futility_margin 70 110
history_pruning_depth 3 5
history_pruning_margin 2200 3800
see_quiet_margin 18 32
see_noisy_margin 75 125
reduction_move 2 3
reduction_base 85 115
reduction_divisor 155 195
reduction_history 6500 11500
reduction_killer 624 1424
reduction_cut 1136 1936
reduction_worsening 468 1068
deeper_margin 28 52
shallower_margin 4 12
singular_depth 6 7
singular_table_depth 3 4
singular_margin 8 16
double_margin 12 24
unordered_depth 3 5
history_slope 130 230
history_offset 50 150
history_most 1300 2300
correction_error 88 168
correction_weight 12 20
correction_slowness 380 640
aspiration_width 14 26
quiescence_margin 140 220
probcut_depth 4 5
razor_depth 3 4
null_move_depth 2 3"""
for l in N.splitlines():
    n,a,b=l.split(); F.append((n,a,b))
# factor k takes column COL[k] of the Sylvester matrix of 64; column 0 is left out; the rest of the columns are controls
COL=list(range(1,64)); 
import random; random.Random(5).shuffle(COL)
def sign(row,k): return -1 if bin(row&COL[k]).count("1")&1 else 1
def options(row,s):
    ex=0; o=[]
    for k,f in enumerate(F):
        v=sign(row,k)*s
        if len(f)==1:
            if v>0: ex|=1<<int(f[0][3:])
        else: o.append("option.%s=%s"%(f[0],f[2] if v>0 else f[1]))
    return " ".join(o+["option.experiment=%d"%ex])
if __name__=="__main__":
    passes=int(sys.argv[1]); rounds=int(sys.argv[2]); nodes=sys.argv[3]
    for p in range(passes):
        for row in range(64):
            out="./scr/r%d-%d"%(p,row)
            subprocess.run(["./fb16","tournament","--engine","name=plus cmd=./x2 args=uci "+options(row,1),
              "--engine","name=minus cmd=./x2 args=uci "+options(row,-1),"--each","nodes=%s hash=16 threads=1"%nodes,
              "--openings","./data/books/8moves_v3.pgn.zip","--random","--seed",str(5000+100*p+row),"--format","match","--rounds",str(rounds),
              "--budget","2","--no-affinity","--draw","movenumber=40 movecount=6 score=8","--resign","movecount=4 score=500","--maxmoves","200","--json"],
              stdout=open(out+".json","w"),stderr=open(out+".err","w"))
