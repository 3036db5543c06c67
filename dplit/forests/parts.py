"""Records in parts, of which a fit asks nothing but sums of whole numbers.

Whole numbers add up to the same in any order: the forest doesn't depend on how its records are split
(:doc:`/book/scale`). Records in memory are one part; those of Dask are in `dplit.forests.dask_parts`.
A part is a tuple that no step changes: it gives a new one, so that a part that is lost can be computed again.
"""

from __future__ import annotations

import numpy as np


def in_parts(records, labels, build, *told):
    """The parts that ``build(records, labels, *told)`` makes of records and their labels.

    Parameters
    ----------
    records : float64 array or EncodedColumns, shape (n_records, n_features); or DaskRecords
        As `BaseForest` reads them.
    labels : array, shape (n_records,); or DaskLabels
    build : callable
        Of one part, importable by name, as are all steps.
    *told : objects
        What is public or released.

    Returns
    -------
    Here or DaskParts
    """
    spread = getattr(records, "in_parts", None)
    return Here(build(records, labels, *told)) if spread is None else spread(labels, build, *told)


def whole(sums):
    """Return `sums`; they must be 64-bit whole numbers, for others depend on the order."""
    if sums.dtype != np.int64:
        raise TypeError(f"sums over parts must be int64, got {sums.dtype}")
    return sums


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
        """Sum over the parts of ``ask(part, *told)``, int64 array."""
        return whole(ask(self.part, *told))
