r"""Likelihood ratios in fractions: the claims compute laws at a rational :math:`w = e^{-\epsilon/2}`."""

import math
from fractions import Fraction

from dplit.court.ledger.compare import private

HALF = Fraction(1, 2)  # w in the searches, so that e^epsilon is 4
EPSILON = math.log(4)


def log(ratio):
    """Logarithm of a ratio, which may be infinite."""
    return math.log(ratio) if ratio < math.inf else math.inf


def strictly(ratio, limit, **data):
    """A ratio below `limit` and not equal to it: what is lost is less than its log."""
    return private(log(ratio), math.log(limit), **data)._replace(good=ratio < limit)


def plain(data):
    """Records as JSON-able numbers."""
    return [float(x) for x in data]
