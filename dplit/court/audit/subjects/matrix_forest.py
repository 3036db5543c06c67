"""Matrix forests in ``dplit audit``: fits drawn many times, and the law of a small one.

All trees test the one column, whose two bins are the cells. The proved forest is held to its budget in
every release and relation; the published one, whose noise is for add-remove neighbours, tells a replaced
record apart beyond the epsilon that it declares.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.stats import gamma

from dplit.court.audit.estimators import FreshFit
from dplit.court.audit.subject import AgainstLaw, BlackBox, Fits, Lawful, Leak, Subject, named
from dplit.court.audit.subjects.whole import FEW, stored
from dplit.domain import Categorical, Continuous, Domain
from dplit.mechanisms import Geometric

FOREST = named("forests", "MatrixForestClassifier")
HISTOGRAM = named("forests", "HistogramForestClassifier")
DRAWS = (120, 3000, 20_000)
LEAK = 1.5  # epsilon of a published leak
LAW = (300, 3000, 30_000)
NORMS = (1200, 5000, 50_000)  # of one dimension less, too
PLACE, OTHER, QUERIES = [0.2], [0.8], [[0.2], [0.8]]
MOST = 4  # released numbers beyond are alike
_STORED_QUERIES = {
    "release": "prediction",
    "queries": [[0.2, "a"], [0.7, "b"]],
    "strategy": "per-tree",
}


@dataclass(frozen=True)
class first_of:  # lower case: used as a function, an object so that processes can share it
    """Summary: the first row of what a fit released, rounded, within +-`MOST`.

    Parameters
    ----------
    name : str
        The attribute.
    """

    name: str

    def __call__(self, fitted):
        """A tuple of whole numbers."""
        row = np.atleast_1d(getattr(fitted, self.name)[0])
        return tuple(np.clip(np.rint(row), -MOST, MOST).astype(int).tolist())


def _fit(summary, change, draws=DRAWS, kind=FOREST, **options):
    """Fits on two records of the first class in one cell; what they declare is their budget."""
    if kind is FOREST:
        options = {"n_estimators": 2, "max_depth": 1, "strategy": "identity", **options}
    options = {"epsilon": 2.0, "bins": 2, **options}
    data = [PLACE, PLACE], [0, 0]
    return BlackBox(Fits(kind, data, change, first_of(summary), None, options), draws)


@dataclass(frozen=True)
class neither_moved:  # lower case, as `first_of`
    """Summary: whether the first row of counts is at least 2 of the first class, at most 0 of the second."""

    name: str

    def __call__(self, fitted):
        """True or False."""
        first, second = getattr(fitted, self.name)[0]
        return bool(first >= 2 and second <= 0)


def _leak(summary, kind=FOREST, **options):
    """Two records of the first class, one of which becomes one of the second, at the add-remove noise."""
    if kind is FOREST:
        options = {"max_depth": 1, "strategy": "identity", "mechanism": "geometric", **options}
    options = {"epsilon": LEAK, "bins": 2, "n_estimators": 1, "neighbours": "replace-one",
               "accounting": "published", **options}  # fmt: skip
    data, swap = ([PLACE, PLACE], [0, 0]), ("replace", PLACE, 1)

    def chances():
        noise = Geometric(LEAK)
        return float(noise.sf(-1)) ** 2, float(noise.sf(0)) ** 2

    return Leak(Fits(kind, data, swap, neither_moved(summary), LEAK, options), LEAK, chances)


def _stored(kind, **options):
    """Four records: the last one is outside the bounds, and of a class and a level of its own."""
    domain = Domain([Continuous(0, 1), Categorical(["a", "b", "c"])])
    records = [[0.2, "a"], [0.4, "b"], [0.7, "a"]], [0, 0, 1]
    options = {"domain": domain, "classes": [0, 1, 2], "n_estimators": 2, **options}
    return BlackBox(Fits(kind, records, ("add", [1e6, "c"], 2), stored, None, options), FEW)


def _own_law(neighbours="add-remove", epsilon=2.0):
    """The counts of a leaf with three records of a class, against two geometric laws."""
    rate = epsilon if neighbours == "add-remove" else epsilon / 2

    def lawful():
        options = {"n_estimators": 2, "max_depth": 1, "bins": 2, "difference": False}
        options |= {"strategy": "merged", "epsilon": epsilon, "neighbours": neighbours}
        data, change = ([PLACE] * 3, [1] * 3), ("add", PLACE, 0)
        fits = Fits(FOREST, data, change, None, 1.0, options)
        noise, law = Geometric(rate), {}
        for outcome in product(range(-MOST, MOST + 1), repeat=2):
            parts = [_clipped(noise, at, n) for at, n in zip(outcome, (0, 3))]
            law[outcome] = float(np.prod(parts))
        arrays = np.array(data[0]), np.array(data[1])
        return Lawful(FreshFit(fits.estimator()), arrays, law, first_of("leaf_counts_"))

    return AgainstLaw(lawful, LAW)


@dataclass(frozen=True)
class first_of_each:  # lower case, as `first_of`
    """Summary: what the first leaf of each tree released for the first class, within +-`MOST`."""

    def __call__(self, fitted):
        """A tuple of whole numbers."""
        first = fitted.leaf_counts_[fitted.trees_.leaf_starts[:-1], 0]
        return tuple(np.clip(np.rint(first), -MOST, MOST).astype(int).tolist())


def _two_ensembles():
    """A tree each, with a noise of its own: no record of the first class is there."""
    options = {"n_estimators": 2, "ensembles": 2, "max_depth": 1, "bins": 2, "epsilon": 2.0}
    options |= {"strategy": "identity", "accounting": "published"}
    data = [PLACE] * 3, [1] * 3
    fits = Fits(FOREST, data, ("add", PLACE, 0), None, 2.0, options)
    each = {n: _clipped(Geometric(1.0), n, 0) for n in range(-MOST, MOST + 1)}
    law = {(a, b): p * q for (a, p), (b, q) in product(each.items(), repeat=2)}
    arrays = np.array(data[0]), np.array(data[1])
    return Lawful(FreshFit(fits.estimator()), arrays, law, first_of_each())


@dataclass(frozen=True)
class norm_of_noise:  # lower case, as `first_of`
    """Summary: whether both trees test one column, and the norm of the first class's noise, cut at `MOST`."""

    def __call__(self, fitted):
        """(bool, int)."""
        noise = fitted.leaf_counts_[:, 0]  # no record is of that class
        first, second = fitted.trees_.feature[fitted.trees_.roots]
        norm = abs(noise.reshape(2, 2)).sum(axis=1).max()
        return bool(first == second), min(int(norm), MOST)


def _norm_of_noise():
    """Two trees of a test on one of two columns: the norm has a gamma law of two or three dimensions."""
    options = {"n_estimators": 2, "max_depth": 1, "bins": 2, "epsilon": 1.5, "difference": False}
    data = [PLACE + PLACE] * 3, [1] * 3
    fits = Fits(
        FOREST, data, ("add", PLACE + PLACE, 0), None, 1.5, options | {"strategy": "tree-norm"}
    )
    law = {}
    for same, dimension in ((True, 2), (False, 3)):
        cuts = gamma(dimension, scale=1 / 1.5).cdf([*range(MOST + 1), np.inf])
        law |= {(same, n): float(p) / 2 for n, p in enumerate(np.diff(cuts))}
    arrays = np.array(data[0]), np.array(data[1])
    return Lawful(FreshFit(fits.estimator()), arrays, law, norm_of_noise())


def _clipped(noise, at, count):
    """Probability that a noisy count, cut at +-`MOST`, is `at`."""
    if at == -MOST:
        return noise.cdf(at - count)
    return noise.sf(at - 1 - count) if at == MOST else noise.pmf(at - count)


def registered():
    """The subjects of this file."""
    forest, histogram = "MatrixForestClassifier", "HistogramForestClassifier"
    add, swap = ("add", PLACE, 1), ("replace", PLACE, 1)
    both, votes = {"difference": False}, {"release": "prediction", "queries": QUERIES}
    parts = {"release": "subsample", "queries": QUERIES}
    hard = {**parts, "voting": "hard"}
    replaced = {"neighbours": "replace-one"}
    for name, check in (
        ("training, difference", _fit("leaf_differences_", add)),
        ("training, difference, replace-one", _fit("leaf_differences_", swap, **replaced)),
        ("training", _fit("leaf_counts_", add, **both, strategy="merged")),
        ("training, replace-one", _fit("leaf_counts_", swap, **both, **replaced)),
        ("training, leaf of each tree", _fit("leaf_counts_", add, **both, strategy="per-tree")),
        ("training, trees that agree",
         _fit("leaf_counts_", add, **both, strategy="tree-norm")),
        ("training, trees that agree, replace-one",
         _fit("leaf_counts_", swap, **both, strategy="tree-norm", **replaced)),
        ("training, strategy of least error", _fit("leaf_counts_", add, **both, strategy="auto")),
        ("two ensembles, add-remove", _fit("leaf_counts_", add, (60, 3000, 20_000), ensembles=2)),
        ("two ensembles, difference, replace-one",
         _fit("leaf_differences_", swap, ensembles=2, difference=True, **replaced)),
        ("two ensembles", _fit("leaf_counts_", swap, (60, 3000, 20_000), ensembles=2, **replaced)),
        ("prediction", _fit("query_votes_", add, **votes)),
        ("prediction, replace-one", _fit("query_votes_", swap, **votes, **replaced)),
        ("subsample", _fit("query_votes_", add, **parts)),
        ("subsample, replace-one", _fit("query_votes_", swap, **parts, **replaced)),
        ("subsample, hard votes", _fit("query_votes_", add, **hard)),
        ("subsample, hard votes, replace-one", _fit("query_votes_", swap, **hard, **replaced)),
        ("published subsample, its budget",
         _fit("query_votes_", add, **parts, accounting="published")),
    ):  # fmt: skip
        yield Subject(f"{forest}, {name}", "black box", "within", check)
    for name, check in (
        ("published training, replace-one", _leak("leaf_counts_", **both)),
        ("published subsample, replace-one", _leak("query_votes_", **parts)),
    ):  # fmt: skip
        yield Subject(f"{forest}, {name}", "black box", "caught", check)
    for name, check in (
        ("draws its law", _own_law()),
        ("draws its law, replace-one", _own_law("replace-one")),
        ("draws its law, two ensembles", AgainstLaw(_two_ensembles, LAW)),
        ("draws its law, trees that agree", AgainstLaw(_norm_of_noise, NORMS)),
    ):
        yield Subject(f"{forest} {name}", "law", "within", check)
    for name, options in (("a fit", {}), ("a prediction", _STORED_QUERIES)):
        check = _stored(FOREST, max_depth=2, **options)
        yield Subject(f"{forest}, what {name} stores", "black box", "within", check)
    cells = {"kind": HISTOGRAM, "summary": "cell_counts_", "n_estimators": 1}
    for name, expected, check in (
        ("add-remove", "within", _fit(change=add, **cells)),
        ("replace-one", "within", _fit(change=swap, **cells, **replaced)),
        ("published, replace-one", "caught", _leak("cell_counts_", HISTOGRAM)),
        ("what a fit stores", "within", _stored(HISTOGRAM)),
    ):
        yield Subject(f"{histogram}, {name}", "black box", expected, check)
