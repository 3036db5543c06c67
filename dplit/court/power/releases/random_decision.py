"""What a random decision forest releases: the class of each leaf."""

import math

from dplit.court.power import laws
from dplit.court.power.drawn import Bound, Release
from dplit.court.power.sampling import same_in_each_cell, seed_of, until

EPSILON = 1.0
LABELS = [0, 1, 1]  # in each leaf
COLUMNS = 8
RDF = "RandomDecisionForestClassifier"


def _law(rate=1.0, copies=1):
    return laws.flip([copies, 2], rate * EPSILON)


def _draw(n, rng):
    from dplit.forests import RandomDecisionForestClassifier

    domain, X, y = same_in_each_cell(COLUMNS, LABELS)
    shape = {"domain": domain, "classes": [0, 1], "n_estimators": 1, "max_depth": COLUMNS}

    def once():
        forest = RandomDecisionForestClassifier(EPSILON, **shape, random_state=seed_of(rng))
        return forest.fit(X, y).leaf_labels_.tolist()

    return until(n, once)


def _bounds():
    without = laws.flip([0, 2], EPSILON)[0]
    yield Bound("the class of one record of three, e^epsilon times as likely as without it,", frozenset({0}),
                math.exp(EPSILON) * without)  # fmt: skip


def registered():
    """The releases of this file."""
    says = "permute-and-flip on the leaf's class counts, at epsilon"
    name, estimator = f"{RDF}, class of a leaf", f"forests.{RDF}"
    yield Release(name, estimator, "class of a leaf", "random_forest", says, _law, _draw, bounds=_bounds)
