"""The file of an account that is kept between runs: lines of JSON that are only ever appended.

The first line has the limits, each further one a charge or the return of one. A line is on the disk before the
noise that it pays for is drawn, so that a run that is killed loses no charge. What a killed run left of a line
paid for nothing, and the next line takes its place.
"""

import json
import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock, Timeout

from dplit.ground.writing import write_whole

FORMAT = 1
WAIT = 60.0  # seconds for another run to write its line


class LedgerError(ValueError):
    """A file that is no ledger of this account, or has lost charges: nothing was charged, no record read."""


class Ledger:
    """Charges in a file, shared by all runs that open it.

    `terms` are the account's limit, delta and neighbours. A new file is written with them; one that is there
    must have the same.
    """

    def __init__(self, path: str | os.PathLike, terms: dict):
        self.path = Path(os.path.realpath(path))
        self._read = b""  # a file that doesn't begin with it has lost charges
        with self.locked():
            if not self.path.exists():
                write_whole(self.path, _line({"dplit ledger": FORMAT, **terms}))
        found, _ = self._entries()
        for name, value in terms.items():
            if found[name] != value:
                raise LedgerError(f"{name} must be {found[name]!r}, as {str(self.path)!r} has it, got {value!r}")

    @contextmanager
    def locked(self) -> Iterator[None]:
        """The context in which no other run writes."""
        lock = FileLock(f"{self.path}.lock", timeout=WAIT)
        try:
            lock.acquire()
        except Timeout:
            raise LedgerError(f"{str(self.path)!r} was locked by another run for {WAIT:g} seconds") from None
        try:
            yield
        finally:
            lock.release()

    def prices(self) -> dict[int, tuple[float, float]]:
        """Epsilon and delta of each charge that stands, by its number."""
        return self._entries()[1]

    def charge(self, name: str, price: tuple[float, float]) -> int:
        """Append a charge, inside `locked`, and return its number: from here on it is on the disk."""
        number = self._whole().count(b"\n")
        self._append({"charge": number, "epsilon": price[0], "delta": price[1], "of": name})
        return number

    def refund(self, number: int) -> None:
        """Append that a charge is taken back."""
        with self.locked():
            self._append({"back": number})

    def _append(self, entry):
        whole, line = self._whole(), _line({**entry, "at": datetime.now(UTC).isoformat(timespec="seconds")})
        with open(self.path, "r+b") as file:
            file.truncate(len(whole))
            file.seek(len(whole))
            file.write(line)
            file.flush()
            os.fsync(file.fileno())
        self._read = whole + line

    def _whole(self):
        """The lines that were written to their end; a LedgerError where some that were there are gone."""
        content = self.path.read_bytes() if self.path.is_file() else b""
        whole = content[: content.rfind(b"\n") + 1]
        if not whole.startswith(self._read):
            raise LedgerError(f"{str(self.path)!r} has lost charges that this run has seen: put the file back")
        self._read = whole
        return whole

    def _entries(self):
        """The terms, and the price of each charge that stands."""
        terms, standing, at = {}, {}, 0
        try:
            first, *rest = self._whole().splitlines()
            terms = json.loads(first)
            if terms.pop("dplit ledger") != FORMAT or terms.keys() != {"limit", "delta", "neighbours"}:
                raise ValueError
            for at, line in enumerate(rest, 1):
                entry = json.loads(line)
                if "back" in entry:
                    del standing[entry["back"]]
                    continue
                price = float(entry["epsilon"]), float(entry["delta"])
                if entry["charge"] != at or not all(0 <= part < math.inf for part in price):
                    raise ValueError
                standing[at] = price
        except LedgerError:
            raise
        except (ValueError, KeyError, TypeError, AttributeError):
            raise LedgerError(
                f"{str(self.path)!r} must be the ledger of an account, and its line {at + 1} is not: put back the "
                "file that was there, or name one that does not exist yet"
            ) from None
        return terms, standing


def _line(entry):
    return json.dumps(entry).encode() + b"\n"
