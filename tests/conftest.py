"""No test and no notebook needs a network: the session and all it starts refuse every connection
but loopback (`tests/guard/network_guard.py`), and no folder of the user's stands in for the project's data.
The tests use every core themselves: where linear algebra did, too, small systems took ten times as long."""

import os
import sys
from pathlib import Path

GUARD = str(Path(__file__).parent / "guard")
if GUARD not in sys.path:
    sys.path.insert(0, GUARD)

import network_guard  # noqa: E402

network_guard.install()
search = os.environ.get("PYTHONPATH", "").split(os.pathsep)
os.environ["PYTHONPATH"] = os.pathsep.join([GUARD, *(p for p in search if p and p != GUARD)])
os.environ.pop("DPLIT_DATA", None)
for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")
