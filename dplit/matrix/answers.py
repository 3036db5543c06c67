"""What may be done with released answers, at no further cost: cut at 0, or lowered first.

Derived in :doc:`/book/matrix_release`.
"""

from __future__ import annotations

import numpy as np

from dplit.ground.errors import MOST, check_between, check_numbers, check_positive


def clipped(answers):
    r"""Answers cut at 0, which no count lies below: post-processing, and never farther from the truth.

    For a truth :math:`x \ge 0`, :math:`|\max(y, 0) - x| \le |y - x|` whatever y is.

    Parameters
    ----------
    answers : array_like

    Returns
    -------
    float64 array, shape of `answers`
    """
    return np.maximum(check_numbers(answers, "answers", -MOST, MOST), 0.0)


def shrunk(answers, threshold):
    r"""Answers lowered by a public threshold and cut at 0: :math:`\max(y - t, 0)`.

    Good where most cells are empty. It is a rule that reads the answers alone, so it is post-processing.

    Parameters
    ----------
    answers : array_like
    threshold : float
        t, at least 0, in records; chosen without the data, as a multiple of the noise's scale.

    Returns
    -------
    float64 array, shape of `answers`
    """
    answers = check_numbers(answers, "answers", -MOST, MOST)
    return clipped(answers - check_between(threshold, "threshold", 0, MOST))


def shrunk_error(count, scale, threshold=0.0):
    r"""Expected squared error of `shrunk` for a count with Laplace noise.

    With :math:`u = x - t`, the truth less the threshold, for :math:`u \ge 0` and for :math:`u < 0`:

    .. math:: 2b^2 + t^2 - e^{-u/b}\, b (b + x) \quad\text{and}\quad x^2 + e^{u/b}\, b (b - x) .

    Without cutting it is :math:`2b^2`. Derived in :doc:`/book/matrix_release`.

    Parameters
    ----------
    count : array_like of float
        x, at least 0.
    scale : float
        b, of the noise.
    threshold : float
        t; with 0, the error of `clipped`.

    Returns
    -------
    float64 array, shape of `count`
    """
    x, b = check_numbers(count, "count", 0, MOST), check_positive(scale, "scale")
    t = float(check_between(threshold, "threshold", 0, MOST))
    above, below = np.maximum(x - t, 0), np.minimum(x - t, 0)
    kept = 2 * b**2 + t**2 - np.exp(-above / b) * b * (b + x)
    cut = x**2 + np.exp(below / b) * b * (b - x)
    return np.where(x >= t, kept, cut)[()]
