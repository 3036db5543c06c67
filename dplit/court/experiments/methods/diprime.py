"""The methods of the DiPriMe papers' experiments: median forests, what they are compared with, no privacy."""

import math

from sklearn import ensemble

from dplit import baselines, forests
from dplit.court.experiments.methods.common import Encoded, of_task, private, public

SELECTION = {"DiPriMe": "uniform", "DiPriMeExp": "exponential", "DiPriMeFlip": "permute-and-flip"}


def _sklearn(name):
    """A builder of scikit-learn's forest ``<name>Regressor`` or ``<name>Classifier``."""

    def build(setting, *, n_estimators, max_depth, max_features=None):
        k = None if max_features is None else min(max_features, len(setting.domain))
        forest = of_task(ensemble, name, setting)(
            n_estimators, max_depth=max_depth, max_features=k, random_state=setting.seed, n_jobs=1
        )
        return Encoded(forest, setting.domain)

    return build


def _median(selection=None, median="value"):
    """A builder of a median forest; `selection` None is the non-private one."""

    def build(setting, **params):
        if selection is None:
            params = {"epsilon": math.inf, "selection": "exponential", **params}
        else:
            law = "value" if setting.reading == "proved" else median  # by rank nothing is private
            params = {"selection": selection, "median": law, **params}
        return of_task(forests, "MedianForest", setting)(**public(setting), **params)

    return build


DIPRIME = {
    "RF": _sklearn("RandomForest"),
    "ERT": _sklearn("ExtraTrees"),
    "Median": _median(),
    **{name: _median(selection) for name, selection in SELECTION.items()},
    "DP-ERT": private(baselines, "DPExtraTrees"),
    "DP-RF": private(baselines, "DPRandomForest"),
    "DP-DF": private(baselines, "DPDecisionForest"),
    "DiPriMe (v1)": _median("exponential", median="rank"),
}
