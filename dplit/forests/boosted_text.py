"""A boosted forest as text: its start, and each round's tests and steps."""

from __future__ import annotations

import numpy as np

from dplit.domain import Categorical

MOST_LEVELS = 6


def lines(trees, domain, initial, values):
    """Lines of the released model.

    Parameters
    ----------
    trees : dplit.trees.Trees
        Oblivious.
    domain : Domain
    initial : float array, shape (n_outputs,)
    values : float array, shape (n_leaves,) or (n_leaves, n_outputs)

    Yields
    ------
    str
    """
    yield f"start {_numbers(initial)}"
    starts = trees.leaf_starts
    for t in range(trees.n_trees):
        yield f"round {t + 1}"
        first = 0
        for level in range(trees.depth):
            yield f"  test {level + 1}: {_test(trees, domain, first + t * 2**level)}"
            first += trees.n_trees * 2**level
        for leaf, value in enumerate(values[starts[t] : starts[t + 1]]):
            path = f"{leaf:0{trees.depth}b}" if trees.depth else "all"
            yield f"  {path}: {_numbers(np.atleast_1d(value))}"


def _test(trees, domain, node):
    column = int(trees.feature[node])
    name, feature = (domain.names or range(len(domain)))[column], domain.features[column]
    if not isinstance(feature, Categorical):
        return f"{name} > {trees.threshold[node]:g}"
    side = trees.side[node]
    right = np.flatnonzero(trees.steps[side : side + len(feature.levels)])
    shown = [str(feature.levels[i]) for i in right[:MOST_LEVELS]]
    return f"{name} in {', '.join(shown)}{', ...' if len(right) > MOST_LEVELS else ''}"


def _numbers(values):
    return " ".join(f"{value:+.4g}" for value in values)
