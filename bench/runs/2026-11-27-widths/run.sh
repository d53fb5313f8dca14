# widths x data: gen4's games, whole, a half and a quarter (the file cut; a last damaged block loses its own games)
B=$1; S=$(realpath "$2")  # firstborn, gen4-700-20001.fbg
n=$(stat -c %s $S); head -c $((n/2)) $S > half.fbg; head -c $((n/4)) $S > quarter.fbg; ln -sf $S whole.fbg
one() { for d in quarter half whole; do $B train $d.fbg --hidden $1 --epochs 12 --seed 5 --threads 1 --out $1-$d.net > $1-$d.log 2>&1; done; }
(one 64; one 128) & one 256; wait
