"""Claims of ours on the histogram beneath a matrix forest."""

from fractions import Fraction
from itertools import product

import numpy as np

from dplit import datasets, forests, matrix
from dplit.court.claims.matrix_paths.small import schema
from dplit.court.ledger.box import Box
from dplit.court.ledger.compare import same
from dplit.matrix.forest import posterior_mean

HISTOGRAM = Box("thm-matrix-forest-histogram", "forests.MatrixForestClassifier", "matrix.decision_paths")
POSTERIOR = Box("thm-matrix-forest-posterior", "matrix.forest.posterior_mean")


@HISTOGRAM(
    "m-rf/ours/histogram-beneath",
    "ours",
    quantity="distance of the released leaves from the sums of one table, in records",
    range="24 cells, forests of 2 to 40 trees; Car with 64 trees of depth 3, where trees share their total",
)
def histogram_beneath(effort, rng):
    """With the identity all leaves that a forest releases are sums of one noisy table of the cells."""
    levels = (3, 2, 4)
    domain = schema(levels)
    X, y = rng.integers(0, levels, size=(60, 3)), rng.integers(3, size=60)
    for _ in range(effort.pick(4, 40, 400)):
        trees = int(rng.integers(2, 41))
        fitted = _fit(domain, [0, 1, 2], X, y, trees, 2, rng)
        T = matrix.decision_paths(fitted.trees_, domain.n_levels).matrix().astype(float)
        table = np.linalg.lstsq(T, fitted.leaf_counts_, rcond=None)[0]
        yield same(abs(T @ table - fitted.leaf_counts_).max(), 0.0, atol=1e-6, trees=trees)
    car = datasets.load("car")
    fitted = _fit(car.domain, car.classes, car.X, car.y, 64, 3, rng)
    totals = np.add.reduceat(fitted.leaf_counts_, fitted.trees_.leaf_starts[:-1])
    yield same(np.ptp(totals, axis=0).max(), 0.0, atol=1e-6, trees=64)
    return "In {cases} cases the released leaves are at most {exact:.1e} records from sums of one table."


def _fit(domain, classes, X, y, trees, depth, rng):
    forest = forests.MatrixForestClassifier(
        1.0, domain=domain, classes=classes, n_estimators=trees, max_depth=depth,
        strategy="identity", random_state=int(rng.integers(2**31)),
    )  # fmt: skip
    return forest.fit(X, y)


@POSTERIOR(
    "m-rf/ours/posterior-mean",
    "ours",
    quantity="mean of a count given what was released",
    range="released counts from -5 to 30, alpha from 1/10 to 9/10, prior means from 1/20 to 9",
)
def posterior(effort, rng):
    """The mean of a geometric count given its noisy release is the closed form."""
    released = effort.pick((-5, 0, 1, 3), (-5, -1, 0, 1, 2, 7, 30), range(-5, 31))
    alphas = [Fraction(*pair) for pair in ((1, 10), (1, 3), (1, 2), (9, 10))]
    means = [Fraction(1, 20), Fraction(1, 2), Fraction(1), Fraction(9)]
    for alpha, mean in product(alphas, means):
        beta = mean / (1 + mean)
        prior = [float(beta**m) for m in range(400)]
        for t in released:  # Bayes' rule, count by count
            weights = [p * float(alpha) ** abs(t - m) for m, p in enumerate(prior)]
            exact = sum(m * w for m, w in enumerate(weights)) / sum(weights)
            stated = posterior_mean([t], float(alpha), float(mean))[0]
            yield same(exact, stated, t=t, alpha=str(alpha), mean=str(mean))
    return "Over {cases} cases, as t = {t}, alpha = {alpha}, mean {mean}: {exact:.6f}, stated {stated:.6f}."
