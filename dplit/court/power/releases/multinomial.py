"""What a multinomial forest releases: column and cut of a node, and class of a leaf, proved and published.

A good column competes with many, so that a rate a little too large turns many choices. Fits alternate between the
two relations, at an epsilon of replace-one that must come to the same law.
"""

import math
from functools import partial
from itertools import cycle

import numpy as np
from scipy.stats import binom

from dplit.court.power import laws
from dplit.court.power.drawn import Bound, Release
from dplit.court.power.sampling import same_in_each_cell, seed_of, until
from dplit.domain import Categorical, Continuous, Domain

KIND, CHAPTER = "MultinomialForestClassifier", "multinomial_privacy"
FEW, ALL = 1e-9, 1e9  # structure points for one estimation point: as good as none, as good as all
CUT, STRETCHED, LABEL = 8.4, 16.0, 0.5  # epsilon of one add-remove fit
LABELS, COLUMNS = [0, 1, 1, 1], 8  # in each leaf
ENOUGH = 16_000  # labels, to see of every other fit that its rate is doubled
CLASSES = [0, 0, 1, 1]
GOOD, HALF, BAD = (0, 0, 1, 1), (0, 1, 1, 1), (0, 1, 0, 1)  # columns: of all, of some, of no use
WORSE = 60  # columns that are worse than the good one
SAYS = "chooses a {} with probability proportional to $e^{{B_{}s/2}}$, where $s$ is its normalised score"
BUDGET = 8.0  # published: B1, B2 and B3, each where it is tested


def explained(side: tuple, labels: list) -> float:
    """Sum over the sides of a split of the squared class counts over the side's size."""
    parts = [[y for s, y in zip(side, labels, strict=True) if s == part] for part in set(side)]
    return sum(sum(part.count(c) ** 2 for c in set(part)) / len(part) for part in parts)


def gains(sides: list[tuple], labels: list, copies: int) -> list[float]:
    """What each split explains more than none, the first record counted so often."""
    often = [0] * (copies - 1)
    y = [labels[i] for i in often] + list(labels)
    grown = [tuple(side[i] for i in often) + tuple(side) for side in sides]
    return [explained(side, y) - explained((0,) * len(y), y) for side in grown]


def stretched(values: list[float]) -> list[float]:
    """The same from 0 to 1."""
    low, high = min(values), max(values)
    return [(v - low) / (high - low) for v in values]


def _fits(epsilon, X, y, domain, summary, n, rng, **options):
    """Fits at both relations by turns."""
    from dplit.forests import MultinomialForestClassifier

    relations = cycle([("add-remove", epsilon), ("replace-one", 2 * epsilon)])

    def once():
        relation, spent = next(relations)
        shape = {"domain": domain, "classes": [0, 1], "neighbours": relation, "n_estimators": 1}
        forest = MultinomialForestClassifier(spent, **shape | options, random_state=seed_of(rng))
        return summary(forest.fit(X, y))

    return until(n, once)


def roots(fitted):
    """Columns of the roots."""
    return fitted.trees_.feature[fitted.trees_.roots].tolist()


def labels(fitted):
    """Classes of the leaves."""
    return fitted.leaf_labels_.tolist()


def _table(columns):
    """Records of columns of two levels, and their domain."""
    return Domain([Categorical([0, 1])] * len(columns)), np.array(columns).T


def _counts_law(rate=1.0, copies=1):
    """Two records, one of each class, parted by the first column: it explains 1, 4/3 with the first one twice."""
    gain = gains([(0, 1)], [0, 1], copies)
    return laws.softmax([*gain, *[0.0] * WORSE], rate * CUT / 2)


def _draw_counts(n, rng):
    domain, X = _table([(0, 1), *[(0, 0)] * WORSE])
    return _fits(CUT, X, [0, 1], domain, roots, n, rng, max_depth=1, partition_rate=ALL)


def _stretched_law(budget, rate=1.0, copies=1):
    scores = stretched(gains([GOOD, HALF, BAD], CLASSES, copies))
    return laws.softmax([scores[0], scores[2], *[scores[1]] * WORSE], rate * budget)


def _draw_stretched(n, rng):
    """Columns of numbers that are ends of their range: each place of a cut parts them alike."""
    X = np.array([GOOD, BAD, *[HALF] * WORSE], dtype=float).T
    domain = Domain([Continuous(0, 1)] * X.shape[1])
    shape = {"max_depth": 1, "partition_rate": ALL, "scores": "normalised"}
    return _fits(STRETCHED, X, CLASSES, domain, roots, n, rng, **shape)


def _label_law(rate=1.0, copies=1, all_records=False):
    """Each record is an estimation point of its tree by the toss of a coin; the first counts so often if it is."""
    law = {0: 0.0, 1: 0.0}
    for first in range(2):
        for others in range(len(LABELS)):
            chance = binom.pmf(first, 1, 0.5) * binom.pmf(others, len(LABELS) - 1, 0.5)
            held = [1, len(LABELS) - 1] if all_records else [copies * first, others]
            for label, p in laws.flip(held, rate * LABEL).items():
                law[label] += chance * p
    return law


def _draw_labels(n, rng):
    domain, X, y = same_in_each_cell(COLUMNS, LABELS)
    n = max(n, ENOUGH)
    return _fits(LABEL, X, y, domain, labels, n, rng, max_depth=COLUMNS, partition_rate=1)


def _never_likelier(members, rate, others):
    """No outcome whose score exceeds each of so many others' by at most 1 is likelier than that."""
    odds = math.exp(rate)
    words = f"{next(iter(members))} is chosen, whatever the records:"
    yield Bound(words, frozenset(members), odds / (odds + others))


def _seldom_worse():
    """Exponential mechanism (McSherry and Talwar 2007): columns that explain 1 less than the best one."""
    yield Bound("a column that explains nothing:", frozenset(range(1, WORSE + 1)), WORSE * math.exp(-CUT / 2))


def _one_record():
    """A label of the first record's class, against the law without that record."""
    share = len(LABELS) - 1
    chances = binom.pmf(range(share + 1), share, 0.5)
    without = math.fsum(p * laws.flip([0, others], LABEL)[0] for others, p in enumerate(chances))
    words = "the class of one record of four, e^epsilon times as likely as without it:"
    yield Bound(words, frozenset({0}), math.exp(LABEL) * without)


def _published(X, y, domain, n, rng, summary, **budgets):
    from dplit.forests import MultinomialForestClassifier

    shape = {"domain": domain, "classes": [0, 1], "accounting": "published", "n_estimators": n}
    shape |= {"max_depth": 1, "min_samples_leaf": 1, "partition_rate": None}
    forest = MultinomialForestClassifier(1.0, **shape | budgets, random_state=seed_of(rng))
    return summary(forest.fit(X, y))


def _draw_columns(n, rng):
    domain, X = _table([GOOD, BAD, *[HALF] * WORSE])
    budgets = {"feature_budget": 2 * BUDGET, "value_budget": 1.0, "label_budget": 1.0}
    return _published(X, CLASSES, domain, n, rng, roots, **budgets)


PLACES = [i / 8 for i in range(1, 8)]
TURNS = [0, 1, 1, 1, 1, 0, 0]  # classes of seven records in a row


def _value_law(rate=1.0, copies=1):
    sides = [tuple(int(x > place) for x in PLACES) for place in PLACES[:-1]]
    return laws.softmax(stretched(gains(sides, TURNS, copies)), rate * BUDGET / 2)


def _draw_values(n, rng):
    budgets = {"feature_budget": 1.0, "value_budget": BUDGET, "label_budget": 1.0}

    def cuts(fitted):
        places = fitted.trees_.threshold[fitted.trees_.roots]
        return (np.searchsorted(PLACES, places) - 1).tolist()

    X = np.array(PLACES)[:, None]
    return _published(X, TURNS, Domain([Continuous(0, 1)]), n, rng, cuts, **budgets)


def _shares_law(rate=1.0, copies=1):
    held = np.array([copies, 2])
    return laws.softmax(held / held.sum(), rate * BUDGET / 2)


def _draw_shares(n, rng):
    budgets = {"feature_budget": 1.0, "value_budget": 1.0, "label_budget": BUDGET, "max_depth": 0}
    domain = Domain([Continuous(0, 1)])
    return _published([[0.5]] * 3, [0, 1, 1], domain, n, rng, labels, **budgets)


def registered():
    """The releases of this file."""
    cut, label = "column and cut", "class of a leaf"
    for words, node, law, draw, mechanism, says, bounds in (
        (cut, cut, _counts_law, _draw_counts, "on the children's",
         "the exponential mechanism on the children's Gini impurity mass, at rate epsilon/2",
         _seldom_worse),
        (f"{cut}, normalised", cut, partial(_stretched_law, STRETCHED / 2), _draw_stretched, "normalised",
         "the exponential mechanism on the impurity mass, stretched to [0, 1], at rate epsilon/2",
         partial(_never_likelier, {0}, STRETCHED / 2, WORSE + 1)),
        (label, label, _label_law, _draw_labels, "PermuteAndFlip",
         "permute-and-flip on the classes of its estimation points, at epsilon", _one_record),
        ("column, published", "column", partial(_stretched_law, BUDGET), _draw_columns, "",
         SAYS.format("column", 1), partial(_never_likelier, {0}, BUDGET, WORSE + 1)),
        ("value, published", "value", _value_law, _draw_values, "", SAYS.format("value", 2),
         partial(_never_likelier, {4}, BUDGET / 2, len(PLACES) - 2)),
        (f"{label}, published", label, _shares_law, _draw_shares, "softmax",
         "chooses the class of a leaf with probability proportional to $e^{B_3s/2}$, where $s$ is the class's "
         "share of the estimation points", partial(_never_likelier, {1}, BUDGET / 2, 1)),
    ):  # fmt: skip
        yield Release(f"{KIND}, {words}", f"forests.{KIND}", node, CHAPTER, says, law, draw, mechanism=mechanism,
                      bounds=bounds)  # fmt: skip
