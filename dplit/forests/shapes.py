"""What an additive model adds for each column, read off the released trees.

A boosted forest whose trees have one test is a sum of functions of single columns: each function is a
step for every tree that tests its column. It is computed from what was released, so it costs nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from dplit.domain import Categorical


class Shape(NamedTuple):
    """What the tests of one column add to the scores of a record.

    Attributes
    ----------
    column : str
    edges : float64 array, shape (n_pieces + 1,), or None
        Ends of the pieces between the column's public bounds, each closed at its upper end.
    levels : tuple or None
        Of a categorical column, one for each piece; None among them is a missing value.
    values : float64 array, shape (n_pieces, n_outputs)
        Log-odds of the second of two classes, log-weights of several, or units of the target.
    """

    column: str
    edges: np.ndarray | None
    levels: tuple | None
    values: np.ndarray


def additive_shape(forest, column):
    """The function of one column in a boosted forest of depth 1, or in the preset that fitted one.

    The scores of a record are ``initial_`` and the values of all columns' shapes where it lies.

    Parameters
    ----------
    forest : fitted BoostedForestClassifier or BoostedForestRegressor, or a preset that fitted one
    column : str or int
        Its name, or its position.

    Returns
    -------
    Shape

    Raises
    ------
    ValueError
        If trees have more than one test, so that no column stands alone.
    KeyError
        If the domain has no such column.

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
    (0.0, 1.0, [-0.1, 0.1])
    """
    check_is_fitted(forest, "budget_")
    trees = getattr(forest, "trees_", None)
    if not hasattr(forest, "initial_") or trees.depth > 1:
        found = (
            f"trees of depth {trees.depth}" if hasattr(forest, "initial_") else "no boosted trees"
        )
        raise ValueError(f"forest must be a boosted one with max_depth=1, got {found}")
    domain = forest.domain_
    feature = domain[column]
    j = domain.names.index(column) if isinstance(column, str) else range(len(domain))[column]
    name = domain.names[j] if domain.names else f"column {j}"
    values = forest.leaf_values_.reshape(trees.n_trees, -1, len(forest.initial_))
    own = np.flatnonzero(trees.feature[trees.roots] == j)
    nodes = trees.roots[own]
    if isinstance(feature, Categorical):
        codes = np.arange(feature.size)
        steps = trees.steps[trees.side[nodes][:, None] + codes] if len(own) else codes[None][:0]
        levels = (*feature.levels, *((None,) if feature.missing else ()))
        return Shape(name, None, levels, _summed(values[own], steps))
    cuts = trees.threshold[nodes]
    inner = np.unique(cuts)
    steps = np.r_[inner, feature.upper] > cuts[:, None]  # a piece is below its upper end
    edges = np.r_[feature.lower, inner, feature.upper]
    return Shape(name, edges, None, _summed(values[own], steps))


def _summed(values, steps):
    """Sum over trees of the leaf that each piece reaches, shape (n_pieces, n_outputs)."""
    reached = np.take_along_axis(values, steps.astype(np.intp)[:, :, None], axis=1)
    return reached.sum(axis=0)
