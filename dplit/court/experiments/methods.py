"""The methods that experiments compare: each a function of a setting and its parameters.

``METHODS[name](setting, **params)`` gives an unfitted estimator with ``fit`` and ``predict``. The
parameters have one vocabulary for all methods: `epsilon`, `n_estimators`, `max_depth`,
`max_features` (the papers' K), `rho`, `partitioned`, `reached` (trees grow only where records go),
`min_samples_leaf` (MRF's k) and its budgets. A method takes those that it has. `n_records`, the size
of a synthetic draw, and `missing`, as `dplit.datasets.load` takes it, are for the data alone.
"""

from __future__ import annotations

import math

from sklearn import ensemble
from sklearn.ensemble import RandomForestClassifier

from dplit import baselines, forests
from dplit.court.experiments.bench_methods import BENCH
from dplit.court.experiments.encoded import Encoded
from dplit.court.experiments.m_rf_methods import M_RF
from dplit.court.experiments.public import public
from dplit.court.experiments.rdf_variants import ReachedForest
from dplit.forests import MultinomialForestClassifier, RandomDecisionForestClassifier

SELECTION = {"DiPriMe": "uniform", "DiPriMeExp": "exponential", "DiPriMeFlip": "permute-and-flip"}


def _sklearn(name):
    """A builder of scikit-learn's forest ``<name>Regressor`` or ``<name>Classifier``."""

    def build(setting, *, n_estimators, max_depth, max_features=None):
        kind = "Regressor" if setting.target_bounds else "Classifier"
        k = None if max_features is None else min(max_features, len(setting.domain))
        forest = getattr(ensemble, name + kind)(
            n_estimators,
            max_depth=max_depth,
            max_features=k,
            random_state=setting.seed,
            n_jobs=1,
        )
        return Encoded(forest, setting.domain)

    return build


def _median(selection=None, median="value"):
    """A builder of a median forest; `selection` None is the non-private one."""

    def build(setting, **params):
        kind = "Regressor" if setting.target_bounds else "Classifier"
        if selection is None:
            params = {"epsilon": math.inf, "selection": "exponential", **params}
        else:
            law = "value" if setting.reading == "proved" else median  # by rank nothing is private
            params = {"selection": selection, "median": law, **params}
        return getattr(forests, f"MedianForest{kind}")(**public(setting), **params)

    return build


def _baseline(name):
    """A builder of what the papers compare with: ``<name>Regressor`` or ``<name>Classifier``."""

    def build(setting, **params):
        kind = "Regressor" if setting.target_bounds else "Classifier"
        return getattr(baselines, name + kind)(**public(setting), **params)

    return build


def _random_decision(label=None, reached=False, **fixed):
    """A builder of RDF's forest; its label by the reading unless `label` is given."""

    def build(setting, *, reached=reached, **params):
        known = {"published": "smooth-exponential", "proved": "permute-and-flip"}
        params = {"label": label or known[setting.reading], **fixed, **params}
        kind = ReachedForest if reached else RandomDecisionForestClassifier
        return kind(**public(setting), **params)

    return build


def _breiman(setting, *, n_estimators, min_samples_leaf):
    """scikit-learn's forest as the MRF paper has it: Gini, the root of D columns, leaves of k or more."""
    options = {"min_samples_leaf": min_samples_leaf, "random_state": setting.seed, "n_jobs": 1}
    return Encoded(
        RandomForestClassifier(n_estimators, max_features="sqrt", **options), setting.domain
    )


def _not_private(name, **fixed):
    """A builder of a forest without privacy of `dplit.baselines`."""

    def build(setting, **params):
        schema = {"domain": setting.domain, "classes": list(setting.classes)}
        return getattr(baselines, name + "ForestClassifier")(
            random_state=setting.seed, **schema, **fixed, **params
        )

    return build


def _multinomial(**fixed):
    """A builder of MRF."""

    def build(setting, **params):
        return MultinomialForestClassifier(**public(setting), **fixed, **params)

    return build


METHODS = {
    "RF": _sklearn("RandomForest"),
    "ERT": _sklearn("ExtraTrees"),
    "Median": _median(),
    **{name: _median(selection) for name, selection in SELECTION.items()},
    "DP-ERT": _baseline("DPExtraTrees"),
    "DP-RF": _baseline("DPRandomForest"),
    "DP-DF": _baseline("DPDecisionForest"),
    "DiPriMe (v1)": _median("exponential", median="rank"),
    "JPW": _baseline("JPW"),
    "FS": _baseline("FS"),
    "RGV": _baseline("RGV"),
    "RDF": _random_decision(),
    "RDF, examined": _random_decision(reached=True),
    "RDF, global": _random_decision("global-exponential", reached=True),
    "RDF, unanimous": _random_decision("unanimous", reached=True),
    "RDF, all data": _random_decision(reached=True, partitioned=False),
    "Breiman": _breiman,
    "Denil14": _not_private("Denil"),
    "BRF": _not_private("Bernoulli"),
    "Denil14, all records": _not_private("Denil", partition_rate=None),
    "BRF, all records": _not_private("Bernoulli", partition_rate=None),
    "CompRF-C": _not_private("Comparison", consistent=True),
    "CompRF-C, all records": _not_private("Comparison", consistent=True, partition_rate=None),
    "CompRF-I": _not_private("Comparison", consistent=False),
    "Completely random": _not_private("CompletelyRandom"),
    "MRF": _multinomial(),
    "MRF, by the text": _multinomial(stopping="text"),
    "MRF, normalised": _multinomial(scores="normalised"),
    "MRF, all records": _multinomial(partition_rate=None),
    "Majority": _random_decision(n_estimators=1, max_depth=0),
    "Random trees": _random_decision(
        "permute-and-flip", reached=True, partitioned=False, epsilon=math.inf
    ),
    **M_RF,
    **BENCH,
}
