"""The claims of the chapter `multinomial_privacy`: counterexamples by hand, a wrong function is found out."""

import math
from fractions import Fraction

import numpy as np
import pytest

from dplit import multinomial
from dplit.court import claims
from dplit.mechanisms import PermuteAndFlip

OURS = claims.of("multinomial_privacy")


# Counterexamples, by hand -----------------------------------------------------------------------


def test_one_changed_label_of_three_turns_the_features_over():
    """Gains 4/9 and 1/9 become 1/9 and 4/9; e^b = 3, four features: 3 (1 + 9) / (3 + 3) = 5."""
    a, b, budget = [0, 1, 1], [0, 0, 1], 2 * math.log(3)
    nodes = [multinomial.decreases_of(np.c_[a, b, b, b], y) for y in ([0, 1, 1], [0, 0, 1])]
    assert [d.tolist() for d in nodes[0]] == [[round(4 / 9, 12)], *[[round(1 / 9, 12)]] * 3]
    first, second = (multinomial.feature_law(node, budget)[0] for node in nodes)
    assert first / second == pytest.approx(5)
    assert multinomial.selection_loss(4, budget) == pytest.approx(math.log(5))


def test_the_pair_of_lemma_6_has_different_cuts():
    case = OURS["mrf/lemma-6"].check().counterexample
    assert case["data"] == "((0.2, 0), (0.4, 0))" and case["neighbour"] == "((0.2, 0), (0.6, 0))"
    cuts = [multinomial.candidate_cuts([[0.2], [v]], [0, 0])[0].cuts for v in (0.4, 0.6)]
    assert cuts[0] == pytest.approx(0.3) and cuts[1] == pytest.approx(0.4)


def test_six_against_five_estimation_points():
    case = OURS["mrf/theorem-2"].check().counterexample
    assert case["records"] == [11, 12] and case["by a coin"] == [5, 6]


def test_three_queries_by_hand():
    """A leaf of one record answers 3 queries with its class: (s / (1 - s))^3, s = .6225."""
    case = OURS["mrf/label-per-query"].check().counterexample
    s = 1 / (1 + math.exp(-0.5))
    assert case["queries"] == 3
    assert float(case["exact"]) == pytest.approx(3 * math.log(s / (1 - s)))


def test_two_leaves_by_hand(monkeypatch):
    """(0, 0) and (1, 1) against (1, 0) twice, B3 = 8: ((e^4 + 1) / 2)^2."""
    found = OURS["mrf/tree-labels"].check()
    assert found.kind == "certified" and found.computed == pytest.approx(2 * math.log((math.exp(4) + 1) / 2))
    labels = "dplit.court.claims.multinomial_privacy.labels._softmax_of_shares"
    monkeypatch.setattr(labels, lambda counts, b: multinomial.label_law(counts, 2 * b))
    assert OURS["mrf/tree-labels"].check().verdict == "leaks"


def test_equal_halves_by_hand():
    """e^epsilon = 2: the ratio is 2 e^epsilon - 2 + e^-epsilon."""
    case = OURS["mrf/property-2-halves"].check().counterexample
    assert Fraction(case["ratio"]) == 2 * 2 - 2 + Fraction(1, 2)
    found = OURS["mrf/property-2-halves"].check()
    assert found.computed == pytest.approx(math.log(5 / 2))
    assert 16 < Fraction(case["ratio of 7 and 6 by a coin"]) < 17


def test_halves_that_cost_no_more_by_a_coin_are_no_leak(monkeypatch):
    coin = "dplit.court.claims.multinomial_privacy.composition._by_a_coin"
    monkeypatch.setattr(coin, lambda records: np.ones((2, 2)))
    assert OURS["mrf/property-2-halves"].check().verdict == "holds"


def test_a_chain_of_one_sided_cuts_has_every_level():
    """Algorithm 1 on six estimation points, all beyond the last cut: a node keeps six, and splits."""
    structure, estimation, levels = [1, 2, 3, 4, 5, 6], [9] * 6, 0
    while len(estimation) > 5 and len(set(structure)) > 1:
        cut = min(structure) + 0.5
        structure, estimation = ([v for v in part if v > cut] for part in (structure, estimation))
        levels += 1
    assert levels == multinomial.deepest(6, 5, 6, "algorithm") == 5


# What is wrong is found out ---------------------------------------------------------------------

SCALED = [
    ("selection_loss", "mrf/lemma-5/corrected", 1.01, "fails"),
    ("selection_loss", "mrf/lemma-6/corrected", 0.99, "fails"),
    ("label_loss", "mrf/lemma-7/corrected", 1.01, "fails"),
    ("label_loss", "mrf/ours/label-add-remove", 1.01, "fails"),
    ("label_loss", "mrf/label-per-query/corrected", 0.99, "fails"),
    ("label_loss", "mrf/tree-labels/corrected", 1.01, "fails"),
    ("coin_loss", "mrf/theorem-2-max/corrected", 0.9, "fails"),
    ("coin_loss", "mrf/theorem-2-max/corrected", 1.1, "fails"),
    ("level_rate", "mrf/theorem-2/corrected", 2.0, "leaks"),
    ("level_rate", "mrf/ours/node", 1.1, "leaks"),
    ("normalised_rate", "mrf/ours/node", 1.5, "leaks"),
    ("nodes_changed", "mrf/layer/corrected", 0.4, "fails"),
    ("mass_step", "mrf/ours/impurity-mass", 1.1, "fails"),
    ("mass_sensitivity", "mrf/ours/capped-bits", 0.9, "fails"),
    ("thinned_mass", "mrf/ours/honesty-is-free", 1.01, "fails"),
    ("thinned_error", "mrf/ours/honesty-is-free", 1.01, "fails"),
    ("vote_cap", "mrf/ours/forest-cap", 1.01, "fails"),
    ("accuracy_cap", "mrf/ours/forest-cap", 0.99, "fails"),
    ("cap_epsilon", "mrf/ours/forest-cap", 0.9, "fails"),
]


@pytest.mark.parametrize("name, id, factor, verdict", SCALED)
def test_a_scaled_function_is_found_out(name, id, factor, verdict, monkeypatch):
    function = getattr(multinomial, name)
    monkeypatch.setattr(multinomial, name, lambda *a, **k: factor * function(*a, **k))
    clear_caches()
    assert OURS[id].check().verdict == verdict
    monkeypatch.undo()
    clear_caches()


def clear_caches():
    from dplit.court.claims.multinomial_privacy import theorem_2

    theorem_2._coin_forest.cache_clear()


def test_a_bound_of_another_depth_is_found_out(monkeypatch):
    monkeypatch.setattr(multinomial, "deepest", lambda n, k, s, reading: max(n // k, 0))
    assert OURS["mrf/depth-bound/corrected"].check().verdict == "fails"
    monkeypatch.setattr(multinomial, "deepest", lambda n, k, s, reading: n // k + 1)
    assert OURS["mrf/depth-appendix"].check().verdict == "fails"


def test_fixed_candidates_would_keep_lemma_6(monkeypatch):
    """Cuts that do not depend on the records: nothing of lemma 6's leak is left."""

    def fixed(X, y):
        sides = np.asarray(X)[:, 0] < np.array([[0.3], [0.5], [0.7]])
        return [(np.array([0.3, 0.5, 0.7]), -multinomial.split_masses(sides, y, 2))]

    monkeypatch.setattr(multinomial, "candidate_cuts", fixed)
    assert OURS["mrf/lemma-6"].check().verdict == "holds"


def test_labels_from_all_records_would_leak(monkeypatch):
    """Both parts of a tree see a record: its budget would be the sum."""
    law = multinomial.SmallForestLaw.tree_law

    def careless(self, structure, estimation, depth):
        both = tuple(sorted(structure + estimation))
        return law(self, both, both, depth)

    monkeypatch.setattr(multinomial.SmallForestLaw, "tree_law", careless)
    clear_caches()
    assert OURS["mrf/theorem-2/corrected"].check().verdict == "leaks"
    clear_caches()


def test_a_label_at_twice_its_rate_would_leak(monkeypatch):
    from dplit.court.claims.multinomial_privacy import composition, theorem_2

    class Careless(PermuteAndFlip):
        def __init__(self, epsilon, **options):
            super().__init__(4 * epsilon, **options)

    for docket in (composition, theorem_2):
        monkeypatch.setattr(docket, "PermuteAndFlip", Careless)
    clear_caches()
    assert OURS["mrf/theorem-2/corrected"].check().verdict == "leaks"
    assert OURS["mrf/property-1"].check().verdict in {"fails", "leaks"}
    clear_caches()


def test_a_published_forest_that_keeps_its_shape_would_not_leak(monkeypatch):
    """Trees of a public depth: the shape no longer tells how many estimation points there are."""
    from dplit.court.claims.multinomial_privacy import theorem_2

    forest = theorem_2.MultinomialForestClassifier

    def of_public_depth(**options):
        options.pop("min_samples_leaf")
        return forest(**options | {"accounting": "proved", "max_depth": 1})

    monkeypatch.setattr(theorem_2, "MultinomialForestClassifier", of_public_depth)
    assert OURS["mrf/theorem-2"].check().verdict == "holds"


def test_a_gini_mass_without_its_denominator_is_found_out(monkeypatch):
    monkeypatch.setattr(multinomial, "impurity_mass", lambda c: np.asarray(c).sum(-1) * 1.0)
    assert OURS["mrf/ours/impurity-mass"].check().verdict == "fails"


@pytest.mark.deep
@pytest.mark.parametrize("id", ["lemma-7/corrected", "layer/corrected", "ours/honesty-is-free"])
def test_over_wider_ranges(id):
    assert OURS[f"mrf/{id}"].check("reader").verdict == "holds"
