"""Records in blocks, of which a fit asks nothing but sums of whole numbers.

Whole numbers add up to the same in any order: the forest doesn't depend on how its records are split. Records
in memory are one block. Those of Dask are the collection's own blocks, which workers read, encode by the public
domain and sum; the process that fits adds the sums up and draws all that is drawn. A block is a tuple that no
step changes: it gives a new one, so that one that is lost with its worker is computed again, from the
collection and from what was released. Derived in :doc:`/book/scale`.
"""

from __future__ import annotations

from functools import reduce
from typing import NamedTuple

import numpy as np


def in_parts(records, labels, build, *told, beside=None, kept=True):
    """The parts that ``build(records, labels, *told)`` makes of records and their labels.

    Parameters
    ----------
    records : float64 array or EncodedColumns, shape (n_records, n_features); or DaskRecords
        As `BaseForest` reads them.
    labels : array, shape (n_records,); or DaskTargets
    build : callable
        Of one part, importable by name, as are all steps.
    *told : objects
        What is public or released.
    beside : array, shape (n_records,), optional
        What each record brings; `build` takes it after the labels.
    kept : bool
        Whether workers are to keep the parts for more than one sum.

    Returns Here, or what takes the same steps, as DaskParts.
    """
    cut = getattr(records, "in_parts", None)
    if cut is not None:
        return cut(labels, build, *told, beside=beside, kept=kept)
    own = () if beside is None else (beside,)
    return Here(build(records, labels, *own, *told))


class Here:
    """All records as one part, in this process.

    Parameters
    ----------
    part : tuple
    """

    def __init__(self, part):
        self.part = part

    def advance(self, step, *told):
        """Replace each part by ``step(part, *told)``."""
        self.part = step(self.part, *told)

    def total(self, ask, *told):
        """Sum over the parts of ``ask(part, *told)``, array of whole numbers."""
        return whole(ask(self.part, *told))


AT_ONCE = 8  # sums that one task adds up


def whole(sums):
    """Return `sums`; they must be whole numbers, for sums of others depend on the order."""
    if sums.dtype.kind != "i":
        raise TypeError(f"sums over parts must be whole numbers, got {sums.dtype}")
    return sums


class Refused(NamedTuple):
    """The error of a part, in its place: of a task that raises, Dask logs what it was called with."""

    error: Exception


class Told:
    """What is public or released, sent with a task; Dask looks into tuples and lists, not into this."""

    def __init__(self, *values):
        self.values = values


class DaskParts:
    """Parts on the workers of Dask; it does what `dplit.forests.blocks.Here` does.

    Parameters
    ----------
    parts : list of dask.delayed.Delayed
    kept : bool
        Whether workers keep the parts for the next sum.
    """

    def __init__(self, parts, kept):
        self.parts, self.kept = parts, kept

    def advance(self, step, *told):
        """Replace each part by ``step(part, *told)``, as soon as a sum asks for it."""
        self.parts = self._of_each(step, told)

    def total(self, ask, *told):
        """Sum over the parts of ``ask(part, *told)``, int64 array."""
        from dask import delayed, persist

        sums = self._of_each(_summand, (ask, *told))
        while len(sums) > 1:
            groups = [sums[i : i + AT_ONCE] for i in range(0, len(sums), AT_ONCE)]
            sums = [delayed(_added, pure=False)(group) for group in groups]
        if self.kept:
            *self.parts, sums[0] = persist(*self.parts, sums[0])
        return answered(sums[0].compute())

    def _of_each(self, step, told):
        from dask import delayed

        return [
            delayed(_unless_refused, pure=False)(part, step, Told(*told)) for part in self.parts
        ]


def answered(found):
    """Return what a worker `found`; raise the error that came in its place."""
    if isinstance(found, Refused):
        raise found.error from None
    return found


# On the workers ------------------------------------------------------------------------------------


def refusing(do, *values):
    """``do(*values)``, or the error that it raises."""
    try:
        return do(*values)
    except Exception as error:
        return Refused(error.with_traceback(None))


def _unless_refused(part, step, told):
    return part if isinstance(part, Refused) else refusing(step, part, *told.values)


def _summand(part, ask, *told):
    return whole(ask(part, *told))


def _added(sums):
    refused = [part for part in sums if isinstance(part, Refused)]
    return refused[0] if refused else reduce(_plus, sums)


def _plus(one, other):
    return np.add(one, other, dtype=np.int64)
