"""The run of the planted bugs that the book lists: ``python -m tests.audit.mutants`` writes it."""

import json
from datetime import UTC, datetime

from dplit.court import power
from dplit.court.audit.mutants import planted
from dplit.court.audit.suite import every_subject
from dplit.court.power.drawn import DrawnTest
from dplit.ground.printed import data_file
from dplit.ground.work import Effort, stream, versions
from tests.audit.mutants import MUTANTS

SHARE = 0.5  # of a quick audit's draws: a fifth of them shows half of the bugs, and spares no time
LEAST = 40  # draws


def seen(mutant):
    """What its subject finds of a bug at 99.9 %, by half of the draws of a quick audit."""
    name, effort = mutant.caught_by, Effort("quick")
    check = every_subject()[name].check
    with planted(mutant):
        if not hasattr(check, "drawn"):
            return check(effort, stream(name))
        draws = max(LEAST, int(effort.pick(*check.draws) * SHARE))
        return check.drawn(draws, stream(name))(0.999)


def release_of(mutant):
    """The first release of the same estimator, or of a mechanism, whose drawn test refuses the bug; or ""."""
    own = [r for r in power.releases().values() if r.estimator.rpartition(".")[2] in mutant.caught_by]
    others = [r for r in power.releases().values() if r.estimator.startswith("mechanisms.") and r not in own]
    with planted(mutant):
        return next((r.name for r in own + others if refused(r)), "")


def refused(release):
    """Whether a release's drawn test refuses it, or stops; its law is computed again, as in another process."""
    try:
        return bool(DrawnTest(release)(stream(release.name)).refused)
    except Exception:
        return True


def main():
    """Plant each bug, and write what was found, and the release whose claim in the ledger sees it, too."""
    rows = []
    for mutant in MUTANTS.values():
        row = seen(mutant)
        numbers = {"declared": f"{row.declared:.6g}", "found": f"{row.found:.6g}"}
        rows.append(
            {"name": mutant.name, "caught_by": mutant.caught_by} | numbers | {"release": release_of(mutant)}
        )
    run = {
        "command": "python -m tests.audit.mutants",
        "date": datetime.now(UTC).date().isoformat(),
        "versions": versions("numpy", "scipy"),
        "rows": rows,
    }
    path = data_file("results/audit/planted.json")
    path.write_text(json.dumps(run, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
