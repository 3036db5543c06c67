"""A check at one's own parameters: which there are, what comes out, and what is refused."""

import pytest

from dplit.court import claims
from dplit.court.ledger import Claim, evidence_files
from dplit.court.ledger import run as verify
from dplit.court.ledger.compare import judged, note, private

STORED = evidence_files.stored()


def made(id="rdf/x", **defaults):
    """A claim whose check has the parameters `epsilon`, several values, and `trees`, one."""

    def check(effort, rng, epsilon=(0.5, 1.0), trees=2, words="no"):
        yield from (private(trees * e, 2.0, epsilon=e) for e in epsilon)
        return note(f"{rng.random()}", range="the ledger's")

    return Claim(id, "rdf", "theorem 1", "It is so.", "holds", judged(check), quantity="q")


def test_numbers_are_parameters_and_nothing_else():
    assert verify.parameters(made()) == {"epsilon": (0.5, 1.0), "trees": 2}
    assert verify.parameters(claims.get("rdf/theorem-1")) == {}


def test_the_check_runs_at_what_is_asked():
    asked = verify.settings(["epsilon=1,3", "trees=1"])
    assert asked == {"epsilon": (1, 3), "trees": (1,)}
    found = verify.check_at(made(), asked)
    assert (found.verdict, found.computed, found.published) == ("leaks", 3.0, 2.0)
    assert found.range == "epsilon = 1, 3; trees = 1"
    assert verify.check_at(made(), {"epsilon": (1.0,)}).verdict == "holds"
    assert found.summary == verify.check_at(made(), asked, seed=0).summary
    assert found.summary != verify.check_at(made(), asked, seed=1).summary


@pytest.mark.parametrize("text", ["epsilon", "epsilon=", "epsilon=one", "epsilon=1,"])
def test_a_setting_that_is_none(text):
    with pytest.raises(ValueError, match="must be NAME=VALUE"):
        verify.settings([text])


def test_claims_without_the_parameter_are_left_out():
    both = [made("rdf/x"), claims.get("rdf/theorem-1")]
    assert verify.with_parameters(both, {"trees": (1,)}) == both[:1]
    with pytest.raises(ValueError, match="the parameters beta; they have epsilon, trees"):
        verify.with_parameters(both, {"beta": (1,)})
    with pytest.raises(ValueError, match="trees of rdf/x takes one value"):
        verify.check_at(made(), {"trees": (1, 2)})


RELATIVE = {  # what these find is told in epsilons, or at epsilon 1
    "diprime-v1/unpartitioned",
    "rdf/smooth-exponential-true-sensitivity",
}
ABLE = [c for c in claims.all() if "epsilon" in verify.parameters(c)]
OTHER = (0.3,)


def test_claims_of_every_paper_can_be_varied():
    certified = [c for c in claims.all() if c.kind == "certified"]  # at every epsilon, and takes none
    assert len(ABLE) + len(certified) >= 70
    assert not set(ABLE) & set(certified)
    assert {c.paper for c in ABLE} >= {"diprime-v1", "diprime-v2", "mrf", "rdf", "m-rf"}
    assert OTHER not in [verify.parameters(c)["epsilon"] for c in ABLE]


@pytest.mark.parametrize("claim", ABLE, ids=[c.id for c in ABLE])
def test_what_is_asked_changes_what_is_found(claim):
    """At the ledger's own values a varied check finds what is on record, at others something else."""
    own = verify.check_at(claim, {"epsilon": verify.parameters(claim)["epsilon"]}).to_dict()
    kept, other = STORED[claim.id], verify.check_at(claim, {"epsilon": OTHER}).to_dict()
    sides = ("computed", "published", "summary")
    assert own["verdict"] == kept["verdict"]
    if own["computed"] is not None:
        assert float(own["computed"]) == pytest.approx(float(kept["computed"]), rel=1e-6)
    if claim.id not in RELATIVE:
        assert [own[side] for side in sides] != [other[side] for side in sides]
