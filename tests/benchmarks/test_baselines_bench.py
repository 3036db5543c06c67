"""The private baselines: fit on 30,000 records of 10 columns, with as many trees as their papers advise."""

import numpy as np
import pytest

from dplit import Continuous, Domain, baselines

RECORDS, COLUMNS = 30_000, 10


@pytest.mark.parametrize("accounting", ["proved", "published"])
@pytest.mark.parametrize("name", baselines.__all__)
def test_fit(benchmark, name, accounting):
    rng = np.random.default_rng(20)
    X = rng.random((RECORDS, COLUMNS))
    y = (X[:, 0] + X[:, 1] > 1).astype(int)
    schema = {"classes": [0, 1]} if name.endswith("Classifier") else {"target_bounds": (0, 1)}
    domain = Domain([Continuous(0, 1)] * COLUMNS)
    model = getattr(baselines, name)(1.0, domain=domain, accounting=accounting, random_state=0, **schema)
    model.fit(X[:200], y[:200])
    fitted = benchmark.pedantic(model.fit, (X, y), rounds=3, iterations=1)
    assert fitted.trees_.n_leaves > 1
