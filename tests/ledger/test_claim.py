"""The claim object: evidence is plain data, verdicts follow from numbers, generators from ids."""

import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from dplit.ledger import claim as core
from dplit.ledger.claim import Effort, Evidence


@pytest.mark.parametrize(
    ("exact", "published", "verdict"),
    [
        ([1.0, 2.0], [1.5, 2.0], "holds"),
        ([1.0, 2.0], [1.5, 2.5], "loose"),
        ([1.0, 2.6], [1.5, 2.5], "fails"),
        ([0.0], [0.0], "holds"),
        ([2.5 * (1 + 1e-12)], [2.5], "holds"),
        ([-1.0], [-2.0], "fails"),
        ([np.inf], [1.0], "fails"),
    ],
)
def test_upper_bound_verdicts(exact, published, verdict):
    assert core.of_upper_bound(exact, published) == verdict


def test_equality_and_privacy_verdicts():
    assert core.of_equality([1.0, 2.0], [1.0, 2.0 + 1e-12]) == "holds"
    assert core.of_equality([1.0, 2.0], [1.0, 2.1]) == "fails"
    assert core.of_privacy([0.5, 1.0], 1.0) == "holds"
    assert core.of_privacy([0.5, 0.9], 1.0) == "loose"
    assert core.of_privacy([0.5, np.inf], 1.0) == "leaks"


@pytest.mark.parametrize("rule", [core.of_upper_bound, core.of_equality, core.of_privacy])
@pytest.mark.parametrize("exact", [[], [np.nan], [0.5, np.nan]])
def test_no_verdict_follows_from_nothing(rule, exact):
    with pytest.raises(ValueError, match="must be numbers"):
        rule(exact, 1.0)


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
        counterexample={
            "counts": np.array([[1, 2]]),
            "p": Fraction(1, 3),
            4: (np.int64(5), None, True),
        },
        intervals=((0.0, 1.0),),
    )
    read = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert read["counterexample"] == {"counts": [[1, 2]], "p": "1/3", "4": [5, None, True]}
    assert (read["published"], read["computed"], read["intervals"]) == (0.5, "inf", [[0.0, 1.0]])


def test_evidence_refuses_what_json_cannot_hold():
    with pytest.raises(TypeError, match="plain data"):
        Evidence("fails", "exact", "s", counterexample={"law": object()})


def test_effort():
    assert [Effort(e).pick(1, 2, 3) for e in core.EFFORTS] == [1, 2, 3]
    with pytest.raises(ValueError, match="effort must be one of"):
        Effort("hard")


def test_generator_depends_on_id_and_seed_alone():
    draw = lambda *key: core.claim_rng(*key).random()  # noqa: E731
    assert draw("rdf/a") == draw("rdf/a", 0)
    assert len({draw("rdf/a"), draw("rdf/b"), draw("rdf/a", 1)}) == 3


@given(st.integers(1, 60), st.data())
def test_interval_has_its_error_in_each_tail(draws, data):
    """Clopper-Pearson by definition: at each end, the tail beyond what was seen has error/2."""
    successes = data.draw(st.integers(0, draws))
    low, high = core.interval(successes, draws, error=0.01)
    assert 0 <= low <= successes / draws <= high <= 1
    assert successes == 0 or binom.sf(successes - 1, draws, low) == pytest.approx(0.005)
    assert successes == draws or binom.cdf(successes, draws, high) == pytest.approx(0.005)


def test_registering():
    with pytest.raises(ValueError, match="paper must be one of"):
        core.claim("other/x", verdict="holds", where="", says="")(lambda effort, rng: None)
    with pytest.raises(ValueError, match="verdict must be one of"):
        core.claim("rdf/x", verdict="true", where="", says="")(lambda effort, rng: None)
    assert "rdf/x" not in core._registry
