r"""The private median: where DiPriMe cuts a node, and in which law.

Sorted records :math:`x_1 \le \dots \le x_N` of a column, with its public bounds as :math:`x_0` and
:math:`x_{N+1}`: a cut inside the interval from :math:`x_j` to :math:`x_{j+1}` leaves :math:`j` records on the
left. v1 draws the rank :math:`j` and then a value (`rank_law`, `rank_interval_law`): it is not private. v2 draws
the value (`interval_law`), as `sample` does. Derived in :doc:`/book/median`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from dplit.ground import errors
from dplit.mechanisms import Exponential, PermuteAndFlip
from dplit.mechanisms.exponential import normalised

MECHANISMS = {"exponential": Exponential, "permute-and-flip": PermuteAndFlip}


class IntervalLaw(NamedTuple):
    """A law that is uniform inside each interval between consecutive edges.

    An interval of length 0 that has a positive probability is an atom.
    """

    edges: np.ndarray
    probabilities: np.ndarray

    @property
    def lengths(self) -> np.ndarray:
        """Lengths of the intervals, shape of `probabilities`."""
        return np.diff(self.edges)

    @property
    def atoms(self) -> dict:
        """Places and probabilities of the atoms, as a dict."""
        found = (self.lengths == 0) & (self.probabilities > 0)
        places, which = np.unique(self.edges[:-1][found], return_inverse=True)
        return dict(zip(places.tolist(), np.bincount(which, self.probabilities[found]).tolist()))

    def density(self, points: np.ndarray) -> np.ndarray:
        """Density at points that are no edges; 0 outside the edges."""
        inside, wide = np.zeros(len(self.lengths) + 2), self.lengths > 0
        np.divide(self.probabilities, self.lengths, out=inside[1:-1], where=wide)
        return inside[np.searchsorted(self.edges, points)]


# The two laws of a median --------------------------------------------------------------------


def rank_law(n: int, epsilon: float) -> np.ndarray:
    r"""Law of the rank :math:`j = 0, \dots, N` of DiPriMe v1's median, as an array of n + 1.

    .. math:: \Pr(j) \propto e^{-\frac{\epsilon_1}{2} |N - 2j|}

    DiPriMe v1, section 3 and algorithm 3, line 43, which leaves the range of :math:`j` open; we
    take every interval of the range, the bounds standing in for :math:`x_0` and
    :math:`x_{N+1}`. The value that follows from it is not private, see :doc:`/book/median`.
    `n`: records, at least 0; `epsilon`: the paper's :math:`\epsilon_1`.
    """
    gaps = _gaps(errors.check_integer(n, "n", 0))
    return Exponential(errors.check_positive(epsilon, "epsilon")).pmf(-gaps)


def rank_interval_law(values: list, lower: float, upper: float, epsilon: float) -> IntervalLaw:
    """Law of the value that DiPriMe v1 releases: a rank from `rank_law`, then uniform between records.

    Not private under any epsilon: its density contains the gap between two records. Between equal records it is an
    atom. Parameters and errors as `interval_law`.
    """
    edges = _edges(values, lower, upper)
    return IntervalLaw(edges, rank_law(len(edges) - 2, epsilon))


def interval_law(
    values: ArrayLike, lower: float, upper: float, epsilon: float, neighbours: str = "add-remove"
) -> IntervalLaw:
    r"""Law of the value that the exponential mechanism draws for the median.

    .. math:: \Pr([x_j, x_{j+1}]) \propto (x_{j+1} - x_j)\, e^{-\text{rate} |N - 2j|}

    DiPriMe v2, section 3.1, with rate :math:`\epsilon_s/2` under add-remove; replace-one needs
    :math:`\epsilon_s/4`. Epsilon-private, derived in :doc:`/book/median`. `values`: the records of one column,
    in any order; those outside the bounds are clipped. `lower`, `upper`: public bounds of the column,
    ``lower < upper``. The law has ``edges`` of shape (N + 2,) and ``probabilities`` of shape (N + 1,). Raises a
    ValueError if the bounds are not finite and increasing, a value is not finite, or `epsilon` is not positive.
    """
    edges = _edges(values, lower, upper)
    with np.errstate(divide="ignore"):
        log_lengths = np.log(np.diff(edges))
    log_weights = log_lengths - _rate(epsilon, neighbours) * _gaps(len(edges) - 2)
    return IntervalLaw(edges, normalised(log_weights))


def sample(
    values: ArrayLike,
    lower: float,
    upper: float,
    epsilon: float,
    neighbours: str = "add-remove",
    size: int | None = None,
    *,
    rng: np.random.Generator,
) -> float | np.ndarray:
    """Draws from `interval_law`: private medians, of shape `size` (None: one float)."""
    size = errors.check_size(size)
    edges, probabilities = interval_law(values, lower, upper, epsilon, neighbours)
    j = errors.check_rng(rng).choice(len(probabilities), size=size, p=probabilities)
    return edges[j] + (edges[j + 1] - edges[j]) * rng.random(size)


def grid_law(
    values: ArrayLike,
    lower: float,
    upper: float,
    epsilon: float,
    cells: int,
    mechanism: str = "permute-and-flip",
    neighbours: str = "add-remove",
) -> IntervalLaw:
    """Law of a cut drawn by a selection mechanism from a grid of equal cells.

    Each cell is a candidate with the score of its midpoint, and the cut is uniform inside the chosen cell.
    Epsilon-private for either mechanism; DiPriMe v2, section 3.1, asks for permute-and-flip and names no grid.
    `values`, `lower`, `upper`, `epsilon`, `neighbours` as in `interval_law`; `cells`: candidates, at least 1: a
    public number; `mechanism`: "permute-and-flip" or "exponential".
    """
    records = _edges(values, lower, upper)[1:-1]
    edges = np.linspace(lower, upper, errors.check_integer(cells, "cells", 1) + 1)
    left = np.searchsorted(records, (edges[:-1] + edges[1:]) / 2)
    kind = MECHANISMS[errors.check_choice(mechanism, tuple(MECHANISMS), "mechanism")]
    chosen = kind(2 * _rate(epsilon, neighbours))
    return IntervalLaw(edges, chosen.pmf(-np.abs(len(records) - 2.0 * left)))


def flip_rate(
    values: ArrayLike, lower: float, upper: float, epsilon: float, neighbours: str = "add-remove"
) -> float:
    r"""What the number of cells times the distance of `grid_law`'s two mechanisms tends to.

    .. math:: \lim_m m\, \mathrm{TV} = \frac{E|q - E q|}{2 \bar q}

    Here :math:`q = e^{\text{rate}(s - \max s)}` at a cut of `interval_law`, :math:`E` its mean under that law and
    :math:`\bar q` its mean under the uniform law.
    """
    edges, law = interval_law(values, lower, upper, epsilon, neighbours)
    lengths, scores = np.diff(edges), -_gaps(len(edges) - 2)
    odds = np.exp(_rate(epsilon, neighbours) * (scores - scores[lengths > 0].max()))
    uniform = (lengths / lengths.sum()) @ odds
    return float(law @ np.abs(odds - law @ odds) / (2 * uniform))


# Comparing laws ------------------------------------------------------------------------------


def density_loss(law: IntervalLaw, other: IntervalLaw) -> float:
    """Largest absolute log-ratio of two laws' densities, and of their atoms.

    The loss is in nats, and ``inf`` where one law has a density or an atom and the other has none.
    """
    law, other = errors.check_kind(law, IntervalLaw, "law"), errors.check_kind(other, IntervalLaw, "other")
    _, here, there = _common(law, other)
    places = {*law.atoms, *other.atoms}
    here = np.append(here, [law.atoms.get(x, 0.0) for x in places])
    there = np.append(there, [other.atoms.get(x, 0.0) for x in places])
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.where(here == there, 0.0, np.abs(np.log(here) - np.log(there))).max())


def total_variation(law: IntervalLaw, other: IntervalLaw) -> float:
    """Total variation distance of two `IntervalLaw` without atoms, between 0 and 1."""
    law, other = errors.check_kind(law, IntervalLaw, "law"), errors.check_kind(other, IntervalLaw, "other")
    lengths, here, there = _common(law, other)
    return float(lengths @ np.abs(here - there) / 2)


def _common(law: IntervalLaw, other: IntervalLaw) -> tuple:
    """Lengths of the intervals of a common refinement, and both densities there."""
    edges = np.unique(np.concatenate([law.edges, other.edges]))
    middles = edges[:-1] + np.diff(edges) / 2
    return np.diff(edges), law.density(middles), other.density(middles)


# Categorical columns -------------------------------------------------------------------------


def subset_sizes(counts: ArrayLike) -> list:
    """How many splits put s records on one side, as a list of N + 1 Python integers.

    A split is a set of levels that is neither empty nor everything; the two sides of one split are two sets. A
    subset-sum dynamic programme, exact for any number of levels: time in proportion to levels times records.
    `counts`: ints, shape (levels,). Records of each level, at least two levels; a level without records counts.
    """
    counts = _level_counts(counts)
    ways = _subset_table(counts)[-1]
    ways[0] -= 1
    ways[counts.sum()] -= 1
    return ways.tolist()


def subset_law(counts: ArrayLike, epsilon: float, neighbours: str = "add-remove") -> np.ndarray:
    r"""Law of the number s of records in the set C of levels of a private categorical split.

    .. math:: \Pr(C) \propto e^{-\text{rate}\, \bigl||C| - |X \setminus C|\bigr|}

    summed over the sets of one size; the difference of the sides is ``abs(N - 2 s)``. DiPriMe v1, section 3 (v2,
    section 3.1, with the sign that it means). `counts`: ints, shape (levels,). Returns an array of shape (N + 1,).
    """
    ways = subset_sizes(counts)
    log_ways = np.array([math.log(w) if w else -math.inf for w in ways])
    rate = _rate(epsilon, neighbours)
    return normalised(log_ways - rate * _gaps(len(ways) - 1))


def sample_subset(
    counts: ArrayLike, epsilon: float, neighbours: str = "add-remove", *, rng: np.random.Generator
) -> np.ndarray:
    """One private categorical split: a boolean array, True for the levels of C.

    Draws the number of records in C from `subset_law`, then C uniformly among the sets that have
    it, walking back through the dynamic programme. Parameters as `subset_law`.
    """
    counts, rng = _level_counts(counts), errors.check_rng(rng)
    table, law = _subset_table(counts), subset_law(counts, epsilon, neighbours)
    size = int(rng.choice(len(law), p=law))
    while True:  # the two sets that are no split are drawn again
        chosen, left = np.zeros(len(counts), dtype=bool), size
        for level in reversed(range(len(counts))):
            with_it = table[level][left - counts[level]] if counts[level] <= left else 0
            chosen[level] = rng.random() < with_it / table[level + 1][left]
            left -= counts[level] * chosen[level]
        if 0 < chosen.sum() < len(counts):
            return chosen


def _subset_table(counts: np.ndarray) -> list:
    """Row i: how many sets of the first i levels hold s records, s = 0, ..., N."""
    ways = np.zeros(counts.sum() + 1, dtype=object)
    ways[0] = 1
    table = [ways]
    for count in counts:
        ways = ways.copy()
        ways[count:] += table[-1][: len(ways) - count]
        table.append(ways)
    return table


def _level_counts(counts: ArrayLike) -> np.ndarray:
    counts = errors.check_counts(counts)
    if counts.ndim != 1 or len(counts) < 2:
        raise ValueError(f"counts must have shape (levels,) with two levels or more, got {counts.shape}")
    return counts


# Shared --------------------------------------------------------------------------------------


def _rate(epsilon: float, neighbours: str) -> float:
    """Weight of a unit of score: the score of a cut moves by 1 under add-remove, 2 under replace-one."""
    sensitivity = 1 if errors.check_neighbours(neighbours) == "add-remove" else 2
    return errors.check_positive(epsilon, "epsilon") / (2 * sensitivity)


def _edges(values: list, lower: float, upper: float) -> np.ndarray:
    """The bounds and the sorted records between them, clipped."""
    errors.check_interval(lower, upper)
    values = errors.check_numbers(values, "values")
    if values.ndim != 1 or not np.isfinite(values).all():
        raise ValueError(
            f"values must be finite numbers of shape (records,), got an array of shape {values.shape}"
        )
    return np.concatenate([[lower], np.sort(np.clip(values, lower, upper)), [upper]])


def _gaps(n: int) -> np.ndarray:
    """How far the two sides of a cut are apart, with j = 0, ..., n of the records on its left."""
    return np.abs(n - 2 * np.arange(n + 1))
