"""Votes of trees on records of their own: counted by hand, and what they cost."""

import math

import numpy as np
import pytest

from dplit import matrix
from dplit.budget import EqualParts
from dplit.random_forest import equal_parts_bound
from tests.matrix_release.test_release import LEVELS, X, Y, paths

QUERIES = np.array([[0, 1], [0, 0], [2, 0]])


def votes(epsilon=math.inf, seed=0, **options):
    strategy = matrix.member(matrix.subsample_workload(paths(), QUERIES), "identity")
    given = {"n_classes": 2} | options
    return matrix.subsample(paths(), QUERIES, strategy, X, given.pop("classes", Y), epsilon=epsilon,
                            rng=np.random.default_rng(seed), **given)  # fmt: skip


def own_tree(seed, assignment="independent"):
    rng = np.random.default_rng(seed)
    return (
        rng.integers(2, size=len(X)) if assignment == "independent" else rng.permutation(len(X)) % 2
    )


@pytest.mark.parametrize("assignment", ["independent", "shuffled"])
@pytest.mark.parametrize("seed", range(5))
def test_weighted_votes_count_the_records_of_the_same_leaf_and_tree(assignment, seed):
    found, _ = votes(seed=seed, assignment=assignment)
    tree, reached = own_tree(seed, assignment), paths().reached
    together = reached(QUERIES)[:, None] & reached(X)[None]  # query, record, leaf
    mine = paths().tree[None] == tree[:, None]
    counts = (together & mine[None]).sum(axis=2)
    assert found.tolist() == [[row[Y == c].sum() for c in (0, 1)] for row in counts]


@pytest.mark.parametrize("classes", [2, 3])
def test_hard_votes_are_one_a_tree(classes):
    found, _ = votes(seed=3, voting="hard", n_classes=classes)
    tree, reached = own_tree(3), paths().reached
    expected = np.zeros((3, classes))
    for q, leaves in enumerate(reached(QUERIES)):
        for leaf in np.flatnonzero(leaves):
            inside = reached(X)[:, leaf] & (tree == paths().tree[leaf])
            expected[q, np.bincount(Y[inside], minlength=classes).argmax()] += 1
    assert found.tolist() == expected.tolist()
    assert (found.sum(axis=1) == 2).all()


@pytest.mark.parametrize(
    "voting, classes, neighbours, delta",
    [
        ("weighted", 2, "add-remove", 1), ("weighted", 2, "replace-one", 2),
        ("weighted", 1, "replace-one", 2), ("hard", 2, "add-remove", 1),
        ("hard", 2, "replace-one", 2), ("hard", 3, "add-remove", 2), ("hard", 3, "replace-one", 4),
    ],
)  # fmt: skip
def test_sensitivity_of_votes(voting, classes, neighbours, delta):
    assert matrix.vote_sensitivity(matrix.Dense(np.eye(3)), classes, voting, neighbours) == delta


def test_what_the_votes_cost():
    assert votes(0.5)[1].epsilon == 0.5
    _, shuffled = votes(0.5, assignment="shuffled")
    assert isinstance(shuffled, EqualParts)
    assert shuffled.epsilon == pytest.approx(equal_parts_bound(0.5, 2))
    _, replaced = votes(0.5, assignment="shuffled", neighbours="replace-one")
    assert (replaced.epsilon, replaced.neighbours) == (0.5, "replace-one")


def test_the_family_attains_the_bound_and_tends_to_it():
    assert matrix.shuffled_loss(1.0, 16) == pytest.approx(equal_parts_bound(1.0, 16))
    losses = [matrix.shuffled_loss(1.0, 16, 16 * m) for m in (0, 1, 10, 100, 10**5)]
    assert losses == sorted(losses) and losses[0] == pytest.approx(1.0)
    assert losses[-1] == pytest.approx(2.9444, abs=1e-4)
    assert matrix.shuffled_loss(1.0, 1, 5) == pytest.approx(1.0)


def test_most_queries_share_a_leaf():
    assert matrix.most_queries(paths(), QUERIES) == 2
    assert matrix.most_queries(paths(), QUERIES[:1]) == 1


def test_a_tree_is_drawn_for_each_record_and_its_leaf_is_that_trees():
    leaves = matrix.own_leaves(paths(), X, rng=np.random.default_rng(1))
    assert (paths().tree[leaves] == own_tree(1)).all()
    assert paths().reached(X)[np.arange(len(X)), leaves].all()


def test_the_advantage_of_a_tree_falls_with_their_number():
    found = matrix.tree_advantage(20, 1.0, np.array([1, 10, 100, 1000]))
    assert (np.diff(found) < 0).all() and found[0] == pytest.approx(0.5, abs=1e-7)
    assert matrix.tree_advantage(0, 1.0, 4) == 0.0


@pytest.mark.parametrize(
    "change, message",
    [
        ({"voting": "soft"}, "voting must be one of"),
        ({"assignment": "equal"}, "assignment must be one of"),
        ({"classes": Y + 2}, "classes must be whole numbers"),
        ({"epsilon": -1}, "epsilon must be a positive number"),
    ],
)
def test_errors_name_what_is_wrong(change, message):
    with pytest.raises(ValueError, match=message):
        votes(**({"epsilon": 1.0} | change))
    assert len(LEVELS) == 2
