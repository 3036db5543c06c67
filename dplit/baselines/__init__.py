"""What the papers compare with, behind the interface of `dplit.forests`.

The private baselines take the same parameters as the forests, and their budgets are proof trees as
well: ``accounting="proved"`` spends no more than `epsilon`, ``accounting="published"`` runs the
algorithm with its own split of the budget and shows what that costs. Their papers are known here by
what the five papers of the book say of them.
"""

from dplit.baselines.dp_df import DPDecisionForestClassifier
from dplit.baselines.dp_ert import DPExtraTreesClassifier, DPExtraTreesRegressor
from dplit.baselines.dp_rf import DPRandomForestClassifier, DPRandomForestRegressor
from dplit.baselines.fs_rgv import FSClassifier, RGVClassifier
from dplit.baselines.jpw import JPWClassifier

__all__ = [
    "DPDecisionForestClassifier", "DPExtraTreesClassifier", "DPExtraTreesRegressor",
    "DPRandomForestClassifier", "DPRandomForestRegressor", "FSClassifier", "JPWClassifier",
    "RGVClassifier",
]  # fmt: skip
