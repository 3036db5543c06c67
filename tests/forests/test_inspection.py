"""What a scikit-learn user reaches for: importances, weights, columns of a node, probabilities, pictures."""

from __future__ import annotations

import copy
import inspect
import io
import itertools
import math

import joblib
import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.inspection import partial_dependence
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.utils.validation import has_fit_parameter

from dplit import Categorical, Continuous, Domain, baselines, forests, plotting
from dplit.forests.export import export_text
from dplit.forests.parameter_checks import n_candidates, usual_depth
from tests.forests.kinds import KINDS, PLAIN, each, regresses, target

mpl.use("agg")
DOMAIN = Domain(
    {
        "age": Continuous(0, 100),
        "job": Categorical(["cook", "smith", "tailor"]),
        "member": Categorical([False, True]),
        "idle": Continuous(0, 1),
    }
)
rng = np.random.default_rng(4)
FRAME = pd.DataFrame(
    {
        "age": rng.integers(0, 100, 300),
        "job": rng.choice(["cook", "smith", "tailor"], 300),
        "member": rng.random(300) > 0.5,
        "idle": rng.random(300),
    }
)
RICH = (FRAME["age"] > 60) | FRAME["member"]
CANDIDATES = [kind for kind in KINDS if "max_features" in kind().get_params()]
RULED = [kind for kind in KINDS if "max_depth" in kind().get_params()]
RULED.remove(forests.MatrixForestClassifier)


def made(kind, **options):
    if kind not in PLAIN:
        options = {"epsilon": 50.0, "max_depth": 3, **options}
    schema = {"domain": DOMAIN, **target(kind, ("poor", "rich"))}
    return kind(**{**schema, "n_estimators": 3, "random_state": 0, **options})


def targets(kind):
    return RICH.astype(float) if regresses(kind) else np.where(RICH, "rich", "poor")


@pytest.fixture(scope="module")
def fits():
    """One fit of each kind."""
    return {kind: made(kind).fit(FRAME, targets(kind)) for kind in KINDS}


def test_log_probabilities_are_those_of_the_probabilities(fits):
    for kind, fitted in fits.items():
        if hasattr(kind, "predict_log_proba"):
            found, shares = fitted.predict_log_proba(FRAME), fitted.predict_proba(FRAME)
            assert np.allclose(np.exp(found), shares) and np.isneginf(found[shares == 0]).all(), kind


NO_PATHS = baselines.ComparisonForestClassifier, forests.HistogramForestClassifier


@each
def test_decision_paths_are_those_of_the_drawn_trees(kind, fits):
    """Walked by hand through what `export_text` reads: the tests of each node, one after the other."""
    forest = fits[kind]
    if kind in NO_PATHS:
        with pytest.raises(AttributeError, match="needs nodes that test one column"):
            forest.decision_path(FRAME)
        return
    found, trees = forest.decision_path(FRAME[:40]).toarray(), forest.trees_
    assert set(np.unique(found)) <= {0, 1} and found.shape == (40, len(trees.feature))
    inner = getattr(forest, "forest_", forest)
    records, leaves = inner._read(FRAME[:40]), forest.apply(FRAME[:40])
    for i, t in itertools.product(range(40), range(trees.n_trees)):
        node, walked = int(trees.roots[t]), []
        while trees.feature[node] >= 0:
            walked.append(node)
            value, cut = records[i, trees.feature[node]], trees.threshold[node]
            step = trees.steps[trees.side[node] + int(value)] if math.isnan(cut) else value > cut
            node = int(trees.child[node]) + int(step)
        assert trees.child[node] - trees.leaf_starts[t] == leaves[i, t]
        assert found[i, [*walked, node]].all()
        found[i, [*walked, node]] = 0
    assert not found.any()


@each
def test_importances_see_what_decides(kind, fits):
    assert not hasattr(made(kind), "feature_importances_")
    if kind is baselines.ComparisonForestClassifier:
        with pytest.raises(AttributeError, match="needs nodes that test one column"):
            fits[kind].feature_importances_  # noqa: B018
        return
    found = fits[kind].feature_importances_
    assert found.shape == (4,) and found.sum() == pytest.approx(1) and (found >= 0).all()
    assert found[0] + found[2] > 0.7  # age and member, not the job nor what is idle


def test_importances_of_votes_alone_are_none():
    kind = forests.MatrixForestClassifier
    forest = made(kind, release="prediction", queries=FRAME[:5]).fit(FRAME, targets(kind))
    assert not hasattr(forest, "feature_importances_")
    with pytest.raises(AttributeError, match="released votes alone"):
        forest.feature_importances_  # noqa: B018


@each
def test_weights_are_refused_with_the_reason(kind):
    assert not has_fit_parameter(kind(), "sample_weight")
    assert list(inspect.signature(kind.fit).parameters) == ["self", "X", "y"]
    forest = made(kind)
    with pytest.raises(TypeError, match=r"^fit takes no sample_weight: epsilon is proved for"):
        forest.fit(FRAME, targets(kind), sample_weight=np.ones(300))
    with pytest.raises(TypeError, match=r"^fit takes no sample_weight"):
        forest.fit(FRAME, targets(kind), np.ones(300))
    with pytest.raises(NotFittedError):
        forest.predict(FRAME)


# Columns of a node, and depth --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "count"),
    [(None, 10), (3, 3), (99, 10), (10**30, 10), (0.35, 3), (1.0, 10), (0.01, 1), ("sqrt", 3),
     ("log2", 3), (np.int8(4), 4), (np.float32(0.5), 5)],
)  # fmt: skip
def test_columns_of_a_node(said, count):
    assert n_candidates(said, 10) == count


@pytest.mark.parametrize("kind", CANDIDATES, ids=lambda kind: kind.__name__)
def test_columns_of_a_node_are_said_as_in_scikit_learn(kind):
    y = targets(kind)
    for said, number in (("sqrt", 2), (0.75, 3), (1.0, 4)):
        one, other = (made(kind, max_features=m).fit(FRAME, y) for m in (said, number))
        np.testing.assert_array_equal(one.predict(FRAME), other.predict(FRAME))
        np.testing.assert_array_equal(one.trees_.feature, other.trees_.feature)


@pytest.mark.parametrize("trees", [1, 10, 40])
@pytest.mark.parametrize("n", [1, 26, 1000, 100_000])
def test_the_usual_depth_leaves_25_records_in_a_leaf(n, trees):
    depth = usual_depth(n, trees)
    assert depth == 12 or n / trees / 2 ** (depth + 1) < 25
    assert depth == 0 or n / trees / 2**depth >= 25
    assert usual_depth(25 * 3**4, 1, 3.0) == 4


@pytest.mark.parametrize("kind", RULED, ids=lambda kind: kind.__name__)
def test_depth_may_be_left_to_a_rule(kind):
    forest = made(kind, max_depth=None, epsilon=1.0).fit(FRAME, targets(kind))
    assert 0 < forest.budget_.epsilon <= 1.0


@pytest.mark.parametrize("kind", [forests.MedianForestClassifier, forests.MedianForestRegressor])
def test_a_median_forests_rule_reads_a_public_number_alone(kind):
    few = made(kind, max_depth=None, n_records=300)
    assert few.fit(FRAME, targets(kind)).max_depth_ == 2  # 300 / 3 / 2^2 = 25
    guess = made(kind, max_depth=None)
    for n in (10, 300):
        assert guess.fit(FRAME[:n], targets(kind)[:n]).max_depth_ == usual_depth(10_000, 3) == 7
    whole = made(kind, max_depth=None, n_records=300, partitioned=False, epsilon=math.inf)
    assert whole.fit(FRAME, targets(kind)).max_depth_ == 3  # each tree has all 300


# Probabilities -----------------------------------------------------------------------------------


def test_released_shares_stand_beside_the_votes_that_a_prediction_counts(fits):
    """As scikit-learn asks, the likeliest class is the one that is predicted; the shares are for who ranks."""
    forest = fits[baselines.DPDecisionForestClassifier]
    assert forest.leaf_shares_.sum(axis=1) == pytest.approx(1)
    leaves = forest.apply(FRAME) + forest.trees_.leaf_starts[:-1]
    votes = np.eye(2)[forest.leaf_labels_[leaves]].mean(axis=1)
    np.testing.assert_allclose(forest.predict_proba(FRAME), votes, atol=1e-12)
    np.testing.assert_array_equal(forest.classes_[votes.argmax(axis=1)], forest.predict(FRAME))
    reached = np.unique(leaves)
    best = forest.leaf_shares_[reached].argmax(axis=1)
    sure = forest.leaf_shares_[reached].max(axis=1) > 0.5
    np.testing.assert_array_equal(best[sure], forest.leaf_labels_[reached][sure])


def test_classes_in_another_order_have_the_same_shares():
    kind = baselines.DPDecisionForestClassifier
    one = made(kind, epsilon=math.inf).fit(FRAME, targets(kind)).predict_proba(FRAME)
    other = made(kind, epsilon=math.inf, classes=["rich", "poor"]).fit(FRAME, targets(kind))
    np.testing.assert_allclose(other.predict_proba(FRAME).mean(axis=0), one.mean(axis=0), atol=0.2)
    assert other.classes_.tolist() == ["poor", "rich"]


def test_a_threshold_of_ones_own_is_one_fit(fits):
    kind = forests.RandomDecisionForestClassifier
    y, rare = targets(kind), "rich"
    model = FixedThresholdClassifier(made(kind), threshold=0.3, pos_label=rare).fit(FRAME, y)
    assert model.estimator_.budget_.epsilon <= 50.0
    shares = fits[kind].predict_proba(FRAME)[:, 1]
    np.testing.assert_array_equal(model.predict(FRAME) == rare, shares >= 0.3)


def test_partial_dependence_of_whole_numbers_needs_a_cast(fits):
    forest = fits[forests.RandomDecisionForestClassifier]
    options = {"features": ["age"], "grid_resolution": 5, "response_method": "predict_proba"}
    found = partial_dependence(forest, FRAME.astype({"age": float}), **options)["average"][0]
    assert found.shape == (5,) and found[-1] > found[0]


@pytest.mark.parametrize("there", [True, False])
def test_partial_dependence_shows_the_records_that_it_is_given(there, fits):
    """So the guide gives it a public table."""
    forest = fits[forests.RandomDecisionForestClassifier]
    table = FRAME.assign(age=np.resize([20.0, 30.0, 40.0], len(FRAME)))
    table.loc[0, "age"] = 71.0 if there else 20.0
    options = {"features": ["age"], "response_method": "predict_proba"}
    assert (71.0 in partial_dependence(forest, table, **options)["grid_values"][0]) == there


# Copies and pictures -----------------------------------------------------------------------------


@each
def test_copies_keep_what_a_clone_keeps_and_what_was_released(kind, fits):
    forest = fits[kind]
    copied, again = copy.deepcopy(forest), clone(forest)
    assert copied.get_params() == again.get_params() == forest.get_params()
    assert copied.get_params()["random_state"] == 0
    np.testing.assert_array_equal(copied.predict(FRAME), forest.predict(FRAME))
    np.testing.assert_array_equal(copied.fit(FRAME, targets(kind)).predict(FRAME), forest.predict(FRAME))


@each
def test_a_forest_with_a_boolean_column_comes_back_from_joblib(kind, fits):
    file = io.BytesIO()
    joblib.dump(fits[kind], file)
    loaded = joblib.load(io.BytesIO(file.getvalue()))
    np.testing.assert_array_equal(loaded.predict(FRAME), fits[kind].predict(FRAME))
    assert loaded.random_state is None and str(loaded.budget_) == str(fits[kind].budget_)


def test_a_forest_with_a_boolean_column_comes_back_from_skops(fits):
    skops = pytest.importorskip("skops.io", reason="skops is not of the tests' packages")
    forest = fits[forests.RandomDecisionForestClassifier]
    stored = skops.dumps(forest)
    loaded = skops.loads(stored, trusted=skops.get_untrusted_types(data=stored))
    np.testing.assert_array_equal(loaded.predict(FRAME), forest.predict(FRAME))


@pytest.mark.parametrize(
    "kind",
    [forests.MedianForestClassifier, forests.RandomDecisionForestClassifier,
     forests.MedianForestRegressor, baselines.JPWClassifier],
    ids=lambda kind: kind.__name__,
)  # fmt: skip
def test_a_picture_has_the_words_of_the_text(kind, fits):
    text = export_text(fits[kind], 1, decimals=2, max_depth=2)
    conditions = [line.replace("|   ", "").removeprefix("|-- ") for line in text.splitlines()]
    with mpl.rc_context():
        ax = plotting.plot_tree(fits[kind], 1, max_depth=2)
        words = [t.get_text() for t in ax.texts]
        drawn = [part for w in words if w != "tree 1" for part in w.split(": ", 1)]
        assert sorted(drawn) == sorted(conditions) and "tree 1" in words
        (given,) = [plt.figure().add_subplot()]
        assert plotting.plot_tree(fits[kind], ax=given) is given
        plt.close("all")


def test_a_picture_of_what_has_no_tree():
    with pytest.raises(NotFittedError):
        plotting.plot_tree(made(forests.MedianForestClassifier))
