r"""An arg-max of doubles: whole scores that a double cannot hold. Derived in :doc:`/book/attacks`."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dplit.ground.errors import check_integer
from dplit.mechanisms.permute_and_flip import PermuteAndFlip

BITS = 53  # of a double's mantissa


def rounded_scores(exponent: int) -> tuple[np.ndarray, np.ndarray]:
    """Scores of two candidates, int64, without and with one record, that doubles pull apart.

    With e the exponent, from 53 to 61, the second score is half a spacing above :math:`2^e` and rounds down; one
    more, and it rounds up.

    >>> without, with_one = rounded_scores(60)
    >>> int(without[1] - without[0]), int(with_one[1] - with_one[0])
    (128, 129)
    >>> [int(np.subtract(*scores.astype(float)[::-1])) for scores in (without, with_one)]
    [0, 256]
    """
    exponent = check_integer(exponent, "exponent", BITS, 61)
    low, half = 2**exponent, 2 ** (exponent - BITS)
    return np.array([low, low + half]), np.array([low, low + half + 1])


def exact_law(scores: ArrayLike, epsilon: float) -> np.ndarray:
    """Law of permute-and-flip on whole scores, add-remove: gaps are taken before anything is rounded."""
    scores = np.asarray(scores)
    return PermuteAndFlip(epsilon, monotonic=True).pmf(scores - scores.max())
