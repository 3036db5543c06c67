"""Work that fans out: how hard to try, random streams by name, plain data, nearest names, versions.

Claims, audits and experiments share these.
"""

from __future__ import annotations

import difflib
import math
import platform
import zlib
from collections.abc import Mapping
from fractions import Fraction
from importlib.metadata import PackageNotFoundError, version

import numpy as np

from dplit.errors import check_choice

EFFORTS = ("quick", "reader", "deep")


class Effort(str):
    """How hard to check: "quick" (seconds), "reader" (a chapter), "deep" (minutes)."""

    def __new__(cls, name="quick"):
        return super().__new__(cls, check_choice(name, EFFORTS, "effort"))

    def pick(self, quick, reader, deep):
        """The value that belongs to this effort."""
        return (quick, reader, deep)[EFFORTS.index(self)]


def stream(name, seed=0):
    """The generator of one piece of work: depends on its name and the seed, on nothing else."""
    return np.random.default_rng([seed, zlib.crc32(name.encode())])


def plain(value):
    """`value` in JSON's own types: arrays become lists, fractions and infinities strings."""
    if isinstance(value, Mapping):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    if isinstance(value, (np.ndarray, np.generic)):
        return plain(value.tolist())
    if isinstance(value, Fraction) or (isinstance(value, float) and not math.isfinite(value)):
        return str(value)
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise TypeError(f"evidence must be plain data, as JSON holds, got {value!r}")


def nearest(name, known):
    """Which of the `known` names come closest to a wrong one, in words."""
    known = list(known)
    near = difflib.get_close_matches(str(name), known, n=3, cutoff=0.4) or known[:3]
    return f"the nearest are {', '.join(near)}" if near else "there are none"


def versions(*libraries):
    """Versions of Python, dplit and the named libraries, dict of str; what is missing is left out."""
    import dplit

    found = {"python": platform.python_version(), "dplit": dplit.__version__}
    for name in libraries:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
