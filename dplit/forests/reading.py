"""How a forest reads records: against its public domain, in memory or from Dask."""

import re
import warnings
from collections.abc import Mapping
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse import issparse
from sklearn.utils.validation import check_is_fitted, validate_data

from dplit.budget import Leak, Public
from dplit.domain import Continuous, Domain
from dplit.domain.schema import check_domain, domain_of_frame
from dplit.domain.sources import as_pandas, check_kind_of_cells
from dplit.forests.blocks_dask import is_dask, read_dask
from dplit.forests.intact import check_intact
from dplit.forests.targets import QUOTED, checked_target
from dplit.ground.errors import check_jobs, few, warn_leak

UNREADABLE = re.compile("could not convert|can.t convert|array element|inhomogeneous|too large to convert|codec")


class WithRecords:
    """Of an estimator: records of a fit, and of a prediction, as its public domain encodes them."""

    _encoded = staticmethod(Domain.encode)
    _in_parts = False  # whether sums over parts of the records are all that `fit` needs of them

    def _read_fit(self, X: Any, y: Any) -> tuple:
        """Check `X` against the domain (read off `X` if there is none) and encode it.

        Returns float64 records, one a row, targets, the domain, and the node of what it costs.
        """
        check_jobs(self.n_jobs)
        check_domain(self.domain)
        if y is not None and (is_dask(X) or is_dask(y)):
            records, y = read_dask(self, X, y)
            domain, node = self._schema(self._validated(records.like, reset=True), records.domain)
            return records.read_by(self._encoded, domain), y, domain, node
        X, y = self._validated_pair(X, y)
        domain, node = self._schema(X, partial(domain_of, X))
        return self._encoded(domain, X), y, domain, node

    def _validated_pair(self, X, y):
        """Records and targets in memory, of one length."""
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        X, y = self._validated(X, reset=True), checked_target(y)
        if len(X) == 0:
            raise ValueError(f"X must hold at least 1 record, got 0 records (shape={np.shape(X)})")
        if len(X) != len(y):
            raise ValueError(f"X and y must be of one length, got {len(X)} and {len(y)} records")
        return X, y

    def _schema(self, X, observed):
        """The domain, `observed` if there is none, and what it costs."""
        domain, why = self.domain, "bounds and levels are public"
        if domain is None:
            domain, why = observed(), "the two values of each boolean column"
        elif domain.names is not None and not isinstance(X, pd.DataFrame):
            named = few(domain.column_names)
            warnings.warn(
                f"X has no column names, so its columns are taken in the order of domain: {named}", stacklevel=5
            )
        node = Public("domain", why)
        if domain.data_dependent:
            node = Leak("domain", f"read off the data: {few(domain.data_dependent)}")
        return domain, node

    def _read(self, X):
        check_is_fitted(self, "budget_")
        check_intact(self)
        check_jobs(self.n_jobs)
        import_module("dplit.budget.accountant").warn_of_read(X)
        X = self._validated(X, reset=False)
        fitted, names = getattr(self, "feature_names_in_", None), self.domain_.column_names
        if names and fitted is not None and not isinstance(X, pd.DataFrame):
            order = [fitted.tolist().index(name) for name in names]
            X = X if order == sorted(order) else X[:, order]  # an array comes as the frame did
        return self.domain_.encode(X)

    def _validated(self, X, reset):
        """scikit-learn's checks of shape, names and, where the columns are numbers, of values."""
        domain, X = self.domain if reset else self.domain_, as_pandas(X)
        frame = isinstance(X, pd.DataFrame)
        numeric = not frame and (domain is None or all(isinstance(f, Continuous) for f in domain))
        if numeric:
            return self._numbers(X, reset)
        if issparse(X):
            raise TypeError(f"X must be dense, got a sparse {type(X).__name__}: use X.toarray()")
        given, X = X, X if frame or hasattr(X, "shape") else np.asarray(X, dtype=object)
        if len(np.shape(X)) != 2:
            raise ValueError(
                "X must be a data frame or an array of shape (n_records, n_features). "
                f"Expected 2D array, got an input of shape {np.shape(X)}{named_cells(given)}"
            )
        if frame and not X.columns.is_unique:
            twice = X.columns[X.columns.duplicated()].unique().tolist()
            raise ValueError(f"X must have distinct columns, got {few(twice)} more than once")
        X = X if reset else self._as_fitted(X)
        validate_data(self, X, reset=reset, skip_check_array=True)
        return X

    def _as_fitted(self, X):
        """A frame with its columns as they stood in ``fit``, where a public domain names them."""
        fitted, domain = getattr(self, "feature_names_in_", None), self.domain
        if domain is None or domain.names is None or fitted is None or not isinstance(X, pd.DataFrame):
            return X
        names = X.columns.tolist()
        moved = names != fitted.tolist() and sorted(map(str, names)) == sorted(fitted)
        return X[fitted.tolist()] if moved else X

    def _numbers(self, X, reset):
        """`X` as numbers, finite or not; NumPy's message would quote the cell that is none."""
        if type(X) is np.ndarray and X.dtype == np.float64 and X.ndim == 2 and X.size:  # all its checks would pass
            return validate_data(self, X, reset=reset, skip_check_array=True)
        check_kind_of_cells(X)
        try:
            return validate_data(self, X, reset=reset, dtype=np.float64, ensure_all_finite=False)
        except (TypeError, ValueError, OverflowError) as error:
            raise without_values(error) from None


def domain_of(X):
    """The domain of a table for which none is given: of a frame's booleans public, else read off `X`."""
    if isinstance(X, pd.DataFrame):
        return domain_of_frame(X, stacklevel=8)
    warn_leak("domain was left out and is read off X, so epsilon is infinite: pass a dplit.Domain", 7)
    return Domain.from_data(X)


def named_cells(X):
    """A hint where records come as names and values, which are no table yet."""
    several = isinstance(X, (list, tuple)) and len(X) and isinstance(X[0], Mapping)
    named = isinstance(X, Mapping) or several or getattr(getattr(X, "dtype", None), "names", None)
    return ": pandas.DataFrame(X) makes a table of it" if named else ""


def without_values(error):
    """The same kind of error without the records that scikit-learn's and NumPy's messages quote."""
    text = str(error)
    if "float() argument" in text:  # and the type that came
        return TypeError(f"X must hold numbers: {text}")
    if text.startswith("Complex data"):
        return ValueError("X must hold real numbers. Complex data not supported")
    if isinstance(error, OverflowError) or UNREADABLE.search(text):
        return ValueError("X must hold numbers, got a cell that is none, or rows that are no table")
    if isinstance(error, ValueError):
        text = QUOTED.sub(". Reshape", text)
        return ValueError(text if re.search(r"\bX\b", text) else f"X must be a table. {text}")
    return error
