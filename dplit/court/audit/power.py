"""What an audit can see: its exact power for one event, and the most that so many draws can show.

Throughout: `p` and `q`, the event's probability on the likelier input and on the other; `draws`, on each
input, at least 4 where nothing else is said; `confidence`, one less the rate of false alarms.
"""

import math

import numpy as np

from dplit.court.audit.blackbox import check_confidence, lower_limit, upper_limit
from dplit.ground.errors import check_integer

FEWEST, MOST = 8, 1_000_000  # draws


def ceiling(draws: int, confidence: float = 0.999) -> float:
    r"""Return the largest loss that draws can show: of an event certain on one input, impossible on the other.

    .. math:: \log \frac{r}{1 - r}, \quad r = (\beta/2)^{1/m}

    with :math:`m` the second half of the draws and :math:`\beta` one less the confidence. A mechanism
    whose epsilon is above it is never accused, whatever it does.

    """
    m = check_integer(draws, "draws", 4) - draws // 2
    r = ((1 - check_confidence(confidence)) / 2) ** (1 / m)
    return math.log(r) - math.log1p(-r)


def accuses(p: float, q: float, epsilon: float, draws: int, confidence: float = 0.999) -> float:
    r"""Return the exact probability that an event refutes `epsilon`, once the first half has chosen it.

    .. math:: P\{\log(p_{low}(K) / q_{high}(L)) > \epsilon\}

    for independent K and L, binomial of the second half of the draws.
    """
    from scipy.stats import binom

    m = check_integer(draws, "draws", 4) - draws // 2
    hits, accusing = _accusing(m, epsilon, confidence)
    return float(binom.pmf(hits, m, p) @ binom.cdf(accusing - 1, m, q))


def misses(p: float, q: float, epsilon: float, draws: int, confidence: float = 0.999) -> float:
    r"""Return the exact probability that an event fixed before any draw does not refute `epsilon`.

    .. math:: P\{\log(p_{low}(K) / q_{high}(L)) \le \epsilon\}

    for independent K and L, binomial of all the draws, at least 1 of them.
    """
    from scipy.stats import binom

    m = check_integer(draws, "draws", 1)
    hits, accusing = _accusing(m, epsilon, confidence)
    return float(binom.pmf(hits, m, p) @ binom.sf(accusing - 1, m, q))


def draws_needed(p: float, q: float, epsilon: float, miss: float, confidence: float = 0.999) -> int:
    """Return draws with which an event that was fixed before is missed in less than `miss`.

    They are at most a tenth more than the fewest. ValueError if the event's loss is not above `epsilon`, or so
    little that it takes more than a million draws.
    """
    draws = FEWEST
    if p <= q * math.exp(epsilon) and miss <= confidence:  # it is refuted as seldom as a sound one
        draws = MOST + 1
    while draws <= MOST and misses(p, q, epsilon, draws, confidence) >= miss:
        draws += max(1, draws // 10)
    if draws > MOST:
        raise ValueError(
            f"p and q must be so far apart that {MOST:,} draws refute epsilon={epsilon:g}, got p={p:g}, q={q:g}"
        )
    return draws


def _accusing(m, epsilon, confidence):
    """Each number of hits of m draws, and how many counts on the other input accuse with it, from 0 up."""
    error = (1 - check_confidence(confidence)) / 2
    hits = np.arange(m + 1)
    limit = lower_limit(hits, m, error) * math.exp(-epsilon)
    return hits, np.searchsorted(upper_limit(hits, m, error), limit)
