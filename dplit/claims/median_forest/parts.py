"""Claims of both DiPriMe papers on the whole forest: its parts.

v1, section 3 and algorithm 2; v2, section 3.1 and algorithm 2; derived in :doc:`/book/median_forest`.
"""

from __future__ import annotations

import math
from itertools import combinations, combinations_with_replacement, product

import numpy as np

from dplit import Continuous, Domain
from dplit.budget import EqualParts, Spend
from dplit.forests import MedianForestClassifier
from dplit.ledger import Case, Evidence, claim, equal, of_privacy, verdict_of

POINTS = (-30.0, 0.0, 1.0, 2.0, 3.0, 30.0)  # kinks of the densities, and far outside


@claim(
    "partition",
    {"diprime-v1": "Section 3; algorithm 2", "diprime-v2": "Section 3.1; algorithm 2"},
    "assumes",
    "thm-forest-parts",
    ("random_forest.equal_parts_bound", "random_forest.smallest_equal_parts_loss"),
    proof="thm-forest-parts",
    quantity="privacy loss of shuffled equal parts",
    range="two trees of one leaf, one record and then two, three budgets",
)
def partition(effort, rng, paper):
    r"""A forest whose trees are each $\epsilon$-private is $\epsilon$-private if the data are
    partitioned into $N_T$ subsets, by parallel composition (assuming add-remove, and that each
    record draws its subset independently: the papers do not say how; v1 has "randomly")."""
    losses = {e: _counts_loss(_equal_parts, (0,), 1, e) for e in (1.0, 0.1, 3.0)}
    drawn = max(_counts_loss(_independent, (0,), 1, e) / e for e in losses)
    sharp = equal(
        (Case(v, _bound(e)) for e, v in losses.items()), "{exact} is not the bound {stated}"
    )
    if sharp.verdict == "fails":
        return sharp
    said = ", ".join(f"{v:.4f} at epsilon {e:g}" for e, v in losses.items())
    missed = max(v / e for e, v in losses.items())
    return Evidence(
        "leaks" if drawn > 1 + 1e-9 else "assumes" if missed > 1 else "holds",
        "exact",
        "Two trees of one leaf, one record of class 0 and then one of class 1, noisy class counts: "
        f"independent parts cost {drawn:.4f} epsilon, parts that are shuffled and cut {said}, the most "
        "that two equal parts can cost, log(e^epsilon/2 + e^(3 epsilon)/2).",
        cases=2 * len(losses),
        relation="<=",
        published=1.0,
        computed=losses[1.0],
        counterexample={"data": [0], "neighbour": [0, 1], "trees": 2, "epsilon": 1.0},
    )


@partition.corrected(
    functions=("random_forest.equal_parts_bound", "random_forest.equal_parts_family_loss"),
    proof="thm-forest-parts",
    quantity="privacy loss of independent parts",
    range="two trees of one leaf, all neighbours of up to two records or more, epsilon 1",
)
def partition_corrected(effort, rng, paper):
    r"""Let each tree be $\epsilon$-private under add-remove. If each record draws its tree
    uniformly and independently, the forest is $\epsilon$-private. On equal parts it costs at most
    $\log(e^\epsilon/N_T + (1 - 1/N_T)e^{3\epsilon})$, which two trees of noisy class counts attain."""
    drawn, cut = [], []
    for n in range(effort.pick(3, 4, 5)):
        for data in combinations_with_replacement((0, 1), n):
            for added in (0, 1):
                drawn.append(_counts_loss(_independent, data, added, 1.0))
                cut.append(_counts_loss(_equal_parts, data, added, 1.0))
    return verdict_of(
        of_privacy(drawn, 1.0) == of_privacy(cut, _bound(1.0)) == "holds",
        f"Noisy class counts of two trees, {len(drawn)} neighbours: independent parts cost {max(drawn):.4f} "
        f"at epsilon 1, equal parts {max(cut):.4f}, which the formula for two trees is.",
        {"independent": drawn, "equal": cut},
        broken="leaks",
        cases=2 * len(drawn),
        relation="<=",
        published=1.0,
        computed=max(drawn),
    )


@claim(
    "diprime-v1/unpartitioned",
    "Section 3, footnote 3; algorithm 2, line 20",
    "holds",
    "thm-forest-parts",
    ("forests.MedianForestClassifier",),
    proof="thm-forest-parts",
    quantity="privacy loss of a forest, in that of a tree",
    range="two trees of one leaf, all neighbours of up to three records, three budgets",
)
def unpartitioned(effort, rng, epsilon=(0.1, 1.0, 3.0)):
    r"""Without a partition, each tree on all data, the loss is $N_T$ times that of a tree, so that
    each tree must take $\epsilon/N_T$."""
    cases = []
    for budget in epsilon:
        for n in range(3):
            for data in combinations_with_replacement((0, 1), n):
                loss = _counts_loss(_all_records, data, 1, budget)
                cases.append(Case(loss / budget, 2.0, {"data": data, "epsilon": budget}))
    cases.append(Case(_fitted_budget(2) / 0.5, 2.0, {"data": (0, 1, 1), "epsilon": 0.5}))
    return equal(
        cases,
        "Noisy class counts of two trees on the same records, {cases} neighbours: {exact:.4f}",
    )


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
    """Counts of two classes in each of two trees, under every way to shuffle and cut, with its
    chance."""
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
