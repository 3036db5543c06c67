"""The claims of the chapter `random_forest`: verdicts follow the computation, counterexamples reproduce."""

import importlib
import itertools
import json
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import t as student

from dplit import Continuous, Domain, audit, claims, depth, majority, random_forest
from dplit.claims import rdf_forest, rdf_trees, rdf_valid
from dplit.forests import RandomDecisionForestClassifier

OURS = [c for c in claims.all("rdf") if c.chapter == "random_forest"]
WRONG = ("fails", "leaks", "loose")


@pytest.mark.parametrize("c", OURS, ids=lambda c: c.id)
def test_verdict_is_computed(c):
    found = c.check()
    assert found.verdict == c.verdict
    assert found.summary.endswith(".")
    json.dumps(found.to_dict())
    assert (found.counterexample is not None) == (c.verdict in ("fails", "leaks"))


@pytest.mark.parametrize("c", [c for c in OURS if c.verdict in WRONG], ids=lambda c: c.id)
def test_what_holds_instead(c):
    instead = claims.get(c.holds_instead)
    assert instead.ours and instead.verdict == "holds"


def test_fields():
    for c in OURS:
        assert c.anchor and c.functions and c.test.endswith("test_rdf_forest_claims.py")
        for name in c.functions:
            module, _, function = name.rpartition(".")
            assert callable(getattr(importlib.import_module(f"dplit.{module}"), function))


def test_every_row_has_its_claim():
    rows = """parallel-parts independent-parts all-data-records figure-5b more-trees-more-flips flips-20
        number-of-trees hundred-trees same-leaves-one-tree disjoint-forest requires-cauchy smooth-cauchy
        instability instability-classes smooth-less-noise delta-optimum"""
    assert {f"rdf/{row}" for row in rows.split()} <= {c.id for c in OURS}


# Counterexamples, by hand -----------------------------------------------------------------------


def test_two_equal_parts_by_hand():
    """Record A, then A and B: labels B in the first tree, A in the second; e^epsilon = 2."""
    found = claims.get("rdf/parallel-parts").check().counterexample
    half = Fraction(1, 2)
    flip = half / 2  # of a leaf with one record
    alone = flip * half
    both = half * flip * flip + half * (1 - flip) ** 2  # A in the first tree, or B
    assert found["data"] == ((0, 0, 0),) and found["neighbour"] == ((0, 0, 0), (0, 0, 1))
    assert found["likelihood_ratio"] == both / alone == Fraction(5, 2)


def test_no_smaller_data_leaks():
    """The empty data set and one record: within epsilon, whichever record it is."""
    law = random_forest.ForestLaw((1, 1), 2, random_forest.rational_label_law(2), "equal-parts")
    assert max(audit.privacy_loss(law, (), (r,)) for r in law.universe) <= math.log(2) + 1e-12


def test_two_of_three_records_by_hand():
    """(2, 1) in one tree flips with 1/4; a share of two trees, over all eight deals."""
    found = claims.get("rdf/more-trees-more-flips").check().counterexample
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
    found = claims.get("rdf/hundred-trees").check().counterexample
    assert [found[k] for k in ("n", "features", "depth", "trees")] == [1, 1, 1, 1]
    c = (1 - math.exp(-1)) / 2
    assert found["accuracy"] == pytest.approx(1 - math.exp(-c) / 2)
    rng = np.random.default_rng(2)
    votes = rng.binomial(100, 1 - math.exp(-c / 100) / 2, size=400_000)
    share = np.mean(votes > 50) + np.mean(votes == 50) / 2
    assert found["with 100 trees"] == pytest.approx(share, abs=6 * 0.5 / math.sqrt(400_000))  # 2e-9


def test_the_published_error_is_below_every_private_one():
    """Solved without the formula of the bound: the linear programme on leaves of at most one record."""
    found = claims.get("rdf/smooth-less-noise").check().counterexample
    assert (found["counts"], found["epsilon"]) == ([1, 0], 2.0)
    assert found["error"] == pytest.approx(1 / (1 + math.exp(math.e**2)))
    low, high = majority.optimal_bounds(1, 2, 2.0)
    assert found["error"] < low
    assert found["least private error"] == pytest.approx(high)


def test_students_noise_with_a_variance_is_private():
    found = claims.get("rdf/requires-cauchy").check().counterexample
    scale, nu = 1 / found["factor"], found["degrees"]
    z = np.linspace(-400, 400, 800_001)
    for ratio in (1, math.exp(found["beta"])):
        loss = np.abs(student.logpdf(z, nu) - student.logpdf(z, nu, scale, ratio)).max()
        assert loss <= found["epsilon"]
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


def fails(id):
    return claims.get(id).check().verdict == "fails"


def test_sound_parts_would_not_leak(monkeypatch):
    monkeypatch.setattr(rdf_forest, "EQUAL", "independent")
    assert claims.get("rdf/parallel-parts").check().verdict == "holds"


def test_equal_parts_would_not_pass_as_independent(monkeypatch):
    monkeypatch.setattr(rdf_forest, "INDEPENDENT", "equal-parts")
    assert fails("rdf/independent-parts")


@pytest.mark.parametrize(
    ("module", "name", "change", "claim"),
    [
        (audit, "equal_parts_bound", lambda b: 0.99 * b, "rdf/parallel-parts/corrected"),
        (audit, "equal_parts_bound", lambda b: 1.01 * b, "rdf/parallel-parts/corrected"),
        (audit, "equal_parts_family_loss", lambda x: x - 0.01, "rdf/parallel-parts/corrected"),
        (depth, "effective_records", lambda r: 1.001 * r, "rdf/all-data-records"),
        (depth, "effective_records", lambda r: 1.001 * r, "rdf/figure-5b/corrected"),
        (majority, "disjoint_error", lambda e: 1.001 * e, "rdf/more-trees-more-flips/corrected"),
        (majority, "disjoint_error", lambda e: min(e, 0.3), "rdf/more-trees-more-flips/corrected"),
        (majority, "one_sided_law", lambda p: p * 0 + 0.21, "rdf/flips-20"),
        (depth, "forest_accuracy", lambda a: a + 1e-6, "rdf/number-of-trees"),
        (depth, "suggested_trees", lambda t: 1.01 * t, "rdf/hundred-trees/corrected"),
        (majority, "disjoint_vote_error", lambda e: 0.7 * e, "rdf/same-leaves-one-tree"),
        (majority, "student_factor", lambda c: 0.98 * c, "rdf/requires-cauchy/corrected"),
        (majority, "student_loss", lambda x: 1.01 * x, "rdf/requires-cauchy/corrected"),
        (majority, "smooth_factor", lambda c: 0.99 * c, "rdf/smooth-cauchy"),
        (majority, "smooth_loss", lambda x: 1.001 * x, "rdf/smooth-cauchy"),
        (majority, "stable_release", lambda p: np.minimum(1, 1.01 * p), "rdf/instability"),
        (majority, "distance_to_instability", lambda d: d + 1, "rdf/instability"),
        (majority, "pure_delta", lambda d: min(0.5, 1.02 * d), "rdf/instability-classes"),
        (majority, "stable_error", lambda e: 0.98 * e, "rdf/instability-classes"),
        (majority, "delta_error_bound", lambda e: 0.999 * e, "rdf/delta-optimum"),
    ],
)
def test_a_wrong_function_is_found_out(module, name, change, claim, monkeypatch):
    right = getattr(module, name)
    assert not fails(claim)
    monkeypatch.setattr(module, name, lambda *args, **options: change(right(*args, **options)))
    assert fails(claim)


def test_noise_that_needs_cauchy_would_hold(monkeypatch):
    """With scales ten times too small no Student's t is private, and the sentence would stand."""
    right = random_forest.student_factor
    monkeypatch.setattr(majority, "student_factor", lambda *args: right(*args) / 10)
    assert claims.get("rdf/requires-cauchy").check().verdict == "holds"


def test_a_private_label_would_not_be_below_the_bound(monkeypatch):
    monkeypatch.setattr(majority, "smooth_exponential_law", majority.one_sided_law)
    assert claims.get("rdf/smooth-less-noise").check().verdict == "holds"


def test_a_hundred_best_trees_would_hold(monkeypatch):
    monkeypatch.setattr(depth, "forest_accuracy", lambda *args: 0.5 + args[-1] / 1000)
    assert claims.get("rdf/hundred-trees").check().verdict == "holds"


def test_an_order_that_never_turns_would_hold(monkeypatch):
    """Figure 5b assumes few records: on leaves of a hundred records at most there is nothing to assume."""
    grid = np.geomspace
    monkeypatch.setattr(np, "geomspace", lambda low, high, n: grid(low, 10, n))
    assert claims.get("rdf/figure-5b").check().verdict == "holds"


def test_flips_in_fractions_against_floats():
    """`_flips` and `disjoint_error` tell different labels wrong, except where no share can tie or turn."""
    for n, trees in ((1, 2), (3, 4)):
        wrong = majority.disjoint_error(n, 0, math.log(2), trees)
        empty = (1 - 1 / trees) ** n
        assert float(rdf_forest._flips(n, 0, trees)) == pytest.approx(
            (wrong - empty / 2) / (1 - empty)
        )


def test_forest_errors_by_simulation():
    """Votes drawn from Poisson leaves: 60,000 points, six standard errors, false-alarm rate 2e-9."""
    rng, (n, m, d, e, trees) = np.random.default_rng(5), (300, 4, 3, 1.0, 7)
    tested = rng.random((60_000, trees)) < 1 - (3 / 4) ** 3
    records = rng.poisson(n / trees / 2**d, size=tested.shape)
    wrong = np.where(tested, np.exp(-e * records) / 2, 0.5)  # where it is not tested, a coin
    errors = (rng.random(tested.shape) < wrong).sum(axis=1) > trees / 2
    expected = rdf_trees.forest_errors(n, m, d, e, np.array([trees]))[0]
    assert errors.mean() == pytest.approx(expected, abs=6 * errors.std() / math.sqrt(60_000))


def test_the_excess_of_shares_is_the_polynomial_it_says():
    """At other points than it was solved for; and where shares are given less error it goes below 0."""
    for data in (((0, 1, 1, 0),), ((0, 0, 0, 0), (0, 1, 1, 1))):
        coefficients = rdf_trees._excess(data)
        for u in (Fraction(1, 17), Fraction(2, 3), Fraction(1)):
            found = rdf_trees._share_vote(data, 1 / u) - rdf_trees._all_data_vote(data, 1 / u)
            powers = [math.comb(6, k) * u**k * (1 - u) ** (6 - k) for k in range(7)]
            assert sum(c * power for c, power in zip(coefficients, powers)) == found
        assert min(coefficients) >= 0


def test_a_case_of_two_records_would_be_found(monkeypatch):
    right = rdf_trees._excess
    monkeypatch.setattr(rdf_trees, "_excess", lambda x: [c - Fraction(1, 10**9) for c in right(x)])
    assert fails("rdf/disjoint-forest")


def test_the_rule_is_where_it_says():
    x = rdf_trees.RULE
    assert 2 * x == pytest.approx(math.exp(x) - 1) and x > 1


def test_losses_as_eigenvalues_and_as_densities():
    for a, s in ((0.3, 1.0), (0.0, 2.0), (1.5, 0.4)):
        dense = rdf_valid._log_ratio(rdf_valid._student(1), rdf_valid.OUTCOMES, a, s)
        assert rdf_valid._cauchy_loss(a, s) == pytest.approx(np.abs(dense).max(), abs=1e-5)
