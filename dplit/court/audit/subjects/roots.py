"""Roots of greedy baselines in ``dplit audit``: whether a fitted tree goes on, and by which column, by the law.

`dplit.court.audit.subjects.choices` holds a choice to the rule that it is told; here the rule is the fit's own, by
the shares of epsilon that each paper gives. Trees of one fit that all read all records draw independently.
"""

import math
from dataclasses import dataclass
from functools import partial
from itertools import product

import numpy as np
from scipy.stats import binom

from dplit.court.audit.subject import AR, AgainstLaw, Found, Lawful, estimator, exact_worst, public, subject
from dplit.court.audit.subjects import choices
from dplit.court.audit.subjects.choices import ARITY, COLUMNS, LABELS, STOPPED, TARGETS
from dplit.domain import Categorical, Continuous, Domain
from dplit.neighbours import data_sets, neighbouring_data

LEVELS, X = Domain([Categorical(range(k)) for k in ARITY]), np.array(COLUMNS, dtype=object).T
PAIR = Domain([Categorical(range(2))])
PUBLISHED, ALL_READ, TWO = {"accounting": "published"}, {"partitioned": False}, {"max_features": 2}
APART = PUBLISHED | {"partitioned": True, "max_features": 3}  # else a forest's trees draw their records, too
MIXED = ALL_READ | TWO | {"domain": Domain([*(Continuous(0, k) for k in ARITY[:2]), Categorical(range(2))])}
CUT = ALL_READ | {"domain": Domain([Continuous(0, k) for k in ARITY])}
DF = "DPDecisionForestClassifier"
BITS = math.log2(2)  # of one record, the public number, and one more


@dataclass(frozen=True)
class FittedRoots:
    """Mechanism: the column that a tree's root tests, or that there is none, each tree at `epsilon`.

    Of columns that are cut it is the first one, whichever it is.
    """

    kind: str
    options: dict
    epsilon: float

    def draw_many(self, y, size, rng):
        """`size` columns, of one fit, or of as many whose trees would not be independent."""
        fits, trees = (size, 1) if APART.items() <= self.options.items() else (1, size)
        each_spends_all = self.kind == "RGVClassifier" and "accounting" in self.options
        options = {"domain": LEVELS, "n_estimators": trees, "max_depth": 1} | public(self.kind, 2) | self.options
        make = partial(estimator(self.kind), self.epsilon * (1 if each_spends_all else trees), **options)
        fitted = (make(random_state=int(rng.integers(2**32))).fit(X, list(y)).trees_ for _ in range(fits))
        last = 0 if "domain" in self.options else len(ARITY)
        return [min(int(j), last) for forest in fitted for j in forest.feature[forest.roots]]


def few(share, most=4):
    """The chance that a path ends by its noisy number of records, where a test has as many children."""
    gap = len(LABELS) * share - math.sqrt(2) * 3 * most  # in scales of the noise
    return math.exp(-gap) / 2 if gap > 0 else 1 - math.exp(gap) / 2


def pure(share):
    """The chance that at most one noisy class count is above 0."""
    below = [math.exp(-LABELS.count(k) * share) / 2 for k in range(3)]
    ways = (ups for ups in product((False, True), repeat=3) if sum(ups) <= 1)
    return sum(math.prod(1 - b if up else b for b, up in zip(below, ups)) for ups in ways)


def _roots(kind, options, epsilon, score, rate, ends, most):
    """The law by a choice's rate among `most` columns, and by the chance that a path ends."""
    y, bits = TARGETS if score == "targets" else LABELS, BITS if score == "entropy" else math.inf
    law = choices.columns_law(y, score, rate, most, bits) if rate else {0: 1.0}
    law = {column: (1 - ends) * chance for column, chance in law.items()} | ({STOPPED: ends} if ends else {})
    return Lawful(FittedRoots(kind, options, epsilon), y, law)


def _empty(kind, effort, rng):
    """Infinite if another share of trees without records goes on than by the noise of their number alone."""
    trees, seed, shape = 3000, int(rng.integers(2**32)), {"max_depth": 1, "partitioned": True, "classes": [0]}
    forest = estimator(kind)(0.01, n_estimators=trees, domain=PAIR, random_state=seed, **shape)
    grown = forest.fit([[0]], [0]).trees_
    law, n = binom(trees, math.exp(-2 * math.sqrt(2)) / 2), int((grown.feature[grown.roots] != STOPPED).sum())
    low, high = law.interval(1 - 1e-6)
    return Found(0.0, 0.0 if low <= n <= high else math.inf, f"{n} of {trees} trees, {law.mean():.1f} by the law")


def _local(effort, rng):
    """A choice by the local sensitivity of the Gini index on few records of two classes, as its node says."""
    _, _, node = estimator(DF)()._published(32.0, 1, 0.5)

    def law(data):
        *columns, y = zip(*data) if data else ((), (), ())
        costs = {j: choices.cost(choices.children(c, 2, y), "squares") for j, c in enumerate(columns)}
        n = max(len(y), 1)
        return np.array([*choices.shares(costs, 32.0 / 2 / 4 * ((n + 1) / n) ** 2).values()])

    universe = tuple(product((0, 1), repeat=3))  # levels of two columns, and a class
    near = partial(neighbouring_data, universe=universe, neighbours=AR)
    return exact_worst(node.epsilon, law, list(data_sets(universe, effort.pick(4, 5, 6))), near)


def registered():
    """The subjects of this file."""
    yield subject(f"{DF}, a choice by the local sensitivity of the Gini index", _local)
    fs, rgv = "FSClassifier", "RGVClassifier"
    yield subject(f"{fs}, trees without records", partial(_empty, fs))
    yield subject(f"{rgv}, trees without records", partial(_empty, rgv))
    forest, mean, unit = "DPRandomForestClassifier", "DPRandomForestRegressor", {"target_bounds": (0, 1)}
    gini, majority = {"operator": "gini"}, {"criterion": "majority"}
    entropy = {"operator": "information-gain", "public_n": 1}
    for kind, words, options, *law in (
        # of a path's number, choice and class each has a share; as published a choice costs half of its own
        (fs, "majority", ALL_READ, 6.0, "majority", 2.0, few(2.0), 3),
        (fs, "published, Gini", gini | PUBLISHED, 8.0, "squares", 0.5, few(2.0), 3),
        (fs, "three columns that are cut", CUT, 6.6, "majority", 0.0, few(1.1, 2), 3),
        (rgv, "Gini", gini | ALL_READ, 6.0, "squares", 1.0, few(2.0), 2),
        (rgv, "entropy", entropy | ALL_READ, 6.0, "entropy", 2 / (BITS + 1 / math.log(2)), few(2.0), 2),
        (rgv, "columns that are cut and others", MIXED, 5.5, "majority", 0.0, few(1.1, 2), 2),
        (fs, "entropy", entropy | ALL_READ, 6.0, "entropy", 2 / (BITS + 1 / math.log(2)), few(2.0), 3),
        (rgv, "published, entropy", entropy | PUBLISHED, 8.0, "entropy", 1 / (BITS + 1 / math.log(2)), few(2), 2),
        # half for the choice, half for the leaf; as published half of it all for counts
        (forest, "Gini", TWO | ALL_READ, 4.0, "squares", 1.0, 0.0, 2),
        (forest, "majority", TWO | ALL_READ | majority, 2.0, "majority", 1.0, 0.0, 2),
        (forest, "published, majority", APART | majority, 10.4, "majority", 1.3, pure(2.6), 3),
        (forest, "published, counts of a node", APART | majority, 1.0, "majority", 0.125, pure(0.25), 3),
        (mean, "squares", TWO | ALL_READ | unit, 6.0, "targets", 3.0, 0.0, 2),
        (mean, "published", APART | unit, 96.0, "targets", 6.0, 0.0, 3),
        (DF, "Gini", TWO | ALL_READ, 4.0, "squares", 1.0, 0.0, 2),
        (DF, "published, local Gini", TWO | PUBLISHED, 8.0, "local Gini", 1.0, 0.0, 2),
    ):  # fmt: skip
        draws = (1000, 4000, 20_000) if APART.items() <= options.items() else (3000, 20_000, 100_000)
        check = AgainstLaw(partial(_roots, kind, options, *law), draws)
        yield subject(f"roots of {kind} draw their law, {words}", check)
