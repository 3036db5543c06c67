"""Forests on exact noise: median and matrix forests, Gaussian shares, baselines.

Both kinds of noise are one law, and what an option has no exact draw for is an error.
"""

import numpy as np
import pytest

from dplit import Categorical, Continuous, Domain
from dplit.baselines import (
    DPDecisionForestClassifier,
    DPExtraTreesClassifier,
    DPExtraTreesRegressor,
    DPRandomForestClassifier,
    DPRandomForestRegressor,
    FSClassifier,
    JPWClassifier,
    RGVClassifier,
)
from dplit.forests import (
    BoostedForestClassifier,
    MatrixForestClassifier,
    MedianForestClassifier,
    MedianForestRegressor,
    MultinomialForestClassifier,
)
from dplit.trees import median
from dplit.trees.exact_rules import ExactRule, exact_rule
from tests.forests.test_noise import FALSE_ALARM, X, Y, alike, binned, estimator, samples

LEVELS = Domain([Categorical([0, 1]), Categorical([0, 1, 2])])
CODES = np.random.default_rng(1).integers(0, [2, 3], (40, 2))
NUMBERS = Domain([Continuous(0, 1)] * 2)
QUERIES = np.array([[0, 0], [1, 2]])
MEDIANS = {"epsilon": 4.0, "domain": NUMBERS, "n_estimators": 1, "max_depth": 1}
MATRIX = {"epsilon": 2.0, "domain": LEVELS, "classes": [0, 1], "n_estimators": 3, "max_depth": 1}


def same_law(times, kind, data, released, **options):
    """Both kinds of noise release the numbers of `released` by one law."""
    drawn = samples(times, lambda f: f, kind, data, **options)
    for number in released:
        assert alike(*binned(drawn, number)) > FALSE_ALARM


@pytest.mark.parametrize("selection", ["uniform", "exponential", "permute-and-flip"])
def test_cuts_and_classes_of_median_trees_are_drawn_by_one_law(selection):
    released = [lambda f: f.trees_.feature[0], lambda f: f.trees_.threshold[0], lambda f: f.leaf_labels_[0]]
    options = {**MEDIANS, "classes": [0, 1], "selection": selection}
    same_law(250, MedianForestClassifier, (X, Y), released, **options)


@pytest.mark.parametrize("domain", [NUMBERS, LEVELS], ids=["numbers", "levels"])
def test_means_of_median_trees_are_drawn_by_one_law(domain):
    released = [lambda f: f.trees_.feature[0], lambda f: f.leaf_values_[0], lambda f: f.leaf_values_[-1]]
    options = {**MEDIANS, "domain": domain, "target_bounds": (0, 1)}
    data = (X if domain is NUMBERS else CODES), X[:, 0]
    same_law(250, MedianForestRegressor, data, released, **options)


def test_trees_that_all_read_all_records_are_exact_too():
    forest = MedianForestClassifier(1.0, domain=NUMBERS, classes=[0, 1], partitioned=False, max_depth=3)
    assert forest.fit(X, Y).noise_ == "secure" and forest.budget_.epsilon <= 1.0


def test_a_share_that_cannot_pay_for_the_rounding_is_an_error():
    forest = MedianForestClassifier(1e-10, domain=NUMBERS, classes=[0, 1], max_depth=3)
    with pytest.raises(ValueError, match=r"^epsilon must leave each cut more than"):
        forest.fit(X, Y)
    assert forest.set_params(noise="simulation").fit(X, Y).noise_ == "simulation"


@pytest.mark.parametrize("strategy", ["per-tree", "disjoint"])
@pytest.mark.parametrize("mechanism", ["geometric", "laplace"])
def test_leaves_of_matrix_forests_are_released_by_one_law(strategy, mechanism):
    """Strategies that are not searched for; the noise of the others is in `tests/matrix_release`."""
    options = {**MATRIX, "strategy": strategy, "mechanism": mechanism, "voting": "weighted"}
    released = [lambda f: f.leaf_counts_[0, 0], lambda f: f.leaf_counts_[:, 1].sum()]
    same_law(100, MatrixForestClassifier, (CODES, Y), released, **options)


@pytest.mark.parametrize("release", ["prediction", "subsample"])
def test_votes_are_released_by_one_law(release):
    options = {**MATRIX, "release": release, "queries": QUERIES, "strategy": "identity",
               "mechanism": "laplace", "neighbours": "replace-one"}  # fmt: skip
    released = [lambda f: f.query_votes_[0, 0], lambda f: f.query_votes_[1, 1]]
    same_law(100, MatrixForestClassifier, (CODES, Y), released, **options)


@pytest.mark.parametrize("strategy", ["auto", "marginals", "p-identity", "merged", "tree-norm"])
def test_every_other_strategy_is_exact(strategy):
    forest = MatrixForestClassifier(**{**MATRIX, "epsilon": 1e6}, strategy=strategy, voting="weighted")
    near = forest.fit(CODES, Y).leaf_counts_
    assert forest.noise_ == "secure" and forest.budget_.epsilon == 1e6
    assert near.sum() == pytest.approx(len(Y) * 3, abs=0.01)
    assert near == pytest.approx(np.rint(near), abs=0.01)


def test_ensembles_are_exact():
    forest = MatrixForestClassifier(**MATRIX, ensembles=2, subset_size=1).fit(CODES, Y)
    assert forest.noise_ == "secure" and forest.budget_.epsilon == 2.0


def test_trees_that_agree_are_considered_and_released_by_one_law():
    options = {**MATRIX, "strategy": "tree-norm", "voting": "weighted"}
    released = [lambda f: f.leaf_counts_[0, 0], lambda f: f.leaf_counts_[:, 1].sum()]
    same_law(100, MatrixForestClassifier, (CODES, Y), released, **options)
    assert "drawn in whole steps" in str(MatrixForestClassifier(**options).fit(CODES, Y).budget_)
    several = {**MATRIX, "max_depth": 1, "n_estimators": 60}  # of which two differ
    assert "tree-norm" in MatrixForestClassifier(**several).plan().strategies[0].considered


def test_gaussian_shares_are_released_by_one_law():
    options = {"epsilon": 3.0, "delta": 1e-6, "domain": NUMBERS, "classes": [0, 1, 2], "n_records": 40,
               "n_estimators": 2, "max_depth": 1}  # fmt: skip
    released = [lambda f: f.trees_.feature[0], lambda f: f.trees_.threshold[0], lambda f: f.initial_[0],
                lambda f: f.pair_sums_[-1].ravel()[0], lambda f: f.leaf_values_.ravel()[-1]]  # fmt: skip
    same_law(120, BoostedForestClassifier, (X, Y + (X[:, 1] > 0.7)), released, **options)


@pytest.mark.parametrize("epsilon", [1e-200, 1e-13])
def test_an_epsilon_whose_noise_would_overflow_is_an_error(epsilon):
    for mechanism in ("geometric", "laplace"):
        with pytest.raises(ValueError, match=r"^epsilon must be at least"):
            MatrixForestClassifier(**{**MATRIX, "epsilon": epsilon}, mechanism=mechanism).fit(CODES, Y)


@pytest.mark.parametrize("epsilon", [1e120, 1e295, 1e308])
def test_a_finite_epsilon_however_large_is_drawn_exactly(epsilon, monkeypatch):
    """Not as an infinite one, which compiled code draws in floats."""
    asked = []
    monkeypatch.setattr(median, "exact_rule", lambda rule: asked.append(exact_rule(rule)) or asked[-1])
    for options in ({"selection": "uniform"}, {}):
        options = {**MEDIANS, "epsilon": epsilon, "classes": [0, 1], **options}
        MedianForestClassifier(**options, neighbours="replace-one").fit(X, Y)
    options = {**MEDIANS, "epsilon": epsilon, "classes": [0, 1]}
    for scores in ("counts", "normalised"):
        MultinomialForestClassifier(**options, scores=scores).fit(X, Y)
    assert len(asked) == 4 and all(isinstance(rule, ExactRule) for rule in asked)


GREEDY = [
    (DPRandomForestClassifier, {}), (DPRandomForestClassifier, {"criterion": "majority"}),
    (DPRandomForestRegressor, {}), (DPDecisionForestClassifier, {}), (FSClassifier, {}),
    (FSClassifier, {"operator": "information-gain"}), (RGVClassifier, {"operator": "gini"}),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "options"), GREEDY)
def test_greedy_baselines_are_drawn_by_one_law(kind, options):
    released = [lambda f: f.trees_.feature[0], lambda f: np.nan_to_num(f.trees_.threshold[0], nan=-1)]
    if kind is DPRandomForestRegressor:
        released.append(lambda f: f.leaf_values_[0])
        options = {**options, "target_bounds": (0, 1)}
    else:
        released.append(lambda f: f.leaf_labels_[0])
        options = {**options, "classes": [0, 1]}
    options = {"domain": NUMBERS, "n_estimators": 1, "max_depth": 1, "epsilon": 4.0, **options}
    same_law(200, kind, (X, Y), released, **options)


@pytest.mark.parametrize("kind", [JPWClassifier, DPExtraTreesClassifier, DPExtraTreesRegressor])
def test_baselines_of_random_trees_are_exact_where_they_are_proved(kind):
    assert estimator(kind).fit(X, Y).noise_ == "secure"
    with pytest.raises(ValueError, match="take accounting='proved'"):
        estimator(kind, accounting="published", noise="secure").fit(X, Y)
    name = {"JPWClassifier": "leaf_counts_", "DPExtraTreesClassifier": "leaf_labels_"}
    attribute = name.get(kind.__name__, "leaf_values_")
    target = {"target_bounds": (0, 1)} if kind is DPExtraTreesRegressor else {"classes": [0, 1]}
    same_law(120, kind, (X, Y), [lambda f: getattr(f, attribute).ravel()[0]], epsilon=1.0,
             domain=NUMBERS, n_estimators=2, max_depth=1, **target)  # fmt: skip
