"""What may be done with released answers, at no further cost: cut at 0, or lowered first.

Derived in :doc:`/book/matrix_release`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dplit.ground.errors import MOST, check_between, check_numbers, check_positive


def clipped(answers: ArrayLike) -> np.ndarray:
    r"""Answers cut at 0, which no count lies below: post-processing, and never farther from the truth.

    For a truth :math:`x \ge 0`, :math:`|\max(y, 0) - x| \le |y - x|` whatever y is.
    """
    return np.maximum(check_numbers(answers, "answers", -MOST, MOST), 0.0)


def shrunk(answers: ArrayLike, threshold: float) -> np.ndarray:
    r"""Answers lowered by a public threshold and cut at 0, :math:`\max(y - t, 0)`: good where most cells are
    empty.

    The threshold, at least 0, is in records and chosen without the data, as a multiple of the noise's scale.
    """
    answers = check_numbers(answers, "answers", -MOST, MOST)
    return clipped(answers - check_between(threshold, "threshold", 0, MOST))


def shrunk_error(count: ArrayLike, scale: float, threshold: float = 0.0) -> np.ndarray:
    r"""Expected squared error of `shrunk` for counts x, at least 0, with Laplace noise of scale b.

    With :math:`u = x - t`, the truth less the threshold, for :math:`u \ge 0` and for :math:`u < 0`:

    .. math:: 2b^2 + t^2 - e^{-u/b}\, b (b + x) \quad\text{and}\quad x^2 + e^{u/b}\, b (b - x) .

    With a threshold of 0 it is the error of `clipped`; without cutting it is :math:`2b^2`.
    """
    x, b = check_numbers(count, "count", 0, MOST), check_positive(scale, "scale")
    t = float(check_between(threshold, "threshold", 0, MOST))
    above, below = np.maximum(x - t, 0), np.minimum(x - t, 0)
    kept = 2 * b**2 + t**2 - np.exp(-above / b) * b * (b + x)
    cut = x**2 + np.exp(below / b) * b * (b - x)
    return np.where(x >= t, kept, cut)[()]
