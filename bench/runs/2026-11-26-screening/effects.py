"""Effect of every factor of screen.py, in Elo of on over off, from the files of matches named (plain or .gz): the mean over rows of
the plus side's score, each row weighted by its games, with the sign of the factor's column."""
import gzip, json, math, sys
from screen import COLUMNS, FACTORS, sign

PER_SCORE = 400 / math.log(10) * 4
rows, games, spread = {}, 0, 0.0
for name in sys.argv[1:]:
    for line in (gzip.open(name, "rt") if name.endswith(".gz") else open(name)):
        match = json.loads(line)
        result, pairs = match["crosstable"][0][1], match["match"]["pairs"]
        row = rows.setdefault(match["row"], [0, 0.0])
        row[0] += sum(result.values())
        row[1] += result["wins"] + result["draws"] / 2 - sum(result.values()) / 2
        games += sum(result.values())
        mean = sum(i * n for i, n in enumerate(pairs)) / sum(pairs)
        spread += sum(n * (i - mean) ** 2 for i, n in enumerate(pairs))
print(f"{games} games, standard error of an effect {math.sqrt(spread / (games / 2)) / math.sqrt(games / 2) / 4 * PER_SCORE:.1f}")
effects = []
for k in range(len(COLUMNS)):
    name = ("nothing (%d)" % k if k >= len(FACTORS) else " ".join(map(str, FACTORS[k])))
    effects.append((sum(sign(row, k) * points for row, (_, points) in rows.items()) / games * PER_SCORE, name))
for effect, name in sorted(effects, reverse=True):
    print(f"{effect:+6.1f}  {name}")
