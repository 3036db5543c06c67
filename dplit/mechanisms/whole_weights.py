r"""Choices among many candidates whose law has whole weights: drawn exactly, and proved for these weights.

A candidate whose score lies d units of u nats below the best one has the weight

.. math:: v(d) = 2^{92} e^{-u d} + 2^{40} ,

rounded to a whole number. What is drawn from such weights by whole random numbers has exactly this law:
there is no ideal law beside it that rounding would miss. It is this law that is private.

Without the rounding, :math:`\log v` moves by what the scores move when a record comes or goes, relative to the
best one, and by no more: the added :math:`2^{40}`, a floor 36 nats below the best candidate, moves with it.
The rounding, of at most one in :math:`2^{40}`, and the error of the exponential function, a few of the last of
its 53 bits, make :math:`\log v` uncertain by less than :math:`2^{-39.9}`, and a mean that is rounded down adds
:math:`2^{-40}`. In a probability each comes once above and once below the fraction, and a privacy loss
compares two: together less than `PRICE`, which whoever draws so pays.

A number of up to 125 bits is a pair: high and low part in the base :math:`2^{62}`, both int64. A length has
at most 32 bits.
"""

import numpy as np
from numba import njit

PRICE = 2.0**-36  # nats that the rounding of the weights may add to a privacy loss
LARGEST = 2.0**30  # high part of the largest weight
FLOOR = 2**40  # of a weight
FAR = 64.0  # nats below the best from which a weight is the floor
BASE = 2**62
WORD = 2**32
DIGIT = 31  # bits of a half of a low part
MASK = 2**31 - 1


@njit(cache=True, nogil=True)
def weight(distance: float | np.ndarray):
    """The weight of a candidate so many nats below the best, as a pair."""
    if distance > FAR:
        return np.int64(0), np.int64(FLOOR)
    scaled = LARGEST * np.exp(-distance)
    high = np.int64(scaled)
    low = np.int64((scaled - high) * BASE) + FLOOR
    if low >= BASE:
        return high + 1, low - BASE
    return high, low


@njit(cache=True, nogil=True)
def plus(high, low, length, weight_high, weight_low):
    """A pair, and a length times a weight: their sum."""
    right = length * (weight_low & MASK)
    left = length * (weight_low >> DIGIT) + (right >> DIGIT)
    low += ((left & MASK) << DIGIT) + (right & MASK)
    high += length * weight_high + (left >> DIGIT)
    if low >= BASE:
        return high + 1, low - BASE
    return high, low


@njit(cache=True, nogil=True)
def divided(high, low, length):
    """A pair divided by a length, rounded down."""
    left = high % length * (MASK + 1) + (low >> DIGIT)
    right = left % length * (MASK + 1) + (low & MASK)
    return high // length, ((left // length) << DIGIT) + right // length


@njit(cache=True, nogil=True)
def up_to(most, rng: np.random.Generator):
    """A uniform whole number from 0 to `most`, an int64.

    What numba compiles of ``rng.integers`` never rejects above :math:`2^{32}`, and is uniform there for
    powers of two alone: so bits are drawn until they are at most that.
    """
    if most < WORD:
        return np.int64(rng.integers(0, most + 1))
    mask = most
    for shift in (1, 2, 4, 8, 16, 32):
        mask |= mask >> shift
    while True:
        bits = np.int64(rng.integers(0, WORD // 2)) << 32 | np.int64(rng.integers(0, WORD))
        if bits & mask <= most:
            return bits & mask


@njit(cache=True, nogil=True)
def uniform_below(high, low, rng: np.random.Generator):
    """A uniform whole number below a pair, as a pair."""
    if high == 0:
        return np.int64(0), up_to(low - 1, rng)
    while True:
        first, second = up_to(high, rng), rng.integers(0, BASE)
        if first < high or second < low:
            return first, second


@njit(cache=True, nogil=True)
def place_of(high, low, highs, lows, n: int):
    """The first of n running sums, ``highs`` and ``lows``, that lies above a pair."""
    first, end = 0, n - 1
    while first < end:
        middle = (first + end) // 2
        if highs[middle] > high or (highs[middle] == high and lows[middle] > low):
            end = middle
        else:
            first = middle + 1
    return first


@njit(cache=True, nogil=True)
def draw_place(highs, lows, n: int, rng: np.random.Generator):
    """A place below n with the weights whose running sums are given."""
    high, low = uniform_below(highs[n - 1], lows[n - 1], rng)
    return place_of(high, low, highs, lows, n)


@njit(cache=True, nogil=True)
def flip_place(highs, lows, n: int, order: np.ndarray, rng: np.random.Generator):
    """A place below n by permute-and-flip: odds are weights over the largest one, given as pairs.

    `order` is int64 room for n places.
    """
    best = 0
    for k in range(n):
        order[k] = k
        if highs[k] > highs[best] or (highs[k] == highs[best] and lows[k] > lows[best]):
            best = k
    for k in range(n):
        at = k + rng.integers(0, n - k)
        order[k], order[at] = order[at], order[k]
        high, low = uniform_below(highs[best], lows[best], rng)
        found = order[k]
        if high < highs[found] or (high == highs[found] and low < lows[found]):
            break
    return order[k]
