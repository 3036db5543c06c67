"""Dask arrays and data frames as what a fit reads: schemas are checked here, records on the workers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from dplit.domain import Categorical, Continuous, Domain
from dplit.domain.sources import check_kind_of_cells
from dplit.forests.blocks import DaskParts, Told, answered, refusing
from dplit.forests.targets import checked_target
from dplit.ground.errors import few, warn_leak

if TYPE_CHECKING:
    from dplit.forests.base import BaseForest

KINDS = "dask.array", "dask.dataframe"
FAMILIES = (
    "PrivateForestClassifier, PrivateForestRegressor, BoostedForestClassifier, BoostedForestRegressor, "
    "HistogramForestClassifier or RandomDecisionForestClassifier"
)
OTHER = " of other lengths"
AS_ONE = "rechunk or repartition one as the other is"


def is_dask(values):
    """Whether these are a collection of Dask, which is then imported already."""
    return hasattr(values, "__dask_graph__")


def read_dask(forest: BaseForest, X: Any, y: Any) -> tuple[DaskRecords, DaskTargets]:
    """Records and targets of a fit, Dask's of shape (n_records, n_features) and (n_records,); nothing is computed.

    A `TypeError` if one of them is no such collection, or the forest needs more of its records than sums; a
    `ValueError` if their shapes or blocks don't fit together.
    """
    name = type(forest).__name__
    if not forest._in_parts:
        raise TypeError(
            f"X and y must be in memory for {name}, got Dask's: pass X.compute() and y.compute(), or fit "
            f"{FAMILIES}, which need sums over the records alone"
        )
    for values, which, ndim in ((X, "X", 2), (y, "y", 1)):
        kind = type(values)
        if not kind.__module__.startswith(KINDS):
            raise TypeError(
                "X and y must both be Dask arrays or data frames if one of them is, got "
                f"{which} of type {kind.__module__.partition('.')[0]}.{kind.__name__}"
            )
        if values.ndim != ndim:
            shape = "(n_records, n_features)" if ndim == 2 else "(n_records,)"
            raise ValueError(f"{which} must be of shape {shape}, got {values.ndim} dimensions")
    if hasattr(X, "chunks"):
        if math.isnan(X.shape[1]):
            raise ValueError("X must have a known number of columns, got an unknown one")
        X = X.rechunk({1: -1}) if X.numblocks[1] > 1 else X
    sizes = [_sizes(values) for values in (X, y)]
    if X.npartitions != y.npartitions or (all(sizes) and sizes[0] != sizes[1]):
        raise ValueError(
            f"X and y must be cut at the same records, got {X.npartitions} blocks of X and "
            f"{y.npartitions} blocks of y{OTHER if X.npartitions == y.npartitions else ''}: {AS_ONE}"
        )
    blocks = [_delayed(values) for values in (X, y)]
    if len(blocks[0]) != len(blocks[1]):  # Dask has joined small files, by the share that it reads of each
        blocks = [_delayed(values, optimize_graph=False) for values in (X, y)]
    return DaskRecords(_like(X), *blocks, sizes[0] or sizes[1]), DaskTargets(y.dtype, blocks[1])


def _delayed(values, **options):
    return np.ravel(np.array(values.to_delayed(**options), dtype=object)).tolist()


def _sizes(values):
    """Numbers of records of the blocks; None where they aren't known."""
    chunks = getattr(values, "chunks", None)
    return list(chunks[0]) if chunks and not any(map(math.isnan, chunks[0])) else None


def _like(X):
    """A table of the same columns that holds no record."""
    if hasattr(X, "chunks"):
        return np.zeros((1, X.shape[1]), dtype=X.dtype)
    from dask.dataframe.utils import make_meta

    return make_meta(X)


class DaskRecords:
    """Records in blocks, which are read on the workers.

    `like` has their columns: a data frame without records, or an array with a made-up one.
    """

    def __init__(self, like, blocks, targets, sizes):
        self.like, self._blocks, self._targets, self._sizes = like, blocks, targets, sizes
        self._columns = list(like.columns) if isinstance(like, pd.DataFrame) else None
        self._read = None
        if sizes:
            len(self)

    def __len__(self):
        if self._sizes is None:
            self._sizes = self._of_blocks(len)
        total = sum(self._sizes)
        if total == 0:
            raise ValueError("X must hold at least 1 record, got 0 records")
        return total

    def _of_blocks(self, do):
        return _computed(do, self._blocks)

    def domain(self):
        """The smallest domain that holds all records, but for what is public of a frame of booleans."""
        frame = isinstance(self.like, pd.DataFrame)
        columns = self.like.dtypes if frame else [self.like.dtype] * self.like.shape[1]
        public = [frame and pd.api.types.is_bool_dtype(dtype) for dtype in columns]
        if all(public):
            return Domain.from_frame(self.like)
        warn_leak("domain was left out and is read off X, so epsilon is infinite: pass a dplit.Domain", 7)
        observed = [
            domain for domain in _computed(_observed, self._blocks, Told(self._columns)) if domain is not None
        ]
        if not observed:
            raise ValueError("X must hold at least 1 record, got 0 records")
        names = observed[0].names or range(len(columns))
        features = [_widest(parts, n) for parts, n in zip(zip(*observed, strict=True), names)]
        leaked = [name for name, told in zip(names, public) if not told]
        return Domain(features, observed[0].names, data_dependent=leaked)

    def read_by(self, encode, domain):
        """The same records, as ``encode(domain, block)`` gives them."""
        domain.encode(self.like.iloc[:0] if isinstance(self.like, pd.DataFrame) else self.like[:0])
        self._read = encode, domain
        return self

    def in_parts(self, targets, build, *told, beside=None, kept=True):
        """What `dplit.forests.blocks.in_parts` gives."""
        from dask import delayed

        read, told = Told(*self._read, self._columns), delayed(Told(*told), traverse=False)
        each = [()] * len(self._blocks)
        if beside is not None:
            len(self)
            each = [(part,) for part in np.split(beside, np.cumsum(self._sizes)[:-1])]
        built = [
            delayed(refusing, pure=False)(_built, X, y, read, Told(*targets.steps), build, Told(*own), told)
            for X, y, own in zip(self._blocks, targets.blocks, each)
        ]
        return DaskParts(built, kept)


class DaskTargets:
    """Targets in blocks, and what is done to each when it is read.

    Attributes
    ----------
    dtype : dtype
    blocks : list of dask.delayed.Delayed
    steps : tuple of (callable, tuple)
    """

    def __init__(self, dtype, blocks, steps=((checked_target, ()),)):
        self.dtype, self.blocks, self.steps = dtype, blocks, steps

    def then(self, step, *told):
        """The targets after one more step, ``step(block, *told)``."""
        return DaskTargets(self.dtype, self.blocks, (*self.steps, (step, told)))

    def distinct(self):
        """Values that occur, of all blocks; of booleans both."""
        if self.dtype == bool:
            return np.array([False, True])
        return pd.concat(self._of_blocks(_distinct), ignore_index=True)

    def ends(self):
        """The least and the largest target; float64, shape (2,)."""
        ends = [pair for pair in self._of_blocks(_ends) if len(pair)]
        return np.array([np.min(ends), np.max(ends)]) if ends else np.zeros(2)

    def _of_blocks(self, do):
        return _computed(_after, self.blocks, Told(*self.steps), do)


def then(y, step, *told):
    """``step(y, *told)``, of Dask's targets when they are read."""
    return y.then(step, *told) if isinstance(y, DaskTargets) else step(y, *told)


def _computed(do, blocks, *told):
    import dask

    tasks = [dask.delayed(refusing, pure=False)(do, block, *told) for block in blocks]
    return [answered(found) for found in dask.compute(*tasks)]


def _built(X, y, read, steps, build, own, told):
    labels = _stepped(y, steps)
    if len(X) != len(labels):
        raise ValueError(f"X and y must be cut at the same records, got one block of X and y{OTHER}: {AS_ONE}")
    encode, domain, columns = read.values
    X = _in_order(X, columns)
    check_kind_of_cells(X)
    return build(encode(domain, X), labels, *own.values, *told.values)


def _stepped(y, steps):
    for step, told in steps.values:
        y = step(y, *told)
    return y


def _after(y, steps, do):
    return do(_stepped(y, steps))


def _in_order(X, columns):
    """A block with the columns of the whole table, in their order; of an array as it is."""
    if columns is None or list(X.columns) == columns:
        return X
    if sorted(map(str, X.columns)) != sorted(map(str, columns)):
        raise ValueError(f"X must have the columns {few(columns)} in every block")
    return X[columns]


def _observed(X, told):
    (columns,) = told.values
    X = _in_order(X, columns)
    check_kind_of_cells(X)
    return Domain.from_data(X) if len(X) else None


def _distinct(y):
    categorical = isinstance(getattr(y, "dtype", None), pd.CategoricalDtype)
    return y.drop_duplicates() if categorical else pd.Series(np.unique(np.asarray(y)))


def _ends(y):
    return np.array([y.min(), y.max()]) if len(y) else np.empty(0)


def _widest(features, name):
    """One column's interval or levels from those of the blocks."""
    if all(isinstance(feature, Continuous) for feature in features):
        return Continuous(min(f.lower for f in features), max(f.upper for f in features))
    if not all(isinstance(feature, Categorical) for feature in features):
        raise ValueError(f"column {name!r} must hold numbers in all blocks or in none")
    levels = {level for feature in features for level in feature.levels}
    return Categorical(sorted(levels, key=lambda v: (str(type(v)), v)))
