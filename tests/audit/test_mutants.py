"""Planted privacy bugs: each one is seen by the subject that it names, and is gone afterwards.

That the subject is within where nothing is planted is asked in `test_suite`.
"""

import pytest

from dplit.court import audit, power
from dplit.court.audit import mutants
from tests.audit.mutants import MUTANTS
from tests.audit.mutants.__main__ import release_of, seen


def test_ten_of_the_attack_and_ten_more():
    assert len(MUTANTS) >= 20
    assert {m.caught_by for m in MUTANTS.values()} <= {s.name for s in audit.subjects("quick")}


RELEASES = {row["name"]: row["release"] for row in mutants.stored()["rows"]}
# Those that a claim on a release sees die in the ledger's test, too: two of them for all.
WIDER = [name for name in MUTANTS if RELEASES.get(name)][2:]
DEAR = (  # as long as all others together; cheaper bugs stand for them, seen by subjects of the same kinds
    "later class counts of leaves, counted twice", "noise of a seed that stands in the code",
    "ensembles share one noise", "a mean over the true count", "queries are taken from the records",
    "dates with slashes are read in the order that all of them allow",
    "hard votes of two classes release both columns", "a replacement accounted as one addition",
    "each tree reads all records of a partitioned forest", "noise on the sum only",
)  # fmt: skip
LATER = {*WIDER, *DEAR}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.deep] if name in LATER else []) for name in MUTANTS]
)
def test_a_planted_bug_is_caught(name):
    """At 99.9 % and half of the draws of a quick audit; chances are such that none is missed."""
    row = seen(MUTANTS[name])
    assert row.found > row.declared


def test_the_stored_run_is_of_these_bugs_and_each_was_caught():
    found = mutants.stored()
    assert found["command"] == "python -m tests.audit.mutants" and found["date"] and found["versions"]
    rows = {row["name"]: row for row in found["rows"]}
    assert {name: row["caught_by"] for name, row in rows.items()} == {
        m.name: m.caught_by for m in MUTANTS.values()
    }
    assert all(float(row["found"]) > float(row["declared"]) for row in rows.values())
    assert {row["release"] for row in rows.values()} - {""} <= power.releases().keys()


@pytest.mark.deep
@pytest.mark.parametrize("name", WIDER)
def test_a_claim_on_a_release_sees_it_too(name):
    assert release_of(MUTANTS[name]) == RELEASES[name]


def test_a_bug_is_gone_after_its_block():
    from dplit.baselines import _shared as baselines
    from dplit.forests import releases

    before = releases.flip, baselines.flip
    with pytest.raises(KeyError), mutants.planted(MUTANTS["label at twice its rate"]):
        assert releases.flip is baselines.flip is not before[0]
        raise KeyError
    assert (releases.flip, baselines.flip) == before
