"""What a fit takes, checked: tables, targets, class lists, parameters; and what its columns matter."""

from __future__ import annotations

import functools
import re
import warnings
from collections.abc import Iterable
from importlib import import_module
from numbers import Real

import numpy as np
import pandas as pd
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from dplit.budget import Leak, Public
from dplit.errors import warn_leak
from dplit.trees.arrays import Trees

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
    warn_leak(
        "classes was left out and is read off y, so epsilon is infinite: pass the list of classes "
        "(the categories of y's dtype may be those that occur in it)",
        6,
    )
    categories = getattr(getattr(y, "dtype", None), "categories", None)
    found = np.unique(np.asarray(y)).tolist() if categories is None else categories
    return check_classes(found), Leak("class list", "read off y: pass classes")


def check_numbers(X):
    """An array of dates, or one with a mask, is no array of numbers, though NumPy makes one of it."""
    if getattr(getattr(X, "dtype", None), "kind", "") in ("m", "M"):
        raise ValueError(f"X must hold numbers, got values of {X.dtype}: dates are none")
    if isinstance(X, np.ma.MaskedArray):
        raise ValueError("X must be an array without a mask, which would be ignored: use X.filled")


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


def class_codes(y, classes):
    """Position of each value of `y` in the class list, int32 array of shape (n_records,)."""
    values = np.asarray(y)
    try:
        occurrence, occurring = _factorized(y, values)
    except TypeError:  # a list among the values
        raise ValueError("y must hold classes, got a value that cannot be one, as a list") from None
    codes = pd.Index(classes, dtype=object).get_indexer(occurring.astype(object))
    if (codes < 0).any():
        raise ValueError(
            f"y must hold classes of the list, got another; classes are {few(classes)}"
            f"{_encoded(values, classes)}"
        )
    return codes[occurrence].astype(np.int32)


def check_target_type(y):
    """scikit-learn's check of the kind of values that a target holds."""
    with warnings.catch_warnings():  # one of its warnings depends on how many classes occur
        warnings.simplefilter("ignore")
        try:
            check_classification_targets(y)
        except TypeError:  # it sorts them
            raise ValueError("y must hold classes of one kind, strings or numbers") from None


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


def undone_on_error(fit):
    """The same `fit`; where it stops with an error, the estimator is as it was before.

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
            fit(self, *args, **kwargs)
            vars(self).update(given)
            return self
        except BaseException:
            vars(self).clear()
            vars(self).update(before)
            raise

    return fit_or_undo


# What the columns matter -------------------------------------------------------------------------


class WithImportances:
    """What `feature_importances_` is of every forest whose nodes test one column."""

    @property
    def feature_importances_(self):
        r"""What each column's tests explain of what the leaves released, float64, shape (n_features,).

        At a node that is the weighted squared deviation of the leaves below it from their mean, less those
        within its children, as scikit-learn has it for impurities; summed over all nodes and trees, it adds
        up to 1 (to 0 where no test tells anything). Leaves that released class counts weigh as the counts
        above 0, and their values are their classes' shares. Any other leaf weighs as its part of the public
        domain, and its value is its class, its shares or its mean. It costs nothing: only what `fit`
        released is read. Noise counts, too: of a small epsilon it is most of what there is to explain.
        """
        check_is_fitted(self, "budget_")
        trees, kind = getattr(self, "trees_", None), type(self).__name__
        if not isinstance(trees, Trees):
            raise AttributeError(
                f"feature_importances_ needs nodes that test one column, and {kind} has none"
            )
        variation = import_module("dplit.trees.variation")  # compiled, and no chapter needs it

        n_levels = _tested_levels(self)
        released = _weighed(self)
        if released is None:
            raise AttributeError(
                f"feature_importances_ needs what leaves released: this {kind} released votes alone"
            )
        weights, values = released
        if weights is None:
            weights = variation.leaf_volumes(trees, n_levels, self.domain_.bounds)
        found = variation.explained(trees, n_levels, weights, values)
        return found / (found.sum() or 1.0)


def _tested_levels(forest):
    """Levels of each column as the trees test it: of bins, where they test bins; 0 by thresholds."""
    domain = forest.domain_
    if hasattr(forest, "cells_"):
        return forest.cells_.n_levels
    if not hasattr(forest, "bins_"):
        return domain.n_levels
    lower, upper = domain.bounds.T
    bins = np.where(lower < upper, forest.bins_, 1)
    return np.where(domain.n_levels > 0, domain.n_levels, bins)


def _weighed(forest):
    """Weights of the leaves, None for their parts of the domain, and values; None if none are there."""
    if hasattr(forest, "leaf_counts_"):
        counts = np.maximum(forest.leaf_counts_, 0.0)
        weights = counts.sum(axis=1)
        return weights, counts / np.where(weights > 0, weights, 1.0)[:, None]
    if hasattr(forest, "leaf_labels_") and not hasattr(forest, "leaf_shares_"):
        return None, np.eye(forest.n_classes_)[forest.leaf_labels_]
    for name in ("leaf_shares_", "leaf_values_", "leaf_probabilities_", "leaf_differences_"):
        if hasattr(forest, name):
            values = np.asarray(getattr(forest, name), dtype=np.float64)
            return None, values.reshape(len(values), -1)
    return None
