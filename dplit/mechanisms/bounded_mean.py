"""The mean of targets in a public interval, when their number is private too.

DiPriMe adds Laplace noise to a leaf's mean, scaled by the leaf's own count (v1, section 3; v2,
section 3.1): the scale tells the count. Here every record votes instead.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dplit.domain import GRID
from dplit.ground.errors import check_epsilon, check_interval, check_numbers
from dplit.mechanisms.geometric import Geometric


class BoundedMean:
    r"""Releases the votes of the records for the two ends of ``[lower, upper]``.

    A record with target :math:`y` has one vote and splits it, :math:`a = (y - L)/R` for the upper end and
    :math:`1 - a` for the lower one, :math:`R = U - L`. One record more or less changes the pair of totals by
    exactly 1 in L1 norm, whatever its target, so that Laplace noise of scale :math:`1/\epsilon` on each is
    epsilon-private under add-remove (:math:`2\epsilon` under replace-one). Here a vote is `dplit.domain.GRID`
    equal steps, the totals are whole numbers of them, and the noise is geometric with sensitivity `GRID`: the
    same on a grid, and no last bits tell the totals. The mean, :math:`L + R A/(A + B)`, is computed from the
    release. Derived in :doc:`/book/median_forest`.
    `epsilon`: ``inf`` adds no noise; `lower`, `upper`: public bounds of the targets, ``lower < upper``.
    """

    def __init__(self, epsilon: float, lower: float, upper: float) -> None:
        self.epsilon = check_epsilon(epsilon)
        check_interval(lower, upper)
        self.lower, self.upper = float(lower), float(upper)

    def __repr__(self) -> str:
        return f"BoundedMean(epsilon={self.epsilon:g}, lower={self.lower:g}, upper={self.upper:g})"

    def sample(self, sums: ArrayLike, counts: ArrayLike, *, rng: np.random.Generator) -> np.ndarray:
        """Noisy votes of groups of records.

        `sums`: Sum of each group's targets, each target inside the bounds. Rounded to whole steps; integers
        between the bounds 0 and `GRID` are steps themselves, and exact. `counts`: number of records in each
        group. Returns votes, shape (..., 2), for the lower and for the upper end, whole numbers of
        steps divided by `GRID`; the noise may make them negative. Raises a ValueError if a sum is not that of so
        many targets inside the bounds.
        """
        sums, counts = np.asarray(sums), np.asarray(counts)
        width = self.upper - self.lower
        votes = (sums - counts * self.lower) / width
        room = 1e-6 * (1 + counts)
        if not ((votes >= -room) & (votes <= counts + room)).all():
            raise ValueError(
                f"sums must be of targets inside the bounds, counts x {self.lower:g} to counts x {self.upper:g}"
            )
        whole = sums.dtype.kind in "iu" and (self.lower, self.upper) == (0, GRID)
        above = sums if whole else np.rint(votes * GRID).astype(np.int64)
        totals = np.stack([counts.astype(np.int64) * GRID - above, above], axis=-1)
        return Geometric(self.epsilon, GRID).sample(totals, rng=rng) / GRID

    def mean(self, votes: ArrayLike, centre: float | None = None) -> np.ndarray:
        r"""Means from released votes: :math:`L + R (A + w c)/(A + B + w)`, clipped to the bounds.

        Reads nothing but the release. Without a centre :math:`w = 0`. With one, :math:`c` is its place in the
        interval and :math:`w = 2/\epsilon`, the standard deviation of the noise in :math:`A + B`: groups too
        small to be told from noise lie near the centre. `votes`: as `sample` returns them, shape (..., 2).
        `centre`: Public, or computed from released votes. Where no votes are left the mean is the centre, or
        else the middle of the interval. Returns an array of shape (...,), in the units of the targets.
        """
        votes = check_numbers(votes, "votes")
        width, weight, place = self.upper - self.lower, 0.0, 0.5
        if centre is not None:
            weight, place = 2 / self.epsilon, (centre - self.lower) / width
        total, above = votes.sum(axis=-1) + weight, votes[..., 1] + weight * place
        share = np.divide(above, total, out=np.full(total.shape, place), where=total > 0)
        return self.lower + width * np.clip(share, 0.0, 1.0)
