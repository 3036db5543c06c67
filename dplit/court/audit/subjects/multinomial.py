"""The multinomial forests in ``dplit audit``: fits drawn many times.

The repaired forest is held to its budget. The published one declares what theorem 2 of the paper says
of its B1, B2 and B3; its stopping rule, its candidates and its labels drawn for every query each tell
the neighbours apart.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.stats import binom

from dplit.court.audit.estimators import FreshFit
from dplit.court.audit.subject import AgainstLaw, BlackBox, Fits, Lawful, Leak, Subject, named
from dplit.court.audit.subjects.median import THREE, cut_between, first_tree, sides
from dplit.domain import Categorical, Domain

KIND = named("forests", "MultinomialForestClassifier")
DRAWS = (250, 8000, 30_000)
QUERIES = 100
# One tree of one level: B1 + B2 = epsilon and B3 = epsilon, here 1.
PAPER = {"accounting": "published", "feature_budget": 0.5, "value_budget": 0.5, "label_budget": 1.0,
         "epsilon": 1.0}  # fmt: skip


@dataclass(frozen=True)
class is_split:  # lower case: used as a function, an object so that processes can share it
    """Summary: whether the first tree has a test."""

    def __call__(self, fitted):
        """True or False."""
        return bool(fitted.trees_.n_leaves > 1)


@dataclass(frozen=True)
class most_answers:
    """Summary: whether most answers to so many equal queries are the first class."""

    queries: int

    def __call__(self, fitted):
        """True or False."""
        answers = fitted.predict(np.full((self.queries, 1), 0.5))
        return bool((answers == fitted.classes_[0]).mean() > 0.5)


def _fit(data, change, summary, **options):
    """A fit of one tree; what it declares is its budget."""
    return BlackBox(Fits(KIND, data, change, summary, None, {"n_estimators": 1, **options}), DRAWS)


def _leak(data, change, summary, chances, **options):
    """A published fit of one tree; what it declares is what the paper says that it costs."""
    options = {"n_estimators": 1, "max_depth": 1, **PAPER, **options}
    return Leak(Fits(KIND, data, change, summary, 1.0, options), 1.0, chances)


def _answers():
    """Of `QUERIES` labels, each drawn with odds of e^(B3/2), whether most are the class of the one record."""
    odds = math.exp(PAPER["label_budget"] / 2)
    most = binom.sf(QUERIES // 2, QUERIES, [odds / (1 + odds), 1 / (1 + odds)])
    return most.tolist()


def _levels_law(scores, epsilon=16.0):
    """The levels on each side of a test, against the law of one draw by what the sides explain."""

    def lawful():
        levels, X, y = ("a", "b", "c"), [["a"], ["a"], ["b"], ["c"]], np.array([0, 0, 1, 1])
        gains = {}
        for goes in product((0, 1), repeat=len(levels)):
            right = np.array([goes[levels.index(x)] for (x,) in X])
            if 0 < sum(goes) < len(levels):
                cells = np.array(
                    [[((right == s) & (y == k)).sum() for k in (0, 1)] for s in (0, 1)]
                )
                gains[goes] = float((cells**2 / cells.sum(axis=1, keepdims=True)).sum())
        least, most = min(gains.values()), max(gains.values())
        if scores == "normalised":
            gains = {goes: (gain - least) / (most - least) for goes, gain in gains.items()}
        weights = {goes: np.exp(epsilon / 4 * gain) for goes, gain in gains.items()}
        law = {goes: float(w / sum(weights.values())) for goes, w in weights.items()}
        options = {"epsilon": epsilon, "max_depth": 1, "n_estimators": 1, "partition_rate": None}
        options |= {"scores": scores, "domain": Domain([Categorical(levels)])}
        data = np.array(X, dtype=object), y
        fits = Fits(KIND, data, ("add", ["a"], 0), None, 1.0, options)
        return Lawful(FreshFit(fits.estimator()), data, law, sides(levels))

    return AgainstLaw(lawful, (1000, 10_000, 100_000))


def registered():
    """The subjects of this file."""
    for scores in ("counts", "normalised"):
        yield Subject(f"MultinomialForestClassifier draws its law, {scores}", "law", "within",
                      _levels_law(scores))  # fmt: skip
    three, added = (THREE, [0, 0, 1]), ("add", [0.41, 0.59], 1)
    depth = {"epsilon": 2.0, "max_depth": 1}
    whole = {"partition_rate": None, "min_samples_leaf": 1}
    # 11 records leave 5 estimation points, no more than a leaf must have, and 12 leave 6;
    # the middle between two records is the only candidate, 0.5 or 0.4
    eleven = [[i / 12] for i in range(1, 12)], [i % 2 for i in range(11)]
    for name, expected, check in (
        ("MultinomialForestClassifier, add-remove", "within",
         _fit(three, added, first_tree(), **depth)),
        ("MultinomialForestClassifier, all records for both, add-remove", "within",
         _fit(three, added, first_tree(), partition_rate=None, **depth)),
        ("MultinomialForestClassifier, normalised scores, add-remove", "within",
         _fit(three, added, first_tree(), scores="normalised", **depth)),
        ("MultinomialForestClassifier, replace-one", "within",
         _fit(three, ("replace", [0.9, 0.2], 1), first_tree(), neighbours="replace-one", **depth)),
        ("MultinomialForestClassifier, published stopping", "caught",
         _leak(eleven, ("add", [0.5], 1), is_split(), lambda: (0.0, 1.0))),
        ("MultinomialForestClassifier, published candidates", "caught",
         _leak(([[0.8], [0.2]], [1, 0]), ("replace", [0.6], 1), cut_between(0.45, 0.55),
               lambda: (1.0, 0.0), neighbours="replace-one", **whole)),
        ("MultinomialForestClassifier, published label for every query", "caught",
         _leak(([[0.5]], [0]), ("replace", [0.5], 1), most_answers(QUERIES), _answers,
               neighbours="replace-one", draw_label="query", **whole)),
    ):  # fmt: skip
        yield Subject(name, "black box", expected, check)
