r"""One task: a split, a fit, a score.

Errors of regressions are in units of the records' own range, squared, under every reading: see
:doc:`/book/median_forest_experiments`. The reading decides what the *method* is told: the records' own extremes
("exact", "published") or the registry's public bounds ("proved").
"""

import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from dplit import datasets
from dplit.court.experiments import images, tables
from dplit.court.experiments.cells import TEST_SHARE, Cell, draw_seed, split_rng, task_seed
from dplit.court.experiments.measures import MEASURES
from dplit.court.experiments.methods import METHODS
from dplit.domain import Categorical, Continuous, Domain
from dplit.ground.errors import PrivacyLeakWarning

MOST_TESTED = 30_000  # of a test part; only the larger draws of figure 9 of RDF have more


@dataclass(frozen=True)
class Setting:
    """What a method may use beside the training records."""

    domain: Domain
    classes: tuple | None
    target_bounds: tuple[float, float] | None  #: (0, 1): targets come scaled.
    reading: str
    seed: int  #: Of everything random in the method.
    #: Frame of the test part's records, without their classes: what a method of private prediction answers.
    queries: object = None


@dataclass(frozen=True)
class Split:
    """Training and test part; targets of a regression are scaled to [0, 1]. X are frames."""

    X_train: object
    X_test: object
    y_train: np.ndarray
    y_test: np.ndarray
    factor: float  #: Squared errors times this are in units of the records' own range.
    #: Class with the fewest records, of two the "positive" one (RDF, section 5.2); None in a regression.
    rarest: object = None


@dataclass(frozen=True)
class Outcome:
    """What one task came to."""

    score: float | list[float]
    epsilon: float | None  #: Total of the fit's proof tree; None for a method that has none.
    seconds: float


def run_task(experiment_id: str, cell: Cell, repetition: int, seed: int = 0) -> Outcome:
    """Run one repetition of one cell; the score is the same on every call."""
    return run_measures(experiment_id, (cell,), repetition, seed)[0]


def run_measures(experiment_id: str, cells: Sequence[Cell], repetition: int, seed: int = 0) -> list[Outcome]:
    """Run one repetition of cells that are one fit, measured in several ways: they differ in their measure alone.

    Each outcome has its share of the seconds; the scores are those of `run_task`.
    """
    start, cell = time.process_time(), cells[0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyLeakWarning)  # the outcome's epsilon says it
        params = dict(cell.params)
        asked = params.pop("n_queries", None)
        of_data = {name: params.pop(name) for name in ("n_records", "missing") if name in params}
        drawn = _drawn(cell, repetition, seed, **of_data)
        data = _loaded(*drawn)
        scaled = data.task == "regression" and cell.reading == "proved"
        if asked is None:
            split = _cached_split(drawn, scaled, cell.folds, cell.parts(repetition)[1:], seed)
        else:
            split = _from_training(data, asked, split_rng(seed, drawn[0], repetition))
        word = task_seed(seed, cell.seeds or experiment_id, cell.key, repetition)
        setting = replace(_setting(data, drawn, cell, word), queries=split.X_test)
        model = METHODS[cell.method](setting, **params)
        model.fit(split.X_train, split.y_train)
        seen = model if len(cells) == 1 else Predicted(model, split.X_test)
    scores = [MEASURES[c.measure](seen, split) for c in cells]
    budget = getattr(model, "budget_", None)
    epsilon = None if budget is None else float(budget.epsilon)
    seconds = (time.process_time() - start) / len(cells)
    return [Outcome(score, epsilon, seconds) for score in scores]


def split_of(cell: Cell, repetition: int, seed: int = 0) -> tuple[datasets.Dataset, Split]:
    """The data set and the split of one repetition of a cell, as `run_task` fits and tests on it.

    The cell's records are all those of its data set.
    """
    drawn = _drawn(cell, repetition, seed)
    data = _loaded(*drawn)
    scaled = data.task == "regression" and cell.reading == "proved"
    return data, _cached_split(drawn, scaled, cell.folds, cell.parts(repetition)[1:], seed)


class Predicted:
    """A fitted model whose predictions for the test part are made once, however often it is measured."""

    def __init__(self, model, X_test):
        self._model, self._X_test, self._found = model, X_test, {}

    def __getattr__(self, name):
        return getattr(self._model, name)

    def predict(self, X):
        """The model's predictions."""
        return self._once("predict", X)

    def predict_proba(self, X):
        """The model's shares of the classes."""
        return self._once("predict_proba", X)

    def _once(self, what, X):
        if X is not self._X_test:
            return getattr(self._model, what)(X)
        if what not in self._found:
            self._found[what] = getattr(self._model, what)(X)
        return self._found[what]


def _drawn(cell, repetition, seed, n_records=None, missing="drop"):
    """What a task's data set is: its name, number of records, the seed of its draw, incomplete records."""
    draw = cell.parts(repetition)[0]
    drawn = None if draw is None else draw_seed(seed, cell.data, draw)
    return cell.data, n_records, drawn, missing


@lru_cache(maxsize=2)
def _loaded(name, n_records=None, drawn=None, missing="drop"):
    """A data set; of a synthetic one `n_records`, of another the first so many, if given."""
    if name == images.NAME:
        return images.pixels(drawn)
    if tables.is_table(name):
        return tables.table(name)
    if name.startswith("synth-"):
        nested = n_records is not None
        return datasets.load(name, n=n_records, seed=drawn, nested=nested)
    data = datasets.load(name, missing=missing)
    if n_records is None:
        return data
    return replace(data, X=data.X.iloc[:n_records], y=data.y.iloc[:n_records])


@lru_cache(maxsize=4)
def _cached_split(drawn, scaled, folds, part, seed):
    """The split of a task: cells of one data set share it. `part` is (cut, fold)."""
    cut, fold = part
    if drawn[0] == images.NAME:
        return _split_scenes(_loaded(*drawn))
    fold = (fold, folds) if folds else None
    return _split(_loaded(*drawn), scaled, split_rng(seed, drawn[0], cut), fold)


def own_range(data):
    """Least and greatest target of a regression's records."""
    return float(data.y.min()), float(data.y.max())


def _split(data, scaled, rng, fold=None):
    """The split of one repetition; `scaled`: targets by their public bounds; `fold` is (number, folds)."""
    order = rng.permutation(len(data))
    n_test = round(TEST_SHARE * len(data))
    first, last = (0, n_test) if fold is None else ((fold[0] + step) * len(data) // fold[1] for step in (0, 1))
    train = np.sort(np.concatenate([order[:first], order[last:]]))
    test = np.sort(order[first:last][:MOST_TESTED])
    y, factor, rarest = data.y, 1.0, None
    if data.task == "regression":
        own = own_range(data)
        lower, upper = data.target_bounds if scaled else own
        y, factor = (y - lower) / (upper - lower), ((upper - lower) / (own[1] - own[0])) ** 2
    else:
        rarest = data.y.value_counts(sort=False).idxmin()
    y_test = np.asarray(y.iloc[test])
    return Split(data.X.iloc[train], data.X.iloc[test], y.iloc[train], y_test, factor, rarest)


def _split_scenes(data):
    """Pixels of one scene to train on, those of the other to test."""
    train, test = (np.arange(images.TRAINED), np.arange(images.TRAINED, len(data)))
    y_test, building = np.asarray(data.y.iloc[test]), images.CLASSES[1]
    return Split(data.X.iloc[train], data.X.iloc[test], data.y.iloc[train], y_test, 1.0, building)


def _from_training(data, n_queries, rng):
    """All records to train on, and some of them again as the test part (M-RF, figure 3b)."""
    asked = np.sort(rng.permutation(len(data))[:n_queries])
    y, rarest = data.y, data.y.value_counts(sort=False).idxmin()
    return Split(data.X, data.X.iloc[asked], y, np.asarray(y.iloc[asked]), 1.0, rarest)


def _setting(data, drawn, cell, seed):
    domain = data.domain if cell.reading == "proved" else _observed(drawn)
    bounds = (0.0, 1.0) if data.task == "regression" else None
    return Setting(domain, data.classes, bounds, cell.reading, seed)


@lru_cache(maxsize=2)
def _observed(drawn):
    return observed(_loaded(*drawn))


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
