r"""Claims of ours on the estimator: it draws the law that its budget is about, and errs as it expects.

Derived in :doc:`/book/matrix_forest`; what a release costs, in :doc:`/book/matrix_release`.
"""

from __future__ import annotations

import re

import numpy as np

from dplit import Categorical, Domain, forests
from dplit.claims.matrix_release.laws import AR, RO, worst
from dplit.forests.randomness import Repeated
from dplit.ledger import Case, Count, claim, counts_equal, equal, private
from dplit.mechanisms import Geometric

ONE = Domain([Categorical(["a", "b"])])
TWO = Domain([Categorical(["a", "b"]), Categorical(["u", "v"])])
THREE = Domain(
    [Categorical(["a", "b", "c"]), Categorical(["u", "v"]), Categorical(["x", "y", "z"])]
)
QUERIES = [["a"], ["b"]]
RELEASES = {
    "training": {},
    "difference": {"difference": True},
    "prediction": {"release": "prediction", "queries": QUERIES},
    "subsample": {"release": "subsample", "queries": QUERIES},
}
ESTIMATOR = ("forests.MatrixForestClassifier",)


def _fit(epsilon, records, labels, seed=0, **options):
    settings = dict(domain=ONE, classes=[0, 1], n_estimators=2, max_depth=1, strategy="identity",
                    difference=False, random_state=seed)  # fmt: skip
    if options.get("release") == "subsample":
        settings["n_estimators"] = 1
    return forests.MatrixForestClassifier(epsilon, **{**settings, **options}).fit(records, labels)


def _first(fitted):
    """The first number that a fit of a single tree or of all leaves released, of class 1."""
    for name in ("leaf_counts_", "leaf_differences_", "query_votes_"):
        if hasattr(fitted, name):
            return int(np.rint(np.ravel(getattr(fitted, name)[0])[-1]))
    raise AssertionError("a fit releases leaves or votes")


@claim(
    "m-rf/ours/forest-law",
    "ours",
    "holds",
    "alg-matrix-forest",
    (*ESTIMATOR, "mechanisms.Geometric"),
    ours=True,
    kind="simulated",
    intervals=12,
    quantity="probability that a released number is at most a value",
    range="two cells, three records of class 1 in one of them, epsilon 1; training, difference, subsample; "
    "both relations",
)
def forest_law(effort, rng):
    """A fit releases the exact count of a leaf and geometric noise of the rate that its budget names."""
    return counts_equal(
        _events(effort.pick(250, 4_000, 40_000), rng),
        "Of {cases} events the nearest: {release}, {neighbours}: at most {at} in {observed:.4f} of the "
        "fits, law {stated:.4f}.",
    )


def _events(draws, rng):
    for release in ("training", "difference", "subsample"):
        for neighbours in (AR, RO):
            options = {**RELEASES[release], "neighbours": neighbours}
            found = np.array([
                _first(_fit(1.0, [["a"]] * 3, [1] * 3, int(rng.integers(2**31)), **options))
                for _ in range(draws)
            ])  # fmt: skip
            noise = Geometric(1.0 if neighbours == AR else 0.5)
            for at in (1, 3):
                stated = float(noise.cdf(at - 3))
                data = {"release": release, "neighbours": neighbours, "at": at}
                yield Count(int((found <= at).sum()), draws, stated, data)


@claim(
    "m-rf/ours/forest-budget",
    "ours",
    "holds",
    "thm-matrix-forest-budget",
    (*ESTIMATOR, "matrix.ReleaseLaw"),
    ours=True,
    proof="thm-matrix-forest-budget",
    quantity="privacy loss",
    range="two columns of two levels; training with cells, leaves of each tree and distinct leaves, both "
    "relations, one column of differences and two of counts; data of at most one record and its neighbours",
)
def forest_budget(effort, rng):
    """The exact loss of what a proved fit releases is at most the epsilon that its budget says."""
    return private(
        _losses("proved", effort.pick((1,), (1, 2), (1, 2, 3)), rng),
        "Over {cases} releases the largest loss is {exact:.4f} of {stated:.4f}: {strategy}, {neighbours}.",
    )


@claim(
    "m-rf/ours/forest-published",
    "ours",
    "holds",
    "thm-matrix-forest-budget",
    (*ESTIMATOR, "matrix.ReleaseLaw"),
    ours=True,
    proof="thm-matrix-forest-budget",
    quantity="privacy loss",
    range="as published, replace-one neighbours; else as of the proved forest",
)
def forest_published(effort, rng):
    """A published fit spends twice its parameter under replace-one neighbours, as its budget says."""
    return equal(
        (case for case in _losses("published", (1,), rng) if case.data["neighbours"] == RO),
        "Over {cases} releases the loss is {exact:.4f}, the budget {stated:.4f}: {strategy}.",
    )


def _losses(accounting, trees, rng):
    """Loss of the release that a fit's strategy and noise make, and the total of its budget."""
    epsilon = 0.75
    for tau in trees:
        for strategy in ("identity", "per-tree", "merged"):
            for neighbours in (AR, RO):
                for signed in (False, True):
                    fitted = _fit(
                        epsilon, [["a", "u"], ["b", "v"]], [0, 1], int(rng.integers(2**31)),
                        domain=TWO, n_estimators=tau, strategy=strategy, neighbours=neighbours,
                        accounting=accounting, difference=signed,
                    )  # fmt: skip
                    noise, A = _noise(fitted), entries(fitted.strategy_, (2, 2))
                    if len(A) * (2 - signed) > 8:
                        continue
                    loss = worst(A, noise, 2, neighbours, signed)
                    data = {"strategy": strategy, "neighbours": neighbours, "trees": tau}
                    yield Case(loss, fitted.budget_.epsilon, data)


def _noise(fitted):
    """The noise that the budget of a fit names."""
    spend = next(n for n in fitted.budget_.leaves() if n.name.startswith("strategy") and n.epsilon)
    delta = float(re.search(r"sensitivity ([\d.]+)", spend.mechanism)[1])
    return Geometric(spend.epsilon, round(delta))


@claim(
    "m-rf/ours/forest-error",
    "ours",
    "holds",
    "thm-matrix-forest-error",
    (*ESTIMATOR, "matrix.error"),
    ours=True,
    proof="thm-matrix-forest-error",
    quantity="variance of a leaf's count, and of a vote",
    range="three columns of two and three levels, forests of one to eight trees, three strategies",
)
def forest_error(effort, rng):
    """The errors that a plan tells are those of the pseudo-inverse and of the law of the noise."""
    return equal(
        _errors(effort.pick(3, 20, 100), rng),
        "Over {cases} plans, {strategy}, number of trees {trees}: {exact:.4f}, the plan says {stated:.4f}.",
        rtol=1e-6,
    )


def _errors(forests_, rng):
    for _ in range(forests_):
        trees, depth = int(rng.integers(1, 9)), int(rng.integers(1, 4))
        for strategy in ("identity", "per-tree", "merged"):
            forest = forests.MatrixForestClassifier(
                0.8, domain=THREE, classes=[0, 1, 2], n_estimators=trees, max_depth=depth,
                strategy=strategy, random_state=Repeated(int(rng.integers(2**31)), 0),
            )  # fmt: skip
            plan = forest.plan()
            T = plan.paths.matrix().astype(float)
            A = {"identity": np.eye(T.shape[1]), "per-tree": T, "merged": np.unique(T, axis=0)}[
                strategy
            ]
            spread = _variance(0.8, abs(A).sum(axis=0).max())
            # leaves of each tree answer for themselves, though others are copies of them
            X = np.eye(len(T)) if strategy == "per-tree" else T @ np.linalg.pinv(A)
            data = {"strategy": strategy, "trees": trees}
            yield Case(spread * (X**2).sum() / len(T), plan.expected_error.leaf, data)
            if strategy != "per-tree":
                votes = ((T.T @ X) ** 2).sum() / T.shape[1]
                yield Case(spread * votes, plan.expected_error.vote, data)


def _variance(epsilon, delta):
    """Variance of geometric noise, summed over its law."""
    z = np.arange(-4000, 4001)
    return float((z**2 * Geometric(epsilon, round(delta)).pmf(z)).sum())
