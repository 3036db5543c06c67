r"""`dplit.matrix.treenorm.TreeNorm` in whole steps, drawn exactly: nothing is rounded. Compiled.

Drawn are whole numbers z, one for each leaf, all trees' sums alike, with probability proportional to
:math:`e^{-a\|z\|}`, the norm the largest L1 norm of a tree. A record moves what is released by a point of that
lattice, and the logarithm of the law by a times its norm at most.

As :math:`e^{-a\|z\|} \propto \sum_{\ell \ge \|z\|} e^{-a\ell}`, z is uniform among all of norm up to a level.
Let its sum be :math:`s \ge 0`, for the law is even; the level is s + 2Q or one more, and z the same. The negative
leaves of a tree add up to :math:`-q`, :math:`q \le Q`. By Vandermonde's identity m leaves have

.. math:: F_m(s, Q) = \sum_{r=0}^{m-1} \binom{s+r}{r} \sum_n \binom mn \binom{k-1}{i} \binom{Q+i}{k} ,

with k = m - 1 - r, n negative leaves and i = k - n: whole terms, none negative, and given r and n, q + i is the
largest of k different numbers up to Q + i. What is drawn, with R the sum of all r and K that of all k:

- R, uniform, and r of each tree, as if R of all places were drawn, m - 1 in a tree; kept with the odds
  :math:`\prod_{i \le r} (2m-2i)/(2m-1-i)` of each tree, and :math:`((1+e^{-a})/2)^R`. These are the odds of the
  bound :math:`\binom{s+R}{R}\binom{Q+K}{K}` on the product of all
  :math:`\binom{s+r}{r}\binom{Q+k}{k}`, times what orders there are, summed over s and Q;
- s, a sum of R + 1 geometric numbers of rate a, and Q, one of K + 1 of rate 2a, by the bound's own law;
- coins for what the product falls short of the bound; else all is drawn anew, rarely where steps are small.

Positive and negative leaves part their totals uniformly. All coins compare whole numbers, or are those of
`dplit.mechanisms.exact`.
"""

import numpy as np
from numba import njit
from numpy.random import Generator

from dplit.mechanisms.exact import bernoulli_exp, geometric
from dplit.mechanisms.whole_weights import up_to


@njit(cache=True, nogil=True)
def whole_noise(sizes: np.ndarray, rate: float, size: int, rng: Generator) -> np.ndarray:
    """Noise for the leaves of all trees, `size` independent draws: int64, shape (size, n_leaves).

    `sizes` are the leaves of each tree, int64; `rate` is a, of a step: much less than 1, or few draws are kept.
    """
    noise = np.empty((size, sizes.sum()), dtype=np.int64)
    rising, room = np.empty(len(sizes), dtype=np.int64), np.empty(sizes.max(), dtype=np.int64)
    below = np.empty(sizes.sum(), dtype=np.bool_)
    for row in range(size):
        s, most = np.int64(-1), np.int64(0)
        negative = False
        while s < 0:
            total = _shares(sizes, rate, rising, rng)
            if total >= 0:
                s, most = _sum_and_room(sizes, rate, total, rng)
                negative = rng.integers(0, 2) == 1
                if (s == 0 and negative) or not _kept(sizes, s, most, rising, below, rng):
                    s = np.int64(-1)
        start = 0
        for t in range(len(sizes)):
            leaves = noise[row, start : start + sizes[t]]
            k = sizes[t] - 1 - rising[t]
            _leaves(s, most, k, below[start : start + sizes[t]], leaves, room, rng)
            start += sizes[t]
        if negative:
            noise[row] = -noise[row]
    return noise


@njit(cache=True, nogil=True)
def _shares(sizes: np.ndarray, rate: float, rising: np.ndarray, rng: Generator) -> int:
    """Write r of each tree; their sum, or -1 if these are not kept."""
    places = np.int64(0)
    for m in sizes:
        places += m - 1
    total = np.int64(rng.integers(0, places + 1))
    wanted = total
    for t in range(len(sizes)):
        m, r = sizes[t], 0
        for _ in range(m - 1):
            if rng.integers(0, places) < wanted:
                wanted -= 1
                r += 1
                if rng.integers(0, 2 * m - 1 - r) >= 2 * m - 2 * r:
                    return np.int64(-1)
                if rng.integers(0, 2) == 1 and not bernoulli_exp(rate, rng):
                    return np.int64(-1)
            places -= 1
        rising[t] = r
    return total


@njit(cache=True, nogil=True)
def _sum_and_room(sizes: np.ndarray, rate: float, total: int, rng: Generator) -> tuple[int, int]:
    """s and Q, by the laws of the bound."""
    s = most = np.int64(0)
    for _ in range(total + 1):
        s += geometric(rate, rng)
    for _ in range((sizes - 1).sum() - total + 1):
        most += geometric(2 * rate, rng)
    return s, most


@njit(cache=True, nogil=True)
def _kept(sizes: np.ndarray, s: int, most: int, rising: np.ndarray, below: np.ndarray, rng: Generator) -> bool:
    """Whether the coins keep s and Q; which leaves are negative is written to `below`."""
    all_rising = all_falling = np.int64(0)
    start = 0
    for t in range(len(sizes)):
        m, r = sizes[t], rising[t]
        k = m - 1 - r
        for i in range(1, r + 1):
            if not _coin(s + i, s + all_rising + i, rng):
                return False
        for i in range(1, k + 1):
            if not _coin(most + i, most + all_falling + i, rng):
                return False
        all_rising += r
        all_falling += k
        left, wanted = m + k - 1, k
        for leaf in range(m):
            below[start + leaf] = wanted > 0 and rng.integers(0, left) < wanted
            wanted -= below[start + leaf]
            left -= 1
        for i in range(k):
            if not _coin(most + wanted - i, most + k - i, rng):
                return False
        start += m
    return True


@njit(cache=True, nogil=True)
def _coin(part: int, whole: int, rng: Generator) -> bool:
    """True with probability part/whole, 0 if the part is negative."""
    return part >= whole or (part > 0 and up_to(whole - 1, rng) < part)


@njit(cache=True, nogil=True)
def _leaves(
    s: int, most: int, k: int, below: np.ndarray, leaves: np.ndarray, room: np.ndarray, rng: Generator
) -> None:
    """Write the noise of a tree's leaves."""
    n = below.sum()
    q, j = np.int64(0), len(leaves) - n
    if k > 0:
        i = k - n
        q = subset(k, most + i, room, rng)[k - 1] - i
    above, last, at = subset(j - 1, s + q + j - 1, room, rng), np.int64(0), 0
    for leaf in range(len(leaves)):
        if not below[leaf]:
            edge = above[at] if at < j - 1 else s + q + j
            leaves[leaf] = edge - last - 1
            last, at = edge, at + 1
    if n == 0:
        return
    under, last, at = subset(n - 1, q - 1, room, rng), np.int64(0), 0
    for leaf in range(len(leaves)):
        if below[leaf]:
            edge = under[at] if at < n - 1 else q
            leaves[leaf] = last - edge
            last, at = edge, at + 1


@njit(cache=True, nogil=True)
def subset(k: int, n: int, room: np.ndarray, rng: Generator) -> np.ndarray:
    """A uniform set of k of the numbers 1 to n, in order: a view of `room`, int64.

    Numbers are drawn until k of them differ: no set is preferred to another.
    """
    found = room[:k]
    known = 0
    while known < k:
        for at in range(known, k):
            found[at] = 1 + up_to(n - 1, rng)
        found.sort()
        known = 0
        for at in range(k):
            if at == 0 or found[at] != found[known - 1]:
                found[known] = found[at]
                known += 1
    return found
