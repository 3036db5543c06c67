"""Cuts where floats run out: huge and tiny columns, weights that underflow, thousands of levels.

The reference laws are exact: integers for numbers of sets, mpmath for weights. Chi-square tests reject
a true law with probability 1e-6.
"""

import itertools
import math
import os
import subprocess
import sys
from pathlib import Path

import mpmath
import numpy as np
import pytest

from dplit import Categorical, Continuous, Domain
from dplit.forests import MedianForestClassifier
from dplit.mechanisms import Exponential, PermuteAndFlip
from dplit.trees import greedy
from dplit.trees.cuts import FEW_LEVELS, Work
from dplit.trees.exact_cuts import ExactWork
from dplit.trees.exact_rules import exact_rule
from dplit.trees.median import grow_median_trees
from dplit.trees.rules import EXPONENTIAL, PERMUTE_AND_FLIP, UNIFORM
from dplit.trees.subsets import draw_even_subset
from tests.trees.test_median_trees import assert_follows, rule

DRAWS = 600
WIDE = Continuous(-8e307, 8e307)
STEPS = Continuous(0, 2**32)  # its grid points are the whole numbers
CHOICES = (UNIFORM, EXPONENTIAL, PERMUTE_AND_FLIP)


def cuts_of(column, values, settings, n_classes=1):
    """Cuts of `DRAWS` roots on records of one class, or of targets 0."""
    trees, _ = grow_median_trees(
        Domain([column]), np.array(values, float)[:, None], np.zeros(len(values)), n_classes,
        [None] * DRAWS, settings, rng=np.random.default_rng(0),
    )  # fmt: skip
    return trees.threshold[trees.roots]


def law_of(values, low, high, rate):
    """Probability of each interval between the values, to 50 digits."""
    with mpmath.workdps(50):
        edges = [mpmath.mpf(v) for v in (low, *values, high)]
        n = len(values)
        weights = [
            (edges[j + 1] - edges[j]) * mpmath.exp(-mpmath.mpf(rate) * abs(n - 2 * j)) for j in range(n + 1)
        ]
        return np.array([float(w / mpmath.fsum(weights)) for w in weights])


@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize("n_classes", [0, 1])
@pytest.mark.parametrize("balance", [20.0, 22.18, 24.0, 600.0, 1500.0])
def test_a_wide_interval_counts_by_length_and_weight_together(choice, n_classes, balance):
    """Two records a step apart: outside weighs e^-balance, and is 2^32 - 1 times longer."""
    values, settings = ([2e9, 2e9 + 1], rule(choice=choice, joint=choice != UNIFORM, rate=balance / 2))
    law = law_of(values, STEPS.lower, STEPS.upper, balance / 2)
    found = cuts_of(STEPS, values, settings, n_classes)
    seen = np.bincount(np.searchsorted(values, found, side="right"), minlength=3)
    assert_follows(seen, np.where(law > 1e-12, law, 0))


@pytest.mark.parametrize("choice", CHOICES)
def test_records_nearer_than_a_step_are_one_grid_point(choice):
    """No cut comes between them, at any rate; a step apart they are two."""
    settings = rule(choice=choice, joint=choice != UNIFORM, rate=300.0)
    for column, gap in ((Continuous(0, 1), 1e-310), (Continuous(0, 1), 2.0**-34), (WIDE, 1.0)):
        found = cuts_of(column, [0.0, gap], settings)
        assert ((found < 0) | (found >= gap)).all()
    found = cuts_of(Continuous(0, 1), [0.0, 2.0**-32], settings)
    assert ((found >= 0) & (found < 2.0**-32)).all()


@pytest.mark.parametrize("selection", ["exponential", "permute-and-flip", "uniform"])
@pytest.mark.parametrize("n", [5279, 2671])
def test_one_record_more_does_not_move_every_cut(selection, n):
    """Before, one record flipped the event "outside the data" from always to never at these sizes."""
    x = (np.arange(n + 1) % 2.0)[:, None]
    forest = MedianForestClassifier(
        1.0, domain=Domain([WIDE]), classes=[0, 1], n_estimators=1, max_depth=1, selection=selection
    )
    outside = []
    for size in (n, n + 1):
        cuts = [forest.fit(x[:size], np.zeros(size)).trees_.threshold[0] for _ in range(20)]
        outside.append(np.mean([not 0 <= cut <= 1 for cut in cuts]))
    # 0 and 1 are one grid point here: always outside
    assert outside[0] == outside[1]


def test_a_greedy_cut_counts_by_length_and_weight_together():
    values, balance = [2e9, 2e9 + 1], 22.5
    work = np.empty((4, 4))
    settings = greedy.Rule(1, 1, greedy.MAJORITY, np.inf, balance, 1.0, 0.0)
    rng = np.random.default_rng(1)
    found = np.array([
        greedy.draw_cut(np.array(values), np.array([0, 1]), np.array([0.0, 1.0]), 2, STEPS.lower,
                        STEPS.upper, settings, work, rng)[0]
        for _ in range(DRAWS)
    ])  # fmt: skip
    outside = (2**32 - 1) * math.exp(-balance)  # one record of two is in the minority
    inside = (found >= values[0]) & (found < values[1])
    assert_follows([inside.sum(), (~inside).sum()], [1, outside])


@pytest.mark.parametrize("selection", ["exponential", "permute-and-flip", "uniform"])
@pytest.mark.parametrize("epsilon", [1e18, 1e20, 1e200, 1.7e308])
def test_a_huge_budget_cuts_as_an_infinite_one(selection, epsilon):
    """The weights of all records add up to no infinity, and nothing is read beyond them."""
    X = np.random.default_rng(0).random((300, 2))
    y = (X[:, 0] > 0.6).astype(int)
    forest = MedianForestClassifier(
        epsilon, domain=Domain([Continuous(0, 1)] * 2), classes=[0, 1], n_estimators=5, max_depth=4,
        selection=selection, random_state=0,
    )  # fmt: skip
    forest.fit(X, y)
    cuts = forest.trees_.threshold[forest.trees_.feature >= 0]
    assert (cuts < 1).all()
    assert forest.score(X, y) > 0.95


# Levels ----------------------------------------------------------------------------------------


def sets_by_enumeration(counts):
    return [s for s in itertools.product([0, 1], repeat=len(counts)) if 0 < sum(s) < len(s)]


@pytest.mark.parametrize("mechanism", [Exponential, PermuteAndFlip])
@pytest.mark.parametrize("counts", [[3, 0, 1, 2, 2], [1, 2, 4], [0, 0], [0, 0, 0], [4, 0], [1, 5], [7, 0, 0]])
def test_a_set_of_many_levels_follows_its_law(mechanism, counts):
    sets, n = sets_by_enumeration(counts), sum(counts)
    law = mechanism(1.2).pmf([-abs(n - 2 * np.dot(s, counts)) for s in sets])
    rng, chosen, seen = np.random.default_rng(2), np.zeros(len(counts), bool), {}
    for _ in range(5000):
        draw_even_subset(np.array(counts), n, 0.6, mechanism is PermuteAndFlip, rng, chosen)
        key = tuple(chosen.astype(int).tolist())
        seen[key] = seen.get(key, 0) + 1
    assert set(seen) <= set(sets)
    assert_follows([seen.get(s, 0) for s in sets], law)


def test_numbers_of_sets_beyond_the_floats():
    """1,200 levels of three records and one of 3,650: how many light levels go with the heavy one."""
    light, heavy, rate = 1200, 3650, 0.5
    n = 3 * light + heavy
    with mpmath.workdps(50):
        weights = [
            math.comb(light, k) * mpmath.exp(-rate * abs(n - 2 * (heavy + 3 * k))) for k in range(light + 1)
        ]
        law = np.array([float(w / mpmath.fsum(weights)) for w in weights])
    counts = np.array([0] + [3] * light + [heavy])
    rng, chosen, seen = np.random.default_rng(3), np.zeros(len(counts), bool), []
    for _ in range(80):
        draw_even_subset(counts, n, rate, False, rng, chosen)
        side = chosen == chosen[-1]
        seen.append(side[1:-1].sum())
    cells = np.searchsorted(np.cumsum(law), [0.1, 0.3, 0.5, 0.7, 0.9])
    expected = np.add.reduceat(law, [0, *(cells + 1)])
    assert_follows(np.bincount(np.searchsorted(cells, seen), minlength=6), expected)


def test_thousands_of_levels_are_split_by_a_forest():
    """The configuration in which a draw never ended."""
    x = np.r_[np.repeat(np.arange(1, 2019), 3), np.full(6104, 2019)].astype(object)[:, None]
    domain = Domain([Categorical(list(range(2020)))])
    for selection in ("uniform", "permute-and-flip"):
        forest = MedianForestClassifier(
            2.0, domain=domain, classes=[0, 1], n_estimators=1, max_depth=1, selection=selection,
            accounting="published", random_state=3,
        )  # fmt: skip
        steps = forest.fit(x, np.zeros(len(x), int)).trees_.steps
        assert 0 < steps[steps.size - 2020 :].sum() < 2020


def test_memory_grows_with_levels_plus_records():
    """What a tree computes in: a fixed number of rows of the records, whatever the levels."""
    few, many = (
        sum(np.asarray(a).nbytes for a in Work.of(rule(), 1000, np.array([k]), 2)) for k in (FEW_LEVELS, 5000)
    )
    assert many - few < 400 * 5000


def test_memory_of_exact_cuts_follows_the_columns_that_compete():
    """By balance alone one column is drawn before any candidate, so that one has room for candidates."""

    def taken(choice, max_features, levels):
        settings = exact_rule(rule(choice=choice, max_features=max_features, joint=True))
        work = ExactWork.of(settings, 1000, np.array([levels] * 50), 2)
        return sum(np.asarray(a).nbytes for a in work)

    assert taken(UNIFORM, 50, 5000) == taken(UNIFORM, 1, 5000)
    assert taken(UNIFORM, 1, 5000) - taken(UNIFORM, 1, FEW_LEVELS) < 400 * 5000
    assert taken(EXPONENTIAL, 50, 5000) > 40 * taken(EXPONENTIAL, 1, 5000)


DRAW = """
import resource
import numpy as np
from dplit.trees.subsets import draw_even_subset
def draw(levels, each):
    counts, chosen = np.full(levels, each), np.zeros(levels, bool)
    draw_even_subset(counts, levels * each, 0.5, False, np.random.default_rng(0), chosen)
draw(20, 2)  # compiles
before = int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize()
draw(400, 100)
status = open("/proc/self/status").read()
print(int(status.partition("VmHWM:")[2].split()[0]) * 1024 - before)
"""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="no /proc")
def test_a_set_of_many_levels_is_drawn_in_some_rows_of_the_records():
    """A table of all levels by all numbers of records would take 128 MB."""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run([sys.executable, "-c", DRAW], capture_output=True, text=True, env=environment)
    assert int(done.stdout) < 10 * 400 * 100 * 8, done.stderr
