"""Planted privacy bugs: each one is seen by the subject that it names, and is gone afterwards."""

import pytest

from dplit.court import audit
from dplit.court.audit.mutants import every_mutant, planted
from dplit.court.audit.suite import every_subject
from dplit.ground.work import Effort, stream

MUTANTS = every_mutant()


def found(name, share=1, confidence=0.999):
    """What a subject finds, with a share of its draws: a test can do with fewer than an audit."""
    check = every_subject()[name].check
    if not hasattr(check, "drawn"):
        return check(Effort("quick"), stream(name))
    draws = Effort("quick").pick(*check.draws)
    return check.drawn(max(40, int(draws * share)), stream(name))(confidence)


def test_ten_of_the_attack_and_ten_more():
    assert len(MUTANTS) >= 20
    assert {m.caught_by for m in MUTANTS.values()} <= {s.name for s in audit.subjects("quick")}


@pytest.mark.parametrize("name", MUTANTS)
def test_a_planted_bug_is_caught(name):
    """At 99.9 % and half of the draws of a quick audit; chances are such that none is missed."""
    mutant = MUTANTS[name]
    with planted(mutant):
        row = found(mutant.caught_by, share=0.5)
    assert row.found > row.declared


@pytest.mark.parametrize("name", sorted({m.caught_by for m in MUTANTS.values()}))
def test_without_the_bug_the_same_subject_is_within(name):
    row = found(name, share=0.1)
    assert row.found <= row.declared * (1 + 1e-9)


def test_a_bug_is_gone_after_its_block():
    from dplit.forests import median, releases

    before = releases.flip, median.flip
    with pytest.raises(KeyError), planted(MUTANTS["label at twice its rate"]):
        assert releases.flip is median.flip is not before[0]
        raise KeyError
    assert (releases.flip, median.flip) == before
