"""What a median forest spends, part by part."""

from __future__ import annotations

import math
from typing import NamedTuple

from dplit.budget import Budget, EqualParts, Group, Leak, Parallel, Sequence, Spend

PAPER = "DiPriMe v2, section 3.1"


class Shares(NamedTuple):
    """What of one tree's epsilon each mechanism gets: a median, the choice of a column, a leaf."""

    median: float
    choice: float
    leaf: float

    @classmethod
    def split(cls, epsilon, max_depth, rho, selection, accounting):
        """DiPriMe v2, section 4: rho to the cuts, level by level, half of it to the choice.

        Proved, the parts add up to no more than `epsilon`, rounding included; with no cuts, all of
        it goes to the leaf.
        """
        if math.isinf(epsilon):
            return cls(math.inf, math.inf, math.inf)
        if max_depth == 0:
            return cls(
                math.inf, math.inf, epsilon if accounting == "proved" else (1 - rho) * epsilon
            )
        level = rho * epsilon / max_depth
        median, choice = (level, 0.0) if selection == "uniform" else (level / 2, level / 2)
        if accounting == "published":
            return cls(median, choice, (1 - rho) * epsilon)
        cuts = max_depth * (median + choice)
        leaf = epsilon - cuts
        while cuts + leaf > epsilon:
            leaf = math.nextafter(leaf, 0.0)
        return cls(median, choice, leaf)


def budget(forest, shares, gain_rate, schema, task):
    """The proof tree of a fit."""
    parts = []
    if forest.max_depth:
        node = Parallel("nodes", (_cut(forest, shares, gain_rate, task),), "a record reaches one")
        parts.append(Sequence("levels", (node,), "every level reads all records", forest.max_depth))
    leaf = Parallel("leaves", (_leaf(forest, shares, task),), "a record reaches one leaf")
    tree = Sequence("a tree", (*parts, leaf))
    return Budget(Sequence(type(forest).__name__, (*schema, _forest(forest, tree))))


def _cut(forest, shares, gain_rate, task):
    """What a node spends on its column and cut."""
    if forest.median == "rank":
        return Leak("median by rank", "its density tells the gap between two records")
    median = f"exponential mechanism on balance, epsilon_s={shares.median:.4g}"
    if forest.selection == "uniform":
        return Spend("median of a uniform column", shares.median, median, source=PAPER)
    if forest.accounting == "proved":
        note = f"{forest.selection} mechanism on balance and sum of squares together"
        return Spend("column and cut", shares.median + shares.choice, note)
    features = len(forest.domain_) if forest.max_features is None else forest.max_features
    candidate = Spend("candidate", shares.median, median, source=PAPER)
    copies = min(features, len(forest.domain_))
    if copies == 1:
        return candidate  # nothing is chosen
    reach = 1 if task == "regression" else 2  # what a record adds to the sum of squares, at most
    choice = f"{forest.selection} mechanism on the sum of squares"
    return Sequence(
        "column and cut",
        (
            Sequence("candidates", (candidate,), copies=copies),
            Spend("choice of a column", gain_rate * reach, choice, source=PAPER),
        ),
        "the candidates are drawn from the same records",
    )


def _leaf(forest, shares, task):
    """What a leaf's release costs."""
    if forest.accounting == "proved":
        if task == "regression":
            note = (
                f"BoundedMean(epsilon={shares.leaf:.4g}): Laplace noise on the votes for both ends"
            )
            return Spend("mean of a leaf", shares.leaf, note)
        note = f"PermuteAndFlip(epsilon={shares.leaf:.4g}) on its class counts"
        return Spend("class of a leaf", shares.leaf, note)
    if task == "regression":
        return Leak("mean of a leaf", "the noise is scaled by the private count")
    return Spend(
        "class counts of a leaf", shares.leaf, "Laplace noise of scale 1/epsilon", source=PAPER
    )


def _forest(forest, tree):
    """What the assignment of records to trees makes of one tree's epsilon."""
    n_trees = forest.n_estimators
    if not forest.partitioned:
        trees = Sequence("trees", (tree,), "every tree reads all records", n_trees)
    elif forest.accounting == "published" and forest.neighbours == "add-remove":
        why = "one record more can move another one from tree to tree"
        return EqualParts("trees", tree, n_trees, why)
    else:
        trees = Parallel("trees", (tree,), "a record is used in one tree", n_trees)
    if forest.neighbours == "add-remove":
        return trees
    why = "one replaced record is one removed and one added"
    return Group("trees after a replacement", trees, 2, "replace-one", why)
