r"""The last bits of Laplace noise: which doubles a release can be, and which value they give away.

Of noise as NumPy draws it. Derived in :doc:`/book/attacks`.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from dplit.ground.errors import check_finite, check_numbers, check_positive

GRID = 2**53  # uniform numbers
ROOM = 4  # grid points: what exp and log may be off by, together
WIDEST = 64  # grid points: where so many round to one double, it counts as reached


def float_noise(uniform: float, scale: float) -> float:
    """Laplace noise that NumPy returns where it has drawn `uniform`, within (0, 1), to the last bit.

    >>> rng, same = np.random.default_rng(0), np.random.default_rng(0)
    >>> float_noise(rng.random(), 10.0) == same.laplace(scale=10.0)
    True
    """
    if uniform >= 0.5:
        return -scale * math.log(2.0 - uniform - uniform)
    return scale * math.log(uniform + uniform)


def can_reach(released: ArrayLike, value: float, scale: float) -> np.ndarray:
    """Whether ``value + noise`` can be `released`: bool, shape of `released`.

    Every uniform number that comes into question is tried. Where these are too many the answer is True, so that
    False is never wrong.
    """
    released = check_numbers(released, "released")
    value, scale = check_finite(value, "value"), check_positive(scale, "scale")
    found = [_is_reached(z, value, scale) for z in released.ravel().tolist()]
    return np.array(found, dtype=bool).reshape(released.shape)


def _is_reached(z: float, value: float, scale: float) -> bool:
    share = math.exp(-abs(z - value) / scale)  # v
    near = round((share / 2 if z < value else 1 - share / 2) * GRID)
    width = share * math.ulp(z) / scale * GRID  # what rounds to z, on either side
    if width > WIDEST:
        return True
    reach = math.ceil(width) + ROOM
    tried = range(max(near - reach, 1), min(near + reach, GRID - 1) + 1)
    return any(value + float_noise(k / GRID, scale) == z for k in tried)


def tell_apart(released: ArrayLike, values: tuple[float, float], scale: float) -> np.ndarray:
    """Which of two values each release gives away: 0 or 1, or -1 where both are possible."""
    first, second = (can_reach(released, value, scale) for value in values)
    return np.where(first == second, -1, np.where(first, 0, 1))
