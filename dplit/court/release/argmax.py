r"""An arg-max of doubles: whole scores that a double cannot hold, and what one record then changes.

From :math:`2^{53}` on doubles lie :math:`2^{e-52}` apart, between :math:`2^e` and :math:`2^{e+1}`. A
score that one record moves by 1 stays where it is or moves by a whole spacing. Its sensitivity is
then not 1: what Casacuberta, Shoemate, Vadhan and Wagaman (2022) show of sums. Derived in
:doc:`/book/release`.
"""

from __future__ import annotations

import numpy as np

from dplit.ground.errors import check_integer
from dplit.mechanisms.permute_and_flip import PermuteAndFlip

BITS = 53  # of a double's mantissa


def rounded_scores(exponent):
    r"""Scores of two candidates, without and with one record, that doubles pull apart.

    The second score is half a spacing above :math:`2^e` and rounds down; one more, and it rounds up.

    Parameters
    ----------
    exponent : int
        :math:`e`, from 53 to 61.

    Returns
    -------
    (without, with_one) : int64 arrays, shape (2,)

    Examples
    --------
    >>> without, with_one = rounded_scores(60)
    >>> int(without[1] - without[0]), int(with_one[1] - with_one[0])
    (128, 129)
    >>> [int(np.subtract(*scores.astype(float)[::-1])) for scores in (without, with_one)]
    [0, 256]
    """
    exponent = check_integer(exponent, "exponent", BITS, 61)
    low, half = 2**exponent, 2 ** (exponent - BITS)
    return np.array([low, low + half]), np.array([low, low + half + 1])


def exact_law(scores, epsilon):
    """Law of permute-and-flip on whole scores, add-remove: gaps are taken before anything is rounded.

    Parameters
    ----------
    scores : int array, shape (n_candidates,)
    epsilon : float

    Returns
    -------
    float array, shape (n_candidates,)
    """
    scores = np.asarray(scores)
    return PermuteAndFlip(epsilon, monotonic=True).pmf(scores - scores.max())
