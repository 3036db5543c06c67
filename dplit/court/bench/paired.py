r"""Two methods on the same splits: the mean of the differences, and an interval.

Splits of one set share training records, so that the variance of a mean over :math:`n` of them is

.. math:: \hat\sigma^2 \Bigl(\frac1n + \frac{n_\text{test}}{n_\text{train}}\Bigr)

(Nadeau and Bengio 2003), as in `dplit.court.experiments.rule`, whose interval this is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import wilcoxon

from dplit.court.experiments.rule import Difference

OVERLAP = 0.25  # records tested over records trained, at 80:20
LEVEL = 0.05


@dataclass(frozen=True)
class Gain:
    """How much better one method is than another on one set.

    Attributes
    ----------
    mean, low, high : float
        In the unit of the score; the interval is of level 1 - `LEVEL`, for this difference alone.
    n : int
        Splits that both have.
    """

    mean: float
    low: float
    high: float
    n: int


def gain(first, second, overlap=OVERLAP, level=LEVEL):
    """How much higher the first scores are than the second.

    Parameters
    ----------
    first, second : array_like, shape (n_1,) and (n_2,)
        Scores of two methods on the same splits, in the same order; the first so many count.
    overlap : float
        Records tested over records trained; 0 where splits are independent draws.
    level : float
        Error of the interval.

    Returns
    -------
    Gain

    Raises
    ------
    ValueError
        With fewer than two splits in common.
    """
    n = min(len(first), len(second))
    if n < 2:
        raise ValueError(f"first and second must have two splits in common or more, got {n}")
    apart = np.asarray(first, dtype=float)[:n] - np.asarray(second, dtype=float)[:n]
    error = float(np.sqrt(apart.var(ddof=1) * (1 / n + overlap)))
    low, high = Difference("", float(apart.mean()), error, 0.0, n).interval(level)
    return Gain(float(apart.mean()), float(low), float(high), n)


def best_rival(found, data, method, among):
    """The method of the best mean on one set, of those that `method` is compared with.

    It is chosen by the scores that it is then compared by, in hindsight: what `method` gains over it is
    less than over a rival that is chosen beforehand.

    Parameters
    ----------
    found : dict of (data, method) to array
        As of `dplit.court.bench.scores`.
    data, method : str
    among : sequence of str
        Methods; `method` itself and those that are not run on the set are left out.

    Returns
    -------
    str or None
        None if no other is there.
    """
    there = [m for m in among if m != method and (data, m) in found]
    return max(there, key=lambda m: float(np.mean(found[data, m])), default=None)


def duel(found, first, second, sets=None):
    """Two methods over many sets.

    Parameters
    ----------
    found : dict of (data, method) to array
        As of `dplit.court.bench.scores`.
    first, second : str
        Methods.
    sets : sequence of str, optional
        Left out, all that both are run on.

    Returns
    -------
    dict
        "points": mean gain of the first in hundredths; "higher": on how many sets its mean is higher;
        "lower"; "sets": how many both are run on; "p": of Wilcoxon's signed ranks of the gains, two-sided,
        which asks of tables, not of splits; NaN where no gain is other than zero.
    """
    names = dict.fromkeys(data for data, _ in found) if sets is None else sets
    both = [d for d in names if (d, first) in found and (d, second) in found]
    gains = np.array([gain(found[d, first], found[d, second]).mean for d in both])
    return {
        "points": 100 * float(gains.mean()) if both else float("nan"),
        "higher": int((gains > 0).sum()),
        "lower": int((gains < 0).sum()),
        "sets": len(both),
        "p": float(wilcoxon(gains).pvalue) if gains.any() else float("nan"),
    }
