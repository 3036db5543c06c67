"""What leaves and nodes release, and the `dplit.budget` node of each.

Counts and statistics of leaves are private; `epsilon` is what one leaf spends under add-remove neighbours.
"""

import math

import numpy as np

from dplit.budget import Leak, Parallel, Public, Sequence, Spend
from dplit.domain import GRID
from dplit.mechanisms import BoundedMean, Geometric, PermuteAndFlip
from dplit.mechanisms.exponential import sample_index
from dplit.mechanisms.geometric import rounded
from dplit.mechanisms.secure import is_secure
from dplit.multinomial import label_law
from dplit.trees import rules

PAPER = "DiPriMe v2, section 3.1"
STEPS = 2**30  # of a record, in which exact Laplace noise is drawn
SELECTIONS = {
    "uniform": rules.UNIFORM,
    "exponential": rules.EXPONENTIAL,
    "permute-and-flip": rules.PERMUTE_AND_FLIP,
}


def report(
    mechanism: PermuteAndFlip, counts: np.ndarray, rng: np.random.Generator, note: str = "", source: str = ""
) -> tuple[np.ndarray, Spend]:
    """Class of each leaf, drawn by `mechanism` from its class counts, and the node.

    `counts`: shape (n_leaves, n_classes); the labels are int64 of shape (n_leaves,).
    `note` is what the node says of the mechanism, its repr if left out, `source` where its cost is proved.
    """
    labels = mechanism.sample(counts, rng=rng)
    spent = Spend("class of a leaf", mechanism.epsilon, note or repr(mechanism), source=source)
    return labels, spent


def flip(counts, epsilon, rng, on="its counts"):
    """Class of each leaf, by permute-and-flip; `on` is what the node calls the counts."""
    mechanism = PermuteAndFlip(epsilon, monotonic=True)
    return report(mechanism, counts, rng, f"PermuteAndFlip(epsilon={epsilon:.4g}) on {on}")


def noisy_counts(counts, epsilon, rng):
    """Class counts with geometric noise, whole numbers: a record changes one of them, by one."""
    released = Geometric(epsilon).sample(counts, rng=rng)
    return released, Spend("class counts of a leaf", epsilon, "geometric noise, alpha = exp(-epsilon)")


def laplace_counts(counts, epsilon, rng, source=""):
    """Class counts with Laplace noise as published, rounded to multiples of a millionth of its scale.

    From a secure generator the noise is geometric in steps of :math:`2^{-30}`: whole numbers, and exact.
    """
    note = "Laplace noise of scale 1/epsilon"
    if is_secure(rng):
        whole = Geometric(epsilon, STEPS).sample(counts * STEPS, rng=rng)
        return whole / STEPS, Spend("class counts of a leaf", epsilon, f"{note}, drawn in whole steps")
    released = rounded(counts + rng.laplace(scale=1 / epsilon, size=counts.shape), 1 / epsilon)
    return released, Spend("class counts of a leaf", epsilon, note, source=source)


def largest(counts, rng):
    """Class of the largest released count of each leaf; a uniform one of those that tie."""
    tied = counts == counts.max(axis=1, keepdims=True)
    return np.where(tied, rng.random(counts.shape), -1.0).argmax(axis=1)


def published_labels(counts, epsilon, rng):
    """Largest of the counts with Laplace noise, cut at 0; a uniform one of those that tie."""
    noisy, spent = laplace_counts(counts, epsilon, rng, PAPER)
    return largest(np.maximum(noisy, 0.0), rng), spent


def uniform_cut(limits, median):
    """Rule and node of a cut of a uniform column, drawn by its balance (DiPriMe)."""
    rule = rules.Rule(*limits, rules.kept_apart(median / 2), 0.0, rules.UNIFORM, joint=False, by_rank=False)
    return rule, Spend("median of a uniform column", median, _balance(median), source=PAPER)


def joint_cut(
    limits: tuple[int, int], median: float, choice: float, reach: int, selection: str
) -> tuple[rules.Rule, Spend]:
    """Rule and node of one draw of column and cut, by balance and sum of squares together.

    `limits`: levels of cuts, and columns that compete at a node; `median`, `choice`: what of epsilon the balance
    gets, and the sum of squares, to which a record adds at most `reach`. An infinite `median` has no joint draw:
    each column is cut at its median, and the best one is taken.
    """
    joint = math.isfinite(median)
    rates = median / 2, choice / reach
    if joint:  # a larger rate is the same law, and weights of all records could overflow
        rates = tuple(map(rules.kept_apart, rates))
    rule = rules.Rule(*limits, *rates, SELECTIONS[selection], joint, by_rank=False)
    note = f"{selection} mechanism on balance and sum of squares together"
    return rule, Spend("column and cut", median + choice, note)


def candidates_cut(
    limits: tuple[int, int], median: float, gain_rate: float, reach: int, selection: str
) -> tuple[rules.Rule, Spend | Sequence]:
    """Rule and node of a choice among cuts that were each drawn by balance, as published.

    Parameters as of `joint_cut`; `gain_rate` is the weight of a unit of the sum of squares.
    """
    rule = rules.Rule(*limits, median / 2, gain_rate, SELECTIONS[selection], joint=False, by_rank=False)
    candidate = Spend("candidate", median, _balance(median), source=PAPER)
    columns = rule.max_features
    if columns == 1:
        return rule, candidate  # nothing is chosen
    note = f"{selection} mechanism on the sum of squares"
    cuts = Sequence("candidates", (candidate,), copies=columns)
    chosen = Spend("choice of a column", gain_rate * reach, note, source=PAPER)
    why = "the candidates are drawn from the same records"
    return rule, Sequence("column and cut", (cuts, chosen), why)


def by_rank(rule):
    """The same rule with an interval between records counted as one, whatever its length (v1)."""
    node = Leak("median by rank", "its density tells the gap between two records")
    return rule._replace(by_rank=True), node


def _balance(median):
    return f"exponential mechanism on balance, epsilon_s={median:.4g}"


def random_structure(name, n_trees, depth):
    """Node of trees that were drawn from the domain alone."""
    return Public(name, f"{n_trees} random trees of depth {depth}, no record is read")


def random_tree(structure, leaf):
    """Node of one such tree from what a leaf spends."""
    return Sequence("a tree", (structure, leaves(leaf)))


def grown_tree(leaf, node, depth):
    """Node of one tree from what a leaf spends, and an inner node on each of `depth` levels."""
    if depth == 0:
        return Sequence("a tree", (leaves(leaf),))
    return Sequence("a tree", (levels(node, depth), leaves(leaf)))


def levels(node, depth):
    """Node of `depth` levels of inner nodes."""
    nodes = Parallel("nodes", (node,), "a record reaches one")
    return Sequence("levels", (nodes,), "every level reads all records", depth)


def leaves(leaf):
    """Node of all leaves of a tree."""
    return Parallel("leaves", (leaf,), "a record reaches one leaf")


def proved_means(stats, epsilon, rng):
    """Means in [0, 1]; where a leaf's votes are noise, near the mean of all released votes.

    `stats` is the number of each leaf's targets and their sum in steps (`dplit.trees.nodes.leaf_stats`).
    """
    mechanism = BoundedMean(epsilon, 0, GRID)
    votes = mechanism.sample(stats[:, 1], stats[:, 0], rng=rng)
    means = mechanism.mean(votes, centre=float(mechanism.mean(votes.sum(axis=0)))) / GRID
    note = f"BoundedMean(epsilon={epsilon:.4g}): geometric noise on the votes for both ends"
    return means, Spend("mean of a leaf", mechanism.epsilon, note)


def published_means(stats, epsilon, rng):
    """Mean plus Laplace noise of scale 1/(count epsilon), as the papers have it: not clipped.

    They leave an empty leaf open; it releases the middle here. `stats` as of `proved_means`; means are
    rounded to whole steps.
    """
    counts, sums = stats.T
    noise = rng.laplace(size=len(stats))
    means = sums / GRID / np.maximum(counts, 1) + noise / (np.maximum(counts, 1) * epsilon)
    means = np.rint(means * GRID) / GRID
    node = Leak("mean of a leaf", "the noise is scaled by the private count")
    return np.where(counts > 0, means, 0.5), node


def mass_cut(limits, epsilon):
    """Rule and node of one draw of column and cut by the children's Gini impurity mass.

    One record adds between 0 and 2 to the mass, so that a unit weighs ``epsilon / 2``. The sum of
    squares that a cut explains differs from minus the mass by a constant of the node.
    """
    rate = rules.kept_apart(epsilon / 2)
    rule = rules.Rule(*limits, 0.0, rate, rules.EXPONENTIAL, joint=True, by_rank=False)
    note = "exponential mechanism on the children's Gini impurity mass, over the public range"
    return rule, Spend("column and cut", epsilon, note, source="MRF, theorem 2 repaired")


def normalised_cut(limits, epsilon):
    """As `mass_cut`, by the mass stretched to [0, 1], which a record moves by at most 1 either way."""
    note = "exponential mechanism on normalised Gini impurity mass, over the public range"
    rule = rules.NormalisedRule(*limits, rules.kept_apart(epsilon / 2, rules.STRETCHED_NO_NOISE))
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
