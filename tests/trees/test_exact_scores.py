"""Whole scores of greedy trees: against fractions and mpmath, what a record moves, and laws at the root.

Each statistical check rejects a true law with probability 1e-6, and misses one whose squared relative error is
1/16 in the mean with one below 1e-3.
"""

import inspect
import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from mpmath import mp, mpf
from numba import njit
from scipy.stats import binomtest, chisquare, laplace

from dplit import Categorical, Continuous, Domain
from dplit.domain import GRID
from dplit.mechanisms.secure import secure_generator
from dplit.trees import comparison, greedy, greedy_levels, median, multinomial, observed
from dplit.trees.exact_cuts import STEPS
from dplit.trees.exact_rules import exact_rule, exact_scores, exact_stop
from dplit.trees.exact_scores import add_scores, score_of
from dplit.trees.rules import ENTROPY, LOCAL_GINI, MAJORITY, SQUARES, NormalisedRule
from tests.trees import test_greedy_levels as simulated

FALSE_ALARM = 1e-6
BITS = math.log2(6)
LOSS = {SQUARES: 2, MAJORITY: 1, ENTROPY: BITS + 1 / math.log(2)}  # what a record adds to a cost
each = pytest.mark.parametrize("score", LOSS)


def whole(score, n_classes, rate=0.7, **options):
    rule = greedy.Rule(1, 9, score, BITS, rate, 1.0, 0.0)
    return exact_scores(rule, n_classes, **options)


def ideal(child, score, n_classes):
    """Minus what a child leaves unexplained, less what all tests share; mpmath's number."""
    n = sum(child) if n_classes else child[0]
    if n == 0:
        return mpf(0)
    if n_classes == 0:
        return mpf(child[1]) ** 2 / n / STEPS**2
    if score == MAJORITY:
        return mpf(max(child))
    if score == SQUARES:
        return mpf(sum(c * c for c in child)) / n
    return -mp.fsum(c * min(mp.log(mpf(n) / c, 2), mpf(BITS)) for c in child if c)


TABLES = [[(0, 0, 0), (3, 1, 0)], [(5, 0, 0), (1, 1, 1)], [(1, 40, 2), (0, 7, 7)], [(2, 2, 1), (1, 0, 12)]]


@each
def test_scores_are_those_of_fractions_and_logarithms_cut_to_units(score):
    rule, most = whole(score, 3), {SQUARES: Fraction(9, 8), MAJORITY: 0, ENTROPY: 4.5}[score]
    with mp.workprec(200):
        for table in TABLES:
            found = score_of(np.array(table), 3, rule)
            real = rule.gain * mp.fsum(ideal(child, score, 3) for child in table)
            assert abs(found - real) <= 2 * most


def test_scores_of_targets_are_those_of_fractions():
    rule = whole(SQUARES, 0)
    for table in ([(3, 70_000), (0, 0)], [(1, 65_536), (5, 12_345)]):
        found = score_of(np.array(table), 0, rule)
        real = sum(Fraction(rule.gain * s * s, n * STEPS**2) for n, s in table if n)
        assert 0 <= real - int(found) <= 2 * Fraction(9, 8)


@each
def test_a_scan_of_cuts_adds_up_the_scores_of_both_sides(score):
    rule, y = whole(score, 3), np.array([0, 0, 2, 1, 1, 1, 2, 0])
    ids, scores = np.arange(8), np.zeros(9, dtype=np.int64)
    room = np.empty(3, dtype=np.int64)
    add_scores(ids, y, 3, rule, room, scores)
    add_scores(ids[::-1], y, 3, rule, room, scores[::-1])
    sides = [[np.bincount(part, minlength=3) for part in (y[:k], y[k:])] for k in range(9)]
    assert scores.tolist() == [score_of(np.array(table), 3, rule) for table in sides]


@each
def test_what_a_record_tells_is_within_the_rate(score):
    """Over two children of up to four records: the spread of what a record moves scores by, in nats."""
    rule, classes = whole(score, 3, cuts=True), range(3)
    children = [c for c in itertools.product(range(5), repeat=3) if sum(c) <= 4]
    for label in classes:
        moves = []
        for child in children:
            more = [c + (k == label) for k, c in enumerate(child)]
            before, after = (score_of(np.array([t]), 3, rule) for t in (child, more))
            moves.append(after - before)
        spread = rule.unit * (max(moves) - min(moves))
        assert spread <= 0.7 * LOSS[score]
        assert spread > 0.4 * 0.7 * LOSS[score]


@each
def test_the_rate_pays_for_the_rounding(score):
    for rate in (1e-3, 0.7, 30.0, 1e200, 1e300):
        rule = whole(score, 2, rate, cuts=True)
        units = {SQUARES: Fraction(9, 4), MAJORITY: 0, ENTROPY: Fraction(3 * 2)}[score]
        spent = Fraction(rule.unit) * (rule.gain + units) + Fraction(1, 2**36)
        assert spent <= Fraction(rate) and rule.gain < 2**29
        if 1e-2 < rate < 100:
            assert rule.unit * rule.gain > rate * (1 - 2.0**-14)
    with pytest.raises(ValueError, match="epsilon must leave each cut more than"):
        whole(score, 2, 1e-14, cuts=True)


# Laws of a root ----------------------------------------------------------------------------------


def roots(settings, y, n_classes, draws=1500):
    parts = [np.arange(len(y))] * draws
    return greedy_levels.grow_greedy_level_trees(
        simulated.CODES, simulated.ARITY, y, n_classes, parts, settings, rng=secure_generator()
    )[0]


@pytest.mark.parametrize("size", [1, 2, 3])
@pytest.mark.parametrize("name", ["squares", "majority", "entropy"])
def test_columns_are_chosen_by_the_law_of_their_costs(name, size):
    score, measure, factor = simulated.REFERENCE[name]
    trees = roots(simulated.rule(score=score, rate=0.7, max_features=size), simulated.CLASSES, 3)
    costs = simulated.left_over(measure, simulated.CLASSES)
    expected = simulated.law(costs, 0.7 * factor, size)
    seen = np.bincount(trees.feature[trees.roots], minlength=3)
    assert chisquare(seen, seen.sum() * expected).pvalue > FALSE_ALARM
    if size == 3:
        twice = simulated.law(costs, 1.4 * factor, size)
        assert chisquare(seen, seen.sum() * twice).pvalue < FALSE_ALARM


def test_columns_of_a_regression_are_chosen_by_the_law_of_their_costs():
    trees = roots(simulated.rule(rate=3.0), simulated.TARGETS, 0)
    expected = simulated.law(simulated.left_over(lambda y: len(y) * y.var(), simulated.TARGETS), 3.0, 3)
    seen = np.bincount(trees.feature[trees.roots], minlength=3)
    assert chisquare(seen, seen.sum() * expected).pvalue > FALSE_ALARM


VALUES, LABELS = [0.125, 0.25, 0.5, 0.875], np.array([0, 0, 1, 0])


def greedy_roots(n, settings, seed=None):
    rng = secure_generator() if seed is None else np.random.default_rng(seed)
    X = np.column_stack([VALUES, [0, 1, 1, 0]])
    parts = [np.arange(4)] * n
    domain = Domain([Continuous(0, 1), Categorical([0, 1])])
    return greedy.grow_greedy_trees(domain, X, LABELS.astype(float), 2, parts, settings, rng=rng)[0]


def greedy_law(score, rate):
    """Of each interval of the first column, and of the second column, by enumeration."""
    with mp.workprec(100):
        parts = [(LABELS[:k], LABELS[k:]) for k in range(5)]
        sides = [[np.bincount(part, minlength=2).tolist() for part in both] for both in parts]
        scores = [mp.fsum(ideal(side, score, 2) for side in both) for both in sides]
        lengths = np.diff([0, *VALUES, 1])
        weights = [w * mp.exp(rate * s) for w, s in zip(lengths, scores)]
        cuts = [w / mp.fsum(weights) for w in weights]
        other = mp.exp(rate * mp.fsum(ideal(side, score, 2) for side in ([2, 0], [1, 1])))
        chosen = [c * mp.exp(rate * s) / (mp.exp(rate * s) + other) for c, s in zip(cuts, scores)]
        return [float(p) for p in chosen] + [float(1 - mp.fsum(chosen))]


@each
@pytest.mark.parametrize("seed", [None, 1], ids=["secure", "simulation"])
def test_both_kinds_draw_a_greedy_root_by_one_law(score, seed):
    n, rate = 1500, 1.5
    trees = greedy_roots(n, greedy.Rule(1, 2, score, BITS, rate, 1e-9, 0.0), seed)
    cut = trees.threshold[trees.roots]
    place = np.where(np.isnan(cut), 5, np.searchsorted(VALUES, cut, side="right"))
    seen = np.bincount(place, minlength=6)
    assert chisquare(seen, n * np.array(greedy_law(score, rate))).pvalue > FALSE_ALARM


@pytest.mark.parametrize("fewest", [0.5, 2.0, 3.5])
@pytest.mark.parametrize("seed", [None, 1], ids=["secure", "simulation"])
def test_paths_end_as_often_as_laplace_noise_says(fewest, seed):
    n, scale = 1500, 2.5
    trees = greedy_roots(n, greedy.Rule(1, 2, MAJORITY, BITS, 1.0, scale, fewest), seed)
    ended = int((trees.feature[trees.roots] < 0).sum())
    x = (2 * fewest - 4) / scale
    law = math.exp(x) / 2 if x <= 0 else 1 - math.exp(-x) / 2
    assert binomtest(ended, n, law).pvalue > FALSE_ALARM


def test_a_stop_spends_no_more_than_its_noise():
    for share in (1e-8, 0.01, 1.0, 0.3, math.nextafter(0.5, 0), 1e200):
        stop = exact_stop(1 / share, 3.0, 2)
        assert Fraction(stop.unit) * stop.record <= Fraction(share)
        assert stop.unit * stop.record > min(share, 2.0**499) * (1 - 2.0**-27)
        assert stop.record * 2**30 < 2**60


CHILDREN = 2 * math.sqrt(2)  # of the scale: the rule of two classes
SHARES = (1e-300, 1e-20, 1e-9, 1e-6, 1e-4, 0.0014, 0.1, 3.0)


@njit
def stops(times, n, arity, rule, rng):
    ended = 0
    for _ in range(times):
        ended += greedy._stops(n, arity, rule, rng)
    return ended


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("arity", [2, 1000, 10**6])
def test_a_stop_compares_what_its_rule_says(share, arity):
    """In fractions, up to the most records that a tree can have; and no whole number overflows."""
    stop, children = exact_stop(1 / share, CHILDREN, arity), Fraction(CHILDREN)
    for n in (0, 1, 20_000, 2**30 - 1):
        short = stop.child * arity - stop.record * n
        says = children * arity - Fraction(share) * n
        slack = Fraction(share) * n / 2**27 + children * arity / 2**27
        assert abs(Fraction(stop.unit) * short - says) <= slack
        assert max(stop.child * arity, stop.record * n) < 2**62


@pytest.mark.parametrize("seed", [None, 1], ids=["secure", "simulation"])
@pytest.mark.parametrize(
    ("share", "n", "arity"), [(1e-4, 1000, 2), (1e-4, 20_000, 2), (1e-4, 60_000, 2), (1e-8, 2**29, 2)]
)
def test_wide_noise_ends_paths_as_often_as_its_law_says(seed, share, n, arity):
    """Where a noisy number of records is worth little of epsilon: against the Laplace law's cdf."""
    rule, times = greedy.Rule(1, 1, MAJORITY, BITS, 1.0, 1 / share, CHILDREN / share), 5000
    rng = secure_generator() if seed is None else np.random.default_rng(seed)
    if seed is None:
        rule = exact_scores(rule, 2, stop=exact_stop(1 / share, CHILDREN, arity))
    law = laplace.cdf(CHILDREN * arity - share * n)
    assert binomtest(int(stops(times, n, arity, rule, rng)), times, law).pvalue > FALSE_ALARM


@pytest.mark.parametrize("seed", [None, 1], ids=["secure", "simulation"])
def test_a_grower_hands_down_wide_noise(seed):
    n, scale = 1500, 1e4
    settings = greedy.Rule(1, 2, MAJORITY, BITS, 1.0, scale, CHILDREN / 2 * scale)
    trees = greedy_roots(n, settings, seed)
    ended = int((trees.feature[trees.roots] < 0).sum())
    law = laplace.cdf(CHILDREN - 4 / scale)
    assert binomtest(ended, n, law).pvalue > FALSE_ALARM


# Normalised scores -------------------------------------------------------------------------------


def test_normalised_scores_have_their_law_and_are_uniform_where_all_cuts_are_alike():
    """Two intervals of one column, one record each side of a place: weights 1 and exp(-weight)."""
    domain, n = Domain([Continuous(0, 1)]), 1500
    X, weight = np.array([[0.25], [0.25], [0.75]]), 2.0
    for y in (np.array([0.0, 0.0, 1.0]), np.array([0.0, 0.0, 0.0])):
        for rng in (secure_generator(), np.random.default_rng(0)):
            rule = NormalisedRule(1, 1, weight)
            trees, _ = median.grow_median_trees(domain, X, y, 2, [None] * n, rule, rng=rng)
            place = np.searchsorted([0.25, 0.75], trees.threshold[trees.roots], side="right")
            seen = np.bincount(place, minlength=3)
            odds = np.exp(-weight) if y.any() else 1.0
            law = np.array([0.25 * odds, 0.5, 0.25 * odds])
            assert chisquare(seen, n * law / law.sum()).pvalue > FALSE_ALARM


def test_a_normalised_score_never_leaves_its_range():
    for weight in (1e-6, 0.3, 7.0, 1e90):
        rule = exact_rule(NormalisedRule(1, 1, weight))
        assert 2 * Fraction(rule.unit) * rule.top + Fraction(1, 2**36) <= 2 * Fraction(weight)
        assert rule.top < 2**29 and rule.imbalance == 0
    with pytest.raises(ValueError, match="epsilon must leave each cut more than"):
        exact_rule(NormalisedRule(1, 1, 1e-12))


# No float decides --------------------------------------------------------------------------------

UNIT, NUMBERS, CODES = Domain([Continuous(0, 1)]), np.zeros((4, 1)), np.zeros((1, 4), np.int32)
Y, PARTS = np.zeros(4), [np.arange(4)]
HALVES = [(np.arange(2), np.arange(2, 4))]
FLOATS = {
    "published multinomial": lambda rng: multinomial.grow_multinomial_trees(
        UNIT, NUMBERS, Y, 2, 1, lambda n, r: (np.ones(n, bool),) * 2,
        multinomial.Rule(1, 1, 0, 1.0, 1.0, False), rng=rng),
    "comparisons": lambda rng: comparison.grow_comparison_trees(
        NUMBERS, Y, 2, HALVES, False, 1, rng=rng),
    "observed": lambda rng: observed.grow_observed_trees(NUMBERS, Y, 2, HALVES, None, rng=rng),
    "local sensitivity": lambda rng: greedy_levels.grow_greedy_level_trees(
        CODES, [2], Y, 2, PARTS, greedy_levels.Rule(1, 1, LOCAL_GINI, 1.0, 0.0), rng=rng),
    "purity": lambda rng: greedy_levels.grow_greedy_level_trees(
        CODES, [2], Y, 2, PARTS, greedy_levels.Rule(1, 1, SQUARES, 1.0, 2.0), rng=rng),
}  # fmt: skip


@pytest.mark.parametrize("name", FLOATS)
def test_growers_without_an_exact_kernel_refuse_a_secure_generator(name):
    with pytest.raises(ValueError, match="noise='secure' needs an exact sampler"):
        FLOATS[name](secure_generator())


def test_every_grower_with_private_records_asks_for_the_kind_of_its_generator():
    """One that is added has to say what it does."""
    for module in (comparison, greedy, greedy_levels, median, multinomial, observed):
        own = [f for name, f in vars(module).items() if name.startswith("grow_")]
        (grower,) = [f for f in own if f.__module__ == module.__name__]
        source = inspect.getsource(grower)
        assert "is_secure(rng)" in source or "refuse_secure(rng" in source


def test_cells_of_the_grid_are_cut_as_far_as_their_ends():
    """The largest interval, and the largest score, still add up in whole numbers."""
    rule = greedy.Rule(1, 1, SQUARES, BITS, 1e6, 1e-9, 0.0)
    domain, X = Domain([Continuous(0, 1)]), np.array([[0.0], [1.0]] * 50)
    trees, _ = greedy.grow_greedy_trees(
        domain, X, np.arange(100) % 2.0, 2, [np.arange(100)] * 20, rule, rng=secure_generator()
    )
    assert ((trees.threshold[trees.roots] >= 0) & (trees.threshold[trees.roots] < 1)).all()
    assert GRID * 2**30 < 2**63


def test_entropies_of_many_records_are_cut_to_units():
    """The largest tree, where floats have the fewest digits to spare."""
    rule, n = whole(ENTROPY, 2, 0.999)._replace(most_bits=60.0), 2**30 - 1
    with mp.workprec(200):
        for c in (1, 12_345_679, 395_003_904, n // 2, n - 1):
            found = score_of(np.array([(c, n - c)]), 2, rule)
            real = -mp.fsum(rule.gain * k * mp.log(mpf(n) / k, 2) for k in (c, n - c))
            assert -0.5 <= found - real <= 2.5
