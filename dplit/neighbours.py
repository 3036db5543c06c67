"""Neighbouring inputs, enumerated: what an exact audit has to compare.

Count vectors hold how many records of each class a leaf has. Small data sets are tuples of records
from a finite universe, in the universe's order, repeats allowed. Two inputs are neighbours if one
record is added or removed ("add-remove"), or one record is changed into another ("replace-one").
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import combinations, combinations_with_replacement

import numpy as np
from numpy.typing import ArrayLike

from dplit.ground.errors import check_counts, check_integer, check_iterable, check_neighbours, check_sequence


def count_vectors(n: int, classes: int) -> np.ndarray:
    """Every vector of `classes` counts with a total of at most `n`, smallest total first.

    Returns an array of int64 of shape (binomial(n + classes, classes), classes).
    """
    n, classes = check_integer(n, "n", 0), check_integer(classes, "classes", 1)
    vectors = [v for total in range(n + 1) for v in _compositions(total, classes)]
    return np.array(vectors, dtype=np.int64)


def _compositions(total: int, parts: int) -> Iterator:
    """Stars and bars: every way to write `total` as `parts` whole numbers, largest first ones first."""
    for bars in reversed(list(combinations(range(total + parts - 1), parts - 1))):
        yield np.diff((-1, *bars, total + parts - 1)) - 1


def neighbouring_counts(counts: ArrayLike, neighbours: str) -> np.ndarray:
    """Every count vector one step away from `counts`.

    `counts`: ints, shape (classes,). Returns an array of int64 of shape (n_neighbours, classes).
    """
    return _near(counts, neighbours, "counts")


def _near(counts: list | np.ndarray, neighbours: str, name: str) -> np.ndarray:
    counts = check_counts(counts, name)
    if counts.ndim != 1:
        raise ValueError(f"{name} must be one vector of counts, got shape {counts.shape}")
    steps = np.eye(len(counts), dtype=np.int64)
    if check_neighbours(neighbours) == "add-remove":
        moves = np.concatenate([steps, -steps])
    else:
        moves = (steps[:, None] - steps[None, :]).reshape(-1, len(counts))
        moves = moves[moves.any(axis=1)]
    near = counts + moves
    return near[(near >= 0).all(axis=1)]


def data_sets(universe, n: int) -> Iterator:
    """Every data set of at most `n` records from `universe`, smallest first, as tuples."""
    universe = check_sequence(universe, "universe", text=True)
    for size in range(check_integer(n, "n", 0) + 1):
        yield from combinations_with_replacement(universe, size)


def neighbouring_data(records: tuple, universe, neighbours: str) -> list:
    """Every data set one record away from `records`; tuples in the order of `universe`."""
    universe = [hashable(r) for r in check_sequence(universe, "universe", text=True)]
    rank = {record: i for i, record in enumerate(universe)}
    records = tuple(hashable(r) for r in check_sequence(records, "records", text=True))
    unknown = [r for r in records if r not in rank]
    if unknown:
        raise ValueError(f"records must come from universe, got {unknown[0]!r}")
    removed = {records[:i] + records[i + 1 :] for i in range(len(records))}
    bases = [records] if check_neighbours(neighbours) == "add-remove" else removed
    near = {tuple(sorted((*base, r), key=rank.get)) for base in bases for r in rank}
    if neighbours == "add-remove":
        near |= removed
    near.discard(tuple(sorted(records, key=rank.get)))
    return sorted(near, key=lambda data: (len(data), [rank[r] for r in data]))


def neighbouring_pairs(space: Iterable, neighbours: str | Callable) -> Iterator:
    """Every pair of neighbours in `space`, as (earlier, later) in its order.

    Pairs come in the order of their later member, so a space that lists small inputs first gives small pairs
    first. The space may be a generator, and endless. `space`: of count vectors (arrays or lists), or of anything
    hashable. `neighbours`: A relation's name stands for `neighbouring_counts`. A callable lists the neighbours
    of an input, as ``lambda data: neighbouring_data(data, universe, "add-remove")`` does.
    """
    if not callable(neighbours):
        neighbours = partial(_near, neighbours=check_neighbours(neighbours), name="space")
    seen = {}
    for later in check_iterable(space, "space"):
        for key in map(hashable, neighbours(later)):
            if key in seen:
                yield seen[key], later
        seen[hashable(later)] = later


def hashable(data):
    """Arrays and lists as nested tuples, anything else as it is."""
    if isinstance(data, np.ndarray):
        data = data.tolist()
    return tuple(map(hashable, data)) if isinstance(data, list) else data


def append_record(X, y, record: ArrayLike, label):
    """The add-remove neighbour ``(X', y')`` with one record more, at the end.

    `X`: DataFrame or array_like, shape (n_records, n_features); `y`: Series or array_like, shape (n_records,);
    `record`: shape (n_features,); `label`: class of the record.
    """
    X, y = _copied(X, "X", 2), _copied(y, "y", 1)
    if isinstance(label, (list, tuple, np.ndarray)):
        raise ValueError("label must be one class, got a sequence")
    return _stacked(X, _row(X, record)), _appended(y, label)


def replace_record(X, y, index, record: ArrayLike, label):
    """The replace-one neighbour ``(X', y')`` whose record at position `index` is another one."""
    X, y = _copied(X, "X", 2), _copied(y, "y", 1)
    row, n = _row(X, record), len(y)
    check_integer(index, "index", -n, n - 1)
    _put(X, index, row, "record")
    _put(y, index, label, "label")
    return X, y


def _put(values, index, value, name: str) -> None:
    """Put a record or a label in the place of another one."""
    try:
        (values.iloc if hasattr(values, "iloc") else values)[index] = value
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{name} must be of the kind of the others, got another kind") from None


def _copied(values, name: str, ndim):
    """A frame or a series as it is, anything else as an array; both copied, of so many axes."""
    try:
        found = values.copy() if hasattr(values, "iloc") else np.array(values)
    except ValueError:
        raise ValueError(f"{name} must not have rows of different lengths") from None
    if found.ndim != ndim:
        raise ValueError(f"{name} must have {ndim} axes, got shape {found.shape}")
    return found


def _row(X, record: ArrayLike):
    record, width = check_sequence(record, "record"), X.shape[1]
    if len(record) != width:
        raise ValueError(f"record must have {width} values, as X has columns, got {len(record)}")
    if any(np.ndim(value) for value in record):
        raise ValueError("record must hold a value for each column, got a sequence in place of one")
    return record


def _stacked(X, row):
    if not hasattr(X, "iloc"):
        return np.concatenate([X, np.array([row], dtype=np.result_type(X, np.array(row)))])
    import pandas as pd

    last = pd.DataFrame([row], columns=X.columns).astype(X.dtypes.to_dict())
    return pd.concat([X, last], ignore_index=True)


def _appended(y, label):
    if not hasattr(y, "iloc"):
        return np.append(y, np.array([label], dtype=np.asarray([label]).dtype))
    import pandas as pd

    return pd.concat([y, pd.Series([label], dtype=y.dtype, name=y.name)], ignore_index=True)
