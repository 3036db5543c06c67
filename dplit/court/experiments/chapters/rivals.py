r"""How errors fall with n for MRF at four budgets and for its rivals: a stored run of :doc:`/book/consistency`.

``python -m dplit.court.experiments.chapters.rivals data/results/consistency/rivals.json`` runs it again, in
minutes. What a fitted forest errs more than the Bayes rule is a mean of :math:`|2\eta - 1|` over the fresh points
where they differ, so that labels add no noise to it. A cell's draws depend on its key and the seed alone.
"""

import math
import sys
from itertools import product

import numpy as np
from sklearn.ensemble import RandomForestClassifier

from dplit import baselines
from dplit.consistency.greedy import pair_and_trend
from dplit.court.experiments.chapters.forest_paths import first_tree, leaf_boxes
from dplit.court.experiments.chapters.writing import run
from dplit.domain import Continuous, Domain
from dplit.forests import MultinomialForestClassifier
from dplit.ground.work import stream

TREES, SEED, FEATURES, FRESH = 9, 0, 3, 20_000
DRAWS = {1000: 20, 10_000: 8, 100_000: 3, 1_000_000: 1}
FILE = "results/consistency/rivals.json"
INSIDE = 0.9  # probability of class 1 in the disc, whose area is one half


def disc(x):
    r""":math:`\eta = .9` in a disc of area 1/2 in the first two features, otherwise .1."""
    x = np.asarray(x, dtype=float)
    near = ((x[..., :2] - 0.5) ** 2).sum(axis=-1) < 1 / (2 * math.pi)
    return np.where(near, INSIDE, 1 - INSIDE)


LAWS = {  # eta, and the Bayes risk
    "pair": (pair_and_trend, 0.2),
    "trend": (lambda x: pair_and_trend(x, 0.0, 1.0), 0.25),
    "disc": (disc, 0.1),
}


def _ours(budget):
    def build(**options):
        budgets = {"feature_budget": budget, "value_budget": budget}
        return MultinomialForestClassifier(accounting="published", **budgets, **options)

    return build


def _baseline(name):
    def build(**options):
        return getattr(baselines, name)(**options)

    return build


def _breiman(*, domain, classes, **options):
    return RandomForestClassifier(**options)


METHODS = {
    **{f"MRF, B = {b:g}": _ours(b) for b in (0.0, 2.0, 10.0, math.inf)},
    "Denil14": _baseline("DenilForestClassifier"),
    "BRF": _baseline("BernoulliForestClassifier"),
    "Breiman": _breiman,
}


def rivals_cell(law: str, method: str, n: int) -> dict:
    """Fit a method of `METHODS` to data sets of `n` records of a law of `LAWS`, and look at it on fresh points.

    Returns the excess over the Bayes risk, of each of ``DRAWS[n]`` data sets; means of the leaf's extent in a
    feature and of the training records in it, over fresh points, of the first tree.
    """
    draws = [_draw(law, method, n, draw) for draw in range(DRAWS[n])]
    excess, extents, records = zip(*draws)
    found = {"extent": float(np.mean(extents)), "records": float(np.mean(records))}
    return {"excess": [float(e) for e in excess], **found}


def _draw(law, method, n, draw):
    """Excess, extent of leaves and records in them on one data set: the same one for all methods."""
    eta, rng = LAWS[law][0], stream(f"consistency/rivals/{law}/{n}/{draw}", SEED)
    x, fresh = rng.random((n, FEATURES)), rng.random((FRESH, FEATURES))
    y = (rng.random(n) < eta(x)).astype(int)
    seed = int(stream(f"consistency/rivals/{law}/{method}/{n}/{draw}", SEED).integers(2**31))
    forest = METHODS[method](
        domain=Domain([Continuous(0, 1)] * FEATURES), classes=[0, 1], n_estimators=TREES,
        min_samples_leaf=math.isqrt(n), random_state=seed,
    ).fit(x, y)  # fmt: skip
    at, one = eta(fresh), forest.predict(fresh) == 1
    low, high = leaf_boxes(*first_tree(forest), fresh)
    leaf, held = (forest.apply(points)[:, 0] for points in (fresh, x))
    sizes = np.bincount(held, minlength=leaf.max() + 1)
    excess = abs(2 * at - 1)[one != (at > 0.5)].sum() / FRESH
    return excess, (high - low).mean(), sizes[leaf].mean()


def cells():
    """Law, method and n of every cell, in the order of the run."""
    return [(law, method, n) for n, law, method in product(DRAWS, LAWS, METHODS)]


def main(path):
    """Run every cell and write the file."""
    computed = (("/".join(map(str, cell)), rivals_cell(*cell)) for cell in cells())
    libraries = ("numpy", "numba", "scikit-learn")
    run("rivals", path, computed, file=FILE, seed=SEED, trees=TREES, libraries=libraries)


if __name__ == "__main__":
    main(sys.argv[1])
