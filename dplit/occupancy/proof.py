r"""Theorem 2 of DiPriMe v1 for the rank mechanism: a proof by a computer, up to a budget and beyond it.

Up to :math:`\epsilon_1` = `TURN` intervals of budgets are halved until on each of them `corrected_bound` is
shown to be below the published bound, for every n and every t; from `TURN` on two inequalities show the same of
`divisible_bound`. The argument is thm-occupancy-proved in :doc:`/book/occupancy`.
"""

import math

from dplit.ground.errors import check_between, check_integer
from dplit.occupancy.bounds import BETA, gamma
from dplit.occupancy.law import LARGEST

TURN = 2.26  # up to here `corrected_bound` is below theorem 2, from here on `divisible_bound`
DEEPEST = 25  # at depth 25 and beyond C_d and gamma are within 1e-12 of their limits
NARROWEST = 1e-6  # an interval of budgets that resists so far is given up
TERMS = 8  # of the sum over the levels; the rest is below REST
REST = 1e-30


def constant_at_most(depth: int, low: float, high: float) -> float:
    r"""An upper bound, for every n and every epsilon in [low, high], of `corrected_bound`'s 2 kappa M.

    Each cosh and the square root of e^epsilon rise in epsilon, each ratio of sinh falls. A depth of `DEEPEST`
    stands for all deeper trees.
    """
    low = check_between(low, "low", 0, LARGEST)
    value = math.exp(check_between(high, "high", low, LARGEST) / 2)
    for j in range(1, check_integer(depth, "depth", 1)):
        inner = 2.0**-j
        ratio = math.sinh(inner * low / 2) / math.sinh(low / 2) if low else inner
        value *= math.cosh(inner * high / 2) / (1 - ratio**2)
    return value * (1 + 1e-9 if depth == DEEPEST else 1)  # room for all deeper trees


def proved_cells(depth: int, low: float = 0.0, high: float = TURN) -> int:
    """Number of intervals of budgets into which [low, high] is cut, theorem 2 shown on each; 0 if one resists."""
    if _is_below(check_integer(depth, "depth", 1), low, high):
        return 1
    if high - low < NARROWEST:
        return 0
    middle = (low + high) / 2
    left = proved_cells(depth, low, middle)
    right = left and proved_cells(depth, middle, high)
    return left + right if right else 0


def _is_below(depth: int, low: float, high: float) -> bool:
    r"""Sufficient that `corrected_bound` is below both bounds of theorem 2 on [low, high], for every t.

    With tau = epsilon t and C_d = 2 kappa M it is at most C_d times the sum of e^(-2^i tau) / (1 + e^epsilon)^i.
    Below sqrt(gamma), or 2 log(2) / beta, theorem 2 allows 1. Beyond, each term over e^(-beta tau/2)
    falls, and so does each times tau^2, but for the first one, which is at most 4/e^2.
    """
    constant, odds = constant_at_most(depth, low, high), 1 / (1 + math.exp(low))
    half = BETA / 2
    tau = max(math.sqrt(gamma(depth)), low)
    parts = [odds**i * tau**2 * math.exp(-(2**i) * tau) for i in range(TERMS)]
    if tau <= 2:
        parts[0] = 4 / math.e**2
    chebyshev = constant * (sum(parts) + REST) <= gamma(depth)
    tau = max(math.log(2) / half, low)
    parts = [odds**i * math.exp(-(2**i - half) * tau) for i in range(TERMS)]
    return chebyshev and constant * (sum(parts) + REST) <= 2


def beyond_turn() -> tuple:
    r"""Both inequalities by which `divisible_bound` is below theorem 2 from `TURN` on.

    With x = epsilon/2, s = beta epsilon/2 and rho = sinh(s/2) / sinh(x) they are (sinh x / x)^2 >= 3/2
    and 2 (1 - 2 rho^2) sinh(x)^2 >= e^s; left over right rises in epsilon. Returns both sides of each at `TURN`.
    """
    x, s = TURN / 2, BETA * TURN / 2
    ratio = (math.sinh(s / 2) / math.sinh(x)) ** 2
    return ((math.sinh(x) / x) ** 2, 1.5), (2 * (1 - 2 * ratio) * math.sinh(x) ** 2, math.exp(s))
