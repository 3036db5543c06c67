r"""Likelihood ratios in fractions: the claims compute laws at a rational :math:`w = e^{-\epsilon/2}`."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

from dplit.ledger import Case, private

HALF = Fraction(1, 2)  # w in the searches, so that e^epsilon is 4
EPSILON = math.log(4)


def log(ratio):
    """Logarithm of a ratio, which may be infinite."""
    return math.log(ratio) if ratio < math.inf else math.inf


def below(ratios, limit, note):
    """Evidence that every ratio is below `limit` and none equal to it: what is lost is less than its log.

    Parameters
    ----------
    ratios : iterable of (Fraction, dict)
        Each with the data that reproduce it.
    limit : int
    note : str
        As in `dplit.ledger.private`.
    """
    ratios = list(ratios)
    found = private([Case(log(r), math.log(limit), data) for r, data in ratios], note)
    attained = [data for r, data in ratios if r >= limit]
    return replace(found, verdict="leaks", counterexample=attained[0]) if attained else found


def plain(data):
    """Records as JSON-able numbers."""
    return [float(x) for x in data]
