"""What the two additive mechanisms share: how their noise falls off, and a public grid for sums of floats."""

from __future__ import annotations

import math

import numpy as np

from dplit.errors import check_numbers


def decay(distance, rate):
    r""":math:`e^{-\text{rate}\,|x|}`, shape of `distance`; at an infinite rate 1 at zero, else 0."""
    distance = np.abs(check_numbers(distance, "distance"))
    with np.errstate(invalid="ignore"):
        return np.where(distance == 0, 1.0, np.exp(-rate * distance))


def rounded(released, scale):
    """What was released, as multiples of a public power of two, about 2^-20 of the noise's `scale`.

    The last bits of a float would tell what the noise was added to. No noise, no rounding.
    """
    if not 0 < scale < math.inf:
        return released
    step = 2.0 ** max(math.frexp(scale)[1] - 21, -1000)
    return step * np.rint(released / step)
