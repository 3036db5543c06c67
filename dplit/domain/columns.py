"""What is public about one column: an interval, or a list of levels."""

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from numbers import Real

import numpy as np
import pandas as pd

# Equal public steps between the bounds of a continuous column, and of a target: see `dplit.trees.grid`.
GRID = 2**32


@dataclass(frozen=True)
class Continuous:
    """A column of real numbers in the public interval ``[lower, upper]``.

    A record outside the interval is clipped to it: its value moves to the nearer end.

    Parameters
    ----------
    lower, upper : float
        Public bounds, finite and no further apart than the largest float, ``lower <= upper``; in the
        column's own units.
    """

    lower: float
    upper: float

    def __post_init__(self):
        for name in ("lower", "upper"):
            value = getattr(self, name)
            if not _is_finite(value):
                raise ValueError(f"{name} must be a finite number, got {value!r}")
            object.__setattr__(self, name, float(value))
        if self.lower > self.upper:
            raise ValueError(f"lower must be at most upper, got lower={self.lower}, upper={self.upper}")
        if math.isinf(self.upper - self.lower):  # no uniform cut could be drawn
            raise ValueError(
                f"lower must be within {np.finfo(float).max:.3g} of upper, "
                f"got lower={self.lower}, upper={self.upper}"
            )

    def encode(self, values, name):
        """Return `values` as floats inside the bounds; what is no finite number is an error."""
        values = np.asarray(values)
        if values.dtype.kind in "mM":
            raise ValueError(
                f"column {name!r} must hold numbers, got dates or times: count them from a public day, "
                "as pandas' (dates - day).dt.days does"
            )
        try:
            if values.dtype.kind == "c":
                raise TypeError
            numbers = values.astype(np.float64, copy=False)
        except (TypeError, ValueError, OverflowError):
            raise ValueError(f"column {name!r} must hold numbers, got a cell that is none") from None
        if not np.isfinite(numbers).all():
            raise ValueError(
                f"column {name!r} must hold finite numbers, got a missing or infinite one (NaN, inf): "
                "impute a constant, as SimpleImputer(strategy='constant') does, or drop such records"
            )
        return np.clip(numbers, self.lower, self.upper)


@dataclass(frozen=True, repr=False)
class Categorical:
    """A column with a public list of levels.

    Parameters
    ----------
    levels : sequence of hashable
        Every value that the column may take, whether or not it occurs; no duplicates (1, 1.0 and
        True are one value) and no missing ones. A value outside the list is an error.
    missing : bool, default=False
        Whether a missing value (None, NaN, NA) is one more level, after the others; otherwise it is an error.
    """

    levels: tuple
    missing: bool = False

    def __init__(self, levels: Iterable, missing: bool = False):
        unordered = isinstance(levels, (str, bytes, set, frozenset))
        if unordered or not isinstance(levels, Iterable):
            raise ValueError(f"levels must be a list of values in order, got {levels!r}")
        levels = tuple(v.item() if isinstance(v, np.generic) else v for v in levels)
        if not all(isinstance(v, Hashable) for v in levels):
            raise ValueError(f"levels must be numbers, strings or the like, got {levels!r}")
        if any(is_missing(v) for v in levels):
            raise ValueError(
                f"levels must not be missing values, got {levels!r}: name that level, or pass missing=True"
            )
        if not levels or len(set(levels)) != len(levels):
            raise ValueError(f"levels must be distinct and at least one, got {levels!r}")
        if not isinstance(missing, (bool, np.bool_)):
            raise ValueError(f"missing must be True or False, got {missing!r}")
        object.__setattr__(self, "levels", levels)
        object.__setattr__(self, "missing", bool(missing))

    def __repr__(self):
        return f"Categorical(levels={self.levels!r}{', missing=True' if self.missing else ''})"

    @property
    def size(self):
        """Number of levels, the missing value's among them."""
        return len(self.levels) + self.missing

    def encode(self, values, name):
        """Return each value's position in `levels`, as floats; an unknown level is an error."""
        try:
            uniques, inverse = distinct(values)
        except TypeError:  # a list in a cell
            raise ValueError(
                f"column {name!r} must hold levels, got a cell that cannot be one, as a list"
            ) from None
        known = {level: i for i, level in enumerate(self.levels)}
        codes = [self._missing_code(name) if is_missing(v) else known.get(v, -1) for v in uniques]
        if -1 in codes:
            shown = ", ".join(map(repr, self.levels[:12])) + (", ..." if len(self.levels) > 12 else "")
            raise ValueError(f"column {name!r} must hold levels of its list, got another; its levels are {shown}")
        return np.asarray(codes, dtype=np.float64)[inverse]

    def _missing_code(self, name):
        if not self.missing:
            raise ValueError(
                f"column {name!r} has missing values: Categorical(levels, missing=True) makes them a "
                "level; otherwise drop them, or impute a constant"
            )
        return len(self.levels)


class EncodedColumns:
    """Records of a data frame as an array whose columns, ``[:, j]``, are encoded each time they are read.

    All are checked at once, so that a fit refuses them before it draws noise; of levels the codes are kept, a
    byte or two each. It is for one who keeps less of a column than a float.

    `features`: one for each column, in the order in which they are to be read. `places`: where each stands in the
    frame, and what errors call it.
    """

    def __init__(
        self, features: Sequence[Continuous | Categorical], frame: pd.DataFrame, places: list[tuple[int, Hashable]]
    ):
        self.shape = frame.shape
        columns = zip(features, places, strict=True)
        self._columns = [_kept(f, frame.iloc[:, place], name) for f, (place, name) in columns]

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, key: tuple) -> np.ndarray:
        rows, j = key
        values, ends = self._columns[j]
        values = np.asarray(values).astype(np.float64, copy=False)
        return values[rows] if ends is None else np.clip(values, *ends)[rows]

    def __array__(self, dtype=None, copy=None) -> np.ndarray:
        columns = [self[:, j] for j in range(self.shape[1])]
        return np.column_stack(columns).astype(dtype or np.float64, copy=False)


def _kept(feature: Continuous | Categorical, values: pd.Series, name: Hashable) -> tuple:
    """A column that was checked, with its bounds; or the codes of its levels, with none."""
    encoded = feature.encode(values, name)
    if isinstance(feature, Continuous):
        return values, (feature.lower, feature.upper)
    return encoded.astype(np.min_scalar_type(len(feature.levels))), None


def _is_finite(value):
    try:
        return not isinstance(value, bool) and isinstance(value, Real) and math.isfinite(value)
    except OverflowError:  # an integer beyond the floats
        return False


def is_missing(value):
    return value is None or value is pd.NA or value is pd.NaT or value != value


def distinct(values):
    """Distinct values as Python objects, and each record's index among them."""
    held = getattr(values, "array", values)
    if isinstance(held, pd.Categorical):  # which has numbered them already; -1 is a missing one
        inverse, used = pd.factorize(held.codes, use_na_sentinel=False)
        uniques = np.append(np.asarray(held.categories, dtype=object), np.nan)[used]
    else:
        inverse, uniques = pd.factorize(np.asarray(values, dtype=object), use_na_sentinel=False)
    return [u.item() if isinstance(u, np.generic) else u for u in uniques], inverse


@cache
def compiled_all_inside():
    """The function `_all_inside`, compiled: for many records, in one pass."""
    from numba import njit  # slow to import

    return njit(cache=True, nogil=True)(_all_inside)


def _all_inside(X, lower, upper):
    """Whether every number lies between the bounds of its column; one that is missing lies nowhere."""
    n, m = X.shape
    outside = 0
    for i in range(n):
        for j in range(m):  # without a branch, so that several columns are compared at once
            outside += not ((lower[j] <= X[i, j]) & (X[i, j] <= upper[j]))
        if outside:
            return False
    return True
