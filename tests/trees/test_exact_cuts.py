"""Cuts that are drawn exactly: their law as fractions, and what neighbours can tell by it.

The law of a node is read off the compiled running sums, and compared with the law of the reals, from Python's
fractions and mpmath; the privacy loss is that of the fractions. `tests/trees/test_median_trees.py` draws.
"""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from mpmath import mp, mpf
from scipy.stats import chisquare

from dplit import Categorical, Continuous, Domain
from dplit.domain import GRID
from dplit.mechanisms import PermuteAndFlip
from dplit.mechanisms.secure import secure_generator
from dplit.mechanisms.whole_weights import BASE, PRICE
from dplit.trees import exact_cuts, exact_scores
from dplit.trees.exact_rules import ROUNDING, exact_rule
from dplit.trees.median import Choice, grow_median_trees
from dplit.trees.paths import Path, level_starts
from dplit.trees.rules import EXPONENTIAL, PERMUTE_AND_FLIP, UNIFORM, NormalisedRule, Rule

JOINT = [EXPONENTIAL, PERMUTE_AND_FLIP]


def rule(**options):
    plain = dict(max_depth=1, max_features=9, rate=0.3, gain_rate=0.7, choice=UNIFORM, joint=False)
    return Rule(**{**plain, "by_rank": False, **options})


def sums_and_means(rows, y, n_classes, settings, columns=2, levels=0):
    """Of each column the weights of its candidates and their mean, as compiled; rows are cells of the grid."""
    rows, n = np.asarray(rows, dtype=float).reshape(len(y), columns), len(y)
    n_levels = np.array([0] * (columns - 1) + [levels])
    starts, found = level_starts(n_levels), []
    path = Path.of(np.array([[0.0, GRID]] * columns), np.ones(starts[-1], dtype=bool), 1)
    choice = Choice.of(n_levels, n)
    work = exact_cuts.ExactWork.of(settings, n, n_levels, n_classes)
    order = np.argsort(rows.T[: columns - (levels > 0)], kind="stable").astype(np.int32)
    targets = exact_cuts.whole_targets(np.asarray(y, dtype=float), n_classes)
    given, best = (targets, n_classes), -(2**62)
    data = np.ascontiguousarray(rows.T)
    for k in range(columns):
        if n_levels[k]:
            here = work.subsets[k], data[k], order[0], *given, path.left[0]
            mine = exact_cuts._score_sets(*here, settings, k, np.random.default_rng(0), work)
        else:
            mine = exact_cuts._score_cuts(data[k], order[k], *given, 0.0, float(GRID), settings, k, work)
        best = max(best, mine)
    for k in range(columns):
        m = exact_cuts._add_up(data, order, path, 0, starts, settings, k, k, best, choice, work)
        sums = [0, *(int(h) * BASE + int(v) for h, v in zip(work.highs[:m], work.lows[:m]))]
        mean = int(work.means[0, k]) * BASE + int(work.means[1, k])
        found.append(([b - a for a, b in itertools.pairwise(sums)], mean))
    return found


def law(rows, y, n_classes, settings, edges, **shape):
    """Probability of a cut at each of the grid points of `edges`, column by column, as fractions."""
    found = sums_and_means(rows, y, n_classes, settings, **shape)
    means = [mean for _, mean in found]
    if settings.choice == PERMUTE_AND_FLIP:
        chosen = PermuteAndFlip.rational_law(means)
    else:
        chosen = [Fraction(mean, sum(means)) for mean in means]
    cuts = np.asarray(rows, dtype=float).reshape(len(y), 2).T
    law = []
    for k, (masses, _) in enumerate(found):
        ends = [0, *sorted(map(int, cuts[k])), GRID] if len(y) else [0, GRID]
        for at in edges:
            i = max(j for j, end in enumerate(ends[:-1]) if end <= at)
            law.append(chosen[k] * Fraction(masses[i], sum(masses) * (ends[i + 1] - ends[i])))
    return law


PLACES = [0, 1, 7, GRID // 3, GRID - 1]


def tables(n_classes, n):
    """Records at random places, with random classes or targets."""
    rng = np.random.default_rng(n)
    for _ in range(12):
        rows = rng.choice(PLACES, (n, 2)).tolist()
        yield rows, (rng.integers(n_classes, size=n) if n_classes else rng.random(n)).tolist()


@pytest.mark.parametrize("choice", JOINT)
@pytest.mark.parametrize("n_classes", [0, 3])
@pytest.mark.parametrize("scale", [1.0, 2.0**-18])
def test_what_a_record_tells_is_within_the_rule(choice, n_classes, scale):
    """The loss in fractions, at the worst seven tenths of epsilon or more: twice the rate would be seen."""
    reach = 2 if n_classes else 1
    ideal = rule(rate=0.3 * scale, gain_rate=0.7 * scale, choice=choice, joint=True)
    epsilon, most = 2 * ideal.rate + ideal.gain_rate * reach, 0.0
    for n in (0, 1, 2, 5):
        for rows, y in tables(n_classes, n):
            for place, label in itertools.product([(0, 0), (7, GRID - 1)], [0, 1]):
                before = law(rows, y, n_classes, exact_rule(ideal), PLACES)
                after = law([*rows, place], [*y, label], n_classes, exact_rule(ideal), PLACES)
                with mp.workprec(200):
                    losses = [abs(mp.log(mpf(a.numerator) * b.denominator / (a.denominator * b.numerator)))
                              for a, b in zip(before, after)]  # fmt: skip
                    most = max(most, max(losses))
    assert 0.7 * epsilon < most <= epsilon


def real_law(rows, y, n_classes, settings):
    """Weights of the cuts at the places under the rule's own rates, by the squares of both sides."""
    weights = []
    for column in np.reshape(rows, (len(y), 2)).T:
        for at in PLACES:
            left, score = column <= at, mpf(0)
            for side in (left, ~left):
                part = [v for v, inside in zip(y, side) if inside]
                n = len(part)
                counts = [part.count(k) for k in range(n_classes)] or [
                    Fraction(round(v * 2**16), 2**16) for v in part
                ]
                total = sum(c * c for c in counts) if n_classes else sum(counts) ** 2
                gain = Fraction(total, n) if n else Fraction(0)
                score += settings.gain * mpf(gain.numerator) / gain.denominator
            score -= settings.imbalance * abs(len(y) - 2 * int(left.sum()))
            weights.append(score * mpf(settings.unit))
    return weights


@pytest.mark.parametrize("n_classes", [0, 3])
def test_the_law_is_that_of_the_rounded_rates(n_classes):
    settings = exact_rule(rule(choice=EXPONENTIAL, joint=True))
    with mp.workprec(200):
        for n in (1, 4, 7):
            for rows, y in tables(n_classes, n):
                rounded = [round(v * 2**16) / 2**16 for v in y] if not n_classes else y
                scores = real_law(rows, rounded, n_classes, settings)
                found = law(rows, y, n_classes, settings, PLACES)
                ratios = [mp.log(mpf(f.numerator) / f.denominator) - s for f, s in zip(found, scores)]
                assert max(ratios) - min(ratios) < 3 * settings.unit + PRICE


def test_sets_of_levels_weigh_as_cuts_do():
    """Two columns, the second of three levels: odds of each set against the law of the reals."""
    settings, rows = (exact_rule(rule(choice=EXPONENTIAL, joint=True)), [[0, 0], [7, 1], [7, 2], [GRID - 1, 1]])
    y = [0, 1, 1, 2]
    masses, _ = sums_and_means(rows, y, 3, settings, levels=3)[1]
    with mp.workprec(200):
        logs = []
        for s, mass in enumerate(masses):
            left = np.array([(s + 1) >> int(level) & 1 for _, level in rows], dtype=bool)
            score = -settings.imbalance * abs(4 - 2 * int(left.sum()))
            for side in (left, ~left):
                counts = np.bincount(np.array(y)[side], minlength=3)
                if side.any():
                    score += mpf(settings.gain) * int(counts @ counts) / int(side.sum())
            logs.append(mp.log(mass) - settings.unit * score)
        assert max(logs) - min(logs) < 3 * settings.unit + PRICE


def test_gains_of_many_records_do_not_overflow():
    """Shares of sides near the largest number of records, against fractions."""
    gain, n = 2**29 - 1, exact_cuts.MOST_RECORDS - 1
    for size in (1, 3, 2**29, n):
        total = size * 2**16 - 12345 % size
        ideal = Fraction(gain * total**2, size * 2**32)
        assert 0 <= ideal - int(exact_scores.share(gain, total, size, 0)) < Fraction(9, 8)
        squares = size**2 - 7 % size
        assert int(exact_scores.share(gain, squares, size, 3)) == gain * squares // size


def test_rates_are_rounded_down_and_pay_for_the_rounding():
    for rate, gain_rate in ((0.3, 0.7), (1e-6, 1e-7), (1e200, 3.0e199), (5.0, 1.0)):
        ideal = rule(rate=rate, gain_rate=gain_rate, choice=EXPONENTIAL, joint=True)
        exact = exact_rule(ideal)
        unit = Fraction(exact.unit)
        for reach in (1, 2):
            spent = unit * (2 * exact.imbalance + exact.gain * reach + Fraction(9, 2))
            assert spent + Fraction(PRICE) <= 2 * Fraction(rate) + reach * Fraction(gain_rate)
        assert exact.imbalance < 2**29 and exact.gain < 2**29
        if rate > 1e-3:
            assert exact.gain * unit > Fraction(gain_rate) * (1 - Fraction(1, 2**20))
    alone = exact_rule(rule(rate=1e-4))
    assert 2 * Fraction(alone.unit) * alone.imbalance + Fraction(PRICE) <= Fraction(2e-4)
    assert alone.gain == 0 and ROUNDING > Fraction(9, 2)


@pytest.mark.parametrize(
    "bad",
    [rule(by_rank=True), rule(choice=EXPONENTIAL), NormalisedRule(1, 1, 1e-12),
     rule(rate=1e-12), rule(rate=1e-12, gain_rate=1e-12, joint=True, choice=EXPONENTIAL)],
    ids=["by rank", "candidates", "tiny normalised", "tiny", "tiny joint"],
)  # fmt: skip
def test_what_cannot_be_drawn_exactly_is_an_error(bad):
    domain, X = Domain([Continuous(0, 1)]), np.zeros((3, 1))
    with pytest.raises(ValueError, match="noise='secure'"):
        grow_median_trees(domain, X, np.zeros(3), 0, [None], bad, rng=secure_generator())


def test_a_secure_generator_draws_the_exact_law():
    """The root's column and cut of many trees, from the operating system's randomness, against fractions: false
    alarm 1e-6; misses a mean squared relative error of 1/25 with less than 1e-3."""
    y, rows = [0.0, 1.0, 1.0, 0.0], [[0.1, 0.9], [0.2, 0.4], [0.6, 0.4], [0.6, 0.3]]
    ideal, n = rule(choice=PERMUTE_AND_FLIP, joint=True, rate=0.4, gain_rate=1.5), 4000
    domain = Domain([Continuous(0, 1)] * 2)
    trees, _ = grow_median_trees(domain, np.array(rows), np.array(y), 2, [None] * n, ideal, rng=secure_generator())
    cells = np.rint(np.array(rows) * GRID)
    found = sums_and_means(cells, y, 2, exact_rule(ideal))
    chosen = PermuteAndFlip.rational_law([mean for _, mean in found])
    expected, seen = [], []
    for k, (masses, _) in enumerate(found):
        edges = [0, *sorted(np.array(rows)[:, k]), 1]
        expected += [float(chosen[k] * Fraction(m, sum(masses))) for m in masses]
        mine = trees.threshold[trees.roots][trees.feature[trees.roots] == k]
        seen += np.bincount(np.searchsorted(edges, mine) - 1, minlength=len(masses)).tolist()
    expected, seen = np.array(expected), np.array(seen)
    assert seen[expected == 0].sum() == 0
    assert chisquare(seen[expected > 0], n * expected[expected > 0]).pvalue > 1e-6


def test_a_category_is_split_on_secure_noise_too():
    domain = Domain([Categorical(list("abcdefghij")), Continuous(0, 1)])
    X = np.column_stack([np.arange(40) % 10, np.linspace(0, 1, 40)])
    trees, stats = grow_median_trees(
        domain, X, X[:, 0] % 2, 2, [None] * 20,
        rule(max_depth=3, choice=EXPONENTIAL, joint=True, gain_rate=3.0), rng=secure_generator(),
    )  # fmt: skip
    assert stats.sum() == 800 and set(trees.feature[trees.roots]) <= {0, 1}
