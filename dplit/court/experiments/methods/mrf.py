"""The methods of the MRF paper's experiments: MRF, and forests without privacy."""

from sklearn.ensemble import RandomForestClassifier

from dplit import baselines, forests
from dplit.court.experiments.methods.common import Encoded, private


def _breiman(setting, *, n_estimators, min_samples_leaf):
    """scikit-learn's forest as the MRF paper has it: Gini, the root of D columns, leaves of k or more."""
    options = {"min_samples_leaf": min_samples_leaf, "random_state": setting.seed, "n_jobs": 1}
    return Encoded(RandomForestClassifier(n_estimators, max_features="sqrt", **options), setting.domain)


def _not_private(name, **fixed):
    """A builder of a forest without privacy of `dplit.baselines`."""

    def build(setting, **params):
        schema = {"domain": setting.domain, "classes": list(setting.classes)}
        forest = getattr(baselines, f"{name}ForestClassifier")
        return forest(random_state=setting.seed, **schema, **fixed, **params)

    return build


def _multinomial(**fixed):
    return private(forests, "MultinomialForest", **fixed)


MRF = {
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
}
