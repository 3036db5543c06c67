"""The public description of all columns of a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike
from typing import Any, Self

import numpy as np
import pandas as pd

from dplit.domain import sources
from dplit.domain.columns import Categorical, Continuous, EncodedColumns, is_bare
from dplit.domain.dates import Date
from dplit.ground.errors import few, warn_leak

# What `Domain.from_frame` asks for, of a column that it has to read off the records.
ENTRIES = {Continuous: "(lower, upper)", Categorical: "[levels]", Date: "Date(lower, upper)"}
BLOCK = 2**15  # records that are compared at once, and stay in the processor's cache


class Domain:
    """The public description of all columns, in order.

    Parameters
    ----------
    features : sequence of Continuous, Categorical or Date, one a column; or a mapping of names to them
    names : sequence, optional
        Column names, distinct as strings. Data frames are then matched by name, in any order; an
        array is taken by position.

    Attributes
    ----------
    features : tuple of Continuous, Categorical or Date
        What trees test, length n_features: a `Date` that is read by several things is as many.
    names : tuple of str or None
        Of the features.
    columns, column_names : tuple
        As they were given, one for each column of a table, and their names or None.
    data_dependent : tuple of str
        Columns whose bounds or levels were read off private data. A fit that uses them reports
        an infinite epsilon.

    Examples
    --------
    >>> from dplit import Categorical, Continuous, Domain
    >>> domain = Domain({"age": Continuous(0, 120), "smokes": Categorical(["no", "yes"])})
    >>> print(domain)
    2 columns, all public
    age     0 to 120
    smokes  'no', 'yes'
    >>> domain["smokes"].levels
    ('no', 'yes')
    """

    def __init__(self, features, names=None, *, data_dependent=()):
        keys = features.keys() if isinstance(features, Mapping) else None
        if keys is not None:
            if names is not None:
                raise ValueError("names must be left out with a mapping, whose keys they are")
            features, names = features.values(), keys
        if not isinstance(features, Iterable):
            raise ValueError(f"features must be a list of columns, got {features!r}")
        self.columns = tuple(features)
        for name, feature in zip(keys or range(len(self.columns)), self.columns):
            if not isinstance(feature, (Continuous, Categorical, Date)):
                raise ValueError(
                    f"features[{name!r}] must be Continuous(lower, upper) or Categorical(levels), or Date(lower, "
                    f"upper), got {feature!r}"
                )
        if not self.columns:
            raise ValueError("features must hold at least one column, got none")
        if isinstance(names, str) or not (names is None or isinstance(names, Iterable)):
            raise ValueError(f"names must be a list of names, got {names!r}")
        self.column_names = None if names is None else tuple(map(str, names))
        given = self.column_names or ("",) * len(self.columns)
        if names is not None and len(set(given)) != len(self.columns):
            raise ValueError(
                f"names must be {len(self.columns)} distinct names, one for each feature, got {list(given)}"
            )
        split = [getattr(f, "split", lambda f=f: [("", f)])() for f in self.columns]
        self.features = tuple(f for parts in split for _, f in parts)
        self.names = None if names is None else tuple(n + s for n, parts in zip(given, split) for s, _ in parts)
        if names is not None and len(set(self.names)) < len(self):
            raise ValueError(f"names must leave those of a Date's parts free, got {list(self.names)}")
        self._read_from = tuple(i for i, parts in enumerate(split) for _ in parts)
        self.data_dependent = tuple(map(str, data_dependent))

    def __len__(self):
        return len(self.features)

    def __iter__(self):
        return iter(self.features)

    def __eq__(self, other):
        return isinstance(other, Domain) and vars(self) == vars(other)

    def __hash__(self):
        return hash((self.features, self.names, self.data_dependent))

    def __getitem__(self, column):
        """The column of that name, or at that position."""
        if isinstance(column, str) and self.names is not None and column in self.names:
            return self.features[self.names.index(column)]
        whole = isinstance(column, (int, np.integer)) and not isinstance(column, bool)
        if whole and -len(self) <= column < len(self):
            return self.features[column]
        known = few(self.names) if self.names else f"numbers below {len(self)}"
        raise KeyError(f"column must be one of {known}, got {column!r}")

    def __str__(self):
        return self.describe()

    def __repr__(self):
        names = self.names or range(len(self))
        inside = ", ".join(f"{n}: {f}" for n, f in list(zip(names, self.features))[:4])
        return f"Domain({inside}{', ...' if len(self) > 4 else ''})"

    @property
    def n_continuous(self):
        """Number of features that are tested by thresholds, dates among them."""
        return sum(not isinstance(f, Categorical) for f in self.features)

    @property
    def n_levels(self):
        """Number of levels of each column, int array of shape (n_features,); 0 if continuous."""
        return np.array([f.size if isinstance(f, Categorical) else 0 for f in self.features], dtype=np.int64)

    @property
    def bounds(self):
        """Lower and upper bounds as encoded, float array of shape (n_features, 2); zeros if categorical."""
        return np.array([(0.0, 0.0) if isinstance(f, Categorical) else f.ends for f in self.features])

    def describe(self) -> str:
        """Every column in a line: its name, and its bounds or levels."""
        names = self.names or tuple(map(str, range(len(self))))
        width = max(map(len, names))
        leaked = set(self.data_dependent)
        about = f"{len(leaked)} read off the data" if leaked else "all public"
        lines = [f"{len(self)} columns, {about}" if len(self) > 1 else f"1 column, {about}"]
        for name, feature in zip(names, self.features):
            note = "  (read off the data)" if name in leaked else ""
            lines.append(f"{name:<{width}}  {feature.describe()}{note}")
        return "\n".join(lines)

    def to_dict(self) -> dict:
        """The schema as plain data, for JSON or TOML: what `from_dict` reads.

        ``columns`` is a list with ``lower`` and ``upper`` (of a date as strings) or ``levels`` for each
        column, its ``name``, and its other parameters where they are not their defaults; ``data_dependent`` is
        there where some are. A level that is no string, number or boolean is a `ValueError`.
        """
        names = self.column_names or [None] * len(self.columns)
        columns = [
            sources.column_to_dict(f, n, i if n is None else n)
            for i, (f, n) in enumerate(zip(self.columns, names))
        ]
        leaked = {"data_dependent": list(self.data_dependent)} if self.data_dependent else {}
        return {"columns": columns, **leaked}

    @classmethod
    def from_dict(cls, data: Mapping) -> Self:
        """The domain that `to_dict` described.

        A key that is unknown, and a column that is neither an interval nor a list of levels, are a `ValueError`.
        """
        features, names, leaked = sources.columns_of(data)
        return cls(features, names, data_dependent=leaked)

    def save(self, path: str | PathLike) -> None:
        """Write the schema to a JSON file, whose name ends in .json."""
        sources.write(path, self.to_dict())

    @classmethod
    def load(cls, path: str | PathLike) -> Self:
        """Read a schema from a JSON or TOML file, whose name ends in .json or .toml.

        In TOML a column is a table ``[[columns]]`` with the same keys as in `to_dict`; dates may be TOML's. A
        file that is none of a domain is a `ValueError`, whose message names what is wrong.
        """
        return cls.from_dict(sources.read(path))

    def encode(self, X: Any) -> np.ndarray:
        """Records as floats: clipped values of continuous columns, level codes of categorical ones.

        Values of a log scale are logarithms, dates days since 1970 began or what `Date` says, so that the array,
        of shape (n_records, n_features), has the `bounds` and what a forest's trees test.
        `X` is a data frame of any library or array_like of shape (n_records, n_features). What comes is
        float64 in C order, and `X` itself if it is one already and lies inside the domain. A width, a name, a
        level or a number that is not of this domain is a `ValueError`, whose message names it.
        """
        X = sources.as_pandas(X)
        if not isinstance(X, (pd.DataFrame, np.ndarray)):
            X = np.asarray(X, dtype=object)
        places = places_of(self, X)
        if isinstance(X, np.ndarray) and X.dtype.kind in "iuf" and all(map(is_bare, self.features)):
            return self._encode_numbers(X)
        encoded = np.empty((len(X), len(self)), order="C")
        for j, (place, name) in enumerate(places):
            values = X.iloc[:, place] if isinstance(X, pd.DataFrame) else X[:, place]
            encoded[:, j] = self.features[j].encode(values, name)
        return encoded

    def _check_columns(self, columns):
        given, wanted = set(columns), set(self.column_names)
        missing = [n for n in self.column_names if n not in given]
        if missing:
            raise ValueError(
                f"X must have the columns of domain, missing {few(missing)}{_prefixed(columns, missing)}"
            )
        extra = [c for c in columns if c not in wanted]
        if extra:
            raise ValueError(f"X has columns that domain has not: {few(extra)}; drop them")
        if len(columns) > len(given):
            twice = sorted({c for c in columns if columns.count(c) > 1})
            raise ValueError(f"X must have distinct columns, got {twice[:5]} more than once")

    def _encode_numbers(self, X):
        """The all-continuous case, one pass over the array."""
        X = np.ascontiguousarray(X, dtype=np.float64)
        lower, upper = np.ascontiguousarray(self.bounds.T)
        if _lies_inside(X, lower, upper):
            return X
        if not np.isfinite(X).all():
            j = int(np.flatnonzero(~np.isfinite(X).all(axis=0))[0])
            self.features[j].encode(X[:, j], self.names[j] if self.names else j)
        return np.clip(X, lower, upper)

    @classmethod
    def from_frame(cls, frame: Any, bounds: Mapping | None = None, *, public_categories: bool = False) -> Domain:
        """The domain of a data frame (pandas, polars, pyarrow), columns in the frame's order.

        Every column but a boolean one needs an entry in `bounds`, under its name: ``(lower, upper)`` or a
        `Continuous` for a continuous column, a list of levels (two numbers are bounds), a `Categorical` or a
        `pandas.CategoricalDtype` or polars' Enum for a categorical one, a `Date` for dates. What has no entry is
        read off the data, an error where it has gaps, and listed in `data_dependent`; a `PrivacyLeakWarning`
        writes the entries that it lacks, and names those taken as public. ``print(domain)`` shows each.

        `public_categories` says that the categories of categorical dtypes were declared beforehand and are
        public. By ``astype("category")`` they are those that occur in the data, and a record that brings a
        level shows: so they count as read off the data unless this says otherwise.

        An entry of `bounds` whose column is not there, or that describes none, is a `ValueError`.
        """
        return domain_of_frame(frame, bounds, public_categories)

    @classmethod
    def from_data(cls, X: Any) -> Self:
        """The smallest domain that holds the records of `X`: everything in it depends on the data."""
        X = sources.as_pandas(X)
        if isinstance(X, pd.DataFrame):
            frame = X
        elif isinstance(X, np.ndarray) and X.dtype != object:
            frame = pd.DataFrame(X)
        else:
            frame = pd.DataFrame(np.asarray(X, dtype=object)).infer_objects()
        features = [sources.observed(frame.iloc[:, j], c) for j, c in enumerate(frame.columns)]
        names = frame.columns if isinstance(X, pd.DataFrame) else None
        return cls(features, names=names, data_dependent=map(str, frame.columns))


def domain_of_frame(frame, bounds=None, public_categories=False, stacklevel=4):
    """What `Domain.from_frame` returns; a warning names the line that is `stacklevel` calls away."""
    frame = sources.as_pandas(frame, "frame")
    if not isinstance(frame, pd.DataFrame):
        raise ValueError(f"frame must be a data frame, got a {type(frame).__name__}")
    bounds = {str(column): given for column, given in (bounds or {}).items()}
    unknown = sorted(set(bounds) - set(map(str, frame.columns)))
    if unknown:
        raise ValueError(f"bounds names columns that frame does not have: {unknown}")
    features, leaked = sources.described(frame, bounds, public_categories)
    if leaked:
        columns = dict(zip(map(str, frame.columns), features))
        asked = [f"{name!r}: {ENTRIES[type(columns[name])]}" for name in leaked]
        public = few([name for name in columns if name not in leaked]) or "none"
        warn_leak(
            f"the domain of {few(leaked)} was read off the data: pass bounds={{{', '.join(asked[:5])}"
            f"{', ...' if asked[5:] else ''}}} (public_categories=True if their categories are public), or "
            f"epsilon is infinite; taken as public: {public}",
            stacklevel,
        )
    return Domain(features, names=frame.columns, data_dependent=leaked)


def encoded_columns(domain: Domain, X: pd.DataFrame | np.ndarray) -> EncodedColumns | np.ndarray:
    """What `Domain.encode` gives and refuses, without a copy of a data frame.

    Of a frame a column is encoded when it is read; shape (n_records, n_features).
    """
    if not isinstance(X, pd.DataFrame):
        return domain.encode(X)
    return EncodedColumns(domain.features, X, places_of(domain, X))


def places_of(domain: Domain, X: pd.DataFrame | np.ndarray) -> list[tuple[int, str | int]]:
    """Where each column of a domain stands in a table, and what errors call it.

    A width or a name that is not of this domain is a `ValueError`.
    """
    columns = list(map(str, X.columns)) if isinstance(X, pd.DataFrame) else None
    names, width = domain.column_names, len(domain.columns)
    if columns is not None and names is not None:
        domain._check_columns(columns)
    if len(X.shape) != 2 or X.shape[1] != width:
        raise ValueError(f"X must have {width} columns, as domain has, got an input of shape {X.shape}")
    places = list(enumerate(names or columns or range(width)))
    if columns is not None and names is not None:
        given = {column: place for place, column in enumerate(columns)}
        places = [(given[name], name) for name in names]
    return [places[i] for i in domain._read_from]


def _lies_inside(X, lower, upper):
    """Whether every number lies between its column's bounds; one that is missing lies nowhere."""
    blocks = (X[i : i + BLOCK] for i in range(0, len(X), BLOCK))
    return all(((lower <= block) & (block <= upper)).all() for block in blocks)


def _prefixed(columns, missing):
    """A hint where a transformer has put its name before each column's."""
    tails = {c.split("__", 1)[1] for c in columns if "__" in c}
    if not tails.issuperset(missing):
        return ""
    return "; the names have a transformer's prefix: verbose_feature_names_out=False leaves it out"


def check_domain(domain):
    """Return `domain`; it must be a `Domain` or None."""
    if domain is not None and not isinstance(domain, Domain):
        raise ValueError(
            "domain must be a dplit.Domain, as Domain({'age': Continuous(0, 120), ...}) makes, or None, "
            f"got a {type(domain).__name__}"
        )
    return domain
