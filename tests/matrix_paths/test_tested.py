"""Paths by their tested columns: records' paths and queries' rows, beside routing and dense arrays."""

import numpy as np
import pytest

from dplit import matrix
from dplit.matrix import tested
from dplit.matrix.paths import Paths
from tests.matrix_paths.test_workload import LEVELS, grown, records, whole


def of_sets(seed, n=30):
    """Boxes with any sets of levels, also of several and of none."""
    rng = np.random.default_rng(seed)
    return Paths(rng.random((n, sum(LEVELS))) < 0.6, np.array(LEVELS), np.zeros(n, dtype=int))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("many", [True, False], ids=["single", "sets"])
def test_the_paths_that_records_follow(seed, many):
    paths = matrix.decision_paths(grown(seed=seed), LEVELS) if many else of_sets(seed)
    found = np.zeros((20, len(paths)), dtype=int)
    np.add.at(found, tested.followed(paths, records(20)), 1)
    assert np.array_equal(found, paths.reached(records(20)))
    sets = [(paths.take(rows), columns) for columns, rows in tested.tested_sets(paths) if columns]
    assert many == all(tested.single_cells(*each) is not None for each in sets)


@pytest.mark.parametrize("seed", range(4))
def test_tested_sets_share_out_the_paths(seed):
    paths = of_sets(seed)
    for columns, rows in (found := tested.tested_sets(paths)):
        assert np.array_equal(np.flatnonzero(paths.tests[rows[0]]), columns)
        assert (paths.tests[rows] == paths.tests[rows[0]]).all()
    assert sorted(np.concatenate([rows for _, rows in found])) == list(range(len(paths)))
    assert len({columns for columns, _ in found}) == len(found)


@pytest.mark.parametrize("seed", range(4))
def test_rows_of_queries_are_the_distinct_rows_in_order(seed):
    trees_, Q = grown(seed=seed), np.vstack([records(30), records(9)])
    workload = matrix.Workload.of(trees_, Q, n_levels=LEVELS)
    reached = workload.paths.reached(Q).astype(int)
    boxes = [np.flatnonzero((workload.boxes.allowed == p).all(axis=1))[0] for p in workload.paths.allowed]
    dense = reached @ np.eye(len(workload.boxes), dtype=int)[boxes]
    rows, times = np.unique(dense, axis=0, return_counts=True)
    assert np.array_equal(workload.weights.toarray(), rows)
    assert np.array_equal(workload.multiplicity, times)
    assert np.array_equal(rows[workload.place], dense)


@pytest.mark.parametrize("n", [1, 3, 200], ids=["a few rows", "some", "many"])
def test_squared_norms_of_rows(n):
    """Through the boxes of each row, or through all boxes: those of the rows on all cells."""
    for trees_ in (grown(), grown(n_trees=40, seed=2)):
        workload = matrix.Workload.of(trees_, records(n), n_levels=LEVELS)
        W = whole(trees_, records(n))
        assert np.allclose(workload.norms()[workload.place], (W**2).sum(axis=1))
        most = int(np.diff(workload.weights.indptr).max())
        assert np.allclose(workload._norms_by_row(most), workload.norms())


def test_no_queries_are_no_rows():
    workload = matrix.Workload.of(grown(), np.zeros((0, 3), dtype=int), n_levels=LEVELS)
    assert len(workload) == 0 and not len(workload.place)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("many", [True, False], ids=["single", "sets"])
def test_squared_overlaps(seed, many):
    """Beside the overlaps of all pairs, which are cells in both rows of T."""
    paths = matrix.decision_paths(grown(seed=seed), LEVELS) if many else of_sets(seed)
    times = np.random.default_rng(seed).random(len(paths))
    T = paths.matrix().astype(float)
    exact = times @ (T @ T.T) ** 2 @ times / T.shape[1]
    assert tested.squared_overlaps(paths, times) == pytest.approx(exact)
