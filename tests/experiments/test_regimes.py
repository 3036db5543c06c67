"""Errors against trees and cells: recomputed, and each by another method."""

import itertools
import math

import numpy as np
import pytest

from dplit import matrix
from dplit.court import experiments
from dplit.court.experiments.chapters import regimes
from dplit.trees import apply

STORED = experiments.stored_regimes()
SMALL = [key for key in STORED if key[0] in ("Car", "Balance") and key[2] <= 8]


def test_every_regime_is_stored():
    wanted = [(d, h, t) for d in regimes.LEVELS for h in regimes.DEPTHS[d] for t in regimes.TREES]
    assert sorted(STORED) == sorted(wanted)


@pytest.mark.parametrize("key", [("Car", 4, 4), ("Balance", 2, 128), ("20 binary", 3, 16)], ids=str)
def test_a_part_comes_out_the_same(key):
    now, stored = regimes.regime(*key), STORED[key]
    for kind in set(stored) - {"bound"}:
        assert now[kind] == pytest.approx(stored[kind], rel=1e-9)
    assert now["bound"] == pytest.approx(stored["bound"], rel=1e-6) and set(now) == set(stored)


def test_noise_per_tree_and_on_cells_by_counting():
    """Of a leaf the squared number of trees, and its cells."""
    for (domain, depth, trees), cell in STORED.items():
        assert cell["leaf"]["per-tree"] == pytest.approx(trees**2)
        levels = np.array(regimes.LEVELS[domain], dtype=float)
        if len(set(levels)) == 1:
            assert cell["leaf"]["identity"] == pytest.approx(levels[0] ** (len(levels) - depth))


@pytest.mark.parametrize("key", [("Car", 2, 4), ("Balance", 1, 8), ("Balance", 2, 2)], ids=str)
def test_all_errors_by_dense_matrices(key):
    """Of leaves and of the votes of all cells, by the pseudo-inverse of each strategy."""
    grown, n_levels = regimes.forest(*key)
    T = matrix.decision_paths(grown, n_levels).matrix().astype(float)
    distinct = np.unique(T, axis=0)
    every = np.array(list(np.ndindex(*n_levels.tolist())), dtype=float)
    votes = np.zeros((len(every), len(T)))
    leaves = apply(grown, every) + grown.leaf_starts[:-1]
    np.put_along_axis(votes, leaves, 1.0, axis=1)
    for asked, kind in ((np.eye(len(T)), "leaf"), (votes, "vote")):
        for name, A in (("merged", distinct), ("identity", np.eye(T.shape[1]))):
            norm, X = abs(A).sum(axis=0).max(), asked @ T
            if name == "merged":
                X = X @ np.linalg.pinv(A, rcond=1e-10)
            error = norm**2 * (X**2).sum() / len(asked)
            assert STORED[key][kind][name] == pytest.approx(error), (kind, name)
        per_tree = key[2] ** 2 * (asked**2).sum() / len(asked)
        assert STORED[key][kind]["per-tree"] == pytest.approx(per_tree)


def test_the_bound_is_below_every_member():
    for cell in STORED.values():
        assert cell["bound"] <= min(cell["leaf"].values()) * (1 + 1e-9)


def test_the_bound_by_singular_values():
    for key in itertools.islice(SMALL, 0, None, 5):
        grown, n_levels = regimes.forest(*key)
        T = matrix.decision_paths(grown, n_levels).matrix().astype(float)
        nuclear = np.linalg.svd(T, compute_uv=False).sum()
        assert STORED[key]["bound"] == pytest.approx(nuclear**2 / T.shape[1] / len(T), rel=1e-6)


def test_what_is_least_for_leaves_need_not_be_for_votes():
    cell = STORED["Balance", 2, 128]
    assert min(cell["leaf"], key=cell["leaf"].get) == "identity"
    assert min(cell["vote"], key=cell["vote"].get) == "merged"
    assert math.isclose(cell["leaf"]["identity"], 25)
