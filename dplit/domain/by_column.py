"""Records of a data frame, encoded column by column: for one who keeps less of a column than a float."""

from __future__ import annotations

import numpy as np
import pandas as pd

from dplit.domain.columns import Continuous
from dplit.domain.schema import places_of


def encoded_columns(domain, X):
    """What `Domain.encode` gives, without a copy of a data frame: a column is encoded when it is read.

    Parameters
    ----------
    domain : Domain
    X : DataFrame or ndarray, shape (n_records, n_features)

    Returns
    -------
    EncodedColumns or ndarray
        Of a data frame the former.

    Raises
    ------
    ValueError
        If a width, a name, a level or a number is not of this domain.
    """
    return EncodedColumns(domain, X) if isinstance(X, pd.DataFrame) else domain.encode(X)


class EncodedColumns:
    """Records of a data frame as an array whose columns, ``[:, j]``, are encoded each time they are read.

    All are checked at once, so that a fit refuses them before it draws noise; of levels the codes are kept, a
    byte or two each.

    Attributes
    ----------
    shape : (int, int)
    """

    def __init__(self, domain, frame):
        self.shape = frame.shape
        places = places_of(domain, frame)
        self._columns = [_column(f, frame.iloc[:, j], name) for f, (j, name) in zip(domain, places)]

    def __len__(self):
        return self.shape[0]

    def __getitem__(self, key):
        rows, j = key
        values, ends = self._columns[j]
        values = np.asarray(values).astype(np.float64, copy=False)
        return values[rows] if ends is None else np.clip(values, *ends)[rows]

    def __array__(self, dtype=None, copy=None):
        columns = [self[:, j] for j in range(self.shape[1])]
        return np.column_stack(columns).astype(dtype or np.float64, copy=False)


def _column(feature, values, name):
    """A column that was checked, with its bounds; or the codes of its levels, with none."""
    encoded = feature.encode(values, name)
    if isinstance(feature, Continuous):
        return values, (feature.lower, feature.upper)
    return encoded.astype(np.min_scalar_type(len(feature.levels))), None
