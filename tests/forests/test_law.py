"""The released forest's law, exactly: the fitted trees of a small forest, and every record there is.

The law is enumerated by `dplit.random_forest.forest_law` from the leaves that the fitted forest's ``apply``
reports; that the forest follows it is checked by simulation.
"""

import numpy as np
import pytest
from scipy.stats import chisquare

from dplit import Categorical, Continuous, Domain
from dplit.court.audit import compare_laws
from dplit.court.audit.estimators import FreshFit
from dplit.forests import RandomDecisionForestClassifier
from dplit.mechanisms import PermuteAndFlip
from dplit.random_forest import forest_law

DOMAIN = Domain([Continuous(0, 1), Categorical(["a", "b"])], names=["u", "v"])
RECORDS = np.array([[u, v] for u in (0.05, 0.35, 0.65, 0.95) for v in "ab"], dtype=object)


def forest(**options):
    settings = dict(domain=DOMAIN, classes=[0, 1], n_estimators=2, max_depth=1, random_state=3)
    return RandomDecisionForestClassifier(0.9, **{**settings, **options})


def law(fitted, X, y):
    """Exact law of all leaf labels of a fit of `X` and `y` on the trees of `fitted`."""
    published = fitted.accounting == "published"
    halved = fitted.neighbours == "replace-one" and not published
    label = PermuteAndFlip(fitted.epsilon / (2 if halved else 1), monotonic=True)
    sizes = np.diff(fitted.trees_.leaf_starts).tolist()
    assignment = "equal-parts" if published else "independent"
    leaves = fitted.apply(X) if len(X) else np.empty((0, fitted.n_estimators), dtype=int)
    return forest_law(leaves, y, sizes, 2, label.pmf, assignment)


def loss(one, other):
    return compare_laws(one, other).loss


SETS = [([], []), ([0], [1]), ([0, 3, 6], [1, 0, 0]), ([1, 1, 2, 5], [0, 1, 1, 1])]


@pytest.mark.parametrize(("rows", "y"), SETS, ids=str)
def test_an_appended_record_changes_the_law_by_at_most_epsilon(rows, y):
    fitted = forest().fit(RECORDS, [0, 1] * 4)
    before = law(fitted, RECORDS[rows], y)
    losses = [loss(before, law(fitted, RECORDS[[*rows, i]], [*y, c])) for i in range(len(RECORDS)) for c in (0, 1)]
    assert max(losses) <= fitted.budget_.epsilon * (1 + 1e-12)
    assert max(losses) > 0.35 * fitted.budget_.epsilon


@pytest.mark.parametrize(("rows", "y"), SETS[1:], ids=str)
def test_a_replaced_record_changes_the_law_by_at_most_epsilon(rows, y):
    fitted = forest(neighbours="replace-one").fit(RECORDS, [0, 1] * 4)
    before = law(fitted, RECORDS[rows], y)
    losses = [
        loss(before, law(fitted, RECORDS[[i, *rows[1:]]], [c, *y[1:]]))
        for i in range(len(RECORDS))
        for c in (0, 1)
    ]
    assert 0.2 * fitted.budget_.epsilon < max(losses) <= fitted.budget_.epsilon * (1 + 1e-12)


def test_equal_parts_exceed_epsilon_and_stay_within_their_budget():
    fitted = forest(accounting="published").fit(RECORDS, [0, 1] * 4)
    rows, y = [0, 0, 0, 0, 0], [0, 0, 0, 0, 0]
    more = law(fitted, RECORDS[[*rows, 0]], [*y, 1])
    assert fitted.epsilon * 1.1 < loss(law(fitted, RECORDS[rows], y), more)
    assert loss(law(fitted, RECORDS[rows], y), more) <= fitted.budget_.epsilon


@pytest.mark.parametrize("accounting", ["proved", "published"])
def test_the_forest_follows_its_law(accounting):
    """On the same trees, against the exact law: chi-square of 1,200 fits at a false alarm of 1e-6 sees each law
    that 1,500 would see at 1e-9 with probability 0.99 at least as often."""
    X, y = RECORDS[[0, 3, 6]], np.array([1, 0, 0])
    draw, rng = FreshFit(forest(accounting=accounting), structure=3), np.random.default_rng(0)
    fits = [draw((X, y), rng) for _ in range(1200)]
    for fitted in fits[:20]:
        np.testing.assert_array_equal(fitted.trees_.threshold, fits[0].trees_.threshold)
    binary = 2 ** np.arange(fits[0].trees_.n_leaves)[::-1]
    exact = law(fits[0], X, y).ravel()
    seen = np.bincount([f.leaf_labels_ @ binary for f in fits], minlength=len(exact))
    assert chisquare(seen, len(fits) * exact).pvalue > 1e-6
