r"""Discrete Gaussian noise that is drawn exactly, by rejection from two-sided geometric noise.

With :math:`f = 1/(2\sigma^2)` and a whole h the weight :math:`e^{-fk^2}` of a number k is, up to a constant,

.. math:: e^{-fh|k|} \, e^{-f(|k| - \lfloor h/2 \rfloor)(|k| - \lceil h/2 \rceil)} ,

a two-sided geometric law of rate fh, and a coin whose exponent is f times a whole number of at least 0, since no k
lies between the two halves. With h near :math:`2\sigma` that is algorithm 3 of Canonne, Kamath and Steinke (2020).
f and h have so few digits that fh is not rounded. The samplers are those of `dplit.mechanisms.exact`, whose
two-sided noise ends at :math:`\pm2^{62}`, which stand for all beyond. Up to the largest deviation, 2^50, an end is
proposed with probability :math:`e^{1-2^{12}}` at most and kept with less than :math:`e^{-2^{22}}`: that belongs to
delta, of which no float holds so little.
"""

import math
from fractions import Fraction

import numpy as np
from numba import njit

from dplit.mechanisms.exact import HALF, bernoulli_exp_times, two_sided

DIGITS = 3  # of `HALF` bits each: of a number up to 2^62 and more
SPARE = Fraction(1, 2**50)  # by which the square of a deviation that was rounded may be too small
SMALLEST, LARGEST = 2.0**-100, 2.0**50  # deviations


def exact_factors(sigma: float) -> tuple:
    r"""f and h of the noise of deviation `sigma`, or of a 2^-25-th more: f at most :math:`1/(2\sigma^2)`.

    `sigma`: from `SMALLEST` to `LARGEST`. Raises a ValueError if `sigma` is out of this range.

    Returns f, a float of 26 digits, and h, a whole number of as many, at least 1.
    """
    if not SMALLEST <= sigma <= LARGEST:
        raise ValueError(f"sigma must be from {SMALLEST:.3g} to {LARGEST:.3g} for noise='secure', got {sigma!r}")
    exact = (1 - SPARE) / (2 * Fraction(sigma) ** 2)
    scale = Fraction(2) ** (HALF - math.frexp(float(exact))[1])
    f = math.floor(exact * scale) / scale
    step = 2 ** max(round(2 * sigma).bit_length() - HALF, 0)
    return float(f), max(round(2 * sigma / step) * step, 1)


@njit(cache=True, nogil=True)
def gaussian(f: float, h: int, size: int, rng: np.random.Generator):
    """Whole numbers k, each with probability proportional to exp(-f k^2), int64, shape (size,).

    `h`: as `exact_factors` gives them.
    """
    noise = np.empty(size, dtype=np.int64)
    for i in range(size):
        while True:
            k = two_sided(f * h, 1, rng)[0]
            if _keeps(f, abs(abs(k) - h // 2), abs(abs(k) - (h + 1) // 2), rng):
                break
        noise[i] = k
    return noise


@njit(cache=True, nogil=True)
def _keeps(f: float, first, second, rng: np.random.Generator):
    """True with probability exp(-f first second), digit by digit: no product is rounded."""
    for i in range(DIGITS):
        for j in range(DIGITS):
            digits = (first >> HALF * i & (2**HALF - 1)) * (second >> HALF * j & (2**HALF - 1))
            if not bernoulli_exp_times(math.ldexp(f, HALF * (i + j)), digits, rng):
                return False
    return True
