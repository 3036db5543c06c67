"""Random trees: what the paper's algorithm 2 promises of each path, and the laws of its draws."""

import numpy as np
import pytest
from scipy import stats

from dplit import Categorical, Continuous, Domain
from dplit.trees import grow_random_trees, nodes, random
from dplit.trees.arrays import LEAF

MIXED = Domain([Continuous(-1, 3), Categorical(["a", "b", "c"]), Continuous(10, 11), Categorical([0, 1])])


def walk(trees, tree, domain):
    """Every node of a tree with its depth, path of columns and what is left of each interval."""
    start = [(int(trees.roots[tree]), [], {j: tuple(b) for j, b in enumerate(domain.bounds)})]
    while start:
        node, path, left = start.pop()
        yield node, path, left
        j, child = int(trees.feature[node]), int(trees.child[node])
        if j == LEAF:
            continue
        if domain.n_levels[j]:
            start += [(child + s, [*path, j], left) for s in range(domain.n_levels[j])]
        else:
            low, high = left[j]
            cut = float(trees.threshold[node])
            start.append((child, [*path, j], {**left, j: (low, cut)}))
            start.append((child + 1, [*path, j], {**left, j: (cut, high)}))


@pytest.mark.parametrize("depth", [0, 1, 5])
def test_paths_follow_algorithm_2(depth):
    trees = grow_random_trees(MIXED, 20, depth, rng=np.random.default_rng(0))
    leaves, nodes = [], 0
    for t in range(20):
        for node, path, left in walk(trees, t, MIXED):
            nodes += 1
            categorical = [j for j in path if MIXED.n_levels[j]]
            assert len(categorical) == len(set(categorical)), "a level list is used up on a path"
            if trees.feature[node] == LEAF:
                assert len(path) == depth, "two continuous columns are always left"
                leaves.append(trees.child[node])
            elif not MIXED.n_levels[trees.feature[node]]:
                low, high = left[int(trees.feature[node])]
                assert low <= trees.threshold[node] <= high
    assert nodes == len(trees.feature), "each node belongs to exactly one tree"
    assert sorted(leaves) == list(range(trees.n_leaves))
    assert (np.diff(trees.leaf_starts) > 0).all()


def test_a_path_ends_when_no_column_is_left():
    domain = Domain([Categorical(["a", "b"]), Categorical(["x", "y", "z"])])
    trees = grow_random_trees(domain, 5, 9, rng=np.random.default_rng(1))
    assert np.diff(trees.leaf_starts).tolist() == [6] * 5


def test_columns_and_cuts_are_uniform():
    """Chi-square over columns and Kolmogorov-Smirnov over cuts of the root, each at 1e-9."""
    trees = grow_random_trees(MIXED, 4000, 1, rng=np.random.default_rng(2))
    columns = trees.feature[trees.roots]
    assert stats.chisquare(np.bincount(columns, minlength=4)).pvalue > 1e-9
    cuts = trees.threshold[trees.roots][columns == 0]
    assert stats.kstest(cuts, stats.uniform(-1, 4).cdf).pvalue > 1e-9


def test_a_second_cut_is_uniform_in_what_the_path_left():
    """Position of a child's cut within its half of the interval: Kolmogorov-Smirnov at 1e-9."""
    trees = grow_random_trees(Domain([Continuous(0, 1)]), 3000, 2, rng=np.random.default_rng(3))
    cut, child = trees.threshold[trees.roots], trees.child[trees.roots]
    left, right = trees.threshold[child], trees.threshold[child + 1]
    assert stats.kstest(left / cut, "uniform").pvalue > 1e-9
    assert stats.kstest((right - cut) / (1 - cut), "uniform").pvalue > 1e-9


@pytest.mark.parametrize("n_jobs", [None, 1, 2, 3])
def test_threads_change_nothing(n_jobs):
    one = grow_random_trees(MIXED, 7, 6, rng=np.random.default_rng(4))
    two = grow_random_trees(MIXED, 7, 6, rng=np.random.default_rng(4), n_jobs=n_jobs)
    for a, b in zip([*one.arrays, one.leaf_starts], [*two.arrays, two.leaf_starts]):
        np.testing.assert_array_equal(a, b)


def test_growth_beyond_the_first_allocation_keeps_every_node():
    trees = grow_random_trees(Domain([Continuous(0, 1)]), 1, 13, rng=np.random.default_rng(5))
    assert trees.n_leaves == 2**13 and len(trees.feature) == 2**14 - 1


def test_too_many_nodes_is_an_error_that_names_both_parameters(monkeypatch):
    monkeypatch.setattr(nodes, "MAX_NODES", 1000)
    with pytest.raises(ValueError, match=r"max_depth=9 with n_estimators=2 .* more than 1,000 nodes"):
        grow_random_trees(MIXED, 2, 9, rng=np.random.default_rng(6))


@pytest.mark.parametrize("depth", [10**7, 10**12, 10**30])
def test_an_endless_depth_is_no_endless_array(depth):
    with pytest.raises(ValueError, match=f"max_depth={depth} with n_estimators=2 needs more than"):
        grow_random_trees(MIXED, 2, depth, rng=np.random.default_rng(6))
    levels = Domain([Categorical(["a", "b"]), Categorical(["x", "y", "z"])])
    assert grow_random_trees(levels, 2, depth, rng=np.random.default_rng(6)).n_leaves == 12


def test_too_many_trees_are_an_error_before_any_grows():
    with pytest.raises(ValueError, match="n_estimators=10000000000 needs more than"):
        grow_random_trees(MIXED, 10**10, 0, rng=np.random.default_rng(6))


def test_what_must_be_too_large_is_refused_at_once(monkeypatch):
    """Complete binary trees of depth 9 have 1023 nodes, whatever columns are drawn."""
    monkeypatch.setattr(nodes, "MAX_NODES", 2046)
    assert len(grow_random_trees(MIXED, 1, 5, rng=np.random.default_rng(6)).feature) < 2046
    binary = Domain([Continuous(0, 1), Categorical([0, 1])])
    assert len(grow_random_trees(binary, 2, 9, rng=np.random.default_rng(6)).feature) == 2046
    monkeypatch.setattr(random, "_grow", None)
    for n_trees, depth in ((2, 10), (3, 9)):
        with pytest.raises(ValueError, match="needs more than 2,046 nodes"):
            grow_random_trees(binary, n_trees, depth, rng=np.random.default_rng(6))


def test_the_first_tree_that_is_too_large_is_the_last(monkeypatch):
    """Paths that draw the columns of ten levels first are the large ones."""
    calls, grow_tree = [], random._one_tree

    def counted(*arguments):
        calls.append(arguments)
        return grow_tree(*arguments)

    monkeypatch.setattr(random, "_one_tree", counted)
    monkeypatch.setattr(nodes, "MAX_NODES", 50 * 63)
    wide = Domain([Continuous(0, 1), Categorical(range(10))])
    with pytest.raises(ValueError, match="needs more than"):
        grow_random_trees(wide, 50, 5, rng=np.random.default_rng(6))
    assert len(calls) == 1
