r"""What a median forest releases: cuts, by the roots of many trees on the same few records, and its leaves.

All trees of depth 1 read all records: a fit of n trees has n draws of a cut. Imbalances and sums of squared errors
are counted here from the records, as DiPriMe v2, section 3.1, and the chapter define them.
"""

import math
from collections.abc import Callable
from functools import partial
from itertools import combinations
from typing import NamedTuple

import numpy as np

from dplit.court.power import laws
from dplit.court.power.drawn import Bound, Release
from dplit.court.power.sampling import binned, same_in_each_cell, seed_of, until, watched
from dplit.domain import Categorical, Continuous, Domain

CLASSIFIER, REGRESSOR = "MedianForestClassifier", "MedianForestRegressor"
PICKS = {"exponential": laws.softmax, "permute-and-flip": laws.flip}
NO_NOISE = 1e5  # times a declared epsilon

LEVELS = "abc"
PLACES, HELD, CLASSES = (1 / 16, 14 / 16, 9 / 16, 3 / 16), "accc", (0, 1, 0, 1)  # of each record
TARGETS = {  # as vectors: one-hot classes, and targets in [-1, 1], so that B = 1 in both
    CLASSIFIER: [[1 - k, k] for k in CLASSES],
    REGRESSOR: [[2 * k - 1] for k in CLASSES],
}
GROWS = {CLASSIFIER: 2, REGRESSOR: 4}  # the most that a record adds to the sum of squared errors
MEDIAN = 3.0  # epsilon_s, where the column is uniform, or the cut a candidate
JOINT = 1.5  # epsilon_s, and epsilon_a as well, where column and cut are one draw
CHOICE = {CLASSIFIER: 16.0, REGRESSOR: 8.0}  # the same, of a choice of a column as published

LEAF = 1.0  # epsilon of a leaf: its noise has scale 1
COLUMNS = 8  # of two levels, all tested: a tree has a leaf for each cell
IN_LEAF = [0, 1, 1]  # classes or targets


class Test(NamedTuple):
    """One way to split the records: which it is, its share of the public measure, its scores."""

    name: str
    measure: float
    odd: float  #: By how many records one side is larger.
    squares: float  #: Sum of squared errors of both sides.


def _tests(targets, copies=1):
    """Of each column: intervals between places, and sets of levels; the first record counts `copies` times."""
    weights = np.array([copies, 1, 1, 1], float)

    def test(name, measure, left):
        left = np.array(left)
        odd = abs(weights[left].sum() - weights[~left].sum())
        return Test(name, measure, odd, sum(_squares(weights[s], np.array(targets)[s]) for s in (left, ~left)))

    edges = [0.0, *sorted(PLACES), 1.0]
    sets = ["".join(s) for size in (1, 2) for s in combinations(LEVELS, size)]
    cuts = [test(f"{j} below", edges[j + 1] - edges[j], [x <= edges[j] for x in PLACES]) for j in range(5)]
    return cuts, [test(f"{s} left", 1 / len(sets), [x in s for x in HELD]) for s in sets]


def _squares(weights, targets):
    """Sum of squared errors of records that count so many times."""
    if not weights.any():
        return 0.0
    mean = weights @ targets / weights.sum()
    return float(weights @ ((targets - mean) ** 2).sum(axis=1))


def _scores(tests, balance, error=0.0):
    """Exponent of each test's weight; a unit of imbalance weighs `balance`, one of squared error `error`."""
    return [math.log(t.measure) - balance * t.odd - error * t.squares for t in tests]


def _median(rate=1.0, copies=1):
    """A uniform column, and its median by the exponential mechanism."""
    columns = _tests(TARGETS[CLASSIFIER], copies)
    balance = min(rate, NO_NOISE) * MEDIAN / 2
    drawn = [(tests, laws.softmax(_scores(tests, balance), 1)) for tests in columns]
    return {t.name: p / len(columns) for tests, law in drawn for t, p in zip(tests, law.values(), strict=True)}


def _joint(estimator, selection, rate=1.0, copies=1):
    """One draw of column and cut by both scores: a column by its mean weight, then its cut."""
    epsilon, found = min(rate, NO_NOISE) * JOINT, {}
    columns = _tests(TARGETS[estimator], copies)
    scores = [_scores(tests, epsilon / 2, epsilon / GROWS[estimator]) for tests in columns]
    means = [max(s) + math.log(sum(math.exp(x - max(s)) for x in s)) for s in scores]
    for a, share in PICKS[selection](means, 1).items():
        law = laws.softmax(scores[a], 1).values()
        found |= {t.name: share * p for t, p in zip(columns[a], law, strict=True)}
    return found


def _choice(estimator, selection, rate=1.0, copies=1):
    r"""Of two candidates the one with the smaller error, by :math:`\epsilon_a/8` a unit, summed over all pairs.

    Where columns are chosen by permute-and-flip, sets of levels are drawn so, too; a median of places cannot be.
    """
    epsilon, pick = CHOICE[estimator], PICKS[selection]
    cuts, sets = _tests(TARGETS[estimator], copies)
    of_cut = laws.softmax(_scores(cuts, epsilon / 2), 1)
    of_set = pick([-t.odd for t in sets], epsilon / 2)
    found = dict.fromkeys([t.name for t in (*cuts, *sets)], 0.0)
    for i, p in of_cut.items():
        for j, q in of_set.items():
            pair = cuts[i], sets[j]
            law = pick([-t.squares for t in pair], min(rate, NO_NOISE) * epsilon / 8)
            for a, share in law.items():
                found[pair[a].name] += p * q * share
    return found


def _draw_cuts(estimator, epsilon, options, n, rng):
    """Root tests of `n` trees that spend `epsilon` each."""
    from dplit import forests

    domain = Domain([Continuous(0, 1), Categorical(list(LEVELS))])
    fixed = {"domain": domain, "n_estimators": n, "max_depth": 1, "partitioned": False, "rho": 0.5}
    schema = {"target_bounds": (-1, 1)} if estimator == REGRESSOR else {"classes": [0, 1]}
    forest = getattr(forests, estimator)(n * epsilon, **fixed, **schema, **options, random_state=seed_of(rng))
    y = CLASSES if estimator == CLASSIFIER else [t for (t,) in TARGETS[REGRESSOR]]
    trees = forest.fit(np.array(list(zip(PLACES, HELD, strict=True)), dtype=object), y).trees_
    cut = trees.feature[trees.roots] == 0
    below = np.searchsorted(sorted(PLACES), trees.threshold[trees.roots], "right")
    steps = trees.steps[trees.side[trees.roots, None] + np.arange(len(LEVELS))]
    left = ["".join(level for level, step in zip(LEVELS, row) if step == 0) for row in steps.tolist()]
    return [f"{j} below" if c else f"{s} left" for c, j, s in zip(cut, below, left, strict=True)]


def _label(rate=1.0, copies=1):
    """Permute-and-flip on the counts of `IN_LEAF`, whose first record may count twice."""
    return laws.flip([copies, 2], rate * LEAF)


def _noise(rate=1.0, copies=1, bias=0.0):
    """Noise of one of two numbers of a leaf, which a coin picks, in bins; the first record is in one of them."""
    each = [laws.laplace(rate, shift, bias) for shift in (copies - 1, 0)]
    return {i: (each[0][i] + each[1][i]) / 2 for i in each[0]}


def _leaves(estimator, accounting, rng):
    """A fitted forest with a leaf for each cell, and `IN_LEAF` in each."""
    from dplit import forests

    domain, X, y = same_in_each_cell(COLUMNS, IN_LEAF)
    shape = {"domain": domain, "n_estimators": 1, "max_depth": COLUMNS, "rho": 0.5, "accounting": accounting}
    schema = {"target_bounds": (0, 1)} if estimator == REGRESSOR else {"classes": [0, 1]}
    return getattr(forests, estimator)(2 * LEAF, **shape, **schema, random_state=seed_of(rng)).fit(X, y)


def _draw_labels(n, rng):
    return until(n, lambda: _leaves(CLASSIFIER, "proved", rng).leaf_labels_.tolist())


def _draw_noise(estimator, accounting, place, n, rng):
    """Noise in one of the two numbers of each leaf that `place` returns; the true ones are 1 and 2."""

    def once():
        with watched(place) as seen:
            _leaves(estimator, accounting, rng)
        (released,) = seen
        noise = np.asarray(released[0] if isinstance(released, tuple) else released) - [1, 2]
        return binned(noise[np.arange(len(noise)), rng.integers(2, size=len(noise))], laws.EDGES)

    return until(n, once)


def _private(law: Callable, cost: float):
    """What the first record makes likeliest, against its probability without it, where the bound is below 1."""
    found, without = law(), law(copies=0)
    telling = [o for o in found if math.exp(cost) * without[o] < 1]
    yield _beside(law, cost, max(telling, key=lambda o: found[o] / without[o]))


def _beside(law, cost, *outcomes, words=""):
    without = law(copies=0)
    stated = math.exp(cost) * sum(without[o] for o in outcomes)
    words = words or " or ".join(map(str, outcomes))
    return Bound(f"{words}, e^{cost:g} times as likely as without a record,", frozenset(outcomes), stated)


def _balanced():
    r"""DiPriMe v2, theorem 3, for t = 1, of the column of places, which half of the trees cut.

    Published with :math:`e^{-\epsilon}`, which is loose for t >= 1: it holds with :math:`e^{-2\epsilon}`.
    """
    yield from _private(_median, MEDIAN)
    centre = sorted(PLACES)[2] - sorted(PLACES)[1]
    both = frozenset(f"{j} below" for j in (1, 2, 3))
    for words, power in (("theorem 3 as published", 1), ("theorem 3 as corrected", 2)):
        stated = centre / (centre + (1 - centre) * math.exp(-power * MEDIAN))
        yield Bound(f"a record on both sides, by {words},", both, stated / 2, ">=")


def _odds(estimator, selection):
    r"""The likelier column: errors differ by N R^2/4 at most, and line 52 of v1's algorithm 3 prints no N.

    The draws refute that line: an error weighs 1/N of what the text says, and columns are chosen more evenly.
    """
    cuts = frozenset(t.name for t in _tests(TARGETS[estimator])[0])
    law, printed = _choice(estimator, selection), _choice(estimator, selection, rate=1 / len(PLACES))
    more = cuts if sum(law[o] for o in cuts) > 0.5 else frozenset(law) - cuts
    most = CHOICE[estimator] / 8 * len(PLACES) * GROWS[estimator] / 4
    yield Bound("the likelier column, whatever the cuts,", more, PICKS[selection]([0, -most], 1)[0])
    stated = sum(printed[o] for o in more)
    yield Bound("the likelier column, by line 52 as printed,", more, stated, holds=False)


def registered():
    """The releases of this file."""
    for estimator in (CLASSIFIER, REGRESSOR):
        yield from _of_uniform(estimator)
        for selection in PICKS:
            yield from _of_selection(estimator, selection)
    says = "permute-and-flip on the leaf's class counts, at epsilon"
    yield _release(CLASSIFIER, "class of a leaf", "median_forest", says, _label, _draw_labels,
                   bounds=partial(_private, _label, LEAF))  # fmt: skip
    yield _numbers(CLASSIFIER, "class counts of a leaf", "Laplace noise of scale 1/epsilon on each count",
                   "published", "forests.releases.laplace_counts")  # fmt: skip
    yield _numbers(REGRESSOR, "mean of a leaf", "Laplace noise of scale 1/epsilon on the votes for each end",
                   "proved", "mechanisms.BoundedMean.sample")  # fmt: skip


def _of_uniform(estimator):
    for node, it, options in (
        ("median of a uniform column", "its median", {"selection": "uniform"}),
        ("candidate", "a candidate cut on it", {"accounting": "published", "max_features": 1}),
    ):
        says = (f"chooses a column uniformly and releases {it} by the exponential mechanism, where the score of a "
                "cut is minus the difference between the sizes of its two sides")  # fmt: skip
        epsilon = 2 * MEDIAN if node != "candidate" else 4 * MEDIAN  # half of the level's share goes to a choice
        draw = partial(_draw_cuts, estimator, epsilon, options)
        yield _release(estimator, node, "median", says, _median, draw, bounds=_balanced)


def _of_selection(estimator, selection):
    joint, choice = partial(_joint, estimator, selection), partial(_choice, estimator, selection)
    options = {"selection": selection, "max_features": 2}
    says = f"the {selection} mechanism on a joint score of balance and squared error"
    yield _release(estimator, "column and cut", "median_forest", says, joint,
                   partial(_draw_cuts, estimator, 4 * JOINT, options), mechanism=selection,
                   bounds=partial(_private, joint, 2 * JOINT))  # fmt: skip
    says = f"the {selection} mechanism on the squared error of two private candidates"
    options = options | {"accounting": "published"}
    yield _release(estimator, "choice of a column", "median_forest", says, choice,
                   partial(_draw_cuts, estimator, 4 * CHOICE[estimator], options), mechanism=selection,
                   bounds=partial(_odds, estimator, selection))  # fmt: skip


def _numbers(estimator, node, says, accounting, place):
    far = range(1 + laws.EDGES.index(1.1), len(laws.EDGES) + 1)

    def bounds():
        yield _beside(_noise, LEAF, *far, words="noise of 1.1 records or more")

    draw = partial(_draw_noise, estimator, accounting, place)
    return _release(estimator, node, "median_forest", says, _noise, draw, is_number=True, bounds=bounds)


def _release(estimator, node, chapter, says, law, draw, mechanism="", **more) -> Release:
    name = f"{estimator}, {node}" + (f", {mechanism}" if mechanism else "")
    return Release(name, f"forests.{estimator}", node, chapter, says, law, draw, mechanism=mechanism, **more)
