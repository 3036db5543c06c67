r"""The exact law of a small released forest, and what the assignment of records to trees costs.

Each record is used in one tree, where it reaches one leaf; every leaf of every tree releases a class by a label
mechanism that is :math:`\epsilon`-private under add-remove. The tree of a record is "independent", a uniform draw
of its own, or the records are shuffled and cut into "equal-parts" whose sizes differ by at most one, as published
(RDF, section 4.2; DiPriMe v1, algorithm 2).

What equal parts cost is proved beside `dplit.budget.EqualParts`, and `equal_parts_family_loss` comes as near to it
as you like.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import accumulate, product

import numpy as np
from numpy.typing import ArrayLike

from dplit.budget import EqualParts, Spend
from dplit.ground import errors
from dplit.mechanisms import PermuteAndFlip

ASSIGNMENTS = ("independent", "equal-parts")
MAX_OUTCOMES = 2**20


@dataclass(frozen=True)
class ForestLaw:
    """The law of all leaf labels, as a callable for `dplit.audit.privacy_loss`.

    Its inputs are tuples of records; a record is ``(leaf in tree 0, ..., leaf in the last tree,
    class)``, all numbered from 0. `universe` lists every record there can be.
    `n_leaves`: length n_trees. Leaves of each tree; their labels are the axes of the law, tree after tree.
    `label_law`: counts of a leaf (int array of shape (classes,)) to the pmf of its label: floats, or fractions,
    which keep the whole law exact (see `rational_label_law`). `assignment`: "independent" or "equal-parts".
    """

    n_leaves: tuple
    classes: int
    label_law: Callable
    assignment: str = "independent"

    def __post_init__(self) -> None:
        leaves = tuple(errors.check_integer(m, "n_leaves", 1) for m in self.n_leaves)
        object.__setattr__(self, "n_leaves", leaves)
        errors.check_choice(self.assignment, ASSIGNMENTS, "assignment")
        if errors.check_integer(self.classes, "classes", 1) ** sum(leaves) > MAX_OUTCOMES:
            raise ValueError(
                f"n_leaves and classes must give at most {MAX_OUTCOMES:,} outcomes, "
                f"got {self.classes}**{sum(leaves)}"
            )

    @property
    def universe(self) -> tuple:
        """Every record that there can be, as a tuple of tuples."""
        return tuple(product(*map(range, self.n_leaves), range(self.classes)))

    def __call__(self, records: list | tuple) -> np.ndarray:
        """The pmf over all leaf labels, shape ``(classes,) * sum(n_leaves)``."""
        known = {}

        def pmf(counts: tuple) -> np.ndarray:
            if counts not in known:
                known[counts] = np.asarray(self.label_law(np.array(counts)))
            return known[counts]

        mixture = leaf_counts_law(records, self.n_leaves, self.classes, self.assignment)
        return sum(
            reduce(np.multiply.outer, factors) * _as(weight, factors[0])
            for factors, weight in (([pmf(c) for c in k], w) for k, w in mixture.items())
        )


def _as(weight: Fraction, law: np.ndarray) -> Fraction:
    return weight if law.dtype == object else float(weight)


def forest_law(
    leaves: ArrayLike,
    labels: ArrayLike,
    n_leaves: tuple,
    classes: int,
    label_law: Callable,
    assignment: str = "independent",
) -> np.ndarray:
    """The exact joint law of all leaf labels of a forest, by enumeration.

    `leaves`: ints, shape (n_records, n_trees). Leaf of each record in each tree, numbered from 0 in each tree,
    as a forest's ``apply`` gives. `labels`: class of each record, from 0, ints of shape (n_records,). `n_leaves`,
    `classes`, `label_law`, `assignment` as in `ForestLaw`. Returns an array of shape
    ``(classes,) * sum(n_leaves)``; of objects if `label_law` gives fractions.
    """
    label_law = errors.check_callable(label_law, "label_law")
    n_leaves = errors.check_sequence(n_leaves, "n_leaves")
    leaves, labels = errors.check_whole(leaves, "leaves", 0), errors.check_whole(labels, "labels", 0, ndim=1)
    if not n_leaves or leaves.size % len(n_leaves):
        raise ValueError(
            f"leaves must have shape (n_records, n_trees), with the {len(n_leaves)} trees of "
            f"n_leaves, got {leaves.shape}"
        )
    leaves = leaves.reshape(-1, len(n_leaves))
    if labels.shape != (len(leaves),):
        raise ValueError(f"labels must have shape ({len(leaves)},), got {labels.shape}")
    records = np.column_stack([leaves, labels]).tolist()
    return ForestLaw(n_leaves, classes, label_law, assignment)(records)


def leaf_counts_law(records: list | tuple, n_leaves: tuple, classes: int, assignment: str) -> dict:
    """Law of the counts of all leaves over the random assignment of records to trees.

    Records come one by one. Under "equal-parts" each takes one of the slots that are left, which is a uniform
    shuffle. Returns a dict from the counts of all leaves, a tuple of tuples, to its probability as a fraction.
    """
    n, n_trees = len(records), len(n_leaves)
    starts = [0, *accumulate(n_leaves)]
    slots = [len(range(t, n, n_trees)) for t in range(n_trees)]
    law = {((0,) * classes,) * starts[-1]: Fraction(1)}
    for done, (*leaves, label) in enumerate(_checked(records, n_leaves, classes)):
        step = {}
        for counts, weight in law.items():
            for t, leaf in enumerate(leaves):
                share = Fraction(1, n_trees)
                if assignment == "equal-parts":
                    used = sum(map(sum, counts[starts[t] : starts[t + 1]]))
                    share = Fraction(slots[t] - used, n - done)
                if share:
                    key = _incremented(counts, starts[t] + leaf, label)
                    step[key] = step.get(key, 0) + weight * share
        law = step
    return law


def _checked(records: list | tuple, n_leaves: tuple, classes: int) -> list | tuple:
    limits = (*n_leaves, classes)
    for record in records:
        if len(record) != len(limits) or any(not 0 <= v < m for v, m in zip(record, limits)):
            raise ValueError(
                f"records must be leaves below {tuple(n_leaves)} and a class below {classes}, got {tuple(record)}"
            )
    return records


def _incremented(counts: tuple, leaf: int, label: int) -> tuple:
    row = counts[leaf]
    row = (*row[:label], row[label] + 1, *row[label + 1 :])
    return (*counts[:leaf], row, *counts[leaf + 1 :])


def rational_label_law(odds: int | Fraction, mechanism=PermuteAndFlip) -> Callable:
    """Label law in fractions, for a rational ``odds = exp(rate)``: exact where epsilon is a logarithm.

    `odds`: weight of one record; ``log(odds)`` is the label's epsilon under add-remove; `mechanism`: class with
    a ``rational_law``.
    """
    return lambda counts: mechanism.rational_law([Fraction(odds) ** int(c) for c in counts])


def equal_parts_bound(epsilon: float, n_trees: int, neighbours: str = "add-remove") -> float:
    r"""What a forest on equal parts costs at most, :math:`\log(e^\epsilon/\tau + (1-1/\tau)e^{3\epsilon})`.

    Proved beside `dplit.budget.EqualParts`. Under replace-one the new record takes the old one's place in the
    same shuffle: :math:`2\epsilon`, as on independent parts. `epsilon`: privacy of one leaf's label, add-remove.
    """
    epsilon, n_trees = errors.check_epsilon(epsilon), errors.check_integer(n_trees, "n_trees", 1)
    if errors.check_neighbours(neighbours) == "replace-one":
        return 2 * epsilon
    return EqualParts("trees", Spend("label", epsilon), n_trees).epsilon


def equal_parts_family_loss(epsilon: float, n_trees: int, per_tree: int, classes: int = 2) -> float:
    r"""A loss that equal parts reach: a family of data that comes as near to the bound as you like.

    There are :math:`\tau m` records of class 0. The first tree has a leaf for each record, the others one leaf for
    all. Added is a record of class 1. The outcome: in the first tree every record's own class, in the others class
    1. With permute-and-flip labels, :math:`g` the probability that a leaf of one record tells its class and
    :math:`h(a, b)` that a leaf of :math:`a` records of class 0 and :math:`b` of class 1 tells 1, the ratio is

    .. math:: g k \left(\frac{m+1}{\tau m+1}
        + \frac{(\tau-1)m}{\tau m+1} \frac{h(m-1, 1)}{h(m, 0)}\right).

    For :math:`m \gg \log k \gg 1` it tends to the ratio of `equal_parts_bound`.
    `n_trees`, `per_tree`, `classes`: the numbers :math:`\tau`, :math:`m >= 1` and :math:`k >= 2`.
    """
    mechanism = PermuteAndFlip(errors.check_epsilon(epsilon), monotonic=True)
    n_trees, m = errors.check_integer(n_trees, "n_trees", 1), errors.check_integer(per_tree, "per_tree", 1)
    leaf = np.zeros((3, errors.check_integer(classes, "classes", 2)))
    leaf[0, 0], leaf[1, 0], leaf[2, :2] = 1, m, (m - 1, 1)
    alone, before, after = mechanism.pmf(leaf)
    if not before[1] > 0:
        raise ValueError(f"per_tree must keep exp(-epsilon * per_tree) above 0, got {per_tree}")
    stays = (m + 1) / (n_trees * m + 1)
    return float(np.log(alone[0] * classes * (stays + (1 - stays) * after[1] / before[1])))


def smallest_equal_parts_loss(epsilon: float) -> float:
    r"""Loss of the smallest instance: :math:`\log(2e^{\epsilon} - 2 + e^{-\epsilon}) > \epsilon`.

    Two trees of one leaf each, two classes; one record, and then a second one of the other class.
    The outcome: the first tree tells the added record's class, the second the other one's.
    """
    epsilon = errors.check_epsilon(epsilon)
    return epsilon + math.log1p(math.expm1(-epsilon) ** 2)
