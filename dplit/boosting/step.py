r"""Steps of the cells from noisy pair sums, shrunk to their parents', and the error of shrinking.

Of a cell are released :math:`A`, the sum of the positive parts of its residuals, and :math:`B`, that of
the negative parts, with noise. :math:`G = A - B` is the residual sum. For classes both parts have the mean
:math:`\sum p(1-p)` where the model is right, so that :math:`H = (A + B)/2` estimates the curvature and no third
release is needed. From the root down, with the parent's step :math:`v'`,

.. math:: v = \frac{G + w v'}{H + w}, \qquad w = \lambda \sigma \sqrt{\ell},

where :math:`\ell` is the number of leaves below the node and :math:`\sigma` the noise of one sum.
"""

from __future__ import annotations

import numpy as np

from dplit.errors import check_numbers


def shrunk_steps(gradients, curvatures, noise, weight, clip):
    """Steps of the leaves of a complete binary tree, shrunk to those of their parents.

    Parameters
    ----------
    gradients, curvatures : float64 array, shape (2**depth, n_outputs)
        Released; in records.
    noise : float
        Scale of the noise of one sum, in records.
    weight : float
        Of the parent's step, in units of the noise.
    clip : float
        Largest absolute step of a node.

    Returns
    -------
    float64 array, shape (2**depth, n_outputs)
    """
    levels = [(gradients, curvatures)]
    while len(levels[-1][0]) > 1:
        levels.append(tuple(part[::2] + part[1::2] for part in levels[-1]))
    steps = np.zeros((1, gradients.shape[1]))
    for height in range(len(levels) - 1, -1, -1):
        gradient, curvature = levels[height]
        pull = weight * noise * np.sqrt(2.0**height)
        steps = np.repeat(steps, len(gradient) // len(steps), axis=0)
        total = np.maximum(curvature, 0.0) + pull
        found = np.divide(gradient + pull * steps, total, out=steps.copy(), where=total > 0)
        steps = np.clip(found, -clip, clip)
    return steps


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
    curvature, pull = check_numbers(curvature, "curvature"), check_numbers(pull, "pull")
    return (variance + np.square(pull * difference)) / np.square(curvature + pull)


def best_weight(curvature, difference, variance):
    r"""The pull of least error, :math:`w^* = \sigma^2/(h \Delta^2)`; shapes as `step_error`."""
    return variance / (check_numbers(curvature, "curvature") * np.square(difference))
