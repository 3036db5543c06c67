"""Claims of ours on the histogram beneath a matrix forest."""

import numpy as np

from dplit import datasets, matrix
from dplit.court.claims.matrix_forest.release import fit
from dplit.court.claims.matrix_paths.small import schema
from dplit.court.ledger.box import Box
from dplit.court.ledger.certify import certified, over
from dplit.court.ledger.compare import same
from dplit.matrix.forest import posterior_mean

HISTOGRAM = Box("thm-matrix-forest-histogram", "forests.MatrixForestClassifier", "matrix.decision_paths")
SUMS = tuple(f"m-rf/ours/posterior-mean:{part}" for part in ("moment", "weight", "above", "below"))
POSTERIOR = Box("thm-matrix-forest-posterior", "matrix.forest.posterior_mean")


@HISTOGRAM(
    "m-rf/ours/histogram-beneath",
    "ours",
    quantity="distance of the released leaves from the sums of one table, in records",
    range="24 cells, forests of 2 to 40 trees; Car with 64 trees of depth 3, where trees share their total",
)
def histogram_beneath(effort, rng):
    """Under the identity strategy, every leaf that a forest releases is a sum of cells of one noisy table."""
    levels = (3, 2, 4)
    domain = schema(levels)
    X, y = rng.integers(0, levels, size=(60, 3)), rng.integers(3, size=60)
    for _ in range(effort.pick(4, 40, 400)):
        trees = int(rng.integers(2, 41))
        fitted = fit(1.0, X, y, rng, domain=domain, classes=[0, 1, 2], n_estimators=trees, max_depth=2)
        T = matrix.decision_paths(fitted.trees_, domain.n_levels).matrix().astype(float)
        table = np.linalg.lstsq(T, fitted.leaf_counts_, rcond=None)[0]
        yield same(abs(T @ table - fitted.leaf_counts_).max(), 0.0, atol=1e-6, trees=trees)
    car = datasets.load("car")
    on_car = {"domain": car.domain, "classes": car.classes, "n_estimators": 64, "max_depth": 3}
    fitted = fit(1.0, car.X, car.y, rng, **on_car)
    totals = np.add.reduceat(fitted.leaf_counts_, fitted.trees_.leaf_starts[:-1])
    yield same(np.ptp(totals, axis=0).max(), 0.0, atol=1e-6, trees=64)
    return "In {cases} cases the released leaves are at most {exact:.1e} records from sums of one table."


@POSTERIOR("m-rf/ours/posterior-mean", "ours", quantity="mean of a count given what was released", **over(*SUMS))
def posterior(effort, rng):
    """The mean of a geometrically distributed count, given its noisy release, has a closed form."""
    yield from certified(SUMS, effort)
    for t, alpha, mean in ((-5, 0.1, 9.0), (0, 0.9, 0.05), (3, 0.5, 1.0), (30, 0.9, 0.5), (7, 1 / 3, 9.0)):
        prior = [(mean / (1 + mean)) ** m for m in range(400)]
        weights = [p * alpha ** abs(t - m) for m, p in enumerate(prior)]  # Bayes' rule, count by count
        exact = sum(m * w for m, w in enumerate(weights)) / sum(weights)
        yield same(exact, posterior_mean([t], alpha, mean)[0], t=t, alpha=alpha, mean=mean)
    return "The sums of Bayes' rule telescope; after a release of 0 or less the mean is {statement}"
