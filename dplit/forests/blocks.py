"""Records in blocks, of which a fit asks nothing but sums of whole numbers (:doc:`/book/scale`).

Records in memory are one block. Those of Dask are the collection's own blocks, which workers read, encode and sum;
the process that fits draws all that is drawn. A block is a tuple that no step changes: one that is lost with its
worker is computed again, from the collection and from what was released.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from dplit.domain.columns import EncodedColumns
    from dplit.forests.blocks_dask import DaskRecords, DaskTargets


def in_parts(
    records: np.ndarray | EncodedColumns | DaskRecords,
    labels: np.ndarray | DaskTargets,
    build: Callable,
    *told: object,
    beside: np.ndarray | None = None,
    kept: bool = True,
) -> Here | DaskParts:
    """The parts that ``build(records, labels, *told)`` makes of records, as `BaseForest` reads them, and labels.

    `build` is importable by name, as are all steps, and `told` is public or released. What each record brings
    stands in `beside`, and comes after the labels. `kept`: workers keep the parts for more than one sum.
    """
    cut = getattr(records, "in_parts", None)
    if cut is not None:
        return cut(labels, build, *told, beside=beside, kept=kept)
    own = () if beside is None else (beside,)
    return Here(build(records, labels, *own, *told))


class Here:
    """All records as one part, in this process."""

    def __init__(self, part: tuple):
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
    """Parts, each delayed, on the workers of Dask, which keep them for the next sum if they are to be `kept`.

    It does what `dplit.forests.blocks.Here` does.
    """

    def __init__(self, parts: list, kept: bool):
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

        return [delayed(_unless_refused, pure=False)(part, step, Told(*told)) for part in self.parts]


def answered(found):
    """Return what a worker `found`; raise the error that came in its place."""
    if isinstance(found, Refused):
        raise found.error from None
    return found


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
