"""What the papers compare with, behind the interface of `dplit.forests`.

The private baselines take the same parameters as the forests, and their budgets are proof trees as
well: ``accounting="proved"`` spends no more than `epsilon`, ``accounting="published"`` runs the
algorithm with its own split of the budget and shows what that costs. Their papers are known here by
what the five papers of the book say of them.

The others have no `epsilon`: Denil14, BRF and CompRF, which MRF is compared with, and completely random
trees. Their budgets say what is not private, and their totals are infinite.
"""

from dplit.baselines.comparison import ComparisonForestClassifier
from dplit.baselines.consistent import (
    BernoulliForestClassifier,
    CompletelyRandomForestClassifier,
    DenilForestClassifier,
)
from dplit.baselines.dp_df import DPDecisionForestClassifier
from dplit.baselines.dp_ert import DPExtraTreesClassifier, DPExtraTreesRegressor
from dplit.baselines.dp_rf import DPRandomForestClassifier, DPRandomForestRegressor
from dplit.baselines.fs_rgv import FSClassifier, RGVClassifier
from dplit.baselines.jpw import JPWClassifier

NOT_PRIVATE = (
    "BernoulliForestClassifier", "ComparisonForestClassifier", "CompletelyRandomForestClassifier",
    "DenilForestClassifier",
)  # fmt: skip
__all__ = [
    "BernoulliForestClassifier", "ComparisonForestClassifier", "CompletelyRandomForestClassifier",
    "DPDecisionForestClassifier", "DPExtraTreesClassifier", "DPExtraTreesRegressor",
    "DPRandomForestClassifier", "DPRandomForestRegressor", "DenilForestClassifier", "FSClassifier",
    "JPWClassifier", "RGVClassifier",
]  # fmt: skip
