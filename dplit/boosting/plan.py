r"""Rounds, depth and shares of epsilon, from public numbers alone; the powers are from `dplit.boosting.balance`.

With :math:`s = n\epsilon`, half of it for more than two classes, there are :math:`\sqrt{s/(100d)}` rounds of depth
:math:`d = \log_2(s/200)/2.2` for two classes, and :math:`\sqrt{s/200}` for more classes and regressions, of depth
:math:`\log_2(s/10)/2.2` for classes (:math:`\alpha = 0.6`). How they were chosen: :doc:`/book/boosting`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from dplit.ground.errors import check_epsilon, check_integer

MOST_ROUNDS = 32
DEEPEST = 6
EXPONENT = 2.2  # 2 alpha + 1
FEW = 1e5  # s below which a regression's later rounds have fewer tests
COLUMN_LEVELS, LATER = 6, (2, 3)  # powers of two of a column's bins; tests of the later rounds
MOST_DIRECTIONS, OF_CLASSES = (200, 30)  # of a regression, and of classes: of five columns, with halves
TWO_TESTS = 0.65  # share of a round that its tests have, of two classes
MANY, MOST_COUNTED = 6, 6  # classes from which on several rounds release class counts, and the most that do
SCALES = ((0.1, 0.3, 0.6, 1.0, 1.5), (0.0,))  # of steps in log-odds
COLUMN_SCALES = ((1.0,), (0.0085, 0.028, 0.085, 0.28, 0.57, 1.13, 2.26))  # in clips
TARGET_SCALES = ((0.03, 0.1, 0.3, 1.0), (0.0085, 0.085, 0.28, 0.85, 2.26))


class Plan(NamedTuple):
    """What a fit does, decided before it reads a record."""

    rounds: int  #: Rounds, and tests that each of them draws.
    depth: int  #: As `rounds`.
    #: Powers of two into which the column of the first test is parted. Where there is but one test, the parts take
    #: its place.
    fine: int
    prior: float  #: Share of epsilon for the first release, the class counts or the mean.
    tests: float  #: Share of a round's epsilon for its tests; the leaves get the rest.
    scales: tuple  #: Of the steps' covariances (`dplit.boosting.priors`).
    clip: float  #: Largest absolute step of a leaf, in log-odds or in clips of the residual.
    later: int = 0  #: Tests of each round of the second half, if they have another number; else 0.
    directions: int = 0  #: The most differences of columns that are tested as well (`dplit.boosting.directions`).

    def of(self, t: float) -> Plan:
        """The plan of round `t`, the first one being 0: all rounds have as many leaves."""
        if not self.later or 2 * t < self.rounds:
            return self
        fine = self.fine + self.kept - self.later
        return self._replace(depth=self.later, fine=fine, scales=TARGET_SCALES, later=0)

    @property
    def kept(self) -> int:
        """Tests that part the leaves beside the bins."""
        return 0 if self.fine and self.depth == 1 else self.depth


def counted(n_classes: int) -> int:
    """Number of first rounds whose leaves release class counts."""
    n_classes = check_integer(n_classes, "n_classes", 0)
    return int(n_classes > 2) if n_classes < MANY else min(n_classes // 2, MOST_COUNTED)


def plan(
    n_records: int, epsilon: float, n_classes: int = 0, rounds: int | None = None, depth: int | None = None
) -> Plan:
    """The plan of a fit.

    `n_records`: public; a number that is too small by a factor costs less than one that is too large;
    `epsilon`: of the whole fit under add-remove neighbours; `n_classes`: 0 for a regression; `rounds`, `depth`:
    in place of the rule's.
    """
    n_records, epsilon = check_integer(n_records, "n_records", 0), check_epsilon(epsilon)
    n_classes = check_integer(n_classes, "n_classes", 0)
    rounds = None if rounds is None else check_integer(rounds, "rounds", 1)
    depth = None if depth is None else check_integer(depth, "depth", 0)
    s = n_records * epsilon / (2 if n_classes > 2 else 1)
    prior = min(0.5, max(0.03, (20 if n_classes else 40) / max(s, 1)))
    columns = not n_classes and depth is None
    deep = math.log2(max(s, 1) / (200 if n_classes == 2 else 10)) / EXPONENT
    tests = max(1, round(min(deep, DEEPEST))) if depth is None else depth
    if rounds is None:  # few rounds of a column are better than many
        each = 100 * max(tests, 1) if n_classes == 2 else 200
        wanted = math.sqrt(s / each) - (0.5 if columns else 0.0)
        rounds = max(1, round(min(wanted, MOST_ROUNDS)))
    if columns:
        shape = 1, COLUMN_LEVELS, prior, 0.5, COLUMN_SCALES, 1.0
        return Plan(rounds, *shape, later=LATER[s >= FEW], directions=MOST_DIRECTIONS)
    share = TWO_TESTS if n_classes == 2 else 0.5
    scales, clip = (SCALES, 3.0) if n_classes else (TARGET_SCALES, 1.0)
    return Plan(rounds, tests, 0, prior, share, scales, clip)


def equivalent(n_records: int, rho: float, n_classes: int = 0, rounds: int | None = None) -> float:
    r"""The epsilon at which a pure fit of the rule's rounds has the noise of one that spends `rho`.

    A leaf's noise has the deviation :math:`2\sqrt2\,T/\epsilon` in :math:`T` pure rounds, and
    :math:`\sqrt{T/\rho}` in zero-concentrated ones. They are equal at :math:`\epsilon = \sqrt{8T\rho}`, of
    which the rule's :math:`T` is a function: begun with one round, they are found in turn.
    `rounds`: in place of the rule's.
    """
    n_records, rho = check_integer(n_records, "n_records", 0), check_epsilon(rho, "rho")
    rounds = None if rounds is None else check_integer(rounds, "rounds", 1)
    epsilon = math.sqrt(8 * rho * (rounds or 1))
    for _ in range(0 if rounds else MOST_ROUNDS):
        epsilon = math.sqrt(8 * rho * plan(n_records, epsilon, n_classes).rounds)
    return epsilon
