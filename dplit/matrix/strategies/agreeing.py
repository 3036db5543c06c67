r"""The leaves of all trees with `TreeNorm` noise, and least squares from them.

The noise of a tree with m leaves has the same variance :math:`\alpha` in each direction that sums to 0. These
are uncorrelated between trees, which share the noise of the total alone, of variance V. So a tree's counts less
their mean, over :math:`\sqrt\alpha`, and the total over :math:`\sqrt V` are one strategy of independent noise:
with the rows R of T in some functions, t those of the total, and C the taking away of the mean,

.. math:: G = \sum_{\text{trees}} \frac{R^\top C R}{\alpha} + \frac{tt^\top}V
   = \sum_{\text{trees}} \frac{R^\top R}{\alpha} + c\,tt^\top, \qquad c = \frac1V - \sum \frac1{m\alpha} .

Derived in :doc:`/book/matrix_bounds`.
"""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np

from dplit.matrix.paths import distinct
from dplit.matrix.strategies.base import Strategy, check_domain, combined
from dplit.matrix.strategies.boxes import counts_of_records, dimensions
from dplit.matrix.strategies.members import MOST_PRODUCTS, Dense, DistinctLeaves
from dplit.matrix.strategies.span import Span
from dplit.matrix.strategies.spectrum import eigenvalues, masses
from dplit.matrix.treenorm import TreeNorm


class AgreeingTrees(DistinctLeaves):
    r"""Every leaf of the distinct trees, with noise on which the trees agree about the number of records.

    Noise of variance 1 is here that of the scale :math:`1/\sqrt2`, as of Laplace noise.

    Parameters
    ----------
    paths : Paths
        All leaves of the trees. Equal trees are released once.

    Raises
    ------
    ValueError
        If least squares on the leaves would take too long.
    """

    name = "tree-norm"
    about = "every leaf of the distinct trees, with noise on which they agree"
    integer = False
    independent = False
    projected = True

    def __init__(self, paths):
        Strategy.__init__(self, paths.n_levels)
        first, place = distinct(paths.allowed)
        kept = _first_of_equal(place, paths.tree)
        self.boxes, self.place = paths.take(first), place[kept]
        if not feasible(self.boxes):
            raise ValueError(
                f"strategy 'tree-norm' needs least squares on {len(self.boxes):,} distinct leaves, too many: "
                "'per-tree' and 'identity' need none"
            )
        self.tree = np.unique(paths.tree[kept], return_inverse=True)[1].ravel()
        self.sizes = np.bincount(self.tree)
        self.norm = 1.0
        noise = TreeNorm(self.sizes, math.sqrt(2.0))
        ends = np.cumsum(self.sizes)
        self.total = noise.total_variance
        self.alpha = _directions(noise.variances[ends - 1], self.total, self.sizes)
        self.weights = np.sqrt(np.bincount(self.place, (1 / self.alpha)[self.tree]))

    def noise(self, epsilon, sensitivity):
        """What the mechanism draws from, a `TreeNorm`."""
        return TreeNorm(self.sizes, epsilon, sensitivity)

    def spread(self):
        """Two cells in different leaves of a tree; see `Strategy.sensitivity`."""
        return 2.0 if self.sizes.max() > 1 else 0.0

    @cached_property
    def span(self):
        """What least squares needs: of the leaves as if independent, corrected for the total."""
        span = Span(self.boxes, self.weights)
        total = np.asarray(span.rows[self.place[self.tree == 0]].sum(axis=0)).ravel()
        return span.corrected(total, 1 / self.total - float((1 / (self.sizes * self.alpha)).sum()))

    def decorrelated(self, measured):
        """Counts of each tree less their mean, and the total; see `Strategy.decorrelated`."""
        measured = np.asarray(measured, dtype=float)
        starts = np.cumsum(self.sizes) - self.sizes
        sums = np.add.reduceat(measured, starts, axis=0)
        centred = measured - (sums / self.sizes[:, None])[self.tree]
        total = sums.mean(axis=0, keepdims=True) / math.sqrt(self.total)
        return np.vstack([centred / np.sqrt(self.alpha)[self.tree, None], total])

    def answer(self, workload, measured):
        """Least squares from all trees; see `Strategy.answer`."""
        check_domain(self, workload)
        places, parts = self._places(workload), self.decorrelated(measured)
        if places is None:
            return self._dense().answer(workload, parts)
        right = np.zeros((len(self.boxes), parts.shape[1]))
        np.add.at(right, self.place, parts[:-1] / np.sqrt(self.alpha)[self.tree, None])
        first = self.place[self.tree == 0]  # its rows add up to those of the total
        right[first] += parts[-1] / math.sqrt(self.total)
        return combined(workload, self.span.solve(right)[places])

    def _dense(self):
        rows = self.boxes.matrix()[self.place]
        return Dense(self.decorrelated(rows), self.n_levels)

    def _measured(self, codes, classes, n_classes):
        return counts_of_records(self.boxes, codes, classes, n_classes)[self.place]


def feasible(boxes):
    """Whether least squares on so many distinct leaves takes no longer than allowed."""
    return len(boxes) * min(dimensions(boxes), len(boxes)) ** 2 <= MOST_PRODUCTS


def several_trees(workload):
    """Whether a workload's forest has two trees that differ: one alone has Laplace noise."""
    paths = workload.paths
    kept = _first_of_equal(distinct(paths.allowed)[1], paths.tree)
    return paths.tree[kept].min() < paths.tree[kept].max()


def _first_of_equal(place, tree):
    """Numbers of the leaves of the trees of which none before has the same boxes."""
    order = np.lexsort([place, tree])
    parts = np.split(order, np.flatnonzero(np.diff(tree[order])) + 1)
    found = {}
    for rows in parts:
        found.setdefault(place[rows].tobytes(), rows)
    return np.sort(np.concatenate(list(found.values())))


def _directions(each, total, sizes):
    """Variance in a direction that sums to 0, from that of a leaf; of a single leaf, the total's."""
    several = sizes > 1
    m = np.where(several, sizes, 2)
    return np.where(several, (each - total / m**2) / (1 - 1 / m), total)


def agreeing_marginals(workload, sets, epsilon):
    r"""Error of a forest's leaves by least squares from marginals that are released with `TreeNorm` noise.

    The noise of a marginal S with m cells has the same variance :math:`\alpha_S` in each direction that sums
    to 0, and these are uncorrelated between marginals, so that in the space of U (see
    `dplit.matrix.strategies.marginals`) the precisions :math:`\frac{n}{m\,\alpha_S}` of all S above U add up.

    Parameters
    ----------
    workload : Workload
        With boxes.
    sets : list of tuple of int
        Columns of each marginal.
    epsilon : float
        Add-remove neighbours.

    Returns
    -------
    float
        Total squared error of all rows, copies included; infinite if some row is not determined.
    """
    n_levels, mass = workload.boxes.n_levels, masses(workload)
    sizes = np.array([int(n_levels[list(columns)].prod()) for columns in sets])
    noise = TreeNorm(sizes, epsilon)
    each, total = noise.variances[np.cumsum(sizes) - 1], noise.total_variance
    alpha = np.where(sizes > 1, _directions(each, total, sizes), np.inf)
    spaces = [u for u in mass if u]
    precision = eigenvalues(sets, spaces, n_levels) @ (1 / alpha)
    with np.errstate(divide="ignore"):
        rest = np.array([mass[u] for u in spaces]) / precision
    return float(rest.sum() + mass.get((), 0.0) * total / float(workload.n_cells))
