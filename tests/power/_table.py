"""One row of the table of releases and planted bugs: who sees the bug."""

from functools import cache

from dplit.court import claims, power
from dplit.court.audit.suite import every_subject
from dplit.ground.work import Effort, stream
from tests.power import planted_bugs
from tests.power._planting import planted


@cache
def mutants():
    """Every planted bug, by its release and name."""
    return {(name, bug): mutant for name, bug, mutant in planted_bugs()}


def claim_of(release):
    """The ledger's claim on a release."""
    return next(c for c in claims.all() if c.says == release.statement)


def row(name, bug):
    """Whether each of the three sees a planted bug; a stop with an error is seen."""
    release, subject = power.release(name), every_subject()[f"{name} draws its law, with known power"]
    asked = {
        "chapter": lambda: bool(power.drawn(name, stream(f"{name}: {bug}")).refused),
        "ledger": lambda: claim_of(release).check().verdict != "holds",
        "audit": lambda: subject.check(Effort("quick"), stream(subject.name)).found > 0,
    }
    seen = {}
    with planted(mutants()[name, bug]):
        for who, sees in asked.items():
            try:
                seen[who] = sees()
            except Exception:
                seen[who] = True
    events = {event.bug: event for event in power.drawn_test(name).events}
    stated = f"{events[bug].power:.4f}" if bug in events else ""
    return {"release": name, "chapter_of": release.chapter, "bug": bug, "power": stated} | seen
