"""The run of the planted bugs that the book lists: ``python -m tests.audit.mutants`` writes it."""

import json
from datetime import UTC, datetime

from dplit.audit.mutants import planted
from dplit.audit.suite import every_subject
from dplit.printed import data_file
from dplit.work import Effort, stream, versions
from tests.audit.mutants import MUTANTS

SHARES = 0.05, 0.5  # of a quick audit's draws: most bugs are gross, and seen by the first few
LEAST = 40  # draws


def seen(mutant):
    """What its subject finds of a bug at 99.9 %: by few draws if they suffice, else by half of an audit's."""
    name, effort = mutant.caught_by, Effort("quick")
    check = every_subject()[name].check
    with planted(mutant):
        if not hasattr(check, "drawn"):
            return check(effort, stream(name))
        for share in SHARES:
            draws = max(LEAST, int(effort.pick(*check.draws) * share))
            row = check.drawn(draws, stream(name))(0.999)
            if row.found > row.declared:
                break
        return row


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
