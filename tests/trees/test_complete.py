"""Complete trees, which are routed without pointers, against the same trees with pointers."""

from dataclasses import replace

import numpy as np
import pytest

from dplit import Categorical, Continuous, Domain
from dplit.trees import Trees, apply, average, count_labels, grow_random_trees, vote
from dplit.trees.arrays import LEAF
from dplit.trees.median import grow_median_trees
from dplit.trees.random_binary import grow_random_binary_trees
from dplit.trees.routing import BLOCK
from dplit.trees.rules import EXPONENTIAL, Rule

NUMBERS = Domain([Continuous(0, 1)] * 4)
MIXED = Domain([Continuous(0, 1), Categorical(list("abcdef")), Continuous(-1, 1)])
WIDE = Domain([Continuous(0, 1)] * 300)
LETTERS = Domain([Categorical(["a", "b"])] * 4)


def records(domain, n, seed=0):
    rng = np.random.default_rng(seed)
    columns = [
        rng.integers(levels, size=n) if levels else rng.uniform(low, high, n)
        for levels, (low, high) in zip(domain.n_levels, domain.bounds)
    ]
    return np.column_stack(columns).astype(float)


def median_trees(domain, depth):
    X = records(domain, 400)
    y = np.random.default_rng(1).random(400)
    rule = Rule(depth, 3, 0.5, 1.0, EXPONENTIAL, True, False)
    parts = np.array_split(np.arange(400), 5)
    return grow_median_trees(domain, X, y, 0, parts, rule, rng=np.random.default_rng(2))[0]


def random_trees(domain, depth):
    return grow_random_trees(domain, 5, depth, rng=np.random.default_rng(3))


def binary_trees(domain, depth):
    return grow_random_binary_trees(domain, 5, depth, rng=np.random.default_rng(4))


COMPLETE = [
    (random_trees, NUMBERS), (random_trees, WIDE), (random_trees, LETTERS), (binary_trees, NUMBERS),
    (binary_trees, MIXED), (median_trees, NUMBERS), (median_trees, MIXED),
]  # fmt: skip


@pytest.mark.parametrize("n", [0, 1, BLOCK - 1, BLOCK, 3 * BLOCK + 5])
@pytest.mark.parametrize("depth", [0, 1, 4])
@pytest.mark.parametrize("grow, domain", COMPLETE)
def test_routing_without_pointers_is_routing_with_them(grow, domain, depth, n):
    trees = grow(domain, depth)
    assert trees.depth == depth
    pointers, X, rng = replace(trees, depth=None), records(domain, n, 5), np.random.default_rng(6)
    labels, values = rng.integers(3, size=trees.n_leaves).astype(np.uint8), rng.random(trees.n_leaves)
    y, assigned = rng.integers(3, size=n).astype(np.int32), rng.integers(5, size=n)  # as of a fit: compiled once
    for jobs in (None, 2):
        answers = [
            (apply(t, X, jobs), vote(t, X, labels, 3, jobs), average(t, X, values, jobs),
             count_labels(t, X, y, assigned, 3, jobs))
            for t in (trees, pointers)
        ]  # fmt: skip
        for one, other in zip(*answers):
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("grow, domain", COMPLETE)
def test_nodes_stand_level_by_level(grow, domain):
    trees = grow(domain, 3)
    assert trees.roots.tolist() == [0, 1, 2, 3, 4]
    inner = trees.feature != LEAF
    assert inner.sum() == 5 * 7 and (inner[: 5 * 7]).all()
    assert trees.child[inner].tolist() == list(range(5, 5 * 15, 2))
    assert trees.child[~inner].tolist() == list(range(5 * 8))


@pytest.mark.parametrize("levels", [["a"], ["a", "b", "c"]], ids=["one child", "three children"])
def test_other_trees_keep_their_pointers(levels):
    domain = Domain([Continuous(0, 1), Categorical(levels)])
    assert grow_random_trees(domain, 9, 3, rng=np.random.default_rng(7)).depth is None


def joined(*shapes):
    """Trees from nested pairs, `None` for a leaf: each tree's nodes in the order of a depth-first walk."""

    def grown(shape):
        feature, child, leaves, waiting = [0], [0], 0, [(0, shape)]
        while waiting:
            node, shape = waiting.pop()
            if shape is None:
                feature[node], child[node] = LEAF, leaves
                leaves += 1
            else:
                child[node] = len(feature)
                waiting += [(len(feature) + 1, shape[1]), (len(feature), shape[0])]
                feature += [0, 0]
                child += [0, 0]
        feature, child = np.array(feature, np.int32), np.array(child, np.int32)
        return feature, np.where(feature == LEAF, np.nan, 0.5), child

    return Trees.join([grown(shape) for shape in shapes])


PAIR = (None, None)


@pytest.mark.parametrize(
    "shapes, depth",
    [
        ([(PAIR, PAIR)] * 2, 2),
        ([None, None], 0),
        ([PAIR, (PAIR, PAIR)], None),  # two depths
        ([(PAIR, PAIR), ((PAIR, None), None)], None),  # as many nodes, another shape
        ([((PAIR, None), None)] * 2, None),
        ([((None, PAIR), None), (PAIR, PAIR)], None),
    ],
)
def test_trees_are_complete_or_not(shapes, depth):
    trees = joined(*shapes)
    assert trees.depth == depth
    left, right = apply(trees, np.array([[0.0], [1.0]]))
    assert left.tolist() == [0] * trees.n_trees
    assert right.tolist() == (np.diff(trees.leaf_starts) - 1).tolist()
