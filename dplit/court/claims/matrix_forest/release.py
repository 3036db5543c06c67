"""Claims of ours on the estimator: it draws the law that its budget is about, and errs as it expects."""

import re
from itertools import product

import numpy as np

from dplit import Categorical, Domain, forests
from dplit.court.claims.matrix_paths.small import dense
from dplit.court.claims.matrix_release.laws import AR, RO, second_moment, worst
from dplit.court.ledger.box import Box
from dplit.court.ledger.compare import frequency, private, same
from dplit.forests.randomness import Repeated
from dplit.mechanisms import Geometric

FOREST = "forests.MatrixForestClassifier"
LAW = Box("alg-matrix-forest", FOREST, "mechanisms.Geometric")
BUDGET = Box("thm-matrix-forest-budget", FOREST, "matrix.ReleaseLaw", quantity="privacy loss")
ERROR = Box("thm-matrix-forest-error", FOREST, "matrix.error")
ONE = Domain([Categorical(["a", "b"])])
TWO = Domain([Categorical(["a", "b"]), Categorical(["u", "v"])])
THREE = Domain([Categorical(["a", "b", "c"]), Categorical(["u", "v"]), Categorical(["x", "y", "z"])])
STRATEGIES = "identity", "per-tree", "merged"
COUNTS = np.array([[0, 3], [0, 0]])  # of the leaves a and b: three records of class 1 in a
RELEASES = {  # options, what is released of the first tree, and what it is without noise
    "training": ({}, "leaf_counts_", COUNTS),
    "difference": ({"difference": True}, "leaf_differences_", COUNTS[:, 1] - COUNTS[:, 0]),
    "subsample": ({"release": "subsample", "queries": [["a"], ["b"]], "n_estimators": 1}, "query_votes_", COUNTS),
}


def fit(epsilon, records, labels, rng, **options):
    """A fitted forest; unless `options` say otherwise, two trees of one test on one column, noise on cells."""
    settings = dict(domain=ONE, classes=[0, 1], n_estimators=2, max_depth=1, strategy="identity",
                    difference=False, random_state=int(rng.integers(2**31)))  # fmt: skip
    return forests.MatrixForestClassifier(epsilon, **{**settings, **options}).fit(records, labels)


@LAW(
    "m-rf/ours/forest-law",
    "ours",
    proved=False,
    intervals=12,
    quantity="probability that a released number is at most a value",
    range="two cells, three records of class 1 in one of them, epsilon 1; training, difference, subsample; "
    "both relations",
)
def forest_law(effort, rng):
    """A matrix forest's fit releases a leaf's exact count plus geometric noise at the rate in its budget."""
    draws = effort.pick(160, 4_000, 40_000)
    for (release, (options, name, counts)), neighbours in product(RELEASES.items(), (AR, RO)):
        fits = [
            fit(1.0, [["a"]] * 3, [1] * 3, rng, neighbours=neighbours, **options)
            for _ in range(draws // counts.size)
        ]
        noise = np.rint([getattr(fitted, name)[:2] - counts for fitted in fits])
        law = Geometric(1.0 if neighbours == AR else 0.5)
        for off in (-2, 0):
            data = {"release": release, "neighbours": neighbours, "at": off}
            yield frequency(noise <= off, law.cdf(off), **data)
    return (
        "{cases} probabilities are as stated. In the last case ({release}, {neighbours}) a released number is at "
        "most {at} above the count with frequency {exact:.4f} and probability {stated:.4f}."
    )


def _losses(accounting, trees, rng):
    """Loss of the release that a fit's strategy and noise make, and the total of its budget."""
    for tau, strategy, neighbours, signed in product(trees, STRATEGIES, (AR, RO), (False, True)):
        fitted = fit(
            0.75, [["a", "u"], ["b", "v"]], [0, 1], rng, domain=TWO, n_estimators=tau,
            strategy=strategy, neighbours=neighbours, accounting=accounting, difference=signed,
        )  # fmt: skip
        A = dense(fitted.strategy_)
        if len(A) * (2 - signed) <= 8:
            loss = worst(A, _noise(fitted), 2, neighbours, signed)
            data = {"strategy": strategy, "neighbours": neighbours, "trees": tau}
            yield loss, fitted.budget_.epsilon, data


def _noise(fitted):
    spend = next(n for n in fitted.budget_.leaves() if n.name.startswith("strategy") and n.epsilon)
    delta = float(re.search(r"sensitivity ([\d.]+)", spend.mechanism)[1])
    return Geometric(spend.epsilon, round(delta))


@BUDGET(
    "m-rf/ours/forest-budget",
    "ours",
    range="two columns of two levels; training with cells, leaves of each tree and distinct leaves, both "
    "relations, one column of differences and two of counts; data of at most one record and its neighbours",
)
def forest_budget(effort, rng):
    """The exact privacy loss of a matrix forest with proved accounting is at most its budget's epsilon."""
    for loss, epsilon, data in _losses("proved", effort.pick((1,), (1, 2), (1, 2, 3)), rng):
        yield private(loss, epsilon, **data)
    return "Over {cases} releases the largest loss is {exact:.4f} of {stated:.4f}: {strategy}, {neighbours}."


@BUDGET("m-rf/ours/forest-published", "ours", range="as published, replace-one; else as of the proved forest")
def forest_published(effort, rng):
    """A matrix forest with published accounting costs 2 epsilon under replace-one, as its budget states."""
    for loss, epsilon, data in _losses("published", (1,), rng):
        if data["neighbours"] == RO:
            yield same(loss, epsilon, **data)
    return "Over {cases} releases the loss is {exact:.4f}, the budget {stated:.4f}: {strategy}."


@ERROR(
    "m-rf/ours/forest-error",
    "ours",
    quantity="variance of a leaf's count, and of a vote",
    range="three columns of two and three levels, forests of one to eight trees, three strategies",
)
def forest_error(effort, rng):
    """The plan of a matrix forest predicts the errors implied by its pseudo-inverse and its noise."""
    for _ in range(effort.pick(3, 20, 100)):
        trees, depth = int(rng.integers(1, 9)), int(rng.integers(1, 4))
        for strategy in STRATEGIES:
            plan = forests.MatrixForestClassifier(
                0.8, domain=THREE, classes=[0, 1, 2], n_estimators=trees, max_depth=depth,
                strategy=strategy, random_state=Repeated(int(rng.integers(2**31)), 0),
            ).plan()  # fmt: skip
            T = plan.paths.matrix().astype(float)
            rows = {"identity": np.eye(T.shape[1]), "per-tree": T, "merged": np.unique(T, axis=0)}
            A = rows[strategy]
            spread = second_moment(Geometric(0.8, round(abs(A).sum(axis=0).max())))
            # leaves of each tree answer for themselves, though others are copies of them
            X = np.eye(len(T)) if strategy == "per-tree" else T @ np.linalg.pinv(A)
            data = {"strategy": strategy, "trees": trees}
            leaf = spread * (X**2).sum() / len(T)
            yield same(leaf, plan.expected_error.leaf, 1e-6, **data)
            if strategy != "per-tree":
                vote = spread * ((T.T @ X) ** 2).sum() / T.shape[1]
                yield same(vote, plan.expected_error.vote, 1e-6, **data)
    return "{cases} errors are as planned; one ({strategy}, tau = {trees}) is {exact:.4f}, planned {stated:.4f}"
