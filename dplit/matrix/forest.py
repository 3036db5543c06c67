r"""What the counts of cells are, given what was released of them: the law that a histogram is shrunk by.

A count m has the prior :math:`\Pr(m) \propto \beta^m`, and t is m with geometric noise. Derived in
:doc:`/book/matrix_forest`.
"""

from __future__ import annotations

import numpy as np

LARGEST = 10**7  # a released count of more is taken as it is


def posterior_mean(counts, alpha, mean):
    r"""Mean of a count given what was released, where counts are geometric and so is the noise.

    With the prior :math:`\Pr(m) \propto \beta^m`, :math:`m \ge 0`, of mean
    :math:`\beta/(1-\beta)`, and noise of law :math:`\propto \alpha^{|z|}`, the count behind a released t is
    :math:`m \le t` with weight :math:`\beta^m\alpha^{t-m}` and :math:`m \ge t` with
    :math:`\beta^m\alpha^{m-t}`. What lies below 0 tells no more than that it does: all such t have one mean.

    Derived in :doc:`/book/matrix_forest`.

    Parameters
    ----------
    counts : int array, shape (...)
        Released, with noise.
    alpha : float
        Of the noise, :math:`e^{-\epsilon}`, from 0 to below 1.
    mean : float
        Of the prior, positive.

    Returns
    -------
    float64 array, shape (...)
    """
    t, place = np.unique(np.asarray(counts), return_inverse=True)
    beta = mean / (1 + mean)
    above = alpha * beta / (1 - alpha * beta)  # weight of all m > t, of which m = t has 1
    found = np.maximum(t, 0).astype(float)
    near = found <= LARGEST
    whole = found[near].astype(np.int64)
    steps = np.arange(whole.max(initial=0) + 1)
    if alpha < beta:  # sums over j = t - m
        powers = (alpha / beta) ** steps
        weight, moment = np.cumsum(powers)[whole], np.cumsum(steps * powers)[whole]
        off = above / (1 - alpha * beta) - moment
        found[near] += off / (weight + above)
    else:  # sums over m
        powers = (beta / alpha) ** steps
        weight, moment = np.cumsum(powers)[whole], np.cumsum(steps * powers)[whole]
        moment = moment + powers[whole] * above * (whole + 1 / (1 - alpha * beta))
        found[near] = moment / (weight + powers[whole] * above)
    found[t < 0] = above
    return found[place].reshape(np.shape(counts))
