"""What a fit takes, checked: tables, targets, class lists, parameters; and what stands around every fit."""

from __future__ import annotations

import functools
import math
import re
import warnings
from collections.abc import Iterable, Mapping
from importlib import import_module
from numbers import Integral, Real

import numpy as np
import pandas as pd
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from dplit.budget import Leak, Public
from dplit.domain import GRID, Domain
from dplit.errors import check_epsilon, check_integer, warn_leak
from dplit.mechanisms.geometric import MOST

GUESS = 10_000  # records, where the user declares none
DEEPEST = 12
MOST_BINS = 1_000_000
RECORDS_OF_A_LEAF = 25  # DiPriMe v2, section 4: "more than 25 records a leaf"
UNREADABLE = re.compile(
    "could not convert|can.t convert|array element|inhomogeneous|too large to convert|codec"
)
QUOTED = re.compile(r":\narray=.*\.\nReshape", re.DOTALL)


def public_classes(y, classes):
    """The class list of a fit, and what it costs: read off `y` where no list is given."""
    if classes is not None:
        return check_classes(classes), Public("class list", "given as classes")
    if np.asarray(y).dtype == bool:
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


def domain_of(X):
    """The domain of a table for which none is given: of a frame's booleans public, else read off `X`."""
    if isinstance(X, pd.DataFrame):
        return Domain.from_frame(X)
    warn_leak(
        "domain was left out and is read off X, so epsilon is infinite: pass a dplit.Domain", 7
    )
    return Domain.from_data(X)


def check_numbers(X):
    """An array of dates, or one with a mask, is no array of numbers, though NumPy makes one of it."""
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


def finite_numbers(y):
    """Targets as finite float64; so few that sums of their steps are whole numbers of 64 bits."""
    values = numbers_of(y)
    if not np.isfinite(values).all():
        raise ValueError("y must hold finite numbers, got an infinite or missing one (NaN, inf)")
    check_count(len(values))
    return values


def check_count(n_targets):
    """A number of targets whose sum in steps of the public grid is exact."""
    if n_targets * GRID > MOST:
        raise ValueError(f"y must hold at most {MOST // GRID:,} targets, got {n_targets:,}")


def target_shares(values, lower, upper):
    """Numbers as shares of an interval, clipped to it, in whole steps of the public grid."""
    shares = (np.clip(values, lower, upper) - lower) / (upper - lower)
    return np.rint(shares * GRID) / GRID


def class_codes(y, classes):
    """Position of each value of `y` in the class list, int32 array of shape (n_records,)."""
    values = np.asarray(y)
    try:
        occurrence, occurring = _factorized(y, values)
    except TypeError:  # a list among the values
        raise ValueError("y must hold classes, got a value that cannot be one, as a list") from None
    check_target_type(pd.Series(occurring).infer_objects().to_numpy())
    codes = pd.Index(classes, dtype=object).get_indexer(occurring.astype(object))
    if (codes < 0).any():
        raise ValueError(
            f"y must hold classes of the list, got another; classes are {few(classes)}"
            f"{_encoded(values, classes)}"
        )
    return codes.astype(np.int32)[occurrence]


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


def _factorized(y, values):
    """Position of each value of `y` in the list of those that occur, and the list."""
    if isinstance(y, pd.Series) and isinstance(y.dtype, pd.CategoricalDtype):
        codes = y.cat.codes.to_numpy()  # none is missing
        used, ranks = np.unique(codes, return_inverse=True)
        return ranks, np.asarray(y.dtype.categories)[used]
    return pd.factorize(values)


def check_bounds(bounds):
    """The two ends of a public interval, as floats."""
    try:
        lower, upper = () if isinstance(bounds, str) else map(float, bounds)
    except (TypeError, ValueError, OverflowError):
        lower = upper = np.nan
    if not (np.isfinite(upper - lower) and lower < upper):
        raise ValueError(
            f"target_bounds must be two finite numbers (lower, upper), lower < upper, got {bounds!r}"
        )
    return lower, upper


def checked_target(y):
    """`y` as a Series or an array of shape (n_records,), without missing values.

    What has a pandas dtype keeps it. A list is looked at before
    NumPy turns the NaN among its strings into the class "nan".
    """
    if isinstance(y, (pd.Categorical, pd.Index, pd.api.extensions.ExtensionArray)):
        y = pd.Series(y)
    if not isinstance(y, pd.Series):
        given = y
        try:
            y = column_or_1d(y, warn=True)
        except (ValueError, OverflowError) as error:
            if QUOTED.search(str(error)) or not str(error).startswith("y "):
                raise ValueError("y must be a list of targets, one for each record") from None
            raise
        missing = pd.Series(list(given), dtype=object) if isinstance(given, (list, tuple)) else y
    else:
        missing = y
    if pd.isna(missing).any():
        raise ValueError("y must hold a value for every record, got a missing one (NaN)")
    return y


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


def _encoded(values, classes):
    """A hint where numbers come in place of names: some meta-estimators encode y before they fit."""
    if values.dtype.kind not in "iu" or not isinstance(classes[0], str):
        return ""
    numbers = list(range(len(classes)))
    return f"; inside a meta-estimator that encodes y, pass classes={numbers if len(numbers) < 7 else 'range(n)'}"


def few(values):
    """The first six values, for an error message."""
    values = list(values)
    return ", ".join(map(repr, values[:6])) + (", ..." if len(values) > 6 else "")


# Around every fit --------------------------------------------------------------------------------

NO_WEIGHTS = (
    "fit takes no sample_weight: epsilon is proved for records that count once, and a weight would scale "
    "what one person can change; leave it out, or repeat records and say so by records_per_person"
)


def declared(forest):
    """Epsilon and delta of a fit, as far as its parameters tell; infinite if they don't."""
    domain = forest.domain
    public = domain is not None and not getattr(domain, "data_dependent", ())
    proved = forest.accounting == "proved"
    epsilon = check_epsilon(forest.epsilon) if public and proved else math.inf
    return epsilon, getattr(forest, "delta", 0.0)


def undone_on_error(fit):
    """The same `fit`, charged to open accounts; where it stops with an error, the estimator is as it was.

    It has no parameter for weights, by which scikit-learn tells who takes them; to pass them is an error
    that says why. Parameters that are NumPy's numbers are Python's while it runs, since small integers of
    NumPy overflow.
    """

    @functools.wraps(fit)
    def fit_or_undo(self, *args, **kwargs):
        if "sample_weight" in kwargs or len(args) > 2:
            raise TypeError(NO_WEIGHTS)
        before = dict(vars(self))
        given = {name: before[name] for name in self.get_params(deep=False) if name in before}
        given = {name: value for name, value in given.items() if isinstance(value, np.generic)}
        try:
            vars(self).update({name: value.item() for name, value in given.items()})
            account = import_module("dplit.budget.accountant")
            with account.charged(self, lambda: declared(self), before.get("_sent_from")) as settle:
                fit(self, *args, **kwargs)
                settle(self.budget_.root)
            vars(self).update(given)
            return self
        except BaseException:
            vars(self).clear()
            vars(self).update(before)
            raise

    return fit_or_undo


# Parameters: shares of epsilon that no rounding makes add up to more, columns of a node, depth ---------


def at_most(value, total, limit):
    """`value`, or the next floats below it until ``total(value)`` is no more than `limit`.

    Shares that are right in real numbers can add up to an ulp too much in floats.
    """
    while total(value) > limit:
        value = math.nextafter(value, 0.0)
    return value


def level_shares(epsilon, depth, rho):
    """What each of `depth` levels of a tree gets, and its leaves: together at most `epsilon`.

    The share `rho` goes to the levels in equal parts (DiPriMe v2, section 4); with none, all of it
    goes to the leaves. An infinite `epsilon` is infinite in every part.
    """
    if depth == 0 or math.isinf(epsilon):
        return math.inf, epsilon
    level = rho * epsilon / depth
    return level, at_most(epsilon - depth * level, lambda leaf: depth * level + leaf, epsilon)


def check_depth(max_depth, minimum=0):
    """Return `max_depth` as an int; what is too deep for the memory is an error of the growers."""
    return check_integer(max_depth, "max_depth", minimum)


def check_bins(bins):
    """Return `bins` as an int."""
    return check_integer(bins, "bins", 1, MOST_BINS)


def check_rho(rho):
    """Return `rho` as a float; it must lie between 0 and 1."""
    if isinstance(rho, bool) or not isinstance(rho, (int, float, np.number)) or not 0 < rho < 1:
        raise ValueError(f"rho must be a number between 0 and 1, both excluded, got {rho!r}")
    return float(rho)


def check_max_features(value):
    """Return `value`; it must be a number of columns, a share of them, "sqrt", "log2" or None for all."""
    number = isinstance(value, Real) and not isinstance(value, (bool, np.bool_))
    whole = number and isinstance(value, Integral) and value >= 1
    share = number and not isinstance(value, Integral) and 0 < value <= 1
    if not (value is None or whole or share or (isinstance(value, str) and value in FUNCTIONS)):
        raise ValueError(
            "max_features must be an integer of at least 1, a share above 0 and at most 1, 'sqrt', "
            f"'log2' or None, got {value!r}"
        )
    return value


FUNCTIONS = {"sqrt": math.sqrt, "log2": math.log2}


def n_candidates(max_features, columns):
    """How many of the columns compete at a node, at least one: what a checked `max_features` means.

    Shares and functions are rounded down, as in scikit-learn.
    """
    if max_features is None:
        return columns
    if isinstance(max_features, str):
        return max(int(FUNCTIONS[max_features](columns)), 1)
    if isinstance(max_features, Integral):
        return int(min(max_features, columns))
    return max(int(max_features * columns), 1)


def usual_depth(n_records, n_parts, branches=2.0):
    r"""Levels of splits that leave some 25 records in a leaf, :math:`\log_b(n / (25\,t))`, at most 12.

    DiPriMe v2, section 4, of public numbers alone.

    Parameters
    ----------
    n_records : int or None
        A public guess n; None: 10,000.
    n_parts : int
        The paper's t: into how many parts the records go.
    branches : float
        Children b of a node, on average.

    Returns
    -------
    int

    Examples
    --------
    >>> usual_depth(None, 10)
    5
    """
    leaves = (GUESS if n_records is None else n_records) / (RECORDS_OF_A_LEAF * n_parts)
    return min(int(math.log(max(leaves, 1.0), max(branches, 2.0)) + 1e-9), DEEPEST)
