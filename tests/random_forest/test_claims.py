"""The claims of the chapter `random_forest`: counterexamples reproduce, a wrong function is found out."""

import functools
import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import t as student

from dplit import Continuous, Domain, depth, majority, random_forest
from dplit.court import audit, claims
from dplit.court.ledger import certify
from dplit.forests import RandomDecisionForestClassifier

OURS = claims.of("random_forest")


# Counterexamples, by hand -----------------------------------------------------------------------


def test_two_equal_parts_by_hand():
    """Record A, then A and B: labels B in the first tree, A in the second; e^epsilon = 2."""
    half = Fraction(1, 2)
    flip = half / 2  # of a leaf with one record
    alone = flip * half
    both = half * flip * flip + half * (1 - flip) ** 2  # A in the first tree, or B
    stated = certify.statements()["rdf/parallel-parts"].numbers({"H": 2})
    assert stated == (both / alone, 2) == (Fraction(5, 2), 2)
    assert OURS["rdf/parallel-parts"].check().counterexample["refuted"]["H"][0] > 1


def test_three_classes_cost_less_than_epsilon_on_few_records():
    """Two trees, two records of one class and a third of another: all labels of that class, by hand."""
    third = Fraction(1, 3)
    other = [1 - (1 - (1 - third**m) ** 3) / (3 * third**m) for m in range(3)]  # over both others
    tells = [wrong / 2 for wrong in other]  # one of the others
    before = (2 * tells[2] * tells[0] + 2 * tells[1] ** 2) / 4
    law = random_forest.ForestLaw((1, 1), 3, random_forest.rational_label_law(3))
    one, more = law([(0, 0, 0)] * 2), law([(0, 0, 0)] * 2 + [(0, 0, 1)])
    assert one[1, 1] == before
    assert more[1, 1] / one[1, 1] == Fraction(731, 261) < 3


def test_votes_of_shares_win_from_an_epsilon_on():
    """Of the three records: worse at e^(epsilon/3) = 2.3, better at 2.5, in fractions."""
    from dplit.court.claims.random_forest.three_trees import _all_data_vote, _share_vote

    first = OURS["rdf/disjoint-forest"].check()
    data = ((0, 0, 1, 0), (0, 1, 0, 1), (1, 0, 1, 0))
    excess = [_share_vote(data, o) - _all_data_vote(data, o) for o in (Fraction(23, 10), Fraction(5, 2))]
    assert excess[0] > 0 > excess[1]
    assert 3 * math.log(2.3) < 2.623 < 3 * math.log(2.5) and "2.623" in first.summary


def test_no_smaller_data_leaks():
    """The empty data set and one record: within epsilon, whichever record it is."""
    law = random_forest.ForestLaw((1, 1), 2, random_forest.rational_label_law(2), "equal-parts")
    assert max(audit.privacy_loss(law, (), (r,)) for r in law.universe) <= math.log(2) + 1e-12


def test_two_of_three_records_by_hand():
    """(2, 1) in one tree flips with 1/4; a share of two trees, over all eight deals."""
    found = OURS["rdf/more-trees-more-flips"].check().counterexample
    flipped = dealt = Fraction(0)
    for deal in itertools.product((0, 1), repeat=3):
        i, k = deal[0] + deal[1], deal[2]
        dealt += Fraction(i + k > 0, 8)
        if i != k:
            flipped += Fraction(1, 8) * Fraction(1, 2 ** (abs(i - k) + 1))
    assert (found["counts"], found["trees"]) == ([2, 1], [1, 2])
    assert found["flipped"] == [Fraction(1, 4), flipped / dealt]


def test_a_hundred_trees_on_one_record_by_hand():
    """One feature, depth 1: a share is right with 1/2 + (1 - e^(-c/tau))/2, c = (1 - 1/e)/2."""
    found = OURS["rdf/hundred-trees"].check().counterexample
    assert [found[k] for k in ("n", "features", "depth", "trees")] == [1, 1, 1, 1]
    c = (1 - math.exp(-1)) / 2
    assert found["accuracy"] == pytest.approx(1 - math.exp(-c) / 2)
    rng = np.random.default_rng(2)
    votes = rng.binomial(100, 1 - math.exp(-c / 100) / 2, size=400_000)
    share = np.mean(votes > 50) + np.mean(votes == 50) / 2
    assert found["with 100 trees"] == pytest.approx(share, abs=6 * 0.5 / math.sqrt(400_000))  # 2e-9


def test_the_published_error_is_below_every_private_one():
    """Solved without the formula of the bound: the linear programme on leaves of at most one record."""
    low, high = majority.optimal_bounds(1, 2, 2.0)
    error, one = 1 / (1 + math.exp(math.e**2)), certify.statements()["rdf/smooth-less-noise"]
    assert error < low
    assert one.numbers({"j": 1, "e": 2}) == pytest.approx((1 / error, 1 / high))


def test_students_noise_with_a_variance_is_private():
    epsilon, beta, nu = 1.0, 0.2, 3
    scale = 1 / random_forest.student_factor(epsilon, beta, nu)
    z = np.linspace(-400, 400, 800_001)
    for ratio in (1, math.exp(beta)):
        loss = np.abs(student.logpdf(z, nu) - student.logpdf(z, nu, scale, ratio)).max()
        assert loss <= epsilon
    assert student(nu).var() < math.inf == student(2).var()


# What a fitted forest says of itself ------------------------------------------------------------


@pytest.mark.parametrize("neighbours", ["add-remove", "replace-one"])
@pytest.mark.parametrize("accounting", ["proved", "published"])
def test_budget_of_a_fitted_forest(accounting, neighbours):
    """Proved: epsilon, by either relation. Published: the bound of equal parts, or twice epsilon."""
    forest = RandomDecisionForestClassifier(
        0.7, domain=Domain([Continuous(0, 1)]), classes=[0, 1], neighbours=neighbours,
        n_estimators=3, max_depth=1, accounting=accounting, random_state=0,
    )  # fmt: skip
    spent = forest.fit([[0.2], [0.7]], [0, 1]).budget_.epsilon
    equal = math.log(math.exp(0.7) / 3 + 2 / 3 * math.exp(2.1))
    expected = {"proved": 0.7, "published": equal if neighbours == "add-remove" else 1.4}
    assert spent == pytest.approx(expected[accounting])


# A check that can't fail is none ----------------------------------------------------------------


def test_sound_parts_are_not_those_that_leak(monkeypatch):
    monkeypatch.setattr("dplit.court.claims.random_forest.parts.EQUAL", "independent")
    assert OURS["rdf/parallel-parts"].check().verdict == "fails"


def test_equal_parts_would_not_pass_as_independent(monkeypatch):
    monkeypatch.setattr("dplit.court.claims.random_forest.parts.INDEPENDENT", "equal-parts")
    assert OURS["rdf/independent-parts"].check().verdict == "fails"


def test_votes_of_three_trees_by_the_law_of_the_forest():
    """Shares never better with two records, better with the claim's three, at e^(epsilon/3) = 4."""

    def errors(data):
        leaves, labels = [r[:-1] for r in data], [r[-1] for r in data]
        law = random_forest.rational_label_law
        shares = random_forest.forest_law(leaves, labels, (2, 2, 2), 2, law(64)).sum(axis=(1, 3, 5))
        counts = [[sum(r[t] == 0 and r[-1] == c for r in data) for c in (0, 1)] for t in range(3)]
        full = functools.reduce(np.multiply.outer, [law(4)(np.array(c)) for c in counts])
        wrong = [votes for votes in itertools.product((0, 1), repeat=3) if sum(votes) > 1]
        return sum(shares[v] for v in wrong), sum(full[v] for v in wrong)

    records = [r for r in itertools.product((0, 1), repeat=4) if 0 in r[:3]]
    for data in itertools.combinations_with_replacement(records, 2):
        if sum((1 - 2 * r[-1]) * r[:3].count(0) for r in data) > 0:
            shares, full = errors(data)
            assert shares >= full
    shares, full = errors([(0, 0, 1, 0), (0, 1, 0, 1), (1, 0, 1, 0)])
    found = OURS["rdf/disjoint-forest"].check()
    assert (found.computed, found.published) == (float(shares), float(full))
    assert shares < full


@pytest.mark.parametrize(
    ("module", "name", "change", "claim"),
    [
        (random_forest, "equal_parts_bound", lambda b: 0.99 * b, "rdf/parallel-parts/corrected"),
        (random_forest, "equal_parts_bound", lambda b: 1.01 * b, "rdf/parallel-parts/corrected"),
        (random_forest, "equal_parts_family_loss", lambda x: x - 0.01, "rdf/parallel-parts/corrected"),
        (depth, "effective_records", lambda r: 1.001 * r, "rdf/all-data-records"),
        (random_forest, "poisson_error", lambda e: 1.001 * e, "rdf/all-data-records/classes"),
        (majority, "unanimous_error", lambda e: e**1.001, "rdf/independent-parts"),
        (depth, "effective_records", lambda r: 1.001 * r, "rdf/figure-5b/corrected"),
        (majority, "disjoint_error", lambda e: 1.001 * e, "rdf/more-trees-more-flips/corrected"),
        (majority, "disjoint_error", lambda e: min(e, 0.3), "rdf/more-trees-more-flips/corrected"),
        (majority, "one_sided_law", lambda p: p * 0 + 0.21, "rdf/flips-20"),
        (random_forest, "smallest_equal_parts_loss", lambda x: 1.01 * x, "rdf/parallel-parts"),
        (majority, "gap_error", lambda e: 1.001 * e, "rdf/all-data-records"),
        (depth, "forest_accuracy", lambda a: a + 1e-6, "rdf/number-of-trees"),
        (random_forest, "vote_errors", lambda e: 1.000001 * e, "rdf/number-of-trees"),
        (random_forest, "free_beta", lambda b: 1.1 * b, "rdf/smooth-cauchy"),
        (random_forest, "median_smooth_sensitivity", lambda s: 0.9 * s, "rdf/smooth-cauchy"),
        (random_forest, "suggested_trees", lambda t: 1.01 * t, "rdf/hundred-trees/corrected"),
        (majority, "disjoint_vote_error", lambda e: 0.7 * e, "rdf/same-leaves-one-tree"),
        (random_forest, "student_factor", lambda c: 0.98 * c, "rdf/requires-cauchy/corrected"),
        (random_forest, "student_loss", lambda x: 1.01 * x, "rdf/requires-cauchy/corrected"),
        (random_forest, "smooth_factor", lambda c: 0.99 * c, "rdf/smooth-cauchy"),
        (random_forest, "smooth_loss", lambda x: 1.001 * x, "rdf/smooth-cauchy"),
        (random_forest, "stable_release", lambda p: np.minimum(1, 1.01 * p), "rdf/instability"),
        (random_forest, "distance_to_instability", lambda d: d + 1, "rdf/instability"),
        (random_forest, "pure_delta", lambda d: min(0.5, 1.02 * d), "rdf/instability-classes"),
        (random_forest, "stable_error", lambda e: 0.98 * e, "rdf/instability-classes"),
        (random_forest, "delta_error_bound", lambda e: 0.999 * e, "rdf/delta-optimum"),
    ],
)
def test_a_wrong_function_is_found_out(module, name, change, claim, monkeypatch):
    right = getattr(module, name)
    declared = OURS[claim].verdict
    assert OURS[claim].check().verdict == declared
    monkeypatch.setattr(module, name, lambda *args, **options: change(right(*args, **options)))
    assert OURS[claim].check().verdict == "fails"


def test_cuts_that_need_no_correction_would_hold(monkeypatch):
    monkeypatch.setattr(random_forest, "published_children", random_forest.children)
    assert OURS["rdf/algorithm-2-cuts"].check().verdict == "holds"


def test_a_hundred_best_trees_would_hold(monkeypatch):
    monkeypatch.setattr(depth, "forest_accuracy", lambda *args: 0.5 + args[-1] / 1000)
    assert OURS["rdf/hundred-trees"].check().verdict == "holds"
