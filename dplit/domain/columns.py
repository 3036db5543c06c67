"""What is public about one column: an interval, or a list of levels."""

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, fields
from datetime import date
from numbers import Real

import numpy as np
import pandas as pd

from dplit.ground.errors import check_choice

# Equal public steps between the bounds of a continuous column, and of a target: see `dplit.trees.grid`.
GRID = 2**32
MOST_SHOWN = 60  # characters of a list of levels in `Domain.describe`
TIMES = "date", "datetime", "datetime64", "time", "timedelta", "timedelta64", "period"  # of pandas' infer_dtype
DATED = "Date(lower, upper) is for dates; of a length of time take a number, as pandas' dt.total_seconds() gives"


class Plain:
    """A column whose fields that differ from their defaults are its repr, and its entry in a file."""

    def to_plain(self) -> dict:
        """The fields that differ from their defaults, by name."""
        return {f.name: value for f in fields(self) if (value := getattr(self, f.name)) != f.default}

    def __repr__(self):
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self.to_plain().items())})"


@dataclass(frozen=True, repr=False)
class Continuous(Plain):
    """A column of real numbers in the public interval ``[lower, upper]``.

    A record outside the interval is clipped to it: its value moves to the nearer end.

    Parameters
    ----------
    lower, upper : float
        Public bounds, finite and no further apart than the largest float, ``lower <= upper``; in the
        column's own units.
    scale : {"linear", "log"}
        What cuts and bins divide equally: the interval, or its logarithm, where values differ by factors and
        a wide interval would leave most of its cuts to few records. Exports show the column's own units.
    offset : float
        Added before the logarithm, in the column's units: ``lower + offset`` must be positive; 0 if linear.
    missing : bool
        Whether a missing value (None, NaN, NA) counts as `fill`, in a fit and in a prediction; otherwise it is
        an error.
    fill : float, optional
        A public number within the bounds. Left out, the middle of the interval on its scale.
    """

    lower: float
    upper: float
    scale: str = "linear"
    offset: float = 0.0
    missing: bool = False
    fill: float | None = None

    def __post_init__(self):
        check_choice(self.scale, ("linear", "log"), "scale")
        for name in ("lower", "upper", "offset", *(["fill"] if self.fill is not None else [])):
            value = getattr(self, name)
            if not _is_finite(value):
                hint = "; of dates take Date(lower, upper)" if isinstance(value, date | np.datetime64) else ""
                raise ValueError(f"{name} must be a finite number, got {value!r}{hint}")
            object.__setattr__(self, name, float(value))
        if self.lower > self.upper:
            raise ValueError(f"lower must be at most upper, got lower={self.lower}, upper={self.upper}")
        if math.isinf(self.upper - self.lower) or math.isinf(self.upper + self.offset):  # no uniform cut
            raise ValueError(
                f"lower must be within {np.finfo(float).max:.3g} of upper, "
                f"got lower={self.lower}, upper={self.upper}"
            )
        if self.scale == "linear" and self.offset:
            raise ValueError(f"offset must be 0 where scale is not 'log', got {self.offset}")
        if self.scale == "log" and self.lower + self.offset <= 0:
            raise ValueError(
                f"lower must be above {0 - self.offset:g} on a log scale, got {self.lower:g}: take a positive "
                "lower, to which what is below is clipped, or an offset, as offset=1 for counts"
            )
        check_fill(self, float(self.shown(sum(self.ends) / 2)) if self.missing is True else None)

    @property
    def ends(self) -> tuple[float, float]:
        """Bounds of what `encode` gives."""
        return (*self._scaled(np.array([self.lower, self.upper])).tolist(),)

    def _scaled(self, values):
        return np.log(values + self.offset) if self.scale == "log" else values

    def shown(self, values):
        """What `encode` gave in the column's own units, within its bounds; floats of any shape."""
        values = np.exp(values) - self.offset if self.scale == "log" else values
        return np.clip(values, self.lower, self.upper) if self.scale == "log" else values

    def in_words(self, cut, decimals):
        """A cut in the column's own units; on a log scale `decimals` and one more are its digits."""
        if self.scale == "linear":
            return f"{cut:.{decimals}f}"
        return np.format_float_positional(self.shown(cut), decimals + 1, fractional=False, trim="-")

    def encode(self, values, name):
        """Return `values` as floats inside the bounds; what is no finite number is an error."""
        if holds_dates(values):
            raise ValueError(f"column {name!r} must hold numbers, got dates or times: {DATED}")
        values = np.asarray(values)
        if self.missing and values.dtype.kind == "O":
            values = np.where(pd.isna(values), np.nan, values)
        try:
            if values.dtype.kind == "c":
                raise TypeError
            numbers = values.astype(np.float64, copy=False)
        except (TypeError, ValueError, OverflowError):
            raise ValueError(f"column {name!r} must hold numbers, got a cell that is none") from None
        if self.missing:
            numbers = np.where(np.isnan(numbers), self.fill, numbers)
        if not np.isfinite(numbers).all():
            if self.missing:
                raise ValueError(f"column {name!r} must hold no infinite number: put a bound or NaN in its place")
            raise ValueError(
                f"column {name!r} must hold finite numbers, got a missing or infinite one (NaN, inf): "
                "Continuous(lower, upper, missing=True) counts a missing one as a public number; or impute a "
                "constant, as SimpleImputer(strategy='constant') does, or drop such records"
            )
        return np.clip(self._scaled(np.clip(numbers, self.lower, self.upper)), *self.ends)

    def describe(self):
        """Bounds, scale and fill in words."""
        scale = f" on a log scale{f' of value + {self.offset:g}' if self.offset else ''}"
        fill = f", missing counts as {self.fill:g}" if self.missing else ""
        return f"{self.lower:g} to {self.upper:g}{scale if self.scale == 'log' else ''}{fill}"


@dataclass(frozen=True, repr=False)
class Categorical(Plain):
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
        check_flag(missing)
        object.__setattr__(self, "levels", levels)
        object.__setattr__(self, "missing", bool(missing))

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
        if holds_dates(values):
            raise ValueError(f"column {name!r} must hold levels of its list, got dates or times: {DATED}")
        known = {level: i for i, level in enumerate(self.levels)}
        codes = [self._missing_code(name) if is_missing(v) else known.get(v, -1) for v in uniques]
        if -1 in codes:
            shown = ", ".join(map(repr, self.levels[:12])) + (", ..." if len(self.levels) > 12 else "")
            raise ValueError(f"column {name!r} must hold levels of its list, got another; its levels are {shown}")
        return np.asarray(codes, dtype=np.float64)[inverse]

    def describe(self):
        """The levels in words, shortened where there are many."""
        shown, levels = [], [*map(repr, self.levels)]
        while levels and len(", ".join([*shown, levels[0]])) <= MOST_SHOWN:
            shown.append(levels.pop(0))
        more = [f"... ({self.size} levels)"] if levels else ["missing"] if self.missing else []
        return ", ".join([*shown, *more])

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
        self.shape = len(frame), len(features)
        self._columns = [_kept(f, frame.iloc[:, p], name) for f, (p, name) in zip(features, places, strict=True)]

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, key: tuple) -> np.ndarray:
        rows, j = key
        values, ends = self._columns[j]
        values = np.asarray(values).astype(np.float64, copy=False)
        return values[rows] if ends is None else np.clip(values, *ends)[rows]

    def __array__(self, dtype=None, copy=None) -> np.ndarray:
        return np.column_stack([self[:, j] for j in range(self.shape[1])]).astype(dtype or np.float64, copy=False)


def _kept(feature: Continuous | Categorical, values: pd.Series, name: Hashable) -> tuple:
    """A column that was checked, with its bounds; or the codes of its levels, with none."""
    encoded = feature.encode(values, name)
    if isinstance(feature, Categorical):
        return encoded.astype(np.min_scalar_type(len(feature.levels))), None
    return (values, feature.ends) if is_bare(feature) else (encoded, None)


def is_bare(feature: object) -> bool:
    """Whether a column is encoded by its two bounds alone."""
    return isinstance(feature, Continuous) and feature.scale == "linear" and not feature.missing


def check_fill(feature: object, middle: object) -> None:
    """Keep the public value that a missing one counts as: the column's own, or its `middle`."""
    check_flag(feature.missing)
    if feature.fill is not None and not (feature.missing and feature.lower <= feature.fill <= feature.upper):
        raise ValueError(f"fill must be within the bounds, beside missing=True, got {feature.fill!r}")
    object.__setattr__(feature, "missing", bool(feature.missing))
    object.__setattr__(feature, "fill", middle if feature.fill is None else feature.fill)


def check_flag(missing: object) -> None:
    """Refuse a `missing` that is not True or False."""
    if not isinstance(missing, (bool, np.bool_)):
        raise ValueError(f"missing must be True or False, got {missing!r}")


def holds_dates(values: object) -> bool:
    """Whether a column of records holds dates or times."""
    dtype = getattr(values, "dtype", None)
    if getattr(dtype, "kind", "") == "O" and not isinstance(dtype, pd.api.extensions.ExtensionDtype):
        return pd.api.types.infer_dtype(values, skipna=True) in TIMES
    return getattr(dtype, "kind", "") in ("m", "M") or isinstance(dtype, pd.PeriodDtype)


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
        dtype = getattr(values, "dtype", None)
        plain = isinstance(dtype, np.dtype) and (dtype.kind in "biu" or dtype == np.float64)  # numbers are faster
        inverse, uniques = pd.factorize(np.asarray(values, dtype if plain else object), use_na_sentinel=False)
    return [u.item() if isinstance(u, np.generic) else u for u in uniques], inverse
