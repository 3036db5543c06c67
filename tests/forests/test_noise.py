"""The noise of a fit: which kind it is, who says so, and that both kinds are one law."""

import io
import itertools
import json
import math
import zipfile

import numpy as np
import pytest
from scipy.stats import chi2_contingency, chisquare, kstest, laplace

import dplit
from dplit import Categorical, Continuous, Domain, baselines, forests
from dplit.forests import (
    BoostedForestClassifier,
    BoostedForestRegressor,
    HistogramForestClassifier,
    MedianForestClassifier,
    MedianForestRegressor,
    MultinomialForestClassifier,
    RandomDecisionForestClassifier,
)
from dplit.forests import noise as noise_of_fits
from dplit.mechanisms import Geometric, PermuteAndFlip
from dplit.mechanisms.secure import SecureGenerator, secure_generator
from tests.forests.kinds import PRIVATE, target
from tests.forests.kinds import each_private as each

FALSE_ALARM = 1e-6  # of each statistical check; a power is known of the releases in `tests/power`
INEXACT = [
    (MedianForestClassifier, {"accounting": "published"}),
    (MedianForestRegressor, {"accounting": "published", "median": "rank"}),
    (baselines.DPRandomForestClassifier, {"accounting": "published"}),
    (baselines.RGVClassifier, {"accounting": "published", "n_estimators": 2}),
    (MultinomialForestClassifier, {"accounting": "published"}),
    (RandomDecisionForestClassifier, {"label": "smooth-exponential"}),
]
X = np.random.default_rng(0).random((40, 2))
Y = (X[:, 0] > 0.5).astype(int)
slow_to_leak = pytest.mark.filterwarnings("ignore::dplit.PrivacyLeakWarning")


def estimator(kind, **options):
    if kind is forests.MatrixForestClassifier:  # a search for the best strategy takes seconds
        options = {"strategy": "identity", **options}
    schema = {"domain": Domain([Continuous(0, 1)] * 2), **target(kind)}
    return kind(1.0, **{**schema, "max_depth": 2, **options})


def is_exact(kind):
    """Whether all that a fit with default parameters releases has an exact sampler."""
    return estimator(kind)._inexact() is None


def printed(forest):
    """The forest's budget as it prints, its folded lines joined."""
    return " ".join(str(forest.budget_).split())


# Which kind ------------------------------------------------------------------------------------


def test_every_private_estimator_is_exact():
    assert len(PRIVATE) > 15 and all(map(is_exact, PRIVATE))


@each
def test_without_a_seed_noise_is_secure_and_with_one_it_is_simulated(kind):
    forest = estimator(kind).fit(X, Y)
    assert forest.noise_ == "secure" and "secure: exact noise" in printed(forest)
    assert "has no exact sampler: take" not in printed(forest)
    for state in (3, np.random.default_rng(0), np.random.SeedSequence(0)):
        forest = estimator(kind, random_state=state).fit(X, Y)
        assert forest.noise_ == "simulation" and "secure" not in printed(forest)
        assert "has no exact sampler" not in printed(forest)


@each
def test_what_is_asked_for_is_drawn_or_an_error(kind):
    simulated = estimator(kind, noise="simulation").fit(X, Y)
    assert simulated.noise_ == "simulation" and "has no exact" not in printed(simulated)
    assert estimator(kind, noise="secure").fit(X, Y).noise_ == "secure"


@slow_to_leak
@pytest.mark.parametrize(("kind", "options"), INEXACT)
def test_a_choice_without_an_exact_sampler_is_named_with_what_would_be_right(kind, options):
    asked = estimator(kind, noise="secure", **options)
    with pytest.raises(ValueError, match=r"noise='secure' needs an exact sampler, .* take "):
        asked.fit(X, Y)
    assert not hasattr(asked, "budget_")
    fallen_back = estimator(kind, **options).fit(X, Y)
    assert fallen_back.noise_ == "simulation"
    assert "(simulated: " in printed(fallen_back) and "take " in printed(fallen_back)


@each
def test_secure_noise_with_a_random_state_is_an_error_that_tells_no_seed(kind):
    with pytest.raises(ValueError, match="noise='secure' must have random_state=None") as caught:
        estimator(kind, noise="secure", random_state=90210).fit(X, Y)
    assert "90210" not in str(caught.value)
    with pytest.raises(ValueError, match="noise must be one of 'secure', 'simulation', got 'best'"):
        estimator(kind, noise="best").fit(X, Y)


def test_the_file_and_the_card_tell_the_kind(tmp_path):
    for noise, words in (("secure", "Its noise is exact"), ("simulation", "Its noise is simulated")):
        path = tmp_path / f"{noise}.forest"
        estimator(RandomDecisionForestClassifier, noise=noise).fit(X, Y).save(path)
        with zipfile.ZipFile(io.BytesIO(path.read_bytes())) as archive:
            header = json.loads(archive.read("header.json"))
            assert words in archive.read("card.md").decode()
        assert header["fitted"]["noise_"] == header["parameters"]["noise"] == noise
        assert dplit.load(path).noise_ == noise


# Where it comes from ---------------------------------------------------------------------------


class WholeNumbersAlone(SecureGenerator):
    """A secure generator that refuses uniform floats, too."""

    def random(self, *arguments, **options):
        raise AssertionError("a float decides")


@pytest.mark.parametrize(
    ("kind", "options"),
    [(RandomDecisionForestClassifier, {}), (HistogramForestClassifier, {}),
     (BoostedForestClassifier, {}), (BoostedForestClassifier, {"delta": 1e-6}),
     (BoostedForestRegressor, {}), (MedianForestClassifier, {}), (MedianForestRegressor, {}),
     (dplit.PrivateForestClassifier, {"delta": 1e-6}), (dplit.PrivateForestClassifier, {}),
     (MultinomialForestClassifier, {"scores": "normalised", "partition_rate": None}),
     (baselines.DPRandomForestClassifier, {}), (baselines.DPRandomForestRegressor, {}),
     (baselines.FSClassifier, {"operator": "information-gain"}), (baselines.RGVClassifier, {})],
)  # fmt: skip
def test_a_secure_fit_asks_no_other_generator_and_no_float_of_it(kind, options, monkeypatch):
    def other(*_):
        raise AssertionError("another generator")

    monkeypatch.setattr(noise_of_fits, "generator", other)
    monkeypatch.setattr(
        noise_of_fits, "secure_generator", lambda: WholeNumbersAlone(secure_generator().bit_generator)
    )
    forest = estimator(kind, **options).fit(X, Y)
    assert forest.noise_ == "secure" and forest.budget_.epsilon == pytest.approx(1.0)


def test_a_mutant_with_float_noise_is_refused(monkeypatch):
    def floats(counts, epsilon, rng):
        return counts + rng.laplace(scale=1 / epsilon, size=counts.shape), None

    monkeypatch.setitem(forests.histogram.NOISES, "geometric", floats)
    with pytest.raises(ValueError, match="laplace has none"):
        estimator(HistogramForestClassifier).fit(X, Y)


# Both kinds are one law ------------------------------------------------------------------------


def alike(one, other):
    """p-value of two samples of outcomes coming from one law."""
    seen = sorted({*one, *other})
    table = np.array([[list(sample).count(o) for o in seen] for sample in (one, other)])
    rare = table.sum(axis=0) < 10
    table = np.column_stack([table[:, ~rare], table[:, rare].sum(axis=1)])
    table = table[:, table.sum(axis=0) > 0]
    return chi2_contingency(table).pvalue if table.shape[1] > 1 else 1.0


def samples(times, released, kind, data, **options):
    """What so many fits of each kind of noise release."""
    return [
        [released(kind(noise=noise, **options).fit(*data)) for _ in range(times)]
        for noise in ("secure", "simulation")
    ]


LEVELS = Domain([Categorical(["a", "b"])])
COLUMN = np.array([["a"]] * 5 + [["b"]] * 4, dtype=object)
CLASSES = np.array([0, 0, 0, 1, 1, 1, 1, 2, 1])
COUNTS = np.array([[3, 2, 0], [0, 3, 1]])
LEAF = {"domain": LEVELS, "classes": [0, 1, 2]}


def test_labels_of_random_trees_have_the_law_of_permute_and_flip():
    options = {"epsilon": 0.8, "n_estimators": 1, "max_depth": 1, **LEAF}
    drawn = samples(400, lambda f: tuple(f.leaf_labels_.tolist()),
                    RandomDecisionForestClassifier, (COLUMN, CLASSES), **options)  # fmt: skip
    law = PermuteAndFlip(0.8, monotonic=True).pmf(COUNTS)
    pairs = list(itertools.product(range(3), repeat=2))
    for sample in drawn:
        expected = [law[0, a] * law[1, b] * len(sample) for a, b in pairs]
        assert chisquare([sample.count(pair) for pair in pairs], expected).pvalue > FALSE_ALARM


def test_laplace_noise_of_a_histogram_is_one_law_and_lies_on_a_grid():
    options = {"epsilon": 0.8, "learner": forests_learner(), "mechanism": "laplace", **LEAF}
    noise = [np.concatenate(sample) for sample in samples(
        200, lambda f: (f.cell_counts_ - COUNTS).ravel(), HistogramForestClassifier, (COLUMN, CLASSES),
        **options)]  # fmt: skip
    assert (noise[0] * 2**30 % 1 == 0).all() and (noise[0] % 1 != 0).mean() > 0.99
    for sample in noise:
        assert kstest(sample, laplace(scale=1 / 0.8).cdf).pvalue > FALSE_ALARM


def test_cells_of_a_histogram_have_the_law_of_the_noise():
    options = {"epsilon": 0.8, "learner": forests_learner(), **LEAF}
    drawn = samples(200, lambda f: (f.cell_counts_ - COUNTS).ravel(),
                    HistogramForestClassifier, (COLUMN, CLASSES), **options)  # fmt: skip
    law, inside = Geometric(0.8), np.arange(-5, 6)
    pieces = [law.cdf(-6), *law.pmf(inside), law.sf(5)]
    for sample in drawn:
        noise = np.clip(np.concatenate(sample), -6, 6).astype(int)
        counts = np.bincount(noise + 6, minlength=13)
        assert chisquare(counts, len(noise) * np.array(pieces)).pvalue > FALSE_ALARM


def forests_learner():
    """A learner that takes no time."""
    from sklearn.dummy import DummyClassifier

    return DummyClassifier()


@pytest.mark.parametrize("n_classes", [2, 3])
def test_boosted_classes_are_released_by_one_law(n_classes):
    data, classes = X[:30], np.arange(30) % n_classes * (X[:30, 0] > 0.3)
    options = {"epsilon": 2.0, "domain": Domain([Continuous(0, 1)] * 2), "n_records": 30,
               "classes": list(range(n_classes)), "n_estimators": 2, "max_depth": 1}  # fmt: skip
    drawn = samples(180, lambda f: f, BoostedForestClassifier, (data, classes), **options)
    columns = [[tuple(f.trees_.feature[:2].tolist()) for f in sample] for sample in drawn]
    assert alike(*columns) > FALSE_ALARM
    for released in (lambda f: f.initial_[0], lambda f: f.pair_sums_[-1].ravel()[0],
                     lambda f: f.leaf_values_.ravel()[-1], lambda f: f.trees_.threshold[1]):  # fmt: skip
        assert alike(*binned(drawn, released)) > FALSE_ALARM


def test_boosted_targets_are_released_by_one_law():
    options = {"epsilon": 2.0, "domain": Domain([Continuous(0, 1)] * 2), "n_records": 30,
               "target_bounds": (0, 1), "n_estimators": 2}  # fmt: skip
    drawn = samples(180, lambda f: f, BoostedForestRegressor, (X[:30], X[:30, 0]), **options)
    assert all(f.directions_ for sample in drawn for f in sample)
    columns = [[tuple(f.trees_.feature[:2].tolist()) for f in sample] for sample in drawn]
    assert alike(*columns) > FALSE_ALARM
    for released in (lambda f: f.initial_[0], lambda f: f.pair_sums_[-1].ravel()[0],
                     lambda f: f.leaf_values_[-1], lambda f: f.trees_.threshold[0]):  # fmt: skip
        assert alike(*binned(drawn, released)) > FALSE_ALARM


@pytest.mark.parametrize("scores", ["counts", "normalised"])
@pytest.mark.parametrize("feature", [Continuous(0, 1), Categorical([0, 1, 2])], ids=["cuts", "sets"])
def test_cuts_and_labels_of_multinomial_trees_are_drawn_by_one_law(feature, scores):
    column = (np.arange(30) % 3 / (2 if feature == Continuous(0, 1) else 1))[:, None]
    # At an epsilon of 2 one in three hundred samples of sets had three of the six splits alone.
    options = {"epsilon": 1.0, "domain": Domain([feature]), "classes": [0, 1], "n_estimators": 1,
               "max_depth": 1, "partition_rate": None, "scores": scores}  # fmt: skip
    drawn = samples(300, lambda f: f, MultinomialForestClassifier, (column, np.arange(30) % 3 == 2), **options)
    labels = [[tuple(f.leaf_labels_.tolist()) for f in sample] for sample in drawn]
    assert alike(*labels) > FALSE_ALARM
    if feature == Continuous(0, 1):
        assert alike(*binned(drawn, lambda f: f.trees_.threshold[0])) > FALSE_ALARM
    else:
        sides = [[tuple(f.trees_.steps.tolist()) for f in sample] for sample in drawn]
        assert len(set(sides[0])) >= 4 and alike(*sides) > FALSE_ALARM


def test_the_number_that_a_preset_buys_is_drawn_by_one_law():
    options = {"epsilon": 5.0, "n_estimators": 1, "max_depth": 0, **LEAF}
    drawn = samples(200, lambda f: f.forest_, dplit.PrivateForestClassifier, (COLUMN, CLASSES), **options)
    assert alike(*binned(drawn, lambda f: f.n_records)) > FALSE_ALARM
    assert [{f.noise_ for f in sample} for sample in drawn] == [{"secure"}, {"simulation"}]


def binned(drawn, released):
    """Both samples of a number, by tenths of all of them."""
    values = [np.array([float(released(f)) for f in sample]) for sample in drawn]
    edges = np.unique(np.quantile(np.concatenate(values), np.linspace(0.1, 0.9, 9)))
    return [np.searchsorted(edges, v).tolist() for v in values]


def test_the_comparison_of_samples_notices_another_law():
    rng = np.random.default_rng(0)
    one, other = rng.integers(0, 4, 250).tolist(), rng.binomial(3, 0.5, 250).tolist()
    assert alike(one, other) < FALSE_ALARM < alike(one, rng.integers(0, 4, 250).tolist())


def test_no_noise_is_no_noise():
    forest = HistogramForestClassifier(math.inf, learner=forests_learner(), **LEAF)
    np.testing.assert_array_equal(forest.fit(COLUMN, CLASSES).cell_counts_, COUNTS)


def test_without_noise_the_best_cut_is_taken():
    """Not one in two to the twenty, as a weight that is never 0 would have it."""
    from dplit.trees.exact_rules import exact_rule
    from dplit.trees.rules import EXPONENTIAL, NO_NOISE, Rule

    rule = Rule(1, 1, 0.0, NO_NOISE, EXPONENTIAL, joint=True, by_rank=False)
    assert exact_rule(rule) is rule
    column, classes = np.arange(30)[:, None] / 29, np.arange(30) > 12
    options = {"domain": Domain([Continuous(0, 1)]), "classes": [0, 1], "n_estimators": 1, "max_depth": 1}
    forest = MultinomialForestClassifier(math.inf, partition_rate=None, noise="secure", **options)
    cut = forest.fit(column, classes).trees_.threshold[0]
    assert 12 / 29 < cut < 13 / 29
