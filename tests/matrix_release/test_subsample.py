"""Votes of trees on records of their own: counted by hand, and what they cost."""

import itertools
import math

import numpy as np
import pytest

from dplit import matrix
from dplit.budget import EqualParts
from dplit.matrix.subsample import leaf_classes, preferences
from dplit.random_forest import equal_parts_bound
from tests.matrix_release.test_release import LEVELS, X, Y, paths

QUERIES = np.array([[0, 1], [0, 0], [2, 0]])
N = len(X)


def votes(epsilon=math.inf, seed=0, n=N, **options):
    strategy = matrix.member(matrix.subsample_workload(paths(), QUERIES), "identity")
    given = {"n_classes": 2, "classes": Y[:n]} | options
    return matrix.subsample(paths(), QUERIES, strategy, X[:n], given.pop("classes"), epsilon=epsilon,
                            rng=np.random.default_rng(seed), **given)  # fmt: skip


def own_tree(seed, assignment="independent", n=N):
    rng = np.random.default_rng(seed)
    return rng.integers(2, size=n) if assignment == "independent" else rng.permutation(n) % 2


@pytest.mark.parametrize("assignment", ["independent", "shuffled"])
@pytest.mark.parametrize("seed", range(5))
def test_weighted_votes_count_the_records_of_the_same_leaf_and_tree(assignment, seed):
    found, _ = votes(seed=seed, assignment=assignment)
    tree, reached = own_tree(seed, assignment), paths().reached
    together = reached(QUERIES)[:, None] & reached(X)[None]  # query, record, leaf
    mine = paths().tree[None] == tree[:, None]
    counts = (together & mine[None]).sum(axis=2)
    assert found.tolist() == [[row[Y == c].sum() for c in (0, 1)] for row in counts]


def by_order(counts, order):
    """The first class of an order with the largest count."""
    return next(c for c in order if counts[c] == max(counts))


@pytest.mark.parametrize("order", [(0, 1), (1, 0), (0, 1, 2), (2, 0, 1)], ids=str)
def test_hard_votes_are_one_a_tree_and_an_order_decides_where_counts_tie(order):
    k = len(order)
    found, _ = votes(seed=3, n=4, voting="hard", n_classes=k, order=order)
    tree, reached = own_tree(3, n=4), paths().reached
    expected, empty = np.zeros((3, k)), 0
    for q, leaves in enumerate(reached(QUERIES)):
        for leaf in np.flatnonzero(leaves):
            inside = reached(X[:4])[:, leaf] & (tree == paths().tree[leaf])
            expected[q, by_order(np.bincount(Y[:4][inside], minlength=k).tolist(), order)] += 1
            empty += not inside.any()
    assert found.tolist() == expected.tolist()
    assert (found.sum(axis=1) == 2).all() and empty


@pytest.mark.parametrize("counts", [(0, 0, 0), (2, 2, 0), (0, 3, 3), (1, 0, 0), (4, 4, 4)], ids=str)
def test_a_leaf_draws_its_class_uniformly_from_the_largest_counts(counts):
    """Of 30,000 leaves, within six deviations: false alarms are below 1e-7."""
    n, largest = 30_000, np.array(counts) == max(counts)
    preferred = preferences(n, 3, rng=np.random.default_rng(5))
    found = np.bincount(leaf_classes(np.tile(counts, (n, 1)), preferred), minlength=3)
    share = largest / largest.sum()
    assert (abs(found - n * share) <= 6 * np.sqrt(n * share * (1 - share))).all()


def changed(data, record):
    """Data with a record more, and with each record replaced by it."""
    yield "add-remove", [*data, record]
    for i in range(len(data)):
        yield "replace-one", [*data[:i], *data[i + 1 :], record]


@pytest.mark.parametrize("matrix_", [np.eye(2), np.array([[1.0, 1.0], [0.0, 2.0]])], ids=["I", "A"])
@pytest.mark.parametrize("classes", [2, 3])
def test_a_record_changes_hard_votes_by_their_sensitivity_whatever_is_preferred(classes, matrix_):
    """All data of up to three records in two leaves, all orders of the classes in each leaf."""
    orders = [np.array(o, dtype=float) for o in itertools.permutations(range(classes))]
    preferred = np.array(list(itertools.product(orders, orders))).reshape(-1, classes)
    strategy, universe = matrix.Dense(matrix_), list(itertools.product((0, 1), range(classes)))

    def released(data):
        counts = np.zeros((2, classes), dtype=int)
        np.add.at(counts, tuple(np.array(data, dtype=int).reshape(-1, 2).T), 1)
        labels = leaf_classes(np.tile(counts, (len(orders) ** 2, 1)), preferred).reshape(-1, 2)
        return matrix_ @ np.eye(classes)[labels][:, :, int(classes == 2) :]

    most = dict.fromkeys(("add-remove", "replace-one"), 0.0)
    for n in range(4):
        for data in itertools.combinations_with_replacement(universe, n):
            for record in universe:
                for relation, other in changed(list(data), record):
                    moved = abs(released(data) - released(other)).sum(axis=(1, 2)).max()
                    most[relation] = max(most[relation], moved)
    for relation, moved in most.items():
        stated = matrix.vote_sensitivity(strategy, classes, "hard", relation)
        assert moved <= stated
        if relation == "add-remove" or (matrix_ == np.eye(2)).all():
            assert moved == stated


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
        ({"voting": "hard", "order": (0, 0)}, "order must hold each of 2 classes once"),
        ({"voting": "hard", "order": (0,)}, "order must hold each of 2 classes once"),
        ({"epsilon": -1}, "epsilon must be a positive number"),
    ],
)
def test_errors_name_what_is_wrong(change, message):
    with pytest.raises(ValueError, match=message):
        votes(**({"epsilon": 1.0} | change))
    assert len(LEVELS) == 2
