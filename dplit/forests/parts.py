"""Records in parts, of which a fit asks nothing but sums of whole numbers.

Whole numbers add up to the same in any order: the forest doesn't depend on how its records are split
(:doc:`/book/scale`). Records in memory are one part; those of Dask are in `dplit.forests.dask_parts`.
A part is a tuple that no step changes: it gives a new one, so that a part that is lost can be computed again.
"""

from __future__ import annotations

from dplit.forests.dask_parts import whole


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

    Returns
    -------
    Here, or what takes the same steps, as DaskParts
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
