"""What is public about the columns of a data set.

A private tree may cut only where everybody may look. A `Domain` says where that is: for each
column an interval (`Continuous`) or a list of levels (`Categorical`), fixed before the data are
seen. In the RDF paper this is the schema that "is publicly available, including the domain of
each of the features" (section 1.1).
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from numbers import Real

import numpy as np
import pandas as pd

from dplit.errors import warn_leak

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
            raise ValueError(
                f"lower must be at most upper, got lower={self.lower}, upper={self.upper}"
            )
        if math.isinf(self.upper - self.lower):  # no uniform cut could be drawn
            raise ValueError(
                f"lower must be within {np.finfo(float).max:.3g} of upper, "
                f"got lower={self.lower}, upper={self.upper}"
            )

    def encode(self, values, name):
        """Return `values` as floats inside the bounds; what is no finite number is an error."""
        values = np.asarray(values)
        try:
            if values.dtype.kind in "cmM":
                raise TypeError
            numbers = values.astype(np.float64, copy=False)
        except (TypeError, ValueError, OverflowError):
            raise ValueError(
                f"column {name!r} must hold numbers, got a cell that is none"
            ) from None
        if not np.isfinite(numbers).all():
            raise ValueError(
                f"column {name!r} must hold finite numbers, got a missing or infinite one (NaN, inf): "
                "drop or impute such values by a rule that does not read the data"
            )
        return np.clip(numbers, self.lower, self.upper)


@dataclass(frozen=True)
class Categorical:
    """A column with a public list of levels.

    Parameters
    ----------
    levels : sequence of hashable
        Every value that the column may take, whether or not it occurs; no duplicates (1, 1.0 and
        True are one value) and no missing ones. A value outside the list is an error.
    """

    levels: tuple
    _codes: dict = field(init=False, repr=False, compare=False)

    def __init__(self, levels: Iterable):
        unordered = isinstance(levels, (str, bytes, set, frozenset))
        if unordered or not isinstance(levels, Iterable):
            raise ValueError(f"levels must be a list of values in order, got {levels!r}")
        levels = tuple(v.item() if isinstance(v, np.generic) else v for v in levels)
        if not all(isinstance(v, Hashable) for v in levels):
            raise ValueError(f"levels must be numbers, strings or the like, got {levels!r}")
        if any(_is_missing(v) for v in levels):
            raise ValueError(f"levels must not be missing values, got {levels!r}: name that level")
        codes = {level: i for i, level in enumerate(levels)}
        if not levels or len(codes) != len(levels):
            raise ValueError(f"levels must be distinct and at least one, got {levels!r}")
        object.__setattr__(self, "levels", levels)
        object.__setattr__(self, "_codes", codes)

    def encode(self, values, name):
        """Return each value's position in `levels`, as floats; an unknown level is an error."""
        try:
            uniques, inverse = _distinct(values)
        except TypeError:  # a list in a cell
            raise ValueError(
                f"column {name!r} must hold levels, got a cell that cannot be one, as a list"
            ) from None
        codes = [self._codes.get(v, -1) for v in uniques]
        if -1 in codes:
            bad = uniques[codes.index(-1)]
            if _is_missing(bad):
                raise ValueError(
                    f"column {name!r} has missing values: give them a level or drop them"
                )
            shown = ", ".join(map(repr, self.levels[:12])) + (
                ", ..." if len(self.levels) > 12 else ""
            )
            raise ValueError(
                f"column {name!r} must hold levels of its list, got another; its levels are {shown}"
            )
        return np.asarray(codes, dtype=np.float64)[inverse]


def _is_finite(value):
    try:
        return not isinstance(value, bool) and isinstance(value, Real) and math.isfinite(value)
    except OverflowError:  # an integer beyond the floats
        return False


def _few(names):
    """The first five names, and how many more there are."""
    return f"{names[:5]} and {len(names) - 5} more" if len(names) > 5 else f"{names}"


def _is_missing(value):
    return value is None or value is pd.NA or value is pd.NaT or value != value


def _distinct(values):
    """Distinct values as Python objects, and each record's index among them."""
    inverse, uniques = pd.factorize(np.asarray(values, dtype=object), use_na_sentinel=False)
    return [u.item() if isinstance(u, np.generic) else u for u in uniques], inverse


class Domain:
    """The public description of all columns, in order.

    Parameters
    ----------
    features : sequence of Continuous or Categorical, length n_features
    names : sequence, optional
        Column names, distinct as strings. Data frames are then matched by name, in any order.

    Attributes
    ----------
    features : tuple of Continuous or Categorical
    names : tuple of str or None
    data_dependent : tuple of str
        Columns whose bounds or levels were read off private data. A fit that uses them reports
        an infinite epsilon.
    """

    def __init__(self, features, names=None, *, data_dependent=()):
        if isinstance(features, Mapping):
            raise ValueError(
                "features must be a list of columns, got a mapping: "
                "pass features=list(d.values()), names=list(d) for the mapping d"
            )
        if not isinstance(features, Iterable):
            raise ValueError(f"features must be a list of columns, got {features!r}")
        self.features = tuple(features)
        for i, feature in enumerate(self.features):
            if not isinstance(feature, (Continuous, Categorical)):
                raise ValueError(
                    f"features[{i}] must be Continuous or Categorical, got {feature!r}"
                )
        if not self.features:
            raise ValueError("features must hold at least one column, got none")
        if isinstance(names, str) or not (names is None or isinstance(names, Iterable)):
            raise ValueError(f"names must be a list of names, got {names!r}")
        self.names = None if names is None else tuple(map(str, names))
        if self.names is not None and len(set(self.names)) != len(self.features):
            raise ValueError(
                f"names must be {len(self.features)} distinct names, one for each feature, got {list(self.names)}"
            )
        self.data_dependent = tuple(map(str, data_dependent))

    def __len__(self):
        return len(self.features)

    def __iter__(self):
        return iter(self.features)

    def __eq__(self, other):
        return isinstance(other, Domain) and vars(self) == vars(other)

    def __hash__(self):
        return hash((self.features, self.names, self.data_dependent))

    def __repr__(self):
        names = self.names or range(len(self))
        inside = ", ".join(f"{n}: {f}" for n, f in list(zip(names, self.features))[:4])
        return f"Domain({inside}{', ...' if len(self) > 4 else ''})"

    @property
    def n_continuous(self):
        """Number of continuous columns."""
        return sum(isinstance(f, Continuous) for f in self.features)

    @property
    def n_levels(self):
        """Number of levels of each column, int array of shape (n_features,); 0 if continuous."""
        return np.array(
            [len(f.levels) if isinstance(f, Categorical) else 0 for f in self.features],
            dtype=np.int64,
        )

    @property
    def bounds(self):
        """Lower and upper bounds, float array of shape (n_features, 2); zeros if categorical."""
        return np.array(
            [(f.lower, f.upper) if isinstance(f, Continuous) else (0.0, 0.0) for f in self.features]
        )

    def encode(self, X):
        """Records as floats: clipped values of continuous columns, level codes of categorical ones.

        Parameters
        ----------
        X : DataFrame or array_like, shape (n_records, n_features)

        Returns
        -------
        ndarray of float64, shape (n_records, n_features), C order; `X` itself if it is one already
        and lies inside the domain

        Raises
        ------
        ValueError
            If a width, a name, a level or a number is not of this domain; the message names it.
        """
        if isinstance(X, pd.DataFrame) and self.names is not None:
            self._check_columns(list(map(str, X.columns)))
        if not isinstance(X, (pd.DataFrame, np.ndarray)):
            X = np.asarray(X, dtype=object)
        shape = X.shape
        if len(shape) != 2 or shape[1] != len(self):
            raise ValueError(
                f"X must have {len(self)} columns, as domain has, got an input of shape {shape}"
            )
        if isinstance(X, np.ndarray) and X.dtype.kind in "iuf" and self.n_continuous == len(self):
            return self._encode_numbers(X)
        encoded = np.empty(shape, order="C")
        for j, (name, values) in enumerate(self._columns(X)):
            encoded[:, j] = self.features[j].encode(values, name)
        return encoded

    def _check_columns(self, columns):
        given, wanted = set(columns), set(self.names)
        missing = [n for n in self.names if n not in given]
        if missing:
            raise ValueError(f"X must have the columns of domain, missing {_few(missing)}")
        extra = [c for c in columns if c not in wanted]
        if extra:
            raise ValueError(f"X has columns that domain has not: {_few(extra)}; drop them")
        if len(columns) > len(given):
            twice = sorted({c for c in columns if columns.count(c) > 1})
            raise ValueError(f"X must have distinct columns, got {twice[:5]} more than once")

    def _columns(self, X):
        if isinstance(X, pd.DataFrame):
            columns = [(str(c), X.iloc[:, i]) for i, c in enumerate(X.columns)]
            by_name = dict(columns)
            return [(n, by_name[n]) for n in self.names] if self.names else columns
        return [(n, X[:, j]) for j, n in enumerate(self.names or range(len(self)))]

    def _encode_numbers(self, X):
        """The all-continuous case, one pass over the array."""
        X = np.asarray(X, dtype=np.float64)
        lower, upper = self.bounds.T
        low, high = X.min(axis=0, initial=np.inf), X.max(axis=0, initial=-np.inf)
        if not (np.isfinite(low).all() and np.isfinite(high).all()) and len(X):
            for j in np.flatnonzero(~(np.isfinite(low) & np.isfinite(high))).tolist():
                self.features[j].encode(X[:, j], self.names[j] if self.names else j)
        if (low >= lower).all() and (high <= upper).all():
            return np.ascontiguousarray(X)
        return np.clip(X, lower, upper, order="C")

    @classmethod
    def from_frame(cls, frame, bounds: Mapping | None = None):
        """The domain of a data frame, columns in the frame's order.

        A categorical dtype gives its categories and a boolean one its two values: both are part
        of the schema (``astype("category")`` without a list takes the observed levels: pass the
        list in `bounds` instead). Every other column needs an entry in `bounds`: ``(lower, upper)`` for a
        continuous column, a list of three or more levels or a `Categorical` for a categorical one.
        What has no entry is read off the data, with a `PrivacyLeakWarning`, and is listed in
        `data_dependent`.

        Parameters
        ----------
        frame : DataFrame
        bounds : mapping of column name to (lower, upper), Continuous, Categorical or list of levels

        Raises
        ------
        ValueError
            If `bounds` names a column that is not there, or its entry describes none.
        """
        bounds = {str(column): given for column, given in (bounds or {}).items()}
        unknown = sorted(set(bounds) - set(map(str, frame.columns)))
        if unknown:
            raise ValueError(f"bounds names columns that frame does not have: {unknown}")
        features, leaked = [], []
        for i, column in enumerate(frame.columns):
            values, given = frame.iloc[:, i], bounds.get(str(column))
            if given is not None:
                features.append(_feature(given, column))
            elif isinstance(values.dtype, pd.CategoricalDtype):
                features.append(Categorical(values.dtype.categories))
            elif pd.api.types.is_bool_dtype(values.dtype):
                features.append(Categorical([False, True]))
            else:
                features.append(_observed(values, column))
                leaked.append(str(column))
        if leaked:
            warn_leak(
                f"the domain of {_few(leaked)} was read off the data: "
                "pass bounds for these columns, or epsilon is infinite"
            )
        return cls(features, names=frame.columns, data_dependent=leaked)

    @classmethod
    def from_data(cls, X):
        """The smallest domain that holds the records of `X`: everything in it depends on the data."""
        if isinstance(X, pd.DataFrame):
            frame = X
        elif isinstance(X, np.ndarray) and X.dtype != object:
            frame = pd.DataFrame(X)
        else:
            frame = pd.DataFrame(np.asarray(X, dtype=object)).infer_objects()
        features = [_observed(frame.iloc[:, j], c) for j, c in enumerate(frame.columns)]
        names = frame.columns if isinstance(X, pd.DataFrame) else None
        return cls(features, names=names, data_dependent=map(str, frame.columns))


def _feature(given, column):
    if isinstance(given, (Continuous, Categorical)):
        return given
    try:
        pair = () if isinstance(given, str) or not isinstance(given, Iterable) else tuple(given)
        if len(pair) == 2 and all(isinstance(v, Real) and not isinstance(v, bool) for v in pair):
            return Continuous(*pair)
        return Categorical(pair or given)
    except ValueError as error:
        raise ValueError(f"bounds of column {column!r}: {error}") from None


def _observed(values, column):
    types = pd.api.types
    if not len(values):
        raise ValueError(f"column {column!r} has no records to read a domain off: pass its bounds")
    if types.is_numeric_dtype(values.dtype) and not types.is_bool_dtype(values.dtype):
        numbers = np.asarray(values, dtype=np.float64)
        if not np.isfinite(numbers).all():
            return Continuous(0.0, 0.0).encode(numbers, column)
        return Continuous(numbers.min(), numbers.max())
    uniques, _ = _distinct(values)
    if any(_is_missing(u) for u in uniques):
        raise ValueError(f"column {column!r} has missing values: give them a level or drop them")
    return Categorical(sorted(uniques, key=lambda v: (str(type(v)), v)))
