"""Targets and class lists as a fit takes them, checked."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Real

import numpy as np
import pandas as pd
from sklearn.utils.validation import column_or_1d


def factorized(y, values):
    """Position of each value of `y` in the list of those that occur, and the list."""
    if isinstance(y, pd.Series) and isinstance(y.dtype, pd.CategoricalDtype):
        codes = y.cat.codes.to_numpy()  # none is missing
        used, ranks = np.unique(codes, return_inverse=True)
        return ranks, np.asarray(y.dtype.categories)[used]
    return pd.factorize(values)


def check_bounds(bounds):
    """The two ends of a public interval, as floats."""
    try:
        lower, upper = map(float, bounds)
    except (TypeError, ValueError):
        lower = upper = np.nan
    if not (np.isfinite(upper - lower) and lower < upper):
        raise ValueError(
            f"target_bounds must be two finite numbers (lower, upper), lower < upper, got {bounds!r}"
        )
    return lower, upper


def checked_target(y):
    """`y` as a Series or an array of shape (n_records,), without missing values.

    What has a pandas dtype keeps it: its categories are the class list. A list is looked at before
    NumPy turns the NaN among its strings into the class "nan".
    """
    if isinstance(y, (pd.Categorical, pd.Index, pd.api.extensions.ExtensionArray)):
        y = pd.Series(y)
    if not isinstance(y, pd.Series):
        given, y = y, column_or_1d(y, warn=True)
        missing = pd.Series(list(given), dtype=object) if isinstance(given, (list, tuple)) else y
    else:
        missing = y
    if pd.isna(missing).any():
        raise ValueError("y must hold a value for every record, got a missing one (NaN)")
    return y


def check_classes(classes):
    """The class list as a list: distinct numbers or distinct strings."""
    if isinstance(classes, (str, bytes)) or not isinstance(classes, Iterable):
        raise ValueError(f"classes must be a list of classes, got {classes!r}")
    classes = [c.item() if isinstance(c, np.generic) else c for c in classes]
    if not any(all(isinstance(c, kind) and c == c for c in classes) for kind in (str, Real)):
        raise ValueError(f"classes must be all strings or all numbers, got {classes!r}")
    if len(set(classes)) != len(classes) or not classes:
        raise ValueError(f"classes must be distinct and at least one, got {classes!r}")
    return classes


def few(values):
    values = list(values)
    return ", ".join(map(repr, values[:6])) + (", ..." if len(values) > 6 else "")
