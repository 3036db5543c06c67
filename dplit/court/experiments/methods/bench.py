"""The methods that only the bench has: constant predictions, boosting without privacy, and ours.

A private method has the defaults of its estimator and nothing chosen on data.
"""

from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

from dplit import forests
from dplit.court.experiments.methods.common import Encoded, private


def _constant(setting):
    """The most frequent class, or the mean target, of the training records; without privacy."""
    return DummyRegressor() if setting.target_bounds else DummyClassifier(strategy="most_frequent")


def _gradient_boosting(setting):
    """scikit-learn's boosting with its defaults, without privacy; levels as their positions."""
    kind = HistGradientBoostingRegressor if setting.target_bounds else HistGradientBoostingClassifier
    return Encoded(kind(random_state=setting.seed), setting.domain)


BENCH = {
    "Constant": _constant,
    "Gradient boosting": _gradient_boosting,
    "Boosted": private(forests, "BoostedForest"),
    "PrivateForest": private(forests, "PrivateForest"),  # the preset
    "Median forest": private(forests, "MedianForest"),
    "M-RF": private(forests, "MatrixForest"),
    "Histogram forest": private(forests, "HistogramForest"),
}
