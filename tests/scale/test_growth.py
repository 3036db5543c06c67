"""Laws and the stored run of the chapter on scale, against other ways to them."""

import itertools
import math

import numpy as np
import pytest

from dplit import scale
from dplit.scale import growth, order

STORED = scale.stored_growth()


def test_all_cuttings_are_there():
    """3! orders and 2^2 ways to cut each; every record is in one block."""
    found = list(scale.cuttings(3))
    assert len(set(found)) == len(found) == 24
    assert all(sorted(itertools.chain(*blocks)) == [0, 1, 2] for blocks in found)


def test_two_doubles_are_never_enough():
    """Addition of two doubles commutes: with two records all cuttings choose alike, as three do not."""
    rng = np.random.default_rng(0)
    tests = list(itertools.product([True, False], repeat=2))
    for residuals in rng.normal(size=(200, 2)).tolist():
        assert len({scale.best_test(residuals, tests, blocks) for blocks in scale.cuttings(2)}) == 1
    assert len({scale.best_test(scale.THREE, scale.TESTS, b) for b in scale.cuttings(3)}) == 2


@pytest.mark.parametrize("classes", [2, 3, 9, 40])
def test_the_residual_of_a_record_is_the_same_in_every_block(classes):
    """Vectorised exponentials and sums give an entry the same bits wherever it stands."""
    rng = np.random.default_rng(3)
    scores = rng.normal(scale=4, size=(300,) if classes == 2 else (300, classes))
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    for first, size in itertools.product(range(0, 40, 3), (1, 2, 3, 5, 8, 17, 60)):
        block = scores[first : first + size].copy()
        largest = scores.max() if classes == 2 else block.max(axis=-1, keepdims=True)
        alone = np.exp(block - largest)
        there = weights[first : first + size]
        assert (alone == there).all()
        if classes > 2:
            assert (alone.sum(axis=1) == weights.sum(axis=1)[first : first + size]).all()


def test_the_mass_of_a_test_by_hand():
    assert scale.mass([1, -4, 2], [True, True, False], [(0,), (1, 2)]) == 3 + 2
    assert order.best_test([1, -4, 2], [(True, True, False), (True, False, True)], [(0, 1, 2)]) == 1


def test_the_largest_sum():
    """A record adds at most two records' steps to a pair sum, S + r and S - r of at most 2 S."""
    n = scale.most_records()
    assert n * 2 * order.STEPS < 2**63 <= (n + 1) * 2 * order.STEPS


@pytest.mark.parametrize("epsilon", [0.01, 0.1, 1.0, 3.0])
def test_the_variance_of_the_noise_is_its_series(epsilon):
    alpha = math.exp(-epsilon)
    series = sum(2 * (1 - alpha) / (1 + alpha) * alpha**k * k**2 for k in range(20_000))
    assert scale.noise_variance(epsilon) == pytest.approx(series, rel=1e-9)


def test_no_noise_at_all():
    assert scale.noise_variance(math.inf) == 0 == scale.noise_variance(2000)
    assert scale.far_off(10, 0.3, 1.0, 1e-12) == pytest.approx(1) == scale.chebyshev(10, 0.3, 1.0, 1e-12)


@pytest.mark.parametrize(
    ("function", "wrong", "name"),
    [
        (scale.share_error, (-1, 0.3, 1), "n_records"),
        (scale.share_error, (10, 2, 1), "q"),
        (scale.share_error, (10, 0.3, 0), "epsilon"),
        (scale.noise_variance, (-1,), "epsilon"),
        (scale.enough_records, (0, 1), "q"),
        (scale.chebyshev, (10, 0.3, 1, 0), "t"),
        (scale.far_off, (-5, 0.3, 1, 0.1), "n_records"),
        (scale.record_bytes, (-3,), "columns"),
        (scale.sent_bytes, (10, -1), "depth"),
        (scale.level_bytes, (10, 17), "depth"),
        (scale.best_test, ([1, 2], [], [[0, 1]]), "tests"),
        (scale.mass, ([1, 2], [True], [[0, 1]]), "goes_right"),
        (scale.mass, ([1, 2], [True, True], [[0, 1], [1]]), "blocks"),
        (scale.random_blocks, (3, 0, np.random.default_rng(0)), "n_blocks"),
        (scale.same_release, (scale.CutForest(), scale.CutForest()), "one"),
        (scale.cuttings, (0,), "n"),
    ],
)
def test_what_is_out_of_range_is_named(function, wrong, name):
    with pytest.raises(ValueError, match=rf"^{name} must"):
        function(*wrong)


def test_random_blocks_hold_every_record_once():
    blocks = scale.random_blocks(100, 7, np.random.default_rng(0))
    assert len(blocks) == 7 and sorted(np.concatenate(blocks).tolist()) == list(range(100))


def test_another_release_is_seen():
    X, y = growth.block(0, 400)
    options = {"domain": growth.DOMAIN, "classes": [0, 1], "n_estimators": 2, "max_depth": 2}
    one, same, other = (scale.CutForest(1.0, random_state=seed, **options).fit(X, y) for seed in (1, 1, 2))
    assert scale.same_release(one, same) and not scale.same_release(one, other)


# The stored run ------------------------------------------------------------------------------------


@pytest.mark.parametrize("point", [p for p in growth.points() if p[1] <= 10**4])
def test_a_point_comes_out_again(point):
    pytest.importorskip("dask")
    found, stored = growth.run_point(*point), STORED[point]
    assert {k: v for k, v in found.items() if k in ("error", "start")} == {
        k: v for k, v in stored.items() if k in ("error", "start")
    }


def test_blocks_cost_what_records_do_not():
    """Twenty thousand records in blocks of ten take longer than a thousand, and these longer than in one block."""
    few, many = (STORED["blocks", growth.SMALL * k, 1.0]["seconds"] for k in growth.MANY)
    assert many > few > STORED["boosted", 10**4, 1.0]["seconds"]


def test_shares_of_the_cells_by_counting():
    X, y = growth.block(3, 200_000)
    first = (growth.BINS * X[:, 0]).astype(int)
    shares = scale.class_shares().reshape((growth.BINS,) * growth.COLUMNS)
    assert (shares == shares[:, :1, :1]).all()
    for i in range(growth.BINS):
        assert y[first == i].mean() == pytest.approx(shares[i, 0, 0], abs=0.02)


def test_stored_errors_follow_the_law():
    """512 cells: the root of their mean square is within a sixth of its expectation."""
    q = scale.class_shares() / growth.CELLS
    for (kind, n, epsilon), found in STORED.items():
        if kind == "counts":
            law = np.sqrt(np.mean(scale.share_error(n, q, epsilon) ** 2)) * growth.CELLS
            assert found["error"] == pytest.approx(law, rel=1 / 6)
