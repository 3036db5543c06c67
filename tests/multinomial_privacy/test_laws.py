"""Losses and laws by other methods: enumeration, fractions, decimals, draws."""

import math
from functools import partial
from itertools import product

import mpmath
import numpy as np
import pytest
from scipy.stats import entropy

from dplit import multinomial
from dplit.court.ledger import interval
from dplit.loss import compare_laws
from dplit.mechanisms import Exponential, PermuteAndFlip

# Losses -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("candidates, budget", [(2, 1.0), (3, 0.2), (4, 6.0)])
def test_selection_loss_is_the_worst_over_all_scores(candidates, budget):
    """Every vector of scores on a grid that takes both ends; any of them may be a neighbour's."""
    grid = [s for s in product((0, 0.3, 0.5, 1), repeat=candidates) if {0, 1} <= set(s)]
    laws = [Exponential(budget).pmf(scores) for scores in grid]
    worst = max(compare_laws(p, q).loss for p, q in product(laws, laws))
    assert multinomial.selection_loss(candidates, budget) == pytest.approx(worst)


def test_selection_loss_between_half_of_the_budget_and_all():
    assert multinomial.selection_loss(1, 3.0) == multinomial.selection_loss(7, 0.0) == 0
    assert multinomial.selection_loss(2, 3.0) == pytest.approx(1.5)
    assert multinomial.selection_loss(10**9, 3.0) == pytest.approx(3.0)
    assert multinomial.selection_loss(10**9, 2000.0) == pytest.approx(1000 + math.log(10**9))
    with pytest.raises(ValueError, match="budget must be a number of at least 0, got -1"):
        multinomial.selection_loss(3, -1)


def test_label_law_in_decimals():
    counts, budget = [3, 0, 1], 2.5
    weights = [mpmath.exp(mpmath.mpf(5) / 4 * c / 4) for c in counts]
    want = [float(w / sum(weights)) for w in weights]
    assert multinomial.label_law(counts, budget) == pytest.approx(want, rel=1e-14)
    assert multinomial.label_law([[0, 0], [7, 2]], 0.0).tolist() == [[0.5, 0.5], [0.5, 0.5]]
    assert multinomial.label_law([2, 2, 1], np.inf).tolist() == [0.5, 0.5, 0]
    assert multinomial.label_law([0, 5], 1e6).tolist() == [0, 1]
    with pytest.raises(ValueError, match="counts must be whole"):
        multinomial.label_law([0.5, 1], 1.0)


def test_label_loss_by_hand():
    """e^b = 2: a leaf of one record of two classes says either with 2/3 and 1/3."""
    budget = 2 * math.log(2)
    assert multinomial.label_loss(1, 2, budget, "replace-one") == pytest.approx(math.log(2))
    assert multinomial.label_loss(1, 2, budget) == pytest.approx(math.log(3 / 2))
    assert multinomial.label_loss(5, 1, budget) == 0
    # two records: e^(b/2) = sqrt 2 each, against (2, 1) / 3
    assert multinomial.label_loss(2, 2, budget) == pytest.approx(math.log(3 / 2))
    assert 1000 * multinomial.label_loss(1000, 2, 50.0) == pytest.approx(50, rel=0.02)


def test_coin_loss_by_hand():
    assert multinomial.coin_loss(0.7, 0.7) == pytest.approx(0.7)
    assert multinomial.coin_loss(math.log(3), 0.0) == pytest.approx(math.log(2))
    assert multinomial.coin_loss(0.0, 800.0) == pytest.approx(800 - math.log(2))


def test_depths_by_hand():
    """Eleven estimation points at k = 5: one split keeps 5 and 6."""
    assert [multinomial.deepest(n, 5, 100) for n in (4, 9, 10, 14, 15, 56)] == [0, 0, 1, 1, 2, 10]
    assert multinomial.deepest(56, 5, 4) == 3
    found = [multinomial.deepest(n, 5, 100, "algorithm") for n in (5, 6, 500)]
    assert found == [0, 99, 99]
    with pytest.raises(ValueError, match="stopping must be one of"):
        multinomial.deepest(5, 5, 5, "section")


# What the budget allows -------------------------------------------------------------------------


@pytest.mark.parametrize("trees", [1, 3, 4])
def test_vote_cap_over_all_votes(trees):
    right = 1 / (1 + math.exp(-2.0 / trees / 2))
    total = 0.0
    for votes in product((0, 1), repeat=trees):
        share = sum(votes) / trees
        chance = math.prod(right if v else 1 - right for v in votes)
        total += chance * (0.5 if share == 0.5 else share > 0.5)
    assert multinomial.vote_cap(trees, 2.0) == pytest.approx(total)


def test_the_epsilon_of_a_cap_is_the_least():
    most = multinomial.cap_epsilon(0.9, 7)
    assert multinomial.vote_cap(7, most) == pytest.approx(0.9)
    assert multinomial.cap_epsilon(0.75, 1) == pytest.approx(2 * math.log(3))
    with pytest.raises(ValueError, match="accuracy must lie between"):
        multinomial.cap_epsilon(1.0, 7)


@pytest.mark.parametrize("classes, budget", [(2, 1.0), (5, 3.0)])
def test_accuracy_cap_by_its_formula(classes, budget):
    top = math.exp(budget / 2)
    assert multinomial.accuracy_cap(classes, budget) == pytest.approx(top / (top + classes - 1))


def test_half_of_one_record_has_no_mass():
    assert multinomial.thinned_mass([[1, 0], [0, 0], [1, 1]]).tolist() == [0, 0, 0.25]
    assert multinomial.thinned_error(0, 3.0) == 0.5


# Impurity mass ----------------------------------------------------------------------------------


def test_impurity_mass_by_hand():
    """(3, 1): 4 - 10/4, and 3 log2(4/3) + 2 bits."""
    assert multinomial.impurity_mass([[3, 1], [0, 0], [5, 0]]).tolist() == [1.5, 0, 0]
    bits = multinomial.impurity_mass([[3, 1], [0, 0]], "entropy")
    assert bits == pytest.approx([4 * entropy([3, 1], base=2), 0])
    assert multinomial.impurity_mass([3, 1], "entropy", 0.1) == pytest.approx(0.4)
    capped = multinomial.impurity_mass([3, 1], "entropy", 1.0)
    assert capped == pytest.approx(3 * math.log2(4 / 3) + 1)


def test_entropy_needs_a_cap():
    with pytest.raises(ValueError, match="most_bits must be a positive number for entropy"):
        multinomial.level_rate(1.0, 3, "entropy")
    with pytest.raises(ValueError, match="criterion must be one of"):
        multinomial.mass_sensitivity("variance")
    assert multinomial.mass_sensitivity("entropy", 3.0) == pytest.approx(3 + math.log2(math.e))


def test_rates():
    assert multinomial.level_rate(1.0, 5) == 0.1
    assert multinomial.level_rate(1.0, 5, neighbours="replace-one") == 0.05
    assert multinomial.normalised_rate(1.0, 5) == 0.1
    assert multinomial.normalised_rate(1.0, 5, "replace-one") == pytest.approx(1 / 18)
    with pytest.raises(ValueError, match="depth must be an integer of at least 1, got 0"):
        multinomial.level_rate(1.0, 0)


# The law of a node ------------------------------------------------------------------------------

VALUES, LABELS = [[0.1], [0.4], [0.4], [0.9]], [0, 0, 1, 1]


def test_a_node_by_hand():
    """Cuts in four intervals; 4 T is 2, 4/3, 4/3 and 2 there."""
    found = multinomial.range_cuts(VALUES, [0.0], [1.0])
    assert found.base == pytest.approx([0.1, 0.3, 0.5, 0.1])
    assert found.low.tolist() == [0, 0.1, 0.4, 0.9] and found.high.tolist() == [0.1, 0.4, 0.9, 1]
    assert found.left.sum(axis=1).tolist() == [0, 1, 3, 4]
    law = multinomial.split_law(found.left, LABELS, 2, 1.5 * math.log(2), found.base)
    weights = [base * 2 ** (-1.5 * m) for base, m in zip((0.1, 0.3, 0.5, 0.1), (2, 4 / 3, 4 / 3, 2))]
    assert law == pytest.approx([w / sum(weights) for w in weights])


def test_values_beyond_the_range_are_clipped_and_features_weigh_the_same():
    found = multinomial.range_cuts([[-3.0, 5.0], [0.5, 30.0]], [0.0, 0.0], [1.0, 20.0])
    assert found.feature.tolist() == [0, 0, 1, 1]
    assert found.base == pytest.approx([0.25, 0.25, 0.125, 0.375])
    assert found.left.sum(axis=1).tolist() == [1, 2, 0, 1]


def test_an_infinite_rate_takes_the_least_mass_and_a_small_one_the_base():
    found = multinomial.range_cuts(VALUES, [0.0], [1.0])
    best = multinomial.split_law(found.left, LABELS, 2, np.inf, found.base)
    assert best == pytest.approx([0, 3 / 8, 5 / 8, 0])
    base = multinomial.split_law(found.left, LABELS, 2, 1e-12, found.base)
    assert base == pytest.approx(found.base)


def test_no_records_leave_the_base():
    found = multinomial.range_cuts(np.empty((0, 2)), [0, 0], [1, 2])
    law = multinomial.split_law(found.left, [], 3, 5.0, found.base)
    assert law.tolist() == [0.5, 0.5]


def test_the_normalised_law_forgets_how_many_records_there_are():
    few = multinomial.range_cuts(VALUES, [0.0], [1.0])
    many = multinomial.range_cuts(VALUES * 50, [0.0], [1.0])
    laws = [
        multinomial.normalised_split_law(c.left, LABELS * times, 2, 2.0, c.base)
        for c, times in ((few, 1), (many, 50))
    ]
    weights = few.base * np.exp([0, 2, 2, 0])
    assert laws[0] == pytest.approx(weights / weights.sum())
    assert laws[1] == pytest.approx(laws[0])


# The law of a small forest ----------------------------------------------------------------------

KINDS = tuple(product((0, 1), repeat=3))


def forest(**options):
    return multinomial.SmallForestLaw(
        **{
            "left": tuple(tuple(kind[j] == 0 for kind in KINDS) for j in (0, 1)),
            "labels": tuple(kind[2] for kind in KINDS),
            "classes": 2,
            "depth": 1,
            "node_law": partial(multinomial.split_law, rate=1.0),
            "label_law": PermuteAndFlip(1.0, monotonic=True).pmf,
        }
        | options
    )


@pytest.mark.parametrize("options", [{}, {"n_trees": 2}, {"depth": 2}, {"way": "halves"}])
def test_probabilities_sum_to_one(options):
    law = forest(**options)((0, 3, 5, 6))
    assert sum(law.values()) == pytest.approx(1) and min(law.values()) > 0


def test_a_small_forest_is_what_is_drawn():
    """Coins, candidates and labels drawn one after the other; nothing of the law is used."""
    rng, draws, records = np.random.default_rng(10), 30_000, (0, 3, 5)
    law, hits = forest()(records), {}
    flip = PermuteAndFlip(1.0, monotonic=True)
    kinds = np.array([KINDS[r] for r in records])
    for coins in rng.integers(2, size=(draws, len(records))):
        structure, estimation = kinds[coins == 0], kinds[coins == 1]
        masses = [mass_by_hand(structure, j) for j in (0, 1)]
        c = int(rng.random() > 1 / (1 + math.exp(masses[0] - masses[1])))
        leaves = [estimation[estimation[:, c] == side, 2] for side in (0, 1)]
        counts = [np.bincount(leaf, minlength=2) for leaf in leaves]
        tree = (c, *flip.sample(counts, rng=rng).tolist())
        hits[tree] = hits.get(tree, 0) + 1
    assert set(hits) == {tree for (tree,) in law}
    for (tree,), p in law.items():
        low, high = interval(hits[tree], draws)
        assert low < p < high


def mass_by_hand(records, column):
    """Sum over both sides of the records in pairs of different classes, twice, over the side's size."""
    total = 0.0
    for side in (0, 1):
        labels = records[records[:, column] == side, 2]
        if len(labels):
            total += 2 * labels.sum() * (len(labels) - labels.sum()) / len(labels)
    return total


def test_halves_are_of_one_tree():
    with pytest.raises(ValueError, match="n_trees must be 1 where records are halved, got 2"):
        forest(way="halves", n_trees=2)
    with pytest.raises(ValueError, match="way must be one of"):
        forest(way="thirds")
