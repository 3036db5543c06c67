"""X as a fit takes it: its domain where none is given, and errors that quote no record."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np
import pandas as pd

from dplit.domain import Domain
from dplit.errors import warn_leak

UNREADABLE = re.compile(
    "could not convert|can.t convert|array element|inhomogeneous|too large to convert|codec"
)
QUOTED = re.compile(r":\narray=.*\.\nReshape", re.DOTALL)


def domain_of(X):
    """The domain of a table for which none is given: of a frame's booleans public, else read off `X`."""
    if isinstance(X, pd.DataFrame):
        return Domain.from_frame(X)
    warn_leak(
        "domain was left out and is read off X, so epsilon is infinite: pass a dplit.Domain", 7
    )
    return Domain.from_data(X)


def check_kind_of_cells(X):
    """Refuse dates and masked arrays, of which NumPy would make plain numbers without a word."""
    if getattr(getattr(X, "dtype", None), "kind", "") in ("m", "M"):
        raise ValueError(f"X must hold numbers, got values of {X.dtype}: dates are none")
    if isinstance(X, np.ma.MaskedArray):
        raise ValueError("X must be an array without a mask, which would be ignored: use X.filled")


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
