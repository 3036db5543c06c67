"""Where a schema comes from: plain data, a file, or a data frame of any library, which is not public."""

import json
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import fields
from datetime import date
from numbers import Real
from pathlib import Path

import narwhals as nw
import numpy as np
import pandas as pd

from dplit.domain.columns import DATED, Categorical, Continuous, distinct, holds_dates, is_missing
from dplit.domain.dates import Date, observed_dates
from dplit.ground.writing import write_whole

FORMATS = {".json": json.loads, ".toml": tomllib.loads}
KEYS = {"columns", "data_dependent"}


def column_to_dict(feature, name, place):
    """One column as a mapping of plain values."""
    plain = ({} if name is None else {"name": name}) | feature.to_plain()
    if "levels" not in plain:
        return plain
    if not all(isinstance(level, (str, bool, int, float)) for level in feature.levels):
        raise ValueError(f"column {place!r} must have strings, numbers or booleans as levels to be written")
    return plain | {"levels": list(feature.levels)}


def columns_of(data):
    """Features, names and data-dependent columns of plain data, each checked."""
    if not isinstance(data, Mapping) or not isinstance(data.get("columns"), (list, tuple)):
        raise ValueError("a domain must be a mapping with a list 'columns'")
    _check_keys(data, KEYS, "a domain")
    features = [_feature(column, i) for i, column in enumerate(data["columns"])]
    names = [column.get("name") for column in data["columns"]]
    if any(n is None for n in names):
        if any(n is not None for n in names):
            raise ValueError("columns must all have a name, or none")
        names = None
    return features, names, tuple(data.get("data_dependent", ()))


def _feature(column, i):
    if not isinstance(column, Mapping):
        raise ValueError(f"columns[{i}] must be a mapping, got a {type(column).__name__}")
    place, options = column.get("name", i), {key: column[key] for key in column if key != "name"}
    if ("levels" in options) == ("lower" in options and "upper" in options):
        raise ValueError(f"column {place!r} must have either levels or both lower and upper")
    dated = isinstance(options.get("lower"), (str, date))
    kind = Categorical if "levels" in options else Date if dated else Continuous
    _check_keys(options, {field.name for field in fields(kind)}, f"column {place!r}")
    try:
        return kind(**options)
    except ValueError as error:
        raise ValueError(f"column {place!r}: {error}") from None


def _check_keys(data, known, what):
    unknown = sorted(set(map(str, data)) - known)
    if unknown:
        raise ValueError(f"{what} must have no other keys than {sorted(known)}, got {unknown}")


def write(path, data):
    """Write plain data as JSON."""
    path = Path(path)
    if path.suffix != ".json":
        raise ValueError(f"path must end in .json, got {path.name!r}")
    write_whole(path, (json.dumps(data, indent=1, ensure_ascii=False) + "\n").encode())


def read(path):
    """Plain data of a JSON or TOML file."""
    path = Path(path)
    if path.suffix not in FORMATS:
        raise ValueError(f"path must end in .json or .toml, got {path.name!r}")
    try:
        return FORMATS[path.suffix](path.read_text(encoding="utf-8"))
    except (ValueError, UnicodeDecodeError) as error:
        raise ValueError(f"{path.name} must be {path.suffix[1:].upper()}: {error}") from None


def check_kind_of_cells(X):
    """Refuse dates and masked arrays, of which NumPy would make plain numbers without a word."""
    if getattr(getattr(X, "dtype", None), "kind", "") in ("m", "M"):
        raise ValueError(f"X must hold numbers, got values of {X.dtype}: dates are none")
    if isinstance(X, np.ma.MaskedArray):
        raise ValueError("X must be an array without a mask, which would be ignored: use X.filled")


def as_pandas(X, name="X"):
    """`X` as a pandas frame if it is an eager frame of another library (polars, pyarrow); else `X`.

    Enumerations become categories; other columns keep their values. What has named columns and is no
    such frame is an error that names the argument: as an array it would lose their names.
    """
    if isinstance(X, (pd.DataFrame, np.ndarray)):
        return X
    frame = nw.from_native(X, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        raise TypeError(
            f"{name} must be a data frame in memory, got a lazy {type(X).__name__}: "
            f"{'compute' if hasattr(X, 'compute') else 'collect'} it first"
        )
    if not isinstance(frame, nw.DataFrame):
        if hasattr(X, "__arrow_c_array__") and hasattr(X, "schema"):  # a batch of Arrow
            raise TypeError(
                f"{name} must be a table of pandas, polars or pyarrow, or an array, "
                f"got a {type(X).__name__}: pyarrow.table(...) makes one of it"
            )
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
            features.append(given_feature(given, column, holds_dates(values)))
        elif pd.api.types.is_bool_dtype(values.dtype):
            features.append(Categorical([False, True]))
        elif isinstance(values.dtype, pd.CategoricalDtype):
            features.append(Categorical(values.dtype.categories))
            leaked += [] if public_categories else [str(column)]
        else:
            features.append(observed(values, column))
            leaked.append(str(column))
    return features, leaked


def given_feature(given, column, dated=False):
    """The column that an entry of `bounds` describes, of dates if its records are."""
    if dated and not isinstance(given, Date):
        raise ValueError(f"bounds of column {column!r}, which holds dates or times: {DATED}, got {given!r}")
    if isinstance(given, (Continuous, Categorical, Date)):
        return given
    given = getattr(given, "categories", given)  # of pandas' dtype, or polars' Enum
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
    if holds_dates(values):
        return observed_dates(values, column)
    uniques, _ = distinct(values)
    if any(is_missing(u) for u in uniques):
        raise ValueError(
            f"column {column!r} has missing values: pass Categorical(levels, missing=True) for it, "
            "or impute a constant"
        )
    return Categorical(sorted(uniques, key=lambda v: (str(type(v)), v)))
