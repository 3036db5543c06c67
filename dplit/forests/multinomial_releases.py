"""What nodes and leaves of a multinomial forest release (MRF), as in `dplit.forests.releases`."""

from __future__ import annotations

from dplit.budget import Leak, Sequence, Spend
from dplit.forests.releases import levels
from dplit.mechanisms.exponential import sample_index
from dplit.multinomial import label_law
from dplit.trees.rules import (
    EXPONENTIAL,
    STRETCHED_NO_NOISE,
    NormalisedRule,
    Rule,
    kept_apart,
)


def mass_cut(limits, epsilon):
    """Rule and node of one draw of column and cut by the children's Gini impurity mass.

    One record adds between 0 and 2 to the mass, so that a unit weighs ``epsilon / 2``. The sum of
    squares that a cut explains differs from minus the mass by a constant of the node.
    """
    rate = kept_apart(epsilon / 2)
    rule = Rule(*limits, 0.0, rate, EXPONENTIAL, joint=True, by_rank=False)
    note = "exponential mechanism on the children's Gini impurity mass, over the public range"
    return rule, Spend("column and cut", epsilon, note, source="MRF, theorem 2 repaired")


def normalised_cut(limits, epsilon):
    """As `mass_cut`, by the mass stretched to [0, 1], which a record moves by at most 1 either way."""
    note = "exponential mechanism on normalised Gini impurity mass, over the public range"
    rule = NormalisedRule(*limits, kept_apart(epsilon / 2, STRETCHED_NO_NOISE))
    return rule, Spend("column and cut", epsilon, note, source="MRF, theorem 2 repaired")


def multinomial_cut(feature_budget, value_budget, max_depth, depth):
    """Nodes of the structure of a tree that was grown as published, `depth` levels deep."""
    stopping = Leak("stopping", "a node is split by its exact number of estimation points")
    nodes = [stopping]
    if depth > 0:
        cut = Sequence("column and value", (
            Spend("column", feature_budget, "softmax of B1/2 normalised scores", source="MRF, lemma 5"),
            Spend("value", value_budget, "softmax of B2/2 normalised scores", source="MRF, lemma 6"),
            Leak("candidates", "values and levels that the structure points hold"),
        ))  # fmt: skip
        nodes.insert(0, levels(cut, depth))
    if max_depth is None:
        nodes.append(Leak("depth", "as deep as the estimation points allow"))
    return tuple(nodes)


def multinomial_labels(counts, label_budget, rng):
    """Class of each leaf by its shares of the classes, as published."""
    labels = sample_index(label_law(counts, label_budget), rng=rng)
    note = "softmax of B3/2 shares of the leaf's estimation points"
    return labels, Spend("class of a leaf", label_budget, note, source="MRF, lemma 7")


def multinomial_queries(counts, label_budget):
    """Law of each leaf's class, from which every query draws anew."""
    why = f"drawn anew for every query, each at B3 = {label_budget:g}: nothing bounds their number"
    return label_law(counts, label_budget), Leak("class of a leaf", why)
