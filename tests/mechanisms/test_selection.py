"""What both selecting mechanisms promise: shapes, extreme scores, errors, samplers that keep the law."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chi2

from dplit.court.claims import interval
from dplit.mechanisms import Exponential, PermuteAndFlip, SmoothExponential

both = pytest.mark.parametrize("mechanism", [Exponential, PermuteAndFlip])
FALSE_ALARM = 1e-9  # of each statistical test below


@both
def test_leading_axes_are_a_loop_over_rows(mechanism):
    scores = np.random.default_rng(0).integers(-9, 9, (2, 3, 4))
    law, log_law = mechanism(1.3).pmf(scores), mechanism(1.3).logpmf(scores)
    assert law.shape == log_law.shape == (2, 3, 4)
    for index in np.ndindex(2, 3):
        np.testing.assert_allclose(law[index], mechanism(1.3).pmf(scores[index]), rtol=1e-14)
        np.testing.assert_allclose(np.exp(log_law[index]), law[index], rtol=1e-13)


@both
@pytest.mark.parametrize("shape", [(0, 3), (2, 0, 3)])
def test_empty_leading_axes(mechanism, shape):
    rng = np.random.default_rng(0)
    assert mechanism(1.0).pmf(np.zeros(shape)).shape == shape
    assert mechanism(1.0).logpmf(np.zeros(shape)).shape == shape
    assert mechanism(1.0).sample(np.zeros(shape), rng=rng).shape == shape[:-1]
    assert mechanism(1.0).sample(np.zeros(shape), 5, rng=rng).shape == (5, *shape[:-1])


@both
def test_a_single_candidate_is_certain(mechanism):
    assert mechanism(1.0).pmf([7]).tolist() == [1.0]
    assert mechanism(1.0).logpmf([7]).tolist() == [0.0]
    assert mechanism(1.0).sample([7], 3, rng=np.random.default_rng(0)).tolist() == [0, 0, 0]


@both
@pytest.mark.parametrize("size, shape", [(None, (2,)), (3, (3, 2)), ((3, 4), (3, 4, 2)), (0, (0, 2))])
def test_shapes_of_draws(mechanism, size, shape):
    draws = mechanism(1.0).sample(np.zeros((2, 5)), size, rng=np.random.default_rng(0))
    assert draws.shape == shape
    assert draws.dtype == np.int64
    one = mechanism(1.0).sample(np.zeros(5), rng=np.random.default_rng(0))
    assert isinstance(one, np.int64)


@both
def test_infinite_epsilon_shares_among_the_best(mechanism):
    law = mechanism(np.inf).pmf([[2, 5, 5], [1, 0, -3]])
    np.testing.assert_allclose(law, [[0, 0.5, 0.5], [1, 0, 0]], rtol=1e-15)
    assert mechanism(np.inf).logpmf([1, 0]).tolist() == [0.0, -np.inf]
    draws = mechanism(np.inf).sample([2, 5, 5], 1000, rng=np.random.default_rng(0))
    assert set(draws.tolist()) == {1, 2}


@both
@pytest.mark.parametrize("scores", [[1e300, -1e300], [1.7e308, -1.7e308], [10**15, 10**15 - 5000]])
def test_extreme_gaps_raise_no_warning(mechanism, scores):
    with np.errstate(all="raise", under="ignore"):
        assert mechanism(1.0).pmf(scores).tolist() == [1.0, 0.0]
        assert mechanism(1.0).logpmf(scores)[0] == 0.0
        assert mechanism(1.0).sample(scores, rng=np.random.default_rng(0)) == 0


@both
def test_scores_of_huge_magnitude_keep_their_gaps(mechanism):
    big = np.array([2**52, 2**52 - 1, 2**52 + 3])
    np.testing.assert_array_equal(mechanism(0.5).pmf(big), mechanism(0.5).pmf([0, -1, 3]))


@both
def test_what_rate_means(mechanism):
    assert mechanism(3.0, sensitivity=2.0).rate == 0.75
    assert mechanism(3.0, sensitivity=2.0, monotonic=True).rate == 1.5
    assert repr(mechanism(3)) == f"{mechanism.__name__}(epsilon=3, sensitivity=1, monotonic=False)"


@both
@pytest.mark.parametrize(
    "scores, words",
    [([0, np.nan], "nan"), ([0, np.inf], "inf"), (3.0, r"shape \(\)"), (np.zeros((2, 0)), r"\(2, 0\)")],
)
def test_bad_scores_are_named(mechanism, scores, words):
    for method in (mechanism(1.0).pmf, mechanism(1.0).logpmf):
        with pytest.raises(ValueError, match=rf"scores must .*{words}"):
            method(scores)


@both
def test_bad_parameters_are_named(mechanism):
    for bad in (0, -1, np.nan, True, "1", None):
        with pytest.raises(ValueError, match=f"epsilon must be a positive number, got {bad!r}"):
            mechanism(bad)
    with pytest.raises(ValueError, match=r"sensitivity must be .*, got inf"):
        mechanism(1.0, sensitivity=np.inf)
    with pytest.raises(TypeError, match=r"rng must be .*default_rng.*, got 7"):
        mechanism(1.0).sample([0, 1], rng=7)


@pytest.mark.parametrize("mechanism", [Exponential, PermuteAndFlip, SmoothExponential])
def test_a_seed_fixes_the_draws(mechanism):
    first, again, other = (
        mechanism(0.5).sample([3, 2, 2], 50, rng=np.random.default_rng(seed)) for seed in (1, 1, 2)
    )
    assert first.tolist() == again.tolist() != other.tolist()


@pytest.mark.parametrize("mechanism", [Exponential, PermuteAndFlip, SmoothExponential])
@pytest.mark.parametrize("k", [2, 5, 30])
def test_draws_follow_the_law(mechanism, k):
    """Chi-square with a false-alarm rate of 1e-9; every expected number is above 50."""
    scores = np.random.default_rng(k).integers(0, 4, k)
    draws = mechanism(0.8).sample(scores, 200_000, rng=np.random.default_rng(k))
    expected = 200_000 * mechanism(0.8).pmf(scores)
    assert expected.min() > 50
    distance = ((np.bincount(draws, minlength=k) - expected) ** 2 / expected).sum()
    assert distance < chi2.isf(FALSE_ALARM, k - 1)


@both
def test_draws_of_many_rows_follow_their_laws(mechanism):
    """Eight Clopper-Pearson intervals that together miss with probability 1e-9 at most."""
    rows = np.array([[0, 1], [4, 0], [2, 2], [0, 9]])
    draws = mechanism(0.6).sample(rows, 50_000, rng=np.random.default_rng(5))
    for row, column in zip(mechanism(0.6).pmf(rows), draws.T):
        for r in (0, 1):
            low, high = interval(int((column == r).sum()), 50_000, FALSE_ALARM / 8)
            assert low <= row[r] <= high


def test_smooth_exponential_is_the_published_formula():
    law = SmoothExponential(0.5).pmf([[5, 3, 1], [2, 2, 0], [4, 0, 0]])
    odds = np.exp(-0.25 * np.exp(0.5 * np.array([2, 0, 4])))
    np.testing.assert_allclose(law[0], np.array([1, odds[0], odds[0]]) / (1 + 2 * odds[0]), rtol=1e-14)
    np.testing.assert_allclose(law[1], np.array([1, 1, odds[1]]) / (2 + odds[1]), rtol=1e-14)
    np.testing.assert_allclose(law[2], np.array([1, odds[2], odds[2]]) / (1 + 2 * odds[2]), rtol=1e-14)
    assert SmoothExponential(0.5).pmf([3]).tolist() == [1.0]


def test_smooth_exponential_at_the_ends():
    with np.errstate(all="raise", under="ignore"):
        assert SmoothExponential(np.inf).pmf([[1, 1, 0], [2, 1, 0]]).tolist() == [[0.5, 0.5, 0], [1, 0, 0]]
        assert SmoothExponential(1.0).logpmf([10_000, 0]).tolist() == [0.0, -np.inf]
    with pytest.raises(ValueError, match="counts must be whole numbers"):
        SmoothExponential(1.0).pmf([1.5, 0])
    assert repr(SmoothExponential(1)) == "SmoothExponential(epsilon=1)"


@pytest.mark.parametrize("mechanism", [Exponential, PermuteAndFlip])
def test_what_is_no_score_and_no_size_is_named(mechanism):
    for scores in (["a", "b"], [[1], [1, 2]]):
        with pytest.raises(ValueError, match=r"scores must be numbers of shape .* got \["):
            mechanism(1.0).pmf(scores)
    for size in (-1, 1.5, (2, -1)):
        with pytest.raises(ValueError, match="size must be an integer of at least 0, got"):
            mechanism(1.0).sample([1, 2], size, rng=np.random.default_rng(0))
