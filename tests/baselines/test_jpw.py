"""JPW: its depth, the law of its counts, how it predicts, and what the depth gives away."""

import itertools
import math

import numpy as np
import pytest
from scipy.stats import kstest, laplace

from dplit import Categorical, Continuous, Domain
from dplit.baselines import JPWClassifier
from dplit.baselines.jpw import published_depth
from dplit.budget import Leak, Public
from dplit.trees import apply

UNIT = Domain([Continuous(0, 1)] * 4)
MIXED = Domain([Continuous(0, 1), Categorical(["a", "b", "c"]), Categorical([0, 1]), Continuous(0, 1)])


def records(n=300, seed=0):
    rng = np.random.default_rng(seed)
    X = [[u, v, w, z] for u, v, w, z in zip(rng.random(n), rng.choice(list("abc"), n),
                                            rng.integers(2, size=n), rng.random(n))]  # fmt: skip
    return X, ["yes" if row[0] > 0.4 else "no" for row in X]


def fit(epsilon=1.0, domain=MIXED, data=None, **options):
    settings = {"classes": ["yes", "perhaps", "no"], "random_state": 0, **options}
    return JPWClassifier(epsilon, domain=domain, **settings).fit(*(data or records()))


@pytest.mark.parametrize("columns", [1, 2, 5, 9, 24])
@pytest.mark.parametrize("levels", [2, 3, 7])
def test_the_depth_is_the_published_one(columns, levels):
    """Against the formula, by logarithms, away from their jumps."""
    domain = Domain([Categorical(list(range(levels)))] * (columns - 1) + [Continuous(0, 1)])
    mean = (levels * (columns - 1) + 2) / columns
    for n in (1, 3, 10, 101, 5456, 30_001, 10**9 + 7):
        formula = math.floor(min(columns / 2, math.log(n, mean) - 1))
        assert published_depth(domain, n) == max(formula, 1)


def test_the_depth_jumps_where_the_number_of_records_is_a_power():
    depths = [published_depth(Domain([Continuous(0, 1)] * 40), 2**k + j) for k in range(3, 12) for j in (-1, 0)]
    assert depths == list(itertools.chain(*((k - 2, k - 1) for k in range(3, 12))))
    assert published_depth(Domain([Categorical(["a"])] * 8), 5) == 4  # b = 1: no logarithm


@pytest.mark.parametrize(("partitioned", "scale"), [(False, 10), (True, 1)])
@pytest.mark.parametrize("accounting", ["proved", "published"])
def test_released_counts_have_laplace_noise(accounting, partitioned, scale):
    """Against counts of an own loop; Kolmogorov-Smirnov, false alarm 1e-9."""
    X, y = records()
    options = {"accounting": accounting, "partitioned": partitioned, "max_depth": 3}
    released = fit(0.5, **options)
    exact = fit(1e9, **options)  # the same seed: the same trees, and assignment
    truth = np.rint(exact.leaf_counts_)
    assert abs(truth - exact.leaf_counts_).max() < 1e-5
    assert released.classes_.tolist() == ["no", "perhaps", "yes"]
    noise = (released.leaf_counts_ - truth).ravel()
    assert len(noise) > 200
    assert kstest(noise, laplace(scale=scale / 0.5).cdf).pvalue > 1e-9
    if not partitioned:
        leaves = apply(exact.trees_, MIXED.encode(X)) + exact.trees_.leaf_starts[:-1]
        expected = np.zeros_like(truth)
        for row, label in zip(leaves, y):
            expected[row, ["no", "perhaps", "yes"].index(label)] += 1
        np.testing.assert_array_equal(truth, expected)


def test_it_predicts_by_the_sum_of_the_released_counts():
    forest = fit(2.0, max_depth=2)
    X, _ = records(seed=3)
    leaves = forest.apply(X) + forest.trees_.leaf_starts[:-1]
    sums = forest.leaf_counts_[leaves].sum(axis=1)
    np.testing.assert_array_equal(forest.predict(X), forest.classes_[sums.argmax(axis=1)])
    positive = np.clip(sums, 0, None)
    shares = positive / positive.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(forest.predict_proba(X), shares, atol=1e-12)


def test_where_all_sums_are_negative_the_largest_has_all():
    forest = fit(2.0, max_depth=2)
    forest.leaf_counts_ = -1 - abs(forest.leaf_counts_)
    X, _ = records(seed=3)
    shares = forest.predict_proba(X)
    assert set(shares.ravel().tolist()) == {0.0, 1.0}
    np.testing.assert_array_equal(forest.classes_[shares.argmax(axis=1)], forest.predict(X))


def depth_node(forest):
    return next(n for n in forest.budget_.leaves() if n.name == "depth")


def test_what_the_depth_costs():
    """As published it is read off the records, which only replacements keep."""
    published = fit(accounting="published")
    assert isinstance(depth_node(published), Leak) and published.budget_.epsilon == math.inf
    for options in ({"max_depth": 3}, {"public_n": 50}, {"neighbours": "replace-one"}):
        forest = fit(accounting="published", **options)
        assert isinstance(depth_node(forest), Public)
        twice = 2 if "neighbours" in options else 1  # a replacement moves two counts
        assert forest.budget_.epsilon == pytest.approx(twice)
    for neighbours in ("add-remove", "replace-one"):
        proved = fit(neighbours=neighbours)
        assert 1 - 1e-12 < proved.budget_.epsilon <= 1


@pytest.mark.parametrize("columns", [1, 2, 3, 4])
def test_the_depth_tells_nothing_where_it_is_the_same_for_all_numbers(columns):
    """Against the depths of many numbers of records; m/2 is 1 at most for up to three columns."""
    domain = Domain([Continuous(0, 1)] * columns)
    data = (np.full((9, columns), 0.5), ["yes"] * 9)
    forest = fit(domain=domain, data=data, accounting="published")
    varies = len({published_depth(domain, n) for n in range(1, 40)}) > 1
    assert varies == (columns == 4)
    assert forest.budget_.epsilon == pytest.approx(math.inf if varies else 1.0)


@pytest.mark.parametrize("accounting", ["proved", "published"])
def test_only_the_published_depth_follows_the_records(accounting):
    """Seven and eight records: neighbours that the depth tells apart with certainty."""
    depths = [
        fit(domain=UNIT, data=(np.full((n, 4), 0.5), ["yes"] * n), accounting=accounting).max_depth_
        for n in (7, 8)
    ]
    assert (depths == [1, 2]) == (accounting == "published")
    assert depths[1] == 2
