"""The forests, as scikit-learn estimators whose budget is a proof tree."""

from dplit.forests.boosted import BoostedForestClassifier, BoostedForestRegressor
from dplit.forests.histogram import HistogramForestClassifier
from dplit.forests.matrix import MatrixForestClassifier
from dplit.forests.median import MedianForestClassifier, MedianForestRegressor
from dplit.forests.multinomial import MultinomialForestClassifier
from dplit.forests.preset import PrivateForestClassifier, PrivateForestRegressor
from dplit.forests.random_decision import RandomDecisionForestClassifier

__all__ = [
    "BoostedForestClassifier", "BoostedForestRegressor", "HistogramForestClassifier",
    "MatrixForestClassifier", "MedianForestClassifier", "MedianForestRegressor",
    "MultinomialForestClassifier", "PrivateForestClassifier", "PrivateForestRegressor",
    "RandomDecisionForestClassifier",
]  # fmt: skip
