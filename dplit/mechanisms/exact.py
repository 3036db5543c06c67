r"""Samplers whose laws are exact, for noise that is published: nothing in them is rounded.

They use whole random numbers and comparisons alone. A rate is a float, which is a fraction, and is taken
as it stands: what it is multiplied by has so few digits that no product is rounded.

- Bernoulli(:math:`e^{-x}`): algorithm 1 of Canonne, Kamath and Steinke (2020), whose coins of bias
  :math:`x/k` are a coin of bias x and one of bias 1/k.
- :math:`e^{-rg}` for a whole g is a product over the parts of r and of g, of half a float's digits each.
- A geometric number is :math:`h2^m + l` with h and l independent: h counts coins of bias
  :math:`e^{-r2^m}`, and l is a uniform number below :math:`2^m`, kept with probability :math:`e^{-rl}`.
- Two-sided noise is a sign and a geometric number, drawn anew if they are minus and zero (algorithm 2).

Rates lie between 1e-250 and 2^500, or are infinite (`dplit.mechanisms.secure.exact_rate`). An exponent of
2^53 or more counts as infinite: to find out would take as many coins.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import ArrayLike

BITS = 32  # of a random word
MOST_BITS = 62  # of a geometric number: what is longer is 2^62, far outside of every public range
HALF = 26  # digits of a part: a part of 26 times one of 27 has at most the 53 of a float


@njit(cache=True, nogil=True)
def bernoulli(p: float, rng: np.random.Generator) -> bool:
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
def bernoulli_exp(x: float, rng: np.random.Generator) -> bool:
    """True with probability exp(-x), for a float x of at least 0."""
    whole = np.floor(x)
    part = x - whole if whole < np.inf else 0.0
    while whole > 0.0:
        if not _unit_exp(1.0, rng):
            return False
        whole -= 1.0
    return _unit_exp(part, rng)


@njit(cache=True, nogil=True)
def _unit_exp(x: float, rng: np.random.Generator) -> bool:
    """True with probability exp(-x), for x from 0 to 1."""
    k = 1
    while bernoulli(x, rng) and rng.integers(0, k) == 0:
        k += 1
    return k % 2 == 1


@njit(cache=True, nogil=True)
def bernoulli_exp_times(rate: float, gap: int, rng: np.random.Generator) -> bool:
    """True with probability exp(-rate gap), for a float and a whole number, both at least 0."""
    if gap == 0:
        return True
    if rate == np.inf:
        return False
    digits, exponent = math.frexp(rate)
    high = math.ldexp(np.floor(math.ldexp(digits, HALF)), exponent - HALF)
    low, unit = rate - high, 1.0
    while gap > 0:
        part = (gap & (2**HALF - 1)) * unit
        if part > 0.0 and not (bernoulli_exp(high * part, rng) and bernoulli_exp(low * part, rng)):
            return False
        gap >>= HALF
        unit *= 2.0**HALF
    return True


@njit(cache=True, nogil=True)
def geometric(rate: float, rng: np.random.Generator) -> int:
    """A whole number k with probability proportional to exp(-rate k); 2^62 for all from there on."""
    if rate == np.inf:
        return np.int64(0)
    # rate 2^bits is from 1/2 to 1, if so many do
    bits = min(max(-math.frexp(rate)[1], 0), MOST_BITS)
    most, high = np.int64(1) << (MOST_BITS - bits), np.int64(0)
    while bernoulli_exp(math.ldexp(rate, bits), rng):
        high += 1
        if high == most:
            return high << bits
    low = np.int64(0)
    if bits > 0:
        low = np.int64(rng.integers(0, np.int64(1) << bits))
        while not bernoulli_exp_times(rate, low, rng):
            low = np.int64(rng.integers(0, np.int64(1) << bits))
    return (high << bits) + low


@njit(cache=True, nogil=True)
def two_sided(rate, size: int | tuple[int, ...] | None, rng: np.random.Generator):
    """Whole numbers k, each with probability proportional to ``exp(-rate * abs(k))``, int64, shape (size,).

    What is 2^62 or more is 2^62, and what is -2^62 or less is -2^62.
    """
    noise = np.empty(size, dtype=np.int64)
    for i in range(size):
        k, negative = np.int64(0), True
        while k == 0 and negative:
            k, negative = geometric(rate, rng), rng.integers(0, 2) == 1
        noise[i] = -k if negative else k
    return noise


@njit(cache=True, nogil=True)
def permute_and_flip(rate: float, scores: np.ndarray, order: np.ndarray, rng: np.random.Generator):
    """Index of the reported candidate.

    `scores`: ints, shape (n_candidates,); `order`: room to work in, at least as long.
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


@njit(cache=True, nogil=True)
def flip_rows(rate: float, scores: ArrayLike, rng: np.random.Generator):
    """`permute_and_flip` for each row of `scores`, int64 of shape (n, n_candidates); int64, shape (n,)."""
    chosen, order = np.empty(len(scores), dtype=np.int64), np.empty(scores.shape[1], dtype=np.int64)
    for i in range(len(scores)):
        chosen[i] = permute_and_flip(rate, scores[i], order, rng)
    return chosen


@njit(cache=True, nogil=True)
def exponential(rate: float, scores: ArrayLike, rng: np.random.Generator):
    """Index of a candidate, with probability proportional to exp(rate score); int64 scores, shape (n,)."""
    n, best = len(scores), scores.max()
    k = np.int64(rng.integers(0, n))
    while not bernoulli_exp_times(rate, best - scores[k], rng):
        k = np.int64(rng.integers(0, n))
    return k


@njit(cache=True, nogil=True)
def exponential_rows(rate: float, scores: ArrayLike, rng: np.random.Generator):
    """`exponential` for each row of `scores`, int64 of shape (n, n_candidates); int64, shape (n,)."""
    chosen = np.empty(len(scores), dtype=np.int64)
    for i in range(len(scores)):
        chosen[i] = exponential(rate, scores[i], rng)
    return chosen
