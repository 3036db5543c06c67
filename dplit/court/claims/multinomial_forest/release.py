r"""Claims of ours on the repaired forest: that the estimator draws the law that the theorem is about.

The law of a small forest is enumerated by `dplit.multinomial.SmallForestLaw`. Derived in
:doc:`/book/multinomial_forest`, the theorem in :doc:`/book/multinomial_privacy`.
"""

from __future__ import annotations

import math
from collections import Counter
from functools import partial
from itertools import combinations_with_replacement

import numpy as np

from dplit import Categorical, Domain, forests
from dplit.court.ledger import Case, Count, claim, counts_equal, private
from dplit.mechanisms import PermuteAndFlip
from dplit.multinomial import SmallForestLaw, level_rate, split_law

DOMAIN = Domain([Categorical(["a", "b"]), Categorical(["u", "v"])])
KINDS = [("a", "u", 0), ("a", "v", 1), ("b", "u", 0), ("b", "v", 1)]  # two binary columns, a class
SIDES = [tuple(kind[j] == level for kind in KINDS) for j, level in
         ((0, "a"), (0, "b"), (1, "u"), (1, "v"))]  # fmt: skip
EPSILON, SMALL = 2.0, 0.5


def _estimator(**options):
    settings = dict(domain=DOMAIN, classes=[0, 1], n_estimators=1, max_depth=1)
    return forests.MultinomialForestClassifier(**{"epsilon": EPSILON, **settings, **options})


def _law(epsilon):
    """The law of a forest of one stump, whose every split is a level against the other."""
    return SmallForestLaw(
        left=tuple(SIDES),
        labels=tuple(label for *_, label in KINDS),
        classes=2,
        depth=1,
        node_law=partial(split_law, rate=level_rate(epsilon, 1)),
        label_law=PermuteAndFlip(epsilon, monotonic=True).pmf,
    )


def _fit(records, seed, **options):
    rows = [KINDS[r] for r in records]
    X = np.array([[a, b] for a, b, _ in rows], dtype=object)
    return _estimator(random_state=seed, **options).fit(X, [label for *_, label in rows])


def _outcome(fitted):
    """The tree as the law names it: its split, and the label of each side."""
    trees = fitted.trees_
    root = int(trees.roots[0])
    left = int(np.flatnonzero(trees.steps[trees.side[root] :][:2] == 0)[0])
    labels = [int(fitted.leaf_labels_[trees.child[trees.child[root] + step]]) for step in (0, 1)]
    return ((2 * int(trees.feature[root]) + left, *labels),)


@claim(
    "mrf/forest-law",
    "ours",
    "holds",
    "alg-multinomial-repaired",
    ("forests.MultinomialForestClassifier", "multinomial.SmallForestLaw"),
    ours=True,
    kind="simulated",
    intervals=8,
    quantity="probability of a tree and its labels",
    range="a stump on seven records with two binary columns, epsilon 2",
)
def forest_law(effort, rng):
    """What a fit of the repaired forest releases follows the enumerated law of theorem 2 repaired."""
    records, draws = (0, 0, 1, 1, 2, 3, 3), effort.pick(1_000, 10_000, 100_000)
    seen = Counter(_outcome(_fit(records, int(rng.integers(2**31)))) for _ in range(draws))
    law = _law(EPSILON)(records)
    events = {str(o): {o} for o in sorted(law, key=law.get)[-6:]}
    events["the column of the class"] = {o for o in law if SIDES[o[0][0]] in SIDES[2:]}
    events["one label on both sides"] = {o for o in law if o[0][1] == o[0][2]}
    return counts_equal(
        (Count(sum(seen[o] for o in event), draws, sum(law[o] for o in event), {"event": name})
         for name, event in events.items()),
        "Of {cases} events, six trees with their labels and two more, the nearest: {event} in "
        "{observed:.4f} of the fits, law {stated:.4f}.",
    )  # fmt: skip


@claim(
    "mrf/forest-budget",
    "ours",
    "loose",
    "alg-multinomial-repaired",
    ("forests.MultinomialForestClassifier", "multinomial.SmallForestLaw"),
    ours=True,
    quantity="privacy loss",
    range="a stump, epsilon 1/2: data of up to two records of four kinds, and one record more",
    nothing_instead="the budget is a bound for all data; how near small data come to it is no concern",
)
def forest_budget(effort, rng):
    """The exact loss of the enumerated forest is at most the total of a fit's budget tree."""
    stated = _fit((0, 1, 2), 0, epsilon=SMALL).budget_.epsilon
    return private(
        _losses(effort.pick(2, 3, 4), stated),
        "Over {cases} pairs of data the largest loss is {exact:.4f} of {stated:.4f}, at {records} and "
        "record {added} more.",
    )


def _losses(most, stated):
    law, known = _law(SMALL), {}
    for n in range(most + 1):
        for records in combinations_with_replacement(range(len(KINDS)), n):
            for added in range(len(KINDS)):
                pair = [records, tuple(sorted((*records, added)))]
                for data in pair:
                    if data not in known:
                        known[data] = law(data)
                one, other = (known[data] for data in pair)
                loss = max(abs(math.log(one[o] / other[o])) for o in one)
                yield Case(loss, stated, {"records": list(records), "added": added})
