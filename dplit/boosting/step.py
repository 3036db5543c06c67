r"""The error of a step that is pulled towards its parent's.

Of a cell are released :math:`A`, the sum of the positive parts of its residuals, and :math:`B`, that of
the negative parts, with noise. :math:`G = A - B` is the residual sum. For classes both parts have the mean
:math:`\sum p(1-p)` where the model is right, so that :math:`H = (A + B)/2` estimates the curvature and no third
release is needed. With the parent's step :math:`v'` and a pull of :math:`w` the step is
:math:`(G + w v')/(H + w)`. With the best pull it is the posterior mean for one cell; that of all leaves
together is in `dplit.boosting.smooth`.
"""

from __future__ import annotations

import numpy as np


def step_error(curvature, difference, variance, pull):
    r"""Mean squared error of a cell's shrunk step, its curvature given.

    .. math:: \frac{\sigma^2 + w^2 \Delta^2}{(h + w)^2}

    Parameters
    ----------
    curvature : array_like
        :math:`h` of the cell, in records.
    difference : array_like
        :math:`\Delta`: true step of the cell less its parent's.
    variance : float
        :math:`\sigma^2` of the noise of the residual sum.
    pull : array_like
        :math:`w`; 0 is the plain step.

    Returns
    -------
    float64 array, broadcast shape
    """
    curvature, pull = np.asarray(curvature, dtype=float), np.asarray(pull, dtype=float)
    return (variance + np.square(pull * difference)) / np.square(curvature + pull)


def best_weight(curvature, difference, variance):
    r"""The pull of least error, :math:`w^* = \sigma^2/(h \Delta^2)`; shapes as `step_error`."""
    return variance / (np.asarray(curvature, dtype=float) * np.square(difference))
