"""Claims of ours on the repaired forest: that the estimator draws the law that the theorem is about."""

from collections import Counter
from functools import cache, partial
from itertools import combinations_with_replacement, product

import numpy as np

from dplit import Categorical, Domain, forests
from dplit.court.ledger.box import Box
from dplit.court.ledger.compare import counted, note, private
from dplit.court.ledger.drawn import as_drawn
from dplit.loss import compare_laws
from dplit.mechanisms import PermuteAndFlip
from dplit.multinomial import SmallForestLaw, level_rate, split_law

DOMAIN = Domain([Categorical(["a", "b"]), Categorical(["u", "v"])])
KINDS = [("a", "u", 0), ("a", "v", 1), ("b", "u", 0), ("b", "v", 1)]  # two binary columns, a class
SIDES = [tuple(kind[j] == level for kind in KINDS) for j, level in ((0, "a"), (0, "b"), (1, "u"), (1, "v"))]
EPSILON, SMALL = 2.0, 0.5
RELEASES = [f"MultinomialForestClassifier, {what}" for what in ("column and cut", "class of a leaf")]
REPAIRED = Box("alg-multinomial-repaired", "forests.MultinomialForestClassifier", "multinomial.SmallForestLaw")


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
    shape = dict(domain=DOMAIN, classes=[0, 1], n_estimators=1, max_depth=1, random_state=seed)
    forest = forests.MultinomialForestClassifier(**{"epsilon": EPSILON, **shape, **options})
    return forest.fit(X, [label for *_, label in rows])


def _outcome(fitted):
    """The tree as the law names it: its split, and the label of each side."""
    trees = fitted.trees_
    root = int(trees.roots[0])
    left = int(np.flatnonzero(trees.steps[trees.side[root] :][:2] == 0)[0])
    labels = [int(fitted.leaf_labels_[trees.child[trees.child[root] + step]]) for step in (0, 1)]
    return ((2 * int(trees.feature[root]) + left, *labels),)


@REPAIRED("mrf/forest-law", "ours", proved=False, intervals=8, quantity="probability of a tree and its labels")
def forest_law(effort, rng):
    """A fit of the repaired MRF releases cuts and labels with the exact distribution of the repaired theorem 2."""
    yield from as_drawn(rng, *RELEASES)  # from records and epsilons that show a wrong rate in few fits
    records, draws = (0, 0, 1, 1, 2, 3, 3), effort.pick(100, 10_000, 100_000)
    seen = Counter(_outcome(_fit(records, int(rng.integers(2**31)))) for _ in range(draws))
    law = _law(EPSILON)(records)
    events = {str(o): {o} for o in sorted(law, key=law.get)[-6:]}
    events["the column of the class"] = {o for o in law if SIDES[o[0][0]] in SIDES[2:]}
    events["one label on both sides"] = {o for o in law if o[0][1] == o[0][2]}
    for name, event in events.items():
        hits, stated = sum(seen[o] for o in event), sum(law[o] for o in event)
        yield counted(hits, draws, stated, event=name)
    return note(
        "Cuts and labels pass their drawn tests, and eight events of both together have intervals that hold the "
        "law; the last: {event} in {exact:.4f} of the fits, law {stated:.4f}.",
        range="a stump on seven records with two binary columns, epsilon 2; both releases by their drawn tests",
    )


@REPAIRED(
    "mrf/forest-budget",
    "ours",
    "loose",
    quantity="privacy loss",
    range="a stump, epsilon 1/2: data of up to two records of four kinds, and one record more; the draws of fits",
    nothing_instead="the budget is a bound for all data; how near small data come to it is no concern",
)
def forest_budget(effort, rng):
    """The exact privacy loss of a fit of MRF is at most the total of the fit's budget tree."""
    yield from as_drawn(rng, *RELEASES)
    stated, law = _fit((0, 1, 2), 0, epsilon=SMALL).budget_.epsilon, cache(_law(SMALL))
    kinds, pairs = range(len(KINDS)), 0
    for n in range(effort.pick(2, 3, 4) + 1):
        for records, added in product(combinations_with_replacement(kinds, n), kinds):
            more = tuple(sorted((*records, added)))
            loss = compare_laws(law(records), law(more)).loss
            pairs += 1
            yield private(loss, stated, records=list(records), added=added)
    return (
        f"Over {pairs} pairs of data the largest loss is {{exact:.4f}} of {{stated:.4f}}, at {{records}} and "
        "record {added} more."
    )
