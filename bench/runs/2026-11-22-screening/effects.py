"""Effect of every factor of `screen.py`, in Elo of its second value over its first (bits: on over off), from
screening.jsonl.gz: the mean over all rows of the plus side's score, with the sign of the factor's column."""
import gzip, json, math
from screen import COL, F, sign

PER_SCORE = 400 / math.log(10) * 4
rows, games, spread = {}, 0, 0.0
for line in gzip.open("screening.jsonl.gz", "rt"):
    match = json.loads(line)
    result, pairs = match["crosstable"][0][1], match["match"]["pairs"]
    played = sum(result.values())
    row = rows.setdefault(match["row"], [0, 0.0])
    row[0] += played
    row[1] += result["wins"] + result["draws"] / 2
    games += played
    mean = sum(i * n for i, n in enumerate(pairs)) / sum(pairs)
    spread += sum(n * (i - mean) ** 2 for i, n in enumerate(pairs))
pairs = games / 2
error = math.sqrt(spread / pairs / pairs) / 4 * PER_SCORE
print(f"{games} games, standard error of an effect {error:.1f}")
score = {row: points / played - 0.5 for row, (played, points) in rows.items()}
effects = []
for k in range(len(COL)):
    name = " ".join(F[k]) if k < len(F) else f"nothing ({k})"
    effects.append((sum(sign(row, k) * value for row, value in score.items()) / len(score) * PER_SCORE, name))
for effect, name in sorted(effects, key=lambda pair: -abs(pair[0])):
    print(f"{effect:+6.1f}  {name}")
