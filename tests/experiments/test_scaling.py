"""Errors against cells, trees and queries: recomputed, and each by another method."""

import numpy as np
import pytest

from dplit import matrix
from dplit.court import experiments
from dplit.court.experiments.chapters import scaling
from dplit.domain import Categorical, Domain
from dplit.ground.work import stream
from dplit.trees import apply, grow_random_trees

STORED = experiments.stored_scaling()
PART = [("cells", 64), ("cells", 1024), ("trees", 8), ("queries", 4), ("queries", 64)]


def test_every_point_is_stored_with_a_time():
    assert {a: list(line) for a, line in STORED.items()} == {a: list(s) for a, s in scaling.AXES.items()}
    assert all(0 < p["seconds"] < 60 for line in STORED.values() for p in line.values())


@pytest.mark.parametrize(("axis", "size"), PART)
def test_a_part_comes_out_the_same(axis, size):
    now, stored = scaling.point(axis, size), STORED[axis][size]
    assert now["error"] == pytest.approx(stored["error"], rel=1e-6)
    assert now["selected"] == stored["selected"]


@pytest.mark.parametrize(("axis", "size"), [("cells", 64), ("trees", 4), ("queries", 8)])
def test_errors_by_dense_matrices(axis, size):
    """Of noise on each tree, on the distinct leaves and on the cells, by a pseudo-inverse and by routing."""
    n_levels, trees, depth, queries = scaling.AXES[axis][size]
    rng = stream(f"m-rf/scaling/{axis}/{size}", scaling.SEED)
    schema = Domain([Categorical(list(range(n))) for n in n_levels])
    grown = grow_random_trees(schema, trees, depth, rng=rng)
    T = np.zeros((grown.n_leaves, int(np.prod(n_levels))))
    every = np.array(list(np.ndindex(*n_levels)), dtype=float)
    leaves = apply(grown, every) + grown.leaf_starts[:-1]
    np.put_along_axis(T.T, leaves, 1.0, axis=1)
    asked, weights = T, np.eye(len(T))
    if queries:
        codes = np.column_stack([rng.integers(0, n, queries) for n in n_levels])
        weights = T.T[np.ravel_multi_index(codes.T, n_levels)]
        asked = weights @ T
    distinct = np.unique(T, axis=0)
    for name, A in (("merged", distinct), ("identity", np.eye(T.shape[1]))):
        X = asked if name == "identity" else asked @ np.linalg.pinv(A, rcond=1e-10)
        error = A.sum(axis=0).max() ** 2 * (X**2).sum() / len(asked)
        assert STORED[axis][size]["error"][name] == pytest.approx(error), name
    per_tree = trees**2 * (weights**2).sum() / len(asked)
    assert STORED[axis][size]["error"]["per-tree"] == pytest.approx(per_tree)


def test_the_selected_strategy_has_the_least_error():
    for line in STORED.values():
        for p in line.values():
            assert p["error"][p["selected"]] <= min(p["error"].values()) * (1 + 1e-9)


def test_noise_for_each_tree_and_on_the_cells_by_counting():
    for size, p in STORED["trees"].items():
        assert p["error"]["per-tree"] == pytest.approx(size**2)
    for size, p in STORED["cells"].items():  # a leaf of two tests has a sixteenth of the cells
        assert p["error"]["identity"] == pytest.approx(size / 16)
    votes = [p["error"]["per-tree"] for p in STORED["queries"].values()]
    assert np.allclose(votes, 64**3) and matrix.MEMBERS[0] == "per-tree"
