r"""Two methods on the same splits: the mean of the differences, and an interval (Nadeau and Bengio 2003).

As in `dplit.court.experiments.rule.beyond`. Derived in :doc:`/book/bench`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import t, wilcoxon

OVERLAP = 0.25  # records tested over records trained, at 80:20
LEVEL = 0.05


@dataclass(frozen=True)
class Gain:
    """How much better one method is than another on one set, in the unit of the score.

    The interval is of level 1 - `LEVEL`, for this difference alone.
    """

    mean: float
    low: float
    high: float
    n: int  #: Splits that both have.


def gain(first: ArrayLike, second: ArrayLike, overlap: float = OVERLAP, level: float = LEVEL) -> Gain:
    """How much higher the first scores are than the second, with an interval of error `level`.

    The scores are of two methods on the same splits, in the same order; as many count as both have, and fewer than
    two are a ValueError. `overlap`: records tested over records trained; 0 where splits are independent draws.
    """
    n = min(len(first), len(second))
    if n < 2:
        raise ValueError(f"first and second must have two splits in common or more, got {n}")
    apart = np.asarray(first, dtype=float)[:n] - np.asarray(second, dtype=float)[:n]
    error = float(np.sqrt(apart.var(ddof=1) * (1 / n + overlap)))
    mean, room = float(apart.mean()), float(t.isf(level / 2, n - 1)) * error
    return Gain(mean, mean - room, mean + room, n)


def best_rival(found: dict, data: str, method: str, among: Sequence[str]) -> str | None:
    """The method of the best mean on one set, of those that `method` is compared with; None if no other is there.

    It is chosen by the scores that it is then compared by, in hindsight: what `method` gains over it is
    less than over a rival that is chosen beforehand. `found` as of `dplit.court.bench.scores`.
    """
    there = [m for m in among if m != method and (data, m) in found]
    return max(there, key=lambda m: float(np.mean(found[data, m])), default=None)


def duel(found: dict, first: str, second: str, sets: Sequence[str] | None = None) -> dict:
    """Two methods over many sets, left out: over all that both are run on.

    "points": mean gain of the first in hundredths; "higher": on how many sets its mean is higher; "lower";
    "sets": how many both are run on; "p": of Wilcoxon's signed ranks of the gains, two-sided, which asks of
    tables, not of splits; NaN where no gain is other than zero. `found` as of `dplit.court.bench.scores`.
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
