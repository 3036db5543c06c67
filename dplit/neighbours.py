"""Neighbouring inputs, enumerated: what an exact audit has to compare.

Count vectors hold how many records of each class a leaf has. Small data sets are tuples of records
from a finite universe, in the universe's order, repeats allowed. Two inputs are neighbours if one
record is added or removed ("add-remove"), or one record is changed into another ("replace-one").
"""

from __future__ import annotations

from functools import partial
from itertools import combinations, combinations_with_replacement

import numpy as np

from dplit.errors import check_counts, check_integer, check_neighbours


def count_vectors(n, classes):
    """Every vector of `classes` counts with a total of at most `n`, smallest total first.

    Returns
    -------
    int64 array, shape (binomial(n + classes, classes), classes)
    """
    n, classes = check_integer(n, "n", 0), check_integer(classes, "classes", 1)
    vectors = [v for total in range(n + 1) for v in _compositions(total, classes)]
    return np.array(vectors, dtype=np.int64)


def _compositions(total, parts):
    """Stars and bars: every way to write `total` as `parts` whole numbers, largest first ones first."""
    for bars in reversed(list(combinations(range(total + parts - 1), parts - 1))):
        yield np.diff((-1, *bars, total + parts - 1)) - 1


def neighbouring_counts(counts, neighbours):
    """Every count vector one step away from `counts`.

    Parameters
    ----------
    counts : array_like of int, shape (classes,)
    neighbours : {"add-remove", "replace-one"}

    Returns
    -------
    int64 array, shape (n_neighbours, classes)
    """
    counts = check_counts(counts)
    if counts.ndim != 1:
        raise ValueError(f"counts must be one vector, got shape {counts.shape}")
    steps = np.eye(len(counts), dtype=np.int64)
    if check_neighbours(neighbours) == "add-remove":
        moves = np.concatenate([steps, -steps])
    else:
        moves = (steps[:, None] - steps[None, :]).reshape(-1, len(counts))
        moves = moves[moves.any(axis=1)]
    near = counts + moves
    return near[(near >= 0).all(axis=1)]


def data_sets(universe, n):
    """Every data set of at most `n` records from `universe`, smallest first, as tuples."""
    universe = tuple(universe)
    for size in range(check_integer(n, "n", 0) + 1):
        yield from combinations_with_replacement(universe, size)


def neighbouring_data(records, universe, neighbours):
    """Every data set one record away from `records`; tuples in the order of `universe`."""
    rank = {record: i for i, record in enumerate(universe)}
    records = tuple(records)
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


def neighbouring_pairs(space, neighbours):
    """Every pair of neighbours in `space`, as (earlier, later) in its order.

    Pairs come in the order of their later member, so a space that lists small inputs first gives
    small pairs first. The space may be a generator, and endless.

    Parameters
    ----------
    space : iterable of count vectors (arrays or lists), or of anything hashable
    neighbours : {"add-remove", "replace-one"} or callable
        A relation's name stands for `neighbouring_counts`. A callable lists the neighbours of an
        input, as ``lambda data: neighbouring_data(data, universe, "add-remove")`` does.
    """
    if not callable(neighbours):
        neighbours = partial(neighbouring_counts, neighbours=check_neighbours(neighbours))
    seen = {}
    for later in space:
        for key in map(hashable, neighbours(later)):
            if key in seen:
                yield seen[key], later
        seen[hashable(later)] = later


def hashable(data):
    """Arrays and lists as nested tuples, anything else as it is."""
    if isinstance(data, np.ndarray):
        data = data.tolist()
    return tuple(map(hashable, data)) if isinstance(data, list) else data


def append_record(X, y, record, label):
    """The add-remove neighbour ``(X', y')`` with one record more, at the end.

    Parameters
    ----------
    X : DataFrame or array_like, shape (n_records, n_features)
    y : Series or array_like, shape (n_records,)
    record : array_like, shape (n_features,)
    label : class of the record
    """
    return _stacked(X, _row(X, record)), _appended(y, label)


def replace_record(X, y, index, record, label):
    """The replace-one neighbour ``(X', y')`` whose record at position `index` is another one."""
    n = len(y)
    if not -n <= check_integer(index, "index", -n) < n:
        raise ValueError(f"index must be a position below {n}, got {index!r}")
    X, y, row = _copied(X), _copied(y), _row(X, record)
    if hasattr(X, "iloc"):
        X.iloc[index] = row
    else:
        X[index] = row
    (y.iloc if hasattr(y, "iloc") else y)[index] = label
    return X, y


def _copied(values):
    return values.copy() if hasattr(values, "iloc") else np.array(values)


def _row(X, record):
    width, record = np.shape(X)[1], list(record)
    if len(record) != width:
        raise ValueError(f"record must have {width} values, as X has columns, got {len(record)}")
    return record


def _stacked(X, row):
    if not hasattr(X, "iloc"):
        X = np.asarray(X)
        return np.concatenate([X, np.array([row], dtype=np.result_type(X, np.array(row)))])
    import pandas as pd

    last = pd.DataFrame([row], columns=X.columns).astype(X.dtypes.to_dict())
    return pd.concat([X, last], ignore_index=True)


def _appended(y, label):
    if not hasattr(y, "iloc"):
        return np.append(np.asarray(y), np.array([label], dtype=np.asarray([label]).dtype))
    import pandas as pd

    return pd.concat([y, pd.Series([label], dtype=y.dtype, name=y.name)], ignore_index=True)
