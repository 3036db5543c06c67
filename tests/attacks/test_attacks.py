"""Attacks and their bounds: by enumeration of all attacks, by hand, and as the stored run has them."""

import math
from itertools import product

import numpy as np
import pytest
from scipy.stats import binom
from sklearn.ensemble import RandomForestClassifier

from dplit.court import attacks
from dplit.court.attacks import run as attack_runs
from dplit.trees import apply
from dplit.trees.arrays import Trees


def best_attack(law, other):
    """Largest advantage over all sets of outcomes."""
    sets = product((0, 1), repeat=len(law))
    return max(float(np.dot(s, np.subtract(law, other))) for s in sets)


@pytest.mark.parametrize("epsilon", [0.01, 0.7, 3.0, 800.0])
def test_randomised_response_attains_the_bound(epsilon):
    one, other = attacks.randomised_response(epsilon)
    assert best_attack(one, other) == pytest.approx(attacks.advantage_bound(epsilon), rel=1e-12)
    assert attacks.advantage_bound(epsilon) == pytest.approx(math.tanh(epsilon / 2))


def test_no_law_exceeds_the_bound():
    """Random pairs of laws, each at the epsilon and delta that it has."""
    rng = np.random.default_rng(0)
    for _ in range(300):
        p, q = rng.dirichlet(np.ones(5), size=2)
        epsilon = float(rng.uniform(0.01, 3))
        delta = max(np.maximum(a - math.exp(epsilon) * b, 0).sum() for a, b in ((p, q), (q, p)))
        assert best_attack(p, q) <= attacks.advantage_bound(epsilon, float(delta)) + 1e-12


def test_a_delta_is_a_probability():
    assert attacks.advantage_bound(math.inf) == 1.0 == attacks.advantage_bound(5.0, 1.0)
    with pytest.raises(ValueError, match=r"delta must lie between 0 and 1, got 1\.5"):
        attacks.advantage_bound(1.0, 1.5)


def test_a_range_has_both_errors():
    assert attacks.advantage_range((0.5, 0.7), (0.1, 0.2)) == pytest.approx((0.3, 0.6))


def test_the_threshold_is_the_best_of_all():
    rng = np.random.default_rng(1)
    members, others = rng.normal(1, 1, 40).round(1), rng.normal(0, 1, 40).round(1)
    at = attacks.best_threshold(members, others)
    excess = [(members > t).mean() - (others > t).mean() for t in np.linspace(-4, 5, 2001)]
    assert (members > at).mean() - (others > at).mean() == pytest.approx(max(excess))


def test_the_member_is_one_more_record():
    seen = {}

    def fit(X, y, epsilon, seed):
        seen[len(X)] = (X.copy(), y.copy())

    kind = attacks.FORESTS["random, proved"]._replace(fit=fit, statistic=lambda forest: 0.0)
    attacks.FORESTS["spy"] = kind
    try:
        for member in (True, False):
            attacks.statistic("spy", 1.0, member, 0)
    finally:
        del attacks.FORESTS["spy"]
    (X, y), (more, labels) = seen[40], seen[41]
    assert (more[:40] == X).all() and (labels[:40] == y).all() and (more[40], labels[40]) == (1.0, 1)


@pytest.mark.parametrize("name", ["random, proved", "random, secure"])
def test_membership_of_the_random_tree_follows_its_law(name):
    """With noise that nobody can repeat, too."""
    hits, alarms = attacks.membership(name, 2.0, 300, rng=np.random.default_rng(5))
    law = attacks.membership_law(name, 2.0)
    for seen, p in zip((hits, alarms), law):
        assert 1e-9 < binom.cdf(seen, 300, p) and binom.sf(seen - 1, 300, p) > 1e-9


def test_an_unknown_forest_is_named():
    with pytest.raises(ValueError, match="name must be"):
        attacks.membership_law("oak", 1.0)


def test_cuts_that_part_all_rows_name_them_and_nothing_names_the_first():
    """Two trees by hand: one cuts off the first column, one is a leaf."""
    cut = Trees.join([(np.array([0, -1, -1]), np.array([0.5, np.nan, np.nan]), np.array([1, 0, 1])),
                      (np.array([-1]), np.array([np.nan]), np.array([0]))])  # fmt: skip
    assert attacks.table_of_cuts(cut, 4, 1).tolist() == [1, 1, 1, 1]
    whole = Trees.join([(np.array([0, 1, -1, -1, -1]), np.array([0.5, 0.5, *[np.nan] * 3]),
                         np.array([1, 3, 0, 1, 2]))])  # fmt: skip
    assert attacks.table_of_cuts(whole, 4, 2).tolist() == [1, 1, 1, 1, 0, 0, 0, 0]  # rows 00 and 01
    with pytest.raises(ValueError, match="n must be"):
        attacks.table_of_cuts(whole, 9, 2)


def test_each_leaf_of_a_published_forest_holds_a_record():
    """What the attack relies on: of forty records, none of the boxes of any tree is empty."""
    seen = []
    kept = attack_runs.reconstruction.table_of_cuts
    rng = np.random.default_rng(4)
    X, y, _ = attacks.random_table(40, 6, rng)
    attack_runs.reconstruction.table_of_cuts = lambda trees, n, columns: (
        seen.append(trees) or kept(trees, n, columns)
    )
    try:
        attack_runs.GUESSES["published cuts"](X, y, 0.1, 3)
    finally:
        attack_runs.reconstruction.table_of_cuts = kept
    for t, leaf in enumerate(apply(seen[0], X.astype(float)).T):
        held = seen[0].leaf_starts[t + 1] - seen[0].leaf_starts[t]
        assert set(leaf.tolist()) == set(range(held)) and held > 5


@pytest.mark.parametrize("trees", [1, 10])
def test_equations_hold_for_the_table_and_the_solution(trees):
    rng = np.random.default_rng(trees)
    X, y, table = attacks.random_table(30, 4, rng)
    forest = RandomForestClassifier(trees, bootstrap=False, max_features=1, random_state=0)
    matrix, counts = attacks.leaf_equations(forest.fit(X, y), 4)
    guess = attacks.solve_counts(matrix, counts)
    assert (matrix @ table == counts).all() and (matrix @ guess == counts).all()
    assert guess.min() >= 0 and guess.sum() == 30
    if trees == 10:
        assert (guess == table).all()


def test_impossible_counts_are_refused():
    with pytest.raises(ValueError, match="counts must be those of a table"):
        attacks.solve_counts(np.ones((1, 3)), np.array([0.5]))


def test_the_likeliest_table_by_hand():
    """Two records in two cells: without noise the table, with all noise one record in each cell."""
    assert attacks.likeliest_table([2, 0], 2, 50.0).tolist() == [2, 0]
    assert attacks.likeliest_table([5, -3], 2, 1e-9).tolist() == [1, 1]


def test_the_likeliest_table_shares_most_of_all():
    """Expected overlap under the posterior, over all tables of three records in three cells."""
    released, epsilon, n = np.array([2, 0, 1]), 0.8, 3
    k = np.arange(n + 1)
    law = binom.pmf(k, n, 1 / 3) * np.exp(-epsilon * abs(released[:, None] - k))
    law /= law.sum(axis=1, keepdims=True)

    def expected(guess):
        return sum(float(row @ np.minimum(k, g)) for row, g in zip(law, guess))

    tables = [g for g in product(range(n + 1), repeat=3) if sum(g) == n]
    found = attacks.likeliest_table(released, n, epsilon)
    assert expected(found) == pytest.approx(max(map(expected, tables)))


def test_without_a_release_a_guess_names_other_cells():
    rng = np.random.default_rng(0)
    tables = [np.bincount(rng.integers(8, size=5), minlength=8) for _ in range(20_000)]
    guess = np.array([1] * 5 + [0] * 3)
    seen = np.mean([attacks.recovered(t, guess) for t in tables])
    assert seen == pytest.approx(attacks.blind_share(5, 8), abs=0.005)
    assert attacks.blind_share(1, 1) == 1.0


def test_the_recovery_bound_by_hand():
    """Of one record in two cells, epsilon-private: named with the odds of randomised response."""
    for epsilon in (0.1, 1.0, 3.0):
        grown = math.exp(epsilon)
        assert attacks.recovery_bound(1, 2, epsilon) == pytest.approx(min(grown / 2, 1 - 0.5 / grown))
    assert attacks.recovery_bound(3, 9, 1000.0) == 1.0


def test_the_stored_run_comes_out_again():
    """The first tables of a cell, and a cell of fits, which depend on no other library's trees."""
    run = attack_runs.stored_attacks()
    stored = run["reconstruction", "noisy counts", 1.0]
    assert attack_runs.reconstruction_cell("noisy counts", 1.0, 4)["shares"] == stored["shares"][:4]
    assert len(stored["shares"]) == attack_runs.TABLES["noisy counts"]
    stored = run["reconstruction", "published cuts", 2.0]
    again = attack_runs.reconstruction_cell("published cuts", 2.0, 20)["shares"]
    assert again == stored["shares"][:20] and len(stored["shares"]) == 1000
    assert set(run) == set(attack_runs.cells())


def test_stored_attacks_keep_to_the_bounds():
    run = attack_runs.stored_attacks()
    for (kind, name, value), found in run.items():
        if kind == "membership" and attacks.FORESTS[name].private:
            rate = (found["hits"] - found["alarms"]) / found["fits"]
            assert rate < attacks.advantage_bound(value) + 5 / math.sqrt(2 * found["fits"])
        if name == "noisy counts":
            assert np.mean(found["shares"]) < attacks.recovery_bound(40, 128, value)
        if name == "published cuts":  # whatever epsilon is claimed, and at the least one more than it allows
            assert 0.44 < np.mean(found["shares"]) < 0.48
        if name == "leaf counts" and value == 10:
            assert found["shares"] == [1.0] * attack_runs.TABLES[name]
