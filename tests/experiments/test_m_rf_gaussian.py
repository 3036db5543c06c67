"""The matrix forest with Gaussian noise: its noise, and the forest that it is without noise."""

import numpy as np
import pandas as pd
import pytest

from dplit import Categorical, Domain, matrix, trees
from dplit.court.experiments import registry
from dplit.court.experiments.methods.m_rf import M_RF
from dplit.court.experiments.methods.m_rf_rivals import DELTA, GaussianForest
from dplit.court.experiments.papers.m_rf import STRATEGIES
from dplit.court.experiments.task import Setting

DOMAIN = Domain([Categorical(list("abc")), Categorical([0, 1])], names=["u", "v"])
X = pd.DataFrame({"u": list("aabbbccc") * 5, "v": [0, 1, 0, 1, 1, 0, 1, 0] * 5})
Y = np.array(["no" if u == "a" else "yes" for u in X.u])
SETTING = Setting(DOMAIN, ("yes", "no"), None, "exact", 3)


def fitted(strategy, epsilon=1e4, **more):
    size = {"n_estimators": 9, "max_depth": 2} | more
    return GaussianForest(SETTING, epsilon=epsilon, strategy=strategy, **size).fit(X, Y)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_with_hardly_any_noise_leaves_say_what_they_hold(strategy):
    forest = fitted(strategy)
    assert (forest.predict(X) == Y).all()
    reached = trees.apply(forest.trees_, DOMAIN.encode(X)) + forest.trees_.leaf_starts[:-1]
    for leaf in np.unique(reached):
        assert {forest._classes[forest._labels[leaf]]} == {*Y[(reached == leaf).any(axis=1)]}


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_noise_is_the_calibrated_one(strategy):
    """600 releases of no records: mean squares of all leaves within six standard errors of the formula."""
    forest, rng = fitted(strategy, epsilon=1.0), np.random.default_rng(0)
    workload = matrix.Workload.of(forest.trees_, n_levels=DOMAIN.n_levels)
    none = np.zeros((0, 2), dtype=int), np.zeros(0, dtype=int)
    squared = np.array(
        [(forest._released(workload, *none, 2, rng)[workload.place] ** 2).sum() for _ in range(600)]
    )
    chosen = matrix.GaussianMarginals(workload) if strategy == "marginals" else matrix.member(workload, strategy)
    expected = 2 * matrix.gaussian_error(workload, chosen, 1.0, DELTA)
    assert abs(squared.mean() - expected) < 6 * squared.std() / 600**0.5


def test_it_never_claims_a_pure_budget():
    """No budget of pure privacy: the stored results have no epsilon beside its scores."""
    model = M_RF["M-RF training, Gaussian"](SETTING, epsilon=1.0, strategy="identity", n_estimators=2,
                                            max_depth=1).fit(X, Y)  # fmt: skip
    assert getattr(model, "budget_", None) is None
    experiment = registry.get("m-rf/gaussian")
    assert {c.reading for c in experiment.cells if "Gaussian" in c.label} == {"exact"}
    assert {c.reading for c in experiment.cells if not c.label} == {"published"}
    assert "(epsilon, 1e-6)" in experiment.title
