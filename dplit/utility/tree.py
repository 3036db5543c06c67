"""A regression tree of private medians on one column, against the tree of exact medians (DiPriMe v1).

The leaves of the exact tree are :math:`M` consecutive records each, in the order of the column. The private tree
cuts the same order elsewhere. `t` bounds every leaf's distance from M: all leaves hold between M - t and M + t
records; it is whole and at most M but in the published bounds, and below M where a noisy leaf may not be empty.
Losses are in squared units of the target. Section 3.1 and appendix A.2 of v1.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import ArrayLike

from dplit import occupancy, sensitivity
from dplit.ground import errors


def range_of(lower: float, upper: float) -> float:
    """Return R = upper - lower; the bounds must be finite and in order."""
    return float(errors.check_range(lower, upper))


def leaf_size(n: int, depth: int) -> int:
    """Return M = n / 2^depth, which must be a whole number, as the paper assumes."""
    leaves = 2 ** errors.check_integer(depth, "depth", 1)
    if errors.check_integer(n, "n", 1) % leaves:
        raise ValueError(f"n must be a multiple of 2^depth = {leaves}, got {n!r}")
    return n // leaves


def _check_distance(t: int, most: int) -> int:
    """Return `t`, an integer from 0 to `most`."""
    if errors.check_integer(t, "t", 0) > most:
        raise ValueError(f"t must be at most {most}, got {t!r}")
    return int(t)


# As published --------------------------------------------------------------------------------


def published_leaf_change(t: ArrayLike, lower: float, upper: float) -> float:
    r"""Theorem 1 of v1: a leaf's squared error changes by at most :math:`4B^2 t`.

    It fails from depth 2 on, see `leaf_change` and :doc:`/book/utility`.
    """
    range_of(lower, upper)
    return 4.0 * max(abs(lower), abs(upper)) ** 2 * errors.check_numbers(t, "t", 0, errors.MOST)


def published_change(depth: int, t: float, lower: float, upper: float) -> float:
    r"""Corollary 1.1 of v1: the tree's squared error changes by at most :math:`2^{d+2} B^2 t`.

    It fails from depth 3 on, see `worst_change`.
    """
    return 2 ** errors.check_integer(depth, "depth", 1) * published_leaf_change(t, lower, upper)


def published_loss(n: int, depth: int, t: float, epsilon: float, lower: float, upper: float) -> float:
    r"""Theorem 3 of v1: what the private tree loses, the expectation taken over the leaves' noise.

    .. math:: 2^{d+1} \left(2B^2 t + \frac{R^2}{\epsilon_2^2 (N/2^d - t)}\right)
    """
    spread, size = range_of(lower, upper), leaf_size(n, depth)
    left = size - errors.check_between(t, "t", 0, size)
    if not left > 0:
        raise ValueError(f"t must be below n / 2^depth, got {t!r}")
    noise = spread**2 / (errors.check_positive(epsilon, "epsilon") ** 2 * left)
    return published_change(depth, t, lower, upper) + 2 ** (depth + 1) * noise


def zeta(n: int, depth: int, epsilon: float, t: float) -> float:
    r"""The :math:`\zeta` of theorem 3: :math:`2^{d-1} \Pr(|\tilde N_i - N/2^d| \ge t)`, exact.

    The chance that some leaf is that far off is `dplit.occupancy.any_leaf_tail`, up to :math:`2\zeta`. `epsilon`
    is the budget of one split, the paper's :math:`\epsilon_1`.
    """
    t = errors.check_between(t, "t", 0, errors.MOST)
    leaf_size(n, depth)
    return 2 ** (depth - 1) * float(occupancy.leaf_tail(t, n, depth, epsilon))


# One leaf ------------------------------------------------------------------------------------


def leaf_shift(depth: int) -> np.ndarray:
    r"""How many times t records a leaf can gain, leaf by leaf.

    .. math:: G_i = \max\{\min(i + 1, 2^d - 1 - i), \min(i, 2^d - i)\}, \quad i = 0, \dots, 2^d - 1

    At most :math:`2^{d-1}`; 1 for the outer leaves.
    """
    leaves = 2 ** errors.check_integer(depth, "depth", 1)
    i = np.arange(leaves)
    return np.maximum(np.minimum(i + 1, leaves - 1 - i), np.minimum(i, leaves - i))


def leaf_change(n: int, depth: int, t: int, lower: float, upper: float) -> np.ndarray:
    r"""The most that each leaf's squared error changes while all leaves are within `t` of M: exact.

    .. math:: \frac{k (M + t - k)}{M + t} R^2, \quad
       k = \min\{G_i t, \lfloor (M + t)/2 \rfloor\}

    with :math:`G_i` from `leaf_shift`. Corrects theorem 1 of v1; the theorem "One leaf of a tree"
    of :doc:`/book/utility`.
    """
    size, spread = leaf_size(n, depth), range_of(lower, upper)
    held = size + _check_distance(t, size)
    gained = np.minimum(leaf_shift(depth) * t, held).tolist()
    return spread**2 * np.array([sensitivity.sse_removed(held, g, 0.0, 1.0) for g in gained])


def leaf_change_any(n: int, depth: int, t: int, lower: float, upper: float) -> float:
    r"""The most that one leaf's squared error changes if the private tree may cut other columns: exact.

    .. math:: \frac{\lfloor (M + t)^2/4 \rfloor}{M + t} R^2

    The leaf shares no record with its namesake in the worst case.
    """
    held = leaf_size(n, depth) + _check_distance(t, leaf_size(n, depth))
    return range_of(lower, upper) ** 2 * (held**2 // 4) / held


# The whole tree ------------------------------------------------------------------------------


def change_bound(depth: int, t: float, lower: float, upper: float) -> float:
    """What holds instead of corollary 1.1 on one column: a change of at most :math:`4^{d-1} R^2 t`.

    For fixed t `worst_change` comes as near to it as wanted when N grows.
    """
    t = errors.check_between(t, "t", 0, errors.MOST)
    return 4.0 ** (errors.check_integer(depth, "depth", 1) - 1) * range_of(lower, upper) ** 2 * t


def change_bound_any(n: int, lower: float, upper: float) -> float:
    """What holds instead of corollary 1.1 if the private tree may cut other columns: :math:`R^2 N/4`.

    The largest squared error of any data. For even M it is attained by leaves of exactly M records, so no bound in
    t is possible.
    """
    return range_of(lower, upper) ** 2 * errors.check_integer(n, "n", 1) / 4


def _between(sizes: np.ndarray, exact: np.ndarray) -> np.ndarray:
    """Squared error of each leaf if the targets are 0 and 1 by turns, leaf by leaf of the exact tree."""
    stops = np.cumsum(sizes, axis=-1)
    odd = [x // (2 * exact) * exact + np.maximum(0, x % (2 * exact) - exact) for x in (stops - sizes, stops)]
    ones = odd[1] - odd[0]
    return ones * (sizes - ones) / np.maximum(sizes, 1)


def alternating_change(sizes: ArrayLike, lower: float, upper: float) -> np.ndarray:
    r"""Squared error of a private tree whose exact tree has pure leaves: B_L, B_U, B_L, ... by turns.

    These targets are the worst of all for every tree whose leaves hold at most 2M records; the theorem
    "The worst targets alternate" of :doc:`/book/utility`. The rows of `sizes`, shape (..., 2 ** depth), are the
    records of the private leaves in the column's order, and sum to the same n each.
    """
    sizes = np.atleast_1d(errors.check_whole(sizes, "sizes", 0))
    total, leaves = sizes.sum(axis=-1, keepdims=True), sizes.shape[-1]
    if (total % leaves).any() or (total == 0).any():
        raise ValueError(f"sizes must be at least 0, their mean a whole number above 0, got {sizes!r}")
    return range_of(lower, upper) ** 2 * _between(sizes, total // leaves).sum(axis=-1)


def leaf_noise(sizes: ArrayLike, epsilon: float, lower: float, upper: float) -> np.ndarray:
    r"""Expected squared error that the noise of the leaf means adds.

    .. math:: \sum_i \frac{2R^2}{\tilde N_i \epsilon_2^2}

    Exact, given the tree, for `sizes` of shape (..., leaves); infinite if a leaf is empty, as the formula has it.
    Appendix A.2.3 of v1.
    """
    scale = 2 * range_of(lower, upper) ** 2 / errors.check_positive(epsilon, "epsilon") ** 2
    with np.errstate(divide="ignore"):
        return scale * (1 / errors.check_numbers(sizes, "sizes", 0, errors.MOST)).sum(axis=-1)


def worst_loss(n: int, depth: int, t: int, epsilon: float, lower: float, upper: float) -> float:
    """The largest expected loss of all targets and all trees with leaves within `t` of M: exact.

    A dynamic programme over the leaves: its state is how far a leaf's first record is from its place in the exact
    tree. The loss is the squared error with noisy means, expected over their noise, less the exact tree's.
    Corrects theorem 3 of v1.
    """
    size = leaf_size(n, depth)
    scale = 2 / errors.check_positive(epsilon, "epsilon") ** 2
    best = _best_path(size, depth, _check_distance(t, size - 1), scale)
    return range_of(lower, upper) ** 2 * best


def worst_change(n: int, depth: int, t: int, lower: float, upper: float) -> float:
    """`worst_loss` without noise, the most that the squared error grows: exact. Corrects corollary 1.1 of v1."""
    size = leaf_size(n, depth)
    return range_of(lower, upper) ** 2 * _best_path(size, depth, _check_distance(t, size), 0.0)


@njit(cache=True, nogil=True)
def _best_path(size: int, depth: int, t: int, noise: float) -> float:
    """Largest squared error under alternating targets plus the sum of noise / held, in units of R^2."""
    leaves = 2**depth
    reach = leaves // 2 * t
    value = np.full(2 * reach + 1, -np.inf)  # by how far a leaf's first record is from i * size
    value[reach] = 0.0
    for i in range(leaves):
        longer = np.full(2 * reach + 1, -np.inf)
        for held in range(size - t, size + t + 1):
            for place in range(max(0, size - held), 2 * reach + 1 - max(0, held - size)):
                start = i * size + place - reach
                if value[place] == -np.inf or start + held > leaves * size:
                    continue
                ones = _odd_before(start + held, size) - _odd_before(start, size)
                gain = (ones * (held - ones) + noise) / max(held, 1)
                there = place + held - size
                longer[there] = max(longer[there], value[place] + gain)
        value = longer
    return value[reach]


@njit(cache=True, nogil=True)
def _odd_before(place: int, size: int) -> int:
    """Records before `place` that belong to odd leaves of the exact tree."""
    return place // (2 * size) * size + max(0, place % (2 * size) - size)


def loss_bound(n: int, depth: int, t: int, epsilon: float, lower: float, upper: float) -> float:
    r"""What holds instead of theorem 3 on one column, with probability 1 less `any_leaf_tail` at t + 1.

    .. math:: 4^{d-1} R^2 t + \frac{2^{d+1} R^2}{\epsilon_2^2} \frac{M}{M^2 - t^2}

    Each term is tight, the first one for large M; `worst_loss` is the exact worst of their sum.
    """
    size, spread = leaf_size(n, depth), range_of(lower, upper)
    _check_distance(t, size - 1)
    noise = size / (errors.check_positive(epsilon, "epsilon") ** 2 * (size**2 - t**2))
    return change_bound(depth, t, lower, upper) + 2 ** (depth + 1) * spread**2 * noise
