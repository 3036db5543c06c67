"""What the papers compare with, behind the interface of `dplit.forests`.

The private baselines take the same parameters as the forests, and their budgets are proof trees as
well: ``accounting="proved"`` spends no more than `epsilon`, ``accounting="published"`` runs the
algorithm with its own split of the budget and shows what that costs. Their papers are known here by
what the five papers of the book say of them; each module says how it reads them. The forests
without privacy report an infinite budget.
"""

from dplit.baselines.decision_forest import DPDecisionForestClassifier
from dplit.baselines.extra_trees import DPExtraTreesClassifier, DPExtraTreesRegressor
from dplit.baselines.friedman_schuster import FSClassifier, RGVClassifier
from dplit.baselines.median_trees import MedianTreesClassifier, MedianTreesRegressor
from dplit.baselines.nonprivate import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from dplit.baselines.random_decision import JPWClassifier
from dplit.baselines.random_forest import DPRandomForestClassifier, DPRandomForestRegressor

__all__ = [
    "DPDecisionForestClassifier", "DPExtraTreesClassifier", "DPExtraTreesRegressor",
    "DPRandomForestClassifier", "DPRandomForestRegressor", "ExtraTreesClassifier",
    "ExtraTreesRegressor", "FSClassifier", "JPWClassifier", "MedianTreesClassifier",
    "MedianTreesRegressor", "RGVClassifier", "RandomForestClassifier", "RandomForestRegressor",
]  # fmt: skip
