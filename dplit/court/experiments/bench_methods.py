"""The methods that only the bench has: constant predictions, boosting without privacy, and ours.

Builders as in `dplit.court.experiments.methods`. A private method has the defaults of its estimator and nothing
chosen on data: a user who gives epsilon and what is public gets the same.
"""

from __future__ import annotations

from importlib import import_module

from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

from dplit.court.experiments.encoded import Encoded
from dplit.court.experiments.public import public


def _of(module, name):
    """A builder of ``<name>Classifier`` or ``<name>Regressor`` of a module of `dplit`."""

    def build(setting, **params):
        kind = "Regressor" if setting.target_bounds else "Classifier"
        estimator = getattr(import_module(f"dplit.{module}"), name + kind)
        return estimator(**public(setting), **params)

    return build


def _constant(setting):
    """The most frequent class, or the mean target, of the training records; without privacy."""
    return DummyRegressor() if setting.target_bounds else DummyClassifier(strategy="most_frequent")


def _gradient_boosting(setting):
    """scikit-learn's boosting with its defaults, without privacy; levels as their positions."""
    kind = (
        HistGradientBoostingRegressor if setting.target_bounds else HistGradientBoostingClassifier
    )
    return Encoded(kind(random_state=setting.seed), setting.domain)


BENCH = {
    "Constant": _constant,
    "Gradient boosting": _gradient_boosting,
    "Boosted": _of("forests", "BoostedForest"),
    "PrivateForest": _of("forests", "PrivateForest"),  # the preset
    "Median forest": _of("forests", "MedianForest"),
    "M-RF": _of("forests", "MatrixForest"),
    "Histogram forest": _of("forests", "HistogramForest"),
}
