"""Noise that is shaped by the workload: the K-norm mechanism (Hardt and Talwar 2010).

K is the convex hull of the workload's columns and their negatives; any larger body is private, too. `BlockNorm`
takes the product of the trees' own bodies, which needs no geometry, and `TreeNorm`, in a file of its own, cuts it
to the leaves that agree on the number of records. Derived in :doc:`/book/matrix_bounds`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike
from scipy.spatial import ConvexHull

from dplit.ground.errors import check_epsilon
from dplit.matrix.treenorm import NOTHING, Scaled, check_sizes

MOST_DIMENSIONS = 8  # of a polytope that is triangulated


@dataclass(frozen=True)
class KNorm(Scaled):
    """K-norm noise for a few queries of a low rank, by triangulation of the polytope K; add-remove neighbours.

    `matrix` is W, shape (n_queries, n_cells), of a rank from 1 to `MOST_DIMENSIONS`.

    >>> from dplit import matrix
    >>> import numpy as np
    >>> hexagon = matrix.KNorm(np.eye(3) - 1 / 3, epsilon=1.0)
    >>> hexagon.dimension, round(hexagon.error, 6)  # 5/3 of 2/epsilon^2
    (2, 3.333333)
    """

    matrix: np.ndarray
    epsilon: float

    def __post_init__(self) -> None:
        W = np.atleast_2d(np.asarray(self.matrix, dtype=float))
        if W.ndim != 2 or not np.isfinite(W).all() or not W.any():
            raise ValueError(f"matrix must hold finite numbers, not all 0, got shape {W.shape}")
        object.__setattr__(self, "matrix", W)
        object.__setattr__(self, "epsilon", check_epsilon(self.epsilon))
        if self.dimension > MOST_DIMENSIONS:
            raise ValueError(
                f"matrix must have a rank of at most {MOST_DIMENSIONS}, got {self.dimension}; "
                "BlockNorm needs no polytope"
            )

    @cached_property
    def _basis(self) -> np.ndarray:
        """An orthonormal basis of the range of W, shape (n_queries, d): its columns in order, made orthogonal.

        No singular vectors, which the machine may turn where singular values are equal: draws repeat everywhere.
        """
        rank, found = np.linalg.matrix_rank(self.matrix, tol=NOTHING * np.linalg.norm(self.matrix, 2)), []
        for column in self.matrix.T:
            rest = column
            for _ in range(2):  # once more, for what rounding left
                for b in found:
                    rest = rest - math.fsum(b * rest) * b
            length = math.hypot(*rest)
            if len(found) < rank and length > NOTHING * math.hypot(*column):
                found.append(rest / length)
        return np.column_stack(found)

    @property
    def dimension(self) -> int:
        """d, the rank of W."""
        return self._basis.shape[1]

    @cached_property
    def _facets(self) -> tuple[np.ndarray, np.ndarray]:
        """(corners of each simplex of the boundary, outer normals scaled to 1 on it)."""
        columns = np.unique(self.matrix, axis=1)
        points = sum(np.outer(w, b) for w, b in zip(columns, self._basis, strict=True))  # in this order everywhere
        points = np.concatenate([points, -points])
        if self.dimension == 1:
            end = abs(points).max()
            return np.array([[[end]], [[-end]]]), np.array([[1 / end], [-1 / end]])
        hull = ConvexHull(points)
        return points[hull.simplices], -hull.equations[:, :-1] / hull.equations[:, -1:]

    @cached_property
    def _weights(self) -> np.ndarray:
        """Volume of the simplex over each part of the boundary, times d!."""
        return abs(np.linalg.det(self._facets[0]))

    @property
    def volume(self) -> float:
        """Volume of K in its d dimensions."""
        return float(self._weights.sum()) / math.factorial(self.dimension)

    def norm(self, values: ArrayLike) -> np.ndarray:
        """The norm whose unit ball is K, shape (..., n_queries) to (...); infinite off the range of W."""
        values = np.asarray(values, dtype=float)
        inside = values @ self._basis
        off = abs(values - inside @ self._basis.T).max(axis=-1, initial=0)
        norms = (inside @ self._facets[1].T).max(axis=-1)
        size = np.maximum(abs(values).max(axis=-1, initial=0), 1)
        return np.where(off > NOTHING * size, math.inf, norms)[()]

    @cached_property
    def covariance(self) -> np.ndarray:
        r"""Covariance of the noise, shape (n_queries, n_queries).

        Over a simplex with the corners 0 and :math:`v_1, \dots, v_d` the mean of :math:`uu^\top` is
        :math:`\frac{\sum_i v_iv_i^\top + ss^\top}{(d+1)(d+2)}`, :math:`s = \sum_i v_i`.
        """
        corners, weights = self._facets[0], self._weights / self._weights.sum()
        s = corners.sum(axis=1)
        second = np.einsum("f,fvi,fvj->ij", weights, corners, corners) + (s.T * weights) @ s
        return self._basis @ second @ self._basis.T / self.epsilon**2

    @property
    def variances(self) -> np.ndarray:
        """Variance of each answer, shape (n_queries,)."""
        return self.covariance.diagonal()

    def _points(self, size: int, rng: Generator) -> np.ndarray:
        """Uniform points of K: of a simplex chosen by its volume."""
        chosen = rng.choice(len(self._weights), size, p=self._weights / self._weights.sum())
        shares = rng.dirichlet(np.ones(self.dimension + 1), size)[:, 1:]
        return np.einsum("sv,svi->si", shares, self._facets[0][chosen]) @ self._basis.T


@dataclass(frozen=True)
class BlockNorm(Scaled):
    r"""Noise for all leaves of a forest, of density proportional to :math:`e^{-\epsilon\max_t\|z_t\|_1}`;
    add-remove.

    The blocks :math:`z_t` are the leaves of tree t, of which `sizes` has the numbers. One record more moves every
    block by 1 in the L1 norm, whatever the trees test. With one tree this is Laplace noise; with more trees of
    equal size it has smaller variances than Laplace noise of scale :math:`\tau/\epsilon`. It favours large trees:
    beside them the leaves of a small tree have more.
    """

    sizes: np.ndarray
    epsilon: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "sizes", check_sizes(self.sizes))
        object.__setattr__(self, "epsilon", check_epsilon(self.epsilon))

    @property
    def dimension(self) -> int:
        """d, the number of leaves of all trees."""
        return int(self.sizes.sum())

    def norm(self, values: ArrayLike) -> np.ndarray:
        """The largest L1 norm of a block; shape (..., n_leaves) to (...)."""
        starts = np.cumsum(self.sizes) - self.sizes
        return np.add.reduceat(abs(np.asarray(values, dtype=float)), starts, axis=-1).max(axis=-1)

    @property
    def variances(self) -> np.ndarray:
        r"""Variance of each leaf, shape (n_leaves,): :math:`\frac{2(d+1)(d+2)}{(m_t+1)(m_t+2)\epsilon^2}`."""
        each = 2 * self.moment / ((self.sizes + 1.0) * (self.sizes + 2.0))
        return np.repeat(each, self.sizes)

    def _points(self, size: int, rng: Generator) -> np.ndarray:
        """Uniform points of the product of cross-polytopes: the simplex, with random signs."""
        blocks = [rng.dirichlet(np.ones(m + 1), size)[:, 1:] for m in self.sizes]
        signs = rng.choice([-1.0, 1.0], size=(size, self.dimension))
        return np.concatenate(blocks, axis=1) * signs
