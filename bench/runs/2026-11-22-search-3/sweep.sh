for n in 400000 2500000; do
printf '%s\n' "" "see_quiet_margin=40" "see_quiet_margin=60" "futility_margin=120" "futility_base=150" "reverse_futility_margin=110" "reverse_futility_depth=5" "null_move_reduction=2" "null_move_divisor=4" "razor_depth=1" "reduction_divisor=225 reduction_base=75" "reduction_divisor=200" "late_moves=6" "history_pruning_margin=5000" "see_noisy_margin=150" "see_noisy_depth=5" "reduction_cut=768" "reduction_worsening=256" "reduction_noisy_table=0" "probcut_depth=10" "singular_depth=5" | xargs -P2 -I{} sh -c "python3 hard.py $n hard.txt {}"
done
