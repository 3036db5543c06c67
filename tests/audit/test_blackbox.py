"""Lower bounds from draws: valid at their confidence, and sharp when draws are many."""

import math

import joblib
import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom
from sklearn.dummy import DummyClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import ExtraTreeClassifier

from dplit.court import audit
from dplit.court.audit.blackbox import lower_limit, upper_limit
from dplit.forests.randomness import generator
from dplit.mechanisms import Geometric, Laplace, SmoothExponential


class RandomizedResponse:
    """Tells a bit truly with probability e^epsilon / (1 + e^epsilon): loses epsilon exactly."""

    def __init__(self, epsilon):
        self.lie = 1 / (1 + math.exp(epsilon))

    def __call__(self, bit, rng):
        return bit ^ (rng.random() < self.lie)

    def draw_many(self, bit, size, rng):
        return bit ^ (rng.random(size) < self.lie)


class Many:
    """A mechanism's sampler, vectorised."""

    def __init__(self, mechanism):
        self.mechanism = mechanism

    def draw_many(self, data, size, rng):
        return self.mechanism.sample(np.full(size, data), rng=rng)


def bound(mechanism, data, neighbour, seed=0, **options):
    rng = np.random.default_rng(seed)
    return audit.epsilon_lower_bound(mechanism, data, neighbour, rng=rng, **options)


# --- validity


@pytest.mark.parametrize("draws", [1, 7, 200])
def test_limits_are_clopper_pearson(draws):
    """By their definition: at the limit, the observed count or a more extreme one has `error`."""
    k, error = np.arange(draws + 1), 1e-3
    low, high = lower_limit(k, draws, error), upper_limit(k, draws, error)
    assert low[0] == 0 and high[-1] == 1
    np.testing.assert_allclose(binom.sf(k[1:] - 1, draws, low[1:]), error, rtol=1e-8)
    np.testing.assert_allclose(binom.cdf(k[:-1], draws, high[:-1]), error, rtol=1e-8)


def test_the_bound_never_exceeds_the_truth():
    """200 runs at 99.9%: a valid bound fails this with probability P(Bin(200, 0.001) > 3) < 7e-5."""
    above = sum(
        bound(RandomizedResponse(0.5), 0, 1, seed, n_draws=400, confidence=0.999).epsilon > 0.5
        for seed in range(200)
    )
    assert binom.sf(3, 200, 1e-3) < 7e-5
    assert above <= 3


def test_coverage_is_as_stated_where_it_is_tight():
    """At 60% the bound must err in at most 40% of the runs; in fact by two intervals, near 16%.

    False alarm of either side, with an error of 0.4 and 300 runs: below 1e-6.
    """
    above = sum(
        bound(RandomizedResponse(0.5), 0, 1, seed, n_draws=200, confidence=0.6).epsilon > 0.5
        for seed in range(300)
    )
    assert 0 < above <= binom.isf(1e-6, 300, 0.4)


def test_many_outcomes_do_not_fool_it():
    """Two equal laws on 10,000 outcomes: some look much likelier on one side, by luck alone."""

    def uniform(data, rng):
        return int(rng.integers(10_000))

    for seed in range(20):  # false alarm: 20 * 1e-6
        found = bound(uniform, 0, 1, seed, n_draws=2000, confidence=1 - 1e-6)
        assert found.epsilon == 0


def test_only_fresh_draws_count():
    """The first halves pick the event, and would prove much; the second halves are equal."""
    found = audit.bound_from_draws([1] * 100 + [0] * 100, [0] * 200)
    assert 1 in found.event and 0 not in found.event and found.likelier == "data"
    assert found.counts == (0, 0) and found.epsilon == 0
    found = audit.bound_from_draws([1] * 100 + [1] * 90 + [0] * 10, [0] * 190 + [1] * 10)
    assert found.counts == (90, 10)


# --- power


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0])
def test_it_reaches_80_percent_of_randomized_response(epsilon):
    found = bound(RandomizedResponse(epsilon), 0, 1, n_draws=20_000)
    assert 0.8 * epsilon < found.epsilon <= epsilon


@pytest.mark.parametrize("mechanism", [Laplace(1.0), Geometric(1.0)])
def test_it_reaches_80_percent_on_the_line(mechanism):
    found = bound(Many(mechanism), 0, 1, n_draws=50_000)
    assert 0.8 < found.epsilon <= 1
    below = [x for x in (-3, -1, 0, 1, 2, 4) if x in found.event]
    assert below in ([-3, -1, 0], [1, 2, 4])  # the half-line on which the ratio is largest


def test_smooth_exponential_is_caught_by_its_draws():
    def draw(counts, rng):
        return SmoothExponential(1.0).sample(counts, rng=rng)

    found = bound(draw, [1, 0], [2, 0], n_draws=4000, confidence=1 - 1e-6)
    assert 1.0 < found.epsilon < 2.1314
    assert found.likelier == "data" and 1 in found.event and 0 not in found.event
    assert found.n_draws == 4000 and found.counts[0] > found.counts[1]


# --- draws


def test_the_same_draws_for_any_number_of_jobs():
    alone = bound(RandomizedResponse(1.0), 0, 1, n_draws=500)
    with joblib.parallel_config("threading"):
        assert bound(RandomizedResponse(1.0), 0, 1, n_draws=500, n_jobs=2) == alone


def test_outcomes_of_every_kind_are_the_same_bit():
    forms = [
        lambda b: bool(b),
        lambda b: "no" if b else "yes",
        lambda b: (b, "x"),
        lambda b: np.array([b, 0]),
        lambda b: math.nan if b else -1.0,
    ]
    found = {bound(RandomizedResponse(2.0), 0, 1, n_draws=2000, summary=form).counts for form in forms}
    assert len(found) == 1


def test_events_print_and_contain():
    on_a_line = audit.Event(frozenset({0, 1, 3}), (-1.0, 0.5, 2.0))
    assert str(on_a_line) == "x <= 0.5 or x > 2"
    assert [x in on_a_line for x in (-5, -1, 0.5, 0.6, 2, 2.1)] == [True] * 3 + [False] * 2 + [True]
    assert str(audit.Event(frozenset({"b", "a"}))) == "{'a', 'b'}"


@pytest.mark.parametrize(
    "options, message",
    [
        (dict(n_draws=3), "n_draws must be"),
        (dict(confidence=1), "confidence must be"),
        (dict(confidence=0.0), "confidence must be"),
    ],
)
def test_errors_name_what_is_wrong(options, message):
    with pytest.raises(ValueError, match=message):
        bound(RandomizedResponse(1.0), 0, 1, **options)


def test_an_output_must_be_comparable():
    with pytest.raises(TypeError, match="pass a summary"):
        bound(lambda data, rng: {data}, 0, 1, n_draws=4)
    with pytest.raises(TypeError, match="rng must be"):
        audit.epsilon_lower_bound(RandomizedResponse(1.0), 0, 1, rng=0)
    with pytest.raises(ValueError, match="as many outcomes"):
        audit.bound_from_draws([0, 1, 1, 0], [0, 1])


# --- estimators


X, Y = np.array([[0.1, 0.2], [0.8, 0.9]]), np.array(["a", "b"])


def test_append_and_replace_make_neighbours_and_leave_the_data_alone():
    more, labels = audit.append_record(X, Y, [0.5, 0.5], "long")
    assert more.tolist() == [*X.tolist(), [0.5, 0.5]] and labels.tolist() == ["a", "b", "long"]
    other, labels = audit.replace_record(X, Y, -1, [0.5, 0.5], "a")
    assert other.tolist() == [[0.1, 0.2], [0.5, 0.5]] and labels.tolist() == ["a", "a"]
    assert X[1].tolist() == [0.8, 0.9] and Y[1] == "b"


def test_data_frames_keep_their_types():
    frame = pd.DataFrame({"n": [1, 2], "c": pd.Categorical(["u", "v"], ["u", "v", "w"])})
    target = pd.Series(pd.Categorical(["a", "b"], ["a", "b", "c"]), name="y")
    more, labels = audit.append_record(frame, target, [3, "w"], "c")
    assert more.dtypes.equals(frame.dtypes) and labels.dtype == target.dtype
    assert more.iloc[-1].tolist() == [3, "w"] and labels.iloc[-1] == "c" and len(labels) == 3
    other, labels = audit.replace_record(frame, target, 0, [3, "w"], "c")
    assert other.iloc[0].tolist() == [3, "w"] and labels.tolist() == ["c", "b"]
    assert other.dtypes.equals(frame.dtypes) and frame.iloc[0].tolist() == [1, "u"]


def test_wrong_records_are_errors():
    with pytest.raises(ValueError, match="record must have 2 values"):
        audit.append_record(X, Y, [0.5], "a")
    with pytest.raises(ValueError, match="index must be"):
        audit.replace_record(X, Y, 2, [0.5, 0.5], "a")


def test_a_tree_that_is_not_private_is_caught():
    """A random tree that tells the class of every record: the loss has no finite bound."""
    data, neighbour = (X, Y), audit.replace_record(X, Y, 1, X[1], "a")
    for summary in (audit.forest_labels(X), audit.label_score(X[1:], "a")):
        found = audit.audit_estimator(
            ExtraTreeClassifier(), data, neighbour, summary=summary, n_draws=40, rng=np.random.default_rng(0)
        )
        assert found.epsilon > 0.5 and sorted(found.counts) == [0, 20]


def test_a_classifier_that_reads_no_record_is_not():
    """DummyClassifier draws its predictions by itself; inside a pipeline its seed is found."""
    estimator = make_pipeline(StandardScaler(), DummyClassifier(strategy="uniform"))
    data, neighbour = (X, Y), audit.append_record(X, Y, X[0], "b")
    found = audit.audit_estimator(
        estimator,
        data,
        neighbour,
        summary=audit.forest_labels(X[:1]),
        n_draws=200,
        confidence=1 - 1e-6,
        rng=np.random.default_rng(0),
    )
    assert found.epsilon == 0
    fits = [audit.FreshFit(estimator)(data, np.random.default_rng(seed)) for seed in range(20)]
    assert len({tuple(fit.predict(np.repeat(X, 5, axis=0))) for fit in fits}) > 10


def test_a_fixed_structure_spawns_the_same_streams_and_draws_others():
    fit = audit.FreshFit(ExtraTreeClassifier(), structure=3)
    rng = np.random.default_rng(0)
    a, b = (generator(fit._state(rng), True) for _ in range(2))
    assert a.spawn(1)[0].random() == b.spawn(1)[0].random()
    assert a.random() != b.random()


def test_an_estimator_without_randomness_is_an_error():
    with pytest.raises(ValueError, match="random_state"):
        audit.FreshFit(StandardScaler())
