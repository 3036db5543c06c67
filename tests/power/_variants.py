"""Fits of every private estimator in every way that its budget knows, and the nodes that spend."""

import itertools
import warnings
from functools import cache

import numpy as np

from dplit import Categorical, Domain, forests
from dplit.budget import Concentrated, Spend

DOMAIN = Domain([Categorical(["a", "b", "c"]), Categorical(["u", "v"]), Categorical(["s", "t"])])
X = np.array([["abc"[i % 3], "uv"[i % 2], "st"[i // 2 % 2]] for i in range(40)], dtype=object)
CLASSES, MANY, TARGETS = [i % 2 for i in range(40)], [i % 3 for i in range(40)], [i % 5 / 4 for i in range(40)]
EACH = {"neighbours": ("add-remove", "replace-one"), "accounting": ("proved", "published")}
BOOSTED = {
    "neighbours": EACH["neighbours"],
    "n_records": (None, 40),
    "delta": (0.0, 1e-6),
    "n_estimators": (2, 20),
    "max_depth": (0, 1),
}
ADVISED = {"n_records": (None, 40), "n_estimators": (None,), "max_depth": (None,)}  # with a histogram in its place
STRATEGIES = ("identity", "per-tree", "merged", "weighted", "marginals", "regions", "p-identity", "disjoint",
              "tree-norm")  # fmt: skip
WAYS = {
    "RandomDecisionForestClassifier": EACH,
    "MedianForestClassifier": EACH | {"selection": ("uniform", "exponential", "permute-and-flip")},
    "MedianForestRegressor": EACH | {"selection": ("uniform", "exponential", "permute-and-flip")},
    "MultinomialForestClassifier": EACH | {"scores": ("counts", "normalised")},
    "HistogramForestClassifier": {"neighbours": EACH["neighbours"], "mechanism": ("geometric", "laplace")},
    "MatrixForestClassifier": {
        "strategy": STRATEGIES,
        "mechanism": ("geometric", "laplace"),
        "neighbours": EACH["neighbours"],
        "release": ("training", "prediction", "subsample"),
    },
    "BoostedForestClassifier": BOOSTED,
    "BoostedForestRegressor": BOOSTED,
    "PrivateForestClassifier": BOOSTED,
    "PrivateForestRegressor": BOOSTED,
}  # fmt: skip


def _fit(kind, options, y):
    """A fitted forest, or None where the estimator says that these options don't go together."""
    shape = {"n_estimators": 2, "max_depth": 1} | options
    if kind.startswith("Median"):
        shape["max_depth"] = 2
    if kind.startswith("Multinomial") and options["accounting"] == "published":
        shape |= {"feature_budget": 1.0, "value_budget": 1.0, "label_budget": 1.0}
    if options.get("release", "training") != "training":
        shape["queries"] = X[:4]
    schema = {"target_bounds": (0, 1)} if kind.endswith("Regressor") else {"classes": sorted(set(y))}
    try:
        return getattr(forests, kind)(1.0, domain=DOMAIN, random_state=0, **schema, **shape).fit(X, y)
    except ValueError:
        return None


@cache
def budgets():
    """(estimator, node) of each leaf that spends, of all budget trees; each kind of node once."""
    found = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for kind, ways in [*WAYS.items(), ("PrivateForestClassifier", ADVISED)]:
            targets = (
                [TARGETS] if kind.endswith("Regressor") else [CLASSES, MANY] if ways is BOOSTED else [CLASSES]
            )
            for values, y in itertools.product(itertools.product(*ways.values()), targets):
                fitted = _fit(kind, dict(zip(ways, values, strict=True)), y)
                for node in fitted.budget_.leaves() if fitted is not None else ():
                    if isinstance(node, Spend | Concentrated):
                        found[kind, node.name, node.mechanism] = node
    return [(kind, node) for (kind, *_), node in found.items()]
