"""Which of the project's other tests see the careless changes that ``dplit audit`` did not notice at first.

``python -m tests.audit.missed --list careless_6`` makes each one in a copy of the project, asks the tests of its
part and then those of the forests until one fails, and prints that one; `data/results/audit` stores it as "tests".
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from dplit.court.audit.changes import by_hand
from tests.audit.careless import LISTS, careless, source_of

ROOT = Path(__file__).resolve().parents[2]
KEPT = "dplit", "tests", "data", "book", "pyproject.toml", "README.md"
ASKED = {  # by the first part of the module, the budget's and the domain's by the names of their files
    "matrix": ("matrix_paths", "matrix_release", "matrix_strategies", "matrix_forest"),
    "budget": ("test_budget.py", "test_accountant*.py", "test_concentrated.py", "test_neighbours.py"),
    "domain": ("test_domain*.py",), "forests": (), "boosting": (),
}  # fmt: skip


def asked(module):
    """Files and folders of tests, in the order in which they are asked."""
    part = module.partition(".")[0]
    own = [str(path) for name in ASKED.get(part, (part,)) for path in sorted((ROOT / "tests").glob(name))]
    return [os.path.relpath(path, ROOT) for path in own] + ["tests/forests"]


def seen_by(bug, seconds=1800):
    """The first test that fails, and fails again by itself; "" if none does within the time."""
    with tempfile.TemporaryDirectory() as folder:
        for name in KEPT:
            copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy2
            copy(ROOT / name, Path(folder) / name)
        path = Path(folder, "dplit", *bug["module"].split("."))
        path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        path.write_text(source_of(bug), encoding="utf-8")
        left = []
        while True:
            try:
                failed = _failing(folder, asked(bug["module"]) + [f"--deselect={name}" for name in left], seconds)
            except subprocess.TimeoutExpired:
                return ""
            if not failed or _failing(folder, [failed], seconds):
                return failed.partition("[")[0]
            left.append(failed)  # it had too little time


def _failing(folder, tests, seconds):
    ask = [sys.executable, "-m", "pytest", "-q", "-x", "--tb=no", "--benchmark-skip", *tests]
    here = os.environ | {"PYTHONPATH": folder}
    found = subprocess.run(ask, cwd=folder, env=here, capture_output=True, text=True, timeout=seconds)
    lines = [line for line in found.stdout.splitlines() if line.startswith(("FAILED ", "ERROR "))]
    return lines[0].partition(" ")[2].partition(" - ")[0] if lines else ""


def main():
    """Print a line a change."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--list", choices=LISTS, default=LISTS[-1])
    which = parser.parse_args().list
    for row in by_hand(which)["rows"]:
        if not row["first"]:
            print(json.dumps({row["name"]: seen_by(careless(which)[row["name"]])}), flush=True)


if __name__ == "__main__":
    main()
