"""What the two additive mechanisms share: how their noise falls off."""

from __future__ import annotations

import numpy as np


def decay(distance, rate):
    r""":math:`e^{-\text{rate}\,|x|}`, shape of `distance`; at an infinite rate 1 at zero, else 0."""
    distance = np.abs(np.asarray(distance, dtype=np.float64))
    with np.errstate(invalid="ignore"):
        return np.where(distance == 0, 1.0, np.exp(-rate * distance))
