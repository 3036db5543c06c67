"""The claim object: evidence is plain data, verdicts follow from numbers, generators from ids."""

import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from dplit.court import ledger
from dplit.court.ledger import Evidence, registry


@pytest.mark.parametrize("verdict", ["fails", "leaks"])
def test_a_failure_needs_a_counterexample(verdict):
    with pytest.raises(ValueError, match="counterexample"):
        Evidence(verdict, "exact", "two is not three")


def test_simulated_evidence_needs_intervals():
    with pytest.raises(ValueError, match="intervals"):
        Evidence("holds", "simulated", "drawn")


@pytest.mark.parametrize(("field", "value"), [("verdict", "true"), ("kind", "guessed")])
def test_evidence_names_the_wrong_word(field, value):
    words = {"verdict": "holds", "kind": "exact"} | {field: value}
    with pytest.raises(ValueError, match=f"{field} must be one of"):
        Evidence(**words, summary="")


def test_evidence_is_plain_data():
    found = Evidence(
        "fails",
        "exact",
        "s",
        published=np.float64(0.5),
        computed=float("inf"),
        counterexample={"counts": np.array([[1, 2]]), "p": Fraction(1, 3), 4: (np.int64(5), None, True)},
        intervals=((0.0, 1.0),),
    )
    read = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert read["counterexample"] == {"counts": [[1, 2]], "p": "1/3", "4": [5, None, True]}
    assert (read["published"], read["computed"], read["intervals"]) == (0.5, "inf", [[0.0, 1.0]])


def test_evidence_refuses_what_json_cannot_hold():
    with pytest.raises(TypeError, match="plain data"):
        Evidence("fails", "exact", "s", counterexample={"law": object()})


@given(st.integers(1, 60), st.data())
def test_interval_has_its_error_in_each_tail(draws, data):
    """Clopper-Pearson by definition: at each end, the tail beyond what was seen has error/2."""
    successes = data.draw(st.integers(0, draws))
    low, high = ledger.interval(successes, draws, error=0.01)
    assert 0 <= low <= successes / draws <= high <= 1
    assert successes == 0 or binom.sf(successes - 1, draws, low) == pytest.approx(0.005)
    assert successes == draws or binom.cdf(successes, draws, high) == pytest.approx(0.005)


def test_registering():
    with pytest.raises(ValueError, match="paper must be one of"):
        ledger.claim("other/x", "", "holds")(lambda effort, rng: None)
    with pytest.raises(ValueError, match="verdict must be one of"):
        ledger.claim("rdf/x", "", "true")(lambda effort, rng: None)
    assert "rdf/x" not in registry._registry


@pytest.fixture
def empty(monkeypatch):
    """A registry without claims."""
    monkeypatch.setattr(registry, "_registry", {})
    return registry._registry


def test_the_docstring_is_the_statement_and_a_correction_hangs_on_what_it_corrects(empty):
    @ledger.claim("rdf/x", "theorem 1", "fails", "thm-x", ("majority.gap_error",), chapter="majority")
    def wrong(effort, rng):
        r"""It is $\alpha$,
        always."""

    @wrong.corrected(functions=("majority.one_sided_law",))
    def right(effort, rng):
        """It is at most that."""

    claim, instead = empty["rdf/x"], empty["rdf/x/corrected"]
    assert claim.says == r"It is $\alpha$, always." and claim.holds_instead == instead.id
    assert (instead.verdict, instead.ours, instead.where) == ("holds", True, "ours")
    assert instead.anchor == claim.anchor == "thm-x" and instead.chapter == "majority"
    with pytest.raises(ValueError, match="'rdf/x' is registered already"):
        ledger.claim("rdf/x", "", "holds")(wrong)


def test_one_check_for_a_statement_of_two_papers(empty):
    @ledger.claim("x", {"diprime-v1": "Section 3", "diprime-v2": "Section 4"}, "loose")
    def both(effort, rng, paper):
        """So it is."""
        return ledger.Evidence("loose", "exact", paper)

    @both.corrected()
    def sharp(effort, rng, paper):
        """So it is, sharply."""

    assert empty["diprime-v2/x"].check().summary == "diprime-v2"
    assert empty["diprime-v1/x"].where == "Section 3"
    assert empty["diprime-v2/x"].holds_instead == "diprime-v2/x/corrected" in empty
