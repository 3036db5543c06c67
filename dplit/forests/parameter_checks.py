"""Parameters of forests: whether they are right, and what depth and number of columns they mean."""

import math
from numbers import Integral, Real

import numpy as np

from dplit.ground.errors import check_integer

GUESS = 10_000  # records, where the user declares none
DEEPEST = 12
MOST_BINS = 1_000_000
RECORDS_OF_A_LEAF = 25  # DiPriMe v2, section 4: "more than 25 records a leaf"
FUNCTIONS = {"sqrt": math.sqrt, "log2": math.log2}


def check_depth(max_depth, minimum=0):
    """Return `max_depth` as an int; what is too deep for the memory is an error of the growers."""
    return check_integer(max_depth, "max_depth", minimum)


def usual_depth(n_records: int | None, n_parts: int, branches: float = 2.0) -> int:
    r"""Levels of splits that leave some 25 records in a leaf, :math:`\log_b(n / (25\,t))`, at most 12.

    DiPriMe v2, section 4, of public numbers alone: a guess n, 10,000 if it is None, the paper's t parts into
    which the records go, and the children b of a node, on average.

    Examples
    --------
    >>> usual_depth(None, 10)
    5
    """
    leaves = (GUESS if n_records is None else n_records) / (RECORDS_OF_A_LEAF * n_parts)
    return min(int(math.log(max(leaves, 1.0), max(branches, 2.0)) + 1e-9), DEEPEST)


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
