"""Records of a data frame, encoded column by column: for one who keeps less of a column than a float."""

from __future__ import annotations

import numpy as np
import pandas as pd

from dplit.domain.schema import Domain


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
        domain.encode(frame.iloc[:0])  # its checks of width and names
        self.shape, self._frame = frame.shape, frame
        names, given = domain.names or (), {str(c): i for i, c in enumerate(frame.columns)}
        self._places = [given[name] for name in names] or range(len(domain))
        self._parts = [
            Domain([feature], names[j : j + 1] or None) for j, feature in enumerate(domain)
        ]

    def __len__(self):
        return self.shape[0]

    def __getitem__(self, key):
        rows, j = key
        column = self._frame.iloc[:, [self._places[j]]]
        return self._parts[j].encode(column)[rows, 0]

    def __array__(self, dtype=None, copy=None):
        columns = [self[:, j] for j in range(self.shape[1])]
        return np.column_stack(columns).astype(dtype or np.float64, copy=False)
