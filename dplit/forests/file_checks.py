"""Whether what a file holds is a fitted forest, as the end of `dplit.forests.files` says: `dplit.load` asks."""

import math
from numbers import Real

import numpy as np

from dplit.budget import Budget
from dplit.domain import Domain
from dplit.domain.schema import check_domain
from dplit.forests.parameter_checks import check_bins
from dplit.ground.errors import check_jobs
from dplit.trees.arrays import LEAF, check, check_arrays, check_paths, check_trees

NEEDED = {  # beside what all have; of trees the first that is there answers
    "HistogramForestClassifier": ("cells_", "cell_counts_", "cell_labels_"),
    "MatrixForestClassifier": ("cells_", "expected_error_"),
    "BoostedForestClassifier": ("trees_", "leaf_values_", "initial_", "pair_sums_", "plan_", "tested_",
                                "directions_"),
    "JPWClassifier": ("trees_", "leaf_counts_"),
    "DPDecisionForestClassifier": ("trees_", "leaf_labels_", "leaf_shares_", "bins_"),
    "DPRandomForestClassifier": ("trees_", "leaf_labels_", "bins_"),
    "DPRandomForestRegressor": ("trees_", "leaf_values_", "bins_"),
    "ComparisonForestClassifier": ("trees_", "leaf_labels_", "lowest_", "widths_"),
    "PrivateForestClassifier": ("forest_", "advice_"),
    "PrivateForestRegressor": ("forest_", "advice_"),
}  # fmt: skip
NEEDED["BoostedForestRegressor"] = NEEDED["BoostedForestClassifier"]
ANSWERS = "leaf_", "cell_"  # what names of released arrays begin with
KNOWN = {"leaf_labels_", "leaf_values_", "leaf_counts_", "leaf_shares_", "leaf_probabilities_",
         "leaf_differences_", "cell_labels_", "cell_counts_", "cell_shares_"}  # fmt: skip
FITTED = {*KNOWN, *sum(NEEDED.values(), ()), "budget_", "domain_", "noise_", "n_features_in_", "feature_names_in_",
          "classes_", "n_classes_", "target_bounds_", "target_scale_", "max_depth_", "query_votes_",
          "_queries_"}  # fmt: skip
HINTS = {"int": int, "float": Real, "float | None": (Real, type(None)), "str": str, "tuple": tuple}


def check_insides(forest):
    """Raise `ValueError` if a forest that was read from a file is none; the message names the attribute."""
    kind, fitted = kind_of(forest), vars(forest)
    classifies = hasattr(forest, "predict_proba") or hasattr(type(forest), "classes")
    answer = "leaf_labels_" if classifies else "leaf_values_"
    needed = "budget_", "domain_", "n_features_in_", "noise_", *NEEDED.get(kind, ("trees_", answer))
    needed += ("classes_", "n_classes_") if classifies else ()
    needed += () if classifies or "forest_" in needed else ("target_bounds_",)
    missing = [name for name in needed if name not in fitted]
    if missing:
        raise ValueError(f"a {kind} without {', '.join(missing)}")
    check_domain(forest.domain)
    check_jobs(forest.n_jobs)
    _check_schema(fitted)
    for name, value in fitted.items():
        _check_value(name, value)
    if "trees_" in fitted:
        _check_trees(forest)
    if kind == "MatrixForestClassifier":
        _check_released(fitted)
    if "forest_" in fitted:
        _check_inner(forest)
    _check_answers(fitted, kind)


def check_fitting(forest):
    """Raise `ValueError` if attributes that a prediction reads don't fit one another, named in the message.

    What a class of your own holds beside them is left alone.
    """
    kind, fitted = kind_of(forest), vars(forest)
    _check_schema(fitted)
    if "trees_" in fitted:
        _check_trees(forest)
        known = {k: v for k, v in fitted.items() if not k.startswith(ANSWERS) or k in KNOWN}
        _check_answers(known, kind)


def kind_of(forest):
    """Name of the package's estimator that it is, or that its own class is derived from."""
    own = (c for c in type(forest).__mro__ if c.__module__.startswith(("dplit.forests.", "dplit.baselines.")))
    return next(own, type(forest)).__name__


def _check_schema(fitted):
    """The columns, the classes, the target's bounds, and the way of the noise."""
    domain, n = fitted["domain_"], fitted["n_features_in_"]
    check(isinstance(fitted["budget_"], Budget), "budget_", "that is no budget")
    check(isinstance(domain, Domain), "domain_", "that is no domain")
    check(type(n) is int and n == len(domain.columns), "n_features_in_", f"beside {len(domain.columns)} columns")
    check(fitted["noise_"] in ("secure", "simulation"), "noise_", "of an unknown kind")
    names = fitted.get("feature_names_in_")
    if names is not None:
        plain = isinstance(names, np.ndarray) and names.shape == (n,) and names.dtype == object
        plain = plain and all(isinstance(name, str) for name in names)
        same = plain and set(domain.column_names or names) == {*names.tolist()}
        check(same, "feature_names_in_", f"that aren't the names of {n} columns")
    if "classes_" in fitted:
        classes = fitted["classes_"]
        distinct = isinstance(classes, np.ndarray) and classes.ndim == 1 and len(classes) > 0
        distinct = distinct and len({*classes.tolist()}) == len(classes)
        check(distinct, "classes_", "that aren't distinct classes")
        n = fitted.get("n_classes_")
        check(type(n) is int and n == len(classes), "n_classes_", f"of {n} beside {len(classes)} classes")
    if "target_bounds_" in fitted:
        ends = fitted["target_bounds_"]
        two = isinstance(ends, tuple) and len(ends) == 2 and all(isinstance(e, Real) for e in ends)
        right = two and math.isfinite(ends[1] - ends[0]) and ends[0] < ends[1]
        check(right, "target_bounds_", "that aren't two ends of an interval")
        scale = fitted.get("target_scale_", "linear")  # earlier versions had no other
        right = isinstance(scale, str) and (scale == "linear" or (scale == "log" and ends[0] > 0))
        check(right, "target_scale_", "of other bounds")
    if "cells_" in fitted:
        cells = fitted["cells_"]
        own = type(cells).__name__ == "Cells" and cells.domain == domain
        check(own, "cells_", "of another domain")
    if "bins_" in fitted:
        check_bins(fitted["bins_"])


def _check_value(name, value):
    """Numbers of an array are finite, and fields of a record are of their types."""
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        check(value.dtype == "f8" and np.isfinite(value).all(), name, "that aren't finite float64 numbers")
    hints = getattr(type(value), "__annotations__", {})
    for field, hint in hints.items() if type(value).__name__ in ("Plan", "Advice", "ExpectedError") else ():
        found, kind = (getattr(value, field), HINTS.get(getattr(hint, "__forward_arg__", hint), object))
        right = isinstance(found, kind) and not isinstance(found, bool)
        check(right, f"{name}.{field}", f"of the type {type(found).__name__}")


def _check_inner(forest):
    """The forest of a preset, which is checked by itself, says of the records what the preset says."""
    inner, outer = vars(forest.forest_), vars(forest)
    same = inner["domain_"] == outer["domain_"] and inner["n_features_in_"] == outer["n_features_in_"]
    if "classes_" in outer:
        same = same and np.array_equal(inner.get("classes_"), outer["classes_"])
    else:
        same = same and "classes_" not in inner
    check(same, "forest_", "of other columns or classes")


def _check_trees(forest):
    trees, kind = forest.trees_, type(forest.trees_).__name__
    comparison = kind_of(forest) == "ComparisonForestClassifier"
    check(kind == ("ComparisonTrees" if comparison else "Trees"), "trees_", f"of the type {kind}")
    if comparison:
        _check_pivots(forest, trees)
        return
    columns = vars(forest).get("tested_", forest.domain_)
    check(isinstance(columns, Domain), "tested_", "that is no domain")
    check_trees(trees, columns.n_levels if hasattr(forest, "tested_") else tested_levels(forest))


def _check_pivots(forest, trees):
    """Of trees that compare distances, both pivots are there and points of the columns."""
    check_arrays(trees)
    check(len(trees.pair) == len(trees.child) > 0, "trees_", "whose arrays have different lengths")
    n, columns = trees.pivots.shape
    inner = trees.pair >= 0
    right = columns == len(forest.domain_) and np.isfinite(trees.pivots).all()
    check(right, "trees_.pivots", "that are no points")
    check(trees.pair.min() >= LEAF and (trees.pair[inner] < n - 1).all(), "trees_.pair", "beyond the pivots")
    for name in ("lowest_", "widths_"):
        array = getattr(forest, name)
        right = isinstance(array, np.ndarray) and array.dtype == "f8" and array.shape == (columns,)
        check(right, name, f"that aren't {columns} numbers")
    check((forest.widths_ > 0).all(), "widths_", "that aren't positive")
    check_paths(trees, inner, np.full(len(inner), 2))


def _check_answers(fitted, kind):
    """Whether there is an answer for each cell or leaf, of numbers, and each label a class."""
    n = len(fitted.get("classes_", ()))
    trees, boosted = fitted.get("trees_"), kind.startswith("Boosted")
    if boosted:
        _check_boosted(fitted, trees, n)
    for name, found in fitted.items():
        of, _, what = name.partition("_")
        if of not in ("cell", "leaf") or boosted:
            continue
        right = isinstance(found, np.ndarray) and found.dtype.kind in "iuf"
        check(right, name, "that are no numbers")
        check(of != "leaf" or trees is not None, name, "without trees_")
        length = trees.n_leaves if of == "leaf" else fitted["cells_"].n_cells
        wide = (n,) if what in ("shares_", "counts_", "probabilities_") else ()
        right = found.shape == (length, *wide)
        check(right, name, f"of shape {found.shape}: one for each of {length:,} is right")
        if what == "labels_":
            right = found.dtype.kind in "iu" and 0 <= found.min() <= found.max() < n
            check(right, name, f"that are not positions in classes_: whole numbers below {n}")


def _check_boosted(fitted, trees, n):
    """A boosted forest is complete trees, with a step for each leaf and score."""
    outputs = n if n > 2 else 1
    check(trees.depth is not None, "trees_", "that aren't complete")
    one = (trees.n_leaves,) if outputs == 1 else (trees.n_leaves, outputs)
    shapes = {"initial_": (outputs,), "leaf_values_": one}
    shapes["pair_sums_"] = trees.n_trees, 2, 2**trees.depth, outputs
    for name, shape in shapes.items():
        array = fitted[name]
        right = isinstance(array, np.ndarray) and array.dtype.kind == "f" and array.shape == shape
        check(right, name, f"that aren't numbers of the shape {shape}")
    given, columns = fitted["directions_"], len(fitted["domain_"])
    right = isinstance(given, list) and len(fitted["tested_"]) == columns + len(given)
    for taken in given if right else ():
        whole = isinstance(taken, tuple) and len(taken) == 3 and all(type(i) is int for i in taken[:2])
        right = right and whole and all(0 <= i < columns for i in taken[:2]) and isinstance(taken[2], Real)
        right = right and math.isfinite(taken[2])
    check(right, "directions_", "that are no pairs of columns")
    own = fitted["tested_"].features[:columns] == fitted["domain_"].features
    check(own, "tested_", "of other columns")


def _check_released(fitted):
    """A matrix forest has votes for each record that was asked for, or what its leaves released."""
    queries, votes = fitted.get("_queries_"), fitted.get("query_votes_")
    if votes is None:
        held = "leaf_counts_" in fitted or ("leaf_differences_" in fitted and fitted["n_classes_"] == 2)
        check(held and "trees_" in fitted, "trees_", "without what its leaves released")
        return
    whole = isinstance(queries, np.ndarray) and queries.dtype == "i8" and queries.ndim == 2
    check(whole and queries.shape[1] == len(fitted["domain_"]), "_queries_", "that are no records")
    right = isinstance(votes, np.ndarray) and votes.dtype.kind in "iuf"
    right = right and votes.shape == (len(queries), fitted["n_classes_"])
    check(right, "query_votes_", "that aren't numbers of each")


def tested_levels(forest):
    """Levels of each column as the trees test it: of bins, where they test bins; 0 by thresholds."""
    domain = forest.domain_
    if hasattr(forest, "cells_"):
        return forest.cells_.n_levels
    if not hasattr(forest, "bins_"):
        return domain.n_levels
    lower, upper = domain.bounds.T
    bins = np.where(lower < upper, forest.bins_, 1)
    return np.where(domain.n_levels > 0, domain.n_levels, bins)
