r"""Samplers whose laws are exact, for noise that is published: nothing in them is rounded.

They use whole random numbers and comparisons alone. A rate is a float, which is a fraction, and is taken
as it stands; it is multiplied by powers of two and cut at whole numbers, and neither rounds.

- Bernoulli(:math:`e^{-x}`): algorithm 1 of Canonne, Kamath and Steinke (2020), whose coins of bias
  :math:`x/k` are a coin of bias x and one of bias 1/k.
- The digits of a geometric number are independent, since :math:`e^{-rk}` is a product over the digits
  of k, and digit i is 1 with odds :math:`e^{-r2^i}` to 1.
- :math:`e^{-rg}` for a whole g is the product over the digits of g.
- Permute-and-flip is run as it is defined: a random order, and a coin for each candidate.
"""

from __future__ import annotations

import numpy as np
from numba import njit

BITS = 32  # of a random word
MOST_BITS = 62  # of a geometric number: what is longer is 2^62, far outside of every public range


@njit(cache=True, nogil=True)
def bernoulli(p, rng):
    """True with probability `p`, a float from 0 to 1: a uniform real number, compared word by word."""
    if p >= 1.0:
        return True
    while p > 0.0:
        p *= 2.0**BITS
        word, drawn = np.floor(p), rng.integers(0, 2**BITS)
        if drawn != word:
            return drawn < word
        p -= word
    return False


@njit(cache=True, nogil=True)
def bernoulli_exp(x, rng):
    """True with probability exp(-x), for a float x of at least 0."""
    whole = np.floor(x)
    part = x - whole if whole < np.inf else 0.0
    while whole > 0.0:
        if not _unit_exp(1.0, rng):
            return False
        whole -= 1.0
    return _unit_exp(part, rng)


@njit(cache=True, nogil=True)
def _unit_exp(x, rng):
    """True with probability exp(-x), for x from 0 to 1."""
    k = 1
    while bernoulli(x, rng) and rng.integers(0, k) == 0:
        k += 1
    return k % 2 == 1


@njit(cache=True, nogil=True)
def bernoulli_exp_times(rate, gap, rng):
    """True with probability exp(-rate gap), for a float and a whole number, both at least 0."""
    while gap > 0:
        if gap & 1 and not bernoulli_exp(rate, rng):
            return False
        gap >>= 1
        rate *= 2.0
    return True


@njit(cache=True, nogil=True)
def geometric(rate, rng):
    """A whole number k with probability proportional to exp(-rate k); 2^62 for all from there on."""
    if bernoulli_exp(rate * 2.0**MOST_BITS, rng):
        return np.int64(2**MOST_BITS)
    k = np.int64(0)
    for digit in range(MOST_BITS):
        k |= np.int64(_is_one(rate * 2.0**digit, rng)) << digit
    return k


@njit(cache=True, nogil=True)
def _is_one(x, rng):
    """True with odds of exp(-x) to 1."""
    while rng.integers(0, 2) == 1:
        if bernoulli_exp(x, rng):
            return True
    return False


@njit(cache=True, nogil=True)
def two_sided(rate, size, rng):
    """Whole numbers k, each with probability proportional to exp(-rate |k|), int64, shape (size,)."""
    noise = np.empty(size, dtype=np.int64)
    for i in range(size):
        noise[i] = geometric(rate, rng) - geometric(rate, rng)
    return noise


@njit(cache=True, nogil=True)
def permute_and_flip(rate, scores, order, rng):
    """Index of the reported candidate.

    Parameters
    ----------
    rate : float
    scores : int64 array, shape (n_candidates,)
    order : int64 array, at least as long
        Room to work in.
    rng : numpy.random.Generator
    """
    n, best = len(scores), scores.max()
    for k in range(n):
        order[k] = k
    for k in range(n):
        at = k + rng.integers(0, n - k)
        order[k], order[at] = order[at], order[k]
        if bernoulli_exp_times(rate, best - scores[order[k]], rng):
            break
    return order[k]
