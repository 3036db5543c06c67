"""Strategies for the leaves of all trees whose noise is not just their number: disjoint records, or a norm.

*Disjoint training*: each record goes to one tree, and the leaves of the trees have noise for one count
(rem-strategy-disjoint in :doc:`/book/matrix_strategies`). *Trees that agree* have `TreeNorm` noise, and least
squares from it (thm-bounds-agreeing in :doc:`/book/matrix_bounds`).
"""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from dplit.ground.errors import check_kind, check_positive, check_rng, check_sequence, check_whole
from dplit.matrix.paths import Paths
from dplit.matrix.strategies.base import Strategy, asks_leaves, check_domain, combined
from dplit.matrix.strategies.boxes import counts_of_records
from dplit.matrix.strategies.members import MOST_PRODUCTS, Dense, DistinctLeaves, PerTree
from dplit.matrix.strategies.spectrum import Complement, Span, eigenvalues, least_squares, masses
from dplit.matrix.tested import dimensions
from dplit.matrix.treenorm import TreeNorm
from dplit.matrix.workload import Workload


class DisjointTrees(PerTree):
    """Noise on every leaf of trees that each have their own records, drawn independently."""

    name = "disjoint"
    about = "every leaf of every tree, each record in one tree"

    def __init__(self, paths: Paths) -> None:
        super().__init__(paths)
        self.norm = 1.0

    def spread(self) -> float:
        """A replaced record keeps its tree and may leave its leaf; see `Strategy.sensitivity`."""
        leaves = np.bincount(self.paths.tree)
        return 2.0 if leaves.max() > 1 else 0.0

    def variances(self, workload: Workload) -> np.ndarray:
        r"""Of the noise alone, :math:`\tau^2` for a leaf; see `Strategy.variances`.

        The draw of the records adds `drawn` for each leaf.
        """
        return float(self.paths.n_trees) ** 2 * super().variances(workload)

    def votes(self, workload: Workload) -> float:
        """Of the noise alone; see `Strategy.votes`."""
        return float(self.paths.n_trees) ** 2 * super().votes(workload)

    def drawn(self, counts: ArrayLike) -> np.ndarray:
        r"""What the draw of the records adds to the variance of the estimate of a leaf of c records, :math:`(\tau
        - 1)c`.

        `counts` are the records of leaves, in all trees together.
        """
        return (self.paths.n_trees - 1.0) * np.asarray(counts, dtype=float)

    def answer(self, workload: Workload, measured: np.ndarray) -> np.ndarray:
        """Sums of the noisy counts times the number of trees; see `Strategy.answer`."""
        return super().answer(workload, self.paths.n_trees * np.asarray(measured, dtype=float))

    def answers(self, workload: Workload, measured: np.ndarray) -> np.ndarray:
        if asks_leaves(workload) and workload.paths is self.paths:
            return self.paths.n_trees * np.asarray(measured, dtype=float)
        return self.answer(workload, measured)[workload.place]

    def expected(self, codes: np.ndarray, classes: np.ndarray, n_classes: int) -> np.ndarray:
        """A share of each leaf's records; see `Strategy.expected`."""
        return super().measure(codes, classes, n_classes) / self.paths.n_trees

    def measure(
        self, codes: np.ndarray, classes: np.ndarray, n_classes: int, *, rng: Generator | None = None
    ) -> np.ndarray:
        """Counts of each tree's own records; each record's tree is drawn uniformly. See `Strategy.measure`."""
        codes, classes = self._checked(codes, classes, n_classes)
        tree = check_rng(rng).integers(self.paths.n_trees, size=len(codes))
        found = np.zeros((len(self.paths), n_classes), dtype=np.int64)
        for number in range(self.paths.n_trees):
            mine, rows = tree == number, self.paths.tree == number
            found[rows] = counts_of_records(self.paths.take(rows), codes[mine], classes[mine], n_classes)
        return found


class AgreeingTrees(DistinctLeaves):
    r"""Every leaf of the distinct trees, with noise on which the trees agree about the number of records.

    Noise of variance 1 is here that of the scale :math:`1/\sqrt2`, as of Laplace noise. Equal trees are released
    once. Leaves on which least squares would take too long are a ValueError.
    """

    name = "tree-norm"
    about = "every leaf of the distinct trees, with noise on which they agree"
    integer = False
    independent = False
    projected = True

    def __init__(self, paths: Paths) -> None:
        Strategy.__init__(self, paths.n_levels)
        self.boxes, place = paths.distinct
        kept = _first_of_equal(place, paths.tree)
        self.place = place[kept]
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

    def noise(self, epsilon: float, sensitivity: float) -> TreeNorm:
        """What the mechanism draws from, a `TreeNorm`."""
        return TreeNorm(self.sizes, epsilon, sensitivity)

    def spread(self) -> float:
        """Two cells in different leaves of a tree; see `Strategy.sensitivity`."""
        return 2.0 if self.sizes.max() > 1 else 0.0

    @cached_property
    def span(self) -> Span | Complement:
        """What least squares needs: of the leaves as if independent, corrected for the total."""
        span, of_total = least_squares(self.boxes, self.weights), self.place[self.tree == 0]
        times = 1 / self.total - float((1 / (self.sizes * self.alpha)).sum())
        return span.corrected(of_total, times)

    def decorrelated(self, measured: np.ndarray) -> np.ndarray:
        """Counts of each tree less their mean, and the total; see `Strategy.decorrelated`."""
        measured = np.asarray(measured, dtype=float)
        starts = np.cumsum(self.sizes) - self.sizes
        sums = np.add.reduceat(measured, starts, axis=0)
        centred = measured - (sums / self.sizes[:, None])[self.tree]
        total = sums.mean(axis=0, keepdims=True) / math.sqrt(self.total)
        return np.vstack([centred / np.sqrt(self.alpha)[self.tree, None], total])

    def answer(self, workload: Workload, measured: np.ndarray) -> np.ndarray:
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

    def _dense(self) -> Dense:
        rows = self.boxes.matrix()[self.place]
        return Dense(self.decorrelated(rows), self.n_levels)

    def _measured(self, codes: np.ndarray, classes: np.ndarray, n_classes: int) -> np.ndarray:
        return counts_of_records(self.boxes, codes, classes, n_classes)[self.place]


def feasible(boxes: Paths) -> bool:
    """Whether least squares on so many distinct leaves takes no longer than allowed."""
    return len(boxes) * min(dimensions(boxes), len(boxes)) ** 2 <= MOST_PRODUCTS


def several_trees(workload: Workload) -> bool:
    """Whether a workload's forest has two trees that differ: one alone has Laplace noise."""
    paths = workload.paths
    kept = _first_of_equal(paths.distinct[1], paths.tree)
    return paths.tree[kept].min() < paths.tree[kept].max()


def _first_of_equal(place: np.ndarray, tree: np.ndarray) -> np.ndarray:
    """Numbers of the leaves of the trees of which none before has the same boxes."""
    order = np.lexsort([place, tree])
    parts = np.split(order, np.flatnonzero(np.diff(tree[order])) + 1)
    found = {}
    for rows in parts:
        found.setdefault(place[rows].tobytes(), rows)
    return np.sort(np.concatenate(list(found.values())))


def _directions(each: np.ndarray, total: float, sizes: np.ndarray) -> np.ndarray:
    """Variance in a direction that sums to 0, from that of a leaf; of a single leaf, the total's."""
    several = sizes > 1
    m = np.where(several, sizes, 2)
    return np.where(several, (each - total / m**2) / (1 - 1 / m), total)


def agreeing_marginals(workload: Workload, sets: list[tuple[int, ...]], epsilon: float) -> float:
    r"""Error of a forest's leaves by least squares from marginals that are released with `TreeNorm` noise,
    add-remove.

    The noise of a marginal S with m cells has the same variance :math:`\alpha_S` in each direction that sums to
    0, and these are uncorrelated between marginals, so that in the space of U (see
    `dplit.matrix.strategies.marginals`) the precisions :math:`\frac{n}{m\,\alpha_S}` of all S above U add up. It
    is the total squared error of all rows, copies included; infinite if some row is not determined.
    """
    workload, sets = check_kind(workload, Workload, "workload"), check_sequence(sets, "sets")
    epsilon = check_positive(epsilon, "epsilon")
    n_levels, mass = workload.boxes.n_levels, masses(workload)
    sets = [tuple(check_whole(s, "sets", 0, len(n_levels) - 1, ndim=1).tolist()) for s in sets]
    if not sets:
        raise ValueError("sets must hold the columns of at least one marginal, got none")
    sizes = np.array([int(n_levels[list(columns)].prod()) for columns in sets])
    noise = TreeNorm(sizes, epsilon)
    each, total = noise.variances[np.cumsum(sizes) - 1], noise.total_variance
    alpha = np.where(sizes > 1, _directions(each, total, sizes), np.inf)
    spaces = [u for u in mass if u]
    precision = eigenvalues(sets, spaces, n_levels) @ (1 / alpha)
    with np.errstate(divide="ignore"):
        rest = np.array([mass[u] for u in spaces]) / precision
    return float(rest.sum() + mass.get((), 0.0) * total / float(workload.n_cells))
