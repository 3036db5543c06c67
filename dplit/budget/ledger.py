"""Charges of an account: in memory, or in a file that is kept between runs, lines of JSON that are only appended.

The first line has the limits, each further one a charge, on the disk before the noise that it pays for is drawn.
A charge may come ``instead`` of the one of that number, and files of an earlier version say of some that they came
``back``. What a run that was killed left of a line paid for nothing, and the next line takes its place.
"""

import json
import math
import os
from contextlib import nullcontext
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock

from dplit.ground.writing import write_whole

WAIT = 60.0  # seconds for another run to write its line


class LedgerError(ValueError):
    """A file that is no ledger of this account, or has lost charges: nothing was charged, no record read."""


class Ledger:
    """Charges, in memory where `path` is None; a file is shared by all runs that open it, and new or of `terms`.

    `terms`: the account's limit, delta and neighbours. Charges have numbers from 1.
    """

    def __init__(self, path: str | os.PathLike | None, terms: dict):
        self.path = None if path is None else Path(os.path.realpath(path))
        self._terms, first = {"dplit ledger": 1, **terms}, _line({"dplit ledger": 1, **terms})
        self._seen = first if path is None else b""  # a file that begins otherwise has lost charges
        with self.locked():
            if self.path and not self.path.exists():
                write_whole(self.path, first)
        self.prices()

    def locked(self):
        """The context in which no other run writes; a TimeoutError where one holds it too long."""
        return FileLock(f"{self.path}.lock", timeout=WAIT) if self.path else nullcontext()

    def append(self, entry: dict) -> int:
        """Write a charge to the disk, inside `locked`, and return its number."""
        whole, line = self._whole(), _line({**entry, "at": datetime.now(UTC).isoformat(timespec="seconds")})
        if self.path:
            with open(self.path, "r+b") as file:
                file.truncate(len(whole))
                file.seek(len(whole))
                file.write(line)
                file.flush()
                os.fsync(file.fileno())
        self._seen = whole + line
        return whole.count(b"\n")

    def _whole(self):
        """The lines that were written to their end."""
        if self.path is None:
            return self._seen
        content = self.path.read_bytes() if self.path.is_file() else b""
        whole = content[: content.rfind(b"\n") + 1]
        if not whole.startswith(self._seen):
            raise LedgerError(f"{str(self.path)!r} has lost charges that this run has seen: put the file back")
        self._seen = whole
        return whole

    def prices(self) -> dict[int, tuple[float, float]]:
        """Epsilon and delta of each charge that stands; a LedgerError where the file is none of this account."""
        lines, found = self._whole().splitlines(), {}
        try:
            terms, *entries = map(json.loads, lines)
            for number, entry in enumerate(entries, 1):
                if "back" in entry:
                    del found[entry["back"]]
                    continue
                found.pop(entry.get("instead"), None)
                found[number] = price = float(entry["epsilon"]), float(entry["delta"])
                if not all(0 <= part < math.inf for part in price):
                    raise ValueError
            other = {name: terms[name] for name in self._terms if terms[name] != self._terms[name]}
        except (ValueError, KeyError, TypeError, AttributeError):
            raise LedgerError(
                f"{str(self.path)!r} must be the ledger of an account, and is none: put back the one that was "
                "there, or name a file that does not exist yet"
            ) from None
        for name, value in other.items():
            raise LedgerError(f"{name} must be {value!r}, as in {str(self.path)!r}, got {self._terms[name]!r}")
        return found


def _line(entry):
    return json.dumps(entry).encode() + b"\n"
