"""Exact laws of leaf counts in a tree of noisy medians: one leaf, the worst of all leaves, draws."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numba import njit
from numpy.typing import ArrayLike

from dplit.ground.errors import check_finite, check_integer, check_numbers, check_positive, check_rng, check_whole

LARGEST = 700.0  # a larger epsilon has the same law, and its weights are no floats
CUT = 80.0  # noise beyond CUT / epsilon is left out: its probability is below 4e-35 at each level


def leaf_law(n: int, depth: int, epsilon: float) -> np.ndarray:
    r"""Exact law of the count of one given leaf, by dynamic programming over the levels.

    .. math:: P_{i+1}(j) = \sum_{m \ge j} P_i(m)\, e^{-\epsilon_1|j - m/2|} / Z_m, \qquad P_0(n) = 1.

    All leaves have this law, since j and m - j are equally likely. Sizes are kept within the noise of
    ``80 / epsilon`` a level; what is left out has probability below `depth` times 4e-35. The time grows with
    ``depth * min(n, 160 / epsilon) ** 2``. Returns the probabilities of 0, ..., n records.
    """
    n, depth = check_integer(n, "n", 0), check_integer(depth, "depth", 0)
    epsilon = min(check_positive(epsilon, "epsilon"), LARGEST)
    decay, reach = decay_table(n, epsilon)
    law, low = np.ones(1), n
    for _ in range(depth):
        law, low = _child_law(law, low, decay, reach, epsilon)
    full = np.zeros(n + 1)
    full[low : low + law.size] = law
    return full


def leaf_tail(t: ArrayLike, n: int, depth: int, epsilon: float) -> float | np.ndarray:
    r"""Exact :math:`\Pr(|\tilde N - n/2^d| \ge t)` of one given leaf, from `leaf_law`."""
    law = leaf_law(n, depth, epsilon)
    off = np.abs(np.arange(n + 1) - n / 2**depth)
    order = np.argsort(-off, kind="stable")  # the smallest probabilities are added first
    mass = np.concatenate([[0.0], np.cumsum(law[order])])
    return mass[np.searchsorted(-off[order], -check_numbers(t, "t"), side="right")]


def any_leaf_tail(n: int, depth: int, epsilon: float, t: float) -> float:
    r"""Exact probability that some leaf of all :math:`2^d` is at least `t` records off :math:`n/2^d`.

    Given their sizes the two subtrees of a node are independent, so with :math:`U_k(m)` the
    probability for the leaves k levels below a node of m records,

    .. math:: U_{k+1}(m) = \sum_j p_m(j) \left(U_k(j) + U_k(m-j) - U_k(j)\,U_k(m-j)\right).

    Theorem 3 of DiPriMe v1 bounds this by :math:`2^d` times the tail of one leaf. Sizes are kept as in `leaf_law`,
    so that the result is at most 2^d times 4e-35 too small: at a depth of 20 less than 5e-29. The time grows with
    ``depth * min(n, 160 / epsilon) ** 2``, hardly with n: a million records at depth 20 take a fraction of a
    second at epsilon 0.5.
    """
    t = float(check_finite(t, "t"))
    return _some_leaf(n, depth, epsilon, lambda sizes: np.abs(sizes - n / 2**depth) >= t)


def any_leaf_below(n: int, depth: int, epsilon: float, least: int = 1) -> float:
    """Exact probability that some leaf of all 2^d holds fewer than `least` records: by default, none.

    By the recursion of `any_leaf_tail`, with its error and time. DiPriMe v1, section 3, wants a depth with no
    empty leaves with high probability.
    """
    least = check_integer(least, "least", 0)
    return _some_leaf(n, depth, epsilon, lambda sizes: sizes < least)


def _some_leaf(n: int, depth: int, epsilon: float, hit: Callable) -> float:
    """Probability that `hit`, a function of an array of sizes, is true of some leaf."""
    n, depth = check_integer(n, "n", 0), check_integer(depth, "depth", 0)
    epsilon = min(check_positive(epsilon, "epsilon"), LARGEST)
    decay, reach = decay_table(n, epsilon)
    ranges = [(n, n)]
    for _ in range(depth):
        ranges.append(children_of(*ranges[-1], reach))
    low, high = ranges[-1]
    some = hit(np.arange(low, high + 1)).astype(float)
    for above in ranges[-2::-1]:
        some, low = _any_below(some, low, *above, decay, reach, epsilon), above[0]
    return float(some[0])


def simulate(n: int, depth: int, epsilon: float, trees: int = 1, *, rng: np.random.Generator) -> np.ndarray:
    """Draw the leaf counts of trees, int, shape (trees, 2 ** depth), by inverting each split's distribution."""
    n, depth = check_integer(n, "n", 0), check_integer(depth, "depth", 0)
    epsilon, rng = check_positive(epsilon, "epsilon"), check_rng(rng)
    sizes = np.full((check_integer(trees, "trees", 1), 1), n)
    for _ in range(depth):
        left = draw_rank(sizes, epsilon, rng=rng)
        sizes = np.stack([left, sizes - left], axis=-1).reshape(sizes.shape[0], -1)
    return sizes


def draw_rank(sizes: np.ndarray, epsilon: float, *, rng: np.random.Generator) -> np.ndarray:
    r"""Draw one rank j for each node: the distance of j from the middle is a truncated geometric.

    An odd node has two middle ranks and distances k = 0, ..., (m-1)/2 from them with weight
    :math:`q^k`, :math:`q = e^{-\epsilon_1}`. An even one has a single middle rank, so the weight
    of k = 0, which both directions share, counts half. `sizes` has the records m of each node.
    """
    rng, sizes = check_rng(rng), check_whole(sizes, "sizes", 0)
    epsilon, odd = check_positive(epsilon, "epsilon"), sizes % 2
    half, q = sizes // 2, math.exp(-epsilon)
    head = np.where(odd == 1, 0.0, 0.5)
    total = (1 - q ** (half + 1.0)) / -math.expm1(-epsilon) - head
    # drawn distance: first k with 1 + ... + q^k > mass
    mass = rng.random(sizes.shape) * total + head
    steps = np.floor(np.log1p(mass * math.expm1(-epsilon)) / -epsilon)
    distance = np.clip(steps, 0, half).astype(sizes.dtype)
    upward = rng.random(sizes.shape) < 0.5
    return np.where(upward, half + odd + distance, half - distance)


def decay_table(n: int, epsilon: float) -> tuple:
    """Table of exp(-epsilon k / 2) for k = ``|m - 2j|``, and how far a rank may be from the middle."""
    reach = min(n / 2, math.ceil(CUT / epsilon))
    return np.exp(-epsilon / 2 * np.arange(2 * math.ceil(reach) + 2)), reach


@njit(cache=True, nogil=True)
def children_of(low: int, high: int, reach: float) -> tuple[int, int]:
    """Range of a child's size when the parent's is between `low` and `high`."""
    return max(0, math.ceil(low / 2 - reach)), min(high, math.floor(high / 2 + reach))


@njit(cache=True, nogil=True)
def weight_of_all(m: int, epsilon: float) -> float:
    """Z_m, the sum of exp(-epsilon ``|j - m/2|``) over j = 0, ..., m."""
    scale = -math.expm1(-epsilon)
    if m % 2:
        return -2 * math.exp(-epsilon / 2) * math.expm1(-epsilon * (m + 1) / 2) / scale
    return 1 - 2 * math.exp(-epsilon) * math.expm1(-epsilon * m / 2) / scale


@njit(cache=True, nogil=True)
def _child_law(
    law: np.ndarray, low: int, decay: np.ndarray, reach: float, epsilon: float
) -> tuple[np.ndarray, int]:
    first, last = children_of(low, low + law.size - 1, reach)
    child = np.zeros(last - first + 1)
    for m in range(low, low + law.size):
        weight = law[m - low] / weight_of_all(m, epsilon)
        start, stop = children_of(m, m, reach)
        for j in range(start, stop + 1):
            child[j - first] += weight * decay[abs(m - 2 * j)]
    return child, first


@njit(cache=True, nogil=True)
def _any_below(
    some: np.ndarray, first: int, low: int, high: int, decay: np.ndarray, reach: float, epsilon: float
) -> np.ndarray:
    result = np.zeros(high - low + 1)
    for m in range(low, high + 1):
        start, stop = children_of(m, m, reach)
        for j in range(start, stop + 1):
            left, right = some[j - first], some[m - j - first]
            result[m - low] += decay[abs(m - 2 * j)] * (left + right - left * right)
        result[m - low] /= weight_of_all(m, epsilon)
    return result
