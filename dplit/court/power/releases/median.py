"""What a median forest releases: column and cut of a node, proved and published, and class or mean of a leaf.

Each tree reads all records, so that the trees of one fit are independent draws. Half of them are grown under
add-remove neighbours, half under replace-one at twice the epsilon, which must come to the same law.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from dplit.court.power import laws
from dplit.court.power.drawn import Bound, Release
from dplit.court.power.sampling import binned, seed_of, watched
from dplit.domain import Categorical, Continuous, Domain

CHAPTER = "median_forest"
KINDS = {"MedianForestClassifier": (0, 1), "MedianForestRegressor": (0.0, 1.0)}  # and the targets of two records
PLACES, TURNS = [0.48, 0.5, 0.52], 3  # values of three records of a continuous column
LINE = Domain([Continuous(0, 1)])
WORSE = 60  # columns that part nothing, beside the one that parts two records
BALANCE, CHOICE, JOINT, LEAF = 3.2, 8.2, 5.5, 1.0  # epsilon of what is tested


def grown(kind, X, y, domain, epsilon, n, rng, summary, place="", **options):
    """Outcomes of so many trees, of two fits; `summary` of the fit, or of what the release at `place` returned."""
    from dplit import forests

    schema = {"target_bounds": (0, 1)} if kind.endswith("Regressor") else {"classes": [0, 1]}
    shape = {"domain": domain, "partitioned": False, "rho": 0.5, "max_features": None} | schema | options
    trees, found = -(-n // 2), []
    for relation, spent in (("add-remove", epsilon), ("replace-one", 2 * epsilon)):
        if options.get("accounting") == "published":
            spent = epsilon  # whatever the neighbours
        shape |= {"neighbours": relation, "n_estimators": trees, "random_state": seed_of(rng)}
        forest = getattr(forests, kind)(trees * spent, **shape)
        if place:
            with watched(place) as seen:
                forest.fit(X, y)
            found += summary(seen[0])
        else:
            found += summary(forest.fit(X, y))
    return found


# Cuts ---------------------------------------------------------------------------------------------


def _cut_law(epsilon, rate=1.0, copies=1):
    r"""A private median: an interval with n' of n records below weighs its length times
    :math:`e^{-\epsilon|n - 2n'|/2}`."""
    often = [copies, *[1] * (len(PLACES) - 1)]
    below, edges = np.cumsum([0, *often]), np.array([0.0, *PLACES, 1.0])
    off = abs(below[-1] - 2 * below)
    weights = np.diff(edges) * np.exp(-np.minimum(rate * epsilon / 2, 1e4) * (off - off.min()))
    return dict(enumerate((weights / weights.sum()).tolist()))


def _draw_cuts(kind, epsilon, options, n, rng):
    def places(fitted):
        return np.searchsorted(PLACES, fitted.trees_.threshold[fitted.trees_.roots]).tolist()

    y, X = [KINDS[kind][0]] * len(PLACES), np.array(PLACES)[:, None]
    return grown(kind, X, y, LINE, epsilon, n, rng, places, max_depth=1, **options)


def _outside(epsilon):
    """Utility of a private median: cuts beside all records."""
    ratio = (1 - PLACES[-1] + PLACES[0]) / (PLACES[-1] - PLACES[0])
    stated = min(1.0, ratio * math.exp(-epsilon / 2 * (len(PLACES) - 1)))
    yield Bound("a cut beside all records:", frozenset({0, len(PLACES)}), stated)


def gain(kind, copies):
    """What a test explains that parts two records of other targets, the first one counted so often."""
    n, p = copies + 1, copies / (copies + 1)
    return n * p * (1 - p) * (2 if kind.endswith("Classifier") else 1)  # each class has its own squares


def _chosen(flips, gap):
    """Whether the better test is chosen; `gap` is what its score has more, times its weight."""
    if flips:
        return laws.flip_one(WORSE, 1.0, gap)
    best = 1 / (1 + WORSE * math.exp(-gap))
    return {True: best, False: 1 - best}


def _choice_gap(kind, rate=1.0, copies=1):
    """As published: candidates of two levels, by what they explain alone."""
    return rate * CHOICE / 2 * gain(kind, copies) / gain(kind, 1)


def _joint_gap(kind, rate=1.0, copies=1):
    """As proved: half of a level's epsilon for the balance, half for what is explained, of which a record adds
    up to 1, or of classes 2."""
    reach = 2 if kind.endswith("Classifier") else 1
    balance = copies + 1 - abs(copies - 1)
    return rate * (JOINT / 4 * balance + JOINT / 2 / reach * gain(kind, copies))


def _law_of(gap, kind, flips, **changed):
    return _chosen(flips, gap(kind, **changed))


def _draw_columns(kind, epsilon, options, n, rng):
    def good(fitted):
        return (fitted.trees_.feature[fitted.trees_.roots] == 0).tolist()

    X = np.zeros((2, WORSE + 1), dtype=int)
    X[0, 0] = 1
    domain = Domain([Categorical([0, 1])] * (WORSE + 1))
    return grown(kind, X, list(KINDS[kind]), domain, epsilon, n, rng, good, max_depth=1, **options)


def _seldom_worse(gap, kind):
    """McSherry and Talwar (2007): so many tests, none more than e^-gap as likely as the best one."""
    yield Bound("a column that parts nothing:", frozenset({False}), WORSE * math.exp(-gap(kind)))


# Leaves -------------------------------------------------------------------------------------------


def _label_law(rate=1.0, copies=1):
    return laws.flip([copies, 2], rate * LEAF)


def _draw_labels(kind, n, rng):
    def labels(fitted):
        return fitted.leaf_labels_.tolist()

    return grown(kind, [[0.5]] * 3, [0, 1, 1], LINE, LEAF, n, rng, labels, max_depth=0)


def _one_record():
    words = "the class of one record of three, e^epsilon times as likely as without it:"
    yield Bound(words, frozenset({0}), math.exp(LEAF) * laws.flip([0, 2], LEAF)[0])


def _units(rate=1.0, copies=1, bias=0.0):
    """Noise in units of its scale; all records may count so often."""
    return laws.laplace(rate, (copies - 1) * LEAF, bias)


def _draw_numbers(kind, place, epsilon, options, n, rng):
    """Two released numbers for each tree, of two records: less the truth, which is 1, in units of their noise."""

    def off(released):
        numbers = released[0] if isinstance(released, tuple) else released
        return binned((numbers - 1) * LEAF, laws.EDGES)

    two, half = list(KINDS[kind]), -(-n // 2)
    return grown(kind, [[0.5]] * 2, two, LINE, epsilon, half, rng, off, place, max_depth=0, **options)


def _tail():
    edge = laws.HALF[4]
    inside = range(len(laws.HALF) - 4, len(laws.HALF) + 5)
    members = frozenset(set(range(len(laws.EDGES) + 1)) - set(inside))
    yield Bound(f"noise of {edge} units and more:", members, math.exp(-edge))


def _of(kind):
    """The releases of one estimator."""

    def entry(node, says, law, draw, mechanism="", bounds=tuple, is_number=False, words=""):
        name = f"{kind}, {words or node}"
        return Release(name, f"forests.{kind}", node, CHAPTER, says, law, draw, is_number, mechanism, bounds)

    published = {"accounting": "published"}
    says, bounds = "the exponential mechanism on the balance, at epsilon/2", partial(_outside, BALANCE)
    for node, epsilon, options in (
        ("median of a uniform column", 2 * BALANCE, {"selection": "uniform"}),
        ("candidate", 4 * BALANCE, published | {"max_features": 1}),
    ):
        draw = partial(_draw_cuts, kind, epsilon, options)
        yield entry(node, says, partial(_cut_law, BALANCE), draw, bounds=bounds)
    weight = CHOICE / 2 / (gain(kind, 1) / 8)  # a unit of the sum of squares weighs epsilon/8
    for selection, flips in (("exponential", False), ("permute-and-flip", True)):
        for node, gap, epsilon, options, words in (
            ("choice of a column", _choice_gap, 4 * weight, published, "the sum of squares, weighed as published"),
            ("column and cut", _joint_gap, 2 * JOINT, {}, "balance and sum of squares together"),
        ):
            draw = partial(_draw_columns, kind, epsilon, options | {"selection": selection})
            law, bounds = partial(_law_of, gap, kind, flips), partial(_seldom_worse, gap, kind)
            says = f"the {selection} mechanism on {words}"
            yield entry(node, says, law, draw, selection, bounds, words=f"{node}, {selection}")
    if kind.endswith("Classifier"):
        yield entry("class of a leaf", "permute-and-flip on its class counts, at epsilon", _label_law,
                    partial(_draw_labels, kind), bounds=_one_record)  # fmt: skip
        yield entry("class counts of a leaf", "Laplace noise of scale 1/epsilon", _units,
                    partial(_draw_numbers, kind, "forests.releases.laplace_counts", 2 * LEAF, published),
                    bounds=_tail, is_number=True)  # fmt: skip
    else:
        yield entry("mean of a leaf", "geometric noise on the votes for both ends, at epsilon", _units,
                    partial(_draw_numbers, kind, "mechanisms.bounded_mean.BoundedMean.sample", LEAF, {}),
                    bounds=_tail, is_number=True)  # fmt: skip


def registered():
    """The releases of this file."""
    for kind in KINDS:
        yield from _of(kind)
