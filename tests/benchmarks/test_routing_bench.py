"""Routing 6,000 records through 100 trees of depth 8: complete trees, and the same ones by pointers.

The trees of letters are not complete: a child for each of six levels, to depth 5.
"""

from dataclasses import replace

import numpy as np
import pytest

from dplit import Categorical, Continuous, Domain
from dplit.trees import average, grow_random_trees, vote
from dplit.trees.random_binary import grow_random_binary_trees

RECORDS, TREES, DEPTH = 6_000, 100, 8
NUMBER, LETTER = Continuous(0, 1), Categorical(list("abcdef"))
DOMAINS = {
    "10 columns": [NUMBER] * 10,
    "160 columns": [NUMBER] * 160,
    "5 columns and 5 of letters": [NUMBER, LETTER] * 5,
}
rounds = {"rounds": 15, "iterations": 1, "warmup_rounds": 1}


def records(domain):
    rng = np.random.default_rng(20)
    columns = [rng.integers(k, size=RECORDS) if k else rng.random(RECORDS) for k in domain.n_levels]
    return np.column_stack(columns).astype(float)


def released(trees):
    rng = np.random.default_rng(21)
    return rng.integers(2, size=trees.n_leaves).astype(np.uint8), rng.random(trees.n_leaves)


@pytest.mark.parametrize("pointers", [False, True], ids=["complete", "pointers"])
@pytest.mark.parametrize("columns", DOMAINS)
def test_vote(benchmark, columns, pointers):
    domain = Domain(DOMAINS[columns])
    trees = grow_random_binary_trees(domain, TREES, DEPTH, rng=np.random.default_rng(0))
    assert trees.depth == DEPTH
    trees = replace(trees, depth=None) if pointers else trees
    votes = benchmark.pedantic(vote, (trees, records(domain), released(trees)[0], 2), **rounds)
    assert votes.sum() == RECORDS * TREES


def test_average(benchmark):
    domain = Domain(DOMAINS["10 columns"])
    trees = grow_random_binary_trees(domain, TREES, DEPTH, rng=np.random.default_rng(0))
    means = benchmark.pedantic(average, (trees, records(domain), released(trees)[1]), **rounds)
    assert means.shape == (RECORDS,)


def test_vote_of_trees_with_a_child_for_each_letter(benchmark):
    domain = Domain(DOMAINS["5 columns and 5 of letters"])
    trees = grow_random_trees(domain, TREES, 5, rng=np.random.default_rng(0))
    assert trees.depth is None
    votes = benchmark.pedantic(vote, (trees, records(domain), released(trees)[0], 2), **rounds)
    assert votes.sum() == RECORDS * TREES
