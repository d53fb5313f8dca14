import subprocess,sys
# firstborn, built with --features tuning
B=sys.argv[1]
F={'055':('r3r1k1/pp1q1pp1/4b1p1/3p2B1/3Q1R2/8/PPP3PP/4R1K1 w - - 0 1','d4g7'),'293':('1nbq1r1k/3rbp1p/p1p1pp1Q/1p6/P1pPN3/5NP1/1P2PPBP/R4RK1 w - - 0 1','f3g5'),'157':('5rk1/p4ppp/2p1b3/3Nq3/4P1n1/1p1B2QP/1PPr2P1/1K2R2R w - - 0 1','d5e7'),'145':('r1bq4/1p4kp/3p1n2/p4pB1/2pQ4/8/1P4PP/4RRK1 w - - 0 1','e1e8'),'163':('5rk1/2p4p/2p4r/3P4/4p1b1/1Q2NqPp/PP3P1K/R4R2 b - - 0 1','f3g2')}
def first(fen,mv,opts,limit=6000000):
    p=subprocess.Popen([B,'uci'],stdin=subprocess.PIPE,stdout=subprocess.PIPE,text=True)
    w=lambda s:(p.stdin.write(s+'\n'),p.stdin.flush())
    w('setoption name Hash value 64')
    for o in opts: w(f'setoption name {o[0]} value {o[1]}')
    w(f'position fen {fen}'); w(f'go nodes {limit}')
    since=None
    for l in p.stdout:
        if l.startswith('bestmove'): break
        if ' pv ' in l:
            t=l.split(); m=t[t.index('pv')+1]; n=int(t[t.index('nodes')+1])
            if m==mv: since=since or (n,int(t[2]))
            else: since=None
    w('quit'); p.wait()
    return since
for name,opts in [('base',[]),('no futility',[('futility_depth',2)]),('LMP 12',[('late_moves',12)]),('both',[('futility_depth',2),('late_moves',12)]),('see quiet',[('see_quiet_margin',100)]),('reduction div 250',[('reduction_divisor',250)]),('red_cut 0',[('reduction_cut',0),('reduction_unknown',0)]),('null 14',[('null_move_base',400)]),('rfp 3',[('reverse_futility_depth',3)]),('history pr 1',[('history_pruning_depth',1)]),('hindsight off',[('hindsight_margin',300)])]:
    print('%-18s'%name,[(k,first(*F[k],opts)) for k in F],flush=True)
