"""Effects of the switches from the screening: `python3 effects.py games.tsv.gz screening [screening-2 ..]`; of a match: `.. bundles`, `.. best`.

A screening's variant k of 1 to 11 has the switches that row k of a Plackett-Burman design of twelve runs names, and
plays the version without any. A pair of games with one opening is one observation; effects are those of least squares
on the score, in Elo at 50 %, with 95 % intervals. Matches: the mean score of the pairs."""
import collections
import csv
import gzip
import math
import sys

import numpy

NAMES = "factor bad_quiets futile correct pull probcut cuts order under frame1 minor".split()
FIRST = [1, 1, 0, 1, 1, 1, 0, 0, 0, 1, 0]
ELO = 1600 / math.log(10)


def pairs(path, studies):
    found = collections.defaultdict(list)
    with gzip.open(path, "rt") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            if row["study"] in studies:
                found[row["study"], row["variant"], row["pair"]].append(float(row["score"]))
    return {key: sum(scores) / 2 - 0.5 for key, scores in found.items() if len(scores) == 2}


def main():
    path, *studies = sys.argv[1:]
    found = pairs(path, studies)
    if not studies[0].startswith("screening"):
        for variant in sorted({key[1] for key in found}):
            scores = numpy.array([score for key, score in found.items() if key[1] == variant])
            half = 1.96 * scores.std(ddof=1) / math.sqrt(len(scores))
            print(f"{variant}: {2 * len(scores)} games, {scores.mean() * ELO:+.1f} ± {half * ELO:.1f} Elo")
        return
    rows, scores = [], []
    for (study, variant, _), score in found.items():
        row = [FIRST[(place - int(variant) + 1) % 11] for place in range(11)]
        if study == "screening-2":
            row[NAMES.index("bad_quiets")] = 0
        rows.append(row)
        scores.append(score)
    rows, scores = numpy.array(rows, float), numpy.array(scores)
    used = [place for place in range(11) if rows[:, place].any()]
    rows = rows[:, used]
    effects = numpy.linalg.lstsq(rows, scores, rcond=None)[0]
    spread = ((scores - rows @ effects) ** 2).sum() / (len(scores) - len(used))
    errors = numpy.sqrt(spread * numpy.diag(numpy.linalg.inv(rows.T @ rows)))
    print(f"{2 * len(scores)} games")
    for place, effect, error in sorted(zip(used, effects, errors), key=lambda found: -found[1]):
        print(f"{NAMES[place]:12} {effect * ELO:+6.1f} ± {1.96 * error * ELO:.1f} Elo")


main()
