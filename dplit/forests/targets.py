"""y as a fit takes it: class lists and codes, numbers on the public grid."""

import math
import re
import warnings
from collections.abc import Iterable
from numbers import Real

import numpy as np
import pandas as pd
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from dplit.budget import Leak, Public
from dplit.domain import GRID
from dplit.ground.errors import few, warn_leak
from dplit.mechanisms.geometric import MOST

SCALES = "linear", "log"
QUOTED = re.compile(r":\narray=.*\.\nReshape", re.DOTALL)  # what NumPy's messages quote


def checked_target(y):
    """`y` as a Series or an array of shape (n_records,), without missing values.

    What has a pandas dtype keeps it. A list is looked at before
    NumPy turns the NaN among its strings into the class "nan".
    """
    if isinstance(y, (pd.Categorical, pd.Index, pd.api.extensions.ExtensionArray)):
        y = pd.Series(y)
    plain = type(y) is np.ndarray and y.ndim == 1 and y.flags.c_contiguous and y.dtype.kind in "biufU"
    given = y
    if not plain and not isinstance(y, pd.Series):
        try:
            y = column_or_1d(y, warn=True)
        except (ValueError, OverflowError) as error:
            if QUOTED.search(str(error)) or not str(error).startswith("y "):
                raise ValueError("y must be a list of targets, one for each record") from None
            raise
    missing = pd.Series(list(given), dtype=object) if isinstance(given, (list, tuple)) else y
    if pd.isna(missing).any():
        raise ValueError("y must hold a value for every record, got a missing one (NaN)")
    return y


def is_boolean(y):
    """Whether the type of `y` says that its classes are False and True; of Dask's nothing is computed."""
    listed = isinstance(y, (list, tuple)) and set(map(type, y)) <= {bool, np.bool_}
    return listed or pd.api.types.is_bool_dtype(getattr(y, "dtype", None))


def public_classes(y, classes):
    """The class list of a fit, and what it costs: read off `y` where no list is given."""
    if classes is not None:
        return check_classes(classes), Public("class list", "given as classes")
    if is_boolean(y):
        return [False, True], Public("class list", "the two values of a boolean")
    check_target_type(y)
    warn_leak(
        "classes was left out and is read off y, so epsilon is infinite: pass the list of classes "
        "(the categories of y's dtype may be those that occur in it)",
        6,
    )
    categories = getattr(getattr(y, "dtype", None), "categories", None)
    found = np.unique(np.asarray(y)).tolist() if categories is None else categories
    return check_classes(found), Leak("class list", "read off y: pass classes")


def check_classes(classes):
    """The class list as a list: distinct numbers or distinct strings; a CategoricalDtype's categories."""
    classes = getattr(classes, "categories", classes)
    if isinstance(classes, (str, bytes)) or not isinstance(classes, Iterable):
        raise ValueError(f"classes must be a list of classes, got {classes!r}")
    classes = [c.item() if isinstance(c, np.generic) else c for c in classes]
    if not any(all(isinstance(c, kind) and c == c for c in classes) for kind in (str, Real)):
        raise ValueError(f"classes must be all strings or all numbers, got {classes!r}")
    if len(set(classes)) != len(classes) or not classes:
        raise ValueError(f"classes must be distinct and at least one, got {classes!r}")
    return classes


def class_codes(y, classes):
    """Position of each value of `y` in the class list, int32 array of shape (n_records,)."""
    values = np.asarray(y)
    try:
        occurrence, occurring = _factorized(y, values)
        if occurring.dtype.kind not in "biuU" and {*map(type, occurring)} != {str}:  # which are of one kind
            check_target_type(pd.Series(occurring).infer_objects().to_numpy())
    except (TypeError, OverflowError):  # a list among the values, or a whole number beyond all of pandas'
        raise ValueError("y must hold classes, got a value that cannot be one, as a list") from None
    known = {c: i for i, c in enumerate(classes)}
    codes = np.array([known.get(v, -1) for v in occurring.tolist()], dtype=np.int32)
    if -1 in codes:
        raise ValueError(
            f"y must hold classes of the list, got another; classes are {few(classes)}{_encoded(values, classes)}"
        )
    return codes[occurrence]


def _factorized(y, values):
    """Position of each value of `y` in the list of those that occur, and the list."""
    if isinstance(y, pd.Series) and isinstance(y.dtype, pd.CategoricalDtype):
        codes = y.cat.codes.to_numpy()  # none is missing
        used, ranks = np.unique(codes, return_inverse=True)
        return ranks, np.asarray(y.dtype.categories)[used]
    return pd.factorize(values)


def _encoded(values, classes):
    """A hint where numbers come in place of names: some meta-estimators encode y before they fit."""
    if values.dtype.kind not in "iu" or not isinstance(classes[0], str):
        return ""
    numbers = list(range(len(classes)))
    return f"; inside a meta-estimator that encodes y, pass classes={numbers if len(numbers) < 7 else 'range(n)'}"


def check_target_type(y):
    """scikit-learn's check of the kind of values that a target holds: once each is enough, and faster."""
    with warnings.catch_warnings():  # one of its warnings depends on how many classes occur
        warnings.simplefilter("ignore")
        try:
            check_classification_targets(y)
        except TypeError:  # it sorts them
            raise ValueError("y must hold classes of one kind, strings or numbers") from None
        except ValueError as error:
            if "Complex" not in str(error):
                raise
            raise ValueError("y must hold strings or real numbers, got a complex one") from None


def finite_numbers(y):
    """Targets as finite float64; so few that sums of their steps are whole numbers of 64 bits."""
    values = numbers_of(y)
    if not np.isfinite(values).all():
        raise ValueError("y must hold finite numbers, got an infinite or missing one (NaN, inf)")
    check_count(len(values))
    return values


def numbers_of(y):
    """Targets as float64; text, dates and what is beyond the floats are no numbers."""
    try:
        values = np.asarray(y)
        is_text = values.dtype == object and any(isinstance(v, (str, bytes)) for v in values)
        if values.dtype.kind in "mMSUV" or is_text:
            raise TypeError
        return values.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ValueError("y must hold numbers, got a target that is none") from None


def check_count(n_targets):
    """A number of targets whose sum in steps of the public grid is exact."""
    if n_targets * GRID > MOST:
        raise ValueError(f"y must hold at most {MOST // GRID:,} targets, got {n_targets:,}")


def check_bounds(bounds, scale="linear"):
    """The two ends of a public interval, as floats; of a log scale both are positive."""
    try:
        lower, upper = () if isinstance(bounds, str) else map(float, bounds)
    except (TypeError, ValueError, OverflowError):
        lower = upper = np.nan
    if not (np.isfinite(upper - lower) and lower < upper):
        raise ValueError(f"target_bounds must be two finite numbers (lower, upper), lower < upper, got {bounds!r}")
    if scale == "log" and not (lower > 0 and math.log(lower) < math.log(upper)):
        raise ValueError(
            f"target_bounds must be positive on a log scale, and apart, got {bounds!r}: take a positive lower, to "
            "which what is below is clipped"
        )
    return lower, upper


def on_scale(values, scale):
    """Positive numbers as a log scale divides them equally, or any as they are."""
    return np.log(values) if scale == "log" else values


def target_shares(values, lower, upper, scale="linear"):
    """Numbers as shares of an interval on its scale, clipped to it first, in whole steps of the public grid."""
    low, high = on_scale(lower, scale), on_scale(upper, scale)
    shares = (on_scale(np.clip(values, lower, upper), scale) - low) / (high - low)
    return np.rint(shares * GRID) / GRID
