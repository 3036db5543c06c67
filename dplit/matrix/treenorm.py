"""Noise for all leaves of a forest at once, of the smallest body that fits trees on disjoint columns.

It is `BlockNorm`'s body cut to the leaves that agree on the number of records; its slices have the volumes
:math:`f_m(s)` of thm-bounds-trees in :doc:`/book/matrix_bounds`. Each term of that sum stands for a way to draw
the slice; variances need the polynomials alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike
from scipy.special import gammaln, logsumexp, xlogy

from dplit.ground.errors import check_epsilon, check_integer, check_positive, check_rng
from dplit.mechanisms.secure import exact_rate

BITS = 24  # of a step of exact noise, below its scale
MOST_BITS = 30  # below a record
# Of exact noise: sums are whole, and draws are kept.
LARGEST_SCALE, LARGEST_RATE = 2.0**41, 2.0**-16
NODES = 400  # of the quadrature over the sum, at most; fewer are exact where the degree is small
NOTHING = 1e-9


class Scaled:
    """What all these mechanisms share: noise is a radius times a uniform point of a body, `_points`."""

    sensitivity = 1.0

    @property
    def dimension(self) -> int:
        """d, the dimension of the noise."""
        raise NotImplementedError

    @property
    def scale(self) -> float:
        r""":math:`\Delta/\epsilon`, of the radius."""
        return self.sensitivity / self.epsilon

    @property
    def moment(self) -> float:
        r""":math:`E R^2 = (d + 1)(d + 2)\Delta^2/\epsilon^2` of the radius."""
        return (self.dimension + 1) * (self.dimension + 2) * self.scale**2

    @property
    def error(self) -> float:
        """Total expected squared error of the answers, each once."""
        return float(np.sum(self.variances))

    def sample(self, size: int, *, rng: Generator) -> np.ndarray:
        """Noise to add to the answers, `size` independent draws, shape (size, n_queries)."""
        size, rng = check_integer(size, "size", 0), check_rng(rng)
        radius = rng.gamma(self.dimension + 1, self.scale, size)
        return radius[:, None] * self._points(size, rng)


def check_sizes(sizes: ArrayLike) -> np.ndarray:
    """Return the leaves of each tree, positive whole numbers, as an int64 array."""
    found = np.atleast_1d(np.asarray(sizes))
    if found.ndim != 1 or found.dtype.kind not in "iu" or not len(found) or (found < 1).any():
        raise ValueError(f"sizes must be positive whole numbers, got {sizes!r}")
    return found.astype(np.int64)


def _log_binomial(n: np.ndarray, k: np.ndarray) -> np.ndarray:
    return gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)


def log_slice(m: int, s: np.ndarray) -> np.ndarray:
    """Logarithm of each term of f_m, shape (m, len(s)), for m leaves and sums 0 <= s <= 1."""
    r = np.arange(m)[:, None]
    powers = xlogy(r, s) + xlogy(m - 1 - r, (1 - s) / 2)
    return _log_binomial(m - 1, r) + _log_binomial(2 * m - 2 - r, m - 1) + powers


def positive_leaves(m: int, terms: ArrayLike) -> np.ndarray:
    """Probability that j of m leaves are positive, given terms of f_m; shape (len(terms), m + 1).

    Proportional to binomial(m, j) binomial(m - 2 - r, j - 1 - r) for the term r; all m for the last one.
    """
    r, j = np.asarray(terms)[:, None], np.arange(m + 1)[None]
    possible = (j > r) & (j < m)
    inner = np.where(possible, j - 1 - r, 0)
    above = np.where(possible, m - 2 - r, 0)
    logs = np.where(possible, _log_binomial(m, j) + _log_binomial(above, inner), -np.inf)
    logs = np.where(r == m - 1, np.where(j == m, 0.0, -np.inf), logs)
    return np.exp(logs - logsumexp(logs, axis=1, keepdims=True))


@lru_cache
def _quadrature(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights on the interval from 0 to 1."""
    nodes, weights = np.polynomial.legendre.leggauss(n)
    return (nodes + 1) / 2, weights / 2


@dataclass(frozen=True)
class TreeNorm(Scaled):
    """K-norm noise for all leaves of any forest; the K-norm itself of trees on disjoint columns.

    One record more moves the leaves by a point of K, whatever the trees test. The noise of each tree has the same
    sum, so that the trees go on agreeing on the number of records.

    `sizes` are the leaves of each tree; equal trees are better taken once. `sensitivity` is the largest norm of
    what a neighbour changes: 1 for add-remove; for replace-one, where a record leaves one point of K and gets to
    another, 2.

    >>> from dplit import matrix
    >>> round(matrix.TreeNorm([3, 2], epsilon=1.0).error, 6)  # Tennis, a tree on each feature
    18.5
    """

    sizes: np.ndarray
    epsilon: float
    sensitivity: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "sizes", check_sizes(self.sizes))
        object.__setattr__(self, "epsilon", check_epsilon(self.epsilon))
        check_positive(self.sensitivity, "sensitivity")

    @property
    def dimension(self) -> int:
        """d, one more than the leaves of all trees but one of each."""
        return int((self.sizes - 1).sum()) + 1

    @property
    def bits(self) -> int:
        """Binary digits of the steps in which exact noise is drawn: none of a scale of 2^24 or more."""
        if self.scale == 0:
            return 0
        return min(max(BITS - math.frexp(self.scale)[1], 0), MOST_BITS)

    def sample_exactly(self, size: int, *, rng: Generator) -> np.ndarray:
        r"""Noise as of `sample`, in whole steps of :math:`2^{-b}`, b the `bits`, without rounding: int64.

        A finite epsilon above :math:`\Delta 2^{b-16}` is taken as that: less noise has no use. Noise so large
        that sums of it are no whole numbers of the machine is a ValueError.
        """
        if self.scale > LARGEST_SCALE:
            raise ValueError(
                f"epsilon must be at least {self.sensitivity / LARGEST_SCALE:.3g} for noise='secure' on "
                f"which trees agree, got {self.epsilon!r}"
            )
        size = check_integer(size, "size", 0)
        if math.isinf(self.epsilon):
            return np.zeros((size, self.sizes.sum()), dtype=np.int64)
        from dplit.matrix.exact_treenorm import whole_noise  # compiled: slow to import

        rate = exact_rate(self.epsilon, self.sensitivity * 2.0**self.bits)
        return whole_noise(self.sizes, min(rate, LARGEST_RATE), size, check_rng(rng))

    def norm(self, values: ArrayLike) -> np.ndarray:
        """The largest L1 norm of a tree's leaves; infinite where the trees' sums differ."""
        values, starts = np.asarray(values, dtype=float), np.cumsum(self.sizes) - self.sizes
        largest = np.add.reduceat(abs(values), starts, axis=-1).max(axis=-1)
        sums = np.add.reduceat(values, starts, axis=-1)
        off = np.ptp(sums, axis=-1) > NOTHING * np.maximum(largest, 1)
        return np.where(off, np.inf, largest)[()]

    def _log_density(self, s: np.ndarray) -> np.ndarray:
        """Logarithm of the density of the sum at 0 <= s <= 1, up to a constant."""
        kinds, counts = np.unique(self.sizes, return_counts=True)
        return counts @ _log_volumes(int(kinds[-1]) - 1, s)[kinds - 1]

    @cached_property
    def _sums(self) -> tuple[np.ndarray, np.ndarray]:
        """Nodes of a quadrature over the sum and their shares: exact up to degree 2 NODES - 1."""
        n = min(self.dimension // 2 + 3, NODES)
        nodes, weights = _quadrature(n)
        top = 1.0
        if n == NODES:  # what lies beyond has no mass that a float could see
            grid = np.linspace(0, 1, 2001)[:-1]
            logs = self._log_density(grid)
            top = grid[np.flatnonzero(logs > logs.max() - 80)[-1]] + 1 / 2000
        logs = self._log_density(nodes * top) + np.log(weights)
        return nodes * top, np.exp(logs - logsumexp(logs))

    @property
    def total_variance(self) -> float:
        """Variance of the sum that the trees have in common."""
        s, shares = self._sums
        return float(self.moment * (shares @ s**2))

    @property
    def variances(self) -> np.ndarray:
        """Variance of each leaf, shape (n_leaves,), by quadrature over the sum."""
        s, shares = self._sums
        kinds, place = np.unique(self.sizes, return_inverse=True)
        each = _mean_squares(kinds, s, _log_volumes(int(kinds[-1]) + 1, s)) @ shares
        return self.moment * np.repeat(each[place], self.sizes)

    def _points(self, size: int, rng: Generator) -> np.ndarray:
        """Uniform points of K: the sum by rejection, then each tree's slice by itself."""
        s = self._draw_sums(size, rng)
        signs = rng.choice([-1.0, 1.0], size)
        blocks = [_slice_points(int(m), s, rng) for m in self.sizes]
        return np.concatenate(blocks, axis=1) * signs[:, None]

    def _draw_sums(self, size: int, rng: Generator) -> np.ndarray:
        """|s| by rejection from the uniform law: the density is largest at 0, as K is convex and even."""
        found, most = np.empty(0), self._log_density(np.zeros(1))[0]
        while len(found) < size:
            s = rng.random(min(4 * size + 100, 100_000))
            kept = np.log(rng.random(len(s))) < self._log_density(s) - most
            found = np.concatenate([found, s[kept]])
        return found[: check_integer(size, "size", 0)]


def _log_volumes(n: int, s: np.ndarray) -> np.ndarray:
    """Logarithm of :math:`g_n(s) = s^n P_n(1/s)`, P the Legendre polynomials, shape (n + 1, len(s)).

    They come through the ratios of neighbours, and :math:`f_m = g_{m-1}`.
    """
    logs, ratio = np.zeros((n + 1, len(s))), np.ones(len(s))
    for k in range(1, n):
        logs[k] = logs[k - 1] + np.log(ratio)
        ratio = ((2 * k + 1) - k * s**2 / ratio) / (k + 1)
    if n:
        logs[n] = logs[n - 1] + np.log(ratio)
    return logs


def _mean_squares(sizes: np.ndarray, s: np.ndarray, logs: np.ndarray) -> np.ndarray:
    """Mean square of one of m leaves in the slice at each sum, m of `sizes`, shape (len(sizes), len(s))."""
    m = np.asarray(sizes)[:, None]
    ratio = np.exp(logs[m[:, 0] + 1] - logs[m[:, 0] - 1])
    return ((m - 1) / (m + 1) * ratio + 3 * s**2) / (m * (2 * m + 1))


def _slice_points(m: int, s: np.ndarray, rng: Generator) -> np.ndarray:
    """A uniform point of the slice of m leaves at each sum, shape (len(s), m)."""
    n = len(s)
    if m == 1:
        return s[:, None].copy()
    terms = log_slice(m, s)
    r = (terms + rng.gumbel(size=terms.shape)).argmax(axis=0)
    drawn, place = np.unique(r, return_inverse=True)
    chosen = positive_leaves(m, drawn).cumsum(axis=1)
    j = (rng.random(n)[:, None] > chosen[place]).sum(axis=1)
    j = np.minimum(j, np.where(r == m - 1, m, m - 1))  # what rounding leaves of the last sum
    q = m - 1 - r
    below = np.where(q > 0, (1 - s) / 2 * rng.random(n) ** (1 / np.maximum(q, 1)), 0.0)
    parts = rng.standard_exponential((n, m))
    up = rng.random((n, m)).argsort(axis=1).argsort(axis=1) < j[:, None]
    high, low = np.where(up, parts, 0.0), np.where(up, 0.0, parts)
    high *= ((s + below) / high.sum(axis=1))[:, None]
    return high - low * (below / np.where(j < m, low.sum(axis=1), 1.0))[:, None]
