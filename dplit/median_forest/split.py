"""Which attribute a node is split on, and where: four private routes with one budget.

Notation: :math:`S_{a,r}` is the sum of squared errors (SSE) of the two sides if attribute :math:`a` is cut at
:math:`r`. A cut inside an interval between two neighbouring values has one SSE and one difference of the sides'
sizes, so everything here is a finite sum. Rates are derived in :doc:`/book/median_forest`.

The routes: draw the attribute uniformly (`uniform`), draw a candidate cut on each and pay for all
(`candidates`), draw the attribute first and cut only that (`median_first`, `best_first`), or draw both at once
(`joint`). Each function gives the exact expected SSE of the split that comes out. Budgets are add-remove.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from dplit import median
from dplit.ground.errors import check_numbers, check_positive
from dplit.mechanisms import Exponential
from dplit.mechanisms.exponential import normalised

LARGEST = 600.0  # exponent of the odds in `candidates`
STEP = 0.1  # of the quadrature in `candidates`, which converges like exp(-2 pi^2 / STEP)


class Column(NamedTuple):
    """One attribute of a node, interval by interval: each of shape (intervals,).

    Intervals of length 0, between equal values, hold no cut and are left out.
    """

    lengths: np.ndarray
    errors: np.ndarray
    gaps: np.ndarray


def column(values: ArrayLike, targets: ArrayLike, lower: float, upper: float) -> Column:
    """The cuts of one attribute: lengths, SSE of the two sides, and their difference in size.

    `values`: in any order; those outside the bounds are clipped, shape (n,); `targets`: shape (n,); `lower`,
    `upper`: public bounds of the attribute, lower < upper.
    """
    values, targets = check_numbers(values, "values"), check_numbers(targets, "targets")
    if values.ndim != 1 or values.shape != targets.shape:
        raise ValueError(f"values and targets must have one shape (n,), got {values.shape} and {targets.shape}")
    edges = median.interval_law(values, lower, upper, 1.0).edges
    order, n = np.argsort(np.clip(values, lower, upper), kind="stable"), len(values)
    left = np.arange(n + 1)
    found = edges[1:] > edges[:-1]
    ends = targets[order] - (targets.mean() if n else 0.0)
    errors = _errors(ends) + _errors(ends[::-1])[::-1]
    return Column(np.diff(edges)[found], errors[found], np.abs(n - 2 * left)[found])


def _errors(targets: np.ndarray) -> np.ndarray:
    """SSE of the first 0, 1, ..., n targets."""
    sums, squares = (np.append(0.0, np.cumsum(v)) for v in (targets, targets**2))
    return np.maximum(squares - sums**2 / np.maximum(np.arange(len(sums)), 1), 0.0)


def median_law(col: Column, epsilon: float) -> np.ndarray:
    """Probability of each interval of a `Column` under the private median, as `dplit.median.interval_law`."""
    return normalised(np.log(col.lengths) - check_positive(epsilon, "epsilon") / 2 * col.gaps)


def _after_median(columns: list, epsilon: float) -> np.ndarray:
    """Expected SSE of each attribute if it is cut at a private median."""
    return np.array([median_law(c, epsilon) @ c.errors for c in columns])


def uniform(columns: Sequence, epsilon: float) -> float:
    """Expected SSE if the attribute is uniform and the whole budget goes to its median.

    `epsilon`: budget of the split, add-remove.
    """
    return float(_after_median(columns, epsilon).mean())


def best_first(columns: list, epsilon: float, spread: float = 1.0, share: float = 0.5) -> float:
    r"""Expected SSE if the attribute is drawn by its best cut's SSE, and then cut at a private median.

    .. math:: \Pr(a) \propto e^{-\epsilon_a \min_r S_{a,r} / R^2}

    `columns`, `epsilon` as in `uniform`; `spread`: :math:`R`, the length of the targets' range; `share`: part
    of the budget that pays for the attribute, :math:`\epsilon_a/\epsilon`.
    """
    scores = [-c.errors.min() for c in columns]
    law = Exponential(share * epsilon, _square(spread), monotonic=True).pmf(scores)
    return float(law @ _after_median(columns, (1 - share) * epsilon))


def median_first(columns: list, epsilon: float, spread: float = 1.0, share: float = 0.5) -> float:
    r"""As `best_first`, the attribute drawn by the SSE at its exact median: a third of the rate.

    The score moves between :math:`-R^2` and :math:`2R^2`, so the exponential mechanism may take
    the rate :math:`\epsilon_a/(3R^2)` and no larger one.
    """
    scores = [-c.errors[c.gaps.argmin()] for c in columns]
    law = Exponential(share * epsilon, 3 * _square(spread), monotonic=True).pmf(scores)
    return float(law @ _after_median(columns, (1 - share) * epsilon))


def candidates(columns: list, epsilon: float, spread: float = 1.0, share: float = 0.5) -> float:
    r"""Expected SSE if each attribute gets a private median, and one of the K is then drawn.

    The K medians cost :math:`(1 - \text{share})\,\epsilon` together, the choice among them the rest, at the rate
    :math:`\epsilon_a/R^2`. With weights :math:`u = e^{-\text{rate}\,S}` and :math:`1/Z = \int_0^\infty e^{-tZ} dt`
    the expectation over all :math:`(n+1)^K` combinations is an integral over one variable,

    .. math:: \int_0^\infty \sum_a E[S_a u_a e^{-t u_a}] \prod_{b \ne a} E[e^{-t u_b}]\, dt ,

    taken here by the trapezoidal rule in :math:`\log t`. Parameters as `best_first`.
    """
    rate = share * epsilon / _square(spread)
    each = (1 - share) * epsilon / len(columns)
    least = min(c.errors.min() for c in columns)
    widest = max(c.errors.max() for c in columns) - least
    if rate * widest > LARGEST:
        raise ValueError(
            f"epsilon must keep the exponents below {LARGEST:g}, got {epsilon!r}, which makes "
            f"them {rate * widest:g}"
        )
    times = np.exp(np.arange(-40.0, 40.0 + rate * widest, STEP))
    stays, chosen = [], []
    for col in columns:
        law = median_law(col, each)
        odds = np.exp(-rate * (col.errors - least))
        decay = np.exp(-np.outer(times, odds))
        stays.append(decay @ law)
        chosen.append(decay @ (law * odds * col.errors))
    others = [np.prod(stays[:a] + stays[a + 1 :], axis=0) for a in range(len(columns))]
    return float(STEP * sum((c * o * times).sum() for c, o in zip(chosen, others)))


def joint(columns: list, epsilon: float, spread: float = 1.0, share: float = 0.5) -> float:
    r"""Expected SSE if attribute and cut are one draw of the exponential mechanism.

    .. math:: f(a, r) \propto \exp\Bigl(-\alpha \epsilon \frac{S_{a,r}}{R^2}
              - (1 - \alpha) \frac{\epsilon}{2} \bigl|\#\text{left} - \#\text{right}\bigr|\Bigr)

    One record more moves the exponent within an interval of length :math:`\epsilon`, so the draw
    is epsilon-private whatever K is. Attributes are measured in units of their own range.
    Parameters as `best_first`; `share` is :math:`\alpha`.
    """
    rate = share * epsilon / _square(spread)
    parts = [
        np.log(c.lengths / c.lengths.sum()) - rate * c.errors - (1 - share) * epsilon / 2 * c.gaps for c in columns
    ]
    return float(normalised(np.concatenate(parts)) @ np.concatenate([c.errors for c in columns]))


def _square(spread: float) -> float:
    return check_positive(spread, "spread") ** 2
