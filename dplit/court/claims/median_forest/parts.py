"""Claims of both DiPriMe papers on the whole forest: its parts."""

import math
from itertools import combinations, combinations_with_replacement, product

import numpy as np

from dplit import Continuous, Domain
from dplit.budget import EqualParts, Spend
from dplit.court.ledger.box import Box
from dplit.court.ledger.compare import below, decisive, note, private, same
from dplit.forests import MedianForestClassifier

PARTS = Box("thm-forest-parts")
POINTS = (-30.0, 0.0, 1.0, 2.0, 3.0, 30.0)  # kinks of the densities, and far outside


@PARTS(
    "partition",
    {"diprime-v1": "Section 3; algorithm 2", "diprime-v2": "Section 3.1; algorithm 2"},
    "assumes",
    "random_forest.equal_parts_bound",
    "random_forest.smallest_equal_parts_loss",
    proved=True,
    quantity="privacy loss of shuffled equal parts",
    range="two trees of one leaf, one record and then two, three budgets",
)
def partition(effort, rng, paper):
    r"""If the data are partitioned into $N_T$ subsets, a forest whose trees are each $\epsilon$-private is
    $\epsilon$-private by parallel composition. (This assumes add-remove, and that each record draws its subset
    independently; the papers do not say how the data are partitioned, except that v1 says "randomly".)"""
    budgets = (1.0, 0.1, 3.0)
    drawn, cut = ({e: _counts_loss(law, (0,), 1, e) for e in budgets} for law in (_independent, _equal_parts))
    for e in budgets:
        yield private(drawn[e], e, met=False, epsilon=e)
        yield same(cut[e], _bound(e), broken="fails", epsilon=e)
    for e in budgets:
        yield below(cut[e], e, data=[0], neighbour=[0, 1], trees=2, epsilon=e)
    said = ", ".join(f"{loss:.4f} at epsilon {e:g}" for e, loss in cut.items())
    return (
        "Two trees of one leaf release noisy class counts of a record of class 0, which one of class 1 then "
        f"joins. Independent parts cost {max(drawn[e] / e for e in budgets):.4f} epsilon; parts that are "
        f"shuffled and cut cost {said}, the most that two equal parts can cost, log(e^epsilon/2 + e^(3 "
        "epsilon)/2)."
    )


@PARTS.corrected(partition, "random_forest.equal_parts_bound", "random_forest.equal_parts_family_loss")
def partition_corrected(effort, rng, paper):
    r"""Let each tree be $\epsilon$-private under add-remove. If each record draws its tree uniformly and
    independently, the forest is $\epsilon$-private. With equal parts the forest costs at most $\log(e^\epsilon/N_T
    + (1 - 1/N_T)e^{3\epsilon})$, and two trees of noisy class counts attain this bound."""
    pairs = [
        (data, added)
        for n in range(effort.pick(3, 4, 5))
        for data in combinations_with_replacement((0, 1), n)
        for added in (0, 1)
    ]
    drawn, cut = ([_counts_loss(law, *p, 1.0) for p in pairs] for law in (_independent, _equal_parts))
    for (data, added), a, b in zip(pairs, drawn, cut):
        yield private(a, 1.0, met=False, data=data, added=added)
        yield private(b, _bound(1.0), met=False, data=data, added=added)
    yield same(max(cut), _bound(1.0))
    yield decisive(private(max(drawn), 1.0))
    return note(
        f"For noisy class counts of two trees and {len(pairs)} pairs of neighbours at epsilon 1, independent "
        f"parts cost at most {{exact:.4f}} and equal parts at most {max(cut):.4f}, which is the bound for two "
        "trees.",
        quantity="privacy loss of independent parts",
        range="two trees of one leaf, all neighbours of up to two records or more, epsilon 1",
    )


@PARTS(
    "diprime-v1/unpartitioned",
    "Section 3, footnote 3; algorithm 2, line 20",
    "holds",
    "forests.MedianForestClassifier",
    quantity="privacy loss of a forest, in that of a tree",
    range="two trees of one leaf, all neighbours of up to three records, three budgets",
)
def unpartitioned(effort, rng, epsilon=(0.1, 1.0, 3.0)):
    r"""Without a partition, each tree reads all data. The loss of a forest is then $N_T$ times that of one tree,
    so each tree must be given $\epsilon/N_T$."""
    for budget in epsilon:
        for n in range(3):
            for data in combinations_with_replacement((0, 1), n):
                loss = _counts_loss(_all_records, data, 1, budget)
                yield same(loss / budget, 2.0, data=data, epsilon=budget)
    yield same(_fitted_budget(2) / 0.5, 2.0, data=(0, 1, 1), epsilon=0.5)
    return "In {cases} cases two trees that read the same records cost {exact:.4f} times as much as one tree."


def _fitted_budget(trees):
    """Total of the package's forest whose trees take all records at epsilon 1/2 each."""
    domain = Domain([Continuous(0, 1)])
    shape = {"n_estimators": trees, "max_depth": 0, "partitioned": False, "classes": [0, 1]}
    forest = MedianForestClassifier(0.5 * trees, domain=domain, random_state=0, **shape)
    return forest.fit([[0.1], [0.2], [0.3]], [0, 1, 1]).budget_.epsilon


def _all_records(records):
    """Counts of two classes in each of two trees that take all records."""
    return [(1.0, [_count(records, range(len(records)))] * 2)]


def _bound(epsilon):
    """What the budget says of two trees on equal parts."""
    return EqualParts("trees", Spend("counts", epsilon), 2).epsilon


def _equal_parts(records):
    """Counts of two classes in each of two trees, under every way to shuffle and cut, with its chance."""
    n = len(records)
    ways = list(combinations(range(n), (n + 1) // 2))  # the first tree's records
    parts = ((first, [i for i in range(n) if i not in first]) for first in ways)
    return [(1 / len(ways), [_count(records, part) for part in both]) for both in parts]


def _independent(records):
    """The same, each record going to a uniform tree."""
    ways = list(product((0, 1), repeat=len(records)))
    parts = ([[i for i, t in enumerate(way) if t == tree] for tree in (0, 1)] for way in ways)
    return [(1 / len(ways), [_count(records, part) for part in both]) for both in parts]


def _count(records, part):
    return [sum(records[i] == c for i in part) for c in (0, 1)]


def _counts_loss(law, data, added, epsilon):
    """Largest log-ratio of noisy class counts of two one-leaf trees, over a grid of answers."""
    answers = np.array(list(product(POINTS, repeat=4)))
    logs = []
    for records in (data, (*data, added)):
        parts = [
            math.log(chance) - epsilon * np.abs(answers - np.ravel(counts)).sum(axis=1)
            for chance, counts in law(records)
        ]
        logs.append(np.logaddexp.reduce(parts))
    return float(np.abs(logs[0] - logs[1]).max())
