"""What the classes are called, and in which order they are listed, is nothing to a matrix forest or to JPW."""

import itertools
import math

import numpy as np
import pytest

from dplit import Categorical, Domain, datasets
from dplit.baselines import JPWClassifier
from dplit.court.experiments.methods.m_rf_rivals import QueryAggregate
from dplit.forests import MatrixForestClassifier

DOMAIN = Domain([Categorical(range(4))] * 4)
RNG = np.random.default_rng(2)
X = RNG.integers(4, size=(60, 4))
Y = (RNG.random(60) < 0.3).astype(int) + (RNG.random(60) < 0.15)  # seven in ten are of class 0
NAMES = ("a", "b", "c")


def forest(epsilon, names, classes=None, kind=MatrixForestClassifier, **options):
    """Fitted where class i is called names[i]; the list of classes follows the numbers, or is given."""
    if kind is QueryAggregate:
        options.pop("release")
    options = {"n_estimators": 7, "max_depth": 3, "domain": DOMAIN} | options
    fitted = kind(epsilon, classes=list(classes or names), **options)
    return fitted.fit(X, np.array(list(names))[Y % len(names)])


def hard(**options):
    return {"release": "subsample", "queries": X, "voting": "hard"} | options


@pytest.mark.parametrize("names", list(itertools.permutations(NAMES)), ids="".join)
def test_published_votes_of_subsamples_follow_the_list_of_classes_and_not_their_names(names):
    given = hard(accounting="published", random_state=3)
    votes = [forest(math.inf, each, **given).query_votes_ for each in (NAMES, names)]
    places = np.argsort(np.argsort(names))  # of class i among the sorted names
    np.testing.assert_array_equal(votes[1][:, places], votes[0])


def test_published_votes_of_empty_leaves_are_for_the_first_class_of_the_list():
    given = hard(accounting="published", random_state=3)
    found = [forest(math.inf, NAMES, order, **given).query_votes_ for order in ("abc", "cba")]
    assert found[0][:, 0].sum() > found[1][:, 0].sum() + 60
    assert found[1][:, 2].sum() > found[0][:, 2].sum() + 60


def test_published_classes_of_queries_follow_the_list_of_classes_too():
    """The existing subsample-and-aggregate, of 200 trees most leaves of which are empty."""
    given = hard(accounting="published", kind=QueryAggregate, n_estimators=200, random_state=3)
    for order in ("abc", "bca"):
        found = forest(1e9, NAMES, order, **given).predict(X)
        assert (found == order[0]).all()


WAYS = {  # odd numbers of trees, or Laplace noise: no two classes of a query tie
    "hard votes, two classes": (math.inf, "ab", hard()),
    "hard votes, three classes": (4.0, "abc", hard(mechanism="laplace", strategy="identity")),
    "JPW, two classes": (4.0, "ab", {"kind": JPWClassifier, "voting": "hard"}),
}


@pytest.mark.parametrize(("epsilon", "names", "options"), WAYS.values(), ids=WAYS)
def test_accuracy_does_not_depend_on_what_the_classes_are_called(epsilon, names, options):
    """Means of so many fits under either order of the names: six deviations apart, once in 1e8."""
    found = []
    for given in (names, names[::-1]):
        fits = (forest(epsilon, given, **options, random_state=seed) for seed in range(40))
        truth = np.array(list(given))[Y % len(names)]
        found.append([(fit.predict(X) == truth).mean() for fit in fits])
    found = np.array(found)
    apart = abs(np.diff(found.mean(axis=1))[0])
    assert apart < 6 * math.sqrt(found.var(axis=1, ddof=1).sum() / found.shape[1]) < 0.1


@pytest.mark.parametrize(("name", "given", "family", "share"), [
    ("car", {}, "histogram", 1), ("car", {"voting": "weighted"}, "histogram", 1), ("zoo", {}, "matrix", 0.0877),
    ("mushroom", {"n_estimators": 4}, "matrix", None),
])  # fmt: skip
def test_the_advice_says_where_a_strategy_gains_nothing(name, given, family, share):
    """A tree-norm answer shares its noise among trees; counts of all cells gain nothing over themselves."""
    data = datasets.load(name)
    given = {"n_estimators": 32, "max_depth": None, "random_state": 0} | given
    forest = MatrixForestClassifier(1.0, domain=data.domain, classes=data.classes, **given).fit(data.X, data.y)
    told = "too many cells" if share is None else f"expected squared error {share:g} of that of counts of all"
    assert forest.advice_.family == family and told in forest.advice_.why
    assert ("HistogramForestClassifier" in forest.advice_.why) == (family == "histogram")
