"""The claims of the chapter `majority`: verdicts follow the computation, counterexamples reproduce."""

import json
import math

import mpmath
import numpy as np
import pytest

from dplit import claims, majority
from dplit.claims import rdf, rosnam

OURS = [c for c in claims.all("rdf") if c.chapter == "majority"]
WRONG = ("fails", "leaks", "loose")


@pytest.mark.parametrize("c", OURS, ids=lambda c: c.id)
def test_verdict_is_computed(c):
    found = c.check()
    assert found.verdict == c.verdict
    assert found.summary.endswith(".")
    json.dumps(found.counterexample)
    assert (found.counterexample is not None) == (c.verdict in ("fails", "leaks"))


@pytest.mark.parametrize("c", [c for c in OURS if c.verdict in WRONG], ids=lambda c: c.id)
def test_what_holds_instead(c):
    instead = claims.get(c.holds_instead)
    assert instead.ours and instead.verdict == "holds"


def test_fields():
    for c in OURS:
        assert c.anchor and c.test and c.functions
        for name in c.functions:
            assert callable(getattr(majority, name.removeprefix("majority.")))


def test_every_row_has_its_claim():
    rows = """neighbours theorem-1 smooth-exponential twice table-2 inequality-14 disjoint-better scaling
        rosnam-is-em equation-18 table-6 monotone optimality"""
    assert {f"rdf/{row}" for row in rows.split()} <= {c.id for c in OURS}


def test_leaks_with_the_likelihood_ratio_it_says():
    """From equations 2, 7 and 8 in high precision: the smallest leak is one record in an empty leaf."""
    found = claims.get("rdf/smooth-exponential").check().counterexample
    assert (found["counts"], found["neighbour"], found["epsilon"]) == ([0, 0], [0, 1], 2.0)
    with mpmath.workdps(30):
        odds = mpmath.exp(2 / (2 * mpmath.exp(-2)))
        ratio = (1 + odds) / 2
    assert found["likelihood_ratio"] == pytest.approx(float(ratio))
    assert ratio > math.e**2


def test_a_right_formula_would_hold(monkeypatch):
    """The check of theorem 1 has no verdict of its own: with the true formula it finds nothing."""
    monkeypatch.setattr(
        majority, "published_smooth_sensitivity", lambda x, e: majority.smooth_sensitivity(x, e)
    )
    assert claims.get("rdf/theorem-1").check().verdict == "holds"


def test_a_private_label_would_not_leak(monkeypatch):
    class Private:
        def __init__(self, epsilon):
            self.epsilon = epsilon

        def logpmf(self, x):
            return np.log(majority.one_sided_law(x, self.epsilon))

    monkeypatch.setattr("dplit.claims.majority.published.SmoothExponential", Private)
    assert claims.get("rdf/smooth-exponential").check().verdict == "holds"


def test_a_wrong_optimum_would_fail(monkeypatch):
    monkeypatch.setattr(majority, "error_lower_bound", lambda gap, e: 0.49 * math.exp(-e * gap))
    assert claims.get("rdf/optimality").check().verdict == "fails"
    monkeypatch.setattr(majority, "unanimous_error", lambda n, k, e: 0.4 * math.exp(-e * n))
    assert claims.get("rdf/optimality").check().verdict == "fails"


def test_units_of_the_last_digit():
    assert rdf.unit("0.00674") == pytest.approx(1e-5)
    assert rdf.unit("1.93e-22") == pytest.approx(1e-24)
    assert rdf.unit("52.1") == pytest.approx(0.1)


def test_printed_tables_are_whole():
    assert sorted(rdf.TABLE_2) == [0, 1, 5, 10, 50, 100, 500]
    assert list(rosnam.TABLE_6) == [(5, 10), (105, 110), (0, 1), (0, 10), (10, 50), (10, 60)]
