r"""Which family of forests a fit is worth, from public numbers alone.

With :math:`s = n\epsilon` and :math:`r` of it for each cell and class of a domain without continuous columns: a
histogram's counts are worth their noise where :math:`r \ge 1`, or :math:`r \ge 0.15` and :math:`s \ge 500`, in up
to `MOST_CELLS` cells. Chosen on categorical sets of `dplit.boosting.sets.CHOOSING` and 119 random parts of
them; the border is so low only with `dplit.matrix.forest.mixed_mean`. Continuous columns cut into a few equal bins
fared worse than a boosted forest's cuts with two classes, and no better throughout with more.
"""

import math
from numbers import Real
from typing import NamedTuple

from dplit.boosting.grid import FAR
from dplit.boosting.plan import equivalent, plan
from dplit.budget import check_delta, rho_of
from dplit.ground.errors import check_epsilon, check_integer

FAMILIES = ("boosted", "histogram", "constant")
WORTH_A_TEST, OF_NUMBERS = 20.0, 100.0  # s below which noise chooses the tests: of classes, and of targets
MOST_RECORDS = 10**9  # the most that are asked whether a delta pays
MOST_CELLS = 20_000  # the most that the rule was tried with
NEAR = f"; columns from 0 have no cut below {FAR[0]:.1%} of their bound, and scale='log' has"
CLEAR, CLEAR_TOGETHER, TOGETHER = 1.0, 0.15, 500.0  # r; r and s


class Advice(NamedTuple):
    """Which family of forests, and why."""

    family: str
    why: str  #: In words, from public or released numbers alone.

    def __str__(self) -> str:
        return f"{self.family}: {self.why}"


def advise(
    n_records: int, epsilon: float, n_classes: int = 0, n_cells: int = math.inf, delta: float = 0.0,
    from_zero: bool = False,
) -> Advice:  # fmt: skip
    """The family of forests that public numbers advise.

    `n_records`: public, or noisy and paid for; `epsilon`: of the fit, under add-remove neighbours; `n_classes`:
    0 for a regression; `n_cells`: combinations of levels of a domain all of whose columns are categorical;
    `delta`: of the fit, of which the advice says what it is worth; `from_zero`: whether a column of a linear scale
    begins at 0, as amounts do, of which the advice says how near to 0 it is cut.

    Examples
    --------
    >>> from dplit.boosting import advise
    >>> advise(30_000, 1.0, 2).family
    'boosted'
    >>> advise(30_000, 1.0, 2, n_cells=48).family
    'histogram'
    >>> print(advise(100, 0.5))
    constant: 100 records x epsilon 0.5 = 50, and below 100 noise would choose the tests
    >>> advise(1_000, 1.0, 2, delta=1e-6).why
    '1,000 records x epsilon 1 = 1,000 pays for 3 rounds of depth 1; delta 1e-06 gains nothing below about 6,100
    records'
    """
    n_records, epsilon = check_integer(n_records, "n_records", 0), check_epsilon(epsilon)
    n_classes = check_integer(n_classes, "n_classes", 0)
    if isinstance(n_cells, bool) or not isinstance(n_cells, Real) or not n_cells >= 1:
        raise ValueError(f"n_cells must be a number of at least 1, got {n_cells!r}")
    s = n_records * epsilon
    told = f"{n_records:,} records x epsilon {epsilon:.3g} = {s:,.4g}"
    least = WORTH_A_TEST if n_classes else OF_NUMBERS
    if s < least:
        return Advice("constant", f"{told}, and below {least:g} noise would choose the tests")
    if n_classes and n_cells <= MOST_CELLS:
        each = s / (n_cells * n_classes)
        if each >= CLEAR or (each >= CLEAR_TOGETHER and s >= TOGETHER):
            counts = f"{n_cells:,} cells of {n_classes} classes"
            return Advice("histogram", f"{told}, {each:.2g} for each of {counts}: enough to count them")
    planned = plan(n_records, epsilon, n_classes)
    rounds = "1 round" if planned.rounds == 1 else f"{planned.rounds} rounds"
    worth = _worth(n_records, epsilon, n_classes, delta) if delta and epsilon < math.inf else ""
    near = NEAR if from_zero else ""
    return Advice("boosted", f"{told} pays for {rounds} of depth {planned.depth}{worth}{near}")


def _worth(n_records, epsilon, n_classes, delta):
    """What a delta is worth, or from how many records on it is worth anything."""
    rho = rho_of(epsilon, check_delta(delta))
    worth = equivalent(n_records, rho, n_classes)
    if worth > epsilon:
        return f"; with delta {delta:g} the noise of epsilon {worth:.3g}"
    low, high = n_records, MOST_RECORDS
    while high > 1.01 * low + 1:
        middle = (low + high) // 2 if high < 4 * low else 2 * low + 1
        low, high = (low, middle) if equivalent(middle, rho, n_classes) > epsilon else (middle, high)
    return f"; delta {delta:g} gains nothing below about {float(f'{high:.2g}'):,.0f} records"
