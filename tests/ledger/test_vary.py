"""A check at one's own parameters: which there are, what comes out, and what is refused."""

import numpy as np
import pytest

from dplit import claims
from dplit.ledger import Case, Claim, private, vary


def made(id="rdf/x", **defaults):
    """A claim whose check has the parameters `epsilon`, several values, and `trees`, one."""

    def check(effort, rng, epsilon=(0.5, 1.0), trees=2, words="no"):
        cases = [Case(trees * e, 2.0, {"epsilon": e}) for e in epsilon]
        return private(cases, f"{rng.random()}", range="the ledger's")

    return Claim(id, "rdf", "theorem 1", "It is so.", "holds", check, quantity="q")


def test_numbers_are_parameters_and_nothing_else():
    assert vary.parameters(made()) == {"epsilon": (0.5, 1.0), "trees": 2}
    assert vary.parameters(claims.get("rdf/theorem-1")) == {}


def test_the_check_runs_at_what_is_asked():
    asked = vary.read(["epsilon=1,3", "trees=1"])
    assert asked == {"epsilon": (1, 3), "trees": (1,)}
    found = vary.check(made(), asked)
    assert (found.verdict, found.computed, found.published) == ("leaks", 3.0, 2.0)
    assert found.range == "epsilon = 1, 3; trees = 1"
    assert vary.check(made(), {"epsilon": (1.0,)}).verdict == "holds"
    assert found.summary == vary.check(made(), asked, seed=0).summary
    assert found.summary != vary.check(made(), asked, seed=1).summary


@pytest.mark.parametrize("text", ["epsilon", "epsilon=", "epsilon=one", "epsilon=1,"])
def test_a_setting_that_is_none(text):
    with pytest.raises(ValueError, match="must be NAME=VALUE"):
        vary.read([text])


def test_claims_without_the_parameter_are_left_out():
    both = [made("rdf/x"), claims.get("rdf/theorem-1")]
    assert vary.with_parameters(both, {"trees": (1,)}) == both[:1]
    with pytest.raises(ValueError, match="the parameters beta; they have epsilon, trees"):
        vary.with_parameters(both, {"beta": (1,)})
    with pytest.raises(ValueError, match="trees of rdf/x takes one value"):
        vary.check(made(), {"trees": (1, 2)})


def test_the_books_own_parameters_give_the_ledgers_verdict():
    """At the ledger's own values a varied check is the ledger's check."""
    able = [c for c in claims.all() if "epsilon" in vary.parameters(c)]
    assert len(able) >= 25
    assert {c.paper for c in able} >= {"diprime-v1", "diprime-v2", "mrf", "rdf", "m-rf"}
    for claim in able:
        own = vary.parameters(claim)["epsilon"]
        varied, checked = vary.check(claim, {"epsilon": own}), claim.check()
        assert (varied.verdict, varied.computed) == (checked.verdict, checked.computed), claim.id


RELATIVE = {  # what these find is told in epsilons, or at epsilon 1
    "diprime-v1/unpartitioned",
    "rdf/smooth-exponential-true-sensitivity",
}


def test_what_is_asked_changes_what_is_found():
    able = [c for c in claims.all() if "epsilon" in vary.parameters(c) and c.id not in RELATIVE]
    for claim in able:
        one, two = (vary.check(claim, {"epsilon": (e,)}) for e in (0.75, 0.3))
        assert (one.computed, one.published, one.summary) != (
            two.computed,
            two.published,
            two.summary,
        )


def test_a_leak_grows_with_epsilon():
    leak = claims.get("rdf/smooth-exponential")
    losses = [vary.check(leak, {"epsilon": (e,)}).computed for e in (1.0, 3.0)]
    assert np.diff(losses) > 0 and losses[1] > 3.0
