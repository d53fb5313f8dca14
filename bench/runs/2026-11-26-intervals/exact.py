#!/usr/bin/env python3
"""The coverage of a match's 95 % interval, counted over every outcome instead of simulated: two players, PAIRS pairs.

    exact.py PAIRS [SHORTER ...]

SHORTER shortens the interval by the share SHORTER / degrees of freedom. The interval is that of
tournament/src/stats/ratings.rs: quasi-likelihood and the players' own residuals mixed, Student's quantile, the curvature at
ratings softened by three quarters of a drawn game. Nothing but the standard library is needed.
"""

import sys
from math import exp, factorial, lgamma, log, log10, pi, sqrt

SLOPE = log(10) / 400
SOFTENING, OWN_SHARE = 0.75, 40
# Elo between the players, draws of equals, one player who draws nine of ten: those of the example `intervals`.
KINDS = [(0, 0, False), (0, 0.4, False), (100, 0.4, False), (300, 0.4, False), (100, 0.7, False), (0, 0.85, False),
         (100, 0.1, True)]


def score_of(elo):
    return 1 / (1 + 10 ** (-elo / 400))


def elo_of(score):
    return -400 * log10(1 / score - 1)


def student(freedom):
    """The point above which 2.5 % of Student's distribution lie."""
    scale = exp(lgamma((freedom + 1) / 2) - lgamma(freedom / 2)) / sqrt(freedom * pi)
    density = lambda x: scale * (1 + x * x / freedom) ** (-(freedom + 1) / 2)

    def above(x, steps=2000):
        inner = sum((4 if i % 2 else 2) * density(i * x / steps) for i in range(1, steps))
        return 0.5 - (density(0) + inner + density(x)) * x / steps / 3

    low, high = 1.5, 15.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (middle, high) if above(middle) > 0.025 else (low, middle)
    return low


def pair_chances(elo, draws, drawish):
    """Chances of 0, half, 1, one and a half, 2 points."""
    expected = score_of(elo)
    drawn = (0.9 if drawish else draws) * (1 - abs(2 * expected - 1))
    game = [1 - expected - drawn / 2, drawn, expected - drawn / 2]
    pair = [0.0] * 5
    for a in range(3):
        for b in range(3):
            pair[a + b] += game[a] * game[b]
    return pair


def half_interval(counts, pairs, quantile):
    points = sum(n * i / 2 for i, n in enumerate(counts))
    nearer = score_of(elo_of((points + SOFTENING / 2) / (2 * pairs + SOFTENING)))
    weight = SLOPE ** 2 * 2 * nearer * (1 - nearer)
    squares = [(SLOPE * (i / 2 - points / pairs)) ** 2 for i in range(5)]
    dispersion = sum(n * s / weight for n, s in zip(counts, squares)) / (pairs - 1)
    share = pairs / (pairs + OWN_SHARE)
    mixed = sum(n * (share * s / (1 - 1 / pairs) + (1 - share) * dispersion * weight) for n, s in zip(counts, squares))
    return quantile * sqrt(mixed) / (pairs * weight) if dispersion > 1e-9 else None


def outcomes(pairs, kinds=5):
    if kinds == 1:
        yield (pairs,)
        return
    for first in range(pairs + 1):
        for rest in outcomes(pairs - first, kinds - 1):
            yield (first, *rest)


def coverage(pairs, kind, quantile):
    chances, hold, all_of = pair_chances(*kind), 0.0, 0.0
    for counts in outcomes(pairs):
        chance = float(factorial(pairs))
        for n, p in zip(counts, chances):
            chance *= p ** n / factorial(n)
        points = sum(n * i / 2 for i, n in enumerate(counts))
        if chance < 1e-15 or not 0 < points < 2 * pairs:
            continue
        half = half_interval(counts, pairs, quantile)
        if half is not None:
            all_of += chance
            hold += chance * (abs(elo_of(points / (2 * pairs)) - kind[0]) <= half)
    return hold / all_of


def main():
    pairs = int(sys.argv[1])
    for shorter in [float(word) for word in sys.argv[2:]] or [0.0]:
        quantile = student(pairs - 1) * (1 - shorter / (pairs - 1))
        row = " ".join(f"{100 * coverage(pairs, kind, quantile):.1f}" for kind in KINDS)
        print(f"{pairs} pairs, {shorter / (pairs - 1):.3f} shorter: {row}")


if __name__ == "__main__":
    main()
