"""From raw columns to a `Dataset`: types, missing values and the public domain."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from dplit.datasets import fetch, registry, synthetic
from dplit.datasets.dataset import Dataset
from dplit.datasets.fetch import DatasetError
from dplit.datasets.readers import read
from dplit.domain import Categorical, Continuous, Domain
from dplit.ground.errors import check_choice, check_integer, warn_leak


def load(
    name: str, *, missing: str = "drop", n: int | None = None, seed: int | None = None, nested: bool = False
) -> Dataset:
    """A data set by its name, one of `names`; case, ``_`` and ``-`` don't matter.

    Parameters
    ----------
    missing
        "drop" or "keep" records with a missing value, in the target or any column: left out, or kept with NaN. To
        leave one out is a decision about this record alone, so neighbouring data stay neighbours.
        "impute" gives a missing value its column's median, or most frequent level, over the records
        that have one; a record without its target is left out. What is filled in depends on other
        records, so columns with such a value count as `data_dependent`.
    n, seed
        Of the synthetic sets only: number of records and seed, in place of the registry's.
    nested
        Of the synthetic sets only: independent records of the same law, of which a larger `n` has
        more. Otherwise another `n` means other clusters.

    Warns
    -----
    PrivacyLeakWarning
        If bounds of columns had to be read off the data. They are named in
        ``domain.data_dependent``, and a fit with this domain reports an infinite epsilon.

    Raises
    ------
    ValueError
        For an unknown name or option.
    DatasetError
        If a file can't be had, has another checksum, or holds a level that is not public.
    """
    entry = registry.entry(registry.canonical(name))
    check_choice(missing, ("drop", "keep", "impute"), "missing")
    frame = _records(entry, n, seed, nested)
    columns = entry.named(frame.columns.drop(entry.target))
    X = pd.DataFrame({c.name: _values(frame[c.name], c) for c in columns}, index=frame.index)
    y = _target(frame[entry.target], entry)
    if missing == "drop":
        complete = (X.notna().all(axis=1) & y.notna()).to_numpy()
        X, y = X[complete], y[complete]
    imputed = []
    if missing == "impute":
        X, y = X[y.notna()], y[y.notna()]
        imputed = [name for name in X if X[name].isna().any()]
        X = X.assign(**{name: _imputed(X[name]) for name in imputed})
    X, y = X.reset_index(drop=True), y.reset_index(drop=True)
    return Dataset(
        name=entry.name,
        title=entry.title,
        X=X,
        y=y,
        domain=_domain(X, columns, entry, imputed),
        task=entry.task,
        classes=entry.classes,
        target_bounds=entry.target_bounds,
        sources={c.name: c.source for c in columns},
        reasons={c.name: c.why for c in columns if c.why},
        licence=entry.licence,
        citation=entry.citation,
        home=entry.home,
        notes=entry.notes,
    )


def available(name: str) -> bool:
    """True if `load` finds every file of the data set `name` on this machine, without a network."""
    entry = registry.entry(name)
    return all(fetch.is_local(entry, file) for file in entry.files)


def _records(entry: registry.Entry, n: int | None, seed: int | None, nested: bool) -> pd.DataFrame:
    if entry.reader == "synthetic":
        n = entry.records if n is None else check_integer(n, "n", 1)
        seed = None if seed is None else check_integer(seed, "seed", 0)
        return (synthetic.nested if nested else synthetic.draw)(entry, n, seed)
    if n is not None or seed is not None or nested:
        raise ValueError(f"n, seed and nested belong to the synthetic data sets, got them with {entry.name!r}")
    return read(entry)


def _values(values: pd.Series, column: registry.Column) -> pd.Series | pd.Categorical:
    if column.kind == "categorical":
        return _levels(values, column.levels, column.name, column.ordered)
    if column.kind == "integer" and values.notna().all():
        return values.astype(np.int64)
    return values.astype(np.float64)


def _levels(
    values: pd.Series, levels: tuple[str, ...], name: str, ordered: bool = False
) -> pd.Series | pd.Categorical:
    """A Categorical with the public `levels`; another one in the data is an error, not a NaN."""
    if isinstance(values.dtype, pd.CategoricalDtype) and tuple(values.cat.categories) == levels:
        return values
    unknown = sorted(set(values.dropna().unique()) - set(levels))
    if unknown:
        raise DatasetError(f"column {name!r} must hold the levels {list(levels)}, got {unknown}")
    return pd.Categorical(values.astype(object), categories=list(levels), ordered=ordered)


def _imputed(values: pd.Series) -> pd.Series:
    """A column whose missing values are its median, or its most frequent level (the first of several)."""
    if isinstance(values.dtype, pd.CategoricalDtype):
        return values.fillna(values.value_counts(sort=False).idxmax())
    return values.fillna(values.median())


def _target(values: pd.Series, entry: registry.Entry) -> pd.Series:
    if entry.task == "classification":
        values = _levels(values, entry.classes, entry.target)
    return pd.Series(values, name=entry.target, dtype=None if entry.classes else np.float64)


def _domain(
    X: pd.DataFrame, columns: tuple[registry.Column, ...], entry: registry.Entry, imputed: Sequence[str] = ()
) -> Domain:
    read = [c.name for c in columns if c.source == "data"]
    for names, why in ((read, "nobody documents the bounds of {}, so they were read off the data"),
                       (imputed, "missing values of {} were imputed from other records")):  # fmt: skip
        if names:
            warn_leak(
                f"data set {entry.name!r}: {why.format(names)}: a fit with this domain is not private",
                stacklevel=4,
            )
    leaked = [c.name for c in columns if c.name in {*read, *imputed}]
    features = [_feature(X[c.name], c) for c in columns]
    return Domain(features, names=[c.name for c in columns], data_dependent=leaked)


def _feature(values: pd.Series, column: registry.Column) -> Categorical | Continuous:
    if column.kind == "categorical":
        return Categorical(column.levels)
    if column.source == "data":
        return Continuous(float(values.min()), float(values.max()))
    return Continuous(*column.bounds)
