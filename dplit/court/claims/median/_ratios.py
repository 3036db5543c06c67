r"""The budget of the claims in fractions, at a rational :math:`w = e^{-\epsilon/2}`."""

import math
from fractions import Fraction

HALF = Fraction(1, 2)  # w, so that e^epsilon is 4
EPSILON = math.log(4)


def plain(data):
    """Records as JSON-able numbers."""
    return [float(x) for x in data]
