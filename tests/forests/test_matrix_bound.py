"""What the bound of a fit says: at the budget's epsilon, below the fit's own error, and of leaves alone."""

import copy
import itertools
import math

import pytest

from dplit import matrix
from dplit.matrix.strategies import selection
from tests.forests.test_matrix import X, Y, forest

GRID = list(
    itertools.product(("proved", "published"), ("add-remove", "replace-one"), (1, 2, 3), ("hard", "weighted"))
)


@pytest.fixture(scope="module", autouse=True)
def each_strategy_is_searched_once():
    """A member of the portfolio depends on the queries and the target alone, and 149 fits have a few of them."""
    kept, search = {}, selection.member

    def member(workload, name, target="leaves"):
        asked = workload.matrix()
        key = asked.shape, asked.tobytes(), workload.place.tobytes(), name, target
        if key not in kept:
            kept[key] = search(workload, name, target)
        return copy.copy(kept[key])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(selection, "member", member)
        yield
    assert 0 < len(kept) < 100


def fit(classes, **options):
    return forest(classes=list(range(classes)), **options).fit(X, Y % classes)


@pytest.mark.parametrize(("accounting", "neighbours", "classes", "voting"), GRID, ids=str)
@pytest.mark.parametrize("trees", [{"n_estimators": 1}, {}, {"ensembles": 2}], ids=str)
def test_the_bound_is_that_of_the_budget_and_no_fit_is_below_it(accounting, neighbours, classes, voting, trees):
    """With Laplace noise, too: geometric noise has a little less variance."""
    given = {"accounting": accounting, "neighbours": neighbours, "voting": voting, **trees}
    for mechanism in ("geometric", "laplace"):
        fitted = fit(classes, mechanism=mechanism, records_per_person=2, **given)
        spent = fitted.budget_.epsilon / 2
        workload = matrix.Workload.of(fitted.trees_, n_levels=fitted.cells_.n_levels)
        stated = matrix.lower_bound(workload, spent, "data-independent", neighbours, classes)
        assert fitted.lower_bound_ == pytest.approx(stated / fitted.trees_.n_leaves)
        assert fitted.lower_bound_ <= fitted.expected_error_.leaf * (1 + 1e-9)
        assert fitted.lower_bound_ > 0


@pytest.mark.parametrize("release", ["prediction", "subsample"])
@pytest.mark.parametrize("accounting", ["proved", "published"])
@pytest.mark.parametrize("neighbours", ["add-remove", "replace-one"])
def test_votes_alone_have_no_bound(release, accounting, neighbours):
    given = {"accounting": accounting, "neighbours": neighbours, "queries": X[:5]}
    fitted = forest(release=release, **given).fit(X, Y)
    assert not hasattr(fitted, "lower_bound_")
    with pytest.raises(AttributeError, match=r"there after release='training' alone$"):
        _ = fitted.lower_bound_


def test_without_noise_the_bound_is_nothing():
    assert fit(3, epsilon=math.inf).lower_bound_ == 0.0
