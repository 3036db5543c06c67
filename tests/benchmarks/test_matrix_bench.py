"""From a schema to a strategy: Car's forest of 128 trees, and a domain that no memory holds."""

import tracemalloc

import numpy as np
import pytest

from dplit import Categorical, Domain, matrix, trees

CAR, WIDE = (4, 4, 4, 3, 3, 3), (2,) * 100


def strategy(levels, n_trees, depth, members=None):
    """Grow, merge, select; the strategy with the error of each member."""
    domain = Domain([Categorical(range(n)) for n in levels])
    grown = trees.grow_random_trees(domain, n_trees, depth, rng=np.random.default_rng(0))
    return matrix.select(matrix.Workload.of(grown, n_levels=levels), members=members)


@pytest.mark.parametrize(
    ("levels", "n_trees", "depth", "members", "expected"),
    [(CAR, 128, 4, None, "identity"), (WIDE, 64, 3, ("per-tree", "merged", "marginals"), "merged")],
    ids=["Car, 128 trees of depth 4", "100 columns, 64 trees of depth 3"],
)
def test_schema_to_strategy(benchmark, levels, n_trees, depth, members, expected):
    strategy((2, 2), 2, 1)  # compiles what grows
    best = benchmark.pedantic(strategy, (levels, n_trees, depth, members), rounds=3, iterations=1)
    assert best.name == expected and len(best.considered) >= 3


def test_memory_of_a_wide_domain():
    """Numbers of the arrays at once, in bytes; 1e30 cells are never made."""
    strategy((2, 2), 2, 1)
    tracemalloc.start()
    best = strategy(WIDE, 64, 3, ("per-tree", "merged", "marginals"))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert best.n_cells == 2**100 and peak < 300 * 2**20


def test_bound_through_overlaps_of_2000_leaves(benchmark):
    """Car, 128 trees of depth 4: 2,196 distinct leaves."""
    domain = Domain([Categorical(range(n)) for n in CAR])
    grown = trees.grow_random_trees(domain, 128, 4, rng=np.random.default_rng(0))
    workload = matrix.Workload.of(grown, n_levels=CAR)
    assert len(workload) > 2000
    found = benchmark.pedantic(matrix.nuclear_bound, (workload,), rounds=3, iterations=1)
    assert 0 < found < workload.squared()


def million():
    """Six columns of ten levels: the leaf of each cell in trees of two tests, of 32 those that differ."""
    from dplit.matrix.strategies.p_identity import LeafGram

    levels = (10,) * 6
    domain = Domain([Categorical(range(n)) for n in levels])
    grown = trees.grow_random_trees(domain, 32, 2, rng=np.random.default_rng(0))
    return LeafGram.of(matrix.Workload.of(grown, n_levels=levels))


def test_gradient_of_p_identity_on_a_million_cells(benchmark):
    """32 trees, 8 more queries: one loss and gradient, from a leaf's number of each cell and tree."""
    from dplit.matrix.strategies.p_identity import loss

    gram = million()
    theta = np.random.default_rng(0).random((8, gram.shape[0]))
    tracemalloc.start()
    value, gradient = loss(theta, gram)
    peak = tracemalloc.get_traced_memory()[1] + theta.nbytes + gram.leaves.nbytes
    tracemalloc.stop()
    assert gradient.shape == theta.shape and value > 0 and peak < 2**30
    benchmark.pedantic(loss, (theta, gram), rounds=3, iterations=1)


def test_gradient_of_p_identity(benchmark):
    """16 more queries on 1,728 cells: one loss and gradient."""
    from dplit.matrix.strategies.p_identity import loss

    rng = np.random.default_rng(0)
    theta, rows = rng.random((16, 1728)), rng.random((100, 1728))
    gram = rows.T @ rows
    value, gradient = benchmark.pedantic(loss, (theta, gram), rounds=3, iterations=1)
    assert value > 0 and gradient.shape == theta.shape
