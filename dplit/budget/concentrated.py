r"""Zero-concentrated privacy turned into epsilon and delta (Canonne, Kamath and Steinke 2020, corollary 13).

.. math:: \delta = \inf_{\alpha > 1} \frac{e^{(\alpha - 1)(\alpha\rho - \epsilon)}}{\alpha - 1}
    \left(1 - \frac1\alpha\right)^\alpha

Proved in :doc:`/book/boosting`. Any order gives a bound: a minimum found to a few digits is private all the same.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from numbers import Real

from dplit.budget.nodes import Composition


def check_delta(delta):
    """Return `delta` as a float; it must be at least 0 and below 1."""
    number = isinstance(delta, Real) and not isinstance(delta, bool)
    if not number or not 0 <= delta < 1:
        raise ValueError(f"delta must be a number of at least 0 and below 1, got {delta!r}")
    return float(delta)


def delta_of(rho, epsilon):
    """Least delta at `epsilon` of what is `rho`-zCDP; float."""
    return min(1.0, math.exp(_least(lambda a: _log_delta(a, rho, epsilon))))


def _log_delta(a, rho, epsilon):
    r"""At the order :math:`\alpha = 1 + a`."""
    alpha = 1 + a
    return a * (alpha * rho - epsilon) - math.log(a) - alpha * math.log1p(1 / a)


def epsilon_of(rho, delta):
    """Least epsilon at `delta` of what is `rho`-zCDP; float, infinite where delta is 0 and rho is not."""
    if rho == 0:
        return 0.0
    if delta == 0 or math.isinf(rho):
        return math.inf
    return max(0.0, _least(lambda a: _epsilon(a, rho, delta)))


def _epsilon(a, rho, delta):
    alpha = 1 + a
    return alpha * rho - (math.log(delta) + math.log(a) + alpha * math.log1p(1 / a)) / a


def _least(f):
    """Minimum over orders 1 + e^x."""
    from scipy.optimize import minimize_scalar  # slow to import

    found = minimize_scalar(lambda x: f(math.exp(x)), bounds=(-12, 25), method="bounded", options={"xatol": 1e-10})
    return float(found.fun)


@lru_cache(maxsize=256)  # some fifty minima, and a repeated fit asks for the same
def rho_of(epsilon, delta):
    """Largest rho whose `epsilon_of` is at most `epsilon`; float, up to twelve digits."""
    if math.isinf(epsilon):
        return math.inf
    low, high = 0.0, epsilon + 1.0
    while epsilon_of(high, delta) <= epsilon:
        low, high = high, 2 * high
    while high - low > 1e-13 * high:
        middle = (low + high) / 2
        if middle in (low, high):  # there is no number between them
            break
        low, high = (middle, high) if epsilon_of(middle, delta) <= epsilon else (low, middle)
    return low


@dataclass(frozen=True)
class Converted(Composition):
    """The epsilon that a part's rho amounts to at a delta, above 0 and below 1."""

    name: str
    part: object
    delta: float
    why: str = "Canonne, Kamath and Steinke 2020"

    def __post_init__(self):
        super().__post_init__()
        if not check_delta(self.delta) > 0:
            raise ValueError(f"delta must be positive, got {self.delta!r}")
        if self.part.delta > 0:
            raise ValueError(f"part must have delta 0, got delta={self.part.delta:g}")

    @property
    def epsilon(self):
        """By the conversion at `delta`."""
        return epsilon_of(self.part.rho, self.delta)

    rho = math.inf

    @property
    def rule(self):
        """How the total comes about."""
        return f"rho {self.part.rho:.6g} at delta {self.delta:g}"
