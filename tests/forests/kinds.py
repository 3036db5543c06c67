"""Every estimator, listed once: its defaults, the options that change what it draws, and what it releases.

A private one that is not in `TABLE` fails `test_kinds.py`. Tests that run over all kinds read them from here.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from dplit import baselines, forests

KINDS = [getattr(module, name) for module in (forests, baselines) for name in module.__all__]
PLAIN = [getattr(baselines, name) for name in baselines.NOT_PRIVATE]
PRIVATE = [kind for kind in KINDS if kind not in PLAIN]
each = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
each_private = pytest.mark.parametrize("kind", PRIVATE, ids=lambda kind: kind.__name__)


def regresses(kind):
    return kind.__name__.endswith("Regressor")


def target(kind, classes=(0, 1)):
    """The public facts of a target: classes, or bounds."""
    return {"target_bounds": (0, 1)} if regresses(kind) else {"classes": list(classes)}


class Listed(NamedTuple):
    """One private estimator.

    Attributes
    ----------
    defaults : dict
        Of its own parameters; of a field that two bases have, the dataclass takes the one of the first.
    grid : dict
        Values of the options that change what a fit draws, of which `test_spends.py` takes all combinations.
    releases : tuple of str
        The arrays that a fit with default options holds of what it drew.
    fits : tuple of dict
        Options with which scikit-learn's own checks are passed. Theirs are 300 records: at epsilon = 1 no private
        forest can promise 83 % on them, nor can ten trees that share 200 of them explain half the variance.
    """

    defaults: dict[str, Any]
    grid: dict[str, tuple]
    releases: tuple[str, ...]
    fits: tuple[dict[str, Any], ...]


PARTS = {"partitioned": (True, False)}
BOOSTED = dict(n_estimators=None, max_depth=None, n_records=None, delta=0.0)
ROUNDS = ("initial_", "leaf_values_", "pair_sums_")
LABELS, VALUES = ("leaf_labels_",), ("leaf_values_",)
MEDIAN = tuple(
    {"epsilon": 1e3, "max_depth": 7, "max_features": None, **options}
    for options in (
        {"n_estimators": 1},
        {"selection": "permute-and-flip", "partitioned": False, "neighbours": "replace-one"},
        {"accounting": "published", "selection": "uniform", "n_estimators": 1},
    )
)
# Completely random trees need to be deep, and five bins a column do not suffice.
RANDOM = {"epsilon": 1e4, "max_depth": 10, "partitioned": False, "n_estimators": 20}
GREEDY = {"epsilon": 1e4, "max_depth": 2, "bins": 12, "max_features": None, "partitioned": False}
PUBLISHED = {"accounting": "published", "neighbours": "replace-one"}
MATRIX = {"epsilon": 1e3, "n_estimators": 10, "max_depth": 2, "bins": 6, "strategy": "merged"}
TABLE = {
    "BoostedForestClassifier": Listed(
        BOOSTED, {"n_records": (20, None)}, ROUNDS,
        ({"epsilon": 1e3}, {"epsilon": 1e3, "neighbours": "replace-one", "n_estimators": 4, "max_depth": 3}),
    ),
    "BoostedForestRegressor": Listed(
        BOOSTED, {"n_records": (20, None), "target_bounds": ((0, 1), (-1, 2))}, ROUNDS, ({"epsilon": 1e3},),
    ),
    "HistogramForestClassifier": Listed(
        dict(n_estimators=100, max_depth=None, release="shrunk", learner=None, mechanism="geometric", bins=None,
             n_records=None),
        {"mechanism": ("geometric", "laplace"), "max_depth": (1, 2)},
        ("cell_counts_", "cell_labels_", "cell_shares_"),
        ({"epsilon": 1e3, "n_estimators": 10, "n_records": 3},),  # five bins of two columns, two of ten
    ),
    "MatrixForestClassifier": Listed(
        dict(n_estimators=128, max_depth=4, release="training", strategy="auto", ensembles=1, subset_size=None,
             voting=None, difference=None, mechanism="geometric", bins=5, queries=None),
        {"mechanism": ("geometric", "laplace"), "max_depth": (1, 2), "strategy": ("identity", "per-tree"),
         "difference": (False, True)},
        ("leaf_differences_", "leaf_labels_"),
        (MATRIX, {**MATRIX, **PUBLISHED, "voting": "weighted", "mechanism": "laplace", "ensembles": 2}),
    ),
    "MedianForestClassifier": Listed(
        dict(n_estimators=10, max_depth=5, max_features=5, rho=0.5, selection="exponential", median="value",
             partitioned=True),
        {**PARTS, "selection": ("uniform", "exponential", "permute-and-flip"), "max_features": (2, None)},
        LABELS, MEDIAN,
    ),
    "MedianForestRegressor": Listed(
        dict(n_estimators=10, max_depth=5, partitioned=True),
        {**PARTS, "selection": ("uniform", "exponential"), "max_features": (1, 2),
         "target_bounds": ((0, 1), (-1, 2))},
        VALUES, MEDIAN,
    ),
    "MultinomialForestClassifier": Listed(
        dict(n_estimators=None, max_depth=None, feature_budget=None, value_budget=None, label_budget=None,
             min_samples_leaf=5, partition_rate=1, criterion="gini", stopping="algorithm", draw_label="leaf",
             scores="counts", n_records=None),
        {"partition_rate": (1, 0.5, None), "min_samples_leaf": (1,), "scores": ("counts", "normalised")},
        LABELS,
        (
            {"epsilon": 1e3, "n_estimators": 3, "max_depth": 6},
            {"epsilon": 1e3, "n_estimators": 1, "max_depth": 6, "neighbours": "replace-one",
             "partition_rate": None},
            {"n_estimators": 20, "accounting": "published"},
            {"n_estimators": 20, "accounting": "published", "stopping": "text", "criterion": "entropy",
             "label_budget": 50.0},
        ),
    ),
    "PrivateForestClassifier": Listed(BOOSTED, {"n_records": (20, None)}, (), ({"epsilon": 1e3},)),
    "PrivateForestRegressor": Listed(
        BOOSTED, {"n_records": (20, None)}, (), ({"epsilon": 1e3, "neighbours": "replace-one"},),
    ),
    "RandomDecisionForestClassifier": Listed(
        dict(n_estimators=100, max_depth=None, n_records=None, label="permute-and-flip"), {}, LABELS,
        tuple({"epsilon": 1e3, "n_estimators": 10, "max_depth": 6, **more} for more in ({}, PUBLISHED)),
    ),
    "DPDecisionForestClassifier": Listed(
        dict(n_estimators=10, max_depth=4, max_features=5, bins=5, rho=0.5, partitioned=None), PARTS,
        ("leaf_labels_", "leaf_shares_"), (GREEDY,),
    ),
    "DPExtraTreesClassifier": Listed(
        dict(n_estimators=10, max_depth=5, partitioned=None), PARTS, LABELS, (RANDOM,),
    ),
    "DPExtraTreesRegressor": Listed(
        dict(n_estimators=10, max_depth=5, partitioned=None), PARTS, VALUES, (RANDOM, {**RANDOM, **PUBLISHED}),
    ),
    "DPRandomForestClassifier": Listed(
        dict(n_estimators=10, max_depth=4, criterion=None, bins=5),
        {**PARTS, "criterion": (None, "gini", "majority")}, LABELS, (GREEDY, {**GREEDY, **PUBLISHED}),
    ),
    "DPRandomForestRegressor": Listed(
        dict(n_estimators=10, max_depth=4, max_features=5, rho=0.5),
        {**PARTS, "target_bounds": ((0, 1), (-1, 2))}, VALUES, (GREEDY,),
    ),
    "FSClassifier": Listed(
        dict(n_estimators=1, max_depth=5, operator="max", public_n=None),
        {**PARTS, "operator": ("max", "gini", "information-gain")}, LABELS,
        ({"epsilon": 1e4, "max_depth": 2},
         {"epsilon": 1e4, "max_depth": 2, "operator": "information-gain", **PUBLISHED}),
    ),
    "JPWClassifier": Listed(
        dict(n_estimators=10, max_depth=None, public_n=None, partitioned=False, voting="weighted"), PARTS,
        ("leaf_counts_",), (RANDOM,),
    ),
    "RGVClassifier": Listed(
        dict(n_estimators=110, max_depth=5, max_features=None, operator="max"),
        {**PARTS, "operator": ("max", "information-gain"), "max_features": (1, 2)}, LABELS,
        ({"epsilon": 1e4, "max_depth": 3, "n_estimators": 20, "partitioned": False},),
    ),
}  # fmt: skip
