"""The claims of the chapter `majority`: counterexamples reproduce, and a wrong formula is found out."""

import dataclasses
import math

import mpmath
import numpy as np
import one_evidence
import pytest

from dplit import majority
from dplit.court import claims
from dplit.court.claims.majority import disjoint

OURS = claims.of("majority")


def test_leaks_with_the_likelihood_ratio_it_says():
    """From equations 2, 7 and 8 in high precision: the smallest leak is one record in an empty leaf."""
    found = OURS["rdf/smooth-exponential"].check().counterexample
    assert (found["counts"], found["neighbour"], found["epsilon"]) == ([0, 0], [0, 1], 2.0)
    with mpmath.workdps(30):
        odds = mpmath.exp(2 / (2 * mpmath.exp(-2)))
        ratio = (1 + odds) / 2
    assert found["likelihood_ratio"] == pytest.approx(float(ratio))
    assert ratio > math.e**2


def test_a_right_formula_would_hold(monkeypatch):
    """The check of theorem 1 has no verdict of its own: with the true formula it finds nothing."""
    monkeypatch.setattr(majority, "published_smooth_sensitivity", lambda x, e: majority.smooth_sensitivity(x, e))
    assert OURS["rdf/theorem-1"].check().verdict == "holds"


def test_shares_are_judged_where_the_mean_gap_is_proportional(monkeypatch):
    """Inequality 14 is stated for E[j] proportional to n: on leaves of one class it is, and on no others."""
    seen = set()

    def error(a, b, epsilon, trees):
        seen.add((a, b))
        return 0.0

    monkeypatch.setattr(majority, "disjoint_error", error)
    assert OURS["rdf/disjoint-better"].check().verdict == "loose"
    assert seen == {(n, 0) for n in range(1, 6)}


def test_another_label_is_not_the_published_one(monkeypatch):
    """The range on which the published label leaks is certified; a label of another law is told apart."""

    class Private:
        def __init__(self, epsilon):
            self.epsilon = epsilon

        def logpmf(self, x):
            return np.log(majority.one_sided_law(x, self.epsilon))

    monkeypatch.setattr("dplit.court.claims.majority.smooth.SmoothExponential", Private)
    assert OURS["rdf/smooth-exponential"].check().verdict == "fails"


def test_a_wrong_optimum_would_fail(monkeypatch):
    monkeypatch.setattr(majority, "error_lower_bound", lambda gap, e: 0.49 * math.exp(-e * gap))
    assert OURS["rdf/optimality"].check().verdict == "fails"
    monkeypatch.setattr(majority, "unanimous_error", lambda n, k, e: 0.4 * math.exp(-e * n))
    assert OURS["rdf/optimality"].check().verdict == "fails"


@pytest.mark.parametrize(
    ("name", "change", "claim"),
    [
        ("published_smooth_sensitivity", lambda s: 1.01 * s, "table-2"),
        ("published_smooth_sensitivity", lambda s: 1.01 * s, "table-2-sensitivities/corrected"),
        ("published_smooth_sensitivity", lambda s: 1.01 * s, "equation-18/corrected"),
        ("smooth_sensitivity", lambda s: 0.99 * s, "theorem-1/corrected"),
        ("first_listed_smooth_sensitivity", lambda s: s**2, "theorem-1-first-listed/corrected"),
        ("smooth_exponential_loss", lambda x: 1.001 * x, "smooth-exponential/corrected"),
        ("smooth_exponential_loss", lambda x: 1.01 * x, "twice/corrected"),
        ("first_violation", lambda j: j - 1, "twice/corrected"),
        ("rescaled_loss", lambda x: 1.001 * x, "smooth-exponential-true-sensitivity"),
        ("smooth_exponential_delta", lambda d: 1.001 * d, "smooth-exponential-delta"),
        ("disjoint_error", lambda e: 1.001 * e, "disjoint-better/corrected"),
        ("disjoint_error", lambda e: 0.9 * e, "disjoint-better/corrected"),
        ("all_data_error", lambda e: 1.3 * e, "disjoint-better/corrected"),
        ("disjoint_vote_error", lambda e: 0.5 * e, "disjoint-vote"),
        ("second_label", lambda p: 1 - p, "scaling/corrected"),
        ("one_sided_law", lambda p: p**2, "rosnam-is-em/corrected"),
        ("smooth_exponential_law", lambda p: p + 0.002, "table-6-original"),
        ("one_sided_law", lambda p: p - 0.001, "table-6/corrected"),
        ("one_sided_law", lambda p: 1.001 * p, "optimality-replace-one"),
        ("optimal_bounds", lambda ends: [1.001 * e for e in ends], "optimality-replace-one"),
        ("optimal_bounds", lambda ends: [0.999 * e for e in ends], "optimality"),
        ("chain_error", lambda e: 1.001 * e, "optimality-classes"),
        ("unanimous_error", lambda e: 0.7 * e, "optimality-classes"),
        ("unanimous_disjoint_error", lambda e: 1.1 * e, "disjoint-better/classes"),
        ("unanimous_error", lambda e: e**1.5, "disjoint-better/classes"),
        ("unanimous_error", lambda e: e**2, "scaling/classes"),
        ("expected_gap", lambda j: 1.001 * j, "gap-proportional/corrected"),
        ("neighbouring", lambda leaves: [(9, *x[1:]) for x in leaves], "counts-sensitivity"),
        ("searched_smooth_sensitivity", lambda s: s**2, "least-frequent/corrected"),
        ("published_smooth_sensitivity", lambda s: s**2, "improvement"),
        ("gap_error", lambda e: 1.4 * e, "improves/corrected"),
        ("gap_error", lambda e: 1.001 * e, "less-noise-than-counts/corrected"),
        ("unanimous_error", lambda e: 1.4 * e, "counts-many-classes"),
        ("smooth_exponential_law", lambda p: p * 0.9, "empty-leaf-scores/corrected"),
        ("searched_smooth_sensitivity", lambda s: 0.9 * s, "empty-leaf-scores/corrected"),
        ("searched_smooth_sensitivity", lambda s: s**1.1, "definition-7"),
        ("searched_smooth_sensitivity", lambda s: 0.99 * s, "definition-7"),
    ],
)
def test_a_wrong_function_is_found_out(name, change, claim, monkeypatch):
    right, claim = getattr(majority, name), OURS[f"rdf/{claim}"]
    assert claim.check().verdict == "holds"
    monkeypatch.setattr(majority, name, lambda *args, **options: change(right(*args, **options)))
    assert claim.check().verdict == "fails"


def test_votes_of_shares_that_err_a_little_less_are_refused(monkeypatch):
    """At epsilon 0 both votes err with one half: a thousandth less from shares is not certified."""
    right, found = disjoint._share_votes, OURS["rdf/disjoint-vote"]
    less = lambda n, trees: {leaf: votes * 0.999 for leaf, votes in right(n, trees).items()}  # noqa: E731
    monkeypatch.setattr(disjoint, "_share_votes", less)
    case = found.check()
    assert case.verdict == "fails" and "statement" in case.counterexample


def test_noise_at_half_the_rate_would_not_attain_the_budget(monkeypatch):
    """ROSNAM at rate epsilon is private and no less costs: at a smaller rate the claim would be loose."""
    right = majority.one_sided_law
    monkeypatch.setattr(majority, "one_sided_law", lambda x, e, r: right(x, e / 2, r))
    assert OURS["rdf/monotone"].check().verdict == "loose"
    assert OURS["rdf/monotone-replace-one"].check().verdict == "loose"


def test_noise_at_twice_the_rate_would_leak(monkeypatch):
    """For monotonic scores, and where the rate for replaced records is not halved."""
    right = majority.one_sided_law
    monkeypatch.setattr(majority, "one_sided_law", lambda x, e, r: right(x, 2 * e, r))
    assert OURS["rdf/monotone"].check().verdict == "leaks"
    monkeypatch.setattr(majority, "one_sided_law", lambda x, e, r: right(x, e, "add-remove"))
    assert OURS["rdf/monotone"].check().verdict == "holds"
    assert OURS["rdf/monotone-replace-one"].check().verdict == "leaks"


def test_a_label_with_twice_the_lead_would_leak(monkeypatch):
    """And its error on unanimous leaves would be below the least; one that reads the excess costs no less."""
    right = majority.gap_law
    monkeypatch.setattr(majority, "gap_law", lambda x, e: right(2 * np.array(x), e))
    assert OURS["rdf/gap-law"].check().verdict == "leaks"
    assert OURS["rdf/gap-law/optimal"].check().verdict == "fails"
    monkeypatch.setattr(majority, "gap_law", lambda x, e: right(x, e / 2))
    assert OURS["rdf/gap-law"].check().verdict == "loose"
    assert OURS["rdf/gap-law/optimal"].check().verdict == "fails"
    assert OURS["rdf/gap-law/leads"].check().verdict == "fails"


def test_proportional_gaps_would_hold(monkeypatch):
    monkeypatch.setattr(majority, "expected_gap", lambda n, p: 0.3 * n)
    assert OURS["rdf/gap-proportional"].check().verdict == "holds"
    assert OURS["rdf/gap-proportional/corrected"].check().verdict == "fails"


def test_each_says_what_it_compares_and_over_what():
    for claim in OURS:
        found = one_evidence.of(claim).evidence
        assert found.range, claim.id
        assert (found.published is None) == (found.computed is None), claim.id
        if found.computed is not None:
            assert found.quantity and found.relation, claim.id


def test_a_misprint_would_be_found_out(monkeypatch):
    """A cell of table 2 that is two units of its last digit off, and one of table 6."""
    from dplit.court.claims.majority import _printed

    def misprinted(rows):
        *key, cell = rows[0]
        return [(*key, dataclasses.replace(cell, value=cell.value - 4 * cell.rounding)), *rows[1:]]

    gaps, labels = _printed.smooth_sensitivities(), _printed.label_probabilities("original")
    module = "dplit.court.claims.majority"
    monkeypatch.setattr(f"{module}.sensitivity.smooth_sensitivities", lambda: misprinted(gaps))
    monkeypatch.setattr(f"{module}.one_sided.label_probabilities", lambda column: misprinted(labels))
    assert OURS["rdf/table-2"].check().verdict == "fails"
    assert OURS["rdf/table-6-original"].check().verdict == "fails"
