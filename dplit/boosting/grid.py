"""Where a boosted tree may cut: points, sets of levels and directions that the public domain alone decides."""

from collections.abc import Sequence
from itertools import permutations

import numpy as np

from dplit.ground.errors import check_finite, check_integer, check_numbers, check_rng, check_sequence, check_whole

FAR = np.logspace(-3, -1.2, 16)  # shares of the width at which a skewed column is cut as well


def public_cuts(lower: float, upper: float, steps: int = 64) -> np.ndarray:
    """Cuts of a continuous column: equal steps, and points crowding at both ends and around 0.

    A column of money or of counts has most of its values near one end of generous public bounds; the crowding
    points reach them without a private quantile. `lower`, `upper`: public bounds of the column; `steps`: equal
    steps of the interval. The cuts are increasing, distinct, within the bounds and below
    the upper one; a record goes right where its value is above the cut. Empty where the bounds are one point.
    """
    lower, upper = check_finite(lower, "lower"), check_finite(upper, "upper")
    if lower > upper:
        raise ValueError(f"lower must be at most upper, got lower={lower!r}, upper={upper!r}")
    return _cuts(lower, upper, check_integer(steps, "steps", 1))


def cuts_of_columns(bounds: np.ndarray, n_levels: np.ndarray, steps: int) -> list:
    """Cuts of each column of a domain, as `public_cuts`; none of a categorical one.

    `bounds`: shape (n_features, 2); `n_levels`: 0 of a continuous column, shape (n_features,), as a
    `dplit.Domain`, which has checked both, gives them.
    """
    steps = check_integer(steps, "steps", 1)
    columns = zip(bounds.tolist(), n_levels.tolist(), strict=True)
    return [np.empty(0) if n else _cuts(*ends, steps) for ends, n in columns]


def _cuts(lower: float, upper: float, steps: int) -> np.ndarray:
    width = upper - lower
    unit = 2.0 ** steps.bit_length() if width > 1 else 1.0  # exact, and no multiple overflows
    parts = [lower + width / unit * np.arange(1, steps) / steps * unit, lower + width * FAR, upper - width * FAR]
    if lower < 0 < upper:
        parts += [np.zeros(1), upper * FAR, lower * FAR]
    cuts = np.unique(np.concatenate(parts))
    return cuts[(lower <= cuts) & (cuts < upper)]


def level_sets(n_levels: int, rng: np.random.Generator) -> np.ndarray:
    """Sets of levels that go right: each level alone, and as many random halves.

    `rng` reads no record; the halves may be drawn anew for each test. Returns bools of shape (n_sets, n_levels):
    one set where there are two levels, none where there is one.
    """
    n_levels, rng = check_integer(n_levels, "n_levels", 1), check_rng(rng)
    if n_levels < 3:
        return np.eye(n_levels, dtype=bool)[1:]
    return np.concatenate([np.eye(n_levels, dtype=bool), rng.random((n_levels, n_levels)) < 0.5])


def bins_of_codes(n_codes: int, levels: int) -> np.ndarray:
    """Bin of each code when a column's codes are parted into 2**levels, as equally as can be.

    Returns an array of int64 of shape (n_codes,), non-decreasing.
    """
    n_codes, levels = check_integer(n_codes, "n_codes", 1), check_integer(levels, "levels", 0, 30)
    return (np.arange(n_codes) << levels) // n_codes


def directions(continuous: Sequence[int], most: int) -> list:
    """Differences of two columns that serve as columns as well.

    With :math:`z` the share of a column's public interval they are :math:`z_i - z_j` and
    :math:`z_i - z_j/2`: a small regression finds by one test what would take it many.
    `continuous`: places of the columns with two different bounds; `most`: more directions than these are none
    at all. Returns triples (i, j, weight of the second column).
    """
    continuous = check_whole(continuous, "continuous", 0, ndim=1).tolist()
    most = check_integer(most, "most", 0)
    found = [(i, j, 1.0) for i, j in permutations(continuous, 2) if i < j]
    halves = [(i, j, 0.5) for i, j in permutations(continuous, 2)]
    if len(found) > most:
        return []
    return found + halves if len(found + halves) <= most else found


def _direction(taken: tuple, n_features: int) -> tuple:
    """Two columns, and the weight of the second one."""
    if np.ndim(taken) != 1 or len(taken) != 3:
        raise ValueError("taken must be triples (column, column, weight)")
    i, j = (check_integer(column, "taken", 0, n_features - 1) for column in taken[:2])
    return i, j, check_finite(taken[2], "taken")


def along(X: np.ndarray, bounds: np.ndarray, taken: list) -> np.ndarray:
    """Values of the records along directions, float64 array of shape (n_records, len(taken)).

    `X`: within the bounds, shape (n_records, n_features); `bounds`: shape (n_features, 2); `taken`: as
    `directions` gives them, of (int, int, float).
    """
    X, bounds = check_numbers(X, "X", ndim=2), check_numbers(bounds, "bounds", ndim=2)
    if bounds.shape != (X.shape[1], 2):
        raise ValueError(f"bounds must be two for each of {X.shape[1]} columns, got {bounds.shape}")
    taken = [_direction(pair, len(bounds)) for pair in check_sequence(taken, "taken")]
    if not all(bounds[j, 0] < bounds[j, 1] for pair in taken for j in pair[:2]):
        raise ValueError("bounds must be lower < upper in each column that is taken")
    lower, width = bounds[:, 0], bounds[:, 1] - bounds[:, 0]
    shares = {j: (X[:, j] - lower[j]) / width[j] for pair in taken for j in pair[:2]}
    return np.array([shares[i] - c * shares[j] for i, j, c in taken]).reshape(-1, len(X)).T
