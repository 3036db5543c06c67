"""Data frames of any library, and what can be read off one: which is no longer public."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Real

import narwhals as nw
import numpy as np
import pandas as pd

from dplit.domain.columns import Categorical, Continuous, distinct, is_missing


def as_pandas(X):
    """`X` as a pandas frame if it is an eager frame of another library (polars, pyarrow); else `X`.

    Enumerations become categories; other columns keep their values.
    """
    if isinstance(X, (pd.DataFrame, np.ndarray)):
        return X
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        return X
    return pd.DataFrame({name: _column(frame[name]) for name in frame.columns})


def _column(values):
    """One column of a narwhals frame, for pandas."""
    if isinstance(values.dtype, nw.Enum):
        return pd.Categorical(values.cast(nw.String).to_list(), values.dtype.categories)
    if values.dtype == nw.Boolean and not values.is_null().any():
        return pd.Series(values.to_list(), dtype=bool)
    if not values.dtype.is_numeric():
        return pd.Series(values.to_list(), dtype=object)
    return values.to_numpy()


def described(frame, bounds, public_categories):
    """The columns of a pandas frame, and the names of those that were read off its records."""
    features, leaked = [], []
    for i, column in enumerate(frame.columns):
        values, given = frame.iloc[:, i], bounds.get(str(column))
        if given is not None:
            features.append(given_feature(given, column))
        elif pd.api.types.is_bool_dtype(values.dtype):
            features.append(Categorical([False, True]))
        elif isinstance(values.dtype, pd.CategoricalDtype):
            features.append(Categorical(values.dtype.categories))
            leaked += [] if public_categories else [str(column)]
        else:
            features.append(observed(values, column))
            leaked.append(str(column))
    return features, leaked


def given_feature(given, column):
    """The column that an entry of `bounds` describes."""
    if isinstance(given, (Continuous, Categorical)):
        return given
    if isinstance(given, pd.CategoricalDtype):
        given = given.categories
    try:
        pair = () if isinstance(given, str) or not isinstance(given, Iterable) else tuple(given)
        if len(pair) == 2 and all(isinstance(v, Real) and not isinstance(v, bool) for v in pair):
            return Continuous(*pair)
        return Categorical(pair or given)
    except ValueError as error:
        raise ValueError(f"bounds of column {column!r}: {error}") from None


def observed(values, column):
    """The smallest interval or list of levels that holds a column of records."""
    types = pd.api.types
    if not len(values):
        raise ValueError(f"column {column!r} has no records to read a domain off: pass its bounds")
    if types.is_numeric_dtype(values.dtype) and not types.is_bool_dtype(values.dtype):
        numbers = np.asarray(values, dtype=np.float64)
        if not np.isfinite(numbers).all():
            return Continuous(0.0, 0.0).encode(numbers, column)
        return Continuous(numbers.min(), numbers.max())
    uniques, _ = distinct(values)
    if any(is_missing(u) for u in uniques):
        raise ValueError(
            f"column {column!r} has missing values: pass Categorical(levels, missing=True) for it, "
            "or impute a constant"
        )
    return Categorical(sorted(uniques, key=lambda v: (str(type(v)), v)))
