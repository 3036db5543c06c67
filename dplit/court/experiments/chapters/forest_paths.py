r"""Fresh points in the trees of `dplit.forests.MultinomialForestClassifier`, each on fresh data.

Counts for the lemmas of :doc:`/book/consistency`. ``python -m dplit.court.experiments.chapters.forest_paths
data/results/consistency/estimator.json`` runs them again, in a minute.
"""

import math
import sys
from itertools import product
from typing import NamedTuple

import numpy as np

from dplit.consistency.greedy import PAIR, TREND, pair_and_trend
from dplit.court.experiments.chapters.writing import run
from dplit.domain import Continuous, Domain
from dplit.forests.multinomial import MultinomialForestClassifier
from dplit.ground.errors import check_integer, check_rng
from dplit.ground.work import stream
from dplit.trees.arrays import LEAF

FILE = "results/consistency/estimator.json"
SEED, TREES, LEVELS, DELTA = 0, 5, 3, 0.2
DRAWS, BLOCKS = 200, 5
BUDGETS = (0.0, 2.0, 10.0, math.inf)


class ForestPaths(NamedTuple):
    """Draws, one a row: where the leaf of X lies and what the trees say.

    `low`, `high`: ends of X's leaf in the first tree, shape (draws, features); `votes`: class that each tree gives
    X, shape (draws, trees); `vote` and `label`: class that the forest gives it, and its own, shape (draws,).
    """

    low: np.ndarray
    high: np.ndarray
    votes: np.ndarray
    vote: np.ndarray
    label: np.ndarray


def forest_paths(
    n: int,
    k: int,
    features: int,
    draws: int,
    budget: float,
    *,
    pair: float = 0.0,
    trend: float = 0.0,
    trees: int = 1,
    levels: int | None = None,
    rng: np.random.Generator,
) -> ForestPaths:
    r"""Fit the published forest to fresh data, and ask it for a fresh point, again and again.

    `n` records, half of them structure points; `k`: `min_samples_leaf`; `budget`: :math:`B_1 = B_2`; `pair`,
    `trend`: of the labels' law, `dplit.consistency.pair_and_trend`; `levels`: the most cuts in a path.
    """
    rng, draws = check_rng(rng), check_integer(draws, "draws", 1)
    forest = MultinomialForestClassifier(
        accounting="published", domain=Domain([Continuous(0, 1)] * features), classes=[0, 1],
        n_estimators=trees, max_depth=levels, min_samples_leaf=k,
        feature_budget=budget, value_budget=budget,
    )  # fmt: skip
    found = [_one(forest, n, features, pair, trend, rng) for _ in range(draws)]
    return ForestPaths(*map(np.array, zip(*found)))


def _one(forest, n, features, pair, trend, rng):
    x = rng.random((n + 1, features))
    y = (rng.random(n + 1) < pair_and_trend(x, pair, trend)).astype(int)
    forest.set_params(random_state=int(rng.integers(2**31))).fit(x[:-1], y[:-1])
    low, high = leaf_boxes(*first_tree(forest), x[-1:])
    reached = forest.apply(x[-1:])[0] + forest.trees_.leaf_starts[:-1]
    return low[0], high[0], forest.leaf_labels_[reached], forest.predict(x[-1:])[0], y[-1]


def first_tree(forest):
    """Tested column (below 0: a leaf), threshold and both children of each node of a forest's first tree."""
    if not hasattr(forest, "trees_"):  # another library's
        tree = forest.estimators_[0].tree_
        return tree.feature, tree.threshold, tree.children_left, tree.children_right
    trees = forest.trees_
    feature = np.where(trees.feature == LEAF, -1, trees.feature)
    return feature, trees.threshold, trees.child, trees.child + 1


def leaf_boxes(
    feature: np.ndarray, threshold: np.ndarray, left: np.ndarray, right: np.ndarray, points: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper ends of the leaf of each point in the unit cube, shape of `points`.

    The tree is as `first_tree` gives it, an entry a node, its root node 0; `points` (n_points, n_features).
    """
    low, high = np.zeros_like(points), np.ones_like(points)
    node = np.zeros(len(points), dtype=np.int64)
    while (row := np.flatnonzero(feature[node] >= 0)).size:
        column, cut = feature[node[row]], threshold[node[row]]
        below = points[row, column] <= cut
        high[row[below], column[below]] = cut[below]
        low[row[~below], column[~below]] = cut[~below]
        node[row] = np.where(below, left[node[row]], right[node[row]])
    return low, high


def counted_cell(budget: float, block: int) -> dict:
    r"""Events of lemma 1, equation 11 and equation 15 on fitted forests, at :math:`B_1 = B_2`.

    `block`: which block of `DRAWS` draws. Returns draws; errors of the first `tree` and of the `vote` of
    `TREES` on the pair beside the trend, 300 records, k = 17; after `LEVELS` cuts of two features, 400 records,
    how often X's cell was `small`, below ``DELTA**LEVELS``, and how often a uniform number was below its
    `size` in the first feature.
    """
    rng, draws = stream(f"consistency/estimator/{budget:g}/{block}", SEED), DRAWS
    voted = forest_paths(300, 17, 3, draws, budget, pair=PAIR, trend=TREND, trees=TREES, rng=rng)
    cut = forest_paths(400, 5, 2, draws, budget, trend=0.5, levels=LEVELS, rng=rng)
    sizes = cut.high - cut.low
    events = {
        "tree": voted.votes[:, 0] != voted.label,
        "vote": voted.vote != voted.label,
        "small": sizes.prod(axis=1) < DELTA**LEVELS,
        "size": rng.random(draws) < sizes[:, 0],
    }
    return {"draws": draws, **{name: int(event.sum()) for name, event in events.items()}}


def main(path):
    """Count every cell and write the file."""
    computed = ((f"{b:g}/{i}", counted_cell(b, i)) for b, i in product(BUDGETS, range(BLOCKS)))
    libraries = ("numpy", "numba")
    run("forest_paths", path, computed, file=FILE, seed=SEED, trees=TREES, libraries=libraries)


if __name__ == "__main__":
    main(sys.argv[1])
