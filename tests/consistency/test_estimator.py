"""Stored runs through the estimators: a part is computed again, and what they are made of is checked by hand."""

import math

import numpy as np
import pytest
from scipy import stats

from dplit import Continuous, Domain, baselines, consistency
from dplit.court import claims
from dplit.court.experiments.chapters import forest_paths as paths
from dplit.court.experiments.chapters import rivals
from dplit.ground.stored import stored_cells


def rate(events, draws):
    return claims.interval(events, draws)


def stored_counts(budget):
    """The stored counts at a budget, of all its blocks together."""
    cells = stored_cells(paths.FILE)
    blocks = [cells[f"{budget:g}/{i}"] for i in range(paths.BLOCKS)]
    return {name: sum(block[name] for block in blocks) for name in blocks[0]}


def stored_rivals():
    """The stored run by law, method and n."""
    run = stored_cells(rivals.FILE)
    return {key: run["/".join(map(str, key))] for key in rivals.cells()}


@pytest.mark.parametrize("law", rivals.LAWS)
def test_bayes_risks_and_halves_by_a_grid(law):
    eta, bayes = rivals.LAWS[law]
    sides = [(np.arange(m) + 0.5) / m for m in (200, 200, 20)]
    at = eta(np.stack(np.meshgrid(*sides), axis=-1).reshape(-1, 3))
    assert np.minimum(at, 1 - at).mean() == pytest.approx(bayes, abs=1e-3)
    assert at.mean() == pytest.approx(0.5, abs=5e-3)


def test_a_tree_by_hand():
    """x1 <= .5, then x2 <= .25 on the left and x2 <= .75 on the right."""
    feature, threshold = np.array([0, 1, 1, -1, -1, -1, -1]), np.array([0.5, 0.25, 0.75, *[0] * 4])
    left = np.array([1, 3, 5, 0, 0, 0, 0])
    points = np.array([[0.1, 0.1], [0.5, 0.3], [0.6, 0.75], [0.9, 0.8]])
    low, high = paths.leaf_boxes(feature, threshold, left, left + 1, points)
    assert low.tolist() == [[0, 0], [0, 0.25], [0.5, 0], [0.5, 0.75]]
    assert high.tolist() == [[0.5, 0.25], [0.5, 1], [1, 0.75], [1, 1]]


@pytest.mark.parametrize("method", rivals.METHODS)
def test_boxes_are_those_of_the_leaves(method):
    """Points of one leaf have one box that holds them; points of two leaves have two."""
    rng = np.random.default_rng(0)
    x = rng.random((300, 3))
    forest = rivals.METHODS[method](
        domain=Domain([Continuous(0, 1)] * 3), classes=[0, 1], n_estimators=2, min_samples_leaf=5, random_state=0
    ).fit(x, (x[:, 0] > x[:, 1]).astype(int))
    points = rng.random((500, 3))
    low, high = paths.leaf_boxes(*paths.first_tree(forest), points)
    assert ((low < points) & (points <= high)).all()
    boxes = {leaf: set() for leaf in forest.apply(points)[:, 0]}
    for leaf, *box in zip(forest.apply(points)[:, 0], low.tolist(), high.tolist()):
        boxes[leaf].add(str(box))
    assert {len(b) for b in boxes.values()} == {1}
    assert len(set.union(*boxes.values())) == len(boxes) > 10


def test_the_forests_first_cuts_are_the_paths_first_cuts():
    """One level, counted by the estimator and by the paths that the claims draw."""
    for budget in (0.0, 10.0):
        ours, theirs = (draw(budget, np.random.default_rng(seed)) for seed, draw in enumerate((fits, followed)))
        assert stats.ks_2samp(ours, theirs).pvalue > 1e-6


def fits(budget, rng):
    found = paths.forest_paths(60, 3, 2, 400, budget, trend=1.0, levels=1, rng=rng)
    return (found.high - found.low).prod(axis=1)


def followed(budget, rng):
    found = consistency.observed_paths(30, 30, 3, 2, 400, budget, budget, trend=1.0, levels=1, rng=rng)
    return (found.high - found.low).prod(axis=1)


def test_votes_are_those_of_the_trees():
    found = paths.forest_paths(80, 5, 3, 60, 2.0, pair=0.3, trend=0.4, trees=3, rng=np.random.default_rng(1))
    assert found.votes.shape == (60, 3) and len(set(found.label)) == 2
    assert (found.vote == (found.votes.sum(axis=1) > 1)).all()


@pytest.mark.parametrize("budget", paths.BUDGETS)
def test_the_lemmas_hold_of_the_stored_fits(budget):
    cell, levels = stored_counts(budget), paths.LEVELS
    draws = cell["draws"]
    assert draws == paths.DRAWS * paths.BLOCKS and cell["vote"] < cell["tree"]
    excess = consistency.vote_excess_bound(rate(cell["tree"], draws)[1] - 0.2)
    assert rate(cell["vote"], draws)[0] <= 0.2 + excess
    assert rate(cell["small"], draws)[0] <= consistency.small_cell_bound(paths.DELTA, levels)
    size = rate(cell["size"], draws)
    if budget < math.inf:
        assert size[0] <= consistency.any_law_size(levels, 2, budget, budget)
    if budget == 0:
        assert size[0] <= consistency.mean_power(levels, 2) <= size[1]


def test_a_block_of_the_counts_is_computed_again():
    cells = stored_cells(paths.FILE)
    assert len(cells) == len(paths.BUDGETS) * paths.BLOCKS
    assert paths.counted_cell(10.0, 3) == cells["10/3"]


def test_a_part_of_the_rivals_is_computed_again():
    run = stored_rivals()
    assert len(stored_cells(rivals.FILE)) == len(run) == 3 * 7 * 4
    for key in (("pair", "MRF, B = 2", 1000), ("disc", "Denil14", 1000), ("trend", "Breiman", 1000)):
        again = rivals.rivals_cell(*key)
        for name, value in again.items():
            np.testing.assert_allclose(value, run[key][name], rtol=1e-9, err_msg=str(key))


def test_every_method_comes_nearer_to_the_bayes_risk():
    """From a thousand records to a million; no excess is negative."""
    run = stored_rivals()
    for law in rivals.LAWS:
        for method in rivals.METHODS:
            cells = [run[key] for key in rivals.cells() if key[:2] == (law, method)]
            errors = [np.mean(cell["excess"]) for cell in cells]
            assert (np.diff(errors) < 0).all() and errors[-1] > 0, (law, method)
            assert cells[-1]["extent"] < cells[0]["extent"]


def test_leaves_without_gains_have_their_exact_size_and_number():
    """B = 0 on the uniform cube: the first tree's leaves, on average over fresh points."""
    run = stored_rivals()
    for law in rivals.LAWS:
        for n in (10_000, 100_000):
            cell, k = run[law, "MRF, B = 0", n], math.isqrt(n)
            assert cell["extent"] == pytest.approx(consistency.leaf_power(n // 2, k, 3, 1), rel=0.1)
            mean = consistency.leaf_count_law(k) @ np.arange(k + 1)
            assert cell["records"] == pytest.approx(2 * mean, rel=0.06)


def test_the_rivals_are_the_baselines():
    build = dict(domain=None, classes=[0, 1], n_estimators=1, min_samples_leaf=1, random_state=0)
    assert isinstance(rivals.METHODS["Denil14"](**build), baselines.DenilForestClassifier)
    assert isinstance(rivals.METHODS["BRF"](**build), baselines.BernoulliForestClassifier)
    ours = rivals.METHODS["MRF, B = inf"](**build)
    assert (ours.feature_budget, ours.value_budget, ours.label_budget) == (math.inf, math.inf, None)
