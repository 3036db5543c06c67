r"""One task: a split, a fit, a score.

The papers (DiPriMe v1 and v2, section 4) train on 90 % of the records and scale a regression's
target to :math:`[0, 1]`. They do not say by what: the printed errors fit the records' own range, and
not the public bounds (a constant prediction has an error of 0.0497 on Parkinsons in the one scale,
0.0037 in the other; the table prints 0.0159 to 0.0561). So errors are always reported in units of
the records' own range, squared. The reading decides what the *method* is told: the records' own
extremes ("exact", "published") or the registry's public bounds ("proved").
"""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from dplit import datasets
from dplit.domain import Categorical, Continuous, Domain
from dplit.errors import PrivacyLeakWarning
from dplit.experiments.core import split_rng, task_seed
from dplit.experiments.measures import MEASURES
from dplit.experiments.methods import METHODS

TEST_SHARE = 0.1


@dataclass(frozen=True)
class Setting:
    """What a method may use beside the training records.

    Attributes
    ----------
    domain : Domain
    classes : tuple or None
    target_bounds : tuple of float or None
        (0, 1): targets come scaled.
    reading : str
    seed : int
        Of everything random in the method.
    """

    domain: Domain
    classes: tuple | None
    target_bounds: tuple | None
    reading: str
    seed: int


@dataclass(frozen=True)
class Split:
    """Training and test part; targets of a regression are scaled to [0, 1].

    Attributes
    ----------
    X_train, X_test : DataFrame
    y_train, y_test : array
    factor : float
        Squared errors times this are in units of the records' own range.
    """

    X_train: object
    X_test: object
    y_train: np.ndarray
    y_test: np.ndarray
    factor: float


@dataclass(frozen=True)
class Outcome:
    """What one task came to.

    Attributes
    ----------
    score : float or list of float
    epsilon : float or None
        Total of the fit's proof tree; None for a method that has none.
    seconds : float
    """

    score: object
    epsilon: float | None
    seconds: float


def run_task(experiment_id, cell, repetition, seed=0):
    """Run one repetition of one cell.

    Parameters
    ----------
    experiment_id : str
    cell : dplit.experiments.Cell
    repetition : int
    seed : int

    Returns
    -------
    Outcome; its score is the same on every call
    """
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyLeakWarning)  # the outcome's epsilon says it
        data = _loaded(cell.data)
        split = _split(data, cell.reading, split_rng(seed, cell.data, repetition))
        setting = _setting(data, cell, task_seed(seed, experiment_id, cell.key, repetition))
        model = METHODS[cell.method](setting, **cell.params)
        model.fit(split.X_train, split.y_train)
    score = MEASURES[cell.measure](model, split)
    budget = getattr(model, "budget_", None)
    epsilon = None if budget is None else float(budget.epsilon)
    return Outcome(score, epsilon, time.perf_counter() - start)


@lru_cache(maxsize=2)
def _loaded(name):
    return datasets.load(name)


def own_range(data):
    """Least and greatest target of a regression's records."""
    return float(data.y.min()), float(data.y.max())


def _split(data, reading, rng):
    """The split of one repetition, targets scaled as `reading` has it."""
    order = rng.permutation(len(data))
    n_test = round(TEST_SHARE * len(data))
    test, train = np.sort(order[:n_test]), np.sort(order[n_test:])
    y, factor = data.y, 1.0
    if data.task == "regression":
        own = own_range(data)
        lower, upper = data.target_bounds if reading == "proved" else own
        y, factor = (y - lower) / (upper - lower), ((upper - lower) / (own[1] - own[0])) ** 2
    y_test = np.asarray(y.iloc[test])
    return Split(data.X.iloc[train], data.X.iloc[test], y.iloc[train], y_test, factor)


def _setting(data, cell, seed):
    domain = data.domain if cell.reading == "proved" else observed(data)
    bounds = (0.0, 1.0) if data.task == "regression" else None
    return Setting(domain, data.classes, bounds, cell.reading, seed)


def observed(data):
    """The domain that a paper takes to be public: the records' own extremes; listed levels."""
    features = [
        feature
        if isinstance(feature, Categorical)
        else Continuous(float(data.X[name].min()), float(data.X[name].max()))
        for name, feature in zip(data.domain.names, data.domain.features)
    ]
    read = [n for n, f in zip(data.domain.names, features) if isinstance(f, Continuous)]
    leaked = [n for n in data.domain.names if n in {*read, *data.domain.data_dependent}]
    return Domain(features, names=data.domain.names, data_dependent=leaked)
