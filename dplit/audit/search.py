"""Searching for counterexamples: the smallest pair of neighbours that breaks a claimed epsilon."""

from __future__ import annotations

from dplit.audit.exact import losses_over
from dplit.errors import check_epsilon


def smallest_violation(law, space, epsilon, neighbours="add-remove", *, log=False, rtol=1e-9):
    """First pair of neighbours in `space` whose loss exceeds `epsilon`, or None.

    Parameters
    ----------
    law, log
        As in `dplit.audit.privacy_loss`.
    space : iterable
        Inputs, smallest first, as `count_vectors` and `data_sets` list them; may be endless.
    epsilon : float
        The claimed privacy.
    neighbours : {"add-remove", "replace-one"} or callable
        As in `dplit.audit.neighbouring_pairs`.
    rtol : float
        Room for rounding, relative to `epsilon`.

    Returns
    -------
    WorstCase or None
        The pair whose later member comes first in `space`; None if no pair of it violates.
    """
    limit = check_epsilon(epsilon) * (1 + rtol)
    cases = losses_over(law, space, neighbours, log=log)
    return next((case for case in cases if case.loss > limit), None)
