"""Charges of an account: in memory, or in a file that is kept between runs, lines of JSON that are only appended.

The first line has the limits, each further one a charge or the return of one, on the disk before the noise that it
pays for is drawn. What a run that was killed left of a line paid for nothing, and the next line takes its place.
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


class Charges:
    """Charges in memory; `terms` are the account's limit, delta and neighbours. Charges have numbers from 1."""

    def __init__(self, terms: dict):
        self.path, self._lines = None, [{"dplit ledger": 1, **terms}]

    def locked(self):
        """The context in which nobody else writes."""
        return nullcontext()

    def append(self, entry: dict) -> int:
        """Write a charge, or the number of one that comes ``back``, inside `locked`; returns its own number."""
        self._lines.append(entry)
        return len(self._lines) - 1

    def prices(self) -> dict[int, tuple[float, float]]:
        """Epsilon and delta of each charge that stands, by its number."""
        return _standing(self._lines[1:])


class Ledger(Charges):
    """Charges in a file, shared by all runs that open it: it is new, or has the same terms."""

    def __init__(self, path: str | os.PathLike, terms: dict):
        super().__init__(terms)
        self.path, self._seen = Path(os.path.realpath(path)), b""  # a file that begins otherwise has lost charges
        with self.locked():
            if not self.path.exists():
                write_whole(self.path, _line(self._lines[0]))
        self.prices()

    def locked(self):
        """As of charges in memory; a TimeoutError where another run holds it too long."""
        return FileLock(f"{self.path}.lock", timeout=WAIT)

    def append(self, entry: dict) -> int:
        """As of charges in memory: from here on it is on the disk."""
        whole, line = self._whole(), _line({**entry, "at": datetime.now(UTC).isoformat(timespec="seconds")})
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
        content = self.path.read_bytes() if self.path.is_file() else b""
        whole = content[: content.rfind(b"\n") + 1]
        if not whole.startswith(self._seen):
            raise LedgerError(f"{str(self.path)!r} has lost charges that this run has seen: put the file back")
        self._seen = whole
        return whole

    def prices(self) -> dict[int, tuple[float, float]]:
        """As of charges in memory; a LedgerError where the file is no ledger, or of another account."""
        lines = self._whole().splitlines()
        try:
            terms, *entries = map(json.loads, lines)
            found = _standing(entries)
            other = {name: terms[name] for name, value in self._lines[0].items() if terms[name] != value}
        except (ValueError, KeyError, TypeError, AttributeError):
            raise LedgerError(
                f"{str(self.path)!r} must be the ledger of an account, and is none: put back the one that was "
                "there, or name a file that does not exist yet"
            ) from None
        for name, value in other.items():
            raise LedgerError(f"{name} must be {value!r}, as in {str(self.path)!r}, got {self._lines[0][name]!r}")
        return found


def _standing(entries):
    """Prices of the charges that did not come back."""
    found = {}
    for number, entry in enumerate(entries, 1):
        if "back" in entry:
            del found[entry["back"]]
            continue
        found[number] = price = float(entry["epsilon"]), float(entry["delta"])
        if not all(0 <= part < math.inf for part in price):
            raise ValueError("no price")
    return found


def _line(entry):
    return json.dumps(entry).encode() + b"\n"
