"""A check that yields comparisons: what verdict follows, which case is shown, what is counted."""

import numpy as np
import pytest

from dplit.court.ledger import Evidence, registry
from dplit.court.ledger.box import Box
from dplit.court.ledger.compare import (
    at_most,
    below,
    counted,
    decisive,
    frequency,
    judged,
    need,
    note,
    private,
    same,
)
from dplit.court.ledger.evidence import INTERVAL_ERROR, interval


def found(*cases, said="{cases} cases", **options):
    def check(effort, rng):
        yield from cases
        return said

    return judged(check, **options)("quick", None)


def test_equal_sides_hold_and_others_fail_at_the_first():
    assert found(same(1.0, 1.0 + 1e-12), same(0.0, 1e-15, atol=1e-14)).verdict == "holds"
    wrong = found(same(1, 1, n=1), same(2, 3, n=2), same(4, 5, n=3), said="n = {n}: {exact:g}")
    assert wrong.verdict == "fails" and wrong.summary == "n = 2: 2"
    assert wrong.counterexample == {"exact": "2.0", "stated": "3.0", "n": 2}
    assert (wrong.computed, wrong.published, wrong.relation, wrong.cases) == (2.0, 3.0, "=", 3)


def test_a_bound_that_no_case_meets_is_loose_and_the_nearest_is_shown():
    loose = found(at_most(1, 4, n=1), at_most(3, 4, n=2), at_most(2, 4, n=3), said="{n}")
    assert (loose.verdict, loose.summary, loose.counterexample) == ("loose", "2", None)
    assert found(at_most(1, 4), at_most(4, 4)).verdict == "holds"
    assert found(at_most(4.1, 4)).verdict == "fails"
    assert found(at_most(np.inf, 4)).verdict == found(at_most(2, -1)).verdict == "fails"
    assert found(at_most(0, 0)).verdict == "holds" and found(at_most(1, np.inf)).verdict == "loose"


def test_a_bound_beside_the_statement_is_never_loose():
    assert found(below(1, 4), same(2, 2)).verdict == "holds"
    assert found(below(5, 4), same(2, 2)).verdict == "fails"


def test_a_loss_above_its_epsilon_leaks_and_a_case_may_have_a_verdict_of_its_own():
    assert found(private(1.1, 1.0)).verdict == "leaks"
    assert found(same(1, 2), broken="assumes").verdict == "assumes"
    assert found(need(False, broken="fails"), broken="assumes").verdict == "fails"
    assert found(need(True)).verdict == "holds" and found(need(False)).relation == "not"


def test_an_assumption_that_a_case_with_its_data_shows_has_a_counterexample():
    found_wrong = found(same(1, 2, n=3), broken="assumes")
    assert found_wrong.counterexample == {"exact": "1.0", "stated": "2.0", "n": 3}
    assert found(same(1, 2), broken="assumes").counterexample is None
    assert found(same(2, 2, n=3), broken="assumes").counterexample is None


def test_what_is_decisive_is_shown_unless_a_case_is_broken():
    shown = decisive(same(1, 1, n=1))
    assert found(shown, same(2, 2, n=2), said="{n}").summary == "1"
    assert found(shown, same(2, 3, n=2), said="{n}").summary == "2"


def test_a_broken_case_may_lack_a_word_of_the_note():
    assert found(need(False), same(1, 1, law=2.0), said="by the law {law:.3f}").summary == "by the law ?"


def test_shares_of_draws_have_the_ledgers_interval_and_count_their_draws():
    events = np.arange(1000) < 300
    low, high = interval(300, 1000, INTERVAL_ERROR)
    within = found(frequency(events, 0.3), kind="simulated")
    assert within.intervals == ((low, high),) and within.cases == 1000
    assert within.computed == 0.3 and within.relation == "within"
    for stated, relation, verdict in (
        (high + 0.01, "within", "fails"), (low - 0.01, "within", "fails"),
        (high + 0.01, "<=", "holds"), (low - 0.01, "<=", "fails"),
        (low - 0.01, ">=", "holds"), (high + 0.01, ">=", "fails"),
        ((low - 0.01, high + 0.01), "within", "holds"), ((low + 0.01, 1), "within", "fails"),
    ):  # fmt: skip
        assert found(counted(300, 1000, stated, relation), kind="simulated").verdict == verdict


def test_nothing_follows_from_nothing_or_from_what_is_not_a_number():
    with pytest.raises(ValueError, match="at least one case"):
        found()
    for case in (same, at_most):
        with pytest.raises(ValueError, match="must be numbers"):
            case(np.nan, 1.0)


def test_a_note_may_say_fields_of_the_evidence():
    evidence = found(same(1, 1), said=note("all", range="n up to 3", cases=7))
    assert isinstance(evidence, Evidence)
    assert (evidence.range, evidence.cases, evidence.summary) == ("n up to 3", 7, "all")


@pytest.fixture
def empty(monkeypatch):
    monkeypatch.setattr(registry, "_registry", {})


def test_a_box_decorates_its_claims(empty):
    BOX = Box("thm-x", "majority.gap_error", quantity="q", range="r")

    @BOX("rdf/x", "theorem 9", "fails")
    def x(effort, rng):
        """It is one."""
        yield same(2, 1)
        return "no"

    @BOX.corrected(x)
    def two(effort, rng):
        """It is two."""
        yield same(2, 2)
        return "yes"

    @BOX("rdf/y", "ours; after theorem 9", "holds", "majority.gap_law", proved=False)
    def y(effort, rng):
        """So is this."""
        yield same(2, 2)
        return "yes"

    first, second, third = registry.registered()
    assert (first.anchor, first.functions) == ("thm-x", ("majority.gap_error",))
    assert first.says == "It is one." and not first.ours and first.holds_instead == second.id
    assert (first.proof, first.kind, second.proof, second.kind) == ("", "exact", "thm-x", "proved")
    assert second.id == "rdf/x/corrected" and second.ours
    assert third.ours and third.functions == ("majority.gap_law",) and not third.proof
    assert [c.check().verdict for c in (first, second, third)] == ["fails", "holds", "holds"]
    assert second.check().kind == "proved" and first.check().quantity == "q"


def test_what_a_claim_declares_is_the_verdict_where_it_is_broken(empty):
    BOX = Box("thm-x", "majority.gap_error", quantity="q", range="r")

    @BOX("rdf/z", "theorem 9", "leaks")
    def z(effort, rng):
        """It is private."""
        yield at_most(2, 1)
        return "no"

    (claim,) = registry.registered()
    assert claim.check().verdict == "leaks"
