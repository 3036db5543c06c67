"""Trees of the multinomial forest: the laws of a split, when a node is split, and their shape.

Impurity decreases are worked out here by the definition, candidate by candidate; their law is that
of `dplit.multinomial`.
"""

import numpy as np
import pytest
from scipy.stats import chisquare

from dplit import Categorical, Continuous, Domain
from dplit.domain import GRID
from dplit.multinomial import joint_law
from dplit.trees import apply, multinomial
from dplit.trees.arrays import LEAF, leaf_depths
from dplit.trees.multinomial import Rule, grow_multinomial_trees

DRAWS = 2000
DOMAIN = Domain([Continuous(0, 1), Categorical(["a", "b", "c"]), Continuous(0, 1),
                 Categorical(["u", "v"]), Continuous(3, 3)])  # fmt: skip
X = np.array([[0.1, 0, 0.8, 1, 3], [0.2, 1, 0.8, 1, 3], [0.2, 2, 0.1, 0, 3], [0.5, 0, 0.4, 1, 3],
              [0.6, 1, 0.3, 0, 3], [0.9, 0, 0.9, 1, 3], [0.7, 1, 0.2, 1, 3]])  # fmt: skip
Y = np.array([0, 0, 1, 1, 2, 1, 0])


def rule(**options):
    settings = dict(max_depth=1, fewest=0, least=0, feature_rate=1.0, value_rate=1.5, entropy=False)
    return Rule(**{**settings, **options})


def grow(records, y, domain, given, n_trees, structure, seed=0, **options):
    """Trees whose structure points are the first ones."""
    first = np.arange(len(records)) < structure
    return grow_multinomial_trees(
        domain, records, y, 3, n_trees, lambda n, rng: (first, ~first), given,
        rng=np.random.default_rng(seed), **options
    )  # fmt: skip


def impurity(y, entropy):
    shares = np.bincount(y, minlength=3) / max(len(y), 1)
    if entropy:
        return -sum(p * np.log(p) for p in shares if p > 0)
    return 1 - (shares**2).sum()


def splits(records, domain, estimation=None, least=0):
    """Each column's candidates, as what goes left: (a cut or a level, mask)."""
    found = []
    for j, levels in enumerate(domain.n_levels):
        values = np.unique(records[:, j])
        if levels:
            cuts = values if len(values) > 2 else values[:1] if len(values) == 2 else []
            tests = [(level, lambda x, level=level, j=j: x[:, j] == level) for level in cuts]
        else:
            cuts = (values[1:] + values[:-1]) / 2
            tests = [(cut, lambda x, cut=cut, j=j: x[:, j] <= cut) for cut in cuts]
        if least:
            tests = [(c, t) for c, t in tests if least <= t(estimation).sum() <= len(estimation) - least]
        found.append([(c, t(records)) for c, t in tests])
    return found


def decreases(candidates, y, entropy):
    """Equation (4) for every candidate."""
    n = len(y)
    return [
        [impurity(y, entropy) - sum(m.sum() / n * impurity(y[m], entropy) for m in (left, ~left))
         for _, left in column]
        for column in candidates
    ]  # fmt: skip


def roots_seen(trees, candidates):
    """How often the root was split by each candidate."""
    seen = [np.zeros(len(column), dtype=int) for column in candidates]
    for root in trees.roots:
        j = trees.feature[root]
        if np.isnan(trees.threshold[root]):
            steps = trees.steps[trees.side[root] :][: DOMAIN.n_levels[j]]
            assert (steps == 0).sum() == 1
            value = np.flatnonzero(steps == 0)[0]
        else:
            value = trees.threshold[root]
        (place,) = [i for i, (cut, _) in enumerate(candidates[j]) if cut == pytest.approx(value)]
        seen[j][place] += 1
    return np.concatenate(seen)


def assert_follows(seen, law):
    """Chi-square of counts against a law, false alarm 1e-6; one whose squared relative error is 1/16 in the mean
    is missed with less than 1e-3."""
    assert seen[law == 0].sum() == 0
    if (law > 0).sum() > 1:
        assert chisquare(seen[law > 0], seen.sum() * law[law > 0]).pvalue > 1e-6


@pytest.mark.parametrize("entropy", [False, True])
@pytest.mark.parametrize("budgets", [(0, 0), (2, 3), (10, 10), (0, np.inf), (1e6, 1e6)], ids=str)
def test_a_split_follows_both_multinomials(budgets, entropy):
    given = rule(feature_rate=budgets[0] / 2, value_rate=budgets[1] / 2, entropy=entropy)
    records = np.vstack([X, X[:1]])
    trees, _ = grow(records, np.append(Y, 0), DOMAIN, given, DRAWS, len(X))
    candidates = splits(X, DOMAIN)
    law = np.concatenate(joint_law(decreases(candidates, Y, entropy), *budgets))
    assert_follows(roots_seen(trees, candidates), law)


def test_the_two_budgets_are_not_exchanged_nor_the_criteria():
    """The laws of the test above differ, so it tells them apart."""
    candidates = splits(X, DOMAIN)
    gini, entropy = (decreases(candidates, Y, e) for e in (False, True))
    laws = [np.concatenate(joint_law(*a)) for a in ((gini, 2, 3), (gini, 3, 2), (entropy, 2, 3))]
    assert min(abs(laws[0] - law).max() for law in laws[1:]) > 0.01


@pytest.mark.parametrize("least", [1, 2, 3])
def test_a_child_keeps_estimation_points_where_it_is_asked_to(least):
    rng = np.random.default_rng(3)
    held = np.column_stack([rng.random(7), rng.integers(3, size=7), rng.random(7),
                            rng.integers(2, size=7), np.full(7, 3.0)])  # fmt: skip
    records, y = np.vstack([X, held]), np.append(Y, rng.integers(3, size=7))
    trees, _ = grow(records, y, DOMAIN, rule(least=least), DRAWS, len(X))
    candidates = splits(X, DOMAIN, held, least)
    assert sum(map(len, candidates)) < sum(map(len, splits(X, DOMAIN)))
    law = np.concatenate(joint_law(decreases(candidates, Y, False), 2.0, 3.0))
    assert_follows(roots_seen(trees, candidates), law)


def test_equal_decreases_are_equally_likely_though_floats_differ():
    """Behind the second record and behind the sixth, 16/3 each, but not to the last bit."""
    values = np.array([0.1, 0.1, 0.5, 0.5, 0.5, 0.5, 0.9, 0.9, 0.3])[:, None]
    y, domain = np.array([0, 1, 0, 1, 0, 0, 0, 0, 0]), Domain([Continuous(0, 1)])
    trees, _ = grow(values, y, domain, rule(value_rate=np.inf), DRAWS, 8)
    seen = (trees.threshold[trees.roots] < 0.5).sum()
    assert_follows(np.array([seen, DRAWS - seen]), np.array([0.5, 0.5]))


# Whole trees ---------------------------------------------------------------------------------


def many(n, seed=1):
    rng = np.random.default_rng(seed)
    records = np.column_stack([rng.random(n), rng.integers(3, size=n), rng.random(n),
                               rng.integers(2, size=n), np.full(n, 3.0)])  # fmt: skip
    return records, (records[:, 0] + records[:, 2] > 1) + (records[:, 1] == 2)


def reached(trees, records):
    return apply(trees, records) + trees.leaf_starts[:-1]


@pytest.mark.parametrize("entropy", [False, True])
@pytest.mark.parametrize("least", [0, 4])
def test_counts_are_those_of_the_estimation_points_that_reach_a_leaf(least, entropy):
    records, y = many(700)
    given = rule(max_depth=99, fewest=4, least=least, entropy=entropy)
    trees, counts = grow(records, y, DOMAIN, given, 3, 300)
    for leaves in reached(trees, records[300:]).T:
        for k in range(3):
            seen = np.bincount(leaves[y[300:] == k], minlength=trees.n_leaves)
            own = np.isin(np.arange(trees.n_leaves), leaves)
            assert (counts[own, k] == seen[own]).all()
    assert counts.sum() == 3 * 400


def test_by_the_algorithm_a_node_is_split_if_and_only_if_it_holds_more_than_k():
    records, y = many(700)
    given = rule(max_depth=99, fewest=5)
    trees, counts = grow(records, y, DOMAIN, given, 20, 300)
    structure = np.zeros(trees.n_leaves, dtype=int)
    for leaves in reached(trees, records[:300]).T:
        structure += np.bincount(leaves, minlength=trees.n_leaves)
    sizes = counts.sum(axis=1)
    assert (sizes == 0).any() and (sizes == 5).any()
    assert (structure[sizes > 5] <= 1).all()  # distinct records: only a lone one has no split
    held = held_by_nodes(trees, sizes)
    assert held[trees.feature != LEAF].min() == 6


def held_by_nodes(trees, sizes):
    """Estimation points of every node: those of the leaves below it."""
    held = np.zeros(len(trees.feature), dtype=int)
    leaf = trees.feature == LEAF
    held[leaf] = sizes[trees.child[leaf]]
    for _ in range(leaf_depths(trees).max()):
        first = trees.child[~leaf]
        held[~leaf] = held[first] + held[first + 1]
    return held


def test_by_the_text_every_leaf_keeps_k():
    records, y = many(700)
    _, counts = grow(records, y, DOMAIN, rule(max_depth=99, fewest=5, least=5), 20, 300)
    assert counts.sum(axis=1).min() == 5
    _, counts = grow(records[:308], y[:308], DOMAIN, rule(max_depth=99, fewest=5, least=5), 5, 300)
    assert counts.sum(axis=1).tolist() == [8] * 5  # 8 records have no two parts of 5


@pytest.mark.parametrize("n_structure", [0, 1])
@pytest.mark.parametrize("least", [0, 1])
def test_without_two_structure_points_a_tree_is_a_leaf(n_structure, least):
    trees, counts = grow(X, Y, DOMAIN, rule(max_depth=9, least=least), 2, n_structure)
    assert trees.n_leaves == 2 and counts.sum() == 2 * (7 - n_structure)


def test_without_estimation_points_a_tree_is_a_leaf():
    trees, counts = grow(X, Y, DOMAIN, rule(max_depth=9), 2, 7)
    assert trees.n_leaves == 2 and counts.sum() == 0


def test_no_path_is_longer_than_it_may_be():
    records, y = many(700)
    trees, _ = grow(records, y, DOMAIN, rule(max_depth=3), 4, 300)
    assert leaf_depths(trees).max() == 3 == leaf_depths(trees).min()
    deep, _ = grow(records, y, DOMAIN, rule(max_depth=10**9), 4, 300)
    assert 3 < leaf_depths(deep).max() < 300


def test_depths_are_those_of_the_paths():
    records, y = many(300)
    trees, _ = grow(records, y, DOMAIN, rule(max_depth=99, fewest=5), 3, 150)
    depths = leaf_depths(trees)
    for root in trees.roots:
        waiting = [(root, 0)]
        while waiting:
            node, depth = waiting.pop()
            if trees.feature[node] == LEAF:
                assert depths[trees.child[node]] == depth
            else:
                waiting += [(trees.child[node] + s, depth + 1) for s in (0, 1)]


def test_threads_change_nothing():
    records, y = many(400)
    given = rule(max_depth=99, fewest=5)
    one, two = (grow(records, y, DOMAIN, given, 5, 200, n_jobs=jobs) for jobs in (1, 2))
    assert all((a == b).all() or np.isnan(a).any() for a, b in zip(one[0].arrays, two[0].arrays))
    assert (one[1] == two[1]).all()


def test_a_cut_between_neighbouring_grid_points_parts_them():
    near = np.array([7, 8, 7, 8, 7.4]) / GRID
    y, domain = np.array([0, 1, 0, 1, 2]), Domain([Continuous(0, 1)])
    trees, counts = grow(near[:, None], y, domain, rule(), 1, 2)
    assert counts.tolist() == [[1, 0, 1], [0, 1, 0]]  # 7.4 is moved to 7
    assert (apply(trees, near[:, None])[:, 0] == [0, 1, 0, 1, 0]).all()
    trees, _ = grow(near[[0, 4, 1]][:, None], y[:3], domain, rule(), 1, 2)
    assert trees.n_leaves == 1  # both structure points are on one grid point


@pytest.mark.parametrize("least", [0, 2])
def test_columns_that_are_not_asked_again_have_no_candidate(monkeypatch, least):
    """Without the lists, or with lists of three depths, trees are the same to the last bit."""
    rng = np.random.default_rng(3)
    domain = Domain([*[Categorical(["0", "1"])] * 30, Categorical(["a", "b", "c"]), Continuous(0, 1)])
    records = np.hstack([rng.random((300, 30)) < 0.04, rng.integers(3, size=(300, 1)), rng.random((300, 1))])
    y, grown = rng.integers(3, size=300), []
    for listed in (64, 3, 0):
        monkeypatch.setattr(multinomial, "LISTED", listed)
        grown.append(grow(records, y, domain, rule(max_depth=50, fewest=1, least=least), 20, 150))
    (trees, counts), *others = grown
    assert leaf_depths(trees).max() > 4
    for again, of_leaves in others:
        assert (counts == of_leaves).all()
        assert all(np.array_equal(a, b, equal_nan=True) for a, b in zip(
            (trees.feature, trees.threshold, trees.child), (again.feature, again.threshold, again.child)
        ))  # fmt: skip
