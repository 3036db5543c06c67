"""What an additive model adds for each column, a function of it: read off the released trees at no cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from dplit.domain import Categorical
from dplit.trees.arrays import LEAF

if TYPE_CHECKING:
    from dplit.forests.base import BaseForest


class Shape(NamedTuple):
    """What the tests of one column add to the scores of a record."""

    column: str
    #: Float64 array, shape (n_pieces + 1,), or None. Ends of the pieces between the column's public bounds, each
    #: closed at its upper end.
    #: Of a date in days they are NumPy's datetimes; of a log scale in the column's own units.
    edges: np.ndarray | None
    #: Of a categorical column, one for each piece; None among them is a missing value.
    levels: tuple | None
    #: Float64 array, shape (n_pieces, n_outputs). Log-odds of the second of two classes, log-weights of several,
    #: or units of the target, or of its logarithm.
    values: np.ndarray
    outputs: tuple  #: Tuple of str, length n_outputs. What they are added to, in words.
    scale: str = "linear"  #: Or "log", on which the column is cut.


def additive_shape(forest: BaseForest, column: str | int) -> Shape:
    """The function of one column in an additive boosted forest, or in the preset that fitted one.

    A forest of ``max_depth=1`` is one. The scores of a record are ``initial_`` and the values of all columns'
    shapes where it lies. A column is told by its name, or its position.

    Raises a ValueError if a tree tests several columns, so that none stands alone. Raises a KeyError if the domain
    has no such column.

    Examples
    --------
    >>> import pandas as pd
    >>> from dplit import Continuous, Domain
    >>> from dplit.forests import BoostedForestRegressor
    >>> from dplit.forests.shapes import additive_shape
    >>> schema = {"domain": Domain({"u": Continuous(0, 1)}), "target_bounds": (0, 1)}
    >>> forest = BoostedForestRegressor(float("inf"), **schema, n_estimators=1, max_depth=1)
    >>> records = pd.DataFrame({"u": [0.2, 0.8]})
    >>> shape = additive_shape(forest.fit(records, [0.4, 0.6]), "u")
    >>> shape.edges.tolist()[0], shape.edges.tolist()[-1], shape.values.round(2).ravel().tolist()
    (0.0, 1.0, [-0.05, 0.05])
    """
    check_is_fitted(forest, "budget_")
    trees = getattr(forest, "trees_", None)
    tested = None if not hasattr(forest, "initial_") else _tested(trees)
    if tested is None:
        found = "trees that test several columns" if hasattr(forest, "initial_") else "no boosted trees"
        raise ValueError(f"forest must be a boosted one whose trees test one column each, got {found}")
    domain = forest.domain_
    feature = domain[column]
    j = domain.names.index(column) if isinstance(column, str) else range(len(domain))[column]
    name = domain.names[j] if domain.names else f"column {j}"
    values = forest.leaf_values_.reshape(-1, len(forest.initial_))
    roots, outputs = trees.roots[tested == j], _outputs(forest)
    if isinstance(feature, Categorical):
        levels = (*feature.levels, *((None,) if feature.missing else ()))
        added = _summed(trees, roots, np.arange(feature.size), values)
        return Shape(name, None, levels, added, outputs)
    lower, upper = feature.ends
    edges = np.unique(np.r_[lower, trees.threshold[trees.feature == j], upper])
    upper = edges[1:] if len(edges) > 1 else edges  # a piece is reached by its upper end
    edges = edges if len(edges) > 1 else np.repeat(edges, 2)
    scale = getattr(feature, "scale", "linear")
    return Shape(name, feature.shown(edges), None, _summed(trees, roots, upper, values), outputs, scale)


def _outputs(forest):
    classes = getattr(forest, "classes_", None)
    if classes is None:
        return ("the mean" if getattr(forest, "target_scale_", "") != "log" else "the logarithm's mean",)
    if len(classes) == 2:
        return (f"log-odds of {classes[1]}",)
    return tuple(f"log-weight of {name}" for name in classes)


def _tested(trees):
    """The one column that each tree tests, int array of shape (n_trees,); None if a tree tests several."""
    seen = [np.unique(trees.only(t).feature) for t in range(trees.n_trees)]  # LEAF is the least
    return np.array([columns[-1] for columns in seen]) if max(map(len, seen)) <= 2 else None


def _summed(trees, roots, points, values):
    """Sum over the trees of the leaf that each point reaches, shape (n_points, n_outputs)."""
    total = np.zeros((len(points), values.shape[1]))
    for node in roots:
        at = np.full(len(points), node)
        while (inner := trees.feature[at] != LEAF).any():
            of_level = inner & np.isnan(trees.threshold[at])
            step = (points > trees.threshold[at]).astype(np.int64)  # False where there is none
            step[of_level] = trees.steps[trees.side[at[of_level]] + points[of_level].astype(np.int64)]
            at = np.where(inner, trees.child[at] + step, at)
        total += values[trees.child[at]]
    return total
