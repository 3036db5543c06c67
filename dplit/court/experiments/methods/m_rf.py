"""The methods of the M-RF paper's experiments: M-RF itself, what it is compared with, learners on its cells.

All of them see levels: a continuous column is cut into `bins` equally wide bins of its public interval.
"Published" is Laplace noise on the identity, and the paper's split of epsilon.
"""

from dataclasses import replace

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier

from dplit import forests
from dplit.baselines import JPWClassifier
from dplit.baselines._shared import bin_codes
from dplit.court.experiments.methods.common import private, public
from dplit.court.experiments.methods.m_rf_rivals import GaussianForest, NoisyHistogram, QueryAggregate
from dplit.domain import Categorical, Domain
from dplit.forests import HistogramForestClassifier, MatrixForestClassifier


class Levels:
    """An estimator behind a domain: each value of a record is replaced by the number of its level.

    ``build(setting, **params)`` is an estimator over categorical columns; `bins`: of each continuous column,
    left out, there is none.
    """

    def __init__(self, build, setting, *, bins=1, **params):
        self.domain, self.bins = setting.domain, bins
        levels = np.where(self.domain.n_levels > 0, self.domain.n_levels, bins)
        self.names = [f"column {j}" for j in range(len(levels))]
        read = [self.names[self.domain.names.index(n)] for n in self.domain.data_dependent]
        features = [Categorical(list(range(n))) for n in levels.tolist()]
        binned = Domain(features, names=self.names, data_dependent=read)
        queries = None if setting.queries is None else self._levels(setting.queries)
        self.model = build(replace(setting, domain=binned, queries=queries), **params)

    def _levels(self, X):
        codes = bin_codes(self.domain, self.domain.encode(X), self.bins)
        return pd.DataFrame(codes.T, columns=self.names)

    def fit(self, X, y):
        """Fit on levels; returns self."""
        self.model.fit(self._levels(X), y)
        return self

    def predict(self, X):
        """Predictions of the estimator for levels."""
        return self.model.predict(self._levels(X))

    @property
    def budget_(self):
        """Budget of the fit."""
        return self.model.budget_


def _behind_levels(build):
    """A builder of an estimator over levels."""
    return lambda setting, **params: Levels(build, setting, **params)


def _matrix(release):
    """A builder of the matrix forest; queries are the test part."""

    def build(setting, **params):
        fixed = {"release": release, "voting": "hard" if release == "training" else "weighted"}
        if setting.reading == "published":
            fixed |= {"strategy": "identity", "mechanism": "laplace"}
        if release != "training":
            fixed["queries"] = setting.queries
        return MatrixForestClassifier(**public(setting), **fixed | params)

    return _behind_levels(build)


def _noisy_trees(partitioned):
    """A builder of random trees with Laplace noise on their leaves' counts, which vote by their classes."""

    def build(setting, **params):
        fixed = {"partitioned": partitioned, "voting": "hard"}
        return JPWClassifier(**public(setting), **fixed, **params)

    return _behind_levels(build)


def _existing(setting, **params):
    """Subsample-and-aggregate with an equal part of epsilon for each query."""
    return QueryAggregate(**public(setting), queries=setting.queries, **params)


def _cells(setting, **params):
    """Each cell's class by its own noisy counts."""
    return NoisyHistogram(**public(setting), **params)


def _greedy_on_cells(setting, *, epsilon, release, n_estimators=50):
    """A greedy forest of scikit-learn's on the released cells, with counts clipped at zero or shrunk."""
    learner = RandomForestClassifier(n_estimators, random_state=setting.seed, n_jobs=1)
    given = public(setting) | {"mechanism": _noise(setting), "release": release}
    return HistogramForestClassifier(epsilon, **given, learner=learner)


def _pruned_on_cells(setting, *, epsilon, release, n_estimators=50):
    """The same with the estimator's own learner: no leaf holds less than a hundredth of the weight."""
    given = public(setting) | {"mechanism": _noise(setting), "release": release}
    return HistogramForestClassifier(epsilon, **given, n_estimators=n_estimators)


def _noise(setting):
    return "laplace" if setting.reading == "published" else "geometric"


M_RF = {
    "M-RF training": _matrix("training"),
    "M-RF prediction": _matrix("prediction"),
    "M-RF subsample": _matrix("subsample"),
    "Laplace": _noisy_trees(partitioned=False),
    "Disjoint": _noisy_trees(partitioned=True),
    "Disjoint, labels": _behind_levels(private(forests, "RandomDecisionForest")),
    "S&A": _behind_levels(_existing),
    "M-RF training, Gaussian": _behind_levels(GaussianForest),
    "Histogram": _behind_levels(_cells),
    "Histogram, greedy forest": _behind_levels(_greedy_on_cells),
    "Histogram, pruned forest": _behind_levels(_pruned_on_cells),
}
