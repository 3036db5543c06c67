"""Roots of greedy baselines in ``dplit audit``: whether a fitted tree goes on, and by which column, by the law.

`dplit.court.audit.subjects.choices` holds a choice to the rule that it is told. Here the rule is the fit's own: the
laws follow from the epsilon of a tree alone, by the shares that each paper gives to a number of records, to class
counts and to a choice. Trees of one fit that all read all records draw independently of each other.
"""

import math
from dataclasses import dataclass
from functools import partial
from itertools import product

import numpy as np

from dplit.court.audit.subject import AgainstLaw, Lawful, estimator, public, subject
from dplit.court.audit.subjects.choices import ARITY, COLUMNS, LABELS, STOPPED, TARGETS, columns_law
from dplit.domain import Categorical, Continuous, Domain

DOMAIN, X = Domain([Categorical(range(k)) for k in ARITY]), np.array(COLUMNS, dtype=object).T
PUBLISHED, TWO = {"accounting": "published"}, {"max_features": 2}
CUT = {"domain": Domain([Continuous(0, k) for k in ARITY]), "partitioned": False}
BITS = math.log2(4)  # of three records, the public number, and one more


@dataclass(frozen=True)
class FittedRoots:
    """Mechanism: the column that a tree's root tests, or that there is none, each tree at `epsilon`.

    Of columns that are cut it is the first one, whichever it is.
    """

    kind: str
    options: dict
    epsilon: float
    apart: bool  #: Whether each tree is a fit of its own: its records are drawn again where there are several.

    def draw_many(self, y, size, rng):
        """`size` columns, of as many trees."""
        fits, trees = (size, 1) if self.apart else (1, size)
        adds_up = not (self.kind == "RGVClassifier" and "accounting" in self.options)  # each spends all of it
        options = {"domain": DOMAIN, "n_estimators": trees, "max_depth": 1} | public(self.kind, 2) | self.options
        make = partial(estimator(self.kind), self.epsilon * (trees if adds_up else 1), **options)
        fitted = (make(random_state=int(rng.integers(2**32))).fit(X, list(y)).trees_ for _ in range(fits))
        last = 0 if "domain" in self.options else len(ARITY)
        return [min(int(j), last) for forest in fitted for j in forest.feature[forest.roots]]


def few(share, most=max(ARITY)):
    """The chance that a path ends by its noisy number of records, where a test has as many children."""
    gap = len(LABELS) * share - math.sqrt(2) * 3 * most  # in scales of the noise
    tail = math.exp(-abs(gap)) / 2
    return tail if gap > 0 else 1 - tail


def pure(share):
    """The chance that at most one noisy class count is above 0."""
    below = [math.exp(-LABELS.count(k) * share) / 2 for k in range(3)]
    return sum(
        math.prod(1 - b if up else b for b, up in zip(below, ups))
        for ups in product((False, True), repeat=3) if sum(ups) <= 1
    )  # fmt: skip


def _roots(kind, options, epsilon, score, rate, ends, most, bits, apart):
    """Rate and end of a path as a share of a tree's epsilon."""
    y = TARGETS if score == "targets" else LABELS
    law = columns_law(y, score, rate, most, bits) if rate else {0: 1.0}
    law = {column: (1 - ends) * chance for column, chance in law.items()}
    return Lawful(FittedRoots(kind, options, epsilon, apart), y, law | ({STOPPED: ends} if ends else {}))


def registered():
    """The subjects of this file."""
    fs, rgv, rf, df = "FSClassifier", "RGVClassifier", "DPRandomForestClassifier", "DPDecisionForestClassifier"
    mean, entropy = "DPRandomForestRegressor", {"operator": "information-gain", "public_n": 3}
    gini, all_read = {"operator": "gini"}, {"partitioned": False}
    unit, three = TWO | {"target_bounds": (0, 1)}, {"max_features": 3}
    each, majority = PUBLISHED | {"partitioned": True}, {"criterion": "majority"}
    for kind, words, options, epsilon, score, rate, ends, most in (
        # of a path's number, choice and class each has a share; as published a choice costs half of its own
        (fs, "majority", all_read, 6.0, "majority", 2.0, few(2.0), 3),
        (fs, "published, Gini", gini | PUBLISHED, 8.0, "squares", 0.5, few(2.0), 3),
        (rgv, "Gini", gini | all_read, 6.0, "squares", 1.0, few(2.0), 2),
        (rgv, "published, entropy", entropy | PUBLISHED, 8.0, "entropy", 1 / (BITS + 1 / math.log(2)), few(2.0), 2),
        (fs, "three columns that are cut", CUT, 6.6, "majority", 0.0, few(1.1, 2), 3),
        # half for the choice, half for the leaf; as published half of it all for counts
        (rf, "majority", TWO | all_read | majority, 2.0, "majority", 1.0, 0.0, 2),
        (rf, "published, majority", three | each | majority, 10.4, "majority", 1.3, pure(2.6), 3),
        (rf, "published, counts of a node", three | each | majority, 1.0, "majority", 0.125, pure(0.25), 3),
        (mean, "squares", unit | all_read, 6.0, "targets", 3.0, 0.0, 2),
        (mean, "published", unit | three | each, 96.0, "targets", 6.0, 0.0, 3),
        (df, "Gini", TWO | all_read, 4.0, "squares", 1.0, 0.0, 2),
        (df, "published, local Gini", TWO | PUBLISHED, 8.0, "local Gini", 1.0, 0.0, 2),
    ):  # fmt: skip
        apart, bits = each.items() <= options.items(), BITS if score == "entropy" else math.inf
        law = partial(_roots, kind, options, epsilon, score, rate, ends, most, bits, apart)
        draws = (1000, 4000, 20_000) if apart else (3000, 20_000, 100_000)
        yield subject(f"roots of {kind} draw their law, {words}", AgainstLaw(law, draws))
