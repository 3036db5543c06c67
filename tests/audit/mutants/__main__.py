"""The run of the planted bugs that the book lists: ``python -m tests.audit.mutants`` writes it."""

import json
from datetime import UTC, datetime

from dplit.court.audit.mutants import planted
from dplit.court.audit.suite import every_subject
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


def main():
    """Plant each bug, and write what was found."""
    rows = []
    for mutant in MUTANTS.values():
        row = seen(mutant)
        numbers = {"declared": f"{row.declared:.6g}", "found": f"{row.found:.6g}"}
        rows.append({"name": mutant.name, "caught_by": mutant.caught_by} | numbers)
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
