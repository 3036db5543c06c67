"""The functions of an additive model: start and shapes of a record add up to its score."""

import math

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from dplit import Categorical, Continuous, Domain, PrivateForestClassifier, plotting
from dplit.forests import BoostedForestClassifier, BoostedForestRegressor, RandomDecisionForestClassifier
from dplit.forests.shapes import additive_shape

mpl.use("agg")
RNG = np.random.default_rng(4)
N = 800
DOMAIN = Domain({"u": Continuous(-1, 3), "v": Continuous(0, 1), "w": Categorical(list("abc"), missing=True)})
X = pd.DataFrame({"u": RNG.uniform(-1, 3, N), "v": RNG.random(N),
                  "w": RNG.choice(np.array(["a", "b", "c", None], dtype=object), N)})  # fmt: skip
Y = 1.0 * (X["u"] > 0) + 2.0 * (X["w"] == "b") + (X["u"] > 2)
STUMPS = {"max_depth": 1, "n_estimators": 12, "random_state": 0, "domain": DOMAIN}
FITS = {
    "targets": BoostedForestRegressor(20.0, target_bounds=(0, 4), **STUMPS).fit(X, Y),
    "two": BoostedForestClassifier(20.0, classes=["lo", "hi"], **STUMPS).fit(X, np.where(Y > 1, "hi", "lo")),
    "three": PrivateForestClassifier(20.0, classes=[0, 1, 2], **STUMPS).fit(X, np.minimum(Y, 2).astype(int)),
}


def value_at(shape, x):
    """Where a record lies, by plain search."""
    if shape.levels is not None:
        return shape.values[shape.levels.index(None if pd.isna(x) else x)]
    (piece,) = [
        i for i, (low, high) in enumerate(zip(shape.edges, shape.edges[1:]))
        if low < x <= high or x == low == shape.edges[0]
    ]  # fmt: skip
    return shape.values[piece]


@pytest.mark.parametrize("kind", FITS)
def test_start_and_shapes_add_up_to_the_score(kind):
    forest = FITS[kind]
    shapes = [additive_shape(forest, name) for name in "uvw"]
    cut = shapes[0].edges[1]
    rows = pd.concat([X[:40], pd.DataFrame({"u": [cut, -1, 3], "v": [0, 1, 0.5], "w": [*"ab", None]})])
    expected = [
        forest.initial_ + sum(value_at(s, x) for s, x in zip(shapes, row)) for row in rows.itertuples(index=False)
    ]
    if kind == "targets":
        np.testing.assert_allclose(forest.predict(rows), np.clip(np.ravel(expected), 0, 4))
    else:
        scores = forest.decision_function(rows)
        np.testing.assert_allclose(scores, np.squeeze(expected), atol=1e-9)


def test_deeper_trees_of_one_column_are_additive_too():
    domain = Domain({"w": Categorical(list("abc"), missing=True)})
    forest = BoostedForestRegressor(
        20.0, target_bounds=(0, 4), **{**STUMPS, "domain": domain, "max_depth": 2}
    ).fit(X[["w"]], Y)
    shape = additive_shape(forest, "w")
    expected = forest.initial_ + [value_at(shape, x) for x in X["w"]]
    np.testing.assert_allclose(forest.predict(X[["w"]]), np.clip(np.ravel(expected), 0, 4))


def test_a_column_that_no_tree_tests_adds_nothing():
    forest = BoostedForestClassifier(20.0, classes=["lo", "hi"], **{**STUMPS, "n_estimators": 1})
    forest.fit(X, np.where(X["w"] == "b", "hi", "lo"))
    u, w = additive_shape(forest, 0), additive_shape(forest, "w")
    assert u.edges.tolist() == [-1, 3] and u.values.tolist() == [[0.0]]
    assert w.levels == ("a", "b", "c", None) and len(np.unique(w.values)) == 2


def test_what_is_not_additive():
    options = {**STUMPS, "max_depth": 2}
    deep = BoostedForestClassifier(math.inf, classes=[0, 1], **options).fit(X, Y > 1)
    with pytest.raises(ValueError, match="test one column each, got trees that test several"):
        additive_shape(deep, "u")
    votes = RandomDecisionForestClassifier(domain=DOMAIN, classes=[0, 1], max_depth=1)
    with pytest.raises(ValueError, match="got no boosted trees"):
        additive_shape(votes.fit(X, Y > 1), "u")
    with pytest.raises(KeyError, match="column must be one of"):
        additive_shape(FITS["two"], "age")


def test_the_drawing_shows_the_shape():
    shape = additive_shape(FITS["two"], "u")
    ax = plotting.plot_shape(shape)
    (line,) = ax.patches
    np.testing.assert_array_equal(line.get_data().values, shape.values[:, 0])
    np.testing.assert_array_equal(line.get_data().edges, shape.edges)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("u", "added to log-odds of lo")
    bars = plotting.plot_shape(additive_shape(FITS["targets"], "w"))
    heights = [bar.get_height() for bar in bars.patches]
    np.testing.assert_allclose(heights, additive_shape(FITS["targets"], "w").values[:, 0])
    assert [t.get_text() for t in bars.get_xticklabels()] == ["a", "b", "c", "missing"]
    assert bars.get_ylabel() == "added to the mean"
    _, own = plt.subplots()
    drawn = plotting.plot_shape(additive_shape(FITS["three"], "u"), ax=own)
    texts = [text.get_text() for text in own.get_legend().get_texts()]
    assert drawn is own and texts == [f"log-weight of {k}" for k in range(3)]
    assert len(plotting.plot_shape(additive_shape(FITS["three"], "w")).get_lines()) == 3
    plt.close("all")
