r"""How far one record moves a statistic: the sensitivities that both DiPriMe papers build on.

Targets lie in :math:`[B_L, B_U]`, :math:`R = B_U - B_L`, :math:`B = \max(|B_L|, |B_U|)`. `n` is the public size
:math:`N`: under ``"add-remove"`` that of the larger data set, under ``"replace-one"`` of both. Where the bounds
are fractions, a closed form is one too. Derived in :doc:`/book/sensitivity`.
"""

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations, combinations_with_replacement
from numbers import Real
from typing import NamedTuple

import numpy as np

from dplit.ground import errors


def _check(
    n: int, lower: float | Fraction, upper: float | Fraction, neighbours: str = "add-remove"
) -> float | Fraction:
    """Validate what every closed form takes; return the range R."""
    errors.check_integer(n, "n", 1)
    errors.check_neighbours(neighbours)
    return errors.check_range(lower, upper)


# Closed forms --------------------------------------------------------------------------------


def mean(
    n: int, lower: float | Fraction, upper: float | Fraction, neighbours: str = "add-remove"
) -> float | Fraction:
    r"""Sensitivity of the mean of `n` targets.

    .. math:: \Delta = R / N \quad\text{under either relation}

    DiPriMe v1, A.1.1, and v2, A.1; the theorem "Mean" of :doc:`/book/sensitivity`.
    `n`: records, at least 1; those of the larger data set under add-remove; `lower`, `upper`: public bounds of
    the target, in its units. The result is in the target's units. Raises a ValueError if `n` < 1,
    `lower` > `upper` or `neighbours` is neither relation.
    """
    return _check(n, lower, upper, neighbours) / n


def mse(n: int, lower: Fraction, upper: Fraction, neighbours: str = "add-remove") -> Fraction:
    r"""Sensitivity of the mean squared error about the mean: the variance with divisor `n`.

    .. math:: \Delta = \frac{N - 1}{N^2} R^2 \quad\text{under either relation}

    The tight form of DiPriMe v1, A.1.2, and v2, A.2; the theorem "Mean squared error" of
    :doc:`/book/sensitivity`. Parameters and errors as `mean`; squared units of the target.
    """
    spread, n = _check(n, lower, upper, neighbours), int(n)
    return (n - 1) * spread**2 / n**2


def sse(n: int, lower: Fraction, upper: Fraction, neighbours: str = "add-remove") -> Fraction:
    r"""Sensitivity of the sum of squared errors about the mean, which adding a record never lowers.

    .. math:: \Delta = \frac{N - 1}{N} R^2 < R^2 \quad\text{under either relation}

    :math:`R^2` serves where :math:`N` is private. Parameters and errors as `mean`; squared units of the target.
    """
    spread, n = _check(n, lower, upper, neighbours), int(n)
    return (n - 1) * spread**2 / n


def sse_removed(n: int, removed: int, lower: float | Fraction, upper: float | Fraction) -> float | Fraction:
    r"""The most that removing `removed` of `n` targets changes the sum of squared errors.

    .. math:: \frac{k (N - k)}{N} R^2, \quad k = \min(\delta, \lfloor N/2 \rfloor)

    The tight form of "sensitivity of objective", DiPriMe v1, A.2.1 (v2, B.1: "sensitivity of SSE"). `n`: records
    before; `removed`: records that leave, :math:`\delta`, from 0 to `n`.
    """
    spread, n = _check(n, lower, upper), int(n)
    if errors.check_integer(removed, "removed", 0) > n:
        raise ValueError(f"removed must be at most n={n}, got {removed!r}")
    k = int(min(removed, n // 2))
    return k * (n - k) * spread**2 / n


def split_mse(
    n: int, lower: float | Fraction, upper: float | Fraction, neighbours: str = "add-remove"
) -> float | Fraction:
    r"""Sensitivity of the error of a partition: the children's summed squared errors over `n`.

    .. math:: \Delta = \frac{N - 1}{N^2} R^2 \quad\text{under either relation}

    The score of DiPriMe v1, section 3 and v2, section 3.1, for any fixed cut and any number of children.
    Parameters and errors as `mean`.
    """
    return mse(n, lower, upper, neighbours)


def children_mse(
    n: int, lower: float | Fraction, upper: float | Fraction, neighbours: str = "add-remove"
) -> float | Fraction:
    r"""Sensitivity of the unweighted mean of two children's errors, an empty child counting 0.

    .. math:: \frac{R^2}{8}\ \text{(add-remove)},\qquad
       \frac{R^2}{8}\Bigl(1 + \frac{4}{m + 1}\frac{\lfloor m^2/4 \rfloor}{m^2}\Bigr),\ m = N - 2
       \ \text{(replace-one)},\qquad N \ge 2

    It does not fall with :math:`N`: no bound of order :math:`1/N` covers this reading of the papers' "mean squared
    error". Parameters and errors as `mean`; under replace-one the record may change sides.
    """
    square = _check(n, lower, upper, neighbours) ** 2
    if n == 1:
        return 0 * square
    m = n - 2
    if neighbours == "add-remove" or m == 0:
        return square / 8
    return square * (m * m * (m + 1) + 4 * (m * m // 4)) / (8 * m * m * (m + 1))


def split_score(n: int, neighbours: str = "add-remove") -> int:
    r"""Sensitivity of :math:`q = -\bigl| |left| - |right| \bigr|` at one fixed split: 1 or 2.

    DiPriMe v2, section 3.1. One record alone can't change the score by moving, so replace-one gives 0 for `n` = 1.
    """
    _check(n, 0, 0, neighbours)
    return 1 if neighbours == "add-remove" else min(2 * (n - 1), 2)


def counts(n: int, neighbours: str = "add-remove") -> int:
    """Sensitivity of a vector of class counts in L1: 1 under add-remove, 2 under replace-one.

    DiPriMe v1, section 3, for two classes or more.
    """
    _check(n, 0, 0, neighbours)
    return 1 if neighbours == "add-remove" else 2


# As published --------------------------------------------------------------------------------


def published_mean(n: int, lower: Fraction, upper: Fraction) -> Fraction:
    r""":math:`(B_U - B_L)/N` (DiPriMe v1, A.1.1); on :math:`[-B, B]` this is v2's :math:`2B/N`."""
    return _check(n, lower, upper) / n


def published_mse(n: int, lower: int | Fraction, upper: int | Fraction) -> float | Fraction:
    r""":math:`4B^2/N` (DiPriMe v1, A.1.2; v2, A.2), see :doc:`/book/sensitivity`."""
    _check(n, lower, upper)
    return 4 * max(abs(lower), abs(upper)) ** 2 / n


def published_sse(removed: int, lower: float, upper: float) -> int:
    r""":math:`4B^2\delta` for :math:`\delta` removed targets (DiPriMe v1, A.2.1; v2, B.1)."""
    _check(1, lower, upper)
    return 4 * max(abs(lower), abs(upper)) ** 2 * errors.check_integer(removed, "removed", 0)


# The statistics ------------------------------------------------------------------------------


def _numbers(values: list) -> list:
    """Return `values` as a list of numbers, fractions as they are."""
    found = errors.check_sequence(values, "values")
    if not all(isinstance(v, Real) and v == v for v in found):
        raise ValueError("values must be numbers, got a sequence with others")
    return found


def mean_of(values: tuple) -> Fraction:
    """Mean of a non-empty sequence of numbers; exact on fractions."""
    values = _numbers(values)
    if len(values) == 0:
        raise ValueError(f"values must hold at least one number to have a mean, got {values!r}")
    return sum(values) / len(values)


def sse_of(values: list) -> float | Fraction:
    """Sum of squared distances from the mean, 0 for an empty sequence; exact on fractions."""
    values = _numbers(values)
    if len(values) == 0:
        return Fraction(0)
    return sum(v * v for v in values) - sum(values) ** 2 / len(values)


def mse_of(values: list) -> Fraction:
    """Variance with divisor N, 0 for an empty sequence; exact on fractions."""
    return sse_of(values) / max(len(values), 1)


def _children(records: tuple) -> list:
    """The targets of each child, from records (side, target) with side 0 or 1."""
    pairs = errors.check_sequence(records, "records")
    if any(np.ndim(pair) != 1 or len(pair) != 2 for pair in pairs):
        raise ValueError("records must be pairs (side, target)")
    return [[y for s, y in pairs if s == side] for side in (0, 1)]


def split_mse_of(records: tuple) -> Fraction:
    """The children's summed squared errors over N; `records` are pairs (side, target)."""
    return sum(map(sse_of, _children(records))) / max(len(records), 1)


def children_mse_of(records: tuple) -> Fraction:
    """Unweighted mean of the two children's errors; `records` are pairs (side, target)."""
    return sum(map(mse_of, _children(records))) / 2


def split_score_of(records: tuple):
    """Minus the difference of the children's sizes; `records` are pairs (side, target)."""
    left, right = map(len, _children(records))
    return -abs(left - right)


def counts_of(labels: tuple, classes: int) -> tuple:
    """How often each of the labels 0, ..., classes - 1 occurs, as a tuple."""
    labels, classes = errors.check_sequence(labels, "labels"), errors.check_integer(classes, "classes", 1)
    return tuple(sum(label == k for label in labels) for k in range(classes))


def _entries(value: Fraction) -> list:
    """The numbers of a sequence, or a number alone."""
    if isinstance(value, (tuple, list, np.ndarray)):
        return [entry.item() if isinstance(entry, np.generic) else entry for entry in value]
    return [value]


# The search ----------------------------------------------------------------------------------


class WorstCase(NamedTuple):
    """The largest change found, and the two data sets (tuples of records) that show it."""

    value: Real
    data: tuple
    neighbour: tuple


def distance(a: Fraction, b: Fraction) -> Fraction:
    """L1 distance of two values of a statistic, numbers or sequences of them."""
    first, second = _entries(a), _entries(b)
    numbers = all(isinstance(v, Real) and v == v for v in [*first, *second])
    if not numbers or len(first) != len(second):
        raise ValueError("a and b must be numbers, or sequences of as many numbers")
    return sum(abs(x - y) for x, y in zip(first, second))


def worst_case(
    statistic: Callable,
    n: int,
    lower: int | Fraction,
    upper: int | Fraction,
    neighbours: str = "add-remove",
    *,
    grid: int = 3,
    sides: int = 1,
) -> WorstCase:
    """Sensitivity by enumerating every pair of neighbouring data sets on a grid, in fractions.

    Returns the largest change and the first pair that attains it: a lower bound of the sensitivity,
    equal to it where the grid holds a worst case.

    Parameters
    ----------
    statistic
        Takes a tuple of records, gives a number or a sequence of numbers (compared in L1), and doesn't depend
        on the records' order.
    n : records; those of the larger data set under add-remove
    lower, upper : public bounds of the target
    grid : targets tried, evenly spaced, both bounds included; at least 2
    sides : with 1 a record is a target; with more it is a pair (side, target), side from 0
    """
    statistic = errors.check_callable(statistic, "statistic")
    spread = Fraction(_check(n, lower, upper, neighbours))
    kinds = _records(Fraction(errors.check_finite(lower, "lower")), spread, grid, sides)
    best = WorstCase(-1, (), ())
    for common in combinations_with_replacement(kinds, n - 1):
        full = [(data, statistic(data)) for data in ((*common, record) for record in kinds)]
        if neighbours == "add-remove":
            without = (common, statistic(common))
            pairs = [(one, without) for one in full]
        else:
            pairs = combinations(full, 2) if len(full) > 1 else [(full[0], full[0])]
        for (data, here), (neighbour, there) in pairs:
            if (gap := distance(here, there)) > best.value:
                best = WorstCase(gap, data, neighbour)
    return best


def _records(lower: Fraction, spread: Fraction, grid: int, sides: int) -> list:
    grid = errors.check_integer(grid, "grid", 2)
    sides = errors.check_integer(sides, "sides", 1)
    targets = sorted({lower + spread * i / (grid - 1) for i in range(grid)})
    return targets if sides == 1 else [(s, y) for s in range(sides) for y in targets]


def worst_case_continuous(
    statistic: Callable,
    n: int,
    lower: float,
    upper: float,
    neighbours: str = "add-remove",
    *,
    sides: int = 1,
    starts: int = 20,
    rng: np.random.Generator,
) -> WorstCase:
    """Sensitivity by climbing from random pairs of neighbouring data sets, off every grid.

    Each start draws the sides and the targets at random and follows the gradient (L-BFGS-B) inside the bounds;
    the first arguments and the answer are those of `worst_case`. `starts`: climbs, at least 1.
    """
    statistic, sides = errors.check_callable(statistic, "statistic"), errors.check_integer(sides, "sides", 1)
    from scipy.optimize import minimize  # slow to import, and needed here alone

    _check(n, lower, upper, neighbours)
    starts = errors.check_integer(starts, "starts", 1)
    errors.check_rng(rng)
    size = n + (neighbours == "replace-one")
    best = WorstCase(-1.0, (), ())
    for _ in range(starts):
        where = rng.integers(sides, size=size).tolist()

        def pair(targets: np.ndarray, where: list = where) -> tuple:
            records = targets.tolist() if sides == 1 else list(zip(where, targets.tolist()))
            shared = tuple(records[: n - 1])
            return (*shared, records[n - 1]), (*shared, *records[n:])

        def fall(targets: np.ndarray, pair: Callable = pair) -> float:
            data, neighbour = pair(targets)
            return -float(distance(statistic(data), statistic(neighbour)))

        start = rng.uniform(float(lower), float(upper), size)
        found = minimize(fall, start, method="L-BFGS-B", bounds=[(float(lower), float(upper))] * size)
        if -found.fun > best.value:
            best = WorstCase(-float(found.fun), *pair(found.x))
    return best
