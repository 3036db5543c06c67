"""SynthA to SynthG of the RDF paper (section 2.4, table 1), from scikit-learn's `make_classification`.

How we read the paper: n_features = n_informative + n_random, so n_redundant = n_repeated = 0, and the rest is
N(0, 1) noise; all other parameters keep their defaults (:doc:`/book/random_forest_experiments`). No seed is given:
each set has a fixed one in the registry, and `load` takes another. Intervals come from the generating distribution
(`registry.synthetic_columns`), not from the draw.

With another number of records the same seed gives other clusters, since scikit-learn draws the records
first. `nested` draws from the same law so that the first records stay the same.
"""

import numpy as np
import pandas as pd
from sklearn.datasets import make_classification

from dplit.datasets.registry import Entry


def draw(entry: Entry, n: int | None = None, seed: int | None = None) -> pd.DataFrame:
    """`n` records of a synthetic data set; by default the paper's 30,000. Figure 9 uses SynthF with up to
    3,000,000.

    The seed is by default the registry's. Another one also draws other clusters.
    """
    X, y = make_classification(
        n_samples=entry.records if n is None else n,
        n_features=entry.informative + entry.random,
        n_informative=entry.informative,
        n_redundant=0,
        n_repeated=0,
        random_state=entry.seed if seed is None else seed,
    )
    return _frame(entry, X, y)


CHUNK = 30_000  # records that share a stream of random numbers
CLUSTERS, FLIPPED = 4, 0.01  # make_classification's defaults: two for each class; labels redrawn


def nested(entry: Entry, n: int, seed: int | None = None) -> pd.DataFrame:
    """Independent records of the law of `make_classification`; a larger `n` only adds some.

    Beside the nesting, one thing differs from `draw`: clusters are drawn for each record, and so are balanced in
    expectation only.
    """
    seed, k = entry.seed if seed is None else seed, entry.informative
    rng = np.random.default_rng([seed, 0])
    corners = rng.choice(2**k, CLUSTERS, replace=False)
    centres = 2.0 * (corners[:, None] >> np.arange(k) & 1) - 1
    maps = rng.uniform(-1, 1, (CLUSTERS, k, k))
    columns = rng.permutation(k + entry.random)
    parts = []
    for chunk in range(-(-n // CHUNK)):
        rng = np.random.default_rng([seed, 1 + chunk])
        cluster = rng.integers(CLUSTERS, size=CHUNK)
        X = rng.normal(size=(CHUNK, k + entry.random))
        for c in range(CLUSTERS):
            X[cluster == c, :k] = X[cluster == c, :k] @ maps[c] + centres[c]
        redrawn = rng.random(CHUNK) < FLIPPED
        y = np.where(redrawn, rng.integers(2, size=CHUNK), cluster % 2)
        parts.append((X[:, columns], y))
    X, y = (np.concatenate(part)[:n] for part in zip(*parts))
    return _frame(entry, X, y)


def _frame(entry: Entry, X: np.ndarray, y: np.ndarray) -> pd.DataFrame:
    frame = pd.DataFrame(X, columns=[c.name for c in entry.columns])
    frame[entry.target] = pd.Categorical.from_codes(y, categories=list(entry.classes))
    return frame
