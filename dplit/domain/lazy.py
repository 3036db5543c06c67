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
        If a width or a name is not of this domain.
    """
    return EncodedColumns(domain, X) if isinstance(X, pd.DataFrame) else domain.encode(X)


class EncodedColumns:
    """Records of a data frame as an array whose columns, ``[:, j]``, are encoded each time they are read.

    Attributes
    ----------
    shape : (int, int)
    """

    def __init__(self, domain, frame):
        self.shape, self._frame = frame.shape, frame
        self._columns = [(f, *where) for f, where in zip(domain, places_of(domain, frame))]
        for feature, place, name in self._columns:
            if isinstance(feature, Continuous):  # dates are told from numbers without a record
                feature.encode(frame.iloc[:0, place], name)

    def __len__(self):
        return self.shape[0]

    def __getitem__(self, key):
        rows, j = key
        feature, place, name = self._columns[j]
        return feature.encode(self._frame.iloc[:, place], name)[rows]

    def __array__(self, dtype=None, copy=None):
        columns = [self[:, j] for j in range(self.shape[1])]
        return np.column_stack(columns).astype(dtype or np.float64, copy=False)
